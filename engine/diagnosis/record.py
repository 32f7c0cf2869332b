"""What a run found: the record that every page is drawn from, with no model loaded."""

from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from engine.core import showing
from engine.core.json_text import record_to_json
from engine.core.provenance import Provenance
from engine.core.records import SCHEMA_VERSION, Generation, Hit, JudgedAnswer
from engine.core.words import shorten
from engine.diagnosis.traces.reading import ImportedAnswer
from engine.methods import METHODS

if TYPE_CHECKING:
    import pandas as pd

    class MethodResult(Protocol):
        """What every method's result has."""

        @property
        def method(self) -> str:
            """The word of the method that made it."""
            ...

        @property
        def not_measured(self) -> str:
            """Why nothing was measured, "" where something was."""
            ...
else:
    # pydantic reads a stored result with the record types of the methods there are.
    MethodResult = reduce(or_, (method.result for method in METHODS.values()))


Result = TypeVar("Result")
Status = Literal["waiting", "done", "failed", "not measured"]


FINISHED: tuple[Status, ...] = ("done", "not measured")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Outcome:
    """What became of one method: "not measured" may still hold a result with what was seen; "failed" never does."""

    method: str
    status: Status
    reason: str = ""
    seconds: float = 0.0
    result: MethodResult | None = None

    def __repr__(self) -> str:
        """Return the outcome in a few words: a result may hold a million characters."""
        return f"Outcome({self.method}: {self.status}{f', {shorten(self.reason, 80)}' if self.reason else ''})"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Diagnosis:
    """Everything seen for one question. A stored one redraws every page with no model loaded.

    ``answer`` is the greedy answer over the passages; ``closed_book`` the greedy answer without them. ``parent`` is the
    run this one was made from, "" for a first one. ``imported`` is another pipeline's answer to the same question, kept
    apart from all that this program's models wrote; None where there is none. ``judged`` are those of these answers
    and of SUGAR's and DENSE-RAG's whose words are no correct one's, as the judge read them; () where it read none.
    """

    schema_version: int = SCHEMA_VERSION
    question: str
    golds: tuple[str, ...]
    hits: tuple[Hit, ...]
    answer: Generation
    closed_book: Generation
    outcomes: tuple[Outcome, ...]
    provenance: Provenance
    seconds: float
    parent: str = ""
    imported: ImportedAnswer | None = None
    judged: tuple[JudgedAnswer, ...] = ()

    def outcome(self, method: str) -> Outcome | None:
        """Return what became of a method, None where it was not asked for."""
        return next((outcome for outcome in self.outcomes if outcome.method == method), None)

    def result(self, kind: type[Result], measured: bool = True) -> Result | None:
        """Return the result of this type, None without one; ``measured`` False also takes one of a method not done."""
        found = (o.result for o in self.outcomes if isinstance(o.result, kind) and (o.status == "done" or not measured))
        return next(found, None)

    def result_of(self, method: str) -> MethodResult | None:
        """Return a method's result, None where it has none or was not asked for."""
        outcome = self.outcome(method)
        return None if outcome is None else outcome.result

    def to_json(self) -> str:
        """Return the record as JSON text that ``engine.diagnosis.serialize.from_json`` reads back unchanged."""
        return record_to_json(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return every number of the record as a table, a row each, with unit, address and whether it follows again.

        Raises InputError where what makes the table was not imported: ``import retrieval_microscope``.
        """
        return showing.shown("numbers", self)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        """Return the run in a line: its record may hold a million characters."""
        found = ", ".join(f"{outcome.method} {outcome.status}" for outcome in self.outcomes)
        asked, said = shorten(self.question, 60), shorten(self.answer.text.strip(), 60)
        return f"Diagnosis({asked!r} → {said!r}; {found or 'answer only'})"

    def _repr_html_(self) -> str | None:
        """Return how a notebook shows the run, None where ``retrieval_microscope`` was not imported."""
        return showing.shown("html", self) if showing.knows("html") else None

    def _ipython_display_(self) -> None:
        """Show the run in a notebook: verdicts, then figures. Raises NotImplementedError for the plain form."""
        if not showing.knows("display"):
            raise NotImplementedError
        showing.shown("display", self)
