"""SePer's evidence: does ΔSePer follow the utility of the passages, beside other changes (table 2, figures 3 to 7).

Known utility is what the file of questions says, else the share of the supporting passages that were read, else whether
a passage that was read holds a correct answer, which is weaker and is said. As in the paper, questions already known
without passages are left out: half or more of the samples, by weight, match a correct answer (SePer_H of 0.5 or more).
"""

import numpy as np

from engine.measures.checks import Floats
from engine.runs.studies.table import StudyTable
from engine.runs.studies.views.base import Found, Mark, View, best, known, mean, paper, span, with_interval

LLAMA = "Llama-2-7B, Natural Questions"
KNOWN = 0.5
CHANGES = (
    ("ΔSePer, soft", "seper.with_passages.soft", "seper.without.soft", 1),
    ("ΔSePer, hard", "seper.with_passages.hard", "seper.without.hard", 1),
    ("exact match", "answer.exact", "memory.exact", 1),
    ("token F1", "answer.f1", "memory.f1", 1),
    ("ROUGE-L", "answer.rouge", "memory.rouge", 1),
    ("contains a correct answer", "answer.right", "memory.right", 1),
    ("log-probability of the answer", "answer.logprob", "memory.logprob", 1),
    ("semantic entropy, its fall", "seper.with_passages.entropy", "seper.without.entropy", -1),
)


def utility_of(table: StudyTable) -> tuple[Floats, str]:
    """Return the known utility of each point's passages, and where it is known from."""
    if table.has("passages.utility"):
        return table.values("passages.utility"), "what the file of questions marks as useful"
    return table.values("passages.hold"), "whether a passage holds a correct answer"


def unknown_questions(table: StudyTable) -> np.ndarray:
    """Return, for each point, whether its question was not known without passages, [n] bool."""
    hard = table.values("seper.without.hard")
    unknown: np.ndarray = np.isfinite(hard) & (hard < KNOWN)
    return unknown


def correlation(one: Floats, other: Floats) -> float:
    """Return Pearson's r as ``engine.measures.ranking.pearson`` does, without its p, which takes most of the time.

    NaN below three pairs, and where one side is constant.
    """
    if one.size < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    a, b = one - one.mean(), other - other.mean()
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1.0, 1.0))


def utility(table: StudyTable) -> Found:
    """Return Pearson's r of each change with the known utility, over unknown questions and over all."""
    useful, source = utility_of(table)
    marks: list[Mark] = []
    for series, chosen in (("unknown questions", unknown_questions(table)), ("all questions", np.isfinite(useful))):
        for name, after, before, sign in CHANGES:
            change = sign * (table.values(after) - table.values(before))
            both = chosen & np.isfinite(change) & np.isfinite(useful)
            if both.any():
                marks.append(with_interval(series, name, correlation, change[both], useful[both]))
    soft = next((one for one in marks if one.label == "ΔSePer, soft" and one.value is not None), None)
    notes = (
        f"Known utility: {source}.",
        "Unknown: less than half of the samples without passages match a correct answer.",
    )
    if soft is None:
        said = "The known utility is the same for all questions, or there are fewer than three: r is not defined."
        return Found(finding=said, marks=tuple(marks), notes=notes)
    top = best([one for one in marks if one.series == "unknown questions"])
    more = "" if top is None or top is soft else f" Highest: {top.label}, {span(top)}."
    return Found(finding=f"ΔSePer, soft: r = {span(soft)}.{more}", marks=tuple(marks), notes=notes)


def points(table: StudyTable) -> Found:
    """Return belief with passages against belief without, one point a question."""
    before, after = table.values("seper.without.soft"), table.values("seper.with_passages.soft")
    useful, _ = utility_of(table)
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
        for at in np.flatnonzero(np.isfinite(before) & np.isfinite(after))
    )
    rose = sum((one.value or 0.0) > (one.x or 0.0) for one in marks)
    return Found(
        finding=f"Belief in the correct answer rises with the passages in {rose} of {len(marks)}.", marks=marks
    )


def by_known(table: StudyTable) -> Found:
    """Return the mean ΔSePer by what the passages are known to be."""
    useful, source = utility_of(table)
    marks = []
    for series, word in (("soft", "seper.delta_soft"), ("hard", "seper.delta_hard")):
        for label, chosen in (("no useful passage", useful == 0), ("useful passages", useful > 0)):
            values = table.values(word)[chosen]
            marks.append(with_interval(series, label, mean, values[np.isfinite(values)]))
    shown = tuple(one for one in marks if one.n)
    told = "; ".join(f"{one.label} {span(one)}" for one in shown if one.series == "soft")
    return Found(finding=f"Mean ΔSePer, soft: {told}.", marks=shown, notes=(f"Known utility: {source}.",))


def holding(table: StudyTable) -> Found:
    """Return how often the passages hold a correct answer, are the right ones, and the answer is right."""
    marks = []
    for label, address in (
        ("passages hold a correct answer", "passages.hold"),
        ("answer right with them", "answer.right"),
        ("answer right from memory", "memory.right"),
    ):
        (values,) = known(table, address)
        marks.append(with_interval("questions", label, mean, values))
    told = "; ".join(f"{one.label} {span(one)}" for one in marks)
    return Found(finding=f"{told[0].upper()}{told[1:]}.", marks=tuple(marks))


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
        papers=(
            *paper("unknown questions", LLAMA, [("ΔSePer, soft", 0.769), ("ΔSePer, hard", 0.752)]),
            *paper("unknown questions", LLAMA, [("exact match", 0.454), ("semantic entropy, its fall", 0.491)]),
        ),
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
        paper="SePer, section 6",
        kind="bars",
        x_title="",
        y_title="Share of questions",
        needs=("passages.hold", "answer.right"),
        methods="Give correct answers in the file of questions.",
        find=holding,
    ),
)
