"""What people label, and their labels.

Besides the timing of retrievals (ETC, sections 6.3 to 6.5), people label passages like DENSE, pairs of answers like the
judge, and correctness, so that methods can be scored against people. A suggestion is computed when it is shown and is
never a label.
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
MOST_NOTE, MOST_NAME, MOST_GUIDELINES, MOST_ID = 4000, 60, 20_000, 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One token of the labelled text, at its characters [start, end)."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A retrieval in the text, after ``token`` tokens (and ``character`` characters).

    ``here``: it is the one that the item is about.
    """

    policy: str
    token: int
    character: int
    query: str
    here: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPassage:
    """A passage as people see it."""

    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownBeliefStep:
    """A belief step: SePer in [0, 1] after ``retrieval`` retrievals.

    ``gain`` in [-1, 1] and its interval are None on the first step, and if they were not measured.
    """

    retrieval: int
    soft: float
    gain: float | None
    gain_low: float | None
    gain_high: float | None
    worth: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemView:
    """Everything that people see of an item, so that it can be labelled without its run.

    ``text`` is the answer, passage or first answer of a pair; ``tokens`` are its tokens (() if none can be marked), and
    ``marks`` the retrievals in it. ``other`` is the second answer of a pair, the answer a passage is judged for, or the
    reason why a retrieval found nothing. ``found`` is what this retrieval found, ``evidence`` what was retrieved for
    the question itself, ``without`` the answer without retrieval, ``after`` the policy's own answer with all
    retrievals. ``stairs`` are the belief steps of the policy's run, () if they were not measured.
    """

    question: str
    golds: tuple[str, ...]
    text: str
    tokens: tuple[Piece, ...] = ()
    marks: tuple[Mark, ...] = ()
    other: str = ""
    without: str = ""
    after: str = ""
    found: tuple[ShownPassage, ...] = ()
    evidence: tuple[ShownPassage, ...] = ()
    stairs: tuple[ShownBeliefStep, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing to label. ``id`` follows from project, run hash, kind, source, policy and place.

    ``policy`` is the retrieval policy, "" without one. ``source``: "run" (the policy's own answer), "trace" (the answer
    from memory that all policies judge) or "answer" (the diagnosis's own answers). ``place`` numbers the item among
    these, from 0. ``token`` is the place of the retrieval, None if the kind has none. ``run_hash`` is the SHA-256 of
    the run's record, ``run_id`` its name in the run store. ``number`` is the item's position in the project.
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
    """What a method says about a field, computed from the run when it is shown; never stored as a label.

    ``method`` is the word of the method or policy.
    """

    field: str
    value: Value
    method: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A labelling project. ``overlap`` is the number of people per item; ``blind`` hides suggestions.

    ``version`` counts the versions of the guidelines, from 1.
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
    """One person's label of one item. ``action`` is the id of its last action, "" without one.

    ``version`` counts its changes, from 0. ``guidelines`` is the version of the guidelines at its last change, 0 before
    any. ``seconds`` is the total time spent.
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
        """Return the label's value of a field, None without one.

        >>> Label(item="a", annotator="Ada", values=(("timing", "delayed"), ("first_wrong", 3))).value("first_wrong")
        3
        """
        return dict(self.values).get(field)


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One key press of one person, with an id from the browser, so that sending it twice counts once.

    ``base`` is the action behind the label that the person saw ("" = untouched), so actions that follow a conflict are
    conflicts too. "set" has the whole label after the key: ``values``, ``state``, ``note``. "undo" reverts the action
    ``of``, "redo" repeats it; both take the label from the history. ``seconds`` is the total time on the item so far.
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
    """The result of an action, and the current label (None: unknown item).

    "kept"; "repeated": it was already stored; "conflict": the label was changed elsewhere; "refused": it does not fit
    the item. The last two change nothing, and ``sentence`` says why.
    """

    action: str
    status: ReceiptStatus
    sentence: str
    label: Label | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of the history: what an action did to a label. ``number`` counts all events.

    ``of`` is the action that an undo or redo is about. ``undone``: an undo reverted it, and no redo repeated it.
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
    """The decision for an item: by whom ("": nobody, or withdrawn), why, and its version (0: none yet)."""

    item: str
    by: str
    values: Values
    reason: str
    version: int
    at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One person's progress in a project: items by state, and time spent in seconds.

    ``open`` counts the items they can still get: untouched or draft, and not yet labelled by enough people.
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
    """Which items are wanted; a field at its default accepts all.

    ``states`` are the states of ``annotator``'s label ("untouched" without one) and need an annotator. ``search`` looks
    in question and text, ignoring case. ``disagreed``: two submitted labels differ. ``adjudicated``: True for
    adjudicated items only, False for the others.
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
    """Somebody else adjudicated the item meanwhile; ``newer`` is their decision."""

    def __init__(self, sentence: str, newer: Adjudication) -> None:
        """Keep the sentence and the newer adjudication."""
        super().__init__(sentence)
        self.newer = newer


class ProjectConflict(ConflictError):
    """The guidelines were changed meanwhile; ``newer`` is the current project."""

    def __init__(self, sentence: str, newer: Project) -> None:
        """Keep the sentence and the newer project."""
        super().__init__(sentence)
        self.newer = newer


def refuse_unwritable(text: str, what: str) -> None:
    """Raise InputError if a database cannot store a text: a null character or half a letter.

    >>> refuse_unwritable("fine", "A note")
    """
    try:
        text.encode()
    except UnicodeEncodeError as exc:
        raise InputError(f"{what} has half a letter (it is not valid Unicode). Type or paste it again.") from exc
    if "\0" in text:
        raise InputError(f"{what} has a null character, which cannot be stored. Remove it.")


def refuse_long_note(text: str, what: str) -> None:
    """Raise InputError if a note or a reason is too long, or cannot be stored."""
    if len(text) > MOST_NOTE:
        raise InputError(f"{what} has at most {MOST_NOTE} characters, this one has {len(text)}.")
    refuse_unwritable(text, what)


def undoable(events: Sequence[Event]) -> tuple[Event, ...]:
    """Return what one person can undo, last first, from their history in any order."""
    kept = [event for event in events if event.verb == "set" and not event.undone]
    return tuple(sorted(kept, key=lambda event: -event.number))


def redoable(events: Sequence[Event]) -> tuple[Event, ...]:
    """Return what one person can redo, next first: what was undone after their last new action.

    The time of the undo decides. What a new action made unreachable stays so, even if that action is undone.
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
