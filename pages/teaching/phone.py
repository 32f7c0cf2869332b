"""A phone in a class: the field for the code, the question while its vote is open, and what is right after the reveal.

Nothing here needs a lesson, a run or a model: the question comes with the class. A fragment looks once a second and a
half whether the class has moved on, and only then is the page drawn again, so that nothing moves under a finger.
"""

import streamlit as st

from engine.core.errors import MicroscopeError
from engine.learning.lessons.base import Question
from engine.learning.lessons.polls import LONGEST_GIVEN, ClassPoll, Vote, code_from
from pages.shared import session
from pages.shared.resources import class_polls
from pages.shared.theme import as_text
from viz.learning import lessons as drawn
from viz.learning.votes import answer_words, given_words

SECONDS, JOINED = 1.5, "vote.joined"
Mark = tuple[str, str, Vote | None]


def draw_phone() -> None:
    """Draw what the class of the address shows now, and follow it."""
    typed = session.address_parameter(session.CLASS_PARAMETER)
    poll = class_polls().find(typed)
    if notice := session.pop_notice():
        st.warning(as_text(notice), icon=":material/info:")
    if poll is None:
        class_polls().delete_old()
        draw_way_in(typed)
        return
    session.set_widget(JOINED, poll.code)
    if poll.question is None or poll.vote is None:
        st.title("Look at the screen", anchor=False)
        st.markdown("The question comes here by itself.")
    elif poll.state == "voting":
        draw_asked(poll, poll.question, poll.vote)
    else:
        draw_answer(poll.question, class_polls().given(poll, session.person_name()))
    follow_class(poll.code, mark_of(poll))


def mark_of(poll: ClassPoll) -> Mark:
    """Return what tells one screen of a class from the next."""
    return poll.opened, poll.state, poll.vote


@st.fragment(run_every=SECONDS)
def follow_class(code: str, shown: Mark) -> None:
    """Draw the page again once the class shows something else than this."""
    poll = class_polls().find(code)
    if poll is None or mark_of(poll) != shown:
        st.rerun()


def draw_way_in(typed: str) -> None:
    """Draw the field for the code of a class; ``typed`` is one that no class is open under, "" for none.

    Only a phone that was in the class is told that it ended: to others a closed code is like any wrong one.
    """
    if typed and code_from(typed) == session.widget_state(JOINED):
        st.title("The vote is over", anchor=False)
        st.info("The class has ended, and its votes are deleted. Thank you.", icon=":material/done_all:")
        st.markdown("Is there another vote? Type its code.")
    else:
        st.title("Vote", anchor=False)
        st.markdown("Answer with your class: type the code on its screen.")
        if typed:
            st.warning("No vote is open under this code. Check the letters on the screen.", icon=":material/info:")
    with st.form("vote.way_in", border=False):
        given = st.text_input("Code", key="vote.code", max_chars=40, placeholder="4 letters", autocomplete="off")
        joined = st.form_submit_button("Join", key="vote.join", type="primary", width="stretch")
    if joined and given.strip():
        session.set_address(session.CLASS_PARAMETER, code_from(given) or given.strip())
        st.rerun()


def draw_asked(poll: ClassPoll, question: Question, vote: Vote) -> None:
    """Draw a question with its answers to choose; what was given stays marked, and can be changed."""
    mine = class_polls().given(poll, session.person_name())
    st.header(as_text(question.text), anchor=False)
    if mine:
        said = f"Your vote is in: {given_words(question, mine)}. You can change it."
        st.success(as_text(said), icon=":material/check:")
    if question.kind == "number":
        draw_number(poll.code, question, vote, mine)
    elif question.kind == "words":
        draw_words(poll.code, question, vote, mine)
    else:
        draw_options(poll.code, question, vote, mine)


def draw_options(code: str, question: Question, vote: Vote, mine: str) -> None:
    """Draw a large button per answer; the one that was chosen has a tick."""
    for place, option in enumerate(question.options):
        chosen = mine == str(place)
        st.button(
            as_text(drawn.option_label(option.text)),
            key=f"vote.option.{vote.asked}.{place}",
            type="primary" if chosen else "secondary",
            icon=":material/check_circle:" if chosen else ":material/radio_button_unchecked:",
            width="stretch",
            on_click=send_ballot,
            args=(code, vote, str(place)),
        )


def draw_words(code: str, question: Question, vote: Vote, mine: str) -> None:
    """Draw the words of a text to tap one; tapped again it stays."""
    words = [option.text for option in question.options]
    key = session.widget_key(f"vote.words.{vote.asked}", int(mine) if mine else None)
    st.pills(
        "Tap a word",
        list(range(len(words))),
        format_func=lambda place: as_text(drawn.word_label(words, place)),
        key=key,
        on_change=lambda: send_ballot(code, vote, str(session.widget_state(key))),
    )


def draw_number(code: str, question: Question, vote: Vote, mine: str) -> None:
    """Draw the field for a number."""
    unit = f" ({question.unit})" if question.unit else ""
    with st.form(f"vote.number.{vote.asked}", border=False):
        given = st.text_input(
            as_text(f"Your number{unit}"), key=f"vote.given.{vote.asked}", max_chars=LONGEST_GIVEN,
            placeholder="such as 0.45",
        )  # fmt: skip
        label = "Change my vote" if mine else "Vote"
        sent = st.form_submit_button(label, key="vote.send", type="primary", width="stretch")
    if sent:
        send_ballot(code, vote, given)
        st.rerun()


def send_ballot(code: str, vote: Vote, given: str) -> None:
    """Cast this person's ballot; what is refused is said when the page is drawn next."""
    if given in ("", "None"):  # a word that was tapped again
        return
    try:
        class_polls().cast(code, session.person_name(), vote, given.strip())
    except MicroscopeError as exc:
        session.leave_notice(str(exc))


def draw_answer(question: Question, mine: str) -> None:
    """Draw what is right, and what is said to whoever gave this answer; "" is somebody who did not vote."""
    st.header(as_text(question.text), anchor=False)
    said = as_text(answer_words(question, mine))
    if mine and drawn.outcome(question, mine).right:
        st.success(said, icon=":material/check_circle:")
    else:
        st.info(said, icon=":material/lightbulb:")
    st.caption("The next question comes here by itself.")
