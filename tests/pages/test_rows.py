"""Tests of the tables in HTML: which rows are chosen, what a pick changes, and which page of a long table is shown."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import rows, table_state
from tests.pages.page_fixtures import choose_rows, row_tables, words_on

NEXT, PREVIOUS = "t.Next rows", "t.Previous rows"


def chooser(many: bool, start: tuple[str, ...] = ()) -> AppTest:
    """Return a page of one table with 450 rows."""

    def page(many: bool, start: tuple[str, ...]) -> None:
        import streamlit as st

        from pages.shared import rows

        table = [{"name": f"row <{place}>", "value": place / 4} for place in range(450)]
        ids = [f"id {place}" for place in range(450)]
        if many:
            st.caption(f"chosen: {rows.choose_rows(table, ids, key='t', start=start)}")
        else:
            st.caption(f"chosen: {rows.choose_row(table, ids, key='t', start=start[0] if start else '')}")

    made = AppTest.from_function(page, args=(many, start))
    made.run()
    assert not made.exception
    return made


def picks(page: AppTest) -> list[int]:
    """Return the numbers of the rows that can be picked."""
    return [int(one) for one in re.findall(r'data-pick="(\d+)"', words_on(page))]


def test_a_long_table_is_drawn_page_by_page_and_its_rows_keep_their_numbers() -> None:
    page = chooser(many=False)
    assert picks(page) == list(range(200))
    assert "Rows 1 to 200 of 450" in words_on(page)
    page.button(key=NEXT).click().run()
    page.button(key=NEXT).click().run()
    assert picks(page) == list(range(400, 450))
    assert page.button(key=NEXT).disabled
    assert row_tables(page)[0]["value"].tolist()[0] == 100.0
    page.button(key=PREVIOUS).click().run()
    assert picks(page) == list(range(200, 400))


def test_the_page_of_a_row_chosen_elsewhere_is_shown_until_another_is_turned_to() -> None:
    page = chooser(many=False, start=("id 250",))
    assert picks(page)[0] == 200 and "chosen: 250" in words_on(page)
    page.button(key=PREVIOUS).click().run()
    assert picks(page)[0] == 0 and "chosen: 250" in words_on(page)
    choose_rows(page, "t", ("id 449",), start=("id 250",))
    assert picks(page)[0] == 400 and "chosen: 449" in words_on(page)
    choose_rows(page, "t", (), start=("id 250",))
    assert picks(page)[0] == 400, "unchosen, the page stays"


def test_ticking_a_row_on_one_page_does_not_turn_to_another_with_a_ticked_row() -> None:
    page = choose_rows(chooser(many=True), "t", ("id 250",))
    assert picks(page)[0] == 200
    page.button(key=PREVIOUS).click().run()
    choose_rows(page, "t", ("id 250", "id 3"))
    assert picks(page)[0] == 0 and "chosen: (3, 250)" in words_on(page)
    choose_rows(page, "t", ("id 3",))
    assert picks(page)[0] == 0


def test_several_rows_are_chosen_and_drawn_as_ticked() -> None:
    page = choose_rows(chooser(many=True), "t", ("id 3", "id 7", "gone"))
    assert "chosen: (3, 7)" in words_on(page)
    assert words_on(page).count("rm-picked-row") == 2 and "rm-many" in words_on(page)


def test_two_picks_before_a_redraw_both_count(monkeypatch: pytest.MonkeyPatch) -> None:
    held: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    monkeypatch.setattr(table_state, "chosen_rows", held.get)
    monkeypatch.setattr(table_state, "keep_chosen_rows", lambda key, *both: held.update({key: both}))
    for row in (2, 0, 9):  # the last is no row
        rows.follow_pick("t", ("b",), ("a", "b", "c"), row, many=True)
    assert rows.chosen_ids("t", ("b",)) == ("b", "c", "a")
    rows.follow_pick("t", ("b",), ("a", "b", "c"), 1, many=True)
    assert rows.chosen_ids("t", ("b",)) == ("c", "a")
    assert rows.chosen_ids("t", ("a",)) == ("a",), "the page itself chooses another now"


def test_a_table_of_several_pages_without_a_key_is_refused() -> None:
    with pytest.raises(ValueError, match="key"):
        rows.draw_rows([{"a": place} for place in range(rows.PAGE_ROWS + 1)])
