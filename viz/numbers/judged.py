"""What a run's judge said of two texts, found again among its stored judgements.

Texts that differ in case, spaces or outer punctuation only are one text and entail each other, as when they were judged
(``engine.entailment.matrix``). A pair that is not stored has no answer here: None, never a guess.
"""

from collections.abc import Sequence

import numpy as np

from engine.entailment.matrix import plain, probabilities
from engine.measures.response_graph import response_weights
from engine.records import Judgement

ENTAILMENT = 2


def said(judgements: Sequence[Judgement], premise: str, hypothesis: str) -> Judgement | None:
    """Return the stored judgement of an ordered pair of texts, None where there is none."""
    wanted = plain(premise), plain(hypothesis)
    return next((one for one in judgements if (plain(one.premise), plain(one.hypothesis)) == wanted), None)


def entails(judgements: Sequence[Judgement], premise: str, hypothesis: str) -> bool | None:
    """Return whether a text entails another by the stored word of the judge, None where that is not stored."""
    if plain(premise) == plain(hypothesis):
        return True
    found = said(judgements, premise, hypothesis)
    return None if found is None else int(np.argmax(probabilities(found))) == ENTAILMENT


def agreement(judgements: Sequence[Judgement], one: str, other: str) -> float | None:
    """Return the weight of two answers in {0, 0.5, 1} (DENSE, eq. 5), None where a direction is not stored."""
    forth, back = entails(judgements, one, other), entails(judgements, other, one)
    if forth is None or back is None:
        return None
    return float(response_weights([[True, forth], [back, True]])[0, 1])
