"""SePer drawn: numbers worked by hand in sample_results."""

from dataclasses import replace

import pytest

from engine.core.records import Interval, Judgement
from engine.methods.seper_records import EqualBelief, EqualChange, SeperResult
from tests.viz import sample_results as samples
from tests.viz.numbers_in_text import numbers_in
from viz.methods import seper
from viz.methods.belief_bars import belief_bars
from viz.methods.belief_change import delta_figure
from viz.parts.theme import DARK, LIGHT

EVERY_RESULT = (
    samples.seper_helped,
    samples.seper_hurt,
    samples.seper_noise,
    samples.seper_no_gold,
    samples.seper_hostile,
)


def covering(low: float, high: float) -> Interval:
    """Return an interval as this version makes it."""
    return Interval(low=low, high=high, method="imagined draw")


def with_equal_weights(delta: float, soft: float) -> SeperResult:
    """Return the result that helped (0.21 to 0.70) with other numbers where every sample weighs the same."""
    helped = samples.seper_helped()
    even = EqualBelief(soft=soft, hard=soft, soft_interval=covering(0.0, 1.0), hard_interval=covering(0.0, 1.0))
    change = EqualChange(
        delta_soft=delta,
        delta_hard=delta,
        delta_soft_interval=covering(delta - 0.2, delta + 0.2),
        delta_hard_interval=covering(delta - 0.2, delta + 0.2),
    )
    before = replace(helped.without, equal=replace(even, soft=soft - delta), effective=2.8)
    return replace(helped, without=before, with_passages=replace(helped.with_passages, equal=even), equal=change)


def test_where_the_weights_disagree_a_sentence_says_which_way_and_by_how_much() -> None:
    assert seper.weights_sentence(with_equal_weights(0.5, 0.7)) == ""
    assert numbers_in(seper.weights_sentence(with_equal_weights(0.1, 0.6))) == [
        *("+0.49", "0.18", "0.76", "+0.10", "−0.10", "0.30")
    ]
    assert "−0.30" in seper.weights_sentence(with_equal_weights(-0.3, 0.6))
    assert numbers_in(seper.weights_sentence(with_equal_weights(0.5, 0.45)))[-2:] == ["0.70", "0.45"]


def test_both_kinds_of_weights_stand_in_one_table_and_older_records_say_not_measured() -> None:
    table = seper.weights_table(with_equal_weights(0.1, 0.6))
    assert table["ΔSePer"].tolist()[0] == "+0.49 (0.18 to 0.76)"
    assert table["ΔSePer"].tolist()[2] == "+0.10 (−0.10 to 0.30)"
    assert set(seper.weights_table(samples.seper_helped())["ΔSePer"].tolist()[2:]) == {"not measured"}
    assert numbers_in(seper.effective_sentence(with_equal_weights(0.1, 0.6)))[:2] == ["2.8", "10"]


def test_the_interval_of_the_change_decides_the_verdict() -> None:
    noisy = samples.seper_noise()
    noise, small = Interval(low=-0.25, high=0.43), Interval(low=0.015, high=0.025)
    cases = (
        (samples.seper_helped(), "helped", "good", "ΔSePer +0.49 (95% interval 0.18 to 0.76)"),
        (samples.seper_hurt(), "hurt", "bad", "ΔSePer −0.49 (95% interval −0.76 to −0.18)"),
        (samples.seper_no_gold(), "needs a correct answer", "unknown", ""),
        (replace(noisy, delta_soft_interval=noise), "no clear change", "middle", "−0.25 to 0.43"),
        (
            replace(samples.seper_noise(), delta_soft_interval=Interval(low=0.0, high=0.4)),
            "no clear change",
            "middle",
            "",
        ),
        (replace(noisy, delta_soft_interval=None), "no clear change", "middle", ""),
        (
            replace(samples.seper_noise(), delta_soft=0.02, delta_soft_interval=small),
            "no clear change",
            "middle",
            "+0.02",
        ),
        (none_right(samples.seper_noise()), "no clear change", "middle", ""),
    )
    for result, word, tone, number in cases:
        verdict = seper.verdict(result)
        assert (verdict.word, verdict.tone) == (word, tone)
        assert number in verdict.sentence and len(verdict.sentence.split()) <= 20


def test_each_finding_has_its_sentence() -> None:
    tiny = replace(samples.seper_noise(), delta_soft=0.02, delta_soft_interval=covering(0.015, 0.025))
    # Soft by one sample of ten, hard by 0.3 - 0.2 of them: both say the same.
    agreeing = replace(samples.seper_noise(), delta_soft_interval=covering(0.01, 0.3))
    # Soft says up, hard stays.
    apart = replace(samples.seper_helped(), delta_hard=0.0)
    openings = {
        "Reading raised belief in the correct answer": samples.seper_helped(),
        "Reading lowered belief in the correct answer": samples.seper_hurt(),
        "Belief changed within noise": samples.seper_noise(),
        "Belief in the correct answer hardly changed": tiny,
        "Belief among wrong answers hardly changed": none_right(tiny),
        "Soft and hard disagree": apart,
    }
    for opening, result in openings.items():
        assert seper.change_sentence(result).startswith(f"{opening}: 0.")
    assert agreeing.delta_hard is not None and 0.09 < agreeing.delta_hard < 0.1
    assert seper.verdict(agreeing).word == "helped"
    # An interval that ends at 0 does not leave it out.
    at_zero = replace(tiny, delta_soft_interval=covering(0.0, 0.025))
    assert seper.change_sentence(at_zero).startswith("Belief changed within noise")


def test_only_a_rise_says_how_often_passages_help() -> None:
    results = (samples.seper_helped(), samples.seper_hurt(), samples.seper_noise())
    assert ["On Natural Questions" in seper.verdict(one).detail for one in results] == [True, False, False]


def test_without_correct_answers_the_beliefs_are_still_there() -> None:
    sentence = seper.sentence(samples.seper_no_gold())
    assert "“1887” (40%)" in sentence and "“31 March 1889” (70%)" in sentence


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("make", EVERY_RESULT)
def test_every_figure_is_drawn_for_every_result_on_a_transparent_ground(make, theme) -> None:  # type: ignore[no-untyped-def]
    result = make()
    for figure in (belief_bars(result, theme), delta_figure(result, theme)):
        assert figure.layout.paper_bgcolor == "rgba(0,0,0,0)"
        assert figure.layout.title.text
        assert "<script" not in str(figure.to_dict())


def test_the_samples_table_has_a_row_per_sample_with_its_meaning_weight_and_best_entailment() -> None:
    table = seper.samples_table(samples.seper_helped())
    assert len(table) == 20
    assert table["condition"].value_counts().to_dict() == {"without passages": 10, "with passages": 10}
    row = table.iloc[4]
    assert (row["text"], row["sample"], row["meaning"]) == ("31 March 1889", 5, "2: 31 March 1889")
    assert row["weight"] == pytest.approx(0.1)
    assert row["mean log-prob (nats)"] == pytest.approx(-0.3)
    assert row["entailment"] == pytest.approx(0.99)
    assert bool(row["is correct"]) is True


def test_the_samples_table_leaves_gold_columns_missing_without_a_gold_answer() -> None:
    table = seper.samples_table(samples.seper_no_gold())
    assert table["is correct"].isna().all()
    assert table["entailment"].isna().all()


def test_samples_come_in_the_order_of_their_table() -> None:
    result = samples.seper_helped()
    names = [name for name, _ in seper.samples_in_order(result)]
    assert (names[0], names[10]) == ("sample 1 without passages", "sample 1 with passages")
    shown = [sample.text for _, sample in seper.samples_in_order(result)]
    assert shown == seper.samples_table(result)["text"].tolist()


def test_before_after_and_difference_add_up_on_the_page() -> None:
    result = samples.seper_helped()
    without, after = replace(result.without, soft=0.126), replace(result.with_passages, soft=0.2241)
    result = replace(result, without=without, with_passages=after, delta_soft=0.2241 - 0.126)
    assert "0.126 to 0.224 (soft), ΔSePer +0.098" in seper.sentence(result)
    assert seper.change_digits(samples.seper_helped()) == 2


def test_the_end_of_an_interval_never_rounds_onto_zero() -> None:
    result = replace(samples.seper_helped(), delta_soft_interval=covering(0.002, 0.16))
    assert "(95% interval just above 0 to 0.16)" in seper.sentence(result)


def none_right(result: SeperResult) -> SeperResult:
    """Return the result as it is where no sample means the same as a gold answer."""
    without, after = replace(result.without, hard=0.0), replace(result.with_passages, hard=0.0)
    still = Interval(low=0.0, high=0.0)
    return replace(result, without=without, with_passages=after, delta_hard=0.0, delta_hard_interval=still)


@pytest.mark.parametrize("hard", [0.0, -0.6, 0.09])
def test_a_gain_that_only_one_kernel_finds_is_unclear(hard: float) -> None:
    spread = Interval(low=hard - 0.02, high=hard + 0.02)
    verdict = seper.verdict(replace(samples.seper_helped(), delta_hard=hard, delta_hard_interval=spread))
    assert (verdict.word, verdict.tone) == ("unclear", "unknown")


def test_a_hard_change_of_the_same_sign_backs_the_soft_one_however_noisy() -> None:
    noisy = replace(samples.seper_helped(), delta_hard_interval=Interval(low=-0.1, high=0.9))
    assert seper.verdict(noisy).word == "helped"
    assert seper.verdict(replace(samples.seper_helped(), delta_hard=None)).word == "helped"


def test_an_interval_has_as_many_decimals_as_its_value() -> None:
    assert seper.interval_words(covering(0.9512, 0.9544), digits=3) == " (95% interval 0.951 to 0.954)"
    assert seper.interval_words(Interval(low=0.0002, high=0.1), True, 3) == " (just above 0 to 0.100)"


def test_of_two_meanings_that_are_as_strong_none_is_called_the_strongest_alone() -> None:
    before = samples.belief((("2003", 2, None), ("2007", 2, None), ("1999", 1, None)), {}, None, None)
    result = replace(samples.seper_no_gold(), without=before)
    assert seper.belief_sentence(result).startswith("Strongest belief: “2003” and 1 more (40% each) without passages, ")


@pytest.mark.parametrize(("likely", "told"), [(0.25, True), (0.79, True), (0.8, False)])
def test_a_rise_that_rests_on_a_part_of_a_correct_answer_is_not_green(likely: float, told: bool) -> None:
    helped = samples.seper_helped()
    part = Judgement(
        premise="31 March 1889", hypothesis="1889 and 1890", contradiction=0.1, neutral=0.1, entailment=likely
    )
    verdict = seper.verdict(replace(helped, golds=("1889 and 1890",), judgements=(part,)))
    assert (verdict.word, verdict.tone) == ("helped", "middle" if told else "good")
    assert (f"0.80 from it to a correct answer: the judge gives {likely:.2f}." in verdict.detail) is told
