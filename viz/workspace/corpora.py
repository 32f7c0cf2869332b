"""A corpus in words and tables: what became of its files, how far it is indexed, how large it is."""

from collections.abc import Sequence

from engine.core.records import FileReport
from engine.core.words import counted, left_text
from engine.runs.corpora.indexing import IndexProgress
from engine.runs.corpora.shelf import CorpusEntry
from viz.parts.html import render

STATES = {
    "waiting": "Waiting",
    "indexing": "Reading",
    "words": "Search by words works; search by meaning follows",
    "ready": "Ready",
    "stopped": "Stopped",
    "failed": "Failed",
}
HASH_SHOWN = 12


def intake_html(kinds: str) -> str:
    """Return what becomes of files of these kinds as a picture in HTML: passages, and an answer that is taken apart."""
    steps = (
        ("Files", kinds, "model"),
        ("Passages", "found by words and by meaning", "model"),
        ("Answer", "and what each passage did to it", "model"),
    )
    return str(render("sieve.html.j2", steps=steps))


def size_text(size: int) -> str:
    """Return bytes in the largest unit that leaves a number of at least 1.

    >>> size_text(512), size_text(2_500_000)
    ('512 B', '2.5 MB')
    """
    for unit, bytes_each in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= bytes_each:
            return f"{size / bytes_each:.1f} {unit}"
    return f"{size} B"


def reading_sentence(files: Sequence[FileReport]) -> str:
    """Return how many files were read and how many skipped, with what they hold."""
    read = [file for file in files if file.read]
    documents, questions = sum(file.documents for file in read), sum(file.questions for file in read)
    held = counted(documents, "document") + (f" and {counted(questions, 'question')}" if questions else "")
    skipped = len(files) - len(read)
    left = f", {counted(skipped, 'file')} skipped" if skipped else ", none skipped"
    return f"{counted(len(read), 'file')} read with {held}{left}."


def file_lines(files: Sequence[FileReport]) -> list[str]:
    """Return one line a file for a terminal: read or skipped, its name, what it holds, its notes."""
    return [
        " ".join([f"{row['State']:<8}", row["File"], f"({row['Holds']})", row["Notes"]]) for row in file_rows(files)
    ]


def file_rows(files: Sequence[FileReport]) -> list[dict[str, str]]:
    """Return one row a file, those that were skipped first."""
    return [
        {
            "File": file.name,
            "State": "read" if file.read else "skipped",
            "Holds": holds(file),
            "Notes": " ".join(file.notes),
        }
        for file in sorted(files, key=lambda file: file.read)
    ]


def holds(file: FileReport) -> str:
    """Return what a file holds, in words."""
    parts = [counted(file.documents, "document")] if file.documents else []
    parts += [counted(file.questions, "question")] if file.questions else []
    return ", ".join(parts) or "nothing"


def entry_line(entry: CorpusEntry) -> str:
    """Return a corpus in one line for a terminal, with the reason where its indexing stopped or failed."""
    parts = (f"{STATES[entry.state].lower()}.", entry.reason, entry_sentence(entry))
    return f"{entry.id}  {entry.name}: {' '.join(filter(None, parts))}"


def entry_sentence(entry: CorpusEntry) -> str:
    """Return how large a corpus is, with the first digits of its hash."""
    parts = [counted(entry.documents, "document")] if entry.documents else []
    parts += [counted(entry.passages, "passage")] if entry.passages else []
    parts += [size_text(entry.size)] if entry.size else []
    parts += [f"hash {entry.content_hash[:HASH_SHOWN]}"] if entry.content_hash else []
    return ", ".join(parts) + "." if parts else ""


def progress_sentence(progress: IndexProgress) -> str:
    """Return where an indexing stands, with the time left where it is known."""
    if progress.position:
        return f"Waiting: number {progress.position} in the queue."
    if progress.paused:
        return "Paused during a run; resumes by itself."
    count = f", {progress.done:,} of {progress.total:,}" if progress.total else ""
    left = f" {left_text(progress.seconds_left).capitalize()}." if progress.seconds_left is not None else ""
    return f"{(progress.stage or 'starting').capitalize()}{count}.{left}"


def progress_share(progress: IndexProgress) -> float:
    """Return how far the stage at work is, in [0, 1]."""
    return min(1.0, progress.done / progress.total) if progress.total else 0.0
