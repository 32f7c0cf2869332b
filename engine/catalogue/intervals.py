"""The ends of every interval of a run, computed again by what the interval belongs to, and the share it covers."""

from collections.abc import Callable
from dataclasses import replace

from engine.catalogue import chunk_utility, dense, seper, timing
from engine.catalogue.base import UNSTORED, Entry, Place, Working
from engine.core.records import Interval
from engine.methods.chunk_utility import ChunkChange, SampledBelief
from engine.methods.dense import DenseResult

AGAIN = {
    (fact.record, fact.field): fact.again for module in (dense, seper, chunk_utility, timing) for fact in module.FACTS
}
SHOWN: dict[type, Callable[[Place, Interval], Working]] = {
    DenseResult: dense.interval_work,
    SampledBelief: chunk_utility.interval_work,
    ChunkChange: chunk_utility.interval_work,
}
NO_INTERVAL = "No interval was measured here (the record holds none), which does not mean that it has no width."


def end_work(place: Place) -> Working:
    """Return an end or the level of an interval, computed as the record that holds it does."""
    owner, name = place.above[-1], str(place.steps[-2])
    own = replace(place, owner=owner, field=name, value=None, above=place.above[:-1], steps=place.steps[:-1])
    again = AGAIN[type(owner), name](own)
    if not isinstance(again, Interval):
        return Working(raw=again is UNSTORED)
    shown = SHOWN.get(type(owner), seper.interval_work)
    if place.field == "level":
        shown = chunk_utility.level_work if isinstance(owner, ChunkChange) else lambda *_: Working(filled="0.95")
    return replace(shown(own, again), again=getattr(again, place.field))


def end(field: str, title: str, direction: str) -> Entry:
    """Return the entry of one end of an interval."""
    return Entry(
        record=Interval,
        field=field,
        title=title,
        unit="that of its number",
        range="that of its number",
        direction=direction,
        equation=r"[\,q_{(1-\gamma)/2},\; q_{(1+\gamma)/2}\,]",
        source="not in the papers, which print no error: percentile bootstrap (Efron 1979), or all rewordings",
        function="engine.measures.draw_intervals.percentile_interval",
        absent=NO_INTERVAL,
        work=end_work,
    )


ENTRIES: tuple[Entry, ...] = (
    end("low", "lower end of its interval", "the number lies above it in all but a few repeats"),
    end("high", "upper end of its interval", "the number lies below it in all but a few repeats"),
    Entry(
        record=Interval,
        field="level",
        title="share of repeats inside its interval",
        unit="share",
        range="0 to 1",
        direction="higher = a wider interval",
        equation=r"1 - \frac{1 - \gamma}{\text{bands}}",
        source="not in the papers; Bonferroni where several bands hold together",
        function="engine.measures.chunk_utility.shared_level",
        absent=NO_INTERVAL,
        work=end_work,
    ),
)
