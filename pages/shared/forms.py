"""The parts of the Ask form. Each draws its widgets from the draft and returns the draft as the reader left it."""

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from engine.backends.language_models import is_server
from engine.core.allowed import refuse_unlisted
from engine.core.errors import CorpusError
from engine.core.settings import MOST_PASSAGES
from engine.diagnosis.request import MOST_CHARACTERS, MOST_WORDS, DiagnosisRequest
from engine.methods.profiles import PROFILES
from engine.runs.corpora import shelf
from engine.runs.corpora.shelf import CorpusEntry
from engine.runs.models.listing import askable_models
from engine.runs.request_checks import check_request
from engine.runs.sample_questions import SampleQuestion
from engine.runs.store import StoredRun
from engine.thresholds.fitted import fits_for
from engine.thresholds.fitted.records import FittedThresholds
from pages.shared import links, session
from pages.shared.corpus_view import KINDS, draw_files, draw_progress, take_in
from pages.shared.details import drawer_of
from pages.shared.draft import FILES, MOST_REWORDINGS, PASTED, SAMPLE, Draft, ThresholdsName
from pages.shared.passage_editor import FORM, PASTE_BOX, add_files, box_text, edited_passages, passage_editor
from pages.shared.resources import sample_questions, sentences
from pages.shared.sent_values import one_of, whole_number
from pages.shared.server_form import server_part
from pages.shared.settings import draw_choice, draw_settings, settings_of
from pages.shared.theme import as_text
from pages.shared.undo import leave_undo
from pages.shared.unsent import keep_unsent
from pages.shared.uploads import Upload, uploads_folder

SOURCES = {source: source for source in (SAMPLE, PASTED, FILES)}
KIND_NAMES = {"yes_no": "Yes or no", "multi_hop": "Two steps", "not_in_corpus": "No sample text"}
RETRIEVER_NAMES = {
    "hybrid": "Hybrid: words and meaning",
    "bm25": "BM25: words",
    "vector": "Vector: meaning",
    "reranked": "Reranked: hybrid, then tokens",
}
THRESHOLD_NAMES: dict[ThresholdsName, str] = {"paper": "The papers'", "fitted": "Fitted to this model"}
DEVICE_NAMES = {
    "auto": "Automatic: GPU if present",
    "cpu": "Processor",
    "cuda": "NVIDIA GPU",
    "mps": "Apple GPU",
}
JUDGE_NOTES = {
    "embedded": "Trained on people's judgements.",
    "similarity": "Fast, less precise.",
    "llm": "Small models judge badly.",
}
OTHER_FILES = "other files"
FILE_BOX, FILES_TAKEN = "ask.passage_files", "ask.files_taken"
# The name of the source's widget, what it held before the program changed it, and whether it was drawn since.
SOURCE_TOLD = "ask.source_told"


def sample_picker() -> None:
    """Draw the sample questions by kind; choosing one fills the form with it and its gold answers."""
    drawer = drawer_of("Use a sample question", "sample.drawer", icon=":material/lightbulb:")
    if not drawer.open:
        return
    with drawer:
        by_kind: dict[str, list[SampleQuestion]] = {}
        for sample in sample_questions():
            by_kind.setdefault(sample.kind, []).append(sample)
        kinds = tuple(by_kind)
        picked_kind = st.pills(
            "Kind",
            kinds,
            format_func=lambda kind: KIND_NAMES.get(kind, kind.capitalize()),
            key=session.widget_key("sample.kind", kinds[0]),
            required=True,
        )
        kind = one_of(picked_kind, kinds, kinds[0])
        key = f"sample.of.{kind}"
        picked = st.selectbox(
            "Sample question",
            by_kind[kind],
            index=None,
            format_func=lambda sample: sample.question,
            key=key,
            on_change=use_sample,
            args=(key,),
            placeholder="Choose one",
        )
        if picked is not None:
            st.caption(f"Why: {as_text(picked.note)}")


def use_sample(key: str) -> None:
    """Fill the form with the sample question just chosen, its gold answers, and the passages it brings along.

    One that brings none is a question to the sample encyclopaedia, and leaves the passage editor as it is.
    """
    sample = session.widget_state(key)
    if not isinstance(sample, SampleQuestion):
        return
    leave_form("The form is refilled.")
    golds = "\n".join(sample.golds)
    source = PASTED if sample.passages else SAMPLE
    kept = replace(session.ask_draft(), question=sample.question, golds=golds, source=source, base=None, parent="")
    session.fill_form(kept, passages=sample.passages or None)


def question_box(draft: Draft) -> Draft:
    """Draw the question box; return the draft with what stands in it."""
    text = st.text_area(
        "Your question",
        key=session.form_key("question", draft.question),
        placeholder="On what date was the Suez Canal opened?",
        height=80,
        help=f"At most {MOST_WORDS} words or {MOST_CHARACTERS:,} characters.",
        on_change=keep_unsent,
    )
    return replace(draft, question=text)


def gold_box(draft: Draft) -> Draft:
    """Draw the box for gold answers, and say what is missing without one."""
    text = st.text_area(
        "Correct answers, one per line",
        key=session.form_key("golds", draft.golds),
        height=96,
        help="Optional.",
        on_change=keep_unsent,
    )
    if not text.strip():
        st.caption("For right or wrong, and SePer.")
    return replace(draft, golds=text)


def gold_answers(text: str) -> tuple[str, ...]:
    """Return the gold answers of a box with one a line, each once.

    >>> gold_answers(" Paris \\n\\nparis\\nParis")
    ('Paris', 'paris')
    """
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


def source_part(draft: Draft) -> Draft:
    """Draw where the passages come from; return the draft with the choice and what belongs to it."""
    name = session.form_name("source")
    source = draw_choice("Source of passages", SOURCES, name, draft.source, on_change=keep_source)
    draft = replace(draft, source=source)
    if draft.source == PASTED:
        passage_editor()
        return draft
    if draft.source == FILES:
        draft = corpus_part(draft)
    else:
        st.caption("124 articles, 28 about an invented island.")
    return retrieval_part(draft)


def retrieval_part(draft: Draft) -> Draft:
    """Draw how many passages are retrieved, and how."""
    for column, box in zip(st.columns(2), settings_of("ask")["Retrieval"], strict=True):
        with column:
            draft = draw_settings(draft, [box], session.form_name, {"retriever": RETRIEVER_NAMES})
    return draft


def corpus_part(draft: Draft) -> Draft:
    """Draw the folder or files to look in: a path on this machine, or files sent from the browser."""
    chosen = chosen_corpus(draft)
    if chosen is not None:
        draw_progress(chosen)
        links.page_link("documents", "All your documents", icon=":material/folder_open:")
        return replace(draft, corpus_path=chosen.path)
    draft = draw_settings(draft, settings_of("ask")["Files"], session.form_name)
    files = st.file_uploader(
        "Or upload files",
        accept_multiple_files=True,
        key="ask.corpus_files",
        help=f"{KINDS}. They stay on the program's machine.",
    )
    if files:
        with sentences():
            entry = shelf.entry_of(uploaded_corpus(files).id)
        draw_progress(entry)
        draw_files(entry)
        draft = replace(draft, corpus_path=entry.path)
    links.page_link("documents", "All your documents", icon=":material/folder_open:")
    return draft


def chosen_corpus(draft: Draft) -> CorpusEntry | None:
    """Draw the corpora on the shelf by name; return the one chosen, None for another folder or other files."""
    with sentences():
        known = {entry.id: entry for entry in shelf.entries()}
    if not known:
        return None
    current = next((entry.id for entry in known.values() if entry.path == draft.corpus_path), OTHER_FILES)
    options = (*known, OTHER_FILES)
    name = session.form_name("corpus")
    picked = st.selectbox(
        "Your corpus",
        options,
        key=session.widget_key(name, current if draft.corpus_path else options[0]),
        format_func=lambda one: known[one].name if one in known else "Another folder or files",
    )
    return known.get(one_of(picked, options, OTHER_FILES))


def uploaded_corpus(files: Sequence[Upload]) -> CorpusEntry:
    """Return the corpus of the files in the form; one that is on the shelf already is not indexed again.

    Nothing is written before: one corpus too many is refused, and its files are not kept.
    """
    known = {entry.path: entry for entry in shelf.entries()}
    return known.get(str(uploads_folder(files))) or take_in(files)


def paste_box(draft: Draft) -> Draft:
    """Draw the box for passages beside the question; return the draft with what stands in it.

    What stands in it or is dropped is read, and is the source.
    """
    pasted = st.text_area(
        "Passages, an empty line between",
        key=session.form_key(PASTE_BOX, draft.pasted),
        height=96,
        placeholder="Paste, or leave empty to search.",
        help='"Title: …" names a passage.',
        on_change=choose_pasted,
    )
    hear_source()
    source = session.widget_state(session.form_name("source")) or draft.source
    if str(pasted or "").strip() and source != PASTED:
        st.caption("Not read: another source is chosen.")
    key = f"{FILE_BOX}.{session.widget_number(FILES_TAKEN):.0f}"
    st.file_uploader(
        "Or drop files, a passage per paragraph",
        accept_multiple_files=True,
        key=key,
        on_change=take_files,
        args=(key,),
    )
    return replace(draft, pasted=str(pasted or ""))


def choose_pasted() -> None:
    """Make the pasted passages the source, where there are any."""
    if box_text().strip():
        make_pasted_the_source()
    keep_unsent()


def make_pasted_the_source() -> None:
    """Choose the pasted passages as the source, and remember what was chosen before until the browser has heard it."""
    name = session.form_name("source")
    before = session.widget_state(name)
    if before != PASTED:
        session.set_widget(SOURCE_TOLD, (name, before, False))
        session.set_widget(name, PASTED)


def keep_source() -> None:
    """Keep the pasted passages as the source where a message names the one before.

    Whoever leaves two boxes in quick succession sends the second message before the browser has heard of the change:
    it showed "My passages" then, and the run read the sample encyclopaedia.
    """
    name, told = session.form_name("source"), session.widget_state(SOURCE_TOLD)
    if isinstance(told, tuple) and told[:2] == (name, session.widget_state(name)):
        session.set_widget(SOURCE_TOLD, (*told[:2], False))
        session.set_widget(name, PASTED)
    else:
        session.set_widget(SOURCE_TOLD, None)


def hear_source() -> None:
    """Forget the source before once a later message names the pasted passages: the browser has heard it."""
    told = session.widget_state(SOURCE_TOLD)
    if isinstance(told, tuple):
        session.set_widget(SOURCE_TOLD, None if told[2] else (*told[:2], True))


def take_files(key: str) -> None:
    """Append the passages of dropped files, make them the source, and empty the box they were dropped into."""
    files = session.widget_state(key)
    if isinstance(files, list) and files:
        if add_files(files):
            make_pasted_the_source()
        session.set_widget(FILES_TAKEN, session.widget_number(FILES_TAKEN) + 1)


def refill(draft: Draft, rows: tuple[session.PassageRow, ...]) -> None:
    """Put the form back to what stood in it."""
    session.fill_form(draft)
    session.put_rows(rows)


def leave_form(said: str) -> None:
    """Keep the way back to what stands in the form, where something does."""
    draft, rows = session.ask_draft(), session.passage_rows()
    if draft.question.strip() or draft.pasted.strip() or rows:
        leave_undo(FORM, said, partial(refill, draft, rows))


def advanced_part(draft: Draft) -> Draft:
    """Draw the settings that most questions leave alone: model, judge, seed, prompts, DENSE."""
    boxes, served = settings_of("ask"), is_server(draft.model)
    key = session.form_name("drawer.settings")
    drawer = drawer_of("Model, judge and seed", key, icon=":material/tune:", opened=served)
    # A server's key is typed here: it is not lost where the drawer is closed over it.
    if not drawer.open and not served:
        return with_known_thresholds(draft)
    with drawer:
        left, right = st.columns(2)
        with left:
            draft = model_part(draft)
        with right:
            draft = draw_settings(draft, boxes["Judge"], session.form_name)
            st.caption(JUDGE_NOTES.get(draft.judge, "Your own classifier."))
            draft = draw_settings(draft, boxes["Prompts"], session.form_name)
            draft = draw_settings(draft, boxes["DENSE"], session.form_name)
        return thresholds_part(server_part(draft))


def model_part(draft: Draft) -> Draft:
    """Draw which language model is asked, those on the list too, where it computes, and the seed."""
    with sentences():
        added = askable_models()
    boxes = [
        replace(box, suggestions=(*box.suggestions, *added)) if box.setting == "model" else box
        for box in settings_of("ask")["Model"]
    ]
    own = next(box.names for box in boxes if box.setting == "model")
    draft = draw_settings(draft, boxes, session.form_name, {"model": own | added, "device": DEVICE_NAMES})
    links.page_link("models", "All models", icon=":material/memory:")
    return draft


def fits_of(draft: Draft) -> tuple[FittedThresholds, ...]:
    """Return the thresholds fitted to the form's model, judge and prompts."""
    with sentences():
        return fits_for(draft.model, draft.judge, draft.profile)


def with_known_thresholds(draft: Draft) -> Draft:
    """Return the draft with the papers' thresholds where none were fitted to its model."""
    return draft if fits_of(draft) else replace(draft, thresholds="paper")


def thresholds_part(draft: Draft) -> Draft:
    """Draw whose thresholds are used, where some were fitted to this model; else there is only the papers'."""
    fits = fits_of(draft)
    if not fits:
        return with_known_thresholds(draft)
    help_text = "The papers' are for larger models."
    key = session.form_name("thresholds")
    thresholds = draw_choice("Thresholds", THRESHOLD_NAMES, key, draft.thresholds, help=help_text)
    st.caption(as_text(f"Thresholds {fits[0].words}."))
    return replace(draft, thresholds=thresholds)


def request_of(draft: Draft) -> DiagnosisRequest:
    """Return what the form asks for. Raises an InputError that says what to change."""
    base = replace(draft.base or DiagnosisRequest(question=""), fixed=False)
    passages = edited_passages() if draft.source == PASTED else ()
    if draft.source == PASTED and not passages:
        raise CorpusError("Add passages, or change the source.")
    if draft.source == FILES and not draft.corpus_path:
        raise CorpusError("Enter a folder, or upload files.")
    # Before anything else: whether a path exists is told to nobody who may not name it.
    refuse_unlisted(draft.corpus_path if draft.source == FILES else "", "corpus")
    # os.path and not Path: a person's typing may name no user, or hold what no path can.
    if draft.source == FILES and not os.path.exists(os.path.expanduser(draft.corpus_path)):
        raise CorpusError(f"The program's machine has no “{draft.corpus_path}”.")
    if draft.source == FILES:
        shelf.refuse_deleted_upload(draft.corpus_path)
    corpus = {SAMPLE: "sample", FILES: draft.corpus_path}.get(draft.source)
    request = replace(
        base,
        question=draft.question,
        corpus=corpus,
        passages=passages,
        golds=gold_answers(draft.golds),
        methods=draft.methods,
        model=draft.model,
        judge=draft.judge,
        seed=draft.seed,
        device=draft.device,
        k=None if passages else draft.k,
        retriever=draft.retriever,
        profile=draft.profile,
        thresholds=draft.thresholds,
        parent=draft.parent,
        dense=replace(base.dense, draws=draft.rewordings, temperature=draft.temperature, reading=draft.reading),
        dense_rag=replace(base.dense_rag, similarity=draft.similarity),
    )
    return check_request(without_strange_rewrites(request, base))


def without_strange_rewrites(request: DiagnosisRequest, base: DiagnosisRequest) -> DiagnosisRequest:
    """Return the request without rewordings by hand where it may read other passages than the run they belong to.

    A rewording names its chunk by its place; over other passages it would stand for a text it does not reword.
    """
    if reading_of(request) == reading_of(base):
        return request
    return replace(request, dense=replace(request.dense, rewrites=()))


def reading_of(request: DiagnosisRequest) -> object:
    """Return what decides which passages a request reads, and in which order: the same for two that read the same."""
    if request.passages:
        return [(passage.title.strip(), passage.text.strip()) for passage in request.passages]
    k = request.k or PROFILES[request.profile].passages
    return request.question.split(), request.corpus or "sample", k, request.retriever, request.profile


def draft_of(request: DiagnosisRequest, parent: str) -> Draft:
    """Return the form that asks for this request again, as a child of the run ``parent``."""
    source = PASTED if request.passages else SAMPLE if request.corpus in (None, "sample") else FILES
    return Draft(
        question=request.question,
        golds="\n".join(request.golds),
        source=source,
        corpus_path=request.corpus or "" if source == FILES else "",
        k=whole_number(request.k, 1, MOST_PASSAGES, PROFILES[request.profile].passages),
        retriever=request.retriever,
        methods=request.methods,
        model=request.model,
        judge=request.judge,
        seed=request.seed,
        device=request.device,
        profile=request.profile,
        rewordings=whole_number(request.dense.draws, 1, MOST_REWORDINGS, 1),
        temperature=request.dense.temperature,
        reading=request.dense.reading,
        similarity=request.dense_rag.similarity,
        thresholds=request.thresholds,
        base=replace(request, quco_rag=replace(request.quco_rag, counts="corpus")),
        parent=parent,
    )


def change_run(run: StoredRun) -> None:
    """Leave for the form, filled with what a run asked, as a child of that run."""
    session.close_run()
    session.fill_form(draft_of(run.request, run.id), run.request.passages)
    links.go_to("ask")
