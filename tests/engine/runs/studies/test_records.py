"""How far a study is, and how long the rest takes at its pace."""

from dataclasses import replace

from engine.diagnosis.request import DiagnosisRequest
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


def test_a_failed_point_is_over_but_says_nothing_of_the_pace() -> None:
    assert (STUDY.share, STUDY.seconds_each, STUDY.seconds_left) == (0.4, 4.0, 24.0)


def test_before_a_point_is_done_the_time_left_is_not_known() -> None:
    begun = replace(STUDY, done=0, failed=2, seconds=0.0)
    assert (begun.share, begun.seconds_each, begun.seconds_left) == (0.25, None, None)
    assert replace(begun, waiting=0, failed=0).share == 0.0
