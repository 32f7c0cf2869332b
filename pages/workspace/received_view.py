"""The traces that came by themselves: a list, newest first, to open and delete; or how to make them come."""

from collections.abc import Sequence

import streamlit as st

from engine.runs.listening import received
from engine.runs.listening.received import Received
from pages.shared.resources import sentences
from pages.shared.rows import choose_row
from pages.shared.theme import as_text
from pages.shared.undo import draw_deletions, leave_deletion
from viz.parts.words import counted

DELETED, LIST = "trace.deleted", "trace.received"
SPANS = """from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
exporter = OTLPSpanExporter(endpoint="http://127.0.0.1:4318/v1/traces")
tracer_provider.add_span_processor(BatchSpanProcessor(exporter))"""
GLUE = {
    "LangChain": """from engine.traces import keep_trace, listen_to_langchain
listener = listen_to_langchain(on_trace=keep_trace)
chain.invoke(question, config={"callbacks": [listener]})""",
    "LlamaIndex": """from engine.traces import keep_trace, listen_to_llamaindex
listener = listen_to_llamaindex(on_trace=keep_trace)
query_engine.query(question)""",
    "Haystack": """from engine.traces import keep_trace, listen_to_haystack
listener = listen_to_haystack(on_trace=keep_trace)
pipeline.run(inputs)""",
    "OpenTelemetry": SPANS,
}


def draw_received() -> bytes | None:
    """Draw the list; return what the selected trace holds, None where none is selected."""
    with sentences():
        files = received.received_files()
    found = [read_once(name, changed) for name, changed in files[: received.SHOWN]]
    draw_deletions(DELETED, "trace.undo", received.restore_received)
    if not found:
        draw_glue()
        return None
    chosen = draw_list(found, len(files))
    with st.expander("How traces come here", icon=":material/hearing:"):
        draw_glue()
    return None if chosen is None else draw_chosen(chosen)


@st.cache_data(show_spinner=False, max_entries=2 * received.SHOWN)
def read_once(name: str, changed: int) -> Received:
    """Return what a file holds in short, read again after a change."""
    return received.read_received(name, changed)


def draw_list(found: Sequence[Received], number: int) -> Received | None:
    """Draw the traces as a table; return the selected one, None where none is."""
    left_out = f" The newest {len(found)} are shown." if number > len(found) else ""
    st.caption(f"{counted(number, 'trace')} received.{left_out}")
    row = choose_row(
        [received_row(one) for one in found],
        [one.name for one in found],
        key=LIST,
        height=300,
        alt="Traces, newest first",
    )
    if row is None:
        st.caption("Select a trace to open it.")
        return None
    return found[row]


def received_row(one: Received) -> dict[str, object]:
    """Return a trace as a row of the list."""
    return {
        "Received": f"{one.at:%Y-%m-%d %H:%M:%S}",
        "Question": one.question or f"(unreadable) {one.name}",
        "Answer": one.answer.strip(),
        "Framework": one.pipeline or "not known",
        "Passages": one.passages,
        "Model": one.written_by or "not known",
    }


def draw_chosen(chosen: Received) -> bytes | None:
    """Draw what can be done with a trace; return what it holds, None where it is deleted or unreadable."""
    if st.button("Delete", icon=":material/delete:", key="trace.delete"):
        with sentences():
            received.delete_received(chosen.name)
        leave_deletion(DELETED, chosen.name, "The trace is deleted. Undo works for a day.")
        st.rerun()
    if chosen.problem:
        st.warning(as_text(f"{chosen.name} cannot be read: {chosen.problem}"), icon=":material/info:")
        return None
    with sentences():
        return received.received_bytes(chosen.name)


def draw_glue() -> None:
    """Draw the three lines that make a pipeline's runs come here, for each framework."""
    st.markdown("Three lines in your program list each run here.")
    for tab, (name, code) in zip(st.tabs(list(GLUE)), GLUE.items(), strict=True):
        with tab:
            if name == "OpenTelemetry":
                st.caption("In a shell; other languages' exporters work too:")
                st.code("microscope listen", language=None, wrap_lines=True)
            st.code(code, language=None, wrap_lines=True)
