"""DSE over every way of taking one rewording of each chunk, by hand."""

import math

import numpy as np
import pytest

from engine.measures.rewording_interval import MOST_WAYS, reworded_entropies, reworded_interval


def agreeing(kinds: list[int]) -> np.ndarray:
    """Return weights of 1 where two answers are of one kind, else 0."""
    return np.equal.outer(kinds, kinds).astype(float)


def test_two_chunks_with_two_rewordings_each_have_four_ways() -> None:
    # Rows: original a; chunk 0 says a or b; chunk 1 says a or b.
    values = reworded_entropies(agreeing([0, 0, 1, 0, 1]), [-1, 0, 0, 1, 1])
    one_differs = -(2 * math.log(2 / 3) + math.log(1 / 3)) / 3
    # a a: 0; a b: one of three differs; b a: the same; b b: two agree with each other and not with the original.
    assert values == pytest.approx([0.0, one_differs, one_differs, one_differs], abs=1e-12)


def test_rewordings_that_never_change_the_answer_give_an_interval_of_width_0() -> None:
    assert reworded_interval(agreeing([0] * 7), [-1, 0, 0, 1, 1, 2, 2]) == (0.0, 0.0)


def test_beyond_a_thousand_ways_a_thousand_are_drawn_and_the_seed_decides() -> None:
    kinds, chunks = [0, *range(1, 13)], [-1, *(i % 3 for i in range(12))]
    ways = 4**3
    assert len(reworded_entropies(agreeing(kinds), chunks)) == ways
    many, owners = [0] * 25, [-1, *(i % 6 for i in range(24))]
    assert len(reworded_entropies(agreeing(many), owners)) == MOST_WAYS  # 4^6 = 4096 ways
    mixed = agreeing([0, *(i // 6 for i in range(24))])
    assert (reworded_entropies(mixed, owners, 1) == reworded_entropies(mixed, owners, 1)).all()


def test_drawn_ways_keep_the_original_answer_and_take_each_rewording_as_often() -> None:
    # Seven chunks with the rewordings b, a, a: m answers of eight are b, m binomial with 7 and 1/3; the original is a.
    kinds, owners = [0, *(1, 0, 0) * 7], [-1, *(i // 3 for i in range(21))]
    entropy = [-sum(k / 8 * math.log(k / 8) for k in (m, 8 - m) if k) for m in range(8)]
    mean = sum(math.comb(7, m) * 2 ** (7 - m) / 3**7 * entropy[m] for m in range(8))
    assert reworded_entropies(agreeing(kinds), owners).mean() == pytest.approx(mean, abs=0.02)


@pytest.mark.parametrize("chunks", [[-1, 0], [0, 0, 1], [-1, -1, 0]])
def test_rows_without_a_chunk_are_refused(chunks: list[int]) -> None:
    with pytest.raises(ValueError, match="must name a chunk"):
        reworded_entropies(agreeing([0, 0, 0]), chunks)
