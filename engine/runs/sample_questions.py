"""The sample questions: their gold answers, the passages some of them bring along, and the defects planted in those.

``questions.jsonl`` holds one question a line and is never indexed; neither is ``planted.jsonl``, whose texts were
altered on purpose. A question with ``given`` is asked over those texts and articles, any other one over the corpus.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import TypeAdapter

from engine.core.errors import RecordError
from engine.core.folders import sample_data
from engine.core.records import Passage

DefectKind = Literal[
    "answer_removed",
    "distractor",
    "contradiction",
    "duplicate",
    "memory_against_context",
    "split_answer",
    "missing_co_occurrence",
    "intact",
]
KINDS: tuple[DefectKind, ...] = get_args(DefectKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedDefect:
    """A defect put into a question's passages on purpose.

    ``documents`` carry it; ``tempting`` is the wrong answer they suggest, "" where they suggest none. ``perfect`` says
    what a perfect method would see, ``expects`` what each method that can see it would say. "intact" is no defect.
    """

    kind: DefectKind
    documents: tuple[str, ...] = ()
    tempting: str = ""
    perfect: str = ""
    expects: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleQuestion:
    """A question of the sample encyclopaedia: its gold answers (aliases included), its kind, what it is there for.

    ``passages`` are what it brings along; () is a question to the corpus. ``defects`` is () for an ordinary question.
    ``twin`` are the passages as they were before anything was planted, () where there is no such twin: each altered
    text is its original again, copies and distractors are gone.
    """

    id: str
    question: str
    golds: tuple[str, ...]
    kind: str
    note: str
    passages: tuple[Passage, ...] = ()
    defects: tuple[PlantedDefect, ...] = ()
    twin: tuple[Passage, ...] = ()


DEFECTS = TypeAdapter(tuple[PlantedDefect, ...])


def sample_questions(folder: Path | None = None) -> tuple[SampleQuestion, ...]:
    """Return the questions shipped with the sample encyclopaedia, in the order of their file.

    Raises RecordError where a file is missing or damaged, with the line that cannot be read.
    """
    home = folder or sample_data()
    try:
        manifest = json.loads((home / "manifest.json").read_text(encoding="utf-8"))
        texts = {row["id"]: row for name in (*manifest["index"], manifest["planted"]) for row in _rows(home / name)}
        return tuple(_question(row, texts) for row in _rows(home / manifest["questions"]))
    except (OSError, ValueError) as exc:
        raise RecordError(f"The sample questions in {home.name} cannot be read: {exc}.") from exc
    except KeyError as exc:
        raise RecordError(f"The sample questions in {home.name} lack {exc}.") from exc


def planted_questions(folder: Path | None = None) -> tuple[SampleQuestion, ...]:
    """Return the questions whose truth is known: those with a planted defect, and the intact ones beside them."""
    return tuple(question for question in sample_questions(folder) if question.defects)


def _rows(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file with one a line."""
    # str.splitlines would also cut at U+2028, which JSON allows inside a string.
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def _question(row: Mapping[str, Any], texts: Mapping[str, Mapping[str, Any]]) -> SampleQuestion:
    """Return one line of the question file as a record."""
    defects = [{**entry, "expects": tuple(entry["expects"].items())} for entry in row.get("defects", ())]
    if unknown := [entry["kind"] for entry in defects if entry["kind"] not in KINDS]:
        raise ValueError(f"there is no kind of defect {unknown[0]!r}")
    return SampleQuestion(
        twin=_twin(row, texts),
        id=row["id"],
        question=row["question"],
        golds=tuple(dict.fromkeys((row["answer"], *row["aliases"]))),
        kind=row["type"],
        note=row["note"],
        passages=tuple(_passage(texts[name]) for name in row.get("given", ())),
        defects=(PlantedDefect(kind="intact"),) if row.get("control") else DEFECTS.validate_python(defects),
    )


def _twin(row: Mapping[str, Any], texts: Mapping[str, Mapping[str, Any]]) -> tuple[Passage, ...]:
    """Return a question's passages before anything was planted; () where they would be the same."""
    given = row.get("given", ())
    distracting = {name for one in row.get("defects", ()) if one["kind"] == "distractor" for name in one["documents"]}
    before = [texts[name].get("made_from", name) for name in given if name not in distracting]
    names = list(dict.fromkeys(before))
    return () if names == list(given) else tuple(_passage(texts[name]) for name in names)


def _passage(row: Mapping[str, Any]) -> Passage:
    """Return a whole text as the passage a question brings along."""
    text = row["text"]
    return Passage(text=text, title=row["title"], document_id=row["id"], end=len(text), source="given")
