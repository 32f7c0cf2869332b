"""The embedded reader on its real weights: short answers from passages, in a few tokens, and yes or no."""

import pytest

from engine.backends.language_models import load_language_model
from engine.backends.language_models.adapters import READER
from engine.backends.language_models.base import Request
from engine.core.progress import silent
from engine.core.records import Passage
from engine.methods.profiles import EMBEDDED, answer_prompt, sufficiency_prompt

pytestmark = pytest.mark.weights
PASSAGES = (
    Passage(title="Ankara", text="Ankara is the capital of Turkey. It lies in Anatolia, about 450 km from Istanbul."),
    Passage(title="Bern", text="Bern is the seat of the Swiss government. It lies on the river Aare."),
    Passage(title="Lima", text="Lima is the capital and the largest city of Peru, founded in 1535."),
)


def test_the_adapter_is_at_most_ten_megabytes() -> None:
    assert sum(path.stat().st_size for path in READER.iterdir()) < 10_000_000


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("how far is ankara from istanbul", "450 km"),
        ("when was lima founded", "1535"),
        ("what is the capital of turkey", "Ankara"),
    ],
)
def test_a_question_is_answered_in_a_few_tokens_from_the_passage_that_holds_the_answer(
    question: str, answer: str
) -> None:
    request = Request(prompt=answer_prompt(EMBEDDED, question, PASSAGES), max_tokens=32, stop=("\n",))
    said = load_language_model("embedded").generate([request], silent)[0]
    assert answer in said.text
    assert len(said.tokens) < 12
    assert said.stop_reason == "end"


def leaning(question: str, passages: tuple[Passage, ...]) -> float:
    """Return log P(yes) - log P(no) of whether the passages suffice."""
    prompt = sufficiency_prompt(EMBEDDED, question, passages)
    yes, no = load_language_model("embedded").label_logprobs([prompt], ("yes", "no"), silent)[0]
    return float(yes - no)


@pytest.mark.parametrize(
    ("question", "place"),
    [("what is the capital of turkey", 0), ("which river flows through bern", 1), ("when was lima founded", 2)],
)
def test_passages_that_hold_the_answer_suffice_more_than_those_that_do_not(question: str, place: int) -> None:
    others = tuple(passage for at, passage in enumerate(PASSAGES) if at != place)
    assert leaning(question, PASSAGES) > max(0.0, leaning(question, others) + 1.0)


def test_passages_on_something_else_do_not_suffice() -> None:
    assert leaning("who wrote hamlet", PASSAGES) < 0


def test_the_reader_is_another_model_than_the_base_with_as_many_parameters() -> None:
    reader, base = load_language_model("embedded"), load_language_model("embedded-base")
    assert reader.identity.revision != base.identity.revision
    assert reader.identity.parameters == base.identity.parameters
