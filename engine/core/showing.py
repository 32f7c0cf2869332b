"""How a record shows itself to a person: ways that the wings above put in, since a record knows nothing of drawing.

``retrieval_microscope`` fills the table when it is imported. Without it a record has only its short plain form.
"""

from collections.abc import Callable
from typing import Any

from engine.core.errors import InputError

WAYS: dict[str, Callable[[Any], Any]] = {}


def knows(way: str) -> bool:
    """Return whether a way was put in."""
    return way in WAYS


def shown(way: str, record: object) -> Any:
    """Return a record shown in a way. Raises InputError where the way was not put in."""
    if way not in WAYS:
        raise InputError("This needs the drawing part: import retrieval_microscope first.")
    return WAYS[way](record)
