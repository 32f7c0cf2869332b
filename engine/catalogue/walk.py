"""Every number of a run by its address: ``run.seconds``, ``dense.entropy``, ``seper.without.meanings.0.probability``.

An address begins with the method's word, or with "run" for what belongs to the run itself; then come fields and places
in lists, from 0, as the record has them. The tokens of every answer are thousands of numbers: they have addresses as
all do, and are listed only where `raw` is set.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache, partial
from typing import Any, get_args, get_type_hints

from engine.catalogue.base import Entry, Place, Step
from engine.catalogue.entries import COUNTED, ENTRIES, FACTS
from engine.core.records import Generation, Judgement
from engine.diagnosis.record import Diagnosis, Outcome

RUN = "run"
LONGEST_ADDRESS = 300
# Listed only with `raw`: what the other numbers are read from.
RAW = (Generation, Judgement)
# Says of a kind of record whether it is walked through with all that it holds.
Follows = Callable[[type], bool]


def numbers_of(diagnosis: Diagnosis, *, raw: bool = False) -> Iterator[Place]:
    """Yield every number of a run that has an entry, in the order of the record; ``raw`` adds tokens and judgements.

    A method that the run never reached has none: that it took 0 seconds is no reading.
    """
    for place in fields_of(diagnosis, raw=raw):
        if (type(place.owner), place.field) in ENTRIES and not is_unreached(place.owner):
            yield from numbers_at(place)


def is_unreached(owner: object) -> bool:
    """Return whether this is the outcome of a method that the run ended before."""
    return isinstance(owner, Outcome) and owner.status == "waiting"


def numbers_at(place: Place) -> Iterator[Place]:
    """Yield the numbers of a field: one, or the cells of a table."""
    read = entry_of(place).read
    content = getattr(place.owner, place.field) if read is None else read(place.owner)
    for position, value in cells(content):
        yield replace(place, position=position, value=value, steps=(*place.steps, *position))


def compared_numbers(diagnosis: Diagnosis, method: str) -> Iterator[Place]:
    """Yield the numbers of a method's result that Compare and What if show; none where it has no result."""
    outcome, result = diagnosis.outcome(method), diagnosis.result_of(method)
    if outcome is None or result is None:
        return
    follows = partial(leads_to_compared, result=type(result))
    for place in of_record(result, (method,), (diagnosis, outcome), follows):
        key = (type(place.owner), place.field)
        if key in ENTRIES and ENTRIES[key].compared_in is type(result):
            yield from numbers_at(place)


@lru_cache(maxsize=1024)
def leads_to_compared(kind: type, result: type) -> bool:
    """Return whether a record of this kind is, or may hold, one with numbers that are compared in this result.

    A list of 200 runs compares each with another: walking through every record they hold took seconds.
    """
    owners = {owner for (owner, _), entry in ENTRIES.items() if entry.compared_in is result}
    return not_raw(kind) and not owners.isdisjoint(kinds_within(kind))


@lru_cache(maxsize=1024)
def kinds_within(kind: type) -> frozenset[type]:
    """Return the kind of record and every kind that its fields may hold, at any depth."""
    found: set[type] = set()
    waiting: list[Any] = [kind]
    while waiting:
        one = waiting.pop()
        if is_dataclass(one) and isinstance(one, type) and one not in found:
            found.add(one)
            waiting += get_type_hints(one).values()
        waiting += get_args(one)
    return frozenset(found)


@lru_cache(maxsize=1024)
def field_names(kind: type) -> tuple[str, ...]:
    """Return the names of a record's fields, in order."""
    return tuple(field.name for field in fields(kind))


def not_raw(kind: type) -> bool:
    """Return whether records of this kind are listed without being asked for."""
    return not issubclass(kind, RAW)


def everything(kind: type) -> bool:
    """Return True: raw records are listed too."""
    return True


def fields_of(diagnosis: Diagnosis, *, raw: bool = False) -> Iterator[Place]:
    """Yield every field of a run that has an entry or is a fact, in the order of the record, without its value."""
    memory: dict[object, object] = {}
    for record, steps, above in (
        (diagnosis, (RUN,), ()),
        *((o, (o.method,), (diagnosis,)) for o in diagnosis.outcomes),
    ):
        for place in of_record(record, steps, above, everything if raw else not_raw):
            yield replace(place, memory=memory)


def of_record(record: object, steps: tuple[Step, ...], above: tuple[object, ...], follows: Follows) -> Iterator[Place]:
    """Yield the fields of one record and of the records that it holds of kinds to follow; a table is one field."""
    kind: type = type(record)
    for name in field_names(kind):
        here = steps if kind is Outcome and name == "result" else (*steps, name)
        key = (kind, name)
        if key in ENTRIES or key in FACTS:
            yield Place(owner=record, field=name, position=(), value=None, above=above, steps=here)
        if key not in ENTRIES and key != (Diagnosis, "outcomes"):
            yield from inside(getattr(record, name), here, (*above, record), follows)
    for entry in COUNTED.get(kind, ()):
        yield Place(owner=record, field=entry.field, position=(), value=None, above=above, steps=(*steps, entry.field))


def inside(content: object, steps: tuple[Step, ...], above: tuple[object, ...], follows: Follows) -> Iterator[Place]:
    """Yield the fields of what a field holds: a record, a list of records, or neither."""
    if is_dataclass(content):
        if follows(type(content)):
            yield from of_record(content, steps, above, follows)
    elif isinstance(content, tuple):
        for place, one in enumerate(content):
            if is_dataclass(one) or isinstance(one, tuple):
                yield from inside(one, (*steps, place), above, follows)


def cells(content: object) -> Iterator[tuple[tuple[int, ...], float | None]]:
    """Yield (position, value) of a number or a table of numbers; None is a value of its own.

    >>> list(cells(((1.0, 0.5),)))
    [((0, 0), 1.0), ((0, 1), 0.5)]
    """
    if isinstance(content, tuple):
        for place, one in enumerate(content):
            for position, value in cells(one):
                yield (place, *position), value
    elif content is None or isinstance(content, int | float):
        yield (), None if content is None else content


def number_at(diagnosis: Diagnosis, address: str) -> Place | None:
    """Return the number at an address, None where there is none: an address may come from anywhere."""
    word, _, rest = address[:LONGEST_ADDRESS].partition(".")
    outcome = None if word == RUN else diagnosis.outcome(word)
    if word != RUN and outcome is None:
        return None
    steps = tuple(int(part) if part.isdecimal() and part.isascii() else part for part in rest.split("."))
    if outcome is None:
        # A method's numbers have one address each, by its word.
        return None if steps[0] == "outcomes" else at_steps(diagnosis, steps, (word,), ())
    if steps == ("seconds",):
        return None if is_unreached(outcome) else at_steps(outcome, steps, (word,), (diagnosis,))
    if outcome.result is None:
        return None
    return at_steps(outcome.result, steps, (word,), (diagnosis, outcome))


def numbers_like(diagnosis: Diagnosis, pattern: str) -> Iterator[Place]:
    """Yield the numbers at the addresses of a pattern, in which "*" stands for every item of a list."""
    method, *steps = pattern.split(".")
    found = (number_at(diagnosis, f"{method}.{rest}") for rest in addresses(diagnosis.result_of(method), steps))
    return (place for place in found if place is not None)


def addresses(content: Any, steps: Sequence[str]) -> Iterator[str]:
    """Yield the ways that steps lead from a part of a record on; none where a part is not there."""
    step, *others = steps
    if content is None or not others:
        yield from () if content is None else steps
        return
    items = dict(enumerate(content)) if isinstance(content, tuple) else {step: getattr(content, step)}
    for name, item in items.items():
        if step in ("*", str(name)):
            yield from (f"{name}.{rest}" for rest in addresses(item, others))


def at_steps(
    record: object, steps: tuple[Step, ...], taken: tuple[Step, ...], above: tuple[object, ...]
) -> Place | None:
    """Return the number that steps lead to from a record, None where they lead nowhere."""
    name, rest = steps[0], steps[1:]
    if not isinstance(name, str):
        return None
    taken = (*taken, name)
    if (type(record), name) in ENTRIES:
        place = Place(owner=record, field=name, position=(), value=None, above=above, steps=taken)
        return next((one for one in numbers_at(place) if one.position == rest), None)
    if name not in {field.name for field in fields(record)}:  # type: ignore[arg-type]
        return None
    content = getattr(record, name)
    while rest and isinstance(rest[0], int) and isinstance(content, tuple):
        if rest[0] >= len(content):
            return None
        content, taken, rest = content[rest[0]], (*taken, rest[0]), rest[1:]
    return at_steps(content, rest, taken, (*above, record)) if rest and is_dataclass(content) else None


def entry_of(place: Place) -> Entry:
    """Return what is said of the number at a place."""
    return ENTRIES[type(place.owner), place.field]
