"""Records the sample diagnoses anew: every page opens with one of them before any model is loaded.

    .venv/bin/python scripts/record_diagnoses.py [QUESTION_ID ...]

Each named question of ``sample_data/questions.jsonl`` (without names: those already recorded) is asked of the embedded
models with all methods, and the whole record is written to ``sample_data/diagnoses/<id>.json``.
"""

import json
import sys
from pathlib import Path

from engine.cli import summary
from engine.diagnosis import DiagnosisRequest, run_request
from engine.folders import sample_data


def questions() -> dict[str, dict[str, object]]:
    """Return the sample questions by id."""
    lines = (sample_data() / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return {entry["id"]: entry for entry in map(json.loads, filter(None, lines))}


def record(entry: dict[str, object], target: Path) -> None:
    """Ask one question and write its record."""
    golds = (str(entry["answer"]), *map(str, entry["aliases"]))  # type: ignore[call-overload]
    if entry["type"] == "not_in_corpus":
        golds = ()
    diagnosis = run_request(DiagnosisRequest(question=str(entry["question"]), corpus="sample", golds=golds))
    target.write_text(diagnosis.to_json() + "\n", encoding="utf-8")
    print(f"{target.stem} ({diagnosis.seconds:.0f} s)\n{summary(diagnosis)}\n", flush=True)


def main(names: list[str]) -> None:
    """Record the named questions."""
    folder = sample_data() / "diagnoses"
    folder.mkdir(exist_ok=True)
    known = questions()
    for name in names or sorted(path.stem for path in folder.glob("*.json")):
        record(known[name], folder / f"{name}.json")


if __name__ == "__main__":
    main(sys.argv[1:])
