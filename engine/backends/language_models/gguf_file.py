"""A model in a single GGUF file: its weights are converted once into the data folder, as the embedded one's are.

Reading quantised weights takes longer than a question, so they are written once as bfloat16 safetensors under the hash
of the file. The folder is sealed: it is checked once per process, and made anew where a file is not as it was written.
"""

import logging
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from engine.backends.language_models.embedded import store_converted
from engine.core.errors import ModelError
from engine.core.folder_seals import folder_fault
from engine.core.folders import data_folder, file_hash
from engine.core.progress import Report, Stage, silent

ENDING, MAGIC = ".gguf", b"GGUF"
HASH_SHOWN = 16
LOG = logging.getLogger(__name__)
_CHECKED: set[Path] = set()


def gguf_in(path: Path) -> Path | None:
    """Return the GGUF file that a path means: itself, or the only weights of a folder; None for any other path.

    Raises OSError where it cannot be looked at.
    """
    if path.is_file():
        return path if path.suffix.lower() == ENDING else None
    if not path.is_dir() or any(path.glob("*.safetensors")):
        return None
    found = sorted(path.glob(f"*{ENDING}"))
    return found[0] if len(found) == 1 else None


def conversion_of(file: Path) -> Path:
    """Return the folder that the weights of a GGUF file are converted into; it may not be there yet.

    Raises ModelError where the file cannot be read, or is no GGUF file.
    """
    try:
        state = file.stat()
        with file.open("rb") as opened:
            begins = opened.read(len(MAGIC))
        if begins != MAGIC:
            raise ModelError(f"{file.name} is no GGUF file.")
        digest = hash_of(file.resolve(), state.st_size, state.st_mtime_ns)
    except OSError as exc:
        raise ModelError(f"The model file {file.name} cannot be read: {exc.strerror}.") from exc
    return data_folder() / "models" / f"gguf-{digest[:HASH_SHOWN]}"


@lru_cache(maxsize=16)
def hash_of(file: Path, size: int, changed: int) -> str:
    """Return the SHA-256 of a file; ``size`` and ``changed`` tell it from itself before it was changed."""
    return file_hash(file).hex()


def converted_gguf(file: Path, report: Report = silent) -> Path:
    """Return the folder with the converted weights of a GGUF file, made where it is not there or is damaged.

    Raises ModelError where the file cannot be converted, StorageError where the folder cannot be written.
    """
    folder = conversion_of(file)
    if folder in _CHECKED and (folder / "config.json").exists():
        return folder
    fault = folder_fault(folder) if folder.is_dir() else "it is not there"
    if fault:
        LOG.info("The weights of %s are converted: %s.", file.name, fault)
        make(file, folder, report)
    _CHECKED.add(folder)
    return folder


def make(file: Path, folder: Path, report: Report) -> None:
    """Convert a GGUF file into a folder, whole or not at all. Raises ModelError, StorageError."""
    name = f"converting {file.name}, once"
    report(Stage(method="models", name=name, total=1))
    store_converted(file.parent, folder, file.name, gguf=file.name)
    with suppress(OSError):  # the model works without its place on the list
        name_of(folder).write_text(str(file.absolute()), encoding="utf-8")
    report(Stage(method="models", name=name, done=1, total=1))


def name_of(folder: Path) -> Path:
    """Return the file that says which GGUF file a conversion was made from; it stands beside the sealed folder."""
    return folder.with_name(f"{folder.name}.source")


def named_conversions() -> tuple[str, ...]:
    """Return the GGUF files that were converted here and are still where they were."""
    found = []
    for name in sorted((data_folder() / "models").glob("gguf-*.source")):
        with suppress(OSError, ValueError):
            file = name.read_text(encoding="utf-8").strip()
            if name.with_suffix("").is_dir() and Path(file).is_file():
                found.append(file)
    return tuple(found)
