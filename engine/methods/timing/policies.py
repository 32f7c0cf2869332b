"""The one list of retrieval-timing policies.

SeaKR (Yao et al. 2024), which compares hidden states over many samples, is left out: no backend here gives them.
"""

from engine.methods.timing import (
    dragin,
    entropy_trend,
    every_sentence,
    fixed_length,
    flare,
    never,
    once,
    predictive_entropy,
    quco_rag,
)
from engine.methods.timing.base import Policy

POLICIES: dict[str, Policy] = {
    policy.word: policy
    for policy in (
        entropy_trend.POLICY,
        entropy_trend.FIRST_DIFFERENCE,
        entropy_trend.FIXED,
        entropy_trend.UNSMOOTHED,
        dragin.POLICY,
        flare.POLICY,
        quco_rag.POLICY,
        predictive_entropy.POLICY,
        fixed_length.POLICY,
        every_sentence.POLICY,
        once.POLICY,
        never.POLICY,
    )
}
