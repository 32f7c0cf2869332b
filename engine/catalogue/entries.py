"""All that is said of numbers, in one table: (record, field) -> entry."""

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
from engine.catalogue.base import Entry

ENTRIES: dict[tuple[type, str], Entry] = {
    (entry.record, entry.field): entry
    for module in (
        readings,
        intervals,
        dense,
        dense_rag,
        seper,
        entropy_trend,
        quco_rag,
        sugar,
        uncertainty,
        chunk_utility,
        timing,
    )
    for entry in module.ENTRIES
}
