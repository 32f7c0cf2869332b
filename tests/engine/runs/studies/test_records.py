"""How far a study is, and how long the rest takes at its pace."""

from dataclasses import replace

import pytest

from engine.diagnosis.request import DiagnosisRequest
from engine.runs.studies import background
from engine.runs.studies.background import by_the_clock, side_by_side
from engine.runs.studies.concurrency import Concurrency
from engine.runs.studies.records import Study, StudyPlan

PLAN = StudyPlan(
    name="made up",
    questions_name="q.jsonl",
    questions_hash="0" * 64,
    corpus_hash="",
    request=DiagnosisRequest(question="", methods=()),
    variants=(),
    versions=(),
)
STUDY = Study(
    id="s", created_at="", plan=PLAN, state="running", waiting=6, done=3, failed=1, seconds=12.0, changed_at=""
)


def test_a_failed_point_is_over_and_counts_for_the_pace_with_the_seconds_it_took() -> None:
    # Twelve seconds over three points and a failed one; six wait.
    assert (STUDY.share, STUDY.seconds_each, STUDY.seconds_left) == (0.4, 3.0, 18.0)


def test_processes_divide_the_seconds_by_the_clock_and_questions_side_by_side_have_done_so_already(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert by_the_clock(STUDY) == STUDY, "nobody works on it here"
    for at_work, left in ((Concurrency(workers=2), 9.0), (Concurrency(together=2), 18.0)):
        monkeypatch.setitem(background._AT_WORK, STUDY.id, at_work)
        assert side_by_side(STUDY.id) == 2
        assert by_the_clock(STUDY).seconds_left == left


def test_a_study_that_ends_while_its_processes_are_counted_has_none_or_those_it_had(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Ending(dict[str, Concurrency]):
        """What is at work, which ends as soon as somebody has seen it."""

        def __contains__(self, study: object) -> bool:
            return self.pop(str(study), None) is not None

    monkeypatch.setattr(background, "_AT_WORK", Ending({STUDY.id: Concurrency(workers=2)}))
    assert side_by_side(STUDY.id) == 2


def test_before_a_point_took_any_time_the_time_left_is_not_known() -> None:
    begun = replace(STUDY, done=0, failed=2, seconds=0.0)
    assert (begun.share, begun.seconds_each, begun.seconds_left) == (0.25, None, None)
    assert replace(begun, waiting=0, failed=0).share == 0.0
