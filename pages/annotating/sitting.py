"""The sitting: the list of items one person goes through, what the browser is sent of it, and what it sends back.

Every press is kept the moment it arrives, under the name and project it was made in. The list is fixed when a filter is
chosen, and only ever grows: an item never moves under the annotator's hands because it was labelled.
"""

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from engine.annotations.records import (
    KINDS,
    Event,
    Filter,
    Item,
    Label,
    Project,
    Suggestion,
    redoable,
    undoable,
)
from engine.annotations.store import AnnotationStore
from engine.annotations.suggestions import suggestions
from engine.annotations.tasks import run_hash
from engine.core.allowed import owner_name
from engine.core.errors import InputError, RecordError, StorageError
from engine.diagnosis.record import Diagnosis
from pages.annotating.key_queue import BAD_ENTRY, Entry, Message, draw_queue, message_of
from pages.annotating.projects import ITEM, key_map, kind_title
from pages.shared import session
from pages.shared.resources import store as store_of_runs
from pages.shared.sent_values import one_of, some_of, whole_number
from pages.shared.settings import draw_choice
from pages.shared.theme import as_text
from viz.annotating.annotation_card import card, kind_data, label_data
from viz.methods.timing import policy_title

AHEAD, NEAR, MOST_UNDO, MOST_KEYS = 12, 3, 100, 4000
CLOSED = ("submitted", "discarded")
TO_LABEL = "To label"
LIST, OF_KINDS, OF_POLICIES, SEARCH = "list", "kinds", "policies", "search"
LONGEST_SEARCH = 200
SHOWN: dict[str, Filter] = {
    TO_LABEL: Filter(),
    "All": Filter(),
    "Drafts": Filter(states=("draft",)),
    "Submitted": Filter(states=("submitted",)),
    "Discarded": Filter(states=("discarded",)),
    "Disagreed": Filter(disagreed=True),
}
PLACE, NONCE, JUMP, LAST = "annotate.place", "annotate.nonce", "annotate.jump", "annotate.last_data"
KEPT_HERE = "Keys are kept and sent again."
EMPHASIS = re.compile(r"\\\*([^*\\]+)\\\*")
NOTHING = {
    True: "No items left for you. Items that others have open may come back.",
    False: "No open item in this list.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a person is: the list they go through, and the receipts of the last message.

    ``turn`` names the list as it stands; ``jump`` changes where the page, not the browser, chooses the ``item``.
    ``opening``: the jump is only where a page begins that shows nothing yet.
    """

    owner: tuple[str, str]
    where: Filter
    growing: bool
    order: tuple[str, ...] = ()
    turn: int = 0
    jump: str = ""
    item: str = ""
    opening: bool = True
    receipts: Mapping[str, dict[str, object]] = field(default_factory=dict)


def draw_sitting(store: AnnotationStore, project: Project, person: str) -> None:
    """Draw the filters, the item with its keys, and the guidelines beside it."""
    where, growing = draw_filters(store, project, person)
    with st.container(key="narrow-sitting"):
        wide, narrow = st.columns([3, 1], gap="medium")
    with wide:
        draw_items(store, project, person, where, growing)
    with narrow:
        draw_guidelines(project)


def draw_guidelines(project: Project) -> None:
    """Draw what the project asks of its annotators."""
    with st.container(border=True):
        st.markdown(f"**Guidelines**, version {project.version}")
        for paragraph in project.guidelines.split("\n\n"):
            st.markdown(emphasis_markdown(paragraph))


def emphasis_markdown(text: str) -> str:
    r"""Return untrusted text for Markdown in which ``*one*`` is emphasised and nothing else means anything.

    >>> emphasis_markdown("*Late*: see [x](y)")
    '*Late*\\: see \\[x\\]\\(y\\)'
    """
    return EMPHASIS.sub(r"*\1*", as_text(text))


def draw_filters(store: AnnotationStore, project: Project, person: str) -> tuple[Filter, bool]:
    """Return which items are wanted and whether the list grows by what is next to label, after drawing the choices.

    The choices stand in the address, so that a reload keeps them.
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        asked = one_of(session.address_parameter(LIST), tuple(SHOWN), TO_LABEL)
        word = draw_choice("Items", {name: name for name in SHOWN}, "annotate.shown", asked)
        number = st.number_input(
            "Go to item", min_value=1, step=1, value=None, key="annotate.number", placeholder="number", width=140
        )
        st.button("Go", key="annotate.go", on_click=jump_to, args=(store, project.id, number))
        with st.popover("Filter", icon=":material/filter_list:"):
            key = session.widget_key("annotate.filter.kinds", listed(OF_KINDS, KINDS))
            kinds = st.pills("Kinds", KINDS, format_func=kind_title, selection_mode="multi", key=key)
            # In a blind project even choosing a policy would tell whose lookup is on the screen.
            named = () if project.blind else store.policies(project.id)
            key = session.widget_key("annotate.filter.policies", listed(OF_POLICIES, named))
            policies = st.multiselect("Policies", named, format_func=policy_title, key=key) if named else ()
            key = session.widget_key("annotate.filter.search", session.address_parameter(SEARCH)[:LONGEST_SEARCH])
            search = st.text_input("Search", key=key, max_chars=LONGEST_SEARCH)
    where = replace(
        SHOWN[word],
        annotator=person if SHOWN[word].states else "",
        kinds=some_of(kinds, KINDS),
        policies=some_of(policies, named),
        search=str(search or "").strip(),
    )
    chosen = {LIST: "" if word == TO_LABEL else word, SEARCH: where.search}
    chosen |= {OF_KINDS: ",".join(where.kinds), OF_POLICIES: ",".join(where.policies)}
    for name, value in chosen.items():
        session.set_address(name, value)
    return where, word == TO_LABEL


def listed(name: str, known: Sequence[str]) -> list[str]:
    """Return those of the known words that the address lists under a name."""
    return [word for word in session.address_parameter(name).split(",") if word in known]


def jump_to(store: AnnotationStore, project: str, number: object) -> None:
    """Make the browser show the item of that number; a number that no item has leaves a sentence."""
    wanted = whole_number(number, 1, 10**6, 0)
    found = store.items(project, limit=1, offset=wanted - 1) if wanted else ()
    if found:
        session.set_widget(JUMP, found[0].id)
    else:
        session.leave_notice(f"This project has no item {wanted}." if wanted else "Enter an item number first.")


@st.fragment
def draw_items(store: AnnotationStore, project: Project, person: str, where: Filter, growing: bool) -> None:
    """Draw the item in the browser and keep what was pressed. Only this part is drawn anew for a key."""
    key = f"annotate.sitting.{project.id}.{person}"
    message = message_of(key)
    receipts, trouble = save_message(store, message, session_place().receipts)
    try:
        place = replace(current_place(store, project, person, where, growing), receipts=receipts)
        place, data = browser_data(store, project, person, place, message)
    except StorageError as exc:
        place, data, trouble = session_place(), last_sent_data(key), f"{exc} {KEPT_HERE}"
        if not data:
            st.error(as_text(str(exc)), icon=":material/error:")
            return
    session.set_widget(PLACE, place)
    session.set_widget(LAST, (key, data))
    draw_queue({**data, "heard": message.number, "receipts": receipts, "trouble": trouble}, key)
    session.set_address(ITEM, message.item or place.item)


def last_sent_data(key: str) -> dict[str, Any]:
    """Return what the browser was sent last under this key, {} where nothing was.

    Drawn again while the store cannot be read, so that the sitting stays on the screen and keeps what is pressed.
    """
    held = session.widget_state(LAST)
    return held[1] if isinstance(held, tuple) and held[0] == key else {}


def session_place() -> Place:
    """Return where this session is; nowhere at first."""
    held = session.widget_state(PLACE)
    return held if isinstance(held, Place) else Place(owner=("", ""), where=Filter(), growing=False)


def session_nonce() -> str:
    """Return a word that names this session of this server."""
    if not session.widget_state(NONCE):
        session.set_widget(NONCE, secrets.token_hex(8))
    return str(session.widget_state(NONCE))


def current_place(store: AnnotationStore, project: Project, person: str, where: Filter, growing: bool) -> Place:
    """Return where the person is: as before, or at the start of the list they now chose."""
    place, owner = session_place(), (project.id, person)
    if (place.owner, place.where, place.growing) != (owner, where, growing):
        if place.owner != owner and all(place.owner):
            store.release(*place.owner)
        same = place.owner == owner
        order = () if growing else store.item_ids(project.id, where)
        place = Place(
            owner=owner,
            where=where,
            growing=growing,
            order=order,
            turn=place.turn + 1,
            jump=f"{session_nonce()}-{place.turn + 1}",
            item="" if same else session.address_parameter(ITEM),
            opening=not same,
        )
    asked = session.widget_state(JUMP)
    if asked:
        session.set_widget(JUMP, None)
        place = replace(place, jump=secrets.token_hex(8), item=str(asked), opening=False)
    return place


def save_message(
    store: AnnotationStore, message: Message, before: Mapping[str, dict[str, object]]
) -> tuple[dict[str, dict[str, object]], str]:
    """Return the receipts of everything in a message, and why the rest could not be kept, "" where all was.

    What has its receipt already is not put to the store again; what it could not keep has none, and comes again.
    """
    receipts = {entry.id: before[entry.id] for entry in message.entries if entry.id in before}
    receipts |= {name: receipt_fields("refused", BAD_ENTRY) for name in message.unreadable if name}
    owners = dict.fromkeys((entry.project, entry.annotator) for entry in message.entries)
    for owner in owners:
        new = [one for one in message.entries if (one.project, one.annotator) == owner and one.id not in receipts]
        try:
            receipts |= save_entries(store, *owner, new)
        except StorageError as exc:
            return receipts, f"{exc} {KEPT_HERE}"
        except InputError as exc:
            receipts |= {entry.id: receipt_fields("refused", str(exc)) for entry in new}
    return receipts, ""


def save_entries(
    store: AnnotationStore, project: str, annotator: str, entries: Sequence[Entry]
) -> dict[str, dict[str, object]]:
    """Return the receipts of one person's entries in one project. Raises InputError where there is no such project."""
    store.project(project)
    receipts = {entry.id: keep_keys(store, annotator, entry) for entry in entries if entry.verb == "keys"}
    actions = [entry.action for entry in entries if entry.verb != "keys"]
    made = store.apply(project, annotator, actions) if actions else ()
    return receipts | {one.action: receipt_fields(one.status, one.sentence, one.label) for one in made}


def keep_keys(store: AnnotationStore, annotator: str, entry: Entry) -> dict[str, object]:
    """Return the receipt of a person's own key map, after keeping it."""
    try:
        readable = isinstance(json.loads(entry.note), dict) and len(entry.note) <= MOST_KEYS
    except json.JSONDecodeError:
        readable = False
    if not readable:
        return receipt_fields("refused", "These keys could not be read.")
    try:
        store.set_preference(annotator, "keys", entry.note)
    except InputError as exc:
        return receipt_fields("refused", str(exc))
    return receipt_fields("kept", "")


def receipt_fields(status: str, sentence: str, label: Label | None = None) -> dict[str, object]:
    """Return a receipt as data."""
    return {"status": status, "sentence": sentence, "label": None if label is None else label_data(label)}


def browser_data(
    store: AnnotationStore, project: Project, person: str, place: Place, message: Message
) -> tuple[Place, dict[str, Any]]:
    """Return where the person is now, with a list that reaches far enough, and everything the browser is sent."""
    labels = {label.item: label for label in store.labels(project.id, person)}
    cursor = message.item or place.item
    place = extend_list(store, place, labels, cursor)
    events = store.history(project.id, person, limit=MOST_UNDO) if not message.number else ()
    back, again = undoable(events), redoable(events)
    near = dict.fromkeys(
        (*needed_items(place.order, labels, cursor), *(one.item for one in (*back[:NEAR], *again[:NEAR])))
    )
    turn = f"{session_nonce()}-{place.turn}"
    whole = message.order != turn
    wanted = {*near, *(entry.item for entry in message.entries)}
    held = message.have if message.blind == project.blind else frozenset()
    progress = store.progress_of(project.id, person)
    return place, {
        "project": project.id,
        "annotator": person,
        "blind": project.blind,
        "session": session_nonce(),
        "turn": turn,
        "order": list(place.order) if whole else None,
        "items": [
            card(item, project, () if project.blind else run_suggestions(item))
            for name in near
            if name not in held and (item := item_of(store, name)) is not None
        ],
        "labels": {name: label_data(label) for name, label in labels.items() if whole or name in wanted},
        "undo": [saved_key_press(event) for event in reversed(back)],
        "redo": [saved_key_press(event) for event in reversed(again)],
        "goto": {"turn": place.jump, "item": place.item, "opening": place.opening},
        "progress": {"done": progress.submitted + progress.discarded, "open": progress.open},
        "keys": key_map(store, person),
        "kinds": kind_data(),
        "nothing": NOTHING[place.growing],
    }


def saved_key_press(event: Event) -> dict[str, object]:
    """Return a key press of an earlier visit, so that it can still be undone."""
    return {
        "id": event.action,
        "item": event.item,
        "before": label_data(event.before),
        "after": label_data(event.after),
    }


def extend_list(store: AnnotationStore, place: Place, labels: Mapping[str, Label], cursor: str) -> Place:
    """Return the place with more items to label at the end of its list, where too few are left after the shown one."""
    start = place.order.index(cursor) + 1 if cursor in place.order else 0
    ahead = [name for name in place.order[start:] if is_open(name, labels)]
    if not place.growing or len(ahead) >= AHEAD:
        return place
    more = store.next_items(*place.owner, count=AHEAD, where=place.where, besides=place.order)
    if not more:
        return place
    return replace(place, order=(*place.order, *(item.id for item in more)), turn=place.turn + 1)


def is_open(name: str, labels: Mapping[str, Label]) -> bool:
    """Return whether an item is neither submitted nor discarded."""
    return name not in labels or labels[name].state not in CLOSED


def needed_items(order: Sequence[str], labels: Mapping[str, Label], cursor: str) -> tuple[str, ...]:
    """Return the items the browser needs: the shown one, its neighbours, and the next ones that are open."""
    place = order.index(cursor) if cursor in order else -1
    near = order[max(0, place - NEAR) : place + NEAR + 1] if place >= 0 else ()
    later = [*order[place + 1 :], *order[: max(0, place)]]
    ahead = [name for name in later if is_open(name, labels)][:AHEAD]
    return tuple(dict.fromkeys([*([cursor] if cursor else []), *near, *ahead]))


def item_of(store: AnnotationStore, name: str) -> Item | None:
    """Return an item, None where there is none: an address may name anything. It never changes, so is read once."""
    key = f"annotate.item.{name}"
    held = session.widget_state(key)
    if isinstance(held, Item):
        return held
    try:
        found = store.item(name)
    except InputError:
        return None
    session.set_widget(key, found)
    return found


def run_suggestions(item: Item) -> tuple[Suggestion, ...]:
    """Return what the run says of an item; () where the run is gone or is another one by now."""
    diagnosis = run_behind(item.run_id, item.run_hash)
    return suggestions(item, diagnosis) if diagnosis is not None else ()


def run_behind(run_id: str, of_run: str) -> Diagnosis | None:
    """Return the diagnosis that items were made from, None where it is gone, was changed or is somebody else's."""
    try:
        return read_run_behind(run_id, of_run, owner_name())
    except RecordError:
        return None


@st.cache_resource(show_spinner=False, max_entries=32)
def read_run_behind(run_id: str, of_run: str, person: str) -> Diagnosis:
    """Return the diagnosis that items were made from, read once for each person, since a run is its person's.

    Raises RecordError, which is not kept, where it is gone, was changed or is somebody else's.
    """
    found = store_of_runs().get(run_id).diagnosis
    if found is None or run_hash(found) != of_run:
        raise RecordError("The run behind this item was changed.")
    return found
