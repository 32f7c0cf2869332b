"""What produced a record: package, library and model versions, settings and machine, without names or paths of people.

A record without its origin cannot be compared with another one. Nothing secret and no file path goes in here.
"""

import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

LIBRARIES = ("torch", "transformers", "sentence-transformers", "faiss-cpu", "bm25s", "spacy", "numpy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What produced a record: versions, models, judge, corpus, seed.

    ``writer`` is the model of step-by-step answers; "" = the same one. ``rewriter`` is the model of rewordings;
    "" = the writer. ``thresholds`` says what fitted ones were fitted on; "" = the papers'. ``papers_kept``: (method,
    why) for each threshold that was to be a fitted one and is the paper's. ``model_note`` says what of the model's
    numbers is not exact, "" = all is. ``device`` is where models computed, "" = not recorded (the processor, unless
    ``model_note`` says otherwise). ``memory_note`` says where memory ran out and batches became smaller, "" = nowhere.
    ``threads``: over how many threads the processor split a product, which bfloat16 rounds by; 0 = not recorded, or
    models computed elsewhere.
    """

    package_version: str
    libraries: tuple[tuple[str, str], ...]
    python: str
    machine: str
    model: str
    model_revision: str
    model_dtype: str
    judge: str
    judge_note: str
    retriever: str
    corpus: str
    corpus_hash: str
    seed: int
    profile: str
    started_at: str
    writer: str = ""
    writer_revision: str = ""
    thresholds: str = ""
    model_note: str = ""
    papers_kept: tuple[tuple[str, str], ...] = ()
    rewriter: str = ""
    rewriter_revision: str = ""
    device: str = ""
    memory_note: str = ""
    threads: int = 0

    @property
    def rewords(self) -> tuple[str, str]:
        """The name and revision of the model of rewordings; ("", "") where it is the model itself."""
        return (self.rewriter, self.rewriter_revision) if self.rewriter else (self.writer, self.writer_revision)


def installed_version(name: str) -> str:
    """Return the installed version of a distribution, or "absent"."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def library_versions() -> tuple[tuple[str, str], ...]:
    """Return (name, version) of the libraries that can change a number."""
    return tuple((name, installed_version(name)) for name in LIBRARIES)


def machine() -> str:
    """Return system and processor kind, such as "Linux x86_64"; no host name."""
    return f"{platform.system()} {platform.machine()}"
