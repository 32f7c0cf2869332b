"""Shares over the sentences of a rewording (DENSE, Table 6)."""

from collections.abc import Sequence

ENTAILED = 0.5


def entailment_rate(probabilities: Sequence[float | None]) -> float | None:
    """Returns the share of reworded sentences that entail, and are entailed by, the sentence they stand for: [0, 1].

    ``probabilities``: per sentence the smaller P(entailment) of both ways, None where it was not reworded; such a
    sentence does not count. None where no sentence counts.

    >>> entailment_rate([0.9, None, 0.2])
    0.5
    """
    judged = [one for one in probabilities if one is not None]
    return sum(one > ENTAILED for one in judged) / len(judged) if judged else None
