"""DENSE-RAG's search again from its raw part: each context's DSE, labels and self-evaluation (algorithm 3)."""

from collections.abc import Iterator

import numpy as np

from engine.catalogue.verify.base import Check, Source, compare
from engine.measures.context_refinement import choice
from engine.measures.response_graph import is_uncertain
from engine.methods.dense_rag import DenseRagResult, RefinementStep, SelfEvaluation


def checks(result: DenseRagResult, source: Source) -> Iterator[Check]:
    """Yield what each self-evaluation says, the best step after each, what left and came, and the final step."""
    for place, step in enumerate(result.steps):
        name = f"dense_rag.steps.{place}"
        if step.evaluation is not None:
            yield from evaluation_checks(f"{name}.evaluation", step.evaluation)
        if step.kind != "first":
            yield compare(f"{name}.best", step.best, best_step, result, place)
        if step.kind == "refined":
            before = result.steps[place - 1]
            yield compare(f"{name}.left", tuple(one.chunk for one in step.left), unneeded, before)
            yield compare(f"{name}.context", step.context, next_context, before, step)
    first = result.steps[0].entropy
    if first is not None:
        yield compare(
            "dense_rag.ended certain",
            result.ended == "certain",
            lambda: not is_uncertain(first, result.config.threshold),
        )
    yield compare("dense_rag.final", result.final, lambda: final_step(result))


def evaluation_checks(place: str, said: SelfEvaluation) -> Iterator[Check]:
    """Yield the probabilities of yes and no among the two, and what they say."""

    def yes() -> float:
        return float(np.exp(said.yes_logprob - np.logaddexp(said.yes_logprob, said.no_logprob)))

    yield compare(f"{place}.yes", said.yes, yes)
    yield compare(f"{place}.no", said.no, lambda: 1.0 - yes())
    yield compare(f"{place}.sufficient", said.sufficient, lambda: said.yes_logprob > said.no_logprob)


def best_after(result: DenseRagResult, place: int) -> tuple[int | None, bool]:
    """Return the best step of the search up to one (None where none was measured), and whether the rule stops there.

    The first context counts only where the search began with it: then it has a best step of its own.
    """
    counted = [
        (number, step.entropy, step.evaluation is None or step.evaluation.sufficient)
        for number, step in enumerate(result.steps[: place + 1])
        if step.entropy is not None and (step.kind != "first" or step.best is not None)
    ]
    if not counted:
        return None, False
    numbers, entropies, flags = zip(*counted, strict=True)
    rule = result.config.stop_rule if result.config.self_evaluation else "both"
    best, stops = choice(entropies, flags, result.config.threshold, rule)
    return numbers[best], stops


def best_step(result: DenseRagResult, place: int) -> int | None:
    """Return the best step of the search up to one, None where none was measured."""
    return best_after(result, place)[0]


def unneeded(step: RefinementStep) -> tuple[int, ...]:
    """Return the chunks of a context that its labels send away."""
    return tuple(number for number, label in zip(step.context, step.labels, strict=True) if label == "unnecessary")


def next_context(before: RefinementStep, step: RefinementStep) -> tuple[int, ...]:
    """Return the context that follows from the one before: what stayed, then what came."""
    gone = unneeded(before)
    return (*(number for number in before.context if number not in gone), *(one.chunk for one in step.came))


def final_step(result: DenseRagResult) -> int:
    """Return the step whose answer is the final one, from how the search ended."""
    last = len(result.steps) - 1
    if result.ended == "certain" or (result.ended == "not measured" and last == 0):
        return 0
    if result.ended == "not refined":
        return last
    best = best_after(result, last)[0]
    return 0 if best is None else best
