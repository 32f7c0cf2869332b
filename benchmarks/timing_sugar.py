"""SUGAR among the policies: how unsure the writer is before it writes chooses no lookup, one, or one a sentence.

SUGAR (sections II.B and II.C) compares the semantic entropy of ten closed-book answers with two thresholds. Here the
writer is sampled, in the loop's own format (the gate's draws), and a decision is carried out by the loops that are run
anyway: *never*, *once at the start*, and *every sentence*, the multi-step retrieval that the paper's baselines use. So
SUGAR costs its samples and what the chosen loop costs. The paper does not say how it chose its thresholds; at a wanted
number of lookups both are scaled together, fitted on the half of the questions that they are not used on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.timing_results import LoopRow
from engine.backends.entailment.base import Judge
from engine.backends.entailment.matrix import judge_pairs
from engine.backends.text.base import TextTools
from engine.core.progress import silent
from engine.core.records import Generation
from engine.measures.semantic_clusters import cluster, cluster_probabilities
from engine.measures.semantic_entropy import retrieval_need, semantic_entropy
from engine.measures.semantic_perplexity import sample_weights
from engine.methods.conclusion import FORCED_START, concluded_answer
from engine.methods.sugar import PAPER_THRESHOLDS
from engine.thresholds.calibration import is_for_fitting

SUGAR = "sugar"
LOOPS = {"none": "never", "single": "once", "multi": "every_sentence"}
Loops = Mapping[str, LoopRow]


def doubt(question: str, samples: Sequence[Generation], judge: Judge, tools: TextTools) -> float:
    """Return the semantic entropy, in nats, of answers sampled after "So the answer is", in [0, ln samples]."""
    texts = [concluded_answer(f"{FORCED_START}{sample.text}", tools) for sample in samples]
    classes, _ = judge_pairs(judge, question, texts, silent)
    weights = sample_weights(np.array([sample.mean_logprob for sample in samples]))
    return semantic_entropy(cluster_probabilities(weights, cluster(classes, rule="strict")))


def chosen_loop(entropy: float, scale: float) -> str:
    """Return the loop that SUGAR's thresholds, both times ``scale``, choose at a semantic entropy.

    >>> chosen_loop(0.3, 1.0), chosen_loop(0.3, 0.5), chosen_loop(0.3, 0.1)
    ('never', 'once', 'every_sentence')
    """
    low, high = PAPER_THRESHOLDS
    return LOOPS[retrieval_need(entropy, low * scale, high * scale)]


def fitted_scale(found: Sequence[tuple[float, Loops]], wanted: float) -> float | None:
    """Return the scale whose choices come nearest to a mean number of lookups; None where none comes within 0.25.

    ``found`` are a question's semantic entropy and its loops. Of scales that are as near the largest is taken.
    """
    if not found:
        return None
    low, high = PAPER_THRESHOLDS
    # Half way between two entropies, at either threshold, a choice changes.
    values = sorted({entropy for entropy, _ in found})
    middles = [(a + b) / 2 for a, b in zip([0.0, *values], [*values, values[-1] + 1.0], strict=True)]
    scales = sorted({middle / bar for middle in middles for bar in (low, high)})
    means = [float(np.mean([loops[chosen_loop(e, scale)].lookups for e, loops in found])) for scale in scales]
    best = min(range(len(scales)), key=lambda place: (abs(means[place] - wanted), -scales[place]))
    return scales[best] if abs(means[best] - wanted) <= 0.25 else None


def loops_of(rows: Sequence[LoopRow]) -> dict[str, dict[str, LoopRow]]:
    """Return each question's rows of the three loops that a decision may choose; only questions that have them all."""
    found: dict[str, dict[str, LoopRow]] = {}
    for row in rows:
        if row.policy in LOOPS.values() and not row.reason:
            found.setdefault(row.question, {})[row.policy] = row
    return {question: loops for question, loops in found.items() if len(loops) == len(LOOPS)}


def sugar_rows(
    signals: Mapping[str, Mapping[str, Any]], rows: Sequence[LoopRow], levels: Sequence[float], least: int
) -> list[LoopRow]:
    """Return SUGAR's rows: at the paper's thresholds, and at those fitted to levels on the other half's questions."""
    loops, made = loops_of(rows), []
    asked = [question for question in signals if question in loops]
    for half in (True, False):
        own = [question for question in asked if is_for_fitting(question) is half]
        others = [(float(signals[q]["doubt"]), loops[q]) for q in asked if is_for_fitting(q) is not half]
        scales: dict[str, float | None] = {"paper": 1.0}
        if len(others) >= least:
            scales |= {f"{level:g}": fitted_scale(others, level) for level in levels}
        made += [
            sugar_row(signals[question], loops[question], level, scale)
            for level, scale in scales.items()
            if scale is not None
            for question in own
        ]
    return made


def sugar_row(signal: Mapping[str, Any], loops: Loops, level: str, scale: float) -> LoopRow:
    """Return one question's row: the loop that was chosen, with what the samples read and wrote besides."""
    chosen = loops[chosen_loop(float(signal["doubt"]), scale)]
    read, written = signal["drawn"]
    return replace(
        chosen,
        policy=SUGAR,
        level=level,
        threshold=PAPER_THRESHOLDS[0] * scale,
        read=chosen.read + read,
        written=chosen.written + written,
    )
