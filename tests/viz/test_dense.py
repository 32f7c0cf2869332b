"""DENSE drawn: numbers worked by hand in sample_results."""

import math
from dataclasses import replace

import plotly.graph_objects as go
import pytest

from tests.viz import sample_results as samples
from viz import dense
from viz.theme import DARK, LIGHT
from viz.verdicts import verdict_html

EVERY_RESULT = (
    samples.dense_full,
    samples.dense_understood,
    samples.dense_two_not_measured,
    samples.dense_mostly_not_measured,
    samples.dense_none_measured,
    samples.dense_one_chunk,
    samples.dense_hostile,
)


def trace_with_data(figure: go.Figure, length: int) -> go.Scatter:
    """Return the trace that carries customdata for ``length`` points."""
    return next(trace for trace in figure.data if trace.customdata is not None and len(trace.customdata) == length)


def test_the_sample_has_the_entropy_its_docstring_works_out() -> None:
    assert samples.dense_full().entropy == pytest.approx(0.512670, abs=1e-6)
    assert samples.dense_understood().entropy == pytest.approx(0.162342, abs=1e-6)
    assert samples.dense_one_chunk().entropy == pytest.approx(math.log(2))


def test_a_low_entropy_reads_as_understood_with_share_count_and_threshold() -> None:
    verdict = dense.verdict(samples.dense_understood())
    assert (verdict.word, verdict.tone) == ("understood", "good")
    assert verdict.sentence == (
        "The model understood the passages: DSE 0.16 nats (9% of its maximum) over 5 of 5 rewordings, below the "
        "paper's threshold 0.2. Chunk 2 is necessary: without it the answer changes to “1909”."
    )


def test_a_high_entropy_reads_as_not_understood_and_names_both_kinds_of_uncertain_chunks() -> None:
    verdict = dense.verdict(samples.dense_full())
    assert (verdict.word, verdict.tone) == ("not understood", "bad")
    assert "DSE 0.51 nats (29% of its maximum)" in verdict.sentence
    assert "Chunk 2 is necessary: without it the answer changes to “In 1889 or 1890, during the Fair”." in (
        verdict.sentence
    )
    assert "Chunk 3 is unnecessary" in verdict.sentence


def test_three_valid_rewordings_of_five_still_give_a_verdict_and_two_do_not() -> None:
    assert dense.verdict(samples.dense_two_not_measured()).word == "understood"
    assert "Chunks 2 and 4 were not measured." in dense.sentence(samples.dense_two_not_measured())
    few = dense.verdict(samples.dense_mostly_not_measured())
    assert (few.word, few.tone) == ("cannot tell", "unknown")
    assert few.sentence.startswith("Too few rewordings passed their checks to tell")


def test_nothing_measured_is_said_with_its_reason_and_never_as_zero() -> None:
    result = samples.dense_none_measured()
    assert dense.verdict(result).word == "cannot tell"
    assert "no rewrite kept its numbers" in dense.sentence(result)
    assert "0.00" not in dense.sentence(result)
    assert "no rewrite kept its numbers" in str(dense.entropy_bar(result, LIGHT).to_dict())


def test_a_fitted_threshold_is_not_called_the_papers() -> None:
    result = replace(samples.dense_full(), threshold_source="fitted", threshold=0.31)
    assert "above the fitted threshold 0.31" in dense.sentence(result)
    assert [note.text for note in dense.entropy_bar(result, LIGHT).layout.annotations] == ["threshold 0.31 (fitted)"]
    notes = [note.text for note in dense.entropy_bar(samples.dense_full(), LIGHT).layout.annotations]
    assert notes == ["threshold 0.2 (paper&#x27;s, set for 1.5B–70B models at k = 5)"]


def test_a_negative_zero_entropy_is_shown_without_a_sign() -> None:
    result = replace(samples.dense_two_not_measured(), entropy=-0.0, share=-0.0)
    assert "DSE 0.00 nats (0% of its maximum)" in dense.sentence(result)
    assert "-0" not in dense.entropy_latex(result).split("=")[-1]


def test_the_graph_title_counts_rewordings_that_keep_the_answer() -> None:
    assert dense.graph_title(samples.dense_full()) == "3 of 5 rewordings leave the answer as it was"
    assert dense.graph_title(samples.dense_understood()) == "4 of 5 rewordings leave the answer as it was"
    assert dense.graph_title(samples.dense_two_not_measured()) == "3 of 3 rewordings leave the answer as it was"
    assert dense.graph_title(samples.dense_hostile()) == "1 of 4 rewordings leaves the answer as it was"
    assert dense.graph_title(samples.dense_one_chunk()) == "The one rewording does not leave the answer as it was"
    assert dense.graph_title(samples.dense_none_measured()) == "No rewording could be measured"


def test_every_node_carries_its_chunk_and_the_original_carries_minus_one() -> None:
    figure = dense.entailment_graph(samples.dense_two_not_measured(), LIGHT)
    assert [list(data) for data in trace_with_data(figure, 5).customdata] == [[0], [1], [2], [3], [4]]
    assert [list(data) for data in trace_with_data(figure, 1).customdata] == [[-1]]


def test_the_original_is_in_the_middle_and_the_first_measured_chunk_at_the_top() -> None:
    places = dense.node_places(samples.dense_two_not_measured())
    assert places[-1] == (0.0, 0.0)
    assert places[0] == pytest.approx((0.0, 1.0), abs=1e-6)
    assert places[2][0] > 0 > places[4][0]


def test_chunks_not_measured_stand_outside_the_ring_hollow_and_grey() -> None:
    result = samples.dense_two_not_measured()
    places = dense.node_places(result)
    assert places[1][0] == places[3][0] == dense.OUTSIDE
    assert places[1][1] > places[3][1]
    nodes = trace_with_data(dense.entailment_graph(result, LIGHT), 5)
    assert nodes.marker.color[1] == LIGHT.page
    assert nodes.marker.line.color[1] == LIGHT.unknown
    assert nodes.marker.color[0] == LIGHT.good


def test_the_legend_names_only_the_kinds_of_edges_that_are_drawn() -> None:
    named = [trace.name for trace in dense.entailment_graph(samples.dense_full(), DARK).data if trace.name]
    assert [name.split(":")[-1].strip() for name in named] == ["1", "0.5", "0"]
    only = [trace.name for trace in dense.entailment_graph(samples.dense_two_not_measured(), DARK).data if trace.name]
    assert [name.split(":")[-1].strip() for name in only] == ["1"]


def test_pairs_of_rewordings_that_do_not_agree_have_no_edge_between_them() -> None:
    figure = dense.entailment_graph(samples.dense_full(), LIGHT)
    thin = [trace for trace in figure.data if trace.mode == "lines" and trace.line.width < 2]
    assert sum(len(trace.x) for trace in thin) == 3 * (3 + 4)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("make", EVERY_RESULT)
def test_every_figure_is_drawn_for_every_result_on_a_transparent_ground(make, theme) -> None:  # type: ignore[no-untyped-def]
    result = make()
    for draw in (dense.entailment_graph, dense.weight_matrix, dense.entropy_bar):
        figure = draw(result, theme)
        assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"
        assert figure.layout.title.text
    assert len(dense.chunk_table(result)) == len(result.chunks)


def test_markup_in_answers_never_reaches_a_figure_or_the_page_as_markup() -> None:
    result = samples.dense_hostile()
    for draw in (dense.entailment_graph, dense.weight_matrix, dense.entropy_bar):
        assert "<script" not in str(draw(result, LIGHT).to_dict())
    assert "<script" not in verdict_html(dense.verdict(result), LIGHT)
    hostile = replace(result.chunks[0], passage=replace(result.chunks[0].passage, text=samples.HOSTILE))
    assert "<script" not in dense.rewrite_diff_html(hostile, LIGHT)


def test_an_empty_answer_is_shown_as_empty_and_a_long_one_is_cut_on_the_node_but_whole_on_hover() -> None:
    figure = dense.entailment_graph(samples.dense_hostile(), LIGHT)
    labels = " ".join(note.text for note in figure.layout.annotations)
    assert "(empty)" in labels
    assert "It was opened to the publ…" in labels
    assert "ceremony It was opened" in trace_with_data(figure, 5).hovertext[3].replace("<br>", " ")


def test_the_matrix_counts_pairs_and_a_cell_carries_both_chunks() -> None:
    result = samples.dense_full()
    figure = dense.weight_matrix(result, LIGHT)
    assert figure.layout.title.text == "6 of 15 pairs of answers agree both ways"
    assert dense.matrix_sentence(result) == ("Of 15 pairs of answers 6 agree both ways, 5 one way only, 4 not at all.")
    cells = trace_with_data(figure, 36)
    assert list(cells.customdata[0]) == [-1, -1]
    assert list(cells.customdata[6 * 2 + 3]) == [1, 2]
    assert figure.data[0].text[0][3] == "0.5"


def test_the_table_leaves_what_was_not_measured_missing_and_names_the_failed_check() -> None:
    table = dense.chunk_table(samples.dense_two_not_measured())
    assert table["agreement"].isna().tolist() == [False, True, False, True, False]
    assert table.loc[1, "checks failed"] == "numbers"
    assert table["chunk"].tolist() == [1, 2, 3, 4, 5]


def test_the_checks_of_every_attempt_are_listed() -> None:
    table = dense.checks_table(samples.dense_two_not_measured().chunks[1])
    assert len(table) == 10
    assert table.loc[3, "outcome"] == "failed"
    assert table.loc[3, "what was seen"] == "lost: 1889"


def test_a_rewording_marks_the_words_that_differ_on_both_sides() -> None:
    html = dense.rewrite_diff_html(samples.dense_full().chunks[1], LIGHT)
    assert ">visitors</ins>" in html
    assert ">public</del>" in html
    assert "accepted" in html
    rejected = dense.rewrite_diff_html(samples.dense_two_not_measured().chunks[1], LIGHT)
    assert "rejected by a check" in rejected


def test_the_formula_holds_this_runs_degrees() -> None:
    latex = dense.entropy_latex(samples.dense_full())
    assert latex.count(r"\ln\tfrac{4.5}{6}") == 4
    assert r"\ln\tfrac{1.5}{6}" in latex
    assert "0.5127" in latex
    assert dense.entropy_latex(samples.dense_none_measured()) == ""


def test_the_most_telling_chunk_is_the_necessary_one() -> None:
    assert dense.most_telling(samples.dense_full()) == 1
    assert dense.most_telling(samples.dense_two_not_measured()) == 1
    assert dense.most_telling(samples.dense_one_chunk()) == 0
