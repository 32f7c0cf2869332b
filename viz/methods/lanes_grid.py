"""Which policy looks where as a grid in HTML: it scrolls sideways and wraps, where a figure would shrink its letters.

The same marks as ``viz.methods.swim_lanes``: ◆ the lookup that happens, ◇ a later trigger that is not reached, · a
check that did not fire. A mark is a button that carries its lane's number and its signal's.
"""

from collections.abc import Mapping
from typing import TypedDict

from engine.core.words import shorten
from engine.methods.timing.base import PolicyTrace
from engine.methods.timing.method import TimingResult
from viz.methods.swim_lanes import lane_words, trace_title, triggers_at
from viz.methods.timing import policy_title, signal_sentence, trace_sentence
from viz.parts.grid_picture import GridPicture, PictureCell, grid_svg
from viz.parts.html import render
from viz.parts.theme import Theme
from viz.parts.token_strip import visible

FIRST, LATER, QUIET = ("first", "◆"), ("later", "◇"), ("quiet", "·")
KEY = ((*FIRST, "first lookup"), (*LATER, "later trigger, not reached"), (*QUIET, "checked, did not fire"))
TOKEN_LETTERS, TOKEN_PIXELS = 12, 28
Cell = Mapping[str, object]


class Row(TypedDict):
    """What stands in a policy's row: its word and name, its end in words, a mark or None for each token."""

    policy: str
    title: str
    end: str
    moved: bool
    cells: list[Cell | None]
    why: str


def lanes_html(
    result: TimingResult,
    name: str,
    policy: str = "",
    threshold: float | None = None,
    chosen: tuple[int | None, str] = (None, ""),
    title: str = "",
) -> str:
    """Return a row per policy over the tokens of the answer from memory, as an escaped table named ``name``.

    ``policy`` may be drawn at another ``threshold``. ``chosen`` is a token, whose column is outlined, and the policy of
    a chosen trigger, whose row is; None and "" outline none. A sentence where nothing was measured. ``title`` stands in
    place of the finding, "" leaves it.
    """
    if result.not_measured or not result.lanes:
        return render("lanes_grid.html.j2", title=trace_title(result), said=trace_sentence(result))
    token, fired = chosen
    heads, rows = _heads_and_rows(result, policy, threshold)
    return render(
        "lanes_grid.html.j2",
        title=title or trace_title(result), said="", grid=name, heads=heads, rows=rows, key=KEY, token=token,
        policy=fired,
    )  # fmt: skip


def lanes_svg(result: TimingResult, theme: Theme, policy: str = "", threshold: float | None = None) -> str:
    """Return the same grid as a picture; "" where nothing was measured."""
    if result.not_measured or not result.lanes:
        return ""
    heads, rows = _heads_and_rows(result, policy, threshold)
    signs = {kind: PictureCell(text=sign, colour=_sign_colour(kind, theme)) for kind, sign, _ in KEY}
    return grid_svg(
        GridPicture(
            title=trace_title(result),
            names=[str(row["title"]) for row in rows],
            besides=[str(row["end"]) for row in rows],
            heads=[head["text"] for head in heads],
            cells=[[signs[str(mark["kind"])] if mark else PictureCell() for mark in row["cells"]] for row in rows],
            column=TOKEN_PIXELS,
            key=[(signs[kind], words) for kind, _, words in KEY],
            upright=True,
        ),
        theme,
    )


def _sign_colour(kind: str, theme: Theme) -> str:
    """Return the colour of a mark, as the style of the grid has it."""
    return theme.muted if kind == QUIET[0] else theme.middle


def _heads_and_rows(
    result: TimingResult, policy: str, threshold: float | None
) -> tuple[list[dict[str, str]], list[Row]]:
    """Return the tokens over the columns, and a row per policy."""
    columns = max(len(result.generation.tokens), *(_reach(lane) for lane in result.lanes))
    tokens = [one.text for one in result.generation.tokens]
    texts = tokens + [""] * (columns - len(tokens))
    heads = [{"text": _head(text), "hover": f"token {place + 1}: {visible(text)}"} for place, text in enumerate(texts)]
    return heads, [_row(lane, number, columns, policy, threshold) for number, lane in enumerate(result.lanes)]


def _head(text: str) -> str:
    """Return a token as it stands over its column, a space that is a token of its own included."""
    return visible(shorten(text, TOKEN_LETTERS) or text[:TOKEN_LETTERS])


def _reach(lane: PolicyTrace) -> int:
    """Return how many tokens a lane needs: one more than its last signal's."""
    return max((signal.token + 1 for signal in lane.signals), default=0)


def _row(lane: PolicyTrace, number: int, columns: int, policy: str, threshold: float | None) -> Row:
    """Return a policy's row: its name, its end in words, and a mark or None for each token."""
    triggers, moved = triggers_at(lane, policy, threshold)
    marks: list[Cell | None] = [None] * columns
    # Where one token has several signals, what fires there is drawn, the first before a later one.
    for place in sorted(range(len(lane.signals)), key=lambda one: (one in triggers, -one)):
        kind, sign = FIRST if triggers[:1] == (place,) else LATER if place in triggers else QUIET
        signal = lane.signals[place]
        hover = signal_sentence(lane, place, triggers, threshold if moved else None)
        marks[signal.token] = {"kind": kind, "sign": sign, "hover": hover, "pick": f"{number}.{place}"}
    words = lane_words(lane, moved)
    return {
        "policy": lane.policy, "title": policy_title(lane.policy), "end": words, "moved": moved, "cells": marks,
        "why": lane.not_measured,
    }  # fmt: skip
