"""What makes two computations the same: the files, our code, the libraries and the machine behind an answer.

A cached answer is only good for what made it. Rounding depends on the kind of number, on the processor's instructions
and on the number of threads a sum is split over, so all of these are part of a fingerprint, and so is the text of our
own code: an edit that could change a number makes a new one.
"""

import os
import sys
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from engine.backends.call_cache import CallCache, default_cache, key_of
from engine.backends.number_types import processor_flags
from engine.core.errors import ModelError
from engine.core.folders import file_hash
from engine.core.provenance import installed_version, machine

THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")
MODEL_FILES = (".safetensors", ".gguf", ".json", ".jinja", ".txt", ".model")
TORCH = ("torch", "transformers", "tokenizers", "safetensors", "numpy")


def fingerprint(
    cache: CallCache, files: Sequence[Path], code: tuple[Path, ...], libraries: Sequence[str], *settings: str
) -> str:
    """Return one name, 64 hexadecimal digits, for what these files compute here under these settings.

    ``code`` are modules of ours, or folders of them. Raises ModelError where a file cannot be read.
    """
    versions = [(name, installed_version(name)) for name in libraries]
    here = (machine(), processor_flags(), threads())
    return key_of("maker", content_of(cache, files), source_of(code), versions, here, settings)


def model_files(*folders: Path) -> list[Path]:
    """Return the files in folders that say what a model computes: weights, settings, tokenizer, template."""
    return [file for folder in folders for file in sorted(folder.iterdir()) if file.suffix in MODEL_FILES]


def content_of(cache: CallCache, files: Sequence[Path]) -> str:
    """Return a SHA-256 over names and bytes of files; read once, and again when a size or a time of change differs."""
    try:
        seen = [(str(path.resolve()), (stat := path.stat()).st_size, stat.st_mtime_ns) for path in files]
        key = key_of("content", seen)
        known = cache.get([key]).get(key)
        if known is not None:
            return known.decode()
        digest = sha256()
        for path in files:
            digest.update(path.name.encode() + b"\0" + file_hash(path))
    except OSError as exc:
        raise ModelError(f"A file of a model cannot be read: {exc.strerror or exc}.") from exc
    cache.put("fact", {key: digest.hexdigest().encode()})
    return digest.hexdigest()


@lru_cache(maxsize=16)
def source_of(code: tuple[Path, ...]) -> str:
    """Return a SHA-256 over modules of ours, or those in folders of ours."""
    digest = sha256()
    for path in (file for place in code for file in (sorted(place.glob("*.py")) if place.is_dir() else [place])):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def threads() -> list[str | int | None]:
    """Return what decides over how many threads torch splits a sum: two variables, and the processors allowed."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return [*(os.environ.get(name) for name in THREAD_VARIABLES), allowed]


def processor_threads() -> int:
    """Return over how many threads torch splits a product on the processor.

    torch says it where it is loaded. It is slow to load, so the cache remembers what it said under the same settings.
    """
    cache, key = default_cache(), key_of("threads", threads(), installed_version("torch"), machine())
    known = None if "torch" in sys.modules else cache.get([key]).get(key)
    if known is not None and known.isdigit():
        return int(known)
    import torch

    cache.put("fact", {key: str(torch.get_num_threads()).encode()})
    return torch.get_num_threads()
