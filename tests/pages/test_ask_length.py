"""The Ask form says of passages that no run could read that they are too long, in the place of what they would cost."""

import pytest

from engine.runs.models import prompt_room
from engine.runs.store import RunStore
from tests.pages.page_fixtures import opened, words_on

ASK = "pages/workspace/ask.py"
PASTE = "ask.0.pasted"


@pytest.mark.parametrize(("context", "warned"), [(2100, True), (100_000, False)])
def test_passages_that_are_too_long_are_named_instead_of_a_cost(
    store: RunStore, monkeypatch: pytest.MonkeyPatch, context: int, warned: bool
) -> None:
    class Card:
        def __init__(self) -> None:
            self.context = context

    monkeypatch.setattr(prompt_room, "card_of", lambda source: Card())
    monkeypatch.setattr(prompt_room, "counted_tokens", lambda model, prompt: len(prompt.text.split()))
    page = opened(ASK)
    page.text_area(key=PASTE).set_value("word " * 3000).run()
    said = [one.value.replace("\\", "") for one in page.warning]
    assert any("The passages are too long: 3,0" in one for one in said) is warned
    assert ("model calls" in words_on(page)) is not warned
