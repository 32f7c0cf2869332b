"""The Trace page: an example, a bad file, whose answer it is, and the way to ask the rest."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine.core.folders import sample_data
from engine.runs.listening import received
from engine.runs.store import RunStore
from engine.traces import keep_trace
from pages.shared.lasting import LASTING
from tests.engine.diagnosis.traces.test_spans import QUESTION, SPANS
from tests.pages.page_fixtures import choose_rows, desk_over, keys_on, notices, opened, row_tables, words_on
from viz.runs.trace import NO_GOLDS

TRACE = "pages/workspace/trace.py"


@pytest.fixture
def store(tmp_path: Path, tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    """Return a store without recorded examples behind a desk that works without a model, in a folder of its own."""
    monkeypatch.setattr(received, "data_folder", lambda: tmp_path)
    desk = desk_over(tmp_store, monkeypatch)
    yield tmp_store
    desk.shutdown()


def chosen(name: str) -> AppTest:
    """Return the page with an example chosen."""
    page = turned_to("An example")
    page.selectbox(key="trace.source").set_value(name).run(timeout=60)
    assert not page.exception, page.exception[0].message if page.exception else ""
    return page


def turned_to(source: str) -> AppTest:
    """Return the page at another source of traces."""
    page = opened(TRACE)
    page.session_state["trace.from"] = source
    return page.run()


def selected(page: AppTest, row: int) -> AppTest:
    """Return the page with a received trace selected, by its place in the list."""
    return choose_rows(page, "trace.received", (received.received_files()[row][0],))


def test_before_anything_came_in_the_page_has_three_lines_for_each_framework(store: RunStore) -> None:
    page = turned_to("Received")
    glue = [one.value for one in page.code if "engine.traces" in one.value or "opentelemetry" in one.value]
    assert len(glue) == 4 and all(len(code.splitlines()) == 3 for code in glue)
    assert not row_tables(page) and not page.get("plotly_chart")


def test_before_anything_came_in_the_page_opens_at_an_example_and_after_that_at_what_came(store: RunStore) -> None:
    page = opened(TRACE)
    assert page.selectbox(key="trace.source").value == "openai_logprobs"
    assert len(page.get("plotly_chart")) == 2 and "trace.ask" in keys_on(page)
    keep_trace(json.loads((sample_data() / "traces" / "langchain.json").read_text()))
    page = opened(TRACE)
    assert row_tables(page)[0]["Framework"].tolist() == ["LangChain"] and not page.get("plotly_chart")


def test_received_traces_are_listed_newest_first_opened_deleted_and_brought_back(store: RunStore) -> None:
    for place, name in enumerate(("langchain", "haystack")):
        keep_trace(json.loads((sample_data() / "traces" / f"{name}.json").read_text()))
        os.utime(received.received_folder() / received.received_files()[0][0], (place, place))
    (received.received_folder() / "x.annotations.json").write_text("{}")

    page = opened(TRACE)
    table = row_tables(page)[0]
    assert table["Framework"].tolist() == ["Haystack", "LangChain"]
    selected(page, 1)
    assert {"trace.ask", "trace.delete"} <= set(keys_on(page))
    page.button(key="trace.delete").click().run()
    assert row_tables(page)[0]["Framework"].tolist() == ["Haystack"]
    page.button(key="trace.undo").click().run()
    assert row_tables(page)[0]["Framework"].tolist() == ["Haystack", "LangChain"]


def test_a_received_file_that_is_no_trace_is_listed_and_can_be_deleted(store: RunStore) -> None:
    received.received_folder().mkdir(parents=True)
    (received.received_folder() / "half.json").write_text('{"question": "Q?"')
    page = selected(opened(TRACE), 0)
    assert len(page.warning) == 1
    page.button(key="trace.delete").click().run()
    assert received.received_files() == ()


def test_an_example_is_shown_with_its_writer_its_states_and_its_readings(store: RunStore) -> None:
    words = re.sub(r"\\(.)", r"\1", words_on(chosen("openai_logprobs")))
    assert all(name in words for name in ("SmolLM2-135M-Instruct", "ETC", "FLARE"))


def test_without_probabilities_the_page_says_that_the_tokens_cannot_be_read(store: RunStore) -> None:
    page = chosen("haystack")
    assert notices(page) and not page.get("plotly_chart")


def test_a_bad_file_gets_the_way_to_the_place(store: RunStore) -> None:
    page = turned_to("A file")
    bad = b'{"question": "Q?", "answer": {"text": "a", "written_by": "m", "tokens": [{"text": "a", "logprob": NaN}]}}'
    page.file_uploader[0].upload("trace.json", bad, "application/json").run()
    assert "answer\\.tokens\\.0\\.logprob" in page.error[0].value
    assert not page.get("plotly_chart")


def test_spans_written_one_a_line_are_taken(store: RunStore) -> None:
    spans = b"".join(json.dumps(one).encode() + b"\n" for one in SPANS)
    page = turned_to("A file")
    page.file_uploader[0].upload("spans.jsonl", spans, "application/jsonl").run(timeout=60)
    assert not page.error and not page.exception
    assert QUESTION.rstrip("?") in re.sub(r"\\(.)", r"\1", words_on(page))


def test_pasted_spans_are_taken_and_are_still_there_after_an_example(store: RunStore) -> None:
    page = turned_to("Pasted text")
    assert not page.error and not page.get("plotly_chart")
    page.text_area[0].set_value(json.dumps(SPANS)).run(timeout=60)
    for source in ("An example", "Pasted text"):
        page.segmented_control(key="trace.from").set_value(source).run(timeout=60)
    assert QUESTION.rstrip("?") in re.sub(r"\\(.)", r"\1", words_on(page))
    page.text_area[0].set_value("not a trace").run(timeout=60)
    assert "not complete JSON" in page.error[0].value


def test_a_file_stays_open_while_something_else_is_looked_at_until_it_is_closed(store: RunStore) -> None:
    spans = b"".join(json.dumps(one).encode() + b"\n" for one in SPANS)
    page = turned_to("A file")
    page.file_uploader[0].upload("spans.jsonl", spans, "application/jsonl").run(timeout=60)
    for source in ("An example", "A file"):
        page.segmented_control(key="trace.from").set_value(source).run(timeout=60)
    assert QUESTION.rstrip("?") in re.sub(r"\\(.)", r"\1", words_on(page))
    page.button(key="trace.close").click().run()
    assert not page.get("plotly_chart") and not page.exception
    assert QUESTION.rstrip("?") not in re.sub(r"\\(.)", r"\1", words_on(page))


def test_a_file_and_its_correct_answers_are_found_again_in_another_session(store: RunStore) -> None:
    page = turned_to("A file")
    trace = json.dumps({"question": "Who?", "answer": {"text": "Ada", "written_by": "m"}})
    page.file_uploader[0].upload("trace.json", trace.encode(), "application/json").run(timeout=60)
    page.text_area[0].set_value("Ada").run(timeout=60)
    names = ("microscope.trace.file", str(page.text_area[0].key))
    held = {f"{LASTING}{name}": page.session_state[f"{LASTING}{name}"] for name in names}
    again = turned_to("A file")
    for key, value in held.items():
        again.session_state[key] = value
        again.session_state[key.removeprefix(LASTING)] = value
    again.run(timeout=60)
    assert any("trace.json is open" in str(one.value).replace("\\", "") for one in again.caption)
    assert again.text_area[0].value == "Ada"


def test_correct_answers_are_still_there_after_another_page_was_looked_at(store: RunStore) -> None:
    page = chosen("dspy")
    page.text_area[0].set_value("the Danube").run(timeout=60)
    page.session_state["trace.from"] = "A file"
    page.run(timeout=60)
    assert not page.text_area
    page.session_state["trace.from"] = "An example"
    page.run(timeout=60)
    assert page.text_area[0].value == "the Danube"


def test_asking_the_rest_queues_a_run_that_carries_the_imported_answer(store: RunStore) -> None:
    page = chosen("langchain")
    page.button(key="trace.ask").click().run(timeout=60)
    (run,) = store.listing()
    request = store.get(run.id).request
    assert request.methods == ("dense", "seper")
    assert request.imported is not None
    assert request.imported.written_by.startswith("nobody")
    assert [passage.title for passage in request.passages] == ["Danube"]


def test_a_correct_answer_typed_on_the_page_says_what_failed_and_goes_along_to_the_model(store: RunStore) -> None:
    page = turned_to("A file")
    whole = {"question": "Where?", "passages": [{"text": "The mill is in Selm."}]}
    trace = json.dumps(whole | {"answer": {"text": "Karst", "written_by": "m"}})
    page.file_uploader[0].upload("trace.json", trace.encode(), "application/json").run(timeout=60)
    assert NO_GOLDS in words_on(page)
    page.text_area[0].set_value("Selm").run(timeout=60)
    assert "The correct answer is named in passage 1, yet the model says “Karst”." in words_on(page)
    assert NO_GOLDS not in words_on(page)
    page.button(key="trace.ask").click().run(timeout=60)
    (run,) = store.listing()
    assert store.get(run.id).request.golds == ("Selm",)
