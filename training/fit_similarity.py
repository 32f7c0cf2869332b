"""Print the constants of the similarity judge, fitted on people's judgements of answers.

    python -m training.fit_similarity NQ.json

The logistic map of ``engine/backends/entailment/similarity.py`` is fitted on train questions that no rule decides. The
output also says how often people accept an answer that a rule decides.
"""

import argparse
import json

import numpy as np
from scipy.optimize import minimize

from engine.backends.entailment.answers import words
from engine.backends.entailment.rules import Answer, by_rule, read_answer
from engine.backends.entailment.similarity import WEIGHTS, pair_features
from engine.backends.retrieval import load_embedder
from training.evouna import Row, data_path, read_rows


def fitted(rows: tuple[Row, ...]) -> dict[str, object]:
    """Return the weights of the logistic map, and how often people say "right" where a rule decides.

    The map is fitted on answers that no rule decides. The likeliest alias under the current weights represents the
    answer, so fitting and choosing alternate.
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
    """Return the weights with the least log-loss and a small penalty on all but the intercept."""

    def loss(weights: np.ndarray) -> float:
        scores = features @ weights
        return float(np.logaddexp(0.0, -np.where(right > 0, scores, -scores)).sum() + 0.5 * (weights[1:] ** 2).sum())

    return np.asarray(minimize(loss, np.zeros(features.shape[1])).x)


def main() -> None:
    """Fit on the train questions and print the constants."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", nargs="?", help="EVOUNA's NQ.json, plain or gzipped")
    rows = read_rows(data_path(parser.parse_args().path))
    print(json.dumps(fitted(tuple(row for row in rows if not row.test)), indent=2))


if __name__ == "__main__":
    main()
