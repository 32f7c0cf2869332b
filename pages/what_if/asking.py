"""What is asked in a variant: the question, correct answers, the judge, and where its passages come from."""

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

import streamlit as st

from engine.core.errors import InputError
from engine.core.settings import MOST_PASSAGES
from engine.diagnosis.request import MOST_CHARACTERS, MOST_WORDS
from engine.runs.variants import Reading, Variant
from pages.shared import session
from pages.shared.forms import JUDGE_NOTES, RETRIEVER_NAMES, gold_answers
from pages.shared.sent_values import one_of, whole_number
from pages.shared.session import RETRIEVERS
from pages.shared.texts import page_text
from pages.what_if.steps import apply_edit
from viz.parts.words import judge_name

READINGS: dict[Reading, str] = {"given": "The passages below", "looked up": "Retrieve new passages"}


def draw_asking(run_id: str, now: Variant) -> None:
    """Draw the question, the correct answers and the judge of the variant."""
    left, right = st.columns([3, 2])
    left.text_area(
        "Question",
        height=96,
        help=f"At most {MOST_WORDS} words or {MOST_CHARACTERS:,} characters.",
        **follow(run_id, "question", now.question),
    )
    right.text_area(
        "Correct answers, one per line",
        height=96,
        **follow(run_id, "golds", "\n".join(now.golds)),
    )
    options = tuple(dict.fromkeys((*JUDGE_NOTES, now.judge)))
    st.selectbox(
        "Judge", options, accept_new_options=True, format_func=judge_name, **follow(run_id, "judge", now.judge)
    )
    st.caption(JUDGE_NOTES.get(now.judge, "Your own classifier."))


def draw_reading(run_id: str, start: Variant, now: Variant) -> None:
    """Draw where the passages come from: those below, or a search with another number or retriever."""
    if now.corpus is None:
        st.caption("This run has no corpus.")
        return
    st.segmented_control(
        "Source of passages",
        list(READINGS),
        format_func=lambda word: READINGS.get(word, word),
        required=True,
        **follow(run_id, "reading", now.reading),
    )
    if now.reading == "given":
        return
    left, right = st.columns(2)
    left.slider("Passages to retrieve", 1, MOST_PASSAGES, **follow(run_id, "k", now.k))
    right.selectbox(
        "Retriever",
        RETRIEVERS,
        format_func=lambda name: RETRIEVER_NAMES.get(name, name),
        **follow(run_id, "retriever", now.retriever),
    )
    if now.retriever == "reranked":
        st.caption(page_text("notes/reranking"))


def follow(run_id: str, name: str, value: object) -> dict[str, Any]:
    """Return what makes a widget show a part of the variant and, when it changes, change that part: see ``CHANGES``.

    Its key changes with the value: after an undo the widget starts anew with what stands.
    """
    key = session.widget_key(widget_key(run_id, name, str(value)), value)
    return {"key": key, "on_change": follow_widget, "args": (run_id, key, name)}


def widget_key(run_id: str, name: str, value: str) -> str:
    """Return a key that changes with the value."""
    return f"what_if.{run_id}.{name}.{sha256(value.encode('utf-8', 'replace')).hexdigest()[:12]}"


def follow_widget(run_id: str, key: str, name: str) -> None:
    """Make the change that a widget stands for; where it cannot be made, leave why and fill the widget anew."""
    try:
        apply_edit(run_id, lambda now: CHANGES[name](now, session.widget_state(key)))
    except InputError as exc:
        session.leave_notice(str(exc))
        session.reset_widget(key)


def with_question(now: Variant, typed: Any) -> Variant:
    """Return the variant with another question. Raises InputError where it was emptied."""
    text = " ".join(str(typed or "").split())
    if not text:
        raise InputError("A variant needs a question.")
    return replace(now, question=text)


CHANGES: dict[str, Callable[[Variant, Any], Variant]] = {
    "question": with_question,
    "golds": lambda now, typed: replace(now, golds=gold_answers(str(typed or ""))),
    "judge": lambda now, chosen: replace(now, judge=str(chosen or "").strip() or now.judge),
    "reading": lambda now, chosen: replace(now, reading=one_of(chosen, tuple(READINGS), "given")),
    "k": lambda now, chosen: replace(now, k=whole_number(chosen, 1, 20, now.k)),
    "retriever": lambda now, chosen: replace(now, retriever=one_of(chosen, RETRIEVERS, now.retriever)),
}
