"""QuCo-RAG's evidence: right answers by how often the question's names occur (figures 5 and 7), and claims (table 15).

The paper counts in a corpus of pre-training text, we in the corpus that is searched. Bins hold about equally many
questions; the paper's are powers of ten, which a small corpus does not reach.
"""

from engine.runs.studies.table import StudyTable
from engine.runs.studies.views.base import (
    Found,
    View,
    best,
    known,
    paper,
    share,
    shares_in_bins,
    span,
    with_interval,
)
from engine.runs.studies.views.replay import replayed

COUNT = "quco_rag.mean_count"
LOOP = "timing.runs.quco_rag.right"
STEPWISE = "quco_rag.stepwise"
NO_EVIDENCE = "a claim has no evidence"
OLMO = "OLMo-2-7B, wrong sentences"
BINS = 5


def by_frequency(table: StudyTable) -> Found:
    """Return right answers, from memory, over passages and of the loop, by the mean count of the question's names."""
    series = [("from memory", "memory.right"), ("over the passages", "answer.right")]
    series += [("QuCo-RAG's loop", LOOP)] if table.has(LOOP) else []
    count, *columns = known(table, COUNT, *(address for _, address in series))
    marks = shares_in_bins(count, [(name, column) for (name, _), column in zip(series, columns, strict=True)], BINS)
    over = [one for one in marks if one.series == "over the passages"]
    if not over:
        return Found(finding="", marks=())
    said = f"Over the passages: rarest names {span(over[0])}, most frequent {span(over[-1])}."
    if len(over) == 1:
        said = f"Every mean count is within {over[0].label}; right over the passages: {span(over[0])}."
    notes = ("Counts are in the corpus that was searched; the paper's are in a corpus of pre-training text.",)
    return Found(finding=said, marks=marks, notes=notes)


def by_threshold(table: StudyTable) -> Found:
    """Return right answers against lookups where only questions with rarer names than τ are looked up (equation 2)."""
    count, memory, reading = known(table, COUNT, "memory.right", "answer.right")
    if not count.size:
        return Found(finding="", marks=())
    # A count of τ itself is not below τ, so the threshold said is the least count that keeps its memory.
    marks = replayed("count of the question's names", -count, memory, reading, told=lambda t: f"τ = {-t:,.12g}")
    always = next(one for one in marks if one.label == "always look up")
    top = best(marks)
    assert top is not None
    said = f"Always one lookup: {span(always)}. Best threshold: {top.label}, {span(top)} at {top.x:.2f} lookups."
    return Found(finding=said, marks=tuple(marks), notes=("The best is chosen on these same questions: too good.",))


def by_evidence(table: StudyTable) -> Found:
    """Return how often a claim of a wrong, and of a right, step-by-step answer has no evidence (table 15)."""
    columns = (f"{STEPWISE}.{name}" for name in ("unsupported", "supported", "right"))
    without, with_evidence, right = known(table, *columns)
    groups = (("wrong answers", right == 0), ("right answers", right == 1))
    marks = [
        with_interval(series, label, share, flagged[chosen].astype(float))
        for series, flagged in (
            (NO_EVIDENCE, without > 0),
            ("every claim has evidence", (without == 0) & (with_evidence > 0)),
            ("no claim could be checked", (without == 0) & (with_evidence == 0)),
        )
        for label, chosen in groups
    ]
    shown = tuple(one for one in marks if one.n)
    if not shown:
        return Found(finding="No step-by-step answer comes to a conclusion.", marks=())
    told = ", ".join(f"of {one.label} {span(one)}" for one in shown if one.series == NO_EVIDENCE)
    notes = ("Answers are step-by-step ones from memory that come to a conclusion; right: it holds a correct answer.",)
    return Found(finding=f"A claim has no evidence: {told}.", marks=shown, notes=notes)


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
        name="quco_thresholds",
        title="Right answers against lookups by entity threshold",
        paper="QuCo-RAG, figure 7",
        kind="line",
        x_title="Mean lookups a question",
        y_title="Share of right answers",
        needs=(COUNT, "answer.right"),
        methods="Ask the study with the method quco_rag, and correct answers in the file of questions.",
        find=by_threshold,
        direction="Higher and further left is better.",
    ),
    View(
        name="quco_evidence",
        title="Do wrong answers lack co-occurrence evidence?",
        paper="QuCo-RAG, table 15",
        kind="bars",
        x_title="Step-by-step answers from memory",
        y_title="Share of answers",
        needs=(f"{STEPWISE}.unsupported", f"{STEPWISE}.right"),
        methods="Ask the study with the method quco_rag, and correct answers; refresh an older study.",
        find=by_evidence,
        direction="“A claim has no evidence” should be higher among wrong answers.",
        papers=(
            *paper(NO_EVIDENCE, f"{OLMO}, HotpotQA", [("wrong answers", 0.519)]),
            *paper(NO_EVIDENCE, f"{OLMO}, 2Wiki", [("wrong answers", 0.470)]),
        ),
    ),
)
