"""Two runs in words, tables and figures: the word, the twins of every figure, hostile text, nothing to draw."""

from dataclasses import replace

import plotly.graph_objects as go
import pytest

from engine.core.records import JudgedAnswer
from engine.runs.compare import align_chunks, align_tokens, number_pairs, setup_differences
from tests.engine.runs.test_compare import hit, side, tokens
from tests.pages.page_fixtures import answered, failed_diagnosis, whole_diagnosis
from tests.viz.numbers_in_text import numbers_in
from tests.viz.sample_results import HOSTILE, generation, seper_helped
from viz.parts.row_table import row_table_html
from viz.parts.theme import DARK, LIGHT
from viz.runs import compare


def moved() -> tuple:  # type: ignore[type-arg]
    """Return a run, and one whose ΔSePer fell far beyond its interval."""
    first = whole_diagnosis()
    result = seper_helped()
    low = replace(result.delta_soft_interval, low=-0.9, high=-0.7)
    fallen = replace(result, delta_soft=-0.8, delta_soft_interval=low)
    outcomes = tuple(replace(one, result=fallen) if one.method == "seper" else one for one in first.outcomes)
    return side(first), side(replace(first, outcomes=outcomes), "b")


def test_equal_runs_are_called_the_same() -> None:
    same = side(whole_diagnosis())
    assert compare.verdict(same, same).word == "the same"


def test_a_number_beyond_noise_is_named_with_both_values() -> None:
    first, second = moved()
    said = compare.verdict(first, second)
    assert said.word == "beyond noise" and " 1 of " in said.sentence
    numbers = compare.numbers_sentence(number_pairs(first, second))
    assert "ΔSePer, soft" in numbers and "−0.8" in numbers
    assert "ΔSePer, soft" in compare.what_changed(first, second)
    assert compare.numbers_figure(number_pairs(first, second), LIGHT).layout.title.text.startswith("1 ")


def test_another_answer_is_told_even_where_no_number_moved() -> None:
    first = whole_diagnosis()
    other = side(answered(first, generation("May 1889")), "b")
    assert compare.verdict(side(first), other).word == "another answer"
    assert compare.answer_sentence(side(first), other).count("“") == 2
    silent = side(answered(first, generation("")), "c")
    assert compare.answer_sentence(silent, silent) == "Both give an empty answer."


def test_two_questions_are_no_change_beyond_noise() -> None:
    first, second = moved()
    other = replace(second.diagnosis, question="Who wrote Hamlet?", golds=("Shakespeare",))
    said = compare.verdict(first, side(other, "b"))
    assert (said.word, said.tone) == ("different questions", "unknown")
    assert said.sentence.startswith("Both give “31 March 1889”: right in A, wrong in B. 1 of ")
    # The same thing in other words has the same correct answers: there a change is one.
    reworded = replace(second.diagnosis, question="On which day did it open?")
    assert compare.verdict(first, side(reworded, "b")).word == "beyond noise"


def test_each_answer_says_whether_it_is_right_by_words_or_by_the_judge_alone() -> None:
    first = whole_diagnosis()
    judged = (JudgedAnswer(text="on the last day of March 1889", meaning=0.95),)
    other = replace(answered(first, generation("on the last day of March 1889")), judged=judged)
    said = compare.answer_sentence(side(first), side(other, "b"))
    assert said == "A gives “31 March 1889” (right), B “on the last day of March 1889” (right by the judge)."
    unknown = side(replace(first, golds=()), "c")
    assert compare.answer_sentence(side(first), unknown) == "Both give “31 March 1889”: right in A, not judged in B."
    assert compare.answer_sentence(unknown, unknown) == "Both give “31 March 1889”."


def test_methods_that_failed_in_one_run_are_counted_beside_the_numbers_that_did_not_move() -> None:
    said = compare.verdict(side(whole_diagnosis()), side(failed_diagnosis(), "b")).sentence
    assert said.endswith(" 1 method has a result in one run only.")
    assert "one run only" not in compare.verdict(side(failed_diagnosis()), side(failed_diagnosis(), "b")).sentence


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_figure_is_drawn_in_both_modes_and_with_nothing_to_draw(theme) -> None:  # type: ignore[no-untyped-def]
    first, second = moved()
    pairs = align_tokens(tokens("a", "b"), tokens("a", "c", "d"))
    drawn = [
        compare.numbers_figure(number_pairs(first, second), theme),
        compare.numbers_figure((), theme),
        compare.token_figure("the answer", pairs, theme),
        compare.token_figure("the answer", (), theme),
    ]
    for figure in drawn:
        assert isinstance(figure, go.Figure)
        assert figure.layout.title.text
    assert len(drawn[1].data) == 0 and drawn[1].layout.annotations[0].text


def test_numbers_without_an_interval_have_no_whisker() -> None:
    first, second = moved()
    pairs = [pair for pair in number_pairs(first, second) if pair.first.unit == "nats"]
    whiskers = compare.numbers_figure(pairs, LIGHT).data[0].error_x.array
    has = [pair.first.interval is not None for pair in pairs if compare.is_drawn(pair)]
    assert [value == value for value in whiskers] == has


def test_the_tables_hold_what_the_figures_show() -> None:
    first, second = moved()
    table = compare.numbers_table(number_pairs(first, second))
    row = table[table["number"] == "ΔSePer, soft"].iloc[0]
    assert (row["B"], row["B interval"], row["difference"]) == (-0.8, "−0.9 to −0.7 (95%)", "beyond noise")
    pairs = align_tokens(tokens("a", "b"), tokens("a", "c", "d", logprob=-0.1))
    places = compare.tokens_table(pairs)
    assert list(places["text"]) == ["same", "other", "other"]
    assert places["log-prob change (nats)"].iloc[0] == pytest.approx(0.4)
    assert places["A"].iloc[2] == ""


def test_a_method_that_failed_in_one_run_is_beside_its_word_in_the_other() -> None:
    table = compare.verdicts_table(side(whole_diagnosis()), side(failed_diagnosis(), "b"))
    row = table[table["method"] == "SePer"].iloc[0]
    assert (row["A"], row["B"], row["same word"]) == ("helped", "failed", "–")


def test_two_runs_without_a_word_do_not_agree() -> None:
    table = compare.verdicts_table(side(failed_diagnosis()), side(failed_diagnosis(), "b")).set_index("method")
    assert (table.loc["SePer", "A"], table.loc["SePer", "same word"]) == ("failed", "neither has one")
    assert table.loc["DENSE", "same word"] == "✔"


def test_passages_in_words_and_as_a_table() -> None:
    first = whole_diagnosis()
    second = replace(first, hits=(*first.hits[:4], hit("Something else entirely.", 5)))
    said = compare.chunks_sentence(align_chunks(first.hits, second.hits))
    assert all(part in said for part in ("4 unchanged", "1 only in A", "1 only in B"))
    assert len(compare.chunks_table(side(first), side(second))) == 6


def test_hostile_tokens_and_questions_stay_text() -> None:
    pairs = align_tokens(tokens(HOSTILE), tokens("other"))
    assert "<script>" not in compare.strip_html(HOSTILE, pairs, LIGHT)
    assert "<script>" not in str(compare.token_figure("the answer", pairs, LIGHT).to_json()).replace("\\u003c", "<")
    first = whole_diagnosis()
    table = compare.setup_table(setup_differences(side(first), side(replace(first, question=HOSTILE * 40))))
    assert "<script>" not in row_table_html(table, name="setup")


def test_tokens_of_one_run_only_are_framed_in_its_colour_and_not_judged() -> None:
    html = compare.strip_html("answer", align_tokens(tokens("one two"), tokens("three four")), LIGHT)
    assert LIGHT.model in html and LIGHT.accent in html
    assert LIGHT.bad not in html and LIGHT.good not in html


def test_a_pair_knows_the_place_of_its_token_in_each_text() -> None:
    first, second = generation("31 March 1889").tokens, generation("15 March 1889").tokens
    pairs = align_tokens(first, second[1:])
    assert [place for place in compare.token_places(pairs, "first") if place is not None] == list(range(len(first)))
    count = len(second) - 1
    assert [place for place in compare.token_places(pairs, "second") if place is not None] == list(range(count))


def test_where_nothing_can_be_held_against_noise_it_is_not_called_within_noise() -> None:
    assert compare.noise_word(()) == "not comparable"
    assert not compare.has_figure(())
    unclear = tuple(replace(pair, noise="unclear") for pair in number_pairs(*moved()))
    count = len(unclear)
    assert compare.noise_word(unclear) == f"{count} of {count} unclear"
    assert numbers_in(compare.numbers_sentence(unclear)) == [str(count), "0", "0", str(count)]


def test_methods_stand_under_their_titles() -> None:
    assert compare.setup_name("entropy_trend: alpha") == "ETC: alpha"
    assert compare.setup_value("methods", "entropy_trend, dense") == "ETC, DENSE"
    assert compare.setup_value("seed", "dense") == "dense"


def test_runs_whose_numbers_differ_are_not_called_the_same() -> None:
    first = whole_diagnosis()
    result = seper_helped()
    other = replace(result, delta_soft=(result.delta_soft or 0) + 0.001)
    outcomes = tuple(replace(one, result=other) if one.method == "seper" else one for one in first.outcomes)
    assert compare.verdict(side(first), side(replace(first, outcomes=outcomes), "b")).word != "the same"
