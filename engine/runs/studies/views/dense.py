"""DENSE's evidence: right answers by DSE (figure 3, table 9), and DSE beside other measures of uncertainty (table 1).

Right is that the answer contains a correct one, beside exact match, which is the paper's. A baseline counts where its
method was asked; where DSE is not measured, a question counts for none of them, so that all stand on the same ones.
"""

import numpy as np

from engine.measures.checks import Floats
from engine.measures.ranking import auarc, aurac, auroc
from engine.measures.resampling import bin_places
from engine.runs.studies.table import StudyTable
from engine.runs.studies.views.base import Found, Mark, View, best, known, mean, paper, span, with_interval

DSE = "dense.entropy"
EDGES = (0.05, 0.2, 0.4, 0.7)
BINS = ("0 to 0.05", "0.05 to 0.2", "0.2 to 0.4", "0.4 to 0.7", "0.7 and more")
LLAMA = "Llama-3.1-8B"
SETS = (
    ("reworded", "reworded contexts"),
    ("with_passages", "samples over the passages"),
)
MEASURES = (
    ("degree_decisions", "U_deg"),
    ("eigenvalue_decisions", "U_eigv"),
    ("eccentricity_decisions", "U_ecc"),
    ("heat_kernel_decisions", "KLE heat"),
    ("matern_kernel_decisions", "KLE Matérn"),
    ("discrete_semantic_entropy_decisions", "discrete semantic entropy"),
    ("semantic_entropy_decisions", "semantic entropy"),
    ("predictive_entropy", "predictive entropy"),
)
READING = "uncertainty.sets.{}.readings.{}.value"


def by_bins(table: StudyTable) -> Found:
    """Return right answers by DSE, in five bins, with the share of exact matches beside."""
    marks = []
    for series, address in (("contains a correct answer", "answer.right"), ("exact match", "answer.exact")):
        entropy, right = known(table, DSE, address)
        places = bin_places(entropy, EDGES)
        marks += [with_interval(series, label, mean, right[places == at]) for at, label in enumerate(BINS)]
    shown = tuple(one for one in marks if one.n)
    first = [one for one in shown if one.series.startswith("contains")]
    said = f"Right at the lowest DSE: {span(first[0])}; at the highest: {span(first[-1])}."
    if len(first) == 1:
        said = f"Every DSE is within {first[0].label} nats; right: {span(first[0])}."
    return Found(finding=said, marks=shown, notes=("Five bins of DSE in nats; an edge belongs to the bin above.",))


def certain_uncertain(table: StudyTable) -> Found:
    """Return right answers of certain (DSE at most 0.2) and uncertain questions (table 9)."""
    marks = []
    for series, address in (("exact match", "answer.exact"), ("contains a correct answer", "answer.right")):
        entropy, right = known(table, DSE, address)
        for label, chosen in (("certain", entropy <= 0.2), ("uncertain", entropy > 0.2)):
            marks.append(with_interval(series, label, mean, right[chosen]))
    shown = tuple(one for one in marks if one.n)
    told = ", ".join(f"{one.label} {span(one)}" for one in shown if one.series == "exact match")
    return Found(finding=f"Exact match: {told}.", marks=shown)


def scores_in(table: StudyTable) -> list[tuple[str, Floats]]:
    """Return every measure of uncertainty that the study has, by name; higher = more uncertain."""
    found: list[tuple[str, Floats]] = [("DSE", table.values(DSE))]
    for word, title in SETS:
        for measure, name in MEASURES:
            address = READING.format(word, measure)
            if table.has(address):
                found.append((f"{name}, {title}", table.values(address)))
    for name, address in (
        ("semantic entropy, SePer's samples", "seper.with_passages.entropy"),
        ("semantic entropy from memory", "seper.without.entropy"),
    ):
        if table.has(address):
            found.append((name, table.values(address)))
    if table.has("answer.logprob"):
        found.append(("negative mean log-probability", -table.values("answer.logprob")))
    return found


def ranking(table: StudyTable) -> Found:
    """Return AUROC, AURAC and AUARC of DSE and of every other measure, on the questions where DSE was measured."""
    right = table.values("answer.right")
    base = np.isfinite(right) & np.isfinite(table.values(DSE))
    marks = []
    for name, values in scores_in(table):
        chosen = base & np.isfinite(values)
        if not chosen.any():
            continue
        correct, uncertainty = right[chosen], values[chosen]
        marks += [
            with_interval("AUROC", name, lambda c, u: auroc(1 - c, u), correct, uncertainty),
            with_interval("AURAC", name, aurac, correct, uncertainty),
            with_interval("AUARC", name, lambda c, u: auarc(c, u, "averaged"), correct, uncertainty),
        ]
    rocs = [one for one in marks if one.series == "AUROC"]
    top = best(rocs)
    if top is None:
        return Found(finding="All answers are right, or all wrong: nothing can be ranked.", marks=tuple(marks))
    own = rocs[0]
    said = f"DSE: AUROC {span(own)}." + ("" if top is own else f" Highest: {top.label}, {span(top)}.")
    notes = (
        "AUROC: 0.5 is chance. AURAC ends at 18/19 (Farquhar et al.), AUARC at 1 (Lin et al.).",
        "The paper prints one column for both; its values stand under AUROC only.",
    )
    return Found(finding=said, marks=tuple(marks), notes=notes)


def refinement(table: StudyTable) -> Found:
    """Return right answers before and after DENSE-RAG, of certain and of uncertain questions (table 2)."""
    marks: list[Mark] = []
    for series, word in (("first context", "first"), ("after DENSE-RAG", "final")):
        entropy, right = known(table, "dense_rag.first_entropy", f"dense_rag.{word}.exact")
        for label, chosen in (("certain", entropy <= 0.2), ("uncertain", entropy > 0.2)):
            marks.append(with_interval(series, label, mean, right[chosen]))
    shown = tuple(one for one in marks if one.n)
    told = "; ".join(f"{one.label}, {one.series}: {span(one)}" for one in shown)
    return Found(finding=f"Exact match. {told}.", marks=shown)


def entailment(table: StudyTable) -> Found:
    """Return how often a rewording was judged to say the same as its passage (table 6)."""
    (rates,) = known(table, "dense.entailment_rate")
    one = with_interval("rewordings", "entailed", mean, rates)
    return Found(finding=f"Share of rewordings that the judge calls entailed: {span(one)}.", marks=(one,))


VIEWS = (
    View(
        name="dense_bins",
        title="Right answers by DSE",
        paper="DENSE, figure 3 and table 10",
        kind="bars",
        x_title="DSE (nats)",
        y_title="Share of right answers",
        needs=(DSE, "answer.right"),
        methods="Ask the study with the method dense, and correct answers in the file of questions.",
        find=by_bins,
        direction="It should fall from left to right.",
    ),
    View(
        name="dense_certain",
        title="Exact match of certain and uncertain questions",
        paper="DENSE, table 9",
        kind="bars",
        x_title="DSE at most 0.2 nats, or more",
        y_title="Share of right answers",
        needs=(DSE, "answer.exact"),
        methods="Ask the study with the method dense, and correct answers in the file of questions.",
        find=certain_uncertain,
        direction="Certain should stand above uncertain.",
        papers=paper("exact match, Natural Questions", LLAMA, [("certain", 0.633), ("uncertain", 0.358)]),
    ),
    View(
        name="dense_ranking",
        title="Which measure of uncertainty finds wrong answers",
        paper="DENSE, table 1",
        kind="rows",
        x_title="AUROC, AURAC, AUARC",
        one_scale=True,
        y_title="",
        needs=(DSE, "answer.right"),
        methods="Ask the study with the methods dense, seper and uncertainty, and correct answers.",
        find=ranking,
        direction="Higher is better.",
        papers=(
            *paper("AUROC", f"{LLAMA}, Natural Questions", [("DSE", 0.673)]),
            *paper("AUROC", f"{LLAMA}, Natural Questions", [("U_eigv, samples over the passages", 0.642)]),
        ),
    ),
    View(
        name="dense_rag",
        title="Right answers before and after DENSE-RAG",
        paper="DENSE, table 2",
        kind="bars",
        x_title="DSE of the first context at most 0.2 nats, or more",
        y_title="Exact match",
        needs=("dense_rag.first_entropy", "dense_rag.final.exact"),
        methods="Ask the study with the method dense_rag, and correct answers in the file of questions.",
        find=refinement,
        papers=(
            *paper("first context", f"{LLAMA}, Natural Questions", [("uncertain", 0.358)]),
            *paper("after DENSE-RAG", f"{LLAMA}, Natural Questions", [("uncertain", 0.422)]),
        ),
    ),
    View(
        name="dense_rewordings",
        title="Rewordings that keep their meaning",
        paper="DENSE, table 6",
        kind="bars",
        x_title="",
        y_title="Share entailed",
        needs=("dense.entailment_rate",),
        methods="Ask the study with the method dense.",
        find=entailment,
        papers=paper("rewordings", "Llama-3.1-8B, at least", [("entailed", 0.93)]),
    ),
)
