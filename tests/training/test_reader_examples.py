"""What the reader learns from: contexts that hold what is asked, and nothing of a test question."""

import random

import pytest

from engine.backends.text.parser import load_pipeline
from engine.core.records import Passage
from engine.measures.answer_match import contains
from training.cloze import made_questions
from training.nq_open import OracleRow
from training.reader_examples import (
    Neighbours,
    context_examples,
    epoch_contexts,
    question_example,
    shortened,
    shown_passage,
)

PEOPLE = ("Ada Moor", "Ben Hale", "Cora Lind", "Dan Frost", "Eve Stone", "Finn Vale", "Gus Reed", "Ida Marsh")


def row(at: int) -> OracleRow:
    """Return the question who built bridge ``at``."""
    text = f"The bridge number {at} over the river was built by {PEOPLE[at]} in {1900 + at}. It carries a road."
    passage = Passage(text=text, title=f"Bridge {at}", document_id=f"Bridge {at}", end=len(text))
    return OracleRow(question=f"who built bridge number {at}", answers=(PEOPLE[at],), passage=passage, split=2)


ROWS = [row(at) for at in range(8)]


def test_a_long_passage_is_cut_to_words_that_hold_the_answer() -> None:
    passage = Passage(text=" ".join(f"w{at}" for at in range(200)), end=0)
    cut = shortened(passage, ("w150",), words=70)
    assert len(cut.text.split()) == 70
    assert contains(cut.text, ("w150",))


def test_drawn_distractors_are_of_other_documents_and_hold_no_answer() -> None:
    neighbours = Neighbours(ROWS)
    for seed in range(20):
        drawn = neighbours.drawn(random.Random(seed), 3, 4, ("Ada Moor",))
        assert len(set(drawn)) == 4
        assert 3 not in drawn and 0 not in drawn


def test_too_few_rows_are_refused_and_end_no_loop() -> None:
    for rows in (ROWS[:1], ROWS[:2]):
        with pytest.raises(ValueError, match="2 passages"):
            Neighbours(rows).drawn(random.Random(0), 0, 2, PEOPLE[:1])
    alone = shown_passage(random.Random(0), ROWS[:1], Neighbours(ROWS[:1]), 0, changed=1.0)
    assert alone == (ROWS[0].passage, ROWS[0].answers)


def test_a_context_is_asked_what_it_answers_and_whether_it_suffices() -> None:
    examples = context_examples(random.Random(0), ROWS, Neighbours(ROWS), {}, [1, 2, 4], stranger=6)
    kinds = [example.kind for example in examples]
    assert kinds == ["question"] * 3 + ["suffices"] * 2
    assert [example.reply for example in examples[3:]] == ["yes", "no"]
    assert "bridge number 6" in examples[4].prompt.text
    assert all(example.reply in example.prompt.text for example in examples[:3])


def test_every_question_comes_once_from_memory_and_at_least_once_in_a_context() -> None:
    contexts = epoch_contexts(ROWS, Neighbours(ROWS), {}, seed=5)
    examples = [example for context in contexts for example in context]
    assert sum(example.kind == "memory" for example in examples) == len(ROWS)
    asked = {at for at in range(8) for example in examples if example.kind == "question"
             if f"number {at}" in example.prompt.text.rsplit("answer in a few words:", 1)[1]}  # fmt: skip
    assert asked == set(range(8))
    assert contexts == epoch_contexts(ROWS, Neighbours(ROWS), {}, seed=5)
    assert contexts != epoch_contexts(ROWS, Neighbours(ROWS), {}, seed=6)


def test_a_changed_answer_stands_in_the_passage_and_the_old_one_no_longer() -> None:
    neighbours = Neighbours(ROWS)
    changed = [shown_passage(random.Random(seed), ROWS, neighbours, 2) for seed in range(30)]
    others = [(passage, golds) for passage, golds in changed if golds != ROWS[2].answers]
    assert 5 <= len(others) <= 20
    for passage, golds in others:
        assert contains(passage.text, golds)
        assert not contains(passage.text, ROWS[2].answers)


def test_the_reply_is_the_shortest_answer_that_stands_in_the_passages() -> None:
    passages = (Passage(text="It was the year 1999 in spring."),)
    assert question_example("when", ("nineteen ninety-nine", "the year 1999", "1999"), passages).reply == "1999"


def test_a_made_question_asks_for_a_name_by_a_word_of_its_type() -> None:
    document = load_pipeline()("She wrote the first symphony for the city orchestra of Vienna in 1905.")
    made = [
        one.question
        for seed in range(10)
        for one in made_questions(document, "Ada Moor", random.Random(seed))
        if one.answer == "1905"
    ]
    assert len(made) == 10
    assert {question.split()[0] for question in made} <= {"when", "what"}
    assert any("ada moor wrote" in question and "vienna" in question for question in made)
    assert not any("1905" in question for question in made)
