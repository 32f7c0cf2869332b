"""The utility of single chunks again from its raw part: samples, judgements, margin and level (SePer, eq. 11)."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.catalogue.verify.answers import READINGS, Judged, interval_values, judged_pairs, logprobs_of, soft_kernel
from engine.catalogue.verify.base import Check, Source, compare
from engine.core.seeds import derive_seed
from engine.measures.checks import Floats
from engine.measures.chunk_utility import Effect, effect, shared_level, utility
from engine.measures.draw_intervals import delta_interval, seper_interval
from engine.measures.semantic_perplexity import delta_seper, sample_weights, seper_soft
from engine.methods.chunk_utility import ChunkChange, ChunkUse, ChunkUtilityResult, SampledBelief


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw:
    """What every number here follows from beside the samples."""

    result: ChunkUtilityResult
    judged: Judged
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Two conditions and how their difference was drawn: ``name`` is part of the seed, ``bands`` share the level."""

    after: SampledBelief
    before: SampledBelief
    name: str
    bands: int


def checks(result: ChunkUtilityResult, source: Source) -> Iterator[Check]:
    """Yield every condition's SePer with its band, and each chunk's two changes and verdict."""
    raw = Raw(result=result, judged=judged_pairs(result.judgements), seed=source.seed)
    yield from belief_checks("chunk_utility.without", result.without, "without", raw)
    yield from belief_checks("chunk_utility.with_passages", result.with_passages, "with", raw)
    only_one = len(result.chunks) == 1
    for chunk in result.chunks:
        place, number = f"chunk_utility.chunks.{chunk.index}", chunk.index + 1
        if not only_one:
            rest, alone = f"without chunk {number} of the", f"over chunk {number} of the"
            yield from belief_checks(f"{place}.left_out.belief", chunk.left_out.belief, rest, raw)
            yield from belief_checks(f"{place}.alone.belief", chunk.alone.belief, alone, raw)
        yield from use_checks(place, chunk, raw)


def belief_checks(place: str, belief: SampledBelief, condition: str, raw: Raw) -> Iterator[Check]:
    """Yield one condition's weights, kernel, soft SePer and band."""
    pooled = READINGS[raw.result.variant][1]

    def spread() -> tuple[float, float]:
        seed = derive_seed(raw.seed, "chunk_utility", "interval", condition)
        held = logprobs_of(belief.samples), kernel_of(belief, raw)
        return seper_interval(*held, seed, answers=pooled, repeats=raw.result.resamples)

    yield compare(f"{place}.weights", belief.weights, lambda: sample_weights(logprobs_of(belief.samples)))
    yield compare(f"{place}.kernel", belief.kernel, lambda: kernel_of(belief, raw))
    yield compare(f"{place}.soft", belief.soft, lambda: soft_of(belief, raw))
    yield compare(f"{place}.interval", interval_values(belief.interval), spread)


def use_checks(place: str, chunk: ChunkUse, raw: Raw) -> Iterator[Check]:
    """Yield one chunk's two changes, what each shows, and the verdict."""
    result, bands = raw.result, 2 if len(raw.result.chunks) == 1 else 2 * len(raw.result.chunks)
    rest, alone = chunk.left_out.belief, chunk.alone.belief
    left_out = Compared(after=result.with_passages, before=rest, name=f"left out {chunk.index}", bands=bands)
    by_itself = Compared(after=alone, before=result.without, name=f"alone {chunk.index}", bands=bands)
    for name, stored, compared in (("left_out", chunk.left_out, left_out), ("alone", chunk.alone, by_itself)):
        yield from change_checks(f"{place}.{name}", stored, compared, raw)
    yield compare(
        f"{place}.verdict",
        chunk.verdict,
        lambda: utility(effect_of(left_out, raw), effect_of(by_itself, raw)),
    )


def change_checks(place: str, stored: ChunkChange, compared: Compared, raw: Raw) -> Iterator[Check]:
    """Yield a change with its band and its word."""
    yield compare(f"{place}.delta", stored.delta, lambda: delta_of(compared, raw))
    yield compare(f"{place}.interval", interval_values(stored.interval), lambda: band_of(compared, raw))
    yield compare(f"{place}.effect", stored.effect, lambda: effect_of(compared, raw))


def kernel_of(belief: SampledBelief, raw: Raw) -> Floats:
    """Return the soft kernel [samples, golds] from the judgements."""
    texts = [sample.text.strip() for sample in belief.samples]
    return soft_kernel(texts, raw.result.golds, raw.judged, raw.result.variant, belief.kernel)[0]


def soft_of(belief: SampledBelief, raw: Raw) -> float:
    """Return soft SePer of one condition."""
    weights = sample_weights(logprobs_of(belief.samples))
    return seper_soft(weights, kernel_of(belief, raw), answers=READINGS[raw.result.variant][1])


def delta_of(compared: Compared, raw: Raw) -> float:
    """Return the change of SePer between two conditions."""
    return delta_seper(soft_of(compared.after, raw), soft_of(compared.before, raw))


def band_of(compared: Compared, raw: Raw) -> tuple[float, float]:
    """Return the band of a change, drawn with its own seed at the level all bands share."""
    return delta_interval(
        logprobs_of(compared.after.samples),
        kernel_of(compared.after, raw),
        logprobs_of(compared.before.samples),
        kernel_of(compared.before, raw),
        derive_seed(raw.seed, "chunk_utility", "delta", compared.name),
        answers=READINGS[raw.result.variant][1],
        repeats=raw.result.resamples,
        level=shared_level(compared.bands, raw.result.level),
    )


def effect_of(compared: Compared, raw: Raw) -> Effect:
    """Return what a change shows: up, down, none or unclear."""
    low, high = band_of(compared, raw)
    return effect(delta_of(compared, raw), low, high, raw.result.margin)
