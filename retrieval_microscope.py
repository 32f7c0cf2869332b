"""Everything that programs and notebooks use, under one name: ``import retrieval_microscope as rm``.

>>> import retrieval_microscope as rm
>>> run = rm.sample("capital-of-japan")
>>> run  # doctest: +ELLIPSIS
Diagnosis('What is the capital of Japan?' → ...; dense done, seper done, entropy_trend done, quco_rag done, ...)
>>> rm.figure_names(run)[:2]
('dense-graph', 'dense-entropy')
>>> rm.figure(run, "dense-graph", theme="dark").layout.paper_bgcolor != "rgba(0,0,0,0)"
True
>>> list(run.to_frame().columns)
['address', 'number', 'value', 'unit', 'checked', 'source']

In a notebook a run shows itself: question, answers, verdicts, four figures. Each name below is imported on first use,
so that a measure costs no model library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from engine.core.showing import WAYS
from engine.core.threads import wait_briefly

if TYPE_CHECKING:
    from engine.backends.entailment import load_judge
    from engine.backends.language_models import load_language_model
    from engine.catalogue.verify import verify
    from engine.core.records import Passage
    from engine.diagnosis.record import Diagnosis
    from engine.diagnosis.request import DiagnosisRequest
    from engine.diagnosis.serialize import from_json
    from engine.methods import DEFAULT_METHODS, METHODS
    from engine.runs.run import diagnose, run_request
    from engine.runs.sample_runs import recorded_ids
    from engine.runs.store import RunStore
    from engine.traces import (
        from_dspy,
        from_haystack,
        from_langchain,
        from_llamaindex,
        from_openai,
        from_ragas,
        from_spans,
        keep_trace,
        listen_to_haystack,
        listen_to_langchain,
        listen_to_llamaindex,
        listen_to_spans,
        open_trace,
        read_trace,
    )
    from viz.gallery import figure, figure_names, sentence, table, table_names, verdict, verdicts
    from viz.runs.bundle import run_bundle
    from viz.runs.scores import annotations, scores_table

WHERE = {
    "engine.backends.entailment": "load_judge",
    "engine.backends.language_models": "load_language_model",
    "engine.catalogue.verify": "verify",
    "engine.core.records": "Passage",
    "engine.diagnosis.record": "Diagnosis",
    "engine.diagnosis.request": "DiagnosisRequest",
    "engine.diagnosis.serialize": "from_json",
    "engine.methods": "DEFAULT_METHODS METHODS",
    "engine.runs.run": "diagnose run_request",
    "engine.runs.sample_runs": "recorded_ids",
    "engine.runs.store": "RunStore",
    "engine.traces": "from_dspy from_haystack from_langchain from_llamaindex from_openai from_ragas from_spans "
    "keep_trace listen_to_haystack listen_to_langchain listen_to_llamaindex listen_to_spans open_trace read_trace",
    "viz.runs.bundle": "run_bundle",
    "viz.gallery": "figure figure_names sentence table table_names verdict verdicts",
    "viz.runs.scores": "annotations scores_table",
}
HOMES = {name: module for module, names in WHERE.items() for name in names.split()}

__all__ = [
    "DEFAULT_METHODS",
    "METHODS",
    "Diagnosis",
    "DiagnosisRequest",
    "Passage",
    "RunStore",
    "annotations",
    "diagnose",
    "figure",
    "figure_names",
    "from_dspy",
    "from_haystack",
    "from_json",
    "from_langchain",
    "from_llamaindex",
    "from_openai",
    "from_ragas",
    "from_spans",
    "keep_trace",
    "listen_to_haystack",
    "listen_to_langchain",
    "listen_to_llamaindex",
    "listen_to_spans",
    "load_judge",
    "load_language_model",
    "open_run",
    "open_trace",
    "read_trace",
    "recorded_ids",
    "run_bundle",
    "run_request",
    "sample",
    "scores_table",
    "sentence",
    "table",
    "table_names",
    "verdict",
    "verdicts",
    "verify",
]

wait_briefly()
WAYS.update(
    numbers=lambda run: import_module("viz.gallery").numbers(run),
    html=lambda run: import_module("viz.notebook").run_html(run),
    display=lambda run: import_module("viz.notebook").show_run(run),
)


def __getattr__(name: str) -> Any:
    """Return a public name on first use. Raises AttributeError for any other."""
    if name in HOMES:
        return getattr(import_module(HOMES[name]), name)
    raise AttributeError(f"module 'retrieval_microscope' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)


def sample(run_id: str) -> "Diagnosis":
    """Return a recorded run that is shipped with the program, by its id; no model is loaded.

    Raises RecordError where there is none of that id.

    >>> sample("capital-of-japan").question
    'What is the capital of Japan?'
    """
    from engine.core.errors import RecordError
    from engine.core.folders import sample_data
    from engine.runs.sample_runs import list_sample_runs, read_run

    found = list_sample_runs(sample_data()).get(run_id)
    if found is None:
        raise RecordError(f"There is no recorded run {run_id[:64]!r}.")
    return read_run(sample_data() / found.file)


def open_run(run: str) -> "Diagnosis":
    """Return a run from a file (a JSON record or a run bundle), else a stored run by its id. Raises RecordError."""
    from engine.runs.named_run import named_run

    return named_run(run)
