"""The entropy of the answers on its range, numbers worked by hand in sample_results."""

from dataclasses import replace

import pytest

from engine.core.records import Interval
from tests.viz import sample_results as samples
from viz.methods.entropy_bar import entropy_bar, entropy_latex
from viz.parts.theme import DARK, LIGHT, rgba


def test_the_formula_holds_this_runs_degrees() -> None:
    latex = entropy_latex(samples.dense_full())
    assert latex.count(r"\ln\tfrac{4.5}{6}") == 4
    assert r"\ln\tfrac{1.5}{6}" in latex
    assert "0.5127" in latex
    assert entropy_latex(samples.dense_none_measured()) == ""


def test_other_rewordings_are_a_whisker_from_their_lowest_to_their_highest_entropy() -> None:
    result = samples.dense_depending_on_wording()
    whisker = entropy_bar(result, LIGHT).data[0].error_x
    assert result.entropy - whisker.arrayminus[0] == pytest.approx(0.1)
    assert result.entropy + whisker.array[0] == pytest.approx(0.45)
    assert entropy_bar(samples.dense_understood(), LIGHT).data[0].error_x.visible is False


def test_rewordings_that_change_nothing_are_no_range() -> None:
    steady = replace(result := samples.dense_depending_on_wording(), entropy_interval=None)
    same = replace(result, entropy_interval=Interval(low=result.entropy, high=result.entropy))
    said = [[note.text for note in entropy_bar(one, LIGHT).layout.annotations] for one in (steady, same, result)]
    assert [sum("the same with other rewordings" in text for text in one) for one in said] == [0, 1, 0]
    assert any("with other rewordings 0.10 to 0.45" in text for text in said[2])


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_bar_has_the_verdicts_colour_and_lets_the_whisker_be_seen(theme) -> None:  # type: ignore[no-untyped-def]
    unsure = entropy_bar(samples.dense_depending_on_wording(), theme).data[0]
    assert (unsure.marker.color, unsure.marker.line.color) == (rgba(theme.unknown, 0.35), theme.unknown)
    assert unsure.error_x.color == theme.text
    assert entropy_bar(samples.dense_full(), theme).data[0].marker.color == theme.middle
