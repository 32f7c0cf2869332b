"""What this machine can do: processor, memory, disk, data folder and stores, GPU, and the embedded parts."""

import os
import platform
import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from engine.backends.devices import DEVICE_VARIABLE, chosen_device, free_memory, packaged_device
from engine.backends.language_models.embedded import FOLDER, PACKAGE
from engine.backends.number_types import number_type
from engine.backends.retrieval.embedders import PACKAGE as EMBEDDER
from engine.core.database import check_file
from engine.core.errors import MicroscopeError, StorageError
from engine.core.folders import ENVIRONMENT_VARIABLE, data_place

GIGABYTE = 10**9
FREE_DISK, FREE_MEMORY = 2 * GIGABYTE, 3 * GIGABYTE
# The files of the data folder that hold what cannot be made anew, and the cache; the wings above make them.
LABELS = "annotations.sqlite"
STORES = {
    "runs.sqlite": "Run store",
    "studies.sqlite": "Study store",
    LABELS: "Label store",
    "lessons.sqlite": "Lesson store",
    "models.sqlite": "List of models",
    "calls.sqlite": "Cache of model calls",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing looked at: what was found, whether it is as it should be, and what to do where it is not."""

    what: str
    found: str
    well: bool = True
    advice: str = ""


def findings(labels: Finding | None = None) -> tuple[Finding, ...]:
    """Return everything that was looked at, in the order of a reader's questions; nothing is changed or loaded.

    ``labels`` is what was found of the labels, which may be kept elsewhere; without it, of those in the data folder.
    """
    return (
        Finding(what="Python", found=platform.python_version()),
        Finding(what="Processor", found=f"{platform.machine()}, {os.cpu_count() or 1} cores"),
        numbers(),
        memory(),
        disk(),
        data_folder_state(),
        *(
            labels if labels is not None and file == LABELS else store(data_place() / file, name)
            for file, name in STORES.items()
        ),
        *gpus(),
        device(),
        package(PACKAGE, "Embedded language model"),
        package(EMBEDDER, "Embedder"),
        converted(),
    )


def numbers() -> Finding:
    """Return which numbers models compute in here."""
    try:
        name = number_type()
    except MicroscopeError as exc:
        return Finding(what="Numbers", found="not known", well=False, advice=str(exc))
    slow = "" if name == "bfloat16" else " (no bfloat16 in this processor's hardware)"
    return Finding(what="Numbers", found=f"{name}{slow}")


def memory() -> Finding:
    """Return the memory of the machine, where the system tells it."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return Finding(what="Memory", found="not told by this system")
    enough = size >= FREE_MEMORY
    advice = "" if enough else "The workbench needs about 3 GB; close other programs."
    free = free_memory()
    told = "" if free is None else f", {free / GIGABYTE:.1f} GB free"
    return Finding(what="Memory", found=f"{size / GIGABYTE:.1f} GB{told}", well=enough, advice=advice)


def disk() -> Finding:
    """Return the free space of the data folder."""
    free = shutil.disk_usage(existing_part(data_place())).free
    enough = free >= FREE_DISK
    advice = "" if enough else "Make room, or set MICROSCOPE_HOME to a folder on another disk."
    return Finding(what="Free disk", found=f"{free / GIGABYTE:.1f} GB in the data folder", well=enough, advice=advice)


def data_folder_state() -> Finding:
    """Return whether the data folder can be written to, or made where it is not there yet."""
    place = data_place()
    part = existing_part(place)
    well = part.is_dir() and os.access(part, os.W_OK | os.X_OK)
    found = f"{place}, {'can' if well else 'cannot'} be {'written to' if part == place else 'made'}"
    advice = "" if well else f"Make it writable, or set {ENVIRONMENT_VARIABLE} to a folder you may write to."
    return Finding(what="Data folder", found=found, well=well, advice=advice)


def existing_part(place: Path) -> Path:
    """Return a path, or the nearest folder above it that is there."""
    return next(one for one in (place, *place.absolute().parents) if one.exists())


def store(file: Path, name: str) -> Finding:
    """Return whether a store can be read and written to, with its file, which errors elsewhere do not name."""
    if not file.exists():
        return Finding(what=name, found="not there yet")
    try:
        check_file(file, f"the {name.lower()}")
    except StorageError as exc:
        return Finding(what=name, found=str(file), well=False, advice=str(exc))
    well = os.access(file, os.W_OK)
    advice = "" if well else "Make the file writable."
    return Finding(what=name, found=f"{file}, can{'' if well else 'not'} be written to", well=well, advice=advice)


def gpus() -> list[Finding]:
    """Return every GPU that torch can use, or that there is none."""
    import torch

    build = f"torch {torch.__version__}"
    if torch.cuda.is_available():
        cards = [torch.cuda.get_device_properties(number) for number in range(torch.cuda.device_count())]
        return [
            Finding(what=f"GPU cuda:{number}", found=f"{card.name}, {card.total_memory / GIGABYTE:.1f} GB, {build}")
            for number, card in enumerate(cards)
        ]
    if torch.backends.mps.is_available():
        return [Finding(what="GPU mps", found=f"Apple, {build}")]
    return [Finding(what="GPU", found=f"none that {build} can use")]


def device() -> Finding:
    """Return which device models compute on where a run leaves the choice to the machine."""
    try:
        here, packaged = chosen_device(), packaged_device()
        apart = "" if here == packaged else f", the models that come with the program on {packaged}"
        return Finding(what="Device", found=f"{here}{apart} ({DEVICE_VARIABLE} or the run chooses)")
    except MicroscopeError as exc:
        return Finding(what="Device", found="none", well=False, advice=str(exc))


def package(name: str, what: str) -> Finding:
    """Return whether a package with weights is installed."""
    there = find_spec(name) is not None
    return Finding(
        what=what, found="installed" if there else "missing", well=there, advice="" if there else "Run `make setup`."
    )


def converted() -> Finding:
    """Return whether the embedded language model is converted already."""
    there = (data_place() / "models" / FOLDER / "config.json").exists()
    return Finding(what="Converted weights", found="ready" if there else "not yet: the first question converts them")
