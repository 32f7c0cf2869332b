"""The numbers of single chunks: belief over some chunks, what one of them changes, and the bands that decide."""

import numpy as np

from engine.catalogue.base import Entry, Fact, Input, Place, Working, entry, of_owner, tex
from engine.catalogue.seper import (
    belief_interval,
    delta_working,
    drawn_change,
    kernel_again,
    kernel_work,
    sepers_repeats,
    soft_work,
    weight_work,
    weights_again,
)
from engine.core.records import Interval
from engine.measures.chunk_utility import effect, shared_level, utility
from engine.methods.chunk_utility import ChunkChange, ChunkUse, ChunkUtilityResult, SampledBelief


def sides(place: Place) -> tuple[SampledBelief, SampledBelief, str, str]:
    """Return the beliefs after and before that a change compares, with their names."""
    result, use, change = place.the(ChunkUtilityResult), place.the(ChunkUse), place.the(ChunkChange)
    if "left_out" in place.steps:
        return result.with_passages, change.belief, "all passages", f"all but passage {use.index + 1}"
    return change.belief, result.without, f"passage {use.index + 1} alone", "from memory"


def delta_work(place: Place) -> Working:
    """Return what having a chunk does to belief in the correct answer."""
    after, before, with_name, without_name = sides(place)
    return delta_working(after.soft, before.soft, with_name, without_name)


def condition(place: Place) -> str:
    """Return the name the draws of a belief were made under, which their interval's seed comes from."""
    use = place.find(ChunkUse)
    if use is None:
        return "without" if "without" in place.steps else "with"
    only = len(place.the(ChunkUtilityResult).chunks) == 1
    if "left_out" in place.steps:
        return "without" if only else f"without chunk {use.index + 1} of the"
    return "with" if only else f"over chunk {use.index + 1} of the"


def interval_again(place: Place) -> Interval:
    """Return the interval of SePer over these chunks, the draws drawn again with the run's own seed."""
    belief = place.the(SampledBelief)
    sepers = sepers_repeats(place) is not None
    labels = ("seper", "interval") if sepers else ("chunk_utility", "interval", condition(place))
    return belief_interval(place, belief, np.array(belief.kernel), *labels)


def change_interval_again(place: Place) -> Interval:
    """Return a change's band, both conditions' draws drawn again with the run's own seed."""
    result, use = place.the(ChunkUtilityResult), place.the(ChunkUse)
    after, before, _, _ = sides(place)
    name = f"left out {use.index}" if "left_out" in place.steps else f"alone {use.index}"
    drawn = [(belief, np.array(belief.kernel)) for belief in (after, before)]
    level = shared_level(2 * len(result.chunks), result.level)
    return drawn_change(place, drawn[0], drawn[1], "chunk_utility", "delta", name, level=level)


def effect_again(place: Place) -> str:
    """Return what a change shows, from its band."""
    own = place.the(ChunkChange)
    return effect(own.delta, own.interval.low, own.interval.high, place.the(ChunkUtilityResult).margin)


def level_work(place: Place, again: Interval) -> Working:
    """Return the level each band needs so that all hold together."""
    result = place.the(ChunkUtilityResult)
    bands = 2 * len(result.chunks)
    return Working(
        filled=rf"1 - \frac{{1 - {tex(result.level)}}}{{{bands}}} = {tex(again.level)}",
        inputs=(
            Input(name="bands of the question", value=bands),
            Input(name="level of all together", value=result.level),
        ),
    )


ENTRIES: tuple[Entry, ...] = (
    entry(SampledBelief, "weights", weight_work),
    entry(SampledBelief, "kernel", kernel_work),
    entry(SampledBelief, "soft", soft_work),
    entry(SampledBelief, "effective"),
    entry(ChunkChange, "delta", delta_work, compared_in=ChunkUtilityResult),
    entry(ChunkUtilityResult, "margin"),
    entry(ChunkUtilityResult, "level"),
)
FACTS: tuple[Fact, ...] = (
    Fact(SampledBelief, "weights", weights_again),
    Fact(SampledBelief, "kernel", kernel_again),
    Fact(SampledBelief, "interval", interval_again),
    Fact(ChunkChange, "interval", change_interval_again),
    Fact(ChunkChange, "effect", effect_again),
    Fact(ChunkUse, "verdict", of_owner(lambda use: utility(use.left_out.effect, use.alone.effect))),
)
