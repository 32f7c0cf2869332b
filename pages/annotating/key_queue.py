"""The sitting in the browser: keys in, the next item at once, and a queue that loses nothing.

Streamlit answers a key a few tenths of a second later and counts fast presses together. So the browser itself shows
the items it was sent ahead, and puts each press, with the item it was meant for, into a numbered message that holds
everything not yet acknowledged. Here a message is read and checked; what comes from a browser may be anything.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from engine.annotations.records import MOST_NOTE, Action, LabelState, Value
from pages.shared.browser_part import browser_part, sent_value

FILES = ("queue.js", "labels.js", "keys.js", "view.js", "sitting.js", "sitting.css")
MOST_ENTRIES = 500
BAD_ENTRY = "This version cannot read this key."


@with_config(ConfigDict(extra="forbid"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One key press as the browser made it. "keys" keeps the person's own key map, which ``note`` holds as JSON.

    ``at`` is the browser's clock in milliseconds and ``turn`` its place among presses; both only order entries there.
    """

    id: str
    project: str
    annotator: str
    item: str
    base: str
    verb: Literal["set", "undo", "redo", "keys"]
    of: str
    values: dict[str, Value]
    state: LabelState
    note: str
    seconds: float
    at: float
    turn: int

    @property
    def action(self) -> Action:
        """The press as the store takes it."""
        if self.verb == "keys":
            raise ValueError("a key map is no action")
        return Action(
            id=self.id,
            item=self.item,
            base=self.base,
            verb=self.verb,
            of=self.of,
            values=tuple(self.values.items()),
            state=self.state,
            note=self.note[:MOST_NOTE],
            seconds=self.seconds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What the browser holds: what waits to be kept, the item on the screen, and what it need not be sent again.

    ``number`` rises with each message (0: there was none yet). ``unreadable`` are the ids of entries that cannot be
    read. ``order`` names the list of items it has, ``have`` the items, ``blind`` whether those are a blind project's.
    """

    number: float = 0
    item: str = ""
    order: str = ""
    have: frozenset[str] = frozenset()
    blind: bool | None = None
    entries: tuple[Entry, ...] = ()
    unreadable: tuple[str, ...] = ()


ENTRY = TypeAdapter(Entry)


def draw_queue(data: Mapping[str, object], key: str) -> None:
    """Draw the sitting with this data; what it sends stands under ``key`` when the page is drawn next."""
    mount = browser_part("sitting", "shared/keyboard.js", *(f"annotating/queue/{name}" for name in FILES))
    mount(key=key, data=dict(data), on_sitting_change=lambda: None)


def message_of(key: str) -> Message:
    """Return what the sitting under this key sent last; an empty message where there is none."""
    sent = sent_value(key, "sitting")
    return parse_message(sent) if isinstance(sent, Mapping) else Message()


def parse_message(sent: Mapping[str, object]) -> Message:
    """Return a message after checking each part of it; an entry that cannot be read is named, never dropped in silence.

    >>> parse_message({"number": 3, "item": "a", "entries": [{"id": "b"}]}).unreadable
    ('b',)
    """
    number, blind = sent.get("number"), sent.get("blind")
    entries: list[Entry] = []
    unreadable: list[str] = []
    for one in as_list(sent.get("entries"))[:MOST_ENTRIES]:
        try:
            entries.append(ENTRY.validate_python(one))
        except ValidationError:
            unreadable.append(str(one.get("id", "")) if isinstance(one, Mapping) else "")
    return Message(
        number=number if isinstance(number, int | float) else 0,
        item=str(sent.get("item") or ""),
        order=str(sent.get("order") or ""),
        have=frozenset(str(one) for one in as_list(sent.get("have"))),
        blind=blind if isinstance(blind, bool) else None,
        entries=tuple(entries),
        unreadable=tuple(unreadable),
    )


def as_list(value: object) -> list[object]:
    """Return a list as it is, and anything else as an empty one."""
    return list(value) if isinstance(value, list | tuple) else []
