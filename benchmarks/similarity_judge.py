"""How often does the similarity judge agree with people that an answer means the same as a gold answer?

Data: EVOUNA, Natural Questions part (Wang et al. 2023, "Evaluating Open-QA Evaluation", ``EVOUNA/NQ.json`` of
github.com/wangcunxiang/QA-Eval, plain or gzipped): five systems' answers with people's judgements. An answer counts as
right where it entails one of the gold aliases with probability above 1/2. Beside it stands the lexical match: a gold
alias contained in the answer, normalised. Questions with ``sha1(question) % 5 == 0`` are test; constants are fitted on
the others.

    python -m benchmarks.similarity_judge NQ.json          writes results/similarity_judge.json
    python -m benchmarks.similarity_judge NQ.json --fit    prints the constants of engine/entailment/similarity.py

Without a path, MICROSCOPE_BENCHMARK_DATA names a folder that holds the file as evouna_nq.json.gz.
"""

import argparse
import gzip
import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from engine.entailment import load_judge
from engine.entailment.answers import words
from engine.entailment.similarity import WEIGHTS, Answer, by_rule, pair_features, read_answer
from engine.measures.answer_match import contains
from engine.provenance import library_versions, machine
from engine.retrieval import load_embedder

SYSTEMS = ("fid", "gpt35", "chatgpt", "gpt4", "newbing")
RESULTS = Path(__file__).parent / "results" / "similarity_judge.json"
DATA_VARIABLE = "MICROSCOPE_BENCHMARK_DATA"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One system's answer to one question, the gold aliases, and whether people call it right."""

    system: str
    question: str
    answer: str
    golds: tuple[str, ...]
    right: bool
    split: int


def read_rows(path: Path) -> tuple[Row, ...]:
    """Return every judged answer to a proper question."""
    content = path.read_bytes()
    entries = json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)
    return tuple(row for entry in entries if not entry["improper"] for row in rows_of(entry))


def rows_of(entry: dict[str, object]) -> Iterable[Row]:
    """Return one entry's judged answers."""
    question = str(entry["question"])
    golds = tuple(gold for gold in str(entry["golden_answer"]).split("/") if gold.strip())
    split = int(hashlib.sha1(question.encode()).hexdigest(), 16)
    for system in SYSTEMS:
        answer, right = entry[f"answer_{system}"], entry[f"judge_{system}"]
        if answer is not None and right is not None:
            yield Row(system=system, question=question, answer=str(answer), golds=golds, right=bool(right), split=split)


def measured(rows: tuple[Row, ...]) -> dict[str, object]:
    """Return agreement with people per system, lexical match beside it, and the judge's speed."""
    judge = load_judge("similarity")
    judge.entailment("warm", ["up"], ["first"])
    agree: Counter[str] = Counter()
    lexical: Counter[str] = Counter()
    sizes = Counter(row.system for row in rows)
    pairs, began = 0, time.perf_counter()
    for row in rows:
        scores = judge.entailment(row.question, [row.answer] * len(row.golds), row.golds)[:, 2]
        agree[row.system] += (scores.max() > 0.5) == row.right
        lexical[row.system] += contains(row.answer, row.golds) == row.right
        pairs += len(row.golds)
    seconds = time.perf_counter() - began
    return {
        "systems": {
            system: {
                "answers": sizes[system],
                "right": sum(row.right for row in rows if row.system == system),
                "similarity_accuracy": round(agree[system] / sizes[system], 4),
                "lexical_accuracy": round(lexical[system] / sizes[system], 4),
            }
            for system in SYSTEMS
            if sizes[system]
        },
        "similarity_accuracy": round(agree.total() / len(rows), 4),
        "lexical_accuracy": round(lexical.total() / len(rows), 4),
        "pairs": pairs,
        "pairs_per_second": round(pairs / seconds, 1),
    }


def fitted(rows: tuple[Row, ...]) -> dict[str, object]:
    """Return the weights of the logistic map, and how often people say "right" where a rule decides.

    The map is fitted on answers that no rule decides. Of several aliases the likeliest under the weights so far stands
    for the answer, so fit and choice take turns.
    """
    by_verdict: dict[str, list[bool]] = {}
    pairs: list[tuple[Answer, Answer]] = []
    owners: list[int] = []
    for at, row in enumerate(rows):
        asked = words(row.question)
        answer, golds = read_answer(row.answer, asked), [read_answer(gold, asked) for gold in row.golds]
        verdicts = [by_rule(answer, gold, asked) for gold in golds]
        best = max((verdict for verdict in verdicts if verdict), key=lambda verdict: verdict[2], default=None)
        if best is not None and (best[2] > 0.5 or None not in verdicts):
            by_verdict.setdefault(str(best), []).append(row.right)
            continue
        undecided = [gold for gold, verdict in zip(golds, verdicts, strict=True) if verdict is None]
        pairs.extend((answer, gold) for gold in undecided)
        owners.extend([at] * len(undecided))
    features = pair_features(pairs, load_embedder())
    weights = np.array(WEIGHTS)
    for _ in range(5):
        chosen = likeliest(features @ weights, owners)
        right = np.array([rows[owners[place]].right for place in chosen], dtype=np.float64)
        weights = logistic_fit(features[chosen], right)
    return {
        "weights": [round(float(weight), 2) for weight in weights],
        "fitted": len(right),
        "accuracy": round(float(((features[chosen] @ weights > 0) == right).mean()), 4),
        "majority": round(float(max(right.mean(), 1 - right.mean())), 4),
        "rules": {verdict: [len(said), round(sum(said) / len(said), 4)] for verdict, said in by_verdict.items()},
    }


def likeliest(scores: np.ndarray, owners: list[int]) -> list[int]:
    """Return, per answer, the place of its highest score."""
    best: dict[int, int] = {}
    for place, owner in enumerate(owners):
        if owner not in best or scores[place] > scores[best[owner]]:
            best[owner] = place
    return list(best.values())


def logistic_fit(features: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the weights of least log-loss with a small penalty on all but the intercept."""

    def loss(weights: np.ndarray) -> float:
        scores = features @ weights
        return float(np.logaddexp(0.0, -np.where(right > 0, scores, -scores)).sum() + 0.5 * (weights[1:] ** 2).sum())

    return np.asarray(minimize(loss, np.zeros(features.shape[1])).x)


def data_path(named: str | None) -> Path:
    """Return the path of the data: as given, or in the folder that the environment names."""
    if named:
        return Path(named)
    folder = os.environ.get(DATA_VARIABLE, "")
    if not folder:
        raise SystemExit(f"Give the path of EVOUNA's NQ.json, or set {DATA_VARIABLE}.")
    return Path(folder) / "evouna_nq.json.gz"


def main() -> None:
    """Measure on test questions and store the result, or fit on the others and print the constants."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", nargs="?", help="EVOUNA's NQ.json, plain or gzipped")
    parser.add_argument("--fit", action="store_true", help="print constants fitted on the train questions")
    chosen = parser.parse_args()
    rows = read_rows(data_path(chosen.path))
    if chosen.fit:
        print(json.dumps(fitted(tuple(row for row in rows if row.split % 5)), indent=2))
        return
    test = tuple(row for row in rows if row.split % 5 == 0)
    origin = {"data": "EVOUNA NQ, test questions: sha1(question) % 5 == 0", "machine": machine()}
    result = {**origin, "libraries": dict(library_versions()), **measured(test)}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(result, indent=2) + "\n")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
