"""The weight matrix: its cells, counted by hand."""

from tests.viz import sample_results as samples
from tests.viz.drawn_traces import trace_with_data
from tests.viz.numbers_in_text import numbers_in
from viz.methods.agreement_matrix import matrix_sentence, weight_matrix
from viz.parts.theme import LIGHT


def test_the_matrix_counts_pairs_and_a_cell_carries_both_chunks() -> None:
    result = samples.dense_full()
    figure = weight_matrix(result, LIGHT)
    assert numbers_in(figure.layout.title.text) == ["6", "15"]
    assert numbers_in(matrix_sentence(result)) == ["15", "6", "5", "4"]
    cells = trace_with_data(figure, 36)
    assert list(cells.customdata[0]) == [-1, -1]
    assert list(cells.customdata[6 * 2 + 3]) == [1, 2]
    assert figure.data[0].text[0][3] == "0.5"


def test_one_pair_of_answers_is_told_in_the_singular() -> None:
    result = samples.dense_one_chunk()
    weight = result.weights[0][1]
    said = {1.0: "agrees both ways", 0.5: "agrees one way only", 0.0: "does not agree"}[weight]
    assert matrix_sentence(result) == f"The one pair of answers {said}."
    assert weight_matrix(result, LIGHT).layout.title.text == f"The one pair of answers {said}"
