"""What checking a record rests on: one derived number, stored and computed again, and how the two are compared.

The *raw part* of a record is what was seen: texts, tokens with their log-probabilities and entropies, judgements,
counts, settings. The *derived part* is every number that follows from it by an equation. Two numbers are the same
within ``TOLERANCE``: another processor rounds the last digits of a logarithm otherwise, and nobody reads them.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

TOLERANCE = 1e-9
SHOWN = 72
FAULTS = (ArithmeticError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a result rests on beside itself: the run's question, gold answers and root seed."""

    question: str
    golds: tuple[str, ...]
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One derived value: where it stands (method first), what is stored, what the raw part gives, whether they agree.

    Both values are text, cut where they are long; ``why`` says where they part, or why nothing could be computed.
    """

    place: str
    stored: str
    recomputed: str
    equal: bool
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchecked:
    """A value that no equation can give again from what is stored, and why: it counts as raw."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """Every derived value of a record beside what its raw part gives, and what had to be taken as it stands."""

    checks: tuple[Check, ...]
    unchecked: tuple[Unchecked, ...]

    @property
    def differing(self) -> tuple[Check, ...]:
        """The checks whose two values are not the same."""
        return tuple(check for check in self.checks if not check.equal)

    @property
    def whole(self) -> bool:
        """Whether every derived value follows from the raw part."""
        return not self.differing


def compare(place: str, stored: object, recompute: Callable[..., Any], *given: object) -> Check:
    """Return a stored value beside the one that ``recompute(*given)`` gives.

    A raw part from which nothing can be computed (a judgement is missing, shapes do not fit) is a difference with its
    reason, never a silent pass.

    >>> compare("dense.share", 0.5, lambda: 0.25).equal
    False
    """
    held = as_plain(stored)
    try:
        found = as_plain(recompute(*given))
    except FAULTS as exc:
        why = f"the raw part does not give it: {exc}"
        return Check(place=place, stored=shown(held), recomputed="nothing", equal=False, why=why)
    apart = difference(held, found)
    return Check(place=place, stored=shown(held), recomputed=shown(found), equal=not apart, why=apart)


def as_plain(value: object) -> object:
    """Return a value with arrays and NumPy's numbers as tuples and Python's numbers.

    >>> as_plain(np.array([[1.0, 2.0]]))
    ((1.0, 2.0),)
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return tuple(as_plain(item) for item in value)
    return value


def difference(stored: object, found: object) -> str:
    """Return where two values part, in words; "" where they are the same.

    >>> difference((1.0, 2.0), (1.0, 2.5)), difference(0.1 + 0.2, 0.3), difference(None, 0.0)
    ('at 1: 2.0 is not 2.5', '', 'None is not 0.0')
    """
    if isinstance(stored, tuple) and isinstance(found, tuple):
        if len(stored) != len(found):
            return f"{len(stored)} values are not {len(found)}"
        apart = ((place, difference(a, b)) for place, (a, b) in enumerate(zip(stored, found, strict=True)))
        return next((f"at {place}: {words}" for place, words in apart if words), "")
    return "" if same(stored, found) else f"{shown(stored)} is not {shown(found)}"


def same(stored: object, found: object) -> bool:
    """Return whether two single values agree: numbers within ``TOLERANCE``, NaN with NaN, all else exactly."""
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (stored, found))
    if not numbers:
        return type(stored) is type(found) and stored == found
    a, b = float(stored), float(found)  # type: ignore[arg-type]
    return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def shown(value: object) -> str:
    """Return a value as one line: every digit of a number, a long list or text cut with its length.

    >>> shown(0.1), shown(("a",) * 50)[-13:]
    ('0.1', '… (50 values)')
    """
    text = repr(value)
    if len(text) <= SHOWN:
        return text
    size = f" ({len(value)} values)" if isinstance(value, Sequence) and not isinstance(value, str) else ""
    return f"{text[: SHOWN - 17]}…{size}"
