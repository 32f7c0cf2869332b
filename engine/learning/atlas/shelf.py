"""The recorded runs of the atlas: one for each kind of failure, and which methods noticed it.

Runs are gzipped in ``sample_data/atlas`` under the word of their kind. A record repeats its passages in every prompt,
so it shrinks to a tenth. What a run shows is computed from its record each time.
"""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from engine.core.errors import RecordError
from engine.core.folders import sample_data
from engine.diagnosis.record import Diagnosis
from engine.learning.atlas.kinds import KINDS, Clue, Kind
from engine.learning.known_truth import Seen, seen_word
from engine.methods import METHODS
from engine.runs.sample_questions import SampleQuestion, sample_questions
from engine.runs.sample_runs import read_run

SUFFIX = ".json.gz"
MOST_KEPT = 64  # specimens whose detections are kept: a page asks for them a dozen times


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Specimen:
    """A kind of failure, the run that shows it, and the sample question of that run.

    It is equal to itself alone, so what is computed of it can be kept: to compare whole records takes as long as that.
    """

    kind: Kind
    run: Diagnosis
    question: SampleQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """Whether a method noticed the failure of a specimen, with the clue that decides it in words and its base rate."""

    method: str
    words: str
    seen: Seen
    base: str = ""


def shelf_folder() -> Path:
    """Return the folder of the recorded runs."""
    return sample_data() / "atlas"


def file_of(kind: Kind, folder: Path | None = None) -> Path:
    """Return the file for a kind's run, whether it exists or not."""
    return (folder or shelf_folder()) / f"{kind.word}{SUFFIX}"


def recorded_kinds(folder: Path | None = None) -> tuple[Kind, ...]:
    """Return the kinds that have a run, in their order."""
    return tuple(kind for kind in KINDS.values() if file_of(kind, folder).is_file())


def write_specimen(kind: Kind, run: Diagnosis, folder: Path | None = None) -> Path:
    """Write a run as its kind's specimen and return the file. Raises RecordError if it cannot be written."""
    path = file_of(kind, folder)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Without a time the same record gives the same bytes.
        path.write_bytes(gzip.compress(run.to_json().encode("utf-8"), mtime=0))
    except OSError as exc:
        raise RecordError(f"The atlas's run {path.name} cannot be written: {exc}") from exc
    return path


def specimens(folder: Path | None = None) -> tuple[Specimen, ...]:
    """Return every kind's run with its question, in the order of the kinds.

    Raises RecordError if a run cannot be read or has no sample question.
    """
    questions = {question.question: question for question in sample_questions()}
    found = []
    for kind in recorded_kinds(folder):
        run = _read_run(kind, folder)
        if run.question not in questions:
            raise RecordError(f"The atlas's run {kind.word} has no sample question. Record it again.")
        found.append(Specimen(kind=kind, run=run, question=questions[run.question]))
    return tuple(found)


def _read_run(kind: Kind, folder: Path | None) -> Diagnosis:
    """Return a kind's run. Raises RecordError with the name of its file."""
    file = file_of(kind, folder)
    try:
        return read_run(file)
    except RecordError as exc:
        raise exc if file.name in str(exc) else RecordError(f"{file.name} cannot be read: {exc}") from exc


@lru_cache(maxsize=MOST_KEPT)
def detections(specimen: Specimen) -> tuple[Detection, ...]:
    """Return what each method with a clue noticed in a specimen; "not measured" if its run lacks the method."""
    return tuple(
        Detection(
            method=clue.method,
            words=clue.words,
            seen=seen_word(clue.detector(specimen.run, specimen.question)),
            base=clue.base,
        )
        for clue in specimen.kind.clues
    )


def detection_board(shown: Sequence[Specimen]) -> Mapping[str, Mapping[str, Seen]]:
    """Return kind -> method -> whether it noticed the failure; methods without a clue are left out."""
    return {specimen.kind.word: {one.method: one.seen for one in detections(specimen)} for specimen in shown}


def methods_with_clues() -> tuple[str, ...]:
    """Return the methods with a clue to any kind, in their usual order."""
    having = {clue.method for kind in KINDS.values() for clue in kind.clues}
    return tuple(word for word in METHODS if word in having)


def clue_of(kind: Kind, method: str) -> Clue | None:
    """Return a method's clue to a kind, None without one."""
    return next((clue for clue in kind.clues if clue.method == method), None)


def specimens_with(shown: Sequence[Specimen], method: str, outcome: Seen | None) -> tuple[Specimen, ...]:
    """Return the specimens that a method noticed, missed or did not measure; ``outcome`` None: all with a clue.

    ``method`` "" means any method: noticed by at least one, missed by all that measured it, not measured by at least
    one.
    """
    return tuple(one for one in shown if _fits({n.method: n.seen for n in detections(one)}, method, outcome))


def _fits(row: Mapping[str, Seen], method: str, outcome: Seen | None) -> bool:
    """Return whether a row of the board has the requested outcome."""
    if method:
        return method in row and outcome in (None, row[method])
    if outcome == "missed":
        return "missed" in row.values() and "saw" not in row.values()
    return outcome is None or outcome in row.values()
