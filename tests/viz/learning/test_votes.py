"""How a class voted, drawn: shares of all votes, the right one named in words, numbers on a line, the way in."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import viz
from engine.learning.lessons.base import BELOW, Option, Question
from viz.learning.votes import (
    BINS,
    answer_words,
    count_html,
    given_words,
    join_html,
    number_line,
    right_votes,
    vote_bars,
    votes_html,
    votes_sentence,
)
from viz.parts.qr_code import QUIET_ZONE, modules_path, qr_code
from viz.parts.theme import DARK, LIGHT

OPTIONS = tuple(Option(text=text, why=f"Because {text}.") for text in ("<b>one</b>", "two", "three"))
CHOICE = Question(kind="choice", text="Which?", options=OPTIONS, right=1)
WORDS = Question(
    kind="words", text="Where?", right=2, options=tuple(Option(text=f"w{place}", why="No.") for place in range(20))
)
NUMBER = Question(kind="number", text="How many?", value=2.0, tolerance=0.1, unit="nats")
TEMPLATES = Path(viz.__file__).parent / "templates"
ADDRESS = "https://scope.example/vote?class=KTRM"


def test_a_bar_per_option_has_its_count_and_its_share_of_all_votes() -> None:
    bars = vote_bars(CHOICE, {"0": 3, "1": 9})
    assert [(bar.count, bar.share, bar.right) for bar in bars] == [(3, 0.25, False), (9, 0.75, True), (0, 0.0, False)]
    assert votes_sentence(CHOICE, {"0": 3, "1": 9}) == "9 of 12 votes right (75%)"


def test_an_answer_that_is_no_worse_counts_as_right() -> None:
    both = replace(CHOICE, also=(2,))
    assert [bar.right for bar in vote_bars(both, {"2": 1})] == [False, True, True]
    assert right_votes(both, {"0": 1, "1": 2, "2": 3}) == 5


def test_of_many_words_the_right_one_and_those_with_votes_are_shown_in_the_order_of_the_text() -> None:
    counts = {str(place): 20 - place for place in range(4, 20)}
    bars = vote_bars(WORDS, counts)
    assert [bar.text.split()[0] for bar in bars] == ["w2", "w4", "w5", "w6", "w7", "w8", "w9", "10"]
    assert (bars[0].right, bars[0].count) == (True, 0)
    assert sum(bar.count for bar in bars) == sum(counts.values()) == 136
    assert sum(bar.share for bar in bars) == pytest.approx(1.0)
    assert [bar.text for bar in vote_bars(WORDS, {"3": 1})] == ["w2 ³", "w3 ⁴"]


def test_numbers_stand_on_a_line_with_the_right_value_in_the_middle_of_its_bin() -> None:
    line = number_line(NUMBER, {"2.0": 5, "1.0": 2, "3.5": 1})
    assert sum(line.counts) == 8 and line.beyond == 0 and len(line.counts) == BINS
    assert line.low < 1.0 and line.high > 3.5
    place = line.right * BINS
    assert place % 1 == pytest.approx(0.5) and line.counts[int(place)] == 5
    assert line.low + line.right * (line.high - line.low) == pytest.approx(2.0)


@pytest.mark.parametrize("counts", [{"2.0": 30}, {"0.0": 1}, {"-5.0": 4, "5.0": 4}, {"2.05": 1, "1e300": 1}])
def test_every_number_is_drawn_or_counted_as_far_off(counts: dict[str, int]) -> None:
    for question in (NUMBER, replace(NUMBER, value=0.0, tolerance=0.0)):
        line = number_line(question, counts)
        assert sum(line.counts) + line.beyond == sum(counts.values())
        assert 0 < line.right < 1 and line.low < line.high


def test_one_joker_does_not_squeeze_the_numbers_of_a_class() -> None:
    line = number_line(NUMBER, {"2.0": 5, "1.5": 3, "2.5": 3, "1000000.0": 1})
    assert line.beyond == 1 and line.high < 10
    assert "1 vote far off" in votes_html(NUMBER, {"2.0": 1, "1.5": 2, "1000000.0": 1}, LIGHT)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_what_is_right_says_so_in_words_and_texts_are_escaped(theme) -> None:  # type: ignore[no-untyped-def]
    html = votes_html(CHOICE, {"0": 1, "1": 2}, theme)
    assert "<strong>right</strong>" in html and "two, right: 2, 67%" in html
    assert "<b>one" not in html and "&lt;b&gt;one" in html
    assert "right: 2 nats" in votes_html(NUMBER, {"2.0": 1}, theme)


def test_where_nobody_voted_nothing_is_drawn() -> None:
    assert votes_html(CHOICE, {}, LIGHT) == "" == votes_html(NUMBER, {}, LIGHT)


def test_a_phone_is_told_whether_it_was_right_why_and_what_is() -> None:
    assert answer_words(CHOICE, "1") == "Right: Because two."
    assert "two" in answer_words(CHOICE, "0") and "Because <b>one</b>." in answer_words(CHOICE, "0")
    assert "two" in answer_words(CHOICE, "")
    assert "2 nats" in answer_words(NUMBER, "1.0") and BELOW not in answer_words(NUMBER, "1.0")
    assert (given_words(WORDS, "3"), given_words(NUMBER, "1.5"), given_words(CHOICE, "1")) == (
        "w3 ⁴",
        "1.5 nats",
        "two",
    )


def test_how_many_voted_is_told_as_it_grows() -> None:
    assert 'role="status">1 vote<' in count_html(1) and ">12 votes<" in count_html(12)


def drawn_modules(svg: str) -> set[tuple[int, int]]:
    """Return the dark modules of a code by their places, quiet zone included."""
    boxes = re.findall(r"M(\d+) (\d+)h(\d+)v1h-\3z", svg)
    return {(int(x) + step, int(y)) for x, y, width in boxes for step in range(int(width))}


def test_a_code_has_its_three_corners_and_white_around_it() -> None:
    svg = qr_code(ADDRESS)
    side = int(re.search(r'viewBox="0 0 (\d+)', svg)[1])  # type: ignore[index]
    dark = drawn_modules(svg)
    assert (side - 2 * QUIET_ZONE - 17) % 4 == 0
    assert all(QUIET_ZONE <= place < side - QUIET_ZONE for module in dark for place in module)
    end = side - QUIET_ZONE - 7
    for x, y in ((QUIET_ZONE, QUIET_ZONE), (end, QUIET_ZONE), (QUIET_ZONE, end)):
        corner = [[(x + dx, y + dy) in dark for dx in range(7)] for dy in range(7)]
        assert all(corner[0]) and corner[1] == [True, *[False] * 5, True] and all(corner[3][2:5])
    assert 'fill="#ffffff"' in svg and 'fill="#000000"' in svg


def test_every_dark_module_is_drawn_once() -> None:
    rows = [bytes([1, 0, 1, 1]), bytes([0, 0, 0, 1])]
    assert drawn_modules(modules_path(rows)) == {(4, 4), (6, 4), (7, 4), (7, 5)}


def test_the_way_in_has_address_code_and_a_picture_with_words() -> None:
    html = join_html("KTRM", "https://scope.example/vote", ADDRESS)
    assert ">scope.example/vote<" in html and ">KTRM<" in html
    assert f'alt="QR code of {ADDRESS}"' in html and 'src="data:image/svg+xml;base64,' in html


def test_the_number_line_takes_no_style_of_the_pages_of_a_run() -> None:
    drawn = str(votes_html(NUMBER, {"2.0": 5, "1.0": 2}, LIGHT))
    names = {name for names in re.findall(r'class="([^"]+)"', drawn) for name in names.split()}
    styles = (TEMPLATES / "story.css.j2").read_text(encoding="utf-8")
    assert "rm-numbers-right" in names
    assert [name for name in sorted(names) if re.search(rf"\.{name}\b(?!-)", styles)] == []
