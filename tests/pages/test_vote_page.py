"""A class in two programs: the teacher's lesson and the phones' page, over one store."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit import config
from streamlit.testing.v1 import AppTest

from engine.learning.lessons.polls import PollStore, vote_on
from engine.learning.lessons.progress import FILE, Prediction, ProgressStore
from pages.shared import session
from pages.teaching import polling
from pages.teaching.runs import steps_of
from tests.pages.page_fixtures import PROJECT, keys_on, words_on

LESSON, PHONE = str(PROJECT / "pages/learn/lessons.py"), str(PROJECT / "pages/learn/vote.py")
NEXT, OPEN, CLOSE, CODE = "lessons.next", "class.open", "class.close", "class.code"


@pytest.fixture
def polls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PollStore:
    """Return an empty store that both pages are given, beside one of predictions."""
    st.cache_resource.clear()
    made, progress = PollStore(tmp_path / FILE), ProgressStore(tmp_path / FILE)
    monkeypatch.setattr("engine.learning.lessons.polls.PollStore", lambda: made)
    monkeypatch.setattr("engine.learning.lessons.progress.ProgressStore", lambda: progress)
    monkeypatch.setattr(polling, "machine_address", lambda: "10.0.0.7")
    return made


@pytest.fixture
def network() -> Iterator[None]:
    """Let the workbench listen on every address of the machine."""
    before = config.get_option("server.address")
    config.set_option("server.address", "0.0.0.0")
    yield
    config.set_option("server.address", before)


def run(page: AppTest) -> AppTest:
    """Return the page after another run without an exception."""
    page.run()
    assert not page.exception, page.exception[0].message if page.exception else ""
    return page


def page_of(script: str, person: str, **address: str) -> AppTest:
    """Return a page after its first run, as this person's browser, with this in its address."""
    page = AppTest.from_file(script, default_timeout=60)
    page.session_state["microscope.person"] = person
    for name, value in address.items():
        page.query_params[name] = value
    return run(page)


def pressed(page: AppTest, key: str) -> AppTest:
    """Return the page after the button with this key was pressed."""
    page.button(key=key).click()
    return run(page)


def code_of(page: AppTest) -> str:
    """Return the code in a page's address, "" for none."""
    value = page.query_params.get("class", "")
    return value[0] if isinstance(value, list) else value


def teaching(**address: str) -> tuple[AppTest, str]:
    """Return a lesson on its slide, before a class that phones may join, and the class's code."""
    page = pressed(page_of(LESSON, "reed", present="1", **address), OPEN)
    assert "10.0.0.7" in words_on(page)
    return pressed(page, NEXT), code_of(page)


def options(page: AppTest) -> list[str]:
    """Return the keys of the answers a phone can choose."""
    return [key for key in keys_on(page) if key.startswith("vote.option.")]


def test_where_only_this_machine_reaches_the_workbench_the_button_says_what_to_start(polls: PollStore) -> None:
    page = pressed(page_of(LESSON, "reed", lesson="belief", present="1"), OPEN)
    assert "0.0.0.0" in page.info[0].value and code_of(page) == ""
    assert OPEN in keys_on(page) and not run(page).info


@pytest.mark.usefixtures("network")
def test_a_class_votes_changes_its_mind_and_sees_what_is_right(polls: PollStore) -> None:
    teacher, code = teaching(lesson="belief", step="4")
    question = steps_of("belief")[3].question
    assert question is not None and len(question.options) == 3
    vote = vote_on("belief", 4, question)
    ann, ben = (page_of(PHONE, person, **{"class": code}) for person in ("ann", "ben"))
    assert len(options(ann)) == 3 and not ann.success
    pressed(ann, options(ann)[0])
    pressed(ann, options(ann)[question.right])
    pressed(ben, options(ben)[(question.right + 1) % 3])
    assert ann.success and polls.count(code, vote) == 2
    assert polls.counts(code, vote)[str(question.right)] == 1

    assert "2 votes" in words_on(run(teacher))
    assert "50%" not in words_on(teacher), "the bar tells how many, not what"
    pressed(teacher, NEXT)
    assert "1 of 2 votes right (50%)" in words_on(teacher)
    assert run(ann).success and not run(ben).success and ben.info
    assert options(ann) == options(ben) == []
    late = page_of(PHONE, "late", **{"class": code})
    assert late.info and options(late) == []


@pytest.mark.usefixtures("network")
def test_a_class_that_uses_no_phone_goes_on_as_before(polls: PollStore) -> None:
    teacher, _ = teaching(lesson="belief", step="4")
    pressed(teacher, NEXT)
    assert teacher.info and "votes right" not in words_on(teacher)


@pytest.mark.usefixtures("network")
def test_phones_look_at_the_screen_between_votes_and_while_the_code_is_shown(polls: PollStore) -> None:
    teacher, code = teaching(lesson="belief", step="4")
    phone = page_of(PHONE, "ann", **{"class": code})
    assert len(options(phone)) == 3
    pressed(teacher, CODE)
    assert options(run(phone)) == [] and phone.title
    pressed(teacher, CODE)
    assert len(options(run(phone))) == 3
    pressed(teacher, "lessons.back")
    assert options(run(phone)) == [] and phone.text_input, "the slide before asks for a number"


@pytest.mark.usefixtures("network")
def test_a_class_votes_on_what_its_teacher_has_tried_alone_before(polls: PollStore) -> None:
    question = steps_of("belief")[3].question
    assert question is not None
    said = Prediction(lesson="belief", step=4, asked=vote_on("belief", 4, question).asked, given="0", right=False)
    polling_progress = ProgressStore(Path(str(polls.database.url.database)))
    polling_progress.keep("name:reed", said)
    teacher, code = teaching(lesson="belief", step="4", learner="reed")
    phone = page_of(PHONE, "ann", **{"class": code})
    pressed(phone, options(phone)[question.right])
    pressed(teacher, NEXT)
    assert "1 of 1 vote right (100%)" in words_on(teacher)
    pressed(teacher, "lessons.back")
    assert options(run(phone)) == [] and phone.success, "what was revealed stays so"


@pytest.mark.usefixtures("network")
@pytest.mark.parametrize(("given", "taken"), [("0,3", 1), ("half", 0), ("", 0), ("<script>", 0)])
def test_a_number_is_checked_as_it_is_on_the_screen(polls: PollStore, given: str, taken: int) -> None:
    _, code = teaching(lesson="belief", step="3")
    question = steps_of("belief")[2].question
    assert question is not None and question.kind == "number"
    phone = page_of(PHONE, "ann", **{"class": code})
    phone.text_input[0].set_value(given)
    pressed(phone, "vote.send")
    assert polls.count(code, vote_on("belief", 3, question)) == taken
    assert "<script>" not in words_on(phone)


@pytest.mark.usefixtures("network")
def test_a_word_is_tapped(polls: PollStore) -> None:
    _, code = teaching(lesson="delayed-redundant", step="1", slide="2")
    question = steps_of("delayed-redundant")[0].question
    assert question is not None and question.kind == "words"
    phone = page_of(PHONE, "ann", **{"class": code})
    vote = vote_on("delayed-redundant", 1, question)
    for place in (3, 5):
        phone.button_group(key=f"vote.words.{vote.asked}").set_value(place)
        run(phone)
    assert polls.counts(code, vote) == {"5": 1} and phone.success


@pytest.mark.parametrize("typed", ["CCCC", "<script>alert(1)</script>", "K" * 5000, "\u0000"])
def test_a_code_that_is_none_gets_one_sentence_and_the_field(polls: PollStore, typed: str) -> None:
    page = page_of(PHONE, "ann", **{"class": typed})
    assert len(page.warning) == 1 and len(page.text_input) == 1
    assert "<script>" not in words_on(page)


@pytest.mark.usefixtures("network")
def test_the_address_alone_asks_for_the_code_in_any_case(polls: PollStore) -> None:
    _, code = teaching(lesson="belief", step="4")
    page = page_of(PHONE, "ann")
    assert not page.warning
    assert "Answer with your class: type the code on its screen." in words_on(page)
    page.text_input[0].set_value(f" {code.lower()} ")
    pressed(page, "vote.join")
    assert code_of(page) == code and len(options(page)) == 3


@pytest.mark.usefixtures("network")
def test_closing_tells_phones_of_the_class_that_it_is_over_and_keeps_no_ballot(polls: PollStore) -> None:
    teacher, code = teaching(lesson="belief", step="4")
    phone = page_of(PHONE, "ann", **{"class": code})
    pressed(phone, options(phone)[0])
    pressed(pressed(teacher, CODE), CLOSE)
    assert code_of(teacher) == "" and OPEN in keys_on(teacher)
    assert run(phone).title[0].value == "The vote is over" and phone.text_input
    assert not phone.warning and [one.value for one in phone.info] == [
        "The class has ended, and its votes are deleted. Thank you."
    ]
    other = page_of(PHONE, "ben", **{"class": code})
    assert other.title[0].value == "Vote" and other.warning, "to others it is like a wrong code"
    phone.text_input[0].set_value("CCCC")
    pressed(phone, "vote.join")
    assert phone.title[0].value == "Vote" and phone.warning and not phone.info
    with polls.database.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM ballots").scalar() == 0


@pytest.mark.usefixtures("network")
def test_who_opens_the_teachers_address_leads_nothing(polls: PollStore) -> None:
    _, code = teaching(lesson="belief", step="4")
    other = page_of(LESSON, "ann", lesson="belief", step="3", **{"class": code})
    assert code_of(other) == "" and CODE not in keys_on(other)
    poll = polls.find(code)
    assert poll is not None and poll.vote is not None and (poll.vote.step, poll.state) == (4, "voting")


@pytest.mark.usefixtures("network")
def test_the_list_of_lessons_asks_a_class_nothing_and_deletes_one_of_the_day_before(polls: PollStore) -> None:
    teacher, code = teaching(lesson="belief", step="4")
    assert code
    teacher.query_params["lesson"] = ""
    run(teacher)
    poll = polls.find(code)
    assert poll is not None and poll.state == "between" and code_of(teacher) == code
    with polls.database.transaction() as connection:
        connection.exec_driver_sql("UPDATE classes SET opened = '2026-01-01T00:00:00.000000+00:00'")
    page_of(LESSON, "ann")
    with polls.database.reading() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM classes").scalar() == 0


@pytest.mark.usefixtures("network")
def test_a_teacher_outside_presenter_mode_finds_the_button_under_more(polls: PollStore) -> None:
    page = pressed(page_of(LESSON, "reed", lesson="belief", step="4"), OPEN)
    assert CLOSE in keys_on(page)
    pressed(page, NEXT)
    assert "lessons.send" not in keys_on(page) and page.button(key=NEXT).label == "Reveal"
    assert CLOSE in keys_on(page), "under More"


def test_the_address_for_phones_has_the_folder_of_the_workbench(polls: PollStore, network: None) -> None:
    before = config.get_option("server.baseUrlPath")
    config.set_option("server.baseUrlPath", "lab/scope")
    try:
        page = pressed(page_of(LESSON, "reed", lesson="belief", present="1"), OPEN)
    finally:
        config.set_option("server.baseUrlPath", before)
    assert "10.0.0.7/lab/scope/vote" in words_on(page)


def test_a_page_is_known_by_its_address_before_the_list_of_pages_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for url, asked in (("http://a:1/lab/vote?class=K", True), ("http://a/vote/", True), ("http://a/votes", False)):
        monkeypatch.setattr(session.st, "context", type("Context", (), {"url": url}))
        assert session.is_asked_for("vote") is asked
