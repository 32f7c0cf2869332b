"""Which methods look at the answer: a few, all, or one's own choice. Boxes hold the choice; the names tick them."""

from dataclasses import replace

import streamlit as st

from engine.methods import DEFAULT_METHODS, METHODS
from pages.shared import links, session
from pages.shared.draft import Draft
from pages.shared.sent_values import some_of
from pages.shared.server_form import reach_of
from pages.shared.theme import as_text

METHODS_A_ROW = 3
OWN_CHOICE = "Custom"
METHOD_SETS = {"Quick": DEFAULT_METHODS, "Full": tuple(METHODS)}


def method_set(draft: Draft) -> None:
    """Draw the choice between a few methods, all, and one's own; it ticks the boxes that ``methods_part`` draws."""
    key, ticked = session.form_name("method_set"), set(ticked_methods(draft))
    named = next((name for name, methods in method_sets(draft).items() if set(methods) == ticked), OWN_CHOICE)
    if session.widget_state(key) != OWN_CHOICE:
        session.tell(key, named, draft.question)
    st.segmented_control(
        "Methods",
        [*METHOD_SETS, OWN_CHOICE],
        key=key,
        required=True,
        on_change=tick_methods,
        args=(draft,),
        help="Quick: four methods, three checks. Full: all.",
    )


def method_sets(draft: Draft) -> dict[str, tuple[str, ...]]:
    """Return the methods of each named choice, without those that the form's model cannot serve."""
    beyond = out_of_reach(draft)
    return {name: tuple(word for word in words if word not in beyond) for name, words in METHOD_SETS.items()}


def out_of_reach(draft: Draft) -> dict[str, str]:
    """Return the methods that the form's model cannot serve, each with the reason."""
    return {word: one.why for word, one in reach_of(draft.model).items() if one.level == "impossible"}


def ticked_methods(draft: Draft) -> tuple[str, ...]:
    """Return the methods whose boxes are ticked now, those of the draft where no box was drawn yet."""
    beyond = out_of_reach(draft)
    held = {word: session.widget_state(session.form_name(f"method.{word}")) for word in METHODS}
    ticked = {word: word in draft.methods if on is None else bool(on) for word, on in held.items()}
    return tuple(word for word, on in ticked.items() if on and word not in beyond)


def tick_methods(draft: Draft) -> None:
    """Tick the boxes of the named choice; of one's own they stay as they are."""
    wanted = method_sets(draft).get(str(session.widget_state(session.form_name("method_set"))))
    if wanted is None:
        return
    for word in METHODS:
        session.set_widget(session.form_name(f"method.{word}"), word in wanted)


def methods_part(draft: Draft) -> Draft:
    """Draw the methods one by one, open where the choice is one's own; return the draft with those ticked."""
    beyond = out_of_reach(draft)
    own = session.widget_state(session.form_name("method_set")) == OWN_CHOICE
    picked = []
    with st.expander("Methods one by one", icon=":material/checklist:", expanded=own):
        for first in range(0, len(METHODS), METHODS_A_ROW):
            row = tuple(METHODS)[first : first + METHODS_A_ROW]
            for method, column in zip(row, st.columns(METHODS_A_ROW), strict=False):
                with column, st.container(gap=None):
                    if draw_box(method, draft, beyond) and method not in beyond:
                        picked.append(method)
    if beyond:
        names = ", ".join(links.METHOD_TITLES[method] for method in beyond)
        st.caption(as_text(f"Not available with this model: {names}."))
    if not picked:
        st.caption("No method: only both answers.")
    return replace(draft, methods=some_of(picked, tuple(METHODS)))


def draw_box(method: str, draft: Draft, beyond: dict[str, str]) -> bool:
    """Return whether a method is ticked, after drawing its box and what it asks."""
    key = session.form_key(f"method.{method}", method in draft.methods)
    session.tell(key, bool(session.widget_state(key)), draft.question)
    ticked = st.checkbox(
        links.METHOD_TITLES[method],
        key=key,
        help=as_text(beyond.get(method, "")) or None,
        disabled=method in beyond,
    )
    st.caption(METHODS[method].question)
    return bool(ticked)
