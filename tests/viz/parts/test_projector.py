"""Presenter mode's sizes: no letter of any figure below 22 px, thicker lines, the same data, titles in lines."""

import copy
from typing import Any

import plotly.graph_objects as go
import pytest

from engine.runs.sample_runs import recorded_ids, recorded_run
from viz.methods.views import exhibits_of
from viz.parts.figure_parts import rows_axis
from viz.parts.projector import SMALLEST_LETTER, TITLE_WIDTH, for_last_row, letters, page_rules
from viz.parts.theme import DARK, LIGHT

DATA = ("x", "y", "z", "text", "customdata", "hovertext", "base", "open")


def sizes(part: Any, inside: str = "") -> list[float]:
    """Return the size of every font in a part of a figure."""
    if isinstance(part, dict):
        here = [part["size"]] if "font" in inside and isinstance(part.get("size"), int | float) else []
        return here + [size for key, value in part.items() if key != "template" for size in sizes(value, key)]
    if isinstance(part, list | tuple):
        return [size for one in part for size in sizes(one, inside)]
    return []


def every_figure() -> list[tuple[str, Any]]:
    """Return every figure of two recorded runs, by name."""
    shown = []
    for run_id in recorded_ids()[:2]:
        for outcome in recorded_run(run_id).outcomes:
            found = exhibits_of(outcome.result) if outcome.result is not None else ()
            shown += [(f"{run_id}/{one.name}", one.draw) for one in found if one.draw is not None]
    return shown


def test_no_letter_of_any_figure_is_below_22_px_and_its_data_stay() -> None:
    for name, draw in every_figure():
        for theme in (LIGHT, DARK):
            plain = draw(theme)
            before = copy.deepcopy(plain.to_plotly_json())
            after = for_last_row(plain).to_plotly_json()
            assert min(sizes(after)) >= SMALLEST_LETTER, name
            assert after["layout"]["height"] > before["layout"]["height"], name
            for one, other in zip(before["data"], after["data"], strict=True):
                assert all(str(one.get(key)) == str(other.get(key)) for key in DATA), name


def test_lines_and_marks_are_half_as_thick_again() -> None:
    figure = go.Figure(go.Scatter(x=[1], y=[2], mode="lines+markers", line={"width": 2}, marker={"size": [8, 10]}))
    larger = for_last_row(figure).data[0]
    assert larger.line.width == 3 and list(larger.marker.size) == [12, 15]


def test_letters_written_into_a_text_grow_too_and_keep_clear_of_their_mark() -> None:
    figure = go.Figure().add_annotation(text='<span style="font-size:14px">certain</span>', yshift=28)
    note = for_last_row(figure).layout.annotations[0]
    assert "font-size:22px" in note.text and note.yshift == 42


def test_a_long_title_is_broken_into_lines_that_make_room_for_themselves() -> None:
    short, long = (
        go.Figure(layout={"title": {"text": text}, "height": 400}) for text in ("Tea", "a title & more " * 12)
    )
    one, many = for_last_row(short).layout, for_last_row(long).layout
    lines = many.title.text.split("<br>")
    assert len(lines) > 1 and all(len(line.replace("&amp;", "&")) <= TITLE_WIDTH for line in lines)
    assert many.height - one.height == many.margin.t - one.margin.t > 0
    assert "&amp;" in many.title.text


def test_named_rows_grow_with_their_letters_where_other_figures_end_at_the_height_of_a_screen() -> None:
    rows, other = (go.Figure(layout={"height": 1050}) for _ in range(2))
    rows.update_yaxes(rows_axis(["A passage<br>helps alone,<br>unclear<br>among others"] * 10))
    # A row of four lines at 22 px, 1.3 apart, needs 114 px; ten have 1418 px, less title and axis.
    assert (for_last_row(rows).layout.height, for_last_row(other).layout.height) == (1418, 900)


@pytest.mark.parametrize(("size", "expected"), [(8, 22), (14, 22), (17, 27), ([12, 20], [22, 32]), (None, None)])
def test_a_font_is_at_least_22_px(size: object, expected: object) -> None:
    assert letters(size) == expected


def test_the_page_hides_the_sidebar_and_what_only_one_reader_needs() -> None:
    rules = page_rules(LIGHT)
    assert "font-size:22px" in rules
    assert all(f'"{name}"' in rules for name in ("stSidebar", "stPopover", "stDownloadButton"))
