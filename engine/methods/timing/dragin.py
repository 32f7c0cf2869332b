"""DRAGIN: look up where an uncertain word is one that much rests on (RIND), by what the text attends to there (QFS).

DRAGIN (Su et al. 2024, section 3): S = H · a_max · s with s = 0 for stop words, per sentence; the whole sentence is
written anew. The released code lets a function word fire too, without a query word of its own: variant "code". Words
are ETC's here, so that lanes compare; the released code leaves punctuation on its word. Attention is DRAGIN's, of the
generated text alone; the query's is that of the whole prompt, from the token before the word that fires. That is the
first in its sentence; the released code averages over all content words of the sentence that fire.
"""

import numpy as np

from engine.measures.retrieval_timing import rind
from engine.methods.threshold import Threshold
from engine.methods.timing.base import DraftView, Policy, Signal


def judge(look: DraftView) -> tuple[Signal, ...]:
    """Return RIND at every word, content words only in variant "paper"; the cut is where the sentence begins.

    Raises CapabilityError without attention or the whole distribution.
    """
    values = rind_values(look)
    content_only = look.scene.config.variant == "paper"
    return tuple(
        Signal(
            token=word.first_token,
            start=word.start,
            end=word.end,
            cut=sentence_start(look, word.sentence),
            text=word.text,
            value=float(values[place]),
            query=query(look, place),
        )
        for place, word in enumerate(look.words)
        if word.is_content or not content_only
    )


def rind_values(look: DraftView) -> np.ndarray:
    """Return RIND of every word, normalised inside its sentence: [words], in nats times relative attention.

    A word's attention is the sum over its tokens and its entropy their mean, as in the released code.
    """
    words, tokens = look.words, look.generation.tokens
    values = np.zeros(len(words))
    for sentence in sorted({word.sentence for word in words}):
        places = [place for place, word in enumerate(words) if word.sentence == sentence]
        spans = [range(words[place].first_token, words[place].last_token + 1) for place in places]
        attention = [look.received[span.start : span.stop].sum() for span in spans]
        values[places] = rind(attention, [np.mean([tokens[i].entropy for i in span]) for span in spans])
    return values


def sentence_start(look: DraftView, sentence: int) -> int:
    """Return the character at which a sentence of the text begins."""
    spans = look.sentences
    return spans[sentence].start if sentence < len(spans) else 0


def query(look: DraftView, place: int) -> str:
    """Return the content words before this one that the token before it attends to most (QFS).

    The first token of all has none before it in the text and takes its own row.
    """
    before = max(0, look.words[place].first_token - 1)
    return look.query_by(look.attention[before], place)


RIND = Threshold(
    word="rind",
    title="RIND's threshold θ",
    unit="nats × relative attention",
    decides="Above it DRAGIN looks something up before the sentence of that word.",
    paper="DRAGIN, section 3.2",
    group="While writing",
    fields=(("timing", "dragin_threshold"),),
    policy="dragin",
    fitted=True,
    top=2.0,
)
POLICY = Policy(
    word="dragin",
    title="DRAGIN",
    summary="Is the model unsure of a word that later words rest on?",
    paper="DRAGIN, section 3",
    after="sentence",
    threshold=RIND,
    rule="above",
    judge=judge,
    reads="attention",
)
