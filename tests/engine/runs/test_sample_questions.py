"""Sample questions are read with the passages they bring along, and a damaged file is a sentence."""

import json
from pathlib import Path

import pytest

from engine.core.errors import RecordError
from engine.runs.sample_questions import planted_questions, sample_questions


def folder(place: Path, **fields: object) -> Path:
    """Return a folder with two articles, one spoiled text and one question with the fields given."""
    question = {
        "id": "q",
        "question": "How deep is the lake?",
        "answer": "9 metres",
        "aliases": ["9", "9 metres"],
        "type": "number",
        "passages": [],
        "note": "",
        **fields,
    }
    texts = [{"id": name, "title": name.title(), "text": f"The {name} is 9 metres deep."} for name in ("lake", "pond")]
    spoiled = {"id": "shallow", "title": "Lake", "text": "The lake is 1 metre deep.", "fictional": True}
    (place / "manifest.json").write_text(
        json.dumps({"index": ["articles.jsonl"], "questions": "questions.jsonl", "planted": "planted.jsonl"})
    )
    (place / "articles.jsonl").write_text("\n".join(map(json.dumps, texts)))
    (place / "planted.jsonl").write_text(json.dumps(spoiled))
    (place / "questions.jsonl").write_text(json.dumps(question) + "\n\n")
    return place


DEFECT = {"kind": "distractor", "documents": ["pond"], "tempting": "1", "perfect": "Not.", "expects": {"dense": "no"}}


def test_an_ordinary_question_is_asked_of_the_corpus_and_has_each_gold_once(tmp_path: Path) -> None:
    (question,) = sample_questions(folder(tmp_path))
    assert question.golds == ("9 metres", "9")
    assert question.passages == () and question.defects == ()
    assert planted_questions(tmp_path) == ()


def test_a_line_ends_at_a_line_feed_only(tmp_path: Path) -> None:
    file = folder(tmp_path) / "questions.jsonl"
    signs = "\u2028\x85"
    file.write_text(file.read_text().replace("How deep", f"How{signs} deep"), encoding="utf-8")
    (question,) = sample_questions(tmp_path)
    assert question.question == f"How{signs} deep is the lake?"


def test_a_planted_question_brings_articles_and_spoiled_texts_in_the_order_named(tmp_path: Path) -> None:
    (question,) = planted_questions(folder(tmp_path, given=["shallow", "pond", "pond"], defects=[DEFECT]))
    assert [passage.document_id for passage in question.passages] == ["shallow", "pond", "pond"]
    assert question.passages[0].text == "The lake is 1 metre deep." and question.passages[0].end == 25
    (planted,) = question.defects
    assert (planted.kind, planted.tempting, planted.expects) == ("distractor", "1", (("dense", "no"),))


def test_a_control_question_counts_as_intact(tmp_path: Path) -> None:
    (question,) = planted_questions(folder(tmp_path, given=["lake"], control=True))
    assert [planted.kind for planted in question.defects] == ["intact"]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"defects": [{**DEFECT, "kind": "typo"}]}, "no kind of defect 'typo'"),
        ({"given": ["sea"]}, "lack 'sea'"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(RecordError, match=sentence):
        sample_questions(folder(tmp_path, **fields))


def test_a_missing_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be read"):
        sample_questions(tmp_path)
