"""The methods, one module each, and the one list of them.

Each module ends in its descriptor ``METHOD`` (``engine.methods.descriptor``). Every list, label, form and reader of
methods follows from ``METHODS``, in its order.
"""

from engine.backends.language_models.base import Capabilities
from engine.methods import (
    chunk_utility,
    contradictions,
    dense,
    dense_rag,
    entropy_trend,
    quco_rag,
    question_parts,
    seper,
    sufficiency,
    sugar,
    uncertainty,
)
from engine.methods.descriptor import Method as Method
from engine.methods.reach import Reach
from engine.methods.timing import method as timing

METHODS: dict[str, Method] = {
    module.METHOD.word: module.METHOD
    for module in (
        dense,
        dense_rag,
        seper,
        entropy_trend,
        timing,
        quco_rag,
        sugar,
        uncertainty,
        chunk_utility,
        sufficiency,
        contradictions,
        question_parts,
    )
}
CORE_METHODS = ("dense", "seper", "entropy_trend", "quco_rag")
# What may be wrong with the passages or the answer, whatever the papers' methods say: cheap, so in every run.
CHECKS = ("sufficiency", "contradictions", "question_parts")
DEFAULT_METHODS = (*CORE_METHODS, *CHECKS)


def method_title(word: str) -> str:
    """Return a method's title, the word itself where there is no such method."""
    return METHODS[word].title if word in METHODS else word


def reach_of_methods(able: Capabilities) -> tuple[Reach, ...]:
    """Return how far each method goes with a model of these capabilities."""
    return tuple(method.needs(able) for method in METHODS.values())
