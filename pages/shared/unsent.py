"""What a person has typed and not sent: it is found again when the page is loaded anew or its connection was lost.

Streamlit begins another session then. So what stands in the Ask form and the edits on What if are also held in this
process, under a name that the tab keeps, and only for the person whose they are. Each session has a name of its own:
two tabs that began as one do not write into each other.
"""

import re
import secrets
from collections.abc import Mapping
from dataclasses import replace
from threading import Lock

import streamlit as st

from pages.shared import session
from pages.shared.browser_part import browser_part
from pages.shared.draft import Draft
from pages.shared.lasting import LASTING

KEY, TAB, BEFORE = "tab", "microscope.tab", "microscope.tab_before"
SENT, FOUND = "microscope.sent_form", "microscope.found_form"
# Not every key of What if: nobody may write what a button holds.
HELD = (LASTING, session.NEXT_ROW, "microscope.what_if.", "what_if.own.t")
# A box of the Ask form by the class that Streamlit makes of its key.
TYPED_BOX = re.compile(r"st-key-ask-\d+-(question|golds|pasted)")
LONGEST = 200_000
# By person and tab, the longest untouched first.
KEPT: dict[tuple[str, str], Mapping[str, object]] = {}
KEEPING = Lock()
MOST_KEPT = 300


@st.fragment
def draw_tab() -> None:
    """Draw the script that remembers this tab's name; where it names an earlier session, go on with what that held."""
    mount = browser_part("tab", "shared/tab.js")
    data = {"tab": tab_name(), "before": session.widget_state(BEFORE) or ""}
    sent = mount(key=KEY, data=data, on_before_change=lambda: None, height=0).get("before")
    if not isinstance(sent, Mapping):
        return
    before, box, text = (str(sent.get(name) or "")[:LONGEST] for name in ("tab", "box", "text"))
    if before and before != session.widget_state(BEFORE):
        session.set_widget(BEFORE, before)
        kept = KEPT.get((session.person_name(), before), {})
        st.rerun(scope="app" if take_up(with_typed(kept, box, text)) else "fragment")


def with_typed(kept: Mapping[str, object], box: str, text: str) -> Mapping[str, object]:
    """Return what an earlier session held, with what was still being typed into a box of the Ask form.

    >>> with_typed({}, "st-key-ask-0-question", "Who?")["microscope.draft"].question
    'Who?'
    """
    named = TYPED_BOX.fullmatch(box)
    draft = kept.get(session.DRAFT, Draft())
    if named is None or not text or not isinstance(draft, Draft):
        return kept
    texts = {"question": draft.question, "golds": draft.golds, "pasted": draft.pasted, named[1]: text}
    typed = replace(draft, question=texts["question"], golds=texts["golds"], pasted=texts["pasted"])
    return {**kept, session.DRAFT: typed}


def tab_name() -> str:
    """Return the name of this session's tab, made up once."""
    return str(session.widget_state(session.widget_key(TAB, secrets.token_urlsafe(16))))


def take_up(kept: Mapping[str, object]) -> bool:
    """Put what an earlier session held into this one; return whether it brought anything.

    A question typed here meanwhile stands.
    """
    news = {key: value for key, value in kept.items() if session.widget_state(key) != value}
    if session.typed_form()[0].question.strip():
        news.pop(session.DRAFT, None)
    for key, value in news.items():
        session.set_widget(key, value)
        if key.startswith(LASTING):
            session.set_widget(key.removeprefix(LASTING), value)
    draft = news.get(session.DRAFT)
    if isinstance(draft, Draft):
        session.fill_form(draft)
        session.set_widget(FOUND, True)
    return bool(news)


def is_found_again() -> bool:
    """Return whether what stands in the Ask form was typed before the page was loaded anew."""
    return bool(session.widget_state(FOUND))


def forget_found() -> None:
    """Say no more that what stands in the Ask form was found again."""
    session.reset_widget(FOUND)


def keep_unsent() -> None:
    """Hold what is not sent for this tab's next session; the longest untouched tab's gives way.

    Also the callback of each box that is typed in: a page that is left is often not drawn to its end.
    """
    form = session.typed_form()
    held = session.held(HELD)
    if form not in (session.widget_state(SENT), (Draft(), ())):
        held |= {session.DRAFT: form[0], session.ROWS: form[1]}
    name = (session.person_name(), tab_name())
    with KEEPING:
        KEPT.pop(name, None)
        if held:
            KEPT[name] = held
        while len(KEPT) > MOST_KEPT:
            del KEPT[next(iter(KEPT))]


def note_sent() -> None:
    """Note that what stands in the Ask form was sent: the next session begins with an empty form."""
    session.set_widget(SENT, session.typed_form())
    forget_found()
