"""Presenter mode: the switch in the sidebar, and the bar that takes the sidebar's place while it is on.

Sizes are ``viz.projector``'s. A presenter's remote sends Page Up and Page Down, so these turn the pages; on the Lessons
page they turn its steps. Escape leaves the mode.
"""

import streamlit as st

from pages.shared import links, session

ORDER = ("ask", *links.METHOD_TITLES)
NAMES = {"ask": "All verdicts", **links.METHOD_TITLES}
OWN_KEYS = ("lessons",)


def draw_switch() -> None:
    """Draw the control that turns presenter mode on."""
    st.button(
        "Present",
        icon=":material/present_to_all:",
        key="present.on",
        help="Larger type, thicker lines, no sidebar: readable from the last row. Press Escape to leave.",
        on_click=session.set_presenting,
        args=(True,),
    )


def draw_bar(page: str) -> None:
    """Draw, in presenter mode, the ways to the page before and after this one and out of the mode."""
    if not session.is_presenting():
        return
    turning = page in ORDER and page not in OWN_KEYS
    before, after = adjacent_pages(page) if turning else (None, None)
    with st.container(horizontal=True, horizontal_alignment="distribute", key="presenter-bar"):
        if before and st.button(NAMES[before], icon=":material/arrow_back:", key="present.back", shortcut="PageUp"):
            links.go_to(before)
        if after and st.button(NAMES[after], icon=":material/arrow_forward:", key="present.next", shortcut="PageDown"):
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


def adjacent_pages(page: str) -> tuple[str | None, str | None]:
    """Return the pages before and after one in the order they are presented, None at either end.

    >>> adjacent_pages("ask")[0] is None, adjacent_pages("dense_rag")
    (True, ('dense', 'seper'))
    """
    place = ORDER.index(page)
    return ORDER[place - 1] if place else None, ORDER[place + 1] if place + 1 < len(ORDER) else None
