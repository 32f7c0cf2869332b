"""What a run's judge said of two texts, looked up among its stored judgements.

Texts that differ in case, spaces or outer punctuation only are one text, shown by the first that has it, as when they
were judged (``engine.backends.entailment.matrix``). A pair that was judged twice, in two batches, has two judgements
that differ in a late digit, and a record does not say which of them counted where: either is accepted, nothing else is.
"""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from engine.backends.entailment.matrix import first_texts
from engine.core.records import Judgement
from engine.measures.checks import Floats, Ints
from engine.measures.semantic_clusters import ENTAILMENT
from engine.measures.semantic_perplexity import kernel
from engine.methods.seper import CHOICES

Judged = dict[tuple[str, str], tuple[Judgement, ...]]
JUDGED_TWICE = "Judged several times, with other rounding; the nearest judgement is taken."


def judged_pairs(judgements: Sequence[Judgement]) -> Judged:
    """Return the judgements by (premise, hypothesis), in the order they were made."""
    found: Judged = {}
    for one in judgements:
        key = (one.premise, one.hypothesis)
        found[key] = (*found.get(key, ()), one)
    return found


def judgements_of(judged: Judged, premise: str, hypothesis: str) -> tuple[Judgement, ...]:
    """Return a pair's judgements, one for each time it was judged. Raises LookupError where it never was."""
    found = judged.get((premise, hypothesis))
    if found is None:
        raise LookupError(f"no judgement of {premise[:40]!r} against {hypothesis[:40]!r} is stored")
    return found


def judgement_table(texts: Sequence[str], judged: Judged, which: int) -> Floats:
    """Return P(row, column) [n, n, 3] from the first (0) or last (-1) judgement of each pair; equal texts entail."""
    first = first_texts(texts)
    rows = [
        [(0.0, 0.0, 1.0) if a == b else judgements_of(judged, a, b)[which].probabilities for b in first] for a in first
    ]
    return np.array(rows, dtype=np.float64).reshape(len(first), len(first), 3)


def fitting_table(texts: Sequence[str], judged: Judged, fits: Callable[[Floats], bool]) -> Floats:
    """Return the table of first or of last judgements that ``fits`` what is stored; the first where neither does."""
    tables = [judgement_table(texts, judged, which) for which in (0, -1)]
    return next((table for table in tables if fits(table)), tables[0])


def classes_of(texts: Sequence[str], judged: Judged, fits: Callable[[Ints], bool]) -> Ints:
    """Return entailment classes [n, n], row = premise, that fit what is stored if either judgement does."""
    return np.asarray(fitting_table(texts, judged, lambda table: fits(table.argmax(-1))).argmax(-1), dtype=np.int64)


def entailment_of(texts: Sequence[str], judged: Judged, stored: Sequence[Sequence[float]]) -> Floats:
    """Return P(row entails column) [n, n], of judgements that fit ``stored`` if either does; equal texts entail."""
    return fitting_table(texts, judged, lambda table: np.array_equal(table[..., ENTAILMENT], stored))[..., ENTAILMENT]


def gold_kernel(
    texts: Sequence[str], golds: Sequence[str], judged: Judged, variant: str, stored: Sequence[Sequence[float]]
) -> tuple[Floats, Ints, Ints]:
    """Return the soft kernel [n, golds] and the classes of both directions, from the judgements.

    Of a pair that was judged twice the judgements count that come nearest to ``stored``.
    """
    responses, answers = first_texts(texts), first_texts(golds)
    soft = np.zeros((len(responses), len(answers)))
    forward, backward = np.zeros(soft.shape, dtype=np.int64), np.zeros(soft.shape, dtype=np.int64)
    for (i, text), (j, gold) in product(enumerate(responses), enumerate(answers)):
        near = stored[i][j] if i < len(stored) and j < len(stored[i]) else None
        soft[i, j], there, back = nearest_entailment(judged, text, gold, variant, near)
        forward[i, j], backward[i, j] = np.argmax(there.probabilities), np.argmax(back.probabilities)
    return soft, forward, backward


def nearest_entailment(
    judged: Judged, text: str, gold: str, variant: str, near: float | None
) -> tuple[float, Judgement, Judgement]:
    """Return a text's entailment with a correct answer and the judgements of both directions it comes from.

    Raises LookupError where a direction was not judged.
    """
    ways = product(judgements_of(judged, text, gold), judgements_of(judged, gold, text))
    direction = CHOICES[variant].direction
    found = [(float(kernel([f.entailment], [b.entailment], direction)[0]), f, b) for f, b in ways]
    return found[0] if near is None else min(found, key=lambda way: abs(way[0] - near))
