"""What is asked in a variant: the question, right answers, the judge, and where its passages come from."""

from dataclasses import replace
from hashlib import sha256

import streamlit as st

from engine.diagnosis.request import MOST_CHARACTERS, MOST_WORDS
from engine.runs.variants import Reading, Variant
from pages.shared import session
from pages.shared.forms import JUDGE_NOTES, JUDGES, RETRIEVER_NAMES, gold_answers
from pages.shared.session import MOST_PASSAGES, RETRIEVERS
from pages.shared.theme import as_text
from pages.what_if.steps import Edit, apply_edit

READINGS: dict[Reading, str] = {"given": "The passages below", "looked up": "Retrieve new passages"}


def draw_asking(run_id: str, now: Variant) -> None:
    """Draw the question, the right answers and the judge of the variant."""
    left, right = st.columns([3, 2])
    with left:
        key = widget_key(run_id, "question", now.question)
        st.text_area(
            "Question", key=session.widget_key(key, now.question), height=96, on_change=update_question,
            args=(run_id, key), help=f"At most {MOST_WORDS} words or {MOST_CHARACTERS:,} characters.",
        )  # fmt: skip
    with right:
        shown = "\n".join(now.golds)
        key = widget_key(run_id, "golds", shown)
        st.text_area(
            "Correct answers, one per line",
            key=session.widget_key(key, shown),
            height=96,
            on_change=update_correct_answers,
            args=(run_id, key),
            help="A different question usually has different correct answers.",
        )
    key = widget_key(run_id, "judge", now.judge)
    options = tuple(dict.fromkeys((*JUDGES, now.judge)))
    st.selectbox(
        "Judge", options, key=session.widget_key(key, now.judge), accept_new_options=True,
        on_change=update_judge, args=(run_id, key),
    )  # fmt: skip
    st.caption(JUDGE_NOTES.get(now.judge, "Your own classifier, loaded from this folder or name."))


def draw_reading(run_id: str, start: Variant, now: Variant) -> None:
    """Draw where the passages come from: those below, or a look-up with another number or retriever."""
    if now.corpus is None:
        st.caption("This run has no corpus. You can only use and edit its own passages.")
        return
    key = widget_key(run_id, "reading", now.reading)
    st.segmented_control(
        "Source of passages", list(READINGS), format_func=lambda word: READINGS.get(word, word),
        key=session.widget_key(key, now.reading), required=True, on_change=update_passage_source, args=(run_id, key),
    )  # fmt: skip
    if now.reading == "given":
        return
    left, right = st.columns(2)
    with left:
        number = widget_key(run_id, "k", str(now.k))
        st.slider(
            "Passages to retrieve", 1, max(MOST_PASSAGES, start.k), key=session.widget_key(number, now.k),
            on_change=update_k, args=(run_id, number),
        )  # fmt: skip
    with right:
        how = widget_key(run_id, "retriever", now.retriever)
        st.selectbox(
            "Retriever", RETRIEVERS, format_func=lambda name: RETRIEVER_NAMES.get(name, name),
            key=session.widget_key(how, now.retriever), on_change=update_retriever, args=(run_id, how),
        )  # fmt: skip
    if now.retriever == "reranked":
        st.caption(
            "Reranking compares the question with each of the first 20 hits token by token (late "
            "interaction). The packaged encoder was not trained for this, so the order is different, "
            "not necessarily better."
        )


def widget_key(run_id: str, name: str, value: str) -> str:
    """Return a key that changes with the value: after an undo the widget starts anew with what stands."""
    return f"what_if.{run_id}.{name}.{sha256(value.encode('utf-8', 'replace')).hexdigest()[:12]}"


def update_question(run_id: str, key: str) -> None:
    """Take over the question that was typed; where it was emptied the old one stays."""
    text = " ".join(str(session.widget_state(key) or "").split())
    if text:
        apply_edit(run_id, lambda now: replace(now, question=text))
    else:
        session.leave_notice("A variant needs a question. The old one is kept.")
        session.reset_widget(key)


def update_correct_answers(run_id: str, key: str) -> None:
    """Take over the right answers that were typed."""
    golds = gold_answers(str(session.widget_state(key) or ""))
    apply_edit(run_id, lambda now: replace(now, golds=golds))


def update_judge(run_id: str, key: str) -> None:
    """Take over the judge that was chosen."""
    judge = str(session.widget_state(key) or "").strip()
    if judge:
        apply_edit(run_id, lambda now: replace(now, judge=judge))


def update_passage_source(run_id: str, key: str) -> None:
    """Take over where passages come from."""
    apply_edit(run_id, passage_source_edit(session.one_of(session.widget_state(key), tuple(READINGS), "given")))


def passage_source_edit(reading: Reading) -> Edit:
    """Return the edit that takes passages from there."""
    return lambda now: replace(now, reading=reading)


def update_k(run_id: str, key: str) -> None:
    """Take over how many passages are looked up."""
    value = session.widget_state(key)
    apply_edit(run_id, lambda now: replace(now, k=session.whole_number(value, 1, 20, now.k)))


def update_retriever(run_id: str, key: str) -> None:
    """Take over how passages are looked up."""
    value = session.widget_state(key)
    apply_edit(run_id, lambda now: replace(now, retriever=session.one_of(value, RETRIEVERS, now.retriever)))


def draw_notice() -> None:
    """Draw the sentence that the last step left, where it left one."""
    if notice := session.pop_notice():
        st.warning(as_text(notice))
