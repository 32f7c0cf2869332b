"""Which answers entail which: every ordered pair, each distinct pair of texts judged once.

DENSE's graph (section 4.2, eq. 5) and the clusters of SePer and SUGAR stand on the classes; SePer's soft kernel (eq. 9)
on the probabilities of responses against correct answers. Texts that differ in case, spaces or outer punctuation only
are one text. Less is folded than for exact match, which deletes all punctuation: "1.5" is not "15".
"""

from collections.abc import Sequence
from itertools import permutations, product

import numpy as np

from engine.backends.entailment.base import ENTAILMENT, Judge
from engine.core.errors import ModelError
from engine.core.progress import Report, Stage, silent
from engine.core.records import Judgement

ROUNDING = 1e-3
OUTER = " \t\r\n.,;:!?\"'“”‘’`*"


def plain(text: str) -> str:
    """Return the text by which two answers count as the same; "" for an empty answer.

    >>> plain(' "The  Sun". ') == plain("the sun")
    True
    """
    return " ".join(text.casefold().split()).strip(OUTER)


def judge_pairs(
    judge: Judge, question: str, texts: Sequence[str], report: Report
) -> tuple[np.ndarray, tuple[Judgement, ...]]:
    """Return classes [n, n] (0 contradiction, 1 neutral, 2 entailment; row = premise) and the judgements behind them.

    Texts with equal ``plain`` form entail each other, so the diagonal is 2; two empty ones are such a case, and one
    empty text is neutral with any other. The judge gets the rest only, each distinct ordered pair once.
    """
    shown = first_texts(texts)
    judged = judged_pairs(judge, question, list(permutations(dict.fromkeys(shown), 2)), report)
    rows = by_texts(judged)
    classes = [[ENTAILMENT if a == b else int(np.argmax(rows[a, b])) for b in shown] for a in shown]
    return np.array(classes, dtype=np.int64).reshape(len(texts), len(texts)), judged


def judge_against(
    judge: Judge, question: str, responses: Sequence[str], golds: Sequence[str], report: Report = silent
) -> tuple[np.ndarray, np.ndarray, tuple[Judgement, ...]]:
    """Return P(response -> gold) [n, golds, 3], P(gold -> response) [n, golds, 3] and the judgements behind them.

    The last axis is (contradiction, neutral, entailment). The judge gets equal texts too: their probability is
    part of SePer's soft kernel. It gets each distinct ordered pair once; empty texts go by rule.
    """
    shown_responses, shown_golds = first_texts(responses), first_texts(golds)
    forth = list(product(dict.fromkeys(shown_responses), dict.fromkeys(shown_golds)))
    judged = judged_pairs(judge, question, forth + [(gold, response) for response, gold in forth], report)
    to_gold, to_response = by_texts(judged[: len(forth)]), by_texts(judged[len(forth) :])
    pairs, shape = list(product(shown_responses, shown_golds)), (len(responses), len(golds), 3)
    return (
        np.array([to_gold[response, gold] for response, gold in pairs], dtype=np.float64).reshape(shape),
        np.array([to_response[gold, response] for response, gold in pairs], dtype=np.float64).reshape(shape),
        judged,
    )


def judged_pairs(
    judge: Judge, question: str, pairs: Sequence[tuple[str, str]], report: Report
) -> tuple[Judgement, ...]:
    """Return one judgement per (premise, hypothesis), the empty ones by rule, the rest judged in batches.

    Raises ModelError where the judge gives anything but three probabilities a pair.
    """
    filled = [at for at, (premise, hypothesis) in enumerate(pairs) if plain(premise) and plain(hypothesis)]
    rows = [by_rule(premise, hypothesis) for premise, hypothesis in pairs]
    for first in range(0, len(filled), judge.pairs_at_once):
        report(Stage(method="entailment", name="judging pairs", done=first, total=len(filled)))
        batch = filled[first : first + judge.pairs_at_once]
        answers = judge.entailment(question, [pairs[at][0] for at in batch], [pairs[at][1] for at in batch])
        for at, row in zip(batch, three_probabilities(answers, len(batch), judge.name), strict=True):
            rows[at] = (float(row[0]), float(row[1]), float(row[2]))
    return tuple(
        Judgement(premise=premise, hypothesis=hypothesis, contradiction=row[0], neutral=row[1], entailment=row[2])
        for (premise, hypothesis), row in zip(pairs, rows, strict=True)
    )


def three_probabilities(answers: np.ndarray, pairs: int, judge: str) -> np.ndarray:
    """Return a judge's answers [pairs, 3], rounding outside [0, 1] cut off.

    Raises ModelError unless each row is a distribution. Here they enter the methods: further on NaN would become
    a class, and a row of another sum a wrong kernel.
    """
    rows = np.asarray(answers, dtype=np.float64)
    if rows.shape != (pairs, 3):
        raise ModelError(f"The judge {judge} gave an array of shape {rows.shape} for {pairs} pairs, not three a pair.")
    inside = (rows >= -ROUNDING) & (rows <= 1 + ROUNDING)
    good = inside.all(axis=1) & (np.abs(rows.sum(axis=1) - 1) <= ROUNDING)
    if not good.all():
        row = [round(float(value), 4) for value in rows[~good][0]]
        raise ModelError(f"The judge {judge} gave {row} for a pair, which are not three probabilities that sum to 1.")
    return np.clip(rows, 0.0, 1.0)


def by_rule(premise: str, hypothesis: str) -> tuple[float, float, float]:
    """Return what holds where a text is empty: both -> entailment 1, one -> neutral 1."""
    both_empty = not plain(premise) and not plain(hypothesis)
    return (0.0, 0.0, 1.0) if both_empty else (0.0, 1.0, 0.0)


def by_texts(judged: Sequence[Judgement]) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Return the probabilities of judgements by premise and hypothesis."""
    return {(judgement.premise, judgement.hypothesis): judgement.probabilities for judgement in judged}


def first_texts(texts: Sequence[str]) -> list[str]:
    """Return for each text the first one that counts as the same.

    >>> first_texts(["Paris", "paris.", "Rome"])
    ['Paris', 'Paris', 'Rome']
    """
    first: dict[str, str] = {}
    return [first.setdefault(plain(text), text) for text in texts]
