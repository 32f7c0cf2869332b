"""A scripted case: three passages, a model that answers by what stands in its prompt, exact judge, hashed embedder."""

from collections.abc import Callable
from dataclasses import replace

from engine.backends.corpus_stats import count_documents
from engine.backends.entailment.base import ENTAILMENT
from engine.backends.entailment.scripted import ScriptedJudge
from engine.backends.language_models.base import Request
from engine.backends.language_models.scripted import ScriptedModel, Spoken
from engine.backends.retrieval.scripted import HashedWords
from engine.backends.text import load_text_tools
from engine.backends.text.base import Rewording
from engine.backends.text.spacy_text import SpacyText
from engine.core.progress import Event, Report, silent
from engine.core.records import Document, Passage
from engine.methods.base import Backends, Case, answer_request
from engine.methods.profiles import EMBEDDED

WHOLE = replace(EMBEDDED, rewrite_whole=True)
QUESTION = "Who rebuilt the Vesper Clock?"
PASSAGES = (
    Passage(title="Vesper Clock", text="The Vesper Clock was built in 1702. Lyra Quill rebuilt it in 1890."),
    Passage(title="Lyra Quill", text="Lyra Quill was a clockmaker from Bremen. She died in 1911."),
    Passage(title="Harbour", text="The harbour of Bremen has two old cranes and a long quay."),
)


class WithoutRules(SpacyText):
    """The parser with no rule that rewords."""

    def rewordings(self, sentence: str) -> tuple[Rewording, ...]:
        """Return nothing."""
        return ()


def backends(
    speak: Callable[[Request], Spoken],
    judge: ScriptedJudge | None = None,
    sentence_judge: ScriptedJudge | None = None,
    report: Report = silent,
    rules: bool = False,
    **model: object,
) -> Backends:
    """Return scripted backends around ``speak``; the parser is the real one, without its rewording rules unless asked.

    Without rules every sentence is reworded by the model, so that a test says what is written. Unless a sentence judge
    is given, every sentence entails every other.
    """
    documents = [Document(document_id=str(i), title=p.title, text=p.text) for i, p in enumerate(PASSAGES)]
    scripted = ScriptedModel(speak, **model)  # type: ignore[arg-type]
    return Backends(
        model=scripted,
        writer=scripted,
        rewriter=scripted,
        judge=judge or ScriptedJudge({}),
        sentence_judge=sentence_judge or ScriptedJudge(lambda one, other: ENTAILMENT),
        text=load_text_tools() if rules else WithoutRules(),
        embedder=HashedWords(),
        counter=count_documents(documents, "three passages"),
        report=report,
    )


def case(
    backend: Backends, passages: tuple[Passage, ...] = PASSAGES, golds: tuple[str, ...] = (), seed: int = 0
) -> Case:
    """Return the case with the model's own greedy answer over the passages."""
    answer = backend.model.generate([answer_request(WHOLE, QUESTION, passages)], silent)[0]
    return Case(question=QUESTION, passages=passages, golds=golds, answer=answer, profile=WHOLE, seed=seed)


class Events:
    """A reporter that keeps what it was told."""

    def __init__(self) -> None:
        self.seen: list[Event] = []

    def __call__(self, event: Event) -> None:
        self.seen.append(event)
