"""Do rewordings keep the meaning, and how many passages get one?

Two questions. First, ``tests/reference/rewordings.jsonl``: 353 rewordings of single sentences from the shipped records,
each labelled *kept* or *changed* in two passes by the authors, with reasons. Half of the sentences (by the hash of the
sentence) were used to write the checks. Reported is how many the checks accept although they change the meaning, and
how many they reject although they keep it. Second, the passages that answer the test questions of Natural Questions
(open) with oracle passages (``training/nq_open.py`` names the source): the first 70 words, or those around the answer.
Reported is how many get a valid rewording, in how many every sentence that holds the correct answer is reworded, who
reworded each sentence, the entailment rate (DENSE, Table 6), and how long it takes. A remnant without a verb, where the
passage was cut, is no sentence; the share with remnants stands beside it. The same code decides in a run.

Causes of failure were looked for in the first 100 of these passages, so the next 100, which nobody looked at while
rules were written, stand beside them ("unseen"). ``read_one_by_one`` in the results is kept from run to run: what a
person found who read rewordings.

    python -m benchmarks.rewordings nq-open-oracle.jsonl.gz    writes results/rewordings.json, and prints every pair
    python -m benchmarks.rewordings --part unseen              measures one part, and keeps the others as stored

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

from benchmarks.dense_correctness import rules_version
from benchmarks.results_file import origin
from engine.backends.corpus_stats import count_documents
from engine.backends.entailment import load_judge, load_sentence_judge
from engine.backends.language_models import open_weights
from engine.backends.retrieval import load_embedder
from engine.backends.text import load_text_tools
from engine.backends.text.base import TextTools
from engine.core.progress import silent
from engine.core.records import Passage
from engine.measures.annotator_agreement import cohen_kappa
from engine.measures.answer_match import contains
from engine.methods.base import Backends
from engine.methods.profiles import EMBEDDED
from engine.methods.rewrite_checks import changed_share, whole_sentences
from engine.methods.rewrites import RewriteAttempt, rewrite_all
from engine.methods.sentence_rewordings import WORD_RULES, Candidate, valid_candidates
from training.nq_open import OracleRow, oracle_path, read_oracle
from training.reader_examples import shortened

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "rewordings.json"
LABELLED = HERE.parent / "tests" / "reference" / "rewordings.jsonl"
PASSAGES, DRAWS, BOUND = 100, 3, 0.7
PARTS = ("labelled", "nq_open_passages", "nq_open_unseen")
KEPT, CHANGED = "kept", "changed"


def open_backends() -> Backends:
    """Return what a run rewords with."""
    model = open_weights("embedded-base")
    return Backends(
        model=model,
        writer=model,
        rewriter=model,
        judge=load_judge("similarity"),
        sentence_judge=load_sentence_judge(),
        text=load_text_tools(),
        embedder=load_embedder(),
        counter=count_documents((), "none"),
        report=silent,
    )


def read_labelled(path: Path = LABELLED) -> list[dict[str, Any]]:
    """Return the labelled rewordings."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def accepted(row: dict[str, Any], backends: Backends) -> bool:
    """Return whether every check of a sentence lets a labelled rewording through."""
    share = changed_share(row["original"], row["rewording"])
    one = Candidate(text=row["rewording"], source=row["source"], rule=row["rule"], changed=share)
    return bool(valid_candidates([(row["original"], [one])], backends, 1)[0])


def told_apart(rows: Sequence[dict[str, Any]], passed: Sequence[bool]) -> dict[str, Any]:
    """Return counts and shares: accepted although changed (of the accepted), rejected although kept (of the kept)."""
    let_in = [row for row, fine in zip(rows, passed, strict=True) if fine]
    kept = [fine for row, fine in zip(rows, passed, strict=True) if row["label"] == KEPT]
    wrong = sum(row["label"] == CHANGED for row in let_in)
    return {
        "rewordings": len(rows),
        "accepted": len(let_in),
        "accepted_although_changed": wrong,
        "share_of_accepted_changed": round(wrong / max(1, len(let_in)), 4),
        "kept": len(kept),
        "kept_and_rejected": kept.count(False),
        "share_of_kept_rejected": round(kept.count(False) / max(1, len(kept)), 4),
    }


def labelled_results(backends: Backends) -> dict[str, Any]:
    """Return how the checks fare on the labelled rewordings, how the earlier ones did, and how far the passes agree."""
    rows = read_labelled()
    passed = [accepted(row, backends) for row in rows]
    both = [(row["first"]["label"], row["second"]["label"]) for row in rows]
    parts = {
        part: told_apart(*zip(*[(r, p) for r, p in zip(rows, passed, strict=True) if r["part"] == part], strict=True))
        for part in ("fit", "last")
    }
    return {
        "kappa_of_both_passes": round(
            float(cohen_kappa(*np.array([[label == KEPT for label in pair] for pair in both], dtype=int).T)), 3
        ),
        "all": told_apart(rows, passed),
        **parts,
        "earlier_checks": told_apart(rows, [row["accepted_before"] for row in rows]),
    }


def passage_results(rows: Sequence[OracleRow], backends: Backends, draws: int) -> dict[str, Any]:
    """Return what becomes of the passages; the correct answers stand for the answer that a run would hold."""
    passages = [shortened(row.passage, row.answers) for row in rows]
    began = time.perf_counter()
    attempts = [
        rewrite_all([passage], {}, EMBEDDED, BOUND, backends, draws, row.answers)[0]
        for row, passage in zip(rows, passages, strict=True)
    ]
    seconds = time.perf_counter() - began
    first = [next((one for one in tried if one.valid), tried[-1]) for tried in attempts]
    gold = [
        gold_reworded(row, passage, one, backends.text) for row, passage, one in zip(rows, passages, first, strict=True)
    ]
    holding = [one for one in gold if one is not None]
    pieces = [
        gold_reworded(row, passage, one, backends.text, remnants=True)
        for row, passage, one in zip(rows, passages, first, strict=True)
    ]
    of_pieces = [one for one in pieces if one is not None]
    rates = [one.entailment for one in first if one.valid and one.entailment is not None]
    lost = [one for row, passage, one in zip(rows, passages, first, strict=True)
            if one.valid and contains(passage.text, row.answers) and not contains(one.text, row.answers)]  # fmt: skip
    return {
        "passages": len(rows),
        "valid": sum(one.valid for one in first) / len(rows),
        "reworded_anywhere": sum(any(said.source != "kept" for said in one.sentences) for one in first) / len(rows),
        "with_gold_sentences": len(holding),
        "every_gold_sentence_reworded": sum(holding) / max(1, len(holding)),
        "every_gold_piece_reworded_with_remnants": sum(of_pieces) / max(1, len(of_pieces)),
        "gold_passages_with_structure_changed": sum(structure_changed(*each) for each in zip(rows, first, strict=True)),
        "lost_answer": len(lost),
        "words_changed_median": median(
            [changed_share(p.text, one.text) for p, one in zip(passages, first, strict=True)]
        ),
        "by": by_whom(first),
        "rules": rules_of(first),
        "entailment_rate_mean": round(float(np.mean(rates)), 3) if rates else None,
        "failed_checks": dict(Counter(check.name for one in first if not one.valid for check in one.against)),
        "distinct_rewordings_of_3": float(np.mean([sum(one.valid for one in tried) for tried in attempts])),
        "seconds_per_passage": round(seconds / len(rows), 3),
        "pairs": [
            pair for passage, one in zip(passages, first, strict=True) for pair in pairs_of(passage, one, backends)
        ],
    }


def pairs_of(passage: Passage, attempt: RewriteAttempt, backends: Backends) -> list[dict[str, str]]:
    """Return each reworded sentence beside what it was, for a person to read."""
    spans = backends.text.sentences(passage.text)
    return [
        {"rule": said.rule or said.source, "before": span.text, "after": said.text}
        for span, said in zip(spans, attempt.sentences, strict=True)
        if said.source != "kept"
    ]


def gold_reworded(
    row: OracleRow, passage: Passage, attempt: RewriteAttempt, tools: TextTools, remnants: bool = False
) -> bool | None:
    """Return whether every sentence that contains a correct answer is reworded; None where no sentence contains one.

    ``remnants``: count also pieces without a verb at the ends of the passage, where it was cut.
    """
    whole = set(whole_sentences(passage.text, tools))
    holding = [
        said.source != "kept"
        for span, said in zip(tools.sentences(passage.text), attempt.sentences, strict=True)
        if contains(span.text, row.answers) and (remnants or span.text in whole)
    ]
    return all(holding) if holding else None


def structure_changed(row: OracleRow, attempt: RewriteAttempt) -> bool:
    """Return whether the structure of a sentence with a correct answer changed, not only a phrase or figure in it."""
    return any(
        said.source != "kept" and not set(said.rule.split(", ")) <= WORD_RULES
        for said in attempt.sentences
        if contains(said.text, row.answers)
    )


def median(shares: Sequence[float]) -> float:
    """Return the median share, rounded."""
    return round(float(np.median(shares)), 3)


def by_whom(attempts: Sequence[RewriteAttempt]) -> dict[str, int]:
    """Return how many sentences a rule reworded, how many the model, and how many stayed."""
    found = Counter(said.source for one in attempts for said in one.sentences)
    return {source: found[source] for source in ("rule", "model", "kept")}


def rules_of(attempts: Sequence[RewriteAttempt]) -> dict[str, int]:
    """Return how often each rule had a part in a rewording, most often first."""
    parts = (part for one in attempts for said in one.sentences if said.rule for part in said.rule.split(", "))
    return dict(Counter(parts).most_common())


def measured_part(part: str, rows: Sequence[OracleRow], passages: int, backends: Backends) -> dict[str, Any]:
    """Return the results of one part; of the passages every reworded sentence is printed, to be read."""
    if part == "labelled":
        return labelled_results(backends)
    first = PASSAGES if part == "nq_open_unseen" else 0
    found = passage_results(rows[first : first + passages], backends, DRAWS)
    for pair in found.pop("pairs"):
        print(json.dumps(pair, ensure_ascii=False))
    return found


def main() -> None:
    """Read the arguments, measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", help="nq-open-oracle.jsonl.gz, plain or gzipped")
    parser.add_argument("--passages", type=int, default=PASSAGES)
    parser.add_argument("--part", choices=PARTS, help="measure this part only")
    parser.add_argument("--into", type=Path, default=RESULTS)
    given = parser.parse_args()
    os.environ["MICROSCOPE_CACHE_MB"] = "0"  # nothing is recalled from an earlier run
    backends = open_backends()
    rows = [row for row in read_oracle(oracle_path(given.data)) if row.test]
    results = json.loads(given.into.read_text(encoding="utf-8")) if given.into.is_file() else {}
    for part in (given.part,) if given.part else PARTS:
        results[part] = {**measured_part(part, rows, given.passages, backends), "rules": rules_version()}
    results |= {
        "draws": DRAWS,
        "sentence_judge": backends.sentence_judge.name,
        **origin(),
    }
    print(json.dumps(results, indent=1, ensure_ascii=False))
    given.into.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
