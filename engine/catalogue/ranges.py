"""What a number of a record may be, from its entry's range: a record from elsewhere with an impossible one is refused.

A page takes an entropy's exponential and draws a share on an axis from 0 to 1; with 1e18 in their place it would fail.
Only what a range says in figures is held to it: "0 to ln(draws)" is at least 0, and at most what any
vocabulary has.
"""

import math
import re
from functools import cache

from engine.catalogue.base import Entry, Place
from engine.catalogue.entries import ENTRIES
from engine.catalogue.names import ENDS, interval_of
from engine.catalogue.walk import cells, fields_of
from engine.core.errors import RecordError
from engine.core.records import Generation, Hit, Interval, Token
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.traces.reading import NOT_TOLD
from engine.methods.dense_rag_records import SelfEvaluation
from engine.methods.self_evaluation import PAST_ONE

# A server rounds a log-probability a little above 0, a sum of shares a little above 1.
SLACK = 1e-3
# The two spellings of a word are asked for one by one, and their sum is stored as it came.
SUMS = {(SelfEvaluation, "yes_logprob"), (SelfEvaluation, "no_logprob")}
# No vocabulary has more than e^100 words, no answer is less likely than e^-100000.
MOST_NATS = {"ln": 100.0, "nats": 1e5}
NUMBER = r"[−-]?(?:\d+(?:\.\d+)?|∞)"
SPAN = re.compile(
    rf"(?:above )?({NUMBER}) (?:to ({NUMBER}|ln)?|and more)|(?:[a-z ]*at least|above) ({NUMBER})|at most ({NUMBER})"
)
# Where NaN is a value: a server gave no probability, a passage was given and not found.
WITHOUT = (Token, Hit)


@cache
def bounds_of(entry_range: str, unit: str) -> tuple[float, float]:
    """Return the least and the largest value that a range's words allow.

    >>> bounds_of("0 to 1", "share"), bounds_of("0 to ln(draws)", "nats"), bounds_of("any number, signed", "")
    ((0.0, 1.0), (0.0, 100.0), (-inf, inf))
    >>> bounds_of("−∞ to 0", "nats"), bounds_of("at least 1", ""), bounds_of("−1 to 1", "share")
    ((-100000.0, 0.0), (1.0, inf), (-1.0, 1.0))
    >>> bounds_of("above 0", ""), bounds_of("above 0 to 100", "percent")
    ((0.0, inf), (0.0, 100.0))
    """
    found = SPAN.match(entry_range)
    low, high, least, most = found.groups() if found else (None, None, None, None)
    widest = MOST_NATS["nats"] if unit.startswith("nats") else math.inf
    lowest, highest = as_number(low or least, -widest), as_number(high or most, widest)
    return max(lowest, -widest), min(highest, widest)


def as_number(text: str | None, otherwise: float) -> float:
    """Return a bound's figure as a number."""
    if text is None:
        return otherwise
    return MOST_NATS["ln"] if text == "ln" else float(text.replace("−", "-").replace("∞", "inf"))


def refuse_impossible(diagnosis: Diagnosis) -> None:
    """Raise RecordError where a number of a run is outside its range, with its address and the range."""
    for place in fields_of(diagnosis, raw=True):
        entry = range_of(place)
        if entry is None or entry.read is not None:
            continue
        for _, value in cells(getattr(place.owner, place.field)):
            if value is not None and not is_possible(value, entry, place):
                fault = f"{place.address} is {value:.6g}, outside its range ({entry.range})"
                raise RecordError(f"This run record cannot be read: {fault}.")


def range_of(place: Place) -> Entry | None:
    """Return the entry whose range a field has: an end of an interval has that of the number it belongs to."""
    if isinstance(place.owner, Interval) and place.field in ENDS:
        return interval_of(place)
    return ENTRIES.get((type(place.owner), place.field))


def is_possible(value: float, entry: Entry, place: Place) -> bool:
    """Return whether a value is within its range, or NaN where that means that there is none."""
    low, high = bounds_of(entry.range, entry.unit)
    slack = PAST_ONE if (type(place.owner), place.field) in SUMS else SLACK
    if math.isnan(value):
        return isinstance(place.owner, WITHOUT)
    if math.isinf(value):
        return "∞" in entry.range
    if value == NOT_TOLD and (type(place.owner), place.field) == (Generation, "temperature"):
        return True
    return low - slack <= value <= high + slack
