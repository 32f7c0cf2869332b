"""The ends of every interval of a run, computed again by what the interval belongs to, and the share it covers."""

from dataclasses import replace

from engine.catalogue import chunk_utility, dense, dense_rag, seper, timing
from engine.catalogue.base import UNSTORED, Entry, Place, Working, entry
from engine.core.records import Interval
from engine.methods.chunk_utility import ChunkChange
from engine.methods.dense_records import DenseResult

MODULES = (dense, dense_rag, seper, chunk_utility, timing)
AGAIN = {(fact.record, fact.field): fact.again for module in MODULES for fact in module.FACTS}


def end_work(place: Place) -> Working:
    """Return an end or the level of an interval, computed as the record that holds it does."""
    owner, name = place.above[-1], str(place.steps[-2])
    own = replace(place, owner=owner, field=name, value=None, above=place.above[:-1], steps=place.steps[:-1])
    again = AGAIN[type(owner), name](own)
    if not isinstance(again, Interval):
        return Working(raw=again is UNSTORED)
    shown = dense.interval_work if isinstance(owner, DenseResult) else seper.interval_work
    if place.field == "level":
        shown = chunk_utility.level_work if isinstance(owner, ChunkChange) else lambda *_: Working(filled="0.95")
    return replace(shown(own, again), again=getattr(again, place.field))


ENTRIES: tuple[Entry, ...] = tuple(entry(Interval, field, end_work) for field in ("low", "high", "level"))
