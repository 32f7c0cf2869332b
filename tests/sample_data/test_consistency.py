"""The sample encyclopaedia keeps the promises that its README makes."""

import json
from collections import Counter
from operator import itemgetter
from pathlib import Path

from tests.each_row import each_row

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"
TYPES = {"date", "person", "place", "number", "thing", "yes_no", "multi_hop", "not_in_corpus"}


def _rows(name):
    lines = (SAMPLE / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


MANIFEST = json.loads((SAMPLE / "manifest.json").read_text(encoding="utf-8"))
ARTICLES = [row for name in MANIFEST["index"] for row in _rows(name)]
QUESTIONS = _rows(MANIFEST["questions"])
TEXTS = {article["id"]: article["text"] for article in ARTICLES}

each_question = each_row(QUESTIONS, name=itemgetter("id"))
each_article = each_row(ARTICLES, name=itemgetter("id"))


def _accepted(question):
    return [question["answer"], *question["aliases"]]


def _duplicates(values):
    return sorted(value for value, count in Counter(values).items() if count > 1)


def test_article_ids_titles_and_texts_are_unique():
    for field in ("id", "title", "text"):
        assert _duplicates(article[field] for article in ARTICLES) == []


def test_question_ids_and_questions_are_unique():
    for field in ("id", "question"):
        assert _duplicates(question[field] for question in QUESTIONS) == []


def test_there_are_enough_articles_and_questions():
    assert len(ARTICLES) >= 120
    assert len(QUESTIONS) >= 80


def test_the_manifest_counts_are_right():
    assert MANIFEST["articles"] == len(ARTICLES)
    assert MANIFEST["questions_count"] == len(QUESTIONS)
    assert MANIFEST["planted_count"] == len(_rows(MANIFEST["planted"]))


def test_the_manifest_never_indexes_the_questions():
    assert MANIFEST["index"] == ["articles.jsonl"]
    assert MANIFEST["questions"] not in MANIFEST["index"]


def test_the_manifest_names_its_licence():
    assert MANIFEST["licence"] == "Apache-2.0"


@each_article
def test_an_article_has_exactly_the_documented_fields(article):
    assert set(article) - {"fictional"} == {"id", "title", "text"}
    assert article.get("fictional", True) is True
    assert all(article[field] == article[field].strip() for field in ("id", "title", "text"))


@each_article
def test_an_article_is_neither_a_stub_nor_an_essay(article):
    assert 60 <= len(article["text"].split()) <= 400


@each_article
def test_an_article_has_two_to_four_paragraphs(article):
    paragraphs = article["text"].split("\n\n")
    assert 2 <= len(paragraphs) <= 4
    assert all("\n" not in paragraph and paragraph.strip() for paragraph in paragraphs)


@each_question
def test_a_question_has_exactly_the_documented_fields(question):
    optional = {"given", "defects", "control"}
    assert set(question) - optional == {"id", "question", "answer", "aliases", "type", "passages", "note"}
    assert question["question"].endswith("?")
    assert question["answer"].strip()
    assert question["note"].strip()
    assert question["type"] in TYPES


@each_question
def test_evidence_is_an_exact_substring_of_its_article(question):
    for passage in question["passages"]:
        assert passage["evidence"].strip()
        assert passage["evidence"] in TEXTS[passage["article"]]


@each_question
def test_only_questions_missing_from_the_corpus_lack_evidence(question):
    assert (question["passages"] == []) == (question["type"] == "not_in_corpus")


@each_question
def test_the_answer_or_an_alias_stands_in_the_evidence(question):
    if question["type"] in {"yes_no", "not_in_corpus"}:
        return
    evidence = [passage["evidence"] for passage in question["passages"]]
    assert any(wording in text for wording in _accepted(question) for text in evidence)


@each_question
def test_a_yes_no_question_is_answered_yes_or_no(question):
    if question["type"] == "yes_no":
        assert question["answer"] in {"yes", "no"}


@each_question
def test_a_multi_hop_question_names_at_least_two_articles(question):
    if question["type"] == "multi_hop":
        assert len({passage["article"] for passage in question["passages"]}) >= 2


@each_question
def test_an_answer_missing_from_the_corpus_stands_in_no_article(question):
    if question["type"] == "not_in_corpus":
        for text in TEXTS.values():
            assert not any(wording.casefold() in text.casefold() for wording in _accepted(question))


@each_question
def test_no_article_contains_the_text_of_a_question(question):
    wording = question["question"].casefold().rstrip("?")
    assert not any(wording in text.casefold() for text in TEXTS.values())


def test_every_type_of_question_occurs():
    assert {question["type"] for question in QUESTIONS} == TYPES


def test_at_least_two_questions_have_no_answer_in_the_corpus():
    assert sum(question["type"] == "not_in_corpus" for question in QUESTIONS) >= 2


def test_at_least_six_notes_point_out_a_near_duplicate_or_a_distractor():
    notes = [question["note"].casefold() for question in QUESTIONS]
    assert sum("near-duplicate" in note or "distractor" in note for note in notes) >= 6
