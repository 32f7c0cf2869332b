"""How often the intervals of calibration hold the true value: of the AUROC, and of the balanced accuracy of a cut.

Simulated: uncertainties of right answers are normal, those of wrong ones normal and higher by what gives the AUROC that
is asked for; as they are, and cut into four levels, as DSE takes few values. A cut at the median of both has a
sensitivity and a specificity, whose joined interval is tried too.

    python -m benchmarks.auroc_coverage             writes results/auroc_coverage.json, a minute
"""

import argparse
import json
from functools import cache
from pathlib import Path

import numpy as np
from scipy import stats

from benchmarks.seper_coverage import draws_of
from engine.measures.decision_threshold import shares_decided
from engine.measures.draw_intervals import joined_interval
from engine.measures.ranking import auroc_interval
from engine.measures.share_intervals import clopper_pearson_interval

RESULTS = Path(__file__).parent / "results" / "auroc_coverage.json"
SIZES, AREAS, LEVELS, TRIALS = ((5, 15), (5, 35), (10, 30), (20, 20)), (0.5, 0.6, 0.7, 0.8, 0.9, 0.97), 4, 1000


exact_interval = cache(clopper_pearson_interval)


def true_values(shift: float, levels: int | None) -> tuple[float, float]:
    """Return the AUROC and the balanced accuracy of the cut at shift / 2 in the population."""
    if levels is None:
        return float(stats.norm.cdf(shift / np.sqrt(2))), float(stats.norm.cdf(shift / 2))
    right, wrong = (np.diff(stats.norm.cdf(edges(shift, levels) - mean)) for mean in (0.0, shift))
    area = sum(float(wrong[i] * (right[:i].sum() + right[i] / 2)) for i in range(levels))
    return area, float((wrong[levels // 2 :].sum() + right[: levels // 2].sum()) / 2)


def edges(shift: float, levels: int) -> np.ndarray:
    """Return where the levels begin and end, around the cut."""
    inner = shift / 2 + np.linspace(-1, 1, levels - 1) * 0.8
    return np.concatenate(([-np.inf], inner, [np.inf]))


def cell(n_wrong: int, n_right: int, area: float, levels: int | None) -> dict[str, object]:
    """Return how often both intervals hold the true value."""
    shift = float(np.sqrt(2) * stats.norm.ppf(area))
    rng = draws_of("auroc", n_wrong, n_right, area, str(levels))
    truth, accuracy = true_values(shift, levels)
    wrong = np.array([True] * n_wrong + [False] * n_right)
    held = np.zeros((TRIALS, 2), dtype=bool)
    for trial in range(TRIALS):
        values = rng.standard_normal(wrong.size) + shift * wrong
        if levels is not None:
            values = np.digitize(values, edges(shift, levels)[1:-1]).astype(float)
        low, high = auroc_interval(wrong, values)
        decided = shares_decided(values, wrong, shift / 2 if levels is None else levels / 2 - 0.5)
        parts = [(0.5, many / total, exact_interval(many, total)) for many, total in decided]
        least, most = joined_interval(parts)
        held[trial] = low <= truth <= high, least <= accuracy <= most
    return {
        "wrong": n_wrong,
        "right": n_right,
        "area": round(truth, 4),
        "levels": levels,
        "auroc": float(held[:, 0].mean()),
        "balanced_accuracy": float(held[:, 1].mean()),
    }


def main() -> None:
    """Simulate every case, print the least coverage and write all."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    cells = [cell(*size, area, levels) for size in SIZES for area in AREAS for levels in (None, LEVELS)]
    least = {name: min(float(str(one[name])) for one in cells) for name in ("auroc", "balanced_accuracy")}
    print(least)
    RESULTS.write_text(json.dumps({"trials": TRIALS, "least": least, "cells": cells}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
