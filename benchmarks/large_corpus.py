"""A large corpus end to end, in the background as the workbench does it: files, passages, embedding, index, search.

``indexing`` asks the same of a few hundred files. Here every passage of a corpus of 100,000 is really embedded. The
ceiling is the embedder alone. It is measured while the corpus is indexed: of every twentieth batch the same texts are
also embedded by the bare embedder, so that both see the same texts and the same busy machine, and its seconds are left
out of the others. On the way indexing is cancelled once and goes on. Then one file is added. Opening and searching are
timed in a process of their own.

Where the sources have fewer passages than asked for, the corpus is filled up with windows of their sentences (one to
six in a row that fit into one passage, no text twice); the result says how many. They are real text, yet they overlap,
so what a search finds among them means little.

    python -m benchmarks.large_corpus --into FOLDER SOURCE ...                       writes results/large_corpus.json
    python -m benchmarks.large_corpus --into FOLDER --passages 2000 --results FILE SOURCE ...

A SOURCE is any file that the workbench reads, such as the 2WikiMultihopQA corpus or Natural Questions with passages.
Stopped and started again with the same FOLDER it goes on, its seconds added up; so it does with more passages, since a
smaller corpus is the beginning of a larger one. With ``--minutes`` it stops by itself and says what was reached.
Seconds are of the processor: what a machine with nothing else to do takes. Fewer than 2,000 passages say too little.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.growth_corpus import QUERIES, RETRIEVERS, search_all
from benchmarks.results_file import origin, timed
from engine.backends.retrieval import load_corpus, load_embedder
from engine.backends.retrieval.base import Embedder
from engine.backends.retrieval.cached import CachedEmbedder
from engine.backends.retrieval.chunkers import chunk
from engine.backends.retrieval.corpus import IndexedCorpus
from engine.backends.retrieval.documents import read_documents
from engine.backends.retrieval.sentence_ends import sentence_bounds
from engine.core.folders import ENVIRONMENT_VARIABLE
from engine.core.records import Document
from engine.methods.profiles import PROFILES
from engine.runs.corpora import shelf
from engine.runs.corpora.indexing import Indexer
from engine.runs.corpora.shelf import CorpusEntry

TOKENS, OVERLAP = PROFILES["embedded"].chunk_tokens, PROFILES["embedded"].chunk_overlap
RESULTS = Path(__file__).resolve().parent / "results" / "large_corpus.json"
PASSAGES, ROWS_PER_FILE = 100_000, 50
LONGEST_WINDOW, FEWEST_WORDS, SEED = 6, 6, 0
EVERY = 20  # of so many batches one is embedded by the bare embedder too
CANCEL_AT = 0.1  # of the passages
QUESTION_WORDS = 12
MEGABYTE = 1e6
ADDED_FILE, ADDED = "added.txt", "One more file about the lighthouse that stands on Brennick Point since 1871."


def main() -> None:
    """Measure and write the results."""
    options = parsed()
    if options.step:
        print(json.dumps(STEPS[options.step](options.into, options)))
        return
    options.into.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {"started_at": datetime.now(UTC).isoformat(timespec="seconds")}
    found |= origin()
    found |= written(options.into / "articles", options.sources, options.passages)
    for step in STEPS:
        found |= in_own_process(step, options)
        print(json.dumps(found, indent=1), flush=True)
        if found.get("state") not in (None, "ready"):
            break
    (options.results or RESULTS).write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def parsed() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path, nargs="+")
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--passages", type=int, default=PASSAGES)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--results", type=Path)
    parser.add_argument("--step", default="")
    return parser.parse_args()


def in_own_process(step: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return what a step measures in a fresh process, with a data folder of its own."""
    command = [sys.executable, "-m", "benchmarks.large_corpus", "--into", str(options.into), "--step", step]
    command += ["--minutes", str(options.minutes), *map(str, options.sources)]
    home = {ENVIRONMENT_VARIABLE: str(options.into / "home")}
    done = subprocess.run(command, env=os.environ | home, stdout=subprocess.PIPE, check=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def written(folder: Path, sources: Sequence[Path], count: int) -> dict[str, Any]:
    """Return of what the corpus is made, after writing it as JSON Lines files of 50 articles each."""
    documents = [document for source in sources for document in read_documents(source)]
    rows = fitting(articles(documents), count)
    folder.mkdir(exist_ok=True)
    (folder / ADDED_FILE).unlink(missing_ok=True)
    for first in range(0, len(rows), ROWS_PER_FILE):
        part = enumerate(rows[first : first + ROWS_PER_FILE], start=first)
        lines = [json.dumps({"id": f"a{at}", "title": title, "text": text}) for at, (_, title, text) in part]
        (folder / f"{first // ROWS_PER_FILE:05}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    whole = sum(is_whole for is_whole, _, _ in rows)
    return {
        "sources": [source.name for source in sources],
        "files": -(-len(rows) // ROWS_PER_FILE),
        "articles": len(rows),
        "whole_passages_of_the_sources": whole,
        "windows_of_sentences": len(rows) - whole,
        "characters": sum(len(text) for _, _, text in rows),
    }


def fitting(rows: Sequence[tuple[bool, str, str]], count: int) -> list[tuple[bool, str, str]]:
    """Return the first rows that are so many passages together, windows that are more than one passage left out."""
    embedder = load_embedder()
    kept, passages = [], 0
    for whole, title, text in rows:
        if passages >= count:
            break
        pieces = len(chunk(Document(document_id="", title=title, text=text, source=""), embedder, TOKENS, OVERLAP))
        if whole or pieces == 1:
            kept.append((whole, title, text))
            passages += pieces
    return kept


def articles(documents: Sequence[Document]) -> list[tuple[bool, str, str]]:
    """Return (whole, title, text): the distinct passages first, then windows of their sentences in a seeded order."""
    whole = distinct(documents)
    seen = {" ".join(text.split()) for _, text in whole}
    more = []
    for title, text in whole:
        for window in windows(text):
            if window not in seen:
                seen.add(window)
                more.append((title, window))
    random.Random(SEED).shuffle(more)
    return [(True, *one) for one in whole] + [(False, *one) for one in more]


def distinct(documents: Sequence[Document]) -> list[tuple[str, str]]:
    """Return (title, text) of the documents, each text once."""
    kept = {" ".join(document.text.split()): (document.title, document.text) for document in reversed(documents)}
    return list(reversed(kept.values()))


def windows(text: str) -> Iterator[str]:
    """Yield every one to six sentences in a row of a text, those of fewer than six words left out."""
    spans = sentence_bounds(text)
    for length in range(1, LONGEST_WINDOW + 1):
        for first in range(len(spans) - length + 1):
            window = " ".join(text[spans[first][0] : spans[first + length - 1][1]].split())
            if len(window.split()) >= FEWEST_WORDS:
                yield window


class Watched:
    """The embedder of the workbench, beside which the bare embedder embeds the texts of every twentieth batch.

    It goes first and second in turns. ``alone`` are its seconds on ``sampled`` texts, since the last ``begin``.
    """

    def __init__(self, embedder: CachedEmbedder) -> None:
        """Watch an embedder; nothing of what the bare one makes is kept."""
        self.name, self.max_tokens = embedder.name, embedder.max_tokens
        self.count_tokens, self.token_rows = embedder.count_tokens, embedder.token_rows
        self.embedder = embedder
        self.begin()

    def begin(self) -> None:
        """Forget what was measured: a corpus is gone through from its beginning."""
        self._batch = self.sampled = 0
        self.alone = 0.0

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return [n, d] rows of length 1."""
        turn, place = divmod(self._batch, EVERY)
        self._batch += 1
        if place != EVERY // 2:  # the middle of twenty: batches go from long texts to short ones
            return self.embedder.embed(texts)
        if turn % 2:
            self._bare(texts)
        rows = self.embedder.embed(texts)
        if not turn % 2:
            self._bare(texts)
        return rows

    def _bare(self, texts: Sequence[str]) -> None:
        seconds, _ = timed(lambda: self.embedder.open().embed(texts))
        self.alone += seconds
        self.sampled += len(texts)


def indexed(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Return what indexing in the background costs, cancelled once on the way, and after one more file."""
    plain = load_embedder()
    plain.open().embed(["warm"])
    embedder = Watched(plain)
    entry = shelf.add(folder / "articles")
    kept = folder / "stages.json"
    stages: dict[str, float] = defaultdict(float, json.loads(kept.read_text()) if kept.exists() else {})
    deadline = time.monotonic() + 60 * options.minutes
    if not stages["cancelled at"]:
        entry = followed(entry, embedder, stages, kept, lambda done, total: done >= CANCEL_AT * total)
        stages["cancelled at"] = stages["reached"]
    entry = followed(entry, embedder, stages, kept, lambda *_: time.monotonic() > deadline)
    return built(entry, stages, embedder)


EMBEDDING, POLL_SECONDS = "embedding passages", 0.25
SECONDS = ("reading documents", "cutting documents", EMBEDDING, "writing")


def followed(
    entry: CorpusEntry, embedder: Watched, stages: dict[str, float], kept: Path, stop_now: Callable[[int, int], bool]
) -> CorpusEntry:
    """Return the entry after its indexing in the background; processor seconds are added to ``stages`` as they go by.

    What the bare embedder takes is left out of them.
    """
    indexer = Indexer(lambda: embedder)
    embedder.begin()
    spent, bare, stage = time.process_time(), 0.0, "reading documents"
    indexer.submit(entry.id)
    done = False
    while not done:
        done = indexer.wait(POLL_SECONDS)
        now = indexer.progress(entry.id)
        taken, alone = time.process_time() - spent, embedder.alone - bare
        spent, bare = spent + taken, bare + alone
        stages[stage] += taken - alone
        if now is not None and now.stage:
            at_end = now.stage == EMBEDDING and now.done == now.total
            stage = "writing" if at_end else now.stage
            stages["reached"] = now.done if now.stage == EMBEDDING else 0
            if now.stage == EMBEDDING and stop_now(now.done, now.total):
                indexer.cancel(entry.id)
        kept.write_text(json.dumps(stages))
    return shelf.entry_of(entry.id)


def built(entry: CorpusEntry, stages: dict[str, float], embedder: Watched) -> dict[str, Any]:
    """Return the costs of an index by name, and those of one more file where it became ready."""
    seconds = sum(stages[name] for name in SECONDS)
    alone = embedder.alone / max(embedder.sampled, 1)
    ready = entry.state == "ready"
    passages = entry.passages if ready else stages["reached"]
    found = {
        "state": entry.state,
        "passages": passages,
        "seconds": seconds,
        "passages_per_second": passages / seconds,
        "embedder_alone_on": embedder.sampled,
        "embedder_alone_per_second": embedder.sampled / embedder.alone if alone else None,
        "times_the_ceiling": seconds / (alone * passages) if alone else None,
        "seconds_by_stage": {name: stages[name] for name in SECONDS},
        "cancelled_at": stages["cancelled at"],
        "wall_seconds": entry.seconds,
        "index_megabytes": shelf.index_size(entry) / MEGABYTE,
        "peak_megabytes": peak(),
    }
    return found | (one_file_more(entry, embedder.embedder) if ready else {})


def one_file_more(entry: CorpusEntry, embedder: Embedder) -> dict[str, Any]:
    """Return what one more file costs, how many passages the corpus then has, and the memory at its peak."""
    (Path(entry.path) / ADDED_FILE).write_text(ADDED, encoding="utf-8")
    indexer = Indexer(lambda: embedder)

    def add() -> None:
        indexer.submit(entry.id)
        while not indexer.wait(POLL_SECONDS):
            pass

    seconds, _ = timed(add)
    after = shelf.entry_of(entry.id)
    return {"one_file_more_seconds": seconds, "passages_after": after.passages, "peak_megabytes_after": peak()}


def searched(folder: Path, _: argparse.Namespace) -> dict[str, Any]:
    """Return what opening the corpus and searching in it takes, questions embedded anew where it says so."""
    embedder = load_embedder()
    embedder.embed(["Warm the encoder up."])
    before = peak()
    seconds, corpus = timed(lambda: opened(folder, embedder))
    wall = timed(lambda: opened(folder, embedder), time.perf_counter)[0]
    chosen = random.Random(SEED).sample(range(len(corpus.passages)), 2 * QUERIES)
    questions = [" ".join(corpus.passages[place].text.split()[:QUESTION_WORDS]) for place in chosen]
    bare = [timed(lambda text=text: embedder.open().embed([text]))[0] for text in questions[:QUERIES]]  # type: ignore[misc]
    found: dict[str, Any] = {"opening_seconds": seconds, "opening_again_wall_seconds": wall}
    found["embedding_a_question_ms"] = spread(bare)
    embedder.embed(questions[:QUERIES])
    for retriever in RETRIEVERS:
        search_all(corpus, questions[:QUERIES], retriever)
        found[f"{retriever}_ms"] = spread(search_all(corpus, questions[:QUERIES], retriever))
    found["hybrid_wall_ms"] = spread(search_all(corpus, questions[:QUERIES], "hybrid", time.perf_counter))
    found["hybrid_new_question_ms"] = spread(search_all(corpus, questions[QUERIES:], "hybrid"))
    return found | {"load_average": os.getloadavg()[0], "search_peak_megabytes": peak(), "before_megabytes": before}


def opened(folder: Path, embedder: Embedder) -> IndexedCorpus:
    """Return the corpus from its stored index."""
    return load_corpus(folder / "articles", chunk_tokens=TOKENS, chunk_overlap=OVERLAP, embedder=embedder)


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Return median and 95th percentile in milliseconds."""
    middle, high = np.percentile(seconds, [50, 95])
    return {"median": 1000 * float(middle), "p95": 1000 * float(high)}


def peak() -> float:
    """Return the most memory this process ever had, in megabytes, files mapped into it included."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MEGABYTE


STEPS: dict[str, Callable[[Path, argparse.Namespace], dict[str, Any]]] = {"indexed": indexed, "searched": searched}

if __name__ == "__main__":
    main()
