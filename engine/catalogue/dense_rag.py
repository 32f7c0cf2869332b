"""DENSE-RAG's numbers: the entropy of each context it read, whether the model says it suffices, why chunks came."""

import math

from engine.catalogue.base import UNSTORED, Entry, Fact, Input, Place, Working, entry, stored_source, tex
from engine.measures.response_graph import is_uncertain
from engine.methods.dense_rag import arranged
from engine.methods.dense_rag_choice import best_step, highest_entropy, needs_refining
from engine.methods.dense_rag_records import Arrival, DenseRagConfig, DenseRagResult, RefinementStep, SelfEvaluation
from engine.methods.dense_records import PAPER_THRESHOLD
from engine.methods.profiles import PROFILES
from engine.methods.self_evaluation import SPELLINGS, is_enough, yes_and_no

SEARCHED = "further contexts were read"
NO_GRAPH = "A refinement step stores the entropy, not the answers' graph."


def step_place(place: Place) -> int:
    """Return which step of the search a place stands in, from 0."""
    own = place.the(RefinementStep)
    return next(number for number, step in enumerate(place.the(DenseRagResult).steps) if step is own)


def best_again(place: Place) -> object:
    """Return the best step of the search up to a step; the first step has one only where the search began with it."""
    return UNSTORED if place.the(RefinementStep).kind == "first" else best_after(place, step_place(place))


def best_after(place: Place, last: int) -> int | None:
    """Return the best of the steps up to one, None where none was measured."""
    result = place.the(DenseRagResult)
    return best_step(result.steps[: last + 1], result.config)[0]


def unneeded(step: RefinementStep) -> tuple[int, ...]:
    """Return the chunks of a context that its labels send away."""
    return tuple(number for number, label in zip(step.context, step.labels, strict=True) if label == "unnecessary")


def left_again(place: Place) -> object:
    """Return which chunks left a refined context, by the labels of the one before."""
    if place.the(RefinementStep).kind != "refined":
        return UNSTORED
    return unneeded(place.the(DenseRagResult).steps[step_place(place) - 1])


def context_again(place: Place) -> object:
    """Return a refined context from the one before: what stayed, then what came."""
    step = place.the(RefinementStep)
    if step.kind != "refined":
        return UNSTORED
    before = place.the(DenseRagResult).steps[step_place(place) - 1]
    # Copies of one chunk share its number, and each has a label of its own: what stays goes by place, not by number.
    labelled = zip(before.context, before.labels, strict=True)
    kept = [number for number, label in labelled if label != "unnecessary"]
    best_last = step.share is not None and PROFILES[place.diagnosis.provenance.profile].best_last
    return arranged(kept, step.came, best_last)


def ended_again(place: Place) -> object:
    """Return whether the search ended before it began, as the first context is certain, or with some wordings only."""
    result = place.the(DenseRagResult)
    first, threshold = result.steps[0], result.config.threshold
    if first.entropy is None:
        return UNSTORED
    if needs_refining(first, threshold):
        return SEARCHED
    if first.has_too_few:
        # Before that was asked, such a context was called certain.
        return result.ended if result.ended == "certain" else "unclear"
    return "unclear" if is_uncertain(highest_entropy(first), threshold) else "certain"


def final_again(place: Place) -> int:
    """Return the step whose answer is the final one, from how the search ended."""
    result = place.the(DenseRagResult)
    last = len(result.steps) - 1
    if result.ended in ("certain", "unclear") or (result.ended == "not measured" and last == 0):
        return 0
    if result.ended == "not refined":
        return last
    return best_after(place, last) or 0


def entropy_work(place: Place) -> Working:
    """Return a context's DSE with the range it lies in."""
    step = place.the(RefinementStep)
    if step.entropy is None:
        return Working(note=step.not_measured)
    measured = sum(label != "not measured" for label in step.labels)
    return Working(
        filled=rf"0 \le {tex(step.entropy)} \le \ln {measured + 1} = {tex(math.log(measured + 1))}",
        inputs=tuple(
            Input(name=f"chunk {number + 1}", of=label)
            for number, label in zip(step.context, step.labels, strict=False)
        ),
        note=NO_GRAPH,
    )


def sufficient_again(place: Place) -> bool:
    """Return whether the model calls a context sufficient, by its log-probabilities."""
    judged = place.the(SelfEvaluation)
    share = 1.0 / (1.0 + math.exp(min(judged.no_logprob - judged.yes_logprob, 700.0)))
    return is_enough(share, place.the(DenseRagResult).config.suffices_from)


def share_work(place: Place) -> Working:
    """Return a context's DSE over the largest it could be with so many answers."""
    step = place.the(RefinementStep)
    if step.entropy is None or step.share is None:
        return Working(note=step.not_measured)
    answers = 1 + sum(label != "not measured" for label in step.labels)
    again = step.entropy / math.log(answers)
    return Working(
        filled=rf"\frac{{{tex(step.entropy)}}}{{\ln {answers}}} = {tex(again)}",
        inputs=(Input(name="DSE", value=step.entropy), Input(name="answers", value=answers)),
        again=again,
    )


def spelled_work(place: Place) -> Working:
    """Return the log-probability of a word over both its spellings; an older record keeps the small one only."""
    judged = place.the(SelfEvaluation)
    if len(judged.spelled_logprobs) != len(SPELLINGS):
        return word_work(place)
    again = yes_and_no(judged.spelled_logprobs)[0 if place.field == "yes_logprob" else 1]
    pairs = list(zip(SPELLINGS, judged.spelled_logprobs, strict=True))
    first, second = pairs[:2] if place.field == "yes_logprob" else pairs[2:]
    return Working(
        filled=rf"\ln(e^{{{tex(first[1])}}} + e^{{{tex(second[1])}}}) = {tex(again)}",
        inputs=tuple(Input(name=f"ln p({word})", value=value) for word, value in (first, second)),
        again=again,
    )


def evaluation_work(place: Place) -> Working:
    """Return the probability of one of the two words among both."""
    judged = place.the(SelfEvaluation)
    own, other = judged.yes_logprob, judged.no_logprob
    if place.field == "no":
        own, other = other, own
    again = 1.0 / (1.0 + math.exp(min(other - own, 700.0)))
    return Working(
        filled=rf"\frac{{e^{{{tex(own)}}}}}{{e^{{{tex(own)}}} + e^{{{tex(other)}}}}} = {tex(again)}",
        inputs=(Input(name="ln p(yes)", value=judged.yes_logprob), Input(name="ln p(no)", value=judged.no_logprob)),
        again=again,
    )


def word_work(place: Place) -> Working:
    """Return the prompt that a log-probability answers."""
    return Working(
        inputs=(Input(name="prompt", of=place.the(SelfEvaluation).prompt.text[-160:]),),
        note="Read from the model; the logits are not stored.",
    )


def cosine_work(place: Place) -> Working:
    """Return which chunk brought in which."""
    came = place.the(Arrival)
    guide = () if came.guide is None else (Input(name="brought in by chunk", value=came.guide + 1),)
    return Working(
        inputs=(Input(name="chunk", value=came.chunk + 1), *guide),
        note="Embeddings are not stored.",
    )


ENTRIES: tuple[Entry, ...] = (
    entry(DenseRagResult, "contexts_read", read=lambda own: float(len(own.steps)), compared_in=DenseRagResult),
    entry(DenseRagResult, "first_entropy", read=lambda own: own.steps[0].entropy, compared_in=DenseRagResult),
    entry(DenseRagResult, "final_entropy", read=lambda own: own.steps[own.final].entropy, compared_in=DenseRagResult),
    entry(RefinementStep, "entropy", entropy_work),
    entry(RefinementStep, "share", share_work),
    entry(SelfEvaluation, "spelled_logprobs", word_work),
    entry(SelfEvaluation, "yes_logprob", spelled_work),
    entry(SelfEvaluation, "no_logprob", spelled_work),
    entry(SelfEvaluation, "yes", evaluation_work),
    entry(SelfEvaluation, "no", evaluation_work),
    entry(Arrival, "cosine", cosine_work),
    entry(Arrival, "score", cosine_work),
    entry(DenseRagConfig, "threshold", threshold=stored_source(DenseRagResult), paper=PAPER_THRESHOLD),
    entry(DenseRagConfig, "similarity"),
    entry(DenseRagConfig, "temperature"),
    entry(DenseRagConfig, "suffices_from"),
)
FACTS: tuple[Fact, ...] = (
    Fact(SelfEvaluation, "sufficient", sufficient_again),
    Fact(RefinementStep, "best", best_again),
    Fact(RefinementStep, "left", left_again, lambda own: tuple(one.chunk for one in own.left)),
    Fact(RefinementStep, "context", context_again),
    Fact(RefinementStep, "entropy_interval", lambda place: UNSTORED),
    Fact(SelfEvaluation, "spelled_logprobs", lambda place: UNSTORED),
    Fact(
        DenseRagResult, "ended", ended_again, lambda own: own.ended if own.ended in ("certain", "unclear") else SEARCHED
    ),
    Fact(DenseRagResult, "final", final_again),
)
