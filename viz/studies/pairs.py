"""Two studies, or two variants of one, on the same questions: paired differences, and which answers changed."""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from engine.runs.studies.pairs import Changed, Difference
from engine.runs.studies.table import StudyTable
from viz.parts.figure_parts import ABOVE, bars_between, empty_figure
from viz.parts.theme import Theme, layout, plain
from viz.parts.words import counted
from viz.studies.table import right_words
from viz.studies.views import LEGEND_ROOM

ROW, FRAME = 34, 76 + LEGEND_ROOM
NOTHING_SHARED = "Both sides share no number."


def changed_sentence(found: Changed | None, pairs: pd.DataFrame, first: str, second: str) -> str:
    """Return in words how right and wrong changed between two sides, or why nothing can be said of it."""
    if found is None:
        if (pairs["correct_answers"] == "").all():
            return "No answer is judged on both sides: the questions lack correct answers."
        return "No question with a correct answer was answered on both sides."
    total = found.both + found.only_first + found.only_second + found.neither
    sides = f"right only with {first}: {found.only_first}; only with {second}: {found.only_second}"
    test = "" if not found.only_first + found.only_second else f" (sign test, p = {found.p:.2g})"
    return (
        f"Of {counted(total, 'question')} {found.both} are right on both sides, {found.neither} on none; {sides}{test}."
    )


def differences_figure(found: Sequence[Difference], table: StudyTable, theme: Theme) -> go.Figure:
    """Return the mean paired differences B minus A in standard deviations of the differences, with intervals."""
    rows = [one for one in found if one.low is not None and one.high is not None]
    if not rows:
        why = f"{counted(found[0].n, 'shared question')}: too few for an interval." if found else NOTHING_SHARED
        return empty_figure("Paired differences", why, theme, 200)
    figure = go.Figure(layout=layout(theme, differences_title(rows, table), FRAME + ROW * len(rows)))
    for beyond, colour, name in ((True, theme.model, "beyond noise"), (False, theme.unknown, "within noise")):
        chosen = [one for one in rows if one.beyond_noise == beyond]
        if not chosen:
            continue
        values = [one.difference / scale_of(one) for one in chosen]
        ends = [((one.low or 0) / scale_of(one), (one.high or 0) / scale_of(one)) for one in chosen]
        figure.add_scatter(
            x=values,
            y=[plain(table.number(one.address).title) for one in chosen],
            error_x=bars_between(values, ends, thickness=2, width=4),
            mode="markers",
            name=name,
            marker={"size": 11, "color": colour, "symbol": "circle" if beyond else "circle-open"},
            hovertext=[
                f"{plain(table.number(one.address).title)}<br>A {one.first:.3g}, B {one.second:.3g}<br>"
                f"difference {one.difference:+.3g} ({one.low:+.3g} to {one.high:+.3g}), n = {one.n}"
                for one in chosen
            ],
            hoverinfo="text",
        )
    figure.update_layout(legend=ABOVE, margin={"t": LEGEND_ROOM})
    figure.add_vline(x=0, line={"color": theme.edge, "width": 1.5})
    furthest = max(max(abs(one.low or 0), abs(one.high or 0)) / scale_of(one) for one in rows)
    figure.update_xaxes(
        title_text="← lower in B · standard deviations · higher in B →",
        range=[-1.08 * furthest, 1.08 * furthest] if furthest else [-1, 1],
        gridcolor=theme.line,
        zeroline=False,
    )
    names = [plain(table.number(one.address).title) for one in rows]
    figure.update_yaxes(categoryorder="array", categoryarray=names[::-1], showgrid=False, automargin=True)
    return figure


def scale_of(one: Difference) -> float:
    """Return what a difference is divided by in the figure: its spread over questions; where all are alike, its size.

    Numbers of different units then stand in one figure: 1 is as far as questions differ among themselves.
    """
    return one.spread or abs(one.difference) or 1.0


def differences_title(rows: Sequence[Difference], table: StudyTable) -> str:
    """Return the finding: which differences are beyond noise."""
    beyond = [table.number(one.address).title for one in rows if one.beyond_noise]
    if not beyond:
        return "No difference is beyond noise"
    return f"Beyond noise: {', '.join(beyond[:3])}{f' and {len(beyond) - 3} more' if len(beyond) > 3 else ''}"


def differences_table(found: Sequence[Difference], table: StudyTable) -> pd.DataFrame:
    """Return paired differences as a table, with every digit."""
    return pd.DataFrame(
        [
            {
                "number": table.number(one.address).title,
                "A": one.first,
                "B": one.second,
                "B − A": one.difference,
                "from": one.low,
                "to": one.high,
                "spread": one.spread,
                "n": one.n,
                "p (sign test)": one.p,
            }
            for one in found
        ]
    )


def changed_table(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the questions in pairs, those that changed between right and wrong first."""
    sides = {name: side_of(pairs, name) for name in "AB"}
    shown = pd.DataFrame(
        {
            "question": pairs["question"],
            "correct": pairs["correct_answers"],
            **{f"answer {name}": side["answer"] for name, side in sides.items()},
            **{f"right {name}": right_words(side) for name, side in sides.items()},
        }
    )
    differs = shown["right A"] != shown["right B"]
    return pd.concat([shown[differs], shown[~differs]])


def side_of(pairs: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return what one side of the pairs, "A" or "B", came to: its answers, their states, and whether they are right."""
    columns = {f"{one} {name}": one for one in ("answer", "state", "answer.right")}
    return pairs[[column for column in columns if column in pairs]].rename(columns=columns)
