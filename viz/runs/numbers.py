"""A number as words, a table and a file: what stands beside the formula, and the list of all numbers of a run."""

import math
from collections.abc import Sequence

import pandas as pd

from engine.catalogue.base import Entry, Place, State, Working, state_of, worked
from engine.catalogue.headlines import foremost
from engine.catalogue.names import context_of, interval_of, own_interval, range_of, short_name, title_of, unit_of
from engine.catalogue.walk import entry_of, numbers_of
from engine.core.words import shown
from engine.diagnosis.record import Diagnosis
from engine.methods import method_title
from viz.methods.verdicts import Tone
from viz.parts.csv_text import csv_text
from viz.parts.words import ROUNDING, WORDS, end_words, origin_words, value_words

INPUT_COLUMNS = ["input", "of", "value"]
LIST_COLUMNS = ["number", "value", "unit", "method", "checked", "source", "computed by", "address"]
CHECKED = WORDS["number checks"]
TONES: dict[State, Tone] = {"same": "good", "differs": "bad"}


def button_words(place: Place) -> str:
    """Return what stands on the control that opens a number: its name, its value and its interval."""
    return f"{short_name(place)}: {measured_words(place)}"


def measured_words(place: Place) -> str:
    """Return a number's value with its unit, and its interval where it has one."""
    unit = unit_of(place)
    short = unit if unit in ("nats", "seconds") and place.value is not None else ""
    between = own_interval(place)
    ends = f" ({ends_words(between.low, between.high)})" if between is not None else ""
    return f"{place_words(place)} {short}".rstrip() + ends


def place_words(place: Place) -> str:
    """Return a number's value in words; a difference of which rounding left a trace is none.

    A probability may be as small as that, a difference of two is not.
    """
    value = place.value
    if value is not None and range_of(place).startswith("−1 ") and abs(value) < ROUNDING:
        value = 0.0
    return value_words(value, unit_of(place))


def ends_words(low: float, high: float) -> str:
    """Return an interval on a control: two decimals, for its ends say how sure the value is and no more.

    >>> ends_words(0.01504, 0.856), ends_words(-0.5854, -0.0), ends_words(2e-05, 3e-05), ends_words(0.0004, 0.3)
    ('0.02 to 0.86', '−0.59 to 0.00', '2 × 10⁻⁵ to 3 × 10⁻⁵', 'just above 0 to 0.30')
    """
    if not max(abs(low), abs(high)) >= 0.01 or math.isinf(low) or math.isinf(high):
        return f"{value_words(low)} to {value_words(high)}"
    return f"{end_words(low)} to {end_words(high)}"


def without_ends(places: Sequence[Place]) -> list[Place]:
    """Return the numbers among these that are no end of an interval: ends are told with the number they belong to."""
    return [place for place in places if interval_of(place) is None]


def check_sentence(place: Place, working: Working) -> str:
    """Return what became of computing the number again, as a sentence."""
    entry = entry_of(place)
    state = state_of(entry, place, working)
    stored, again = exact(place.value), exact(working.again)
    words = WORDS["number check sentences"][state]
    return words.format(stored=stored, again=again, note=working.note, absent=entry.absent).strip()


def exact(value: float | None) -> str:
    """Return a number with every digit that matters to a comparison.

    >>> exact(0.1 + 0.2), exact(None)
    ('0.3', 'not measured')
    """
    return "not measured" if value is None else f"{value + 0.0:.10g}"


def tone_of(place: Place, working: Working) -> Tone:
    """Return the tone of the check: red only where a stored number does not follow from its parts."""
    return TONES.get(state_of(entry_of(place), place, working), "unknown")


def said_of(place: Place) -> dict[str, str]:
    """Return what is said of a number, row by row, for a table: unit, range, direction, source, function, threshold."""
    entry = entry_of(place)
    rows = {
        "Unit": unit_of(place) or "none",
        "Range": range_of(place),
        "Direction": entry.direction,
        "Paper": entry.source,
        "Computed by": entry.function,
        "Not measured means": entry.absent,
        "Address": place.address,
    }
    if (between := own_interval(place)) is not None:
        rows["Interval"] = f"{exact(between.low)} to {exact(between.high)} ({between.level:.0%})"
    if threshold := threshold_words(entry, place):
        rows["Threshold"] = threshold
    return rows


def threshold_words(entry: Entry, place: Place) -> str:
    """Return whose a threshold is in this run and what the paper sets, "" for a number that is none."""
    if not entry.papers:
        return ""
    source = entry.threshold(place)
    fit = place.diagnosis.provenance.thresholds
    mine = ""
    if source is not None:
        named = origin_words(source, "the paper's")
        mine = f"In this run: {named}{f' ({fit})' if source == 'fitted' and fit else ''}. "
    return f"{mine}The paper: {entry.papers}."


def inputs_table(working: Working) -> pd.DataFrame:
    """Return the inputs of a number as a table, its text twin: every term of a sum that the formula shortens."""
    rows = [(one.name, shown(one.of) if one.of else "", input_words(one.value)) for one in working.inputs]
    return pd.DataFrame(rows, columns=INPUT_COLUMNS)


def input_words(value: float | str | None) -> str:
    """Return an input's value as text, six digits.

    >>> input_words(0.1234567), input_words(None), input_words("x")
    ('0.123457', '', 'x')
    """
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value + 0.0:.6g}"


def inputs_csv(working: Working) -> bytes:
    """Return the inputs with every digit as CSV in UTF-8."""
    rows = [(one.name, one.of, one.value) for one in working.inputs]
    return csv_text(pd.DataFrame(rows, columns=INPUT_COLUMNS)).encode()


def all_numbers(diagnosis: Diagnosis, *, raw: bool = False) -> pd.DataFrame:
    """Return every number of a run, computed again where its parts are stored; ``raw`` adds tokens' and judges'.

    What the methods' pages are about stands first, as a reader looks for it; then all others, as the record has them.
    """
    first = {place.address: place for place in foremost(diagnosis)}
    others = (place for place in numbers_of(diagnosis, raw=raw) if place.address not in first)
    return pd.DataFrame([number_row(place) for place in (*first.values(), *others)], columns=LIST_COLUMNS)


def number_row(place: Place) -> tuple[object, ...]:
    """Return one number as a row of the list."""
    entry, context, name = entry_of(place), context_of(place), title_of(place)
    state = state_of(entry, place, worked(entry, place))
    if context:
        # The chunk or context that it belongs to comes first, so that it is never cut.
        name = f"{context[:1].upper()}{context[1:]}: {name.removesuffix(f' ({context})')}"
    value, unit, method = place_words(place), unit_of(place), method_title(str(place.steps[0]))
    return (name, value, unit, method, CHECKED[state], entry.source, entry.function, place.address)


def list_sentence(table: pd.DataFrame) -> str:
    """Return the list in words: how many numbers, how many computed again, whether any differs."""
    counts = table["checked"].value_counts()
    same, differs = int(counts.get(CHECKED["same"], 0)), int(counts.get(CHECKED["differs"], 0))
    unsure, absent = int(counts.get(CHECKED["not certain"], 0)), int(counts.get(CHECKED["not measured"], 0))
    found = f"{len(table):,} {'number' if len(table) == 1 else 'numbers'}; {again_words(same, differs)}"
    more = [f"{unsure:,} {'depends' if unsure == 1 else 'depend'} on a setting that is not stored"] if unsure else []
    more += [f"{absent:,} not measured, which is not 0"] if absent else []
    rest = f" {'; '.join(more)}." if more else ""
    return f"{found}{rest} The others are readings, settings and counts."


def again_words(same: int, differs: int) -> str:
    """Return in words how many numbers were computed again, and how many came out as stored.

    >>> again_words(0, 0), again_words(67, 0)
    ('none can be computed again.', '67 computed again just now: all the same.')
    >>> again_words(67, 3)
    '70 computed again just now: 67 the same, 3 not (changed, or recorded by another version).'
    """
    if not same + differs:
        return "none can be computed again."
    outcome = f"{same:,} the same, {differs:,} not (changed, or recorded by another version)"
    return f"{same + differs:,} computed again just now: {outcome if differs else 'all the same'}."


def beneath(table: pd.DataFrame, prefixes: Sequence[str]) -> pd.DataFrame:
    """Return the numbers that stand at one of these places of the record, or beneath one; none without a place.

    ``dense.chunks.1`` holds ``dense.chunks.1.weight`` and not ``dense.chunks.10.weight``.
    """
    ends = tuple(f"{prefix}." for prefix in prefixes)
    held = [address in prefixes or (bool(ends) and address.startswith(ends)) for address in table["address"]]
    return table[held]


def matching(table: pd.DataFrame, search: str) -> pd.DataFrame:
    """Return the rows whose address, name, method, source or function holds every word of a search, in any case."""
    words = search.casefold().split()
    if not words:
        return table
    searched = ["address", "number", "method", "checked", "source", "computed by"]
    text = table[searched].agg(" ".join, axis=1).str.casefold()
    return table[[all(word in line for word in words) for line in text]]
