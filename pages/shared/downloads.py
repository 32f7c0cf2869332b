"""Every table of a method as CSV, and a run as one HTML page: the one place where files leave a page."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from engine.core.allowed import acting_for, owner_name
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.serialize import to_json
from engine.diagnosis.traces.reading import ImportedAnswer
from engine.runs.store import StoredRun
from pages.shared.card_button import draw_png_button
from pages.shared.theme import as_text, current_theme
from viz.parts.csv_text import csv_text
from viz.parts.exhibit import Exhibit
from viz.runs.bundle import run_bundle
from viz.runs.scores import annotations, annotations_json, langfuse_lines
from viz.runs.story_card import story_card_svg

TYPES = {
    "csv": "text/csv",
    "svg": "image/svg+xml",
    "html": "text/html",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "parquet": "application/vnd.apache.parquet",
    "xml": "application/xml",
}


def draw_exhibit_tables(run_id: str, shown: Sequence[Exhibit]) -> None:
    """Draw a button per table that saves it as CSV; nothing where there is no table."""
    tables = [(one, one.table) for one in shown if one.table is not None]
    if not tables:
        return
    with st.popover("Tables as CSV", icon=":material/table_view:"):
        st.caption("The data behind the figures.")
        for one, table in tables:
            label, file_name = one.heading, f"{one.name}-{run_id}.csv"
            save_button(label, partial(csv_text, table), file_name, key=f"csv.{one.name}.{run_id}")


def draw_picture_buttons(svg: str, name: str) -> None:
    """Draw the buttons that save a grid as a picture, as every figure's own bar does; nothing without a picture."""
    if not svg:
        return
    with st.container(horizontal=True, horizontal_alignment="right", gap="small", key=f"pictures-{name}"):
        draw_png_button(svg, name, "PNG")
        save_button("SVG", lambda: svg, f"{name}.svg", key=f"svg.{name}", help="This grid as a picture.")


def save_button(
    label: str,
    data: Callable[[], str | bytes],
    file_name: str,
    *,
    key: str | None = None,
    icon: str = "download",
    help: str | None = None,
) -> None:
    """Draw the button that saves a file, which is written only when it is wanted; its type follows from its name."""
    st.download_button(
        as_text(label),
        data=for_whom_it_is_drawn(data),
        file_name=file_name,
        mime=TYPES[file_name.rpartition(".")[2]],
        on_click="ignore",
        icon=f":material/{icon}:",
        key=key,
        help=help and as_text(help),
    )


def for_whom_it_is_drawn(data: Callable[[], str | bytes]) -> Callable[[], str | bytes]:
    """Return what writes a file for the person whose page this is, since Streamlit calls it in a thread of no page."""
    person = owner_name()

    def written() -> str | bytes:
        with acting_for(person):
            return data()

    return written


def draw_export(run: StoredRun) -> None:
    """Draw the downloads of a run: its card, one HTML page, and its record as JSON; nothing before its answer."""
    diagnosis = run.diagnosis
    if diagnosis is None:
        return
    # Drawn here: what writes a file runs outside the page, where the mode is not known.
    card = story_card_svg(diagnosis, current_theme())
    draw_png_button(card, f"run-{run.id}", "Download card as PNG")
    save_button(
        "Download card as SVG",
        lambda: card,
        f"run-{run.id}.svg",
        key=f"card.{run.id}",
        icon="image",
        help="The run in one picture.",
    )
    save_button(
        "Download as HTML",
        lambda: run_bundle(diagnosis, run.id),
        f"run-{run.id}.html",
        key=f"bundle.{run.id}",
        icon="description",
        help="Every figure and table on one page.",
    )
    save_button("Download as JSON", lambda: to_json(diagnosis), f"run-{run.id}.json", key=f"export.{run.id}")
    if diagnosis.imported is not None and diagnosis.imported.trace_id:
        draw_scores(run.id, diagnosis, diagnosis.imported)


def draw_scores(run_id: str, diagnosis: Diagnosis, imported: ImportedAnswer) -> None:
    """Draw the downloads of a run's scores for the tool that its trace came from."""
    given = partial(annotations, imported, diagnosis)
    save_button(
        "Scores for Phoenix",
        lambda: annotations_json(given()),
        f"scores-{run_id}.json",
        key=f"scores.phoenix.{run_id}",
        icon="publish",
        help="Annotations of spans. The docs on traces say how to send them.",
    )
    save_button(
        "Scores for Langfuse",
        lambda: langfuse_lines(given()),
        f"scores-{run_id}.jsonl",
        key=f"scores.langfuse.{run_id}",
        icon="publish",
        help="A score per line. The docs on traces say how to send them.",
    )
