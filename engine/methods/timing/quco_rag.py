"""QuCo-RAG as a policy: look up where the two ends of a claim never meet in the corpus.

QuCo-RAG (section 3.3, eq. 4): a sentence with a claim (head, relation, tail) whose co-occurrence count is below τ is
written anew over passages found with head and relation; what follows the rewritten sentence is checked where it
stands, as released. Counted are documents of the corpus the user names, with the parser's claims. A conclusion ("So the
answer is …") claims nothing, and a claim that could not be counted does not fire. One claim is looked up at a time; the
released code looks up every failing claim of the sentence. The first stage, which compares the question's entities
with 1,000 mentions in a corpus of trillions of tokens, is left out: a small corpus names nothing that often.
"""

from engine.backends.text.base import TextSpan, Triplet, sentence_kind
from engine.methods.quco_claims import share_of_documents, whole_sentences
from engine.methods.quco_rag import CO_OCCURRENCE
from engine.methods.timing.base import DraftView, Policy, Signal


def judge(look: DraftView) -> tuple[Signal, ...]:
    """Return a signal for every whole claim, at the last token of its sentence; the cut is where that begins."""
    tools = look.scene.backends.text
    return tuple(
        claim(look, span, triplet)
        for span in whole_sentences(look.generation, tools)
        if sentence_kind(span.text) == "fact"
        for triplet in tools.triplets(span.text)
        if triplet.tail is not None
    )


def claim(look: DraftView, span: TextSpan, triplet: Triplet) -> Signal:
    """Return how many documents hold both ends of a claim, None where that could not be counted."""
    head, tail = triplet.head.text, triplet.tail.text if triplet.tail else ""
    config, counter = look.scene.config, look.scene.backends.counter
    share = share_of_documents(config.cooccurrence_share, look.scene.case.profile, counter)
    documents = counter.co_occurrence(head, tail, config.cooccurrence_window, share).documents
    return Signal(
        token=max(0, sum(token.end <= span.end for token in look.generation.tokens) - 1),
        start=span.start,
        end=span.end,
        cut=span.start,
        text=f"{head} · {triplet.relation} · {tail}",
        value=None if documents is None else float(documents),
        query=f"{head} {triplet.relation}".strip(),
    )


POLICY = Policy(
    word="quco_rag",
    title="QuCo-RAG",
    summary="Does a claim connect things that never meet in the corpus?",
    paper="QuCo-RAG, section 3.3",
    after="checked on",
    threshold=CO_OCCURRENCE,
    rule="below",
    judge=judge,
)
