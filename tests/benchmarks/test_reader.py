"""The reader's benchmark on made-up rows: what is counted, and that its results are the shipped reader's."""

import json

import pytest

from benchmarks.reader import RESULTS, contexts, scored
from engine.measures.answer_match import contains
from tests.training.test_reader_examples import ROWS
from tests.viz.sample_results import generation


def test_each_question_has_its_passage_at_some_place_of_five_and_none_of_its_answers_without_it() -> None:
    made = contexts(ROWS, seed=1)
    places = []
    for row, (gold, without) in zip(ROWS, made, strict=True):
        assert len(gold) == len(without) == 5
        assert not any(contains(f"{passage.title} {passage.text}", row.answers) for passage in without)
        places.append(next(at for at, passage in enumerate(gold) if contains(passage.text, row.answers)))
    assert len(set(places)) > 2
    assert made == contexts(ROWS, seed=1)


def test_answers_are_counted_against_every_alias() -> None:
    said = ("Ada Moor", "by Ben Hale", "nobody", "")
    found = scored([generation(text) for text in said], ROWS[:4])
    assert found["exact_match"] == 0.25
    assert found["contains_gold"] == 0.5
    assert found["token_f1"] == pytest.approx((1 + 0.8) / 4)


def test_the_shipped_results_hold_what_the_model_card_says() -> None:
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    reader = results["embedded"]
    assert results["questions"] == 251
    assert reader["five_passages"]["exact_match"] > 0.4
    assert reader["sufficiency"]["balanced_accuracy"] > 0.75
    assert reader["five_passages"]["under_12_tokens"] > 0.9
    assert reader["spread"]["five_passages"]["mean_entropy"] > 0
