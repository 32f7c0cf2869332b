"""A study as one HTML page that needs no server and no network: settings, every view it has, its table.

The page is built as a run's bundle is: Plotly's script stands in it once, a policy in its head forbids every connection
and every script but these two, and it follows the reader's light or dark mode.
"""

from functools import partial

import pandas as pd
from markupsafe import Markup

from engine.runs.studies.table import StudyTable, setting_frame, without_texts
from engine.runs.studies.views import VIEWS
from engine.runs.studies.views.base import Measured
from viz.parts.exhibit import Exhibit
from viz.parts.html import render
from viz.parts.tables import table_html
from viz.parts.theme import THEMES
from viz.parts.words import moment_words
from viz.runs.bundle import BOOT, exhibit_values, figures_script, plotly_script, script_hash, table_values
from viz.studies.table import shown_table, table_sentence, usual_columns
from viz.studies.views import view_figure, view_sentence, view_table
from viz.studies.words import shown_settings, standing


def study_report(table: StudyTable, *, texts: bool = True) -> str:
    """Return a study as one HTML page; ``texts`` False leaves questions and answers out."""
    views = [view.measure(table) for view in VIEWS if view.ready(table)]
    # Points carry their questions; a page without texts has none of them.
    found = [exhibit_of(one) for one in views if one.marks and (texts or one.kind != "points")]
    lacking = [
        (view.title, view.methods) for view in VIEWS if view.name not in {one.name for one in views if one.marks}
    ]
    study = table.study
    page = render(
        "study_report.html.j2",
        scripts=" ".join(script_hash(text) for text in (plotly_script(), BOOT)),
        themes=THEMES,
        called=study.plan.name,
        study=study.id,
        begun=moment_words(study.created_at),
        standing=standing(study),
        summary=table_sentence(table.frame, table),
        views=[exhibit_values(one) for one in found],
        lacking=lacking,
        settings=table_html(pd.DataFrame(list(shown_settings(study.plan).items()), columns=["what", "which"])),
        shown=table_values(point_table(table, texts=texts)),
        whole=table_values(setting_frame(table) if texts else without_texts(setting_frame(table)))["csv"],
        figures=Markup(figures_script(tuple(found))),
        plotly=Markup(plotly_script()),
        boot=BOOT,
    )
    return str(page)


def exhibit_of(view: Measured) -> Exhibit:
    """Return a view as an exhibit."""
    return Exhibit(
        name=view.name,
        heading=view.title,
        sentence=view_sentence(view),
        draw=partial(view_figure, view),
        table=view_table(view),
    )


def point_table(table: StudyTable, *, texts: bool) -> pd.DataFrame:
    """Return the points as the page shows them."""
    shown = shown_table(table, table.frame, usual_columns(table))
    return shown if texts else shown.drop(columns=["question", "answer", "correct", "reason"], errors="ignore")
