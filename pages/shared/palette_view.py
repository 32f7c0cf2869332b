"""The command palette: Ctrl-K on every page goes to a page, a run, or a number of the shown run, by keyboard alone.

The browser filters the names it was sent and says where to go; what it says is checked here, since it may be anything.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from engine.core.errors import MicroscopeError
from engine.core.words import shorten
from engine.runs.store import RunSummary, StoredRun
from pages.shared import links, session
from pages.shared.browser_part import browser_part, browser_text
from pages.shared.resources import store, stored_run
from pages.shared.run_names import ORIGINS, asked_at, picker_label

KEY = "palette"
MOST_RUNS = 150
TITLES = {"what_if": "What if", "thresholds": "Threshold lab", "atlas": "Failure atlas", **links.METHOD_TITLES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One place to go: what it is, its name, what is said beside it, and its id: "page:ask", "run:…", "number:…"."""

    kind: Literal["page", "run", "number"]
    label: str
    hint: str = ""
    id: str = ""


def draw_palette() -> None:
    """Draw the button that opens the palette, and go where it was told to."""
    mount = browser_part("palette", "shared/palette/palette.js", "shared/palette/palette.css")
    entries = [asdict(one) for one in palette_entries(session.current_run())]
    # A tuple: to see whether a list is a table, Streamlit would import pandas, half a second before the form is drawn.
    data = {"entries": tuple(entries), "css": browser_text("shared/palette/dialog.css")}
    wanted = mount(key=KEY, data=data, on_go_change=lambda: None, height=44).get("go")
    if isinstance(wanted, str):
        follow(wanted)


def palette_entries(run_id: str | None) -> tuple[Entry, ...]:
    """Return every place to go: pages, the newest runs, the main numbers of the shown run. Names are plain text."""
    pages = tuple(
        Entry(kind="page", label=TITLES.get(word, word.capitalize()), id=f"page:{word}") for word in links.PAGES
    )
    try:
        listed = store().listing(limit=MOST_RUNS)
        run = stored_run(run_id) if run_id else None
    except MicroscopeError:
        # The page itself says what is wrong with the store.
        return pages
    return (*pages, *numbers_of(run), *(run_entry(one) for one in listed))


def run_entry(run: RunSummary) -> Entry:
    """Return the way to a run: its question, and when it was asked unless it was shipped."""
    hint = "" if run.origin in ORIGINS else asked_at(run)
    return Entry(kind="run", label=shorten(picker_label(run), 140), hint=hint, id=f"run:{run.id}")


def numbers_of(run: StoredRun | None) -> Sequence[Entry]:
    """Return the main numbers of a run, each with its value, its interval and its method."""
    if run is None or run.diagnosis is None:
        return ()
    # The catalogue needs libraries that a first page without a run does not wait for.
    from engine.catalogue.headlines import headlines
    from engine.catalogue.names import title_of
    from viz.runs.numbers import measured_words, without_ends

    return [
        Entry(
            kind="number", label=title_of(place), hint=f"{measured_words(place)} · {links.METHOD_TITLES[word]}",
            id=f"number:{place.address}",
        )
        for word in links.METHOD_TITLES
        for place in without_ends(headlines(run.diagnosis, word))
    ]  # fmt: skip


def follow(wanted: str) -> None:
    """Go to a place by its id; one that there is not is left alone."""
    kind, _, name = wanted.partition(":")
    if kind == "page" and name in links.PAGES:
        links.go_to(name)
    elif kind == "run" and stored_run(name) is not None:
        links.go_to("ask", name)
    elif kind == "number" and (run := session.current_run()):
        links.leave_for("numbers", {**session.run_link(run), "number": name})
