"""Clicks in figures: what a browser sends is read point by point, and never believed blindly."""

import pytest

from pages.shared import session
from pages.shared.clicks import clicked_numbers


def clicked(monkeypatch: pytest.MonkeyPatch, held: object) -> tuple[int, ...]:
    """Return the numbers read from a figure that holds this."""
    monkeypatch.setattr(session, "widget_state", lambda key: held)
    return clicked_numbers("figure")


def test_the_numbers_of_every_clicked_point_are_read_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [{"customdata": [3, -1]}, {"customdata": {"0": 5}}]
    assert clicked(monkeypatch, {"selection": {"points": points}}) == (3, -1, 5)


@pytest.mark.parametrize(
    "held",
    [
        None,
        [],
        {},
        {"selection": None},
        {"selection": {"points": []}},
        {"selection": {"points": ["x", {"customdata": ["<b>", True, None]}, {}]}},
    ],
)
def test_no_selection_and_nonsense_are_no_click(held: object, monkeypatch: pytest.MonkeyPatch) -> None:
    assert clicked(monkeypatch, held) == ()
