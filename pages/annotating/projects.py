"""Which labelling project, and who is at it: choosing both, making a project from stored runs, adding runs to one."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import streamlit as st

from engine.annotations.fields import GUIDELINES
from engine.annotations.records import KINDS, MOST_GUIDELINES, MOST_NAME, Item, Kind, Project, ProjectConflict
from engine.annotations.store import AnnotationStore
from engine.annotations.tasks import items_of
from engine.core.words import tidy_name
from engine.runs.store import RunSummary
from pages.shared import session
from pages.shared.resources import is_going, shown_errors, stored_run
from pages.shared.resources import store as run_store
from pages.shared.rows import choose_rows, draw_rows
from pages.shared.sent_values import one_of, some_of, whole_number
from pages.shared.texts import page_text
from pages.shared.theme import as_text
from pages.shared.undo import draw_left_undo, leave_undo
from viz.annotating.annotation_card import KIND_WORDS
from viz.parts.words import counted, listing

PROJECT, ITEM, PERSON, VIEW = "project", "item", "as", "view"
LAST_PROJECT, LAST_PERSON = "annotate.last_project", "annotate.last_person"
MOST_RUNS = 500
TABLE = "annotate.runs"
# A run of the usual methods with a correct answer has only the last of these.
FIRST_KINDS: tuple[Kind, ...] = ("retrieval", "answer", "correctness")
RECORDED, RECORDED_UNDO, RECORDED_RUNS = "Recorded runs", "annotate.recorded", 3
BLIND = "Hides suggestions, policies and gains."


def choose_project(store: AnnotationStore) -> Project | None:
    """Return the project of the address or the one picked from the list; None where there is none yet."""
    known = {project.id: project for project in store.projects()}
    if not known:
        return None
    asked = session.address_parameter(PROJECT) or str(session.widget_state(LAST_PROJECT) or "")
    if session.address_parameter(PROJECT) and asked not in known:
        st.warning(f"No project {as_text(asked)}. Another is shown.")
    wanted = asked if asked in known else list(known)[-1]
    picked = st.selectbox(
        "Project",
        list(known),
        index=list(known).index(wanted),
        format_func=lambda one: known[one].name if one in known else one,
        key=f"annotate.project.{wanted}.{len(known)}",
    )
    chosen = one_of(picked, tuple(known), wanted)
    if chosen != asked and asked in known:
        session.set_address(ITEM, "")
    session.set_address(PROJECT, chosen)
    session.set_widget(LAST_PROJECT, chosen)
    return known[chosen]


def choose_person(store: AnnotationStore) -> str:
    """Return the annotator's name, "" until one is given. It stands in the address, so that a reload keeps it."""
    asked = tidy_name(session.address_parameter(PERSON) or str(session.widget_state(LAST_PERSON) or ""), MOST_NAME)
    names = tuple(dict.fromkeys((*store.annotators(), *([asked] if asked else []))))
    picked = st.selectbox(
        "Your name",
        names,
        index=names.index(asked) if asked in names else None,
        accept_new_options=True,
        placeholder="Type it, then press Enter",
        key=f"annotate.person.{asked}",
        help="Labels are stored under it.",
    )
    name = tidy_name(str(picked or ""), MOST_NAME)
    session.set_address(PERSON, name)
    session.set_widget(LAST_PERSON, name)
    return name


def draw_recorded(store: AnnotationStore, items: Sequence[tuple[str, Kind]]) -> None:
    """Draw recorded runs and the button that makes a project of them; undo takes it back while nothing is labelled."""
    st.markdown("Press one key for each lookup; then see where people and policies agree.")
    per_run = Counter(run_id for run_id, _ in items)
    runs = [run for run in run_store().listing(limit=MOST_RUNS) if run.id in per_run]
    draw_rows(
        [{"Question": run.question, "Answer": run.answer, "To label": per_run[run.id]} for run in runs],
        alt="Recorded runs to label",
    )
    said = f"Label these {counted(len(runs), 'recorded run')}"
    left, right = st.columns([2, 1], vertical_alignment="bottom")
    with left:
        choose_person(store)
    if not right.button(said, type="primary", icon=":material/edit_note:", key="annotate.recorded", width="stretch"):
        return
    with shown_errors():
        made = store.create_project(RECORDED)
        number = store.add_items(made.id, items_for(made.id, items))
        leave_undo(RECORDED_UNDO, f"{RECORDED} has {counted(number, 'item')}.", partial(take_back, store, made.id))
        open_project(made.id)


def recorded_items() -> tuple[tuple[str, Kind], ...]:
    """Return (run id, kind) of the items of the newest recorded runs that look something up."""
    shipped = (run for run in run_store().listing(limit=MOST_RUNS) if run.origin == "sample")
    with_lookups = (run for run in shipped if "timing" in run.methods and "retrieval" in kinds_in(run.id, "recorded"))
    found = islice(with_lookups, RECORDED_RUNS)
    return tuple((run.id, kind) for run in found for kind in kinds_in(run.id, "recorded") if kind in FIRST_KINDS)


def take_back(store: AnnotationStore, project: str) -> None:
    """Remove a project that nobody has labelled anything in, and leave its address."""
    store.remove_unlabelled(project)
    session.set_address(PROJECT, "")
    session.set_address(ITEM, "")


def draw_new_project(store: AnnotationStore) -> None:
    """Draw the form that makes a project from stored runs."""
    name = st.text_input("Project name", key="annotate.new.name", max_chars=MOST_NAME)
    items = draw_source("new")
    left, right = st.columns(2)
    overlap = left.number_input(
        "People per item", min_value=1, max_value=20, value=2, step=1, key="annotate.new.overlap"
    )
    blind = right.toggle("Blind", value=True, key="annotate.new.blind", help=BLIND)
    guidelines = st.text_area(
        "Guidelines", value=GUIDELINES, height=260, max_chars=MOST_GUIDELINES, key="annotate.new.guidelines"
    )
    if not st.button("Create the project", type="primary", icon=":material/add:", key="annotate.new.make"):
        return
    if not items:
        st.error("Select runs that contain the chosen kinds.")
        return
    with shown_errors():
        people = whole_number(overlap, 1, 20, 2)
        made = store.create_project(name, guidelines=guidelines, overlap=people, blind=blind)
        store.add_items(made.id, items_for(made.id, items))
        open_project(made.id, f"The project has {counted(len(items), 'item')}.")


def draw_more_runs(store: AnnotationStore, project: Project) -> None:
    """Draw the form that adds runs to a project; what is in it already stays as it is."""
    items = draw_source(f"more.{project.id}")
    if not st.button("Add them", icon=":material/add:", key="annotate.more.add", disabled=not items):
        return
    new = store.add_items(project.id, items_for(project.id, items))
    open_project(project.id, f"Added {counted(new, 'item')}.")


def open_project(project: str, notice: str = "") -> None:
    """Show a project from its first item on, with a sentence where one is given."""
    session.set_address(PROJECT, project)
    session.set_address(ITEM, "")
    if notice:
        session.leave_notice(notice)
    st.rerun()


def run_date_text(run: RunSummary) -> str:
    """Return when a run was asked, in UTC to the minute; of one that is shipped, when it was recorded."""
    told = "recorded " if run.origin in ("sample", "atlas") else ""
    return f"{told}{run.created_at[:16].replace('T', ' ')}"


def draw_source(word: str) -> tuple[tuple[str, Kind], ...]:
    """Return what is to be labelled as (run id, kind), after drawing the runs, the kinds, and what they come to."""
    runs = [run for run in run_store().listing(limit=MOST_RUNS) if not is_going(run) and run.answer]
    if not runs:
        st.info("No finished run. Ask a question first.")
        return ()
    picked = st.pills(
        "What to label",
        KINDS,
        format_func=kind_title,
        selection_mode="multi",
        default=FIRST_KINDS,
        key=f"annotate.kinds.{word}",
    )
    kinds = some_of(picked, KINDS)
    rows = [{"Question": run.question, "Answer": run.answer, "Date": run_date_text(run)} for run in runs]
    picked_rows = choose_rows(rows, [run.id for run in runs], key=f"{TABLE}.{word}", alt="Finished runs", height=280)
    chosen = [runs[row] for row in picked_rows]
    every = st.checkbox(f"All {counted(len(runs), 'run')}", key=f"annotate.all.{word}")
    return draw_item_counts(runs if every else chosen, kinds)


def kind_title(kind: str) -> str:
    """Return a kind of item in plain words."""
    return KIND_WORDS[kind].title if kind in KIND_WORDS else kind  # type: ignore[index]


def draw_item_counts(runs: Sequence[RunSummary], kinds: Sequence[Kind]) -> tuple[tuple[str, Kind], ...]:
    """Return (run id, kind) of every item the runs hold, after saying how many of each kind that is."""
    found = [(run.id, kind) for run in runs for kind in kinds_in(run.id, run.finished_at) if kind in kinds]
    if not runs:
        st.caption("No run is selected.")
    elif not found:
        st.warning(page_text("notes/nothing_to_label"))
    else:
        per_kind = Counter(kind for _, kind in found)
        parts = [f"{number} × {kind_title(kind).lower()}" for kind, number in per_kind.items()]
        st.caption(f"{counted(len(runs), 'run')} with {counted(len(found), 'item')}: {listing(parts)}.")
    return tuple(found)


@st.cache_data(show_spinner=False, max_entries=2000)
def kinds_in(run_id: str, finished_at: str) -> tuple[Kind, ...]:
    """Return the kind of every item a run holds; ``finished_at`` tells a run from itself before it was finished."""
    run = stored_run(run_id) if finished_at else None
    return tuple(item.kind for item in items_of("", run_id, run.diagnosis)) if run and run.diagnosis else ()


def items_for(project: str, wanted: Sequence[tuple[str, Kind]]) -> tuple[Item, ...]:
    """Return the items of a project from what was chosen, in the order of the runs."""
    kinds: dict[str, list[Kind]] = {}
    for run_id, kind in wanted:
        kinds.setdefault(run_id, []).append(kind)
    items: list[Item] = []
    for run_id, chosen in kinds.items():
        run = stored_run(run_id)
        if run is not None and run.diagnosis is not None:
            items += items_of(project, run_id, run.diagnosis, tuple(dict.fromkeys(chosen)))
    return tuple(items)


def draw_settings(store: AnnotationStore, project: Project) -> None:
    """Draw what can be changed of a project: its guidelines, its overlap, blind or not, and more runs."""
    draw_left_undo(settings_place(project.id))
    form, key = settings_form(project), settings_place(project.id)
    with st.form(f"annotate.settings.{project.id}", border=False):
        guidelines = st.text_area(
            "Guidelines",
            height=260,
            max_chars=MOST_GUIDELINES,
            key=session.widget_key(f"{key}.guidelines", form.base.guidelines),
        )
        st.caption(f"Version {form.base.version}.")
        people = st.number_input(
            "People for each item",
            min_value=1,
            max_value=20,
            step=1,
            key=session.widget_key(f"{key}.overlap", form.base.overlap),
        )
        blind = st.toggle("Blind", help=BLIND, key=session.widget_key(f"{key}.blind", form.base.blind))
        sent = st.form_submit_button("Save", key="annotate.project.save", icon=":material/save:")
    if sent:
        with shown_errors():
            form = save_settings(store, form, guidelines, whole_number(people, 1, 20, 2), blind)
    if form.newer:
        st.error("Somebody saved other guidelines meanwhile. Yours are still in the form. Save again to replace these:")
        st.markdown(as_text(form.base.guidelines))
    st.markdown("**More runs**")
    draw_more_runs(store, project)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsForm:
    """The project that a settings form would change; ``newer``: its guidelines are not those in the form."""

    base: Project
    newer: bool = False


def settings_place(project: str) -> str:
    """Return the name of the place where a project's settings are changed."""
    return f"project.{project}"


def settings_form(project: Project) -> SettingsForm:
    """Return what the form on the screen started from; a form that is drawn anew starts from the project as it is."""
    key = settings_place(project.id)
    held = session.widget_state(f"{key}.form")
    if session.widget_state(f"{key}.guidelines") is None or not isinstance(held, SettingsForm):
        held = SettingsForm(base=project)
        session.set_widget(f"{key}.form", held)
    return held


def save_settings(
    store: AnnotationStore, form: SettingsForm, guidelines: str, overlap: int, blind: bool
) -> SettingsForm:
    """Save a settings form and draw the page anew; where somebody saved other guidelines, return the form on theirs.

    What the form leaves as it was is not written, so that another person's change of it stays.
    """
    base, key = form.base, settings_place(form.base.id)
    try:
        store.set_guidelines(base.id, guidelines, base.version)
    except ProjectConflict as exc:
        form = SettingsForm(base=replace(exc.newer, overlap=base.overlap, blind=base.blind), newer=True)
        session.set_widget(f"{key}.form", form)
        return form
    saved = store.change_project(
        base.id,
        overlap=None if overlap == base.overlap else overlap,
        blind=None if blind == base.blind else blind,
    )
    leave_undo(key, "The project was changed.", partial(put_back, store, base, saved))
    drop_settings_form(base.id)
    session.leave_notice("Saved.")
    st.rerun()


def drop_settings_form(project: str) -> None:
    """Let the settings form start from the project as it is when it is drawn next."""
    for name in ("guidelines", "overlap", "blind"):
        session.reset_widget(f"{settings_place(project)}.{name}")


def put_back(store: AnnotationStore, before: Project, saved: Project) -> None:
    """Give a project what it had before a change; older guidelines come back as a new version.

    Where somebody changed it again after it was ``saved``, it stays as they left it.
    """
    drop_settings_form(before.id)
    found = store.project(before.id)
    if (found.version, found.overlap, found.blind) != (saved.version, saved.overlap, saved.blind):
        session.leave_notice("Somebody changed the project again meanwhile, so it stays.")
        return
    store.set_guidelines(before.id, before.guidelines, saved.version)
    store.change_project(before.id, overlap=before.overlap, blind=before.blind)


def key_map(store: AnnotationStore, person: str) -> dict[str, str]:
    """Return a person's own keys, {} where they have none or what is kept cannot be read."""
    try:
        kept = json.loads(store.preference(person, "keys") or "{}")
    except json.JSONDecodeError:
        return {}
    return {str(name): str(key) for name, key in kept.items()} if isinstance(kept, dict) else {}
