"""Text of runs, traces and labels stays text on every page: no image, link, HTML, formula or icon comes of it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine.annotations.records import MOST_NAME
from engine.annotations.store import AnnotationStore
from engine.diagnosis.record import Diagnosis, Outcome
from engine.runs.store import RunStore
from pages.shared.links import METHOD_TITLES, PAGES
from tests.engine.catalogue.nine_methods import nine
from tests.pages.annotation_fixtures import lookup_item, said
from tests.pages.hostile_run import HOSTILE, drawn_as_more, hostile_copy
from tests.pages.page_fixtures import PROJECT, SECONDS, kept, named_button, opened

OF_ONE_RUN = [word for word in PAGES if word not in ("guide", "lessons", "atlas", "measured", "trace", "annotate")]
NAMED = "![p](http://stranger.invalid/i.png) :smile:"
PARTS = ("adjudicate", "agreement", "results", "exchange", "project")


@pytest.fixture
def store(store: RunStore, no_failures: None) -> RunStore:
    """Return a store without recorded examples behind a desk."""
    return store


def without_results(status: str) -> Diagnosis:
    """Return the run with every method ended without a result, and an attack for the reason."""
    outcomes = tuple(Outcome(method=one, status=status, reason=HOSTILE) for one in METHOD_TITLES)  # type: ignore[arg-type]
    return replace(hostile_copy(nine()), outcomes=outcomes)


@pytest.mark.parametrize("word", [word for word in OF_ONE_RUN if word not in METHOD_TITLES])
def test_no_text_of_a_run_becomes_more_than_text(store: RunStore, word: str) -> None:
    kept(store, hostile_copy(nine()), "other")
    run_id = kept(store, hostile_copy(nine()), "hostile", parent="other")
    assert drawn_as_more(opened(PAGES[word], run_id)) == []


@pytest.mark.parametrize("status", ["failed", "not measured"])
@pytest.mark.parametrize("word", ["ask", "dense", "seper"])
def test_no_reason_becomes_more_than_text(store: RunStore, word: str, status: str) -> None:
    run_id = kept(store, without_results(status), "hostile")
    assert drawn_as_more(opened(PAGES[word], run_id)) == []


@pytest.mark.parametrize("word", METHOD_TITLES)
def test_no_text_becomes_more_on_a_methods_page_and_in_the_dialog_of_a_number(store: RunStore, word: str) -> None:
    page = opened(PAGES[word], kept(store, hostile_copy(nine()), "hostile"))
    assert drawn_as_more(page) == []
    named_button(page, f"show.{word}").click().run()
    assert not page.exception and drawn_as_more(page) == []


def test_no_text_of_two_compared_runs_becomes_more_than_text(store: RunStore) -> None:
    first, second = kept(store, hostile_copy(nine()), "first"), kept(store, without_results("failed"), "second")
    page = AppTest.from_file(str(PROJECT / PAGES["compare"]), default_timeout=SECONDS)
    page.query_params.update({"a": first, "b": second})
    page.run()
    assert not page.exception and drawn_as_more(page) == []


@pytest.mark.parametrize("word", ["ask", "dense", "numbers", "lessons", "atlas", "annotate"])
def test_no_text_of_an_address_becomes_more_than_text(store: RunStore, word: str) -> None:
    kept(store, nine(), "real")
    page = AppTest.from_file(str(PROJECT / PAGES[word]), default_timeout=SECONDS)
    for name in ("run", "number", "lesson", "kind", "project", "as", "chunk", "answer", "item", "view"):
        page.query_params[name] = HOSTILE
    page.run()
    assert not page.exception and drawn_as_more(page) == []


def test_no_text_of_a_trace_becomes_more_than_text(store: RunStore) -> None:
    trace = {
        "question": HOSTILE,
        "golds": [HOSTILE],
        "pipeline": HOSTILE,
        "passages": [{"text": HOSTILE, "title": HOSTILE, "source": HOSTILE}],
        "answer": {"text": HOSTILE, "written_by": HOSTILE[:190], "tokens": [{"text": HOSTILE, "logprob": -0.5}]},
    }
    page = opened(PAGES["trace"])
    page.session_state["trace.from"] = "A file"
    page.run()
    page.file_uploader[0].upload("trace.json", json.dumps(trace).encode(), "application/json").run(timeout=60)
    assert not page.exception and drawn_as_more(page) == []


@pytest.fixture
def labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: RunStore) -> Iterator[AnnotationStore]:
    """Return a store of labels with a project whose every text is an attack, and two people who disagree."""
    monkeypatch.setenv("MICROSCOPE_ANNOTATIONS_URL", f"sqlite:///{tmp_path / 'annotations.sqlite'}")
    made = AnnotationStore()
    made.create_project(HOSTILE[:MOST_NAME], project="towers", guidelines=HOSTILE)
    plain = lookup_item("towers", 1)
    # The view's own places stand: the attack comes behind them.
    made.add_items("towers", [replace(plain, policy=HOSTILE, view=hostile_copy(plain.view))])
    for person, late in (("Ada", {"timing": "timely"}), ("Bo", {"timing": "delayed", "first_wrong": 1})):
        action = said(plain.id, 1, note=HOSTILE, without="useful", gain="useful", **late)
        name = f"{person} {NAMED}"
        (receipt,) = made.apply("towers", name, [replace(action, id=f"{action.id}-{person}")])
        assert receipt.status == "kept", receipt.sentence
    yield made
    made.close()


@pytest.mark.parametrize("view", ["sitting", *PARTS])
def test_no_text_of_a_label_becomes_more_than_text(labels: AnnotationStore, view: str) -> None:
    page = AppTest.from_file(str(PROJECT / PAGES["annotate"]), default_timeout=SECONDS)
    page.query_params.update({"project": "towers", "view": view, "as": f"Ada {NAMED}"})
    page.run()
    assert not page.exception and drawn_as_more(page) == []
