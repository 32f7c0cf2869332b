"""The Lessons page: every step of every lesson, predictions kept, links to a step, reset with undo, hostile input."""

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from engine.learning.lessons import LESSONS
from engine.learning.lessons.progress import ProgressStore
from pages.shared import presenting
from pages.shared.theme import as_text
from pages.teaching.runs import steps_of
from tests.pages.page_fixtures import PROJECT, keys_on, words_on

PAGE = str(PROJECT / "pages/learn/lessons.py")
LOOK, SEND, NEXT = "lessons.look", "lessons.send", "lessons.next"


@pytest.fixture
def progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ProgressStore:
    """Return an empty store that the page is given."""
    st.cache_resource.clear()
    st.cache_data.clear()
    store = ProgressStore(tmp_path / "lessons.sqlite")
    monkeypatch.setattr("engine.learning.lessons.progress.ProgressStore", lambda: store)
    return store


def opened(**address: str) -> AppTest:
    """Return the page after its first run, for Ann, with this in its address."""
    page = AppTest.from_file(PAGE, default_timeout=60)
    for name, value in {"learner": "Ann", **address}.items():
        page.query_params[name] = value
    return run(page)


def run(page: AppTest) -> AppTest:
    """Return the page after another run without an exception."""
    page.run()
    assert not page.exception, page.exception[0].message if page.exception else ""
    return page


def pressed(page: AppTest, key: str) -> AppTest:
    """Return the page after the button with this key was pressed."""
    page.button(key=key).click()
    return run(page)


def value_of(page: AppTest, name: str) -> str:
    """Return what the page's address says under a name, "" for nothing."""
    value = page.query_params.get(name, "")
    return value[0] if isinstance(value, list) else value


# Between them these draw every kind of picture and question; what each lesson builds is tested without a page.
@pytest.mark.parametrize("word", ["entailment-graph", "second-difference", "when-not-to-retrieve"])
def test_every_slide_of_a_lesson_is_drawn_and_each_vote_has_its_reveal(progress: ProgressStore, word: str) -> None:
    page = opened(lesson=word)
    steps, questions, slides = {1}, 0, 1
    while value_of(page, "lesson") == word:
        steps.add(int(value_of(page, "step")))
        if LOOK in keys_on(page):
            questions += 1
            pressed(page, LOOK)
            assert LOOK not in keys_on(page) and (page.info or page.success)
        else:
            pressed(page, NEXT)
        slides += 1
    assert 5 <= len(steps) <= 8 and questions >= 3
    assert slides >= 2 + 2 * questions
    assert progress.places("name:ann")[word].seen == tuple(sorted(steps))
    # The recap leads to the lesson that is taught next, after the last to the list.
    words = [*LESSONS, ""]
    assert value_of(page, "lesson") == words[words.index(word) + 1]


def test_the_list_names_every_lesson_and_goes_on_where_one_was_left(progress: ProgressStore) -> None:
    progress.visit("name:ann", "belief", 4)
    page = opened()
    words = words_on(page)
    assert all(lesson.title.replace(",", "") in words.replace("\\", "").replace(",", "") for lesson in LESSONS.values())
    assert "1 of 6" in words
    page.button(key="open.belief").click()
    assert value_of(run(page), "step") == "4"


def test_a_class_votes_by_hands_and_the_next_slide_is_the_reveal(progress: ProgressStore) -> None:
    page = pressed(opened(lesson="belief", step="4", present="1"), NEXT)
    assert (value_of(page, "step"), value_of(page, "slide")) == ("4", "2")
    assert [(one.step, one.given) for one in progress.predictions("name:ann")] == [(4, "")]
    chosen = opened(lesson="belief", step="1", slide="2", present="1")
    assert SEND not in keys_on(chosen)
    chosen.radio[0].set_value(0)
    pressed(chosen, NEXT)
    assert [one.given for one in progress.predictions("name:ann") if one.step == 1] == ["0"]


def test_who_learns_alone_and_goes_on_without_a_vote_does_not_see_its_reveal(progress: ProgressStore) -> None:
    page = pressed(opened(lesson="belief", step="4"), NEXT)
    assert (value_of(page, "step"), value_of(page, "slide")) == ("5", "")
    assert progress.predictions("name:ann") == ()


def test_a_link_to_a_reveal_asks_first(progress: ProgressStore) -> None:
    page = opened(lesson="belief", step="4", slide="2")
    assert LOOK in keys_on(page) and value_of(page, "slide") == ""


def test_the_teachers_page_has_the_notes_of_every_step(progress: ProgressStore) -> None:
    page = pressed(opened(), "notes.belief")
    assert len(page.header) == LESSONS["belief"].steps


def test_a_right_and_a_wrong_prediction_are_met_and_the_first_one_counts(progress: ProgressStore) -> None:
    page = opened(lesson="low-entropy", step="2")
    page.radio[0].set_value(0)
    pressed(page, SEND)
    assert page.info and not page.success
    kept = progress.predictions("name:ann")
    assert [(one.given, one.right) for one in kept] == [("0", False)]

    page = opened(lesson="low-entropy", step="4", learner="Ben")
    page.radio[0].set_value(1)
    pressed(page, SEND)
    assert page.success


@pytest.mark.parametrize("given", ["", "half", "nan", "<script>alert(1)</script>", "9" * 40])
def test_a_number_that_is_none_is_met_with_a_sentence_and_not_kept(progress: ProgressStore, given: str) -> None:
    page = opened(lesson="entailment-graph", step="3")
    page.text_input[0].set_value(given)
    pressed(page, SEND)
    assert "<script>" not in words_on(page)
    assert page.warning and progress.predictions("name:ann") == ()


def test_a_number_of_twelve_digits_is_kept(progress: ProgressStore) -> None:
    page = opened(lesson="entailment-graph", step="3")
    page.text_input[0].set_value("9" * 12)
    pressed(page, SEND)
    assert len(progress.predictions("name:ann")) == 1


def test_a_known_slip_is_told_its_reason(progress: ProgressStore) -> None:
    page = opened(lesson="entailment-graph", step="4")
    steps = LESSONS["entailment-graph"]
    from engine.learning.lessons.base import chosen_runs
    from engine.runs.sample_runs import recorded_ids, recorded_run

    runs = (recorded_run(run_id) for run_id in chosen_runs(steps, recorded_run, recorded_ids()))
    slip = steps.build(*runs)[3].question.slips[0]
    page.text_input[0].set_value(f"{slip.value:.4f}")
    pressed(page, SEND)
    assert as_text(slip.why)[:20] in page.info[0].value


def test_a_prediction_is_still_there_after_a_reload_and_for_nobody_else(progress: ProgressStore) -> None:
    pressed(opened(lesson="belief", step="4"), LOOK)
    assert LOOK not in keys_on(opened(lesson="belief", step="4"))
    assert LOOK not in keys_on(opened(lesson="belief", step="4", learner=" ANN "))
    assert LOOK in keys_on(opened(lesson="belief", step="4", learner="Ben"))


def test_a_reset_asks_again_and_undo_brings_the_answer_back(progress: ProgressStore) -> None:
    page = pressed(opened(lesson="belief", step="4"), LOOK)
    pressed(page, "lessons.reset")
    assert LOOK in keys_on(page)
    pressed(page, "lessons.undo")
    assert LOOK not in keys_on(page)


@pytest.mark.parametrize(("step", "shown"), [("3", "3"), ("99", "6"), ("0", "1"), ("-2", "1"), ("x", "1"), ("", "1")])
def test_a_link_opens_its_step_and_one_that_is_none_the_nearest(progress: ProgressStore, step: str, shown: str) -> None:
    assert value_of(opened(lesson="belief", step=step), "step") == shown


def test_a_lesson_that_is_none_says_so_and_shows_the_list(progress: ProgressStore) -> None:
    page = opened(lesson="<script>alert(1)</script>")
    assert "<script>" not in page.warning[0].value
    assert [key for key in keys_on(page) if key.startswith("open.")] == [f"open.{word}" for word in LESSONS]


def test_teachers_notes_are_hidden_from_the_class(progress: ProgressStore) -> None:
    shown = words_on(opened(lesson="belief", step="4"))
    note = as_text(steps_of("belief")[3].notes)
    assert note in shown
    assert note not in words_on(opened(lesson="belief", step="4", present="1"))


def styled(**address: str) -> str:
    """Return the style of a page whose address holds these parameters."""

    def draw_style() -> None:
        from pages.shared.theme import page_style

        page_style()

    page = AppTest.from_function(draw_style)
    for name, value in address.items():
        page.query_params[name] = value
    return words_on(page.run())


def test_presenter_mode_enlarges_the_page_and_is_left_again() -> None:
    assert "font-size:22px" in styled(present="1")
    assert "font-size:22px" not in styled()
    assert "font-size:22px" not in styled(present="<b>")


def test_pages_are_presented_in_the_order_of_the_methods() -> None:
    assert presenting.adjacent_pages("ask") == (None, "dense")
    assert presenting.adjacent_pages("seper") == ("dense_rag", "entropy_trend")
    assert presenting.adjacent_pages("question_parts") == ("contradictions", None)
