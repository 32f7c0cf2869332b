"""What is imported when: little before the first page, the rest behind it, so that no page change waits for an import.

Importing everything takes about five seconds of processor time, the Ask form needs one and a half of them: it imports
no library that draws tables or figures, which a test holds it to. So the form is drawn first, and a thread then imports
torch, what every page's script names, and what these draw with, while a person reads.

Whoever uses the workbench comes first: between two imports the thread waits while a page's script runs, and while a run
looks for its first passages. Nothing is collected as garbage meanwhile: the collector would walk over all that is new
again and again, for more than a quarter of the time.

scipy fails where it meets a torch that another thread has half imported. Every other page, and whoever works on a run,
therefore waits until torch is whole; the Ask form and a phone's vote need no scipy, which a test holds them to.
"""

import ast
import gc
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

from engine.core.errors import MicroscopeError
from engine.core.libraries import import_torch
from pages.shared import session
from pages.shared.links import PAGES, VOTE

PROJECT = Path(__file__).resolve().parents[2]
# What pages import when they first count in passages: it lists the letters of all scripts, which takes a while.
LATER = ("engine.backends.corpus_stats.local_counts",)
PAUSE, LONGEST_PAUSE = 0.02, 0.5  # seconds between two imports, in which a page that is asked for comes first
_BEHIND = threading.Lock()
_SCRIPTS: set[object] = set()  # one for each script of a page that runs now


def wait_for_libraries(page: str) -> None:
    """Wait until torch is whole, unless the page is the Ask form, whose address is "" or "ask", or a phone's vote."""
    if page != VOTE and (page not in ("", "ask") or session.current_run()):
        import_torch()


@contextmanager
def comes_first() -> Iterator[None]:
    """Let what is made ready behind the pages wait for the block, which is a page's script."""
    script = object()
    _SCRIPTS.add(script)
    try:
        yield
    finally:
        _SCRIPTS.discard(script)


def give_way() -> None:
    """Return after a pause; not while a page's script runs or a run looks for passages, but after half a second."""
    from pages.shared.resources import desk

    over = time.monotonic() + LONGEST_PAUSE
    time.sleep(PAUSE)
    with suppress(MicroscopeError):
        while (_SCRIPTS or any(not run.hits for run in desk().active())) and time.monotonic() < over:
            time.sleep(PAUSE)


def get_ready_behind() -> None:
    """Import in a thread what the other pages need, once for this process."""
    if _BEHIND.acquire(blocking=False):
        threading.Thread(target=get_ready, name="imports of the other pages", daemon=True).start()


def get_ready() -> None:
    """Import what every page needs, and clear up.

    What fails here fails again, with its message, in the page that needs it.
    """
    gc.disable()
    try:
        import_torch()
        named = dict.fromkeys(name for script in PAGES.values() for name in imports_of(PROJECT / script))
        for name in (*named, *LATER):
            with suppress(Exception):
                import_module(name)
            give_way()
        for prepare in (draw_once, compile_templates, read_listed_runs, tell_failures, read_cards, sweep_deletions):
            with suppress(Exception):
                prepare()
    finally:
        # What is there now stays: the collector need not walk over two million objects of libraries again.
        gc.freeze()
        gc.enable()


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
    """Make the tables and figures of an example: what libraries import on first use."""
    from streamlit.dataframe_util import convert_pandas_df_to_arrow_bytes

    from pages.shared.resources import opening_run, stored_run
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
            give_way()


def tell_failures() -> None:
    """Read the recorded failures and tell each in HTML: the atlas shows all of them at once."""
    from pages.shared.resources import atlas
    from viz.learning.atlas_card import failure_html
    from viz.parts.theme import DARK, LIGHT

    for specimen in atlas():
        for theme in (LIGHT, DARK):
            failure_html(specimen, theme, card=True)
            give_way()


def compile_templates() -> None:
    """Compile every template of cards, tables and pictures; each would be compiled when it is first filled."""
    from viz.parts.html import TEMPLATES

    for name in TEMPLATES.list_templates():
        TEMPLATES.get_template(name)
        give_way()


def read_cards() -> None:
    """Read what each listed model can do; the page Models would read all cards at once."""
    from engine.runs.models.listing import usable_models
    from pages.shared.model_view import local_card

    for model in usable_models():
        with suppress(MicroscopeError):
            local_card(model)
        give_way()


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
        give_way()
