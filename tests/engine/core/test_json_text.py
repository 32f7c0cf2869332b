"""What is wrong with parsed JSON is put into words, and finding it takes no more room than the JSON itself."""

import tracemalloc

import pytest

from engine.core.errors import RecordError
from engine.core.json_text import refuse_large_numbers


def test_a_long_name_above_many_numbers_is_not_kept_once_for_each_of_them() -> None:
    parsed = {"k" * 10_000: [0] * 1_000}
    tracemalloc.start()
    refuse_large_numbers(parsed, "record")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1_000_000, "the names alone would take ten times as much"


@pytest.mark.parametrize(
    ("parsed", "place"),
    [
        ({"a": {"b": [0, (1, 1e19)]}}, "a.b.1.1"),
        ([{"": 10**400}], "0."),
        (2**63, ""),
        ({"k" * 300: [2**63]}, "k" * 200),
    ],
)
def test_a_number_that_is_too_large_is_named_by_its_place(parsed: object, place: str) -> None:
    with pytest.raises(RecordError) as refused:
        refuse_large_numbers(parsed, "record")
    assert str(refused.value) == f"This record cannot be read: {place}: the number is too large."
