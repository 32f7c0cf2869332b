"""The numbers of single chunks: belief over some chunks, what one of them changes, and the bands that decide."""

from engine.catalogue.base import Entry, Fact, Input, Place, Working, setting, tex
from engine.catalogue.judged import gold_kernel, judged_pairs
from engine.catalogue.seper import (
    delta_entry,
    delta_working,
    kernel_entry,
    kernel_working,
    mean_logprobs,
    resampled_work,
    sample_texts,
    soft_entry,
    soft_working,
    weight_working,
    weights_entry,
)
from engine.core.records import Interval
from engine.core.seeds import derive_seed
from engine.measures.checks import Floats
from engine.measures.chunk_utility import effect, shared_level, utility
from engine.measures.draw_intervals import delta_interval, seper_interval
from engine.measures.semantic_perplexity import sample_weights
from engine.methods.chunk_utility import ChunkChange, ChunkUse, ChunkUtilityResult, SampledBelief
from engine.methods.seper import CHOICES


def weight_work(place: Place) -> Working:
    """Return one draw's weight."""
    return weight_working(place.the(SampledBelief).samples, place.position[0])


def kernel_work(place: Place) -> Working:
    """Return one draw's entailment with one correct answer."""
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


def kernel_again(place: Place) -> Floats:
    """Return how far each draw entails each correct answer, from the judgements."""
    result, belief = place.the(ChunkUtilityResult), place.the(SampledBelief)
    judged = place.once(judged_pairs, result.judgements)
    return gold_kernel(sample_texts(belief.samples), result.golds, judged, result.variant, belief.kernel)[0]


def interval_again(place: Place) -> Interval:
    """Return the interval of SePer over these chunks, the draws drawn again with the run's own seed."""
    result, belief = place.the(ChunkUtilityResult), place.the(SampledBelief)
    low, high = seper_interval(
        mean_logprobs(belief.samples),
        belief.kernel,
        derive_seed(place.diagnosis.provenance.seed, "chunk_utility", "interval", condition(place)),
        answers=CHOICES[result.variant].answers,
        repeats=result.resamples,
    )
    return Interval(low=low, high=high)


def change_interval_again(place: Place) -> Interval:
    """Return a change's band, both conditions' draws drawn again with the run's own seed."""
    result, use = place.the(ChunkUtilityResult), place.the(ChunkUse)
    after, before, _, _ = sides(place)
    name = f"left out {use.index}" if "left_out" in place.steps else f"alone {use.index}"
    level = shared_level(bands_of(result), result.level)
    low, high = delta_interval(
        mean_logprobs(after.samples),
        after.kernel,
        mean_logprobs(before.samples),
        before.kernel,
        derive_seed(place.diagnosis.provenance.seed, "chunk_utility", "delta", name),
        answers=CHOICES[result.variant].answers,
        repeats=result.resamples,
        level=level,
    )
    return Interval(low=low, high=high, level=level)


def effect_again(place: Place) -> str:
    """Return what a change shows, from its band."""
    own = place.the(ChunkChange)
    return effect(own.delta, own.interval.low, own.interval.high, place.the(ChunkUtilityResult).margin)


def verdict_again(place: Place) -> str:
    """Return the verdict on a chunk from what its two changes show."""
    use = place.the(ChunkUse)
    return utility(use.left_out.effect, use.alone.effect)


def bands_of(result: ChunkUtilityResult) -> int:
    """Return how many bands of a question have to hold together: both changes of one chunk are one comparison."""
    return 2 if len(result.chunks) == 1 else 2 * len(result.chunks)


def interval_work(place: Place, again: Interval) -> Working:
    """Return a bootstrap interval with how it was made."""
    belief = place.the(ChunkChange).belief if isinstance(place.owner, ChunkChange) else place.the(SampledBelief)
    return resampled_work(again, place.the(ChunkUtilityResult).resamples, len(belief.samples))


def level_work(place: Place, again: Interval) -> Working:
    """Return the level each band needs so that all hold together."""
    result = place.the(ChunkUtilityResult)
    bands = bands_of(result)
    return Working(
        filled=rf"1 - \frac{{1 - {tex(result.level)}}}{{{bands}}} = {tex(again.level)}",
        inputs=(
            Input(name="bands of the question", value=bands),
            Input(name="level of all together", value=result.level),
        ),
    )


ENTRIES: tuple[Entry, ...] = (
    weights_entry(SampledBelief, work=weight_work),
    kernel_entry(SampledBelief, work=kernel_work),
    soft_entry(SampledBelief, "SePer, soft, over these chunks", short="SePer", interval="interval", work=soft_work),
    delta_entry(
        ChunkChange,
        "delta",
        "ΔSePer of one chunk",
        "above 0 = having the chunk moves belief towards the right answer",
        short="Δ",
        interval="interval",
        compared_in=ChunkUtilityResult,
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
FACTS: tuple[Fact, ...] = (
    Fact(SampledBelief, "weights", lambda place: sample_weights(mean_logprobs(place.the(SampledBelief).samples))),
    Fact(SampledBelief, "kernel", kernel_again),
    Fact(SampledBelief, "interval", interval_again),
    Fact(ChunkChange, "interval", change_interval_again),
    Fact(ChunkChange, "effect", effect_again),
    Fact(ChunkUse, "verdict", verdict_again),
)
RAW_PARTS: tuple[tuple[str, str], ...] = ()
