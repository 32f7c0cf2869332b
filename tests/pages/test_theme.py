"""The style sheet of every page."""

from pages.shared.theme import contrast_rules
from viz.summary import style_sheet
from viz.theme import DARK, LIGHT


def test_rules_of_both_sheets_stay_css_when_they_are_joined() -> None:
    for theme in (LIGHT, DARK):
        assert '[data-testid="stMainBlockContainer"]' in style_sheet(theme) + contrast_rules(theme)
        assert type(style_sheet(theme)) is str
