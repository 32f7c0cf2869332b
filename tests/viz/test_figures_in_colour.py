"""Every figure of every method: no colour is the only sign, marks and words stand out, nothing is printed small."""

from collections.abc import Iterator
from functools import cache

import plotly.graph_objects as go
import pytest

from engine.backends.entailment.measured import judge_quality
from engine.runs.compare import align_tokens
from tests.engine.catalogue.nine_methods import nine
from tests.viz import sample_results, sample_uncertainty
from tests.viz.colour_vision import contrast
from viz.methods.views import exhibits_of
from viz.parts.theme import THEMES, Theme
from viz.runs.compare import token_figure
from viz.workspace.judge_quality import agreement_bars, reliability_diagram

pytestmark = pytest.mark.parametrize("mode", ["light", "dark"])
LEAST_FONT = 12
GROUNDS = {theme.page for theme in THEMES.values()}
# Where one trace's dots differ in colour and not in shape, the words that say the same stand at each dot.
SAID_IN_WORDS = {
    "dense-graph": "each node's label and its spoke's weight",
    "chunk-utility": "the verdict under the chunk's name on the axis",
    "quco-entities": "the count in its bar",
}


@cache
def drawn(mode: str) -> tuple[tuple[str, go.Figure], ...]:
    """Return every figure of a run with nine methods, of others, of the judge and of Compare, by name."""
    theme = THEMES[mode]
    results = [outcome.result for outcome in nine().outcomes if outcome.result is not None]
    results += [sample_results.dense_full(), sample_results.dense_two_not_measured(), sample_results.seper_helped()]
    results += [sample_results.seper_noise(), sample_uncertainty.baselines(), sample_uncertainty.chunk_utility()]
    results += [sample_uncertainty.sugar_several()]
    shown = [(one.name, one.draw(theme)) for result in results for one in exhibits_of(result) if one.draw is not None]
    return (*shown, *others(theme))


def others(theme: Theme) -> Iterator[tuple[str, go.Figure]]:
    """Yield the figures of the judge and of Compare, by name."""
    quality = judge_quality()
    assert quality is not None
    yield "judge-agreement", agreement_bars(quality, theme)
    yield "judge-reliability", reliability_diagram(quality, theme)
    answers = nine().answer, nine().closed_book
    yield "compared-tokens", token_figure("the answer", align_tokens(answers[0].tokens, answers[1].tokens), theme)


def looks(trace: dict) -> tuple[object, ...]:
    """Return all that a legend's entry looks like but for its colour: kind, shape, dash, hatch, hollow or full."""
    marker, line = trace.get("marker", {}), trace.get("line", {})
    pattern = marker.get("pattern", {}).get("shape")
    hollow = "rgba" in str(marker.get("color")) or marker.get("color") in list(GROUNDS)
    shape, size = marker.get("symbol"), marker.get("size")
    size = None if isinstance(size, list | tuple) else size
    shape = str(shape)
    return trace["type"], trace.get("mode"), shape, size, line.get("dash"), line.get("width"), str(pattern), hollow


def test_two_entries_of_a_legend_differ_in_more_than_colour(mode: str) -> None:
    alike = []
    for name, figure in drawn(mode):
        named = [trace.to_plotly_json() for trace in figure.data if trace.name and trace.showlegend is not False]
        seen: dict[tuple[object, ...], str] = {}
        for trace in named:
            other = seen.setdefault(looks(trace), trace["name"])
            if other != trace["name"]:
                alike.append((name, other, trace["name"]))
    assert alike == []


def test_dots_of_two_colours_have_two_shapes_or_words_beside_them(mode: str) -> None:
    bare = set()
    for name, figure in drawn(mode):
        for trace in figure.data:
            marker = trace.to_plotly_json().get("marker", {})
            colours, shapes = marker.get("color"), marker.get("symbol")
            shapes = shapes or marker.get("pattern", {}).get("shape")
            if not isinstance(colours, list | tuple) or len(set(colours)) < 2:
                continue
            if not isinstance(shapes, list | tuple) or len(set(shapes)) < len(set(colours)):
                bare.add(name)
    assert bare - set(SAID_IN_WORDS) == set()


def words(figure: go.Figure) -> Iterator[tuple[str, dict, str]]:
    """Yield (what it is, its font, its text) of every piece of text whose font a figure sets itself."""
    layout = figure.layout.to_plotly_json()
    yield "figure", layout["font"], ""
    yield "title", layout["title"]["font"], layout["title"]["text"]
    for key, part in layout.items():
        if key.startswith(("xaxis", "yaxis", "legend")):
            yield key, part.get("tickfont", {}), ""
            yield key, part.get("font", {}), ""
            title = part.get("title", {})
            yield key, title.get("font", {}) if isinstance(title, dict) else {}, ""
    for note in layout.get("annotations", ()):
        yield "annotation", note.get("font", {}), note.get("text", "")
    for trace in figure.data:
        for key in ("textfont", "insidetextfont", "outsidetextfont"):
            yield key, trace.to_plotly_json().get(key, {}), trace.name or ""


def test_no_word_in_a_figure_is_smaller_than_twelve_pixels(mode: str) -> None:
    small = {
        (name, what, font["size"])
        for name, figure in drawn(mode)
        for what, font, _ in words(figure)
        if font.get("size", 14) < LEAST_FONT
    }
    assert small == set()


def test_words_on_the_page_reach_four_and_a_half_to_one(mode: str) -> None:
    theme = THEMES[mode]
    faint = set()
    for name, figure in drawn(mode):
        for what, font, text in words(figure):
            inside = what in ("insidetextfont", "textfont") or font.get("color") == theme.page
            if isinstance(font.get("color"), str) and not inside and contrast(font["color"], theme.page) < 4.5:
                faint.add((name, what, text, font["color"]))
    assert faint == set()


def inks(trace: dict) -> set[str]:
    """Return the colours that make a trace's marks seen: its outlines, or what fills them where an outline has none."""
    marker, line = trace.get("marker", {}), trace.get("line", {})
    if marker.get("opacity") == 0 or trace.get("mode") == "text":
        return set()
    found = flat(line.get("color")) if "lines" in str(trace.get("mode")) else set()
    if trace["type"] == "bar" or "markers" in str(trace.get("mode")):
        outline = marker.get("line", {})
        edges = flat(outline.get("color")) - GROUNDS if outline.get("width") else set()
        found |= edges or flat(marker.get("color"))
    return found


def flat(colours: object) -> set[str]:
    """Return one colour, or each of many, as a set."""
    return set(colours) if isinstance(colours, list | tuple) else {colours} if isinstance(colours, str) else set()


def test_every_mark_stands_out_from_the_page_three_to_one(mode: str) -> None:
    theme = THEMES[mode]
    faint = {
        (name, trace.name, colour, round(contrast(colour, theme.page), 2))
        for name, figure in drawn(mode)
        for trace in figure.data
        for colour in inks(trace.to_plotly_json())
        if colour != theme.page and contrast(colour, theme.page) < 3.0
    }
    assert faint == set()
