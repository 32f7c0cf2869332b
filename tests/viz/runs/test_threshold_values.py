"""The threshold lab's figure: stored numbers against their threshold, those that it passed marked."""

import math
from dataclasses import replace

import pytest

from engine.methods.timing.base import PolicyThreshold
from engine.thresholds.in_run import RunThreshold, passed, run_thresholds
from tests.engine.catalogue.nine_methods import nine
from viz.parts.theme import DARK, LIGHT
from viz.runs.threshold_values import NOTHING, drawn_at, movable, values_figure, values_sentence

ETC = PolicyThreshold(rule="magnitude at least", threshold=1.0, unit="nats")
VALUES = (0.4, -1.2, 1.0, 1.5, math.inf)
ALPHA = RunThreshold(word="alpha", value=1.0, source="paper", paper=1.0, values=VALUES, bar=ETC)


def counts(value: float, *values: float) -> RunThreshold:
    """Return τ_cooc at a value, with the documents of some claims."""
    bar = PolicyThreshold(rule="below", threshold=value, unit="documents")
    return RunThreshold(word="tau_cooc", value=value, source="paper", paper=1.0, values=values, bar=bar)


def test_numbers_that_act_at_one_threshold_and_not_at_the_other_are_passed() -> None:
    assert passed(ALPHA, 1.3) == (1, 2) and passed(ALPHA, 0.5) == () and passed(ALPHA, 1.0) == ()
    assert passed(replace(ALPHA, bar=replace(ETC, rule="above")), 1.3) == (), "the released code fires above +α only"


def test_a_number_that_equals_a_threshold_is_passed_only_where_that_changes_what_follows() -> None:
    assert passed(counts(1.0, 0.0, 1.0, 2.0), 2.0) == (1,), "1 < 2, and not 1 < 1"
    assert passed(counts(1.0, 0.0, 1.0, 2.0), 0.0) == (0,), "1 is below neither"
    bar = PolicyThreshold(rule="above", threshold=0.2, unit="nats")
    assert passed(RunThreshold(word="dse", value=0.2, source="paper", paper=0.2, values=(0.0,), bar=bar), 0.0) == ()


def test_a_run_says_how_its_numbers_are_compared() -> None:
    rules = {one.word: one.bar.rule for one in run_thresholds(nine()) if not one.missing}
    assert rules.items() >= {"dse": "above", "tau_cooc": "below", "sugar_low": "above"}.items()
    assert rules["alpha"] == "magnitude at least" and rules["flare"] == "below" and rules["rind"] == "above"


def test_a_number_stands_on_its_line_with_its_size_where_that_is_compared() -> None:
    assert drawn_at(ALPHA, -1.2) == drawn_at(ALPHA, 1.2) == pytest.approx(1.2 / 2.1)
    assert drawn_at(replace(ALPHA, bar=replace(ETC, rule="above")), -1.2) == 0.0 and drawn_at(ALPHA, math.inf) == 1.0


def test_the_sentence_counts_values_and_those_that_were_passed() -> None:
    assert values_sentence([ALPHA], {}) == "α of ETC 1.00: 5 values."
    assert values_sentence([ALPHA], {"alpha": 1.3}) == "α of ETC 1.30: 5 values, 2 passed."
    assert values_sentence([], {}) == NOTHING


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_row_holds_its_numbers_and_both_thresholds(theme) -> None:  # type: ignore[no-untyped-def]
    figure = values_figure([ALPHA], {"alpha": 1.3}, theme)
    kept, beyond, own, tried = figure.data[:4]
    assert list(kept.x) == pytest.approx([0.4 / 2.1, 1.5 / 2.1, 1.0]), "its slider ends at 2.1"
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
