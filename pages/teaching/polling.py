"""A class that votes from phones, on the teacher's side: open it, show the way in, count ballots, close it.

The phones follow the tab that opened the class: each slide that is drawn there says what they show.
"""

import streamlit as st

from engine.core.errors import MicroscopeError
from engine.core.hosting import hosting
from engine.core.network import address_of, machine_address, reachable_host
from engine.learning.lessons.base import Lesson, Step
from engine.learning.lessons.polls import ClassPoll, Vote, vote_on
from engine.learning.lessons.slides import Slide
from pages.shared import session
from pages.shared.links import VOTE
from pages.shared.resources import class_polls
from pages.shared.theme import as_text
from viz.learning.votes import count_html, join_html, short_address

SECONDS = 1.5
NOT_REACHED = "Phones cannot reach this workbench. Start it with `microscope open --server.address 0.0.0.0`."


def current_class() -> ClassPoll | None:
    """Return the class that this tab leads, None where there is none, or it was closed, or is somebody else's."""
    code = session.led_class()
    if not code:
        return None
    poll = class_polls().find(code)
    if poll is None or poll.owner != session.person_name():
        session.lead_class("")
        return None
    return poll


def vote_address(code: str = "") -> str:
    """Return the address of the page for phones, with a class's code; "" where no phone reaches this workbench."""
    stated = hosting()
    scheme, asked_at, port = session.asked_origin()
    host = reachable_host(stated.name if stated else "", asked_at, st.get_option("server.address"), machine_address())
    if not host:
        return ""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    address = address_of(scheme, host, port, f"{base}/{VOTE}")
    return f"{address}?{session.CLASS_PARAMETER}={code}" if code else address


def draw_opening() -> None:
    """Draw the button that lets phones vote."""
    st.button(
        "Let phones vote",
        key="class.open",
        icon=":material/smartphone:",
        type="tertiary",
        help="From phones in this network",
        on_click=open_class,
    )


def open_class() -> None:
    """Open a class and show the way into it; where no phone reaches this workbench, say what to start instead."""
    if not vote_address():
        session.leave_notice(NOT_REACHED)
        return
    try:
        session.lead_class(class_polls().open(session.person_name()))
    except MicroscopeError as exc:
        session.leave_notice(str(exc))
    else:
        session.show_code(True)


def draw_closing(code: str) -> None:
    """Draw the button that ends a class."""
    st.button("Close the vote", key="class.close", icon=":material/close:", on_click=close_class, args=(code,))


def close_class(code: str) -> None:
    """Close a class, which deletes its ballots."""
    try:
        class_polls().close(code, session.person_name())
    except MicroscopeError as exc:
        session.leave_notice(str(exc))
    session.lead_class("")
    session.show_code(False)


def draw_notice() -> None:
    """Draw the sentence that was left for this page."""
    if notice := session.pop_notice():
        # Our own sentence holds a command to copy; any other may hold anything.
        st.info(notice if notice == NOT_REACHED else as_text(notice), icon=":material/info:")


def show_on_phones(poll: ClassPoll, lesson: Lesson, slide: Slide, step: Step) -> None:
    """Put the slide's question on the phones, or send their owners' eyes to the screen."""
    asked = step.question if slide.kind in ("vote", "reveal", "sums") and not session.shows_code() else None
    vote = vote_on(lesson.word, slide.step, asked) if asked else None
    if vote != poll.vote or (vote and poll.state == "between"):
        class_polls().show(poll.code, poll.owner, vote, asked)


def clear_phones(on_slide: bool) -> None:
    """Delete classes of the day before; where no slide is drawn, this tab's class is asked nothing."""
    class_polls().delete_old()
    if not on_slide and (poll := current_class()) and poll.vote is not None:
        class_polls().show(poll.code, poll.owner)


def is_open(poll: ClassPoll, lesson: Lesson, number: int, step: Step) -> bool:
    """Return whether a class has still to vote at a step (from 1)."""
    if step.question is None:
        return False
    return not class_polls().revealed(poll.code, vote_on(lesson.word, number, step.question))


def draw_join(poll: ClassPoll) -> None:
    """Draw the way into a class, to be read from the last row, with the way to close it."""
    with st.container(key="slide-join"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.title("Vote with your phone", width="content")
            draw_closing(poll.code)
        st.html(join_html(poll.code, vote_address(), vote_address(poll.code)))


def draw_class_bar(poll: ClassPoll, vote: Vote | None) -> None:
    """Draw the way into the class in small, which opens the large one, and how many have voted while they may."""
    shown = session.shows_code()
    st.button(
        "To the slide" if shown else as_text(f"{poll.code} · {short_address(vote_address())}"),
        key="class.code",
        icon=":material/qr_code_2:",
        type="tertiary",
        # Before a class it would lie over the slide: the mouse rests here since the class was opened.
        help=None if session.is_presenting() else "How to join, and close the vote",
        on_click=session.show_code,
        args=(not shown,),
    )
    if vote is not None and not shown:
        draw_count(poll.code, vote)


@st.fragment(run_every=SECONDS)
def draw_count(code: str, vote: Vote) -> None:
    """Draw how many have voted, not what."""
    st.html(count_html(class_polls().count(code, vote)))
