"""Tests of the table whose rows choose: which cells are buttons, what is marked, what wraps, and what is escaped."""

import re

import pandas as pd

from viz.parts.row_table import LONG, Column, row_table_html

TEXT = "a sentence of a passage that is longer than one line of a narrow column holds"
TABLE = pd.DataFrame({"mark": ["◆", "", ""], "text": [TEXT, "<b>short</b>", None], "value": [-0.126, 2.0, None]})
COLUMNS = {"mark": Column(title=" "), "value": Column(title="P", form=".2f", help="of a <thing>")}


def drawn(**settings: object) -> str:
    """Return the table of three rows, of which the first two choose."""
    return row_table_html(TABLE, name="t", picks=[True, True, False], columns=COLUMNS, **settings)  # type: ignore[arg-type]


def test_each_row_that_chooses_has_one_button_with_its_number_in_the_first_named_column() -> None:
    html = drawn()
    assert re.findall(r'data-pick="(\d)"[^>]*><span>([^<]*)<', html)[0] == ("0", TEXT)
    assert list(re.findall(r'data-pick="(\d)"', html)) == ["0", "1"]


def test_only_the_chosen_row_is_marked_and_pressed() -> None:
    assert drawn().count("rm-picked-row") == 0
    html = drawn(chosen=(1,))
    assert html.count("rm-picked-row") == html.count('aria-pressed="true"') == 1
    assert html.index("rm-picked-row") > html.index(TEXT)


def test_numbers_have_the_form_of_their_column_and_what_is_missing_its_word() -> None:
    html = drawn(missing="not measured")
    assert ">−0.13<" in html
    assert ">2.00<" in html
    assert html.count(">not measured<") == 2


def test_a_long_text_stands_whole_in_the_page_and_on_hover() -> None:
    assert len(TEXT) > LONG
    assert drawn().count(TEXT) == 2


def test_texts_and_help_are_escaped() -> None:
    html = drawn()
    assert "<b>" not in html
    assert "<thing>" not in html
    assert "&lt;b&gt;short" in html


def test_a_cell_has_the_colour_of_what_it_says_and_only_that_cell() -> None:
    html = drawn(tones={"value": ("bad", "", "good")})
    assert [html.count(f"rm-tone-{tone}") for tone in ("bad", "good", "")] == [1, 1, 2]


def test_a_later_page_counts_its_rows_from_its_first() -> None:
    html = drawn(first=200, chosen=(201,))
    assert list(re.findall(r'data-pick="(\d+)"', html)) == ["200", "201"]
    assert html.count("rm-picked-row") == 1


def test_whole_numbers_beside_missing_ones_stay_numbers_and_a_dash_that_was_said_is_no_missing_one() -> None:
    table = pd.DataFrame({"n": pd.array([3, None], dtype="Int64"), "said": ["–", None]})
    html = row_table_html(table, name="t", missing="not asked")
    assert '"rm-number">3<' in html
    assert html.count("not asked") == 2 and ">–<" in html
