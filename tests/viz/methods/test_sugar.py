"""SUGAR's words and figure on results made by hand."""

from dataclasses import replace

import pytest

from tests.viz import sample_uncertainty as samples
from tests.viz.numbers_in_text import numbers_in
from viz.methods import sugar
from viz.methods.sugar_figure import entropy_figure, folded, title
from viz.parts.theme import DARK, LIGHT

EVERY = (samples.sugar_several, samples.sugar_none, samples.sugar_not_possible, samples.sugar_hostile)


def test_the_verdict_names_the_decision_the_number_and_the_answer() -> None:
    told = sugar.verdict(samples.sugar_several())
    assert told.word == "several lookups"
    assert numbers_in(told.sentence)[:3] == ["10", "5", "1.47"]
    assert "2 rounds" in told.sentence and "“31 March 1889”" in told.sentence


def test_a_lookup_that_was_not_possible_is_said_beside_the_decision() -> None:
    told = sugar.verdict(samples.sugar_not_possible())
    assert told.word == "several lookups"
    assert samples.sugar_not_possible().ending_reason in told.sentence


def test_no_lookup_is_said_with_the_threshold_it_stays_below() -> None:
    told = sugar.verdict(samples.sugar_none())
    assert (told.word, told.tone) == ("no lookup", "model")
    assert "0.33 nats, not above" in told.sentence and "threshold 0.40" in told.sentence


def test_another_form_is_replayed_and_what_it_would_read_needs_a_new_run() -> None:
    text = sugar.replay_sentence(samples.sugar_none(), "equation_1", 0.4, 0.9)
    assert numbers_in(text)[1:3] == ["1.20", "0.90"] and "several lookups" in text
    assert "run again" in text
    assert sugar.replay_sentence(samples.sugar_none(), "entropy", 0.4, 0.8).endswith("Same decision.")
    assert numbers_in(sugar.replay_sentence(samples.sugar_none(), "entropy", 0.4, 0.9)) == []  # the verdict has them


def test_the_figure_has_a_point_from_memory_and_one_after_each_measured_round() -> None:
    figure = entropy_figure(samples.sugar_several(), LIGHT)
    assert list(figure.data[0].text) == ["<b>1.47 nats</b> from memory", "<b>0.80 nats</b> after round 1"]
    assert list(figure.data[0].x) == pytest.approx([1.4708, 0.8018])
    assert numbers_in(figure.layout.title.text) == ["1.47", "0.80", "1"]
    assert figure.layout.xaxis.title.text == "semantic entropy (nats)"
    assert figure.layout.xaxis.range[0] < 0, "a dot at 0 stands within its zone"
    assert list(figure.layout.yaxis.range) == [1.5, -0.5], "memory above, the round below it"


def test_the_meanings_from_memory_stand_below_as_bars_and_their_shares_sum_to_one() -> None:
    figure = entropy_figure(samples.sugar_several(), LIGHT)
    bars = figure.data[1]
    assert list(bars.x) == sorted(bars.x, reverse=True) and sum(bars.x) == pytest.approx(1.0)
    assert sum("(4 samples)" in note.text for note in figure.layout.annotations) == 1
    many = [("a", 0.4, 4), ("b", 0.2, 2), ("c", 0.1, 1), ("d", 0.1, 1), ("e", 0.1, 1), ("f", 0.1, 1)]
    assert folded(many) == [*many[:4], ("others", pytest.approx(0.2), 2)]
    assert folded(many[:5]) == many[:5]


def test_moved_thresholds_move_the_zones_and_the_title() -> None:
    figure = entropy_figure(samples.sugar_several(), LIGHT, "entropy", 1.0, 1.5)
    assert figure.layout.title.text.endswith("0.80 nats after round 1") and "one lookup" in figure.layout.title.text
    assert sorted({shape.x0 for shape in figure.layout.shapes if shape.type == "line"}) == [1.0, 1.5]


def test_an_infinite_number_is_drawn_as_infinite_and_not_as_nothing() -> None:
    figure = entropy_figure(samples.sugar_hostile(), LIGHT)
    assert figure.layout.title.text.startswith("∞ from memory")
    assert "<b>∞</b> from memory" in [note.text for note in figure.layout.annotations]


def test_a_zone_too_narrow_for_its_name_has_none_that_would_lie_on_its_neighbours() -> None:
    def names(low: float, high: float) -> list[str]:
        figure = entropy_figure(samples.sugar_several(), LIGHT, "entropy", low, high)
        return [note.text.replace("<br>", " ") for note in figure.layout.annotations if "lookup" in note.text]

    assert names(0.4, 0.9) == ["no lookup", "one lookup", "several lookups"]
    assert names(0.4, 0.45) == ["no lookup", "several lookups"]


@pytest.mark.parametrize("make", EVERY)
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_result_is_drawn_without_markup_on_a_transparent_ground(make, theme) -> None:  # type: ignore[no-untyped-def]
    figure = entropy_figure(make(), theme)
    assert "<script" not in figure.to_json().replace("\\u003c", "<")
    assert figure.layout.plot_bgcolor == "rgba(0,0,0,0)"


def test_the_table_has_every_round_with_its_query_and_what_was_not_measured_is_missing() -> None:
    table = sugar.rounds_table(samples.sugar_several())
    assert list(table["step"]) == ["from memory", "round 1", "round 2"]
    assert table["query"].iloc[2] == "When was it opened? 15 May 1889"
    assert table["semantic entropy (nats)"].isna().tolist() == [False, False, True]
    assert table["new passages"].iloc[1] == "Eiffel Tower; Eiffel Tower"


def test_a_round_without_hits_says_why() -> None:
    assert "nothing to read" in sugar.round_sentence(samples.sugar_hostile().rounds[1])


def test_meanings_come_with_the_most_probable_first() -> None:
    table = sugar.meanings_table(samples.sugar_several().closed_book)
    assert list(table["samples"]) == [4, 2, 2, 1, 1]
    assert table["probability"].sum() == pytest.approx(1.0)


def test_a_page_sums_up_meanings_that_would_read_zero_and_the_exact_table_keeps_them() -> None:
    found = samples.sugar_several().closed_book
    shares = (0.6, 0.394, 0.003, 0.002, 0.001)
    meanings = tuple(replace(one, probability=share) for one, share in zip(found.belief.meanings, shares, strict=True))
    table = sugar.shown_meanings(replace(found, belief=replace(found.belief, meanings=meanings)))
    assert list(table["probability"]) == pytest.approx([0.6, 0.394, 0.006])
    assert table["samples"].sum() == len(found.belief.samples)
    assert len(sugar.meanings_table(found)) == len(sugar.shown_meanings(found)) == 5


def test_the_formula_holds_this_runs_probabilities() -> None:
    assert sugar.workings_latex(samples.sugar_none()) == (
        r"\mathrm{SE} = -\left(0.9000 \ln 0.9000 + 0.1000 \ln 0.1000\right) = 0.325"
    )


def test_the_thresholds_are_named_with_where_they_come_from() -> None:
    result = samples.sugar_several()
    assert numbers_in(sugar.threshold_label(result)) == ["0.40", "0.90", "7"]
    assert sugar.threshold_label(result).endswith("the paper's single cuts on TriviaQA and SQuAD, 7B)")
    fitted = replace(result, low=0.1, high=0.2, threshold_source="fitted")
    assert numbers_in(sugar.threshold_label(fitted)) == ["0.10", "0.20", "7", "0.40", "0.90"]
    assert "fitted" in sugar.threshold_label(fitted)


@pytest.mark.parametrize(
    ("silent", "word", "tone"),
    [(10, "no answer to compare", "unknown"), (9, "no answer to compare", "unknown"), (1, "no lookup", "model")],
)
def test_samples_that_mostly_state_no_answer_are_no_reason_to_look_nothing_up(
    silent: int, word: str, tone: str
) -> None:
    groups = [(text, number) for text, number in (("I don't know.", silent), ("Rome", 10 - silent)) if number]
    result = replace(samples.sugar_none(), closed_book=samples.doubt(tuple(groups), 0.325083))
    told = sugar.verdict(result)
    assert (told.word, told.tone) == (word, tone)


def test_one_sample_is_nothing_to_compare() -> None:
    result = replace(samples.sugar_none(), closed_book=samples.doubt((("Rome", 1),), 0.0, 0.0), measured=0.0)
    told = sugar.verdict(result)
    assert (told.word, told.tone) == ("nothing to compare", "unknown")
    assert told.word in title(result, "entropy", 0.4, 0.9)
    assert told.word in sugar.replay_sentence(result, "entropy", 0.4, 0.8)


def test_an_entropy_next_to_a_threshold_has_the_digits_that_tell_them_apart() -> None:
    result = replace(samples.sugar_several(), measured=0.4004)
    assert "semantic entropy 0.4004 nats, between the thresholds 0.40 and 0.90. " in sugar.sentence(result)
    assert sugar.comparison(0.407, 0.4125, 0.9) == "not above the lower threshold 0.4125"


def test_an_entropy_on_a_threshold_takes_the_cheaper_side_in_words_too() -> None:
    assert sugar.comparison(0.4, 0.4, 0.9) == "not above the lower threshold 0.40"
    assert sugar.comparison(0.9, 0.4, 0.9) == "between the thresholds 0.40 and 0.90"
    assert sugar.comparison(0.91, 0.4, 0.9) == "above the upper threshold 0.90"


def test_why_samples_decide_nothing_stands_first() -> None:
    groups = (("I don't know.", 8), ("Rome", 2))
    mostly = replace(samples.sugar_none(), closed_book=samples.doubt(groups, 0.325083))
    one = replace(samples.sugar_none(), closed_book=samples.doubt((("Rome", 1),), 0.0, 0.0), measured=0.0)
    assert sugar.verdict(mostly).sentence.startswith("8 of 10 samples from memory state no answer. 10 answers from ")
    assert sugar.verdict(one).sentence.startswith("One sample only. 1 answer from memory has 1 meaning: ")


def test_a_round_says_what_came_and_how_unsure_it_left_the_model() -> None:
    first, second = samples.sugar_several().rounds
    came = "Searched for “When was it opened?”: 2 new passages."
    assert sugar.round_sentence(first) == f"{came} Semantic entropy after it: 0.80 nats."
    assert sugar.round_sentence(second).endswith(": 2 new passages.")


def test_thresholds_are_tried_up_to_the_entropy_of_ten_meanings_in_ten_samples() -> None:
    # ln 10 = 2.303; where the run's own threshold is higher, that one.
    assert sugar.threshold_range(samples.sugar_several()) == (0.0, 2.4)
    assert sugar.threshold_range(replace(samples.sugar_several(), high=2.71)) == (0.0, 2.8)


def test_the_samples_of_a_step_are_those_of_its_round() -> None:
    unmeasured, measured = samples.sugar_several().rounds[::-1]
    result = replace(samples.sugar_several(), rounds=(unmeasured, measured))
    assert sugar.samples_place(result, 0) == "sugar.closed_book.belief.samples"
    assert sugar.samples_place(result, 1) == "sugar.rounds.1.after.belief.samples"
