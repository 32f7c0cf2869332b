"""The figure of ETC: three panels, the threshold and the triggers of the record; texts are escaped."""

from dataclasses import replace
from itertools import pairwise

import pytest

from tests.viz.numbers_in_text import numbers_in
from tests.viz.sample_trend_results import (
    empty_trend_result,
    five_words_result,
    one_word_result,
    trend_result,
    voyage_result,
)
from viz.methods.trend_figure import NOTE_HEIGHT, REWRITTEN, title, trend_figure
from viz.parts.theme import DARK, LIGHT

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def test_the_title_says_the_finding():
    assert title(voyage_result()).endswith("before word 19, ‘Lisbon’")
    assert numbers_in(title(voyage_result(), 3.0)) == ["3.00"]
    assert title(one_word_result()).endswith("three content words")
    ties = replace(voyage_result(), points=(), not_measured="Every content word is as uncertain; the code skips it.")
    assert title(ties) == "Every content word is as uncertain"


@THEMES
def test_three_panels_share_the_words_and_carry_nats(theme):
    figure = trend_figure(voyage_result(), theme)
    titles = [figure.layout[axis].title.text for axis in ("yaxis", "yaxis2", "yaxis3")]
    assert all("(nats)" in text for text in titles)
    assert figure.layout.xaxis.matches == figure.layout.xaxis2.matches == "x3"
    assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"
    first = [shape for shape in figure.layout.shapes if shape.type == "line" and shape.yref == "paper"]
    assert [shape.x0 for shape in first] == [18, 35, 52, 70]
    assert first[0].line.width > 2 * first[1].line.width


def test_alpha_is_drawn_twice_in_absolute_mode_and_once_in_signed_mode():
    def thresholds(figure):
        return [note.text for note in figure.layout.annotations if "α =" in note.text]

    assert thresholds(trend_figure(voyage_result(), LIGHT)) == ["<b>+α = 1.00</b>", "<b>−α = 1.00</b>"]
    assert thresholds(trend_figure(voyage_result(variant="code"), LIGHT, 1.5)) == ["<b>+α = 1.50</b>"]


def test_the_threshold_stays_in_view_however_high():
    low, high = trend_figure(voyage_result(), LIGHT, 9.0).layout.yaxis3.range
    assert low < -9.0 < 9.0 < high


@pytest.mark.parametrize("result", [one_word_result(), empty_trend_result()], ids=["one word", "empty"])
def test_an_answer_too_short_gives_a_figure_with_a_sentence(result):
    notes = [note.text for note in trend_figure(result, DARK).layout.annotations]
    assert any(note.startswith("Not measured:") for note in notes)


def test_every_word_is_whole_in_its_hover_text():
    figure = trend_figure(voyage_result(), LIGHT)
    hover = " ".join(text for trace in figure.data for text in trace.hovertext or ())
    assert "Word 19, “Lisbon” (PROPN, content word): H = 4.70 nats" in hover.replace("<br>", " ")


def test_a_click_on_a_word_carries_its_index():
    figure = trend_figure(voyage_result(), LIGHT)
    clicked = [trace for trace in figure.data if trace.name != REWRITTEN]
    assert all([list(carried) for carried in trace.customdata] == [[x] for x in trace.x] for trace in clicked)


def test_what_is_grey_is_said_in_the_legend_where_it_lies_on_no_curve():
    figure = trend_figure(voyage_result(), LIGHT)
    assert [trace.name for trace in figure.data if list(trace.x) == [None]] == [REWRITTEN]
    assert not any(REWRITTEN in note.text for note in figure.layout.annotations)


def test_the_words_of_a_long_answer_stand_clear_of_each_other_even_where_triggers_are_neighbours():
    tagged = [(f"Word{n}", "NOUN", float((n * 7) % 11) / 4) for n in range(96)]
    result = trend_result(tagged, alpha=0.3)
    figure = trend_figure(result, LIGHT)
    ticks = figure.layout.xaxis3.tickvals
    assert [trigger.word for trigger in result.triggers][:2] == [2, 4]  # two names so close would lie on each other
    assert min(later - earlier for earlier, later in pairwise(ticks)) >= 3
    assert figure.layout.xaxis3.ticktext[0] == "<b>Word2</b><br><b>Word4</b>"  # as two lines: all that fired is named
    said = " ".join(figure.layout.xaxis3.ticktext)
    assert [trigger.word for trigger in result.triggers if f"<b>Word{trigger.word}</b>" not in said] == []


def test_a_line_that_leaves_its_panel_says_so_and_what_is_compared_never_does():
    for result in (voyage_result(), trend_result([(f"Word{n}", "NOUN", float((n * 7) % 11) / 4) for n in range(24)])):
        figure = trend_figure(result, LIGHT)
        low, high = figure.layout.yaxis3.range
        raw = next(trace for trace in figure.data if str(trace.name).startswith("Δ²H, raw"))
        compared = next(trace for trace in figure.data if trace.name == "smoothed Δ²H")
        assert raw.name.endswith("(cut off)") == any(not low <= value <= high for value in raw.y)
        assert all(low <= value <= high for value in compared.y if value is not None)


def test_an_answer_without_words_is_a_sentence_and_no_empty_axes() -> None:
    figure = trend_figure(empty_trend_result(), LIGHT)
    assert figure.layout.height == NOTE_HEIGHT
    assert (figure.layout.xaxis.visible, figure.layout.yaxis.visible) == (False, False)


def test_two_words_have_their_entropy_drawn_and_no_empty_panel_of_a_trend() -> None:
    words = five_words_result()
    short = replace(words, words=words.words[:2], points=(), triggers=(), not_measured="Too few content words.")
    figure = trend_figure(short, LIGHT)
    assert figure.layout.yaxis.title.text == "H, entropy (nats)"
    assert "yaxis2" not in figure.layout.to_plotly_json()
    assert not figure.layout.shapes, "no threshold where nothing is compared with it"
    assert any("Too few content words." in note.text for note in figure.layout.annotations)


def test_long_words_below_a_small_figure_do_not_run_into_each_other():
    long = replace(voyage_result(), words=tuple(replace(one, text="Organisation") for one in voyage_result().words))
    axis = trend_figure(long, LIGHT, compact=True).layout.xaxis
    # 12 letters of 7 pixels and a space stand on 290 pixels: at most three of them, whose middles are 91 pixels apart.
    room = 290 / len(long.words)
    assert len(axis.tickvals) in (2, 3)
    assert min(second - first for first, second in pairwise(axis.tickvals)) * room >= 91
