"""The entropy of the answers on its range, numbers worked by hand in sample_results."""

from tests.viz import sample_results as samples
from viz.entropy_bar import entropy_latex


def test_the_formula_holds_this_runs_degrees() -> None:
    latex = entropy_latex(samples.dense_full())
    assert latex.count(r"\ln\tfrac{4.5}{6}") == 4
    assert r"\ln\tfrac{1.5}{6}" in latex
    assert "0.5127" in latex
    assert entropy_latex(samples.dense_none_measured()) == ""
