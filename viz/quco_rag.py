"""Co-occurrence evidence (QuCo-RAG, section 3): which claims' two ends ever meet in a named corpus, and where.

Every count is exact for the spelling it looks for. A pair that never meets means "no evidence in this corpus", never
"false"; what could not be counted is grey and says so.
"""

import math
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import networkx as nx
import pandas as pd
import plotly.graph_objects as go

from engine.corpus_stats.base import Meeting
from engine.methods.quco_rag import CheckedSentence, CountedClaim, CountedEntity, QucoResult
from viz.theme import Theme, layout, plain, rgba, shorten
from viz.verdicts import Tone, Verdict, tone_colour
from viz.words import counted, listing, quoted, shown, wrapped

NO_EVIDENCE = "no evidence in this corpus"
NAME_LENGTH = 26
RELATION_LENGTH = 24
ROW_HEIGHT = 92
LABEL_SHARE = 0.46
ARTICLE = re.compile(r"^(the|an?)\s+")
LEAST_HEIGHT = 360
Place = tuple[float, float]
CLAIM_COLUMNS = [
    "sentence",
    "kind",
    "head",
    "head count",
    "relation",
    "tail",
    "tail count",
    "documents together",
    "verdict",
]
SENTENCE_TONES: dict[str, Tone] = {
    "supported": "good",
    NO_EVIDENCE: "bad",
    "not measured": "unknown",
    "partly measured": "unknown",
    "nothing to check": "unknown",
}
SIGNS: dict[Tone, str] = {"good": "✔", "middle": "◐", "bad": "✖", "unknown": "–"}


def claim_verdict(claim: CountedClaim) -> str:
    """Return a claim's verdict in words; a partial claim and one that could not be counted are not measured."""
    if claim.supported is None:
        return "not measured"
    return "supported" if claim.supported else NO_EVIDENCE


def sentence_verdict(checked: CheckedSentence) -> str:
    """Return a sentence's verdict in words: one claim without evidence decides, as the minimum in eq. 4 does."""
    verdicts = {claim_verdict(claim) for claim in checked.claims if claim.tail is not None}
    if not verdicts:
        return "nothing to check"
    if NO_EVIDENCE in verdicts:
        return NO_EVIDENCE
    if len(verdicts) == 2:
        return "partly measured"
    return verdicts.pop()


def claims(result: QucoResult) -> tuple[tuple[CheckedSentence, CountedClaim], ...]:
    """Return every claim with the sentence it stands in, in the order of the claims table."""
    return tuple((checked, claim) for checked in result.sentences for claim in checked.claims)


def first_with_meetings(result: QucoResult) -> list[int]:
    """Return the row of the first claim whose evidence can be read, as a list of one; empty where there is none."""
    return [row for row, (_, claim) in enumerate(claims(result)) if claim.meetings][:1]


def claims_table(result: QucoResult) -> pd.DataFrame:
    """Return the text twin: one row per claim, partial ones included; counts are empty where there is none."""
    rows = [
        (
            checked.text,
            checked.kind,
            claim.head.entity.text,
            claim.head.count,
            claim.relation,
            claim.tail.entity.text if claim.tail else "",
            claim.tail.count if claim.tail else None,
            claim.documents,
            claim_verdict(claim) if claim.tail else "a single entity, nothing to pair",
        )
        for checked, claim in claims(result)
    ]
    table = pd.DataFrame(rows, columns=CLAIM_COLUMNS)
    return table.astype(dict.fromkeys(("head count", "tail count", "documents together"), "Int64"))


def entities_table(result: QucoResult) -> pd.DataFrame:
    """Return the text twin of the bars: the question's entities and their counts, empty where not measured."""
    rows = [(entity.entity.text, entity.entity.label, entity.count, _count_words(entity)) for entity in result.entities]
    table = pd.DataFrame(rows, columns=["entity", "type", "occurrences", "in words"])
    return table.astype({"occurrences": "Int64"})


def sentence(result: QucoResult) -> str:
    """Return the evidence in words: how many claims were judged in which corpus, and which have no evidence."""
    judged = result.supported + result.unsupported
    corpus = f"{quoted(result.corpus)} ({counted(result.corpus_documents, 'document')})"
    if not judged:
        return f"{_unmeasured_reason(result)} Corpus: {corpus}."
    opening = f"Of {counted(judged, 'claim')} checked in {corpus}, {result.supported} found the two ends together"
    if not result.unsupported:
        return f"{opening} within {result.window:,} words of each other. {_unmeasured_claims(result)}".strip()
    pairs = _missing_pairs(result)
    several = f" ({counted(len(pairs), 'pair')})" if len(pairs) != result.unsupported else ""
    no_evidence = f"{result.unsupported} did not{several}: {listing(pairs)}"
    caution = "That is no evidence in this corpus, which is not the same as false."
    return f"{opening}, {no_evidence}. {caution} {_unmeasured_claims(result)}".strip()


def verdict(result: QucoResult) -> Verdict:
    """Return QuCo-RAG's word on the answers: evidence found, claims without evidence, or nothing to check."""
    if result.unsupported:
        word = f"{counted(result.unsupported, 'claim')} without evidence in this corpus"
        return Verdict(word=word, tone="bad", sentence=sentence(result))
    if result.supported:
        return Verdict(word="evidence found", tone="good", sentence=sentence(result))
    word = "not measured" if result.not_measured else "nothing to check"
    return Verdict(word=word, tone="unknown", sentence=sentence(result))


def network_title(result: QucoResult) -> str:
    """Return the finding of the network in one line."""
    judged, corpus = result.supported + result.unsupported, f"‘{shorten(result.corpus, 50)}’"
    if not judged:
        return f"No claim could be judged in {corpus}"
    if not result.unsupported:
        return (
            f"All {judged} claims: both ends meet in {corpus}" if judged > 1 else f"The claim has evidence in {corpus}"
        )
    return f"{result.unsupported} of {counted(judged, 'claim')} without evidence in {corpus}"


def cooccurrence_network(result: QucoResult, theme: Theme) -> go.Figure:
    """Return entities as dots and claims as lines between them, heads left of tails.

    A dot grows with the logarithm of its count (red: never named, grey: not counted). A line is green with the number
    of documents that hold both ends, red and dashed where there are too few, grey and dotted where not measured.
    """
    graph = _graph(result)
    places, routes = _places(graph)
    columns = max((x for x, _ in places.values()), default=0.0)
    stops = [*places.values(), *(stop for route in routes.values() for stop in route)]
    rows = 1 + 2 * max((height for _, height in stops), default=0.0)
    figure = go.Figure()
    figure.update_layout(layout(theme, network_title(result), int(max(LEAST_HEIGHT, 130 + ROW_HEIGHT * rows))))
    for (head, tail), route in routes.items():
        _draw_edge(figure, route, graph.edges[head, tail], theme)
    if graph.nodes:
        _draw_nodes(figure, graph, places, theme)
        _draw_key(figure, theme)
    else:
        _draw_note(figure, _unmeasured_reason(result), theme)
    # A third of a column's distance on either side leaves a fifth of the width for the names at the edges.
    figure.update_xaxes(visible=False, range=[-columns / 3 - 0.02, columns * 4 / 3 + 0.02])
    figure.update_yaxes(visible=False, range=[-rows / 2 - 0.25, rows / 2 + 0.15])
    figure.update_layout(
        margin={"l": 8, "r": 8, "t": 64, "b": 64},
        legend={"y": -0.04, "yanchor": "top"},
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": theme.muted, "activecolor": theme.text},
    )
    return figure


def bars_title(result: QucoResult) -> str:
    """Return the finding of the bars in one line."""
    if not result.entities:
        return "The question names nothing to count"
    never = [entity for entity in result.entities if entity.count == 0]
    corpus = f"‘{shorten(result.corpus, 50)}’"
    if never:
        names = listing([f"‘{shorten(entity.entity.text, NAME_LENGTH)}’" for entity in never[:3]])
        return f"Never named in {corpus}: {names}" + (f" and {len(never) - 3} more" if len(never) > 3 else "")
    if result.mean_count is None:
        return f"Nothing in the question could be counted in {corpus}"
    return f"The question's entities occur {result.mean_count:,.1f} times on average in {corpus}"


def entity_bars(result: QucoResult, theme: Theme) -> go.Figure:
    """Return the question's entities with their number of occurrences (eq. 2) on a logarithmic axis that starts at 0.

    The axis is log10(1 + count), so that never named (0, red) stands at its foot and differs from not measured (grey).
    """
    shown_entities = list(reversed(result.entities))
    figure = go.Figure()
    figure.update_layout(layout(theme, bars_title(result), max(220, 130 + 44 * len(shown_entities))))
    if not shown_entities:
        _draw_note(figure, "The question names no entity that could be counted.", theme)
        figure.update_xaxes(visible=False)
        figure.update_yaxes(visible=False)
        return figure
    figure.add_bar(
        x=[_log_count(entity.count) for entity in shown_entities],
        y=list(range(len(shown_entities))),
        orientation="h",
        width=0.55,
        marker={"color": [_entity_colour(entity, theme) for entity in shown_entities], "line": {"width": 0}},
        text=[f"<b> {_count_words(entity)}</b>" for entity in shown_entities],
        textposition="outside",
        textfont={"size": 15, "color": [_entity_colour(entity, theme) for entity in shown_entities]},
        cliponaxis=False,
        customdata=[_entity_hover(entity) for entity in shown_entities],
        hovertemplate="%{customdata}<extra></extra>",
        showlegend=False,
    )
    _dress_bars(figure, result, shown_entities, theme)
    return figure


def sentence_strip_html(result: QucoResult, theme: Theme) -> str:
    """Return the checked sentences as escaped HTML, each with its verdict in colour and in words."""
    if not result.sentences:
        return f'<p style="color:{theme.muted};margin:0">{plain(_unmeasured_reason(result))}</p>'
    return "".join(_sentence_html(checked, theme) for checked in result.sentences)


def meeting_html(meeting: Meeting, theme: Theme) -> str:
    """Return one place of evidence as escaped HTML: title, distance in words, excerpt with head and tail marked."""
    place = plain(shown(meeting.title) if meeting.title else "untitled document")
    apart = "side by side" if meeting.distance <= 1 else f"{meeting.distance:,} words apart, start to start"
    return (
        f'<div style="border-left:4px solid {theme.good};padding:0.2rem 0 0.2rem 0.9rem;color:{theme.text};'
        f'overflow-wrap:anywhere"><div style="font-weight:600"><bdi>{place}</bdi> '
        f'<span style="font-weight:400;color:{theme.muted}">· {apart}</span></div>'
        f'<div dir="auto" style="font-size:1.1rem;line-height:1.7">{_marked_excerpt(meeting, theme)}</div></div>'
    )


def claim_sentence(claim: CountedClaim, result: QucoResult) -> str:
    """Return one claim and its evidence in words."""
    head = quoted(claim.head.entity.text)
    if claim.tail is None:
        named = _count_words(claim.head)
        return f"{head} stands alone here, with {quoted(claim.relation)}: nothing to pair. {head}: {named}."
    tail = quoted(claim.tail.entity.text)
    claimed = f"{head} – {shown(claim.relation)} – {tail}"
    ends = f"{head}: {_count_words(claim.head)}; {tail}: {_count_words(claim.tail)}."
    if claim.documents is None:
        return f"{claimed}: not measured. {ends}"
    if not claim.documents:
        never = f"the two never stand within {result.window:,} words of each other in {quoted(result.corpus)}"
        return f"{claimed}: {never}, so there is no evidence in this corpus. {ends}"
    held = f"{counted(claim.documents, 'document')} of {quoted(result.corpus)} {_hold(claim.documents)} both"
    return f"{claimed}: {held} within {result.window:,} words ({claim_verdict(claim)}). {ends}"


def _hold(documents: int) -> str:
    return "holds" if documents == 1 else "hold"


def _unmeasured_reason(result: QucoResult) -> str:
    if result.not_measured:
        text = result.not_measured if result.not_measured.endswith(".") else f"{result.not_measured}."
        return f"Not measured: {text}"
    return "Nothing to check: no claim with two ends was found or counted."


def _unmeasured_claims(result: QucoResult) -> str:
    """Return how many claims with two ends have no count, in words; "" for none."""
    missing = sum(claim.tail is not None and claim.supported is None for _, claim in claims(result))
    return f"{counted(missing, 'claim')} could not be measured." if missing else ""


def _missing_pairs(result: QucoResult) -> list[str]:
    """Return the pairs without evidence, each once, in quotation marks."""
    pairs = (
        f"{quoted(claim.head.entity.text, 40)} with {quoted(claim.tail.entity.text, 40)}"
        for _, claim in claims(result)
        if claim.supported is False and claim.tail is not None
    )
    return list(dict.fromkeys(pairs))


def _count_words(entity: CountedEntity) -> str:
    if entity.count is None:
        return "not measured"
    return "0, never named" if entity.count == 0 else f"{entity.count:,}"


def _entity_colour(entity: CountedEntity, theme: Theme) -> str:
    if entity.count is None:
        return theme.unknown
    return theme.model if entity.count else theme.bad


def _entity_hover(entity: CountedEntity) -> str:
    """Return the hover text of an entity, escaped."""
    occurrences = "not measured" if entity.count is None else f"{counted(entity.count, 'occurrence')} in the corpus"
    return f"{wrapped(entity.entity.text)}<br>{plain(entity.entity.label)}: {occurrences}"


def _log_count(count: int | None) -> float:
    return 0.0 if count is None else math.log10(1 + count)


def _graph(result: QucoResult) -> "nx.DiGraph[str]":
    """Return entities as nodes and one edge per pair, in order of appearance; several relations share an edge."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    for entity in result.entities:
        _add_entity(graph, entity)
    for _, claim in claims(result):
        head = _add_entity(graph, claim.head)
        if claim.tail is None:
            continue
        tail = _add_entity(graph, claim.tail)
        if head == tail:
            continue
        known = graph.get_edge_data(head, tail)
        relations = [*known["relations"], claim.relation] if known else [claim.relation]
        graph.add_edge(head, tail, claim=claim, relations=list(dict.fromkeys(relations)))
    return graph


def _add_entity(graph: "nx.DiGraph[str]", entity: CountedEntity) -> str:
    """Return the node of an entity after adding it: one node for names that differ in case or article only.

    They must also count alike; where they do not, the corpus tells them apart and so does the figure.
    """
    key = f"{ARTICLE.sub('', entity.entity.text.casefold())}\x1f{entity.count}"
    if key not in graph:
        graph.add_node(key, entity=entity)
    return key


def _places(graph: "nx.DiGraph[str]") -> tuple[dict[str, Place], dict[tuple[str, str], list[Place]]]:
    """Return node -> (column, height), and edge -> the places its line passes through, ends included.

    Heads stand left of their tails. A line over several columns keeps a free row in each column between, so that it
    crosses no name. Entities without a partner stand last in the first column.
    """
    column = _columns(graph)
    routed: nx.DiGraph[str] = nx.DiGraph()
    routed.add_nodes_from(graph.nodes)
    stops: dict[tuple[str, str], list[str]] = {}
    for head, tail in graph.edges:
        first, last = column[head], column[tail]
        between = [f"{head}\x1f{tail}\x1f{step}" for step in range(first + 1, last)]
        column.update({stop: first + 1 + step for step, stop in enumerate(between)})
        stops[head, tail] = [head, *between, tail]
        nx.add_path(routed, stops[head, tail])
    heights = _heights(routed, column)
    places = {node: (float(column[node]), height) for node, height in heights.items()}
    routes = {edge: [places[stop] for stop in passed] for edge, passed in stops.items()}
    return {node: places[node] for node in graph.nodes}, routes


def _heights(graph: "nx.DiGraph[str]", column: dict[str, int]) -> dict[str, float]:
    """Return node -> height, column by column: centred, and in the order of the heads they hang on."""
    heights: dict[str, float] = {}
    for level in sorted(set(column.values())):
        nodes = [node for node in graph.nodes if column[node] == level]
        nodes.sort(key=lambda node: _mean_height(graph, node, heights))
        heights.update({node: (len(nodes) - 1) / 2 - row for row, node in enumerate(nodes)})
    return heights


def _columns(graph: "nx.DiGraph[str]") -> dict[str, int]:
    """Return node -> column: one more than its furthest head. A cycle is cut at the edge that closes it."""
    forward: nx.DiGraph[str] = nx.DiGraph()
    forward.add_nodes_from(graph.nodes)
    for head, tail in graph.edges:
        if not nx.has_path(forward, tail, head):
            forward.add_edge(head, tail)
    column: dict[str, int] = {}
    for node in nx.topological_sort(forward):
        column[node] = max((column[head] + 1 for head in forward.predecessors(node)), default=0)
    return column


def _mean_height(graph: "nx.DiGraph[str]", node: str, heights: dict[str, float]) -> float:
    """Return where a node sorts within its column: by minus the mean height of its placed heads, lonely ones last."""
    if graph.degree(node) == 0:
        return math.inf
    placed = [heights[head] for head in graph.predecessors(node) if head in heights]
    return -sum(placed) / len(placed) if placed else 0.0


def _draw_edge(figure: go.Figure, route: list[Place], edge: dict[str, Any], theme: Theme) -> None:
    """Draw one claim: a line in its verdict's colour, with its relation and what was found in words."""
    claim: CountedClaim = edge["claim"]
    tone = SENTENCE_TONES[claim_verdict(claim)]
    colour = tone_colour(tone, theme)
    dash = {"good": "solid", "bad": "dash"}.get(tone, "dot")
    figure.add_scatter(
        x=[x for x, _ in route],
        y=[y for _, y in route],
        mode="lines",
        line={"color": colour, "width": 4 if tone == "bad" else 3, "dash": dash},
        showlegend=False,
        hoverinfo="skip",
    )
    x, y = route[1] if len(route) > 2 else _between(route[0], route[1])
    full = "<br>".join(wrapped(relation) for relation in edge["relations"])
    figure.add_annotation(
        x=x,
        y=y,
        text=f"{plain(shorten(' · '.join(edge['relations']), RELATION_LENGTH))} · <b>{_edge_words(claim)}</b>",
        hovertext=f"{full}<br>{_edge_words(claim)}",
        showarrow=False,
        bgcolor=theme.page,
        borderpad=2,
        font={"size": 14, "color": colour},
    )


def _between(head: Place, tail: Place) -> Place:
    """Return where a claim's words stand: a little nearer to the head, whose name stands outside."""
    return head[0] + LABEL_SHARE * (tail[0] - head[0]), head[1] + LABEL_SHARE * (tail[1] - head[1])


def _edge_words(claim: CountedClaim) -> str:
    if claim.documents is None:
        return "not measured"
    return counted(claim.documents, "document") if claim.documents else "never meet"


def _draw_nodes(
    figure: go.Figure, graph: "nx.DiGraph[str]", places: dict[str, tuple[float, float]], theme: Theme
) -> None:
    """Draw the entities, each with its name and count beneath or above."""
    entities: list[CountedEntity] = [graph.nodes[node]["entity"] for node in graph.nodes]
    colours = [_entity_colour(entity, theme) for entity in entities]
    figure.add_scatter(
        x=[places[node][0] for node in graph.nodes],
        y=[places[node][1] for node in graph.nodes],
        mode="markers",
        marker={
            "size": [16 + 9 * _log_count(entity.count) for entity in entities],
            "color": colours,
            "opacity": 1,
            "line": {"width": 2, "color": theme.page},
        },
        showlegend=False,
        customdata=[_entity_hover(entity) for entity in entities],
        hovertemplate="%{customdata}<extra></extra>",
    )
    last = max(x for x, _ in places.values())
    for node, entity, colour in zip(graph.nodes, entities, colours, strict=True):
        name = plain(shorten(shown(entity.entity.text), NAME_LENGTH))
        figure.add_annotation(
            x=places[node][0],
            y=places[node][1],
            **_name_side(places[node][0], last, 12 + 4.5 * _log_count(entity.count)),
            text=f'<b>{name}</b><br><span style="color:{colour}">{_count_words(entity)}</span>',
            showarrow=False,
            bgcolor=theme.page,
            borderpad=0,
            font={"size": 16, "color": theme.text},
        )


def _name_side(column: float, last: float, away: float) -> dict[str, object]:
    """Return where a name stands: outside at the first and last column, beneath its dot between them."""
    if column == 0 and last > 0:
        return {"xanchor": "right", "xshift": -away, "align": "right"}
    if column == last and last > 0:
        return {"xanchor": "left", "xshift": away, "align": "left"}
    return {"yanchor": "top", "yshift": -away, "align": "center"}


def _draw_key(figure: go.Figure, theme: Theme) -> None:
    """Draw the legend: what lines and dots mean."""
    lines = (("both ends in so many documents", theme.good, "solid"), ("never meet in this corpus", theme.bad, "dash"))
    for name, colour, dash in (*lines, ("not measured", theme.unknown, "dot")):
        line = {"color": colour, "width": 3, "dash": dash}
        figure.add_scatter(x=[None], y=[None], mode="lines", line=line, name=name)
    for name, colour in (("dot: occurrences (log size)", theme.model), ("never named", theme.bad)):
        figure.add_scatter(x=[None], y=[None], mode="markers", marker={"color": colour, "size": 13}, name=name)


def _draw_note(figure: go.Figure, text: str, theme: Theme) -> None:
    """Draw a sentence where there is nothing to draw."""
    figure.add_annotation(
        text=wrapped(text), x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False,
        font={"size": 16, "color": theme.muted},
    )  # fmt: skip


def _dress_bars(figure: go.Figure, result: QucoResult, entities: Sequence[CountedEntity], theme: Theme) -> None:
    """Set the logarithmic axis with its honest zero, the names, and the mean of eq. 2."""
    largest = max((entity.count or 0 for entity in entities), default=0)
    decades = max(1, math.ceil(math.log10(1 + largest)))
    ticks = [0, *(10**decade for decade in range(decades + 1))]
    figure.update_xaxes(
        title={"text": "occurrences in the corpus (log scale, from 0)", "font": {"size": 14}},
        tickvals=[_log_count(tick) for tick in ticks],
        ticktext=[f"{tick:,}" for tick in ticks],
        range=[0, decades + 0.45],
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
    if result.mean_count is not None and len(entities) > 1:
        figure.add_vline(x=math.log10(1 + result.mean_count), line={"color": theme.accent, "width": 2, "dash": "dash"})
        figure.add_annotation(
            x=math.log10(1 + result.mean_count), y=1, yref="paper", yanchor="bottom", showarrow=False,
            text=f"<b>mean {result.mean_count:,.1f}</b>", font={"color": theme.accent, "size": 14},
        )  # fmt: skip


def _sentence_html(checked: CheckedSentence, theme: Theme) -> str:
    """Return one sentence with its mark, its kind and its verdict."""
    words = sentence_verdict(checked)
    tone = SENTENCE_TONES[words]
    colour = tone_colour(tone, theme)
    ground = "transparent" if words == "nothing to check" else rgba(colour, 0.1)
    kind = "short answer over the passages" if checked.kind == "short answer" else checked.kind
    return (
        f'<div style="border-left:6px solid {colour};background:{ground};padding:0.35rem 0.9rem;margin:0 0 0.4rem 0;'
        f'border-radius:0.3rem;color:{theme.text};overflow-wrap:anywhere">'
        f'<div dir="auto" style="font-size:1.15rem;line-height:1.5">{plain(shown(checked.text))}</div>'
        f'<div style="font-size:0.95rem;color:{theme.muted}">{kind} · '
        f'<span style="color:{colour};font-weight:600"><span aria-hidden="true">{SIGNS[tone]}</span> '
        f"{words}</span></div></div>"
    )


def _marked_excerpt(meeting: Meeting, theme: Theme) -> str:
    """Return the excerpt with head and tail marked; where they overlap, the common part carries both marks."""
    spans = (("head", meeting.head, theme.model), ("tail", meeting.tail, theme.accent))
    edges = {0, len(meeting.excerpt), *(edge for _, span, _ in spans for edge in (span.start, span.end))}
    cuts = sorted(edge for edge in edges if 0 <= edge <= len(meeting.excerpt))
    pieces = []
    for start, end in pairwise(cuts):
        text = plain(meeting.excerpt[start:end])
        for name, span, colour in spans:
            if span.start <= start and end <= span.end:
                style = f"background:{rgba(colour, 0.22)};border-bottom:2px solid {colour};color:{theme.text}"
                text = f'<mark title="{name}" style="{style};font-weight:600">{text}</mark>'
        pieces.append(text)
    return "".join(pieces)
