"""One model on the Models page: its summary, its card, its test, and what can be changed of it."""

from dataclasses import replace
from functools import partial
from hashlib import sha256

import streamlit as st

from engine.backends import added_models
from engine.backends.added_models import Changes, ModelEntry
from engine.backends.hub_cache import cached_folder
from engine.backends.language_models import card_time, known_card
from engine.backends.language_models.base import CapabilityCard
from engine.core.errors import ModelError
from engine.core.words import reveal
from engine.runs.jobs.pace import stored_pace
from engine.runs.models import listing, trial
from engine.runs.models.card import ModelCard, card_of, check_template
from engine.runs.models.listing import UsableModel
from pages.shared import links, session
from pages.shared.plain_table import draw_table
from pages.shared.resources import desk, shown_errors
from pages.shared.theme import as_text
from pages.shared.undo import draw_left_undo, leave_undo
from viz.workspace import capabilities, models

BUSY = "A run is at work. Test afterwards."
NAMELESS = "Enter a folder, a .gguf file, a hub name or a server."
UNTESTED = "Test it first. Only then is known what it gives."
GONE = "Its files are not there any more."


def place_of(model: UsableModel) -> str:
    """Return what names a model's widgets: the same on every drawing, and no part of its path."""
    return sha256(model.source.encode()).hexdigest()[:10]


def add_source(source: str) -> ModelEntry:
    """Return the entry of a source that was put on the list. Raises a MicroscopeError that says why it cannot be."""
    if not source.strip():
        raise ModelError(NAMELESS)
    checked = listing.check_source(source)
    if listing.kind_of(checked) == "hub" and cached_folder(checked) is None:
        raise ModelError(
            f"{checked[:100]!r} is not in the local hub cache. Fetch it: microscope models add {checked[:100]}"
        )
    return added_models.add(checked)


def draw_summary(model: UsableModel) -> None:
    """Draw what a model is, and how many methods are exact with it."""
    served, card = served_card(model), local_card(model)
    st.caption(as_text(models.size_sentence(card, model.kind, listing.disk_bytes(model))))
    if card is not None:
        st.markdown(as_text(models.card_sentence(card)))
    elif served is not None:
        said = f"{capabilities.card_sentence(served)} {capabilities.tested_sentence(card_time(model.source))}"
        st.markdown(as_text(said))
    elif model.kind == "server":
        st.caption("Not tested yet.")
    elif model.kind == "gguf":
        st.caption("The first test converts it: that takes a while.")
    if model.entry is not None and model.entry.trial is not None:
        st.markdown(as_text(models.trial_sentence(model.entry.trial)))
    if model.entry is not None and model.entry.changes.words:
        st.caption(as_text(model.entry.changes.words))


def local_card(model: UsableModel) -> ModelCard | None:
    """Return the card of a model whose files are on this machine, None for any other."""
    return None if model.kind in ("server", "missing") else card_of(model.source)


def served_card(model: UsableModel) -> CapabilityCard | None:
    """Return what a server gave when it was tested last in this program, None where it was not."""
    return known_card(model.source) if model.kind == "server" else None


def draw_details_switch(model: UsableModel) -> None:
    """Draw the switch that opens all that is known of a model."""
    st.toggle("Details", key=f"details.{place_of(model)}")


def wants_details(model: UsableModel) -> bool:
    """Return whether the details of a model are open."""
    return bool(session.widget_state(f"details.{place_of(model)}"))


def draw_details(model: UsableModel) -> None:
    """Draw what every method can measure on a model, the facts about it, and what can be changed."""
    card, served = local_card(model), served_card(model)
    if served is not None:
        draw_table(capabilities.reach_table(served).set_index("method"))
        draw_table(capabilities.card_table(served).set_index("what was tried"))
        st.caption("A server has its own template, stops and context.")
    if card is None:
        if served is None:
            st.caption(GONE if model.kind == "missing" else UNTESTED)
        return
    st.markdown("**What each method can measure**")
    draw_table(capabilities.reach_table(card).set_index("method"))
    st.markdown("**The model**")
    tried = model.entry.trial if model.entry is not None else None
    draw_table(models.facts_table(card, tried, stored_pace(model.source)).set_index("what"))
    draw_template(card)
    if model.entry is not None:
        draw_changes(model.entry, card)
    elif model.kind == "embedded":
        st.caption("The program's models cannot be changed.")
    else:
        st.caption("Add it to the list first.")


def draw_template(card: ModelCard) -> None:
    """Draw how a question reaches the model, letter by letter."""
    st.markdown("**How a question reaches it**")
    st.code(reveal(card.rendered), language=None, wrap_lines=True)


def draw_changes(entry: ModelEntry, card: ModelCard) -> None:
    """Draw what can be changed of a model, filled with what holds now."""
    with st.form(f"changes.{entry.id}"):
        template = st.text_area(
            "Chat template (Jinja)",
            value=entry.changes.template or card.own_template,
            key=f"template.{entry.id}",
            height=180,
            help="Empty: the model's own.",
        )
        stops = st.text_area(
            "Further stop strings, one per line",
            value="\n".join(entry.changes.stop),
            key=f"stops.{entry.id}",
            height=80,
            help="The model's own always count.",
        )
        context = st.number_input(
            "Context, in tokens",
            min_value=64,
            value=entry.changes.context,
            placeholder=f"{card.context or 'as the model says'}",
            key=f"context.{entry.id}",
        )
        if st.form_submit_button("Save", icon=":material/save:"):
            with shown_errors():
                save(entry, card, str(template or ""), str(stops or ""), None if context is None else int(context))
                st.rerun()
    if entry.changes != Changes():
        st.button(
            "Back to the model's own", key=f"own.{entry.id}", icon=":material/undo:", on_click=reset, args=(entry,)
        )
    draw_left_undo(f"model.{entry.id}")


def save(entry: ModelEntry, card: ModelCard, template: str, stops: str, context: int | None) -> None:
    """Keep what was changed of a model. Raises a MicroscopeError where the template cannot be used."""
    own = not template.strip() or template == card.own_template
    if not own:
        check_template(entry.source, template)
    lines = tuple(dict.fromkeys(line for line in stops.splitlines() if line.strip()))
    added_models.keep_changes(entry.id, Changes(template="" if own else template, stop=lines, context=context))


def reset(entry: ModelEntry) -> None:
    """Take back every change of a model, which can be undone."""
    leave_undo(f"model.{entry.id}", "The model is unchanged again.", partial(put_changes, entry.id, entry.changes))
    put_changes(entry.id, Changes())


def put_changes(entry_id: str, changes: Changes) -> None:
    """Give a model these changes, and fill the boxes anew."""
    added_models.changed(entry_id, lambda one: replace(one, changes=changes))
    for box in ("template", "stops", "context"):
        session.reset_widget(f"{box}.{entry_id}")


def test(model: UsableModel) -> None:
    """Open a model, let it answer and time it. Raises a MicroscopeError that says why that cannot be done."""
    if desk().active():
        raise ModelError(BUSY)
    with st.spinner("Opening the model and asking one question"):
        trial.try_model(model.source)


def ask_with(model: UsableModel) -> None:
    """Fill the Ask form with a model, and go there."""
    session.close_run()
    session.fill_form(replace(session.ask_draft(), model=model.source))
    links.go_to("ask")
