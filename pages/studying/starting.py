"""The form that starts a study: a file of questions, where the passages come from, methods, and what varies."""

import os

import streamlit as st

from engine.core.errors import CorpusError, InputError
from engine.core.words import duration_range
from engine.diagnosis.request import DiagnosisRequest
from engine.methods import DEFAULT_METHODS
from engine.runs.jobs.estimate import estimate
from engine.runs.jobs.pace import stored_pace
from engine.runs.studies.background import start_study
from engine.runs.studies.concurrency import Concurrency
from engine.runs.studies.plan import make_plan, request_of
from engine.runs.studies.questions import parse_questions
from engine.runs.studies.records import Point, QuestionFile, StudyPlan
from pages.shared import links, session
from pages.shared.resources import desk, sentences, shown_errors, store
from pages.shared.sent_values import one_of, some_of, whole_number
from pages.shared.study_store import STUDY_PARAMETER, going_twin, study_store
from pages.shared.theme import as_text
from pages.studying.at_once import draw_concurrency
from viz.parts.words import counted, model_name
from viz.studies.words import verdicts_in

SAMPLE, OWN, PATH = "Sample encyclopaedia", "The questions' own passages", "A folder or file on this machine"
SOURCES = (OWN, SAMPLE, PATH)
TYPES = ["jsonl", "json", "csv", "tsv", "parquet", "gz"]
MODELS = ("embedded", "embedded-base")
MODEL_HELP = "A folder, a hub name, or http://localhost:8000/v1#MODEL."


def draw_start(*, opened: bool) -> None:
    """Draw the form that starts a study."""
    with st.expander("New study", icon=":material/add:", expanded=opened):
        file = draw_file()
        request = draw_request(file)
        with st.container(key="narrow-vary"):
            left, right = st.columns([6, 1], vertical_alignment="bottom")
        vary = left.text_input(
            "What varies (optional)",
            key=session.widget_key("studies.new.vary", ""),
            placeholder="k=1,3,5; dense.temperature=0,0.5",
            help="NAME=VALUE,VALUE; NAME=… Every combination is asked.",
        )
        with right:
            at_once = draw_concurrency("studies.new.together", request.model, len(file.questions) if file else 1_000)
        if file is None:
            st.caption("Choose a file of questions first.")
            return
        draw_button(file, request, at_once, [part.strip() for part in str(vary or "").split(";") if part.strip()])


def draw_file() -> QuestionFile | None:
    """Draw the upload and how many questions are asked; return them, None where there are none yet."""
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    sent = left.file_uploader(
        "A file of questions",
        type=TYPES,
        key="studies.new.file",
        help="HotpotQA, 2WikiMultihopQA, MuSiQue, Natural Questions, SQuAD, KILT, BEIR; or CSV.",
    )
    if sent is None:
        return None
    try:
        file = parse_questions(sent.name, sent.getvalue())
    except InputError as exc:
        st.error(as_text(str(exc)), icon=":material/error:")
        return None
    number = right.number_input(
        "First questions",
        1,
        len(file.questions),
        min(50, len(file.questions)),
        key=f"studies.new.n.{file.content_hash}",
    )
    repeated = f", {counted(file.repeated, 'repeated one')} left out" if file.repeated else ""
    bare = sum(not one.golds for one in file.questions)
    unknown = f", {bare:,} without a correct answer" if bare else ""
    st.caption(f"{counted(len(file.questions), 'question')} in {as_text(file.name)}{unknown}{repeated}.")
    for note in file.notes:
        st.warning(as_text(note), icon=":material/info:")
    return file.first(whole_number(number, 1, len(file.questions), 1))


def draw_request(file: QuestionFile | None) -> DiagnosisRequest:
    """Draw where passages come from and which methods look at the answers; return what every point asks."""
    with st.container(key="narrow-source"):
        left, middle, right = st.columns([3, 3, 2], vertical_alignment="bottom")
    own = file is not None and all(one.passages for one in file.questions)
    first = SOURCES.index(OWN if own else SAMPLE)
    picked = left.selectbox("Passages", SOURCES, index=first, key=f"studies.new.source.{own}")
    source = one_of(picked, SOURCES, SOURCES[first])
    path = ""
    if source == PATH:
        path = str(middle.text_input("Folder or file", key=session.widget_key("studies.new.path", "")) or "")
    if source != OWN:
        number = right.number_input("Passages for each question", 1, 20, 5, key="studies.new.k")
        k: int | None = whole_number(number, 1, 20, 5)
    else:
        k = None
    chosen = st.multiselect(
        "Methods",
        tuple(links.METHOD_TITLES),
        default=list(DEFAULT_METHODS),
        format_func=links.METHOD_TITLES.__getitem__,
        key="studies.new.methods",
    )
    model = st.selectbox(
        "Model", MODELS, accept_new_options=True, format_func=model_name, help=MODEL_HELP, key="studies.new.model"
    )
    corpus = {SAMPLE: "sample", PATH: path, OWN: None}[source]
    methods = some_of(chosen, tuple(links.METHOD_TITLES))
    return DiagnosisRequest(
        question="", corpus=corpus, k=k, methods=methods, model=str(model or "").strip() or MODELS[0]
    )


def draw_button(file: QuestionFile, request: DiagnosisRequest, at_once: Concurrency, vary: list[str]) -> None:
    """Draw what the study will cost and the button that starts it."""
    try:
        if request.corpus == "":
            raise CorpusError("Enter a folder or file for the passages.")
        if request.corpus not in (None, "sample") and not os.path.exists(os.path.expanduser(request.corpus or "")):
            raise CorpusError(f"No file or folder {request.corpus} on the program's machine.")
        plan, points = make_plan(file, request, vary)
    except InputError as exc:
        st.warning(as_text(str(exc)), icon=":material/info:")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        clicked = st.button("Start", type="primary", icon=":material/play_arrow:", key="start_study")
        st.caption(as_text(cost_words(plan, points, file, at_once)))
    if not clicked:
        return
    with shown_errors():
        study_id = going_twin(plan) or study_store().create(plan, file, points)
        study_store().beat(study_id)
        start_study(study_store(), desk(), study_id, verdicts_in, at_once)
        session.set_address(STUDY_PARAMETER, study_id)
        st.rerun()


def cost_words(plan: StudyPlan, points: tuple[Point, ...], file: QuestionFile, at_once: Concurrency) -> str:
    """Return how many points there are and about how long they take by earlier runs.

    Several at once take at least their share of that time, and at most all of it.
    """
    asked = request_of(plan, file.questions[0], plan.variants[0])
    with sentences():
        expected = estimate(asked, store(), stored_pace(asked.model, asked.device))
    told = counted(len(points), "point")
    seconds = expected.seconds_for(len(points))
    if seconds is None:
        return f"{told}. The time is known after the first."
    return f"{told}: about {duration_range(seconds.low / at_once.number, seconds.high)} ({expected.basis})."
