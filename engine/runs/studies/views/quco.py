"""QuCo-RAG's evidence: right answers by how often the question's names occur in the corpus (figure 5), and by claims.

The paper counts in a corpus of pre-training text, we in the corpus that is searched. Bins hold about equally many
questions; the paper's are powers of ten, which a small corpus does not reach.
"""

import numpy as np

from engine.measures.resampling import bin_places, quantile_edges
from engine.runs.studies.table import StudyTable
from engine.runs.studies.views.base import Found, Mark, View, known, mean, span, with_interval

COUNT = "quco_rag.mean_count"
BINS = 5


def by_frequency(table: StudyTable) -> Found:
    """Return right answers, from memory and over passages, by the mean count of the question's names."""
    marks: list[Mark] = []
    for series, address in (("from memory", "memory.right"), ("over the passages", "answer.right")):
        count, right = known(table, COUNT, address)
        if not count.size:
            continue
        edges = quantile_edges(count, BINS)
        places = bin_places(count, edges) if edges else np.zeros(count.size, dtype=int)
        for at in range(len(edges) + 1):
            inside = count[places == at]
            if inside.size:
                label = f"{inside.min():.3g} to {inside.max():.3g}"
                marks.append(with_interval(series, label, mean, right[places == at]))
    over = [one for one in marks if one.series == "over the passages"]
    if not over:
        return Found(finding="", marks=())
    said = f"Over the passages: rarest names {span(over[0])}, most frequent {span(over[-1])}."
    return Found(finding=said, marks=tuple(marks), notes=("Counts are in the corpus that was searched.",))


def by_evidence(table: StudyTable) -> Found:
    """Return right answers of questions whose claims all have evidence in the corpus, and of the others."""
    without, with_evidence, right = known(table, "quco_rag.unsupported", "quco_rag.supported", "answer.right")
    groups = (
        ("every claim has evidence", (without == 0) & (with_evidence > 0)),
        ("a claim has none", without > 0),
        ("no claim was found", (without == 0) & (with_evidence == 0)),
    )
    marks = [with_interval("answer right", label, mean, right[chosen]) for label, chosen in groups]
    shown = tuple(one for one in marks if one.n)
    told = "; ".join(f"{one.label} {span(one)}" for one in shown)
    return Found(finding=f"Right answers: {told}.", marks=shown)


VIEWS = (
    View(
        name="quco_frequency",
        title="Right answers by how often the question's names occur",
        paper="QuCo-RAG, figure 5",
        kind="bars",
        x_title="Mean count of the question's names in the corpus",
        y_title="Share of right answers",
        needs=(COUNT, "answer.right"),
        methods="Ask the study with the method quco_rag, and correct answers in the file of questions.",
        find=by_frequency,
    ),
    View(
        name="quco_evidence",
        title="Right answers with and without co-occurrence evidence",
        paper="QuCo-RAG, tables 12 to 15",
        kind="bars",
        x_title="Claims of the step-by-step answer",
        y_title="Share of right answers",
        needs=("quco_rag.unsupported", "answer.right"),
        methods="Ask the study with the method quco_rag, and correct answers in the file of questions.",
        find=by_evidence,
        direction="“A claim has none” should stand lowest.",
    ),
)
