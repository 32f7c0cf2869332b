"""What the embedded judge weighs beside its cross-encoder: numbers that words alone give for a pair of answers.

A cross-encoder of 6 layers reads meaning, and overlooks a changed digit or an alias word for word inside a long answer.
The last layer of the judge is a multinomial logistic regression over the encoder's three logits and these numbers,
fitted on answers that the encoder was not trained on.
"""

import re
from collections.abc import Sequence
from math import log1p

import numpy as np

from engine.backends.entailment import rules
from engine.backends.entailment.answers import NO, YES, with_words_apart, words

RULES = (
    rules.SAME,
    rules.CONTAINED,
    rules.REORDERED,
    rules.CONTRADICTED,
    rules.UNRELATED,
    rules.LESS_DETAILED,
    None,
)
# Two verdicts are surer than those of their kind that the last layer learnt with.
LEARNT_AS = {rules.OTHERWISE: rules.CONTRADICTED, rules.NOT_TOLD: rules.UNRELATED}
CONTRADICTED, NO_RULE, SHARES, LENGTH, STANDS_IN = 3, 6, slice(7, 9), 9, 11
WORD_NUMBERS = 15
INPUTS = WORD_NUMBERS + 17
MOST_APART = 1 / 3


def word_numbers(question: str, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    """Return [n, 15]: which rule decides (7, the last: none), shares of words in common (premise has hypothesis' words,
    the other way round), log of 1 + words of each, whether one stands in the other word for word (2), whether each
    abstains (2).
    """
    question_words = words(question)
    return np.array(
        [
            pair_numbers(question_words, with_words_apart(premise), with_words_apart(hypothesis))
            for premise, hypothesis in pairs
        ],
        dtype=np.float64,
    ).reshape(len(pairs), WORD_NUMBERS)


def pair_numbers(question: tuple[str, ...], premise: str, hypothesis: str) -> list[float]:
    """Return one row of ``word_numbers``."""
    left, right = rules.read_answer(premise, question), rules.read_answer(hypothesis, question)
    found = rules.by_rule(left, right, question)
    verdict = LEARNT_AS.get(found, found) if found else found
    one, other = letters(premise), letters(hypothesis)
    return [
        *(float(verdict == rule) for rule in RULES),
        rules.share(right.content, left.words),
        rules.share(left.content, right.words),
        log1p(len(left.words)),
        log1p(len(right.words)),
        float(occurs_in(other, one)),
        float(occurs_in(one, other)),
        float(left.abstains),
        float(right.abstains),
    ]


def letters(text: str) -> str:
    """Return letters and digits in lower case, single spaces between words.

    >>> letters("It's  Paris!")
    'it s paris'
    """
    return re.sub(r"\W+", " ", text.casefold()).strip()


def occurs_in(wanted: str, text: str) -> bool:
    """Return whether words stand in a text; the last one may go on from four characters (a plural, a citation mark).

    >>> occurs_in("1997", "in 19971"), occurs_in("no", "it is not"), occurs_in("lion", "two lions")
    (True, False, True)
    """
    return f" {wanted}{'' if len(wanted) >= 4 else ' '}" in f" {text} "


def last_layer_inputs(numbers: np.ndarray, logits: np.ndarray) -> np.ndarray:
    """Return [n, 32], what the last layer weighs: the word numbers, the centred logits, and where one bears on another.

    ``logits`` [n, 3] of the cross-encoder count anew where no rule decides, where one contradicts, in long premises,
    and where the two have no word in common; an answer that stands in a long premise counts anew too.
    """
    centred = logits - logits.mean(axis=1, keepdims=True)
    length = numbers[:, LENGTH : LENGTH + 1] / 4.0
    apart = no_word_in_common(numbers)[:, None].astype(np.float64)
    return np.hstack(
        (
            numbers,
            centred,
            centred * numbers[:, NO_RULE : NO_RULE + 1],
            centred * numbers[:, CONTRADICTED : CONTRADICTED + 1],
            centred * length,
            centred * apart,
            apart,
            numbers[:, STANDS_IN : STANDS_IN + 1] * length,
        )
    )


def no_word_in_common(numbers: np.ndarray) -> np.ndarray:
    """Return [n] bool: no rule decides and no word that carries an answer stands in the other."""
    found: np.ndarray = (numbers[:, SHARES].sum(axis=1) == 0) & (numbers[:, NO_RULE] == 1)
    return found


def capped_entailment(probabilities: np.ndarray, numbers: np.ndarray, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    """Return [n, 3] in which no word in common leaves little entailment; contradiction has what is taken away.

    The encoder takes neighbours for equals ("Ankara", "Istanbul") and never saw a question of yes or no in training.
    So two answers of up to twelve words each, or of which one is a bare yes or no, are entailed by one third at most:
    people call such answers right as often where the encoder says more than 0.2 (5 of 16 on the fitting questions).
    """
    short = (numbers[:, LENGTH : LENGTH + 2] <= log1p(rules.SHORT)).all(axis=1)
    bare = np.array([is_bare_yes_or_no(one) or is_bare_yes_or_no(other) for one, other in pairs], dtype=bool)
    out = probabilities.copy()
    excess = np.where(no_word_in_common(numbers) & (short | bare), np.maximum(out[:, 2] - MOST_APART, 0.0), 0.0)
    out[:, 2] -= excess
    out[:, 0] += excess
    return out


def is_bare_yes_or_no(text: str) -> bool:
    """Return whether an answer is yes or no and nothing else.

    >>> is_bare_yes_or_no("No."), is_bare_yes_or_no("No, Lyon is")
    (True, False)
    """
    found = words(text)
    return len(found) == 1 and found[0] in YES | NO
