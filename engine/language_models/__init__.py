"""Language models by name: ``load_language_model("embedded")``, a folder, a name that transformers knows, or a server.

A server is named "http://host:8000/v1#model". What it can give is probed when it is opened, and again on request.
"""

import threading
from functools import lru_cache
from pathlib import Path

from engine.errors import ModelError
from engine.language_models.base import LanguageModel
from engine.language_models.server_address import is_server, refuse_secrets, server_name
from engine.language_models.server_card import CapabilityCard
from engine.number_types import NumberType, number_type
from engine.progress import Report, Stage, silent

EMBEDDED_NAMES = ("embedded", "embedded-base")
_LOADING = threading.Lock()
_SERVED: dict[str, tuple[CapabilityCard, LanguageModel]] = {}
__all__ = ["EMBEDDED_NAMES", "is_server", "known_card", "load_language_model", "refuse_secrets", "tried", "writer_name"]


def load_language_model(name: str = "embedded", report: Report = silent) -> LanguageModel:
    """Return the named model, loaded once per process.

    "embedded" is the reader: SmolLM2-135M-Instruct with the adapter for short answers that ships with the package;
    "embedded-base" is the same without it. "http://…" is a server, probed once per process. Anything else is a folder
    with safetensors or GGUF weights, or a hub name. MICROSCOPE_DTYPE may ask for "float32" or "bfloat16"; otherwise
    bfloat16 is used where the processor does it fast. Raises ModelError with a sentence.
    """
    if is_server(name):
        known = _SERVED.get(name.strip())
        return known[1] if known else _opened(name, report)[1]
    dtype = number_type()
    if name in EMBEDDED_NAMES:
        from engine.language_models.embedded import converted

        converted(report)
    with _LOADING:
        return _loaded(name, dtype)


def tried(name: str, report: Report = silent) -> CapabilityCard:
    """Return what a server gives now, probed anew. Raises InputError for a name that is no server's, ModelError."""
    return _opened(name, report)[0]


def known_card(name: str) -> CapabilityCard | None:
    """Return what a server gave when it was probed last, None where it was not yet."""
    known = _SERVED.get(name.strip())
    return known[0] if known else None


def _opened(name: str, report: Report) -> tuple[CapabilityCard, LanguageModel]:
    """Return the card of a server and its model, kept under its name."""
    from engine.language_models.cached import CachedModel
    from engine.language_models.openai_compatible import open_server

    server = server_name(name)
    report(Stage(method="models", name=f"asking {server.host} what it can give", total=1))
    model = open_server(server, report)
    _SERVED[name.strip()] = (model.card, CachedModel(model))
    return _SERVED[name.strip()]


def writer_name(name: str) -> str:
    """Return the model that writes longer text beside a named one: itself, or SmolLM2 unadapted beside the reader."""
    return "embedded-base" if name == "embedded" else name


@lru_cache(maxsize=3)
def _loaded(name: str, dtype: NumberType) -> LanguageModel:
    from engine.language_models.cached import CachedModel
    from engine.language_models.embedded import converted
    from engine.language_models.transformers_model import open_folder, open_pretrained

    if name == "embedded":
        from engine.language_models.reader import open_reader

        return CachedModel(open_reader(name, dtype))
    if name == "embedded-base":
        return CachedModel(open_folder(converted(), name, dtype))
    try:
        folder = Path(name).expanduser()
        is_folder, exists = folder.is_dir(), folder.exists()
    except (OSError, ValueError, RuntimeError) as exc:
        raise ModelError(f"There is no model folder {name[:200]!r}: {exc}.") from exc
    if name.strip() and is_folder:
        return CachedModel(open_folder(folder, folder.resolve().name, dtype))
    if exists or name.startswith((".", "/", "~")) or not name.strip():
        raise ModelError(f"There is no model folder {name!r}. Give a folder with safetensors or GGUF weights.")
    return CachedModel(open_pretrained(name, name, name, dtype, {"use_safetensors": True}))
