"""One row of a table or JSON file: a document, or a question with its answers and the passages it brings along.

The fields are those of the public data sets: HotpotQA, 2WikiMultihopQA and MuSiQue (``question``, ``answer``,
``context`` or ``paragraphs``), Natural Questions open with passages and DPR (``answers``, ``ctxs``), KILT (``input``,
``output``; ``wikipedia_title``), BEIR (``_id``, ``title``, ``text``), FlashRAG (``contents``), SQuAD (``data``). A
question and its answers are never indexed: only the passages beside it are.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.backends.retrieval.readers.base import LONGEST_NAME, FoundQuestion, clean_text
from engine.backends.text.composed import composed
from engine.core.records import Document

Row = Mapping[str, Any]
TEXT_KEYS = "text contents content body passage passage_text paragraph_text paragraph context article abstract".split()
TITLE_KEYS = "title wikipedia_title page_title document_title heading name".split()
ID_KEYS = "id _id docid doc_id document_id passage_id pid wikipedia_id".split()
QUESTION_KEYS = "question query question_text".split()
ANSWER_KEYS = (
    "answers answer golds golden_answers gold_answers golden_answer answer_aliases aliases possible_answers output"
).split()
CONTEXT_KEYS = (
    "context contexts paragraphs passages ctxs positive_ctxs negative_ctxs hard_negative_ctxs documents"
).split()
SENTENCE_KEYS = "sentences content".split()
KILT_MARKS = re.compile(r"^(?:Section|BULLET)::::(?:[-\s]*)", re.MULTILINE)
LONGEST_FIRST_LINE = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class RowContent:
    """What one row holds; both empty where it holds no text."""

    documents: tuple[Document, ...] = ()
    questions: tuple[FoundQuestion, ...] = ()


def row_content(row: Row, name: str, number: int) -> RowContent | None:
    """Return what a row holds, None where it has none of the fields that are known; ``number`` is its place, from 1.

    A question beside a text, as in a list of frequent questions, is left out unless it has answers.
    """
    question = first_text(row, QUESTION_KEYS) or (first_text(row, ["input"]) if "output" in row else "")
    if question and any(key in row for key in (*ANSWER_KEYS, *CONTEXT_KEYS)):
        documents = context_documents(row, name, number)
        return RowContent(documents=documents, questions=(found_question(question, row, name),))
    if "qas" in row or isinstance(row.get("paragraphs"), list):
        return article_with_questions(row, name, number)
    texts = [row[key] for key in TEXT_KEYS if key in row]
    if not any(one is None or isinstance(one, str | list) for one in texts):
        return RowContent(questions=(found_question(question, row, name),)) if question else None
    title, text = title_and_text(row)
    if not text.strip():
        return RowContent()
    return RowContent(documents=(document(given_id(row) or f"{name}:{number}", title, text, name, number),))


def found_question(question: str, row: Row, source: str) -> FoundQuestion:
    """Return a row's question with its correct answers."""
    return FoundQuestion(question=" ".join(question.split()), golds=golds_of(row), source=source)


def given_id(row: Row) -> str:
    """Return the id that a row gives itself, "" where it gives none, or one too long to stand with every passage."""
    given = (str(row[key]) for key in ID_KEYS if isinstance(row.get(key), str | int))
    return next((one for one in given if len(one) <= LONGEST_NAME), "")


def document(document_id: str, title: str, text: str, source: str, row: int) -> Document:
    """Return a document with a title in one line, cut at 300 characters, and clean text."""
    line = " ".join(composed(clean_text(title[:LONGEST_NAME])).split())
    return Document(document_id=document_id, title=line, text=composed(clean_text(text)), source=source, row=row)


def first_text(row: Row, keys: Iterable[str]) -> str:
    """Return the first of these fields that is a text with something in it, "" where none is."""
    return next((row[key] for key in keys if isinstance(row.get(key), str) and row[key].strip()), "")


def title_and_text(row: Row) -> tuple[str, str]:
    """Return a row's title and text; FlashRAG's ``contents`` bring the title as their first line."""
    title = first_text(row, TITLE_KEYS)
    for key in TEXT_KEYS:
        text = joined(row.get(key))
        if not text.strip():
            continue
        first, _, rest = text.partition("\n")
        if key == "contents" and not title and rest.strip() and len(first) <= LONGEST_FIRST_LINE:
            return first.strip().strip('"'), rest
        return title, KILT_MARKS.sub("", text) if "wikipedia_title" in row else text
    return title, ""


def joined(value: Any) -> str:
    """Return a field as one text: itself, or its paragraphs with blank lines between; "" for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "\n\n".join(one.strip() for one in value)
    return ""


def sentences_joined(value: Any) -> str:
    """Return sentences as one paragraph; HotpotQA's begin with the space before them, 2WikiMultihopQA's do not.

    >>> sentences_joined(["Paris is a city.", " It is old."]), sentences_joined(["Paris is a city.", "It is old."])
    ('Paris is a city. It is old.', 'Paris is a city. It is old.')
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return ""
    spaced = any(one[:1].isspace() for one in value[1:])
    return " ".join(("" if spaced else " ").join(value).split())


def golds_of(row: Row) -> tuple[str, ...]:
    """Return a question's correct answers with their aliases, each once.

    >>> golds_of({"answer": "Paris", "answer_aliases": ["City of Paris", "Paris"]})
    ('Paris', 'City of Paris')
    >>> golds_of({"output": [{"answer": "Paris"}, {"provenance": []}]}), golds_of({"answers": {"text": ["a", "b"]}})
    (('Paris',), ('a', 'b'))
    """
    told = [row[key] for key in ANSWER_KEYS if key in row]
    told += [one.get("answer") for one in [row.get("metadata")] if isinstance(one, Mapping)]  # as BEIR has it
    found = [one for value in told for one in answers_in(value)]
    return tuple(dict.fromkeys(" ".join(one.split()) for one in found if one.strip()))


def answers_in(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the texts of an answer field: a text, a number, a list of them, or objects with ``answer`` or ``text``."""
    if isinstance(value, str):
        yield from answers_in(parsed_list(value), depth + 1) if parsed_list(value) else [value]
    elif isinstance(value, bool):
        yield "yes" if value else "no"
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, list) and depth < 4:
        for one in value:
            yield from answers_in(one, depth + 1)
    elif isinstance(value, Mapping) and depth < 4:
        for key in ("answer", "text", "aliases"):
            yield from answers_in(value.get(key), depth + 1)


def parsed_list(value: str) -> list[Any]:
    """Return the list that a text holds as JSON, empty where it holds none."""
    if not value.lstrip().startswith("["):
        return []
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return []
    return found if isinstance(found, list) else []


def context_documents(row: Row, name: str, place: int) -> tuple[Document, ...]:
    """Return the passages a question brings along, in their order, empty ones left out."""
    found = [pair for key in CONTEXT_KEYS for pair in contexts_in(row.get(key), first_text(row, TITLE_KEYS))]
    return tuple(
        document(f"{name}:{place}:{number}", title, text, name, place)
        for number, (title, text) in enumerate(found, start=1)
        if text.strip()
    )


def contexts_in(value: Any, own_title: str) -> Iterator[tuple[str, str]]:
    """Yield (title, text) of the passages in a context field, in whichever of the public layouts it is."""
    if isinstance(value, str):
        listed = parsed_list(value)
        yield from contexts_in(listed, own_title) if listed else [(own_title, value)]
    elif isinstance(value, Mapping):
        titles = value.get("title", [])
        texts: list[Any] = next((value[key] for key in SENTENCE_KEYS if isinstance(value.get(key), list)), [])
        if isinstance(titles, list):
            yield from zip(map(str, titles), map(sentences_joined, texts), strict=False)
    elif isinstance(value, list):
        for one in value:
            yield context_of(one)


def context_of(one: Any) -> tuple[str, str]:
    """Return (title, text) of one passage: a text, [title, sentences], or an object; ("", "") for anything else."""
    if isinstance(one, str):
        return "", one
    if isinstance(one, Sequence) and len(one) == 2 and isinstance(one[0], str):
        return one[0], sentences_joined(one[1])
    if isinstance(one, Mapping):
        title, text = title_and_text(one)
        return title, text or next((sentences_joined(one[key]) for key in SENTENCE_KEYS if key in one), "")
    return "", ""


def article_with_questions(row: Row, name: str, number: int) -> RowContent | None:
    """Return a SQuAD article: its paragraphs and the questions that stand below each, None where it is none."""
    paragraphs = paragraphs_of(row)
    if paragraphs is None:
        return None
    title = first_text(row, TITLE_KEYS)
    documents = tuple(
        document(f"{name}:{number}:{place}", title, paragraph["context"], name, number)
        for place, paragraph in enumerate(paragraphs, start=1)
    )
    asked = ((first_text(one, QUESTION_KEYS), one) for paragraph in paragraphs for _, one in questions_below(paragraph))
    questions = tuple(found_question(text, one, name) for text, one in asked if text)
    return RowContent(documents=documents, questions=questions)


def paragraphs_of(row: Row) -> list[Row] | None:
    """Return the paragraphs of a SQuAD article, or a paragraph that stands alone with its questions.

    None where the row is neither, or one of them has no text.
    """
    found = row.get("paragraphs") if "paragraphs" in row else [row] if "qas" in row else None
    if not isinstance(found, list):
        return None
    whole = all(isinstance(one, Mapping) and isinstance(one.get("context"), str) for one in found)
    return found if whole else None


def questions_below(paragraph: Row) -> Iterator[tuple[int, Row]]:
    """Yield (place, fields) of the questions that stand below a paragraph of SQuAD; places count from 1."""
    listed = paragraph.get("qas")
    for place, asked in enumerate(listed if isinstance(listed, list) else (), start=1):
        if isinstance(asked, Mapping):
            yield place, asked
