"""The move of belief: numbers worked by hand in sample_results."""

from dataclasses import replace

import pytest

from engine.core.records import Interval
from tests.viz import sample_results as samples
from tests.viz.numbers_in_text import numbers_in
from viz.methods.belief_change import delta_figure, delta_latex, delta_title
from viz.parts.theme import LIGHT


def test_the_move_is_drawn_from_without_to_with_and_labelled_with_its_delta() -> None:
    figure = delta_figure(samples.seper_helped(), LIGHT)
    assert numbers_in(figure.layout.title.text) == ["+0.49", "0.18", "0.76"]
    arrows = [note for note in figure.layout.annotations if note.ax is not None]
    assert (arrows[0].ax, arrows[0].x) == (0.21, 0.70)
    assert arrows[0].arrowcolor == LIGHT.good
    assert [note.text for note in figure.layout.annotations if note.text] == ["<b>Δ +0.49</b>", "<b>Δ +0.50</b>"]


def test_the_intervals_of_both_conditions_are_drawn_at_their_ends() -> None:
    figure = delta_figure(samples.seper_helped(), LIGHT)
    spans = [trace for trace in figure.data if trace.error_x.array is not None]
    assert list(spans[0].error_x.array) == pytest.approx([0.26, 0.27])
    assert list(spans[0].error_x.arrayminus) == pytest.approx([0.18, 0.17])


def test_the_title_says_that_the_kernels_disagree() -> None:
    still = Interval(low=-0.01, high=0.04)
    result = replace(samples.seper_hurt(), delta_hard=0.01, delta_hard_interval=still)
    assert numbers_in(delta_title(result)) == ["−0.490", "−0.760", "−0.180", "+0.010"]


def test_a_tiny_change_is_no_noise_and_of_wrong_answers_no_belief() -> None:
    tiny = replace(
        samples.seper_noise(),
        delta_soft=0.05,
        delta_soft_interval=Interval(low=0.046, high=0.06),
        without=replace(samples.seper_noise().without, soft=0.08),
        with_passages=replace(samples.seper_noise().with_passages, soft=0.13),
    )
    assert numbers_in(delta_title(tiny)) == ["+0.05", "0.05", "0.06"]
    wrong = replace(
        tiny,
        without=replace(tiny.without, hard=0.0),
        with_passages=replace(tiny.with_passages, hard=0.0),
        delta_hard=0.0,
    )
    assert delta_title(wrong) != delta_title(tiny) and "+0.05 (0.05 to 0.06)" in delta_title(wrong)


def test_without_gold_the_move_is_a_sentence_and_not_a_zero() -> None:
    figure = delta_figure(samples.seper_no_gold(), LIGHT)
    assert len(figure.data) == 0
    assert len(figure.layout.annotations) == 1


def test_the_formula_holds_this_runs_values() -> None:
    assert delta_latex(samples.seper_helped()).endswith("0.7000 - 0.2100 = +0.4900")
    assert delta_latex(samples.seper_no_gold()) == ""
