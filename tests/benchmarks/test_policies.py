"""The benchmark of retrieval policies: what it asks, what it stores, and that its table is the mean of its records."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.policies import (
    QUESTIONS,
    RESULTS,
    chosen_questions,
    made_with,
    recorded,
    request_of,
    row_of,
    table,
    timing_of,
    written,
)
from engine.core.errors import InputError
from engine.diagnosis.record import Diagnosis
from engine.methods.timing.method import TimingConfig
from engine.methods.timing.policies import POLICIES
from engine.runs.sample_questions import SampleQuestion
from tests.pages.page_fixtures import done, whole_diagnosis
from tests.viz.sample_timing_results import lane, lookup, policy_run, timing_full

CONFIG = TimingConfig()


def answered(question: SampleQuestion) -> Diagnosis:
    """Return a record with the hand-made timing for a question."""
    whole = whole_diagnosis(question.question, question.golds)
    return replace(whole, outcomes=(done("timing", timing_full()),))


def test_at_least_twelve_sample_questions_are_asked_of_every_policy_over_the_sample_corpus() -> None:
    questions = chosen_questions(QUESTIONS)
    assert len(questions) == len(set(QUESTIONS)) >= 12
    request = request_of(questions[0], "embedded", "paper")
    assert request.timing.policies == tuple(POLICIES)
    assert (request.corpus, request.methods, request.thresholds) == ("sample", ("timing",), "paper")
    assert request.golds == questions[0].golds


def test_a_question_that_is_not_there_or_brings_its_own_passages_is_refused() -> None:
    with pytest.raises(InputError, match="is called no-such-question"):
        chosen_questions(["capital-of-france", "no-such-question"])


def test_delays_are_averaged_where_both_fire_and_the_rest_where_it_was_measured() -> None:
    # ETC at token 4: FLARE below 0.8 at tokens 2 and 7 is 2 earlier; a second answer without a trigger has no delay.
    lanes = (
        replace(lane("flare", {2: 0.7, 7: 0.3}, CONFIG), delay=-2),
        replace(lane("flare", {2: 0.9, 7: 0.1}, CONFIG), delay=3),
        lane("flare", {2: 0.9}, CONFIG),
        replace(lane("flare", {}, CONFIG), not_measured="No probabilities."),
    )
    runs = (
        policy_run("flare", "One two three.", True, (lookup(0, 0, 0.5, "q"), lookup(4, 1, 0.5, "q"))),
        policy_run("flare", "One.", False),
        replace(policy_run("flare", "", None), not_measured="No probabilities."),
    )
    found = row_of(lanes, runs, "flare")
    assert (found.traced, found.triggers) == (3, 1.0)
    assert (found.delay, found.delays) == (0.5, 2)
    assert (found.answered, found.right, found.retrievals) == (2, 1, 1.0)
    assert (found.tokens_kept, found.tokens_written, found.prompt_tokens) == (2.0, 6.0, 40.0)
    assert (found.threshold, found.reasons) == (0.8, ("No probabilities.",))


def test_a_policy_that_never_ran_has_no_means_and_not_zeros() -> None:
    found = row_of((), (), "dragin")
    assert (found.triggers, found.delay, found.retrievals, found.tokens_written) == (None, None, None, None)
    assert (found.traced, found.answered, found.right) == (0, 0, 0)


def test_a_record_that_is_there_is_read_and_not_made_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked: list[str] = []

    def ask(question: SampleQuestion) -> Diagnosis:
        asked.append(question.id)
        return answered(question)

    questions = chosen_questions(QUESTIONS[:3])
    recorded(questions[:2], tmp_path, ask)
    found = recorded(questions, tmp_path, ask)
    assert asked == list(QUESTIONS[:3])
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted(f"timing-{name}.json" for name in QUESTIONS[:3])
    assert timing_of(found[QUESTIONS[0]]) == timing_full()
    assert "3/3" in capsys.readouterr().out


def test_a_record_of_another_question_is_refused(tmp_path: Path) -> None:
    first, second = chosen_questions(QUESTIONS[:2])
    (tmp_path / f"timing-{first.id}.json").write_text(answered(second).to_json(), encoding="utf-8")
    with pytest.raises(InputError, match="holds another question"):
        recorded([first], tmp_path, answered)


def test_a_question_whose_timing_failed_is_not_stored(tmp_path: Path) -> None:
    def fails(question: SampleQuestion) -> Diagnosis:
        return replace(answered(question), outcomes=())

    with pytest.raises(InputError, match="has no retrieval timing: not asked"):
        recorded(chosen_questions(QUESTIONS[:1]), tmp_path, fails)
    assert list(tmp_path.iterdir()) == []


def test_what_is_written_has_a_row_a_policy_and_names_its_thresholds() -> None:
    found = {question.id: answered(question) for question in chosen_questions(QUESTIONS[:3])}
    result = written(found)
    rows = {row["policy"]: row for row in result["policies"]}  # type: ignore[index, attr-defined]
    assert list(rows) == list(POLICIES)
    assert (rows["once"]["right"], rows["once"]["answered"], rows["once"]["retrievals"]) == (3, 3, 1.0)
    assert (rows["never"]["right"], rows["entropy_trend"]["retrievals"]) == (0, 2.0)
    assert (rows["flare"]["delay"], rows["flare"]["delays"]) == (-2.0, 3)
    assert rows["quco_rag"]["reasons"] == ("The corpus could not be counted.",)
    assert (result["thresholds"], result["questions"]) == ("the papers'", list(QUESTIONS[:3]))
    assert (result["right_from_memory"], result["corpus"]) == (0, "Sample encyclopaedia")


def test_records_of_two_models_make_no_table() -> None:
    one, other = (answered(question) for question in chosen_questions(QUESTIONS[:2]))
    other = replace(other, provenance=replace(other.provenance, model_revision="r2"))
    assert made_with(one) != made_with(other)
    with pytest.raises(InputError, match="different settings, models or corpora"):
        table({"a": one, "b": other})


@pytest.mark.skipif(not RESULTS.is_file(), reason="python -m benchmarks.policies has not been run")
def test_the_stored_table_covers_every_policy_and_twelve_questions() -> None:
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert [row["policy"] for row in found["policies"]] == list(POLICIES)
    assert len(found["questions"]) >= 12
