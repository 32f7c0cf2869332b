"""The recorded runs of every retrieval policy: what is derived follows from their parts, and so does the table."""

import json
from dataclasses import asdict
from operator import attrgetter
from pathlib import Path

import pytest

from benchmarks.policies import QUESTIONS, RESULTS, recorded, table
from engine.catalogue.verify import verify
from engine.diagnosis.serialize import from_json
from engine.runs.sample_questions import SampleQuestion, sample_questions
from tests.each_row import each_row

FOLDER = Path(__file__).resolve().parents[2] / "sample_data" / "policy_runs"
FILES = sorted(FOLDER.glob("*.json"))


def never_asked(question: SampleQuestion) -> None:
    """Fail: every record is there."""
    pytest.fail(f"{question.id} is not recorded")


@each_row(FILES, name=attrgetter("stem"))
def test_every_derived_number_of_a_recorded_policy_run_follows_from_its_parts(path: Path) -> None:
    assert verify(from_json(path.read_text(encoding="utf-8"))).differing == ()


def test_the_stored_table_follows_from_the_recorded_runs() -> None:
    asked = [question for question in sample_questions() if question.id in QUESTIONS]
    rows = table(recorded(asked, FOLDER, never_asked))  # type: ignore[arg-type]

    stored = json.loads(RESULTS.read_text(encoding="utf-8"))["policies"]

    assert len(FILES) == len(asked) == 16
    assert json.loads(json.dumps([asdict(row) for row in rows])) == stored


def test_reading_before_answering_makes_more_answers_right_than_memory_does() -> None:
    right = {row["policy"]: row["right"] for row in json.loads(RESULTS.read_text(encoding="utf-8"))["policies"]}

    assert right["never"] == 3
    assert [right[policy] for policy in ("entropy_trend", "dragin", "flare", "once")] == [9, 10, 11, 9]
