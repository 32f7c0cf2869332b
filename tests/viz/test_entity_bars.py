"""The bars of the question's entities: zero is not unmeasured."""

import pytest

from tests.viz.sample_trend_results import (
    counted,
    quco_result,
    sample_quco_result,
)
from viz.entity_bars import bars_title, entity_bars
from viz.quco_rag import entities_table
from viz.theme import LIGHT


def test_bars_show_zero_at_the_foot_of_the_axis_and_unmeasured_in_words():
    figure = entity_bars(sample_quco_result(), LIGHT)
    bars = figure.data[0]
    assert list(bars.text) == ["<b> 0, never named </b>", "<b> not measured </b>", "<b> 640 </b>"]
    assert list(bars.x)[:2] == [0.0, 0.0]
    assert bars.x[2] == pytest.approx(2.80686, abs=1e-5)  # log10(641)
    assert figure.layout.xaxis.ticktext[:3] == ("0", "1", "10") and figure.layout.xaxis.tickvals[0] == 0.0
    assert bars_title(sample_quco_result()) == "Never named in ‘Small encyclopaedia’: ‘Zamorin of Quilon’"
    assert list(entities_table(sample_quco_result())["in words"]) == ["640", "not measured", "0, never named"]


def test_bars_without_a_zero_say_the_mean():
    result = quco_result((counted("A", 10), counted("B", 1500)), ())
    assert bars_title(result) == "The question's entities occur 755 times on average in ‘Small encyclopaedia’"


def test_one_entity_has_no_average():
    assert bars_title(quco_result((counted("A", 1),), ())) == "‘A’ occurs 1 time in ‘Small encyclopaedia’"
