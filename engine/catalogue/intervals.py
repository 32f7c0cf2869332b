"""The ends of every interval of a run, computed again by what the interval belongs to, and the share it covers."""

from collections.abc import Callable

from engine.catalogue import chunk_utility, dense, seper, timing
from engine.catalogue.base import Entry, Place, Working
from engine.core.records import Interval
from engine.methods.chunk_utility import ChunkChange, SampledBelief
from engine.methods.dense import DenseResult
from engine.methods.seper import Belief, SeperResult
from engine.methods.timing.base import Stair

ENDS: dict[tuple[type, str], Callable[[Place], Working]] = {
    (DenseResult, "entropy_interval"): dense.interval_work,
    (Belief, "soft_interval"): seper.interval_work,
    (Belief, "hard_interval"): seper.interval_work,
    (SeperResult, "delta_soft_interval"): seper.delta_interval_work,
    (SeperResult, "delta_hard_interval"): seper.delta_interval_work,
    (SampledBelief, "interval"): chunk_utility.interval_work,
    (ChunkChange, "interval"): chunk_utility.change_interval_work,
    (Stair, "gain_interval"): timing.gain_interval_work,
}
NO_INTERVAL = "No interval was measured here (the record holds none), which does not mean that it has no width."


def end_work(place: Place) -> Working:
    """Return an end of an interval, by the record that holds it; a staircase repeats its belief's own interval."""
    owner = place.above[-1]
    if isinstance(owner, Stair) and place.steps[-2] == "soft_interval":
        own = owner.belief.soft_interval
        again = None if own is None else (own.low if place.field == "low" else own.high)
        return Working(again=again, note="The interval of the belief at this lookup.")
    return ENDS[type(owner), str(place.steps[-2])](place)


def level_work(place: Place) -> Working:
    """Return the share of repeats inside: 95 %, wider where several bands have to hold together."""
    return (
        chunk_utility.level_work(place)
        if isinstance(place.above[-1], ChunkChange)
        else Working(again=0.95, filled="0.95")
    )


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
        work=level_work,
    ),
)
