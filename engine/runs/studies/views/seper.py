"""SePer's evidence: does ΔSePer follow the utility of the passages, beside other changes (table 2, figures 3 to 7).

Known utility is what the file of questions says, else the share of the supporting passages that were read, else whether
a passage that was read holds a correct answer, which is weaker and is said. As in the paper, questions already known
without passages are left out: half or more of the samples, by weight, match a correct answer (SePer_H of 0.5 or more).
"""

import numpy as np

from engine.measures.checks import Floats
from engine.measures.levels import is_below
from engine.runs.studies.table import StudyTable
from engine.runs.studies.views.base import (
    Found,
    Mark,
    View,
    correlation,
    decimals,
    known,
    mean,
    paper,
    share,
    span,
    with_interval,
)
from engine.runs.studies.views.leading import Entrant, above_sentence, unranked

LLAMA = "Llama-2-7B, Natural Questions"
KNOWN = 0.5
# Where more questions than this share have passages of one utility, r depends on the few others.
MOST_ALIKE = 0.8
ONE_SIDED = "Nearly all passages are equally useful: r rests on few questions and cannot be compared with the paper's."
WITH, WITHOUT = "seper.with_passages", "seper.without"
# What changed, its address with the passages and without, and the sign with which it should follow the utility.
CHANGES = (
    ("ΔSePer, soft", f"{WITH}.soft", f"{WITHOUT}.soft", 1),
    ("ΔSePer, hard", f"{WITH}.hard", f"{WITHOUT}.hard", 1),
    ("exact match, samples", f"{WITH}.samples.exact", f"{WITHOUT}.samples.exact", 1),
    ("token F1, samples", f"{WITH}.samples.f1", f"{WITHOUT}.samples.f1", 1),
    ("ROUGE-L, samples", f"{WITH}.samples.rouge", f"{WITHOUT}.samples.rouge", 1),
    ("right, samples", f"{WITH}.samples.right", f"{WITHOUT}.samples.right", 1),
    ("perplexity, its fall", f"{WITH}.samples.perplexity", f"{WITHOUT}.samples.perplexity", -1),
    ("predictive entropy, its fall", f"{WITH}.samples.entropy", f"{WITHOUT}.samples.entropy", -1),
    ("semantic entropy, its fall", f"{WITH}.entropy", f"{WITHOUT}.entropy", -1),
    ("exact match, greedy answer", "answer.exact", "memory.exact", 1),
    ("token F1, greedy answer", "answer.f1", "memory.f1", 1),
    ("ROUGE-L, greedy answer", "answer.rouge", "memory.rouge", 1),
    ("right, greedy answer", "answer.right", "memory.right", 1),
    ("log-probability, greedy answer", "answer.logprob", "memory.logprob", 1),
)
# Table 2, Natural Questions; the paper's baselines are means over the same samples, as ours above.
PAPERS = (
    ("ΔSePer, soft", 0.769),
    ("ΔSePer, hard", 0.752),
    ("exact match, samples", 0.454),
    ("ROUGE-L, samples", 0.691),
    ("perplexity, its fall", 0.008),
    ("predictive entropy, its fall", 0.431),
    ("semantic entropy, its fall", 0.491),
)
MOST_COMPARED = 12


def utility_of(table: StudyTable) -> tuple[Floats, str]:
    """Return the known utility of each point's passages, and where it is known from."""
    if table.has("passages.utility"):
        return table.values("passages.utility"), "what the file of questions marks as useful"
    return table.values("passages.hold"), "whether a passage names a correct answer"


def unknown_questions(table: StudyTable) -> np.ndarray:
    """Return, for each point, whether its question was not known without passages, [n] bool."""
    hard = table.values("seper.without.hard")
    unknown: np.ndarray = np.isfinite(hard) & (hard < KNOWN)
    return unknown


def one_sided(useful: Floats) -> bool:
    """Return whether nearly all utilities are the same number; of none, no.

    >>> one_sided(np.array([1.0] * 9 + [0.0])), one_sided(np.array([1.0, 0.5, 1.0])), one_sided(np.array([]))
    (True, False, False)
    """
    counts = np.unique(useful, return_counts=True)[1]
    return bool(counts.size) and bool(counts.max() > MOST_ALIKE * useful.size)


def utility(table: StudyTable) -> Found:
    """Return Pearson's r of each change with the known utility, over unknown questions and over all."""
    useful, source = utility_of(table)
    marks: list[Mark] = []
    entrants: dict[str, list[Entrant]] = {}
    for series, chosen in (("unknown questions", unknown_questions(table)), ("all questions", np.isfinite(useful))):
        for name, after, before, sign in CHANGES:
            change = sign * (table.values(after) - table.values(before))
            both = chosen & np.isfinite(change) & np.isfinite(useful)
            if both.any():
                marks.append(with_interval(series, name, correlation, change[both], useful[both]))
                one = Entrant(label=name, columns=(np.where(chosen, change, np.nan), useful))
                entrants.setdefault(series, []).append(one)
    soft = next((one for one in marks if one.label == "ΔSePer, soft" and one.value is not None), None)
    known_of = useful[unknown_questions(table) & np.isfinite(useful)]
    notes = (
        *((ONE_SIDED,) if one_sided(known_of) else ()),
        f"Known utility: {source}; above 0 in {int((known_of > 0).sum())} of {known_of.size} unknown questions.",
        "Unknown: samples of less than half the weight match a correct answer without passages.",
        "The paper's passages were labelled by people; ours are retrieved unless the file brings them.",
    )
    if soft is None:
        said = (
            "r of ΔSePer, soft, is not defined: fewer than three questions, or its values or utilities are all equal."
        )
        return Found(finding=said, marks=tuple(marks), notes=notes)
    own, *others = entrants[soft.series]
    said = f"ΔSePer, soft: r = {span(soft)} of {soft.series}.{above_sentence(own, others, correlation)}"
    return Found(finding=said, marks=tuple(marks), notes=(*unranked(own, others), *notes))


def points(table: StudyTable) -> Found:
    """Return belief with passages against belief without, one point a question."""
    before, after = table.values("seper.without.soft"), table.values("seper.with_passages.soft")
    useful, _ = utility_of(table)
    both = np.isfinite(before) & np.isfinite(after)
    names = {1.0: "useful passages", 0.0: "no useful passage"}
    marks = tuple(
        Mark(
            series=names.get(float(useful[at]), "partly useful") if np.isfinite(useful[at]) else "not known",
            label=str(table.frame["question"].iloc[at]),
            x=float(before[at]),
            value=float(after[at]),
            n=1,
            run=str(table.frame["run"].iloc[at]),
        )
        for at in np.flatnonzero(both)
    )
    rose = int(is_below(before[both], after[both]).sum())
    return Found(
        finding=f"Belief in the correct answer rises with the passages in {rose} of {len(marks)}.", marks=marks
    )


def by_known(table: StudyTable) -> Found:
    """Return the mean ΔSePer by what the passages are known to be."""
    useful, source = utility_of(table)
    marks = []
    for series, word in (("soft", "seper.delta_soft"), ("hard", "seper.delta_hard")):
        for label, chosen in (("useful passages", useful > 0), ("no useful passage", useful == 0)):
            values = table.values(word)[chosen]
            marks.append(with_interval(series, label, mean, values[np.isfinite(values)]))
    shown = tuple(one for one in marks if one.n)
    told = ", ".join(f"{one.label} {span(one)}" for one in shown if one.series == "soft")
    said = f"ΔSePer, soft: {told}." if told else ""
    return Found(finding=said, marks=shown, notes=(f"Known utility: {source}.",))


def holding(table: StudyTable) -> Found:
    """Return how often the passages hold a correct answer, are the right ones, and the answer is right."""
    marks = []
    for label, address in (
        ("passages name a correct answer", "passages.hold"),
        ("answer right with them", "answer.right"),
        ("answer right from memory", "memory.right"),
    ):
        (values,) = known(table, address)
        marks.append(with_interval("questions", label, share, values))
    hold, right, memory = marks
    said = f"Answers are right in {span(right)} with the passages, in {span(memory)} from memory."
    return Found(
        finding=said,
        marks=tuple(marks),
        notes=(f"The passages name a correct answer in {span(hold)}: its words, in whatever sense.",),
    )


def agreement(table: StudyTable) -> Found:
    """Return Pearson's r of SePer with passages between every two choices of settings, on the questions of both."""
    labels = [one.label for one in table.study.plan.variants]
    beliefs = [table.of_variant(at).frame.set_index("number")[f"{WITH}.soft"].dropna() for at in range(len(labels))]
    marks = []
    for row, one in enumerate(beliefs):
        for column, other in enumerate(beliefs):
            both = one.index.intersection(other.index)
            r = correlation(one[both].to_numpy(dtype=float), other[both].to_numpy(dtype=float))
            value = None if np.isnan(r) else round(r, 6)
            marks.append(Mark(series=labels[row], label=labels[column], value=value, n=len(both), x=float(column)))
    apart = [one for one in marks if one.series != one.label and one.value is not None]
    if not apart:
        return Found(finding="", marks=())
    least = min(apart, key=lambda one: one.value or 0.0)
    said = f"Least alike: {least.series} and {least.label}, r = {decimals(least.value or 0.0)} (n = {least.n})."
    return Found(finding=said, marks=tuple(marks), notes=("SePer, soft, with passages.",))


VIEWS = (
    View(
        name="seper_utility",
        title="Change against the known utility of the passages",
        paper="SePer, table 2",
        kind="rows",
        x_title="Pearson's r with known utility",
        one_scale=True,
        y_title="",
        needs=("seper.delta_soft", "passages.hold"),
        methods="Ask the study with the method seper, and correct answers; passages marked as supporting say more.",
        find=utility,
        direction="Higher is better.",
        papers=paper("unknown questions", LLAMA, PAPERS),
    ),
    View(
        name="seper_change",
        title="Mean ΔSePer of useful and other passages",
        paper="SePer, section 5",
        kind="bars",
        x_title="",
        y_title="ΔSePer (probability)",
        needs=("seper.delta_soft", "passages.hold"),
        methods="Ask the study with the method seper, and correct answers in the file of questions.",
        find=by_known,
    ),
    View(
        name="seper_belief",
        title="Belief with the passages against belief without",
        paper="SePer, equation 11",
        kind="points",
        x_title="SePer without passages",
        y_title="SePer with passages",
        needs=("seper.without.soft", "seper.with_passages.soft"),
        methods="Ask the study with the method seper, and correct answers in the file of questions.",
        find=points,
        direction="Above the diagonal the passages helped.",
    ),
    View(
        name="retrieval",
        title="What retrieval found, and what the answers made of it",
        paper="SePer, section 5",
        kind="bars",
        x_title="",
        y_title="Share of questions",
        needs=("passages.hold", "answer.right"),
        methods="Give correct answers in the file of questions.",
        find=holding,
    ),
    View(
        name="seper_agreement",
        title="Do the settings give the same SePer?",
        paper="SePer, figure 7 and table 4",
        kind="heat",
        x_title="",
        y_title="Pearson's r",
        needs=(f"{WITH}.soft",),
        methods="Ask with the method seper, and let the judge, the seed or seper.samples vary, such as seed=0,1.",
        find=agreement,
        direction="Between judges, the paper finds 0.7 and more.",
        also=lambda table: 1 < len(table.study.plan.variants) <= MOST_COMPARED,
        across=True,
        form=".2f",
    ),
)
