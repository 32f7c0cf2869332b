"""What the tests of the pages share: a store behind a desk, an empty shelf, no recorded runs of failures, labels."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.elements.lib.mutable_tab_container import TabContainer

from engine.annotations.store import AnnotationStore
from engine.runs.corpora import shelf
from engine.runs.store import RunStore
from tests.pages.page_fixtures import desk_over


@pytest.fixture(scope="session", autouse=True)
def components_found_once() -> Iterator[None]:
    """Let Streamlit look for components among the installed packages once, and not for each page that a test opens.

    It reads the metadata of two hundred packages: a third of a second, as long as a page itself takes.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


OPEN = TabContainer.open
ALWAYS = property(lambda tab: True, lambda tab, value: None)


@pytest.fixture(autouse=True)
def every_tab_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages fill every tab, so that a test reads what a person reads who opens them all."""
    monkeypatch.setattr(TabContainer, "open", ALWAYS)


@pytest.fixture
def one_tab_open(every_tab_open: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pages fill the open tab alone, as they do."""
    monkeypatch.setattr(TabContainer, "open", OPEN)


@pytest.fixture
def store(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunStore]:
    """Return a store without recorded examples behind a desk that works without a model, and no corpus on the shelf.

    The data folder of whoever runs the tests may list some.
    """
    empty = tmp_path_factory.mktemp("shelf")
    monkeypatch.setattr(shelf, "shelf_folder", lambda: empty)
    desk = desk_over(tmp_store, monkeypatch)
    yield tmp_store
    desk.shutdown()


@pytest.fixture
def no_failures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the runs that the failure atlas shows."""
    from pages.shared import examples

    monkeypatch.setattr(examples, "failures_with", lambda _: ())


@pytest.fixture
def labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AnnotationStore]:
    """Return an empty store of labels, which the page opens as well, beside an empty store of runs."""
    monkeypatch.setenv("MICROSCOPE_ANNOTATIONS_URL", f"sqlite:///{tmp_path / 'annotations.sqlite'}")
    desk = desk_over(RunStore(tmp_path / "runs.sqlite"), monkeypatch)

    store = AnnotationStore()
    yield store
    store.close()
    st.cache_resource.clear()
    desk.shutdown()
