"""What a run's judge said of two texts, found again among its stored judgements.

Texts that differ in case, spaces or outer punctuation only are one text and entail each other, as when they were judged
(``engine.backends.entailment.matrix``). A pair that is not stored has no answer here: none, never a guess. A pair may
be stored more than once: asked for in another batch, a judge in bfloat16 rounds otherwise in the fourth digit.
"""

from collections.abc import Sequence

import numpy as np

from engine.backends.entailment.matrix import plain, probabilities
from engine.core.records import Judgement
from engine.measures.response_graph import response_weights

ENTAILMENT = 2
ASKED_TWICE = "This pair was judged more than once, in batches that round otherwise; the nearest reading is taken."


def said(judgements: Sequence[Judgement], premise: str, hypothesis: str) -> tuple[Judgement, ...]:
    """Return the stored judgements of an ordered pair of texts: none, one, or one per batch that asked."""
    wanted = plain(premise), plain(hypothesis)
    return tuple(one for one in judgements if (plain(one.premise), plain(one.hypothesis)) == wanted)


def entails(judgements: Sequence[Judgement], premise: str, hypothesis: str) -> tuple[bool, ...]:
    """Return whether a text entails another by the judge's stored words, each different one once; () = not stored."""
    if plain(premise) == plain(hypothesis):
        return (True,)
    found = (int(np.argmax(probabilities(one))) == ENTAILMENT for one in said(judgements, premise, hypothesis))
    return tuple(dict.fromkeys(found))


def agreement(forth: bool, back: bool) -> float:
    """Return the weight of two answers in {0, 0.5, 1} from both directions of entailment (DENSE, eq. 5).

    >>> agreement(True, False)
    0.5
    """
    return float(response_weights([[True, forth], [back, True]])[0, 1])


def nearest(values: Sequence[float], stored: float | None) -> float:
    """Return the value nearest to the stored one, the first where nothing is stored; ``values`` has at least one.

    >>> nearest([0.1, 0.5], 0.45), nearest([0.1, 0.5], None)
    (0.5, 0.1)
    """
    return values[0] if stored is None else min(values, key=lambda value: abs(value - stored))
