"""The scoreboard as a sentence, a figure and tables, on cells made by hand."""

from dataclasses import replace

import pytest

from engine.learning.known_truth import Cell, Scoreboard
from viz.learning.known_truth import (
    CONTROL,
    KIND_NAMES,
    NO_CONTROL,
    STAR_MEANS,
    board_title,
    cell_text,
    row_name,
    rules_table,
    scoreboard_figure,
    scoreboard_sentence,
    scoreboard_table,
    share,
    twins_text,
)
from viz.parts.theme import DARK, LIGHT


def cell(
    kind: str,
    method: str,
    saw: str = "",
    missed: str = "",
    left: str = "",
    words: str = "it says so",
    fires: str = "",
    calm: str = "",
) -> Cell:
    """Return a cell whose questions are single letters; ``fires`` and ``calm`` on their twins."""
    return Cell(
        kind=kind,  # type: ignore[arg-type]
        method=method,
        words=words,
        saw=tuple(saw),
        missed=tuple(missed),
        not_measured=tuple(left),
        twins=(*((one, "saw") for one in fires), *((one, "missed") for one in calm)),
    )


BOARD = Scoreboard(
    cells=(
        cell("contradiction", "dense", "abc", "de", fires="a", calm="bcde"),
        cell("intact", "dense", "xyz", "v"),
        cell("contradiction", "seper", "a", "bc", "de"),
        cell("split_answer", "seper", left="fg", words="<b>it</b>"),
    ),
    origin="made by hand",
)
EMPTY = Scoreboard(cells=(cell("contradiction", "dense"),))


def test_the_sentence_counts_what_was_seen_and_the_false_alarms() -> None:
    for part in ("DENSE saw 3 of 5", "SePer saw 1 of 3", "DENSE 3 of 4 times"):
        assert part in scoreboard_sentence(BOARD)
    assert "DENSE" not in scoreboard_sentence(EMPTY)


def test_a_cell_keeps_not_measured_apart_from_missed_and_from_no_rule() -> None:
    assert cell_text(BOARD.cells[2]) == "1 of 3 (+2 not measured)" and share(BOARD.cells[2]) is None
    assert cell_text(BOARD.cells[3]) == "not measured" and share(BOARD.cells[3]) is None
    assert cell_text(EMPTY.cells[0]) == "not asked"
    assert cell_text(None) == "—" and share(None) is None


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_figure_names_its_finding_and_writes_every_cell(theme) -> None:
    figure = scoreboard_figure(BOARD, theme)
    assert figure.layout.title.text == board_title(BOARD)
    # Of a, b and c DENSE fires on the twin of a as well.
    assert "contradiction by DENSE" in board_title(BOARD) and "2 of 5" in board_title(BOARD)
    assert share(BOARD.cells[0]) == 2 / 5 and share(BOARD.cells[1]) == 3 / 4
    texts = [note.text.split("<br>")[0] for note in figure.layout.annotations]
    assert sorted(texts) == sorted(["3 of 5", "1 of 3*", "—", "not measured", "calm 3 of 4", "—"])
    assert twins_text(BOARD.cells[0]) == "twins 1 of 5" and twins_text(BOARD.cells[2]) == "no twins"
    assert "<b>it</b>" not in str(figure.data[1].customdata)


def test_the_control_stands_apart_from_what_was_planted() -> None:
    figure = scoreboard_figure(BOARD, LIGHT)
    control, planted = figure.data
    assert list(control.y) == [row_name(CONTROL)] and not control.showscale
    assert list(planted.y) == [KIND_NAMES["split_answer"], "contradiction"]
    assert planted.colorbar.title.text == "seen beyond<br>the twins" and len(figure.layout.shapes) == 1
    assert figure.layout.yaxis.categoryarray[0] == control.y[0]
    assert STAR_MEANS in figure.layout.xaxis.title.text


def test_a_method_without_a_control_says_why() -> None:
    board = replace(BOARD, cells=(*BOARD.cells, cell("split_answer", "entropy_trend", "a")))
    assert NO_CONTROL["entropy_trend"] in scoreboard_sentence(board)


def test_an_empty_scoreboard_is_a_sentence_in_the_figure() -> None:
    figure = scoreboard_figure(EMPTY, LIGHT)
    assert figure.layout.annotations[0].text == scoreboard_sentence(EMPTY) and not figure.data
    assert "DENSE" not in board_title(EMPTY)


def test_the_tables_say_what_the_figure_says_and_by_which_rule() -> None:
    table = scoreboard_table(BOARD)
    assert table.loc["contradiction"].tolist() == [
        "3 of 5, 2 beyond the base rate of 1 in 5",
        "1 of 3 (+2 not measured)",
    ]
    assert table.iloc[-1].tolist() == ["3 of 4", "—"]
    rules = rules_table(BOARD)
    assert rules.iloc[0].tolist() == ["contradiction", "DENSE", "it says so", "a, b, c", "d, e", ""]
    assert len(rules_table(replace(BOARD, cells=BOARD.cells[:1]))) == 1
