"""Getting ready while nobody waits: models opened, and this machine's pace measured, before the first click.

A person who opens the form will ask something. Until then there is time to import the libraries and open the weights,
which takes longer than finding the passages and writing the first answer together.
"""

from engine.backends.entailment import load_judge, open_judge
from engine.backends.language_models import computing_place, open_weights, rewriter_name, writer_name
from engine.backends.retrieval import load_embedder
from engine.backends.text import load_text_tools
from engine.core.progress import Report, Stage, silent
from engine.runs.jobs.pace import measure_pace, stored_pace
from engine.runs.store import RunStore

USUAL = "embedded"


def warm_up(store: RunStore, report: Report = silent) -> None:
    """Open the usual models, judge and parser; measure their pace where no run has shown it and nothing is kept yet.

    ``report`` is called between them and may raise to stop. Raises ModelError where one cannot be opened.
    """

    def opening(done: int) -> None:
        report(Stage(method="models", name="getting ready", done=done, total=5))

    opening(0)
    load_embedder().open()
    opening(1)
    model = open_weights(USUAL, report)
    opening(2)
    for other in dict.fromkeys((writer_name(USUAL), rewriter_name(USUAL))):
        open_weights(other, report)
    opening(3)
    open_judge(load_judge(USUAL))
    opening(4)
    load_text_tools().open()
    opening(5)
    asked = any(run.state == "done" and run.origin == "asked" for run in store.listing(limit=200))
    if not asked and stored_pace(USUAL) is None:
        measure_pace(USUAL, model, report, computing_place(USUAL))
