"""The passages of a variant: remove, move, read twice, edit, swap, reword by hand, add; one is open to be worked on."""

from functools import partial

import streamlit as st

from engine.backends.retrieval import load_embedder
from engine.backends.text import load_text_tools
from engine.core.records import Passage
from engine.core.settings import MOST_PASSAGES
from engine.diagnosis.record import Diagnosis
from engine.methods.dense_records import DenseResult
from engine.methods.rewrites import HAND_CHECKS, hand_checks
from engine.runs import variants
from engine.runs.store import StoredRun
from pages.shared import session
from pages.shared.details import drawer_of
from pages.shared.resources import shown_errors
from pages.shared.rows import draw_rows
from pages.shared.theme import as_text
from pages.shared.unsent import keep_unsent
from pages.what_if.asking import widget_key
from pages.what_if.searching import draw_search
from pages.what_if.steps import apply_edit, open_key
from viz.runs import what_if

OWN_TITLE, OWN_TEXT = "what_if.own.title", "what_if.own.text"
# With a key of its own a part stays open where a passage comes in above it.
OWN_OPEN, FOUND_OPEN = "what_if.own.open", "what_if.found.open"


def draw_passages(run: StoredRun, start: variants.Variant, now: variants.Variant) -> None:
    """Draw every passage with what can be done to it, and the ways to one more."""
    if now.reading == "looked up" and start != now:
        st.caption("The variant retrieves again. An edit keeps these passages.")
    if not now.slots:
        st.info("No passages: the model answers from memory.")
    opened, labels = session.widget_state(open_key(run.id)), labels_of(run.diagnosis)
    for place, slot in enumerate(now.slots):
        with st.container(border=True, key=f"what-if-{slot.key}"):
            st.html(
                what_if.slot_html(
                    place + 1, slot, variants.change_marks(start, slot), labels.get(slot.passage, ""), now.golds
                )
            )
            draw_buttons(run.id, now, slot, place, opened == slot.key)
            if opened == slot.key:
                draw_work(run, now, slot)
    draw_adding(run, now)


def labels_of(diagnosis: Diagnosis | None) -> dict[Passage, str]:
    """Return DENSE's label of each passage of a run; {} where DENSE is not in it."""
    found = diagnosis.result(DenseResult, measured=False) if diagnosis is not None else None
    return {chunk.passage: found.labels[chunk.index] for chunk in found.chunks} if found is not None else {}


def draw_buttons(run_id: str, now: variants.Variant, slot: variants.Slot, place: int, is_open: bool) -> None:
    """Draw the buttons of one passage; their names say which passage, for those who do not see the page."""
    key, name, last = slot.key, f"passage {place + 1}", len(now.slots) - 1
    full = len(now.slots) >= MOST_PASSAGES
    with st.container(horizontal=True, gap="xsmall"):
        for word, label, what, edit, off in (
            ("remove", "Remove", f"Remove {name}", partial(variants.remove_passage, key=key), False),
            ("up", "Up", f"Move {name} up", partial(variants.move_passage, key=key, step=-1), place == 0),
            ("down", "Down", f"Move {name} down", partial(variants.move_passage, key=key, step=1), place == last),
            ("copy", "Duplicate", f"Duplicate {name}", partial(variants.duplicate_passage, key=key), full),
        ):
            own, held = f"what_if.{run_id}.{word}.{key}", (run_id, edit)
            st.button(label, key=own, help=what, disabled=off, on_click=apply_edit, args=held)
        st.button(
            "Close" if is_open else "Edit, replace, reword",
            key=f"what_if.{run_id}.open.{key}",
            help=f"Edit {name}",
            on_click=session.set_widget,
            args=(open_key(run_id), None if is_open else key),
        )


def draw_work(run: StoredRun, now: variants.Variant, slot: variants.Slot) -> None:
    """Draw what can be done to the open passage."""
    words, other, wording = st.tabs(["Edit the text", "Swap it", "Write its rewording"])
    with words:
        draw_words(run.id, slot)
    with other:
        picked = draw_search(run, now, f"swap.{slot.key}")
        if picked is not None:
            st.button(
                "Replace this passage",
                key=f"what_if.{run.id}.swap.{slot.key}",
                on_click=apply_edit,
                args=(run.id, lambda one: variants.replace_passage(one, slot.key, picked)),
            )
    with wording:
        draw_wording(run, slot)


def draw_words(run_id: str, slot: variants.Slot) -> None:
    """Draw the title and the text of a passage to be edited; leaving a box makes the step."""
    title = widget_key(run_id, f"title.{slot.key}", slot.passage.title)
    text = widget_key(run_id, f"text.{slot.key}", slot.passage.text)
    held = (run_id, slot.key, title, text)
    st.text_input("Title", key=session.widget_key(title, slot.passage.title), on_change=update_passage, args=held)
    st.text_area(
        "Text", key=session.widget_key(text, slot.passage.text), height=180, on_change=update_passage, args=held
    )


def update_passage(run_id: str, key: int, title: str, text: str) -> None:
    """Take over what was typed into a passage; an emptied text leaves the old one."""
    new_title, new_text = (str(session.widget_state(name) or "") for name in (title, text))
    if not new_text.strip():
        session.leave_notice("A passage needs text.")
        session.reset_widget(text)
        return
    apply_edit(run_id, lambda now: variants.edit_passage(now, key, new_title, new_text))


def draw_wording(run: StoredRun, slot: variants.Slot) -> None:
    """Draw the rewording by hand that DENSE is to take, with the checks it passes and fails."""
    begin = slot.wording or accepted_wording(run.diagnosis, slot) or slot.passage.text
    # Another text, or the same one after an undo, starts the box anew: no text is offered as a rewording of another.
    key = widget_key(run.id, f"wording.{slot.key}", f"{slot.passage.text}\n{begin}")
    st.text_area("In your own words", key=session.widget_key(key, begin), height=180)
    typed = str(session.widget_state(key) or "").strip()
    checked = st.button("Check it", key=f"{key}.check", icon=":material/fact_check:")
    if checked or session.widget_state(f"{key}.checked") == typed:
        session.set_widget(f"{key}.checked", typed)
        draw_checks(run, slot, typed)
    with st.container(horizontal=True):
        st.button(
            "Use this rewording", key=f"{key}.use", disabled=not typed, on_click=apply_edit,
            args=(run.id, lambda one: variants.set_rewording(one, slot.key, typed)),
        )  # fmt: skip
        st.button(
            "Let the model reword it", key=f"{key}.drop", disabled=not slot.wording, on_click=apply_edit,
            args=(run.id, lambda one: variants.set_rewording(one, slot.key, "")),
        )  # fmt: skip


def draw_checks(run: StoredRun, slot: variants.Slot, typed: str) -> None:
    """Draw which checks a rewording by hand passes, which it fails, and whether it can be used."""
    bound = run.request.dense.similarity_bound
    with shown_errors():
        with st.spinner("Checking …"):
            checks = hand_checks(slot.passage.text, typed, bound, load_embedder(), load_text_tools())
        said = what_if.checks_sentence(checks, HAND_CHECKS)
        (st.success if all(check.passed for check in checks) else st.warning)(as_text(said))
        draw_rows(what_if.checks_table(checks, HAND_CHECKS), alt=said)


def accepted_wording(diagnosis: Diagnosis | None, slot: variants.Slot) -> str:
    """Return the rewording that DENSE took for this passage in the run, "" where it took none."""
    found = diagnosis.result(DenseResult, measured=False) if diagnosis is not None else None
    if found is None:
        return ""
    texts = (chunk.rewrite.text for chunk in found.chunks if chunk.rewrite and chunk.passage.text == slot.passage.text)
    return next(texts, "")


def draw_adding(run: StoredRun, now: variants.Variant) -> None:
    """Draw the ways to one more passage: written by hand, or found in the corpus."""
    if len(now.slots) >= MOST_PASSAGES:
        st.caption(f"At most {MOST_PASSAGES} passages.")
        return
    with drawer_of("Write your own passage", OWN_OPEN, icon=":material/edit_note:"):
        st.text_input("Title (optional)", key=session.widget_key(OWN_TITLE, ""), on_change=keep_unsent)
        st.text_area("Your passage", key=session.widget_key(OWN_TEXT, ""), height=140, on_change=keep_unsent)
        st.button("Add it", key="what_if.own.add", icon=":material/add:", on_click=add_own_passage, args=(run.id,))
    if now.corpus is None:
        return
    with drawer_of("Add one from the corpus", FOUND_OPEN, icon=":material/search:"):
        picked = draw_search(run, now, "add")
        if picked is not None:
            st.button(
                "Add at the end", key=f"what_if.{run.id}.add", on_click=apply_edit,
                args=(run.id, lambda one: variants.add_passage(one, picked)),
            )  # fmt: skip


def add_own_passage(run_id: str) -> None:
    """Add the passage that was written and empty its boxes; an empty one leaves the sentence that says so."""
    title, text = (str(session.widget_state(key) or "").strip() for key in (OWN_TITLE, OWN_TEXT))
    if not text:
        session.leave_notice("Write the passage first.")
        return
    apply_edit(
        run_id,
        lambda now: variants.add_passage(now, Passage(text=text, title=title, source=variants.HAND, end=len(text))),
    )
    session.reset_widget(OWN_TITLE)
    session.reset_widget(OWN_TEXT)
