"""The papers' tables and figures, made from any study that has their numbers. ``VIEWS`` is the list."""

from engine.core.errors import InputError
from engine.runs.studies.views import dense, quco, seper, sugar, sweep, timing
from engine.runs.studies.views.base import View

VIEWS: tuple[View, ...] = tuple(view for module in (dense, seper, timing, quco, sugar, sweep) for view in module.VIEWS)


def view_named(name: str) -> View:
    """Return the view of this name. Raises InputError where there is none."""
    found = next((view for view in VIEWS if view.name == name), None)
    if found is None:
        raise InputError(f"There is no view {name!r}; there are {', '.join(view.name for view in VIEWS)}.")
    return found
