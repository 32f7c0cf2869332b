"""Exact counts: case, borders, windows, overlapping mentions, excerpts, size."""

import unicodedata
from typing import Literal

import pytest

from engine.backends.corpus_stats import count_documents
from engine.backends.corpus_stats.base import CorpusCounter
from engine.backends.retrieval.readers import read_file
from engine.core.records import Document
from tests.engine.backends.retrieval.test_readers import pdf_bytes

Form = Literal["NFC", "NFD"]


def counter(*texts: str) -> CorpusCounter:
    documents = [Document(document_id=f"d{i}", title=f"Title {i}", text=text) for i, text in enumerate(texts)]
    return count_documents(documents, "tests")


def tokens(*documents: list[int]) -> CorpusCounter:
    return counter(*[" ".join(f"w{token}" for token in document) for document in documents])


def test_counts_are_occurrences_whatever_the_case_and_the_punctuation() -> None:
    corpus = counter("Marie Curie won. MARIE CURIE's prize; marie\ncurie!", "Curie, Marie")
    assert corpus.count("Marie Curie") == 3
    assert corpus.count("curie") == 4
    assert corpus.documents == 2 and corpus.name == "tests" and "2 documents with 11 words" in corpus.note
    assert "1 document with 1 word;" in counter("Curie").note


def test_composed_and_decomposed_letters_are_the_same_word() -> None:
    corpus = counter(unicodedata.normalize("NFD", "Emily Brontë lived."), "ＴＯＫＹＯ")
    assert corpus.count("Brontë") == 1
    assert corpus.count("Tokyo") == 1


def test_names_are_found_in_every_script_with_capital_letters() -> None:
    assert counter("He met Édouard Manet and Émile Zola in Évreux.").name_counts() == (1, 1, 1)
    assert counter("Он жил в городе Москва. Потом Москва выросла, и Иван Петров уехал.").name_counts() == (1, 2)
    assert counter("東京は日本の首都である。").name_counts() == ()


def test_an_entity_is_words_in_a_row_and_never_crosses_a_document_border() -> None:
    corpus = counter("Marie", "Curie", "Marie and Curie")
    assert corpus.count("Marie Curie") == 0


def test_a_bracketed_qualifier_may_be_missing_in_the_corpus() -> None:
    corpus = counter("Casablanca won. Casablanca (film) is old.", "Casablanca lies in Morocco.")
    assert corpus.count("Casablanca (Film)") == 3
    assert corpus.co_occurrence("Casablanca (Film)", "Morocco", 1000).documents == 1


def test_what_holds_no_word_is_not_measured() -> None:
    for nothing in ["", "   ", "?!", "…", "😀"]:
        corpus = counter("Paris is here.")
        assert corpus.count(nothing) is None
        assert corpus.co_occurrence(nothing, "Paris", 10).documents is None
        assert corpus.co_occurrence("Paris", nothing, 10).documents is None


def test_a_corpus_without_documents_counts_nothing_and_one_without_words_counts_zero() -> None:
    assert counter().count("Paris") is None
    assert counter().co_occurrence("Paris", "France", 10).documents is None
    assert counter("…").count("Paris") == 0
    assert counter("…").co_occurrence("Paris", "France", 10).documents == 0


# Small indexes on which the infini-gram engine 2.6.0 was run; the number here is the true one, by hand.
# 1 = head, 2 = tail, 10 = filler. The engine gives 0, 0 and 1 for those marked "undercounted".
def test_pairs_are_counted_within_their_own_document() -> None:
    failing = [
        (name, documents, true_value)
        for name, documents, true_value in [
            ("adjacent", [[10, 1, 2, 10]], 1),
            ("undercounted: a tail in the document before", [[10, 2], [1, 10, 2]], 1),
            ("undercounted: a tail in the document after", [[2, 10, 1], [2]], 1),
            ("no left neighbour", [[10, 10], [1, 10, 2]], 1),
            ("three heads, one tail", [[1, 10, 1, 10, 1, 2]], 1),
            ("in different documents only", [[1, 10], [10, 2]], 0),
            ("undercounted: seven short documents", [[1, 2, 10, 10, 10, 10, 10]] * 7, 7),
            ("a window edge that counts", [[1, *[10] * 999, 2]], 1),
            ("one word beyond the window", [[1, *[10] * 1000, 2]], 0),
        ]
        if tokens(*documents).co_occurrence("w1", "w2", 1000).documents != true_value
    ]
    assert failing == []


def test_a_wider_window_never_loses_a_pair_of_a_short_document() -> None:
    failing = [
        window
        for window in [3, 6, 7, 8, 1000]
        if tokens(*([[1, 2, 10, 10, 10, 10, 10]] * 7)).co_occurrence("w1", "w2", window).documents != 7
    ]
    assert failing == []


def test_a_tail_may_stand_in_another_of_its_spellings() -> None:
    # The engine's OR clause, [1] AND ([2] OR [3]) in [1, 10, 3], gives 1; here the spellings of one name are the OR.
    assert tokens([1, 10, 3]).co_occurrence("w1", "w3 (w2)", 1000).documents == 1


def test_pairs_of_phrases_are_measured_start_to_start() -> None:
    corpus = tokens([1, 3, 10, 2, 3])
    assert corpus.co_occurrence("w1 w3", "w2 w3", 1000).documents == 1
    assert corpus.co_occurrence("w1 w3", "w2 w3", 3).documents == 1
    assert corpus.co_occurrence("w1 w3", "w2 w3", 2).documents == 0


def test_a_thing_meets_itself_in_every_document_that_names_it() -> None:
    assert tokens([10, 1, 10]).co_occurrence("w1", "W1", 1000).documents == 1
    assert tokens([10, 1], [1, 10]).co_occurrence("w1", "w1", 1000).documents == 2


def test_a_name_meets_its_own_part_wherever_it_stands_as_equation_3_has_it() -> None:
    corpus = counter("The Battle of Stamford Bridge was in 1066.", "Stamford Bridge is a ground.", "A battle.")
    for ends in (("Stamford Bridge", "Battle of Stamford Bridge"), ("Battle of Stamford Bridge", "Stamford Bridge")):
        found = corpus.co_occurrence(*ends, 1000)
        assert found.documents == 1 and found.nearest is None
        assert [(one.document_id, one.distance) for one in found.meetings] == [("d0", 2)]
    assert corpus.co_occurrence("Stamford Bridge", "Battle of Stamford Bridge", 1).documents == 0
    assert corpus.co_occurrence("Stamford Bridge", "Siege of Stamford Bridge", 1000).documents == 0


def test_where_a_name_and_its_part_also_stand_apart_that_is_their_meeting() -> None:
    found = counter("Marie Curie and Pierre Curie won.").co_occurrence("Marie Curie", "Curie", 1000)
    assert found.documents == 1 and [one.distance for one in found.meetings] == [4]


def test_names_that_share_words_meet_in_one_mention() -> None:
    assert counter("New York City").co_occurrence("New York", "York City", 1000).documents == 1


def test_meetings_come_nearest_first_with_both_marked() -> None:
    corpus = counter("Paris x x x x France", "In Paris, France", "Paris alone")
    found = corpus.co_occurrence("France", "paris", 1000)
    assert found.documents == 2
    assert [(meeting.document_id, meeting.distance) for meeting in found.meetings] == [("d1", 1), ("d0", 5)]
    nearest = found.meetings[0]
    assert nearest.excerpt == "In Paris, France" and nearest.title == "Title 1"
    assert (nearest.head.text, nearest.head.start, nearest.tail.text, nearest.tail.start) == ("France", 10, "Paris", 3)


def test_a_long_excerpt_is_cut_around_both_with_dots() -> None:
    filler = [f"f{i}" for i in range(200)]
    text = " ".join([*filler[:100], "Paris", *filler, "France", *filler[:100]])
    meeting = counter(text).co_occurrence("Paris", "France", 1000).meetings[0]
    assert meeting.distance == 201
    assert meeting.excerpt.startswith("… f85 ") and meeting.excerpt.endswith(" f14 …") and " … " in meeting.excerpt
    assert len(meeting.excerpt.split()) <= 66
    for span in (meeting.head, meeting.tail):
        assert meeting.excerpt[span.start : span.end] == span.text
    near = counter(" ".join([*filler, "Paris France", *filler])).co_occurrence("Paris", "France", 9).meetings[0]
    assert near.excerpt.startswith("… f171 ") and near.excerpt.endswith(" f28 …")


def test_a_negative_window_is_refused_with_its_value() -> None:
    with pytest.raises(ValueError, match="got -1"):
        counter("a b").co_occurrence("a", "b", -1)


def test_chinese_and_arabic_names_are_found() -> None:
    corpus = counter("北京是中国的首都。", "القاهرة عاصمة مصر.")
    assert corpus.co_occurrence("北京", "中国", 10).documents == 1
    assert corpus.co_occurrence("القاهرة", "مصر", 10).documents == 1


def test_five_thousand_passages_are_counted() -> None:
    text = " ".join(f"word{i % 700} the" for i in range(50))
    documents = [
        Document(document_id=str(i), title="", text=f"Place{i % 50} {text} of Land{i % 70}") for i in range(5000)
    ]
    corpus = count_documents(documents, "many")
    assert corpus.count("nowhere") == 0
    assert corpus.co_occurrence("Place7", "the", 1000).documents == 100
    assert corpus.co_occurrence("the", "of", 1000).documents == 5000


def test_a_date_is_found_in_either_order_of_day_and_month() -> None:
    counts = count_documents(
        [Document(document_id="1", title="Moon", text="Apollo 11 landed on 20 July 1969. It left on 21 July 1969.")],
        "one",
    )
    assert counts.count("July 20, 1969") == 1
    assert counts.count("20 July 1969") == 1
    assert counts.count("20th July 1969") == 1
    assert counts.count("July 22, 1969") == 0
    assert counts.co_occurrence("Apollo 11", "July 20, 1969", 1000).documents == 1


def test_a_person_is_found_without_the_title() -> None:
    counts = count_documents([Document(document_id="1", title="Everest", text="Edmund Hillary climbed it.")], "one")
    assert counts.count("Sir Edmund Hillary") == 1
    assert counts.count("Sir") == 0


def test_a_window_by_the_documents_length_binds_where_a_thousand_words_cannot() -> None:
    # 200 words: a quarter is 50. 40 words: a quarter is 10, and a sentence's 25 hold.
    long = "Ada " + "x " * 60 + "Rome " + "x " * 138
    short = "Ada " + "x " * 20 + "Rome " + "x " * 18
    counts = count_documents(
        [Document(document_id=str(i), title="", text=t) for i, t in enumerate((long, short))], "two"
    )
    assert [counts.co_occurrence("Ada", "Rome", 1000, share).documents for share in (None, 1.0, 0.25, 0.4)] == [
        2,
        2,
        1,
        2,
    ]
    assert counts.co_occurrence("Ada", "Rome", 15, 0.25).documents == 0, "never wider than the window in words"


def test_two_names_of_a_short_pdf_beyond_the_window_stand_in_one_document_and_so_many_words_apart() -> None:
    # 80 words on two pages. Quill is word 4, Vesper word 44: 40 apart. A quarter of 80 is 20, and a sentence's 25 hold.
    pages = (["the clock of Quill and so on and so on"] + ["and so on it went for many more years"] * 3 + ["one two"],
             ["it was then that Vesper came and so it"] + ["and so on it went for many more years"] * 3)  # fmt: skip
    (document,) = read_file("clock.pdf", pdf_bytes(pages)).documents
    words = document.text.split()
    apart = words.index("Vesper") - words.index("Quill")
    counts = count_documents([document], "a PDF")
    found = counts.co_occurrence("Quill", "Vesper", 1000, 0.25)
    assert (found.documents, found.meetings, found.nearest) == (0, (), apart) and 25 < apart < len(words) / 2 + 5
    whole = counts.co_occurrence("Quill", "Vesper", 1000, None)
    assert (whole.documents, whole.meetings[0].distance, whole.nearest) == (1, apart, None)
    assert counts.co_occurrence("Quill", "Nobody", 1000, 0.25).nearest is None


def test_a_date_counts_in_both_orders_and_meets_in_either() -> None:
    counts = counter(
        "July 20, 1969 came. On July 20, 1969 they landed.", "Neil Armstrong walked on the Moon on 20 July 1969."
    )
    assert (counts.count("20 July 1969"), counts.count("July 20, 1969")) == (3, 3)
    assert counts.co_occurrence("Neil Armstrong", "20 July 1969", 50).documents == 1
    assert counts.co_occurrence("Neil Armstrong", "July 20, 1969", 50).documents == 1


def test_a_title_is_left_out_only_where_a_name_of_two_words_remains() -> None:
    text = "No one has seen Terence Young. There is no reason. No way. Edmund Hillary has."
    counts = counter(text)
    assert (counts.count("Dr. No"), counts.count("Sir Edmund Hillary")) == (0, 1)


@pytest.mark.parametrize("word", ["Zürich", "서울", "ガンダム", "दिल"])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_word_is_counted_in_whichever_form_its_characters_come(word: str, form: Form) -> None:
    text = unicodedata.normalize(form, f"In {word}. दाल {word}, {word}!")
    counts = counter(text)
    other: Form = "NFD" if form == "NFC" else "NFC"
    assert counts.count(unicodedata.normalize(other, word)) == 3
    meeting = counts.co_occurrence(word, "दाल", 50).meetings[0]
    assert meeting.excerpt[meeting.head.start : meeting.head.end] == unicodedata.normalize("NFC", word)


def test_a_name_is_found_within_a_run_of_letters_where_a_script_has_no_blanks() -> None:
    assert counter("ที่กรุงเทพ มี").count("กรุงเทพ") == 1
