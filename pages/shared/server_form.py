"""The part of the Ask form for a model on a server: its key, a test that shows what it gives, and its models."""

from dataclasses import replace

import streamlit as st

from engine.backends.language_models import (
    card_time,
    drop_key,
    is_server,
    keep_key,
    keeps_key,
    known_card,
    named_model,
    probe_server,
    served_names,
)
from engine.backends.language_models.base import CapabilityCard
from engine.backends.language_models.server_address import KEY_VARIABLE, SERVER_VARIABLE, server_name
from engine.core.allowed import is_restricted
from engine.core.errors import InputError
from engine.methods import reach_of_methods
from engine.methods.reach import Reach
from pages.shared import session
from pages.shared.draft import Draft
from pages.shared.resources import shown_errors
from pages.shared.theme import as_text
from pages.shared.undo import confirmed

SERVED = "microscope.served"


def server_part(draft: Draft) -> Draft:
    """Draw key, test and card where the model is on a server; return the draft with the model that was chosen there."""
    if not is_server(draft.model):
        return draft
    with st.container(border=True, key="server-part"):
        left, right = st.columns([3, 2], vertical_alignment="bottom")
        with left:
            key = key_field(draft.model)
        if right.button("Test the server", icon=":material/network_check:", key="server.test"):
            test_server(draft, key)
        draw_stored_key(draft.model)
        draw_choice(draft)
        card = known_card(draft.model)
        if card is None:
            st.caption("A dozen requests show what can be measured.")
        else:
            draw_card(card, card_time(draft.model))
    return draft


def key_field(model: str) -> str:
    """Draw the field for a server's key and return what stands in it.

    Where others may reach the workbench its owner sets the key: one that a visitor types would be everybody's.
    """
    if is_restricted():
        st.caption("The owner sets the server keys.")
        return ""
    typed = st.text_input(
        "Server key",
        type="password",
        key=session.widget_key(key_place(model), ""),
        help="Kept in memory until the program ends, for everyone using this server. Never stored. "
        f"{KEY_VARIABLE} sets it for the server in {SERVER_VARIABLE}.",
    )
    return str(typed or "")


def key_place(model: str) -> str:
    """Return the name of the key field, one for each server: what was typed for one is not sent to the next."""
    try:
        return f"server.key.{server_name(model).base}"
    except InputError:
        return "server.key"


def draw_stored_key(model: str) -> None:
    """Draw that a typed key is kept, with the way to forget it; an empty field alone forgets none."""
    if not keeps_key(model) or is_restricted():
        return
    left, right = st.columns([3, 2], vertical_alignment="center")
    left.caption("A key is set.")
    # No undo: a key that can be brought back is not forgotten.
    with right:
        said = "It goes for everyone who uses this server. It must be typed again."
        if confirmed("Forget the key", said, "Forget it", key="server.forget", icon="key_off"):
            forget_key(model)
            st.rerun()


def forget_key(model: str) -> None:
    """Forget the key kept for a server, and empty its field."""
    drop_key(model)
    session.reset_widget(key_place(model))


def test_server(draft: Draft, key: str) -> None:
    """Probe the server and put the full name of its model into the form; say what failed where it did."""
    with shown_errors():
        keep_key(draft.model, key)
        with st.spinner("Testing the server"):
            names = served_names(draft.model)
            session.set_widget(SERVED, tuple(names))
            named = draft.model.partition("#")[2] or (names[0] if len(names) == 1 else "")
            if named:
                probe_server(named_model(draft.model, named))
                use_model(draft, named_model(draft.model, named))


def draw_choice(draft: Draft) -> None:
    """Draw the models that the tested server lists, where there are several."""
    names = session.widget_state(SERVED)
    if not isinstance(names, tuple) or len(names) < 2:
        return
    named = draft.model.partition("#")[2]
    picked = st.selectbox(
        "Model on this server",
        names,
        index=names.index(named) if named in names else None,
        placeholder="Choose a model",
        key=f"server.model.{named}",
    )
    if picked is not None and picked != named:
        with shown_errors():
            with st.spinner("Testing the model"):
                probe_server(named_model(draft.model, picked))
            use_model(draft, named_model(draft.model, picked))


def use_model(draft: Draft, model: str) -> None:
    """Put a model's full name into the form and draw it anew, so that the methods above follow what it gives."""
    session.fill_form(replace(draft, model=model))
    st.rerun()


def draw_card(card: CapabilityCard, at: str) -> None:
    """Draw what the server gave and when: the finding, what each method can say, what was tried."""
    # pandas takes half a second, for which the form need not wait without a card.
    from pages.shared.plain_table import draw_table
    from viz.workspace.capabilities import card_sentence, card_table, reach_table, tested_sentence

    st.markdown(as_text(f"{card_sentence(card)} {tested_sentence(at)}"))
    draw_table(reach_table(card).set_index("method"))
    with st.expander("Tests"):
        draw_table(card_table(card).set_index("what was tried"))
    st.caption("For a larger model choose Paper under Prompts and sizes.")


def reach_of(model: str) -> dict[str, Reach]:
    """Return how far each method goes with a tested server's model, by method; empty for any other model."""
    card = known_card(model)
    return {} if card is None else {one.method: one for one in reach_of_methods(card.capabilities)}
