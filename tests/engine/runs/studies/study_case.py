"""Studies over made-up runs: an engine that answers from a table, and the stores of a test."""

import json
from dataclasses import replace
from pathlib import Path

from engine.core.errors import ModelError
from engine.core.progress import Report, Snapshot, silent
from engine.core.records import Hit, Passage
from engine.diagnosis.record import Diagnosis, Outcome
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.jobs.desk import JobDesk, Run
from engine.runs.store import RunStore
from engine.runs.studies.plan import make_plan
from engine.runs.studies.questions import read_questions
from engine.runs.studies.runner import StudyRunner
from engine.runs.studies.store import STUDIES, StudyStore
from engine.runs.studies.table import StudyTable, read_table
from tests.engine.conftest import dense_result, generation, provenance, seper_result

QUESTIONS = [{"question": f"Who built tower {number}?", "answers": [f"Builder {number}"]} for number in range(1, 7)]


def question_file(folder: Path, rows: list[dict[str, object]] | None = None, name: str = "questions.jsonl") -> Path:
    """Return a file with these questions, one JSON object a line."""
    file = folder / name
    file.write_text("".join(json.dumps(row) + "\n" for row in rows or QUESTIONS), encoding="utf-8")
    return file


def corpus_file(folder: Path) -> Path:
    """Return a corpus of one short text."""
    file = folder / "corpus.txt"
    file.write_text("Builder 1 built tower 1.", encoding="utf-8")
    return file


def answered(request: DiagnosisRequest, report: Report = silent, kept: Diagnosis | None = None) -> Diagnosis:
    """Return a run in which odd towers are answered right, with DENSE and SePer done."""
    number = int(request.question.rstrip("?").split()[-1])
    text = f"Builder {number}" if number % 2 else "Nobody"
    sure = replace(dense_result(), entropy=0.1 * number)
    return Diagnosis(
        question=request.question,
        golds=request.golds,
        hits=(Hit(passage=Passage(text=f"{text} built it.", title="Tower"), rank=1, score=1.0, retriever="bm25"),),
        answer=generation(text, logprob=-0.1 * number),
        closed_book=generation("Nobody"),
        outcomes=(
            Outcome(method="dense", status="done", seconds=1.0, result=sure),
            Outcome(method="seper", status="done", seconds=1.0, result=seper_result()),
        ),
        provenance=provenance(),
        seconds=2.0,
    )


class Engine:
    """Answers like ``answered``, counts what it was asked, and fails where it is told to."""

    def __init__(self, failing: tuple[str, ...] = ()) -> None:
        self.asked: list[str] = []
        self.failing = failing

    def run(self, request: DiagnosisRequest, report: Report = silent, kept: Diagnosis | None = None) -> Diagnosis:
        """Return the run of a question."""
        self.asked.append(request.question)
        if request.question in self.failing:
            raise ModelError("The model lost its weights.")
        found = answered(request)
        report(Snapshot(record=found))
        return found


def started(folder: Path, studies: StudyStore, vary: tuple[str, ...] = (), **asked: object) -> str:
    """Return the id of a new study of six questions."""
    file = read_questions(question_file(folder))
    request = DiagnosisRequest(question="", corpus=str(corpus_file(folder)), methods=("dense", "seper"))
    plan, points = make_plan(file, replace(request, **asked), vary)  # type: ignore[arg-type]
    return studies.create(plan, file, points)


def damage(studies: StudyStore, study: str, plan: str = '{"name": "x"}') -> None:
    """Write something that is no plan over a study's plan."""
    with studies.database.transaction() as connection:
        connection.execute(STUDIES.update().where(STUDIES.c.id == study).values(plan_json=plan))


def worked(studies: StudyStore, runs: RunStore, study: str, run: Run) -> StudyTable:
    """Return a study's table after working on it with this engine."""
    desk = JobDesk(runs, run)
    try:
        StudyRunner(studies, desk).work(study)
    finally:
        desk.shutdown()
    return read_table(study, studies)


def without_clock(found: Diagnosis) -> str:
    """Return a record without its seconds, as text: NaN equals itself there."""
    outcomes = tuple(replace(one, seconds=0.0) for one in found.outcomes)
    return repr(replace(found, outcomes=outcomes, seconds=0.0, provenance=replace(found.provenance, started_at="")))
