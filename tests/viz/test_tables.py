"""Tests of the cells that a table shortens, and of what a row says whole."""

import pandas as pd

from viz.tables import fit_cells, shorten_middle, shortened_texts, table_html

LONG = "In which city was the composer of the Jupiter Symphony born?"
TABLE = pd.DataFrame({"query": [LONG, "short", None], "value": [1.23456, 2.0, 3.0]})


def test_a_shortened_text_keeps_both_ends_and_never_exceeds_its_letters() -> None:
    for letters in range(3, len(LONG) + 3):
        found = shorten_middle(LONG, letters)
        assert len(found) <= letters
        assert found[0] == LONG[0]
        assert found[-1] == LONG[-1]
    assert shorten_middle(LONG, len(LONG)) == LONG


def test_only_the_named_columns_are_shortened_and_what_is_missing_stays_missing() -> None:
    found = fit_cells(TABLE, {"query": 20, "elsewhere": 5})
    assert found["query"][0] == "In which…hony born?"
    assert found["query"][1] == "short"
    assert pd.isna(found["query"][2])
    assert list(found["value"]) == [1.23456, 2.0, 3.0]
    assert TABLE["query"][0] == LONG, "the table itself stays whole, for its CSV"


def test_a_row_says_whole_exactly_what_it_shortens() -> None:
    assert shortened_texts(TABLE, {"query": 20}, 0) == [("query", LONG)]
    assert shortened_texts(TABLE, {"query": 20}, 1) == shortened_texts(TABLE, {"query": 20}, 2) == []


def test_digits_hold_for_numbers_alone() -> None:
    assert ">1.23<" in table_html(TABLE, digits=3)
    assert LONG in table_html(TABLE, digits=3)
