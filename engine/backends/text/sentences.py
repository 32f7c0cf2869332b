"""Where sentences begin: the dependency parser proposes, punctuation and line breaks decide.

The parser knows that "St. Louis" and "U.S." end no sentence, but on fragments it also cuts in mid-phrase. So its
boundary counts only after a mark that can end a sentence or after a line break, and never before a lower-case word
("…" first appeared) or right after a list number ("1. Water"). A blank line always separates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from engine.backends.text.base import TextSpan
from engine.backends.text.parser import Doc

_END = re.compile(r"[.!?…。！？؟۔:;][\"'”’»)\]]*\s*$")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_ONLY_NUMBER = re.compile(r"^\W*\w{1,3}[.)]\s*$")


def sentence_spans(doc: Doc) -> tuple[TextSpan, ...]:
    """Return the sentences of a parsed text in order, without surrounding space; they cover every other character."""
    whole = doc.text  # spaCy joins the tokens anew at every look
    starts = [0, *_starts(doc, whole), len(whole)]
    spans = []
    for start, end in pairwise(starts):
        piece = whole[start:end]
        text = piece.strip()
        if text:
            offset = start + len(piece) - len(piece.lstrip())
            spans.append(TextSpan(text=text, start=offset, end=offset + len(text)))
    return tuple(spans)


def _starts(doc: Doc, text: str) -> Iterator[int]:
    """Yield the characters at which a new sentence begins, the first one left out."""
    proposed = {token.idx for token in doc if token.i > 0 and token.is_sent_start}
    forced = {match.end() for match in _BLANK_LINE.finditer(text)}
    last = 0
    for place in sorted(proposed | forced):
        before, after = text[last:place], text[place : place + 1]
        if place in forced or _may_break(before, after):
            yield place
            last = place


def _may_break(before: str, after: str) -> bool:
    """Return whether a sentence may end between the two: after a closing mark or a line break, not before a letter."""
    if before.rstrip(" \t").endswith("\n"):
        return True
    return bool(_END.search(before)) and not after.islower() and not _ONLY_NUMBER.match(before)
