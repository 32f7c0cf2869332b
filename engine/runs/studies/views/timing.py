"""ETC's evidence: policies by cost and right answers (tables 2 and 5), and where they first look up (figure 3).

EM, F1 and "right" are of the conclusion each policy's own text came to. The heat map has, as the paper's, the place
of the first lookup in the answer from memory; its entropies, below it in the paper, are a view of their own. Seconds of
a policy are not known: all share one model's batches, so that tokens are what each costs.
"""

import math

import numpy as np

from engine.methods.timing.policies import POLICIES
from engine.runs.studies.table import StudyTable
from engine.runs.studies.views.base import (
    Found,
    Mark,
    View,
    best,
    known,
    mean,
    paper,
    share,
    span,
    with_interval,
)
from engine.runs.studies.views.leading import Entrant, most_often_right, ranking_notes

MANY = "mean of four data sets and all its models"
COMPARED = ("entropy_trend", "dragin", "flare")
TENTHS, NOWHERE = 10, "never"
MOST_POSITIONS, LEAST_ANSWERS = 48, 5
SHORT = "short answer over the passages"
COLUMNS = (
    ("right", "right", share),
    ("exact match", "exact", share),
    ("token F1", "f1", mean),
    ("lookups", "lookups", mean),
    ("tokens written", "tokens_written", mean),
    ("tokens read", "tokens_read", mean),
)


def policies_in(table: StudyTable) -> list[str]:
    """Return the policies whose loops ran, in the order of their table."""
    return [word for word in POLICIES if table.has(f"timing.runs.{word}.exact")]


def policies(table: StudyTable) -> Found:
    """Return every policy's EM, F1, lookups and tokens, each a question."""
    marks = [
        with_interval(series, POLICIES[word].title, statistic, *known(table, f"timing.runs.{word}.{name}"))
        for series, name, statistic in COLUMNS
        for word in policies_in(table)
    ]
    entrants = [
        Entrant(label=POLICIES[word].title, columns=(table.values(f"timing.runs.{word}.right"),))
        for word in policies_in(table)
    ]
    said = most_often_right(entrants)
    notes = ("Lookups and tokens are means of a question.", *ranking_notes(entrants))
    return Found(finding=said or "No policy wrote an answer.", marks=tuple(marks), notes=notes)


def trigger_places(table: StudyTable) -> Found:
    """Return, for each policy, the share of questions whose first lookup is in each tenth of the answer, or nowhere."""
    firsts: dict[str, list[float]] = {}
    for triggers in table.triggers:
        for word, places in triggers.items():
            firsts.setdefault(word, []).append(min(places, default=math.inf))
    marks = []
    for word in [*(one for one in POLICIES if one in firsts), *(one for one in firsts if one not in POLICIES)]:
        tenths = [TENTHS if math.isinf(one) else min(TENTHS - 1, int(one * TENTHS)) for one in firsts[word]]
        for at in range(TENTHS + 1):
            label = f"{10 * at}–{10 * at + 10}" if at < TENTHS else NOWHERE
            value = tenths.count(at) / len(tenths)
            series = POLICIES[word].title if word in POLICIES else word
            marks.append(Mark(series=series, label=label, x=float(at), value=value, n=len(tenths)))
    told = [
        f"{POLICIES[word].title} at {100 * float(np.median(found)):.0f} % (n = {len(found)})"
        for word in COMPARED
        if (found := [one for one in firsts.get(word, ()) if not math.isinf(one)])
    ]
    said = f"Median place of the first lookup: {', '.join(told)}." if told else ""
    return Found(finding=said, marks=tuple(marks), notes=("Each row sums to 100 % of its answers.",))


def entropy_by_position(table: StudyTable) -> Found:
    """Return the mean token entropy at each position of the step-by-step answer and of the one over the passages."""
    marks: list[Mark] = []
    for series, rows in (("step by step, from memory", table.stepwise), (SHORT, table.entropies)):
        for at in range(MOST_POSITIONS):
            values = np.array([row[at] for row in rows if len(row) > at])
            values = values[np.isfinite(values)]
            if values.size >= LEAST_ANSWERS:
                marks.append(with_interval(series, f"token {at + 1}", mean, values, x=float(at + 1), repeats=200))
    if not marks:
        return Found(finding="", marks=())
    tops = [best([one for one in marks if one.series == series]) for series in dict.fromkeys(m.series for m in marks)]
    told = "; ".join(f"{top.series}, {top.label}, {span(top)} nats" for top in tops if top)
    notes = ("Later positions rest on longer answers only.", "The paper counts words; these are tokens.")
    return Found(finding=f"Highest mean entropy: {told}.", marks=tuple(marks), notes=notes)


VIEWS = (
    View(
        name="timing_policies",
        title="Every policy: right answers, lookups, tokens",
        paper="ETC, tables 2 and 5",
        kind="rows",
        x_title="A question",
        y_title="",
        needs=(),
        also=lambda table: bool(policies_in(table)),
        methods="Ask the study with the method timing; timing.policies names whose loops run.",
        find=policies,
        papers=(*paper("lookups", MANY, [("ETC", 1.29), ("DRAGIN", 3.31), ("FLARE", 1.59)]),),
    ),
    View(
        name="timing_places",
        title="Where in the answer each policy would first look something up",
        paper="ETC, figure 3",
        kind="heat",
        x_title="Place of the first lookup in the answer from memory (% of its tokens)",
        y_title="Share of questions",
        needs=("answer.tokens",),
        direction="The paper finds ETC's earlier than DRAGIN's.",
        methods="Ask the study with the method timing, or entropy_trend for ETC alone.",
        find=trigger_places,
        also=lambda table: any(table.triggers),
    ),
    View(
        name="entropy_positions",
        title="Mean entropy at each position of the answer",
        paper="ETC, figure 3",
        kind="line",
        x_title="Token of the answer",
        y_title="Entropy (nats)",
        needs=("answer.tokens",),
        methods="At least five answers with token probabilities are needed.",
        find=entropy_by_position,
        also=lambda table: sum(bool(row) for row in table.entropies) >= LEAST_ANSWERS,
    ),
)
