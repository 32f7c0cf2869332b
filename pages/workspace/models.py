"""Models: every model this machine can ask, with what methods can measure on it; others are added, tested, changed."""

import streamlit as st

from engine.backends import added_models
from engine.core.errors import MicroscopeError
from engine.runs.models import listing
from engine.runs.models.listing import UsableModel
from pages.shared import model_view, session
from pages.shared.deleted_list import Deleted, Kind, draw_deleted, named_row
from pages.shared.resources import sentences, shown_errors
from pages.shared.texts import draw_head
from pages.shared.theme import as_text
from pages.shared.undo import draw_deletions, leave_deletion
from pages.shared.visitors import closed_to_visitors
from viz.workspace.models import role_sentence, title_of

REMOVED = "models.removed"
SOURCE = "models.source"
HEADS = {"embedded": "With the program", "added": "Added", "found": "Found on this machine"}


def main() -> None:
    """Draw the way in, then every model."""
    draw_head("models", "Models")
    closed_to_visitors("see the list of models")
    if notice := session.pop_notice():
        st.error(as_text(notice), icon=":material/error:")
    draw_intake()
    draw_way_back()
    with sentences():
        models = listing.usable_models()
    parts = {
        "added": [one for one in models if one.entry is not None],
        "found": [one for one in models if one.entry is None and one.kind != "embedded"],
        "embedded": [one for one in models if one.kind == "embedded"],
    }
    for part, shown in parts.items():
        if shown:
            st.header(HEADS[part])
        if shown and part == "embedded":
            st.caption("The judge, who says whether two answers mean the same, is chosen beside the question.")
        for model in shown:
            with st.container(border=True, key=f"model-{model_view.place_of(model)}"):
                draw_model(model)
    draw_hidden()


def draw_hidden() -> None:
    """Draw the models that were taken off the list and can still be put back."""
    with sentences():
        hidden = sorted(added_models.entries(deleted=True), key=lambda one: one.deleted_at, reverse=True)
    found = [Deleted(id=one.id, row=named_row(one.name, one.deleted_at)) for one in hidden]
    warning = "At most the last ten are kept, for a day."
    draw_deleted(Kind("model", "models", added_models.restore, None, warning, REMOVED), found)


def draw_intake() -> None:
    """Draw the way to add a model, and what can be added."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Folder, .gguf file, hub name or server",
            key=SOURCE,
            placeholder="~/models/Qwen3-0.6B, or http://localhost:8000/v1#model",
            help="A folder needs config.json, tokenizer and safetensors. Its code never runs.",
        )
        st.button("Add", key="models.add", icon=":material/add:", on_click=add_model)
    st.caption("To fetch a model from a hub:")
    st.code("microscope models add ORGANISATION/NAME", language=None, wrap_lines=True)


def add_model() -> None:
    """Put the typed model on the list, or leave the sentence that says why not."""
    typed = str(session.widget_state(SOURCE) or "")
    try:
        model_view.add_source(typed)
    except MicroscopeError as exc:
        session.leave_notice(str(exc))
        return
    session.set_widget(SOURCE, "")


def draw_model(model: UsableModel) -> None:
    """Draw one model: what it is, what can be done with it, and behind a switch all that is known of it."""
    st.subheader(as_text(title_of(model)))
    if model.kind != "embedded" and title_of(model) != model.source:
        st.caption(as_text(model.source))
    if role := role_sentence(model):
        st.markdown(as_text(role))
    with shown_errors():
        model_view.draw_summary(model)
    draw_actions(model)
    if model_view.wants_details(model):
        with shown_errors():
            model_view.draw_details(model)


def draw_actions(model: UsableModel) -> None:
    """Draw what can be done with a model: ask it, test it, look closer, take it off the list or put it there."""
    place = model_view.place_of(model)
    gone = model.kind == "missing"
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Ask it", key=f"ask.{place}", type="primary", icon=":material/search:", disabled=gone):
            model_view.ask_with(model)
        if st.button("Test", key=f"test.{place}", icon=":material/speed:", disabled=gone):
            with shown_errors():
                model_view.test(model)
                st.rerun()
        model_view.draw_details_switch(model)
        if model.entry is not None:
            st.button("Remove", key=f"remove.{place}", icon=":material/delete:", on_click=remove, args=(model.entry,))
        elif model.kind != "embedded":
            st.button(
                "Add to the list", key=f"keep.{place}", icon=":material/add:", on_click=keep, args=(model.source,)
            )


def keep(source: str) -> None:
    """Put a model that was found on the list, where it can be changed."""
    try:
        model_view.add_source(source)
    except MicroscopeError as exc:
        session.leave_notice(str(exc))


def remove(entry: added_models.ModelEntry) -> None:
    """Take a model off the list, which can be undone."""
    try:
        listing.take_off(entry.id)
    except MicroscopeError as exc:
        session.leave_notice(str(exc))
        return
    leave_deletion(REMOVED, entry.id, f"{as_text(entry.name)} is off the list. Its files stay.")


def draw_way_back() -> None:
    """Offer to bring back the model that was removed last."""
    draw_deletions(REMOVED, "undo_remove_model", added_models.restore)


main()
