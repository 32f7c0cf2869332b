"""The common cut of the baselines: half way between unanimity and one dissent, by hand."""

import math

import pytest

from engine.measures.dissent import dissent_threshold, one_dissent, unanimous
from engine.measures.graph_uncertainty import degree, eigenvalue
from engine.measures.response_graph import degree_entropy, response_weights


def over_decisions(measure):
    """Return a measure of weights as one of entailment classes."""
    return lambda classes: measure(response_weights(classes == 2))


def test_for_the_entropy_of_six_answers_it_is_0_225_nats_beside_the_papers_0_2() -> None:
    # Five degrees of 5 and one of 1, of 6: (5 ln(6/5) + ln 6) / 6 = 0.450561; unanimity is 0.
    assert dissent_threshold(over_decisions(degree_entropy), 6) == pytest.approx(0.450561 / 2, abs=1e-6)


def test_for_the_number_of_meanings_it_is_one_and_a_half_whatever_the_number_of_answers() -> None:
    for n in (2, 6, 10):
        assert dissent_threshold(over_decisions(eigenvalue), n) == pytest.approx(1.5)


def test_for_the_missing_agreement_of_ten_it_is_0_09() -> None:
    # 18 of 100 ordered pairs disagree: U_deg = 0.18.
    assert dissent_threshold(over_decisions(degree), 10) == pytest.approx(0.09)


def test_the_dissenter_is_neutral_to_all_others_both_ways() -> None:
    classes = one_dissent(3)
    assert classes.tolist() == [[2, 2, 1], [2, 2, 1], [1, 1, 2]]
    assert unanimous(1).tolist() == [[2]]


def test_one_answer_has_nobody_to_dissent_from() -> None:
    with pytest.raises(ValueError, match="got 1 in all"):
        dissent_threshold(over_decisions(degree_entropy), 1)
    with pytest.raises(ValueError, match="at least 1 answer"):
        unanimous(0)


def test_it_lies_strictly_between_agreement_and_one_dissent() -> None:
    assert 0 < dissent_threshold(over_decisions(degree_entropy), 2) < math.log(2)
