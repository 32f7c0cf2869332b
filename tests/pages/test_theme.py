"""The style sheet of every page."""

from pages.shared.theme import as_text, contrast_rules, cut_label
from viz.parts.html import style_sheet
from viz.parts.theme import DARK, LIGHT


def test_rules_of_both_sheets_stay_css_when_they_are_joined() -> None:
    for theme in (LIGHT, DARK):
        assert '[data-testid="stMainBlockContainer"]' in style_sheet(theme) + contrast_rules(theme)
        assert type(style_sheet(theme)) is str


def test_a_label_that_is_cut_has_the_whole_text_as_its_help() -> None:
    assert cut_label("short", 10) == ("short", None)
    label, whole = cut_label("a *longer* question", 10)
    assert len(label) < 14 and whole == as_text("a *longer* question")
