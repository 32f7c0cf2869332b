"""Where an answer's own words stand: whole, in runs, and never words of the question or of every text."""

import re

import pytest

from engine.runs.sample_runs import recorded_ids, recorded_run
from tests.viz.runs.test_headline import KYOTO, NEITHER, TOKYO, run_of
from tests.viz.sample_results import HOSTILE
from viz.runs.answer_links import linked_pieces, word_links
from viz.runs.story import flow_html, words_read

LINK = re.compile(r'<a class="rm-word" href="#(rm-word-\d+)" target="_self">(.*?)</a>')


def landed(html: str) -> list[tuple[str, str]]:
    """Return every linked word of an answer with the text of the mark that it leads to."""
    return [
        (words, re.search(rf'<mark [^>]*>(?:<span[^>]*></span>)*<span id="{target}"></span>.*?</mark>', html)[0])  # type: ignore[index]
        for target, words in LINK.findall(html)
    ]


def texts(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the same without tags."""
    return [(words, re.sub("<.*?>", "", mark)) for words, mark in pairs]


def test_a_whole_answer_leads_to_the_first_passage_that_the_headline_speaks_of() -> None:
    html = flow_html(run_of("Tokyo", "Kyoto", passages=(NEITHER, TOKYO, KYOTO)))
    assert texts(landed(html)) == [("Kyoto", "Kyoto")]
    assert html.index("rm-passage-3") < html.index('id="rm-word-0"')


def test_a_longer_answer_leads_word_by_word_to_where_its_words_stand() -> None:
    passages = ("The mill was built by Mara Tolland in 1871.", "It burned down, says Jonas Feld.")
    said = "Jonas Feld and Mara Tolland, in 1871 or later"
    links = word_links(said, passages, "Who built the mill?")
    assert [said[one.start : one.end] for one in links] == ["Jonas Feld", "Mara Tolland, in 1871"]
    assert [passages[one.place][one.first : one.last] for one in links] == ["Jonas Feld", "Mara Tolland in 1871"]
    assert "".join(text for text, _ in linked_pieces(said, links)) == said


@pytest.mark.parametrize(
    ("said", "passage", "question"),
    [
        ("the capital of Japan", "the capital of Japan", "What is the capital of Japan?"),
        ("it was in the", "it was in the sea", ""),
        ("Mara … Tolland", "Mara Tolland", ""),
        ("", "anything", ""),
    ],
)
def test_words_of_the_question_and_of_every_text_lead_nowhere_and_no_run_goes_over_a_cut(
    said: str, passage: str, question: str
) -> None:
    assert [one for one in word_links(said, [passage], question) if " " in said[one.start : one.end]] == []


def test_words_inside_a_correct_answer_lead_to_its_mark_and_the_column_marks_the_same_words() -> None:
    run = run_of("Selm", "old Karst and Feld", golds=("New Karst",), passages=("Feld lies in New Karst.",))
    assert texts(landed(flow_html(run))) == [("Karst", "New Karst"), ("Feld", "Feld")]
    assert words_read(run) == {0: ((17, 22), (0, 4))}


def test_no_answer_leads_nowhere_and_a_hostile_one_stays_text() -> None:
    assert landed(flow_html(run_of("Tokyo", "I do not know", passages=(KYOTO,)))) == []
    drawn = flow_html(run_of("a", f"Kyoto {HOSTILE}", passages=(f"{KYOTO} {HOSTILE}",)))
    assert "<script" not in drawn and len(landed(drawn)) >= 1


@pytest.mark.parametrize("run_id", recorded_ids())
def test_every_link_of_a_recorded_answer_leads_to_one_mark(run_id: str) -> None:
    html = flow_html(recorded_run(run_id))
    assert len(landed(html)) == len(LINK.findall(html)) == html.count('id="rm-word-')
