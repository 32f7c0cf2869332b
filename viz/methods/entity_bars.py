"""QuCo-RAG's counts of the question's entities in the corpus (eq. 2), on a logarithmic axis that starts at 0."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from engine.core.words import isolated, shorten, shown
from engine.methods.quco_rag import CountedEntity, QucoResult
from viz.methods.quco_rag import count_words
from viz.parts.figure_parts import draw_note, write
from viz.parts.theme import Theme, layout, plain, rgba
from viz.parts.words import counted, listing, wrapped

NAME_LENGTH = 26


def bars_title(result: QucoResult) -> str:
    """Return the finding of the bars in one line."""
    if not result.entities:
        return "The question names nothing to count"
    never = [entity for entity in result.entities if entity.count == 0]
    corpus = f"‘{shorten(result.corpus, 50)}’"
    if never:
        names = listing([f"‘{isolated(shorten(entity.entity.text, NAME_LENGTH))}’" for entity in never[:3]])
        return f"Never named in {corpus}: {names}" + (f" and {len(never) - 3} more" if len(never) > 3 else "")
    if result.mean_count is None:
        return f"Counts not measured in {corpus}"
    if len(result.entities) == 1:
        name = isolated(shorten(result.entities[0].entity.text, NAME_LENGTH))
        return f"‘{name}’ occurs {_times(result.mean_count)} in {corpus}"
    return f"Entities: {_times(result.mean_count)} on average in {corpus}"


def entity_bars(result: QucoResult, theme: Theme) -> go.Figure:
    """Return the question's entities with their number of occurrences (eq. 2) on a logarithmic axis that starts at 0.

    The axis is log10(1 + count), so that no mention (0, amber) stands at its foot and differs from not measured (grey).
    """
    shown_entities = list(reversed(result.entities))
    figure = go.Figure(layout=layout(theme, bars_title(result), max(220, 130 + 44 * len(shown_entities))))
    if not shown_entities:
        draw_note(figure, "The question names nothing countable.", theme)
        figure.update_xaxes(visible=False)
        figure.update_yaxes(visible=False)
        return figure
    figure.add_bar(
        x=[log_count(entity.count) for entity in shown_entities],
        y=list(range(len(shown_entities))),
        orientation="h",
        width=0.55,
        marker={"color": [entity_colour(entity, theme) for entity in shown_entities], "line": {"width": 0}},
        text=[f"<b> {count_words(entity)} </b>" for entity in shown_entities],
        # A number outside its bar would stand on the line of the mean.
        textposition=["inside" if entity.count else "outside" for entity in shown_entities],
        textangle=0,
        insidetextfont={"size": 15, "color": theme.page},
        outsidetextfont={"size": 15, "color": [entity_colour(entity, theme) for entity in shown_entities]},
        cliponaxis=False,
        customdata=[entity_hover(entity) for entity in shown_entities],
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )
    _dress_bars(figure, result, shown_entities, theme)
    return figure


def entity_colour(entity: CountedEntity, theme: Theme) -> str:
    """Return the colour of an entity: the model's, amber where it is never named, grey where it was not counted."""
    if entity.count is None:
        return theme.unknown
    return theme.model if entity.count else theme.middle


def entity_hover(entity: CountedEntity) -> str:
    """Return the hover text of an entity, escaped."""
    occurrences = "not measured" if entity.count is None else f"{counted(entity.count, 'occurrence')} in the corpus"
    return f"{wrapped(entity.entity.text)}<br>{plain(entity.entity.label)}: {occurrences}"


def log_count(count: float | None) -> float:
    """Return log10(1 + count), so that 0 stands at 0; an unmeasured count stands there too and is drawn grey."""
    return 0.0 if count is None else math.log10(1 + count)


def _times(count: float) -> str:
    """Return a count in words, with a decimal only where it is not whole."""
    number = f"{count:,.1f}".removesuffix(".0")
    return f"{number} {'time' if number == '1' else 'times'}"


def _dress_bars(figure: go.Figure, result: QucoResult, entities: Sequence[CountedEntity], theme: Theme) -> None:
    """Set the logarithmic axis with its honest zero, the names, and the mean of eq. 2."""
    largest = max((entity.count or 0 for entity in entities), default=0)
    decades = max(1, math.ceil(math.log10(1 + largest)))
    ticks = [0, *(10**decade for decade in range(decades + 1))]
    figure.update_xaxes(
        title={"text": "occurrences (log scale)", "font": {"size": 14}},
        tickvals=[log_count(tick) for tick in ticks],
        ticktext=[f"{tick:,}" for tick in ticks],
        range=[0, 1.18 * max(1.0, math.log10(1 + largest))],
        gridcolor=rgba(theme.line, 0.6),
        zeroline=True,
        zerolinecolor=theme.muted,
    )
    figure.update_yaxes(
        tickvals=list(range(len(entities))),
        ticktext=[plain(shorten(shown(entity.entity.text), NAME_LENGTH)) for entity in entities],
        tickfont={"size": 16},
        ticklabelstandoff=10,
        automargin=True,
        showgrid=False,
        zeroline=False,
    )
    threshold = result.pre_check.threshold if result.pre_check else None
    marks = [("threshold", threshold, theme.gold, "dot")]
    if len(entities) > 1:
        marks.append(("mean", result.mean_count, theme.accent, "dash"))
    # A threshold far above every count lies off the axis.
    known = [mark for mark in marks if mark[1] is not None and log_count(mark[1]) <= figure.layout.xaxis.range[1]]
    known.sort(key=lambda mark: mark[1] or 0)
    for place, (name, value, colour, dash) in enumerate(known):
        # Two labels turn away from each other: on one axis of counts both often stand close together.
        anchor = "center" if len(known) == 1 else ("right" if place == 0 else "left")
        figure.add_vline(x=log_count(value), line={"color": colour, "width": 2, "dash": dash})
        label = f"{name} {value:,.1f}".removesuffix(".0")
        # Over the bars, where neither the axis nor its title stands.
        above = {"y": 1, "yref": "paper", "yanchor": "bottom", "xanchor": anchor}
        write(figure, f"<b>{label}</b>", colour, x=log_count(value), **above)
