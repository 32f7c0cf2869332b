"""SePer's numbers: what each draw weighs, how far it entails a correct answer, and belief before and after reading.

A belief stands in three methods: SePer's own, SUGAR's (which knows no correct answer) and the staircase of retrieval
timing, whose judgements are not stored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.backends.entailment.matrix import first_texts
from engine.catalogue.base import UNSTORED, Entry, Fact, Input, Place, Working, entry, of_owner, signed_tex, tex, total
from engine.catalogue.judged import (
    JUDGED_TWICE,
    Judged,
    classes_of,
    gold_kernel,
    judged_pairs,
    judgements_of,
    nearest_entailment,
)
from engine.core.records import Generation, Interval, IntervalMethod, Judgement
from engine.core.seeds import derive_seed
from engine.measures.checks import Bools, Floats, Ints
from engine.measures.draw_intervals import LEVEL
from engine.measures.semantic_clusters import cluster, cluster_probabilities, equivalent, first_members
from engine.measures.semantic_entropy import semantic_entropy
from engine.measures.semantic_perplexity import delta_seper, sample_weights, seper_hard, seper_soft
from engine.methods import seper
from engine.methods.chunk_utility import ChunkChange, ChunkUtilityResult, SampledBelief
from engine.methods.seper import CHOICES, hard_kernel
from engine.methods.seper_records import Belief, EqualBelief, EqualChange, Meaning, SeperConfig, SeperResult
from engine.methods.sugar import SugarResult
from engine.methods.timing.base import BeliefStep
from engine.methods.timing.method import TimingResult

USUAL = SeperConfig()
NEEDS_GOLD = "The run has no correct answer."
OLD_INTERVAL = (
    "Made by an earlier version with the percentile bootstrap, which is too narrow: its 95 % held the true value in as "
    "few as 22 of 100 simulated cases. Ten equal samples give a width of 0."
)
NEW_INTERVAL = "Bayesian bootstrap with one more, imagined sample, two thirds of it against each end."


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefSource:
    """What a belief rests on beside its samples: judgements (None = not stored), correct answers, variant."""

    judgements: tuple[Judgement, ...] | None
    golds: tuple[str, ...]
    variant: Literal["paper", "code"]
    resamples: int


def source_of(place: Place) -> BeliefSource:
    """Return what the belief at a place rests on, by the method it stands in."""
    result, sugar = place.find(SeperResult) or place.find(ChunkUtilityResult), place.find(SugarResult)
    if result is not None:
        repeats = sepers_repeats(place) or result.resamples
        return BeliefSource(judgements=result.judgements, golds=result.golds, variant=result.variant, resamples=repeats)
    if sugar is not None:
        return BeliefSource(judgements=sugar.judgements, golds=(), variant="code", resamples=USUAL.resamples)
    golds = place.the(TimingResult).golds
    return BeliefSource(judgements=None, golds=golds, variant="code", resamples=USUAL.resamples)


def sepers_repeats(place: Place) -> int | None:
    """Return how many repeats made the interval of a belief of chunk utility that is SePer's own, None elsewhere."""
    result, belief = place.find(ChunkUtilityResult), place.find(SampledBelief)
    if result is None or belief is None:
        return None
    shared = len(result.chunks) == 1 or belief is result.without or belief is result.with_passages
    return result.belief_resamples if shared else None


def belief_at(place: Place) -> Belief | SampledBelief:
    """Return the belief that a number belongs to."""
    return place.find(Belief) or place.the(SampledBelief)


def sample_texts(samples: Sequence[Generation]) -> list[str]:
    """Return the samples' texts as they were judged."""
    return [sample.text.strip() for sample in samples]


def ids_again(place: Place) -> object:
    """Return the meaning of each sample, from the judgements."""
    belief, judgements = place.the(Belief), source_of(place).judgements
    if judgements is None:
        return UNSTORED
    judged = place.once(judged_pairs, judgements)

    def fits(classes: Ints) -> bool:
        return tuple(cluster(classes, rule="strict").tolist()) == belief.ids

    return cluster(classes_of(sample_texts(belief.samples), judged, fits), rule="strict")


def meanings_again(place: Place) -> object:
    """Return text, members and match of every meaning, from the stored ids and the judgements."""
    belief = place.the(Belief)
    ids = np.array(belief.ids)
    members = [tuple(int(i) for i in np.flatnonzero(ids == number)) for number in range(max(belief.ids) + 1)]
    matched: list[bool | None] = [None] * len(members)
    if belief.kernel:
        matched = [bool(row.any()) for row in matches_of(place, belief)]
    return tuple((belief.samples[m[0]].text.strip(), m, hit) for m, hit in zip(members, matched, strict=True))


def matches_of(place: Place, belief: Belief) -> Bools:
    """Return which meanings match which correct answers [meanings, golds], from the judgements where they are stored.

    Without judgements, as in a staircase, the stored word on each meaning is all there is: [meanings, 1].
    """
    source = source_of(place)
    if source.judgements is None:
        return np.array([[bool(meaning.matches_gold)] for meaning in belief.meanings])
    _, forward, backward = gold_table(place, belief, source)
    heads = first_members(np.array(belief.ids))
    return equivalent(forward[heads], backward[heads], rule=CHOICES[source.variant].match)


def gold_table(place: Place, belief: Belief | SampledBelief, source: BeliefSource) -> tuple[Floats, Ints, Ints]:
    """Return the kernel of a belief and the classes of both directions, from the judgements."""
    judged = place.once(judged_pairs, source.judgements)
    return place.once(belief_kernel, belief, judged, source.golds, source.variant)


def belief_kernel(
    belief: Belief | SampledBelief, judged: Judged, golds: tuple[str, ...], variant: str
) -> tuple[Floats, Ints, Ints]:
    """Return the kernel of a belief's samples and the classes of both directions."""
    return gold_kernel(sample_texts(belief.samples), golds, judged, variant, belief.kernel)


def kernel_again(place: Place) -> object:
    """Return how far each draw entails each correct answer, from the judgements; () without a correct answer."""
    source = source_of(place)
    if not source.golds:
        return ()
    return UNSTORED if source.judgements is None else gold_table(place, belief_at(place), source)[0]


def interval_again(place: Place) -> Interval | None:
    """Return the interval of one condition's SePer; None without a correct answer."""
    belief = place.the(Belief)
    table = table_of(place, belief, place.field.removesuffix("_interval"))
    if table is None:
        return None
    return belief_interval(place, belief, table, "seper", "interval")


def stored_method(place: Place) -> IntervalMethod:
    """Return how the stored interval was made, so that it is made that way again."""
    stored = getattr(place.owner, place.field)
    return stored.method if isinstance(stored, Interval) else seper.COVERING


def logprobs_at(place: Place, belief: Belief | SampledBelief) -> Floats:
    """Return the draws' mean log-probabilities, all 0 where the place stands for equal weights."""
    found = np.array(mean_logprobs(belief.samples))
    return np.zeros_like(found) if isinstance(place.owner, EqualBelief | EqualChange) else found


def belief_interval(place: Place, belief: Belief | SampledBelief, table: Floats, *labels: str) -> Interval:
    """Return the interval of SePer over a belief's draws, made again with the run's own seed under these labels."""
    seed = derive_seed(place.diagnosis.provenance.seed, *labels)
    logprobs, method = logprobs_at(place, belief), stored_method(place)
    return seper.belief_interval(logprobs, table, seed, intervals_of(place), method)


def intervals_of(place: Place) -> SeperConfig:
    """Return the settings that intervals are drawn by."""
    source = source_of(place)
    return SeperConfig(variant=source.variant, resamples=source.resamples)


def table_of(place: Place, belief: Belief, kind: str) -> Floats | None:
    """Return the kernel whose soft SePer is the soft or the hard one; None without a correct answer."""
    if not belief.kernel:
        return None
    if kind == "soft":
        return np.array(belief.kernel)
    return hard_kernel(np.array(belief.ids), matches_of(place, belief), CHOICES[source_of(place).variant].answers)


def delta_interval_again(place: Place) -> Interval | None:
    """Return the interval of ΔSePer."""
    result = place.the(SeperResult)
    kind = place.field.removeprefix("delta_").removesuffix("_interval")
    return change_interval(place, result.with_passages, result.without, kind)


def change_interval(place: Place, after: Belief, before: Belief, kind: str) -> Interval | None:
    """Return the interval of a difference, both conditions' draws drawn again with the run's own seed."""
    tables = [table_of(place, belief, kind) for belief in (after, before)]
    if tables[0] is None or tables[1] is None:
        return None
    return drawn_change(place, (after, tables[0]), (before, tables[1]), "seper", "delta", kind)


Drawn = tuple[Belief | SampledBelief, Floats]


def drawn_change(place: Place, after: Drawn, before: Drawn, *labels: str, level: float = LEVEL) -> Interval:
    """Return the interval of a difference of two beliefs, each with its kernel, from draws made again."""
    drawn = [(logprobs_at(place, belief), table) for belief, table in (after, before)]
    seed = derive_seed(place.diagnosis.provenance.seed, *labels)
    return seper.change_interval(drawn[0], drawn[1], seed, intervals_of(place), level, stored_method(place))


def mean_logprobs(samples: Sequence[Generation]) -> list[float]:
    """Return each draw's mean token log-probability, in nats."""
    return [sample.mean_logprob for sample in samples]


def weight_working(samples: Sequence[Generation], index: int) -> Working:
    """Return one draw's weight with all mean log-probabilities in the softmax."""
    means = mean_logprobs(samples)
    again = float(sample_weights(means)[index])
    below = total([rf"e^{{{tex(mean, 4)}}}" for mean in means])
    return Working(
        filled=rf"\ell_{{{index + 1}}} = \frac{{e^{{{tex(means[index])}}}}}{{{below}}} = {tex(again)}",
        inputs=tuple(
            Input(name=f"m, sample {number}", of=sample.text, value=mean)
            for number, (sample, mean) in enumerate(zip(samples, means, strict=True), 1)
        ),
        again=again,
    )


def kernel_working(
    place: Place, samples: Sequence[Generation], golds: Sequence[str], judgements: Sequence[Judgement], variant: str
) -> Working:
    """Return how far a draw entails a correct answer, from the judgements in both directions."""
    row, column = place.position
    text, gold = first_texts(sample_texts(samples))[row], first_texts(golds)[column]
    judged = place.once(judged_pairs, judgements)
    again, forth, back = nearest_entailment(judged, text, gold, variant, place.value)
    both = rf"\max({tex(forth.entailment)},\, {tex(back.entailment)})"
    notes = ["Variant “paper” takes the direction sample ⇒ correct answer only."] if variant == "paper" else []
    return Working(
        filled=rf"E = {tex(forth.entailment) if variant == 'paper' else both} = {tex(again)}",
        inputs=(
            Input(name="sample", of=text),
            Input(name="correct answer", of=gold),
            Input(name="P(sample ⇒ correct answer)", value=forth.entailment),
            Input(name="P(correct answer ⇒ sample)", value=back.entailment),
        ),
        again=again,
        note=" ".join([*notes, *([JUDGED_TWICE] if len(judgements_of(judged, text, gold)) > 1 else [])]),
    )


def soft_working(
    samples: Sequence[Generation],
    weights: Sequence[float],
    table: Sequence[Sequence[float]],
    variant: str,
    golds: Sequence[str],
) -> Working:
    """Return soft SePer with the draws' weights and kernel in the sum; the best correct answer's, or their mean."""
    pooled = CHOICES[variant].answers
    again = seper_soft(weights, table, answers=pooled)
    width = len(table[0])
    sums = [sum(weight * row[column] for weight, row in zip(weights, table, strict=True)) for column in range(width)]
    best = sums.index(max(sums))
    terms = total([rf"{tex(weight, 4)} \cdot {tex(row[best], 4)}" for weight, row in zip(weights, table, strict=True)])
    many = "" if width == 1 else rf"\quad (\text{{{pooled} over {width} correct answers: }} {tex(again)})"
    named = f" of {golds[best]}" if best < len(golds) and width > 1 else ""
    rows = zip(samples, weights, table, strict=True)
    return Working(
        filled=rf"{terms} = {tex(sums[best])}{many}",
        inputs=tuple(
            Input(name=f"sample {number}: weight {weight:.4f}, E{named}", of=sample.text, value=row[best])
            for number, (sample, weight, row) in enumerate(rows, 1)
        ),
        again=again,
    )


def soft_work(place: Place) -> Working:
    """Return soft SePer of one condition."""
    belief, source = belief_at(place), source_of(place)
    if not belief.kernel:
        return Working(note=NEEDS_GOLD)
    return soft_working(belief.samples, belief.weights, belief.kernel, source.variant, source.golds)


def even_weights(belief: Belief) -> list[float]:
    """Return 1/N for each sample."""
    return [1 / len(belief.samples)] * len(belief.samples)


def equal_soft_work(place: Place) -> Working:
    """Return soft SePer of one condition where every draw weighs the same."""
    belief, source = place.the(Belief), source_of(place)
    return soft_working(belief.samples, even_weights(belief), belief.kernel, source.variant, source.golds)


def equal_hard_work(place: Place) -> Working:
    """Return hard SePer of one condition as the share of draws whose meaning matches a correct answer.

    Where the variant takes the mean over correct answers, a draw counts with the share of them that it matches.
    """
    belief, pooled = place.the(Belief), CHOICES[source_of(place).variant].answers
    matches = matches_of(place, belief)
    again = seper_hard(even_weights(belief), belief.ids, matches, "any" if pooled == "max" else "mean")
    rows = [(samples_in(belief, number), share) for number, share in enumerate(matched_shares(matches, pooled))]
    terms = [share_of(share, str(count)) for count, share in rows if share]
    return Working(
        filled=rf"\frac{{{total(terms) or '0'}}}{{{len(belief.samples)}}} = {tex(again)}",
        inputs=tuple(
            Input(name=f"samples, {'matches' if share else 'does not match'}", of=meaning.text, value=count)
            for meaning, (count, share) in zip(belief.named, rows, strict=True)
        ),
        again=again,
    )


def matched_shares(matches: Bools, pooled: str) -> list[float]:
    """Return of each meaning the share of correct answers that it matches; ``pooled`` "max": 1 if it matches any."""
    return [float(row.mean() if pooled == "mean" else row.any()) for row in matches]


def share_of(share: float, value: str) -> str:
    r"""Return a term in LaTeX that counts with a share.

    >>> share_of(1.0, "7"), share_of(0.5, "7")
    ('7', '0.5 \\cdot 7')
    """
    return value if share == 1 else rf"{tex(share)} \cdot {value}"


def samples_in(belief: Belief, meaning: int) -> int:
    """Return how many samples have a meaning."""
    return belief.ids.count(meaning)


def equal_delta_work(place: Place) -> Working:
    """Return ΔSePer where every draw weighs the same."""
    result, kind = place.the(SeperResult), place.field.removeprefix("delta_")
    after, before = (getattr(one.equal, kind, None) for one in (result.with_passages, result.without))
    return delta_working(after, before, "with the passages", "without")


def hard_work(place: Place) -> Working:
    """Return hard SePer of one condition from the meanings that match a correct answer."""
    belief = place.the(Belief)
    if not belief.kernel:
        return Working(note=NEEDS_GOLD)
    pooled = CHOICES[source_of(place).variant].answers
    matches = matches_of(place, belief)
    again = seper_hard(belief.weights, belief.ids, matches, "any" if pooled == "max" else "mean")
    rows = list(zip(belief.named, matched_shares(matches, pooled), strict=True))
    terms = [share_of(part, tex(one.probability)) for one, part in rows if part]
    inputs = tuple(
        Input(name=f"p(C), {'matches' if part else 'does not match'}", of=one.text, value=one.probability)
        for one, part in rows
    )
    return Working(filled=rf"{total(terms) or '0'} = {tex(again)}", inputs=inputs, again=again)


def entropy_work(place: Place) -> Working:
    """Return semantic entropy of one condition."""
    return entropy_working(place.the(Belief))


def entropy_working(belief: Belief) -> Working:
    """Return semantic entropy with the meanings' probabilities in the sum."""
    found = [float(value) for value in cluster_probabilities(belief.weights, belief.ids)]
    again = semantic_entropy(found)
    terms = total([rf"{tex(p, 4)} \ln {tex(p, 4)}" for p in found if p > 0])
    texts = [meaning.text for meaning in belief.named]
    return Working(
        filled=rf"\mathrm{{SE}} = -\left({terms}\right) = {tex(again)}\ \text{{nats}}",
        inputs=tuple(
            Input(name=f"p(C), meaning {number}", of=texts[number - 1] if number <= len(texts) else "", value=p)
            for number, p in enumerate(found, 1)
        ),
        again=again,
    )


def meaning_work(place: Place) -> Working:
    """Return a meaning's probability as the sum of its draws' weights."""
    belief, meaning = place.the(Belief), place.the(Meaning)
    weights = [belief.weights[number] for number in meaning.members]
    return Working(
        filled=rf"p(C) = {total([tex(weight) for weight in weights])} = {tex(sum(weights))}",
        inputs=tuple(
            Input(name=f"weight, sample {number + 1}", of=belief.samples[number].text, value=belief.weights[number])
            for number in meaning.members
        ),
        again=sum(weights),
    )


def weight_work(place: Place) -> Working:
    """Return one draw's weight."""
    return weight_working(belief_at(place).samples, place.position[0])


def kernel_work(place: Place) -> Working:
    """Return one draw's entailment with one correct answer."""
    source = source_of(place)
    if source.judgements is None:
        return Working(raw=True, note="The judgements of a staircase are not stored with it.")
    return kernel_working(place, belief_at(place).samples, source.golds, source.judgements, source.variant)


def delta_work(place: Place) -> Working:
    """Return ΔSePer as belief after minus belief before."""
    result, kind = place.the(SeperResult), place.field.removeprefix("delta_")
    before, after = getattr(result.without, kind), getattr(result.with_passages, kind)
    return delta_working(after, before, "with the passages", "without")


def delta_working(after: float | None, before: float | None, with_name: str, without_name: str) -> Working:
    """Return a difference of two SePer."""
    if after is None or before is None:
        return Working(note=NEEDS_GOLD)
    again = delta_seper(after, before)
    return Working(
        filled=rf"{tex(after)} - {signed_tex(before)} = {tex(again)}",
        inputs=(Input(name=f"SePer, {with_name}", value=after), Input(name=f"SePer, {without_name}", value=before)),
        again=again,
    )


def interval_work(place: Place, again: Interval) -> Working:
    """Return an interval when the draws are drawn again."""
    owner = place.owner
    if isinstance(owner, SeperResult | EqualChange):
        belief: Belief | SampledBelief = place.the(SeperResult).with_passages
    else:
        belief = owner.belief if isinstance(owner, BeliefStep | ChunkChange) else belief_at(place)
    return resampled_work(again, source_of(place).resamples, len(belief.samples))


def resampled_work(again: Interval, repeats: int, samples: int) -> Working:
    """Return an interval with how it was made."""
    return Working(
        filled=rf"[q_{{low}}, q_{{high}}] \text{{ of }} {repeats} \text{{ resamples of }} {samples} \text{{ samples}} "
        rf"= [{tex(again.low)}, {tex(again.high)}]",
        inputs=(Input(name="resamples", value=repeats), Input(name="samples", value=samples)),
        note=OLD_INTERVAL if again.method == "percentile" else NEW_INTERVAL,
    )


weights_again = of_owner(lambda belief: sample_weights(mean_logprobs(belief.samples)))
ENTRIES: tuple[Entry, ...] = (
    entry(SeperResult, "delta_soft", delta_work, compared_in=SeperResult),
    entry(SeperResult, "delta_hard", delta_work, compared_in=SeperResult),
    entry(Belief, "weights", weight_work),
    entry(Belief, "kernel", kernel_work),
    entry(Belief, "soft", soft_work, compared_in=SeperResult),
    entry(Belief, "hard", hard_work),
    entry(Belief, "entropy", entropy_work, compared_in=SeperResult),
    entry(Belief, "effective"),
    entry(EqualBelief, "soft", equal_soft_work, compared_in=SeperResult),
    entry(EqualBelief, "hard", equal_hard_work),
    entry(EqualChange, "delta_soft", equal_delta_work, compared_in=SeperResult),
    entry(EqualChange, "delta_hard", equal_delta_work),
    entry(Meaning, "probability", meaning_work),
)
FACTS: tuple[Fact, ...] = (
    Fact(Belief, "weights", weights_again),
    Fact(Belief, "ids", ids_again),
    Fact(
        Belief, "meanings", meanings_again, lambda own: tuple((m.text, m.members, m.matches_gold) for m in own.meanings)
    ),
    Fact(Belief, "kernel", kernel_again),
    Fact(Belief, "soft_interval", interval_again),
    Fact(Belief, "hard_interval", interval_again),
    Fact(EqualBelief, "soft_interval", interval_again),
    Fact(EqualBelief, "hard_interval", interval_again),
    Fact(EqualChange, "delta_soft_interval", delta_interval_again),
    Fact(EqualChange, "delta_hard_interval", delta_interval_again),
    Fact(SeperResult, "delta_soft_interval", delta_interval_again),
    Fact(SeperResult, "delta_hard_interval", delta_interval_again),
)
