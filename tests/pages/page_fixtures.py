"""What page tests are given: hand-made diagnoses, and a desk that works them off without a model."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from engine.backends.retrieval.scripted import HashedWords
from engine.core.folders import sample_data
from engine.core.progress import Report
from engine.core.provenance import Provenance
from engine.core.records import Generation
from engine.diagnosis.record import Diagnosis, MethodResult, Outcome
from engine.diagnosis.request import DiagnosisRequest
from engine.learning.atlas.shelf import Specimen, specimens
from engine.runs.corpora.indexing import Indexer
from engine.runs.jobs.desk import JobDesk, Run
from engine.runs.store import RunStore
from pages.shared import resources
from tests.viz.sample_rag_results import refined_result
from tests.viz.sample_results import QUESTION, dense_full, dense_none_measured, generation, hits, seper_helped
from tests.viz.sample_timing_results import timing_full
from tests.viz.sample_trend_results import sample_quco_result, voyage_result
from tests.viz.sample_uncertainty import baselines, chunk_utility, sugar_several

PROJECT = Path(__file__).resolve().parents[2]
GOLDS = ("31 March 1889",)
SECONDS = 30
GENERATION = "microscope.draft_generation"
PROVENANCE = Provenance(
    package_version="0.1.0",
    libraries=(("torch", "2.13.0"),),
    python="3.11.9",
    machine="Linux x86_64",
    model="embedded",
    model_revision="r1",
    model_dtype="bfloat16",
    judge="similarity",
    judge_note="Compares words and embeddings.",
    retriever="hybrid",
    corpus="Sample encyclopaedia",
    corpus_hash="0123456789abcdef",
    seed=0,
    profile="embedded",
    started_at="2025-01-01T00:00:00+00:00",
)


def done(method: str, result: MethodResult) -> Outcome:
    """Return the outcome of a method that went well in two seconds."""
    return Outcome(method=method, status="done", seconds=2.0, result=result)


def whole_diagnosis(question: str = QUESTION, golds: tuple[str, ...] = GOLDS) -> Diagnosis:
    """Return a diagnosis in which all four methods are done; the answer over the passages is right, the other wrong."""
    return Diagnosis(
        question=question,
        golds=golds,
        hits=hits(),
        answer=generation("31 March 1889"),
        closed_book=generation("1887"),
        outcomes=(
            done("dense", dense_full()),
            done("seper", seper_helped()),
            done("entropy_trend", voyage_result()),
            done("quco_rag", sample_quco_result()),
        ),
        provenance=PROVENANCE,
        seconds=8.5,
    )


def with_outcome(diagnosis: Diagnosis, outcome: Outcome) -> Diagnosis:
    """Return the diagnosis with one method's outcome replaced."""
    outcomes = tuple(outcome if old.method == outcome.method else old for old in diagnosis.outcomes)
    return replace(diagnosis, outcomes=outcomes)


def failed_diagnosis() -> Diagnosis:
    """Return a diagnosis in which SePer failed, and says why."""
    reason = "The judge could not be loaded: <b>no such folder</b>."
    return with_outcome(whole_diagnosis(), Outcome(method="seper", status="failed", reason=reason))


def unmeasured_diagnosis() -> Diagnosis:
    """Return a diagnosis in which DENSE was not measured, with what was seen."""
    outcome = Outcome(
        method="dense", status="not measured", reason="No rewrite passed its checks.", result=dense_none_measured()
    )
    return with_outcome(whole_diagnosis(), outcome)


def answered(diagnosis: Diagnosis, answer: Generation) -> Diagnosis:
    """Return the diagnosis with another answer over the passages."""
    return replace(diagnosis, answer=answer)


def run_at_once(request: DiagnosisRequest, report: Report) -> Diagnosis:
    """Return the hand-made diagnosis for the question asked."""
    return whole_diagnosis(request.question, request.golds)


def desk_over(store: RunStore, monkeypatch: pytest.MonkeyPatch, run: Run = run_at_once) -> JobDesk:
    """Return a desk over the store which every page of this test is given, with ``run`` for the engine."""
    from pages.shared import resources

    desk = JobDesk(store, run)
    monkeypatch.setattr(resources, "default_desk", lambda: desk)
    monkeypatch.setattr(resources, "Indexer", lambda busy: Indexer(HashedWords, busy))
    # Only now: a thread of the test before that still ends would bring back the program's own desk in between.
    st.cache_resource.clear()
    st.cache_data.clear()
    return desk


def kept(store: RunStore, diagnosis: Diagnosis, run_id: str, **asked: object) -> str:
    """Return the id of a finished run that holds the diagnosis."""
    methods = tuple(outcome.method for outcome in diagnosis.outcomes)
    request = DiagnosisRequest(question=diagnosis.question, corpus="sample", golds=diagnosis.golds, methods=methods)
    store.create(replace(request, **asked), run_id=run_id)  # type: ignore[arg-type]
    store.finish(run_id, "done", diagnosis=diagnosis)
    return run_id


def opened(script: str, run_id: str | None = None, act: Callable[[AppTest], object] | None = None) -> AppTest:
    """Return a page after its first run, with the run in its address where one is given."""
    page = AppTest.from_file(str(PROJECT / script), default_timeout=SECONDS)
    if run_id:
        page.query_params["run"] = run_id
    page.run()
    if act:
        act(page)
    assert not page.exception, page.exception[0].message if page.exception else ""
    return page


def with_drawers(page: AppTest) -> AppTest:
    """Return the Ask page after two of its drawers were opened, which hold nothing while they are closed."""
    filled = GENERATION in page.session_state
    generation = page.session_state[GENERATION] if filled else 0
    for key in ("sample.drawer", f"ask.{generation}.drawer.settings"):
        page.session_state[key] = True
    page.run(timeout=60)
    assert not page.exception, page.exception[0].message if page.exception else ""
    return page


def choose_rows(page: AppTest, key: str, ids: tuple[str, ...], start: tuple[str, ...] = ()) -> AppTest:
    """Return the page with the rows of these ids chosen in a table; ``start`` are those that the page itself chose."""
    page.session_state["microscope.picked_rows"] = {key: (start, ids)}
    page.run(timeout=60)
    assert not page.exception, page.exception[0].message
    return page


def row_tables(page: AppTest) -> list[pd.DataFrame]:
    """Return the tables of a page as a reader sees them."""
    tables = [str(one.value) for one in page.get("html") if "rm-rows" in str(one.value)]
    return [frame for table in tables for frame in pd.read_html(StringIO(table))]


def words_on(page: AppTest) -> str:
    """Return every word on a page: texts, captions, boxes, and the HTML that we drew."""
    parts = [page.title, page.header, page.subheader, page.markdown, page.caption, page.info, page.warning, page.error]
    texts = [str(element.value) for kind in parts for element in kind]
    return "\n".join([*texts, *(str(element.proto.body) for element in page.get("html"))])


def notices(page: AppTest) -> list[str]:
    """Return what the boxes of a page say: information, warnings, errors and successes."""
    return [
        str(box.value).replace("\\", "") for kind in (page.info, page.warning, page.error, page.success) for box in kind
    ]


def keys_on(page: AppTest) -> list[str]:
    """Return the keys of the buttons on a page."""
    return [str(button.key) for button in page.button]


def named_button(page: AppTest, part: str) -> Button:
    """Return the first button whose key holds this part."""
    return next(button for button in page.button if part in str(button.key))


def has_no_run(page: AppTest) -> bool:
    """Return whether a page shows no run: nothing is drawn, and no run can be picked."""
    return not row_tables(page) and not page.get("plotly_chart") and not page.selectbox


def shown_run(page: AppTest) -> str:
    """Return the id of the run in a page's address, "" without one."""
    named = page.query_params.get("run", "")
    return str(named[0] if isinstance(named, list) else named)


def shipped_runs(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    """Yield the store with only the shipped runs, behind a desk; the atlas is read once for all tests."""
    monkeypatch.setattr(resources, "atlas", specimens_once)
    store.samples = sample_data()
    desk = desk_over(store, monkeypatch)
    yield store
    desk.shutdown()


@cache
def specimens_once() -> tuple[Specimen, ...]:
    """Return the failures of the atlas."""
    return specimens()


def nine_methods() -> Diagnosis:
    """Return a hand-made run with a result of every method but the three checks."""
    return with_results(
        whole_diagnosis(),
        {
            "dense_rag": refined_result(),
            "timing": timing_full(),
            "sugar": sugar_several(),
            "uncertainty": baselines(),
            "chunk_utility": chunk_utility(),
        },
    )


def with_results(run: Diagnosis, more: Mapping[str, MethodResult]) -> Diagnosis:
    """Return a run that has these results too."""
    return replace(run, outcomes=(*run.outcomes, *(done(method, result) for method, result in more.items())))
