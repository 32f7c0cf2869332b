"""The uncertainty baselines drawn: which measure calls which answers uncertain, and where they disagree.

Values, bounds and thresholds come from the record. For each of the nine measures higher = more uncertain; thresholds
depend on how many answers there are, so a value compares within its set only.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, cast

import pandas as pd
import plotly.graph_objects as go

from engine.backends.entailment.base import none_states_answer
from engine.catalogue.uncertainty import MEASURES, SET_NAMES
from engine.core.words import shown
from engine.methods.uncertainty import AnswerSet, MeasureWord, Reading, UncertaintyResult
from viz.methods.baseline_rates import questions, rate_of
from viz.methods.verdicts import Tone, Verdict, tone_colour
from viz.parts.figure_parts import empty_figure, rows_axis, still_axis
from viz.parts.grid_picture import GridPicture, PictureCell, grid_svg
from viz.parts.html import render
from viz.parts.theme import Theme, layout, plain, rgba
from viz.parts.words import WORDS, counted, digits_apart, listing, same_meaning, wrapped

NO_ANSWER = "No answer states anything."
CELL_PIXELS = 270  # of a column in the picture of the grid
Graph = Literal["decisions", "probabilities"]
GRAPHS = WORDS["uncertainty graphs"]


def on_graph(answers: AnswerSet, graph: Graph) -> tuple[Reading, ...]:
    """Return one reading per measure, in their order: of Lin et al.'s three those over the graph asked for.

    Where the answers state nothing, no reading calls them certain or uncertain.
    """
    soft = {one.measure: one for one in answers.readings if one.edges == "probabilities"}
    hard = [one for one in answers.readings if one.edges != "probabilities"]
    kept = tuple(soft.get(one.measure, one) if graph == "probabilities" else one for one in hard)
    return tuple(replace(one, uncertain=None) for one in kept) if states_nothing(answers) else kept


def verdict(result: UncertaintyResult) -> Verdict:
    """Return whether all measures of all sets of answers agree, and how many of them say uncertain."""
    read = [one for one in result.sets if one.readings]
    measured = [one for one in read if not states_nothing(one)]
    if read and not measured:
        return Verdict(word="no answer to compare", tone="unknown", sentence=NO_ANSWER, detail=sentence(result))
    splits = [split(one, "probabilities") for one in measured]
    uncertain = sum(len(said) for said, _ in splits)
    total = uncertain + sum(len(said) for _, said in splits)
    word, tone = "mixed", "middle"
    if not total:
        word, tone = "nothing to compare" if splits else "not measured", "unknown"
    elif uncertain in (0, total):
        word, tone = ("all say uncertain", "middle") if uncertain else ("all say certain", "model")
    said = f"{uncertain} of {total} readings say uncertain{right_answers(result)}" if total else sentence(result)
    brief, detail = "", sentence(result) if total else ""
    if word == "mixed" and not any(unsure and sure for unsure, sure in splits):
        word, brief = "agree set by set", sides_sentence(measured, splits)
        said = f"{brief} {said}"
    return Verdict(word=word, tone=cast(Tone, tone), sentence=said, detail=detail, brief=brief)


def sides_sentence(measured: Sequence[AnswerSet], splits: Sequence[tuple[Sequence[str], Sequence[str]]]) -> str:
    """Return which sets of answers all measures call uncertain, and which they call certain."""
    names = [SET_NAMES[one.word] for one in measured]
    unsure = [name for name, (said, _) in zip(names, splits, strict=True) if said]
    sure = [name for name, (_, said) in zip(names, splits, strict=True) if said]
    return f"Uncertain: {listing(unsure)}. Certain: {listing(sure)}."


def right_answers(result: UncertaintyResult) -> str:
    """Return how many of these readings on average say uncertain of a right answer elsewhere; "." without all rates."""
    read = [(answers, one) for answers in result.sets for one in on_graph(answers, "probabilities")]
    told = [(answers, one) for answers, one in read if one.uncertain is not None]
    rates = [rate for answers, one in told if (rate := rate_of(answers, one)) is not None]
    if len(rates) != len(told):
        return "."
    return f"; for a known right answer, {sum(one.of_right for one in rates):.0f} on average."


def states_nothing(answers: AnswerSet) -> bool:
    """Return whether every answer of a set is empty or says that it has none."""
    return none_states_answer(one.text for one in answers.answers)


def share(uncertain: Sequence[str], certain: Sequence[str]) -> str:
    """Return how many measures say uncertain, of how many that say anything.

    >>> share(("DSE",), ("U_deg", "U_ecc"))
    '1 of 3'
    """
    return f"{len(uncertain)} of {len(uncertain) + len(certain)}"


def measures_and_verb(uncertain: Sequence[str], certain: Sequence[str], verb: str) -> str:
    """Return "measures say" in the number that fits."""
    noun = "measure" if len(uncertain) + len(certain) == 1 else "measures"
    return f"{noun} {verb}{'s' if len(uncertain) == 1 else ''}"


def split(answers: AnswerSet, graph: Graph) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the measures that say uncertain, and of those that say certain."""
    told = [(MEASURES[one.measure].name, one.uncertain) for one in on_graph(answers, graph)]
    uncertain = tuple(name for name, says in told if says is True)
    return uncertain, tuple(name for name, says in told if says is False)


def sentence(result: UncertaintyResult, graph: Graph = "probabilities") -> str:
    """Return, set by set, how many measures say uncertain and which pull away from the others."""
    return " ".join(set_sentence(one, graph) for one in result.sets)


def set_title(answers: AnswerSet) -> str:
    """Return what a set of answers is called, as a heading."""
    name = SET_NAMES[answers.word]
    return name[:1].upper() + name[1:]


def set_sentence(answers: AnswerSet, graph: Graph) -> str:
    """Return one set's agreement in words: the smaller side is named."""
    name = set_title(answers)
    if not answers.readings:
        return f"{name}: not measured. {answers.not_measured}"
    uncertain, certain = split(answers, graph)
    count = counted(len(answers.answers), "answer")
    if states_nothing(answers):
        return f"{name} ({count}): {'all without an answer' if len(answers.answers) > 1 else 'it states nothing'}."
    if not uncertain and not certain:
        return f"{name}: {count}, too few to disagree."
    if not uncertain or not certain:
        word = "uncertain" if uncertain else "certain"
        return f"{name} ({count}): all {len(uncertain) + len(certain)} measures say {word}."
    few, word = (uncertain, "uncertain") if len(uncertain) <= len(certain) else (certain, "certain")
    verb = "says" if len(few) == 1 else "say"
    return (
        f"{name} ({count}): {share(uncertain, certain)} {measures_and_verb(uncertain, certain, 'say')} uncertain; "
        f"only {listing(few)} {verb} {word}."
    )


def beside_dense(answers: AnswerSet, graph: Graph) -> tuple[str, ...]:
    """Return the measures whose word differs from DSE's on the same answers; () where all agree or DSE has none."""
    own, held = dense_word(answers, graph), on_graph(answers, graph)
    if own is None:
        return ()
    return tuple(MEASURES[one.measure].name for one in held if one.uncertain is not None and one.uncertain != own)


def dense_word(answers: AnswerSet, graph: Graph) -> bool | None:
    """Return whether DSE calls a set of answers uncertain; None where it says neither."""
    return next((one.uncertain for one in on_graph(answers, graph) if one.measure == "degree_entropy"), None)


def disagreement_sentence(result: UncertaintyResult, graph: Graph) -> str:
    """Return which measures contradict DSE on the same answers, in words."""
    parts = [
        f"{listing(differing)} ({SET_NAMES[one.word]})"
        for one in result.sets
        if (differing := beside_dense(one, graph))
    ]
    if not any(one.readings for one in result.sets):
        return "Nothing was measured."
    if all(dense_word(one, graph) is None for one in result.sets):
        return "DSE calls none of these answers certain or uncertain."
    return f"Contradict DSE: {'; '.join(parts)}." if parts else "No measure contradicts DSE."


def readings_table(result: UncertaintyResult, graph: Graph = "probabilities") -> pd.DataFrame:
    """Return the text twin: a row per measure and set with value, range, cut, word, and why it is missing.

    ``highest`` is infinite where a measure has no bound.
    """
    found = [(SET_NAMES[answers.word], one) for answers in result.sets for one in on_graph(answers, graph)]
    missing = {True: "not measured", False: "nothing to compare"}
    says = {True: "uncertain", False: "certain"}
    return pd.DataFrame(
        {
            "measure": [MEASURES[one.measure].name for _, one in found],
            "answers": [name for name, _ in found],
            "value": [one.value for _, one in found],
            "unit": [MEASURES[one.measure].unit for _, one in found],
            "lowest": [one.low for _, one in found],
            "highest": [one.high for _, one in found],
            "uncertain above": [one.threshold for _, one in found],
            "threshold from": [one.threshold_source for _, one in found],
            "verdict": [
                missing[one.value is None] if one.uncertain is None else says[one.uncertain] for _, one in found
            ],
            "source": [MEASURES[one.measure].origin for _, one in found],
            "why not measured": [one.not_measured for _, one in found],
        }
    )


def title(result: UncertaintyResult, graph: Graph) -> str:
    """Return the finding of the figure in one line."""
    # DENSE's answers where there are any, else the first measured set.
    measured = [one for one in result.sets if one.readings]
    if not measured:
        return "Nothing was measured"
    first = next((one for one in measured if not states_nothing(one)), None)
    if first is None:
        return "No answer to compare"
    uncertain, certain = split(first, graph)
    if not uncertain and not certain:
        return "A single answer"
    return (
        f"{share(uncertain, certain)} {measures_and_verb(uncertain, certain, 'call')} {SET_NAMES[first.word]} uncertain"
    )


def agreement_figure(result: UncertaintyResult, theme: Theme, graph: Graph = "probabilities") -> go.Figure:
    """Return a grid, measures down and answers across; a cell has the value and its word, also as colour."""
    measured = [one for one in result.sets if one.readings]
    if not measured:
        return empty_figure(title(result, graph), sentence(result, graph), theme, 470)
    figure = go.Figure(layout=layout(theme, title(result, graph), height=470))
    names = [measure.name for measure in MEASURES.values()]
    differing = with_differing_cuts(result, graph)
    fields = []
    for column, answers in enumerate(measured):
        for one in on_graph(answers, graph):
            text = cell_text(one, one.measure in differing)
            fields.append(_draw_cell(figure, column, names.index(MEASURES[one.measure].name), one, text, theme))
    figure.update_layout(shapes=fields)
    still = still_axis(theme, showgrid=False)
    figure.update_xaxes(
        range=[-0.5, len(measured) - 0.5],
        tickvals=list(range(len(measured))),
        ticktext=[wrapped(f"{SET_NAMES[one.word]} ({len(one.answers)})", width=24) for one in measured],
        side="top",
        **still,
    )
    figure.update_yaxes(rows_axis([plain(name) for name in names], automargin=True, **still))
    figure.update_layout(showlegend=False, margin={"l": 16, "r": 16, "t": 116, "b": 16}, title={"y": 0.97})
    return figure


def with_differing_cuts(result: UncertaintyResult, graph: Graph) -> frozenset[MeasureWord]:
    """Return the measures whose cut is not the same in every set: they hang on how many answers there are."""
    cuts: dict[MeasureWord, set[str]] = {}
    for one in (one for answers in result.sets for one in on_graph(answers, graph)):
        if one.threshold is not None:
            cuts.setdefault(one.measure, set()).add(number(one.threshold))
    return frozenset(measure for measure, found in cuts.items() if len(found) > 1)


def shared_cuts(result: UncertaintyResult, graph: Graph) -> dict[str, str]:
    """Return by its name the threshold of each measure that has the same in every set, in words."""
    differing = with_differing_cuts(result, graph)
    digits: dict[MeasureWord, int] = {}
    for one in (one for answers in result.sets for one in on_graph(answers, graph)):
        digits[one.measure] = max(digits.get(one.measure, 0), digits_of(one))
    return {
        MEASURES[one.measure].name: f"threshold {number(one.threshold, digits[one.measure])}"
        for answers in result.sets
        for one in on_graph(answers, graph)
        if one.threshold is not None and one.measure not in differing
    }


def _draw_cell(figure: go.Figure, column: int, row: int, one: Reading, text: str, theme: Theme) -> dict[str, object]:
    """Draw the text of one cell, with the word that repeats its colour; return its coloured field."""
    colour = tone_colour(reading_tone(one), theme)
    edges = {"x0": column - 0.46, "x1": column + 0.46, "y0": row - 0.42, "y1": row + 0.42}
    figure.add_scatter(
        x=[column],
        y=[row],
        mode="text",
        text=[plain(text)],
        textfont={"size": 14, "color": theme.text},
        hovertext=[wrapped(reading_sentence(one))],
        hoverinfo="text",
        showlegend=False,
    )
    return {"type": "rect", "fillcolor": rgba(colour, 0.16), "line": {"color": colour, "width": 1}, **edges}


def measures_html(result: UncertaintyResult, graph: Graph = "probabilities") -> str:
    """Return the same grid as an escaped table in HTML, which wraps where a figure would shrink; each cell on hover.

    Its finding stands above it only where nothing was measured.
    """
    measured = [one for one in result.sets if one.readings]
    if not measured:
        return render("measures_grid.html.j2", title=title(result, graph), titled=True, said=sentence(result, graph))
    heads = [{"name": SET_NAMES[one.word], "count": len(one.answers)} for one in measured]
    shared = shared_cuts(result, graph)
    rows = [(name, shared.get(name, ""), cells) for name, cells in _grid_rows(result, measured, graph)]
    key = f"Small: answers called uncertain in {questions()} other questions (SmolLM2-135M)."
    missing = dict.fromkeys(one.not_measured for answers in measured for one in answers.readings if one.value is None)
    key = " ".join((key, *(f"Not measured: {reason}" for reason in missing if reason)))
    values = {"title": title(result, graph), "titled": False, "said": "", "heads": heads, "rows": rows, "key": key}
    return render("measures_grid.html.j2", **values)


def measures_svg(result: UncertaintyResult, theme: Theme, graph: Graph = "probabilities") -> str:
    """Return the same grid as a picture; "" where nothing was measured."""
    measured = [one for one in result.sets if one.readings]
    if not measured:
        return ""
    rows = _grid_rows(result, measured, graph)
    return grid_svg(
        GridPicture(
            title=title(result, graph),
            names=[name for name, _ in rows],
            besides=(),
            heads=[f"{SET_NAMES[one.word]} ({len(one.answers)})" for one in measured],
            cells=[
                [PictureCell(text=one["value"], rest=one["rest"], colour=getattr(theme, one["tone"])) for one in cells]
                for _, cells in rows
            ],
            column=CELL_PIXELS,
        ),
        theme,
    )


def _grid_rows(
    result: UncertaintyResult, measured: Sequence[AnswerSet], graph: Graph
) -> list[tuple[str, list[dict[str, str]]]]:
    """Return each measure's name with its cells, one for each set of answers."""
    differing = with_differing_cuts(result, graph)
    return [
        (measure.name, [_cell(answers, word, graph, word in differing) for answers in measured])
        for word, measure in MEASURES.items()
    ]


def _cell(answers: AnswerSet, measure: MeasureWord, graph: Graph, with_cut: bool) -> dict[str, str]:
    """Return what one cell of the grid says, its tone, and its reading in words; empty without such a reading."""
    one = next((one for one in on_graph(answers, graph) if one.measure == measure), None)
    if one is None:
        return {"value": "", "rest": "", "tone": "unknown", "hover": "", "base": ""}
    value, mark, word = cell_text(one).partition(" · ")
    cut = (
        f"threshold {number(one.threshold, digits_of(one))} · "
        if mark and with_cut and one.threshold is not None
        else ""
    )
    said = {"value": value, "rest": cut + word, "tone": reading_tone(one)}
    return {**said, "hover": f"{reading_sentence(one)} {base_words(answers, one)}".strip(), "base": base(answers, one)}


def base(answers: AnswerSet, one: Reading) -> str:
    """Return how often a measure called right and wrong answers uncertain elsewhere, short enough for a cell."""
    rate = rate_of(answers, one)
    return f"of right {rate.of_right:.0%}, of wrong {rate.of_wrong:.0%}" if rate else ""


def base_words(answers: AnswerSet, one: Reading) -> str:
    """Return the same with its counts."""
    rate = rate_of(answers, one)
    if rate is None:
        return ""
    return (
        f"On Natural Questions uncertain: {rate.right_uncertain} of {rate.right} right, "
        f"{rate.wrong_uncertain} of {rate.wrong} wrong."
    )


def reading_tone(one: Reading) -> Tone:
    """Return the tone of a reading's word: uncertain, certain, or neither."""
    tones: dict[bool | None, Tone] = {True: "middle", False: "model", None: "unknown"}
    return tones[one.uncertain]


def cell_text(one: Reading, with_cut: bool = False) -> str:
    """Return a value, its cut where asked for, and its word, short enough for a cell."""
    if one.value is None:
        return "not measured"
    word = {True: "uncertain", False: "certain", None: "–"}[one.uncertain]
    digits = digits_of(one)
    cut = f", threshold {number(one.threshold, digits)}" if with_cut and one.threshold is not None else ""
    return f"{number(one.value, digits)}{cut} · {word}"


def reading_sentence(one: Reading) -> str:
    """Return one reading in words: value, range, threshold and where that comes from."""
    measure, digits = MEASURES[one.measure], digits_of(one)
    if one.value is None:
        return f"{measure.name}: not measured. {one.not_measured}"
    value = f"{measure.name} = {number(one.value, digits)} ({measure.unit}, {number(one.low)} to {number(one.high)})"
    if one.threshold is None:
        return f"{value}; a single answer."
    origin = "the paper's" if one.threshold_source == "paper" else one.threshold_source
    return f"{value}; uncertain above {number(one.threshold, digits)} ({origin})."


def digits_of(one: Reading) -> int:
    """Return the decimals at which a reading and its cut read apart; two without one of them."""
    return 2 if one.value is None or one.threshold is None else digits_apart(one.value, one.threshold)


def number(value: float, digits: int = 2) -> str:
    """Return a number with so many decimals; of two, two digits below a tenth.

    >>> number(0.5), number(0.0042), number(0.09), number(math.inf), number(0.0), number(0.204, 3)
    ('0.50', '0.0042', '0.09', '∞', '0', '0.204')
    """
    if math.isinf(value):
        return "∞"
    if abs(value) < 5e-5:
        return "0"
    return f"{value:.{digits}f}" if abs(value) >= 0.1 or digits > 2 else f"{value:.2g}"


def meaning_texts(answers: AnswerSet) -> tuple[str, ...]:
    """Return, for each answer of a set, the text its meaning goes by: that of the first answer that says it."""
    return tuple(answers.answers[answers.ids.index(meaning)].text for meaning in answers.ids)


def answers_table(answers: AnswerSet, meaning: str = "") -> pd.DataFrame:
    """Return the answers of a set with their meaning's number and mean token log-probability in nats.

    Where a ``meaning`` is chosen, a mark stands at the answers that say it.
    """
    rows = [
        {"answer": shown(one.text), "meaning": meaning + 1, "mean log-prob (nats)": one.mean_logprob}
        for one, meaning in zip(answers.answers, answers.ids, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["answer", "meaning", "mean log-prob (nats)"])
    if meaning:
        table.insert(0, "chosen", ["◆" if same_meaning(text, meaning) else "" for text in meaning_texts(answers)])
    return table
