"""The review of the recorded examples quotes the records that are shipped."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECORDS = [json.loads(file.read_text()) for file in sorted((ROOT / "sample_data" / "diagnoses").glob("*.json"))]
TEXT = (ROOT / "docs" / "reader_review.md").read_text()


def rows_of(heading: str) -> list[list[str]]:
    """Return the cells of the table whose first column has this heading."""
    table = TEXT.split(f"| {heading} |")[1].split("\n\n")[0]
    return [line.strip("| ").split(" | ") for line in table.splitlines()[2:]]


def results(record: dict[str, Any], method: str) -> dict[str, Any]:
    return next(one["result"] for one in record["outcomes"] if one["method"] == method) or {}


def first_number(cell: str) -> float:
    return float(cell.split()[0].strip(",").replace("−", "-"))


REVIEWED = {row[0]: row for row in rows_of("question")}


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["question"])
def test_the_review_quotes_a_record_s_answers_dse_and_change_of_belief(record: dict[str, Any]) -> None:
    _, answers, dse, change, _ = REVIEWED[record["question"]]
    memory, reading = answers.split(" → ")
    assert (memory, reading.strip("*")) == (record["closed_book"]["text"], record["answer"]["text"])
    assert first_number(dse) == pytest.approx(results(record, "dense")["entropy"], abs=0.005)
    if record["golds"]:
        assert first_number(change) == pytest.approx(results(record, "seper")["delta_soft"], abs=0.005)


def test_the_review_counts_its_own_verdicts() -> None:
    places = {"DENSE": 2, "SePer": 3}
    verdicts = [
        (f"{method}: {row[place].split(', ')[1]}", row[1].endswith("**"))
        for method, place in places.items()
        for row in REVIEWED.values()
        if ", " in row[place]
    ]
    every, wrong = Counter(verdict for verdict, _ in verdicts), Counter(one for one, false in verdicts if false)
    assert {(name, int(n), int(m)) for name, n, m in rows_of("verdict")} == {(v, every[v], wrong[v]) for v in every}
    assert len(REVIEWED) == len(RECORDS) == 25
