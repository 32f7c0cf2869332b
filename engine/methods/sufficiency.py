"""Sufficiency: do the passages hold an answer to the question at all?

The model is asked whether the text above contains the answer, over each passage alone and over all of them. The
embedded reader was trained on this very question; DENSE-RAG ends its search by it (DENSE, appendix B.3). Joren et al.
2025 ("Sufficient Context") ask a large model. Differences: "yes" and "no" count in both letter cases, and the likeliest
"yes" is held against a threshold that was fitted to the embedded reader (``benchmarks/checks.py``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from engine.backends.text.base import TextTools
from engine.core.errors import NotMeasured
from engine.core.progress import Stage
from engine.core.records import Passage, Prompt
from engine.core.settings import check_settings
from engine.measures.sufficiency import sufficiency_score, yes_share
from engine.methods.base import Backends, Case
from engine.methods.cost import Load, Plan
from engine.methods.descriptor import Method
from engine.methods.profiles import sufficiency_prompt
from engine.methods.reach import label_reach
from engine.methods.self_evaluation import SPELLINGS, refuse_without_share

YES = SPELLINGS[:2]
# Chosen on 79 test questions of Natural Questions (open), which the reader was not trained on.
FITTED = 0.89


@dataclass(frozen=True, slots=True, kw_only=True)
class SufficiencyConfig:
    """``threshold``: a likeliest "yes" below it means that the passages hold no answer."""

    threshold: Annotated[float, Field(gt=0, lt=1)] = FITTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the model says of one text: log-probabilities of "yes", "Yes" and of "no", "No" in nats, and P(yes)."""

    prompt: Prompt
    yes_logprobs: tuple[float, ...]
    no_logprobs: tuple[float, ...]
    yes: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageReply:
    """One passage, what the model says of it, and the content words of the question that stand in it."""

    index: int
    passage: Passage
    reply: Reply
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SufficiencyResult:
    """P(yes) over each passage alone and over all together; ``score`` is the likeliest, in [0, 1].

    ``nearest`` is the index of the passage with the likeliest "yes". ``words`` are the content words of the question.
    ``sufficient``: the score reaches the threshold. ``trained``: the embedded reader was asked in its own prompt, for
    which the threshold was fitted.
    """

    method: Literal["sufficiency"] = "sufficiency"
    passages: tuple[PassageReply, ...]
    together: Reply
    words: tuple[str, ...]
    nearest: int
    score: float
    threshold: float
    sufficient: bool
    trained: bool
    not_measured: str = ""

    @property
    def alone(self) -> tuple[float, ...]:
        """P(yes) over each passage alone."""
        return tuple(one.reply.yes for one in self.passages)

    @property
    def all_together(self) -> float:
        """P(yes) over all passages."""
        return self.together.yes


def run(case: Case, config: SufficiencyConfig, backends: Backends) -> SufficiencyResult:
    """Return whether the passages hold an answer, with what the model says of each.

    Raises NotMeasured without passages and where no word has any probability, ModelError where one is NaN.
    """
    if not case.passages:
        raise NotMeasured("There are no passages that could hold an answer.")
    check_settings(config, "Sufficiency")
    contexts = [(passage,) for passage in case.passages] if len(case.passages) > 1 else []
    *alone, together = ask_contexts(case, [*contexts, case.passages], backends)
    words = content_words(case.question, backends.text)
    passages = tuple(
        PassageReply(index=index, passage=passage, reply=reply, words=words_found(words, passage, backends.text))
        for index, (passage, reply) in enumerate(zip(case.passages, alone or [together], strict=True))
    )
    score = sufficiency_score([one.reply.yes for one in passages], together.yes)
    return SufficiencyResult(
        passages=passages,
        together=together,
        words=tuple(words),
        nearest=max(passages, key=lambda one: one.reply.yes).index,
        score=score,
        threshold=config.threshold,
        sufficient=score >= config.threshold,
        trained=backends.model.identity.name == "embedded" and case.profile.name == "embedded",
    )


def ask_contexts(case: Case, contexts: Sequence[tuple[Passage, ...]], backends: Backends) -> list[Reply]:
    """Return what the model says of each context. Raises as ``refuse_without_share``."""
    prompts = [sufficiency_prompt(case.profile, case.question, passages) for passages in contexts]
    backends.report(Stage(method="sufficiency", name="asking whether the answer is there", total=len(prompts)))
    rows = backends.model.label_logprobs(prompts, SPELLINGS, backends.report)
    replies = []
    for prompt, row in zip(prompts, rows, strict=True):
        values = tuple(float(value) for value in row)
        refuse_without_share(values, backends.model.identity.name)
        yes, no = values[: len(YES)], values[len(YES) :]
        replies.append(Reply(prompt=prompt, yes_logprobs=yes, no_logprobs=no, yes=yes_share(yes, no)))
    return replies


def content_words(text: str, tools: TextTools) -> dict[str, str]:
    """Return the content words of a text as they stand there, with their dictionary forms; a sign is no word.

    The parser takes "¿" and other signs that English has not for names.
    """
    named = (word for word in tools.words(text) if word.is_content)
    return {word.text: word.lemma for word in named if any(letter.isalnum() for letter in word.text)}


def words_found(asked: dict[str, str], passage: Passage, tools: TextTools) -> tuple[str, ...]:
    """Return the words of the question that a passage or its title has, in any form."""
    known = {word.lemma for word in tools.words(f"{passage.title}. {passage.text}")}
    return tuple(word for word, lemma in asked.items() if lemma in known)


def load(config: SufficiencyConfig, plan: Plan) -> Load:
    """Return the load: one look at each passage and one at all of them; nothing is written."""
    alone = plan.passages if plan.passages > 1 else 0
    tokens = (plan.passage_tokens + alone * plan.closed_book if alone else 0) + plan.over_passages
    return Load(model_calls=alone + 1, prompt_tokens=tokens)


METHOD = Method(
    word="sufficiency",
    title="Sufficiency",
    question="Do the passages hold an answer at all?",
    paper="DENSE, appendix B.3; Joren et al. 2025",
    icon="fact_check",
    config=SufficiencyConfig,
    result=SufficiencyResult,
    run=run,
    needs=partial(label_reach, "sufficiency"),
    load=load,
    fits=lambda result: 0 <= result.nearest < len(result.passages),
    settings=lambda result: SufficiencyConfig(threshold=result.threshold),
    headlines=lambda result: ("score", "together.yes", "threshold", f"passages.{result.nearest}.reply.yes"),
)
