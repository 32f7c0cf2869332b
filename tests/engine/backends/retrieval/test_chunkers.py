"""Chunks point back at their document exactly, cover it, and fit the embedder."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.backends.retrieval import load_embedder
from engine.backends.retrieval.base import Embedder
from engine.backends.retrieval.chunkers import chunk, reading
from engine.backends.retrieval.scripted import HashedWords
from engine.core.errors import Cancelled, CorpusError
from engine.core.progress import Event
from engine.core.records import Document

WORDS = HashedWords()
TEXTS = st.text(alphabet=st.sampled_from(list("ab .\n!é\"'🗼ש<>&1\t  ")), min_size=1, max_size=400)


def document(text: str, title: str = "") -> Document:
    return Document(document_id="d", title=title, text=text)


def check_offsets(text: str, title: str, embedder: Embedder, size: int, overlap: int) -> None:
    passages = chunk(document(text, title), embedder, size, overlap)
    covered = set()
    for passage in passages:
        assert text[passage.start : passage.end] == passage.text == passage.text.strip()
        assert passage.text
        covered.update(range(passage.start, passage.end))
    assert all(place in covered for place, letter in enumerate(text) if not letter.isspace())
    starts = [passage.start for passage in passages]
    assert starts == sorted(starts)


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, size=st.integers(6, 40), overlap=st.integers(0, 3))
def test_every_passage_is_its_slice_of_the_document_and_nothing_is_lost(text: str, size: int, overlap: int) -> None:
    check_offsets(text, "", WORDS, size, overlap)


def test_repeated_text_keeps_true_offsets_to_the_end() -> None:
    check_offsets("ha " * 500, "", WORDS, 20, 4)
    assert chunk(document("ha " * 500), WORDS, 20, 4)[-1].end == 1499


def test_ten_words_in_chunks_of_six_tokens_with_one_word_of_overlap() -> None:
    # Two marks and one word of overlap leave room for three new words a chunk.
    text = "a b c d e f g h i j"
    assert [p.text for p in chunk(document(text), WORDS, 6, 1)] == ["a b c", "c d e f", "f g h i", "i j"]


def test_a_paragraph_end_is_preferred_to_a_sentence_end_and_that_to_a_word() -> None:
    text = "One two three four. Five six.\n\nSeven eight nine."
    assert [p.text for p in chunk(document(text), WORDS, 10, 0)] == [
        "One two three four. Five six.",
        "Seven eight nine.",
    ]
    assert [p.text for p in chunk(document(text), WORDS, 8, 0)] == [
        "One two three four.",
        "Five six.",
        "Seven eight nine.",
    ]


def test_no_chunk_begins_inside_a_sentence_that_fits_into_one() -> None:
    text = (
        "Dr. Ada Byron was born in London on Dec. 10 in 1815. She met Mr. Babbage at 17.\n"
        "Her notes, which J. J. Sylvester praised, appeared\nin 1843. The U.S. Navy named a language after her!\n\n"
        "Later life\nShe died in 1852. Was she the first programmer? Many say so."
    )
    begins = [text.index(one) for one in ("Dr.", "She met", "Her", "The U.S.", "Later", "She died", "Was", "Many")]
    for size, overlap in [(24, 4), (30, 12), (40, 0), (20, 2)]:
        starts = [passage.start for passage in chunk(document(text), WORDS, size, overlap)]
        assert len(starts) > 1 and set(starts) <= set(begins), (size, starts)


def test_the_overlap_is_the_last_whole_sentences_that_fit() -> None:
    text = "One two. Three four five six. Seven. Eight nine ten eleven."
    # Two marks and four words of overlap leave room for ten words and full stops.
    assert [p.text for p in chunk(document(text), WORDS, 16, 4)] == [
        "One two. Three four five six. Seven.",
        "Seven. Eight nine ten eleven.",
    ]


def test_white_space_without_end_is_passed_over_at_once() -> None:
    began = time.process_time()
    (passage,) = chunk(document("a" + " " * 300_000 + "\n" * 300_000 + "b"), WORDS, 16, 4)
    assert passage.text.split() == ["a", "b"]
    assert time.process_time() - began < 5


def test_the_title_takes_room_and_is_read_before_the_text() -> None:
    passages = chunk(document("a b c d e f", "Long title here"), WORDS, 8, 0)
    assert [p.text for p in passages] == ["a b c", "d e f"]
    assert reading(passages[0], WORDS) == "Long title here\na b c"
    assert WORDS.count_tokens(reading(passages[0], WORDS)) <= 8


def test_a_title_of_more_than_32_tokens_is_kept_but_not_read_by_the_embedder() -> None:
    (passage,) = chunk(document("a b", "word " * 33), WORDS, 40, 0)
    assert reading(passage, WORDS) == "a b" and passage.title == "word " * 33


def test_a_line_without_spaces_is_cut_at_eight_letters_a_token() -> None:
    passages = chunk(document("x" * 10_000), WORDS, 18, 0)
    assert max(len(passage.text) for passage in passages) <= 16 * 8
    assert "".join(passage.text for passage in passages) == "x" * 10_000


def test_emoji_and_right_to_left_offsets_count_characters() -> None:
    text = "👩‍🚀 flew. שלום עולם, היום יום יפה. <b>&amp;</b> مرحبا بالعالم."
    check_offsets(text, "", WORDS, 8, 1)


def test_chunks_longer_than_the_embedder_reads_are_refused() -> None:
    with pytest.raises(CorpusError, match=r"128.*64"):
        chunk(document("a"), HashedWords(max_tokens=64), 128, 16)


def test_sizes_without_room_for_text_are_refused() -> None:
    for size, overlap in [(10, 8), (10, -1), (2, 0)]:
        with pytest.raises(ValueError, match="leave no room"):
            chunk(document("a"), WORDS, size, overlap)


@pytest.mark.weights
def test_chunks_of_both_profiles_fit_the_real_embedder() -> None:
    for size, overlap in [(128, 16), (512, 64)]:
        embedder = load_embedder()
        text = (
            "Skłodowska-Curie won in 1903 & 1911. 日本語の文章です。 Antidisestablishmentarianism! " * 60 + "z" * 3000
        )
        passages = chunk(document(text, "Marie Curie"), embedder, size, overlap)
        lengths = [embedder.count_tokens(reading(passage, embedder)) for passage in passages]
        assert max(lengths) <= size
        assert max(lengths) >= size * 0.8
        check_offsets(text, "Marie Curie", embedder, size, overlap)


def test_cutting_a_huge_document_can_be_stopped() -> None:
    reports = 0

    def stop_at_the_second(event: Event) -> None:
        nonlocal reports
        reports += 1
        if reports == 2:
            raise Cancelled("stopped")

    text = " ".join(f"Sentence number {number} of many." for number in range(3000))
    with pytest.raises(Cancelled):
        chunk(Document(document_id="d", title="", text=text), HashedWords(), 64, 8, stop_at_the_second)
