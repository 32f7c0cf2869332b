"""How often intervals of SePer, ΔSePer and chunk utility hold the true value: simulated, for several ways to make them.

A draw is right with probability p. Its mean token log-probability, and in the soft case its entailment with the correct
answer, are taken from the draws in the recorded examples: one pool of right draws, one of wrong ones. With equal
weights the true value is the mean kernel. With likelihood weights it is the limit of the estimator for N → ∞,

    E[e^m k] / E[e^m],

which is not p: the weights move it, and more draws do not bring it back. Two harder pools are tried as well: "likelier"
gives right draws the upper and wrong draws the lower half of the log-probabilities, "unlikelier" the other way round.

    python benchmarks/seper_coverage.py [--quick]
"""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from engine.core.seeds import derive_seed
from engine.diagnosis.serialize import from_json
from engine.measures.draw_intervals import covering_interval
from engine.methods.seper_records import Belief, SeperResult

ROOT = Path(__file__).resolve().parents[1]
RECORDS, RESULTS = ROOT / "sample_data" / "diagnoses", ROOT / "benchmarks" / "results" / "seper_coverage.json"
SHARES, COUNTS = (0.05, 0.1, 0.3, 0.5, 0.7, 0.9), (5, 10, 20, 40)
LEVEL, WANTED, ROUNDING = 0.95, 0.93, 1e-9
Array = np.ndarray
Bounds = tuple[Array, Array]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """(mean log-probability, entailment) of right and of wrong draws, each [draws, 2], to draw from again."""

    right: Array
    wrong: Array

    def drawn(
        self, share: float, shape: tuple[int, int], soft: bool, equal: bool, rng: np.random.Generator
    ) -> tuple[Array, Array]:
        """Return the odds e^m and the kernel of draws, both of this shape."""
        is_right = rng.random(shape) < share
        right = self.right[rng.integers(0, len(self.right), shape)]
        wrong = self.wrong[rng.integers(0, len(self.wrong), shape)]
        pairs = np.where(is_right[..., None], right, wrong)
        kernel = pairs[..., 1] if soft else is_right.astype(float)
        return (np.ones(shape) if equal else np.exp(pairs[..., 0])), kernel

    def truth(self, share: float, soft: bool, equal: bool) -> float:
        """Return the limit of the estimator for infinitely many draws."""
        top = bottom = 0.0
        for part, rows, hit in ((share, self.right, 1.0), (1 - share, self.wrong, 0.0)):
            odds = np.ones(len(rows)) if equal else np.exp(rows[:, 0])
            top += part * float((odds * (rows[:, 1] if soft else hit)).mean())
            bottom += part * float(odds.mean())
        return top / bottom


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is simulated: a pool, the kernel (entailment or right/wrong) and the weights."""

    name: str
    pool: str
    soft: bool
    equal: bool


SETTINGS = (
    Setting(name="equal weights, right or wrong", pool="recorded", soft=False, equal=True),
    Setting(name="equal weights, entailment", pool="recorded", soft=True, equal=True),
    Setting(name="likelihood weights, right or wrong", pool="recorded", soft=False, equal=False),
    Setting(name="likelihood weights, entailment", pool="recorded", soft=True, equal=False),
    Setting(name="likelihood weights, right draws likelier", pool="likelier", soft=False, equal=False),
    Setting(name="likelihood weights, right draws unlikelier", pool="unlikelier", soft=False, equal=False),
)


def recorded_pools() -> dict[str, Pool]:
    """Return the pools made from the draws of the recorded examples; right is what matches a correct answer."""
    rows: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for belief in recorded_beliefs():
        matches = {member: bool(meaning.matches_gold) for meaning in belief.meanings for member in meaning.members}
        for place, sample in enumerate(belief.samples):
            rows[matches[place]].append((sample.mean_logprob, max(belief.kernel[place])))
    right, wrong = np.array(rows[True]), np.array(rows[False])
    middle = float(np.median(np.concatenate([right, wrong])[:, 0]))

    def half(one: Array, upper: bool) -> Array:
        return np.asarray(one[(one[:, 0] >= middle) == upper])

    return {
        "recorded": Pool(right=right, wrong=wrong),
        "likelier": Pool(right=half(right, True), wrong=half(wrong, False)),
        "unlikelier": Pool(right=half(right, False), wrong=half(wrong, True)),
    }


def recorded_beliefs() -> Iterator[Belief]:
    """Yield both beliefs of every recorded run that has a correct answer."""
    for path in sorted(RECORDS.glob("*.json")):
        result = from_json(path.read_text(encoding="utf-8")).result(SeperResult, measured=False)
        if result is not None and result.golds:
            yield from (result.without, result.with_passages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """Resamples that all simulations of a cell share: how often each draw came [r, n], exponential weights [r, n]."""

    counts: Array
    shares: Array
    seed: int


def noise_of(draws: int, repeats: int, rng: np.random.Generator) -> Noise:
    """Return the resamples of so many draws; ``seed`` is that of the imagined draws."""
    return Noise(
        counts=rng.multinomial(draws, np.full(draws, 1 / draws), repeats).astype(float),
        shares=rng.standard_exponential((repeats, draws)),
        seed=int(rng.integers(2**31)),
    )


def middle_of(values: Array, level: float) -> Bounds:
    """Return the middle share of each row of values [simulations, repeats]."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=1)
    return low, high


def estimate(odds: Array, kernel: Array) -> Array:
    """Return SePer of each simulation."""
    return np.asarray((odds * kernel).sum(-1) / odds.sum(-1))


def percentile(odds: Array, kernel: Array, noise: Noise, level: float) -> Bounds:
    """Return the percentile bootstrap."""
    return middle_of((odds * kernel) @ noise.counts.T / (odds @ noise.counts.T), level)


def bayesian(odds: Array, kernel: Array, noise: Noise, level: float) -> Bounds:
    """Return the Bayesian bootstrap (Rubin 1981)."""
    return middle_of((odds * kernel) @ noise.shares.T / (odds @ noise.shares.T), level)


def bca(odds: Array, kernel: Array, noise: Noise, level: float) -> Bounds:
    """Return the bias-corrected and accelerated bootstrap (Efron 1987)."""
    values = (odds * kernel) @ noise.counts.T / (odds @ noise.counts.T)
    centre = estimate(odds, kernel)
    below = (values < centre[:, None] - ROUNDING).mean(1) + (np.abs(values - centre[:, None]) <= ROUNDING).mean(1) / 2
    bias = stats.norm.ppf(np.clip(below, 1e-3, 1 - 1e-3))[:, None]
    total, each = odds.sum(1, keepdims=True), odds * kernel
    left = (each.sum(1, keepdims=True) - each) / (total - odds)
    spread = left.mean(1, keepdims=True) - left
    power = (spread**2).sum(1, keepdims=True) ** 1.5
    skew = np.divide((spread**3).sum(1, keepdims=True), 6 * power, out=np.zeros_like(power), where=power > 0)
    z = bias + stats.norm.ppf([(1 - level) / 2, (1 + level) / 2])
    levels = stats.norm.cdf(bias + z / (1 - skew * z))
    found = np.array([np.quantile(row, cut) for row, cut in zip(values, levels, strict=True)])
    return found[:, 0], found[:, 1]


def studentised(odds: Array, kernel: Array, noise: Noise, level: float) -> Bounds:
    """Return the studentised bootstrap with the linearised error of the ratio, cut to [0, 1]."""
    counts, centre = noise.counts.T, estimate(odds, kernel)[:, None]
    total = odds @ counts
    values = (odds * kernel) @ counts / total
    squares, crossed, doubled = (odds**2 @ counts, (odds**2 * kernel) @ counts, (odds**2 * kernel**2) @ counts)
    errors = np.sqrt(np.maximum(doubled - 2 * values * crossed + values**2 * squares, 0)) / total
    weights = odds / odds.sum(1, keepdims=True)
    error = np.sqrt((weights**2 * (kernel - centre) ** 2).sum(1))
    t = np.divide(values - centre, errors, out=np.zeros_like(values), where=errors > 1e-12)
    low, high = middle_of(t, level)
    return np.clip(centre[:, 0] - high * error, 0, 1), np.clip(centre[:, 0] - low * error, 0, 1)


def effective(odds: Array) -> Array:
    """Return the effective sample sizes."""
    return np.asarray(odds.sum(-1) ** 2 / (odds**2).sum(-1))


def wilson(odds: Array, kernel: Array, noise: Noise, level: float) -> Bounds:
    """Return Wilson's interval on the effective sample size."""
    n, p, z = effective(odds), estimate(odds, kernel), float(stats.norm.ppf((1 + level) / 2))
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    reach = z * np.sqrt(np.maximum(p * (1 - p), 0) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return middle - reach, middle + reach


def beta_bounds(add: float) -> "Method":
    """Return Clopper-Pearson's (``add`` 1) or Jeffreys' (``add`` ½) interval on the effective sample size."""

    def bounds(odds: Array, kernel: Array, noise: Noise, level: float) -> Bounds:
        n, p = effective(odds), np.clip(estimate(odds, kernel), 0, 1)
        hits, misses = n * p, n * (1 - p)
        low = stats.beta.ppf((1 - level) / 2, np.maximum(hits + 1 - add, 1e-9), misses + add)
        high = stats.beta.ppf((1 + level) / 2, hits + add, np.maximum(misses + 1 - add, 1e-9))
        return np.where(hits < 1e-6, 0.0, low), np.where(misses < 1e-6, 1.0, high)

    return bounds


HEAVY: dict[str, Callable[[Array], Array]] = {
    "mean weight": lambda odds: odds.mean(1, keepdims=True),
    "largest weight": lambda odds: odds.max(1, keepdims=True),
    "weight 1": lambda odds: np.ones((len(odds), 1)),
}


def imagined(against: float, weight: str) -> "Method":
    """Return the Bayesian bootstrap with an imagined draw, ``against`` of which speaks against the end sought.

    A half is Jeffreys' interval, all of it Clopper and Pearson's, where weights are equal; ``covering_interval`` takes
    two thirds.
    """

    def bounds(odds: Array, kernel: Array, noise: Noise, level: float) -> Bounds:
        top, bottom = (odds * kernel) @ noise.shares.T, odds @ noise.shares.T
        heavy, rng = HEAVY[weight](odds), np.random.default_rng(noise.seed)
        against_it = heavy * rng.standard_gamma(against, len(noise.shares))
        for_it = heavy * rng.standard_gamma(1 - against, len(noise.shares))
        total = bottom + against_it + for_it
        low = np.quantile((top + for_it) / total, (1 - level) / 2, axis=1)
        return low, np.quantile((top + against_it) / total, (1 + level) / 2, axis=1)

    return bounds


Method = Callable[[Array, Array, Noise, float], Bounds]
BEFORE, CHOSEN = "percentile bootstrap", "imagined draw, two thirds against, weight 1"
METHODS: dict[str, Method] = {
    BEFORE: percentile,
    "Bayesian bootstrap": bayesian,
    "BCa bootstrap": bca,
    "studentised bootstrap": studentised,
    "Wilson on the effective size": wilson,
    "Jeffreys on the effective size": beta_bounds(0.5),
    "Clopper-Pearson on the effective size": beta_bounds(1.0),
    **{f"imagined draw, two thirds against, {weight}": imagined(2 / 3, weight) for weight in HEAVY},
    "imagined draw, half against, weight 1": imagined(0.5, "weight 1"),
    "imagined draw, all against, weight 1": imagined(1.0, "weight 1"),
}
Cell = dict[str, Any]


def draws_of(*name: str | float) -> np.random.Generator:
    """Return the draws of one cell by its name, in which a share stands as it is."""
    return np.random.default_rng(derive_seed(0, *name))  # type: ignore[arg-type]


def holds(bounds: Bounds, truth: float | Array) -> Array:
    """Return in which simulations the interval holds the true value."""
    return np.asarray((bounds[0] <= truth + ROUNDING) & (truth <= bounds[1] + ROUNDING))


def single_cells(pools: dict[str, Pool], trials: int, repeats: int) -> list[Cell]:
    """Return coverage and mean length of every method, for every setting, share and number of draws."""
    cells: list[Cell] = []
    for setting in SETTINGS:
        for share in SHARES:
            truth = pools[setting.pool].truth(share, setting.soft, setting.equal)
            for draws in COUNTS:
                rng = draws_of("coverage", setting.name, share, draws)
                odds, kernel = pools[setting.pool].drawn(share, (trials, draws), setting.soft, setting.equal, rng)
                noise = noise_of(draws, repeats, rng)
                for name, method in METHODS.items():
                    bounds = method(odds, kernel, noise, LEVEL)
                    cells.append(
                        {"setting": setting.name, "method": name, "share": share, "draws": draws, "truth": truth}
                        | {"coverage": float(holds(bounds, truth).mean())}
                        | {"length": float((bounds[1] - bounds[0]).mean())}
                    )
    return cells


def joined(after: tuple[Array, Bounds], before: tuple[Array, Bounds]) -> Bounds:
    """Return the intervals of differences from the values and intervals of both sides (Zou and Donner 2008)."""
    (a, (a_low, a_high)), (b, (b_low, b_high)) = after, before
    return a - b - np.hypot(a - a_low, b_high - b), a - b + np.hypot(a_high - a, b - b_low)


def change_cells(pools: dict[str, Pool], name: str, trials: int, repeats: int) -> list[Cell]:
    """Return coverage and mean length of ΔSePer's interval, for every pair of shares."""
    cells: list[Cell] = []
    for setting in SETTINGS:
        pool = pools[setting.pool]
        for before in SHARES:
            for after in SHARES:
                shares = (after, before)
                truths = [pool.truth(share, setting.soft, setting.equal) for share in shares]
                for draws in COUNTS:
                    rng = draws_of("change", setting.name, before, after, draws)
                    sides = []
                    for share in shares:
                        drawn = pool.drawn(share, (trials, draws), setting.soft, setting.equal, rng)
                        noise = noise_of(draws, repeats, rng)
                        sides.append((estimate(*drawn), METHODS[name](*drawn, noise, LEVEL)))
                    bounds = joined(*sides)
                    cells.append(
                        {"setting": setting.name, "method": name, "before": before, "after": after, "draws": draws}
                        | {"coverage": float(holds(bounds, truths[0] - truths[1]).mean())}
                        | {"length": float((bounds[1] - bounds[0]).mean())}
                    )
    return cells


def band_cells(pools: dict[str, Pool], name: str, trials: int, repeats: int) -> list[Cell]:
    """Return how often all bands of a question hold together; a share of None differs from condition to condition."""
    return [
        {"setting": setting.name, "method": name, "chunks": chunks, "share": share, "draws": draws}
        | bands_held(pools[setting.pool], setting, chunks, share, draws, METHODS[name], trials, repeats)
        for setting in SETTINGS
        for chunks in (3, 5)
        for share in (0.05, 0.3, 0.7, None)
        for draws in COUNTS[:3]
    ]


def bands_held(
    pool: Pool, setting: Setting, chunks: int, share: float | None, draws: int, method: Method, trials: int,
    repeats: int,
) -> Cell:  # fmt: skip
    """Return how often all 2k bands hold, how often one does, and the mean length of one."""
    rng = draws_of("bands", setting.name, chunks, str(share), draws)
    conditions = 2 * chunks + 2
    shares = rng.choice(SHARES, conditions) if share is None else np.full(conditions, share)
    level, sides, truths = 1 - (1 - LEVEL) / (2 * chunks), [], []
    for one in shares:
        drawn = pool.drawn(float(one), (trials, draws), setting.soft, setting.equal, rng)
        sides.append((estimate(*drawn), method(*drawn, noise_of(draws, repeats, rng), level)))
        truths.append(pool.truth(float(one), setting.soft, setting.equal))
    # Condition 0 is all chunks, 1 is none; each chunk has one condition without it and one with it alone.
    pairs = [(0, 2 + place) for place in range(chunks)] + [(2 + chunks + place, 1) for place in range(chunks)]
    spans = [joined(sides[after], sides[before]) for after, before in pairs]
    held = np.array([holds(s, truths[a] - truths[b]) for s, (a, b) in zip(spans, pairs, strict=True)])
    length = float(np.mean([high - low for low, high in spans]))
    return {"coverage": float(held.all(axis=0).mean()), "one": float(held.mean()), "length": length}


def engine_cells(pools: dict[str, Pool], trials: int) -> list[Cell]:
    """Return the coverage of ``covering_interval`` itself at ten draws, to show that the copy here is the same."""
    cells: list[Cell] = []
    for setting in SETTINGS[:4]:
        for share in SHARES:
            truth = pools[setting.pool].truth(share, setting.soft, setting.equal)
            rng = draws_of("engine", setting.name, share)
            odds, kernel = pools[setting.pool].drawn(share, (trials, 10), setting.soft, setting.equal, rng)
            found = np.array(
                [covering_interval(np.log(o), k, rng, repeats=1000) for o, k in zip(odds, kernel, strict=True)]
            )
            held, length = holds((found[:, 0], found[:, 1]), truth), float((found[:, 1] - found[:, 0]).mean())
            cells.append(
                {"setting": setting.name, "method": "engine", "share": share}
                | {"coverage": float(held.mean()), "length": length}
            )
    return cells


def summary(cells: Sequence[Cell]) -> list[Cell]:
    """Return the least and the mean coverage and the mean length of each method in each setting."""
    groups: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((str(cell["method"]), str(cell["setting"])), []).append(cell)
    return [
        {"method": method, "setting": setting}
        | {"least": min(one["coverage"] for one in group)}
        | {"mean": float(np.mean([one["coverage"] for one in group]))}
        | {"length": float(np.mean([one["length"] for one in group]))}
        for (method, setting), group in groups.items()
    ]


def tell(title: str, rows: Sequence[Cell]) -> None:
    """Print a summary."""
    print(f"\n{title}")
    for row in rows:
        length = f"{row['length']:.3f}"
        print(f"{row['method']:40} {row['setting']:44} least {row['least']:.3f} mean {row['mean']:.3f} length {length}")


def rounded(cells: Sequence[Cell]) -> list[Cell]:
    """Return the cells with numbers of four decimals."""
    return [{name: round(v, 4) if isinstance(v, float) else v for name, v in cell.items()} for cell in cells]


def main() -> None:
    """Simulate all, print the summaries and write every cell."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="single intervals only, with fewer simulations")
    given = parser.parse_args()
    trials, repeats = (300, 400) if given.quick else (1000, 800)
    pools = recorded_pools()
    parts: dict[str, list[Cell]] = {}
    steps: dict[str, Callable[[], list[Cell]]] = {
        "single": lambda: single_cells(pools, trials, repeats),
        "change": lambda: [
            *change_cells(pools, BEFORE, trials // 2, repeats),
            *change_cells(pools, CHOSEN, 2 * trials, repeats),
        ],
        "bands": lambda: [c for name in (BEFORE, CHOSEN) for c in band_cells(pools, name, trials // 4, 3 * repeats)],
        "engine": lambda: engine_cells(pools, 3 * trials // 10),
    }
    for part in ("single",) if given.quick else steps:
        parts[part] = steps[part]()
        tell(part, summary(parts[part]))
        if not given.quick:
            write_results(parts, pools, trials)


def write_results(parts: dict[str, list[Cell]], pools: dict[str, Pool], trials: int) -> None:
    """Write what was simulated so far: summaries of each part, then every cell."""
    result = {
        "level": LEVEL,
        "wanted": WANTED,
        "trials": trials,
        "chosen": CHOSEN,
        "pools": {name: {"right": len(pool.right), "wrong": len(pool.wrong)} for name, pool in pools.items()},
        "summary": {name: rounded(summary(cells)) for name, cells in parts.items()},
        "cells": {
            name: [cell for cell in rounded(cells) if cell["method"] in (BEFORE, CHOSEN, "engine")]
            for name, cells in parts.items()
        },
    }
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
