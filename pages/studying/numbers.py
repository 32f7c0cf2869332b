"""Any number of a study: how it is distributed, and against any other, each point the way to its run."""

import streamlit as st

from engine.runs.studies.table import StudyTable
from pages.shared.clicks import clicked_numbers
from pages.shared.figures import draw_figure
from pages.shared.lasting import lasting_key
from pages.shared.sent_values import one_of
from pages.shared.theme import current_theme
from pages.studying.table import draw_point
from viz.studies import numbers as drawn

FIRST_X = ("seper.without.soft", "dense.entropy", "answer.logprob")
FIRST_Y = ("seper.with_passages.soft", "answer.f1", "answer.tokens")


def draw_numbers(table: StudyTable) -> None:
    """Draw both choices, the scatter of one number against the other, and the distribution of the first."""
    measured = tuple(one.address for one in table.numbers if table.has(one.address))
    titles = {one.address: one.title for one in table.numbers}
    if not measured:
        st.info("This study has no numbers yet.")
        return
    key = f"studies.numbers.{table.study.id}"
    left, right = st.columns(2)
    x = draw_choice(left, "Across", measured, titles, FIRST_X, f"{key}.x")
    y = draw_choice(right, "Up", measured, titles, FIRST_Y, f"{key}.y")
    figure = drawn.scatter_figure(table, table.frame, x, y, current_theme())
    chart = f"{key}.scatter.{x}.{y}"
    said = drawn.scatter_sentence(table, table.frame, x, y)
    draw_figure(figure, key=chart, name="study-scatter", alt=said, on_click=nothing)
    places = [place for place in clicked_numbers(chart) if 0 <= place < len(table.frame)]
    if places:
        draw_point(table, table.frame.index[places[0]])
    for name in dict.fromkeys((x, y)):
        said = drawn.distribution_sentence(table, table.frame, name)
        histogram = drawn.distribution_figure(table, table.frame, name, current_theme())
        draw_figure(histogram, key=f"{key}.distribution.{name}", name="study-distribution", alt=said)


def draw_choice(
    place: object, label: str, names: tuple[str, ...], titles: dict[str, str], first: tuple[str, ...], key: str
) -> str:
    """Draw the choice of a number; return it."""
    at = next((names.index(name) for name in first if name in names), 0)
    lasting = lasting_key(key, names[at], names)
    picked = place.selectbox(label, names, format_func=lambda name: titles[name], key=lasting)  # type: ignore[attr-defined]
    return one_of(picked, names, names[at])


def nothing() -> None:
    """Do nothing: a click only draws the page anew, with the point below the figure."""
