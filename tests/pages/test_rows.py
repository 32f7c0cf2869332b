"""Tests of the tables in HTML: which rows are chosen, what a pick changes, and which page of a long table is shown."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared import rows, session
from tests.pages.page_fixtures import choose_rows, row_tables, words_on


def chooser(many: bool, start: tuple[int, ...] = ()) -> AppTest:
    """Return a page of one table with 450 rows."""

    def page(many: bool, start: tuple[int, ...]) -> None:
        import streamlit as st

        from pages.shared import rows

        table = [{"name": f"row <{place}>", "value": place / 4} for place in range(450)]
        if many:
            st.caption(f"chosen: {rows.choose_rows(table, key='t', start=start)}")
        else:
            st.caption(f"chosen: {rows.choose_row(table, key='t', start=start[0] if start else None)}")

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
    page.button(key="t.:material/chevron_right:").click().run()
    page.button(key="t.:material/chevron_right:").click().run()
    assert picks(page) == list(range(400, 450))
    assert page.button(key="t.:material/chevron_right:").disabled
    assert row_tables(page)[0]["value"].tolist()[0] == 100.0
    page.button(key="t.:material/chevron_left:").click().run()
    assert picks(page) == list(range(200, 400))


def test_the_page_of_a_row_chosen_elsewhere_is_shown_until_another_is_turned_to() -> None:
    page = chooser(many=False, start=(250,))
    assert picks(page)[0] == 200 and "chosen: 250" in words_on(page)
    page.button(key="t.:material/chevron_left:").click().run()
    assert picks(page)[0] == 0 and "chosen: 250" in words_on(page)
    choose_rows(page, "t", (449,), start=(250,))
    assert picks(page)[0] == 400 and "chosen: 449" in words_on(page)


def test_several_rows_are_chosen_and_drawn_as_ticked() -> None:
    page = choose_rows(chooser(many=True), "t", (3, 7))
    assert "chosen: (3, 7)" in words_on(page)
    assert words_on(page).count("rm-picked-row") == 2 and "rm-many" in words_on(page)


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        (None, (1,)),
        (((1,), (0, 2)), (0, 2)),
        (((1,), ()), ()),  # nothing is chosen any more
        (((0,), (2,)), (1,)),  # the page itself chooses another row than when this was chosen
        (((1,), (2, 99, -1)), (2,)),
        ("nonsense", (1,)),
    ],
)
def test_what_is_chosen_holds_until_the_page_chooses_another(
    held: object, expected: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "widget_state", {rows.state_key("t"): held}.get)
    assert rows.chosen_rows("t", (1,), 3) == expected
