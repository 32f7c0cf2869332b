"""What a browser sends, checked before it is believed: a widget may return anything."""

import math
from collections.abc import Sequence
from typing import TypeVar, cast

Choice = TypeVar("Choice")


def one_of(value: object, choices: Sequence[Choice], otherwise: Choice) -> Choice:
    """Return the value where it is one of the choices, else ``otherwise``: a browser may send anything."""
    return cast(Choice, value) if value in choices else otherwise


def some_of(values: object, choices: Sequence[Choice]) -> tuple[Choice, ...]:
    """Return the choices that are among the values, in the order of the choices."""
    picked = values if isinstance(values, list | tuple | set) else ()
    return tuple(choice for choice in choices if choice in picked)


def whole_number(value: object, low: int, high: int, otherwise: int) -> int:
    """Return the value as a whole number held within [low, high], ``otherwise`` where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return otherwise
    return max(low, min(high, int(value)))
