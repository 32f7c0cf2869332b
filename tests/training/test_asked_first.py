"""One question before its context: what is shown, what is replied, and how often."""

from engine.measures.answer_match import contains
from tests.training.test_reader_examples import ROWS
from training.asked_first import epoch_questions
from training.cloze import MadeQuestion
from training.reader_examples import Neighbours

MADE = {at: (MadeQuestion(question=f"when bridge number {at} built", answer=str(1900 + at)),) for at in range(8)}


def epochs(count: int, changed: float = 0.0) -> list[tuple]:
    """Return the examples of several epochs, as they stand together."""
    neighbours = Neighbours(ROWS)
    return [together for seed in range(count) for together in epoch_questions(ROWS, neighbours, MADE, seed, changed)]


def test_a_question_stands_before_its_context_and_is_answered_in_its_words() -> None:
    for together in epochs(4):
        answer = together[0]
        if answer.kind != "question":
            continue
        question, context = answer.prompt.text.removeprefix("Question: ").split("\n\n", 1)
        assert question.startswith("who built bridge number")
        assert context.endswith(f"answer in a few words: {question}")
        assert contains(context, (answer.reply,))
        assert [one.kind for one in together] == ["question", "suffices"] and together[1].reply == "yes"
        shared = answer.prompt.text.rsplit("\n\n", 1)[0]
        assert together[1].prompt.text.startswith(shared)


def test_a_context_without_the_right_passage_does_not_suffice() -> None:
    left_out = [together[0] for together in epochs(8) if together[0].kind == "suffices"]
    assert 4 <= len(left_out) <= 25
    for one in left_out:
        number = int(one.prompt.text.split("\n\n", 1)[0].rsplit(" ", 1)[1])
        assert one.reply == "no" and not contains(one.prompt.text, ROWS[number].answers)


def test_half_of_the_questions_come_from_memory_and_an_epoch_depends_on_its_seed_only() -> None:
    kinds = [example.kind for together in epochs(1) for example in together]
    assert kinds.count("memory") == 4
    assert 1 <= kinds.count("made") <= 8
    assert epochs(2) == epochs(2) and epochs(1, changed=0.0) != epochs(1, changed=1.0)
