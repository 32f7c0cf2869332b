"""What a setting does: right answers, time and the main numbers for each of its values, on the same questions.

The papers' sweeps are this one view: k, τ, temperature, the number of rewordings or samples, retrievers, rerankers,
judges and models, as the study varies them. Differences are of the same question under two values.
"""

from engine.measures.checks import Floats
from engine.runs.studies.table import StudyTable
from engine.runs.studies.views.base import Found, Mark, View, best, mean, span, with_interval

MEASURED = (
    ("answer.right", "contains a correct answer"),
    ("answer.exact", "exact match"),
    ("answer.f1", "token F1"),
    ("seper.delta_soft", "ΔSePer, soft"),
    ("dense.entropy", "DSE (nats)"),
    ("seper.with_passages.entropy", "semantic entropy (nats)"),
    ("sugar.steps", "SUGAR's lookups"),
    ("run.seconds", "seconds"),
)


def of_variant(table: StudyTable, address: str, variant: dict[str, str]) -> Floats:
    """Return the measured values of a number under one choice of settings."""
    chosen = table.frame
    for name, value in variant.items():
        chosen = chosen[chosen[name] == value]
    values: Floats = chosen[address].dropna().to_numpy(dtype=float)
    return values


def sweep(table: StudyTable) -> Found:
    """Return each main number for every choice of the settings that vary."""
    variants = [dict(option.split("=", 1) for option in one.options) for one in table.study.plan.variants]
    if len(variants) < 2:
        return Found(finding="", marks=())
    marks: list[Mark] = []
    for address, title in MEASURED:
        if table.has(address):
            for at, variant in enumerate(variants):
                values = of_variant(table, address, variant)
                label = table.study.plan.variants[at].label
                marks.append(with_interval(title, label, mean, values, x=float(at)))
    top = best([one for one in marks if one.series == "contains a correct answer"])
    said = f"Most often right: {top.label}, {span(top)}." if top else "No correct answers are given, so none is right."
    return Found(finding=said, marks=tuple(marks))


VIEWS = (
    View(
        name="sweep",
        title="What each setting gives",
        paper="sweeps of all papers",
        kind="rows",
        x_title="Mean of a question",
        y_title="",
        needs=("run.seconds",),
        methods="Let a setting vary, for example --vary k=1,3,5.",
        find=sweep,
        also=lambda table: len(table.study.plan.variants) > 1,
    ),
)
