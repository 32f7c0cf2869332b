"""What is wrong with parsed JSON is put into words, and finding it takes no more room than the JSON itself."""

import tracemalloc

import pytest

from engine.core.errors import RecordError
from engine.core.json_text import record_to_json, refuse_large_numbers


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


def test_a_record_is_one_line_or_is_indented_and_its_infinities_are_words() -> None:
    record = {"a": [float("-inf"), 0.1]}
    assert record_to_json(record) == '{"a":["-Infinity",0.1]}'
    assert record_to_json(record, indent=2) == '{\n  "a": [\n    "-Infinity",\n    0.1\n  ]\n}'
    with pytest.raises(RecordError, match="cannot be written as JSON"):
        record_to_json({"a": "\ud800"}, indent=2)
