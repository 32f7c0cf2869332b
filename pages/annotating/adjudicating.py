"""Adjudication: where people disagree, both reasons in view, and what is settled with its own reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from engine.annotations.agreement import Disagreement, disagreements
from engine.annotations.fields import FIELDS, Field, missing_fields, with_value
from engine.annotations.records import (
    MOST_NOTE,
    Adjudication,
    AdjudicationConflict,
    Item,
    Label,
    Project,
    Value,
    Values,
)
from engine.annotations.store import AnnotationStore
from engine.core.words import shorten
from pages.annotating.projects import ITEM
from pages.shared import session
from pages.shared.browser_part import browser_part
from pages.shared.resources import shown_errors
from pages.shared.sent_values import one_of
from pages.shared.theme import as_text
from pages.shared.undo import draw_left_undo, leave_undo
from viz.annotating.annotation_card import KIND_WORDS, first_not_markable, label_words, value_words
from viz.methods.timing import policy_title

MOST_ITEMS = 100_000
OPEN_ONLY, EVERY = "Unresolved", "All disagreements"
SETTLED = "microscope.annotate.settled"


def draw_adjudicating(store: AnnotationStore, project: Project, person: str) -> None:
    """Draw the list of disagreements, the chosen item with everybody's label and note, and the form that settles it."""
    draw_rise()
    draw_left_undo(undo_place(project.id))
    items = {item.id: item for item in store.items(project.id, limit=MOST_ITEMS)}
    labels = store.labels(project.id)
    settled = {one.item: one for one in store.adjudications(project.id)}
    found = disagreements(tuple(items.values()), labels)
    if not found:
        st.info(nobody_disagrees(labels))
        return
    shown = st.segmented_control("Show", [OPEN_ONLY, EVERY], default=OPEN_ONLY, key="annotate.disputes", required=True)
    listed = [one.item for one in found if shown == EVERY or one.item not in settled or is_being_settled(one.item)]
    names = list(dict.fromkeys(listed))
    st.caption(f"{len(names)} of {len(dict.fromkeys(one.item for one in found))} disagreements.")
    if not names:
        st.success("Every disagreement is adjudicated.")
        return
    item = items[selected_item(names, items)]
    own = [label for label in labels if label.item == item.id and label.state == "submitted"]
    draw_dispute(item, [one for one in found if one.item == item.id], own, project)
    draw_settling(store, item, person, settled.get(item.id), [label.values for label in own])


def draw_rise() -> None:
    """Draw the script that brings the top of the list back into sight after an item was settled at its foot."""
    mount = browser_part("rise", "annotating/rise.js")
    mount(key="annotate.rise", data={"settled": session.widget_number(SETTLED)}, height=0)


def nobody_disagrees(labels: Sequence[Label]) -> str:
    """Return why there is nothing to adjudicate."""
    people = {label.annotator for label in labels if label.state == "submitted"}
    if len(people) < 2:
        return "Nothing to resolve: it takes labels of two people."
    return "Nothing to resolve: people agree."


def selected_item(names: Sequence[str], items: Mapping[str, Item]) -> str:
    """Return the item that is picked from the list, the one of the address first."""
    asked = session.address_parameter(ITEM)
    picked = st.selectbox(
        "Item",
        names,
        index=names.index(asked) if asked in names else 0,
        format_func=lambda name: title_of(items[name]) if name in items else name,
        key=f"annotate.dispute.{len(names)}",
    )
    name = one_of(picked, names, names[0])
    session.set_address(ITEM, name)
    return name


def title_of(item: Item) -> str:
    """Return an item's line in a list: number, what is asked, the question."""
    return f"{item.number} · {KIND_WORDS[item.kind].question} · {shorten(item.view.question, 80)}"


def draw_dispute(item: Item, found: Sequence[Disagreement], own: Sequence[Label], project: Project) -> None:
    """Draw what the item is about, and beside each other what each person says and why: ``own`` are its labels."""
    st.header(f"Item {item.number}")
    st.markdown(f"**{as_text(item.view.question)}**")
    if item.policy and not project.blind:
        st.caption(f"Policy: {as_text(policy_title(item.policy))}")
    st.caption(f"Correct answer: {as_text(' · '.join(item.view.golds) or 'none was given')}")
    words = KIND_WORDS[item.kind]
    st.markdown(f"**{as_text(words.question)}**")
    st.caption(as_text(words.text))
    st.markdown(marked_text(item))
    for title, text in (("Answer without retrieval", item.view.without), ("Answer with retrieval", item.view.after)):
        if text:
            st.caption(f"{title}: {as_text(text)}")
    if item.view.other:
        st.caption(f"{as_text(words.other)}: {as_text(item.view.other)}")
    disputed = {one.field for one in found}
    for column, label in zip(st.columns(max(2, len(own))), own, strict=False):
        with column, st.container(border=True):
            st.markdown(f"**{as_text(label.annotator)}**")
            for field in FIELDS[item.kind]:
                mark = " ⚠ differs" if field.name in disputed else ""
                st.markdown(as_text(f"{field.title}: {value_text(item, field, label.value(field.name))}") + mark)
            st.markdown(f"Reason: {as_text(label.note)}" if label.note else "*No reason given.*")
    with st.expander("Retrieved passages and evidence", icon=":material/article:"):
        for passage in (*item.view.found, *item.view.evidence):
            title = f"**{as_text(passage.title)}** " if passage.title else ""
            st.markdown(f"{title}{as_text(passage.text)}")


def value_text(item: Item, field: Field, value: Value | None) -> str:
    """Return a field's value in words; a token by its text as well."""
    if isinstance(value, int) and 0 <= value < len(item.view.tokens):
        return f"“{item.view.tokens[value].text.strip()}”, {value_words(item.kind, field.name, value)}"
    return value_words(item.kind, field.name, value)


def marked_text(item: Item) -> str:
    """Return the item's text as Markdown with the place of this lookup in it."""
    here = next((mark for mark in item.view.marks if mark.here), None)
    if here is None:
        return as_text(item.view.text)
    before, after = item.view.text[: here.character], item.view.text[here.character :]
    return f"{as_text(before)} **[this lookup]** {as_text(after)}"


def draw_settling(
    store: AnnotationStore, item: Item, person: str, before: Adjudication | None, said: Sequence[Values]
) -> None:
    """Draw the form that settles an item, filled with what was settled before or what people agree on."""
    form = settling_form(store, item.id, before)
    if before:
        words = label_words(item.kind, Label(item=item.id, annotator=before.by, values=before.values))
        st.success(as_text(f"Decided by {before.by}: {words}. Reason: {before.reason or 'none given'}"))
    start = dict(before.values) if before else unanimous_values(said)
    with st.form(f"annotate.settle.{item.id}"):
        values = form_values(item, start, said)
        reason = st.text_area(
            "Reason",
            max_chars=MOST_NOTE,
            key=session.widget_key(form_key(item.id, "reason"), before.reason if before else ""),
        )
        sent = st.form_submit_button("Settle it", type="primary", icon=":material/gavel:")
    if not sent:
        return
    if missing := missing_fields(item.kind, values):
        titles = [field.title for field in FIELDS[item.kind] if field.name in missing]
        st.error(f"Not answered yet: {'; '.join(titles)}.")
        return
    with shown_errors():
        try:
            made = store.adjudicate(item.id, person, values, reason, form.base)
        except AdjudicationConflict as exc:
            session.set_widget(form_key(item.id, "form"), replace(form, base=exc.newer.version))
            st.error(as_text(f"{exc} {newer_words(item, exc.newer)}"))
            return
        told = f"Item {item.number} is resolved."
        leave_undo(undo_place(item.project), told, partial(take_back, store, made, before))
        drop_settling_form(item.id)
        session.set_widget(SETTLED, session.widget_number(SETTLED) + 1)
        st.rerun()


def newer_words(item: Item, newer: Adjudication) -> str:
    """Return what somebody else decided meanwhile, and what can be done about it."""
    if not newer.by:
        return "Settle it again to store it."
    words = label_words(item.kind, Label(item=item.id, annotator=newer.by, values=newer.values))
    return f"{newer.by} decided: {words}. Settle it again to change that."


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlingForm:
    """The version that a form would replace, 0 for none, and whether the item was unresolved when it was first drawn.

    ``base`` stays as long as the form is on the screen, so that a decision made meanwhile is noticed.
    """

    base: int
    unresolved: bool


def form_key(item: str, name: str) -> str:
    """Return the key of a part of the form that settles an item."""
    return f"annotate.settle.{item}.{name}"


def settling_form(store: AnnotationStore, item: str, before: Adjudication | None) -> SettlingForm:
    """Return what the form on the screen started from; a form that is drawn anew starts from what is settled now."""
    held = open_form(item)
    if held is None:
        held = SettlingForm(base=before.version if before else store.withdrawn_version(item), unresolved=before is None)
        session.set_widget(form_key(item, "form"), held)
    return held


def open_form(item: str) -> SettlingForm | None:
    """Return the form of an item that is on the screen, None where there is none: its widgets live as long."""
    held = session.widget_state(form_key(item, "form"))
    drawn = session.widget_state(form_key(item, "reason")) is not None
    return held if drawn and isinstance(held, SettlingForm) else None


def is_being_settled(item: str) -> bool:
    """Return whether the item of the address has an open form from when it was unresolved.

    It stays listed where somebody else settles it meanwhile, so that what is filled in is not lost.
    """
    form = open_form(item) if item == session.address_parameter(ITEM) else None
    return form is not None and form.unresolved


def drop_settling_form(item: str) -> None:
    """Let the form of an item start from what is settled when it is drawn next."""
    names = {field.name for fields in FIELDS.values() for field in fields}
    for name in ("reason", *sorted(names)):
        session.reset_widget(form_key(item, name))


def undo_place(project: str) -> str:
    """Return the name of the place that offers the way back from a project's last adjudication."""
    return f"adjudicated.{project}"


def take_back(store: AnnotationStore, made: Adjudication, before: Adjudication | None) -> None:
    """Put back what was settled before; without any, make the item unresolved. A newer adjudication stays."""
    drop_settling_form(made.item)
    try:
        if before is None:
            store.withdraw_adjudication(made.item, made.version)
        else:
            store.adjudicate(made.item, before.by, before.values, before.reason, made.version)
    except AdjudicationConflict as exc:
        session.leave_notice(f"{exc.newer.by or 'Somebody'} decided it again meanwhile, so it stays.")


def unanimous_values(said: Sequence[Values]) -> dict[str, Value]:
    """Return what everybody says alike."""
    first, *others = [dict(values) for values in said]
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}


def form_values(item: Item, start: Mapping[str, Value], said: Sequence[Values]) -> Values:
    """Return the values chosen in the form: one choice a field; the first wrong token counts where it is needed."""
    values: Values = ()
    for field in FIELDS[item.kind]:
        picked = form_value(item, field, start.get(field.name), said)
        if picked is not None and (not field.needed_with or field.needed_with in values):
            values = with_value(item.kind, values, field.name, picked)
    return values


def form_value(item: Item, field: Field, now: Value | None, said: Sequence[Values]) -> Value | None:
    """Return what is chosen for a field, None where nothing is; tokens that somebody marked come first."""
    key = form_key(item.id, field.name)
    if field.choices:
        options: list[Value] = [choice.value for choice in field.choices]
        chosen = st.radio(
            field.title,
            options,
            index=None,
            format_func=lambda one: as_text(value_text(item, field, one)),
            horizontal=True,
            key=session.widget_key(key, now if now in options else None),
        )
        return chosen if chosen in options else None
    marked = sorted({value for one in said for name, value in one if name == field.name and isinstance(value, int)})
    tokens = list(dict.fromkeys((*marked, *range(first_not_markable(item)))))
    token = st.selectbox(
        field.title,
        tokens,
        index=None,
        format_func=partial(value_text, item, field),
        key=session.widget_key(key, now if now in tokens else None),
        placeholder="Only if it is late",
    )
    return token if isinstance(token, int) and token in tokens else None
