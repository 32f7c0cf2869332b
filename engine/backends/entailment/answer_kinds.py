"""Does an answer answer what is asked? "It was built by the Romans" names no time, so it neither says nor denies one.

Where a question asks for a time, a number or a person, and one of two answers names none, the two do not meet: what the
judge holds for contradiction is neutral then. Rules over words, no model.
"""

import re
from collections.abc import Sequence

import numpy as np

from engine.backends.entailment.answers import CARRIERS, MONTHS, SMALL, TENS, abstains, is_number, words
from engine.backends.entailment.wording import person

ASKS_TIME = re.compile(
    r"\b(?:when|what (?:year|date|day|month)|which (?:year|date|day|month|century))\b", re.IGNORECASE
)
ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|long|old|tall|far|big|large|high|deep|fast|hot|heavy|wide)\b", re.IGNORECASE
)
ASKS_NAME = re.compile(
    r"\b(?:who|whose|whom|where)\b|\b(?:what|which) (?:is|was) the (?:capital|name)\b", re.IGNORECASE
)
TIME_WORDS = frozenset(
    """today yesterday tomorrow now century decade spring summer autumn winter morning evening night noon midnight
    easter christmas monday tuesday wednesday thursday friday saturday sunday war weekend daily always never
    after before during while until since ago early late""".split()
) | frozenset(MONTHS)
NUMBER_WORDS = frozenset((*SMALL, *TENS, *"none no all half dozen several hundred thousand million infinite".split()))
ASKS_WHO = re.compile(r"\bwho(?:se|m)?\b", re.IGNORECASE)
ASKS_WHY = re.compile(r"\bwhy\b|\bfor what reason\b", re.IGNORECASE)
REASONS = frozenset("because due since owing so to for as reason cause caused thanks lack fear".split())
CLOSED = frozenset("is are was were do does did has have had can could will would should".split())
PRONOUNS = frozenset("it he she they this that these those we".split())
PAST = frozenset("won took made found got left lay lies hung hangs came went grew stood wrote fell began".split())


def with_neutral(probabilities: np.ndarray, question: str, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    """Return [n, 3] in which answers that do not meet are neutral as far as they were contradictory, and two that name
    somebody contradict as far as they were neutral; what is entailed stays.
    """
    out = probabilities.copy()
    for row, (one, other) in enumerate(pairs):
        if answers_it(question, one) != answers_it(question, other):
            out[row, 1] += out[row, 0]
            out[row, 0] = 0.0
        elif int(out[row].argmax()) == 1 and ASKS_WHO.search(question) and names_who(one) and names_who(other):
            out[row, 0] += out[row, 1]
            out[row, 1] = 0.0
    return out


def names_who(answer: str) -> bool:
    """Return whether an answer is a name of up to three words, or holds one person's full name; no abstention does.

    >>> names_who("It was Ben Jonson in 1600."), names_who("Ibsen"), names_who("It was printed in Basel")
    (True, True, False)
    """
    parts = answer.split()
    return not abstains(answer) and (
        len(person(answer)) > 1 or (len(parts) <= 3 and all(part[0].isupper() for part in parts))
    )


def answers_it(question: str, answer: str) -> bool:
    """Return whether an answer names what its question asks for, as far as its words show; True where they do not.

    >>> answers_it("When was it built?", "by the Romans"), answers_it("When was it built?", "in 105")
    (False, True)
    """
    found = words(answer)
    if ASKS_TIME.search(question):
        return any(word in TIME_WORDS or is_time(found, place) for place, word in enumerate(found))
    if ASKS_WHY.search(question):
        return any(word in REASONS for word in found)
    if ASKS_NUMBER.search(question):
        return any(is_number(word) or word in NUMBER_WORDS for word in found)
    if ASKS_NAME.search(question):
        return names_something(question, answer)
    return not is_time_only(question, found) and not is_beside(question, answer)


def is_time(found: tuple[str, ...], place: int) -> bool:
    """Return whether a word is a year, decade, day or hour, and no number of something: "four years" is a length."""
    if not is_number(found[place]):
        return False
    long = len(found[place]) >= 3
    return long or len(found) <= 3 or not set(found[place + 1 : place + 2]) - {"am", "pm", "o", *MONTHS}


def is_time_only(question: str, found: tuple[str, ...]) -> bool:
    """Return whether all that an answer adds to the question's words is a year or month."""
    new = [word for word in found if word not in CARRIERS and word not in words(question) and word not in PRONOUNS]
    own = [word for word in new if not any(word[:4] == asked[:4] for asked in words(question))]
    return bool(own) and all(word in MONTHS or (is_number(word) and len(word) == 4) for word in own)


def is_beside(question: str, answer: str) -> bool:
    """Return whether an answer is a sentence about a pronoun that does something else than the question speaks of."""
    found = words(answer)
    if (
        words(question)[:1]
        and words(question)[0] in CLOSED
        or len(found) < 4
        or found[0] not in PRONOUNS
        or found[1:2] in (("is",), ("are",))
    ):
        return False
    verb = found[2] if found[1] in {"was", "were", "had", "has", "will"} else found[1]
    stems = {asked[:4] for asked in words(question)}
    return (
        verb[:4] not in stems
        and not any(len(stem) == 3 and verb.startswith(stem) for stem in stems)
        and (verb.endswith(("ed", "s", "en", "t")) or verb in PAST)
        and verb not in CARRIERS
    )


def names_something(question: str, answer: str) -> bool:
    """Return whether an answer names someone or somewhere: a word with a capital that the question does not have.

    An answer without a verb of its own ("the deputy") names by kind; so does one without any capital letter but its
    first.
    """
    asked = set(words(question))
    parts = re.findall(r"[^\W\d_][\w'’-]*", answer)
    if words(answer)[0] in ("a", "an", "some", "someone", "somebody"):
        return False
    named = [part for part in parts if part[0].isupper() and not set(words(part)) <= asked | CARRIERS]
    if named and (named[0] != parts[0] or len(parts) <= 3 or len(named) > 1):
        return True
    return bool(named) and words(parts[0])[0] not in OPENERS


OPENERS = frozenset(
    "many some several people somebody someone everyone nobody rumour legend experts historians".split()
)
