"""Language models by name: ``load_language_model("embedded")``, a folder, a name that transformers knows, or a server.

A server is named "http://host:8000/v1#model". What it can give is probed when it is opened, and again on request.
"""

import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from engine.backends.call_cache import default_cache
from engine.backends.fingerprints import TORCH, fingerprint
from engine.backends.language_models.base import CapabilityCard, LanguageModel
from engine.backends.language_models.cached import CachedModel, kept_model
from engine.backends.language_models.server_address import (
    forget_key,
    has_typed_key,
    is_server,
    refuse_secrets,
    remember_key,
    server_name,
)
from engine.backends.number_types import NumberType, number_type
from engine.core.errors import InputError, ModelError
from engine.core.progress import Report, Stage, silent

OWN = Path(__file__).parent
CODE = (OWN, OWN / "decoder", OWN.parents[1] / "core" / "seeds.py")
READ = (".safetensors", ".gguf", ".json", ".jinja", ".txt", ".model")
EMBEDDED_NAMES = ("embedded", "embedded-base")
_LOADING = threading.Lock()
_SERVED: dict[str, tuple[CapabilityCard, LanguageModel]] = {}
__all__ = [
    "EMBEDDED_NAMES",
    "drop_key",
    "is_server",
    "keep_key",
    "keeps_key",
    "known_card",
    "load_language_model",
    "named_model",
    "open_weights",
    "refuse_secrets",
    "remembers",
    "served_names",
    "tried",
    "writer_name",
]


def load_language_model(name: str = "embedded", report: Report = silent) -> LanguageModel:
    """Return the named model, once per process; its weights are opened when something must be computed.

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
        from engine.backends.language_models.embedded import converted

        converted(report)
    with _LOADING:
        return _loaded(name, dtype)


def tried(name: str, report: Report = silent) -> CapabilityCard:
    """Return what a server gives now, probed anew. Raises InputError for a name that is no server's, ModelError."""
    return _opened(name, report)[0]


def served_names(name: str, report: Report = silent) -> tuple[str, ...]:
    """Return the models a server lists, whatever model the name has. Raises InputError for no address, ModelError."""
    from engine.backends.language_models.openai_compatible import PROBING
    from engine.backends.language_models.server_card import fetch_models
    from engine.backends.language_models.server_connection import Connection

    return tuple(model.id for model in fetch_models(Connection(server_name(name), PROBING), report))


def named_model(name: str, model: str) -> str:
    """Return the full name of a model on the server of a name.

    >>> named_model("http://localhost:8000", "org/m")
    'http://localhost:8000/v1#org/m'
    """
    return f"{server_name(name).base}#{model}"


def keep_key(name: str, key: str) -> None:
    """Keep a typed key for a server until this process ends; "" changes nothing. It is never stored.

    Raises InputError where the name cannot be read or the key cannot be sent.
    """
    remember_key(server_name(name), key)


def keeps_key(name: str) -> bool:
    """Return whether a typed key is kept for a server; not for a name that cannot be read."""
    try:
        return has_typed_key(server_name(name))
    except InputError:
        return False


def drop_key(name: str) -> None:
    """Forget the key typed for a server, for everybody who asks it through this process. Raises InputError."""
    forget_key(server_name(name))


def known_card(name: str) -> CapabilityCard | None:
    """Return what a server gave when it was probed last, None where it was not yet."""
    known = _SERVED.get(name.strip())
    return known[0] if known else None


def _opened(name: str, report: Report) -> tuple[CapabilityCard, LanguageModel]:
    """Return the card of a server and its model, kept under its name."""
    from engine.backends.language_models.openai_compatible import open_server

    server = server_name(name)
    report(Stage(method="models", name=f"asking {server.host} what it can give", total=1))
    model = open_server(server, report)
    _SERVED[name.strip()] = (model.card, CachedModel(model))
    return _SERVED[name.strip()]


def open_weights(name: str, report: Report = silent) -> LanguageModel:
    """Return the named model itself, open and without its memory: to get ready, or to measure how fast it is."""
    model = load_language_model(name, report)
    return model.open(report) if isinstance(model, CachedModel) else model


def writer_name(name: str) -> str:
    """Return the model that writes longer text beside a named one: itself, or SmolLM2 unadapted beside the reader."""
    return "embedded-base" if name == "embedded" else name


def remembers(model: LanguageModel) -> bool:
    """Return whether the model keeps what it wrote, so that the same request costs nothing later."""
    return isinstance(model, CachedModel)


@lru_cache(maxsize=3)
def _loaded(name: str, dtype: NumberType) -> CachedModel:
    """Return the model behind its cache; where its files are known from before, nothing is opened yet."""
    from engine.backends.language_models.embedded import converted

    if name == "embedded":
        return _kept((converted(), OWN / "weights"), name, dtype, lambda: _reader(name, dtype))
    if name == "embedded-base":
        return _kept((converted(),), name, dtype, lambda: _folder(converted(), name, dtype))
    try:
        folder = Path(name).expanduser()
        is_folder, exists = folder.is_dir(), folder.exists()
    except (OSError, ValueError, RuntimeError) as exc:
        raise ModelError(f"There is no model folder {name[:200]!r}: {exc}.") from exc
    if name.strip() and is_folder:
        shown = folder.resolve().name
        return _kept((folder,), shown, dtype, lambda: _folder(folder, shown, dtype))
    if exists or name.startswith((".", "/", "~")) or not name.strip():
        raise ModelError(f"There is no model folder {name!r}. Give a folder with safetensors or GGUF weights.")
    from engine.backends.language_models.transformers_model import open_pretrained

    # A public name does not say which weights stand behind it, so its answers outlive no process.
    return CachedModel(open_pretrained(name, name, name, dtype, {"use_safetensors": True}))


def _kept(
    folders: tuple[Path, ...], name: str, dtype: NumberType, open_model: Callable[[], LanguageModel]
) -> CachedModel:
    """Return the model in these folders behind the cache on disk."""
    cache = default_cache()
    files = [file for folder in folders for file in sorted(folder.iterdir()) if file.suffix in READ]
    return kept_model(cache, fingerprint(cache, files, CODE, TORCH, name, dtype), open_model)


def _reader(name: str, dtype: NumberType) -> LanguageModel:
    """Open the embedded reader."""
    from engine.backends.language_models.reader import open_reader

    return open_reader(name, dtype)


def _folder(folder: Path, name: str, dtype: NumberType) -> LanguageModel:
    """Open the model in a folder."""
    from engine.backends.language_models.transformers_model import open_folder

    return open_folder(folder, name, dtype)
