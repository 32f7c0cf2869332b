"""What people label and what they say of it.

Beside the timing of retrievals (ETC, section 6.3 to 6.5) stand DENSE's chunk labels, the judge's entailment classes and
the correctness of answers, so that methods can be scored against people. A suggestion is computed when it is shown and
is never a label.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from engine.core.errors import ConflictError, InputError

Kind = Literal["retrieval", "trigger", "answer", "chunk", "edge", "correctness"]
LabelState = Literal["untouched", "draft", "submitted", "discarded"]
Verb = Literal["set", "undo", "redo"]
EventVerb = Literal["set", "undo", "redo", "import"]
ReceiptStatus = Literal["kept", "repeated", "conflict", "refused"]
Source = Literal["run", "trace", "answer"]
Value = str | int
Values = tuple[tuple[str, Value], ...]

KINDS: tuple[Kind, ...] = get_args(Kind)
LABEL_STATES: tuple[LabelState, ...] = get_args(LabelState)
VERBS: tuple[Verb, ...] = get_args(Verb)
MOST_NOTE, MOST_NAME, MOST_GUIDELINES, MOST_ID = 4000, 60, 20_000, 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One token of the text that is labelled, on its characters [start, end)."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A retrieval in the text: ``token`` tokens (and ``character`` characters) stand before it.

    ``here``: it is the one the item asks about.
    """

    policy: str
    token: int
    character: int
    query: str
    here: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A passage as it is shown to a person."""

    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step of the SePer staircase: belief in the right answer after ``retrieval`` retrievals, in [0, 1].

    ``gain`` in [-1, 1] and its interval are None on the first step, and where they were not measured.
    """

    retrieval: int
    soft: float
    gain: float | None
    gain_low: float | None
    gain_high: float | None
    worth: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemView:
    """Everything a person sees of an item, so that it can be labelled after its run is gone.

    ``text`` is the answer, passage or first answer of a pair; ``tokens`` are its tokens ((): it has none to mark) and
    ``marks`` the retrievals in it. ``other`` is the second answer of a pair, the answer a passage is judged for, or why
    a retrieval brought nothing.
    ``found`` is what this retrieval brought, ``evidence`` what was retrieved for the question itself, ``without`` the
    answer without retrieval, ``after`` the policy's own answer with all its retrievals. ``stairs`` is the SePer
    staircase of the policy's run, () where it was not measured.
    """

    question: str
    golds: tuple[str, ...]
    text: str
    tokens: tuple[Piece, ...] = ()
    marks: tuple[Mark, ...] = ()
    other: str = ""
    without: str = ""
    after: str = ""
    found: tuple[Found, ...] = ()
    evidence: tuple[Found, ...] = ()
    stairs: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing to label. ``id`` follows from project, run hash, kind, source, policy and place: the same twice is one.

    ``policy`` is the retrieval policy ("" where none is behind it). ``source``: "run" (the policy's own answer),
    "trace" (all judge the answer from memory) or "answer" (the diagnosis' own answers). ``place`` numbers it within
    these, from 0; ``token`` is where the retrieval happens, None where the kind has none. ``run_hash`` is the SHA-256
    of what the run's record says; ``run_id`` names it in the run store it came from. ``number`` is its position in the
    project.
    """

    id: str
    project: str
    kind: Kind
    run_id: str
    run_hash: str
    source: Source
    policy: str
    place: int
    token: int | None
    view: ItemView
    number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """What a method says of a field, computed from the run when it is shown; never stored as a label.

    ``method`` is the word of the method or policy that says so.
    """

    field: str
    value: Value
    method: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A labelling project. ``overlap`` is how many people label each item; ``blind`` hides suggestions.

    ``version`` counts the wordings of the guidelines, from 1.
    """

    id: str
    name: str
    guidelines: str
    version: int
    overlap: int
    blind: bool
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What one person says of one item. ``action`` is the id of the last action kept on it, "" where there is none.

    ``version`` counts its changes, 0 before any. ``guidelines`` is the version of the guidelines at its last change, 0
    before any. ``seconds`` is the time spent in all.
    """

    item: str
    annotator: str
    values: Values = ()
    state: LabelState = "untouched"
    note: str = ""
    seconds: float = 0.0
    action: str = ""
    version: int = 0
    guidelines: int = 0
    updated_at: str = ""

    def value(self, field: str) -> Value | None:
        """Return what the label says of a field, None where it says nothing.

        >>> Label(item="a", annotator="Ada", values=(("timing", "delayed"), ("first_wrong", 3))).value("first_wrong")
        3
        """
        return dict(self.values).get(field)


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One key press of one person, with an id made where it was pressed: sent twice, it counts once.

    ``base`` is the action that made the label the person saw ("" = untouched), so that what follows a conflict is a
    conflict too. "set" carries the whole label after the key: ``values``, ``state``, ``note``. "undo" takes back the
    action ``of``, "redo" brings it again; the label is the history's, whatever they carry. ``seconds`` is the time
    spent on the item in all, by then.
    """

    id: str
    item: str
    base: str
    verb: Verb = "set"
    of: str = ""
    values: Values = ()
    state: LabelState = "draft"
    note: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of an action, and the label as it now stands (None: there is no such item).

    "kept"; "repeated": it had been kept before; "conflict": the label was changed elsewhere since it was seen;
    "refused": it does not fit the item. The last two changed nothing, and ``sentence`` says why.
    """

    action: str
    status: ReceiptStatus
    sentence: str
    label: Label | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of the history: what an action made of a label. ``number`` counts all events upwards.

    ``of`` is the action that an undo or a redo is about. ``undone``: an undo has taken it back, and no redo has
    brought it again.
    """

    number: int
    action: str
    item: str
    annotator: str
    verb: EventVerb
    of: str
    before: Label
    after: Label
    at: str
    undone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudication:
    """What was settled on where people disagreed: by whom, why, and in which version (0: not settled yet)."""

    item: str
    by: str
    values: Values
    reason: str
    version: int
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far one person is in a project: items by state, and time spent in seconds.

    ``open`` counts what they can still be given: untouched or draft, and not full by the project's overlap.
    """

    annotator: str
    drafts: int
    submitted: int
    discarded: int
    open: int
    items: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which items are wanted; a field left as it is lets all pass.

    ``states`` are the states of ``annotator``'s label ("untouched" where there is none) and need an annotator.
    ``search`` is looked for in question and text, in any case. ``disagreed``: two submitted labels differ.
    ``adjudicated``: True for settled ones only, False for the others.
    """

    kinds: tuple[Kind, ...] = ()
    policies: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    annotator: str = ""
    states: tuple[LabelState, ...] = ()
    search: str = ""
    disagreed: bool = False
    adjudicated: bool | None = None


class AdjudicationConflict(ConflictError):
    """Somebody else settled the item since it was seen; ``newer`` is what they settled on."""

    def __init__(self, sentence: str, newer: Adjudication) -> None:
        """Hold the sentence and the newer adjudication."""
        super().__init__(sentence)
        self.newer = newer


class ProjectConflict(ConflictError):
    """The guidelines were changed since they were seen; ``newer`` is the project as it now stands."""

    def __init__(self, sentence: str, newer: Project) -> None:
        """Hold the sentence and the newer project."""
        super().__init__(sentence)
        self.newer = newer


def refuse_unwritable(text: str, what: str) -> None:
    """Raise InputError where a database could not keep a text: one that holds a null character or half a letter.

    >>> refuse_unwritable("fine", "A note")
    """
    try:
        text.encode()
    except UnicodeEncodeError as exc:
        raise InputError(f"{what} holds half a letter (it is no valid Unicode); type or paste it again.") from exc
    if "\0" in text:
        raise InputError(f"{what} holds a null character, which cannot be kept; take it out.")


def undoable(events: Sequence[Event]) -> tuple[Event, ...]:
    """Return what one person can take back, last first, from their history in any order."""
    kept = [event for event in events if event.verb == "set" and not event.undone]
    return tuple(sorted(kept, key=lambda event: -event.number))


def redoable(events: Sequence[Event]) -> tuple[Event, ...]:
    """Return what one person can bring again, first to come first: what was undone after their last new action.

    When it was undone decides, not when it was done: what a new action has buried stays buried once that is undone too.
    """
    last = max((event.number for event in events if event.verb == "set"), default=0)
    undone_at = {
        (event.item, event.of): event.number
        for event in sorted(events, key=lambda event: event.number)
        if event.verb == "undo" and event.number > last
    }
    gone = [
        event for event in events if event.verb == "set" and event.undone and (event.item, event.action) in undone_at
    ]
    return tuple(sorted(gone, key=lambda event: -undone_at[event.item, event.action]))
