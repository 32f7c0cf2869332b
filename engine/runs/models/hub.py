"""Fetching a model from a hub when somebody asks for it.

Nothing here runs by itself. ``offer_of`` asks the hub how large a model is and under which licence; ``fetch`` copies
its safetensors, settings and tokenizer into the data folder. Weights in other formats and code are never fetched. The
hub is the one that HF_ENDPOINT names, else the public one of the library.
"""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.backends.devices import Device
from engine.backends.hub_cache import is_causal
from engine.backends.number_types import number_type
from engine.core.errors import InputError, ModelError, StorageError
from engine.core.folders import data_folder, make_folder
from engine.core.words import reason_of

WANTED = ("*.safetensors", "*.json", "*.model", "*.txt", "*.jinja")
UNWANTED = ("*/*", "*.index.json.bak", "consolidated*.safetensors")
NUMBER_BYTES = {"float32": 4, "bfloat16": 2}
HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(?:/[A-Za-z0-9][\w.-]{0,95})?", re.ASCII)
ROOM = 1.1  # free disk, by the size of what is fetched
TIMEOUT = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What fetching a model means. ``size`` in bytes, ``memory`` in bytes of its weights once opened.

    ``parameters`` 0 = not told. ``licence`` "" = the hub names none. ``revision`` is the very state to be fetched.
    """

    name: str
    revision: str
    licence: str
    size: int
    files: int
    parameters: int
    memory: int


def is_hub_name(name: str) -> bool:
    """Return whether a text can be a model's name on a hub.

    >>> is_hub_name("Qwen/Qwen3-0.6B"), is_hub_name("gpt2"), is_hub_name("../x"), is_hub_name("a/b/c")
    (True, True, False, False)
    """
    return bool(HUB_NAME.fullmatch(name))


def offer_of(name: str, device: Device = "cpu") -> Offer:
    """Return what the hub says of a model. Raises InputError for no name, ModelError where it cannot be had."""
    if not is_hub_name(name):
        raise InputError(f"{name[:100]!r} is not a model's name on a hub, which looks like organisation/model.")
    info = asked(name, lambda: hub().model_info(name, files_metadata=True, timeout=TIMEOUT))
    files = {one.rfilename: int(one.size or 0) for one in info.siblings or () if is_wanted(one.rfilename)}
    weights = sum(size for file, size in files.items() if file.endswith(".safetensors"))
    if not weights:
        raise ModelError(f"{name} has no safetensors weights on the hub; other formats are not fetched.")
    if "config.json" not in files:
        raise ModelError(f"{name} has no config.json on the hub, so it is no model that can be used here.")
    parameters = int(getattr(info.safetensors, "total", 0) or 0)
    return Offer(
        name=name,
        revision=str(info.sha or "main"),
        licence=licence_of(info),
        size=sum(files.values()),
        files=len(files),
        parameters=parameters,
        memory=parameters * NUMBER_BYTES[number_type(device)] or weights,
    )


def hub() -> Any:
    """Return the way to the hub that the environment names, without any key of the hub."""
    from huggingface_hub import HfApi

    return HfApi(endpoint=endpoint(), token=False)


def endpoint() -> str | None:
    """Return the address of the hub, None = the library's own."""
    return os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or None


def is_wanted(file: str) -> bool:
    """Return whether a file of a repository is fetched: weights as safetensors, settings, tokenizer; nothing nested.

    >>> [is_wanted(name) for name in ("model.safetensors", "config.json", "modeling_x.py", "onnx/model.json", "a.bin")]
    [True, True, False, False, False]
    """
    path = Path(file)
    return not any(path.match(part) for part in UNWANTED) and any(path.match(part) for part in WANTED)


def licence_of(info: Any) -> str:
    """Return the licence that a repository names, "" where it names none."""
    named = getattr(info.card_data, "license", None) if info.card_data is not None else None
    tagged = next((tag.partition(":")[2] for tag in info.tags or () if tag.startswith("license:")), "")
    return str(named if isinstance(named, str) else tagged)[:80]


def asked(name: str, ask: Callable[[], Any]) -> Any:
    """Return what the hub answers. Raises ModelError with a sentence for every way in which it does not."""
    from huggingface_hub.errors import GatedRepoError, OfflineModeIsEnabled, RepositoryNotFoundError

    try:
        return ask()
    except GatedRepoError as exc:
        raise ModelError(f"{name} is given out by its makers on request only, so it is not fetched here.") from exc
    except RepositoryNotFoundError as exc:
        raise ModelError(f"The hub has no public model {name!r}. Check its name.") from exc
    except OfflineModeIsEnabled as exc:
        raise ModelError("HF_HUB_OFFLINE is set, so no hub is asked. Unset it to fetch a model.") from exc
    except OSError as exc:
        if getattr(exc, "errno", None) == 28:
            raise StorageError("The disk is full. Make room, or set MICROSCOPE_HOME to another one.") from exc
        raise unreachable(name, exc) from exc
    except Exception as exc:  # the hub's client passes on what its own libraries raise
        raise unreachable(name, exc) from exc


def unreachable(name: str, error: Exception) -> ModelError:
    """Return the sentence for a hub that does not answer."""
    return ModelError(
        f"The hub cannot be reached for {name}: {reason_of(error)} "
        "Copy the model's folder to this machine instead, and add that folder."
    )


def fetch(offer: Offer) -> Path:
    """Return the folder of a fetched model, whole or not at all. Raises ModelError, StorageError."""
    from huggingface_hub import snapshot_download

    folder = fetched_folder(offer.name)
    if (folder / "config.json").is_file():
        return folder
    make_folder(folder.parent)
    refuse_full_disk(offer, folder.parent)
    with tempfile.TemporaryDirectory(prefix=".fetching-", dir=folder.parent, ignore_cleanup_errors=True) as place:
        fresh = Path(place) / "fresh"
        asked(
            offer.name,
            lambda: snapshot_download(
                offer.name,
                revision=offer.revision,
                local_dir=fresh,
                allow_patterns=list(WANTED),
                ignore_patterns=list(UNWANTED),
                endpoint=endpoint(),
                token=False,
            ),
        )
        refuse_code(offer.name, fresh)
        try:
            os.replace(fresh, folder)
        except OSError as exc:
            raise StorageError(f"{offer.name} could not be stored: {exc.strerror or exc}.") from exc
    return folder


def fetched_folder(name: str) -> Path:
    """Return where a fetched model lies; it may not be there yet."""
    return data_folder() / "models" / f"hub-{name.replace('/', '--')}"


def refuse_full_disk(offer: Offer, folder: Path) -> None:
    """Raise StorageError where a model does not fit on the disk."""
    free = shutil.disk_usage(folder).free
    if free < ROOM * offer.size:
        raise StorageError(
            f"{offer.name} takes {offer.size / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free in the data folder. "
            "Make room, or set MICROSCOPE_HOME to a folder on another disk."
        )


def refuse_code(name: str, folder: Path) -> None:
    """Raise ModelError where a fetched model needs code of its own, or is no language model."""
    if not is_causal(folder):
        raise ModelError(f"{name} is not a causal language model with safetensors, so it was not kept.")
    settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if settings.get("auto_map"):
        raise ModelError(f"{name} needs code of its own, which is never run here, so it was not kept.")
