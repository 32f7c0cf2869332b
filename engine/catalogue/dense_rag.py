"""DENSE-RAG's numbers: the entropy of each context it read, whether the model says it suffices, why chunks came."""

import math

from engine.catalogue.base import Entry, Input, Place, Working, setting, tex
from engine.catalogue.dense import DSE
from engine.core.records import ThresholdSource
from engine.methods.dense_rag import (
    PAPER_THRESHOLD,
    Arrival,
    DenseRagConfig,
    DenseRagResult,
    RefinementStep,
    SelfEvaluation,
)

NO_GRAPH = "A refinement step keeps the entropy and not the answers' graph behind it, so it cannot be computed again."


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
        inputs=(Input(name="asked", of=place.the(SelfEvaluation).prompt.text[-160:]),),
        note="Read from the model; the logits are not stored.",
    )


def cosine_work(place: Place) -> Working:
    """Return which chunk asked for which."""
    came = place.the(Arrival)
    guide = () if came.guide is None else (Input(name="asked for by chunk", value=came.guide + 1),)
    return Working(
        inputs=(Input(name="chunk", value=came.chunk + 1), *guide),
        note="The record keeps no embeddings, so the cosine cannot be computed again.",
    )


def source(place: Place) -> ThresholdSource:
    """Return where the threshold of the run comes from."""
    return place.the(DenseRagResult).threshold_source


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
        title="Cosine with the chunk that asked for it",
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
        threshold=source,
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
