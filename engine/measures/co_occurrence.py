"""Decisions of QuCo-RAG from counts in a corpus: is a question about rare things, has a claim any evidence.

Before generation, retrieve if the mean count of the question's entities is below a threshold (eq. 2; table 13
has the smallest and the largest instead); after each sentence, if a head and a tail never occur together
(eq. 4). A count of None means that it could not be measured. The released code treats a failed look-up as
evidence; here it stays None, so that a page can say "not measured". As in the code, no entity and no count
means no initial retrieval.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

Aggregate = Literal["mean", "min", "max"]


def mean_entity_count(counts: Sequence[int | None]) -> float:
    """Returns the mean corpus count of a question's entities, NaN if none was measured.

    ``counts`` hold one number >= 0 for each distinct entity, None where the look-up failed; those are left
    out. Low = rare, little seen in training. Raises ValueError on a negative count.

    >>> mean_entity_count([10, None, 1500])
    755.0
    """
    return aggregate_count(counts, "mean")


def aggregate_count(counts: Sequence[int | None], aggregate: Aggregate = "mean") -> float:
    """Returns one number for the counts of a question's entities: mean (eq. 2), min or max (table 13).

    ``counts`` as in ``mean_entity_count``; NaN if none was measured. Raises ValueError on a negative count.

    >>> [aggregate_count([10, None, 1500], how) for how in ("mean", "min", "max")]
    [755.0, 10.0, 1500.0]
    """
    measured = [_checked(count) for count in counts if count is not None]
    if not measured:
        return float("nan")
    if aggregate == "mean":
        return sum(measured) / len(measured)
    return float(min(measured) if aggregate == "min" else max(measured))


def percentile_count(name_counts: Sequence[int], percentile: float) -> float:
    """Returns a threshold for a user's corpus: the count that ``percentile`` % of its names reach at most.

    ``name_counts``: how often each thing the corpus names is named, ascending. 1000 occurrences say nothing in a
    corpus of a hundred texts; "rarer than most of what it names" does. NaN where nothing is named. Raises
    ValueError unless the percentile is in (0, 100].

    >>> percentile_count([1, 1, 2, 9], 50), percentile_count([1, 1, 2, 9], 75), percentile_count([1, 1, 2, 9], 76)
    (1.0, 2.0, 9.0)
    """
    if not 0 < percentile <= 100:
        raise ValueError(f"a percentile must be in (0, 100], got {percentile}")
    if not name_counts:
        return float("nan")
    # As printed: in binary 16.1 % of 1,000 is a little more than 161.
    share = Fraction(str(percentile)) / 100
    return float(name_counts[math.ceil(len(name_counts) * share) - 1])


def needs_initial_retrieval(
    counts: Sequence[int | None], threshold: float = 1000, aggregate: Aggregate = "mean"
) -> bool:
    """Returns whether to retrieve before generating: mean count < threshold, strictly (QuCo-RAG eq. 2).

    ``counts`` and ``aggregate`` as in ``aggregate_count``. 1000 is the paper's; the released HotpotQA
    settings have 100000. False if nothing was measured. Raises ValueError on a negative count.

    >>> needs_initial_retrieval([10, 1500]), needs_initial_retrieval([500, 1500]), needs_initial_retrieval([])
    (True, False, False)
    """
    return aggregate_count(counts, aggregate) < threshold


def is_unsupported(count: int | None, threshold: float = 1) -> bool | None:
    """Returns whether a claim lacks evidence: co-occurrence count < threshold, strictly (QuCo-RAG eq. 4).

    ``count`` >= 0 is how often head and tail occur together, None = not measured, which is returned as None.
    The paper's threshold is 1: never seen together. For an entity without a tail the released code compares
    the entity's own count with 20. Raises ValueError on a negative count.

    >>> is_unsupported(0), is_unsupported(1), is_unsupported(None)
    (True, False, None)
    """
    return None if count is None else _checked(count) < threshold


def _checked(count: int) -> int:
    """Returns ``count``; raises ValueError unless it is at least 0.

    >>> _checked(3)
    3
    """
    if not count >= 0:
        raise ValueError(f"a corpus count must be at least 0, got {count}")
    return count
