"""The details of a page: what stands below its figure, in tabs, or in a drawer where there is only one section.

What is chosen opens the section it lands in, so a click in a figure shows its thing at once. A section that is open and
shows the new choice stays open.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.elements.lib.mutable_expander_container import ExpanderContainer
from streamlit.elements.lib.mutable_tab_container import TabContainer

from pages.shared import session


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section of the details: what draws it, and what of the choice lands in it, None = nothing.

    ``for_class``: it is shown in presenter mode too, unlike prompts and forms. ``is_form``: it holds what a person
    types, which is lost where it is not drawn.
    """

    label: str
    draw: Callable[[], object]
    chosen: object = None
    for_class: bool = True
    is_form: bool = False


def draw_details(name: str, sections: Sequence[Section | None]) -> None:
    """Draw the sections of a page, without those that are None; at first the first one is open, or a choice's."""
    presented = session.is_presenting()
    held = [section for section in sections if section is not None and (section.for_class or not presented)]
    if len(held) == 1:
        draw_drawer(f"details.{name}.{session.last_drawn_run()}", held[0], presented)
        return
    if not held:
        return
    draw_open_tab(f"details.{name}.{session.last_drawn_run()}", held)


def draw_open_tab(key: str, sections: Sequence[Section]) -> None:
    """Draw sections as tabs, of which the open one and forms are filled: hidden figures and tables would delay a page.

    Opening another tab draws this part alone; a choice that is made in it draws the whole page.
    """
    fill_open_tab(key, sections, session.chosen_texts())


@st.fragment
def fill_open_tab(key: str, sections: Sequence[Section], drawn: dict[str, str]) -> None:
    """Draw the tabs and fill the open one and forms; ``drawn`` is the choice that the whole page was drawn with."""
    if session.chosen_texts() != drawn:
        st.rerun()
    for section, tab in zip(sections, draw_tabs(key, sections), strict=True):
        if tab.open or section.is_form:
            with tab:
                section.draw()


def draw_drawer(key: str, section: Section, presented: bool) -> None:
    """Draw a section in a drawer, open once something in it was chosen; openly for a class, who sees no drawers."""
    opened = section.chosen is not None or bool(session.widget_state(f"{key}.opened"))
    session.set_widget(f"{key}.opened", opened)
    with st.container() if presented else st.expander(section.label, expanded=opened):
        section.draw()


def drawer_of(label: str, key: str, *, icon: str, opened: bool = False) -> ExpanderContainer:
    """Return a drawer that knows whether it is open: what is drawn only then costs a page nothing before.

    ``opened``: it is open at first. Its key holds whether it is.
    """
    return st.expander(label, expanded=opened, key=key, icon=icon, on_change="rerun")


def draw_tabs(key: str, sections: Sequence[Section]) -> Sequence[TabContainer]:
    """Return the tab of each section, after opening the one in which a choice made since they were drawn last lands."""
    now, seen = session.widget_state(key), f"{key}.seen"
    before = session.widget_state(seen) if now is not None else ()
    opened = section_to_open(sections, now, before if isinstance(before, tuple) else ())
    if opened is not None:
        session.set_widget(key, opened)
    session.set_widget(seen, tuple(section.chosen for section in sections))
    # Without a callback the browser alone would know which tab is open, and none could be opened from here.
    return st.tabs([section.label for section in sections], key=key, on_change="rerun")


def section_to_open(sections: Sequence[Section], now: object, before: Sequence[object]) -> str | None:
    """Return the label of the first section in which a new choice lands, None where there is none or it is open now.

    >>> claims, rows = (Section(label=name, draw=print, chosen=3) for name in ("Claims", "Rows"))
    >>> section_to_open((claims, rows), None, ()), section_to_open((claims, rows), "Rows", (2, 2))
    ('Claims', None)
    >>> section_to_open((claims, rows), "Rows", (2, 3)), section_to_open((claims, rows), "Rows", (3, 3))
    ('Claims', None)
    """
    known = before if len(before) == len(sections) else (None,) * len(sections)
    landed = [
        section.label
        for section, last in zip(sections, known, strict=True)
        if section.chosen is not None and section.chosen != last
    ]
    return landed[0] if landed and now not in landed else None
