"""Judges: does this answer say what that answer says? ``load_judge(name)`` is the way in.

"embedded" is the trained judge that comes with the program; "similarity" goes by words and embeddings alone; "llm" asks
a language model; any other name is a folder or public name of an NLI classifier.
"""

from functools import cache, lru_cache

from engine.entailment.base import Judge
from engine.errors import ModelError
from engine.language_models.base import LanguageModel


def load_judge(name: str = "embedded", model: LanguageModel | None = None) -> Judge:
    """Return the named judge, loaded once per process (of classifiers, the last one asked for).

    ``model`` is the language model that "llm" asks, the embedded one where none is given. Raises ModelError where the
    judge cannot be loaded or is no judge.
    """
    if not name.strip():
        raise ModelError('The judge has no name: choose "embedded", "llm", or an entailment classifier.')
    if name in PACKAGED:
        return PACKAGED[name]()
    return _llm(model) if name == "llm" else _cross_encoder(name)


@cache
def _embedded() -> Judge:
    """Return the trained judge."""
    from engine.entailment.embedded_judge import load_embedded_judge

    return load_embedded_judge()


@cache
def _similarity() -> Judge:
    """Return the similarity judge over the packaged embedder."""
    from engine.entailment.similarity import SimilarityJudge
    from engine.retrieval import load_embedder

    return SimilarityJudge(load_embedder())


def _llm(model: LanguageModel | None) -> Judge:
    """Return the judge that asks a language model; it holds nothing else, so there is nothing to remember."""
    from engine.entailment.llm_judge import LlmJudge

    if model is None:
        from engine.language_models import load_language_model

        model = load_language_model("embedded")
    return LlmJudge(model)


@lru_cache(maxsize=1)
def _cross_encoder(name: str) -> Judge:
    """Return the judge over an NLI classifier's folder or public name; only the last one stays in memory."""
    from engine.entailment.cross_encoder import load_cross_encoder

    return load_cross_encoder(name)


PACKAGED = {"embedded": _embedded, "similarity": _similarity}
