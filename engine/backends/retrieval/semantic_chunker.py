"""Semantic chunks with character offsets: neighbouring sentences that are alike stand together (DENSE, section 5.1).

Equation 7 compares a sentence with the one right before it, not with the chunk so far; algorithm 2 differs from it
where the cosine is exactly the threshold, which is a setting. A sentence longer than the largest chunk is a chunk of
its own, as in the printed algorithm. Lengths are the embedder's tokens without its marks. The paper's threshold of 0.6
was set for UAE-Large-V1; between neighbours, all-MiniLM-L6-v2 reaches it for about one pair in twenty of the sample
encyclopaedia (median 0.39), so most chunks there are single sentences.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from engine.backends.retrieval.base import Embedder, SemanticCut, embeddings
from engine.backends.retrieval.chunkers import passage_of, token_length
from engine.backends.text.base import TextTools
from engine.core.records import Document, Passage


def semantic_chunks(document: Document, cut: SemanticCut, embedder: Embedder, text: TextTools) -> tuple[Passage, ...]:
    """Return the semantic chunks of a document, in order; ``document.text[start:end] == passage.text`` for each.

    Together they hold every sentence once. A document without a sentence gives none.
    """
    sentences = [span for span in text.sentences(document.text) if span.text.strip()]
    if not sentences:
        return ()
    known = embeddings([span.text for span in sentences], embedder)
    rows = [known[span.text] for span in sentences]
    cosines = [float(one @ other) for one, other in pairwise(rows)]
    length = token_length(embedder)
    groups = merged([length(span.text) for span in sentences], cosines, cut.similarity, cut.most_tokens, cut.tie)
    return tuple(passage_of(document, sentences[first].start, sentences[last - 1].end) for first, last in groups)


def merged(
    lengths: Sequence[int],
    cosines: Sequence[float],
    similarity: float,
    most_tokens: int,
    tie: Literal["join", "cut"] = "join",
) -> list[tuple[int, int]]:
    """Return the chunks as [first, last) sentences, in order (DENSE, eq. 7).

    ``lengths`` [n] in tokens, ``cosines`` [n - 1] of each sentence with the next. A sentence joins the chunk before it
    where the cosine reaches ``similarity`` and both together have at most ``most_tokens``.

    >>> merged([300, 200, 20, 500], [0.9, 0.9, 0.9], 0.6, 512)
    [(0, 2), (2, 3), (3, 4)]
    """
    groups: list[tuple[int, int]] = []
    size = 0
    for place, length in enumerate(lengths):
        alike = place > 0 and (cosines[place - 1] > similarity or (tie == "join" and cosines[place - 1] == similarity))
        if alike and size + length <= most_tokens:
            groups[-1] = (groups[-1][0], place + 1)
            size += length
        else:
            groups.append((place, place + 1))
            size = length
    return groups
