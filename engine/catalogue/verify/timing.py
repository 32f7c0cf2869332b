"""Retrieval timing again from its raw part: tokens, signals, bars; what each run kept; belief at each retrieval.

ETC's and DRAGIN's signals rest on the parser's tags and on attention, which no record holds: they are raw here, and
what is checked is which of them fire. FLARE's follow from the stored log-probabilities.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from engine.catalogue.verify.answers import interval_values, logprobs_of
from engine.catalogue.verify.base import Check, Source, compare
from engine.core.records import Generation, Interval
from engine.core.seeds import derive_seed
from engine.measures.answer_match import contains
from engine.measures.checks import Floats
from engine.measures.draw_intervals import REPEATS, delta_interval, seper_interval
from engine.measures.retrieval_timing import doubt
from engine.measures.semantic_clusters import cluster_probabilities
from engine.measures.semantic_entropy import semantic_entropy
from engine.measures.semantic_perplexity import delta_seper, sample_weights, seper_soft
from engine.methods.seper import belief_change
from engine.methods.timing.base import Bar, Lane, PolicyRun, Signal, Stair
from engine.methods.timing.method import TimingResult
from engine.methods.timing.staircase import WORTH

REFERENCE = "entropy_trend"


def checks(result: TimingResult, source: Source) -> Iterator[Check]:
    """Yield every lane's triggers and delay, FLARE's values, and what each run wrote, kept and believed."""
    reference = next((first_token(lane) for lane in result.lanes if lane.policy == REFERENCE), None)
    for lane in result.lanes:
        place = f"timing.lanes.{lane.policy}"
        yield compare(f"{place}.triggers", lane.triggers, fired, lane.signals, lane.bar)
        yield compare(f"{place}.delay", lane.delay, delay, first_token(lane), reference)
        if lane.policy == "flare" and lane.signals:
            stored = tuple(signal.value for signal in lane.signals)
            yield compare(f"{place}.signals.value", stored, flare_values, result, lane)
    if result.golds:
        said = result.answer or result.generation.text
        yield compare("timing.right", result.right, lambda: contains(said, result.golds))
    for run in result.runs:
        yield from run_checks(f"timing.runs.{run.policy}", run, result, source)


def first_token(lane: Lane) -> int | None:
    """Return the token of a lane's first trigger by its signals and bar, None where nothing fires."""
    places = fired(lane.signals, lane.bar)
    return lane.signals[places[0]].token if places else None


def delay(token: int | None, reference: int | None) -> int | None:
    """Return how many tokens later one trigger stands than ETC's, None unless both are there."""
    return None if token is None or reference is None else token - reference


def fired(signals: Sequence[Signal], bar: Bar) -> tuple[int, ...]:
    """Return which signals reach their bar."""
    return tuple(place for place, signal in enumerate(signals) if reaches(signal.value, bar))


def reaches(value: float | None, bar: Bar) -> bool:
    """Return whether a value asks for a lookup: a schedule always does, a value that was not measured never.

    >>> reaches(0.7, Bar(rule="below", threshold=0.8, unit="probability"))
    True
    """
    if bar.rule == "always":
        return True
    if value is None or bar.threshold is None:
        return False
    if bar.rule == "below":
        return value < bar.threshold
    amount = abs(value) if bar.rule.startswith("magnitude") else value
    return amount >= bar.threshold if bar.rule == "magnitude at least" else amount > bar.threshold


def flare_values(result: TimingResult, lane: Lane) -> list[float]:
    """Return what FLARE compares: each token's probability, or, as re-implemented, each sentence's mean doubt."""
    tokens = result.generation.tokens
    chances = [min(1.0, math.exp(token.logprob)) for token in tokens]
    if result.variant == "paper":
        return [chances[signal.token] for signal in lane.signals]
    return [
        doubt([p for p, token in zip(chances, tokens, strict=True) if signal.start < token.end <= signal.end])
        for signal in lane.signals
    ]


def run_checks(place: str, run: PolicyRun, result: TimingResult, source: Source) -> Iterator[Check]:
    """Yield what a run wrote and kept, whether it is right, and its staircase of belief."""
    written = run.written
    yield compare(f"{place}.text", run.text.rstrip(), lambda: kept_text(run).rstrip())
    yield compare(
        f"{place}.tokens_kept", run.tokens_kept, lambda: sum(tokens_before(w.generation, w.kept) for w in written)
    )
    yield compare(f"{place}.tokens_written", run.tokens_written, lambda: sum(len(w.generation.tokens) for w in written))
    yield compare(f"{place}.prompt_tokens", run.prompt_tokens, lambda: sum(w.generation.prompt_tokens for w in written))
    if result.golds and not run.not_measured:
        yield compare(f"{place}.right", run.right, lambda: contains(run.answer or run.text, result.golds))
    for number, stair in enumerate(run.stairs):
        yield from stair_checks(f"{place}.stairs.{number}", stair, source.seed)
    for number, (before, after) in enumerate(pairwise(run.stairs), start=1):
        yield from rise_checks(f"{place}.stairs.{number}", before, after, source.seed)


def kept_text(run: PolicyRun) -> str:
    """Return what stayed of each continuation, one after the other; where it went on, without spaces at its end."""
    text = ""
    for written in run.written:
        text = text.rstrip() + written.generation.text[: written.kept]
    return text


def tokens_before(generation: Generation, cut: int) -> int:
    """Return how many tokens stand before a cut; one of which only its leading space does stands behind it."""
    text = generation.text
    return sum(token.end <= cut or bool(text[token.start : cut].strip()) for token in generation.tokens)


def stair_checks(place: str, stair: Stair, seed: int) -> Iterator[Check]:
    """Yield one stair's belief from its samples and kernel; who entails whom is raw here."""
    belief = stair.belief

    def weights() -> Floats:
        return sample_weights(logprobs_of(belief.samples))

    def probabilities() -> Floats:
        return cluster_probabilities(weights(), belief.ids)

    yield compare(f"{place}.weights", belief.weights, weights)
    yield compare(f"{place}.meanings.probability", tuple(one.probability for one in belief.meanings), probabilities)
    yield compare(f"{place}.entropy", belief.entropy, lambda: semantic_entropy(probabilities()))
    if belief.kernel:
        yield compare(f"{place}.soft", stair.soft, lambda: seper_soft(weights(), kernel_of(stair)))
        yield compare(
            f"{place}.soft_interval",
            interval_values(stair.soft_interval),
            lambda: seper_interval(
                logprobs_of(belief.samples), kernel_of(stair), derive_seed(seed, "seper", "interval"), repeats=REPEATS
            ),
        )


def rise_checks(place: str, before: Stair, after: Stair, seed: int) -> Iterator[Check]:
    """Yield what a retrieval added to belief, its interval, and what that says."""
    if not before.belief.kernel or not after.belief.kernel:
        return

    def band() -> tuple[float, float]:
        return delta_interval(
            logprobs_of(after.belief.samples),
            kernel_of(after),
            logprobs_of(before.belief.samples),
            kernel_of(before),
            derive_seed(seed, "seper", "delta", "soft"),
            repeats=REPEATS,
        )

    def gain() -> float:
        return delta_seper(soft_of(after), soft_of(before))

    yield compare(f"{place}.gain", after.gain, gain)
    yield compare(f"{place}.gain_interval", interval_values(after.gain_interval), band)
    yield compare(f"{place}.worth", after.worth, lambda: worth(gain(), *band()))


def kernel_of(stair: Stair) -> Floats:
    """Return a stair's soft kernel [samples, golds]."""
    return np.array(stair.belief.kernel, dtype=np.float64)


def soft_of(stair: Stair) -> float:
    """Return SePer of a stair."""
    return seper_soft(sample_weights(logprobs_of(stair.belief.samples)), kernel_of(stair))


def worth(gain: float, low: float, high: float) -> str:
    """Return what a gain and its interval say of its retrieval, by the rule that named it.

    >>> worth(0.2, 0.1, 0.3), worth(-0.15, -0.2, -0.1), worth(0.02, 0.01, 0.03)
    ('helped', 'harmed', 'within noise')
    """
    return WORTH[belief_change(gain, Interval(low=low, high=high))]
