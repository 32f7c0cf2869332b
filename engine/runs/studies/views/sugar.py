"""SUGAR's evidence: right answers against lookups, for every threshold of semantic entropy (figure 2, table III).

At a threshold τ, questions whose closed-book entropy is at most τ keep the answer from memory and cost no lookup; the
others take the answer over the passages and cost one. That is a replay of stored answers: nothing is asked anew. What
SUGAR itself did, with its two thresholds and rounds, stands beside it as a point.
"""

import numpy as np

from engine.measures.checks import Floats
from engine.runs.studies.table import StudyTable
from engine.runs.studies.views.base import Found, Mark, View, best, known, mean, span, with_interval

LLAMA = "Llama-2-7B, TriviaQA"
STEPS = 12
SIGNALS = (
    ("semantic entropy", "sugar.closed_book.entropy"),
    ("predictive entropy", "sugar.closed_book.predictive"),
)


def accuracy_by_steps(table: StudyTable) -> Found:
    """Return the share of right answers against mean lookups, for two signals, and SUGAR's own point."""
    marks: list[Mark] = []
    for name, address in SIGNALS:
        if table.has(address):
            marks += replayed(name, *known(table, address, "memory.right", "answer.right"))
    own_right, own_steps = known(table, "sugar.answer.right", "sugar.steps")
    own = with_interval("SUGAR", "SUGAR as it ran", mean, own_right, x=float(own_steps.mean()))
    always = [one for one in marks if one.label == "always look up"]
    top = best([one for one in marks if one.series == "semantic entropy"])
    said = f"SUGAR: {span(own)} at {own.x:.2f} lookups."
    if always and top is not None:
        said += f" Always one lookup: {span(always[0])}. Best threshold: {top.value:.2f} at {top.x:.2f} lookups."
    notes = ("The best threshold is chosen on these same questions, so it is too good.",)
    return Found(finding=said, marks=(*marks, own), notes=notes)


def replayed(name: str, entropy: Floats, memory: Floats, reading: Floats) -> list[Mark]:
    """Return accuracy and mean lookups at thresholds from above every entropy to below the lowest."""
    marks = []
    for share in np.linspace(0, 1, STEPS + 1):
        threshold = float(np.quantile(entropy, 1 - share)) if share < 1 else -np.inf
        looked = entropy > threshold
        right = np.where(looked, reading, memory)
        label = "always look up" if share == 1 else "never look up" if not looked.any() else f"τ = {threshold:.2f}"
        marks.append(with_interval(name, label, mean, right, x=float(looked.mean()), repeats=200))
    return marks


VIEWS = (
    View(
        name="sugar_steps",
        title="Right answers against lookups",
        paper="SUGAR, figure 2 and table III",
        kind="line",
        x_title="Mean lookups a question",
        y_title="Share of right answers",
        needs=("sugar.closed_book.entropy", "sugar.answer.right"),
        methods="Ask the study with the method sugar, and correct answers in the file of questions.",
        find=accuracy_by_steps,
        direction="Higher and further left is better.",
        papers=tuple(
            Mark(series="SUGAR's paper", label=label, value=value, x=steps, paper=LLAMA)
            for label, value, steps in (("never", 0.555, 0.0), ("always one", 0.585, 1.0), ("SUGAR", 0.69, 0.91))
        ),
    ),
)
