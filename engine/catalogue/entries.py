"""All that is said of numbers, in one table: (record, field) -> entry; beside them the facts, which are no numbers."""

from importlib import import_module

from engine.catalogue import intervals, readings
from engine.catalogue.base import Entry, Fact
from engine.methods import METHODS as ENGINE_METHODS

# One module a method, under the method's word.
METHODS = tuple(import_module(f"engine.catalogue.{word}") for word in ENGINE_METHODS)
ENTRIES: dict[tuple[type, str], Entry] = {
    (entry.record, entry.field): entry for module in (readings, intervals, *METHODS) for entry in module.ENTRIES
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
RAW_PARTS: dict[str, tuple[tuple[str, str], ...]] = {
    module.__name__.rpartition(".")[2]: module.RAW_PARTS for module in METHODS if module.RAW_PARTS
}
