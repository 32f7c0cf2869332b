"""The failure atlas drawn: a strip for each run, and the table of kinds and methods as figure, sentence and rows.

A strip goes from memory over the passages to the answer; boxes carry a sign and a border of their own beside the
colour. In the matrix a symbol and a word say what a colour says. Nothing is computed anew.
"""

from collections.abc import Sequence
from typing import Literal

import pandas as pd
import plotly.graph_objects as go

from engine.core.words import shown
from engine.learning.atlas.facts import (
    answer_text,
    conclusion_word,
    copy_ranks,
    is_right,
    ranks_containing,
    ranks_with_answer,
    right_from_memory,
    says_right,
)
from engine.learning.atlas.kinds import KINDS, Kind
from engine.learning.atlas.shelf import Specimen, clue_of, detection_board, detections, methods_with_clues
from engine.learning.known_truth import Seen
from engine.methods import METHODS
from engine.methods.entropy_trend import EntropyTrendResult
from viz.methods.check_rates import right_elsewhere
from viz.methods.verdicts import Tone
from viz.parts.exhibit import Exhibit
from viz.parts.figure_parts import empty_figure
from viz.parts.html import render
from viz.parts.theme import Theme, layout, plain
from viz.parts.words import counted, listing, quoted
from viz.runs.summary import verdict_of

State = Literal["saw", "missed", "not measured", "no rule"]
# The sign in words, the symbol in the figure, the tone of a chip.
STATES: dict[State, tuple[str, str, Tone]] = {
    "saw": ("✔", "circle", "good"),
    "missed": ("✖", "x-thin-open", "bad"),
    "not measured": ("?", "square-open", "unknown"),
    "no rule": ("–", "line-ew-open", "unknown"),
}


def signed_state(state: State) -> str:
    """Return a state with its sign."""
    return f"{STATES[state][0]} {state}"


def state_of(seen: Seen | None) -> State:
    """Return a cell of the matrix in words; None is a method without a clue to the kind."""
    return "no rule" if seen is None else seen


def chips_html(specimen: Specimen) -> str:
    """Return which methods noticed the failure and which did not, as chips."""
    found = sorted(detections(specimen), key=lambda one: list(STATES).index(one.seen))
    chips = [(STATES[one.seen][2], STATES[one.seen][0], f"{METHODS[one.method].title} {one.seen}") for one in found]
    return render("atlas_chips.html.j2", chips=chips)


def holds(specimen: Specimen, rank: int) -> str:
    """Return what a passage holds, in words: the right answer, the wrong one that was given, both or neither."""
    right = rank in ranks_with_answer(specimen.run, specimen.question)
    given = rank in ranks_containing(specimen.run, answer_text(specimen.run)) and not is_right(
        specimen.run, specimen.question
    )
    words = (
        "right and wrong answer" if right and given else "right answer" if right else "wrong answer" if given else ""
    )
    copied = "a copy" if rank in copy_ranks(specimen.run) else ""
    return ", ".join(part for part in (words or "neither", copied) if part)


def strip_sentence(specimen: Specimen) -> str:
    """Return the strip in words."""
    passages = "; ".join(f"passage {hit.rank}: {holds(specimen, hit.rank)}" for hit in specimen.run.hits)
    memory = "right" if right_from_memory(specimen.run, specimen.question) else "wrong"
    answer = "right" if is_right(specimen.run, specimen.question) else "wrong"
    return (
        f"From memory {quoted(specimen.run.closed_book.text)} ({memory}). {passages}. "
        f"Over the passages {quoted(answer_text(specimen.run))} ({answer}).{timeline_sentence(specimen)}"
    )


def timeline_sentence(specimen: Specimen) -> str:
    """Return in words where the conclusion of the answer from memory and ETC's first lookup stand; "" elsewhere."""
    trend, written = specimen.run.result(EntropyTrendResult), conclusion_word(specimen.run)
    if specimen.kind.stage != "timing" or trend is None or written is None:
        return ""
    looked = f"before word {trend.triggers[0].word + 1}" if trend.triggers else "nowhere"
    return (
        f" Step by step, {quoted(trend.answer)} is first written at word {written + 1} of {len(trend.words)}; "
        f"ETC first looks up {looked}."
    )


def strip_html(specimen: Specimen, theme: Theme) -> str:
    """Return the way from memory over the passages to the answer as boxes; its sentence is its label."""
    run, question = specimen.run, specimen.question
    return render(
        "atlas_strip.html.j2",
        sentence=strip_sentence(specimen),
        memory=(*cut_and_whole(run.closed_book.text), right_from_memory(run, question)),
        given=(*cut_and_whole(answer_text(run)), is_right(run, question)),
        boxes=[_passage_box(specimen, hit.rank, theme) for hit in run.hits],
        marks=_timeline_marks(specimen, theme) if specimen.kind.stage == "timing" else [],
        theme=theme,
    )


def cut_and_whole(text: str) -> tuple[str, str]:
    """Return a text as it is drawn, cut at 40 letters, and whole for the mouse."""
    return shown(text, 40), shown(text)


def _timeline_marks(specimen: Specimen, theme: Theme) -> list[tuple[int, float, str, str, str]]:
    """Return where the conclusion is written and where ETC fires.

    Each as (word, share of the answer before it, colour, label, the whole conclusion).
    """
    trend, written = specimen.run.result(EntropyTrendResult), conclusion_word(specimen.run)
    if trend is None or not trend.words:
        return []
    right = says_right(trend.answer, specimen.question)
    conclusion = f"{'✔' if right else '✖'} {shown(trend.answer, 24)}"
    colour = theme.good if right else theme.bad
    marks = [] if written is None else [(written, colour, conclusion, shown(trend.answer))]
    marks += [(one.word, theme.middle, "▲ ETC looks up", "") for one in trend.triggers[:1]]
    return [(mark[0], mark[0] / len(trend.words), *mark[1:]) for mark in marks]


def _passage_box(specimen: Specimen, rank: int, theme: Theme) -> dict[str, object]:
    """Return a passage's box: its number, a star where it has the correct answer, a cross where the wrong one."""
    words = holds(specimen, rank)
    star, cross = "right" in words, "wrong" in words
    signs = ("★" if star else "") + ("✖" if cross else "") + ("=" if "copy" in words else "")
    colour, border = (theme.gold, "double") if star else (theme.bad, "dashed") if cross else (theme.unknown, "dotted")
    hover = f"Passage {rank}: {words}"
    return {"rank": rank, "signs": signs or "○", "colour": colour, "border": border, "hover": hover}


# Quotation marks within quotation marks are single.
INNER = str.maketrans("“”", "‘’")
STRIP_KEY = "★ right answer · ✖ the given wrong one · = a copy · ○ neither"


def strip_table(specimen: Specimen) -> pd.DataFrame:
    """Return the text twin of the strip: a row for each passage with what it holds."""
    return pd.DataFrame(
        [
            {"passage": hit.rank, "title": hit.passage.title, "holds": holds(specimen, hit.rank)}
            for hit in specimen.run.hits
        ]
    )


def clues_table(specimen: Specimen) -> pd.DataFrame:
    """Return who noticed, a row for each method: what it takes, what came of it, and the method's own word."""
    return pd.DataFrame(
        [
            {
                "method": METHODS[one.method].title,
                "noticed": signed_state(one.seen),
                "it notices when": one.words,
                "also of right answers": right_elsewhere(one.base),
                "its word on this run": verdict_of(specimen.run.outcome(one.method)).word,
            }
            for one in detections(specimen)
        ]
    )


def matrix_sentence(specimens: Sequence[Specimen]) -> str:
    """Return in words how many failures each method noticed, of those it has an eye for, and which nobody did."""
    if not specimens:
        return "No failure is shown."
    parts = [f"{METHODS[method].title} {share}" for method, share in noticed_shares(specimens).items()]
    unseen = [KINDS[word].title for word in unnoticed(specimens)]
    alone = f" Noticed by no method: {listing([f'“{title}”' for title in unseen])}." if unseen else ""
    return f"Noticed, of the failures a method can notice: {listing(parts)}.{alone}"


def unjudged_sentence() -> str:
    """Return which methods the matrix leaves out, and why; "" where it has all."""
    left_out = [method.title for word, method in METHODS.items() if word not in methods_with_clues()]
    return f"Not in the table: {listing(left_out)}. No kind of failure has a rule for them." if left_out else ""


def noticed_shares(specimens: Sequence[Specimen]) -> dict[str, str]:
    """Return by method how many failures it noticed, of those that it has an eye for and measured: "2 of 11"."""
    cells, shares = detection_board(specimens), {}
    for method in methods_with_clues():
        judged = [row[method] for row in cells.values() if row.get(method, "not measured") != "not measured"]
        if judged:
            shares[method] = f"{judged.count('saw')} of {len(judged)}"
    return shares


def matrix_title(specimens: Sequence[Specimen]) -> str:
    """Return the finding: how many failures no method noticed, or that each was noticed."""
    unseen = unnoticed(specimens)
    total = counted(len(specimens), "failure")
    return f"{len(unseen)} of {total} noticed by no method" if unseen else f"Each of {total} noticed by some method"


def unnoticed(specimens: Sequence[Specimen]) -> list[str]:
    """Return the kinds of failure that no method noticed."""
    return [word for word, row in detection_board(specimens).items() if "saw" not in row.values()]


def matrix_figure(specimens: Sequence[Specimen], theme: Theme) -> go.Figure:
    """Return kinds by methods: a symbol in every cell, and its colour, for saw, missed, not measured or elsewhere."""
    if not specimens:
        return empty_figure("No failure is shown", matrix_sentence(specimens), theme)
    figure = go.Figure()
    colours = {"saw": theme.good, "missed": theme.bad, "not measured": theme.unknown, "no rule": theme.line}
    cells, methods = detection_board(specimens), methods_with_clues()
    for state in STATES:
        places = [
            (METHODS[method].title, KINDS[word].title, hover_words(KINDS[word], method, state))
            for word, row in cells.items()
            for method in methods
            if state_of(row.get(method)) == state
        ]
        figure.add_scatter(
            x=[place[0] for place in places],
            y=[place[1] for place in places],
            customdata=[place[2] for place in places],
            mode="markers",
            name=signed_state(state),
            marker={
                "symbol": STATES[state][1],
                "size": 17 if state == "saw" else 13,
                "color": colours[state],
                "line": {"width": 3 if state == "missed" else 2, "color": colours[state]},
            },
            hovertemplate="%{customdata}<extra></extra>",
        )
    _arrange(figure, specimens, methods, theme)
    return figure


def _arrange(figure: go.Figure, specimens: Sequence[Specimen], methods: Sequence[str], theme: Theme) -> None:
    """Set the matrix's frame: kinds from top to bottom in their order, methods named below."""
    figure.update_layout(layout(theme, matrix_title(specimens)), overwrite=True)
    figure.update_layout(height=190 + 32 * len(specimens), margin={"l": 340, "r": 24, "t": 64, "b": 120})
    figure.update_layout(legend={"y": 1.0, "yanchor": "bottom", "x": 0})
    figure.update_xaxes(
        title={"text": "method", "standoff": 14},
        categoryorder="array",
        categoryarray=[METHODS[method].title for method in methods],
        tickangle=-30,
        gridcolor=theme.line,
        zeroline=False,
    )
    figure.update_yaxes(
        categoryorder="array",
        categoryarray=[specimen.kind.title for specimen in specimens][::-1],
        gridcolor=theme.line,
        zeroline=False,
        automargin=True,
    )


def hover_words(kind: Kind, method: str, state: State) -> str:
    """Return what stands over a cell, escaped."""
    clue = clue_of(kind, method)
    rule = f"<br>{plain(clue.words)}" if clue is not None else ""
    return f"{plain(METHODS[method].title)}: {plain(state)}{rule}"


def matrix_table(specimens: Sequence[Specimen]) -> pd.DataFrame:
    """Return the text twin of the matrix: a row for each kind, its question, and a word for every method."""
    cells = detection_board(specimens)
    return pd.DataFrame(
        [
            {
                "failure": specimen.kind.title,
                "question": specimen.run.question,
                **{
                    METHODS[method].title: signed_state(state_of(cells[specimen.kind.word].get(method)))
                    for method in methods_with_clues()
                },
            }
            for specimen in specimens
        ]
    )


def matrix_exhibit(specimens: Sequence[Specimen]) -> Exhibit:
    """Return the matrix with its words and its table, as downloads take it."""
    return Exhibit(
        name="failure-atlas",
        heading="Who notices which failure",
        sentence=matrix_sentence(specimens),
        draw=lambda theme: matrix_figure(specimens, theme),
        table=matrix_table(specimens),
    )


def missing_sentence(specimens: Sequence[Specimen]) -> str:
    """Return which kinds have no run, "" where all have one."""
    there = {specimen.kind.word for specimen in specimens}
    absent = [f"“{kind.title.translate(INNER)}”" for kind in KINDS.values() if kind.word not in there]
    if not absent:
        return ""
    return f"Kinds without a recorded run: {listing(absent)}."
