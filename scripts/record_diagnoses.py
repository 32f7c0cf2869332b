"""Record the sample diagnoses again; every page opens with one of them before any model is loaded.

    .venv/bin/python scripts/record_diagnoses.py [QUESTION_ID ...]

Each named question of ``sample_data/questions.jsonl`` (without names: each that has a record) is asked of the embedded
models with all methods, over its own passages, otherwise over the sample corpus. The record is written to
``sample_data/diagnoses/<id>.json``.
"""

import sys
from pathlib import Path

from engine.cli.printed import summary
from engine.core.folders import sample_data
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.run import run_request
from engine.runs.sample_questions import SampleQuestion, sample_questions
from engine.runs.sample_runs import write_index
from viz.runs.run_cards import write_cards


def record(asked: SampleQuestion, target: Path) -> None:
    """Ask one question and write its record; a question without an article gets no correct answer."""
    golds = () if asked.kind == "not_in_corpus" else asked.golds
    corpus = None if asked.passages else "sample"
    request = DiagnosisRequest(question=asked.question, corpus=corpus, passages=asked.passages, golds=golds)
    diagnosis = run_request(request)
    target.write_text(diagnosis.to_json() + "\n", encoding="utf-8")
    print(f"{target.stem} ({diagnosis.seconds:.0f} s)\n{summary(diagnosis)}\n", flush=True)


def main(names: list[str]) -> None:
    """Record the named questions."""
    folder = sample_data() / "diagnoses"
    folder.mkdir(exist_ok=True)
    known = {asked.id: asked for asked in sample_questions()}
    for name in names or sorted(path.stem for path in folder.glob("*.json")):
        record(known[name], folder / f"{name}.json")
    write_index()
    write_cards()


if __name__ == "__main__":
    main(sys.argv[1:])
