"""Other pipelines' results as traces, for programs outside: see ``engine.diagnosis.traces``.

``from_…`` turn what a framework returned into a trace; ``listen_to_…`` look on while it runs. A listener imports its
framework only when it is called. ``keep_trace`` puts a trace where the Trace page lists it.

>>> from engine.traces import from_ragas
>>> row = {"user_input": "Which river?", "retrieved_contexts": ["It lies on the Danube."], "response": "The Danube"}
>>> from_ragas(row, written_by="gpt-4o-mini")["answer"]
{'text': 'The Danube', 'written_by': 'gpt-4o-mini'}
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from engine.core.errors import InputError
from engine.diagnosis.traces.adapters import (
    TraceObject,
    from_dspy,
    from_haystack,
    from_langchain,
    from_llamaindex,
    from_openai,
    from_ragas,
)
from engine.diagnosis.traces.schema import read_trace
from engine.diagnosis.traces.spans import from_spans, open_trace

__all__ = [
    "from_dspy",
    "from_haystack",
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
    "open_trace",
    "read_trace",
]
OnTrace = Callable[[TraceObject], None]


def listen_to_langchain(written_by: str = "", on_trace: OnTrace | None = None) -> Any:
    """Return a callback handler for LangChain; its ``traces`` grow by one with each run of a chain or agent.

    ``written_by`` names the model where LangChain does not. ``on_trace`` is called with each trace. Raises InputError
    where langchain-core is not installed.

    >>> listener = listen_to_langchain()  # doctest: +SKIP
    >>> chain.invoke("Which river?", config={"callbacks": [listener]})  # doctest: +SKIP
    >>> listener.traces[-1]["answer"]["text"]  # doctest: +SKIP
    """
    return listener("langchain", "LangChainListener", "langchain-core", written_by, on_trace)


def listen_to_llamaindex(written_by: str = "", on_trace: OnTrace | None = None) -> Any:
    """Return a listener that hears every LlamaIndex query from now on, until its ``stop()``; see ``traces``.

    Raises InputError where llama-index-core is not installed.
    """
    return listener("llamaindex", "LlamaIndexListener", "llama-index-core", written_by, on_trace)


def listen_to_haystack(written_by: str = "", on_trace: OnTrace | None = None) -> Any:
    """Return a tracer that hears every Haystack pipeline from now on, until its ``stop()``; see ``traces``.

    Raises InputError where haystack-ai is not installed.
    """
    return listener("haystack", "HaystackListener", "haystack-ai", written_by, on_trace)


def listen_to_spans(written_by: str = "", on_trace: OnTrace | None = None) -> Any:
    """Return a span exporter for an OpenTelemetry tracer provider; its ``traces`` grow by one with each run.

    Raises InputError where opentelemetry-sdk is not installed.
    """
    return listener("opentelemetry", "SpanListener", "opentelemetry-sdk", written_by, on_trace)


def keep_trace(trace: TraceObject) -> None:
    """Keep a trace where the Trace page lists it; give it to a listener as ``on_trace``.

    Raises RecordError where it is no trace, StorageError where it cannot be written.

    >>> listener = listen_to_langchain(on_trace=keep_trace)  # doctest: +SKIP
    """
    from engine.runs.listening.received import keep_received  # what reads answers is not needed to listen

    keep_received(trace)


def listener(module: str, name: str, package: str, written_by: str, on_trace: OnTrace | None) -> Any:
    """Return a framework's listener. Raises InputError that names the package where it is not installed."""
    try:
        made = getattr(import_module(f"engine.diagnosis.traces.listeners.{module}"), name)
    except ModuleNotFoundError as exc:
        raise InputError(
            f"This needs the package {package}, and {exc.name} is not installed: "
            f"pip install {package} (or retrieval-microscope[{module}])."
        ) from exc
    return made(written_by, on_trace)
