"""How likely a model says that a text holds the answer: from the log-probabilities of "yes" and "no", in any case.

DENSE, appendix B.3, asks the question and reads the likelier word. A model spreads its belief over "yes" and "Yes", so
both letter cases count here.
"""

from collections.abc import Sequence

import numpy as np


def yes_share(yes: Sequence[float], no: Sequence[float]) -> float:
    """Returns the share of "yes" among all spellings of both words, in [0, 1].

    ``yes`` and ``no`` are log-probabilities in nats, one for each spelling. Raises ValueError where a side is empty.

    >>> round(yes_share([-1.0, -3.0], [-2.0, -4.0]), 6)
    0.731059
    """
    if not len(yes) or not len(no):
        raise ValueError(f"both words need a log-probability, got {len(yes)} of yes and {len(no)} of no")
    return float(np.exp(np.logaddexp.reduce(yes) - np.logaddexp.reduce([*yes, *no])))


def sufficiency_score(alone: Sequence[float], together: float) -> float:
    """Returns the likeliest "yes" over single passages and over all of them together, in [0, 1].

    Higher = a passage, or all of them, is more likely to hold an answer.

    >>> sufficiency_score([0.1, 0.7], 0.4), sufficiency_score([], 0.4)
    (0.7, 0.4)
    """
    return max((*alone, together))
