"""Record what real frameworks report of the small pipelines, for the tests that run without them.

    python -m tests.engine.diagnosis.traces.listeners.record

It needs langchain, langchain-classic, llama-index-core, haystack-ai, OpenInference's instrumentation of the three, and
opentelemetry-exporter-otlp-proto-http. It writes to ``tests/reference/frameworks``: the steps as a listener hears them,
and the spans as an OTLP exporter sends them, as JSON and as protobuf.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from engine import traces
from engine.diagnosis.traces.listeners import seen_runs
from tests.engine.diagnosis.traces.listeners.pipelines import RUNS

INTO = Path(__file__).resolve().parents[4] / "reference" / "frameworks"
LISTENERS = {
    "langchain": traces.listen_to_langchain,
    "llamaindex": traces.listen_to_llamaindex,
    "haystack": traces.listen_to_haystack,
}
PACKAGES = {"langchain": "langchain-core", "llamaindex": "llama-index-core", "haystack": "haystack-ai"}
HEARD = ("begin", "question", "ask", "find", "replace", "write", "end", "fail")


def plain(value: Any) -> Any:
    """Return an argument as JSON holds it."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, str) or value is None:
        return value
    return [plain(one) for one in value] if not isinstance(value, dict) else value


def record_steps(name: str, run: Callable[[Any], Any]) -> dict[str, Any]:
    """Return one run as the steps that its listener heard."""
    framework = name.split("_")[0]
    listener = LISTENERS[framework]()
    heard: list[list[Any]] = []

    def overhear(method: str) -> None:
        original = getattr(seen_runs.SeenRuns, method)

        def heard_step(*given: Any) -> None:
            kept = [list(one) if hasattr(one, "__next__") else one for one in given]
            heard.append([method, *map(plain, kept)])
            original(listener.seen, *kept)

        setattr(listener.seen, method, heard_step)

    for method in HEARD:
        overhear(method)
    try:
        run(listener)
    finally:
        getattr(listener, "stop", lambda: None)()
    return {
        "package": f"{PACKAGES[framework]} {version(PACKAGES[framework])}",
        "steps": heard,
        "trace": listener.traces[-1],
    }


def instrumentor(framework: str) -> Any:
    """Return OpenInference's instrumentation of a framework."""
    if framework == "langchain":
        from openinference.instrumentation.langchain import LangChainInstrumentor as found
    elif framework == "llamaindex":
        from openinference.instrumentation.llama_index import LlamaIndexInstrumentor as found
    else:
        from openinference.instrumentation.haystack import HaystackInstrumentor as found
    return found()


def record_spans(name: str, run: Callable[[Any], Any]) -> bytes:
    """Return one run's spans as an OTLP exporter sends them."""
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    held, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(held))
    instrumented = instrumentor(name.split("_")[0])
    instrumented.instrument(tracer_provider=provider)
    try:
        run(None)
    finally:
        instrumented.uninstrument()
    return bytes(encode_spans(held.get_finished_spans()).SerializeToString())


def main() -> None:
    """Record every pipeline."""
    INTO.mkdir(exist_ok=True)
    for name, run in RUNS.items():
        steps = json.dumps(record_steps(name, run), ensure_ascii=False, indent=1)
        (INTO / f"{name}_steps.json").write_text(steps + "\n", encoding="utf-8")
        if name != "llamaindex_streamed":
            (INTO / f"{name}.otlp").write_bytes(record_spans(name, run))
        print(name)


if __name__ == "__main__":
    main()
