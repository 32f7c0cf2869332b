"""What a corpus can be asked: how often is a thing named, and where do two things meet."""

from collections.abc import Sequence

from engine.corpus_stats.base import CorpusCounter
from engine.records import Document


def count_documents(documents: Sequence[Document], name: str) -> CorpusCounter:
    """Return an exact counter over the documents; ``name`` stands beside every count it gives."""
    from engine.corpus_stats.local_counts import LocalCounts

    return LocalCounts(documents, name)
