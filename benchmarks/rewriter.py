"""How many passages get a rewording that keeps meaning, names and numbers, and by which way?

Data: the passages that answer the test questions of Natural Questions (open) with oracle passages
(``training/nq_open.py`` names the source): the first 70 words, or those around the answer. Three ways reword the same
passages: rules over the parse, the model alone (each sentence in every wording of the task), and the workbench's way
(rules first, the model if rules find too few). A rewording counts if all five checks of
``engine/methods/rewrite_checks.py`` pass. The same code decides in a run. "Lost answer": the passage contained a
correct answer and the rewording does not. No check looks for that.

    python -m benchmarks.rewriter nq-open-oracle.jsonl.gz      writes results/rewriter.json, and prints examples

Without a path, MICROSCOPE_BENCHMARK_DATA names a folder that contains the file as nq_open_oracle_dev.jsonl.gz.
"""

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.backends.corpus_stats import count_documents
from engine.backends.entailment import load_judge, load_sentence_judge
from engine.backends.language_models import open_weights
from engine.backends.retrieval import load_embedder
from engine.backends.text import load_text_tools
from engine.backends.text.base import Rewording
from engine.backends.text.spacy_text import SpacyText
from engine.core.progress import silent
from engine.core.provenance import library_versions, machine
from engine.core.records import Generation, Passage
from engine.measures.answer_match import contains
from engine.methods.base import Backends
from engine.methods.profiles import EMBEDDED
from engine.methods.rewrite_checks import LEAST_CHANGE, changed_share, repeats_words
from engine.methods.rewrites import RewriteAttempt, rewrite_all
from training.nq_open import OracleRow, oracle_path, read_oracle
from training.reader_examples import shortened

RESULTS = Path(__file__).parent / "results" / "rewriter.json"
WAYS = ("rules", "model", "both")
PASSAGES, DRAWS, BOUND, SHOWN = 100, 3, 0.7, 12


class WithoutRules(SpacyText):
    """The parser without rewording rules: the model alone."""

    def rewordings(self, sentence: str) -> tuple[Rewording, ...]:
        """Return nothing."""
        return ()


class NoWriter:
    """A writer that writes nothing: rules alone."""

    def __init__(self, model: Any) -> None:
        """Count tokens as the model does."""
        self.identity, self.count_tokens = model.identity, model.count_tokens

    def generate(self, requests: Sequence[Any], report: Any) -> tuple[Generation, ...]:
        """Return empty texts."""
        return tuple(
            Generation(
                prompt=request.prompt, rendered="", prompt_tokens=0, text="", tokens=(), stop_reason="end",
                temperature=0.0, seed=0,
            )
            for request in requests
        )  # fmt: skip


def ways() -> dict[str, Backends]:
    """Return the backends of each way."""
    model, parser = open_weights("embedded-base"), load_text_tools()  # each way asks the model itself
    base = {
        "judge": load_judge("similarity"),
        "sentence_judge": load_sentence_judge(),
        "embedder": load_embedder(),
        "counter": count_documents((), "none"),
        "report": silent,
    }
    return {
        "rules": Backends(model=model, writer=NoWriter(model), text=parser, **base),  # type: ignore[arg-type]
        "model": Backends(model=model, writer=model, text=WithoutRules(), **base),  # type: ignore[arg-type]
        "both": Backends(model=model, writer=model, text=parser, **base),  # type: ignore[arg-type]
    }


def measured(rows: Sequence[OracleRow], backends: Backends, draws: int) -> dict[str, Any]:
    """Return what one way does with the passages."""
    passages = [shortened(row.passage, row.answers) for row in rows]
    began = time.perf_counter()
    attempts = [rewrite_all([passage], {}, EMBEDDED, BOUND, backends, draws)[0] for passage in passages]
    seconds = time.perf_counter() - began
    first = [next((one for one in tried if one.valid), tried[-1]) for tried in attempts]
    valid = [(row, passage, one) for row, passage, one in zip(rows, passages, first, strict=True) if one.valid]
    lost = [one for row, passage, one in valid if held(row, passage.text) and not held(row, one.text)]
    return {
        "valid": len(valid) / len(rows),
        "words_changed": quartiles([changed_share(passage.text, one.text) for _, passage, one in valid]),
        "lost_answer": len(lost) / max(1, sum(held(row, passage.text) for row, passage, _ in valid)),
        "failed_checks": dict(Counter(check.name for one in first if not one.valid for check in one.against)),
        "sentences": sources(first),
        "distinct_rewordings_of_3": float(np.mean([sum(one.valid for one in tried) for tried in attempts])),
        "seconds_per_passage": seconds / len(rows),
        "model_sentences": written(first, passages),
        "examples": [
            {"passage": passage.text, "rewording": one.text, "by": [said.rule or said.source for said in one.sentences]}
            for _, passage, one in valid[:SHOWN]
        ],
    }


def held(row: OracleRow, text: str) -> bool:
    """Return whether the text contains a correct answer."""
    return contains(text, row.answers)


def quartiles(shares: Sequence[float]) -> dict[str, float]:
    """Return the quartiles of shares; empty for no shares."""
    if not shares:
        return {}
    low, middle, high = np.quantile(shares, [0.25, 0.5, 0.75])
    return {"low": round(float(low), 3), "median": round(float(middle), 3), "high": round(float(high), 3)}


def sources(attempts: Sequence[RewriteAttempt]) -> dict[str, int]:
    """Return how many sentences each rule and the model reworded, and how many stayed."""
    return dict(Counter(said.rule or said.source for one in attempts for said in one.sentences).most_common())


def written(attempts: Sequence[RewriteAttempt], passages: Sequence[Passage]) -> dict[str, float]:
    """Return statistics of single sentences by the model: how many, and the shares copied, cut off and looped."""
    texts = [generation for one in attempts for generation in one.generations if generation.text.strip()]
    known = " ".join(passage.text for passage in passages)
    if not texts:
        return {"texts": 0}
    return {
        "texts": len(texts),
        "copied": float(np.mean([generation.text.strip() in known for generation in texts])),
        "cut": float(np.mean([generation.stop_reason == "length" for generation in texts])),
        "looped": float(np.mean([repeats_words(generation.text) for generation in texts])),
    }


def main() -> None:
    """Read the arguments, measure each way and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", help="nq-open-oracle.jsonl.gz, plain or gzipped")
    parser.add_argument("--passages", type=int, default=PASSAGES)
    parser.add_argument("--only", choices=WAYS, help="measure this way, and keep what the results say of the others")
    parser.add_argument("--into", type=Path, default=RESULTS)
    given = parser.parse_args()
    os.environ["MICROSCOPE_CACHE_MB"] = "0"  # nothing is recalled from an earlier run
    rows = [row for row in read_oracle(oracle_path(given.data)) if row.test][: given.passages]
    results: dict[str, Any] = {
        "passages": len(rows),
        "least_change": LEAST_CHANGE,
        "draws": DRAWS,
        "machine": machine(),
        "libraries": dict(library_versions()),
        "ways": json.loads(given.into.read_text())["ways"] if given.only and given.into.is_file() else {},
    }
    for name, backends in ways().items():
        if given.only not in (None, name):
            continue
        found = measured(rows, backends, DRAWS)
        print(name, json.dumps(found, indent=1, ensure_ascii=False), flush=True)
        results["ways"][name] = {key: value for key, value in found.items() if key != "examples"}
        given.into.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
