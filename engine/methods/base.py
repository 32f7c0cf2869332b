"""What a method is given: the case to look at and the backends to look with."""

from dataclasses import dataclass

from engine.corpus_stats.base import CorpusCounter
from engine.entailment.base import Judge
from engine.language_models.base import LanguageModel, Request
from engine.profiles import Profile, answer_prompt
from engine.progress import Report
from engine.records import Generation, Passage
from engine.retrieval.base import Embedder
from engine.text.base import TextTools


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
    """Everything a method may call. Methods see protocols only, never a concrete backend."""

    model: LanguageModel
    judge: Judge
    text: TextTools
    embedder: Embedder
    counter: CorpusCounter
    report: Report


def answer_request(profile: Profile, question: str, passages: tuple[Passage, ...]) -> Request:
    """Return the request for the greedy short answer over these passages; closed-book where there are none.

    A short answer is one line, as in SePer's released code: what follows a line break is no part of it.
    """
    return Request(prompt=answer_prompt(profile, question, passages), max_tokens=profile.answer_tokens, stop=("\n",))
