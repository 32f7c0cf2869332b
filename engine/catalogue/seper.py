"""SePer's numbers: what each draw weighs, how far it entails a gold answer, and belief before and after reading.

A belief stands in three methods: SePer's own, SUGAR's (which knows no gold answer) and the staircase of retrieval
timing, whose judgements are not stored.
"""

from collections.abc import Sequence
from itertools import product

from engine.catalogue.base import Entry, Input, Place, Working, signed_tex, tex, total
from engine.catalogue.judged import ASKED_TWICE, nearest, said
from engine.core.records import Generation, Judgement
from engine.core.seeds import derive_seed
from engine.measures.draw_intervals import delta_interval, seper_interval
from engine.measures.semantic_clusters import cluster_probabilities
from engine.measures.semantic_entropy import semantic_entropy
from engine.measures.semantic_perplexity import (
    delta_seper,
    draws_that_match,
    kernel,
    sample_weights,
    seper_hard,
    seper_soft,
)
from engine.methods.seper import CHOICES, Belief, Meaning, SeperConfig, SeperResult

NEEDS_GOLD = "There is no reference answer, so belief in the right one cannot be measured: unknown, which is not 0."
SOFT = r"\mathrm{SePer}_S = \sum_i \ell_i\, E(r_i, a^*)"
HARD = r"\mathrm{SePer}_H = \sum_{C} \mathbb{1}[C \equiv a^*]\, p(C)"
DELTA = r"\Delta\mathrm{SePer} = \mathrm{SePer}(q, D) - \mathrm{SePer}(q)"
WEIGHTS = r"\ell_i = \frac{e^{m_i}}{\sum_j e^{m_j}}, \qquad m_i = \tfrac{1}{T_i} \sum_t \ln p(t \mid \ldots)"
KERNEL = r"E(r_i, a^*) = \max\big(P(r_i \Rightarrow a^*),\, P(a^* \Rightarrow r_i)\big)"
RESAMPLES = "Ten equal draws give a width of 0: a limit of the bootstrap, not certainty."


def variant_of(place: Place) -> str:
    """Return whose reading of SePer made a belief: the result's own, the released code's in a staircase."""
    result = place.find(SeperResult)
    return "code" if result is None else result.variant


def repeats_of(place: Place) -> int:
    """Return how many resamples made an interval: the result's own, the usual number in a staircase."""
    result = place.find(SeperResult)
    return SeperConfig().resamples if result is None else result.resamples


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
            Input(name=f"m, draw {number}", of=sample.text, value=mean)
            for number, (sample, mean) in enumerate(zip(samples, means, strict=True), 1)
        ),
        again=again,
    )


def kernel_working(
    place: Place, samples: Sequence[Generation], golds: Sequence[str], judgements: Sequence[Judgement], variant: str
) -> Working:
    """Return how far a draw entails a gold answer, from the judge's word in both directions."""
    row, column = place.position
    if row >= len(samples) or column >= len(golds):
        return Working(note="The draw or the gold answer this stands for is not stored.")
    text, gold = samples[row].text.strip(), golds[column]
    ways = list(product(said(judgements, text, gold), said(judgements, gold, text)))
    texts = (Input(name="draw", of=text), Input(name="gold answer", of=gold))
    if not ways:
        return Working(inputs=texts, note="The judge's word on this pair is not stored here.")
    direction = CHOICES[variant].direction
    values = [float(kernel([there.entailment], [back.entailment], direction)[0]) for there, back in ways]
    again = nearest(values, place.value)
    forth, back = ways[values.index(again)]
    shown = rf"\max({tex(forth.entailment)},\, {tex(back.entailment)})" if variant == "code" else tex(forth.entailment)
    notes = ["Variant “paper” takes the direction draw ⇒ gold only."] if variant == "paper" else []
    return Working(
        filled=rf"E = {shown} = {tex(again)}",
        inputs=(
            *texts,
            Input(name="P(draw ⇒ gold)", value=forth.entailment),
            Input(name="P(gold ⇒ draw)", value=back.entailment),
        ),
        again=again,
        note=" ".join([*notes, *([ASKED_TWICE] if len(set(values)) > 1 else [])]),
    )


def soft_working(
    samples: Sequence[Generation],
    weights: Sequence[float],
    table: Sequence[Sequence[float]],
    variant: str,
    golds: Sequence[str] = (),
) -> Working:
    """Return soft SePer with the draws' weights and kernel in the sum; the best gold's, or their mean."""
    pooled = CHOICES[variant].answers
    again = seper_soft(weights, table, answers=pooled)
    width = len(table[0])
    sums = [sum(weight * row[column] for weight, row in zip(weights, table, strict=True)) for column in range(width)]
    best = sums.index(max(sums))
    terms = total([rf"{tex(weight, 4)} \cdot {tex(row[best], 4)}" for weight, row in zip(weights, table, strict=True)])
    many = "" if width == 1 else rf"\quad (\text{{{pooled} over {width} gold answers: }} {tex(again)})"
    named = f" of {golds[best]}" if best < len(golds) and width > 1 else ""
    rows = zip(samples, weights, table, strict=True)
    return Working(
        filled=rf"{terms} = {tex(sums[best])}{many}",
        inputs=tuple(
            Input(name=f"draw {number}: weight {weight:.4f}, E{named}", of=sample.text, value=row[best])
            for number, (sample, weight, row) in enumerate(rows, 1)
        ),
        again=again,
    )


def soft_work(place: Place) -> Working:
    """Return soft SePer of one condition."""
    belief, result = place.the(Belief), place.find(SeperResult)
    if not belief.kernel:
        return Working(note=NEEDS_GOLD)
    golds = result.golds if result is not None else place.diagnosis.golds
    return soft_working(belief.samples, belief.weights, belief.kernel, variant_of(place), golds)


def hard_work(place: Place) -> Working:
    """Return hard SePer of one condition from the meanings that match a gold answer."""
    belief = place.the(Belief)
    if belief.hard is None:
        return Working(note=NEEDS_GOLD)
    matching = [bool(meaning.matches_gold) for meaning in belief.meanings]
    inputs = tuple(
        Input(name=f"p(C), {'matches' if hit else 'does not match'}", of=meaning.text, value=meaning.probability)
        for meaning, hit in zip(belief.meanings, matching, strict=True)
    )
    if averaged(place, belief):
        return Working(
            inputs=inputs, note="Which gold answer each meaning matches is not stored, only whether one does."
        )
    if len(matching) != len(set(belief.ids)):
        return Working(inputs=inputs, note="Not every meaning of the draws is stored in this record.")
    again = seper_hard(belief.weights, belief.ids, matching)
    terms = [tex(meaning.probability) for meaning, hit in zip(belief.meanings, matching, strict=True) if hit]
    return Working(filled=rf"{total(terms) or '0'} = {tex(again)}", inputs=inputs, again=again)


def averaged(place: Place, belief: Belief) -> bool:
    """Return whether a belief averages over several gold answers, as variant "paper" does."""
    return variant_of(place) == "paper" and bool(belief.kernel) and len(belief.kernel[0]) > 1


def entropy_work(place: Place) -> Working:
    """Return semantic entropy of one condition."""
    return entropy_working(place.the(Belief))


def entropy_working(belief: Belief) -> Working:
    """Return semantic entropy with the meanings' probabilities in the sum."""
    found = [float(value) for value in cluster_probabilities(belief.weights, belief.ids)]
    again = semantic_entropy(found)
    terms = total([rf"{tex(p, 4)} \ln {tex(p, 4)}" for p in found if p > 0])
    texts = [meaning.text for meaning in belief.meanings]
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
            Input(name=f"weight, draw {number + 1}", of=belief.samples[number].text, value=belief.weights[number])
            for number in meaning.members
        ),
        again=sum(weights),
    )


def weight_work(place: Place) -> Working:
    """Return one draw's weight."""
    return weight_working(place.the(Belief).samples, place.position[0])


def kernel_work(place: Place) -> Working:
    """Return one draw's entailment with one gold answer."""
    belief, result = place.the(Belief), place.find(SeperResult)
    if result is None:
        return Working(note="The judgements of a staircase are not stored with it.")
    return kernel_working(place, belief.samples, result.golds, result.judgements, result.variant)


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


def kernel_of(place: Place, belief: Belief, kind: str) -> list[list[float]] | None:
    """Return the kernel whose soft SePer is the one asked for; None where it is not stored."""
    if kind == "soft":
        return [list(row) for row in belief.kernel] or None
    matching = [bool(meaning.matches_gold) for meaning in belief.meanings]
    if averaged(place, belief) or len(matching) != len(set(belief.ids)):
        return None
    return [[float(value)] for value in draws_that_match(belief.ids, matching)]


def interval_work(place: Place) -> Working:
    """Return an end of the interval of one condition's SePer when its draws are drawn again."""
    belief, kind = place.the(Belief), str(place.steps[-2]).removesuffix("_interval")
    return spread_working(place, belief, kernel_of(place, belief, kind))


def spread_working(place: Place, belief: Belief, table: list[list[float]] | None) -> Working:
    """Return an end of a belief's interval, bootstrapped again with the run's own seed."""
    if table is None:
        return Working(note="What the draws are held against is not stored, so they cannot be drawn again.")
    ends = seper_interval(
        mean_logprobs(belief.samples),
        table,
        derive_seed(place.diagnosis.provenance.seed, "seper", "interval"),
        answers=CHOICES[variant_of(place)].answers,
        repeats=repeats_of(place),
    )
    return interval_end(place, ends, repeats_of(place), len(belief.samples))


def interval_end(place: Place, ends: tuple[float, float], repeats: int, draws: int) -> Working:
    """Return the working of an end of a bootstrap interval."""
    return Working(
        filled=rf"[q_{{low}}, q_{{high}}] \text{{ of }} {repeats} \text{{ resamples of }} {draws} \text{{ draws}} "
        rf"= [{tex(ends[0])}, {tex(ends[1])}]",
        inputs=(Input(name="resamples", value=repeats), Input(name="draws", value=draws)),
        again=ends[0] if place.field == "low" else ends[1],
        certain=place.find(SeperResult) is not None,
        note=RESAMPLES,
    )


def delta_interval_work(place: Place) -> Working:
    """Return an end of the interval of ΔSePer."""
    result = place.the(SeperResult)
    kind = str(place.steps[-2]).removeprefix("delta_").removesuffix("_interval")
    return moved_working(place, result.with_passages, result.without, kind)


def moved_working(place: Place, after: Belief, before: Belief, kind: str) -> Working:
    """Return an end of the interval of a difference, both conditions' draws drawn again with the run's own seed."""
    tables = kernel_of(place, after, kind), kernel_of(place, before, kind)
    if tables[0] is None or tables[1] is None:
        return Working(note="What the draws are held against is not stored, so they cannot be drawn again.")
    ends = delta_interval(
        mean_logprobs(after.samples),
        tables[0],
        mean_logprobs(before.samples),
        tables[1],
        derive_seed(place.diagnosis.provenance.seed, "seper", "delta", kind),
        answers=CHOICES[variant_of(place)].answers,
        repeats=repeats_of(place),
    )
    return interval_end(place, ends, repeats_of(place), len(after.samples))


def weights_entry(record: type, **work: object) -> Entry:
    """Return the entry of the draws' weights of a record that holds draws."""
    return Entry(
        record=record,
        field="weights",
        title="Weight of a draw",
        unit="probability",
        range="0 to 1, all together 1",
        direction="higher = the model finds this answer likelier",
        equation=WEIGHTS,
        source="SePer's released code, calculate.py 271-274 (the paper's eq. 7 has the product)",
        function="engine.measures.semantic_perplexity.sample_weights",
        **work,  # type: ignore[arg-type]
    )


def kernel_entry(record: type, **work: object) -> Entry:
    """Return the entry of the draws' entailment with the gold answers."""
    return Entry(
        record=record,
        field="kernel",
        title="Entailment of a draw with a gold answer",
        unit="probability",
        range="0 to 1",
        direction="higher = the draw says more of what the gold answer says",
        equation=KERNEL,
        source="SePer, section 3 and algorithm 1; both directions as in the released code",
        function="engine.measures.semantic_perplexity.kernel",
        **work,  # type: ignore[arg-type]
    )


def soft_entry(record: type, title: str, **work: object) -> Entry:
    """Return the entry of soft SePer."""
    return Entry(
        record=record,
        field="soft",
        title=title,
        unit="probability",
        range="0 to 1",
        direction="higher = more belief in the right answer",
        equation=SOFT,
        source="SePer, eq. 9 and 10",
        function="engine.measures.semantic_perplexity.seper_soft",
        absent=NEEDS_GOLD,
        **work,  # type: ignore[arg-type]
    )


def delta_entry(record: type, field: str, title: str, direction: str, **work: object) -> Entry:
    """Return the entry of a difference of two SePer."""
    return Entry(
        record=record,
        field=field,
        title=title,
        unit="probability",
        range="−1 to 1",
        direction=direction,
        equation=DELTA,
        source="SePer, eq. 11",
        function="engine.measures.semantic_perplexity.delta_seper",
        absent=NEEDS_GOLD,
        **work,  # type: ignore[arg-type]
    )


READ_HELPS = "above 0 = reading moved belief towards the right answer, below 0 = away from it"
ENTRIES: tuple[Entry, ...] = (
    delta_entry(SeperResult, "delta_soft", "ΔSePer, soft", READ_HELPS, work=delta_work),
    delta_entry(SeperResult, "delta_hard", "ΔSePer, hard", READ_HELPS, work=delta_work),
    weights_entry(Belief, work=weight_work),
    kernel_entry(Belief, work=kernel_work),
    soft_entry(Belief, "SePer, soft", work=soft_work),
    Entry(
        record=Belief,
        field="hard",
        title="SePer, hard",
        unit="probability",
        range="0 to 1",
        direction="higher = more belief in the right answer",
        equation=HARD,
        source="SePer, eq. 9 and algorithm 1",
        function="engine.measures.semantic_perplexity.seper_hard",
        absent=NEEDS_GOLD,
        work=hard_work,
    ),
    Entry(
        record=Belief,
        field="entropy",
        title="Semantic entropy of the draws",
        unit="nats",
        range="0 to ln(number of draws)",
        direction="higher = more meanings, more evenly spread",
        equation=r"\mathrm{SE} = -\sum_C p(C) \ln p(C)",
        source="Farquhar et al. 2024; Kuhn et al. 2023",
        function="engine.measures.semantic_entropy.semantic_entropy",
        work=entropy_work,
    ),
    Entry(
        record=Meaning,
        field="probability",
        title="Probability of a meaning",
        unit="probability",
        range="0 to 1",
        direction="higher = more of the draws' weight says this",
        equation=r"p(C) = \sum_{i \in C} \ell_i",
        source="SePer, eq. 6 and 9",
        function="engine.measures.semantic_clusters.cluster_probabilities",
        work=meaning_work,
    ),
)
