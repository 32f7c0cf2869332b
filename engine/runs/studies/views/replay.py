"""Looking up only where a signal says so, replayed on stored answers: nothing is asked anew.

At a threshold, a question whose signal is above it takes the answer over the passages and costs one lookup; any other
keeps the answer from memory and costs none. SUGAR's signal is semantic entropy, QuCo-RAG's first stage takes how seldom
the corpus names the question's things.
"""

import math
from collections.abc import Callable

import numpy as np

from engine.measures.checks import Floats
from engine.measures.levels import levelled
from engine.runs.studies.views.base import Mark, share, with_interval

STEPS = 12


def replayed(series: str, signal: Floats, memory: Floats, reading: Floats, told: Callable[[float], str]) -> list[Mark]:
    """Return right answers at thresholds from above every signal to below the lowest; ``x`` is the share looked up.

    ``told`` puts the roundest threshold that does the same into words. No marks without a question.
    """
    marks: list[Mark] = []
    if not signal.size:
        return marks
    signal = levelled(signal)
    for part in np.linspace(0, 1, STEPS + 1):
        threshold = float(np.quantile(signal, 1 - part)) if part < 1 else -np.inf
        looked = signal > threshold
        label = "always look up" if part == 1 else "never look up"
        if part < 1 and looked.any():
            label = told(roundest(signal, threshold))
        right = np.where(looked, reading, memory)
        marks.append(with_interval(series, label, share, right, x=float(looked.mean())))
    return marks


def roundest(signal: Floats, threshold: float) -> float:
    """Return the threshold with the fewest decimals, two or more, above which the same values lie.

    >>> roundest(np.array([0.0, 0.6931, 1.3863]), 0.6931), roundest(np.array([0.6931, 0.6932]), 0.6931)
    (0.7, 0.6931)
    """
    for digits in range(2, 13):
        rounder: float = math.ceil(threshold * 10**digits) / 10**digits
        if np.array_equal(signal > rounder, signal > threshold):
            return rounder
    return threshold
