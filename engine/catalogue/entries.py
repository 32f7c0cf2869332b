"""All that is said of numbers, in one table: (record, field) -> entry; beside them the facts, which are no numbers."""

from engine.catalogue import (
    chunk_utility,
    dense,
    dense_rag,
    entropy_trend,
    intervals,
    quco_rag,
    readings,
    seper,
    sugar,
    timing,
    uncertainty,
)
from engine.catalogue.base import Entry, Fact

METHODS = (dense, dense_rag, seper, entropy_trend, quco_rag, sugar, uncertainty, chunk_utility, timing)
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
