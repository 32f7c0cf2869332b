"""What DENSE's, SUGAR's and a sweep's views say of their numbers: findings and notes, with shares worked by hand."""

import numpy as np
import pytest

from engine.runs.studies.views.base import Mark, Measured, beside_ours, caution_of
from engine.runs.studies.views.dense import scores_in
from engine.runs.studies.views.sweep import apart_in
from tests.engine.runs.studies.test_views import made_table, values, view_named

# Six questions, two of them certain at DSE 0.2, and what Wilson's intervals of 0, 1, 2 and 4 of few are.
SIX = {
    "dense__entropy": [0.0, 0.2, 0.21, 0.4, 0.7, 1.0],
    "answer__right": [1.0, 1.0, 0.0, 1.0, 0.0, 0.0],
    "answer__exact": [1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
}


def measured(name: str, **columns: list[float]) -> Measured:
    """Return a view of a study in which nothing varies."""
    return view_named(name).measure(made_table(**columns))


def test_the_finding_on_bins_tells_the_lowest_and_the_highest_dse() -> None:
    found = measured("dense_bins", **SIX)
    assert found.finding == (
        "Right at the lowest DSE: 1.00 (0.21 to 1.00, n = 1); at the highest: 0.00 (0.00 to 0.66, n = 2)."
    )
    # An edge belongs to the bin above it: 0.2 stands beside 0.21, 0.4 and 0.7 begin theirs.
    assert values(found, "right") == {"0 to 0.05": 1.0, "0.2 to 0.4": 0.5, "0.4 to 0.7": 1.0, "0.7 and more": 0.0}
    one = measured("dense_bins", dense__entropy=[0.0], answer__right=[1.0], answer__exact=[1.0])
    assert one.finding == "Every DSE is within 0 to 0.05 nats; right: 1.00 (0.21 to 1.00, n = 1)."


def test_the_finding_on_certain_questions_is_of_exact_match_and_0_2_is_certain() -> None:
    found = measured("dense_certain", **SIX)
    assert found.finding == "Exact match: certain 0.50 (0.09 to 0.91, n = 2), uncertain 0.25 (0.05 to 0.70, n = 4)."
    assert values(found, "right") == {"certain": 1.0, "uncertain": 0.25}


def test_the_finding_on_thresholds_spans_the_gaps_of_those_that_part_the_questions() -> None:
    exact = [1.0, 1.0, 1.0, 1.0, 0.0] + [1.0] + [0.0] * 5
    columns = {"dense__entropy": [0.0] * 5 + [0.3] + [1.1] * 5, "answer__exact": exact}
    found = measured("dense_thresholds", **columns)
    # Below 0.3 five are certain: 4/5 − 1/6; from there on six: 5/6 − 0.
    assert found.finding == "Certain minus uncertain, exact match: 0.63 to 0.83 by threshold."
    assert {one.x for one in found.marks if one.series == "uncertain"} == {
        0,
        0.05,
        0.1,
        0.2,
        0.3,
        0.4,
        0.5,
        0.6,
        0.8,
        1,
    }
    few = measured("dense_thresholds", dense__entropy=[0.0] * 4 + [1.1] * 5, answer__exact=[1.0] * 9)
    assert few.finding == "No threshold parts the questions into two groups of five or more."


def test_the_finding_on_measures_is_of_dse_and_names_one_that_ranks_better() -> None:
    ranked = {**SIX, "answer__logprob": [-0.1, -0.2, -0.8, -0.3, -0.9, -0.7]}
    found = measured("dense_ranking", **ranked)
    # Of nine pairs of a wrong and a right answer DSE ranks eight rightly, the log-probability all.
    assert found.finding.startswith("DSE: AUROC 0.89 (")
    assert " Highest: negative mean log-probability, 1.00 (" in found.finding


def test_measures_of_a_study_have_their_samples_in_the_name() -> None:
    address = "uncertainty__sets__{}__readings__{}__value"
    columns = {
        address.format("reworded", "heat_kernel_decisions"): [0.5],
        address.format("with_passages", "predictive_entropy"): [0.25],
        "seper__with_passages__entropy": [1.0],
        "seper__without__entropy": [2.0],
        "answer__logprob": [-0.125],
        "dense__entropy": [0.75],
    }
    assert {name: found.tolist() for name, found in scores_in(made_table(**columns))} == {
        "DSE": [0.75],
        "KLE heat, reworded contexts": [0.5],
        "predictive entropy, samples over the passages": [0.25],
        "semantic entropy, SePer's samples": [1.0],
        "semantic entropy from memory": [2.0],
        "negative mean log-probability": [0.125],
    }


def test_dense_rag_is_told_of_uncertain_questions_before_and_after() -> None:
    entropy, first, final = [0.0, 0.2, 0.21, 0.4, 0.7, 1.0], [1.0, 1.0, 0.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0, 0, 0]
    columns = {"dense_rag__first_entropy": entropy, "dense_rag__first__exact": first, "dense_rag__final__exact": final}
    said = "Uncertain questions, exact match: 0.25 (0.05 to 0.70, n = 4) before, 0.50 (0.15 to 0.85, n = 4) after "
    assert measured("dense_rag", **columns).finding == f"{said}DENSE-RAG."
    certain = {name: column[:2] for name, column in columns.items()}
    assert measured("dense_rag", **certain).finding.startswith(
        "No question is uncertain: every first DSE is at most 0.2"
    )


def test_the_share_of_rewordings_is_a_mean_over_questions() -> None:
    found = measured("dense_rewordings", dense__entailment_rate=[1.0, 0.5])
    assert found.finding == "Share of rewordings that the judge calls entailed: 0.75 (0.50 to 1.00, n = 2)."


def test_the_finding_on_sugars_levels_tells_both_ends_and_its_thresholds() -> None:
    columns = {
        "sugar__closed_book__entropy": [float(at) for at in range(10)],
        "memory__right": [1.0] * 5 + [0.0] * 5,
        "answer__right": [1.0] * 10,
        "sugar__answer__right": [1.0] * 10,
        "sugar__steps": [0.0] * 10,
    }
    found = measured("sugar_levels", **columns, sugar__low=[0.4] * 10, sugar__high=[0.55] * 10)
    assert found.finding == (
        "From memory, right at the lowest entropy: 1.00 (0.57 to 1.00, n = 5); "
        "at the highest: 0.00 (0.00 to 0.43, n = 5)."
    )
    assert found.notes[1] == "SUGAR's thresholds: 0.40 and 0.55 nats."
    one = measured("sugar_levels", **{name: column[:5] for name, column in columns.items()})
    assert one.finding == "Every entropy is within 0 to 4 nats; right from memory: 1.00 (0.57 to 1.00, n = 5)."
    assert len(one.notes) == 1


def test_the_finding_on_sugar_tells_its_own_point_always_one_lookup_and_its_own_signals_best_threshold() -> None:
    columns = {
        "sugar__closed_book__entropy": [1.0, 0.0, 2.0],
        "sugar__closed_book__predictive": [0.0, 1.0, 2.0],
        "memory__right": [1.0, 0.0, 0.0],
        "answer__right": [0.0, 1.0, 1.0],
        "sugar__answer__right": [1.0, 1.0, 1.0],
        "sugar__steps": [0.0, 3.0, 0.0],
    }
    found = measured("sugar_steps", **columns)
    # By semantic entropy only the third is best looked up: 2 of 3. Predictive entropy would part them all rightly.
    two = "0.67 (0.21 to 0.94, n = 3)"
    told = f"SUGAR: 1.00 (0.44 to 1.00, n = 3) at 1.00 lookups. Always one lookup: {two}. Best threshold: τ = "
    assert found.finding.startswith(told) and found.finding.endswith(f", {two} at 0.33 lookups.")
    assert max(one.value or 0.0 for one in found.marks if one.series == "predictive entropy") == 1.0
    papers = [(one.label, one.x, one.value) for one in found.marks if one.paper]
    assert papers == [("never", 0.0, 0.555), ("always one", 1.0, 0.585), ("SUGAR", 0.91, 0.69)]


def mark(series: str, label: str, value: float | None, n: int = 3, paper: str = "") -> Mark:
    """Return a mark."""
    return Mark(series=series, label=label, value=value, n=n, paper=paper)


def test_a_sweep_whose_answers_are_alike_names_both_ends_of_the_first_number() -> None:
    others = [mark("token F1", "k=1", 0.5), mark("token F1", "k=3", -0.25), mark("token F1", "k=5", None)]
    assert apart_in([*others, mark("seconds", "k=5", 9.0)]) == (
        "Token F1: highest with k=1, 0.50 (n = 3); lowest with k=3, −0.25 (n = 3)."
    )
    assert apart_in([]) == apart_in([mark("token F1", "k=1", None)]) == "The settings give the same numbers."


@pytest.mark.parametrize(
    ("kind", "kept"),
    [("bars", ["a x"]), ("rows", ["a x", "a y"]), ("line", ["a x", "a y", "b x"])],
)
def test_a_papers_value_stands_over_our_bar_in_our_panel_or_on_its_own_line(kind: str, kept: list[str]) -> None:
    papers = [mark("a", "x", 0.1, paper="P"), mark("a", "y", 0.2, paper="P"), mark("b", "x", 0.3, paper="P")]
    ours = [mark("a", "x", 0.5), mark("b", "x", None)]
    assert [f"{one.series} {one.label}" for one in beside_ours(papers, ours, kind)] == kept  # type: ignore[arg-type]
    assert beside_ours(papers, ours[1:], kind) == ()  # type: ignore[arg-type]


def test_too_few_questions_are_counted_behind_a_mark_or_in_all_points() -> None:
    marks = [mark("a", "x", 0.5, n=19), mark("a", "y", 0.5, n=2)]
    assert caution_of(marks, "bars") == "At most 19 questions behind a mark: too few to conclude from."
    assert caution_of(marks, "points") == "At most 2 questions in all: too few to conclude from."
    assert caution_of([mark("a", "x", 0.5, n=1)], "bars").startswith("At most 1 question behind")
    assert caution_of([mark("a", "x", 0.5, n=20)], "bars") == "" == caution_of(marks * 10, "points")


def test_a_sweep_names_what_every_setting_has_alike() -> None:
    nan = np.nan
    table = made_table(("k=1,3",), answer__right=[1, 0, 1, 0], answer__f1=[0.5, 0.5, nan, nan])
    assert view_named("sweep").measure(table).notes == ("The same under every setting: token F1.",)


def test_a_sweep_measures_each_number_on_the_questions_that_it_is_of() -> None:
    # Four questions, each under k=1 and then k=3; the fourth was known without passages, the second alone is uncertain.
    table = made_table(
        ("k=1,3",),
        seper__delta_soft=[0.1, 0.3, 0.2, 0.2, 0.3, 0.1, 0.9, 0.9],
        seper__without__hard=[0.0] * 6 + [0.5] * 2,
        passages__utility=[0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 0.0, 0.0],
        quco_rag__stepwise__unsupported=[0, 0, 2, 0, 1, 0, 0, 0],
        dense_rag__first_entropy=[0.2, 0.9, 0.21, 0.9, 0.1, 0.9, 0.1, 0.9],
        dense_rag__final__exact=[0, 0, 1, 0, 0, 1, 0, 1],
        timing__runs__once__exact=[1, 0] * 4,
        timing__runs__flare__exact=[1, 0] * 4,
        timing__runs__flare__lookups=[2, 1] * 4,
        run__seconds=[1, 2] * 4,
    )
    found = view_named("sweep").measure(table)
    told = {name: values(found, name) for name in dict.fromkeys(one.series for one in found.marks)}
    assert told == {
        "ΔSePer, soft": {"k=1": 0.375, "k=3": 0.375},
        "r of ΔSePer, soft, with utility": {"k=1": 1.0, "k=3": -1.0},
        "a claim has no evidence": {"k=1": 0.5, "k=3": 0.0},
        "DENSE-RAG, exact match": {"k=1": 1.0, "k=3": 0.0},
        "FLARE, exact match": {"k=1": 1.0, "k=3": 0.0},
        "FLARE, lookups": {"k=1": 2.0, "k=3": 1.0},
        "seconds": {"k=1": 1.0, "k=3": 2.0},
    }
    assert {one.n for one in found.marks if one.series == "DENSE-RAG, exact match"} == {1}
