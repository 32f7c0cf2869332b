"""Fixed length: look up before writing, then after every so many tokens, by the piece just written.

As in-context RALM (Ram et al. 2023) and as "fix-length-retrieval" in DRAGIN's released code; 32 tokens where that code
sets none. What the model writes next is written over the latest passages only.
"""

from engine.methods.timing.base import DraftView, Policy, Signal, before_writing


def judge(look: DraftView) -> tuple[Signal, ...]:
    """Return a lookup after every full piece of the text; none where the model ended before the piece was full."""
    tokens, length = look.generation.tokens, look.scene.config.fixed_length
    full = range(length, len(tokens) + (look.generation.stop_reason == "length"), length)
    return tuple(piece_signal(look, end - length, end) for end in full)


def piece_signal(look: DraftView, first: int, end: int) -> Signal:
    """Return the lookup after tokens [first, end), with their text as the query."""
    tokens = look.generation.tokens
    start, stop = tokens[first].start, tokens[end - 1].end
    text = look.generation.text[start:stop].strip()
    return Signal(token=end, start=start, end=stop, cut=stop, text=text, value=None, query=text)


POLICY = Policy(
    word="fixed_length",
    title="Fixed length",
    summary="Have so many tokens been written since the last lookup?",
    paper="In-context RALM; DRAGIN's baseline FL-RAG",
    after="schedule",
    before=before_writing,
    judge=judge,
    piece=lambda config: config.fixed_length,
)
