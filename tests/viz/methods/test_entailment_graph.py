"""The entailment graph: places, edges and labels of answers worked by hand in sample_results."""

import math
from dataclasses import replace

import pytest

from engine.methods.dense_records import DenseResult
from tests.viz import sample_results as samples
from tests.viz.drawn_traces import trace_with_data
from tests.viz.numbers_in_text import numbers_in
from viz.methods.dense import LABEL_TONES
from viz.methods.entailment_graph import (
    RING_WIDTH,
    entailment_graph,
    from_where_they_differ,
    graph_sentence,
    graph_title,
    node_places,
    side_way,
)
from viz.methods.verdicts import tone_colour
from viz.parts.theme import DARK, LIGHT


def test_the_graph_title_counts_rewordings_that_keep_the_answer() -> None:
    assert numbers_in(graph_title(samples.dense_full())) == ["3", "5"]
    assert numbers_in(graph_title(samples.dense_understood())) == ["4", "5"]
    assert numbers_in(graph_title(samples.dense_two_not_measured())) == ["3", "3"]
    assert numbers_in(graph_title(samples.dense_hostile())) == ["1", "4"]
    assert "changes" in graph_title(samples.dense_one_chunk())
    assert graph_title(samples.dense_none_measured()).startswith("No rewording")


def test_answers_that_state_nothing_keep_nothing_and_make_no_chunk_certain() -> None:
    whole = samples.dense_understood()
    chunks = tuple(replace(chunk, answer=samples.generation(""), label="certain", weight=1.0) for chunk in whole.chunks)
    silent = replace(whole, original=samples.generation(""), chunks=chunks)
    assert numbers_in(graph_title(silent)) == ["5"] and "keep" not in graph_title(silent)
    assert set(silent.labels.values()) == {"unclear"}
    colours = trace_with_data(entailment_graph(silent, LIGHT), 5).marker.color
    assert set(colours) == {tone_colour(LABEL_TONES["unclear"], LIGHT)}


def test_every_node_carries_its_chunk_and_the_original_carries_minus_one() -> None:
    figure = entailment_graph(samples.dense_two_not_measured(), LIGHT)
    assert [list(data) for data in trace_with_data(figure, 5).customdata] == [[0], [1], [2], [3], [4]]
    assert [list(data) for data in trace_with_data(figure, 1).customdata] == [[-1]]


def test_more_than_three_unmeasured_chunks_are_counted_in_the_small_graph_and_not_drawn() -> None:
    three, five = samples.dense_mostly_not_measured(), samples.dense_none_measured()
    assert len(trace_with_data(entailment_graph(three, LIGHT, compact=True), 5).x) == 5
    assert len(trace_with_data(entailment_graph(five, LIGHT), 5).x) == 5
    small = entailment_graph(five, LIGHT, compact=True)
    assert sum(len(one.x) for one in small.data if one.customdata is not None) == 1
    assert [numbers_in(one.text) for one in small.layout.annotations if "not measured" in one.text] == [["5"]]


def test_the_nodes_of_twenty_chunks_do_not_touch_in_the_small_graph() -> None:
    one = samples.dense_all_certain()
    twenty = replace(one, chunks=tuple(replace(one.chunks[0], index=place) for place in range(20)))
    sizes = [
        trace_with_data(entailment_graph(result, LIGHT, compact=True), len(result.chunks)).marker.size
        for result in (one, twenty)
    ]
    assert list(map(set, sizes)) == [{26}, {18}]


def test_in_the_small_graph_unmeasured_chunks_stand_clear_of_the_ring() -> None:
    result = samples.dense_two_not_measured()
    figure = entailment_graph(result, LIGHT, compact=True)
    nodes = trace_with_data(figure, 5)
    outside = [(nodes.x[place], nodes.y[place]) for place, one in enumerate(result.chunks) if one.weight is None]
    assert len(outside) == 2 and all(x < -RING_WIDTH and y > 1 for x, y in outside)
    assert sum("not measured" in note.text for note in figure.layout.annotations) == 1


def test_the_original_is_in_the_middle_and_the_first_measured_chunk_at_the_top() -> None:
    places = node_places(samples.dense_two_not_measured())
    assert places[-1] == (0.0, 0.0)
    assert places[0] == pytest.approx((0.0, 1.0), abs=1e-6)
    assert places[2][0] > 0 > places[4][0]


def test_chunks_not_measured_stand_outside_the_ring_hollow_and_grey() -> None:
    result = samples.dense_two_not_measured()
    places = node_places(result)
    assert places[1][1] == places[3][1] > max(places[chunk][1] for chunk in (0, 2, 4))
    assert places[1][0] < places[3][0]
    nodes = trace_with_data(entailment_graph(result, LIGHT), 5)
    assert nodes.marker.color[1] == LIGHT.page
    assert nodes.marker.line.color[1] == LIGHT.unknown
    assert nodes.marker.color[0] == LIGHT.model


def test_a_node_has_the_colour_of_its_label_at_any_agreement() -> None:
    result = samples.dense_two_not_measured()
    disagreeing = replace(result.chunks[0], label="necessary", weight=0.0)
    nodes = trace_with_data(entailment_graph(replace(result, chunks=(disagreeing, *result.chunks[1:])), LIGHT), 5)
    assert nodes.marker.color[0] == tone_colour(LABEL_TONES["necessary"], LIGHT) == LIGHT.middle


def test_the_legend_names_only_the_kinds_of_edges_that_are_drawn() -> None:
    named = [trace.name for trace in entailment_graph(samples.dense_full(), DARK).data if trace.name]
    assert [name.split(":")[-1].strip() for name in named] == ["1", "0.5", "0"]
    only = [trace.name for trace in entailment_graph(samples.dense_two_not_measured(), DARK).data if trace.name]
    assert [name.split(":")[-1].strip() for name in only] == ["1"]


def test_pairs_of_rewordings_that_do_not_agree_have_no_edge_between_them() -> None:
    figure = entailment_graph(samples.dense_full(), LIGHT)
    thin = [trace for trace in figure.data if trace.mode == "lines" and trace.line.shape == "spline"]
    assert sum(len(trace.x) for trace in thin) == 3 * (3 + 4)


def test_an_empty_answer_is_shown_as_empty_and_a_long_one_is_cut_on_the_node_but_whole_on_hover() -> None:
    figure = entailment_graph(samples.dense_hostile(), LIGHT)
    labels = " ".join(note.text for note in figure.layout.annotations)
    assert "(empty)" in labels
    assert "It was opened to the<br>public on the<br>thirty-first of March …" in labels
    assert "ceremony It was opened" in trace_with_data(figure, 5).hovertext[3].replace("<br>", " ")


def test_an_answer_in_the_same_words_says_so_and_another_one_is_spelled_out() -> None:
    labels = [note.text for note in entailment_graph(samples.dense_full(), LIGHT).layout.annotations]
    same = [label for label in labels if label and "the same words" in label]
    original = samples.dense_full().original.text
    assert len(same) == sum(chunk.answer.text == original for chunk in samples.dense_full().chunks if chunk.answer)
    assert "original answer: “" in entailment_graph(samples.dense_full(), LIGHT).layout.title.subtitle.text


def test_a_quoted_answer_that_ends_with_a_full_stop_gets_no_second_one() -> None:
    result = samples.dense_full()
    result = replace(result, original=replace(result.original, text="It is Saturn."))
    assert "“It is Saturn.” Reworded" in graph_sentence(result)


def test_a_long_answer_is_labelled_from_where_it_differs() -> None:
    original = "The British expedition was led by John Hunt."
    assert from_where_they_differ("The British expedition was led by Edmund Hillary.", original) == (
        "… by Edmund Hillary."
    )
    assert from_where_they_differ("The end", original) == "The end"
    assert from_where_they_differ("The British expedition was led", original) == "The British expedition was led"


def test_a_line_between_opposite_rewordings_goes_round_the_original() -> None:
    way = side_way((0.0, 1.0), (0.0, -1.0))
    assert len(way) == 3
    assert math.hypot(*way[1]) == pytest.approx(0.76)
    assert side_way((0.0, 1.0), (1.75, 0.0)) == ((0.0, 1.0), (1.75, 0.0))


def twenty() -> DenseResult:
    """Return a result over twenty chunks, every third of which changes the answer."""
    base, chunks = samples.dense_full(), samples.dense_full().chunks
    same = next(chunk for chunk in chunks if chunk.weight == 1)
    other = next(chunk for chunk in chunks if chunk.weight == 0)
    many = tuple(replace(other if index % 3 == 0 else same, index=index) for index in range(20))
    weights = tuple(tuple(float(a == b or bool(a and b)) for b in range(21)) for a in range(21))
    return replace(base, chunks=many, members=(-1, *range(20)), weights=weights)


def test_beyond_eight_chunks_nodes_say_their_label_only_and_outside_the_ring() -> None:
    result, figure = twenty(), entailment_graph(twenty(), LIGHT)
    places = node_places(result)
    notes = [note for note in figure.layout.annotations if note.text.endswith("</span>")]
    assert len(notes) == 20
    assert {note.text.split(">")[1].split("<")[0] for note in notes} == {chunk.label for chunk in result.chunks}
    assert [note for note in notes if abs(note.x) > 1 and (note.xanchor == "left") != (note.x > 0)] == []
    # At the top and the foot the ring is 0.3 rad a step: 60 px of the narrowest figure, more than a label's half.
    assert trace_with_data(figure, 20).marker.size == (30,) * 20
    assert len(places) == 21


def test_few_chunks_keep_their_answers_at_their_nodes() -> None:
    figure = entailment_graph(samples.dense_full(), LIGHT)
    assert trace_with_data(figure, 5).marker.size == (46,) * 5
    assert any("the same words" in note.text for note in figure.layout.annotations)


def test_beyond_six_chunks_the_small_graph_speaks_only_of_those_that_stand_out() -> None:
    def said(count: int) -> list[str]:
        result = twenty()
        chunks, weights = result.chunks[:count], tuple(row[: count + 1] for row in result.weights[: count + 1])
        some = replace(result, chunks=chunks, members=(-1, *range(count)), weights=weights)
        notes = entailment_graph(some, LIGHT, compact=True).layout.annotations
        return [note.text for note in notes if note.text != "original" and not note.text.isdecimal()]

    assert [said(6).count("same answer"), said(7).count("same answer")] == [4, 0]
    # Of seven, the first, the fourth and the seventh change the answer.
    assert len(said(7)) == 3
