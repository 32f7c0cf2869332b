"""The shelf of the atlas: one recorded run for each kind of failure, and who noticed it.

Runs lie gzipped in ``sample_data/atlas`` under their kind's word: a record repeats its passages in every prompt and
shrinks to a tenth. Nothing about a run is noted beside it; what it shows is computed from the record each time.
"""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.core.errors import RecordError
from engine.core.folders import sample_data
from engine.diagnosis.record import Diagnosis
from engine.learning.atlas.kinds import KINDS, Clue, Kind
from engine.learning.known_truth import Seen, seen
from engine.methods import METHODS
from engine.runs.sample_questions import SampleQuestion, sample_questions
from engine.runs.sample_runs import read_run

SUFFIX = ".json.gz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Specimen:
    """A kind of failure with the run that shows it and the sample question it answers."""

    kind: Kind
    run: Diagnosis
    asked: SampleQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class Noticed:
    """Whether a method noticed the failure of a specimen, with the clue in words that decided it."""

    method: str
    words: str
    seen: Seen


def shelf_folder() -> Path:
    """Return the folder of the recorded runs."""
    return sample_data() / "atlas"


def file_of(kind: Kind, folder: Path | None = None) -> Path:
    """Return the file that holds a kind's run, whether it is there or not."""
    return (folder or shelf_folder()) / f"{kind.word}{SUFFIX}"


def recorded_kinds(folder: Path | None = None) -> tuple[Kind, ...]:
    """Return the kinds that have a run, in their order; of the others none is recorded in this copy."""
    return tuple(kind for kind in KINDS.values() if file_of(kind, folder).is_file())


def keep(kind: Kind, run: Diagnosis, folder: Path | None = None) -> Path:
    """Return the file a run was written to as its kind's specimen. Raises RecordError where it cannot be written."""
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

    Raises RecordError where a run cannot be read or answers no sample question.
    """
    questions = {question.question: question for question in sample_questions()}
    found = []
    for kind in recorded_kinds(folder):
        run = _read(kind, folder)
        if run.question not in questions:
            raise RecordError(f"The atlas's run {kind.word} answers no sample question. Record it anew.")
        found.append(Specimen(kind=kind, run=run, asked=questions[run.question]))
    return tuple(found)


def _read(kind: Kind, folder: Path | None) -> Diagnosis:
    """Return a kind's run. Raises RecordError that names its file."""
    file = file_of(kind, folder)
    try:
        return read_run(file)
    except RecordError as exc:
        raise exc if file.name in str(exc) else RecordError(f"{file.name} cannot be read: {exc}") from exc


def noticed(specimen: Specimen) -> tuple[Noticed, ...]:
    """Return what each method with a clue made of a specimen; "not measured" where its run does not hold it."""
    return tuple(
        Noticed(method=clue.method, words=clue.words, seen=seen(clue.look(specimen.run, specimen.asked)))
        for clue in specimen.kind.clues
    )


def board(shown: Sequence[Specimen]) -> Mapping[str, Mapping[str, Seen]]:
    """Return kind -> method -> whether it noticed; a method without a clue is left out: it looks elsewhere."""
    return {specimen.kind.word: {one.method: one.seen for one in noticed(specimen)} for specimen in shown}


def methods_with_clues() -> tuple[str, ...]:
    """Return the methods that have a clue to some kind, in their usual order."""
    having = {clue.method for kind in KINDS.values() for clue in kind.clues}
    return tuple(word for word in METHODS if word in having)


def clue_of(kind: Kind, method: str) -> Clue | None:
    """Return a method's clue to a kind, None where it looks elsewhere."""
    return next((clue for clue in kind.clues if clue.method == method), None)


def wanted(shown: Sequence[Specimen], method: str, outcome: Seen | None) -> tuple[Specimen, ...]:
    """Return the specimens that a method noticed, missed or did not measure; ``outcome`` None is all it has an eye for.

    ``method`` "" stands for all of them: noticed by at least one, missed by every one that measured it, and not
    measured by at least one.
    """
    return tuple(one for one in shown if _fits({n.method: n.seen for n in noticed(one)}, method, outcome))


def _fits(row: Mapping[str, Seen], method: str, outcome: Seen | None) -> bool:
    """Return whether a row of the board has the outcome asked for."""
    if method:
        return method in row and outcome in (None, row[method])
    if outcome == "missed":
        return "missed" in row.values() and "saw" not in row.values()
    return outcome is None or outcome in row.values()
