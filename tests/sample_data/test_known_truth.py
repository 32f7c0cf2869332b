"""The planted defects are where their marks say, leak into no passage, and hide no article from other questions."""

import json
import re
from operator import attrgetter
from pathlib import Path

import numpy as np

from engine.backends.corpus_stats import count_documents
from engine.backends.retrieval.bm25_index import build_bm25
from engine.backends.retrieval.documents import read_documents
from engine.measures.answer_match import contains
from engine.runs.sample_questions import KINDS, planted_questions, sample_questions
from tests.each_row import each_row

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"
QUESTIONS = sample_questions(SAMPLE)
PLANTED = planted_questions(SAMPLE)


def rows(name: str) -> list[dict]:
    """Return the objects of a file with one a line."""
    return [json.loads(line) for line in (SAMPLE / name).read_text(encoding="utf-8").splitlines()]


ARTICLES = {row["id"]: row for row in rows("articles.jsonl")}
SPOILED = {row["id"]: row for row in rows("planted.jsonl")}
TEXTS = {**ARTICLES, **SPOILED}


def carrying(kind: str) -> list:
    """Return (question, defect) for every defect of a kind."""
    return [(question, each) for question in PLANTED for each in question.defects if each.kind == kind]


each_planted = each_row(PLANTED, name=attrgetter("id"))


@each_row(KINDS)
def test_every_kind_of_defect_has_at_least_five_questions(kind: str) -> None:
    assert len(carrying(kind)) >= 5


@each_planted
def test_a_defect_names_its_documents_what_is_perfect_and_what_methods_are_expected_to_say(question) -> None:
    for planted in question.defects:
        if planted.kind == "intact":
            continue
        assert planted.documents and set(planted.documents) <= set(TEXTS)
        assert planted.perfect.endswith(".")
        assert planted.expects and all(words and not words.endswith(".") for _, words in planted.expects)
        read = {passage.document_id for passage in question.passages}
        assert not question.passages or set(planted.documents) <= read


@each_planted
def test_what_is_given_is_short_enough_to_be_read_whole(question) -> None:
    assert len(question.passages) <= 5
    assert all(len(passage.text.split()) <= 170 for passage in question.passages)


def test_spoiled_texts_are_marked_and_never_indexed() -> None:
    assert all(row["fictional"] is True and set(row["defects"]) <= set(KINDS) for row in SPOILED.values())
    assert all(row["made_from"] in ARTICLES for row in SPOILED.values())
    assert not set(SPOILED) & {document.document_id for document in read_documents(SAMPLE)}
    given = {passage.document_id for question in PLANTED for passage in question.passages}
    assert set(SPOILED) <= given


def test_an_invented_article_says_so_and_a_real_one_does_not_name_the_island() -> None:
    for row in ARTICLES.values():
        assert ("invented island" in row["text"]) is row.get("fictional", False)
        assert ("Tervane" in row["text"]) is row.get("fictional", False)


def test_no_mark_stands_in_a_text_or_title() -> None:
    labels = re.compile(r"\b(distractor|defect|planted|altered on purpose|gold answer)\b|_", re.IGNORECASE)
    for row in TEXTS.values():
        assert not labels.search(f"{row['title']} {row['text']}"), row["id"]


def test_a_removed_answer_stands_in_no_passage_and_in_the_article_it_was_taken_from() -> None:
    for question, planted in carrying("answer_removed"):
        assert not any(contains(passage.text, question.golds) for passage in question.passages), question.id
        assert contains(ARTICLES[SPOILED[planted.documents[0]]["made_from"]]["text"], question.golds)


def test_a_distractor_holds_the_tempting_answer_and_not_the_right_one_and_is_read_first() -> None:
    for question, planted in carrying("distractor"):
        text = TEXTS[planted.documents[0]]["text"]
        assert contains(text, (planted.tempting,)) and not contains(text, question.golds[:1])
        assert question.passages[0].document_id == planted.documents[0]


def test_of_two_contradicting_passages_one_says_the_right_and_one_the_tempting_answer() -> None:
    for question, planted in carrying("contradiction"):
        right, wrong = (TEXTS[name]["text"] for name in planted.documents)
        assert contains(right, question.golds) and not contains(right, (planted.tempting,))
        assert contains(wrong, (planted.tempting,)) and not contains(wrong, question.golds[:1])


def test_both_copies_of_a_duplicate_are_given_and_hold_the_answer() -> None:
    for question, planted in carrying("duplicate"):
        assert [passage.document_id for passage in question.passages if passage.document_id in planted.documents] == [
            *planted.documents
        ]
        assert all(contains(TEXTS[name]["text"], question.golds) for name in planted.documents)


def test_a_context_against_memory_says_another_thing_and_never_the_true_one() -> None:
    for question, planted in carrying("memory_against_context"):
        assert contains(SPOILED[planted.documents[0]]["text"], (planted.tempting,))
        assert not any(contains(passage.text, question.golds[:1]) for passage in question.passages)


def test_a_split_answer_stands_in_the_second_part_and_needs_the_first() -> None:
    for question, planted in carrying("split_answer"):
        first, second = (TEXTS[name]["text"] for name in planted.documents)
        assert contains(second, question.golds), question.id
        assert len({passage.document_id for passage in question.passages}) == 3
        assert first != second


@each_row(
    [
        ("king-during-first-marne", "First Battle of the Marne"),
        ("dorle-war-end", "Battle of Dorle"),
        ("petra-vossen-home-river", "Petra Vossen"),
        ("ilse-marrow-home-assembly", "Ilse Marrow"),
        ("hanne-brook-cheese", "Hanne Brook"),
        ("salt-road-theatre-seats", "The Salt Road"),
    ],
)
def test_missing_co_occurrence_is_missing_in_the_whole_encyclopaedia(row: tuple[str, str]) -> None:
    name, things = row
    question = next(each for each in QUESTIONS if each.id == name)
    counter = count_documents(read_documents(SAMPLE), "sample")
    assert things in question.question and not question.passages
    assert (counter.count(things) or 0) > 0
    assert counter.co_occurrence(things, question.golds[0], 1000).documents == 0


def test_what_was_added_hides_no_gold_article_from_a_search_by_words() -> None:
    documents = read_documents(SAMPLE)
    added = {document.document_id for document in documents[84:]}
    texts = [f"{document.title}\n{document.text}" for document in documents]
    indexes = [build_bm25(texts[:84]), build_bm25(texts)]
    entries = {row["id"]: row for row in rows("questions.jsonl")}
    for question in QUESTIONS[:70]:
        golds = {passage["article"] for passage in entries[question.id]["passages"]}
        assert not golds & added
        before, after = (
            {documents[place].document_id for place in np.argsort(-index.scores(question.question))[:5]}
            for index in indexes
        )
        assert golds & before <= after, question.id
