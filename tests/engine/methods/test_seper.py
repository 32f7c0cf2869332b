"""SePer on scripted samples: weights, meanings and belief worked by hand."""

import math

import numpy as np
import pytest

from engine.backends.entailment.scripted import ScriptedJudge
from engine.backends.language_models.base import Request
from engine.core.errors import ModelError, NotMeasured
from engine.core.progress import Stage
from engine.core.records import Interval
from engine.core.seeds import derive_seed
from engine.methods.seper import belief_change, run, weights_disagree
from engine.methods.seper_records import SeperConfig
from tests.engine.methods.scripted_case import PASSAGES, Events, backends, case

GOLD = "Lyra Quill"


def speaker(with_passages, without):
    """Return a model whose i-th sample of a condition is the i-th scripted one."""
    order = {
        derive_seed(0, "seper", condition, index): (condition, index)
        for condition in ("with", "without")
        for index in range(40)
    }

    def speak(request: Request):
        if request.temperature == 0:
            return GOLD
        condition, index = order[request.seed]
        said = with_passages if condition == "with" else without
        text, logprob = said[index % len(said)]
        return [(text, logprob, 0.3)]

    return speak


def run_seper(with_passages, without, golds=(GOLD,), judge=None, **config):
    """Return SePer's result with as many samples as are scripted."""
    backend = backends(speaker(with_passages, without), judge)
    config.setdefault("samples", len(with_passages))
    return run(case(backend, golds=golds), SeperConfig(**config), backend), backend


def test_seven_right_of_ten_against_none_moves_belief_by_0_7() -> None:
    after = [(GOLD, -1.0)] * 7 + [("Nobody", -1.0)] * 3
    result, _ = run_seper(after, [("Nobody", -1.0)] * 10)
    assert result.delta_soft == pytest.approx(0.7)
    assert result.delta_hard == pytest.approx(0.7)
    assert result.delta_soft_interval is not None
    assert result.delta_soft_interval.low > 0
    assert result.delta_soft_interval.low < 0.7 < result.delta_soft_interval.high
    assert [meaning.matches_gold for meaning in result.with_passages.meanings] == [True, False]
    assert result.with_passages.meanings[0].probability == pytest.approx(0.7)


def test_one_likely_sample_decides_by_likelihood_and_not_with_equal_weights() -> None:
    # e^0 against nine of e^-3: 1 / (1 + 9 e^-3) = 0.691 of the weight, one sample in ten.
    result, _ = run_seper([(GOLD, -0.001)] + [("Nobody", -3.0)] * 9, [("Nobody", -1.0)] * 10)
    share = 1 / (1 + 9 * math.exp(-2.999))
    after = result.with_passages
    assert after.soft == pytest.approx(share) and after.equal.soft == after.equal.hard == pytest.approx(0.1)
    assert after.effective == pytest.approx(1 / (share**2 + (1 - share) ** 2 / 9))
    assert result.without.effective == pytest.approx(10)
    assert (result.delta_soft, result.equal.delta_soft) == (pytest.approx(share), pytest.approx(0.1))
    assert after.equal.soft_interval.high < 0.5 < after.soft_interval.high
    assert weights_disagree(result) == ("half",)


def test_samples_that_weigh_alike_agree_by_either_weights() -> None:
    result, _ = run_seper([(GOLD, 0.0)] * 9 + [("Nobody", 0.0)], [("Nobody", 0.0)] * 10)
    assert result.equal.delta_soft == pytest.approx(result.delta_soft) and weights_disagree(result) == ()
    assert result.equal.delta_soft_interval == result.delta_soft_interval


def test_weights_are_the_softmax_of_mean_token_logprobs() -> None:
    result, _ = run_seper([(GOLD, -0.2), ("Nobody", -1.2), ("Else", -2.0)], [("Nobody", -1.0)] * 3)
    expected = np.exp([-0.2, -1.2, -2.0]) / np.exp([-0.2, -1.2, -2.0]).sum()
    assert result.with_passages.weights == pytest.approx(expected.tolist(), abs=1e-9)
    assert result.with_passages.soft == pytest.approx(0.6522398476607028, abs=1e-6)


def test_the_variants_differ_where_only_the_gold_entails_the_response() -> None:
    one_way = {("Quill", GOLD): (0.2, 0.5, 0.3), (GOLD, "Quill"): (0.05, 0.05, 0.9)}
    samples = [("Quill", -1.0)] * 2
    code, _ = run_seper(samples, [("Nobody", -1.0)] * 2, judge=ScriptedJudge(one_way))
    paper, _ = run_seper(samples, [("Nobody", -1.0)] * 2, judge=ScriptedJudge(one_way), variant="paper")
    assert code.with_passages.soft == pytest.approx(0.9)
    assert paper.with_passages.soft == pytest.approx(0.3)
    assert code.with_passages.hard == pytest.approx(1.0), "loose: entailment one way, neutral the other"
    assert paper.with_passages.hard == pytest.approx(0.0), "strict: both ways"


def test_the_paper_averages_over_gold_answers_and_the_code_takes_the_best() -> None:
    samples = [(GOLD, -1.0)] * 2
    golds = (GOLD, "Something else")
    code, _ = run_seper(samples, samples, golds=golds)
    paper, _ = run_seper(samples, samples, golds=golds, variant="paper")
    assert code.with_passages.soft == pytest.approx(1.0)
    assert paper.with_passages.soft == pytest.approx(0.5)
    assert paper.with_passages.hard == pytest.approx(0.5)


def test_without_a_gold_answer_the_meanings_are_shown_and_no_delta_is_claimed() -> None:
    result, _ = run_seper([(GOLD, -1.0)] * 3 + [("Nobody", -1.0)], [("Nobody", -1.0)] * 4, golds=())
    assert result.delta_soft is None
    assert result.delta_soft_interval is None
    assert result.with_passages.soft is None
    assert [meaning.probability for meaning in result.with_passages.meanings] == pytest.approx([0.75, 0.25])
    assert result.with_passages.meanings[0].matches_gold is None
    assert result.with_passages.entropy == pytest.approx(-(0.75 * math.log(0.75) + 0.25 * math.log(0.25)))
    assert "needs a correct answer" in result.not_measured


def test_twenty_samples_keep_the_first_ten() -> None:
    speak = speaker([(GOLD, -1.0), ("Nobody", -2.0)], [("Nobody", -1.0)])
    ten, twenty = backends(speak), backends(speak)
    run(case(ten), SeperConfig(samples=10), ten)
    run(case(twenty), SeperConfig(samples=20), twenty)
    drawn_ten = [r for r in ten.model.requests if r.temperature > 0]
    drawn_twenty = [r for r in twenty.model.requests if r.temperature > 0]
    assert drawn_ten[:10] == drawn_twenty[:10]
    assert drawn_ten[10:] == drawn_twenty[20:30]


def test_an_empty_sample_is_a_meaning_of_its_own_with_its_stop_tokens_weight() -> None:
    def speak(request: Request):
        return "" if request.temperature > 0 else GOLD

    backend = backends(speak)
    result = run(case(backend, golds=(GOLD,)), SeperConfig(samples=2), backend)
    assert result.with_passages.weights == pytest.approx([0.5, 0.5])
    assert result.with_passages.meanings[0].text == ""
    assert result.with_passages.soft == 0.0


def test_samples_of_the_two_conditions_are_asked_with_and_without_the_passages() -> None:
    _, backend = run_seper([(GOLD, -1.0)] * 2, [("Nobody", -1.0)] * 2)
    drawn = [request.prompt.text for request in backend.model.requests if request.temperature > 0]
    assert [PASSAGES[0].text in prompt for prompt in drawn] == [False, False, True, True]


def test_without_passages_nothing_can_have_moved() -> None:
    backend = backends(lambda request: GOLD)
    with pytest.raises(NotMeasured, match="there are none"):
        run(case(backend, ()), SeperConfig(), backend)


def test_a_log_probability_that_is_nan_is_a_sentence_of_the_model() -> None:
    with pytest.raises(ModelError, match="scripted gave NaN as the log-probability or entropy of 'Nobody'"):
        run_seper([(GOLD, -1.0)] * 2, [("Nobody", float("nan"))] * 2)


@pytest.mark.parametrize("impossible", [1, 10])
def test_a_token_of_probability_0_leaves_belief_unmeasured(impossible: int) -> None:
    drawn = [("Nobody", -math.inf)] * impossible + [(GOLD, -1.0)] * (10 - impossible)
    with pytest.raises(NotMeasured, match=f"^{impossible} of 10 "):
        run_seper(drawn, drawn)


def test_judging_against_the_gold_answers_can_be_stopped() -> None:
    events = Events()
    backend = backends(speaker([(GOLD, -1.0)], [("Nobody", -1.0)]), report=events)
    run(case(backend, golds=(GOLD,)), SeperConfig(samples=1), backend)
    judged = [event.total for event in events.seen if isinstance(event, Stage) and event.name == "judging pairs"]
    assert judged == [2, 2], "one sample a condition against one gold answer, in both directions"


@pytest.mark.parametrize(
    ("delta", "low", "high", "change"),
    [
        (0.3, 0.1, 0.5, "up"),
        (-0.3, -0.5, -0.1, "down"),
        (0.3, 0.0, 0.6, "noise"),
        (0.02, 0.015, 0.025, "noise"),
        # One sample of ten more, though a computer makes 0.09999999999999998 of it.
        (0.3 - 0.2, 0.01, 0.2, "up"),
        (0.2 - 0.3, -0.2, -0.01, "down"),
        (0.099, 0.01, 0.2, "noise"),
    ],
)
def test_belief_moved_only_where_the_interval_leaves_out_0_and_one_sample_in_ten_would_move_it(
    delta: float, low: float, high: float, change: str
) -> None:
    assert belief_change(delta, Interval(low=low, high=high)) == change
    assert belief_change(delta, None) == "noise"
