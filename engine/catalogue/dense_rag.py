"""DENSE-RAG's numbers: the entropy of each context it read, whether the model says it suffices, why chunks came."""

import math

from engine.catalogue.base import UNSTORED, Entry, Fact, Input, Place, Working, derived, setting, stored_source, tex
from engine.catalogue.dense import DSE
from engine.measures.context_refinement import choice
from engine.measures.response_graph import is_uncertain
from engine.methods.dense_rag import (
    PAPER_THRESHOLD,
    Arrival,
    DenseRagConfig,
    DenseRagResult,
    RefinementStep,
    SelfEvaluation,
)

NO_GRAPH = "A refinement step keeps the entropy and not the answers' graph behind it, so it cannot be computed again."


def step_place(place: Place) -> int:
    """Return which step of the search a place stands in, from 0."""
    own = place.the(RefinementStep)
    return next(number for number, step in enumerate(place.the(DenseRagResult).steps) if step is own)


def best_again(place: Place) -> object:
    """Return the best step of the search up to a step; the first step has one only where the search began with it."""
    return UNSTORED if place.the(RefinementStep).kind == "first" else best_after(place, step_place(place))


def best_after(place: Place, last: int) -> int | None:
    """Return the best of the steps up to one, None where none was measured.

    The first context counts only where the search began with it: then it has a best step of its own.
    """
    result = place.the(DenseRagResult)
    counted = [
        (number, step.entropy, step.evaluation is None or step.evaluation.sufficient)
        for number, step in enumerate(result.steps[: last + 1])
        if step.entropy is not None and (step.kind != "first" or step.best is not None)
    ]
    if not counted:
        return None
    numbers, entropies, flags = zip(*counted, strict=True)
    rule = result.config.stop_rule if result.config.self_evaluation else "both"
    return int(numbers[choice(entropies, flags, result.config.threshold, rule)[0]])


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
    gone = unneeded(before)
    return (*(number for number in before.context if number not in gone), *(one.chunk for one in step.came))


def certain_again(place: Place) -> object:
    """Return whether the search ended before it began, as the first context is certain."""
    result = place.the(DenseRagResult)
    first = result.steps[0].entropy
    return UNSTORED if first is None else not is_uncertain(first, result.config.threshold)


def final_again(place: Place) -> int:
    """Return the step whose answer is the final one, from how the search ended."""
    result = place.the(DenseRagResult)
    last = len(result.steps) - 1
    if result.ended == "certain" or (result.ended == "not measured" and last == 0):
        return 0
    if result.ended == "not refined":
        return last
    return best_after(place, last) or 0


def sufficient_again(place: Place) -> bool:
    """Return whether “yes” is likelier than “no”."""
    said = place.the(SelfEvaluation)
    return said.yes_logprob > said.no_logprob


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
        note="The record keeps no embeddings, so the cosine cannot be computed again.",
    )


def word(field: str) -> Entry:
    """Return the entry of one word's log-probability."""
    return Entry(
        record=SelfEvaluation,
        field=f"{field}_logprob",
        title=f"Log-probability of “{field}” as the answer to: does the context suffice?",
        unit="nats a token",
        range="−∞ to 0",
        direction="higher = likelier",
        equation=r"\ln p(w \mid \text{prompt})",
        source="DENSE, appendix B.3 (self-evaluation), read as probabilities",
        function="engine.methods.dense_rag.evaluation_of",
        kind="reading",
        work=word_work,
    )


def sufficiency(field: str) -> Entry:
    """Return the entry of one word's probability among the two."""
    return Entry(
        record=SelfEvaluation,
        field=field,
        title=f"Probability of “{field}” among yes and no",
        unit="probability",
        range="0 to 1",
        direction="yes above 0.5 = the context suffices, by the model's own word",
        equation=r"p(\text{yes}) = \frac{e^{\ell_{yes}}}{e^{\ell_{yes}} + e^{\ell_{no}}}",
        source="DENSE, appendix B.3 (self-evaluation), read as probabilities",
        function="engine.methods.dense_rag.evaluation_of",
        work=evaluation_work,
    )


ENTRIES: tuple[Entry, ...] = (
    derived(
        DenseRagResult,
        "contexts_read",
        "Contexts read",
        "count",
        "higher = costs more",
        "DENSE, algorithm 3",
        lambda result: float(len(result.steps)),
    ),
    *(
        derived(
            DenseRagResult,
            field,
            title,
            "nats",
            "higher = less understood",
            "DENSE, eq. 6",
            read,
            absent="No rewording of any chunk of this context passed its checks.",
        )
        for field, title, read in (
            ("first_entropy", "DSE of the first context", lambda result: result.steps[0].entropy),
            ("final_entropy", "DSE of the final context", lambda result: result.steps[result.final].entropy),
        )
    ),
    Entry(
        record=RefinementStep,
        field="entropy",
        title="DSE of this context",
        short="DSE of a context",
        unit="nats",
        range="0 to ln(number of answers)",
        direction="higher = less understood",
        equation=DSE,
        source="DENSE, eq. 6 and algorithm 3",
        function="engine.measures.response_graph.degree_entropy",
        kind="reading",
        absent="No rewording of any chunk of this context passed its checks.",
        work=entropy_work,
    ),
    word("yes"),
    word("no"),
    sufficiency("yes"),
    sufficiency("no"),
    Entry(
        record=Arrival,
        field="cosine",
        title="Cosine with the chunk that brought it in",
        unit="cosine",
        range="−1 to 1",
        direction="higher = more alike",
        equation=r"\cos(e_a, e_b) = \frac{e_a \cdot e_b}{\lVert e_a \rVert \lVert e_b \rVert}",
        source="DENSE, algorithm 3, lines 31 to 39",
        function="engine.measures.context_refinement.refills",
        kind="reading",
        absent="The chunk was retrieved for the question, not brought in by another chunk.",
        work=cosine_work,
    ),
    Entry(
        record=Arrival,
        field="score",
        title="Retrieval score when the documents were cut anew",
        unit="the retriever's",
        range="depends on the retriever",
        direction="higher = a better match with the question",
        equation=r"\mathrm{RRF}(d) = \sum_{r} \frac{1}{60 + \mathrm{rank}_r(d)}",
        source="DENSE, section 5.1 (retrieve again)",
        function="engine.backends.retrieval.fusion.fused",
        kind="reading",
        absent="The chunk was read first as it was retrieved for the run (its score stands there), or was brought in.",
        work=cosine_work,
    ),
    Entry(
        record=DenseRagConfig,
        field="threshold",
        title="DSE threshold of DENSE-RAG",
        short="threshold",
        unit="nats",
        range="at least 0",
        direction="above it the documents are cut anew and the context refined",
        equation=r"\mathrm{DSE} > 0.2 \;\Rightarrow\; \text{refine}",
        source="DENSE, section 5",
        function="engine.measures.context_refinement.choice",
        kind="setting",
        threshold=stored_source(DenseRagResult),
        papers=f"{PAPER_THRESHOLD:g} nats",
    ),
    setting(
        DenseRagConfig,
        "similarity",
        "τ, when a sentence joins the chunk before it",
        "cosine",
        "0.6, set for the encoder UAE-Large-V1",
        "DENSE, eq. 7 and appendix H",
        range="−1 to 1",
        direction="higher = smaller chunks",
        equation=r"\cos(e_i, e_{i+1}) \ge \tau",
        function="engine.backends.retrieval.base.SemanticCut",
    ),
    setting(
        DenseRagConfig,
        "temperature",
        "Temperature of DENSE-RAG's answers",
        "",
        "0: greedy",
        "DENSE, section 4.1 and table 8",
        function="engine.methods.tempered_model.TemperedModel",
    ),
)
FACTS: tuple[Fact, ...] = (
    Fact(SelfEvaluation, "sufficient", sufficient_again),
    Fact(RefinementStep, "best", best_again),
    Fact(RefinementStep, "left", left_again, lambda own: tuple(one.chunk for one in own.left)),
    Fact(RefinementStep, "context", context_again),
    Fact(DenseRagResult, "ended", certain_again, lambda own: own.ended == "certain"),
    Fact(DenseRagResult, "final", final_again),
)
RAW_PARTS = (
    ("steps.entropy and labels", "the judgements of each context are not stored, only what follows from them"),
    ("came.cosine", "it rests on the embedder"),
    ("ended", "beyond “certain” it rests on the unread chunks, which are not stored"),
)
