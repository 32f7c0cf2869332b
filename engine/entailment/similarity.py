"""A judge without NLI weights: string rules where they decide, embedding similarity where they do not.

It stands in until a trained classifier is shipped, and says so in its note. In order: equal words entail; opposite yes
and no contradict; a hypothesis whose content words stand in the premise is entailed (the premise says more); an answer
that is denied contradicts; an answer that there is no answer is neutral to any real one; other numbers contradict. What
no rule decides goes through a logistic map of a cosine and the shares of words in common, fitted on people's judgements
of answers to Natural Questions (EVOUNA, Wang et al. 2023) by ``benchmarks/similarity_judge.py --fit``. People were
asked whether two answers mean the same, so nothing there tells contradiction from neutral: what is left over from
entailment is split by rule, mostly to contradiction where the answers have no word in common.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from math import exp

import numpy as np

from engine.entailment.answers import MONTHS, NEGATIONS, NO, YES, abstains, content, is_number, words
from engine.entailment.conditioning import with_rules
from engine.retrieval.base import Embedder, embeddings

Probabilities = tuple[float, float, float]

# Where a rule decides, entailment is about as likely as people called such answers right on the train questions.
SAME: Probabilities = (0.001, 0.001, 0.998)
CONTAINED: Probabilities = (0.01, 0.01, 0.98)
REORDERED: Probabilities = (0.01, 0.02, 0.97)
CONTRADICTED: Probabilities = (0.84, 0.03, 0.13)
UNRELATED: Probabilities = (0.03, 0.84, 0.13)
# People also accept "2012" for "9 September 2012" (0.88), but it does not entail the day: a choice, not a fit.
LESS_DETAILED: Probabilities = (0.1, 0.65, 0.25)
# Intercept, cosine of the content words, share of the hypothesis' words in the premise, the other way round, and 1 for
# a premise of more than twelve words (it says more than its cosine shows).
WEIGHTS = (-3.21, 3.17, 3.06, 1.29, 1.11)
# How much of what is not entailment is contradiction: answers without, and with, a word in common.
CONTRADICTION_SHARE = (0.8, 0.4)
SHORT = 12
OPENER_WORDS = "is are was were do does did has have had can could will would should must may might isnt arent"
QUESTION_OPENERS = frozenset(OPENER_WORDS.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer as the rules see it: the text, its words, those that carry it, and whether it says that it has none."""

    text: str
    words: tuple[str, ...]
    content: tuple[str, ...]
    abstains: bool


class SimilarityJudge:
    """Rules and an embedder held open; deterministic."""

    name = "similarity"
    pairs_at_once = 32
    note = (
        "String rules (equal, contained, denied or different words, numbers and dates), else a logistic map of "
        "embedding cosine and shared words, fitted on people's judgements of answers; no entailment model. "
        "Neutral and contradiction are told apart by rule only."
    )

    def __init__(self, embedder: Embedder) -> None:
        """Hold the embedder."""
        self._embedder = embedder

    def entailment(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return [n, 3] probabilities (contradiction, neutral, entailment); each distinct text is embedded once."""
        return with_rules(premises, hypotheses, lambda left, right: self._judged(question, left, right))

    def _judged(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return the probabilities for texts that are not empty."""
        asked = words(question)
        read = {text: read_answer(text, asked) for text in (*premises, *hypotheses)}
        pairs = [(read[premise], read[hypothesis]) for premise, hypothesis in zip(premises, hypotheses, strict=True)]
        ruled = [by_rule(premise, hypothesis, asked) for premise, hypothesis in pairs]
        open_pairs = [pair for pair, verdict in zip(pairs, ruled, strict=True) if verdict is None]
        rest = iter(by_similarity(features) for features in pair_features(open_pairs, self._embedder))
        return np.array([next(rest) if verdict is None else verdict for verdict in ruled])


def read_answer(text: str, asked: tuple[str, ...]) -> Answer:
    """Return an answer as the rules see it, ``asked`` being the question's words."""
    found = words(text)
    return Answer(text=text, words=found, content=content(found, asked), abstains=abstains(text))


def by_rule(premise: Answer, hypothesis: Answer, asked: tuple[str, ...]) -> Probabilities | None:
    """Return the verdict of the first rule that applies, None where none does."""
    if premise.words == hypothesis.words:
        return SAME
    stances = stance(premise.words, asked), stance(hypothesis.words, asked)
    if all(stances):
        return CONTAINED if stances[0] == stances[1] else CONTRADICTED
    if denied(premise, hypothesis) != denied(hypothesis, premise):
        return CONTRADICTED if set(premise.content) & set(hypothesis.content) else UNRELATED
    if sorted(premise.content) == sorted(hypothesis.content):
        return SAME if any(map(is_number, premise.content)) else REORDERED
    if stands_in(hypothesis.content, premise):
        return CONTAINED
    if all(any(same_word(said, claimed) for said in premise.words) for claimed in hypothesis.content):
        return REORDERED
    if premise.abstains or hypothesis.abstains:
        return REORDERED if premise.abstains and hypothesis.abstains else UNRELATED
    if other_dates(premise, hypothesis):
        return CONTRADICTED
    return by_numbers(premise, hypothesis)


def other_dates(premise: Answer, hypothesis: Answer) -> bool:
    """Return whether both name months and none in common, or both name years and none in common.

    However much else a long answer says, "on 26 July" is not "on 17 November".
    """
    return any(
        bool(said) and bool(claimed) and said.isdisjoint(claimed)
        for said, claimed in ((months(premise), months(hypothesis)), (years(premise), years(hypothesis)))
    )


def months(answer: Answer) -> frozenset[str]:
    """Return the months an answer names."""
    return frozenset(MONTHS).intersection(answer.words)


def years(answer: Answer) -> frozenset[str]:
    """Return the years an answer names: numbers of four digits from 1000 to 2099."""
    return frozenset(word for word in answer.words if len(word) == 4 and word.isdigit() and "1000" <= word < "2100")


def by_numbers(premise: Answer, hypothesis: Answer) -> Probabilities | None:
    """Return the verdict where the numbers of two answers decide, None where they do not."""
    said = {word for word in premise.content if is_number(word)}
    claimed = {word for word in hypothesis.content if is_number(word)}
    missing = {number for number in claimed if not any(same_word(other, number) for other in said)}
    if not missing or len(premise.words) > SHORT:
        return None
    if said - claimed:
        return CONTRADICTED
    return LESS_DETAILED if said else None


def same_word(said: str, claimed: str) -> bool:
    """Return whether a word says what another claims: itself, or for a year the decade it lies in.

    >>> same_word("1984", "1980s"), same_word("1980s", "1984")
    (True, False)
    """
    return said == claimed or (is_number(claimed) and claimed.endswith("0s") and said[:-1] == claimed[:-2])


def stance(found: tuple[str, ...], asked: tuple[str, ...]) -> str:
    """Return "yes" or "no" where an answer begins with one and that answers the question, else ""."""
    closed = len(found) == 1 or (bool(asked) and asked[0] in QUESTION_OPENERS)
    if not closed:
        return ""
    return "yes" if found[0] in YES else "no" if found[0] in NO else ""


def denied(answer: Answer, other: Answer) -> bool:
    """Return whether an answer denies what both speak of: a negation is one of the two words before it.

    "It" is the first word they share, or where they share none the first word that carries the answer.
    """
    about = set(answer.content) & set(other.content) or set(answer.content)
    place = next((place for place, word in enumerate(answer.words) if word in about), 0)
    return not answer.abstains and not NEGATIONS.isdisjoint(answer.words[max(0, place - 2) : place])


def stands_in(wanted: tuple[str, ...], answer: Answer) -> bool:
    """Return whether the words stand together in an answer, words between them that carry nothing left out."""
    bearing = content(answer.words, ())
    return any(bearing[at : at + len(wanted)] == wanted for at in range(len(bearing) - len(wanted) + 1))


def pair_features(pairs: Sequence[tuple[Answer, Answer]], embedder: Embedder) -> np.ndarray:
    """Return [pairs, 5] features in the order of WEIGHTS, the first always 1."""
    bearing = {answer.text: " ".join(answer.content) for pair in pairs for answer in pair}
    rows = embeddings(sorted(set(bearing.values())), embedder)
    out = [
        (
            1.0,
            float(rows[bearing[premise.text]] @ rows[bearing[hypothesis.text]]),
            share(hypothesis.content, premise.words),
            share(premise.content, hypothesis.words),
            float(len(premise.words) > SHORT),
        )
        for premise, hypothesis in pairs
    ]
    return np.array(out, dtype=np.float64).reshape(len(pairs), len(WEIGHTS))


def by_similarity(features: np.ndarray) -> Probabilities:
    """Return the probabilities of one row of features."""
    entailment = 1.0 / (1.0 + exp(-float(features @ np.array(WEIGHTS))))
    common = max(features[2], features[3]) > 0
    contradiction = CONTRADICTION_SHARE[int(common)] * (1.0 - entailment)
    return (contradiction, 1.0 - entailment - contradiction, entailment)


def share(wanted: tuple[str, ...], found: tuple[str, ...]) -> float:
    """Return the share of words that stand in the other answer, spelling variants included; in [0, 1]."""
    return sum(any(alike(word, other) for other in found) for word in wanted) / len(wanted) if wanted else 0.0


@lru_cache(maxsize=65536)
def alike(word: str, other: str) -> bool:
    """Return whether two words are one, or spellings of one ("rontgen", "roentgen"); numbers must be equal.

    >>> alike("rontgen", "roentgen"), alike("1960", "1961"), alike("kate", "katy")
    (True, False, False)
    """
    if word == other:
        return True
    if is_number(word) or is_number(other) or word[0] != other[0] or min(len(word), len(other)) < 4:
        return False
    return abs(len(word) - len(other)) <= 2 and SequenceMatcher(None, word, other).ratio() > 0.8
