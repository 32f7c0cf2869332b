"""The answer as a strip: tints, triggers, escaped text."""

import pytest

from tests.viz.sample_trend_results import (
    voyage_result,
)
from viz.methods.answer_strip import answer_strip_html
from viz.parts.theme import DARK, LIGHT

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


@THEMES
def test_the_strip_marks_the_first_trigger_once_and_the_later_ones_dotted(theme):
    html = answer_strip_html(voyage_result(), theme)
    assert html.count("look up here ▸") == 1
    assert html.index("look up here ▸") < html.index(">Lisbon<")
    assert html.count("border-bottom:3px dotted") == 3 + 1  # three words and the key
    assert "4 nats and more" in html
    assert html.count("<span") == html.count("</span>")


def test_a_strip_without_triggers_has_no_grey_band():
    html = answer_strip_html(voyage_result(), LIGHT, 3.5)
    assert "box-decoration-break" not in html and html.count("<span") == html.count("</span>")
