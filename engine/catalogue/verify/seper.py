"""SePer again from its raw part: samples with their token log-probabilities, judgements, gold answers (eq. 7-11)."""

from collections.abc import Iterator

from engine.catalogue.verify.answers import (
    READINGS,
    BeliefSource,
    against_golds,
    belief_checks,
    hard_kernel,
    ids_of,
    interval_values,
    judged_pairs,
    logprobs_of,
    moved,
)
from engine.catalogue.verify.base import Check, Source, compare
from engine.measures.checks import Floats
from engine.measures.semantic_perplexity import delta_seper, sample_weights, seper_hard, seper_soft
from engine.methods.seper import Belief, SeperResult


def checks(result: SeperResult, source: Source) -> Iterator[Check]:
    """Yield the derived numbers of both beliefs, then the changes and their intervals."""
    belief_source = BeliefSource(
        judged=judged_pairs(result.judgements),
        golds=result.golds,
        variant=result.variant,
        seed=source.seed,
        resamples=result.resamples,
    )
    yield from belief_checks("seper.without", result.without, belief_source)
    yield from belief_checks("seper.with_passages", result.with_passages, belief_source)
    yield from change_checks(result, belief_source)


def change_checks(result: SeperResult, source: BeliefSource) -> Iterator[Check]:
    """Yield ΔSePer, soft and hard, with their intervals; without a gold answer all four are none."""
    if not source.golds:
        stored = (result.delta_soft, result.delta_hard, result.delta_soft_interval, result.delta_hard_interval)
        yield compare("seper.delta_soft, delta_hard and intervals", stored, lambda: (None, None, None, None))
        return

    def both(index: int) -> float:
        return delta_seper(sepers(result.with_passages, source)[index], sepers(result.without, source)[index])

    yield compare("seper.delta_soft", result.delta_soft, lambda: both(0))
    yield compare("seper.delta_hard", result.delta_hard, lambda: both(1))
    yield compare(
        "seper.delta_soft_interval",
        interval_values(result.delta_soft_interval),
        lambda: moved(draws(result.with_passages, source)[0], draws(result.without, source)[0], "soft", source),
    )
    yield compare(
        "seper.delta_hard_interval",
        interval_values(result.delta_hard_interval),
        lambda: moved(draws(result.with_passages, source)[1], draws(result.without, source)[1], "hard", source),
    )


def sepers(belief: Belief, source: BeliefSource) -> tuple[float, float]:
    """Return soft and hard SePer of one condition from the raw part."""
    pooled = READINGS[source.variant][1]
    weights, held = sample_weights(logprobs_of(belief.samples)), against_golds(belief, source)
    hard = seper_hard(weights, ids_of(belief, source.judged), held.matches, "any" if pooled == "max" else "mean")
    return seper_soft(weights, held.soft, answers=pooled), hard


def draws(belief: Belief, source: BeliefSource) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    """Return one condition's (log-probabilities, kernel) for the soft and for the hard interval."""
    held, logprobs = against_golds(belief, source), logprobs_of(belief.samples)
    hard = hard_kernel(ids_of(belief, source.judged), held.matches, READINGS[source.variant][1])
    return (logprobs, held.soft), (logprobs, hard)
