"""All that is said of numbers, in one table: (record, field) -> entry; beside them the facts, which are no numbers."""

from importlib import import_module
from importlib.util import find_spec

from engine.catalogue import intervals, readings
from engine.catalogue.base import FILES, Entry, Fact, entry, raw_parts_of
from engine.methods import METHODS as ENGINE_METHODS


def from_table(word: str) -> list[Entry]:
    """Return the entries of a method's result that need no code: their table names the ``parts`` they follow from."""
    result = ENGINE_METHODS[word].result
    tables: dict[str, dict[str, object]] = FILES.get(word, {}).get(result.__name__, {})
    return [entry(result, field, compared_in=result) for field, words in tables.items() if "parts" in words]


# One module a method, under the method's word; a method whose tables say all has none.
METHODS = tuple(
    import_module(name) for word in ENGINE_METHODS if find_spec(name := f"engine.catalogue.{word}") is not None
)
WRITTEN = [found for module in (readings, intervals, *METHODS) for found in module.ENTRIES]
ENTRIES: dict[tuple[type, str], Entry] = {
    (found.record, found.field): found
    for found in (*WRITTEN, *(found for word in ENGINE_METHODS for found in from_table(word)))
}
FACTS: dict[tuple[type, str], Fact] = {(fact.record, fact.field): fact for module in METHODS for fact in module.FACTS}
# The numbers that no field holds, by the record they are counted in.
COUNTED: dict[type, tuple[Entry, ...]] = {
    record: tuple(entry for entry in ENTRIES.values() if entry.record is record and entry.read is not None)
    for record in {entry.record for entry in ENTRIES.values() if entry.read is not None}
}
# The number that an interval belongs to, by the record and field that hold the interval.
OF_INTERVAL: dict[tuple[type, str], Entry] = {
    (entry.record, entry.interval): entry for entry in ENTRIES.values() if entry.interval
}
# What each method's record takes from a model, a parser or a corpus, and no equation gives again.
RAW_PARTS: dict[str, dict[str, str]] = {word: parts for word in ENGINE_METHODS if (parts := raw_parts_of(word))}
