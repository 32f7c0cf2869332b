"""Any figure or table of a run by its name, with a theme that need not be named: what notebooks and programs use.

>>> from engine.runs.sample_runs import recorded_run
>>> run = recorded_run("suez-opening-date")
>>> figure_names(run)[:3]
('dense-graph', 'dense-entropy', 'dense-agreement')
>>> figure(run, "dense-graph").layout.title.text != ""
True
"""

from difflib import get_close_matches

import pandas as pd
import plotly.graph_objects as go

from engine.catalogue.base import state_of, worked
from engine.catalogue.names import title_of, unit_of
from engine.catalogue.walk import entry_of, numbers_of
from engine.core.errors import InputError
from engine.diagnosis.record import Diagnosis
from viz.methods.verdicts import Verdict
from viz.methods.views import exhibits_of
from viz.parts.exhibit import Exhibit
from viz.parts.theme import THEMES, Mode, Theme
from viz.parts.words import listing
from viz.runs.numbers import CHECKED
from viz.runs.summary import run_exhibits, verdict_of


def exhibits(diagnosis: Diagnosis, method: str = "") -> dict[str, Exhibit]:
    """Return everything a run can be shown by, by name: what belongs to the run first, then method by method.

    ``method`` takes only what belongs to that method.
    """
    results = (one.result for one in diagnosis.outcomes if method in ("", one.method))
    own = run_exhibits(diagnosis) if not method else ()
    return {
        one.name: one
        for one in (*own, *(shown for result in results if result is not None for shown in exhibits_of(result)))
    }


def figure_names(diagnosis: Diagnosis, method: str = "") -> tuple[str, ...]:
    """Return the names of a run's figures, in the order of its methods, or those of one method."""
    return tuple(name for name, one in exhibits(diagnosis, method).items() if one.draw is not None)


def table_names(diagnosis: Diagnosis, method: str = "") -> tuple[str, ...]:
    """Return the names of a run's tables, what belongs to the run first, or those of one method."""
    return tuple(name for name, one in exhibits(diagnosis, method).items() if one.table is not None)


def figure(diagnosis: Diagnosis, name: str, theme: Theme | Mode = "light") -> go.Figure:
    """Return a figure of a run by its name; ``theme`` is "light", "dark" or a theme.

    Raises InputError, with the names there are, for another name or theme.
    """
    if not isinstance(theme, Theme) and theme not in THEMES:
        raise InputError(f"A theme is {listing(list(THEMES))}, not {str(theme)[:40]!r}.")
    drawn = theme if isinstance(theme, Theme) else THEMES[theme]
    found = named(exhibits(diagnosis), name, figure_names(diagnosis), "figure")
    assert found.draw is not None  # its name is one of those with a figure
    # A notebook's page may have any colour: the figure brings its own.
    return found.draw(drawn).update_layout(paper_bgcolor=drawn.page)


def table(diagnosis: Diagnosis, name: str) -> pd.DataFrame:
    """Return a table of a run by its name. Raises InputError, with the names there are, for another name."""
    found = named(exhibits(diagnosis), name, table_names(diagnosis), "table")
    assert found.table is not None  # its name is one of those with a table
    return found.table


def sentence(diagnosis: Diagnosis, name: str) -> str:
    """Return what a figure or table says, in words. Raises InputError for another name."""
    held = exhibits(diagnosis)
    return named(held, name, tuple(held), "figure or table").sentence


def verdict(diagnosis: Diagnosis, method: str) -> Verdict:
    """Return a method's verdict on a run: its word, its tone, its sentence."""
    return verdict_of(diagnosis.outcome(method))


def verdicts(diagnosis: Diagnosis) -> pd.DataFrame:
    """Return every method's verdict on a run as a table, a row each."""
    rows = [(one.method, (found := verdict_of(one)).word, found.sentence, one.seconds) for one in diagnosis.outcomes]
    return pd.DataFrame(rows, columns=["method", "verdict", "because", "seconds"])


def named(held: dict[str, Exhibit], name: str, names: tuple[str, ...], what: str) -> Exhibit:
    """Return the exhibit of this name. Raises InputError that names the nearest one and all there are."""
    if name in names:
        return held[name]
    near = get_close_matches(str(name), names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise InputError(f"This run has no {what} {str(name)[:60]!r}.{hint} It has: {', '.join(names) or 'none'}.")


def numbers(diagnosis: Diagnosis) -> pd.DataFrame:
    """Return every number of a run as a table, a row each; ``value`` is exact, and empty where it was not measured.

    ``checked`` says whether the number follows again from its stored parts just now.

    >>> from engine.runs.sample_runs import recorded_run
    >>> found = numbers(recorded_run("capital-of-japan")).set_index("address")
    >>> bool(0 <= found.loc["dense.entropy", "value"] < 2), found.loc["dense.entropy", "checked"]
    (True, 'recomputed: same')
    """
    rows = []
    for place in numbers_of(diagnosis):
        entry = entry_of(place)
        checked = CHECKED[state_of(entry, place, worked(entry, place))]
        rows.append((place.address, title_of(place), place.value, unit_of(place), checked, entry.source))
    return pd.DataFrame(rows, columns=["address", "number", "value", "unit", "checked", "source"])
