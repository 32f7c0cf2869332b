"""The figure, strip, table and sentences of ETC: the numbers they show are the record's, the texts are escaped."""

import math
import re
from dataclasses import replace

import pytest

from engine.core.folders import sample_data
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.timing.method import TimingResult
from engine.runs.sample_runs import list_sample_runs, read_run, recorded_run
from tests.viz.sample_trend_results import (
    empty_trend_result,
    five_words_result,
    hostile_trend_result,
    one_word_result,
    tagged,
    trend_result,
    voyage_result,
)
from viz.methods import timing
from viz.methods.answer_strip import answer_strip_html
from viz.methods.entropy_trend import (
    alpha_range,
    compare,
    conclusion,
    replay,
    replay_sentence,
    sentence,
    verdict,
    word_sentence,
    words_table,
    workings,
)
from viz.methods.trend_figure import trend_figure
from viz.methods.verdicts import BRIEF_WORDS, brief_of
from viz.parts.theme import DARK, LIGHT, rgba
from viz.parts.token_strip import (
    STRONGEST_TINT,
    TOP,
    ramp_html,
    tint,
    token_strip_html,
    token_words,
    tokens_table,
    visible,
)

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def test_replay_at_the_runs_alpha_gives_the_recorded_triggers():
    assert replay(voyage_result()) == voyage_result().triggers


def test_absolute_mode_fires_at_exactly_alpha_and_on_falls():
    # Smoothed values by hand: +1 at word 3, −1 at word 4, −1/6 at word 5.
    assert [trigger.word for trigger in replay(five_words_result(alpha=2.0), 1.0)] == [2, 3]
    assert replay(five_words_result(), 1.01) == ()


def test_signed_mode_is_strict_and_ignores_falls():
    result = five_words_result(alpha=0.0, variant="code")
    values = {point.word: point.value for point in result.points}
    # Attention .10 .12 .14 .16 .18 (mean .14) leaves the first value 1 at a factor of 1, just below 1.
    assert values[2] == pytest.approx(1.0, abs=1e-8)
    assert [trigger.word for trigger in replay(result, 0.99)] == [2, 4]
    assert [trigger.word for trigger in replay(result, values[2])] == [4]


def test_replay_keeps_the_text_before_the_word_and_asks_the_words_query():
    trigger = replay(five_words_result(alpha=2.0), 1.0)[0]
    assert trigger.kept == "Alpha beta "
    assert trigger.query == "leader voyage India gamma"


def test_a_lower_alpha_names_what_newly_fires_and_leaves_the_first_trigger():
    changed = compare(voyage_result(), 0.8)
    assert changed.appeared == ("word 32, “Sines” (+0.84 nats)", "word 56, “Eve” (−0.94 nats)")
    assert changed.vanished == () and not changed.first_changed


def test_a_changed_first_trigger_is_named_and_needs_a_new_run():
    assert "word 19, “Lisbon” (+1.39 nats)" in replay_sentence(voyage_result(), 1.6)
    assert compare(voyage_result(), 1.6).first_changed
    assert "fires" not in replay_sentence(voyage_result(), 1.0)


def test_the_finding_names_the_token_that_retrieval_timing_counts() -> None:
    seen = 0
    for line in list_sample_runs(sample_data()).values():
        if not {"entropy_trend", "timing"} <= set(line.methods):
            continue
        run = read_run(sample_data() / line.file)
        trend, lanes = run.result(EntropyTrendResult), run.result(TimingResult)
        if trend is None or lanes is None or not trend.triggers or trend.generation.text != lanes.generation.text:
            continue
        said, beside = verdict(trend), timing.verdict(lanes)
        if "token" in said.sentence and "token" in beside.sentence:
            assert re.search(r"token (\d+)", said.sentence)[1] == re.search(r"token (\d+)", beside.sentence)[1]
            assert len(brief_of(said).split()) <= BRIEF_WORDS
            seen += 1
    assert seen == 2


def test_the_sentence_counts_words_and_later_triggers():
    words = sentence(voyage_result())
    for part in ("71 words", "39 content words", "word 19 (token 22), “Lisbon” (+1.39 nats)", "3 later triggers"):
        assert part in words
    assert "±3.00 nats" in sentence(voyage_result(), 3.0)
    assert "+5.00 nats" in sentence(voyage_result(variant="code"), 5.0)


def test_an_even_text_without_an_answer_is_no_reason_to_look_nothing_up():
    silent = voyage_result(3.0)
    told = verdict(replace(silent, answer="I do not know."))
    assert (told.word, told.tone) == ("no answer to compare", "unknown")
    assert verdict(replace(voyage_result(), answer="I do not know.")).tone == "middle", "it looks something up"


@pytest.mark.parametrize(("undefined", "word"), [(1, "no trigger"), (2, "unclear")])
def test_a_trend_of_mostly_undefined_values_is_unclear(undefined, word):
    result = five_words_result(3.0, "code")
    assert len(result.points) == 3 and not result.triggers
    points = [replace(point, value=None) if place < undefined else point for place, point in enumerate(result.points)]
    assert verdict(replace(result, points=tuple(points))).word == word


def test_verdicts_are_look_it_up_no_need_and_not_measured():
    assert (verdict(voyage_result()).word, verdict(voyage_result()).tone) == ("look it up before “Lisbon”", "middle")
    assert (verdict(voyage_result(3.0)).word, verdict(voyage_result(3.0)).tone) == ("no trigger", "model")
    assert [verdict(result).tone for result in (one_word_result(), empty_trend_result())] == ["unknown", "unknown"]
    assert "1 content word" in verdict(one_word_result()).sentence


def test_the_table_has_a_row_per_word_and_no_number_where_there_is_none():
    table = words_table(five_words_result())
    assert list(table["ΔH (nats)"])[1:] == [1.0, 2.0, -1.0, 0.5] and math.isnan(table["ΔH (nats)"][0])
    assert list(table["Δ²H (nats)"])[2:] == [1.0, -3.0, 1.5]
    assert list(table["smoothed (nats)"])[2:] == pytest.approx([1.0, -1.0, -1 / 6])
    assert list(table["trigger"]) == ["", "", "look up here", "later, not reached", ""]
    assert len(words_table(empty_trend_result())) == 0


def test_the_calculation_of_a_word_shows_this_runs_values():
    lines = workings(five_words_result(), 3)
    assert lines[0] == "ΔH = H(delta) − H(gamma) = 3.0000 − 4.0000 = −1.00 nats (eq. 6)"
    assert lines[1] == "Δ²H = −1.0000 − (+2.0000) = −3.00 nats (eq. 9)"
    assert lines[2].endswith("0.5000 × (−3.0000) + 0.5000 × (+1.0000) = −1.00 nats (eq. 10–12)")
    assert workings(five_words_result(), 0) == ()


def test_a_calculation_adds_up_as_it_is_written() -> None:
    outcome = recorded_run("apollo-8-orbits").outcome("entropy_trend")
    assert outcome is not None and isinstance(outcome.result, EntropyTrendResult)
    written = [line for point in outcome.result.points for line in workings(outcome.result, point.word)]
    assert "Δ²H = +3.1971 − (−0.2277) = +3.42 nats (eq. 9)" in written, "3.20 and 0.23 would add up to 3.43"


def test_an_undefined_smoothing_is_said_to_be_undefined():
    # Differences 1, 2, 3, 4 have the constant second difference 1: the released weight is 0/0.
    result = trend_result(tagged("a/NOUN/0 b/NOUN/1 c/NOUN/3 d/NOUN/6 e/NOUN/10"), variant="code")
    assert [point.smoothed for point in result.points] == [1.0, None, None]
    assert word_sentence(result, 4).count("undefined (0/0)") == 2
    assert trend_figure(result, LIGHT).data


@THEMES
def test_markup_in_the_answer_is_drawn_as_text(theme):
    result = hostile_trend_result()
    html = answer_strip_html(result, theme) + token_strip_html(result.generation.tokens, theme, "<b>label</b>")
    assert "<script" not in html and "<b>" not in html and "🧭" in html and "לשבונה" in html
    figure = trend_figure(result, theme).to_json()
    assert "<script" not in figure and "<b>bold" not in figure


def test_a_word_that_does_not_fire_is_not_said_to_have_been_looked_up():
    said = word_sentence(voyage_result(), 0)
    assert "Looked up" not in said
    assert "A lookup before it would ask “" in said or said.endswith("Nothing to look up.")


def test_the_conclusion_is_named_or_said_to_be_missing():
    assert "“Belém”" in conclusion(voyage_result())
    assert "“" not in conclusion(empty_trend_result())


def test_the_slider_reaches_beyond_the_largest_value():
    low, high = alpha_range(voyage_result())
    assert low == 0.05 and high == 3.5  # the largest value is 2.80


def test_a_tint_means_the_same_in_every_strip_and_ends_at_four_nats():
    assert tint(LIGHT, 5.7) == tint(LIGHT, TOP) and tint(LIGHT, 2.0) == rgba(LIGHT.model, STRONGEST_TINT / 2)
    assert "4 nats and more, unsure" in ramp_html(LIGHT)
    tokens = voyage_result().generation.tokens
    assert "nats, sure" not in token_strip_html(tokens, LIGHT, "first of two", legend=False)


def test_tokens_show_white_space_and_their_numbers():
    tokens = voyage_result().generation.tokens
    html = token_strip_html(tokens[:3], LIGHT, "Tokens")
    assert "token “␣ques”: probability 0.799, log-probability −0.23, entropy 0.45 nats" in html
    assert html.count("<wbr>") == sum(token.text.startswith(" ") for token in tokens[:3]) > 0, "lines break at words"
    rare, sure = (token_words(replace(tokens[0], logprob=one)) for one in (-8.39, -0.0002))
    assert "probability 0.0002, log-probability −8.39," in rare, "it was drawn, so its probability is not 0"
    assert "probability 0.9998, log-probability 0.00," in sure
    assert visible("\n\t ") == "⏎⇥␣"
    assert tokens_table(tokens)["entropy (nats)"][0] == 0.4
    assert "no tokens" in token_strip_html((), LIGHT, "Tokens")
