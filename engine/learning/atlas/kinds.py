"""The kinds of failure: what each is, who described it, when a run shows it, which methods can notice it.

Their texts are in ``kinds.yaml``. A kind's word names its predicate, and each clue names its detector.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import yaml
from pydantic import TypeAdapter

from engine.diagnosis.record import Diagnosis
from engine.learning.atlas import predicates
from engine.learning.atlas.detectors import DETECTORS, Detector
from engine.runs.sample_questions import SampleQuestion

Predicate = Callable[[Diagnosis, SampleQuestion], bool]
Stage = Literal["retrieval", "reading", "memory", "timing", "instruments"]
Change = Literal["only the answer", "without the wrong", "right first", "no copies", "as it was"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clue:
    """How one method can notice a kind of failure, in words and as a detector over the record.

    ``base`` names the measured rate at which it speaks of right answers too, "" where none was measured.
    """

    method: str
    words: str
    detector: Detector
    base: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of failure. ``predicate`` describes ``shows`` in words; ``literature`` names who described the kind.

    ``change`` is what to try next: which passages the form starts with. ``trial`` says what to look for then.
    """

    word: str
    title: str
    stage: Stage
    definition: str
    predicate: str
    literature: tuple[str, ...]
    shows: Predicate
    clues: tuple[Clue, ...]
    change: Change
    trial: str

    @property
    def run_id(self) -> str:
        """The id of the stored run that shows this kind."""
        return f"atlas-{self.word.replace('_', '-')}"


def read_kinds() -> dict[str, Kind]:
    """Return every kind by its word, in the order of the file."""
    content = yaml.safe_load(Path(__file__).with_name("kinds.yaml").read_text(encoding="utf-8"))
    clues = {name: {**clue, "detector": DETECTORS[clue["detector"]]} for name, clue in content["clues"].items()}
    kinds = {
        word: {
            **kind,
            "word": word,
            "shows": getattr(predicates, word),
            "clues": [clues[one] for one in kind["clues"]],
        }
        for word, kind in content["kinds"].items()
    }
    return TypeAdapter(dict[str, Kind]).validate_python(kinds)


KINDS = read_kinds()
