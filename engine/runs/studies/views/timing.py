"""ETC's evidence: policies by cost and right answers (tables 2 and 5), and where they look up (figure 2).

EM, F1 and "contains" are of the conclusion each policy's own text came to. The heat map counts, for each tenth of the
answer from memory, the questions in which a policy would look something up there at least once.
"""

import numpy as np

from engine.methods.timing.policies import POLICIES
from engine.runs.studies.table import StudyTable
from engine.runs.studies.views.base import Found, Mark, View, best, known, mean, paper, span, with_interval

LLAMA = "Llama-2-7B, mean of four data sets"
TENTHS = 10
MOST_POSITIONS, LEAST_ANSWERS = 24, 5
COLUMNS = (
    ("contains a correct answer", "right"),
    ("exact match", "exact"),
    ("token F1", "f1"),
    ("lookups", "lookups"),
    ("tokens written", "tokens_written"),
    ("tokens read", "tokens_read"),
)


def policies_in(table: StudyTable) -> list[str]:
    """Return the policies whose loops ran, in the order of their table."""
    return [word for word in POLICIES if table.has(f"timing.runs.{word}.exact")]


def policies(table: StudyTable) -> Found:
    """Return every policy's EM, F1, lookups and tokens, each a question."""
    marks = [
        with_interval(series, POLICIES[word].title, mean, *known(table, f"timing.runs.{word}.{name}"))
        for series, name in COLUMNS
        for word in policies_in(table)
    ]
    right = [one for one in marks if one.series == "contains a correct answer"]
    top = best(right)
    said = f"Most often right: {top.label}, {span(top)}." if top else "No policy wrote an answer."
    notes = ("Lookups and tokens are means of a question.",)
    return Found(finding=said, marks=tuple(marks), notes=notes)


def trigger_places(table: StudyTable) -> Found:
    """Return, for each policy and tenth of the answer from memory, the share of questions with a lookup there."""
    fired: dict[str, np.ndarray] = {}
    counted: dict[str, int] = {}
    for triggers in table.triggers:
        for word, places in triggers.items():
            tenths = {min(TENTHS - 1, int(place * TENTHS)) for place in places}
            row = fired.setdefault(word, np.zeros(TENTHS))
            row[list(tenths)] += 1
            counted[word] = counted.get(word, 0) + 1
    marks = tuple(
        Mark(
            series=POLICIES[word].title if word in POLICIES else word,
            label=f"{10 * at} to {10 * at + 10} %",
            x=float(at),
            value=float(row[at] / counted[word]),
            n=counted[word],
        )
        for word, row in fired.items()
        for at in range(TENTHS)
    )
    if not marks:
        return Found(finding="", marks=())
    top = max(marks, key=lambda one: one.value or 0.0)
    said = f"Most lookups in one place: {top.series}, at {top.label} of the answer, in {top.value:.0%} of questions."
    return Found(finding=said, marks=marks, notes=("A tenth counts once a question, however often it fires there.",))


def entropy_by_position(table: StudyTable) -> Found:
    """Return the mean token entropy at each position of the answer over the passages."""
    marks = []
    for at in range(MOST_POSITIONS):
        values = np.array([row[at] for row in table.entropies if len(row) > at])
        values = values[np.isfinite(values)]
        if values.size >= LEAST_ANSWERS:
            marks.append(with_interval("answer over the passages", f"token {at + 1}", mean, values, x=float(at + 1)))
    if not marks:
        return Found(finding="", marks=())
    top = best(marks)
    assert top is not None
    return Found(finding=f"The mean entropy is highest at {top.label}: {span(top)} nats.", marks=tuple(marks))


VIEWS = (
    View(
        name="timing_policies",
        title="Every policy: right answers, lookups, tokens",
        paper="ETC, tables 2 and 5",
        kind="rows",
        x_title="A question",
        y_title="",
        needs=("timing.runs.never.exact",),
        methods="Ask the study with the method timing; timing.policies names whose loops run.",
        find=policies,
        papers=(*paper("lookups", LLAMA, [("ETC", 1.29), ("DRAGIN", 3.31), ("FLARE", 1.59)]),),
    ),
    View(
        name="timing_places",
        title="Where in the answer each policy would look something up",
        paper="ETC, figure 2",
        kind="heat",
        x_title="Place in the answer from memory",
        y_title="Share of questions",
        needs=("answer.tokens",),
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
