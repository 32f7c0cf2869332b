"""The evidence as text: both ends marked."""

from dataclasses import replace

from tests.viz.sample_trend_results import meeting, sample_quco_result
from viz.methods.evidence import meeting_html
from viz.methods.quco_rag import claims_with_sentences, first_with_meetings
from viz.parts.theme import LIGHT


def test_the_place_of_evidence_marks_both_ends():
    result = sample_quco_result()
    assert first_with_meetings(result) == [1]
    html = meeting_html(claims_with_sentences(result)[1][1].meetings[0], LIGHT)
    assert html.count("<mark") == 2 and "6 words apart" in html
    assert html.index("Vasco da Gama</mark>") < html.index("Sines</mark>")


def test_a_mention_that_holds_both_ends_is_not_some_words_apart() -> None:
    whole = meeting("Rome", "The city of Rome burned.", "city of Rome", "Rome", 2)
    assert "words apart" not in meeting_html(whole, LIGHT) and "one mention" in meeting_html(whole, LIGHT)


def test_a_meeting_without_a_title_is_named_by_the_passage_it_stands_in() -> None:
    here = meeting("", "The city of Rome burned.", "city of Rome", "Rome", 2)
    given, file = replace(here, document_id="passage-2"), replace(here, document_id="notes.txt")
    assert "passage 2" in meeting_html(given, LIGHT) and "notes.txt" in meeting_html(file, LIGHT)
    assert "untitled" not in meeting_html(given, LIGHT)
