"""Tests of a text shortened in the middle, and of numbers in a table."""

import pandas as pd

from viz.parts.tables import shorten_middle, table_html

LONG = "In which city was the composer of the Jupiter Symphony born?"
TABLE = pd.DataFrame({"query": [LONG, "short", None], "value": [1.23456, 2.0, 3.0]})


def test_a_shortened_text_keeps_both_ends_and_never_exceeds_its_letters() -> None:
    for letters in range(3, len(LONG) + 3):
        found = shorten_middle(LONG, letters)
        assert len(found) <= letters
        assert found[0] == LONG[0]
        assert found[-1] == LONG[-1]
    assert shorten_middle(LONG, len(LONG)) == LONG


def test_digits_hold_for_numbers_alone() -> None:
    assert ">1.23<" in table_html(TABLE, digits=3)
    assert LONG in table_html(TABLE, digits=3)
