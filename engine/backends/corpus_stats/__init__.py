"""Counts in a corpus: how often a thing is named, and where two things meet."""

from collections.abc import Sequence

from engine.backends.corpus_stats.base import CorpusCounter
from engine.core.progress import Report
from engine.core.records import Document


def count_documents(documents: Sequence[Document], name: str) -> CorpusCounter:
    """Return an exact counter over the documents; ``name`` stands beside every count it gives."""
    from engine.backends.corpus_stats.local_counts import LocalCounts

    return LocalCounts(documents, name)


def count_online(index: str, report: Report) -> CorpusCounter:
    """Return a counter that uses the public infini-gram service: every name it counts leaves this machine.

    Only for a user who turned it on. ``report`` is called before each request and may raise to stop.
    """
    from engine.backends.corpus_stats.infini_gram import InfiniGram

    return InfiniGram(index, report)
