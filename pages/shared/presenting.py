"""Presenter mode: the switch in the sidebar, and the bar that takes the sidebar's place while it is on.

Sizes are ``viz.parts.projector``'s. Pages of a run are turned by the bar's buttons or by N and P; those of methods that
were not measured are left out. Page Up and Page Down scroll, and turn slides only in lessons. Escape leaves the mode.
"""

from collections.abc import Sequence

import streamlit as st

from pages.shared import links, session
from pages.shared.resources import sentences, stored_run

ORDER = ("ask", *links.METHOD_TITLES)
NAMES = {"ask": "All verdicts", **links.METHOD_TITLES}


def draw_switch() -> None:
    """Draw the control that turns presenter mode on."""
    st.button(
        "Present",
        icon=":material/present_to_all:",
        key="present.on",
        help="Escape ends it.",
        on_click=session.set_presenting,
        args=(True,),
    )


def draw_bar(page: str) -> None:
    """Draw, in presenter mode, the ways to the page before and after this one and out of the mode."""
    if not session.is_presenting():
        return
    before, after = adjacent_pages(page, presented_pages(session.current_run()))
    with st.container(horizontal=True, horizontal_alignment="distribute", key="presenter-bar"):
        if before and st.button(NAMES[before], icon=":material/arrow_back:", key="present.back", shortcut="P"):
            links.go_to(before)
        if after and st.button(NAMES[after], icon=":material/arrow_forward:", key="present.next", shortcut="N"):
            links.go_to(after)
        st.button(
            "Leave presenter mode",
            icon=":material/close_fullscreen:",
            key="present.off",
            type="tertiary",
            shortcut="Escape",
            on_click=session.set_presenting,
            args=(False,),
        )


def presented_pages(run_id: str | None) -> tuple[str, ...]:
    """Return the pages a run is presented on: its verdicts, then each method that was measured in it."""
    with sentences():
        run = stored_run(run_id) if run_id else None
        if run is None or run.diagnosis is None:
            return ORDER
        measured = {outcome.method for outcome in run.diagnosis.outcomes if outcome.result is not None}
        return ("ask", *(word for word in links.METHOD_TITLES if word in measured))
    return ORDER


def adjacent_pages(page: str, pages: Sequence[str] = ORDER) -> tuple[str | None, str | None]:
    """Return the pages before and after one among those presented, None at either end or for any other page.

    >>> adjacent_pages("ask")[0] is None, adjacent_pages("seper", ("ask", "dense", "entropy_trend"))
    (True, ('dense', 'entropy_trend'))
    """
    if page not in ORDER:
        return None, None
    place = ORDER.index(page)
    before = [one for one in pages if ORDER.index(one) < place]
    after = [one for one in pages if ORDER.index(one) > place]
    return before[-1] if before else None, after[0] if after else None
