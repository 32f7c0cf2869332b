"""Figures and tables that choose: a click or a row selects its thing on the whole page, and shows what is chosen.

A table is the keyboard's way to what its figure shows. Selecting its chosen row once more chooses nothing again; a
click in a figure only ever chooses. Inside a fragment the whole page is drawn anew, since the choice shows everywhere.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Unpack

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from engine.core.records import Generation
from engine.diagnosis.record import Diagnosis
from pages.shared import selection, session
from pages.shared.clicks import clicked_numbers
from pages.shared.figures import draw_figure
from pages.shared.grid_view import draw_grid
from pages.shared.rows import LIST_HEIGHT, Rows, TableOptions, draw_page
from pages.shared.theme import as_text, current_theme
from viz.parts.token_strip import TOKEN_COLUMNS, tokens_table
from viz.runs import prompts

CHOSEN_WORDS = {
    "chunk": "passage",
    "answer": "answer at",
    "token": "token",
    "meaning": "meaning",
    "trigger": "trigger",
    "claim": "claim",
}
HINT = "Click a mark or a row to follow it through the pages of this run."
DRAWN = "linked.drawn"
Pick = Callable[[tuple[int, ...]], selection.Selection | None]


def draw_hint() -> None:
    """Draw how a thing is chosen."""
    st.caption(HINT)


def draw_chosen(diagnosis: Diagnosis, *, hint: bool = True) -> selection.Chosen:
    """Return what is chosen in this run after drawing it as chips, each of which chooses it no more.

    ``hint``: where nothing is chosen, say how; nothing is drawn without. The chips have one place on the page, drawn or
    not, so what stands below them keeps its state: a tab stays open while a thing is chosen in it.
    """
    found = selection.chosen_in(diagnosis)
    session.set_widget(DRAWN, selection.current_selection())
    with st.container():
        draw_chips(selection.names_of(found), hint=hint)
    return found


def draw_chips(named: Mapping[str, str], *, hint: bool) -> None:
    """Draw what is chosen, by kind, as chips, and what the address chooses but the run does not have."""
    for kind, text in session.chosen_texts().items():
        if kind not in named:
            st.warning(as_text(f"This run has no {CHOSEN_WORDS[kind]} “{text[:60]}”."))
    if not named and not hint:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="chosen"):
        if not named:
            draw_hint()
        for kind, words in named.items():
            st.button(
                f"{as_text(words)} selected :material/close:",
                key=f"chosen.{kind}",
                on_click=selection.clear_selection,
                args=(kind,),
                help="Clear selection",
            )
        if len(named) > 1:
            st.button("Clear all", key="chosen.all", type="tertiary", on_click=selection.clear_selection)


def follow_in_fragment() -> None:
    """Draw the whole page anew where a choice was made inside a fragment, which alone would be redrawn."""
    if session.widget_state(DRAWN) != selection.current_selection():
        st.rerun()


def linked_grid(html: str, pick: Pick, *, name: str) -> None:
    """Draw the grid of this ``name`` in ``html``, whose marks select; ``pick`` says what a mark's numbers stand for."""
    draw_grid(html, lambda numbers: add_picked(pick(numbers)), name=name)


def add_picked(picked: selection.Selection | None) -> None:
    """Choose a mark's thing; None is no thing."""
    if picked is not None:
        selection.add_to_selection(picked)


def linked_rows(
    data: Rows,
    picks: Sequence[selection.Selection | None],
    row: int | None,
    *,
    key: str,
    opened: int | None = None,
    picked: str = "",
    **options: Unpack[TableOptions],
) -> None:
    """Draw a table whose rows choose: ``picks`` says what each row chooses, ``row`` is the chosen one, None = none.

    ``opened``: the row whose details stand below without a choice; it is marked as well. ``picked`` is the key that
    keeps the row that was picked last, where several rows choose the same thing.
    """
    marked = opened if row is None else row

    def follow(number: int) -> None:
        """Keep which row it was, and choose what it stands for."""
        if picked:
            session.set_widget(picked, number)
        follow_row(number, picks, row)

    draw_page(
        pd.DataFrame(data),
        [one is not None for one in picks],
        () if marked is None else (marked,),
        lambda numbers: follow(numbers[0]),
        key=key,
        options=options,
    )


def follow_row(picked: int, picks: Sequence[selection.Selection | None], row: int | None) -> None:
    """Choose what the picked row stands for; if it is ``row``, which is chosen already, choose it no more."""
    found = picks[picked] if picked < len(picks) else None
    if found is None:
        return
    if picked != row:
        selection.add_to_selection(found)
        return
    left = selection.current_selection()
    for kind in selection.selection_parameters(found):
        left = selection.remove_choice(left, kind)
    selection.save_selection(left)


def linked_figure(
    figure: go.Figure,
    pick: Callable[[tuple[int, ...]], selection.Selection | None],
    *,
    key: str,
    name: str,
    alt: str,
    told: bool = False,
) -> None:
    """Draw a figure whose points choose: ``pick`` says what the numbers stand for that a clicked point carries.

    ``name`` is that of the picture it saves. The chosen thing is drawn by the figure itself. ``told``: the page says
    its finding already.
    """
    draw_figure(figure, key=key, name=name, alt=alt, on_click=lambda: follow_click(key, pick), told=told)


def follow_click(key: str, pick: Callable[[tuple[int, ...]], selection.Selection | None]) -> None:
    """Choose what was clicked; a click that unselects in the figure leaves the choice as it is."""
    numbers = clicked_numbers(key)
    picked = pick(numbers) if numbers else None
    if picked is not None:
        selection.add_to_selection(picked)


def token_rows(generation: Generation, where: str, chosen: selection.Chosen, *, key: str, alt: str) -> None:
    """Draw an answer's tokens as a table whose rows choose them; ``where`` names the answer in the run."""
    linked_rows(
        tokens_table(generation.tokens),
        [selection.Selection(answer=where, token=place) for place in range(len(generation.tokens))],
        chosen.token_of(generation),
        key=key,
        columns=TOKEN_COLUMNS,
        alt=alt,
        height=LIST_HEIGHT,
    )


def tokens_with_choice(generation: Generation, label: str, chosen: selection.Chosen, *, legend: bool = True) -> None:
    """Draw an answer token by token, framed where it is the chosen one, its chosen token outlined."""
    token, framed = chosen.token_of(generation), chosen.is_answer(generation)
    st.html(prompts.tokens_html(generation, current_theme(), label, token=token, framed=framed, legend=legend))
