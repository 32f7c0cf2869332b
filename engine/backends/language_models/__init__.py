"""Language models by name: ``load_language_model("embedded")``, a folder, a name that transformers knows, or a server.

A server is named "http://host:8000/v1#model". What it can give is probed when it is opened, and again on request.
"""

import threading
from functools import lru_cache, partial
from pathlib import Path
from typing import Literal

from engine.backends.added_models import NONE, Changes, changes_of
from engine.backends.call_cache import default_cache
from engine.backends.devices import Device, chosen_device, packaged_device
from engine.backends.fingerprints import TORCH, fingerprint, model_files
from engine.backends.hub_cache import cached_folder
from engine.backends.language_models.base import CapabilityCard, LanguageModel
from engine.backends.language_models.cached import CachedModel, kept_model
from engine.backends.language_models.meeting import MeetingModel
from engine.backends.language_models.memory_need import opening_words, weights_bytes
from engine.backends.language_models.server_address import (
    drop_key,
    is_server,
    keep_key,
    keeps_key,
    named_model,
    refuse_secrets,
    server_name,
)
from engine.backends.language_models.several_servers import SeveralServers, server_names
from engine.backends.model_roles import rewriter_name, writer_name
from engine.backends.number_types import NumberType, number_type
from engine.core.allowed import refuse_unlisted
from engine.core.clock import now
from engine.core.errors import ModelError
from engine.core.progress import Report, Stage, silent

OWN = Path(__file__).parent
CODE = (OWN, OWN / "decoder", OWN.parents[1] / "core" / "seeds.py")
EMBEDDED_NAMES = ("embedded", "embedded-base", "embedded-writer")
ADAPTERS = {"embedded": OWN / "weights", "embedded-writer": OWN / "writer_weights"}
_LOADING = threading.Lock()
_SERVED: dict[str, tuple[CapabilityCard, LanguageModel, str]] = {}
__all__ = [
    "EMBEDDED_NAMES",
    "card_time",
    "computing_place",
    "drop_key",
    "is_cached",
    "is_server",
    "keep_key",
    "keeps_key",
    "known_card",
    "load_language_model",
    "named_model",
    "open_weights",
    "probe_server",
    "refuse_secrets",
    "rewriter_name",
    "served_names",
    "weights_folder",
    "writer_name",
]


def load_language_model(name: str = "embedded", report: Report = silent, device: str = "auto") -> LanguageModel:
    """Return the named model, once per process; its weights are opened when something must be computed.

    "embedded" is the reader: SmolLM2-135M-Instruct with the adapter for short answers that ships with the package;
    "embedded-writer" is the same with another adapter, for step-by-step answers; "embedded-base" is without any.
    "http://…" is a server, probed once per process; several, with commas between, share the work. Anything else is a
    folder with safetensors, a GGUF file or a folder with one, which is converted once, or a hub name; what was changed
    of it by hand holds (``added_models``). ``device`` is where it computes (``engine.backends.devices``).
    MICROSCOPE_DTYPE may name "float32" or "bfloat16"; without it bfloat16 is used where the device does it fast. Raises
    ModelError with a sentence.
    """
    refuse_unlisted(name)
    if is_server(name):
        known = [_SERVED.get(one) or _open_server_model(one, report) for one in server_names(name)]
        return known[0][1] if len(known) == 1 else _several(tuple(one[1] for one in known))
    place = packaged_device(device) if name in EMBEDDED_NAMES else chosen_device(device)
    dtype, changes = number_type(place), changes_of(name)
    if name in EMBEDDED_NAMES:
        from engine.backends.language_models.embedded import converted_folder

        converted_folder(report)
    elif (file := _gguf_of(name)) is not None:
        from engine.backends.language_models.gguf_file import converted_gguf

        with _LOADING:
            converted_gguf(file, report)
    with _LOADING:
        return _load_from_files(name, dtype, place, changes)


def computing_place(name: str, device: str = "auto") -> Device | Literal["server"]:
    """Return where the named model computes: on a device of this machine, or on its server. Raises ModelError."""
    if is_server(name):
        return "server"
    return packaged_device(device) if name in EMBEDDED_NAMES else chosen_device(device)


@lru_cache(maxsize=4)
def _several(models: tuple[LanguageModel, ...]) -> CachedModel:
    """Return one model on several servers behind its memory, the same one for the same servers."""
    return CachedModel(SeveralServers(models))


def probe_server(name: str, report: Report = silent) -> CapabilityCard:
    """Return what a server gives now, probed again. Raises InputError for a name that is no server's, ModelError."""
    refuse_unlisted(name)
    return _open_server_model(name, report)[0]


def served_names(name: str) -> tuple[str, ...]:
    """Return the models a server lists, whatever model the name has. Raises InputError for no address, ModelError."""
    from engine.backends.language_models.openai_compatible import PROBING
    from engine.backends.language_models.server_card import fetch_models
    from engine.backends.language_models.server_connection import Connection

    refuse_unlisted(name)
    return tuple(model.id for model in fetch_models(Connection(server_name(name), PROBING), silent))


def known_card(name: str) -> CapabilityCard | None:
    """Return what a server gave when it was probed last, None where it was not yet."""
    known = _SERVED.get(name.strip())
    return known[0] if known else None


def card_time(name: str) -> str:
    """Return when a server gave its card (ISO 8601, UTC), "" where it was not probed yet."""
    known = _SERVED.get(name.strip())
    return known[2] if known else ""


def _open_server_model(name: str, report: Report) -> tuple[CapabilityCard, LanguageModel, str]:
    """Return a server's card, model and the time, kept under its name. Raises InputError where it may not be named."""
    from engine.backends.language_models.openai_compatible import open_server

    refuse_unlisted(name)
    server = server_name(name)
    report(Stage(method="models", name=f"asking {server.host} what it can give", total=1))
    model = open_server(server, report)
    _SERVED[name.strip()] = (model.card, CachedModel(model), now())
    return _SERVED[name.strip()]


def open_weights(name: str, report: Report = silent, device: str = "auto") -> LanguageModel:
    """Return the named model itself, open and without its memory: to get ready, or to measure how fast it is."""
    model = load_language_model(name, report, device)
    return model.open(report) if isinstance(model, CachedModel) else model


def is_cached(model: LanguageModel) -> bool:
    """Return whether the model keeps what it wrote, so that the same request costs nothing later."""
    return isinstance(model.model if isinstance(model, MeetingModel) else model, CachedModel)


@lru_cache(maxsize=4)
def _load_from_files(name: str, dtype: NumberType, device: Device = "cpu", changes: Changes = NONE) -> CachedModel:
    """Return the model behind its cache on disk; where its files are known from before, nothing is opened yet."""
    from engine.backends.language_models.embedded import converted_folder

    folders: tuple[Path, ...]
    if name in ADAPTERS:
        adapter = ADAPTERS[name]
        shown, folders = name, (converted_folder(), adapter)
        opened = partial(_open_adapted, name, dtype, adapter, device)
    else:
        folder = converted_folder() if name == "embedded-base" else weights_folder(name)
        shown = name if name == "embedded-base" or is_hub_name(name) else Path(name).expanduser().resolve().name
        folders, opened = (folder,), partial(_open_folder, folder, shown, dtype, device, changes)
    cache = default_cache()
    # Another device, or another template, gives other answers.
    elsewhere = (*(() if device == "cpu" else (device,)), *((repr(changes),) if changes != NONE else ()))
    maker = fingerprint(cache, model_files(*folders), CODE, TORCH, shown, dtype, *elsewhere)
    return kept_model(cache, maker, opened, lambda: opening_words(shown, weights_bytes(folders[0], dtype), device))


def weights_folder(name: str) -> Path:
    """Return the folder with the weights that a name means: a folder, a GGUF file's conversion, or the hub's cache.

    Raises ModelError for a path without a folder, a GGUF file that cannot be read, and a name that is not in the cache:
    nothing is fetched while a question is asked.
    """
    file = _gguf_of(name)
    if file is not None:
        from engine.backends.language_models.gguf_file import converted_gguf

        return converted_gguf(file)
    if not is_hub_name(name):
        return Path(name).expanduser()
    folder = cached_folder(name)
    if folder is None:
        raise ModelError(
            f"The language model {name[:200]!r} is neither a folder here nor in the hub's local cache. Fetch it with: "
            f"microscope models add {name[:200]}"
        )
    return folder


def is_hub_name(name: str) -> bool:
    """Return whether a name is a public model's, no path of this machine. Raises ModelError for a path without one."""
    return _gguf_of(name) is None and not _is_folder(name)


def _gguf_of(name: str) -> Path | None:
    """Return the GGUF file that a name means, by itself or as the only weights of a folder; None for any other."""
    from engine.backends.language_models.gguf_file import gguf_in

    try:
        return None if name in EMBEDDED_NAMES or not name.strip() else gguf_in(Path(name).expanduser())
    except (OSError, ValueError, RuntimeError):  # no path at all: said where the name is looked up
        return None


def _is_folder(name: str) -> bool:
    """Return whether a name is a folder's, not a public model's. Raises ModelError for a path without a folder."""
    try:
        folder = Path(name).expanduser()
        is_folder, exists = folder.is_dir(), folder.exists()
    except (OSError, ValueError, RuntimeError) as exc:
        raise ModelError(f"There is no model folder {name[:200]!r}: {exc}.") from exc
    if not name.strip() or (not is_folder and (exists or name.startswith((".", "/", "~")))):
        raise ModelError(f"There is no model folder {name!r}. Give a folder with safetensors, or a .gguf file.")
    return is_folder


def _open_adapted(name: str, dtype: NumberType, adapter: Path, device: Device) -> LanguageModel:
    from engine.backends.language_models.adapters import open_adapted

    # A reader writes a few words only; the memory goes to what writes longer text, whose steps are most of the time.
    return open_adapted(name, dtype, adapter, blocks=name != "embedded", device=device)


def _open_folder(folder: Path, name: str, dtype: NumberType, device: Device, changes: Changes) -> LanguageModel:
    from engine.backends.language_models.transformers_model import open_folder

    return open_folder(folder, name, dtype, device, changes)
