"""The papers' views on made-up tables whose numbers are worked out by hand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from engine.core.errors import InputError
from engine.diagnosis.request import DiagnosisRequest
from engine.measures.ranking import pearson
from engine.runs.studies.pairs import Side, changed, difference, differences, paired
from engine.runs.studies.plan import variants_of
from engine.runs.studies.records import Number, Study, StudyPlan
from engine.runs.studies.table import StudyTable, setting_names
from engine.runs.studies.views import VIEWS, view_named
from engine.runs.studies.views.base import Measured, correlation, shares_in_bins
from engine.runs.studies.views.dense import kept_area
from engine.runs.studies.views.replay import replayed


def made_table(
    vary: tuple[str, ...] = (), triggers: Any = (), entropies: Any = (), **columns: list[float]
) -> StudyTable:
    """Return a table with these columns; "__" in a name stands for a full stop."""
    numbers = {name.replace("__", "."): values for name, values in columns.items()}
    size = len(next(iter(numbers.values())))
    plan = StudyPlan(
        name="made up",
        questions_name="q.jsonl",
        questions_hash="0" * 64,
        corpus_hash="",
        request=DiagnosisRequest(question="", methods=()),
        variants=variants_of(vary),
        versions=(),
    )
    study = Study(
        id="made",
        created_at="2026-11-08T07:05:09.123456+00:00",
        plan=plan,
        state="done",
        waiting=0,
        done=size,
        failed=0,
        seconds=0.0,
        changed_at="",
    )
    facts = {
        "number": range(1, size + 1),
        "question": [f"Question {at}?" for at in range(size)],
        "correct_answers": "yes",
        "answer": "yes",
        "memory": "no",
        "state": "done",
        "reason": "",
        "run": [f"r{at}" for at in range(size)],
        "key": "",
        "seconds": 1.0,
    }
    frame = pd.DataFrame({**facts, **numbers})
    if vary:
        options = [dict(one.split("=") for one in plan.variants[at % len(plan.variants)].options) for at in range(size)]
        for name in setting_names(study):
            frame[name] = [one[name] for one in options]
        frame["question"] = [f"Question {at // len(plan.variants)}?" for at in range(size)]
        frame["number"] = [at // len(plan.variants) + 1 for at in range(size)]
    named = tuple(Number(address=name, title=name) for name in numbers)
    drawn, looked = tuple(entropies) or ((),) * size, tuple(triggers) or ({},) * size
    return StudyTable(study, frame, named, drawn, looked, variants=tuple(at % len(plan.variants) for at in range(size)))


def values(found: Measured, series: str) -> dict[str, float | None]:
    """Return our marks of a series by their labels."""
    return {one.label: one.value for one in found.marks if one.series == series and not one.paper}


def test_right_answers_fall_into_bins_of_dse_with_their_number() -> None:
    table = made_table(
        dense__entropy=[0.0, 0.0, 0.1, 0.3, 0.9, 1.2],
        answer__right=[1, 1, 1, 0, 0, 1],
        answer__exact=[1, 0, 1, 0, 0, 0],
    )
    found = view_named("dense_bins").measure(table)
    assert values(found, "right") == {
        "0 to 0.05": 1.0,
        "0.05 to 0.2": 1.0,
        "0.2 to 0.4": 0.0,
        "0.7 and more": 0.5,
    }
    assert [one.n for one in found.marks if one.series == "exact match"] == [2, 1, 1, 2]


def test_dse_is_ranked_beside_every_measure_that_was_asked_for() -> None:
    table = made_table(
        dense__entropy=[0.0, 0.1, 0.2, 0.9, 1.5],
        answer__right=[1, 1, 0, 1, 0],
        uncertainty__sets__with_passages__readings__degree_decisions__value=[0.5, 0.4, 0.3, 0.2, 0.1],
    )
    ranked = view_named("dense_ranking").measure(table)
    rocs = values(ranked, "AUROC")
    assert "Highest" not in ranked.finding
    assert rocs["DSE"] == pytest.approx(0.833333, abs=1e-6)
    assert rocs["U_deg, samples over the passages"] == pytest.approx(1 - 0.833333, abs=1e-6)
    assert values(ranked, "AURAC")["DSE"] == pytest.approx(0.790263, abs=1e-6)
    assert values(ranked, "AUARC")["DSE"] == pytest.approx(0.804167, abs=1e-6)
    # Kept 1 to 5 of them, least uncertain first: 1, 1, 2/3, 3/4, 3/5 are right.
    area = values(ranked, "rejection area")["DSE"]
    assert area == pytest.approx((1 + 1 + 2 / 3 + 3 / 4 + 3 / 5) / 5, abs=1e-6)


def test_measures_on_other_questions_are_not_passed_off_as_comparable() -> None:
    address = "uncertainty__sets__with_passages__readings__degree_decisions__value"
    columns: dict[str, list[float]] = {"dense__entropy": [0.0, 0.1, 0.2], "answer__right": [1, 0, 1]}
    same, fewer = (
        view_named("dense_ranking").measure(made_table(**columns, **{address: values}))
        for values in ([0.5, 0.4, 0.3], [0.5, 0.4, np.nan])
    )
    assert len(fewer.notes) == len(same.notes) + 1 and "fewer than 3" in fewer.notes[0]


def test_delta_seper_is_correlated_with_known_utility_over_unknown_questions() -> None:
    table = made_table(
        seper__with_passages__soft=[0.0, 0.15, 0.1, 0.7, 0.9],
        seper__without__soft=[0.0, 0.0, 0.0, 0.0, 0.9],
        seper__delta_soft=[0.0, 0.15, 0.1, 0.7, 0.0],
        seper__without__hard=[0.0, 0.0, 0.0, 0.0, 1.0],
        passages__utility=[0.0, 0.5, 0.5, 1.0, 1.0],
        passages__hold=[0, 1, 1, 1, 1],
    )
    found = view_named("seper_utility").measure(table)
    assert values(found, "unknown questions")["ΔSePer, soft"] == pytest.approx(0.90844, abs=1e-5)
    (mark,) = [one for one in found.marks if one.series == "all questions" and one.label == "ΔSePer, soft"]
    assert mark.n == 5 and mark.value is not None and mark.value < 0.6
    assert {one.value for one in found.marks if one.paper} >= {0.769, 0.752}


def test_a_paper_never_stands_alone_where_nothing_of_ours_is_defined() -> None:
    flat = made_table(
        seper__with_passages__soft=[0.5] * 4,
        seper__without__soft=[0.1, 0.2, 0.3, 0.4],
        seper__delta_soft=[0.4, 0.3, 0.2, 0.1],
        seper__without__hard=[0.0] * 4,
        passages__hold=[1] * 4,
    )
    found = view_named("seper_utility").measure(flat)
    assert found.marks == () and found.missing == found.finding


def test_a_correlation_over_all_questions_leaves_out_the_papers_over_unknown_ones() -> None:
    known_ones = made_table(
        seper__with_passages__soft=[0.5, 0.7, 0.9, 0.2],
        seper__without__soft=[0.25] * 4,
        seper__delta_soft=[0.25, 0.45, 0.65, -0.05],
        seper__without__hard=[1.0] * 4,
        passages__hold=[1, 0, 1, 0],
    )
    assert {(one.series, one.paper) for one in view_named("seper_utility").measure(known_ones).marks} == {
        ("all questions", "")
    }


def test_a_papers_bar_stands_only_over_ours() -> None:
    certain = made_table(dense__entropy=[0.0] * 3, answer__right=[1] * 3, answer__exact=[1, 0, 1])
    found = view_named("dense_certain").measure(certain)
    assert [one.label for one in found.marks if one.paper] == ["certain"]


def test_where_all_answers_are_right_nothing_is_ranked() -> None:
    found = view_named("dense_ranking").measure(made_table(dense__entropy=[0.0, 0.5, 1.0], answer__right=[1, 1, 1]))
    assert found.marks == () and found.missing == found.finding


def test_bins_close_together_have_names_of_their_own() -> None:
    table = made_table(
        sugar__closed_book__entropy=[2.2985 + 0.0001 * at for at in range(25)],
        memory__right=[1] * 25,
        answer__right=[1] * 25,
        sugar__answer__right=[1] * 25,
        sugar__steps=[0] * 25,
    )
    names = list(values(view_named("sugar_levels").measure(table), "from memory"))
    assert len(names) == 5 and names[0] == "2.2985 to 2.2989"


def test_what_other_settings_have_is_not_called_missing_from_the_study() -> None:
    entropy = [np.nan, 0.1] * 3
    table = made_table(("k=1,3",), dense__entropy=entropy, answer__right=[1, 0] * 3, answer__exact=[1, 0] * 3)
    nothing = made_table(("k=1,3",), answer__right=[1, 0] * 3)
    here, there, nowhere = (
        view_named("dense_bins").measure(one, place) for one, place in ((table, 0), (table, 1), (nothing, 0))
    )
    assert here.marks == () and here.missing not in ("", nowhere.missing) and there.marks


def test_the_quick_correlation_is_pearsons() -> None:
    one, other = np.random.default_rng(0).normal(size=(2, 50))
    assert correlation(one, other) == pytest.approx(pearson(one, other)[0], abs=1e-12)
    assert np.isnan(correlation(np.zeros(5), other[:5])) and np.isnan(correlation(one[:2], other[:2]))


def test_values_that_differ_by_rounding_share_a_bin_and_are_no_difference() -> None:
    low, high = 0.45056120886630463, 0.4505612088663047
    (only,) = shares_in_bins(np.array([low, high] * 20), [("right", np.array([1.0, 0.0] * 20))], 4)
    assert (only.label, only.value, only.n) == ("0.45", 0.5, 40)
    thresholds = replayed("DSE", np.array([low, high] * 20), np.zeros(40), np.ones(40), told=str)
    assert {one.x for one in thresholds} == {0.0, 1.0}
    same = difference("dense.entropy", np.full(6, low), np.full(6, high))
    assert (same.difference, same.low, same.high, same.spread) == (0.0, 0.0, 0.0, 0.0) and not same.beyond_noise


def test_belief_that_is_higher_by_rounding_did_not_rise() -> None:
    # Every sample matches as well before and after; other weights that sum to 1 leave another last bit.
    table = made_table(seper__without__soft=[0.98, 0.2], seper__with_passages__soft=[0.98 + 2e-16, 0.4])
    assert "rises with the passages in 1 of 2" in view_named("seper_belief").measure(table).finding


def test_a_share_has_the_interval_of_its_pairs_and_another_number_that_of_its_differences() -> None:
    # Six of twenty turn right, none wrong: Tango's interval, on the side of B.
    right = difference("answer.right", np.zeros(20), np.repeat([1.0, 0.0], [6, 14]))
    assert (right.low, right.high) == (pytest.approx(0.091, abs=5e-4), pytest.approx(0.519, abs=5e-4))
    assert right.beyond_noise and right.p == pytest.approx(2 / 2**6)
    assert difference("answer.right", np.zeros(1), np.ones(1)).low is None
    # A DSE of 0 among others is no wrong answer: the sign test has no say.
    spread = difference("dense.entropy", np.zeros(6), np.array([0.0, 0.5, 0.5, 0.5, 0.5, 1.0]))
    assert spread.p is None and spread.low is not None and 0 < spread.low < 0.5
    assert difference("dense.entropy", np.zeros(5), np.array([0.0, 0.5, 0.5, 0.5, 0.5])).low is None


def test_sugar_keeps_the_answer_from_memory_where_entropy_is_low() -> None:
    table = made_table(
        sugar__closed_book__entropy=[0.0, 0.1, 1.0, 2.0],
        memory__right=[1, 1, 0, 0],
        answer__right=[0, 1, 1, 1],
        sugar__answer__right=[1, 1, 1, 1],
        sugar__steps=[0, 0, 1, 2],
    )
    found = view_named("sugar_steps").measure(table)
    replayed = {one.x: one.value for one in found.marks if one.series == "semantic entropy"}
    assert (replayed[0.0], replayed[0.5], replayed[1.0]) == (0.5, 1.0, 0.75)
    (own,) = [one for one in found.marks if one.series == "SUGAR"]
    assert (own.x, own.value) == (0.75, 1.0)
    assert "Best threshold: τ = 0.78, 1.00 (" in found.finding and "at 0.50 lookups" in found.finding


def test_policies_stand_with_what_they_cost_and_where_they_look_up() -> None:
    table = made_table(
        timing__runs__never__exact=[0, 1],
        timing__runs__never__right=[0, 1],
        timing__runs__never__lookups=[0, 0],
        timing__runs__once__exact=[1, 1],
        timing__runs__once__right=[1, 1],
        timing__runs__once__lookups=[1, 1],
        answer__tokens=[3, 3],
        triggers=[{"once": (0.0,), "dragin": (0.05, 0.09, 0.95)}, {"once": (0.0,), "dragin": ()}],
    )
    found = view_named("timing_policies").measure(table)
    assert list(values(found, "right").values()) == [1.0, 0.5]
    assert list(values(found, "lookups").values()) == [1.0, 0.0]
    places = view_named("timing_places").measure(table)
    # Only the first lookup of an answer counts, as in the paper's figure.
    assert {one.label: one.value for one in places.marks if one.series == "DRAGIN" and one.value} == {
        "0–10": 0.5,
        "never": 0.5,
    }


def test_policies_that_are_right_as_often_share_the_first_place() -> None:
    columns: dict[str, list[float]] = {f"timing__runs__{word}__right": [1, 0] for word in ("once", "dragin", "flare")}
    columns |= {name.replace("right", "exact"): values for name, values in columns.items()}
    found = view_named("timing_policies").measure(made_table(timing__runs__never__exact=[0, 0], **columns))
    assert found.finding.startswith("Highest share right: DRAGIN and 2 others, 0.50")


def test_a_policy_that_ran_on_fewer_questions_is_not_ranked() -> None:
    columns: dict[str, list[float]] = {
        "timing__runs__once__right": [1, 0, 1, 0],
        "timing__runs__entropy_trend__right": [1, np.nan, np.nan, np.nan],
    }
    columns |= {name.replace("right", "exact"): values for name, values in columns.items()}
    found = view_named("timing_policies").measure(made_table(**columns))
    assert found.finding.startswith("Highest share right: Once at the start, 0.50")
    assert "Not ranked, measured on fewer than 4 questions: ETC (1)." in found.notes


def test_right_answers_by_frequency_have_bins_of_equal_size() -> None:
    table = made_table(
        quco_rag__mean_count=[float(at) for at in range(1, 26)],
        answer__right=[0] * 9 + [1] + [0, 1, 0, 1, 0] + [1] * 10,
        memory__right=[0] * 25,
    )
    found = view_named("quco_frequency").measure(table)
    over = values(found, "over the passages")
    assert list(over.values()) == [0.0, 0.2, 0.4, 1.0, 1.0] and list(over)[:2] == ["1 to 5", "6 to 10"]
    # Twelve questions give two bins of six: fewer than five tell nothing.
    few = made_table(
        quco_rag__mean_count=[float(at) for at in range(12)], answer__right=[0] * 6 + [1] * 6, memory__right=[0] * 12
    )
    assert list(values(view_named("quco_frequency").measure(few), "over the passages").values()) == [0.0, 1.0]


def test_rarer_names_than_the_threshold_are_looked_up() -> None:
    table = made_table(quco_rag__mean_count=[1, 10, 100, 1000], memory__right=[0, 0, 1, 1], answer__right=[1, 1, 0, 0])
    found = view_named("quco_thresholds").measure(table)
    middle = [one for one in found.marks if one.x == 0.5]
    assert {one.value for one in middle} == {1.0} and "τ = 55" in {one.label for one in middle}
    assert [one.value for one in found.marks if one.x in (0.0, 1.0)] == [0.5, 0.5]


def test_claims_without_evidence_are_counted_among_wrong_and_right_answers() -> None:
    table = made_table(
        quco_rag__stepwise__unsupported=[2, 0, 0, 0, 1],
        quco_rag__stepwise__supported=[0, 1, 1, 0, 1],
        quco_rag__stepwise__right=[0, 0, 1, 1, np.nan],
    )
    found = view_named("quco_evidence").measure(table)
    assert values(found, "a claim has no evidence") == {"wrong answers": 0.5, "right answers": 0.0}
    assert values(found, "no claim could be checked") == {"wrong answers": 0.0, "right answers": 0.5}


def test_certain_stands_above_uncertain_at_each_threshold_that_parts_them() -> None:
    table = made_table(dense__entropy=[0.0] * 6 + [1.0] * 6, answer__exact=[1, 1, 1, 1, 1, 0] + [0] * 6)
    found = view_named("dense_thresholds").measure(table)
    shown = {(one.series, one.x): one.value for one in found.marks}
    assert shown[("certain", 0.2)] == pytest.approx(5 / 6, abs=1e-6) and shown[("uncertain", 0.2)] == 0.0
    assert shown[("certain", 1.0)] == pytest.approx(5 / 12, abs=1e-6) and ("uncertain", 1.0) not in shown


def test_answers_from_memory_fall_with_semantic_entropy_and_lookups_rise() -> None:
    table = made_table(
        sugar__closed_book__entropy=[float(at) for at in range(10)],
        memory__right=[1, 1, 1, 1, 0] + [0] * 5,
        answer__right=[1] * 10,
        sugar__answer__right=[1] * 10,
        sugar__steps=[0] * 5 + [1, 2, 1, 2, 1],
    )
    found = view_named("sugar_levels").measure(table)
    assert values(found, "from memory") == {"0 to 4": 0.8, "5 to 9": 0.0}
    assert values(found, "SUGAR looked something up") == {"0 to 4": 0.0, "5 to 9": 1.0}


def test_mean_entropy_by_position_needs_five_answers() -> None:
    table = made_table(answer__tokens=[2] * 5, entropies=[(1.0, 0.5)] * 4 + [(2.0,)])
    found = view_named("entropy_positions").measure(table)
    assert [(one.x, one.value) for one in found.marks] == [(1.0, 1.2)]
    both = replace(table, stepwise=((0.5, 1.5, 3.0),) * 5)
    marks = view_named("entropy_positions").measure(both).marks
    assert [one.value for one in marks if one.series.startswith("step by step")] == [0.5, 1.5, 3.0]


def test_a_sweep_gives_each_value_its_mean_on_the_same_questions() -> None:
    table = made_table(("k=1,3",), answer__right=[0, 1, 1, 1, 0, 1], run__seconds=[1, 2, 1, 2, 1, 2])
    found = view_named("sweep").measure(table)
    assert values(found, "right") == {"k=1": pytest.approx(1 / 3, abs=1e-6), "k=3": 1.0}

    pairs = paired(Side(table, 0), Side(table, 1))
    (right, seconds) = differences(pairs)
    assert (right.difference, right.n, seconds.difference) == (pytest.approx(2 / 3), 3, 1.0)
    moved = changed(pairs)
    assert moved is not None and (moved.both, moved.only_first, moved.only_second, moved.neither) == (1, 0, 2, 0)
    assert moved.p == 0.5


def test_a_question_asked_over_two_passages_is_two_pairs_of_one_file_and_one_of_two_files() -> None:
    table = made_table(("k=1,3",), answer__right=[0, 1, 1, 1])
    table.frame["question"] = "Who?"
    assert len(paired(Side(table, 0), Side(table, 1))) == 2
    plan = replace(table.study.plan, questions_hash="1" * 64)
    other = replace(table, study=replace(table.study, plan=plan))
    assert len(paired(Side(table, 0), Side(other, 1))) == 1


def test_where_settings_vary_a_view_is_of_one_setting_and_counts_questions() -> None:
    table = made_table(
        ("k=1,3",), dense__entropy=[0.0, 0.9] * 3, answer__right=[1, 0] * 3, answer__exact=[1, 0, 1, 0, 0, 0]
    )
    first, second = (view_named("dense_bins").measure(table, at) for at in (0, 1))
    assert [(one.label, one.value, one.n) for one in first.marks] == [
        ("0 to 0.05", 1.0, 3),
        ("0 to 0.05", pytest.approx(2 / 3, abs=1e-6), 3),
    ]
    assert {one.label for one in second.marks} == {"0.7 and more"} and "Only k=3." in second.notes


def test_a_sweep_leaves_out_what_no_setting_changes_and_follows_the_same_uncertain_questions() -> None:
    table = made_table(
        ("dense_rag.refine=none,necessary",),
        answer__right=[1, 1, 0, 0, 0, 0],
        dense_rag__first_entropy=[0.5, 0.1, 0.1, 0.1, 0.9, 0.9],
        dense_rag__final__exact=[0, 1, 1, 1, 0, 0],
        run__seconds=[1, 2, 1, 2, 1, 2],
    )
    found = view_named("sweep").measure(table)
    assert values(found, "right") == {} and "right" in found.notes[0]
    assert values(found, "DENSE-RAG, exact match") == {"dense_rag.refine=none": 0.0, "dense_rag.refine=necessary": 0.5}
    assert sorted(one.value or 0.0 for one in found.marks if one.paper) == [0.413, 0.422]


def test_a_sweep_says_where_settings_rest_on_unequally_many_questions_and_nothing_where_none_was_measured() -> None:
    found = view_named("sweep").measure(made_table(("k=1,3",), answer__right=[1, np.nan, 1, 0, 0, np.nan]))
    assert "1 to 3" in found.notes[0]
    even = view_named("sweep").measure(made_table(("k=1,3",), answer__right=[1, 0, 1, 0]))
    none = view_named("sweep").measure(made_table(("k=1,3",), answer__right=[np.nan] * 4))
    same = view_named("sweep").measure(made_table(("k=1,3",), answer__right=[1, 1, 0, 0]))
    assert even.notes == () and none.marks == () and none.finding != same.finding


def test_a_sweep_of_policies_has_those_that_only_a_later_setting_ran() -> None:
    columns = {
        f"timing__runs__{word}__exact": values for word, values in (("flare", [1, np.nan]), ("dragin", [np.nan, 0]))
    }
    found = view_named("sweep").measure(made_table(("timing.policies=flare,dragin",), **columns))
    assert {one.series for one in found.marks if one.n} == {"FLARE, exact match", "DRAGIN, exact match"}


def test_settings_agree_as_far_as_their_sepers_are_correlated() -> None:
    table = made_table(("seed=0,1,2",), seper__with_passages__soft=[0.1, 0.2, 0.3, 0.2, 0.4, 0.2, 0.3, 0.6, 0.1])
    found = view_named("seper_agreement").measure(table)
    known = {(one.series, one.label): one.value for one in found.marks}
    assert (known["seed=0", "seed=1"], known["seed=0", "seed=2"], known["seed=1", "seed=1"]) == (1.0, -1.0, 1.0)


def test_few_questions_are_called_too_few_and_their_shares_keep_a_width() -> None:
    table = made_table(answer__right=[1.0] * 19, passages__hold=[1.0] * 19, memory__right=[0.0] * 19)
    found = view_named("retrieval").measure(table)
    right = next(one for one in found.marks if one.label == "answer right with them")
    # Wilson for 19 of 19: n / (n + z²).
    assert "19" in found.caution and (right.low, right.high) == (pytest.approx(19 / 22.8415, abs=1e-4), 1.0)
    enough = made_table(answer__right=[1.0] * 20, passages__hold=[1.0] * 20, memory__right=[0.0] * 20)
    assert not view_named("retrieval").measure(enough).caution


def test_a_view_without_its_numbers_says_what_to_add_and_shows_nothing_of_the_paper() -> None:
    table = made_table(answer__right=[1.0, 0.0])
    for view in VIEWS:
        if not table.has(*view.needs):
            found = view.measure(table)
            assert found.marks == () and found.missing
    with pytest.raises(InputError):
        view_named("nothing")


def test_numbers_that_no_question_has_together_make_no_view() -> None:
    table = made_table(dense__entropy=[0.0, np.nan], answer__right=[np.nan, 1.0], answer__exact=[np.nan, 1.0])
    assert all(view_named(name).measure(table).missing for name in ("dense_bins", "dense_certain", "dense_ranking"))


def test_what_was_not_measured_counts_for_nothing(tmp_path: Path) -> None:
    table = made_table(dense__entropy=[0.0, np.nan, 0.9], answer__right=[1, 0, np.nan], answer__exact=[1, 0, np.nan])
    found = view_named("dense_bins").measure(table)
    assert [(one.label, one.n) for one in found.marks if one.series == "exact match"] == [("0 to 0.05", 1)]


@pytest.mark.parametrize(
    ("better", "worse", "pairs", "p", "beyond"),
    [(4, 0, 20, 0.125, False), (5, 0, 100, 0.0625, False), (6, 0, 20, 0.03125, True), (2, 0, 2, 0.5, False)],
)
def test_shares_are_beyond_noise_where_the_sign_test_says_so(
    better: int, worse: int, pairs: int, p: float, beyond: bool
) -> None:
    moved = [(0.0, 1.0)] * better + [(1.0, 0.0)] * worse + [(1.0, 1.0)] * (pairs - better - worse)
    table = made_table(("k=1,3",), answer__right=[value for pair in moved for value in pair])
    (right,) = differences(paired(Side(table, 0), Side(table, 1)))
    assert (right.p, right.beyond_noise) == (pytest.approx(p), beyond)
    assert right.low is not None and right.high is not None and right.low < right.high
    assert (right.low > 0 or right.high < 0) == beyond, "the whisker and the word say the same"


@pytest.mark.parametrize(("pairs", "beyond"), [(5, False), (6, True)])
def test_other_numbers_need_six_pairs_to_be_beyond_noise(pairs: int, beyond: bool) -> None:
    table = made_table(("k=1,3",), run__seconds=[1.5, 2.5] * pairs)
    (seconds,) = differences(paired(Side(table, 0), Side(table, 1)))
    assert (seconds.p, seconds.low, seconds.beyond_noise) == (None, 1.0 if beyond else None, beyond)


def test_the_rejection_area_of_one_class_is_its_share_of_right_answers() -> None:
    uncertain = np.array([0.1, 0.2, 0.3])
    assert [kept_area(np.full(3, value), uncertain) for value in (1.0, 0.0)] == [1.0, 0.0]
    # Kept one by one: 1/1, 1/2, 2/3 are right.
    assert kept_area(np.array([1.0, 0.0, 1.0]), uncertain) == pytest.approx((1 + 1 / 2 + 2 / 3) / 3)


def test_a_sweep_shows_no_paper_alone_where_nothing_of_ours_is_defined() -> None:
    table = made_table(("dense.temperature=0,1",), answer__right=[1] * 6, dense__entropy=[0.1, 0.2, 0.3, 0.1, 0.4, 0.5])
    found = view_named("sweep").measure(table)
    assert "AUROC of DSE" not in {one.series for one in found.marks}
    assert any("Not defined under any setting: AUROC of DSE" in one for one in found.notes)


def test_policies_are_shown_whichever_ran() -> None:
    columns = {
        f"timing__runs__{word}__{name}": [1.0, 0.0] for word in ("dragin", "flare") for name in ("right", "exact")
    }
    assert list(values(view_named("timing_policies").measure(made_table(**columns)), "right").values()) == [0.5, 0.5]
