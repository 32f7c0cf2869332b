"""A record checked against itself: every derived value computed again from what was seen, with no model.

The *raw part* of a record is what was seen: texts, tokens with their log-probabilities and entropies, judgements,
counts, settings. The *derived part* follows from it by equations. Each value is computed again from the stored values
it directly rests on, down to the raw part: where every step holds, the whole record follows.

``verify`` shows that a record is consistent, not that it is true: whoever writes other tokens and judgements into a
file and computes all that follows has made another consistent record. The content hash of a bundle says whether the
file is the one that was written.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.catalogue.base import BROKEN, FAULTS, UNSTORED, Entry, Fact, Place, equal, worked
from engine.catalogue.entries import ENTRIES, FACTS, RAW_PARTS
from engine.catalogue.walk import fields_of
from engine.core.records import Interval
from engine.diagnosis.record import Diagnosis
from engine.methods import METHODS

SHOWN = 72


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One derived value: where it stands (its address), what is stored, what follows from its parts, if they agree.

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
    """Every derived value of a record beside what its parts give, and what had to be taken as it stands."""

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


def verify(diagnosis: Diagnosis) -> Verification:
    """Return every derived value of a record beside what its parts give, and what had to be taken as it stands."""
    checks = (check_of(place) for place in fields_of(diagnosis))
    return Verification(checks=tuple(check for check in checks if check is not None), unchecked=unchecked(diagnosis))


def unchecked(diagnosis: Diagnosis) -> tuple[Unchecked, ...]:
    """Return what of a run's results is taken as it stands."""
    words = [outcome.method for outcome in diagnosis.outcomes if outcome.result is not None]
    strange = [Unchecked(place=word, reason="this version does not know it") for word in words if word not in METHODS]
    raw = [(f"{word}.{place}", reason) for word in words for place, reason in RAW_PARTS.get(word, {}).items()]
    return (*strange, *(Unchecked(place=place, reason=reason) for place, reason in raw))


def check_of(place: Place) -> Check | None:
    """Return the check of a field, None for a reading or a setting. The ends of an interval are checked with it."""
    key = (type(place.owner), place.field)
    if key in FACTS:
        return fact_check(FACTS[key], place)
    entry = ENTRIES[key]
    return None if isinstance(place.owner, Interval) or entry.read is not None else number_check(entry, place)


def number_check(entry: Entry, place: Place) -> Check | None:
    """Return the check of one number, None where nothing in the record gives it again."""
    stored = getattr(place.owner, place.field)
    working = worked(entry, replace(place, value=stored))
    if working.raw or (working.again is None and (entry.kind != "computed" or stored is None)):
        return None
    found = compare(place.address, stored, working.again)
    if found.equal:
        return found
    if working.again is not None and math.isnan(working.again):
        return broken(place, stored, working.note)
    return found if working.certain else None


def fact_check(fact: Fact, place: Place) -> Check | None:
    """Return the check of a fact, None where nothing in the record gives it again.

    A raw part from which nothing can be computed (a judgement is missing, shapes do not fit) is a difference with its
    reason, never a silent pass.
    """
    stored = getattr(place.owner, place.field)
    try:
        stored = fact.stored(place.owner) if fact.stored else stored
        again = fact.again(place)
    except FAULTS as exc:
        return broken(place, stored, f"{BROKEN}: {exc}.")
    return None if again is UNSTORED else compare(place.address, stored, again)


def broken(place: Place, stored: object, why: str) -> Check:
    """Return the check of a value that could not be computed from its parts."""
    return Check(place=place.address, stored=shown(as_plain(stored)), recomputed="nothing", equal=False, why=why)


def compare(place: str, stored: object, again: object) -> Check:
    """Return a stored value beside the one that its parts give.

    >>> compare("dense.share", 0.5, 0.25).equal
    False
    """
    kept, found = as_plain(stored), as_plain(again)
    apart = difference(kept, found)
    return Check(place=place, stored=shown(kept), recomputed=shown(found), equal=not apart, why=apart)


def as_plain(value: object) -> object:
    """Return a value with arrays, intervals and NumPy's numbers as tuples and Python's numbers.

    >>> as_plain(np.array([[1.0, 2.0]]))
    ((1.0, 2.0),)
    """
    if isinstance(value, Interval):
        return (value.low, value.high, value.level)
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
    """Return whether two single values agree: numbers up to rounding, NaN with NaN, all else exactly."""
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (stored, found))
    if not numbers:
        return type(stored) is type(found) and stored == found
    return equal(float(stored), float(found))  # type: ignore[arg-type]


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
