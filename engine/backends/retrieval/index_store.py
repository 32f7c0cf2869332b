"""An index on disk, found again by what it was made from: chunk positions, embeddings and BM25, never a pickle.

``indexes/<content hash>/`` holds ``chunks.npy`` [passages, 3] (document, start, end), ``embeddings.npy`` [passages, d],
``bm25/`` and ``meta.json`` with a checksum of every file. It is written beside and renamed when whole, so a killed
process leaves no half index; one that does not match its checksums is thrown away and made again. The texts are not
stored: passages are cut from the documents that are given. What is read back is mapped into memory, so that the size
of an index is no cost of opening it but one pass for the checksums.

The sample encyclopaedia's index is shipped (``shipped/<content hash>/``, made by ``scripts/ship_index.py``), so that a
first question need not wait for one. It is found by the same hash and checked in the same way.
"""

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engine.backends.retrieval.bm25_index import Bm25Index, read_bm25
from engine.core.errors import StorageError
from engine.core.folders import data_folder, file_hash, make_folder
from engine.core.locks import locked
from engine.core.records import Document

FORMAT = 2
PARTIAL = ".partial-"
LOCK = ".lock"
ABANDONED_AFTER = 24 * 3600.0
SHIPPED = Path(__file__).resolve().parent / "shipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredIndex:
    """What an index holds besides its documents; ``chunks`` [passages, 3], ``embeddings`` [passages, d].

    ``embeddings`` None = only words can be searched.
    """

    chunks: np.ndarray
    embeddings: np.ndarray | None
    bm25: Bm25Index


def content_hash(documents: Sequence[Document], chunk_tokens: int, chunk_overlap: int, embedder: str) -> str:
    """Return the hash of titles, texts, chunk sizes and embedder: 64 hexadecimal digits, no path and no id in it."""
    digest = hashlib.sha256(json.dumps([FORMAT, chunk_tokens, chunk_overlap, embedder]).encode())
    for document in documents:
        digest.update(json.dumps([document.title, document.text]).encode())
    return digest.hexdigest()


def index_folder(key: str) -> Path:
    """Return the folder of one index, which may not exist yet; raises StorageError where its parent cannot be made."""
    return make_folder(data_folder() / "indexes") / key


def shipped_index(key: str) -> StoredIndex | None:
    """Return the index under this hash that came with the program, None where none did or it is broken."""
    return read_index(SHIPPED / key)


def read_index(folder: Path) -> StoredIndex | None:
    """Return the stored index, or None where there is none or it is broken."""
    try:
        meta = json.loads((folder / "meta.json").read_bytes())
        if meta["format"] != FORMAT or meta["files"] != checksums(folder):
            return None
        return StoredIndex(
            chunks=np.load(folder / "chunks.npy", mmap_mode="r", allow_pickle=False),
            embeddings=mapped_rows(folder / "embeddings.npy"),
            bm25=read_bm25(folder / "bm25"),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def mapped_rows(file: Path) -> np.ndarray | None:
    """Return the stored embeddings, mapped into memory; None where the index has none. Raises as ``np.load``."""
    if not file.exists():
        return None
    rows: np.ndarray = np.load(file, mmap_mode="r", allow_pickle=False)
    return rows


def write_index(folder: Path, index: StoredIndex) -> None:
    """Write an index whole or not at all, in place of a broken one; raises StorageError with the system's reason."""
    sweep_abandoned(folder.parent)
    try:
        with tempfile.TemporaryDirectory(prefix=PARTIAL, dir=folder.parent, ignore_cleanup_errors=True) as name:
            partial = Path(name)
            np.save(partial / "chunks.npy", index.chunks, allow_pickle=False)
            if index.embeddings is not None:
                np.save(partial / "embeddings.npy", index.embeddings, allow_pickle=False)
            index.bm25.save(partial / "bm25")
            (partial / "meta.json").write_text(json.dumps({"format": FORMAT, "files": checksums(partial)}))
            # A whole index that stands there is as good as ours, a broken one is removed. One process does so at a
            # time: another may have read the same broken index, and be about to remove ours.
            with locked(folder.parent / LOCK):
                if read_index(folder) is None:
                    shutil.rmtree(folder, ignore_errors=True)
                    os.rename(partial, folder)
    except OSError as exc:
        raise StorageError(
            f"The index could not be stored: {exc.strerror or exc}. Free some space, or set another data folder."
        ) from exc


def files_state(paths: Iterable[Path]) -> tuple[tuple[str, int, int], ...]:
    """Return (path, bytes, time of the last change in ns) of every file, by which a change is noticed without reading.

    Raises OSError where one is not there.
    """
    found = [(str(path), path.stat()) for path in paths]
    return tuple((name, seen.st_size, seen.st_mtime_ns) for name, seen in found)


def index_state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return ``files_state`` of a stored index, empty where there is none, or where it is just being removed."""
    try:
        return files_state(sorted(path for path in folder.rglob("*") if path.is_file()))
    except OSError:
        return ()


def checksums(folder: Path) -> dict[str, str]:
    """Return relative path -> SHA-256 of every file of an index but its meta.json."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name != "meta.json")
    return {file.relative_to(folder).as_posix(): file_hash(file).hex() for file in files}


def sweep_abandoned(folder: Path) -> None:
    """Remove what killed processes left unfinished more than a day ago."""
    for partial in folder.glob(PARTIAL + "*"):
        with suppress(FileNotFoundError):
            if time.time() - partial.stat().st_mtime > ABANDONED_AFTER:
                shutil.rmtree(partial, ignore_errors=True)
