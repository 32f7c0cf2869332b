"""The same question to another model: one choice and one press from a run; the two then stand side by side."""

from dataclasses import replace

import streamlit as st

from engine.core.allowed import refuse_unlisted
from engine.core.errors import InputError
from engine.runs.models.listing import askable_models
from engine.runs.store import StoredRun
from pages.shared.resources import sentences
from pages.shared.run_panel import submit_variant, variant_of
from viz.parts.words import model_name

SHIPPED = ("embedded", "embedded-base")


def other_models(model: str) -> tuple[str, ...]:
    """Return the models that can be asked here besides the one that was."""
    return tuple(one for one in dict.fromkeys((*SHIPPED, *askable_models())) if one != model and is_askable(one))


def is_askable(model: str) -> bool:
    """Return whether a model may be named here: by everybody on this machine, by visitors where its owner lists it."""
    try:
        refuse_unlisted(model)
    except InputError:
        return False
    return True


def draw_other_model(run: StoredRun) -> None:
    """Draw the choice of another model, and the button that asks it the same; Compare then shows both."""
    with sentences():
        names = other_models(run.request.model)
    if not names:
        return
    picked = st.selectbox("Ask another model", names, format_func=model_name, key=f"other.model.{run.id}")
    if st.button("Ask it", icon=":material/forum:", key=f"other.ask.{run.id}") and picked in names:
        submit_variant(replace(variant_of(run), model=picked))
