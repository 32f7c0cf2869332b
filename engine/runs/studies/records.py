"""What a study is: its questions, its settings with a hash of every input, and the state of each of its points.

A *point* is one question under one choice of settings (a *variant*). It is an ordinary run of the run store, whose id
follows from question, settings and inputs: asked twice, it is the same run.
"""

from dataclasses import dataclass, replace
from typing import Literal

from engine.core.records import Passage
from engine.diagnosis.request import DiagnosisRequest

PointState = Literal["waiting", "done", "failed"]
Control = Literal["go", "pause", "cancel"]
StudyState = Literal["running", "paused", "cancelled", "stopped", "done"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyQuestion:
    """One question of a file. ``number`` counts from 1; ``key`` is its id there, "" where it has none.

    ``passages`` are its own, () where it has none; ``supporting`` are the places of those that answer it. ``utility``
    is how useful its passages are known to be, in [0, 1], None where the file does not say.
    """

    number: int
    question: str
    golds: tuple[str, ...] = ()
    key: str = ""
    passages: tuple[Passage, ...] = ()
    supporting: tuple[int, ...] = ()
    utility: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFile:
    """The questions of a file, its name, the SHA-256 of its bytes, and how many were left out as repeated.

    ``notes`` say in sentences what was guessed of the file.
    """

    name: str
    content_hash: str
    questions: tuple[StudyQuestion, ...]
    repeated: int = 0
    notes: tuple[str, ...] = ()

    def first(self, number: int | None) -> "QuestionFile":
        """Return the file with its first so many questions only, all of them for None."""
        return self if number is None else replace(self, questions=self.questions[: max(1, number)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One choice of the settings that vary: ("k=3", "dense.temperature=0.5"); () where nothing varies."""

    options: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The choice in words, "" where nothing varies."""
        return ", ".join(self.options)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlan:
    """What is asked, and how. ``request`` is what every point is asked with; its question is empty.

    ``corpus_hash`` names the bytes of the corpus, "" without one; ``corpus_files`` are (name, SHA-256) of its files, ()
    where they are many or an earlier version began the study. ``versions`` are (name, version) of the program and
    the libraries that can change a number.
    """

    name: str
    questions_name: str
    questions_hash: str
    corpus_hash: str
    request: DiagnosisRequest
    variants: tuple[Variant, ...]
    versions: tuple[tuple[str, str], ...]
    repeated: int = 0
    corpus_files: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Where one question stands under one variant; ``variant`` is its place in the plan, ``run`` the id of its run.

    ``reason`` says why it failed; it stays while a failed one is asked again.
    """

    number: int
    variant: int
    run: str
    state: PointState = "waiting"
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A study as it is kept. ``seconds`` are those its finished points took, one by one; times are UTC, ISO 8601."""

    id: str
    created_at: str
    plan: StudyPlan
    state: StudyState
    waiting: int
    done: int
    failed: int
    seconds: float
    changed_at: str

    @property
    def points(self) -> int:
        """How many points there are in all."""
        return self.waiting + self.done + self.failed

    @property
    def finished(self) -> int:
        """How many points are over, failed ones included."""
        return self.done + self.failed

    @property
    def share(self) -> float:
        """Which share of the points is over, in [0, 1]."""
        return self.finished / self.points if self.points else 0.0

    @property
    def seconds_each(self) -> float | None:
        """How long a point takes at the pace so far, failed ones included; None before one took any time."""
        return self.seconds / self.finished if self.finished and self.seconds else None

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes at that pace, None before a point took any time."""
        return None if self.seconds_each is None else self.seconds_each * self.waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """What a column of numbers is called, its unit and its range, in words."""

    address: str
    title: str
    unit: str = ""
    range: str = ""
