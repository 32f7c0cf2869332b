"""The parser behind its findings: records come back equal, and the parser stays closed where all is known."""

from pathlib import Path

import pytest

from engine.backends.call_cache import CallCache
from engine.backends.text import cached
from engine.backends.text.cached import CachedText
from engine.backends.text.spacy_text import SpacyText

TEXT = "Gustave Eiffel's company built the tower, which opened on 31 March 1889. It stands in Paris."
QUESTION = "Who built the Eiffel Tower?"


def everything(tools: CachedText | SpacyText) -> list[object]:
    """Return all that the tools say of two texts."""
    asked = (tools.sentences, tools.words, tools.entities, tools.triplets, tools.rewordings)
    return [ask(text) for ask in asked for text in (TEXT, QUESTION, "")]


def test_findings_come_back_equal_and_the_parser_stays_closed(tmp_path: Path) -> None:
    cache, parser = CallCache(tmp_path / "c.sqlite"), SpacyText()
    direct = everything(parser)
    assert everything(CachedText(cache, "t", lambda: parser)) == direct
    assert everything(CachedText(cache, "t", lambda: pytest.fail("opened"))) == direct
    assert len(direct[0]) == 2  # type: ignore[arg-type]


def test_other_rules_find_anew(tmp_path: Path) -> None:
    cache, parser = CallCache(tmp_path / "c.sqlite"), SpacyText()
    CachedText(cache, "t", lambda: parser).words(TEXT)
    opened: list[bool] = []
    CachedText(cache, "other", lambda: opened.append(True) or parser).words(TEXT)  # type: ignore[func-returns-value]
    assert opened == [True]


def test_a_long_document_is_read_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached, "LONGEST_KEPT", 200)
    cache, parser = CallCache(tmp_path / "c.sqlite"), SpacyText()
    assert CachedText(cache, "t", lambda: parser).sentences("One. " * 50)
    assert cache.size().calls == 0
