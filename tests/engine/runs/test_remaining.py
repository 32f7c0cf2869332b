"""How far a run is: by what its parts were expected to take, scaled by how far off that was so far."""

import pytest

from engine.runs.jobs.desk import FinishedStage, JobStatus
from engine.runs.jobs.remaining import BEFORE, remaining, seconds_spent

EXPECTED = {BEFORE: 10.0, "dense": 60.0, "seper": 30.0}


def status(method: str, seconds: float, *done: tuple[str, float]) -> JobStatus:
    """Return a running run after these pieces of work, now at one of this method."""
    stages = tuple(FinishedStage(method=word, name="work", seconds=took) for word, took in done)
    return JobStatus(run_id="a", state="running", method=method, seconds=seconds, stages=stages)


def test_a_run_at_its_first_long_part_is_not_counted_as_far_as_its_short_parts() -> None:
    found = remaining(status("dense", 15.0, ("models", 4.0), ("answer", 6.0)), EXPECTED)
    assert found.seconds == pytest.approx(55.0 + 30.0)
    assert found.share == pytest.approx(15.0 / 100.0)


def test_parts_behind_a_run_scale_what_lies_ahead() -> None:
    found = remaining(status("seper", 140.0, ("answer", 20.0), ("dense", 120.0)), EXPECTED)
    assert found.seconds == pytest.approx(60.0)


def test_a_part_that_takes_longer_than_expected_still_has_a_tenth_to_go() -> None:
    found = remaining(status("dense", 110.0, ("answer", 10.0)), EXPECTED)
    assert found.seconds == pytest.approx(6.0 + 30.0)


def test_a_part_that_takes_more_than_twice_its_time_leaves_no_time_to_tell() -> None:
    assert remaining(status("dense", 135.0, ("answer", 10.0)), EXPECTED).seconds is None


def test_a_model_opened_within_a_method_counts_for_that_method() -> None:
    spent = seconds_spent(status("models", 25.0, ("answer", 10.0), ("dense", 5.0)), EXPECTED)
    assert spent == {BEFORE: 10.0, "dense": 15.0}


def test_without_anything_expected_there_is_no_time() -> None:
    assert remaining(status("dense", 5.0), {}).seconds is None
