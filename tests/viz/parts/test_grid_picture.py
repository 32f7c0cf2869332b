"""Tests of the grids as pictures: whole, inside their frame, and letters for text from elsewhere."""

import re
from xml.etree import ElementTree

import pytest

from tests.viz.sample_timing_results import timing_full, timing_hostile, timing_unmeasured
from tests.viz.sample_uncertainty import baselines, nothing_measured
from viz.methods.lanes_grid import lanes_html, lanes_svg
from viz.methods.uncertainty import measures_html, measures_svg
from viz.parts.grid_picture import GridPicture, PictureCell, grid_svg
from viz.parts.theme import DARK, LIGHT, Theme

SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg: str) -> ElementTree.Element:
    """Return a picture read as XML."""
    return ElementTree.fromstring(svg)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_lanes_have_as_many_marks_as_the_grid_on_the_page(theme: Theme) -> None:
    html, svg = lanes_html(timing_full(), "grid"), lanes_svg(timing_full(), theme)
    for sign in "◆◇":
        # Page and picture both name the sign once more in their key.
        assert svg.count(f">{sign}<") == len(re.findall(rf">{sign}<", html))
    assert svg.count(theme.page) == 1


def test_every_value_of_the_measures_stands_in_the_picture() -> None:
    values = re.findall(r"<b>([^<]*)</b>", str(measures_html(baselines())))
    texts = [one.text for one in drawn(measures_svg(baselines(), LIGHT)).iter(f"{SVG}tspan")]
    assert [value for value in values if value] == [text for text in texts if text in values]


def test_every_text_begins_inside_the_frame() -> None:
    for svg in (lanes_svg(timing_full(), LIGHT), measures_svg(baselines(), LIGHT)):
        picture = drawn(svg)
        width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
        for text in picture.iter(f"{SVG}text"):
            if "x" in text.attrib:
                assert 0 < float(text.attrib["x"]) < width
                assert 0 < float(text.attrib["y"]) < height


def test_without_measurement_there_is_no_picture() -> None:
    assert lanes_svg(timing_unmeasured(), LIGHT) == measures_svg(nothing_measured(), LIGHT) == ""


def test_text_from_elsewhere_stays_text() -> None:
    hostile = "<script>alert(1)</script>&"
    cell = PictureCell(text=hostile, colour=LIGHT.text, rest=hostile)
    grid = GridPicture(title=hostile, names=[hostile], besides=[hostile], heads=[hostile], cells=[[cell]], column=400)
    for svg in (grid_svg(grid, LIGHT), lanes_svg(timing_hostile(), LIGHT)):
        assert {one.tag.removeprefix(SVG) for one in drawn(svg).iter()} <= {
            "svg",
            "title",
            "rect",
            "g",
            "text",
            "tspan",
            "path",
        }
