"""ETC where entropies are intervals: what fires in any case, what may, and what the page says of it."""

from dataclasses import replace

import pytest

from engine.methods.entropy_trend import (
    EntropyTrendConfig,
    EntropyTrendResult,
    TrendPoint,
    fired_points,
    trend_points,
    undecided_words,
)
from engine.thresholds.in_run import passed, run_thresholds
from engine.thresholds.replay import replayed
from tests.pages.page_fixtures import done, whole_diagnosis, with_outcome
from tests.viz.sample_trend_results import five_words_result
from viz.methods.entropy_trend import before_any_trigger, replay, sentence, verdict, word_sentence, words_table
from viz.methods.trend_figure import title, trend_figure
from viz.parts.theme import DARK, LIGHT


def bounded(width: float, alpha: float = 1.0) -> EntropyTrendResult:
    """Return ETC on entropies 1, 2, 4, 3, 3.5 known to ``width`` nats around them: 1, −1, −1/6 smoothed."""
    exact = five_words_result(alpha)
    words = tuple(
        replace(word, entropy=word.entropy - width / 2, entropy_high=word.entropy + width / 2) for word in exact.words
    )
    points = trend_points(words, "paper")
    fired = [point.word for point in fired_points(points, EntropyTrendConfig(alpha=alpha))]
    kept = tuple(trigger for trigger in exact.triggers if trigger.word in fired)
    return replace(exact, words=words, points=points, triggers=kept)


def test_middles_give_the_values_and_widths_their_bounds() -> None:
    # Δ²H at words 3, 4, 5 is 1, −3, 1.5, each ± 4 half widths; smoothing averages a value with the one before.
    points = bounded(0.1).points
    assert [point.value for point in points] == pytest.approx([1.0, -1.0, -1 / 6])
    assert [(point.low, point.high) for point in points] == [
        pytest.approx((0.8, 1.2)),
        pytest.approx((-3.2, 1.2)),
        pytest.approx((-3.2, 1.7)),
    ]


def test_what_lies_on_both_sides_of_alpha_is_undecided_and_what_lies_beyond_fires() -> None:
    assert undecided_words(bounded(0.1), 1.0) == (2, 3, 4)
    assert undecided_words(bounded(0.1), 0.5) == (3, 4), "0.8 to 1.2 is beyond 0.5"
    assert undecided_words(bounded(0.1), 4.0) == ()
    assert [trigger.word for trigger in replay(bounded(0.1), 0.5)] == [2]
    assert replay(bounded(0.1), 0.5)[0].value == pytest.approx(0.8), "its end nearest to 0"


def test_the_threshold_lab_moves_no_trigger_that_a_run_would_not_fire() -> None:
    diagnosis = with_outcome(whole_diagnosis(), done("entropy_trend", bounded(0.1)))
    assert replayed(diagnosis, {"alpha": 0.9}).changes == (), (
        "the middles 1 and −1 reach 0.9, no interval does for sure"
    )
    (change,) = replayed(diagnosis, {"alpha": 0.5}).changes
    assert (change.about, change.after) == ("trigger", "fires"), "0.8 to 1.2 is beyond 0.5"


def test_the_threshold_lab_counts_what_surely_changes_its_side() -> None:
    # 0.8 to 1.2 is beyond 0.5 and not beyond 0.9; −3.2 to 1.2 and −3.2 to 1.7 hold 0 and reach nothing for sure.
    diagnosis = with_outcome(whole_diagnosis(), done("entropy_trend", bounded(0.1)))
    alpha = next(one for one in run_thresholds(diagnosis) if one.word == "alpha")
    assert alpha.values == pytest.approx((0.8, 0.0, 0.0))
    assert passed(alpha, 0.9) == () and passed(alpha, 0.5) == (0,)
    point = TrendPoint(word=2, first_difference=0, second_difference=0, smoothed=1.2, value=1.2, low=0.4, high=2.0)
    wide = replace(bounded(0.1), points=(point,), triggers=())
    diagnosis = with_outcome(whole_diagnosis(), done("entropy_trend", wide))
    alpha = next(one for one in run_thresholds(diagnosis) if one.word == "alpha")
    assert alpha.values == (0.4,) and passed(alpha, 1.5) == (), "0.4 reaches neither 1.0 nor 1.5"


def test_exact_entropies_leave_nothing_undecided() -> None:
    result = five_words_result()
    assert undecided_words(result, 1.0) == () and all(point.low is None for point in result.points)
    assert verdict(result).word.startswith("look it up before")


@pytest.mark.parametrize(
    ("low", "high", "mode", "surest", "farthest"),
    [
        (0.5, 2.0, "abs", 0.5, 2.0),
        (-2.0, -0.5, "abs", -0.5, -2.0),
        (-1.0, 3.0, "abs", 0.0, 3.0),
        (-3.0, 1.0, "abs", 0.0, -3.0),
        (-3.0, 1.0, "signed", -3.0, 1.0),
    ],
)
def test_the_surest_and_the_farthest_value_of_an_interval(
    low: float, high: float, mode: str, surest: float, farthest: float
) -> None:
    point = TrendPoint(word=0, first_difference=0.0, second_difference=0.0, smoothed=0.0, value=0.0, low=low, high=high)
    assert point.nearest_value(mode) == surest and point.farthest_value(mode) == farthest  # type: ignore[arg-type]


def test_the_page_says_that_it_cannot_tell_where_and_why() -> None:
    result = bounded(0.1)
    assert before_any_trigger(result, 1.0) == (2, 3, 4)
    assert verdict(result).word == "unclear"
    assert "word 3, “gamma” (+0.80 to +1.20 nats)" in sentence(result)
    assert "1.00 nats" in sentence(result)
    assert "word 3, ‘gamma’" in title(result)
    assert "H = 3.95 to 4.05 nats" in word_sentence(result, 2)
    assert "α: +0.80 to +1.20 nats" in word_sentence(result, 2)


def test_a_sure_trigger_before_any_doubt_is_the_verdict() -> None:
    result = bounded(0.1, alpha=0.5)
    assert before_any_trigger(result, 0.5) == ()
    assert verdict(result).word == "look it up before “gamma”"
    assert "word 4" in sentence(result)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_figure_draws_from_where_to_where(theme) -> None:
    figure = trend_figure(bounded(0.1), theme)
    whiskers = [
        (list(curve.error_y.arrayminus), list(curve.error_y.array)) for curve in figure.data if curve.error_y.array
    ]
    assert whiskers[0] == ([pytest.approx(0.05)] * 5, [pytest.approx(0.05)] * 5)
    assert whiskers[1][0] == pytest.approx([0.2, 2.2, 3.2 - 1 / 6])
    assert figure.layout.yaxis3.range[0] < -3.2 and figure.layout.yaxis3.range[1] > 1.7


def test_the_table_has_both_ends() -> None:
    table = words_table(bounded(0.1))
    assert table["H (nats)"].tolist() == pytest.approx([0.95, 1.95, 3.95, 2.95, 3.45])
    assert table["H at most (nats)"].tolist() == pytest.approx([1.05, 2.05, 4.05, 3.05, 3.55])
    assert "H at most (nats)" not in words_table(five_words_result())
