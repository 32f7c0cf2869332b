"""What is drawn of fitted thresholds: the finding as the title, costs beside shares, and words where nothing is."""

from dataclasses import replace

import pytest

from engine.core.records import Interval
from engine.thresholds.fitted.records import CheckedCut, FittedThreshold, FittedThresholds, Origin, PolicyAtCost
from tests.viz.numbers_in_text import numbers_in
from viz.parts.theme import DARK, LIGHT
from viz.workspace.calibration import (
    NOT_COMPARED,
    policies_figure,
    policies_sentence,
    policies_table,
    policies_title,
    quality_words,
    thresholds_table,
)

ORIGIN = Origin(
    model="embedded",
    model_revision="r1",
    model_dtype="bfloat16",
    writer="embedded-base",
    writer_revision="r2",
    judge="embedded",
    profile="embedded",
    corpus="Towers",
    corpus_hash="h",
    passages=5,
    seed=0,
    package_version="1",
)


def policy(name: str, right: int, **changed: object) -> PolicyAtCost:
    """Return a policy over twenty questions, one lookup each."""
    row = PolicyAtCost(
        policy=name,
        questions=20,
        right=right,
        right_interval=Interval(low=right / 20 - 0.1, high=right / 20 + 0.15),
        retrievals=1.0,
        tokens_written=30.0,
        prompt_tokens=500.0,
        on_wrong=0.75,
        on_right=None,
    )
    return replace(row, **changed)  # type: ignore[arg-type]


CHECKED = CheckedCut(
    cut=0.225, questions=22, wrong=11, sensitivity=0.75, sensitivity_interval=Interval(low=0.55, high=0.9),
    specificity=0.85, specificity_interval=Interval(low=0.6, high=0.95), balanced_accuracy=0.8,
    balanced_accuracy_interval=Interval(low=0.64, high=0.88),
)  # fmt: skip
FIT = FittedThresholds(
    origin=ORIGIN,
    questions=20,
    questions_name="towers",
    questions_hash="q",
    retrievals_wanted=1.0,
    most_retrievals=3,
    how="Somehow.",
    thresholds=(
        FittedThreshold(
            name="dse", value=0.225, questions=20, balanced_accuracy=0.81, auroc=0.82,
            auroc_interval=Interval(low=0.73, high=0.91), tested=CHECKED,
        ),
        FittedThreshold(name="alpha", value=1.73, questions=20, retrievals=1.0),
        FittedThreshold(name="sugar_high", value=None, questions=20, reason="Wrong answers are not more uncertain."),
    ),
    policies=(policy("never", 4, retrievals=0.0, right_interval=None), policy("entropy_trend", 9), policy("once", 11)),
)  # fmt: skip


def test_the_title_names_the_policy_that_is_right_most_often_beside_memory() -> None:
    title = policies_title(FIT.policies)
    assert "Once" in title and numbers_in(title) == ["11", "20", "4"]


def test_policies_that_are_right_as_often_are_both_named() -> None:
    title = policies_title((policy("never", 4), policy("entropy_trend", 11), policy("once", 11)))
    assert title == "Most right answers here: ETC and Once at the start, 11 of 20; from memory 4"
    title = policies_title((policy("never", 11), policy("entropy_trend", 11)))
    assert title.endswith("and ETC, 11 of 20")


def test_each_policy_has_its_share_its_interval_and_its_cost() -> None:
    figure = policies_figure(FIT, LIGHT)

    assert list(figure.data[0].x) == pytest.approx([0.55, 0.45, 0.2])
    assert list(figure.data[0].error_x.array) == pytest.approx([0.15, 0.15, 0.0])
    assert "9 of 20 · 1.00 lookups, 30 tokens" in [note.text.strip() for note in figure.layout.annotations]


def test_without_policies_the_figure_and_the_sentence_say_so() -> None:
    nothing = replace(FIT, policies=())

    assert policies_figure(nothing, DARK).layout.annotations[0].text == NOT_COMPARED
    assert policies_sentence(nothing) == NOT_COMPARED


def test_the_table_says_not_measured_and_never_zero_where_there_is_no_share() -> None:
    assert policies_table(FIT)["looks up on right answers"].tolist() == ["not measured"] * 3
    assert policies_table(FIT)["share right"].tolist() == ["0.20", "0.45 (0.35 to 0.60)", "0.55 (0.45 to 0.70)"]


def test_a_threshold_says_how_well_it_decides_how_often_it_looks_up_or_why_it_is_missing() -> None:
    decides, *others = [quality_words(one) for one in FIT.thresholds]
    # On 20 questions the AUROC, on 22 others sensitivity, specificity and balanced accuracy, each with its interval.
    assert numbers_in(decides) == [
        *("20", "0.82", "0.73", "0.91", "22", "0.75", "0.55", "0.90", "0.85", "0.60", "0.95", "0.80", "0.64", "0.88")
    ]
    assert others == ["1.00 lookups a question", "Wrong answers are not more uncertain."]
    assert thresholds_table(FIT)["fitted"].tolist() == ["0.23", "1.73", "not fitted"]
