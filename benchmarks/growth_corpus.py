"""How does cost grow with the corpus? Building, disk, opening, memory, search, counts; 100 to 100,000 passages.

The corpora recombine sentences of the sample encyclopaedia. Seeds depend only on the passage's number, so a smaller
corpus is the beginning of a larger one. Each size is built and opened in its own process, so memory is that of one
size.

    python -m benchmarks.growth_corpus --into FOLDER                     writes results/growth_corpus.json
    python -m benchmarks.growth_corpus --into FOLDER --sizes 100 1000 10000 --seconds 20 --results FILE

Embedding is the most expensive part of building. ``--seconds`` limits how many passages are embedded; the rest of a
larger corpus gets seeded perturbations of those vectors. The time of an exact search does not depend on the values, so
search is measured directly. The time to embed a whole corpus is extrapolated from the measured rate, and marked so.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
from pydantic_core import to_json

from benchmarks.growth import curve
from benchmarks.growth_records import CorpusGrowth, GrowthPoint, results_file
from benchmarks.results_file import timed
from engine.backends.corpus_stats.local_counts import LocalCounts
from engine.backends.retrieval import load_embedder
from engine.backends.retrieval.base import Embedder
from engine.backends.retrieval.bm25_index import build_bm25
from engine.backends.retrieval.chunkers import chunk, passage_of, reading
from engine.backends.retrieval.corpus import IndexedCorpus, load_corpus
from engine.backends.retrieval.documents import read_documents
from engine.backends.retrieval.index_store import StoredIndex, content_hash, index_folder, write_index
from engine.core.folders import ENVIRONMENT_VARIABLE, sample_data
from engine.core.provenance import library_versions, machine
from engine.core.records import Document, Passage
from engine.core.seeds import derive_seed
from engine.runs.sample_questions import sample_questions

SIZES = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
SECONDS = 600.0
QUERIES, K = 50, 5
TOKENS, OVERLAP = 128, 16
PASSAGE_WORDS = 55
# Every article is one passage; cutting more of them shows the same at a cost of minutes.
MOST_CUT = 3_000
WINDOW = 100
NUDGE = 0.05
BATCH = 64
RETRIEVERS = ("bm25", "vector", "hybrid")
ARTICLES = "articles.jsonl"
Numbers = dict[str, float | list[float]]


def sentences() -> list[tuple[str, str]]:
    """Return (title, sentence) of the sample encyclopaedia, in the order of the articles, without long sentences."""
    found = []
    for document in read_documents(sample_data()):
        for line in document.text.replace("\n", " ").split(". "):
            text = line.strip().rstrip(".") + "."
            if 4 <= len(text.split()) <= PASSAGE_WORDS // 2:
                found.append((document.title, text))
    return found


def recombined(count: int) -> Iterator[dict[str, str]]:
    """Yield articles of one passage each: sentences drawn at random, about 55 words together."""
    pool = sentences()
    for number in range(count):
        draw = Random(derive_seed(0, "growth", number))
        title, first = draw.choice(pool)
        text = [first]
        words = len(first.split())
        while words < PASSAGE_WORDS - PASSAGE_WORDS // 4:
            _, sentence = draw.choice(pool)
            text.append(sentence)
            words += len(sentence.split())
        yield {"id": f"r{number}", "title": title, "text": " ".join(text)}


def write_articles(folder: Path, count: int) -> Path:
    """Return the file of the first ``count`` recombined articles; write it if it is missing."""
    file = folder / str(count) / ARTICLES
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(article, ensure_ascii=False) + "\n" for article in recombined(count))
        file.write_text(text, encoding="utf-8")
    return file


def bank(folder: Path, count: int, seconds: float) -> tuple[np.ndarray, float]:
    """Return [m, d] embeddings of as many passages as the time allows, and how many were embedded per second.

    They are stored beside the corpora. All seconds are processor time, so other programs do not count.
    """
    file, rate_file = folder / "bank.npy", folder / "bank.json"
    if not file.exists():
        embedder = load_embedder()
        texts = [reading_of(article, embedder) for article in recombined(count)]
        rows: list[np.ndarray] = []
        began = time.process_time()
        for first in range(0, len(texts), BATCH):
            rows.append(embedder.embed(texts[first : first + BATCH]))
            if time.process_time() - began > seconds:
                break
        took = time.process_time() - began
        found = np.concatenate(rows)
        np.save(file, found, allow_pickle=False)
        rate_file.write_text(json.dumps({"rate": len(found) / took, "seconds": took}))
    return np.load(file, allow_pickle=False), float(json.loads(rate_file.read_text())["rate"])


def reading_of(article: dict[str, str], embedder: Embedder) -> str:
    """Return what the embedder reads of an article of one passage."""
    return reading(Passage(text=article["text"], title=article["title"], end=len(article["text"])), embedder)


def filled(rows: np.ndarray, count: int) -> np.ndarray:
    """Return [count, d] rows of length 1: the embedded ones, then perturbed copies of them, seeded by their number."""
    out = np.empty((count, rows.shape[1]), dtype=np.float32)
    known = min(count, len(rows))
    out[:known] = rows[:known]
    for first in range(known, count, len(rows)):
        part = out[first : first + len(rows)]
        noise = np.random.default_rng(derive_seed(0, "nudge", first)).standard_normal(part.shape, dtype=np.float32)
        part[:] = rows[: len(part)] + NUDGE * noise
        part /= np.linalg.norm(part, axis=1, keepdims=True)
    return out


def built(folder: Path, count: int) -> Numbers:
    """Return what building the index of one size costs without embedding, and what it takes on disk."""
    embedder = load_embedder()
    rows = filled(np.load(folder / "bank.npy", allow_pickle=False), count)
    documents = read_documents(write_articles(folder, count).parent)
    began = time.process_time()
    cut = [chunk(document, embedder, TOKENS, OVERLAP) for document in documents[:MOST_CUT]]
    cutting = time.process_time() - began
    if any(len(pieces) != 1 for pieces in cut):
        raise ValueError(f"{sum(len(pieces) != 1 for pieces in cut)} articles are more than one passage")
    passages = [passage_of(document, 0, len(document.text)) for document in documents]
    texts = [reading(passage, embedder) for passage in passages]
    began = time.process_time()
    bm25 = build_bm25(texts)
    counting = time.process_time() - began
    places = np.array([(number, p.start, p.end) for number, p in enumerate(passages)], dtype=np.int64)
    target = index_folder(content_hash(documents, TOKENS, OVERLAP, embedder.name))
    writing, _ = timed(lambda: write_index(target, StoredIndex(chunks=places, embeddings=rows, bm25=bm25)))
    cut_all: Numbers = {"cutting": cutting} if count <= MOST_CUT else {}
    return cut_all | {
        "bm25": counting,
        "writing": writing,
        "bytes": float(sum(file.stat().st_size for file in target.rglob("*") if file.is_file())),
        "text bytes": float(sum(len(document.text.encode()) for document in documents)),
    }


class Remembered:
    """The embedder with a memory, so that a search can be timed without embedding the question."""

    def __init__(self, embedder: Embedder) -> None:
        """Keep the real embedder; with ``remembers`` False every text is embedded again."""
        self.remembers = True
        self.name, self.max_tokens = embedder.name, embedder.max_tokens
        self._embedder = embedder
        self._known: dict[str, np.ndarray] = {}

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return [n, d] rows; a remembered text is embedded only once."""
        for text in texts:
            if text not in self._known or not self.remembers:
                self._known[text] = self._embedder.embed([text])[0]
        return np.stack([self._known[text] for text in texts])

    def token_rows(self, texts: Sequence[str]) -> list[np.ndarray]:
        """Return the rows of each text's tokens; nothing is remembered."""
        return self._embedder.token_rows(texts)

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the encoder reads in the text."""
        return self._embedder.count_tokens(text)


def memory() -> dict[str, float]:
    """Return this process's own memory and its mapped files in bytes, as Linux counts them; empty elsewhere."""
    status = Path("/proc/self/status")
    if not status.exists():
        return {}
    rows = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
    return {name: float(rows[key].split()[0]) * 1024 for name, key in (("own", "RssAnon"), ("mapped", "RssFile"))}


def opened(folder: Path, count: int) -> Numbers:
    """Return what opening, searching and counting in one size costs."""
    real = load_embedder()
    real.embed(["Warm the encoder up."])
    embedder = Remembered(real)
    before = memory()
    began = time.process_time()
    corpus = open_corpus(folder, count, embedder)
    opening = time.process_time() - began
    again = timed(lambda: open_corpus(folder, count, embedder))[0]
    questions = [question.question for question in sample_questions()][:QUERIES]
    embedding = [timed(partial(real.embed, [text]))[0] for text in questions]
    embedder.embed(questions)
    found: Numbers = {"opening": opening, "opening again": again, "embedding a question": embedding}
    for retriever in RETRIEVERS:
        search_all(corpus, questions, retriever)
        found[retriever] = search_all(corpus, questions, retriever)
    found["hybrid, wall"] = search_all(corpus, questions, "hybrid", time.perf_counter)
    embedder.remembers = False
    found["hybrid with embedding"] = search_all(corpus, questions, "hybrid")
    found["hybrid with embedding, wall"] = search_all(corpus, questions, "hybrid", time.perf_counter)
    after = memory()
    found |= {f"{name} memory": after[name] - before[name] for name in after}
    return found | co_occurrence(corpus.documents)


def open_corpus(folder: Path, count: int, embedder: Embedder) -> IndexedCorpus:
    """Return the corpus of one size, from its stored index."""
    return load_corpus(folder / str(count), chunk_tokens=TOKENS, chunk_overlap=OVERLAP, embedder=embedder)


def search_all(
    corpus: IndexedCorpus, questions: Sequence[str], retriever: str, clock: Callable[[], float] = time.process_time
) -> list[float]:
    """Return the processor seconds that one search takes, for each question, or seconds by another clock."""
    return [timed(partial(corpus.search, text, K, retriever), clock)[0] for text in questions]


def co_occurrence(documents: Sequence[Document]) -> Numbers:
    """Return what counting costs: reading every word once, and one pair of titles."""
    before = memory()
    began = time.process_time()
    counts = LocalCounts(documents, "growth")
    counts.count("Paris")
    reading_words = time.process_time() - began
    titles = list(dict.fromkeys(document.title for document in documents))
    pairs = list(pairwise(titles))[:QUERIES]
    asked = [timed(partial(counts.co_occurrence, head, tail, WINDOW))[0] for head, tail in pairs]
    grown = memory().get("own", 0.0) - before.get("own", 0.0)
    return {"counting words": reading_words, "a pair": asked, "counts memory": grown}


def in_own_process(step: str, folder: Path, count: int) -> Numbers:
    """Return what a step measures in a fresh process; its errors end this one.

    Results are stored beside the corpora and reused, so a stopped measurement resumes.
    """
    kept = folder / str(count) / f"{step}.numbers"
    if not kept.exists():
        command = [sys.executable, "-m", "benchmarks.growth_corpus", "--into", str(folder), "--step", step, str(count)]
        home = {ENVIRONMENT_VARIABLE: str(folder / "home")}
        done = subprocess.run(command, env=os.environ | home, stdout=subprocess.PIPE, check=True, text=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(done.stdout.splitlines()[-1])
    measured: Numbers = json.loads(kept.read_text())
    return measured


def point(size: int, value: float | list[float], scale: float) -> GrowthPoint:
    """Return one cost at one size: as it is, or the median and 95th percentile of its repeats."""
    if isinstance(value, list):
        middle, high = np.percentile(value, [50, 95])
        return GrowthPoint(size=size, value=float(middle) * scale, p95=float(high) * scale)
    return GrowthPoint(size=size, value=value * scale)


CURVES: tuple[tuple[str, str, str, float], ...] = (
    ("search, BM25", "bm25", "ms", 1e3),
    ("search, vector", "vector", "ms", 1e3),
    ("search, hybrid", "hybrid", "ms", 1e3),
    ("search, hybrid, question embedded too", "hybrid with embedding", "ms", 1e3),
    ("search, hybrid, on the wall clock", "hybrid, wall", "ms", 1e3),
    ("search, hybrid, question embedded too, on the wall clock", "hybrid with embedding, wall", "ms", 1e3),
    ("embedding the question", "embedding a question", "ms", 1e3),
    ("one co-occurrence count", "a pair", "ms", 1e3),
    ("opening the first time", "opening", "s", 1.0),
    ("opening again", "opening again", "s", 1.0),
    ("counting every word once", "counting words", "s", 1.0),
    ("building: cutting", "cutting", "s", 1.0),
    ("building: BM25", "bm25 build", "s", 1.0),
    ("building: writing", "writing", "s", 1.0),
    ("building: embedding", "embedding all", "s", 1.0),
    ("index on disk", "bytes", "MB", 1e-6),
    ("texts", "text bytes", "MB", 1e-6),
    ("memory of its own", "own memory", "MB", 1e-6),
    ("memory mapped from disk", "mapped memory", "MB", 1e-6),
    ("memory of the co-occurrence counts", "counts memory", "MB", 1e-6),
)


def measured(folder: Path, sizes: Sequence[int], seconds: float) -> CorpusGrowth:
    """Return all curves; every size is built and opened in its own process."""
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    folder.mkdir(parents=True, exist_ok=True)
    rows, rate = bank(folder, max(sizes), seconds)
    by_size: dict[int, Numbers] = {}
    for size in sizes:
        made = in_own_process("built", folder, size)
        made["bm25 build"] = made.pop("bm25")
        by_size[size] = made | in_own_process("opened", folder, size) | {"embedding all": size / rate}
        print(f"{size:,} passages: hybrid {np.median(by_size[size]['hybrid']) * 1e3:.1f} ms", flush=True)
    worked_out = (
        f"Worked out: {rate:.1f} passages a second of one processor's time, measured on {len(rows):,}, for every size."
    )
    curves = tuple(
        curve(
            name,
            unit,
            [point(size, by_size[size][key], scale) for size in sizes if key in by_size[size]],
            worked_out if key == "embedding all" else "",
        )
        for name, key, unit, scale in CURVES
    )
    threads = int(os.environ.get("OMP_NUM_THREADS", "0")) or (os.cpu_count() or 1)
    return CorpusGrowth(
        started_at=started_at,
        machine=machine(),
        processors=os.cpu_count() or 1,
        threads=threads,
        libraries=library_versions(),
        queries=QUERIES,
        notes=notes(len(rows), max(sizes), rate, threads),
        curves=curves,
    )


def notes(embedded: int, largest: int, rate: float, threads: int) -> tuple[str, ...]:
    """Return what a reader must know about the measurement."""
    rest = max(0, largest - embedded)
    return (
        "The corpora recombine sentences of the sample encyclopaedia; a passage has about 50 words.",
        f"{embedded:,} passages were embedded, {rate:.1f} a second of one processor's time; the other {rest:,} of the "
        "largest corpus hold seeded perturbations of those vectors. An exact search takes as long whatever the values "
        "are, but what is found among perturbed vectors means nothing.",
        f"Times are of the processor, {threads} thread{'s' if threads > 1 else ''}: what a machine with nothing else "
        f"to do takes. On the wall clock they are what they were at niceness {os.nice(0)} beside other programs, at a "
        f"load of {os.getloadavg()[1]:.1f} on {os.cpu_count()} processors.",
        "Opening the first time reads and checks every file of the index; opening again finds nothing changed.",
        "Memory of its own is what the process holds; mapped memory is the index as the system keeps it in its cache, "
        "which it may give up at any time.",
    )


def main() -> None:
    """Measure everything, or one step of one size in this process."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--results", type=Path, default=results_file())
    parser.add_argument("--step", nargs=2)
    parser.add_argument("--only-embed", action="store_true")
    given = parser.parse_args()
    if given.step:
        steps = {"built": built, "opened": opened}
        print(json.dumps(steps[given.step[0]](given.into, int(given.step[1]))))
    elif given.only_embed:
        given.into.mkdir(parents=True, exist_ok=True)
        bank(given.into, max(given.sizes), given.seconds)
    else:
        found = measured(given.into, sorted(given.sizes), given.seconds)
        given.results.write_bytes(to_json(found, indent=1) + b"\n")


if __name__ == "__main__":
    main()
