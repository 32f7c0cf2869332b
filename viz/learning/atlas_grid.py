"""Who notices what as a grid in HTML: it wraps its names and scrolls sideways, where a figure would cut them."""

from collections.abc import Sequence

from engine.learning.atlas.kinds import KINDS
from engine.learning.atlas.shelf import Specimen, clue_of, detection_board, methods_with_clues
from engine.methods import METHODS
from viz.learning.atlas import STATES, matrix_title, noticed_shares, state_of, unnoticed
from viz.parts.html import render

KEY: dict[str, str] = {"not measured": "not measured or unclear"}


def grid_html(specimens: Sequence[Specimen]) -> str:
    """Return kinds by methods as an escaped table: a sign, a colour and a word in every cell, its rule on hover.

    The first row counts what each method noticed, of the failures that it has an eye for.
    """
    methods = methods_with_clues()
    rows, unseen = [], unnoticed(specimens)
    for word, found in detection_board(specimens).items():
        kind, cells = KINDS[word], []
        for method in methods:
            state, clue = state_of(found.get(method)), clue_of(KINDS[word], method)
            sign, _, tone = STATES[state]
            rule = f": {clue.words}" if clue is not None else ""
            cells.append(
                {"sign": sign, "tone": tone, "state": state, "hover": f"{METHODS[method].title}, {state}{rule}"}
            )
        rows.append({"title": kind.title, "cells": cells, "unseen": word in unseen})
    key = [(STATES[state][0], STATES[state][2], KEY.get(state, state)) for state in STATES]
    heads, shares = [METHODS[method].title for method in methods], noticed_shares(specimens)
    totals = [shares.get(method, "–") for method in methods]
    title = matrix_title(specimens)
    return render("atlas_grid.html.j2", title=title, heads=heads, totals=totals, rows=rows, key=key)
