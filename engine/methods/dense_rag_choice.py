"""Which context of a DENSE-RAG search is best, and whether it ends the search, from the steps as they are recorded."""

from collections.abc import Sequence

import numpy as np

from engine.measures.context_refinement import best_context, choice
from engine.measures.response_graph import is_uncertain
from engine.methods.dense_rag_records import DenseRagConfig, RefinementStep


def best_step(steps: Sequence[RefinementStep], config: DenseRagConfig) -> tuple[int | None, bool]:
    """Return the best step of a search (None where none was measured), and whether the stop rule ends it there.

    A context over which the model only abstains is never stable: its answers agree, but not on an answer. Nor is one
    of whose chunks under half have a valid rewording.
    Without self-evaluation every context counts as sufficient, so that DSE alone decides (table 5). The steps of an
    older record, without shares, are compared as it did: by DSE, the first context left out where it was cut anew.
    """
    rule = config.stop_rule if config.self_evaluation else "both"
    shared = any(step.share is not None for step in steps)
    counted = [
        (number, step, step.entropy)
        for number, step in enumerate(steps)
        if step.entropy is not None and (shared or step.kind != "first" or step.best is not None)
    ]
    if not counted:
        return None, False
    enough = [step.evaluation is None or step.evaluation.sufficient for _, step, _ in counted]
    if not shared:
        best, stops = choice([entropy for _, _, entropy in counted], enough, config.threshold, rule)
        return counted[best][0], stops
    bounds = np.array([share_bounds(step) for _, step, _ in counted])
    stable = [is_stable(step, config.threshold) for _, step, _ in counted]
    before = int(any(step.kind == "cut anew" for step in steps))
    best, stops = best_context(bounds[:, 0], bounds[:, 1:], enough, stable, rule, before)
    return counted[best][0], stops


def needs_refining(first: RefinementStep, threshold: float) -> bool:
    """Return whether the first context's answer asks for a search: DSE above the threshold, or no answer stated.

    Raises ValueError where the context was not measured.
    """
    if first.entropy is None:
        raise ValueError("a context without DSE is neither certain nor uncertain")
    return is_uncertain(first.entropy, threshold) or first.states_nothing is True


def is_stable(step: RefinementStep, threshold: float) -> bool:
    """Return whether a context's answer is stable: below the threshold with all wordings, enough of them, an answer."""
    return highest_entropy(step) < threshold and not step.states_nothing and not step.has_too_few


def share_bounds(step: RefinementStep) -> tuple[float, float, float]:
    """Return a context's share of the largest DSE, and its bounds over the wordings: equal where each chunk has one.

    Answers that state nothing agree on no answer, so such a context counts as the least stable one. Raises ValueError
    where the context was not measured.
    """
    if step.states_nothing:
        return 1.0, 1.0, 1.0
    if step.share is None:
        raise ValueError("a context without DSE has no share of it")
    if step.entropy_interval is None:
        return step.share, step.share, step.share
    largest = np.log(1 + step.valid_rewrites)
    return step.share, float(step.entropy_interval.low / largest), float(step.entropy_interval.high / largest)


def highest_entropy(step: RefinementStep) -> float:
    """Return a context's DSE with the wordings that change the answer most, in nats; inf where it was not measured."""
    if step.entropy is None:
        return float("inf")
    return step.entropy if step.entropy_interval is None else step.entropy_interval.high
