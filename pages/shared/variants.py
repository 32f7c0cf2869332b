"""The shown run as the start of a changed one: a page says what changes, the rest stays as it was."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import streamlit as st

from engine.diagnosis.request import DiagnosisRequest
from pages.shared import run_panel, session
from pages.shared.resources import opening_run, stored_run
from pages.shared.run_panel import variant_of
from pages.shared.theme import as_text


def shown_request() -> DiagnosisRequest | None:
    """Return the request of the run that ``open_method`` shows, its parent set to that run; None where it is gone."""
    run_id = shown_run_id()
    run = stored_run(run_id) if run_id else None
    return variant_of(run) if run is not None else None


def shown_run_id() -> str | None:
    """Return the id of the run that ``open_method`` shows, None where there is none."""
    return session.current_run() or session.last_drawn_run() or session.last_run() or opening_run()


def with_method(request: DiagnosisRequest, method: str) -> DiagnosisRequest:
    """Return the request with a method added at the end, where it is not among its methods already."""
    return replace(request, methods=tuple(dict.fromkeys((*request.methods, method))))


def run_again(method: str, change: Callable[[DiagnosisRequest], DiagnosisRequest]) -> None:
    """Submit the shown run with a change, and with this method; a run that is no longer stored leaves a warning."""
    request = shown_request()
    if request is None:
        st.warning("This run is no longer stored.")
    else:
        run_panel.submit_variant(with_method(change(request), method))


def run_with(method: str, **settings: object) -> None:
    """Submit the shown run with other settings of a method."""
    run_again(method, lambda request: replace(request, **{method: replace(getattr(request, method), **settings)}))


def draw_other_variant(
    method: str, variant: str, names: Mapping[str, str], key: str, *, obstacle: str | None = None
) -> None:
    """Draw the button that asks again in the other variant, "paper" or "code"; an ``obstacle`` greys it out."""
    other = "code" if variant == "paper" else "paper"
    label, icon = f"Run again with {names[other]}", ":material/swap_horiz:"
    if st.button(label, key=key, icon=icon, disabled=obstacle is not None, help=obstacle and as_text(obstacle)):
        run_with(method, variant=other)
