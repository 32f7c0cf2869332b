"""A study of real questions: Natural Questions (open) over a corpus of passages, with the embedded models.

Data: Natural Questions (open) with oracle passages (``training/nq_open.py`` names the source). Asked are the test
questions, on which no shipped model was trained or tuned; the corpus is every passage of the file, so the answering
one has to be found among all others. The question's own passage is its known utility: 1 where it was read, else 0.

    python -m benchmarks.study_nq nq-open-oracle.jsonl.gz --minutes 30       goes on where it ended

It writes the questions and the corpus into the data folder, works on one study there, and puts its numbers, without
questions and answers, into ``results/study_nq.json``. Without a path, MICROSCOPE_BENCHMARK_DATA names a folder that
contains the file as nq_open_oracle_dev.jsonl.gz.
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from engine.backends.number_types import number_type
from engine.core.folders import data_folder, make_folder
from engine.core.provenance import library_versions, machine
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.jobs.desk import JobDesk
from engine.runs.run import run_request
from engine.runs.store import RunStore
from engine.runs.studies.plan import make_plan
from engine.runs.studies.questions import read_questions
from engine.runs.studies.runner import Progress, StudyRunner
from engine.runs.studies.store import StudyStore
from engine.runs.studies.table import StudyTable, read_table, setting_frame, without_texts
from engine.runs.studies.views import VIEWS
from training.nq_open import OracleRow, oracle_path, read_oracle
from viz.study_words import verdicts_in

RESULTS = Path(__file__).parent / "results" / "study_nq.json"
NAME = "Natural Questions, test"
METHODS = ("seper", "sugar")


def written_data(rows: Sequence[OracleRow], folder: Path) -> tuple[Path, Path]:
    """Return the files of the test questions, each with its own passage, and of the corpus of all passages."""
    questions, corpus = folder / "nq-test.jsonl", folder / "nq-passages.jsonl"
    passages = dict.fromkeys((row.passage.title, row.passage.text) for row in rows)
    asked = [
        {
            "question": row.question,
            "answers": list(row.answers),
            "passages": [{"title": row.passage.title, "text": row.passage.text, "supporting": True}],
        }
        for row in rows
        if row.test
    ]
    texts = [{"title": title, "text": text} for title, text in passages]
    for file, entries in ((questions, asked), (corpus, texts)):
        file.write_text("".join(json.dumps(one) + "\n" for one in entries), encoding="utf-8")
    return questions, corpus


def study_here(store: StudyStore, questions: Path, corpus: Path) -> str:
    """Return the id of the study that is there already, else of a new one."""
    known = next((one.id for one in store.listing() if one.plan.name == NAME), None)
    if known is not None:
        return known
    file = read_questions(questions)
    request = DiagnosisRequest(question="", corpus=str(corpus), methods=METHODS, k=5)
    plan, points = make_plan(file, request, name=NAME)
    return store.create(plan, file, points)


def write_results(table: StudyTable) -> None:
    """Write the study's numbers and the papers' views, without texts of the data, which single points carry."""
    frame = without_texts(setting_frame(table)).drop(columns=["run", "key"])
    frame = frame[frame["state"] != "waiting"].round(6)
    plan = table.study.plan
    content = {
        "machine": machine(),
        "libraries": library_versions(),
        "dtype": number_type(),
        "questions": table.study.points,
        "measured": len(frame),
        "passages": plan.request.k,
        "seed": plan.request.seed,
        "methods": plan.request.methods,
        "questions_hash": plan.questions_hash,
        "corpus_hash": plan.corpus_hash,
        "views": [asdict(view.measure(table)) for view in VIEWS if view.ready(table) and view.kind != "points"],
        "columns": {name: json.loads(frame[name].to_json(orient="values")) for name in frame},
    }
    RESULTS.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Work on the study for so many minutes, and write what is known."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", help="nq-open-oracle.jsonl.gz, plain or gzipped")
    parser.add_argument("--minutes", type=float, default=5.0)
    given = parser.parse_args()
    folder = make_folder(data_folder() / "study_nq")
    questions, corpus = written_data(read_oracle(oracle_path(given.data)), folder)
    store = StudyStore()
    study, ends = study_here(store, questions, corpus), time.monotonic() + 60 * given.minutes

    def watch(progress: Progress) -> None:
        if progress.question:
            print(f"{progress.finished + 1} of {progress.points}: {progress.question}", flush=True)
        elif time.monotonic() > ends:
            store.tell(study, "pause")

    if given.minutes > 0:
        desk = JobDesk(RunStore(), run_request)
        StudyRunner(store, desk, verdicts_in).work(study, watch)
        desk.shutdown()
    write_results(read_table(study, store))


if __name__ == "__main__":
    main()
