"""What is imported when: little before the first page, the rest behind it, so that no page change waits for an import.

Importing everything takes about five seconds of processor time, the Ask form needs one and a half of them: it imports
no library that draws tables or figures, which a test holds it to. So the form is drawn first, and a thread then imports
torch, what every page's script names, and what these draw with, while a person reads.

scipy fails where it meets a torch that another thread has half imported. Every other page, and whoever works on a run,
therefore waits until torch is whole; the Ask form and a phone's vote need no scipy, which a test holds them to.
"""

import ast
import gc
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from engine.core.errors import MicroscopeError
from engine.core.libraries import import_torch
from pages.shared import session
from pages.shared.links import PAGES, VOTE

PROJECT = Path(__file__).resolve().parents[2]
# What pages import when they first count in passages: it lists the letters of all scripts, which takes a while.
LATER = ("engine.backends.corpus_stats.local_counts",)
PAUSE = 0.02  # seconds between two imports, in which a page that is asked for comes first
_BEHIND = threading.Lock()


def wait_for_libraries(page: str) -> None:
    """Wait until torch is whole, unless the page is the Ask form, whose address is "" or "ask", or a phone's vote."""
    if page != VOTE and (page not in ("", "ask") or session.current_run()):
        import_torch()


def get_ready_behind() -> None:
    """Import in a thread what the other pages need, once for this process."""
    if _BEHIND.acquire(blocking=False):
        threading.Thread(target=get_ready, name="imports of the other pages", daemon=True).start()


def get_ready() -> None:
    """Import what every page needs, and clear up.

    What fails here fails again, with its message, in the page that needs it.
    """
    import_torch()
    named = dict.fromkeys(name for script in PAGES.values() for name in imports_of(PROJECT / script))
    for name in (*named, *LATER):
        with suppress(Exception):
            import_module(name)
        time.sleep(PAUSE)
    for prepare in (draw_once, compile_templates, read_listed_runs, read_cards, sweep_deletions):
        with suppress(Exception):
            prepare()
    # What is there now stays: the collector need not walk over two million objects of libraries again.
    gc.freeze()


def imports_of(script: Path) -> Iterator[str]:
    """Yield the modules that a page's script imports, in order."""
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            # "from viz.runs import story": story is a module; for what is none the import fails, so it is looked up.
            parent = PROJECT.joinpath(*node.module.split("."))
            yield from (f"{node.module}.{one.name}" for one in node.names if (parent / f"{one.name}.py").is_file())


def draw_once() -> None:
    """Make the tables and figures of an example, and read the recorded failures: what libraries import on first use."""
    from streamlit.dataframe_util import convert_pandas_df_to_arrow_bytes

    from pages.shared.resources import atlas, opening_run, stored_run
    from viz.methods.views import exhibits_of
    from viz.parts.theme import LIGHT

    run_id = opening_run()
    run = stored_run(run_id) if run_id else None
    for outcome in run.diagnosis.outcomes if run is not None and run.diagnosis is not None else ():
        for exhibit in exhibits_of(outcome.result) if outcome.result is not None else ():
            if exhibit.table is not None:
                convert_pandas_df_to_arrow_bytes(exhibit.table)
            if exhibit.draw is not None:
                exhibit.draw(LIGHT).to_json()
            time.sleep(PAUSE)
    atlas()


def compile_templates() -> None:
    """Compile every template of cards, tables and pictures; each would be compiled when it is first filled."""
    from viz.parts.html import TEMPLATES

    for name in TEMPLATES.list_templates():
        TEMPLATES.get_template(name)
        time.sleep(PAUSE)


def read_cards() -> None:
    """Read what each listed model can do; the page Models would read all cards at once."""
    from engine.runs.models.listing import usable_models
    from pages.shared.model_view import local_card

    for model in usable_models():
        with suppress(MicroscopeError):
            local_card(model)
        time.sleep(PAUSE)


def sweep_deletions() -> None:
    """Remove what was deleted a day ago and can no longer be brought back."""
    from engine.runs import sweeping

    sweeping.sweep_deletions()


def read_listed_runs() -> None:
    """Put the newest runs into the words that the list of runs shows.

    Whoever opens the list in between puts the rest into words there.
    """
    from pages.shared.pairs import listed_words
    from pages.shared.resources import MOST_LISTED, store

    runs = store().listing(limit=MOST_LISTED)
    for run in runs:
        listed_words(run, runs)
        time.sleep(PAUSE)
