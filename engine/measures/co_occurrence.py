"""Decisions of QuCo-RAG from counts in a corpus: is a question about rare things, has a claim any evidence.

Before generation, retrieve if the mean count of the question's entities is below a threshold (eq. 2); after
each sentence, if a head and a tail never occur together (eq. 4). A count of None means that it could not be
measured. The released code treats a failed look-up as evidence; here it stays None, so that a page can say
"not measured". As in the code, no entity and no count means no initial retrieval.
"""

from collections.abc import Sequence


def mean_entity_count(counts: Sequence[int | None]) -> float:
    """Returns the mean corpus count of a question's entities, NaN if none was measured.

    ``counts`` hold one number >= 0 for each distinct entity, None where the look-up failed; those are left
    out. Low = rare, little seen in training. Raises ValueError on a negative count.

    >>> mean_entity_count([10, None, 1500])
    755.0
    """
    measured = [_checked(count) for count in counts if count is not None]
    return sum(measured) / len(measured) if measured else float("nan")


def needs_initial_retrieval(counts: Sequence[int | None], threshold: float = 1000) -> bool:
    """Returns whether to retrieve before generating: mean count < threshold, strictly (QuCo-RAG eq. 2).

    ``counts`` as in ``mean_entity_count``. 1000 is the paper's; the released HotpotQA settings have 100000.
    False if nothing was measured. Raises ValueError on a negative count.

    >>> needs_initial_retrieval([10, 1500]), needs_initial_retrieval([500, 1500]), needs_initial_retrieval([])
    (True, False, False)
    """
    return mean_entity_count(counts) < threshold


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
