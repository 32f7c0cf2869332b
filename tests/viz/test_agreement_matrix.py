"""The weight matrix: its cells, counted by hand."""

import plotly.graph_objects as go

from tests.viz import sample_results as samples
from tests.viz.numbers_in_text import numbers_in
from viz.agreement_matrix import matrix_sentence, weight_matrix
from viz.theme import LIGHT


def trace_with_data(figure: go.Figure, length: int) -> go.Scatter:
    """Return the trace that carries customdata for ``length`` points."""
    return next(trace for trace in figure.data if trace.customdata is not None and len(trace.customdata) == length)


def test_the_matrix_counts_pairs_and_a_cell_carries_both_chunks() -> None:
    result = samples.dense_full()
    figure = weight_matrix(result, LIGHT)
    assert numbers_in(figure.layout.title.text) == ["6", "15"]
    assert numbers_in(matrix_sentence(result)) == ["15", "6", "5", "4"]
    cells = trace_with_data(figure, 36)
    assert list(cells.customdata[0]) == [-1, -1]
    assert list(cells.customdata[6 * 2 + 3]) == [1, 2]
    assert figure.data[0].text[0][3] == "0.5"
