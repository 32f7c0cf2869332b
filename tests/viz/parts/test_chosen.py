"""The chosen thing is drawn with an outline and weight in every figure; the others are fainter and still there."""

import pytest

from tests.viz.sample_results import dense_full, generation, hits, seper_helped
from tests.viz.sample_trend_results import sample_quco_result, voyage_result
from viz.methods.agreement_matrix import weight_matrix
from viz.methods.answer_strip import answer_strip_html
from viz.methods.belief_bars import belief_bars, belief_rows, row_of
from viz.methods.cooccurrence_network import cooccurrence_network
from viz.methods.entailment_graph import entailment_graph
from viz.methods.evidence import sentence_strip_html
from viz.methods.quco_rag import claims_with_sentences
from viz.methods.trend_figure import trend_figure
from viz.parts.chosen import FAINT, RING, fade_points, faded, framed_html
from viz.parts.theme import DARK, LIGHT, Theme
from viz.parts.token_strip import token_strip_html
from viz.runs.summary import hits_html

BOTH = pytest.mark.parametrize("theme", [LIGHT, DARK])


def luminance(colour: str) -> float:
    """Return the relative luminance of a hex colour (WCAG 2)."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@BOTH
def test_a_number_on_a_faded_node_keeps_a_contrast_of_three_to_one(theme: Theme) -> None:
    for colour in (theme.good, theme.middle, theme.bad):
        light, dark = sorted((luminance(faded(colour, theme)), luminance(theme.text)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 3


@BOTH
def test_the_chosen_chunk_is_ringed_larger_and_named_in_the_graph(theme: Theme) -> None:
    plain, marked = entailment_graph(dense_full(), theme), entailment_graph(dense_full(), theme, 1)
    nodes = next(trace for trace in marked.data if trace.customdata is not None and len(trace.customdata) == 5)
    before = next(trace for trace in plain.data if trace.customdata is not None and len(trace.customdata) == 5)
    assert nodes.marker.line.width == (3, RING, 3, 3, 3)
    assert nodes.marker.line.color[1] == theme.text
    assert nodes.marker.size[1] > nodes.marker.size[0]
    assert nodes.marker.color[1] == before.marker.color[1]
    assert nodes.marker.color[0] != before.marker.color[0]
    assert len(nodes.x) == len(before.x)
    assert sum("◆ chosen" in note.text for note in marked.layout.annotations) == 1


def test_row_and_column_of_the_chosen_chunk_are_outlined_in_the_matrix() -> None:
    assert len(weight_matrix(dense_full(), LIGHT).layout.shapes) == 0
    marked = weight_matrix(dense_full(), LIGHT, 2)
    place = dense_full().members.index(2)
    spans = {(shape.x0, shape.x1, shape.y0, shape.y1) for shape in marked.layout.shapes}
    last = len(dense_full().members) - 0.5
    assert spans == {(-0.5, last, place - 0.5, place + 0.5), (place - 0.5, place + 0.5, -0.5, last)}
    assert all(shape.line.width == RING for shape in marked.layout.shapes)


def test_the_row_of_the_chosen_meaning_is_outlined_and_the_other_bars_are_faint() -> None:
    result = seper_helped()
    rows = belief_rows(result)
    figure = belief_bars(result, LIGHT, rows[1].text.upper())
    assert row_of(result, rows[1].text) == 1
    assert row_of(result, "") is None
    assert row_of(result, "said by nobody") is None
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert [bar.marker.opacity[1] for bar in bars] == [1.0, 1.0]
    assert {bar.marker.opacity[0] for bar in bars} == {FAINT}
    assert [(shape.y0, shape.y1) for shape in figure.layout.shapes] == [(0.52, 1.48)]
    assert figure.layout.yaxis.ticktext[1].startswith("<b>◆")


def test_the_chosen_word_stands_in_a_band_through_all_panels_of_the_trend() -> None:
    before, figure = trend_figure(voyage_result(), LIGHT), trend_figure(voyage_result(), LIGHT, None, 3)
    added = [shape for shape in figure.layout.shapes if shape not in before.layout.shapes]
    assert [(shape.x0, shape.x1, shape.yref) for shape in added] == [(2.5, 3.5, "paper")]
    assert any(note.text.startswith("<b>◆") for note in figure.layout.annotations)
    marks = [trace for trace in figure.data if trace.type == "scatter" and trace.customdata is not None]
    for trace in marks:
        opaque = [one[0] for one, opacity in zip(trace.customdata, trace.marker.opacity, strict=True) if opacity == 1]
        assert opaque in ([], [3])


def test_a_word_that_is_not_there_leaves_the_trend_as_it_was() -> None:
    assert trend_figure(voyage_result(), LIGHT, None, 9999) == trend_figure(voyage_result(), LIGHT)


def test_the_chosen_claim_is_a_thicker_named_line_with_ringed_ends() -> None:
    whole = next(
        row for row, (_, claim) in enumerate(claims_with_sentences(sample_quco_result())) if claim.tail is not None
    )
    figure = cooccurrence_network(sample_quco_result(), LIGHT, whole)
    lines = [trace for trace in figure.data if trace.mode == "lines" and trace.x[0] is not None]
    assert sorted({line.line.width for line in lines})[-1] == 8
    assert sum(line.line.width == 8 for line in lines) == 1
    assert {line.opacity for line in lines if line.line.width != 8} <= {FAINT}
    dots = next(trace for trace in figure.data if trace.mode == "markers" and not isinstance(trace.marker.opacity, int))
    assert sum(width == RING for width in dots.marker.line.width) == 2
    assert sum(note.text.startswith("<b>◆") for note in figure.layout.annotations) == 1


def test_strips_outline_the_chosen_token_word_and_sentence_once() -> None:
    tokens = generation("31 March 1889").tokens
    strip = token_strip_html(tokens, LIGHT, "answer", 1)
    assert strip.count("<mark") == 1
    assert "outline:3px solid" in strip
    assert "<mark" not in token_strip_html(tokens, LIGHT, "answer")
    assert answer_strip_html(voyage_result(), LIGHT, None, 2).count("outline:3px") == 1
    assert sentence_strip_html(sample_quco_result(), LIGHT, 0).count("claim of this sentence chosen") == 1
    assert "chosen" not in sentence_strip_html(sample_quco_result(), LIGHT, 999)


def test_the_chosen_passage_is_framed_and_named() -> None:
    found = hits_html(hits(), (), chosen=hits()[1].passage)
    assert found.count("rm-chosen-tag") == 1
    assert found.index("rm-chosen-tag") > found.index("1. ")
    assert "rm-chosen" not in hits_html(hits(), ())


def test_what_frames_a_block_escapes_its_name_and_leaves_the_block() -> None:
    assert "&lt;b&gt; chosen" in framed_html("<i>x</i>", "<b>", LIGHT)
    assert "<i>x</i>" in framed_html("<i>x</i>", "<b>", LIGHT)


def test_fading_changes_nothing_where_nothing_is_chosen() -> None:
    figure = trend_figure(voyage_result(), LIGHT)
    before = figure.to_json()
    fade_points(figure, None)
    assert figure.to_json() == before
