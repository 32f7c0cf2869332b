"""Looking up only where a signal says so, replayed on stored answers: nothing is asked anew.

At a threshold, a question whose signal is above it takes the answer over the passages and costs one lookup; any other
keeps the answer from memory and costs none. SUGAR's signal is semantic entropy, QuCo-RAG's first stage takes how seldom
the corpus names the question's things.
"""

from collections.abc import Callable

import numpy as np

from engine.measures.checks import Floats
from engine.measures.levels import levelled
from engine.runs.studies.views.base import Mark, share, with_interval

STEPS = 12


def replayed(series: str, signal: Floats, memory: Floats, reading: Floats, told: Callable[[float], str]) -> list[Mark]:
    """Return right answers at thresholds from above every signal to below the lowest; ``x`` is the share looked up.

    ``told`` puts a threshold into words. No marks without a question.
    """
    marks: list[Mark] = []
    if not signal.size:
        return marks
    signal = levelled(signal)
    for part in np.linspace(0, 1, STEPS + 1):
        threshold = float(np.quantile(signal, 1 - part)) if part < 1 else -np.inf
        looked = signal > threshold
        label = "always look up" if part == 1 else "never look up" if not looked.any() else told(threshold)
        right = np.where(looked, reading, memory)
        marks.append(with_interval(series, label, share, right, x=float(looked.mean())))
    return marks
