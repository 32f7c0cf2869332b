"""A view of a study as one figure, one sentence and one table. Ours are filled, what a paper printed is hollow.

A paper's values were measured on larger models and other data; they stand beside ours to compare the shape, not the
height. Every mark of ours has its number of questions and, but for heat maps and points, its 95 % interval.
"""

import re
from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from engine.learning.study_measured import StudyMeasured
from engine.runs.studies.views.base import Mark, Measured
from viz.parts.figure_parts import ABOVE, UNFADED, bars_between, empty_figure
from viz.parts.row_table import signed
from viz.parts.theme import Theme, layout, mixed, plain, rgba
from viz.parts.words import counted, model_name, wrapped

ROW, FRAME, BARS, LINE, MATRIX = 26, 150, 400, 440, 34
BETWEEN = 84  # pixels between two lines of panels: the numbers of one, the title of the next
LEGEND_ROOM = 92  # pixels above the axes: the title, and the legend below it
TITLE = 96  # characters of a figure's title at the width of the page beside its list of pages
BRACKETS = re.compile(r" \([^)]*\)")
PAPER = "paper's"
TABLE = ("whose", "series", "what", "x", "value", "from", "to", "n")
WHISKERS = "Whiskers are 95 % intervals."
INTERVALS = {"bars": WHISKERS, "rows": WHISKERS, "line": "Bands are 95 % intervals."}
SHAPES = ("circle", "square", "triangle-up", "x", "star", "pentagon")


def view_figure(view: Measured, theme: Theme) -> go.Figure:
    """Return the figure of a view; a sentence where the study has no numbers for it."""
    if not view.marks:
        return empty_figure(view.title, view.missing, theme, 200)
    drawn = {"bars": draw_bars, "rows": draw_rows, "line": draw_line, "heat": draw_heat, "points": draw_points}
    return drawn[view.kind](view, theme)


def has_panels(view: Measured) -> bool:
    """Return whether a view's figure needs more room than a narrow screen has: panels of rows, or a map of cells."""
    return view.kind in ("rows", "heat")


def headline(view: Measured) -> str:
    """Return the figure's title: what the view found, as far as one line holds it.

    >>> shortened("Right with them 0.46 (n = 9); right from memory 0.04 (n = 9).", 46)
    'Right with them 0.46; right from memory 0.04'
    """
    return shortened(view.finding, TITLE) or view.title


def shortened(finding: str, most: int) -> str:
    """Return the first sentence of a finding: whole, without its brackets, or its first clause, as the line is wide."""
    sentence = finding.split(". ")[0].rstrip(".")
    bare = BRACKETS.sub("", sentence)
    return next((one for one in (sentence, bare) if len(one) <= most), bare.split("; ")[0])


def view_sentence(view: Measured) -> str:
    """Return what a view found in words: the finding, what should be seen, how it was made."""
    if not view.marks:
        return view.missing
    papers = sorted({one.paper for one in view.marks if one.paper})
    beside = f"Hollow marks are the paper's: {'; '.join(papers)}." if papers else ""
    ends = INTERVALS.get(view.kind, "")
    return " ".join(part for part in (view.finding, view.caution, view.direction, beside, *view.notes, ends) if part)


def below_figure(view: Measured) -> str:
    """Return what a view says besides the title of its figure."""
    return view_sentence(view).removeprefix(headline(view)).lstrip(".; ")


def view_table(view: Measured) -> pd.DataFrame:
    """Return a view's marks as a table: whose they are, value, interval and number of questions."""
    rows = [
        {
            "whose": f"{PAPER}: {one.paper}" if one.paper else "ours",
            "series": one.series,
            "what": one.label,
            "x": one.x,
            "value": one.value,
            "from": one.low,
            "to": one.high,
            "n": one.n or None,
        }
        for one in view.marks
    ]
    # Whole numbers, also where a paper's mark has none.
    return pd.DataFrame(rows, columns=list(TABLE)).astype({"n": "Int64"}).dropna(axis="columns", how="all")


def series_of(marks: Sequence[Mark]) -> list[str]:
    """Return the series of our marks, in order, then those that only a paper has."""
    return list(dict.fromkeys([*(one.series for one in marks if not one.paper), *(one.series for one in marks)]))


def colours(theme: Theme) -> tuple[str, ...]:
    """Return the colours of series, in order; a shape tells them apart as well."""
    return (theme.model, theme.accent, theme.middle, theme.good, theme.unknown, theme.bad)


def hover(one: Mark) -> str:
    """Return what a mark says when it is pointed at; escaped."""
    value = "not measured" if one.value is None else f"{one.value:.3g}"
    ends = "" if one.low is None or one.high is None else f" ({one.low:.3g} to {one.high:.3g})"
    whose = f"<br>{plain(PAPER)}, {plain(one.paper)}" if one.paper else (f"<br>n = {one.n}" if one.n else "")
    return f"<b>{wrapped(one.label)}</b><br>{plain(one.series)}: {value}{ends}{whose}"


def bars_of(marks: Sequence[Mark], colour: str) -> dict[str, object]:
    """Return the error bars of the marks that have a value."""
    known = [(one.value, (one.low, one.high)) for one in marks if one.value is not None]
    values, ends = [value for value, _ in known], [pair for _, pair in known]
    return bars_between(values, ends, thickness=1.6, width=4, color=colour)


def draw_bars(view: Measured, theme: Theme) -> go.Figure:
    """Return shares by label as bars, with their intervals; a paper's values as hollow diamonds."""
    figure = go.Figure(layout=layout(theme, headline(view), BARS))
    names = bar_names(view.marks)
    for place, series in enumerate(series_of([one for one in view.marks if not one.paper])):
        marks = [one for one in view.marks if one.series == series and not one.paper and one.value is not None]
        colour = colours(theme)[place % len(colours(theme))]
        figure.add_bar(
            x=[names[one.label] for one in marks],
            y=[one.value for one in marks],
            error_y=bars_of(marks, theme.text),
            name=plain(series),
            offsetgroup=series,
            marker={"color": rgba(colour, 0.78), "line": {"color": colour, "width": 1.5}},
            hovertext=[hover(one) for one in marks],
            hoverinfo="text",
        )
    draw_papers(figure, view, theme, names)
    gap = max(0.35, 1 - 0.25 * len(names))  # one bar alone would be as wide as the figure
    figure.update_layout(barmode="group", bargap=gap, bargroupgap=0.08, legend=ABOVE, margin={"t": LEGEND_ROOM})
    figure.update_layout(scattermode="group", scattergap=gap)
    title = {"text": wrapped(view.x_title, width=44) if view.x_title else "", "standoff": 12}  # below two lines
    figure.update_xaxes(title=title, automargin=True, categoryarray=list(names.values()), showgrid=False)
    figure.update_yaxes(title_text=plain(view.y_title), gridcolor=theme.line, zerolinecolor=theme.edge)
    return figure


def bar_names(marks: Sequence[Mark]) -> dict[str, str]:
    """Return what stands under each bar, escaped: its label and how many questions it rests on."""
    found: dict[str, str] = {}
    for label in dict.fromkeys(one.label for one in marks):
        counts = sorted({one.n for one in marks if one.label == label and one.n})
        numbers = " or ".join(map(str, counts))
        found[label] = f"{plain(label)}<br>n = {numbers}" if counts else plain(label)
    return found


def draw_papers(figure: go.Figure, view: Measured, theme: Theme, names: dict[str, str]) -> None:
    """Draw a paper's values as hollow diamonds over the bars of the same series and these names."""
    drawn = False
    for series in series_of([one for one in view.marks if not one.paper]):
        marks = [one for one in view.marks if one.series == series and one.paper and one.value is not None]
        if not marks:
            continue
        figure.add_scatter(
            x=[names[one.label] for one in marks],
            y=[one.value for one in marks],
            mode="markers",
            name=plain(PAPER),
            offsetgroup=series,
            showlegend=not drawn,
            marker=hollow(theme),
            hovertext=[hover(one) for one in marks],
            hoverinfo="text",
        )
        drawn = True


def hollow(theme: Theme) -> dict[str, object]:
    """Return the look of a paper's value."""
    return {"symbol": "diamond-open", "size": 13, "color": theme.gold, "line": {"width": 2.5}}


def draw_rows(view: Measured, theme: Theme) -> go.Figure:
    """Return one panel a series, each with its named rows and intervals; panels share the names where they agree."""
    ours = series_of([one for one in view.marks if not one.paper])
    names = list(dict.fromkeys(plain(one.label) for one in view.marks))
    height = FRAME + ROW * len(names)
    columns = min(3, len(ours))
    lines = -(-len(ours) // columns)
    figure = make_subplots(
        rows=lines,
        cols=columns,
        shared_yaxes=True,
        shared_xaxes="all" if view.one_scale else False,
        subplot_titles=[panel_title(view, one) for one in ours],
        horizontal_spacing=0.03,
        vertical_spacing=BETWEEN / (height * lines) if lines > 1 else 0.0,
    )
    for place, series in enumerate(ours):
        row, column = divmod(place, columns)
        add_row_panel(figure, view, series, theme, row + 1, column + 1)
    figure.update_layout(layout(theme, headline(view), 90 + (height - 40) * lines), overwrite=True)
    figure.update_annotations(font={"size": 14, "color": theme.muted})
    room = [-0.6, len(names) - 0.4]  # a mark in the first row would touch the panel's title
    figure.update_yaxes(categoryorder="array", categoryarray=names[::-1], range=room, showgrid=False, automargin=True)
    figure.update_xaxes(gridcolor=theme.line, zerolinecolor=theme.edge, showticklabels=True)
    if view.one_scale:
        figure.update_xaxes(title_text=plain(view.x_title), row=lines)
    figure.update_layout(showlegend=False, margin={"t": LEGEND_ROOM})
    return figure


def panel_title(view: Measured, series: str) -> str:
    """Return a panel's title, escaped: its series, and how many questions its marks rest on at most."""
    most = max((one.n for one in view.marks if one.series == series and not one.paper), default=0)
    return f"{plain(series)} (n = {most})" if most else plain(series)


def add_row_panel(figure: go.Figure, view: Measured, series: str, theme: Theme, row: int, column: int) -> None:
    """Draw one series as rows of a panel: our marks filled, the paper's hollow."""
    for whose in (False, True):
        marks = [
            one for one in view.marks if one.series == series and bool(one.paper) == whose and one.value is not None
        ]
        if not marks:
            continue
        colour = theme.gold if whose else theme.model
        figure.add_scatter(
            x=[one.value for one in marks],
            y=[plain(one.label) for one in marks],
            error_x=None if whose else bars_of(marks, colour),
            mode="markers",
            marker={
                "symbol": "diamond-open" if whose else "circle",
                "size": 12 if whose else 9,
                "color": colour,
                "line": {"width": 2.2 if whose else 0},
            },
            hovertext=[hover(one) for one in marks],
            hoverinfo="text",
            row=row,
            col=column,
        )


def draw_line(view: Measured, theme: Theme) -> go.Figure:
    """Return numbers along x as lines with the band of their intervals."""
    figure = go.Figure(layout=layout(theme, headline(view), LINE))
    for place, series in enumerate(series_of([one for one in view.marks if not one.paper])):
        marks = sorted(
            (one for one in view.marks if one.series == series and not one.paper and one.value is not None),
            key=lambda one: one.x or 0.0,
        )
        colour = colours(theme)[place % len(colours(theme))]
        if len(marks) > 1:
            add_band(figure, marks, colour)
        figure.add_scatter(
            x=[one.x for one in marks],
            y=[one.value for one in marks],
            mode="lines+markers" if len(marks) > 1 else "markers",
            name=plain(series),
            line={"color": colour, "width": 2.5},
            error_y=bars_of(marks, colour) if len(marks) == 1 else None,
            marker={
                "size": 8 if len(marks) > 1 else 14,
                "symbol": SHAPES[place % len(SHAPES)],
                "color": colour,
            },
            hovertext=[hover(one) for one in marks],
            hoverinfo="text",
        )
    add_named_papers(figure, [one for one in view.marks if one.paper], theme)
    figure.update_layout(legend=ABOVE, margin={"t": LEGEND_ROOM})
    figure.update_xaxes(title_text=plain(view.x_title), gridcolor=theme.line, zeroline=False)
    figure.update_yaxes(title_text=plain(view.y_title), gridcolor=theme.line, zerolinecolor=theme.edge)
    return figure


def add_named_papers(figure: go.Figure, papers: Sequence[Mark], theme: Theme) -> None:
    """Draw a paper's values at places of their own, each with its label; nothing without one."""
    if not papers:
        return
    figure.add_scatter(
        x=[one.x for one in papers],
        y=[one.value for one in papers],
        mode="markers+text",
        name=plain(PAPER),
        marker=hollow(theme),
        text=[plain(one.label) for one in papers],
        textposition="top center",
        textfont={"color": theme.gold, "size": 13},
        cliponaxis=False,
        hovertext=[hover(one) for one in papers],
        hoverinfo="text",
    )


def add_band(figure: go.Figure, marks: Sequence[Mark], colour: str) -> None:
    """Draw the band between the ends of intervals."""
    known = [one for one in marks if one.low is not None and one.high is not None]
    figure.add_scatter(
        x=[*(one.x for one in known), *(one.x for one in reversed(known))],
        y=[*(one.high for one in known), *(one.low for one in reversed(known))],
        fill="toself",
        mode="lines",
        line={"width": 0},
        fillcolor=rgba(colour, 0.14),
        hoverinfo="skip",
        showlegend=False,
    )


def draw_heat(view: Measured, theme: Theme) -> go.Figure:
    """Return numbers from 0 to 1 by series and place as a heat map, each written on it in the view's form."""
    series = series_of(view.marks)
    places = list(dict.fromkeys(one.label for one in view.marks))
    known = {(one.series, one.label): one for one in view.marks}
    rows = [[known.get((name, place)) for place in places] for name in series]
    figure = go.Figure(layout=layout(theme, headline(view), FRAME + MATRIX * len(series)))
    figure.add_heatmap(
        z=[[None if one is None else one.value for one in row] for row in rows],
        x=[plain(one) for one in places],
        y=[panel_title(view, one) for one in series],
        # Most shares are small: the colour rises fastest there.
        colorscale=[[0, theme.panel], [0.3, mixed(theme.model, theme.panel, 0.45)], [1, theme.model]],
        zmin=min([0.0, *(one.value for one in view.marks if one.value is not None)]),
        zmax=1,
        text=[[cell_words(one, view.form) for one in row] for row in rows],
        texttemplate="%{text}",
        textfont={"size": 14},
        hovertext=[["" if one is None else hover(one) for one in row] for row in rows],
        hoverinfo="text",
        xgap=2,
        ygap=2,
        colorbar={"tickformat": view.form, "thickness": 12, "outlinewidth": 0},
    )
    figure.update_yaxes(autorange="reversed", showgrid=False, automargin=True)
    figure.update_xaxes(title={"text": plain(view.x_title), "standoff": 16}, automargin=True, showgrid=False)
    return figure


def cell_words(mark: Mark | None, form: str) -> str:
    """Return what is written on a cell of a heat map; nothing where nothing was measured."""
    return "" if mark is None or mark.value is None else signed(format(mark.value, form))


def draw_points(view: Measured, theme: Theme) -> go.Figure:
    """Return one point a question, each of which carries its place among the marks, over the diagonal."""
    figure = go.Figure(layout=layout(theme, headline(view), 520))
    figure.add_scatter(
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        line={"color": theme.edge, "dash": "dot", "width": 1.5},
        hoverinfo="skip",
        showlegend=False,
    )
    for place, series in enumerate(series_of(view.marks)):
        chosen = [(at, one) for at, one in enumerate(view.marks) if one.series == series]
        colour = colours(theme)[place % len(colours(theme))]
        figure.add_scatter(
            x=[one.x for _, one in chosen],
            y=[one.value for _, one in chosen],
            customdata=[[at] for at, _ in chosen],
            mode="markers",
            name=plain(series),
            marker={"size": 10, "opacity": 0.75, "color": colour, "symbol": SHAPES[place % len(SHAPES)]},
            hovertext=[hover(one) for _, one in chosen],
            hoverinfo="text",
            **UNFADED,
        )
    figure.update_layout(legend=ABOVE, margin={"t": LEGEND_ROOM})
    figure.update_xaxes(title_text=plain(view.x_title), gridcolor=theme.line, zeroline=False)
    figure.update_yaxes(title_text=plain(view.y_title), gridcolor=theme.line, zeroline=False)
    return figure


def real_origin(data: str, study: StudyMeasured) -> str:
    """Return which questions a shipped study is of, and who wrote step by step."""
    share = f"all {study.questions}" if study.measured == study.questions else f"{study.measured} of {study.questions}"
    read = f"{data}, {share} held-out questions, {counted(study.passages, 'passage')} each"
    return f"{read}; step-by-step answers by {model_name(study.writer)}, {study.dtype}"
