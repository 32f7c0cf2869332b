"""Where data and models live: one folder, named by the environment variable MICROSCOPE_HOME.

Below it: ``models/`` (converted weights), ``indexes/`` (by content hash), ``runs.sqlite`` and ``annotations.sqlite``
(people's labels, where they are not kept in PostgreSQL). Without the variable it is the platform's usual place for a
user's application data.
"""

import os
import secrets
import stat
from contextlib import suppress
from functools import partial
from hashlib import file_digest
from importlib.util import find_spec
from pathlib import Path

from platformdirs import user_data_path

from engine.core.errors import InputError, ModelError, StorageError

ENVIRONMENT_VARIABLE = "MICROSCOPE_HOME"
# A corpus leaves out what begins with a full stop, so what a killed process left behind is never read.
PASSING = ".passing-"
PART = 2**20
PROJECT = Path(__file__).resolve().parents[2]


def data_folder() -> Path:
    """Return the data folder, made if absent. Raises StorageError where it cannot be made."""
    return make_folder(data_place())


def data_place() -> Path:
    """Return where the data folder is, or will be once something is kept."""
    named = os.environ.get(ENVIRONMENT_VARIABLE, "").strip()
    return Path(named).expanduser() if named else user_data_path("retrieval-microscope", appauthor=False)


def make_folder(folder: Path) -> Path:
    """Return the folder after making it with its parents. Raises StorageError with the system's reason."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise StorageError(
            f"The folder for data and models cannot be made: {exc.strerror}. "
            f"Set {ENVIRONMENT_VARIABLE} to a folder you may write to."
        ) from exc
    return folder


def write_whole(file: Path, content: str | bytes, what: str = "", *, private: bool = False) -> None:
    """Write a file, in a folder that is made if absent, under a passing name that becomes its own when it is whole.

    ``private``: nobody else on this machine may read it. Raises StorageError, which calls it ``what``, else by its
    name; then nothing is left behind.
    """
    passing = file.with_name(f"{PASSING}{secrets.token_hex(4)}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(passing, "xb", opener=partial(os.open, mode=0o600 if private else 0o666)) as opened:
            opened.write(content.encode() if isinstance(content, str) else content)
        os.replace(passing, file)
    except OSError as exc:
        raise StorageError(f"{what or file.name} cannot be written: {exc.strerror or exc}.") from exc
    finally:
        with suppress(OSError):
            passing.unlink(missing_ok=True)


def read_at_most(file: Path, most: int) -> bytes:
    """Return the bytes of a file, or of a pipe up to its end.

    Raises InputError where it cannot be read, holds more than ``most`` bytes, or is a device: its bytes might never
    end.
    """
    try:
        with file.open("rb") as opened:
            state = os.fstat(opened.fileno())
            if not (stat.S_ISREG(state.st_mode) or stat.S_ISFIFO(state.st_mode)):
                raise InputError(f"{file} is neither a file nor a pipe, so it is not read.")
            parts, size = [], state.st_size if state.st_size > most else 0
            while size <= most and (part := opened.read(PART)):
                parts.append(part)
                size += len(part)
    except (OSError, ValueError) as exc:  # ValueError: no path can be called so
        raise InputError(f"{file} could not be read: {getattr(exc, 'strerror', None) or exc}.") from exc
    if size > most:
        raise InputError(f"{file} is larger than {most // PART:,} MiB, so it is not read.")
    return b"".join(parts)


def size_of(path: Path) -> int:
    """Return the bytes of a file, or of the files in a folder and below; what cannot be seen counts nothing.

    ``os.walk`` passes over folders that vanish while it goes; ``Path.rglob`` raises FileNotFoundError there.
    """
    files = (os.path.join(parent, name) for parent, _, names in os.walk(path) for name in names)
    total = 0
    for file in files if os.path.isdir(path) else (path,):
        with suppress(OSError):
            total += os.stat(file).st_size
    return total


def file_hash(path: Path) -> bytes:
    """Return the SHA-256 of a file's bytes. Raises OSError."""
    with path.open("rb") as opened:
        return file_digest(opened, "sha256").digest()


def sample_data() -> Path:
    """Return the folder of the shipped sample encyclopaedia."""
    return PROJECT / "sample_data"


def package_folder(package: str, what: str) -> Path:
    """Return the folder of an installed package. Raises ModelError, with what to do, where it is not installed."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        missing = package.replace("_", "-")
        raise ModelError(
            f"{what} is not installed: the package {missing} is missing. Run `microscope prepare --install`."
        )
    return Path(spec.submodule_search_locations[0])
