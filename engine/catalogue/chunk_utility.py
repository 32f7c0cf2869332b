"""The numbers of single chunks: belief over some chunks, what one of them changes, and the bands that decide."""

from engine.catalogue.base import Entry, Input, Place, Working, setting, tex
from engine.catalogue.seper import (
    delta_entry,
    delta_working,
    kernel_entry,
    kernel_working,
    mean_logprobs,
    soft_entry,
    soft_working,
    weight_working,
    weights_entry,
)
from engine.core.records import Interval
from engine.core.seeds import derive_seed
from engine.measures.chunk_utility import shared_level
from engine.measures.draw_intervals import delta_interval, seper_interval
from engine.methods.chunk_utility import ChunkChange, ChunkUse, ChunkUtilityResult, SampledBelief
from engine.methods.seper import CHOICES


def weight_work(place: Place) -> Working:
    """Return one draw's weight."""
    return weight_working(place.the(SampledBelief).samples, place.position[0])


def kernel_work(place: Place) -> Working:
    """Return one draw's entailment with one gold answer."""
    result, belief = place.the(ChunkUtilityResult), place.the(SampledBelief)
    return kernel_working(place, belief.samples, result.golds, result.judgements, result.variant)


def soft_work(place: Place) -> Working:
    """Return soft SePer over these chunks."""
    result, belief = place.the(ChunkUtilityResult), place.the(SampledBelief)
    return soft_working(belief.samples, belief.weights, belief.kernel, result.variant, result.golds)


def sides(place: Place) -> tuple[SampledBelief, SampledBelief, str, str]:
    """Return the beliefs after and before that a change compares, with their names."""
    result, use, change = place.the(ChunkUtilityResult), place.the(ChunkUse), place.the(ChunkChange)
    if "left_out" in place.steps:
        return result.with_passages, change.belief, "all chunks", f"all but chunk {use.index + 1}"
    return change.belief, result.without, f"chunk {use.index + 1} alone", "from memory"


def delta_work(place: Place) -> Working:
    """Return what having a chunk does to belief in the right answer."""
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


def interval_work(place: Place) -> Working:
    """Return an end of the interval of SePer over these chunks, bootstrapped again with the run's own seed."""
    result, belief = place.the(ChunkUtilityResult), place.the(SampledBelief)
    ends = seper_interval(
        mean_logprobs(belief.samples),
        belief.kernel,
        derive_seed(place.diagnosis.provenance.seed, "chunk_utility", "interval", condition(place)),
        answers=CHOICES[result.variant].answers,
        repeats=place.the(ChunkUtilityResult).resamples,
    )
    return interval_end(place, ends)


def change_interval_work(place: Place) -> Working:
    """Return an end of a change's band, both conditions' draws drawn again with the run's own seed."""
    result, use, band = place.the(ChunkUtilityResult), place.the(ChunkUse), place.the(Interval)
    after, before, _, _ = sides(place)
    name = f"left out {use.index}" if "left_out" in place.steps else f"alone {use.index}"
    ends = delta_interval(
        mean_logprobs(after.samples),
        after.kernel,
        mean_logprobs(before.samples),
        before.kernel,
        derive_seed(place.diagnosis.provenance.seed, "chunk_utility", "delta", name),
        answers=CHOICES[result.variant].answers,
        repeats=place.the(ChunkUtilityResult).resamples,
        level=band.level,
    )
    return interval_end(place, ends)


def interval_end(place: Place, ends: tuple[float, float]) -> Working:
    """Return the working of an end of a bootstrap interval."""
    repeats = place.the(ChunkUtilityResult).resamples
    return Working(
        filled=rf"[q_{{low}}, q_{{high}}] \text{{ of }} {repeats} \text{{ resamples}} "
        rf"= [{tex(ends[0])}, {tex(ends[1])}]",
        inputs=(Input(name="resamples", value=repeats),),
        again=ends[0] if place.field == "low" else ends[1],
    )


def level_work(place: Place) -> Working:
    """Return the level each band needs so that all hold together."""
    result = place.the(ChunkUtilityResult)
    bands = 2 if len(result.chunks) == 1 else 2 * len(result.chunks)
    again = shared_level(bands, result.level)
    return Working(
        filled=rf"1 - \frac{{1 - {tex(result.level)}}}{{{bands}}} = {tex(again)}",
        inputs=(
            Input(name="bands of the question", value=bands),
            Input(name="level of all together", value=result.level),
        ),
        again=again,
    )


ENTRIES: tuple[Entry, ...] = (
    weights_entry(SampledBelief, work=weight_work),
    kernel_entry(SampledBelief, work=kernel_work),
    soft_entry(SampledBelief, "SePer, soft, over these chunks", short="SePer", work=soft_work),
    delta_entry(
        ChunkChange,
        "delta",
        "ΔSePer of one chunk",
        "above 0 = having the chunk moves belief towards the right answer",
        short="Δ",
        work=delta_work,
    ),
    setting(
        ChunkUtilityResult,
        "margin",
        "Smallest change worth speaking of",
        "probability",
        "none: the verdicts on single chunks are ours",
        "not in the paper",
        range="above 0",
        equation=r"|\Delta| \ge m",
        function="engine.measures.chunk_utility.effect",
    ),
    setting(
        ChunkUtilityResult,
        "level",
        "Level at which all bands of the question hold together",
        "share",
        "none: SePer prints no intervals",
        "not in the paper (Bonferroni)",
        range="0 to 1",
        function="engine.measures.chunk_utility.shared_level",
    ),
)
