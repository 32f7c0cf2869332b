"""Is a difference between two runs more than repeated draws would make of it?

Nothing of this is in a paper: the papers print numbers without an error. Three ways, by what a record keeps. Where it
keeps the draws of both runs, each set has its interval, and the difference one joined from them (``draw_intervals``).
Where it keeps several rewordings of each chunk, every way of taking one of each in one run is held
against every way in the other. Where it keeps neither, the original is drawn again as a whole with other seeds: then
the interval is where one more such draw would fall, by Student's t (a prediction interval; normal draws assumed).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special
from scipy.stats import fisher_exact

from engine.measures.checks import Floats, vector
from engine.measures.draw_intervals import LEVEL, REPEATS, covering_part, joined_interval, percentile_interval
from engine.measures.rewording_interval import reworded_entropies

LEAST_REPEATS = 3
Draws = tuple[ArrayLike, ArrayLike]


def change_interval(
    after: Sequence[Draws],
    before: Sequence[Draws],
    rng: np.random.Generator | int,
    *,
    answers: Literal["max", "mean"] = "max",
    repeats: int = REPEATS,
) -> tuple[float, float]:
    """Returns the 95 % interval of SePer summed over ``after`` minus that over ``before``, from those of each set.

    Each entry is (mean token log-probabilities [n] in nats, kernel [n, golds] in [0, 1]) of one set of draws. One entry
    a side gives the change of SePer. A change of ΔSePer is (with' - without') - (with - without): its sets with a plus
    are ``after``, those with a minus ``before``; a set that both runs share falls out and is left out. Raises
    ValueError as ``covering_interval`` does.

    >>> low, high = change_interval([([0.0] * 10, [1.0] * 10)], [([0.0] * 10, [0.0] * 10)], rng=0)
    >>> 0.6 < low < 0.7, round(high, 6)
    (True, 1.0)
    """
    generator = np.random.default_rng(rng)
    signed = [*((1.0, one) for one in after), *((-1.0, one) for one in before)]
    return joined_interval(
        [covering_part(sign, one, generator, answers=answers, repeats=repeats) for sign, one in signed]
    )


def reworded_change(after: tuple[ArrayLike, ArrayLike], before: tuple[ArrayLike, ArrayLike]) -> tuple[float, float]:
    """Returns the middle 95% of DSE of one run minus DSE of the other, over all ways of taking one rewording a chunk.

    Each side is (weights [m, m], chunks [m]) as ``reworded_entropies`` takes them -> two floats in nats. The ways of
    one run are compared with all ways of the other. Raises ValueError as ``reworded_entropies`` does.

    >>> low, high = reworded_change(([[1, 0], [0, 1]], [-1, 0]), ([[1, 1], [1, 1]], [-1, 0]))
    >>> round(low, 4), round(high, 4)
    (0.6931, 0.6931)
    """
    ways, others = (reworded_entropies(weights, chunks) for weights, chunks in (after, before))
    return percentile_interval((ways[:, None] - others[None, :]).ravel())


def next_draw(values: ArrayLike) -> tuple[float, float]:
    """Returns where one more draw would fall with probability 0.95, judged by the draws there are.

    ``values`` [m], m >= 3, the same number from m runs that differ in their seed only -> (low, high) in its unit:
    mean ± t(m - 1) · s · sqrt(1 + 1/m). Raises ValueError on fewer than 3 draws or one that is not finite.

    >>> low, high = next_draw([1.0, 2.0, 3.0])
    >>> round(low, 2), round(high, 2)
    (-2.97, 6.97)
    """
    drawn: Floats = vector(values, "values")
    if drawn.size < LEAST_REPEATS or not np.isfinite(drawn).all():
        raise ValueError(f"at least {LEAST_REPEATS} finite draws are needed, got {drawn.tolist()}")
    reach = float(special.stdtrit(drawn.size - 1, (1 + LEVEL) / 2)) * float(drawn.std(ddof=1))
    reach *= float(np.sqrt(1 + 1 / drawn.size))
    middle = float(drawn.mean())
    return middle - reach, middle + reach


def share_odds(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Returns how often chance alone would part two shares this far or further (Fisher's exact test, two-sided).

    ``first`` and ``second`` are (how many, of how many) -> p in [0, 1]; lower = harder to put down to chance. Raises
    ValueError where a count is negative or larger than its total.

    >>> round(share_odds((9, 10), (1, 10)), 4), share_odds((5, 10), (5, 10))
    (0.0011, 1.0)
    """
    for many, total in (first, second):
        if not 0 <= many <= total:
            raise ValueError(f"a count must lie between 0 and its total, got {many} of {total}")
    (many, total), (more, others) = first, second
    return float(fisher_exact([[many, total - many], [more, others - more]]).pvalue)
