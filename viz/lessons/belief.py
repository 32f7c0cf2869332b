"""Lesson: belief before and after reading. Weighted draws, belief as a sum, and its change (SePer, eq. 7 to 11)."""

import math

import pandas as pd

from engine.diagnosis.record import Diagnosis
from engine.methods.seper import Belief, SeperResult, belief_change
from viz.lessons.base import Lesson, Need, Option, Part, Question, Slip, Step, amount
from viz.lessons.facts import golds_words, needed, posed, seper_of
from viz.words import quoted, signed

CLEAR_CHANGE = 0.3
SOME_BELIEF = 0.1
MOST_OPTIONS = 5


def moved_clearly(run: Diagnosis) -> bool:
    """Return whether reading raised belief in the right answer by at least 0.3."""
    result = seper_of(run)
    return result is not None and (result.delta_soft or 0.0) >= CLEAR_CHANGE


def had_belief(run: Diagnosis) -> bool:
    """Return whether right draws carried some of the belief before reading, among three meanings or more."""
    result = seper_of(run)
    return result is not None and (result.without.hard or 0.0) >= SOME_BELIEF and len(result.without.meanings) > 2


def best_gold(belief: Belief) -> list[float]:
    """Return how far each draw means the gold answer that the belief is about: the best one, in [0, 1]."""
    golds = range(len(belief.kernel[0]))
    totals = [sum(w * row[gold] for w, row in zip(belief.weights, belief.kernel, strict=True)) for gold in golds]
    best = totals.index(max(totals))
    return [row[best] for row in belief.kernel]


def build(run: Diagnosis) -> tuple[Step, ...]:
    """Return the steps of the lesson on a run."""
    result = needed(seper_of(run))
    return (
        draws(run, result.without),
        weighing(result.without),
        summing(run, result.without),
        reading(result),
        change(result),
        noise(run, result),
    )


def draws(run: Diagnosis, belief: Belief) -> Step:
    """Return the step that shows the draws without passages and asks for the strongest meaning."""
    ordered = sorted(belief.meanings, key=lambda one: -one.probability)[:MOST_OPTIONS]
    options = tuple(
        Option(
            text=quoted(one.text),
            why=f"Yes, with {one.probability:.0%} of the belief."
            if place == 0
            else f"It has {one.probability:.0%} of the belief. A draw in likelier words counts for more.",
        )
        for place, one in enumerate(ordered)
    )
    shown = sorted(range(len(options)), key=lambda place: options[place].text)
    return Step(
        title="Ten answers from memory",
        text=(
            f"{posed(run)} Nothing has been looked up yet. One answer tells little about what a model "
            f"believes, so it answers {len(belief.samples)} times, drawn anew each time.",
        ),
        table=pd.DataFrame(
            {"draw": range(1, len(belief.samples) + 1), "answer": [s.text.strip() for s in belief.samples]}
        ),
        question=Question(
            kind="choice",
            text="Which meaning has most of the belief?",
            options=tuple(options[place] for place in shown),
            right=shown.index(0),
        ),
        reveal=("The strongest meanings before reading:",),
        working=tuple(f"{quoted(one.text)}: {one.probability:.3f}" for one in ordered),
        mistake="Taking the greedy answer for the belief. It is one path; the draws show what else was in reach.",
        notes="Read the draws aloud. The strangest ones have next to no weight: that is the next step.",
    )


def weighing(belief: Belief) -> Step:
    """Return the step that compares the weights of two draws."""
    order = sorted(range(len(belief.samples)), key=lambda place: -belief.weights[place])
    high = order[0]
    low = next((p for p in order if belief.samples[p].text.strip() != belief.samples[high].text.strip()), order[-1])
    one, other = belief.samples[high], belief.samples[low]
    apart = one.mean_logprob - other.mean_logprob
    ratio = math.exp(apart)
    return Step(
        title="Not every draw counts alike",
        text=(
            "A draw weighs by how likely the model found its words, on average per token. The difference of two mean "
            "log-probabilities says how many times one weighs the other.",
            f"{quoted(one.text)} has {amount(one.mean_logprob)} nats a token, {quoted(other.text)} "
            f"{amount(other.mean_logprob)} nats.",
        ),
        equation=r"w_i = \frac{e^{\ell_i}}{\sum_j e^{\ell_j}} \qquad \frac{w_i}{w_j} = e^{\ell_i - \ell_j}",
        question=Question(
            kind="number",
            text=f"How many times as much as {quoted(other.text)} does {quoted(one.text)} count?",
            value=ratio,
            tolerance=max(0.1 * ratio, 0.05),
            unit="times",
            slips=(
                Slip(value=apart, why="That is the difference of the logarithms. Raise e to it."),
                Slip(value=10**apart, why="These are natural logarithms: raise e, not 10."),
            ),
        ),
        reveal=("Subtract, then raise e to the difference:",),
        working=(
            f"{amount(one.mean_logprob)} − ({amount(other.mean_logprob)}) = {amount(apart)}",
            f"e^{amount(apart)} = {amount(ratio)}; the weights are {belief.weights[high]:.3f} and "
            f"{belief.weights[low]:.3f}",
        ),
        mistake="Multiplying token probabilities: long answers would lose just for being long. Hence the mean.",
        notes="e^0.7 ≈ 2, e^1.1 ≈ 3, e^2.3 ≈ 10 is enough to do it in the head.",
    )


def summing(run: Diagnosis, belief: Belief) -> Step:
    """Return the step that adds up belief in the right answer."""
    kernel, soft = best_gold(belief), needed(belief.soft)
    parts = [(w * k, w, k) for w, k in zip(belief.weights, kernel, strict=True)]
    count = sum(k >= 0.5 for k in kernel) / len(kernel)
    return Step(
        title="Belief is a sum",
        text=(
            f"The right answer is {golds_words(run)}. For each draw the judge says how far it means that, from 0 to 1. "
            "Belief in the right answer is the weighted sum.",
        ),
        equation=r"\mathrm{SePer} = \sum_i w_i \, k(r_i, a^*)",
        table=pd.DataFrame(
            {
                "answer": [sample.text.strip() for sample in belief.samples],
                "weight w": [f"{w:.3f}" for w in belief.weights],
                "means the gold answer, k": [f"{k:.3f}" for k in kernel],
            }
        ),
        question=Question(
            kind="number",
            text="How large is the belief in the right answer before reading? An estimate within 0.05 counts.",
            value=soft,
            tolerance=0.05,
            slips=(Slip(value=count, why="That is the share of right draws. Each draw counts by its weight."),),
        ),
        reveal=("Every term above 0.0005, and the sum of all:",),
        working=(
            *(f"{w:.3f} × {k:.3f} = {product:.3f}" for product, w, k in parts if product >= 0.0005),
            f"SePer without passages = {soft:.3f}",
        ),
        mistake="Despite its name, semantic perplexity, this is a probability: higher is better.",
        notes="Where several gold answers are given, the one with the most belief counts (released code).",
    )


def reading(result: SeperResult) -> Step:
    """Return the step that asks what reading does."""
    way = belief_change(needed(result.delta_soft), result.delta_soft_interval)
    after = needed(result.with_passages.soft)
    rest = f"It ends at {after:.3f}."
    options = (
        Option(text="It rises clearly", why=f"{'Yes' if way == 'up' else 'Not so here'}. {rest}"),
        Option(text="It falls clearly", why=f"{'Yes' if way == 'down' else 'Not so here'}. {rest}"),
        Option(
            text="It stays within the noise of the draws", why=f"{'Yes' if way == 'noise' else 'Not so here'}. {rest}"
        ),
    )
    return Step(
        title="Now the model reads",
        text=(
            "The passages that were retrieved are put before the question, and the model answers as often as before.",
        ),
        shows=("passages",),
        question=Question(
            kind="choice",
            text="What happens to the belief in the right answer?",
            options=options,
            right={"up": 0, "down": 1}.get(way, 2),
        ),
        reveal=("Both conditions beside each other:",),
        then=("seper-beliefs",),
        mistake="Assuming that retrieval helps. The passages can also talk a model out of what it knew.",
        notes="Ask who would have looked anything up at all, given the belief before.",
    )


def change(result: SeperResult) -> Step:
    """Return the step that subtracts."""
    before, after, delta = needed(result.without.soft), needed(result.with_passages.soft), needed(result.delta_soft)
    return Step(
        title="The change is what retrieval is worth",
        text=(f"Before reading {before:.3f}, after reading {after:.3f}.",),
        equation=r"\Delta\mathrm{SePer} = \mathrm{SePer}_{\text{with}} - \mathrm{SePer}_{\text{without}}",
        question=Question(
            kind="number",
            text="How large is ΔSePer?",
            value=delta,
            tolerance=0.005,
            slips=(
                Slip(value=-delta, why="The order is turned round: with passages minus without."),
                Slip(
                    value=after,
                    why="That is the belief after reading. What was believed before is not the passages' merit.",
                ),
            ),
        ),
        reveal=("With minus without:",),
        working=(f"{after:.3f} − {before:.3f} = {signed(delta, 3)}",),
        then=("seper-change",),
        mistake="Crediting retrieval with what the model knew already. Only the difference is its merit.",
        notes="ΔSePer lies between −1 and +1. What would −1 be?",
    )


def noise(run: Diagnosis, result: SeperResult) -> Step:
    """Return the closing step: the interval, and what belief is not."""
    interval = result.delta_soft_interval
    band = (
        f"Drawing again from the same draws, 95% of the changes lie between {signed(interval.low, 3)} and "
        f"{signed(interval.high, 3)}. A change whose band holds 0 is no finding."
        if interval is not None
        else "This run has no band for the change."
    )
    return Step(
        title="How sure is the change?",
        text=(
            f"The numbers rest on {len(result.without.samples)} draws in each condition. {band}",
            "Belief is not accuracy: a model can believe the right answer with 0.6 and still say the other one, or say "
            "the right one by luck.",
            f"And it needs a gold answer, here {golds_words(run)}. Without one there is a belief over meanings, but "
            "nobody can say whether it moved the right way.",
        ),
        notes="Good homework: how many draws make the band half as wide? Four times as many.",
    )


LESSON = Lesson(
    word="belief",
    title="Belief before and after reading",
    asks="How much were the passages worth to the model?",
    papers="SePer, section 3, eq. 7 to 11",
    parts=(
        Part(
            needs=(
                Need(words="belief in the right answer that rises by at least 0.3", holds=moved_clearly),
                Need(
                    words="a right draw with some belief before reading, among three meanings or more", holds=had_belief
                ),
            ),
            prefers=("largest-planet", "telephone-inventor"),
        ),
    ),
    build=build,
    steps=6,
)
