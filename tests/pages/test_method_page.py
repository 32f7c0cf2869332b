"""How every method page begins: another pipeline's answer below the figure, above it only where there is none."""

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from engine.learning.guide import what_it_asks
from engine.runs.read_trace import imported_answer
from engine.runs.store import RunStore
from tests.engine.diagnosis.traces.test_reading import example
from tests.pages.page_fixtures import desk_over, kept, notices, opened, whole_diagnosis
from viz.runs.story import run_bar_html, run_line_html

IMPORTED = replace(whole_diagnosis(), imported=imported_answer(example("langchain")))


def order(page: AppTest) -> list[str]:
    """Return what of the page is a figure, the card of another pipeline's answer, or the bar, from top to bottom."""
    drawn = []
    for one in page.main:
        proto = str(getattr(one, "proto", ""))
        if "plotly" in one.type:
            drawn.append("figure")
        elif "rm-bar" in proto:
            drawn.append("bar")
        elif one.type == "info":
            drawn.append("whose")
    return drawn


def test_another_pipelines_answer_stands_below_the_figure(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    desk_over(tmp_store, monkeypatch)
    found = order(opened("pages/methods/dense.py", kept(tmp_store, IMPORTED, "imported")))
    assert found.index("bar") < found.index("figure") < found.index("whose") and found.count("whose") == 1
    without = order(opened("pages/methods/sugar.py", "imported"))
    assert without.count("whose") >= 1 and "figure" not in without


def test_the_bar_names_the_model_only_beside_another_pipelines_answer_and_the_line_is_for_the_eye() -> None:
    assert ("SmolLM2" in run_bar_html(IMPORTED), "SmolLM2" in run_bar_html(whole_diagnosis())) == (True, False)
    line = run_line_html(whole_diagnosis(question="<b>why</b>"), "DENSE")
    assert 'aria-hidden="true"' in line and "<b>why" not in line and "DENSE" in line


def test_a_deleted_run_is_said_to_be_deleted_above_the_one_that_is_shown(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk_over(tmp_store, monkeypatch)
    kept(tmp_store, whole_diagnosis("Which tower?"), "other")
    tmp_store.delete(kept(tmp_store, whole_diagnosis("Which bridge?"), "gone"))
    page = opened("pages/methods/dense.py", "gone")
    assert notices(page)[0] == "The run gone was deleted but can be restored. Another run is shown."


def test_a_method_that_was_not_asked_for_says_first_what_it_asks(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk_over(tmp_store, monkeypatch)
    page = opened("pages/methods/sugar.py", kept(tmp_store, whole_diagnosis("Which tower?"), "tower"))
    assert notices(page) == ["This run was not asked for SUGAR."]
    texts = [str(one.value) for one in page.main if one.type in ("markdown", "info")]
    assert texts.index("This run was not asked for SUGAR\\.") == texts.index(what_it_asks("sugar")) + 1
