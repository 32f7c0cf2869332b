"""Does another way to count ΔSePer follow the known utility of passages more closely? Every variant that was tried.

It reads the scores that ``seper_utility`` kept: each question without a passage, with the right one, with a random one
and with the nearest wrong one by BM25. Questions known from memory are left out, as in the paper. Questions are split
in halves by SHA-256; a variant would be chosen on the first and is reported on the second. Pearson's r with utility 1
or 0; intervals are the middle 95 % over resampled questions of the second half. Nothing is computed by a model.

    python -m benchmarks.utility_variants
"""

import argparse
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.seper_utility import GOLD, KNOWN, NEAR, RANDOM, RESAMPLES, WITHOUT, correlation
from benchmarks.seper_utility import RESULTS as SCORES
from engine.core.seeds import derive_seed
from engine.measures.resampling import bootstrap_interval

RESULTS = Path(__file__).parent / "results" / "utility_variants.json"
Scores = dict[str, float]
FLOOR, LEAST_ROOM = 0.06, 0.05  # belief in a wrong answer that the judge leaves; room to rise or fall


def share_of_room(after: float, before: float) -> float:
    """Return the change as a share of how far belief could rise, or fall."""
    room = 1 - before if after > before else before
    return (after - before) / max(room, LEAST_ROOM)


VARIANTS: dict[str, Callable[[Scores, Scores], float]] = {
    "likelihood weights (the paper's)": lambda a, b: a["soft"] - b["soft"],
    "equal weights": lambda a, b: a["equal"] - b["equal"],
    "mean of both weights": lambda a, b: (a["soft"] + a["equal"] - b["soft"] - b["equal"]) / 2,
    "share of samples that contain a correct answer": lambda a, b: a["right"] - b["right"],
    "equal weights and contained answers, mean": lambda a, b: (a["equal"] + a["right"] - b["equal"] - b["right"]) / 2,
    "equal weights, floor of the judge taken off": lambda a, b: max(a["equal"] - FLOOR, 0) - max(b["equal"] - FLOOR, 0),
    "equal weights, above one half or not": lambda a, b: float(a["equal"] > 0.5) - float(b["equal"] > 0.5),
    "equal weights, falls set to 0": lambda a, b: max(a["equal"] - b["equal"], 0.0),
    "equal weights, share of room": lambda a, b: share_of_room(a["equal"], b["equal"]),
    "likelihood weights, share of room": lambda a, b: share_of_room(a["soft"], b["soft"]),
    "equal weights, squared belief": lambda a, b: a["equal"] ** 2 - b["equal"] ** 2,
    "equal weights, root of belief": lambda a, b: math.sqrt(a["equal"]) - math.sqrt(b["equal"]),
    "equal weights, belief with the passage alone": lambda a, b: a["equal"],
}


def sides(rows: list[dict[str, Any]], against: str, change: Callable[[Scores, Scores], float]) -> list[np.ndarray]:
    """Return a variant's changes [questions] over the right passage and over the other one."""
    having = [row for row in rows if against in row]
    return [np.array([change(row[name], row[WITHOUT]) for row in having]) for name in (GOLD, against)]


def with_interval(after: np.ndarray, other: np.ndarray) -> dict[str, Any]:
    """Return r with the middle 95 % of resampled questions."""
    seed = derive_seed(0, "utility", "variants")
    low, high = bootstrap_interval(correlation, after, other, repeats=RESAMPLES, seed=seed)
    return {"r": round(correlation(after, other), 3), "from": round(low, 3), "to": round(high, 3)}


def main() -> None:
    """Measure every variant on both halves."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    rows = [row for row in json.loads(SCORES.read_text(encoding="utf-8"))["rows"] if row[WITHOUT]["right"] < KNOWN]
    halves = [[row for row in rows if row["first_half"] == first] for first in (True, False)]
    found = {
        name: {
            against: {
                "fitting half": round(correlation(*sides(halves[0], against, change)), 3),
                "test half": with_interval(*sides(halves[1], against, change)),
            }
            for against in (RANDOM, NEAR)
        }
        for name, change in VARIANTS.items()
    }
    content = {
        "questions": {"fitting half": len(halves[0]), "test half": len(halves[1])},
        "paper": 0.769,
        "variants": found,
    }
    RESULTS.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(content, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
