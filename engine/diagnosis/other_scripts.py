"""Where the embedded judge read answers that it never learned to read: those in another script than Latin.

It was trained on English answers. What words alone decide (equal words, numbers, one answer inside the other) holds in
any script; the rest was measured in English only. This counts the rest in the run at hand, from its stored judgements.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.backends.entailment.answers import words
from engine.backends.entailment.rules import by_rule, read_answer
from engine.core.records import Judgement
from engine.diagnosis.record import Diagnosis, MethodResult
from engine.methods.meaning import MEASURED


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownScript:
    """Of ``judged`` pairs of answers, ``unknown`` have an answer in another script, and no rule decides them."""

    unknown: int
    judged: int


def in_other_scripts(diagnosis: Diagnosis, *results: MethodResult) -> UnknownScript | None:
    """Return how many judgements of results were not measured for their script, each once; None where all were.

    Of other judges than the embedded one nothing is known here, so None too.
    """
    if diagnosis.provenance.judge != MEASURED:
        return None
    pairs = dict.fromkeys((one.premise, one.hypothesis) for result in results for one in judgements_of(result))
    unknown = sum(is_unknown(diagnosis.question, *pair) for pair in pairs)
    return UnknownScript(unknown=unknown, judged=len(pairs)) if unknown else None


def judgements_of(result: MethodResult) -> tuple[Judgement, ...]:
    """Return the judgements of answers that a result keeps, each once."""
    sets: Sequence[object] = getattr(result, "sets", ())
    return tuple(dict.fromkeys(one for kept in (result, *sets) for one in getattr(kept, "judgements", ())))


@lru_cache(maxsize=65536)
def is_unknown(question: str, premise: str, hypothesis: str) -> bool:
    """Return whether no rule decides two answers, and one of them has letters but none of Latin script.

    >>> is_unknown("Where?", "Москва", "Лондон"), is_unknown("Where?", "Moscow", "London")
    (True, False)
    >>> is_unknown("Where?", "Москва, Россия", "Москва")  # the one says the other
    False
    """
    if not (is_other_script(premise) or is_other_script(hypothesis)):
        return False
    asked = words(question)
    return by_rule(read_answer(premise, asked), read_answer(hypothesis, asked), asked) is None


@lru_cache(maxsize=65536)
def is_other_script(text: str) -> bool:
    """Return whether a text has letters and none of them is a Latin one.

    >>> is_other_script("القاهرة"), is_other_script("Cairo (القاهرة)"), is_other_script("1869")
    (True, False, False)
    """
    letters = [letter for letter in text if letter.isalpha()]
    return bool(letters) and not any("LATIN" in unicodedata.name(letter, "") for letter in letters)
