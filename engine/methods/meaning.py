"""Whether answers that words call wrong mean a correct answer all the same: the judge is asked about these alone.

Words cannot tell that "September 8, 2010" is "8 September 2010". People accept a third of the short answers that words
call wrong, and nine in ten of those to which the judge gives ``SAME_MEANING`` (``benchmarks/results/judge.json``).
"""

import logging
from collections.abc import Sequence

from engine.backends.entailment.base import ENTAILMENT, Judge
from engine.core.errors import CapabilityError, ModelError
from engine.core.records import JudgedAnswer, meaning_of
from engine.measures.answer_marks import can_mean, is_closed, is_meant, mark

# No other judge's word on answers was compared with people's here.
MEASURED = "embedded"
log = logging.getLogger(__name__)


def judged_answers(judge: Judge, question: str, golds: Sequence[str], texts: Sequence[str]) -> tuple[JudgedAnswer, ...]:
    """Return what the judge says of each answer whose words are no correct one's, once each, in order.

    A correct "yes" or "no" is left to words, and so is a short answer that denies or leaves open what a correct one
    does not. () where no other is known, where the judge is none that was compared with people, and where it fails:
    nothing else in a run depends on it.
    """
    if judge.name != MEASURED or not golds:
        return ()
    wrong = [text for text in dict.fromkeys(texts) if mark(text, golds) == "no"]
    pairs = [(text, gold) for text in wrong for gold in golds if not is_closed(gold) and can_mean(text, gold)]
    if not pairs:
        return ()
    try:
        found = judge.entailment(question, *map(list, zip(*pairs, strict=True)))[:, ENTAILMENT]
    except (CapabilityError, ModelError) as exc:
        log.warning("the answers were not judged: %s", exc)
        return ()
    best: dict[str, float] = {}
    for (text, _), likely in zip(pairs, found, strict=True):
        best[text] = max(best.get(text, 0.0), float(likely))
    return tuple(JudgedAnswer(text=text, meaning=meaning) for text, meaning in best.items())


def only_means(text: str, right: bool | None, judged: Sequence[JudgedAnswer]) -> float | None:
    """Return P(entailment) of an answer that is right by the judge alone, in [0.8, 1]; None where it is not.

    ``right`` is what words say; None, without a correct answer, stays not known.

    >>> said = (JudgedAnswer(text="8 Sept. 2010", meaning=0.98), JudgedAnswer(text="2011", meaning=0.1))
    >>> only_means("8 Sept. 2010", False, said), only_means("2011", False, said), only_means("8 Sept. 2010", None, said)
    (0.98, None, None)
    """
    meaning = meaning_of(text, judged) if right is False else None
    return meaning if is_meant(meaning) else None
