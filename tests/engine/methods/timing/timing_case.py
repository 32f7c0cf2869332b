"""A scripted scene for timing tests: a corpus that writes down its queries, a model that says its lines in turn."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.backends.language_models.base import Request
from engine.backends.language_models.scripted import ScriptedModel, Spoken
from engine.core.errors import CorpusError
from engine.core.progress import Report, silent
from engine.core.records import Hit, Passage
from engine.methods.base import Backends, Case
from engine.methods.profiles import EMBEDDED
from engine.methods.timing.base import DraftView, PolicyContext, TimingConfig
from tests.engine.methods.scripted_case import PASSAGES, QUESTION, backends, case


class ScriptedCorpus:
    """A corpus that finds the first ``k`` of its passages, whatever is asked, and keeps every query."""

    name, content_hash, documents = "three passages", "0", ()

    def __init__(self, passages: Sequence[Passage] = PASSAGES, fails: str = "") -> None:
        self.passages = tuple(passages)
        self.fails = fails
        self.searched: list[tuple[str, int, str]] = []

    def search(self, query: str, k: int, retriever: str = "hybrid") -> tuple[Hit, ...]:
        """Return the first k passages; raises CorpusError where the corpus was told to."""
        self.searched.append((query, k, retriever))
        if self.fails:
            raise CorpusError(self.fails)
        return tuple(
            Hit(passage=passage, rank=rank, score=1.0, retriever=retriever)
            for rank, passage in enumerate(self.passages[:k], 1)
        )

    @property
    def queries(self) -> list[str]:
        """Return what was asked for, in order."""
        return [query for query, _, _ in self.searched]


def in_turn(*lines: Spoken) -> Callable[[Request], Spoken]:
    """Return a model's voice that says its lines one after the other, and nothing once they are said."""
    left = list(lines)
    return lambda request: left.pop(0) if left else ""


def scene(
    speak: Callable[[Request], Spoken],
    corpus: ScriptedCorpus | None = None,
    config: TimingConfig | None = None,
    golds: tuple[str, ...] = (),
    question: str = QUESTION,
    report: Report = silent,
    **model: object,
) -> PolicyContext:
    """Return a scene around a scripted writer; ``corpus`` None is a question without passages."""
    backend = backends(speak, report=report, **model)
    answered = case(replace(backend, model=ScriptedModel(lambda request: "Lyra Quill")), golds=golds)
    return PolicyContext(
        case=Case(
            question=question,
            passages=PASSAGES if corpus else (),
            golds=golds,
            answer=answered.answer,
            profile=EMBEDDED,
            seed=0,
        ),
        config=config or TimingConfig(),
        backends=replace(backend, corpus=corpus),
    )


def writer_of(found: PolicyContext) -> ScriptedModel:
    """Return the scripted writer of a scene, which keeps what it was asked."""
    writer = found.backends.writer
    assert isinstance(writer, ScriptedModel)
    return writer


def prompts_of(found: PolicyContext) -> list[str]:
    """Return every prompt the writer was given, in order."""
    return [request.prompt.text for request in writer_of(found).requests]


def look(spoken: Spoken, config: TimingConfig | None = None, kept: str = "", **model: object) -> DraftView:
    """Return text written ahead that says what was spoken, ready to be judged."""
    from engine.backends.language_models.scripted import scripted_generation
    from engine.methods.step_by_step import step_by_step_request

    found = scene(lambda request: spoken, config=config, **model)
    request = step_by_step_request(QUESTION, EMBEDDED)
    request = replace(request, prompt=replace(request.prompt, text=request.prompt.text + kept))
    return DraftView(found, kept, scripted_generation(request, spoken))


def with_tools(found: PolicyContext, **changed: object) -> PolicyContext:
    """Return the scene with other backends of these names."""
    changed_backends: Backends = replace(found.backends, **changed)  # type: ignore[arg-type]
    return replace(found, backends=changed_backends)
