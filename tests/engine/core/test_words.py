"""Untrusted text in a line: what would turn it round or hides in it gets a sign, what languages need stays."""

import pytest

from engine.core.words import ISOLATE, POP, quoted, reveal
from engine.learning.content import escape_markdown
from viz.parts.html import revealed
from viz.parts.theme import plain

TURNED = "pay \u202e001"


@pytest.mark.parametrize(
    "text",
    ["👩\u200d🚀 walked", "می\u200cخواهم", "שלום", "naïve e\u0301", "a\tb\nc", f"{ISOLATE}שלום{POP}"],
)
def test_what_writing_needs_stays_as_it_is(text: str) -> None:
    assert reveal(text) == text


@pytest.mark.parametrize(
    "sign", ["\u202a", "\u202e", "\u2066", "\u2067", "\u200b", "\ufeff", "\U000e0041", "\x07", "\x9b"]
)
def test_what_turns_text_round_or_hides_in_it_gets_a_sign(sign: str) -> None:
    assert reveal(f"a{sign}b") == f"a⟦U+{ord(sign):04X}⟧b"
    assert reveal(f"a{40 * sign}b") == "a⟦40 hidden characters⟧b"


def test_every_way_onto_a_page_shows_the_sign() -> None:
    assert "U+202E" in plain(TURNED) and "U+202E" in escape_markdown(TURNED).replace("\\", "")
    assert "U+202E" in str(revealed(TURNED)) and revealed(3) == 3


def test_a_text_cannot_end_the_isolate_it_is_quoted_in() -> None:
    assert quoted(f"שלום{POP} x") == f"“{ISOLATE}שלום x{POP}”"
