"""What a setting does: right answers, evidence, cost and the main numbers for each value.

The papers' sweeps are this one view: k, τ, temperature, the number of rewordings or samples, windows, retrievers,
rerankers, the parts of DENSE-RAG, judges and models, as the study varies them. What is the same under every setting is
named and not drawn; where settings rest on unequally many questions, that is said. DENSE-RAG's questions are those that
are uncertain under the first setting, as in its table 2.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from engine.measures.checks import Floats
from engine.methods.timing.policies import POLICIES
from engine.runs.studies.table import StudyTable
from engine.runs.studies.views.base import (
    Found,
    Mark,
    View,
    best,
    correlation,
    known,
    mean,
    paper,
    share,
    span,
    with_interval,
    wrong_found,
)
from engine.runs.studies.views.dense import DSE, LLAMA
from engine.runs.studies.views.leading import Entrant, most_often_right
from engine.runs.studies.views.quco import STEPWISE
from engine.runs.studies.views.seper import unknown_questions, utility_of
from engine.runs.studies.views.timing import COMPARED, policies_in

RIGHT, REFINED, ROC = "right", "DENSE-RAG, exact match", "AUROC of DSE"
# A title, the columns of one setting over the questions that have them, and what is computed of them.
Measure = tuple[str, Callable[[StudyTable], list[Floats]], Callable[..., float]]


def columns(*addresses: str) -> Callable[[StudyTable], list[Floats]]:
    """Return what takes these columns of a table, where all of them were measured."""
    return lambda table: known(table, *addresses)


def change_and_utility(table: StudyTable) -> list[Floats]:
    """Return ΔSePer and the known utility of the passages, of questions not known without them."""
    change, (useful, _) = table.values("seper.delta_soft"), utility_of(table)
    both = unknown_questions(table) & np.isfinite(change) & np.isfinite(useful)
    return [change[both], useful[both]]


def without_evidence(table: StudyTable) -> list[Floats]:
    """Return whether a claim of the step-by-step answer has no evidence."""
    (claims,) = known(table, f"{STEPWISE}.unsupported")
    return [(claims > 0).astype(float)]


def refined(table: StudyTable, uncertain: frozenset[int]) -> list[Floats]:
    """Return the exact match after DENSE-RAG, of the questions with these numbers."""
    exact = table.values("dense_rag.final.exact")
    return [exact[np.isfinite(exact) & table.frame["number"].isin(uncertain).to_numpy()]]


MEASURES: tuple[Measure, ...] = (
    (RIGHT, columns("answer.right"), share),
    ("exact match", columns("answer.exact"), share),
    ("token F1", columns("answer.f1"), mean),
    ("DSE (nats)", columns(DSE), mean),
    (ROC, columns("answer.right", DSE), wrong_found),
    ("ΔSePer, soft", columns("seper.delta_soft"), mean),
    ("r of ΔSePer, soft, with utility", change_and_utility, correlation),
    ("semantic entropy (nats)", columns("seper.with_passages.entropy"), mean),
    ("a claim has no evidence", without_evidence, share),
    ("SUGAR is right", columns("sugar.answer.right"), share),
    ("SUGAR's lookups", columns("sugar.steps"), mean),
)
# DENSE, table 8 (temperatures) and table 2 (without refinement, with it).
TEMPERATURES = ((0, 0.6726), (0.25, 0.6796), (0.5, 0.6923), (1, 0.7092), (3, 0.7233), (5, 0.6225), (7, 0.6191))
PAPERS = (
    *paper(ROC, LLAMA, [(f"dense.temperature={one:g}", value) for one, value in TEMPERATURES]),
    *paper(REFINED, LLAMA, [("dense_rag.refine=none", 0.413), ("dense_rag.refine=necessary", 0.422)]),
)


def measures_of(table: StudyTable, first: StudyTable) -> list[Measure]:
    """Return what is measured: the usual numbers, DENSE-RAG's questions, the policies the papers sweep, the time.

    ``first`` is the table of the first setting, whose uncertain questions are DENSE-RAG's under every other.
    """
    entropy = first.values("dense_rag.first_entropy")
    uncertain = frozenset(int(one) for one in first.frame["number"].to_numpy()[entropy > 0.2])
    found = [*MEASURES, (REFINED, lambda table: refined(table, uncertain), share)]
    for word in (one for one in policies_in(table) if one in COMPARED):
        title = POLICIES[word].title
        found.append((f"{title}, exact match", columns(f"timing.runs.{word}.exact"), share))
        found.append((f"{title}, lookups", columns(f"timing.runs.{word}.lookups"), mean))
    return [*found, ("seconds", columns("run.seconds"), mean)]


def sweep(table: StudyTable) -> Found:
    """Return each main number for every choice of the settings that vary."""
    labels = [one.label for one in table.study.plan.variants]
    tables = [table.of_variant(at) for at in range(len(labels))]
    marks: list[Mark] = []
    same: list[str] = []
    undefined: list[str] = []
    for title, take, statistic in measures_of(table, tables[0]):
        taken = [take(one) for one in tables]
        if not any(one[0].size for one in taken):
            continue
        if unchanged(taken):
            same.append(title)
            continue
        found = [with_interval(title, label, statistic, *taken[at], x=float(at)) for at, label in enumerate(labels)]
        if all(one.value is None for one in found):
            undefined.append(title)
            continue
        marks += found
    if not marks and not same and not undefined:
        return Found(finding="No setting has a number yet.", marks=())
    notes = (
        *uneven(marks),
        *((f"The same under every setting: {'; '.join(same)}.",) if same else ()),
        *((f"Not defined under any setting: {'; '.join(undefined)}.",) if undefined else ()),
    )
    shown = {one.series for one in marks}
    beside = tuple(one for one in PAPERS if one.label in labels and one.series in shown)
    told = "Every setting has the same right answers. " if RIGHT in same else ""
    front = "" if RIGHT in same else most_often_right(right_by_question(tables, labels))
    return Found(finding=front or told + apart_in(marks), marks=(*marks, *beside), notes=notes)


def uneven(marks: list[Mark]) -> tuple[str, ...]:
    """Return the note that settings rest on unequally many questions, with the first number of which they do."""
    for series in dict.fromkeys(one.series for one in marks):
        counts = sorted(one.n for one in marks if one.series == series)
        if counts[0] < counts[-1]:
            return (f"Settings rest on {counts[0]} to {counts[-1]} questions ({series}): compare those of the same n.",)
    return ()


def unchanged(taken: list[list[Floats]]) -> bool:
    """Return whether every setting has the same values of the same number of questions."""
    return all(np.array_equal(a, b) for other in taken[1:] for a, b in zip(taken[0], other, strict=True))


def right_by_question(tables: Sequence[StudyTable], labels: Sequence[str]) -> list[Entrant]:
    """Return whether each setting's answers are right, over the numbers of all questions; NaN where not measured."""
    columns = [
        pd.Series(one.values("answer.right"), index=one.frame["number"].to_numpy(dtype=int), dtype=float)
        for one in tables
    ]
    numbers = sorted({int(number) for column in columns for number in column.index})
    return [
        Entrant(label=label, columns=(column.reindex(numbers).to_numpy(),))
        for label, column in zip(labels, columns, strict=True)
    ]


def apart_in(marks: list[Mark]) -> str:
    """Return how far apart the settings are in the first number that differs, of those with the most questions."""
    first = [one for one in marks if one.series == marks[0].series and one.value is not None] if marks else []
    most = max((one.n for one in first), default=0)
    compared = [one for one in first if one.n == most]
    high, low = best(compared), min(compared, key=lambda one: one.value or 0.0, default=None)
    if high is None or low is None or len(compared) < 2:
        return "The settings give the same numbers." if not first else "Settings rest on unequally many questions."
    name = high.series[0].upper() + high.series[1:]
    return f"{name}: highest with {high.label}, {span(high)}; lowest with {low.label}, {span(low)}."


VIEWS = (
    View(
        name="sweep",
        title="What each setting gives",
        paper="sweeps of all papers",
        kind="rows",
        x_title="Mean of a question",
        y_title="",
        needs=(),
        methods="Let a setting vary, such as k=1,3,5.",
        find=sweep,
        also=lambda table: len(table.study.plan.variants) > 1,
        across=True,
    ),
)
