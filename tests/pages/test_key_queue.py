"""What a browser sends of a sitting: checked part by part, nothing dropped in silence."""

import pytest

from engine.annotations.records import MOST_NOTE
from pages.annotating.key_queue import parse_message

ENTRY = {
    "id": "a",
    "project": "p",
    "annotator": "Ada",
    "item": "i",
    "base": "",
    "verb": "set",
    "of": "",
    "values": {"timing": "delayed", "first_wrong": 3},
    "state": "draft",
    "note": "",
    "seconds": 1.0,
    "at": 5.0,
    "turn": 1,
}


def test_a_press_becomes_an_action_with_the_whole_label() -> None:
    (entry,) = parse_message({"number": 7, "entries": [ENTRY]}).entries
    assert entry.action.values == (("timing", "delayed"), ("first_wrong", 3))
    assert (entry.action.base, entry.action.state) == ("", "draft")


@pytest.mark.parametrize(
    "change",
    [
        {"verb": "drop"},
        {"state": "lost"},
        {"values": [1]},
        {"extra": 1},
        {"seconds": "soon"},
        {"item": None},
    ],
)
def test_an_entry_that_is_none_is_named_as_unreadable(change: dict[str, object]) -> None:
    message = parse_message({"number": 1, "entries": [ENTRY | change, ENTRY | {"id": "b"}]})
    assert message.unreadable == ("a",)
    assert [entry.id for entry in message.entries] == ["b"]


def test_anything_else_than_a_message_is_an_empty_one() -> None:
    assert parse_message({}).number == 0
    assert parse_message({"number": "x", "entries": 3, "have": "abc", "item": None}).entries == ()


def test_a_note_is_kept_as_long_as_the_store_takes_it() -> None:
    (entry,) = parse_message({"entries": [ENTRY | {"note": "x" * (MOST_NOTE + 5)}]}).entries
    assert len(entry.action.note) == MOST_NOTE
