"""QuCo-RAG's network: entities as dots, claims as lines between them, coloured by what the corpus holds (eq. 3).

Heads stand left of their tails. A dashed amber line says "do not meet in this corpus", which is not "false"; ends
that share a document and stand too far apart say how far.
"""

import math
import textwrap
from itertools import pairwise
from typing import Any

import networkx as nx
import plotly.graph_objects as go

from engine.core.words import shorten, shown
from engine.methods.quco_rag import CountedClaim, CountedEntity, QucoResult
from viz.methods.entity_bars import NAME_LENGTH, entity_colour, entity_hover, log_count
from viz.methods.quco_rag import (
    SENTENCE_TONES,
    claim_verdict,
    claims_with_sentences,
    count_words,
    entity_key,
    longer_pairs,
    pairs_of,
    short_pairs,
    unit,
    unmeasured_reason,
)
from viz.methods.verdicts import tone_colour
from viz.parts.chosen import FAINT, RING
from viz.parts.figure_parts import INVISIBLE, UNFADED, add_key, add_marks, compact_layout, draw_note, note, write_all
from viz.parts.theme import Theme, layout, plain
from viz.parts.words import counted, wrapped

RELATION_LENGTH = 24
FEW_CLAIMS = 3
ROW_HEIGHT, TALL_ROW = 104, 132
# Names break after so many letters; a letter of their size is at most so many pixels wide.
NAME_WIDTH, NAME_LINES, LETTER = 16, 3, 9.5
SMALL, SMALL_LETTER = 13, 7.2  # pixels of the letters in a small figure, and of the widest line's mean letter
SMALL_WIDTH, SMALL_LINES = 13, 2
# On a phone all claims stand below each other, their words above their lines.
PHONE_ROW, PHONE_WORDS = 112, 18
# Words longer than this stand on two lines, so that they hide little of theirs.
LONG_WORDS = 26
LABEL_SHARE = 0.5
TARGET_SHARES = (0.2, 0.33, 0.42, LABEL_SHARE, 0.58, 0.67, 0.8)
LEAST_HEIGHT = 310
# What words on a line take of the way between two columns, and of a row.
WORDS_WIDE, WORDS_HIGH = 0.6, 0.3
LABEL_SHARES = (LABEL_SHARE, 0.38, 0.62)
NAMED, NEVER_NAMED, UNCOUNTED = "circle", "x", "square"
NO_CLAIM = -1
Place = tuple[float, float]


def network_title(result: QucoResult) -> str:
    """Return the finding of the network in one line, with the corpus it holds for."""
    return f"{network_finding(result)} in ‘{shorten(result.corpus, 50)}’"


def network_finding(result: QucoResult) -> str:
    """Return how many claimed pairs meet, or meet often enough, where more than one document is asked for."""
    pairs = pairs_of(result.sentences)
    often = " often enough" if result.cooccurrence_threshold > 1 else ""
    if not pairs.judged:
        return "No claim could be judged"
    if not pairs.missing:
        several = "Both" if pairs.judged == 2 else f"All {pairs.judged}"
        return f"{several} claimed pairs meet{often}" if pairs.judged > 1 else f"The claimed pair meets{often}"
    if pairs.judged == 1:
        return f"The claimed pair does not meet{often}"
    short, longer, met = short_pairs(result), longer_pairs(result), len(pairs.met)
    twice = short is not None and short.judged + longer.judged > pairs.judged
    name = "different pair" if twice else "claimed pair"
    return f"{met or 'None'} of {counted(pairs.judged, name)} {'meets' if met == 1 else 'meet'}{often}"


def few_finding(result: QucoResult) -> str:
    """Return how many claimed pairs meet, and how many the small network leaves out."""
    graph = _graph(result)
    left_out = len(graph.edges) - len(_few_claims(graph).edges)
    return f"{network_finding(result)}; {left_out} not drawn" if left_out else network_finding(result)


def cooccurrence_network(
    result: QucoResult, theme: Theme, chosen: int | None = None, *, compact: bool = False, phone: bool = False
) -> go.Figure:
    """Return entities as dots and claims as lines between them, heads left of tails.

    A click on a line or dot carries the row of its (first) claim in the claims table as ``customdata[0]``.

    A dot grows with the logarithm of its count (amber: never named, grey: not counted). A line is green with the number
    of documents that hold both ends, amber and dashed where there are too few, grey and dotted where not measured. The
    line of the ``chosen`` claim is thicker and named, its ends ringed; the other lines and dots are fainter.
    ``compact`` is small: at most three claims, those without evidence first, each head left and each tail right.
    ``phone`` is as narrow with all claims, which a click chooses too.
    """
    if compact:
        return _small_network(result, theme)
    if phone:
        return _phone_network(result, theme, chosen)
    graph = _graph(result)
    places, routes = _places(graph)
    columns = max((x for x, _ in places.values()), default=0.0)
    stops = [*places.values(), *(stop for route in routes.values() for stop in route)]
    rows = 1 + 2 * max((height for _, height in stops), default=0.0)
    # Names between two columns stand beneath their dots and claims on two lines: both need height.
    row = ROW_HEIGHT if columns < 2 else TALL_ROW
    figure = go.Figure(layout=layout(theme, network_title(result), int(max(LEAST_HEIGHT, 180 + row * rows))))
    taken: list[Place] = []
    for (head, tail), route in routes.items():
        taken.append(label_place(route, taken))
        _draw_edge(figure, route, graph.edges[head, tail], theme, chosen)
    edges = [graph.edges[edge] for edge in routes]
    write_all(figure, [_edge_note(*one, columns, theme, chosen) for one in zip(edges, taken, strict=True)])
    _draw_claim_targets(figure, graph, routes)
    if graph.nodes:
        _draw_nodes(figure, graph, places, theme, chosen)
        _draw_key(figure, graph, theme)
    else:
        draw_note(figure, unmeasured_reason(result), theme)
    figure.update_xaxes(visible=False, range=[-columns / 16 - 0.02, columns * 17 / 16 + 0.02])
    figure.update_yaxes(visible=False, range=[-rows / 2 - 0.25, rows / 2 + 0.15])
    figure.update_layout(
        margin={"l": _room(graph, places, 0.0), "r": _room(graph, places, columns), "t": 64, "b": 84},
        legend={"y": -0.04, "yanchor": "top"},
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": theme.muted, "activecolor": theme.text},
    )
    return figure


def slide_network(result: QucoResult, theme: Theme) -> go.Figure:
    """Return all claims in two columns, above each line what was found: large letters leave no room for more."""
    return _small_network(result, theme, None)


def _small_network(result: QucoResult, theme: Theme, most: int | None = FEW_CLAIMS) -> go.Figure:
    """Return the few claims that matter most, in two columns, above each line what was found."""
    figure = go.Figure(layout=compact_layout(theme))
    graph = _few_claims(_graph(result), most)
    if not graph.edges:
        figure.update_xaxes(visible=False, fixedrange=True).update_yaxes(visible=False, fixedrange=True)
        draw_note(figure, unmeasured_reason(result), theme)
        return figure
    _draw_two_columns(figure, graph, theme, None, told=False)
    return figure


def _phone_network(result: QucoResult, theme: Theme, chosen: int | None) -> go.Figure:
    """Return all claims in two columns as narrow as a phone, their relations above the lines; it has no title."""
    figure = go.Figure()
    graph = _few_claims(_graph(result), None)
    if not graph.edges:
        figure.update_layout(compact_layout(theme), xaxis={"visible": False}, yaxis={"visible": False})
        draw_note(figure, unmeasured_reason(result), theme)
        return figure
    rows = _draw_two_columns(figure, graph, theme, chosen, told=True)
    room = {"l": figure.layout.margin.l, "r": figure.layout.margin.r, "t": 8, "b": 140}
    legend = {"y": -0.01, "yanchor": "top", "font": {"size": SMALL}}
    figure.update_layout(layout(theme, "", round(158 + PHONE_ROW * rows)), legend=legend)
    _draw_key(figure, graph, theme)
    figure.update_layout(margin=room, dragmode=False)
    return figure


def _draw_two_columns(
    figure: go.Figure,
    graph: "nx.DiGraph[str]",
    theme: Theme,
    chosen: int | None,
    *,
    told: bool,
) -> float:
    """Return how many rows there are after drawing these claims, heads left, tails right; ``told``: with relations."""
    figure.update_xaxes(visible=False, fixedrange=True, range=[-0.08, 1.08])
    places, routes = _places(graph)
    rows = 1 + 2 * max(height for _, height in places.values())
    taken: list[Place] = []
    for edge, route in routes.items():
        taken.append(label_place(route, taken))
        _draw_edge(figure, route, graph.edges[edge], theme, chosen)
    edges = [graph.edges[edge] for edge in routes]
    write_all(figure, [_small_edge_note(*one, theme, chosen, told=told) for one in zip(edges, taken, strict=True)])
    _draw_claim_targets(figure, graph, routes)
    _draw_nodes(figure, graph, places, theme, chosen, SMALL)
    figure.update_yaxes(visible=False, fixedrange=True, range=[-rows / 2 - 0.1, rows / 2 + 0.1])
    room = {side: _small_room(graph, places, column) for side, column in (("l", 0.0), ("r", 1.0))}
    figure.update_layout(margin=room | {"t": 8, "b": 8})
    return rows


def _small_edge_note(
    edge: dict[str, Any], place: Place, theme: Theme, chosen: int | None, *, told: bool
) -> dict[str, object]:
    """Return what stands above a claim's line: what was found, and its relation where that is ``told``."""
    words = f"<b>{_edge_words(edge)}</b>"
    if told:
        words = f"{plain(shorten(' · '.join(edge['relations']), PHONE_WORDS))}<br>{words}"
    colour = tone_colour(SENTENCE_TONES[claim_verdict(edge["claim"])], theme)
    text = f"<b>◆</b> {words}" if chosen in edge["rows"] else words
    above = {"x": place[0], "y": place[1], "yanchor": "bottom", "yshift": 3}
    return note(text, colour, SMALL, bgcolor=theme.page, borderpad=0, **above)


def _few_claims(graph: "nx.DiGraph[str]", most: int | None = FEW_CLAIMS) -> "nx.DiGraph[str]":
    """Return so many claims, those without evidence first, in two columns: an entity may stand in both."""
    order = {"middle": 0, "good": 1}
    edges = sorted(
        graph.edges(data=True), key=lambda edge: order.get(SENTENCE_TONES[claim_verdict(edge[2]["claim"])], 2)
    )
    few: nx.DiGraph[str] = nx.DiGraph()
    for head, tail, told in edges[:most]:
        few.add_node(f"{head}\x1fhead", **graph.nodes[head])
        few.add_node(f"{tail}\x1ftail", **graph.nodes[tail])
        few.add_edge(f"{head}\x1fhead", f"{tail}\x1ftail", **told)
    return few


def _room(graph: "nx.DiGraph[str]", places: dict[str, Place], column: float) -> int:
    """Return how many pixels the names at an outer column need beside their dots, 8 where they stand beneath them."""
    if not any(x for x, _ in places.values()):
        return 8
    entities = [graph.nodes[node]["entity"] for node, (x, _) in places.items() if x == column]
    lines = [line for entity in entities for line in (*_name_lines(entity), count_words(entity))]
    return 8 + math.ceil(LETTER * max((len(line) for line in lines), default=0))


def _small_room(graph: "nx.DiGraph[str]", places: dict[str, Place], column: float) -> int:
    """Return how many pixels the small names at a column need beside their dots."""
    entities = [graph.nodes[node]["entity"] for node, (x, _) in places.items() if x == column]
    lines = [line for entity in entities for line in (*_name_lines(entity, True), _count_said(entity, True))]
    return 24 + math.ceil(SMALL_LETTER * max((len(line) for line in lines), default=0))


def _count_said(entity: CountedEntity, small: bool) -> str:
    """Return an entity's count in words, in a small figure without its zero."""
    return count_words(entity).removeprefix("0, ") if small else count_words(entity)


def _name_lines(entity: CountedEntity, small: bool = False) -> list[str]:
    """Return an entity's name, shortened, as the lines it stands on; not escaped. In a small figure those are short."""
    if small:
        return textwrap.wrap(shown(entity.entity.text), SMALL_WIDTH, max_lines=SMALL_LINES, placeholder="…")
    name = shorten(shown(entity.entity.text), NAME_LENGTH)
    return textwrap.wrap(name, NAME_WIDTH, max_lines=NAME_LINES, placeholder="…")


def _graph(result: QucoResult) -> "nx.DiGraph[str]":
    """Return entities as nodes and one edge per pair, in order of appearance; claims of one pair share it."""
    graph: nx.DiGraph[str] = nx.DiGraph()
    for entity in result.entities:
        _add_entity(graph, entity)
    for row, (_, claim) in enumerate(claims_with_sentences(result)):
        head = _add_entity(graph, claim.head, row)
        if claim.tail is None:
            continue
        tail = _add_entity(graph, claim.tail, row)
        if head == tail:
            continue
        # Meeting has no direction: the same pair the other way round would be drawn on top of itself.
        if graph.has_edge(tail, head) and graph.edges[tail, head]["claim"].documents == claim.documents:
            head, tail = tail, head
        known = graph.get_edge_data(head, tail)
        relations = [*known["relations"], claim.relation] if known else [claim.relation]
        rows = [*known["rows"], row] if known else [row]
        graph.add_edge(head, tail, claim=claim, rows=rows, relations=list(dict.fromkeys(relations)), unit=unit(result))
    return graph


def _add_entity(graph: "nx.DiGraph[str]", entity: CountedEntity, row: int | None = None) -> str:
    """Return the node of an entity after adding it: one node for names that differ in case or article only.

    They must also count alike; where they do not, the corpus tells them apart and so does the figure. ``row`` is
    that of the claim it stands in.
    """
    key = entity_key(entity)
    if key not in graph:
        graph.add_node(key, entity=entity, rows=[])
    if row is not None:
        graph.nodes[key]["rows"].append(row)
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


def label_place(route: list[Place], taken: list[Place]) -> Place:
    """Return where a line's words stand: near its middle, over or under it where other words stand there already.

    >>> label_place([(0.0, 0.0), (1.0, 0.0)], []), label_place([(0.0, 1.0), (1.0, -1.0)], [(0.5, 0.0)])
    ((0.5, 0.0), (0.5, 0.3))
    """
    if len(route) > 2:
        return route[1]
    x, y = _between(route[0], route[1])
    spots = [_between(route[0], route[1], share) for share in LABEL_SHARES]
    spots += [(x, y + rows * WORDS_HIGH) for rows in (1, -1, 2, -2)]
    # Words of a claim are nearly as wide as the space between two columns: within it only height parts them.
    near = [high for across, high in taken if abs(across - x) < WORDS_WIDE]
    return next((spot for spot in spots if all(abs(spot[1] - high) >= WORDS_HIGH for high in near)), (x, y))


def _draw_edge(figure: go.Figure, route: list[Place], edge: dict[str, Any], theme: Theme, chosen: int | None) -> None:
    """Draw one claim as a line in its verdict's colour."""
    tone = SENTENCE_TONES[claim_verdict(edge["claim"])]
    dash = {"good": "solid", "middle": "dash"}.get(tone, "dot")
    width = 8 if chosen in edge["rows"] else 4 if tone == "middle" else 3
    figure.add_scatter(
        x=[x for x, _ in route],
        y=[y for _, y in route],
        mode="lines",
        line={"color": tone_colour(tone, theme), "width": width, "dash": dash},
        opacity=1 if chosen is None or chosen in edge["rows"] else FAINT,
        showlegend=False,
        hoverinfo="skip",
    )


def _edge_note(
    edge: dict[str, Any], place: Place, columns: float, theme: Theme, chosen: int | None
) -> dict[str, object]:
    """Return what stands on a claim's line: its relation and what was found, in its verdict's colour."""
    words, is_chosen = _edge_words(edge), chosen in edge["rows"]
    relation = shorten(" · ".join(edge["relations"]), RELATION_LENGTH)
    # Between more than two columns there is no room for both on one line.
    gap = " · " if columns < 2 and len(relation) + len(words) < LONG_WORDS else "<br>"
    text = f"{'<b>◆</b> ' if is_chosen else ''}{plain(relation)}{gap}<b>{words}</b>"
    colour = tone_colour(SENTENCE_TONES[claim_verdict(edge["claim"])], theme)
    border = (
        {"bordercolor": theme.text, "borderwidth": 2} if is_chosen else {"bordercolor": theme.page, "borderwidth": 0}
    )
    return note(text, colour, x=place[0], y=place[1], bgcolor=theme.page, borderpad=1, **border)


def _draw_claim_targets(
    figure: go.Figure, graph: "nx.DiGraph[str]", routes: dict[tuple[str, str], list[Place]]
) -> None:
    """Draw invisible marks along the lines: Plotly reports clicks on marks only, and hover text there."""
    for (head, tail), route in routes.items():
        edge = graph.edges[head, tail]
        words = [*(wrapped(relation) for relation in edge["relations"]), _edge_words(edge)]
        spots = [_between(start, end, share) for start, end in pairwise(route) for share in TARGET_SHARES]
        look = {"marker": {"size": 26, "symbol": "square", "opacity": 0}, "showlegend": False} | INVISIBLE
        ids, hover = [[edge["rows"][0]] for _ in spots], ["<br>".join(words)] * len(spots)
        add_marks(figure, [x for x, _ in spots], [y for _, y in spots], customdata=ids, hovertext=hover, **look)


def _between(head: Place, tail: Place, share: float = LABEL_SHARE) -> Place:
    """Return a place on a line; at first where a claim's words stand."""
    return head[0] + share * (tail[0] - head[0]), head[1] + share * (tail[1] - head[1])


def _edge_words(edge: dict[str, Any]) -> str:
    claim: CountedClaim = edge["claim"]
    if claim.documents is None:
        return "not measured"
    if claim.documents:
        return f"{'about ' if claim.estimated else ''}{counted(claim.documents, edge['unit'])}"
    return "never meet" if claim.nearest is None else f"{claim.nearest:,} words apart"


def _draw_nodes(
    figure: go.Figure,
    graph: "nx.DiGraph[str]",
    places: dict[str, tuple[float, float]],
    theme: Theme,
    chosen: int | None,
    size: int = 16,
) -> None:
    """Draw the entities, each with its name and count beneath or above; the ends of the chosen claim are ringed."""
    ringed = [chosen is not None and chosen in graph.nodes[node]["rows"] for node in graph.nodes]
    entities: list[CountedEntity] = [graph.nodes[node]["entity"] for node in graph.nodes]
    colours = [entity_colour(entity, theme) for entity in entities]
    rings = [(RING, theme.text) if one else (2, theme.page) for one in ringed]
    marker = {
        "size": [16 + 9 * log_count(entity.count) for entity in entities],
        "color": colours,
        "symbol": [entity_symbol(entity) for entity in entities],
        "opacity": 1 if chosen is None else [1 if one else FAINT for one in ringed],
        "line": {"width": [width for width, _ in rings], "color": [colour for _, colour in rings]},
    }
    ids = [graph.nodes[node]["rows"][:1] or [NO_CLAIM] for node in graph.nodes]
    look = {"marker": marker, "customdata": ids, "hovertext": [entity_hover(entity) for entity in entities]} | UNFADED
    xs, ys = ([places[node][axis] for node in graph.nodes] for axis in (0, 1))
    add_marks(figure, xs, ys, showlegend=False, cliponaxis=False, **look)
    last = max(x for x, _ in places.values())
    notes = []
    for node, entity, colour in zip(graph.nodes, entities, colours, strict=True):
        name = "<br>".join(plain(line) for line in _name_lines(entity, size == SMALL))
        text = f'<b>{name}</b><br><span style="color:{colour}">{_count_said(entity, size == SMALL)}</span>'
        side = _name_side(places[node][0], last, 12 + 4.5 * log_count(entity.count))
        place = {"x": places[node][0], "y": places[node][1]} | side
        notes.append(note(text, theme.text, size, bgcolor=theme.page, borderpad=0, **place))
    write_all(figure, notes)


def _name_side(column: float, last: float, away: float) -> dict[str, object]:
    """Return where a name stands: outside at the first and last column, beneath its dot between them."""
    if column == 0 and last > 0:
        return {"xanchor": "right", "xshift": -away, "align": "right"}
    if column == last and last > 0:
        return {"xanchor": "left", "xshift": away, "align": "left"}
    return {"yanchor": "top", "yshift": -away, "align": "center"}


def _draw_key(figure: go.Figure, graph: nx.Graph, theme: Theme) -> None:
    """Draw the legend: what the lines and dots that are drawn mean."""
    found = {claim.supported for _, _, claim in graph.edges(data="claim")}
    counts = next((f" (number: {one}s)" for _, _, one in graph.edges(data="unit")), "")
    lines = {
        True: (f"meet{counts}", theme.good, "solid"),
        False: ("do not meet", theme.middle, "dash"),
        None: ("not measured", theme.unknown, "dot"),
    }
    if any(claim.documents and claim.supported is False for _, _, claim in graph.edges(data="claim")):
        lines[False] = ("do not meet often enough", theme.middle, "dash")
    for name, colour, dash in (look for supported, look in lines.items() if supported in found):
        line = {"color": colour, "width": 3, "dash": dash}
        figure.add_scatter(x=[None], y=[None], mode="lines", line=line, name=name)
    symbols = {entity_symbol(entity) for _, entity in graph.nodes(data="entity")}
    if NAMED in symbols:
        add_key(figure, "occurrences (log size)", color=theme.model, size=13, symbol=NAMED)
    if NEVER_NAMED in symbols:
        add_key(figure, "never named", color=theme.middle, size=13, symbol=NEVER_NAMED)


def entity_symbol(entity: CountedEntity) -> str:
    """Return the shape of an entity's dot, which repeats what its colour says."""
    if entity.count is None:
        return UNCOUNTED
    return NAMED if entity.count else NEVER_NAMED
