"""Other pipelines' results as traces, for programs outside: see ``engine.diagnosis.traces``."""

from engine.diagnosis.traces.adapters import (
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
    "open_trace",
    "read_trace",
]
