"""Every sentence: look up before writing, then after each sentence, by that sentence (IRCoT).

IRCoT (Trivedi et al. 2023) as "fix-sentence-retrieval" in DRAGIN's released code: a continuation is written over the
latest passages, its first sentence stays and is the next query. Nothing is looked up after a conclusion.
"""

from engine.methods.conclusion import CONCLUSION
from engine.methods.timing.base import DraftView, Policy, Signal, before_writing


def judge(look: DraftView) -> tuple[Signal, ...]:
    """Return a lookup after each sentence that does not conclude, placed on the token that follows it."""
    tokens = look.generation.tokens
    return tuple(
        Signal(
            token=sum(token.end <= span.end for token in tokens),
            start=span.start,
            end=span.end,
            cut=span.end,
            text=span.text,
            value=None,
            query=span.text.strip(),
        )
        for span in look.sentences
        if CONCLUSION.search(span.text) is None
    )


POLICY = Policy(
    word="every_sentence",
    title="Every sentence (IRCoT)",
    summary="Has a sentence been written?",
    paper="IRCoT; DRAGIN's baseline FS-RAG",
    after="schedule",
    before=before_writing,
    judge=judge,
)
