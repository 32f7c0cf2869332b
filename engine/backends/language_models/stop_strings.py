"""Where a text stops for a stop string, and what is left of its tokens there; the same for every kind of model."""

from collections.abc import Sequence
from dataclasses import replace

from engine.core.records import Token


def first_stop(text: str, stop: Sequence[str]) -> int | None:
    """Return where the earliest stop string begins, None where there is none.

    A stop string that stands before any other character does not count, so an answer may begin with a line break.

    >>> first_stop("\\nParis\\nQuestion:", ("\\n",))
    6
    """
    lead = len(text) - len(text.lstrip())
    places = [place for place in (text.find(string, lead) for string in stop) if place >= 0]
    return min(places, default=None)


def cut_at(tokens: Sequence[Token], text: str, cut: int) -> tuple[str, tuple[Token, ...], Token]:
    """Return text and tokens before the cut, and the token in which the stop string begins."""
    kept = [token for token in tokens if token.end <= cut]
    crossing = tokens[len(kept)]
    if crossing.start < cut:
        kept.append(replace(crossing, text=text[crossing.start : cut], end=cut))
    return text[:cut], tuple(kept), replace(crossing, text="", start=cut, end=cut)
