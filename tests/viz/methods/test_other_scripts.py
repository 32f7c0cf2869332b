"""A run in another language says which rules cannot read it; an English one says nothing."""

from dataclasses import replace

import pytest

from engine.core.records import Hit, Passage
from engine.diagnosis.record import Diagnosis
from tests.pages.page_fixtures import whole_diagnosis
from viz.methods.other_scripts import language_note, run_language_note

GERMAN = (
    "Amnesia: The Dark Descent ist ein Survival-Horror-Spiel von Frictional Games. "
    "Es erschien am 8. September 2010 für Windows und Linux."
)
ENGLISH_RULES = "The texts are not in English. The rules that find content words and claims read English only."


def asked(question: str, *passages: str) -> Diagnosis:
    """Return the hand-made run with another question and these passages."""
    hits = tuple(
        Hit(passage=Passage(text=text), rank=place, score=float("nan"), retriever="given")
        for place, text in enumerate(passages, start=1)
    )
    return replace(whole_diagnosis(question), hits=hits)


def note_of(diagnosis: Diagnosis, method: str) -> str:
    """Return the note of one method of a run."""
    result = diagnosis.result_of(method)
    assert result is not None
    return language_note(diagnosis, result)


@pytest.mark.parametrize(
    ("question", "passage"),
    [("Wann erschien das Spiel Amnesia: The Dark Descent?", GERMAN), ("失忆症是什么时候发行的？", "发行于2010年。")],
)
def test_a_run_that_is_not_in_english_says_which_rules_cannot_read_it(question: str, passage: str) -> None:
    diagnosis = asked(question, passage)
    assert note_of(diagnosis, "quco_rag").endswith("The rules that find claims read English only.")
    assert note_of(diagnosis, "dense") == ""
    assert run_language_note(diagnosis).endswith(ENGLISH_RULES)


def test_an_english_run_says_nothing() -> None:
    assert run_language_note(whole_diagnosis()) == ""
