"""Exact match, token F1 and containment after SQuAD normalisation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.measures.answer_match import contains, exact_match, normalise, rouge_l, token_f1


@pytest.mark.parametrize(
    "name",
    ["em_f1_1", "em_f1_2", "em_f1_3", "em_f1_4", "em_f1_5", "em_f1_6", "em_f1_9", "em_f1_both_empty"],
)
def test_normalisation_match_and_f1_match_the_reference(reference, name):
    entry = reference(name)
    prediction, gold = entry["inputs"]["prediction"], entry["inputs"]["gold"]
    assert [normalise(prediction), normalise(gold)] == entry["expected"]["normalised"]
    assert exact_match(prediction, [gold]) == entry["expected"]["EM"]
    assert token_f1(prediction, [gold]) == pytest.approx(entry["expected"]["F1"], abs=1e-6)


def test_the_best_gold_counts():
    assert exact_match("Fab Four", ["The Beatles", "fab four"])
    assert token_f1("New York City", ["Boston", "New York", "New York City"]) == 1.0


def test_tokens_are_counted_as_often_as_they_occur():
    # "new new" shares one "new" with "new york": precision 1/2, recall 1/2.
    assert token_f1("new new", ["new york"]) == 0.5


@pytest.mark.parametrize(
    ("prediction", "gold", "found"),
    [
        ("It was William Shakespeare, I think.", "william shakespeare", True),
        ("William of Shakespeare", "William Shakespeare", False),
        ("a party", "art", False),
        ("Shakespeare William", "William Shakespeare", False),
        ("in 1990.", "1990", True),
        ("in 19900", "1990", False),
        ("Prince of the Netherlands", "Prince of Netherlands", True),
        ("anything", "the", False),
        ("", "", False),
        ("", "x", False),
    ],
)
def test_a_gold_is_contained_as_whole_tokens_in_order(prediction, gold, found):
    assert contains(prediction, [gold]) is found


def test_one_empty_alias_does_not_match_everything():
    assert contains("Paris", ["the", "London"]) is False


def test_a_bare_string_is_one_gold_and_not_its_letters():
    assert exact_match("beatles", "The Beatles") and not exact_match("b", "The Beatles")


@pytest.mark.parametrize("measure", [exact_match, token_f1, contains])
def test_without_a_gold_answer_nothing_can_be_judged(measure):
    with pytest.raises(ValueError, match="got 0"):
        measure("Paris", [])


@given(st.text(max_size=30))
def test_normalising_leaves_no_space_at_the_ends_and_no_upper_ascii(text):
    result = normalise(text)
    assert result == result.strip() and "  " not in result
    assert not any("A" <= letter <= "Z" for letter in result)


@given(st.text(max_size=20), st.text(max_size=20))
def test_f1_is_symmetric_in_0_to_1_and_1_on_a_match_with_tokens(one, other):
    score = token_f1(one, [other])
    assert 0 <= score <= 1
    assert score == pytest.approx(token_f1(other, [one]))
    if exact_match(one, [other]) and normalise(one):
        assert score == 1.0 and contains(one, [other])


def test_the_best_of_several_correct_answers_counts():
    assert contains("It is Rome.", ["Paris", "Rome"]) and not contains("It is Rome.", ["Paris", "Oslo"])
    # Two of two words in order for one, one of two for the other: 2 · 1 / (2 + 2).
    assert rouge_l("new york", ["new delhi", "new york"]) == 1.0 and rouge_l("new york", ["new delhi"]) == 0.5


def test_a_yes_or_no_shares_no_credit_with_a_longer_text():
    assert token_f1("no", ["no doubt"]) == 0.0 and token_f1("yes it is", ["yes"]) == 0.0
