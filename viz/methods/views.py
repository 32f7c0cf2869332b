"""How each method's result is drawn: its verdict, its figures with their sentences, its tables. ``VIEWS`` is the list.

The pages draw the same functions with controls around them; a bundle and the downloads need them all in a row.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from engine.diagnosis.record import MethodResult
from engine.methods.quco_rag import QucoResult
from engine.methods.timing.method import TimingResult
from engine.methods.uncertainty import UncertaintyResult
from viz.methods import (
    belief_steps,
    chunk_utility,
    contradictions,
    dense,
    dense_rag,
    entropy_trend,
    quco_loop,
    quco_rag,
    question_parts,
    seper,
    sufficiency,
    sugar,
    timing,
    uncertainty,
)
from viz.methods.agreement_matrix import matrix_sentence, weight_matrix
from viz.methods.belief_bars import belief_bars, beliefs_table
from viz.methods.belief_change import delta_figure
from viz.methods.cooccurrence_network import cooccurrence_network
from viz.methods.entailment_graph import entailment_graph, graph_sentence
from viz.methods.entity_bars import bars_title, entity_bars
from viz.methods.entropy_bar import entropy_bar
from viz.methods.refinement_figure import refinement_figure
from viz.methods.staircase import staircase
from viz.methods.sugar_figure import entropy_figure
from viz.methods.swim_lanes import run_lanes, trace_lanes
from viz.methods.trend_figure import trend_figure
from viz.methods.verdicts import Verdict
from viz.parts.exhibit import Exhibit
from viz.parts.theme import Theme
from viz.parts.token_strip import tokens_table
from viz.parts.words import WORDS

HEADINGS = WORDS["exhibit headings"]


@dataclass(frozen=True, slots=True)
class Part:
    """An exhibit of a method: its name, and how sentence, figure and table come from the result; "" and None: none."""

    name: str
    sentence: Callable[[Any], str] | None = None
    draw: Callable[[Any, Theme], go.Figure] | None = None
    table: Callable[[Any], pd.DataFrame] | None = None

    def of(self, result: object, heading: str = "") -> Exhibit:
        """Return the exhibit of one result."""
        return Exhibit(
            name=self.name,
            heading=heading or HEADINGS.get(self.name, self.name.replace("-", " ").capitalize()),
            sentence="" if self.sentence is None else self.sentence(result),
            draw=None if self.draw is None else partial(self.draw, result),
            table=None if self.table is None else self.table(result),
        )


@dataclass(frozen=True, slots=True)
class View:
    """The verdict on a method's result, its exhibits in order, and those that only some results have."""

    verdict: Callable[[Any], Verdict]
    parts: tuple[Part, ...]
    more: Callable[[Any], list[Exhibit]] = lambda result: []


def loop_exhibits(result: QucoResult) -> list[Exhibit]:
    """Return QuCo-RAG's loop where there was one."""
    part = Part("quco-loop", lambda loop: quco_loop.loop_verdict(loop).sentence, table=quco_loop.steps_table)
    return [] if result.loop is None else [part.of(result.loop)]


def answer_exhibits(result: UncertaintyResult) -> list[Exhibit]:
    """Return the answers of each set that has any."""
    found = [answers for answers in result.sets if answers.answers]
    parts = [Part(f"uncertainty-{one.word.replace('_', '-')}", table=uncertainty.answers_table) for one in found]
    return [part.of(one, uncertainty.set_title(one)) for part, one in zip(parts, found, strict=True)]


def policy_exhibits(result: TimingResult) -> list[Exhibit]:
    """Return the policies' own runs where there are any, and the belief steps of each run that has some."""
    found = [Part("timing-runs", timing.runs_sentence, run_lanes, timing.runs_table).of(result)] if result.runs else []
    for run in (run for run in result.runs if run.stairs):
        name, heading = run.policy.replace("_", "-"), f"Belief at each retrieval of {timing.policy_title(run.policy)}"
        said, table = belief_steps.belief_steps_sentence, belief_steps.belief_steps_table
        part = Part(f"timing-stairs-{name}", said, staircase, table)
        found.append(part.of(run, heading))
    return found


DENSE = (
    Part("dense-graph", graph_sentence, entailment_graph, dense.chunk_table),
    Part("dense-entropy", dense.entropy_sentence, entropy_bar),
    Part("dense-agreement", matrix_sentence, weight_matrix),
)
DENSE_RAG = Part("dense-rag-contexts", dense_rag.sentence, refinement_figure, dense_rag.steps_table)
SEPER = (
    Part("seper-change", seper.sentence, delta_figure),
    Part("seper-beliefs", seper.belief_sentence, belief_bars, beliefs_table),
    Part("seper-samples", table=seper.samples_table),
)
TREND = (
    Part("etc-trend", entropy_trend.sentence, trend_figure, entropy_trend.words_table),
    Part("etc-tokens", entropy_trend.conclusion, table=lambda result: tokens_table(result.generation.tokens)),
)
TIMING = Part("timing-trace", timing.trace_sentence, trace_lanes, timing.traces_table)
QUCO = (
    Part("quco-network", quco_rag.sentence, cooccurrence_network, quco_rag.claims_table),
    Part("quco-entities", bars_title, entity_bars, quco_rag.entities_table),
)
SUGAR = (
    Part("sugar-entropy", sugar.sentence, entropy_figure, sugar.rounds_table),
    Part("sugar-meanings", table=lambda result: sugar.meanings_table(result.closed_book)),
)
MEASURES = Part("uncertainty-measures", uncertainty.sentence, uncertainty.agreement_figure, uncertainty.readings_table)
UTILITY = Part(
    "chunk-utility",
    chunk_utility.sentence,
    chunk_utility.utility_figure,
    chunk_utility.utility_table,
)
SUFFICIENCY = Part("sufficiency-passages", sufficiency.sentence, sufficiency.yes_figure, sufficiency.passages_table)
CONTRADICTIONS = Part("contradictions-pairs", contradictions.sentence, table=contradictions.pairs_table)
QUESTION_PARTS = Part("question-parts", question_parts.sentence, table=question_parts.parts_table)
VIEWS = {
    "dense": View(dense.verdict, DENSE),
    "dense_rag": View(dense_rag.verdict, (DENSE_RAG,)),
    "seper": View(seper.verdict, SEPER),
    "entropy_trend": View(entropy_trend.verdict, TREND),
    "timing": View(timing.verdict, (TIMING,), policy_exhibits),
    "quco_rag": View(quco_rag.verdict, QUCO, loop_exhibits),
    "sugar": View(sugar.verdict, SUGAR),
    "uncertainty": View(uncertainty.verdict, (MEASURES,), answer_exhibits),
    "chunk_utility": View(chunk_utility.verdict, (UTILITY,)),
    "sufficiency": View(sufficiency.verdict, (SUFFICIENCY,)),
    "contradictions": View(contradictions.verdict, (CONTRADICTIONS,)),
    "question_parts": View(question_parts.verdict, (QUESTION_PARTS,)),
}


def exhibits_of(result: MethodResult) -> tuple[Exhibit, ...]:
    """Return what a method's result is shown by."""
    view = VIEWS[result.method]
    return (*(part.of(result) for part in view.parts), *view.more(result))
