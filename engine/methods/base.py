"""What a method is given: the case to look at and the backends to look with."""

import math
from dataclasses import dataclass, replace

from engine.backends.corpus_stats.base import CorpusCounter
from engine.backends.entailment.base import Judge
from engine.backends.language_models.base import KeptReading, LanguageModel, Request
from engine.backends.retrieval.base import Corpus, Embedder
from engine.backends.text.base import TextTools
from engine.core.errors import CapabilityError, ModelError
from engine.core.progress import Event, Report, Stage
from engine.core.records import Generation, Passage, ThresholdSource
from engine.methods.profiles import Profile, answer_prompt, fill_template


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question with the passages that were retrieved for it, and the greedy answer over them."""

    question: str
    passages: tuple[Passage, ...]
    golds: tuple[str, ...]
    answer: Generation
    profile: Profile
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Backends:
    """Everything a method may call. Methods see protocols only, never a concrete backend.

    ``model`` gives the short answers that are diagnosed. ``writer`` answers step by step: for ETC, QuCo-RAG and every
    timing policy, with its trace, its loop and its gate's samples. ``rewriter`` rewords passages. They are the same
    model unless one is trained for one of these alone, as the embedded ones are.
    ``judge`` judges answers to the question; ``sentence_judge``, with question "", whether one sentence follows from
    another. ``corpus`` is what a method may search again, with ``retriever``; None where the question came without
    passages.
    ``extractor`` finds QuCo-RAG's claims where the user names a model for it; None = the parser does.
    """

    model: LanguageModel
    writer: LanguageModel
    rewriter: LanguageModel
    judge: Judge
    sentence_judge: Judge
    text: TextTools
    embedder: Embedder
    counter: CorpusCounter
    report: Report
    corpus: Corpus | None = None
    retriever: str = "hybrid"
    extractor: LanguageModel | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
    """Requests that a method is sure to make, so that those of several methods can be decoded in one batch."""

    model: tuple[Request, ...] = ()
    writer: tuple[Request, ...] = ()
    rewriter: tuple[Request, ...] = ()


def nothing_foreseen(case: Case, config: object, backends: Backends) -> Foreseen:
    """Return no requests: what the method asks depends on what it finds."""
    return Foreseen()


def answer_request(profile: Profile, question: str, passages: tuple[Passage, ...]) -> Request:
    """Return the request for the greedy short answer over these passages; closed-book where there are none.

    A short answer is one line, as in SePer's released code: what follows a line break is no part of it.
    """
    return Request(prompt=answer_prompt(profile, question, passages), max_tokens=profile.answer_tokens, stop=("\n",))


def over_kept(request: Request, profile: Profile, question: str, passages: tuple[Passage, ...]) -> Request:
    """Return an answer's request, to be read over what was read of these passages where only one of them differs."""
    behind = fill_template(profile.question_with_context.partition("{context}")[2], question=question)
    return replace(request, kept=KeptReading(prompt=answer_prompt(profile, question, passages), behind=len(behind)))


def with_numbers(generations: tuple[Generation, ...], model: LanguageModel) -> tuple[Generation, ...]:
    """Return the generations as they are. Raises ModelError where a token's log-probability or entropy is NaN.

    Here they enter the methods that count with them: further on NaN would be a fault of ours, or a silent "no".
    Raises CapabilityError where the model gives no log-probabilities at all.
    """
    for generation in generations:
        refuse_without_numbers(model, generation.prompt.chat)
        tokens = (*generation.tokens, *((generation.stop_token,) if generation.stop_token else ()))
        spoilt = next((token for token in tokens if math.isnan(token.logprob) or math.isnan(token.entropy)), None)
        if spoilt is not None:
            raise ModelError(
                f"{model.identity.name} gave NaN as the log-probability or entropy of {spoilt.text!r}, "
                "so nothing can be counted with its answer."
            )
    return generations


def refuse_without_numbers(model: LanguageModel, chat: bool) -> None:
    """Raise CapabilityError where what a model writes after a chat turn, or a plain text, has no probabilities."""
    if not model.capabilities.gives_logprobs(chat):
        kind = "an answer to a chat turn" if chat else "a text it continues"
        raise CapabilityError(f"{model.identity.name} does not give the probabilities of the tokens of {kind}.")


def on_behalf_of(method: str, backends: Backends) -> Backends:
    """Return the backends with a reporter that names ``method`` where another method's public function is borrowed.

    Else a run would seem to go back to DENSE or SePer, and the page would be redrawn at each change.
    """

    def report(event: Event) -> None:
        if isinstance(event, Stage) and event.method != "entailment":
            event = replace(event, method=method)
        backends.report(event)

    return replace(backends, report=report)


def source_of(of_paper: bool, fitted: bool) -> ThresholdSource:
    """Return where a threshold comes from: fitted, else the paper's own value, else chosen by hand.

    >>> source_of(of_paper=True, fitted=False), source_of(of_paper=False, fitted=False)
    ('paper', 'chosen')
    """
    if fitted:
        return "fitted"
    return "paper" if of_paper else "chosen"
