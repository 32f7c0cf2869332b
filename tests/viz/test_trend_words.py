"""What ETC's page says of its numbers: decimals that tell a value from α, and which sentences stand where."""

from dataclasses import replace

from tests.viz.sample_timing_results import timing_full
from tests.viz.sample_trend_results import empty_trend_result, five_words_result, voyage_result
from viz.methods import timing
from viz.methods.entropy_trend import (
    alpha_label,
    alpha_range,
    base_rate,
    conclusion,
    replay,
    replay_sentence,
    sentence,
    verdict,
)

LARGEST = max(voyage_result().points, key=lambda point: abs(point.value or 0.0)).value


def just_below_the_largest():
    """Return the voyage at an α of four decimals that its largest value, 2.79635, passes by a little."""
    assert round(LARGEST, 5) == 2.79635
    bare = replace(voyage_result(alpha=0.0), triggers=())
    return replace(bare, alpha=2.7961, triggers=replay(bare, 2.7961))


def test_a_value_reads_on_the_side_of_alpha_where_it_lies():
    result = just_below_the_largest()
    assert verdict(result).sentence == "Trend beyond α = 2.7961 at word 71 (token 82), “Belém” (+2.7963 nats)."
    assert alpha_label(result).startswith("Threshold α in nats (this run: 2.7961, ")
    assert replay_sentence(result, 2.7968) == (
        "α = 2.7968 nats instead of 2.7961. No longer fires: word 71, “Belém” (+2.796 nats). The first trigger "
        "changes: run again."
    )
    assert replay_sentence(result, 2.7962) == "α = 2.7962 nats: same triggers as at 2.7961."
    silent = replace(result, alpha=2.7968, triggers=())
    assert verdict(silent).sentence == "The trend of entropy stays within ±2.7968 nats: nothing to look up."


def test_a_far_value_keeps_two_decimals():
    assert "Trend beyond α = 1.00 at word 19 (token 22), “Lisbon” (+1.39 nats). " in sentence(voyage_result())


def test_a_moved_threshold_of_a_policy_is_not_said_to_be_the_old_one():
    trace = next(one for one in timing_full().lanes if one.bar.threshold is not None and one.signals)
    near = trace.bar.threshold + 0.0001
    assert timing.replay_sentence(trace, near).split(": ", 1)[0].split(" at ")[1] != f"{trace.bar.threshold:.2f}"
    assert f"{near:g}" in timing.replay_sentence(trace, near)


def test_the_number_of_triggers_behind_the_first_is_told_only_where_there_are_some():
    assert "3 later triggers not reached: the text would change." in sentence(voyage_result())
    assert "not reached" not in sentence(just_below_the_largest())


def test_the_rate_stands_only_at_the_alpha_it_was_measured_at():
    assert base_rate(voyage_result(alpha=1.0)).startswith("On other questions, ")
    assert base_rate(voyage_result(alpha=1.1)) == ""


def test_an_answer_cut_off_by_its_length_says_so():
    result = voyage_result()
    cut = replace(result, generation=replace(result.generation, stop_reason="length"))
    ending = f" Cut off after {len(result.generation.tokens)} tokens."
    assert conclusion(cut) == f"It concludes with “Belém”.{ending}" and ending not in conclusion(replace(
        result, generation=replace(result.generation, stop_reason="end")
    ))  # fmt: skip
    assert conclusion(replace(empty_trend_result(), answer="")).startswith("It states no answer.")


def test_the_slider_reaches_two_nats_at_least_and_the_runs_own_alpha():
    # The largest of the five words' values is 1: half a nat more, rounded up to a half, is 1.5.
    assert alpha_range(five_words_result()) == (0.05, 2.0)
    assert alpha_range(replace(five_words_result(), alpha=4.2))[1] == 4.2
    assert alpha_range(replace(five_words_result(), alpha=0.01))[0] == 0.01
    assert alpha_range(replace(empty_trend_result(), alpha=1.0)) == (0.05, 2.0)
