"""Trace: another pipeline's question, passages and answer; what can be measured of it, and how to ask the rest."""

from dataclasses import replace
from hashlib import sha256

import streamlit as st

from engine.backends.language_models import EMBEDDED_NAMES
from engine.core.allowed import is_restricted
from engine.core.folders import sample_data
from engine.diagnosis.traces.reading import ImportedAnswer
from engine.diagnosis.traces.schema import Trace, trace_schema
from engine.diagnosis.traces.spans import open_trace
from engine.methods import METHODS
from engine.runs.listening.received import received_files
from engine.runs.read_trace import imported_answer, trace_request
from pages.shared import links, session
from pages.shared.details import Section, draw_open_tab
from pages.shared.downloads import save_button
from pages.shared.figures import draw_figure
from pages.shared.forms import gold_answers
from pages.shared.lasting import LASTING, lasting_key
from pages.shared.resources import desk, sentences
from pages.shared.rows import LIST_HEIGHT, draw_rows
from pages.shared.sent_values import one_of, some_of
from pages.shared.texts import draw_head, page_text
from pages.shared.theme import as_text, current_theme
from pages.workspace.received_view import draw_received
from viz.methods.trend_figure import trend_figure
from viz.parts.tables import table_html
from viz.parts.token_strip import TOKEN_COLUMNS, token_strip_html, tokens_table
from viz.parts.words import model_name
from viz.runs import trace as words
from viz.runs.headline import imported_headline
from viz.runs.story import headline_html
from viz.runs.summary import question_html

EXAMPLES = "traces"
RECEIVED, FILE, PASTED, EXAMPLE = "Received", "A file", "Pasted text", "An example"
SOURCES = (RECEIVED, FILE, PASTED, EXAMPLE)
USUAL = ("dense", "seper")
BOX, OPENED = "trace.file", "microscope.trace.file"
# A file of at most so many bytes is open again after the page was loaded anew: every tab's is held in memory.
MOST_HELD = 1_000_000
EXAMPLE_NAMES = {
    "openai_logprobs": "OpenAI with log-probabilities",
    "langchain": "LangChain",
    "llamaindex": "LlamaIndex",
    "haystack": "Haystack",
    "dspy": "DSPy",
    "ragas": "Ragas dataset row",
}


def main() -> None:
    """Draw the page from top to bottom."""
    draw_head("trace", "Trace")
    with st.popover("What a trace is", icon=":material/data_object:"):
        st.markdown(page_text("notes/trace_format"))
        save_button("JSON Schema", trace_schema, "trace-schema.json")
    content = draw_source()
    if content is None:
        return
    with sentences():
        draw_trace(open_trace(content), sha256(content).hexdigest()[:16])


def draw_source() -> bytes | None:
    """Draw where a trace comes from; return what it holds, None where nothing is chosen yet.

    An example is open before anything came in.
    """
    sources = SOURCES[1:] if is_restricted() else SOURCES  # what came in belongs to the owner
    with sentences():
        came_in = RECEIVED in sources and bool(received_files())
    key = lasting_key("trace.from", RECEIVED if came_in else EXAMPLE, sources)
    picked = st.segmented_control("Traces", sources, key=key, label_visibility="collapsed", required=True)
    source = one_of(picked, sources, sources[0])
    if source == RECEIVED:
        return draw_received()
    if source == PASTED:
        return draw_pasted()
    return draw_file() if source == FILE else draw_example()


def draw_file() -> bytes | None:
    """Draw the upload of a file; return what it holds, None where there is none yet.

    It stays open while other pages are looked at, though the box is empty then.
    """
    file = st.file_uploader(
        "A trace", type=["json", "jsonl"], key=BOX, on_change=keep_file, help="At most 16 million characters."
    )
    opened = session.widget_state(OPENED)
    if not isinstance(opened, tuple):
        return None
    name, content = opened
    if file is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(as_text(f"{name} is open."))
            st.button("Close it", key="trace.close", icon=":material/close:", on_click=keep_file)
    return bytes(content)


def draw_pasted() -> bytes | None:
    """Draw the box for the text of a trace or of spans; return what it holds, None where it is empty."""
    key = lasting_key("trace.pasted", "")
    box = st.text_area("A trace or spans, as JSON", key=key, height=160, max_chars=MOST_HELD)
    return str(box).encode("utf-8", "replace") if str(box or "").strip() else None


def keep_file() -> None:
    """Keep the file in the box for when its page is drawn again; none closes the one that was open."""
    file = session.widget_state(BOX)
    name, read = getattr(file, "name", ""), getattr(file, "getvalue", None)
    opened = None if read is None else (name, bytes(read()))
    session.set_widget(OPENED, opened)
    session.set_widget(f"{LASTING}{OPENED}", opened if opened and len(opened[1]) <= MOST_HELD else None)


def draw_example() -> bytes | None:
    """Draw the choice of an example; return what it holds."""
    files = {file.stem: file for file in (sample_data() / EXAMPLES).glob("*.json")}
    names = [*(name for name in EXAMPLE_NAMES if name in files), *sorted(files.keys() - EXAMPLE_NAMES.keys())]
    if not names:
        return None
    key = lasting_key("trace.source", names[0], names)
    chosen = st.selectbox("Example", names, format_func=lambda name: EXAMPLE_NAMES.get(name, name), key=key)
    return files[one_of(chosen, names, names[0])].read_bytes()


def draw_trace(given: Trace, digest: str) -> None:
    """Draw one trace: question, what happened, the answer, its passages, the readings, and how to ask the rest."""
    line, (left, right) = st.container(), st.columns([3, 2])
    with right:
        trace = replace(given, golds=draw_golds(given.golds, digest))
    answer = imported_answer(trace)
    line.html(question_html(given.question, trace.golds))
    if found := imported_headline(answer, trace.golds):
        line.html(headline_html(found))
    with left, st.container(border=True, key="card-unknown-imported"):
        st.html(words.imported_html(answer, trace.golds))
    for note in answer.notes:
        st.caption(as_text(note))
    draw_passages(trace)
    draw_tokens(answer)
    draw_claims(answer)
    st.header("What the trace reveals")
    st.html(table_html(words.abilities_table(answer.abilities), "Each diagnosis"))
    draw_again(trace, answer)


def draw_golds(given: tuple[str, ...], digest: str) -> tuple[str, ...]:
    """Draw the box for correct answers, with those of the trace in it; return what it holds.

    ``digest`` tells traces apart: another one has a box of its own.
    """
    key = lasting_key(f"trace.golds.{digest}", "\n".join(given))
    box = st.text_area("Correct answers, one per line", key=key, height=96)
    golds = gold_answers(box)
    if not golds:
        st.caption(words.NO_GOLDS)
    return golds


def draw_again(trace: Trace, answer: ImportedAnswer) -> None:
    """Draw the form that asks a local model for the other diagnoses."""
    st.header("Ask a local model")
    st.markdown(as_text(f"Same question and passages, beside the answer by {words.writer_words(answer)}."))
    with st.form("trace.again"):
        left, right = st.columns([2, 3])
        model = left.selectbox(
            "Model",
            list(EMBEDDED_NAMES),
            format_func=model_name,
            accept_new_options=True,
            help="One of these, a folder or name.",
        )
        titles = links.METHOD_TITLES
        picked = right.multiselect("Methods", list(titles), default=list(USUAL), format_func=lambda word: titles[word])
        asked = st.form_submit_button("Ask it", key="trace.ask", type="primary", icon=":material/play_arrow:")
    if not asked:
        return
    methods = some_of(picked, tuple(METHODS))
    with sentences():
        run_id = desk().submit(
            trace_request(trace, answer, methods, str(model).strip() or "embedded"), session.person_name()
        )
    session.open_run(run_id)
    links.go_to("ask", run_id)


def draw_tokens(answer: ImportedAnswer) -> None:
    """Draw ETC's and FLARE's readings of the given tokens; where none were given, say so."""
    st.header("Where to retrieve")
    theme = current_theme()
    if not answer.generation.tokens:
        st.info("No log-probabilities: no ETC and FLARE.")
        return
    st.markdown(as_text(words.trend_sentence(answer)))
    if answer.trend is not None:
        figure, alt = trend_figure(answer.trend, theme), words.trend_sentence(answer)
        draw_figure(figure, key="trace.trend", name="trace-etc", alt=alt)
    flare_words = words.flare_sentence(answer)
    st.markdown(as_text(flare_words))
    draw_figure(words.flare_figure(answer, theme), key="trace.flare", name="trace-flare", alt=flare_words)
    draw_open_tab(
        "trace.tab",
        (
            Section(label="Every token", draw=lambda: draw_token_rows(answer)),
            Section(
                label="FLARE's query at each token",
                draw=lambda: draw_rows(
                    words.flare_table(answer), key="trace.queries", alt=flare_words, height=LIST_HEIGHT
                ),
            ),
        ),
    )


def draw_token_rows(answer: ImportedAnswer) -> None:
    """Draw the given tokens as a strip and as a table."""
    st.html(token_strip_html(answer.generation.tokens, current_theme(), "Tinted by entropy"))
    rows = tokens_table(answer.generation.tokens)
    names = [str(name) for name in rows]
    order = sorted(names, key=lambda name: (name not in ("#", "token"), not name.startswith("entropy")))
    alt = "Tokens of the imported answer"
    draw_rows(rows, key="trace.tokens", columns=TOKEN_COLUMNS, order=order, alt=alt, height=LIST_HEIGHT)


def draw_claims(answer: ImportedAnswer) -> None:
    """Draw the claims of the imported answer with their evidence in the given passages."""
    st.header("Evidence in the passages")
    said = words.claims_sentence(answer)
    st.markdown(as_text(said))
    table = words.claims_table(answer)
    if not table.empty:
        st.html(table_html(table, said))


def draw_passages(trace: Trace) -> None:
    """Draw the passages of the trace."""
    st.header("Passages of the pipeline")
    if not trace.passages:
        st.info("The trace has no passages.")
        return
    draw_rows(words.passages_table(trace), key="trace.passages", alt="The passages of the trace", height=LIST_HEIGHT)


main()
