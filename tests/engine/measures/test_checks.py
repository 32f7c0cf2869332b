"""A wrong shape or range is refused with both facts, not measured."""

import numpy as np
import pytest

from engine.measures import checks


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: checks.vector([], "m"), r"m must be a non-empty 1-d array, got shape \(0,\)"),
        (lambda: checks.vector([[1.0]], "m"), r"got shape \(1, 1\)"),
        (lambda: checks.vector([0.0, np.nan], "m"), "NaN at index 1"),
        (lambda: checks.distribution([0.5, 0.6], "p"), "p must sum to 1, got 1.1"),
        (lambda: checks.distribution([1.5, -0.5], "p"), r"p must be in \[0, 1\], got 1.5"),
        (lambda: checks.square([[1, 0]], "W"), r"square matrix, got shape \(1, 2\)"),
        (lambda: checks.symmetric_weights([[1, 0.2], [0.4, 1]], "W"), r"0.2 at \[0, 1\] and 0.4 at \[1, 0\]"),
        (lambda: checks.symmetric_weights([[1, np.nan], [np.nan, 1]], "W"), "got nan"),
        (lambda: checks.entailment_classes([[2, 3], [2, 2]], "E"), "got 3.0"),
        (lambda: checks.entailment_classes([[2, 1.5], [2, 2]], "E"), "got 1.5"),
        (lambda: checks.cluster_ids([0, 2]), r"without a gap, got \[0.0, 2.0\]"),
        (lambda: checks.cluster_ids([0, 0.5]), "without a gap"),
        (lambda: checks.zero_or_one([0.5], "match"), "match must be true or false, got 0.5"),
    ],
)
def test_refusal_names_the_argument_and_the_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_rounding_of_float32_is_forgiven():
    assert checks.distribution(np.full(3, 1 / 3, dtype=np.float32), "p").sum() == pytest.approx(1, abs=1e-6)


def test_checks_copy_so_that_the_callers_array_stays_as_it_was():
    given = np.array([[0, 1], [1, 0]])
    checks.entailment_classes(given, "E")
    assert given[0, 0] == 0
