"""DENSE-RAG results made by hand, so that figures and pages are tested with numbers worked out beforehand.

``refined_result``: DSE 0.64 over the passages as retrieved, 0.45 cut by meaning, 0.10 after one round, in which chunk 4
left and chunk 6 came by chunk 3; the answer goes from wrong to right.
"""

from dataclasses import replace

from engine.core.records import Passage, Prompt
from engine.methods.dense_rag import (
    Arrival,
    Cutting,
    DenseRagConfig,
    DenseRagResult,
    Departure,
    RagChunk,
    RefinementStep,
    SelfEvaluation,
)
from tests.viz.sample_results import HOSTILE, PASSAGES, generation

SENTENCES = (
    "The tower was inaugurated on 31 March 1889.",
    "It opened to the public on 15 May 1889.",
    "The lifts ran from the end of May.",
    "Two million people came in the first year.",
)


def evaluation(yes: float) -> SelfEvaluation:
    """Return the model's word with this probability of "yes"."""
    return SelfEvaluation(
        prompt=Prompt(text="The tower.\n\nDoes the text above contain the answer?"),
        yes_logprob=-0.5,
        no_logprob=-1.5,
        yes=yes,
        no=1 - yes,
        sufficient=yes > 0.5,
    )


def step(kind, context, answer, entropy, labels, yes=None, best=None, came=(), left=(), not_measured=""):
    """Return one context; ``yes`` None was not asked."""
    return RefinementStep(
        kind=kind,
        context=context,
        came=came,
        left=left,
        answer=generation(answer),
        entropy=entropy,
        labels=labels,
        evaluation=None if yes is None else evaluation(yes),
        best=best,
        not_measured=not_measured,
    )


def chunks() -> tuple[RagChunk, ...]:
    """Return two passages as retrieved and four sentences."""
    fixed = tuple(RagChunk(passage=Passage(text=text, title="Tower"), cut="retrieved") for text in PASSAGES[:2])
    return fixed + tuple(RagChunk(passage=Passage(text=text, title="Tower"), cut="semantic") for text in SENTENCES)


def first_step() -> RefinementStep:
    """Return the uncertain first context over both passages."""
    came = tuple(Arrival(chunk=number, why="retrieved", rank=number + 1) for number in (0, 1))
    return step("first", (0, 1), "In 1887", 0.64, ("necessary", "unnecessary"), came=came)


def refined_result() -> DenseRagResult:
    """Return a search of three contexts that ends by the stop rule of algorithm 3."""
    came = tuple(
        Arrival(chunk=number, why="retrieved", rank=rank, score=0.03 / rank)
        for rank, number in enumerate((2, 3), start=1)
    )
    left = tuple(Departure(chunk=number, why="cut anew") for number in (0, 1))
    brought = (Arrival(chunk=5, why="refill", guide=2, cosine=0.714),)
    return DenseRagResult(
        config=DenseRagConfig(),
        threshold_source="paper",
        chunks=chunks(),
        cuttings=(
            Cutting(cut="retrieved", documents=("Tower",), chunks=5),
            Cutting(cut="semantic", documents=("Tower",), chunks=12),
        ),
        steps=(
            first_step(),
            step("cut anew", (2, 3), "May 1889", 0.45, ("necessary", "unnecessary"), 0.4, 1, came, left),
            step(
                "refined", (2, 5), "31 March 1889", 0.1, ("certain", "certain"), 0.9, 2,
                brought, (Departure(chunk=3, why="unnecessary"),),
            ),
        ),
        ended="rule",
        final=2,
    )  # fmt: skip


def certain_result() -> DenseRagResult:
    """Return a run whose first answer is certain."""
    first = replace(first_step(), entropy=0.05, labels=("certain", "certain"))
    return replace(refined_result(), steps=(first,), ended="certain", final=0, chunks=chunks()[:2])


def fallback_result() -> DenseRagResult:
    """Return a search that was emptied: the second context counts, and the model did not find it sufficient."""
    whole = refined_result()
    return replace(whole, steps=whole.steps[:2], ended="emptied", final=1)


def broken_off_result() -> DenseRagResult:
    """Return a search whose second context was not measured: the first answer stays."""
    whole = refined_result()
    second = replace(whole.steps[1], entropy=None, best=None, not_measured="No rewording passed.")
    return replace(whole, steps=(whole.steps[0], second), ended="not measured", final=0)


def unmeasured_result() -> DenseRagResult:
    """Return a run whose first context has no DSE, so that nothing can be said."""
    first = replace(first_step(), entropy=None, not_measured="None of the 2 passages could be reworded.")
    return replace(refined_result(), steps=(first,), ended="not measured", final=0, not_measured=first.not_measured)


def hostile_rag_result() -> DenseRagResult:
    """Return a search in which passages, titles and answers are full of markup."""
    whole = refined_result()
    nasty = tuple(replace(chunk, passage=Passage(text=HOSTILE, title=HOSTILE)) for chunk in whole.chunks)
    cuttings = tuple(replace(cutting, documents=(HOSTILE,)) for cutting in whole.cuttings)
    steps = tuple(replace(one, answer=generation(HOSTILE)) for one in whole.steps)
    return replace(whole, chunks=nasty, cuttings=cuttings, steps=steps)
