"""The bars of the question's entities: zero is not unmeasured."""

import pytest

from tests.viz.numbers_in_text import numbers_in
from tests.viz.sample_trend_results import (
    counted,
    quco_result,
    sample_quco_result,
)
from viz.methods.entity_bars import bars_title, entity_bars
from viz.methods.quco_rag import entities_table
from viz.parts.theme import LIGHT


def test_bars_show_zero_at_the_foot_of_the_axis_and_unmeasured_in_words():
    figure = entity_bars(sample_quco_result(), LIGHT)
    bars = figure.data[0]
    assert list(bars.text) == ["<b> 0, never named </b>", "<b> not measured </b>", "<b> 640 </b>"]
    assert list(bars.x)[:2] == [0.0, 0.0]
    assert bars.x[2] == pytest.approx(2.80686, abs=1e-5)  # log10(641)
    assert figure.layout.xaxis.ticktext[:3] == ("0", "1", "10") and figure.layout.xaxis.tickvals[0] == 0.0
    assert "‘Zamorin of Quilon’" in bars_title(sample_quco_result())
    assert list(entities_table(sample_quco_result())["in words"]) == ["640", "not measured", "0, never named"]


def test_bars_without_a_zero_say_the_mean():
    result = quco_result((counted("A", 10), counted("B", 1500)), ())
    assert numbers_in(bars_title(result)) == ["755"]


def test_counts_that_failed_are_not_called_uncountable():
    result = quco_result((counted("A", None), counted("B", None)), ())
    assert bars_title(result).startswith("Counts not measured in ‘")


def test_one_entity_has_no_average():
    assert bars_title(quco_result((counted("A", 1),), ())).startswith("‘A’ occurs 1 time ")


def test_threshold_and_mean_stand_over_the_bars_and_turn_away_from_each_other() -> None:
    figure = entity_bars(sample_quco_result(), LIGHT)
    notes = {note.text.split()[0].removeprefix("<b>"): note for note in figure.layout.annotations}
    assert set(notes) >= {"mean"}
    # Beneath the axis one label ran into the axis title, with a single entity always.
    assert {(note.y, note.yanchor) for note in notes.values()} == {(1, "bottom")}
    if len(notes) == 2:
        low, high = sorted(notes.values(), key=lambda note: note.x)
        assert (low.xanchor, high.xanchor) == ("right", "left")
