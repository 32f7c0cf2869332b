"""Forms of an answer: what means the same stays, what is changed is changed."""

import random

import pytest

from training import answer_forms as forms

DRAWS = range(40)


def test_a_date_is_written_in_other_ways_and_stays_the_same_day() -> None:
    said = {forms.other_date_form(random.Random(seed), "on July 20, 1969, at noon") for seed in DRAWS}
    assert {"on 20 July 1969, at noon", "on 1969-07-20, at noon", "on July 20th, 1969, at noon"} <= said
    assert all(text and "1969" in text and "20" in text for text in said)


def test_a_text_without_a_full_date_has_no_other_date() -> None:
    draw = random.Random(0)
    assert forms.other_date_form(draw, "1969") is None and forms.other_date(draw, "in July") is None


def test_another_date_differs_in_day_month_or_year() -> None:
    same = {"20 July 1969", "July 20, 1969", "July 20th, 1969", "the 20th of July 1969", "20th July, 1969"}
    same |= {"Jul 20, 1969", "20 Jul. 1969", "1969-07-20"}
    assert not same & {forms.other_date(random.Random(seed), "20 July 1969") for seed in DRAWS}


@pytest.mark.parametrize(
    ("text", "other"),
    [("7 moons", "seven moons"), ("1,200 men", "1200 men"), ("twelve men", "12 men"), ("42", "forty-two")],
)
def test_a_number_is_written_in_words_digits_or_without_commas(text: str, other: str) -> None:
    assert forms.other_number_form(random.Random(1), text) == other


def test_a_plain_year_has_no_other_form_and_a_text_without_numbers_none() -> None:
    assert forms.other_number_form(random.Random(0), "1969") is None
    assert forms.other_number_form(random.Random(0), "Paris") is None


@pytest.mark.parametrize("text", ["1969", "7", "1,200", "384400", "seven", "the third"])
def test_another_number_is_never_the_same(text: str) -> None:
    said = {forms.other_number(random.Random(seed), text) for seed in DRAWS}
    assert None not in said and text not in said and len(said) > 3


def test_a_kings_number_changes_and_a_plain_name_has_none() -> None:
    said = {forms.other_ordinal(random.Random(seed), "King George VI") for seed in DRAWS}
    assert said == {"King George IV", "King George V", "King George VII", "King George VIII"}
    assert forms.other_ordinal(random.Random(0), "George Lucas") is None


def test_a_full_name_gives_its_surname_and_another_persons_first_or_last_name() -> None:
    assert forms.shorter_name("Neil Armstrong") == "Armstrong" and forms.shorter_name("Armstrong") is None
    said = {forms.other_name(random.Random(seed), "Neil Armstrong", ["Buzz Aldrin"]) for seed in DRAWS}
    assert said == {"Buzz Armstrong", "Neil Aldrin"}


def test_carriers_details_and_repeats_keep_the_answer_word_for_word() -> None:
    for seed in DRAWS:
        draw = random.Random(seed)
        for kind in forms.DETAILS:
            for text in (forms.carried(draw, "Paris", kind), forms.detailed(draw, "Paris", kind)):
                assert "Paris" in text
        assert forms.repeated(draw, "Paris", "places").count("Paris") >= 2
        assert "Paris" in forms.restated(draw, "What is the capital of France?", "Paris")
        assert "Paris" not in forms.without_answer(draw, "What is the capital of France?")


def test_a_text_is_cut_only_after_what_must_stay() -> None:
    text = "It was Gagarin who flew first, in the spring of 1961"
    cuts = {forms.cut_off(random.Random(seed), text, 14) for seed in DRAWS}
    assert all(cut and cut.startswith("It was Gagarin") and len(cut) < len(text) for cut in cuts)
    assert forms.cut_off(random.Random(0), "It was Gagarin", 14) is None
