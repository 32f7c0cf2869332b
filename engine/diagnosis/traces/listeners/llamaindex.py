"""A handler for LlamaIndex's instrumentation: turned on once, each query becomes a trace.

LlamaIndex reports *spans* (which call stands below which) and *events* (what was asked, found and written). A listener
hears both at the root dispatcher. A response that is streamed is a trace when its last part has been read.
"""

import inspect
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Mapping
from typing import Any

from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index.core.instrumentation.events.base import BaseEvent
from llama_index.core.instrumentation.span import BaseSpan
from llama_index.core.instrumentation.span_handlers import BaseSpanHandler
from pydantic import PrivateAttr

from engine.diagnosis.traces.adapters import TraceObject, passage
from engine.diagnosis.traces.listeners.seen_runs import SeenRuns
from engine.diagnosis.traces.replies import Written, first_object, told_reply


class LlamaIndexListener:
    """Keeps every query as a trace, from when it is made until ``stop``."""

    def __init__(self, written_by: str = "", on_trace: Callable[[TraceObject], None] | None = None) -> None:
        self.seen = SeenRuns("LlamaIndex", written_by, on_trace)
        self._events, self._spans = Events(self.seen), Spans(self.seen)
        self._dispatcher = get_dispatcher()
        self._dispatcher.add_event_handler(self._events)
        self._dispatcher.add_span_handler(self._spans)

    @property
    def traces(self) -> list[TraceObject]:
        """The traces so far, oldest first."""
        return self.seen.traces

    def stop(self) -> None:
        """Listen no longer; the traces stay."""
        self._dispatcher.event_handlers = [one for one in self._dispatcher.event_handlers if one is not self._events]
        self._dispatcher.span_handlers = [one for one in self._dispatcher.span_handlers if one is not self._spans]


class Spans(BaseSpanHandler[BaseSpan]):  # type: ignore[misc]  # the package is optional
    """Hears where calls begin and end."""

    _seen: SeenRuns = PrivateAttr()

    def __init__(self, seen: SeenRuns) -> None:
        super().__init__()
        self._seen = seen

    @classmethod
    def class_name(cls) -> str:
        """The name LlamaIndex knows it by."""
        return "RetrievalMicroscopeSpans"

    def new_span(
        self,
        id_: str,
        bound_args: inspect.BoundArguments,
        instance: Any | None = None,
        parent_span_id: str | None = None,
        tags: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> BaseSpan | None:
        """Note that a call began."""
        self._seen.begin(id_, parent_span_id or "")
        return None

    def prepare_to_exit_span(
        self,
        id_: str,
        bound_args: inspect.BoundArguments,
        instance: Any | None = None,
        result: Any | None = None,
        **kwargs: Any,
    ) -> BaseSpan | None:
        """Note that a call is over, and what it returned."""
        passages = [node_passage(one) for one in getattr(result, "source_nodes", None) or ()]
        parts = getattr(result, "__dict__", {}).get("response_gen")  # no property: reading one would use it up
        if result is not None and self._seen.is_root(id_):

            def done(text: str) -> None:
                self._seen.end(id_, text, passages)

            if inspect.isgenerator(parts):
                result.response_gen = overheard_parts(parts, done)
                return None
            if inspect.isasyncgen(parts):
                result.response_gen = overheard_async(parts, done)
                return None
        said = getattr(result, "response", None)
        self._seen.end(id_, said if isinstance(said, str) else "", passages)
        return None

    def prepare_to_drop_span(
        self,
        id_: str,
        bound_args: inspect.BoundArguments,
        instance: Any | None = None,
        err: BaseException | None = None,
        **kwargs: Any,
    ) -> BaseSpan | None:
        """Note that a call failed."""
        self._seen.fail(id_, err)
        return None


class Events(BaseEventHandler):  # type: ignore[misc]  # the package is optional
    """Hears what was asked, found and written."""

    _seen: SeenRuns = PrivateAttr()

    def __init__(self, seen: SeenRuns) -> None:
        super().__init__()
        self._seen = seen

    @classmethod
    def class_name(cls) -> str:
        """The name LlamaIndex knows it by."""
        return "RetrievalMicroscopeEvents"

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        """Note one event of those that matter."""
        step = str(getattr(event, "span_id", None) or "")
        kind = event.class_name()
        if kind == "QueryStartEvent":
            self._seen.question(step, query_text(event.query))
        elif kind == "RetrievalStartEvent":
            self._seen.ask(step, query_text(event.str_or_query_bundle))
        elif kind == "RetrievalEndEvent":
            self._seen.find(step, map(node_passage, event.nodes))
        elif kind == "ReRankEndEvent":
            self._seen.replace(step, map(node_passage, event.nodes))
        elif kind in ("LLMChatEndEvent", "LLMCompletionEndEvent") and event.response is not None:
            self._seen.write(step, written_in(event.response))


def overheard_parts(parts: Generator[Any, Any, Any], done: Callable[[str], None]) -> Iterator[Any]:
    """Yield a streamed answer part by part, and say the whole of it at its end."""
    text = ""
    for part in parts:
        text += str(part)
        yield part
    done(text)


async def overheard_async(parts: AsyncGenerator[Any, Any], done: Callable[[str], None]) -> AsyncIterator[Any]:
    """Yield a streamed answer part by part, and say the whole of it at its end."""
    text = ""
    async for part in parts:
        text += str(part)
        yield part
    done(text)


def query_text(query: Any) -> str:
    """Return the text of a query: a string, or a bundle."""
    return str(getattr(query, "query_str", query))


def node_passage(found: Any) -> TraceObject:
    """Return a retrieved node as a passage of a trace."""
    return passage(found.node.get_content(), found.node.metadata, found.score)


def written_in(response: Any) -> Written:
    """Return what a chat or completion response holds: text, model, log-probabilities where its raw reply has them."""
    message = getattr(response, "message", None)
    text = response.text if message is None else message.content
    raw = response.raw.model_dump() if hasattr(response.raw, "model_dump") else response.raw
    raw = raw if isinstance(raw, Mapping) else {}
    return told_reply(str(text or ""), first_object(raw.get("choices")), raw)
