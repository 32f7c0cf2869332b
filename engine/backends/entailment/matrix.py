"""Which answers entail which: every ordered pair, each distinct pair of texts judged once.

DENSE's graph (section 4.2, eq. 5) and the clusters of SePer and SUGAR stand on the classes; SePer's soft kernel (eq. 9)
on the probabilities of responses against gold answers. Texts that differ in case, spaces or outer punctuation only are
one text. Deliberately less is folded than for exact match, which deletes all punctuation: "1.5" is not "15".
"""

from collections.abc import Sequence

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
    empty text is neutral with any other. The judge is asked for the rest only, and once for each distinct ordered pair.
    """
    keys = [plain(text) for text in texts]
    shown = first_of_each(keys, texts)
    pairs = [(a, b) for a in shown for b in shown if a != b]
    judged = judged_pairs(judge, question, [(shown[a], shown[b]) for a, b in pairs], report)
    by_pair = dict(zip(pairs, judged, strict=True))
    classes = np.full((len(texts), len(texts)), ENTAILMENT, dtype=np.int64)
    for i, premise in enumerate(keys):
        for j, hypothesis in enumerate(keys):
            if premise != hypothesis:
                classes[i, j] = np.argmax(probabilities(by_pair[premise, hypothesis]))
    return classes, judged


def judge_against(
    judge: Judge, question: str, responses: Sequence[str], golds: Sequence[str], report: Report = silent
) -> tuple[np.ndarray, np.ndarray, tuple[Judgement, ...]]:
    """Return P(response -> gold) [n, golds, 3], P(gold -> response) [n, golds, 3] and the judgements behind them.

    The last axis is (contradiction, neutral, entailment). The judge is asked for equal texts too: their probability is
    part of SePer's soft kernel. Each distinct ordered pair is asked for once; empties go by rule.
    """
    response_keys, gold_keys = [plain(text) for text in responses], [plain(text) for text in golds]
    shown_responses, shown_golds = first_of_each(response_keys, responses), first_of_each(gold_keys, golds)
    pairs = [(a, b) for a in shown_responses for b in shown_golds]
    forth = [(shown_responses[a], shown_golds[b]) for a, b in pairs]
    judged = judged_pairs(judge, question, forth + [(gold, response) for response, gold in forth], report)
    r_to_a = dict(zip(pairs, judged[: len(pairs)], strict=True))
    a_to_r = dict(zip(pairs, judged[len(pairs) :], strict=True))
    return (
        kernel(r_to_a, response_keys, gold_keys),
        kernel(a_to_r, response_keys, gold_keys),
        judged,
    )


def kernel(by_pair: dict[tuple[str, str], Judgement], responses: Sequence[str], golds: Sequence[str]) -> np.ndarray:
    """Return [responses, golds, 3] probabilities from the judgements of their distinct pairs."""
    rows = [[probabilities(by_pair[response, gold]) for gold in golds] for response in responses]
    return np.array(rows, dtype=np.float64).reshape(len(responses), len(golds), 3)


def judged_pairs(
    judge: Judge, question: str, pairs: Sequence[tuple[str, str]], report: Report
) -> tuple[Judgement, ...]:
    """Return one judgement per (premise, hypothesis), the empty ones by rule, the rest asked in batches.

    Raises ModelError where the judge gives anything but three probabilities a pair.
    """
    asked = [at for at, (premise, hypothesis) in enumerate(pairs) if plain(premise) and plain(hypothesis)]
    rows = [by_rule(premise, hypothesis) for premise, hypothesis in pairs]
    for first in range(0, len(asked), judge.pairs_at_once):
        report(Stage(method="entailment", name="judging pairs", done=first, total=len(asked)))
        batch = asked[first : first + judge.pairs_at_once]
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


def probabilities(judgement: Judgement) -> tuple[float, float, float]:
    """Return a judgement's probabilities in the order of its classes."""
    return (judgement.contradiction, judgement.neutral, judgement.entailment)


def first_of_each(keys: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    """Return plain form -> the first text that has it, in order of appearance."""
    shown: dict[str, str] = {}
    for key, text in zip(keys, texts, strict=True):
        shown.setdefault(key, text)
    return shown
