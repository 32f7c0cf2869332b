"""What words alone say of two answers, as the numbers that the judge's last layer weighs."""

import math

import numpy as np
import pytest

from engine.backends.entailment.evidence import INPUTS, WORD_NUMBERS, capped_entailment, last_layer_inputs, word_numbers

CAPITAL = "What is the capital of France?"


def numbers(premise: str, hypothesis: str, question: str = CAPITAL) -> list[float]:
    row: list[float] = word_numbers(question, [(premise, hypothesis)])[0].tolist()
    return row


def test_a_premise_that_contains_the_answer_says_so_by_rule_share_and_letters() -> None:
    row = numbers("It is Paris.", "Paris")
    assert row[:7] == [0, 0, 1, 0, 0, 0, 0]  # the same words once carriers are left out, in another order or not
    assert row[7:9] == [1.0, 1.0] and row[9:11] == pytest.approx([math.log(4), math.log(2)])
    assert row[11:13] == [1.0, 0.0]


def test_exactly_one_rule_or_none_is_named() -> None:
    for premise, hypothesis, rule in [
        ("Paris", "paris!", 0),
        ("Paris, the largest city", "Paris", 1),
        ("not Paris", "Paris", 3),
        ("I don't know", "Paris", 4),
        ("what is the capital of france", "Paris", 4),
        ("1969", "20 July 1969", 5),
        ("Paris", "Lyon", 6),
    ]:
        row = numbers(premise, hypothesis)
        assert row[rule] == 1.0 and sum(row[:7]) == 1.0


def test_abstentions_are_numbers_of_their_own() -> None:
    assert numbers("I don't know.", "Paris")[13:] == [1.0, 0.0]
    assert numbers("Paris", "It is not mentioned.")[13:] == [0.0, 1.0]


def test_citation_marks_and_glued_words_hide_no_answer() -> None:
    assert numbers("It was writtenby John Daly12.", "John Daly", "Who wrote it?")[11] == 1.0


def test_the_last_layer_sees_centred_logits_again_where_no_rule_decides() -> None:
    row = word_numbers(CAPITAL, [("Paris", "Lyon"), ("not Paris", "Paris")])
    inputs = last_layer_inputs(row, np.array([[4.0, 1.0, 1.0], [1.0, 1.0, 4.0]]))
    assert inputs.shape == (2, INPUTS) and WORD_NUMBERS == 15
    assert inputs[0, 15:18].tolist() == [2.0, -1.0, -1.0] == inputs[0, 18:21].tolist()
    assert inputs[1, 18:21].tolist() == [0.0, 0.0, 0.0] and inputs[1, 21:24].tolist() == [-1.0, -1.0, 2.0]
    assert inputs[0, 24:27] == pytest.approx(np.array([2.0, -1.0, -1.0]) * math.log(2) / 4)


def test_short_answers_without_a_word_in_common_are_not_entailed_however_sure_the_encoder_is() -> None:
    pairs = [("Ankara", "Istanbul"), ("the city of Paris", "Paris, a town")]
    sure = np.array([[0.1, 0.0, 0.9], [0.1, 0.0, 0.9]])
    found = capped_entailment(sure, word_numbers(CAPITAL, pairs), pairs)
    assert found[0] == pytest.approx([2 / 3, 0.0, 1 / 3])
    assert found[1].tolist() == [0.1, 0.0, 0.9] and sure[0, 2] == 0.9


def test_a_long_answer_that_never_says_no_does_not_entail_a_bare_no() -> None:
    said = "Sydney is the capital city of Aussie, Australia's largest Aboriginal and Torres Strait Islander city."
    pairs = [(said, "No"), (f"No: {said}", "No"), (said, "Sydney or another city on the coast of the country")]
    sure = np.full((3, 3), [0.1, 0.0, 0.9])
    found = capped_entailment(sure, word_numbers("Is Sydney the capital of Australia?", pairs), pairs)
    assert found[:, 2] == pytest.approx([1 / 3, 0.9, 0.9])


def test_a_short_answer_stands_in_another_as_a_whole_word_only() -> None:
    assert numbers("It is not in 2012.", "no")[11] == 0.0 and numbers("built in 2012", "2")[11] == 0.0
    assert numbers("there are two lions", "lion")[11] == 1.0


def test_no_pairs_give_no_rows() -> None:
    assert word_numbers(CAPITAL, []).shape == (0, WORD_NUMBERS)
