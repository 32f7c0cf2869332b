"""How fast is a corpus indexed beside what the embedder can do at most, and what does one more file cost?

The ceiling is the embedder alone: the same passages, sorted by length, in batches of 64, nothing kept. The pace is the
whole indexing of a folder of text files: reading, cutting, counting words, embedding, keeping every row in the call
cache, writing the index. Then one file is added and the folder indexed again. Search is timed over the index that was
made; ``growth_corpus`` times it up to 100,000 passages.

    python -m benchmarks.indexing PASSAGES                    writes results/indexing.json
    python -m benchmarks.indexing PASSAGES --passages 6000    more of them

PASSAGES is a JSON Lines file with ``title`` and ``text``, packed or not, such as the 2WikiMultihopQA corpus. Seconds
are of the processor, one thread: what a machine with nothing else to do takes.
"""

import argparse
import json
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.results_file import origin, timed
from engine.backends.retrieval import load_corpus, load_embedder
from engine.backends.retrieval.chunkers import reading
from engine.backends.retrieval.documents import read_documents
from engine.core.folders import ENVIRONMENT_VARIABLE
from engine.core.progress import silent
from engine.runs.corpora import shelf
from engine.runs.corpora.indexing import finish_entry

RESULTS = Path(__file__).resolve().parent / "results" / "indexing.json"
BATCH, QUERIES, K = 64, 50, 5
RETRIEVERS = ("bm25", "vector", "hybrid")


def main() -> None:
    """Measure and write the results."""
    options = parsed()
    with tempfile.TemporaryDirectory() as home:
        os.environ[ENVIRONMENT_VARIABLE] = home
        folder = Path(home) / "texts"
        documents = read_documents(options.source)[: options.passages]
        folder.mkdir()
        for number, document in enumerate(documents):
            (folder / f"{number:06}.txt").write_text(document.text, encoding="utf-8")
        found = measured(folder)
    into = options.results or RESULTS
    into.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


def parsed() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--passages", type=int, default=1500)
    parser.add_argument("--results", type=Path)
    return parser.parse_args()


def measured(folder: Path) -> dict[str, Any]:
    """Return the pace of indexing a folder, the ceiling, the cost of one more file, and the time of a search."""
    embedder = load_embedder()
    embedder.open().embed(["warm"])
    entry = shelf.add(folder)
    seconds, done = timed(lambda: finish_entry(entry.id, embedder, silent))
    corpus = load_corpus(folder, chunk_tokens=128, chunk_overlap=16, embedder=embedder)
    texts = sorted((reading(passage, embedder) for passage in corpus.passages), key=len)
    ceiling, _ = timed(lambda: [embedder.open().embed(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)])
    (folder / "added.txt").write_text("One more file about a lighthouse at Brennick Point.", encoding="utf-8")
    added, again = timed(lambda: finish_entry(entry.id, embedder, silent))
    corpus = load_corpus(folder, chunk_tokens=128, chunk_overlap=16, embedder=embedder)
    questions = [passage.text.split(".")[0][:200] for passage in corpus.passages[:QUERIES]]
    embedder.embed(questions)
    return {
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        **origin(),
        "files": done.documents,
        "passages": done.passages,
        "indexing_seconds": seconds,
        "passages_per_second": done.passages / seconds,
        "embedder_alone_seconds": ceiling,
        "embedder_alone_per_second": len(texts) / ceiling,
        "times_the_ceiling": seconds / ceiling,
        "one_file_more_seconds": added,
        "passages_after": again.passages,
        "search_ms": {
            one: 1000 * median(timed(lambda: corpus.search(text, K, one))[0] for text in questions)  # noqa: B023
            for one in RETRIEVERS
        },
    }


if __name__ == "__main__":
    main()
