"""The threshold lab's figure: stored numbers against their threshold, those that it passed marked."""

import math
from dataclasses import replace

import pytest

from engine.thresholds.in_run import RunThreshold, run_thresholds
from tests.engine.catalogue.nine_methods import nine
from viz.theme import DARK, LIGHT
from viz.threshold_values import NOTHING, movable, passed, sizes, values_figure, values_sentence

ALPHA = RunThreshold(word="alpha", value=1.0, source="paper", paper=1.0, values=(0.4, -1.2, 1.0, 1.5, math.inf))


def test_numbers_between_the_runs_threshold_and_the_one_tried_are_passed() -> None:
    assert sizes(ALPHA) == [0.4, 1.2, 1.0, 1.5], "ETC compares sizes; an infinite one has no place"
    assert passed(ALPHA, 1.3) == [1.2, 1.0] and passed(ALPHA, 0.5) == [1.0] and passed(ALPHA, 1.0) == []


def test_the_sentence_counts_values_and_those_that_were_passed() -> None:
    assert values_sentence([ALPHA], {}) == "α of ETC 1.00: 5 values."
    assert values_sentence([ALPHA], {"alpha": 1.3}) == "α of ETC 1.30: 5 values, 2 passed."
    assert values_sentence([], {}) == NOTHING


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_row_holds_its_numbers_and_both_thresholds(theme) -> None:  # type: ignore[no-untyped-def]
    figure = values_figure([ALPHA], {"alpha": 1.3}, theme)
    kept, beyond, own, tried = figure.data[:4]
    assert list(kept.x) == pytest.approx([0.4 / 2.1, 1.5 / 2.1]), "its slider ends at 2.1"
    assert len(beyond.x) == 2 and beyond.marker.color == theme.middle
    assert (own.hovertext, tried.hovertext) == (("1",), ("1.3",))
    assert all(one.showlegend is False for one in figure.data[:4])


def test_a_run_with_many_thresholds_has_a_row_each_and_one_without_says_so() -> None:
    found = run_thresholds(nine())
    rows = movable(found)
    assert len(rows) > 4
    assert len(values_figure(found, {}, LIGHT).data) == 4 * len(rows) + 3
    gone = [replace(one, values=()) for one in found]
    assert NOTHING.split()[0] in values_figure(gone, {}, LIGHT).layout.annotations[0].text
