"""What follows from answers and judgements: classes, meanings, kernels, belief, intervals.

Judgements are the raw part: who entails whom, with what probability. Pairs are looked up as they were asked: texts that
differ in case, spaces and outer punctuation only are one text, shown by the first that has it. A pair that was asked
twice, in two batches, has two judgements that differ in a late digit, and a record does not say which of them counted
where: either is accepted, nothing else is.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np

from engine.backends.entailment.matrix import first_of_each, plain
from engine.catalogue.verify.base import Check, compare
from engine.core.records import Generation, Interval, Judgement
from engine.core.seeds import derive_seed
from engine.measures.checks import Bools, Floats, Ints
from engine.measures.draw_intervals import delta_interval, seper_interval
from engine.measures.semantic_clusters import ENTAILMENT, cluster, cluster_probabilities, equivalent, first_members
from engine.measures.semantic_entropy import semantic_entropy
from engine.measures.semantic_perplexity import (
    draws_that_match,
    kernel,
    mean_logprob,
    sample_weights,
    seper_hard,
    seper_soft,
)
from engine.methods.seper import Belief

Judged = dict[tuple[str, str], tuple[Judgement, ...]]
Odds = tuple[float, float, float]
Pooled = Literal["max", "mean"]
Direction = Literal["max", "response_to_answer"]
Match = Literal["loose", "strict"]
# SePer's two readings: direction of entailment, how gold answers are pooled, when two texts match.
READINGS: dict[str, tuple[Direction, Pooled, Match]] = {
    "code": ("max", "max", "loose"),
    "paper": ("response_to_answer", "mean", "strict"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """Samples held against gold answers: soft kernel [n, golds], matches of each meaning [meanings, golds]."""

    soft: Floats
    matches: Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefSource:
    """What a belief follows from: its samples' judgements, SePer's variant, and how its interval was drawn."""

    judged: Judged
    golds: tuple[str, ...]
    variant: str
    seed: int
    resamples: int


def judged_pairs(judgements: Sequence[Judgement]) -> Judged:
    """Return the judgements by (premise, hypothesis), in the order they were made."""
    found: Judged = {}
    for one in judgements:
        key = (one.premise, one.hypothesis)
        found[key] = (*found.get(key, ()), one)
    return found


def odds_of(judged: Judged, premise: str, hypothesis: str) -> tuple[Odds, ...]:
    """Return a pair's three probabilities, once for each time it was asked. Raises LookupError where it never was."""
    found = judged.get((premise, hypothesis))
    if found is None:
        raise LookupError(f"no judgement of {premise[:40]!r} against {hypothesis[:40]!r} is stored")
    return tuple((one.contradiction, one.neutral, one.entailment) for one in found)


def odds_table(texts: Sequence[str], judged: Judged, which: int) -> Floats:
    """Return P(row, column) [n, n, 3] from the first (0) or last (-1) time each pair was asked; equal texts entail."""
    keys = [plain(text) for text in texts]
    shown = first_of_each(keys, texts)
    same = (0.0, 0.0, 1.0)
    rows = [[same if a == b else odds_of(judged, shown[a], shown[b])[which] for b in keys] for a in keys]
    return np.array(rows, dtype=np.float64).reshape(len(keys), len(keys), 3)


def classes_of(texts: Sequence[str], judged: Judged, stored_ids: Sequence[int] | None = None) -> Ints:
    """Return entailment classes [n, n], row = premise. Raises LookupError where a pair was never judged.

    Of pairs that were asked twice those count that give ``stored_ids``, if either does; else the first.
    """
    tables = [odds_table(texts, judged, which).argmax(-1) for which in (0, -1)]
    wanted = None if stored_ids is None else tuple(stored_ids)
    fitting = (classes for classes in tables if wanted == tuple(cluster(classes, rule="strict").tolist()))
    return next(fitting, tables[0])


def entailment_of(texts: Sequence[str], judged: Judged) -> Floats:
    """Return P(row entails column) [n, n]; 1 for texts that are one. Raises LookupError where a pair was not judged."""
    return odds_table(texts, judged, 0)[..., ENTAILMENT]


def ids_of(belief: Belief, judged: Judged) -> Ints:
    """Return the meaning of each sample of a belief, from the judgements."""
    texts = [sample.text.strip() for sample in belief.samples]
    return cluster(classes_of(texts, judged, belief.ids), rule="strict")


def soft_kernel(
    texts: Sequence[str], golds: Sequence[str], judged: Judged, variant: str, stored: Sequence[Sequence[float]]
) -> tuple[Floats, Ints, Ints]:
    """Return the soft kernel [n, golds] and the classes of both directions, from the judgements.

    Of a pair that was asked twice the judgements count that come nearest to ``stored``.
    """
    direction = READINGS[variant][0]
    responses, answers = firsts(texts), firsts(golds)
    made = np.zeros((len(responses), len(answers)))
    forward, backward = np.zeros(made.shape, dtype=np.int64), np.zeros(made.shape, dtype=np.int64)
    for (i, text), (j, gold) in product(enumerate(responses), enumerate(answers)):
        choices = product(odds_of(judged, text, gold), odds_of(judged, gold, text))
        values = [(float(kernel([f[2]], [b[2]], direction=direction)[0]), f, b) for f, b in choices]
        held = stored[i][j] if i < len(stored) and j < len(stored[i]) else values[0][0]
        made[i, j], there, back = min(values, key=lambda value: abs(value[0] - held))
        forward[i, j], backward[i, j] = int(np.argmax(there)), int(np.argmax(back))
    return made, forward, backward


def firsts(texts: Sequence[str]) -> list[str]:
    """Return for each text the first one that counts as the same.

    >>> firsts(["Paris", "paris.", "Rome"])
    ['Paris', 'Paris', 'Rome']
    """
    keys = [plain(text) for text in texts]
    shown = first_of_each(keys, texts)
    return [shown[key] for key in keys]


def against_golds(belief: Belief, source: BeliefSource) -> Against:
    """Return a belief's soft kernel and its meanings' matches in a variant of SePer, from the judgements."""
    texts = [sample.text.strip() for sample in belief.samples]
    soft, forward, backward = soft_kernel(texts, source.golds, source.judged, source.variant, belief.kernel)
    heads = first_members(ids_of(belief, source.judged))
    return Against(soft=soft, matches=equivalent(forward[heads], backward[heads], rule=READINGS[source.variant][2]))


def logprobs_of(samples: Sequence[Generation]) -> Floats:
    """Return each sample's mean token log-probability in nats; of an empty one its end token's."""
    return np.array([mean_logprob([token.logprob for token in counted(sample)]) for sample in samples])


def counted(sample: Generation) -> tuple[Any, ...]:
    """Return the tokens that count for a sample: its own, or the end token where it wrote nothing."""
    return sample.tokens or ((sample.stop_token,) if sample.stop_token else ())


def hard_kernel(ids: Ints, matches: Bools, pooled: Pooled) -> Floats:
    """Return the kernel whose soft SePer is hard SePer: a match with any gold answer, or with each."""
    return draws_that_match(ids, matches)[:, None] if pooled == "max" else matches[ids].astype(np.float64)


def interval_values(interval: Interval | None) -> tuple[float, float] | None:
    """Return an interval's two ends, None without one."""
    return None if interval is None else (interval.low, interval.high)


def belief_checks(place: str, belief: Belief, source: BeliefSource) -> Iterator[Check]:
    """Yield a belief's derived numbers, each followed from samples and judgements alone."""

    def ids() -> Ints:
        return ids_of(belief, source.judged)

    def weights() -> Floats:
        return sample_weights(logprobs_of(belief.samples))

    yield compare(f"{place}.weights", belief.weights, weights)
    yield compare(f"{place}.ids", belief.ids, ids)
    yield from meaning_checks(place, belief, ids, weights)
    yield from gold_checks(place, belief, source, ids, weights)


def meaning_checks(
    place: str, belief: Belief, ids: Callable[[], Ints], weights: Callable[[], Floats]
) -> Iterator[Check]:
    """Yield the meanings: who is in each, its probability, the text that stands for it, and their entropy."""
    members = tuple(meaning.members for meaning in belief.meanings)
    probabilities = tuple(meaning.probability for meaning in belief.meanings)
    texts = tuple(meaning.text for meaning in belief.meanings)
    yield compare(f"{place}.meanings.members", members, lambda: members_of(ids()))
    yield compare(f"{place}.meanings.probability", probabilities, lambda: cluster_probabilities(weights(), ids()))
    yield compare(
        f"{place}.meanings.text", texts, lambda: [belief.samples[head].text.strip() for head in first_members(ids())]
    )
    yield compare(f"{place}.entropy", belief.entropy, lambda: semantic_entropy(cluster_probabilities(weights(), ids())))


def members_of(ids: Ints) -> tuple[tuple[int, ...], ...]:
    """Return which samples each meaning holds.

    >>> members_of(np.array([0, 1, 0]))
    ((0, 2), (1,))
    """
    return tuple(tuple(int(i) for i in np.flatnonzero(ids == number)) for number in range(int(ids.max()) + 1))


def gold_checks(
    place: str, belief: Belief, source: BeliefSource, ids: Callable[[], Ints], weights: Callable[[], Floats]
) -> Iterator[Check]:
    """Yield what needs a gold answer: kernel, matches, both SePers and their intervals; without one, that all are none.

    A belief over no gold answers holds an empty kernel and no numbers.
    """
    if not source.golds:
        stored = (belief.kernel, belief.soft, belief.hard, belief.soft_interval, belief.hard_interval)
        yield compare(f"{place}.kernel, soft and hard", stored, lambda: ((), None, None, None, None))
        return
    pooled = READINGS[source.variant][1]

    def against() -> Against:
        return against_golds(belief, source)

    def spread(values: Floats) -> tuple[float, float]:
        seed = derive_seed(source.seed, "seper", "interval")
        return seper_interval(logprobs_of(belief.samples), values, seed, answers=pooled, repeats=source.resamples)

    matched = tuple(meaning.matches_gold for meaning in belief.meanings)
    yield compare(f"{place}.kernel", belief.kernel, lambda: against().soft)
    yield compare(f"{place}.meanings.matches_gold", matched, lambda: against().matches.any(axis=1))
    yield compare(f"{place}.soft", belief.soft, lambda: seper_soft(weights(), against().soft, answers=pooled))
    yield compare(
        f"{place}.hard",
        belief.hard,
        lambda: seper_hard(weights(), ids(), against().matches, "any" if pooled == "max" else "mean"),
    )
    yield compare(f"{place}.soft_interval", interval_values(belief.soft_interval), lambda: spread(against().soft))
    yield compare(
        f"{place}.hard_interval",
        interval_values(belief.hard_interval),
        lambda: spread(hard_kernel(ids(), against().matches, pooled)),
    )


def moved(
    after: tuple[Floats, Floats],
    before: tuple[Floats, Floats],
    which: Literal["soft", "hard"],
    source: BeliefSource,
) -> tuple[float, float]:
    """Return the ends of ΔSePer's interval from two conditions' (log-probabilities, kernel)."""
    return delta_interval(
        after[0],
        after[1],
        before[0],
        before[1],
        derive_seed(source.seed, "seper", "delta", which),
        answers=READINGS[source.variant][1],
        repeats=source.resamples,
    )
