"""Every sentence of the interface: short, and said once in its file."""

from collections import Counter
from pathlib import Path

from scripts.ui_sentences import MOST_WORDS, PROJECT, sentences_of, sources, too_long, words_in

# Titles of papers are as long as they are.
CITED = "engine/learning/guide/sections/papers.md"


def test_no_sentence_of_the_interface_is_longer_than_twenty_words() -> None:
    found = sources(PROJECT)
    assert [(path, one) for path, one in too_long(found) if path != CITED] == []
    assert sum(map(len, found.values())) > 1000


def test_no_text_says_a_sentence_twice() -> None:
    texts = {path: told for path, told in sources(PROJECT).items() if Path(path).parts[:2] == ("pages", "text")}
    assert [
        one for told in texts.values() for one, times in Counter(told).items() if times > 1 and words_in(one) > 4
    ] == []


def test_a_sentence_is_cut_at_its_end_and_formulas_are_no_words() -> None:
    assert list(sentences_of("**Bold.** One $$x+y$$ two: see `code` now!\n\n- a point")) == [
        "Bold.", "One x two: see x now!", "a point",
    ]  # fmt: skip
    assert words_in("word " * (MOST_WORDS + 1)) == MOST_WORDS + 1
