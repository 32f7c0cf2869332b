"""Sentences and words with offsets, on clean text and on what people paste."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.backends.text import load_text_tools
from engine.backends.text.base import sentence_kind
from engine.backends.text.parser import block_bounds

BAD = (
    "",
    "   \n ",
    "<script>alert('x')</script><b>Paris</b>",
    "😀 Paris 😀😀 🎉",
    "ولد محمد علي في مدينة كفالا عام 1769.",
    "משה נולד בירושלים.",
    "a\x00b \u200b\u202e x",
    "…",
    "((((",
    "' ' '",
)


def sentences(text: str) -> list[str]:
    return [span.text for span in load_text_tools().sentences(text)]


def test_sentences_end_where_a_reader_ends_them() -> None:
    failing = [
        (text, expected)
        for text, expected in [
            ("The Arch is in St. Louis, Missouri. It is high.", ["The Arch is in St. Louis, Missouri.", "It is high."]),
            ("He lived in the U.S. until 1950. Then he moved.", ["He lived in the U.S. until 1950.", "Then he moved."]),
            (
                "Dr. Watson met Mr. Holmes at 5 p.m. on Jan. 3. They talked.",
                ["Dr. Watson met Mr. Holmes at 5 p.m. on Jan. 3.", "They talked."],
            ),
            ("Paris", ["Paris"]),
            ("the quick brown fox Paris 1900 answer: 12", ["the quick brown fox Paris 1900 answer: 12"]),
            ('"What is God?" first appeared in 1989.', ['"What is God?" first appeared in 1989.']),
            ("One line\n\nAnother line", ["One line", "Another line"]),
            ("It was Alfred Nobel. So the answer is Sweden.", ["It was Alfred Nobel.", "So the answer is Sweden."]),
        ]
        if sentences(text) != expected
    ]
    assert failing == []


def test_what_people_paste_is_read_without_an_error_and_offsets_hold() -> None:
    for text in BAD:
        tools = load_text_tools()
        spans = [*tools.sentences(text), *tools.words(text), *tools.entities(text)]
        spans += [end for claim in tools.triplets(text) for end in (claim.head, claim.tail) if end is not None]
        assert all(text[span.start : span.end] == span.text for span in spans)


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=80))
def test_sentences_and_words_cover_every_character_that_is_no_space(text: str) -> None:
    tools = load_text_tools()
    for spans in (tools.sentences(text), tools.words(text)):
        covered = {i for span in spans for i in range(span.start, span.end)}
        assert [text[i] for i in range(len(text)) if i not in covered and not text[i].isspace()] == []
        assert all(text[span.start : span.end] == span.text for span in spans)


def test_ten_thousand_words_are_cut_into_their_sentences_across_blocks() -> None:
    text = "Marie Curie was born in Warsaw in 1867. " * 1250
    tools = load_text_tools()
    assert len(text) == 50_000
    assert len(tools.sentences(text + text)) == 2500
    assert len(tools.entities(text)) == 3750


def test_content_words_are_nouns_adjectives_verbs_names_and_numbers() -> None:
    words = load_text_tools().words("Marie Curie was quickly born in old Warsaw in 1867.")
    assert [word.text for word in words if word.is_content] == ["Marie", "Curie", "born", "old", "Warsaw", "1867"]


def test_the_kind_of_a_sentence_is_in_its_wording() -> None:
    assert sentence_kind("So the answer is Sweden.") == "conclusion"
    assert sentence_kind("So far, Everest has not moved.") == "fact"
    assert sentence_kind("When he died in 1900, he was old.") == "fact"
    assert sentence_kind("who wrote hamlet") == "question"


def test_blocks_are_cut_at_a_line_end_before_a_word_end() -> None:
    assert list(block_bounds("ab\ncd ef", size=7)) == [(0, 3), (3, 8)]
    assert list(block_bounds("abcdef", size=4)) == [(0, 4), (4, 6)]
    assert list(block_bounds("")) == []


def test_the_tools_are_loaded_once() -> None:
    assert load_text_tools() is load_text_tools()
