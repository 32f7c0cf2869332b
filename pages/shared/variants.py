"""The shown run as the start of a changed one: a page says what changes, the rest stays as it was asked."""

from engine.diagnosis.request import DiagnosisRequest
from pages.shared import session
from pages.shared.resources import opening_run, stored_run
from pages.shared.run_panel import variant_of


def shown_request() -> DiagnosisRequest | None:
    """Return the request of the run that ``open_method`` shows, its parent set to that run; None where it is gone."""
    run_id = shown_run_id()
    run = stored_run(run_id) if run_id else None
    return variant_of(run) if run is not None else None


def shown_run_id() -> str | None:
    """Return the id of the run that ``open_method`` shows, None where there is none."""
    return session.current_run() or session.last_drawn_run() or session.last_run() or opening_run()
