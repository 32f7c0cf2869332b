"""Passages that no run could read are named before it starts, by the words of the run's own refusal."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from engine.core.errors import ModelError
from engine.core.records import Passage
from engine.diagnosis.request import DiagnosisRequest
from engine.methods.profiles import EMBEDDED
from engine.runs.models import prompt_room
from engine.runs.models.prompt_room import too_long

LONG = Passage(text="word " * 2000)
ASKED = DiagnosisRequest(question="Where?", passages=(LONG,))


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a model in place that reads 2,100 tokens and makes one of each word."""
    monkeypatch.setattr(prompt_room, "card_of", lambda source: SimpleNamespace(context=2100))
    monkeypatch.setattr(prompt_room, "counted_tokens", lambda model, prompt: len(prompt.text.split()))


def with_words(number: int) -> DiagnosisRequest:
    return replace(ASKED, passages=(Passage(text="word " * number),))


def test_passages_are_too_long_from_the_first_token_that_does_not_fit(words) -> None:
    around = len(prompt_room.answer_request(EMBEDDED, "Where?", (Passage(text="word"),)).prompt.text.split()) - 1
    fits = 2100 - EMBEDDED.answer_tokens - around
    assert too_long(with_words(fits)) == ""
    said = too_long(with_words(fits + 1))
    assert said.startswith(f"The passages are too long: {fits + 1 + around:,} tokens with the question")
    assert said.endswith("The model reads at most 2,100. Use fewer or shorter passages.")


def test_nothing_is_said_where_it_cannot_be_told(words, monkeypatch: pytest.MonkeyPatch) -> None:
    much = with_words(5000)
    assert too_long(much) and not too_long(replace(much, passages=(), corpus="sample"))
    monkeypatch.setattr(prompt_room, "card_of", lambda source: SimpleNamespace(context=None))
    assert too_long(much) == ""
    monkeypatch.setattr(prompt_room, "card_of", lambda source: None)
    assert too_long(much) == "", "a server, or a model that is not here"

    def broken(source: str) -> None:
        raise ModelError("no model")

    monkeypatch.setattr(prompt_room, "card_of", broken)
    assert too_long(much) == ""


def test_short_passages_open_no_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_room, "card_of", lambda source: pytest.fail("it was looked at"))
    assert too_long(with_words(100)) == ""
    assert too_long(replace(ASKED, imported=SimpleNamespace())) == "", "an imported answer is not written"


def test_the_tokenizer_is_opened_once_torch_is_whole(words, monkeypatch: pytest.MonkeyPatch) -> None:
    done = []
    monkeypatch.setattr(prompt_room, "import_torch", lambda: done.append("torch"))
    monkeypatch.setattr(prompt_room, "counted_tokens", lambda model, prompt: done.append("tokens") or 1)
    assert too_long(with_words(100)) == "" and done == []
    assert too_long(with_words(2000)) == "" and done == ["torch", "tokens"]
