"""DENSE's evidence: right answers by DSE (figures 3 and 5, table 9), and DSE beside other measures (tables 1 and 8).

Right is as on every page (``answer_marks``), beside exact match, which is the paper's. A baseline counts where its
method was asked; where DSE is not measured, a question counts for none of them, so that all stand on the same ones.
The paper's baselines are those at the temperature of our samples, 1, which its table 8 has.
"""

import numpy as np

from engine.measures.checks import Floats
from engine.measures.ranking import auarc, aurac, prediction_rejection_area
from engine.measures.resampling import bin_places
from engine.runs.studies.table import StudyTable
from engine.runs.studies.views.base import (
    Found,
    Mark,
    View,
    decimals,
    known,
    mean,
    paper,
    share,
    span,
    with_interval,
    wrong_found,
)
from engine.runs.studies.views.leading import Entrant, above_sentence, unranked

DSE = "dense.entropy"
EDGES = (0.05, 0.2, 0.4, 0.7)
BINS = ("0 to 0.05", "0.05 to 0.2", "0.2 to 0.4", "0.4 to 0.7", "0.7 and more")
THRESHOLDS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.2)
LEAST = 5
QUICK = 200  # two areas of twenty measures: 500 repeats of each take seconds
LLAMA = "Llama-3.1-8B, Natural Questions"
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
# Table 8, temperature 1.0, Natural Questions: AUROC and the column called AUARC.
PAPERS = (
    ("U_deg", 0.7500, 0.8135),
    ("U_eigv", 0.7512, 0.8149),
    ("KLE heat", 0.7484, 0.8165),
    ("KLE Matérn", 0.6773, 0.7786),
    ("discrete semantic entropy", 0.7229, 0.7915),
)
FIRST, FINAL = "first context", "after DENSE-RAG"
READING = "uncertainty.sets.{}.readings.{}.value"


def by_bins(table: StudyTable) -> Found:
    """Return right answers by DSE, in five bins, with the share of exact matches beside."""
    marks = []
    for series, address in (("right", "answer.right"), ("exact match", "answer.exact")):
        entropy, right = known(table, DSE, address)
        places = bin_places(entropy, EDGES)
        marks += [with_interval(series, label, share, right[places == at]) for at, label in enumerate(BINS)]
    shown = tuple(one for one in marks if one.n)
    first = [one for one in shown if one.series == "right"]
    said = f"Right at the lowest DSE: {span(first[0])}; at the highest: {span(first[-1])}."
    if len(first) == 1:
        said = f"Every DSE is within {first[0].label} nats; right: {span(first[0])}."
    return Found(finding=said, marks=shown, notes=("An edge belongs to the bin above it.",))


def certain_uncertain(table: StudyTable) -> Found:
    """Return right answers of certain (DSE at most 0.2) and uncertain questions (table 9)."""
    marks = []
    for series, address in (("exact match", "answer.exact"), ("right", "answer.right")):
        entropy, right = known(table, DSE, address)
        for label, chosen in (("certain", entropy <= 0.2), ("uncertain", entropy > 0.2)):
            marks.append(with_interval(series, label, share, right[chosen]))
    shown = tuple(one for one in marks if one.n)
    told = ", ".join(f"{one.label} {span(one)}" for one in shown if one.series == "exact match")
    return Found(finding=f"Exact match: {told}.", marks=shown)


def by_threshold(table: StudyTable) -> Found:
    """Return the exact match of certain and uncertain questions for several thresholds of DSE (figure 5).

    A group of fewer than five questions is left out.
    """
    entropy, right = known(table, DSE, "answer.exact")
    marks: list[Mark] = []
    gaps: list[float] = []
    for threshold in THRESHOLDS:
        groups = {"certain": right[entropy <= threshold], "uncertain": right[entropy > threshold]}
        shown = {name: values for name, values in groups.items() if values.size >= LEAST}
        label = f"threshold {threshold:g}"
        marks += [with_interval(name, label, share, values, x=threshold) for name, values in shown.items()]
        if len(shown) == 2:
            gaps.append(mean(groups["certain"]) - mean(groups["uncertain"]))
    if not gaps:
        return Found(finding="No threshold parts the questions into two groups of five or more.", marks=tuple(marks))
    said = f"Certain minus uncertain, exact match: {decimals(min(gaps))} to {decimals(max(gaps))} by threshold."
    return Found(finding=said, marks=tuple(marks), notes=("Groups of fewer than five questions are left out.",))


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


def kept_area(right: Floats, uncertainty: Floats) -> float:
    """Return lm-polygraph's rejection area of right answers; equally uncertain ones in the mean of all orders.

    Where all are right it is 1 and where none is 0, as the share of right answers kept is; the released code has 0.5,
    which would pull the intervals of rare classes there.
    """
    return float(right[0]) if np.ptp(right) == 0 else prediction_rejection_area(right, uncertainty, "averaged")


def ranking(table: StudyTable) -> Found:
    """Return AUROC and three areas of DSE and of every other measure, on the questions where DSE was measured."""
    right = table.values("answer.right")
    base = np.isfinite(right) & np.isfinite(table.values(DSE))
    marks, entrants = [], []
    for name, values in scores_in(table):
        chosen = base & np.isfinite(values)
        if not chosen.any():
            continue
        entrants.append(Entrant(label=name, columns=(np.where(base, right, np.nan), values)))
        correct, uncertainty = right[chosen], values[chosen]
        marks += [
            with_interval("AUROC", name, wrong_found, correct, uncertainty),
            with_interval("AURAC", name, aurac, correct, uncertainty, repeats=QUICK),
            with_interval("AUARC", name, lambda c, u: auarc(c, u, "averaged"), correct, uncertainty, repeats=QUICK),
            with_interval("rejection area", name, kept_area, correct, uncertainty, repeats=QUICK),
        ]
    own = next((one for one in marks if one.series == "AUROC"), None)
    if own is None or own.value is None:
        return Found(finding="All answers are right, or all wrong: nothing can be ranked.", marks=())
    said = f"DSE: AUROC {span(own)}.{above_sentence(entrants[0], entrants[1:], wrong_found)}"
    notes = (
        *unranked(entrants[0], entrants[1:]),
        "AUROC: 0.5 is chance. AURAC ends at 18/19 (Farquhar et al.).",
        "AUARC (Lin et al.) and the rejection area (lm-polygraph) end at 1.",
        "The paper names its second column both ways; it stands under AUARC.",
        "In the paper DSE is of greedy answers, and the others are of samples at temperature 1.",
    )
    return Found(finding=said, marks=tuple(marks), notes=notes)


def refinement(table: StudyTable) -> Found:
    """Return right answers before and after DENSE-RAG, of certain and of uncertain questions (table 2)."""
    marks: list[Mark] = []
    for series, word in ((FIRST, "first"), (FINAL, "final")):
        entropy, right = known(table, "dense_rag.first_entropy", f"dense_rag.{word}.exact")
        for label, chosen in (("certain", entropy <= 0.2), ("uncertain", entropy > 0.2)):
            marks.append(with_interval(series, label, share, right[chosen]))
    shown = tuple(one for one in marks if one.n)
    before, after = ([one for one in shown if (one.label, one.series) == ("uncertain", s)] for s in (FIRST, FINAL))
    if not before or not after:
        return Found(finding="No question is uncertain: every first DSE is at most 0.2 nats.", marks=shown)
    said = f"Uncertain questions, exact match: {span(before[0])} before, {span(after[0])} after DENSE-RAG."
    return Found(finding=said, marks=shown)


def entailment(table: StudyTable) -> Found:
    """Return how often a rewording was judged to say the same as its passage (table 6)."""
    (rates,) = known(table, "dense.entailment_rate")
    one = with_interval("rewordings", "entailed", mean, rates)
    return Found(finding=f"Share of rewordings that the judge calls entailed: {span(one)}.", marks=(one,))


VIEWS = (
    View(
        name="dense_bins",
        title="Right answers by DSE",
        paper="DENSE, figure 3",
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
        papers=paper("exact match", LLAMA, [("certain", 0.633), ("uncertain", 0.358)]),
    ),
    View(
        name="dense_thresholds",
        title="Exact match of certain and uncertain questions by threshold",
        paper="DENSE, figure 5",
        kind="line",
        x_title="Threshold of DSE (nats)",
        y_title="Exact match",
        needs=(DSE, "answer.exact"),
        methods="Ask the study with the method dense, and correct answers in the file of questions.",
        find=by_threshold,
        direction="Certain should stand above uncertain at every threshold.",
    ),
    View(
        name="dense_ranking",
        title="Which measure of uncertainty finds wrong answers",
        paper="DENSE, tables 1 and 8",
        kind="rows",
        x_title="1 is best",
        one_scale=True,
        y_title="",
        needs=(DSE, "answer.right"),
        methods="Ask the study with the methods dense, seper and uncertainty, and correct answers.",
        find=ranking,
        direction="Higher is better.",
        papers=(
            *paper("AUROC", LLAMA, [("DSE", 0.673), *((f"{name}, {SETS[1][1]}", roc) for name, roc, _ in PAPERS)]),
            *paper("AUARC", LLAMA, [("DSE", 0.758), *((f"{name}, {SETS[1][1]}", arc) for name, _, arc in PAPERS)]),
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
            *paper(FIRST, LLAMA, [("uncertain", 0.358)]),
            *paper(FINAL, LLAMA, [("uncertain", 0.422)]),
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
        papers=paper("rewordings", "DeBERTa on Natural Questions", [("entailed", 0.983)]),
    ),
)
