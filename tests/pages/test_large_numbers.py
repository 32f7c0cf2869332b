"""A run with numbers outside their ranges is refused; with all at their ends it opens on every page."""

import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, cast

import pytest

from engine.catalogue.entries import ENTRIES
from engine.catalogue.ranges import bounds_of
from engine.core.errors import RecordError
from engine.core.json_text import LARGEST_PART, LARGEST_WHOLE
from engine.core.records import Interval
from engine.diagnosis.record import Diagnosis
from engine.runs.bundle import import_record
from engine.runs.store import RunStore
from pages.shared.links import PAGES
from tests.engine.catalogue.nine_methods import nine
from tests.pages.page_fixtures import kept, opened

OF_ONE_RUN = [word for word in PAGES if word not in ("guide", "lessons", "atlas", "measured", "trace", "annotate")]
# Whole numbers that point nowhere: any size of them fits together with the rest of a record.
FREE = {"seed", "prompt_tokens", "max_tokens", "documents", "count", "k"}


@pytest.fixture
def store(store: RunStore, no_failures: None) -> RunStore:
    """Return a store without recorded examples behind a desk."""
    return store


def with_numbers(record: Any, part: Callable[[type, str, float], float], name: str = "", owner: type = object) -> Any:
    """Return a record with its numbers replaced, and every whole one that points nowhere made the largest there is."""
    if isinstance(record, tuple):
        return tuple(with_numbers(one, part, name, owner) for one in record)
    if is_dataclass(record) and name != "config" and not isinstance(record, type):
        kind = type(record)
        return replace(
            record, **{one.name: with_numbers(getattr(record, one.name), part, one.name, kind) for one in fields(kind)}
        )
    if isinstance(record, float):
        return part(owner, name, record)
    return LARGEST_WHOLE if isinstance(record, int) and not isinstance(record, bool) and name in FREE else record


def at_its_bound(upper: bool) -> Callable[[type, str, float], float]:
    """Return a function that gives the largest number, or the least, that a field's range allows."""

    def bound(owner: type, name: str, value: float) -> float:
        entry = ENTRIES.get((owner, name))
        if entry is None or entry.read is not None or owner is Interval:
            return value
        if "∞" in entry.range and not upper:
            return -math.inf
        return max(-LARGEST_PART, min(LARGEST_PART, bounds_of(entry.range, entry.unit)[upper]))

    return bound


@pytest.mark.parametrize("value", [LARGEST_PART, -LARGEST_PART, math.inf, math.nan])
def test_a_run_of_impossible_numbers_is_refused_when_it_is_brought_in(value: float) -> None:
    impossible = with_numbers(nine(), lambda *_: value)
    with pytest.raises(RecordError, match="range"):
        import_record(impossible.to_json())


@cache
def extreme(upper: bool) -> Diagnosis:
    """Return a run whose numbers are at the ends of their ranges, and which is taken in as it is."""
    made = with_numbers(nine(), at_its_bound(upper))
    assert import_record(made.to_json()).hits
    return cast(Diagnosis, made)


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("word", OF_ONE_RUN)
def test_every_page_opens_a_run_whose_numbers_are_at_the_ends_of_their_ranges(
    store: RunStore, caplog: pytest.LogCaptureFixture, word: str, upper: bool
) -> None:
    opened(PAGES[word], kept(store, extreme(upper), "large"))
    assert [one.getMessage() for one in caplog.records if "Arrow" in one.getMessage()] == []
