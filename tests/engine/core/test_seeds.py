"""A draw depends on its own name and position only."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.seeds import derive_seed, uniform_at

LABELS = st.lists(st.one_of(st.text(max_size=8), st.integers()), max_size=4)


def test_a_seed_is_the_same_on_every_machine_and_in_every_year() -> None:
    # First 8 bytes, big-endian, of sha256(b"0\x1fstr:seper\x1fstr:with\x1fint:3"), halved.
    assert derive_seed(0, "seper", "with", 3) == 0x715E7B5BB118CCAB


def test_twenty_samples_keep_the_first_ten() -> None:
    assert [derive_seed(7, "seper", i) for i in range(20)][:10] == [derive_seed(7, "seper", i) for i in range(10)]


def test_a_thousand_draws_have_a_thousand_seeds() -> None:
    seeds = {derive_seed(root, method, i) for root in range(5) for method in ("dense", "seper") for i in range(100)}
    assert len(seeds) == 1000


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((0, "a", "bc"), (0, "ab", "c")),
        ((0, "1"), (0, 1)),
        ((0, "a"), (1, "a")),
        ((0, "a", "b"), (0, "b", "a")),
        ((0,), (0, "")),
        ((1, 2), (12,)),
    ],
)
def test_names_that_look_alike_have_different_seeds(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    assert derive_seed(*one) != derive_seed(*other)


@given(st.integers(), LABELS)
def test_a_seed_fits_a_signed_64_bit_number(root: int, labels: list[str | int]) -> None:
    assert 0 <= derive_seed(root, *labels) < 2**63


@given(st.integers(0, 2**63 - 1), st.integers(0, 2**31))
def test_a_draw_lies_in_the_half_open_unit_interval_and_repeats(seed: int, position: int) -> None:
    first = uniform_at(seed, position)
    assert 0.0 <= first < 1.0
    assert uniform_at(seed, position) == first


def test_a_draw_does_not_depend_on_what_was_drawn_before_or_beside_it() -> None:
    alone = [uniform_at(5, position) for position in range(50)]
    with ThreadPoolExecutor(4) as pool:
        beside = list(pool.map(lambda position: uniform_at(5, position), reversed(range(50))))
    assert beside == alone[::-1]


def test_draws_of_one_seed_and_of_one_position_are_spread_evenly() -> None:
    along = [uniform_at(11, position) for position in range(2000)]
    across = [uniform_at(derive_seed(0, "x", i), 0) for i in range(2000)]
    for draws in (along, across):
        # Mean of 2000 uniform draws: 0.5 with standard error 1/sqrt(12 * 2000) = 0.0065; five of them.
        assert sum(draws) / 2000 == pytest.approx(0.5, abs=0.033)
        # A tenth of them in each tenth: 200, standard deviation sqrt(2000 * 0.1 * 0.9) = 13.4; five of them.
        tenths = [sum(place <= 10 * draw < place + 1 for draw in draws) for place in range(10)]
        assert all(abs(count - 200) < 67 for count in tenths)
