"""Sizes and prompt wordings as one choice: "embedded" for a 135M model, "paper" for the papers' own words and sizes.

The papers' prompts and chunk sizes were made for models of 1.5B to 70B parameters. The small embedded model answers
more often when the task is short and the question stands both before the passages, so that they are read with it in
mind, and behind them (Liu et al. 2023, "Lost in the Middle", query-aware contextualization); so it has its own
wording. The texts are in ``prompts.toml``. Every record says which profile wrote its prompts. Braces are filled with
``fill_template``, never ``format``: passages may contain braces.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from engine.core.records import Passage, Prompt

# The prompts, the sizes of the profiles, and the examples that step-by-step answers begin with.
PROMPTS = tomllib.loads(Path(__file__).with_name("prompts.toml").read_text(encoding="utf-8"))
BACKGROUND = PROMPTS["quco_rag"]["background"]
STEP_BY_STEP_EXAMPLES = "\n".join(
    f"Question: {one['question']}\nAnswer: {one['answer']}" for one in PROMPTS["step_by_step"]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Prompt wordings and sizes that belong together. Token counts are the language model's, chunks the embedder's.

    ``rewrite_whole``: a chunk is first reworded as a whole; a small model only ever does it sentence by sentence.
    ``sample_tokens`` are the most new tokens of a sample, ``sample_tokens_in_code`` those of the released code.
    ``sentence_rewrites`` are (wording, as a chat turn), each asked for every sentence that goes to the model.
    ``suffices_from``: a context suffices where "yes" has at least this share of "yes" and "no".
    ``best_last`` puts the best passage next to the question: a small model reads what stands near it.
    ``passages_first`` puts what was looked up before the examples of a step-by-step answer, not behind them.
    ``query_words`` is the most words a query takes by attention; ``PAPER``'s is ETC's and DRAGIN's.
    ``window_share`` is the share of a document within which two things co-occur; 0: QuCo-RAG's window in words.
    """

    name: str
    chunk_tokens: int
    chunk_overlap: int
    passages: int
    samples: int
    answer_tokens: int
    sample_tokens: int
    sample_tokens_in_code: int
    step_tokens: int
    rewrite_growth: float
    question_with_context: str
    question_alone: str
    sample_with_context: str
    sample_alone: str
    suffices: str
    suffices_from: float
    rewrite_whole: bool
    rewrite: str
    sentence_rewrites: tuple[tuple[str, bool], ...]
    chat_samples: bool
    best_last: bool
    passages_first: bool
    query_words: int
    window_share: float


PROFILES = {
    name: TypeAdapter(Profile).validate_python({"name": name, **settings})
    for name, settings in PROMPTS["profiles"].items()
}
EMBEDDED, PAPER = PROFILES["embedded"], PROFILES["paper"]


def fill_template(template: str, **values: str) -> str:
    """Return the template with each {name} replaced once, left to right; text that is put in is never read again.

    >>> fill_template("{context} | {question}", context="a {question}", question="b")
    'a {question} | b'
    """
    out, rest = "", template
    while values:
        places = {name: rest.find("{" + name + "}") for name in values}
        found = {name: place for name, place in places.items() if place >= 0}
        if not found:
            break
        name = min(found, key=lambda key: found[key])
        head, rest = rest[: found[name]], rest[found[name] + len(name) + 2 :]
        out += head + values[name]
    return out + rest


def titled(passage: Passage) -> str:
    """Return a passage as a model reads it, its title first where it has one."""
    return f"{passage.title}: {passage.text}" if passage.title else passage.text


def numbered_lines(passages: Sequence[Passage]) -> list[str]:
    """Return each passage on one line with its number: none of its lines can pass for a question of the format."""
    return [f"[{number}] {' '.join(titled(passage).split())}" for number, passage in enumerate(passages, start=1)]


def context_text(profile: Profile, passages: tuple[Passage, ...]) -> str:
    """Return the passages as the model reads them, one after the other."""
    return "\n".join(titled(passage) for passage in (reversed(passages) if profile.best_last else passages))


def answer_prompt(profile: Profile, question: str, passages: tuple[Passage, ...]) -> Prompt:
    """Return the prompt of a greedy short answer: over the passages, or closed-book where there are none."""
    if not passages:
        return Prompt(text=fill_template(profile.question_alone, question=question))
    return Prompt(
        text=fill_template(profile.question_with_context, context=context_text(profile, passages), question=question)
    )


def sample_prompt(profile: Profile, question: str, passages: tuple[Passage, ...]) -> Prompt:
    """Return the prompt that SePer's samples answer, with passages or without (SePer, appendix D.5)."""
    template = profile.sample_with_context if passages else profile.sample_alone
    text = fill_template(template, context=context_text(profile, passages), question=question)
    return Prompt(text=text, chat=profile.chat_samples)


def sample_tokens(profile: Profile, variant: Literal["paper", "code"]) -> int:
    """Return how many new tokens one of SePer's samples may have, by its variant (appendix D.4 and released code)."""
    return profile.sample_tokens if variant == "paper" else profile.sample_tokens_in_code


def sufficiency_prompt(profile: Profile, question: str, passages: tuple[Passage, ...]) -> Prompt:
    """Return the prompt that asks whether the passages suffice to answer, yes or no (DENSE, appendix B.3)."""
    return Prompt(text=fill_template(profile.suffices, context=context_text(profile, passages), question=question))


def rewrite_prompt(profile: Profile, text: str) -> Prompt:
    """Return the prompt that asks for another wording of one chunk (DENSE, appendix B.1)."""
    return Prompt(text=fill_template(profile.rewrite, chunk=text))


def sentence_rewrite_prompts(profile: Profile, sentence: str) -> tuple[Prompt, ...]:
    """Return the prompts that ask for another wording of one sentence, in the order they are tried."""
    return tuple(
        Prompt(text=fill_template(wording, chunk=sentence), chat=chat) for wording, chat in profile.sentence_rewrites
    )


def step_by_step_prompt(
    question: str, profile: Profile = EMBEDDED, passages: Sequence[Passage] = (), begun: str = ""
) -> Prompt:
    """Return the few-shot prompt of a step-by-step answer, in DRAGIN's format with our own examples.

    It goes on from ``begun``, over numbered passages where there are some. The released programs put these between
    examples and question. A model of 135M parameters then goes on with the headline instead of the answer, so the
    embedded profile puts them before the examples, which stay whole, and asks the question before them too.
    """
    asked = f"Question: {question}\nAnswer:{begun}"
    if not passages:
        return Prompt(text=f"{STEP_BY_STEP_EXAMPLES}\n{asked}", chat=False)
    lines = "\n".join(numbered_lines(passages[::-1] if profile.best_last else passages))
    if profile.passages_first:
        read = f"Question: {question}\n{BACKGROUND}\n{lines}"
        return Prompt(text=f"{read}\n\n{STEP_BY_STEP_EXAMPLES}\n{asked}", chat=False)
    context = f"Context:\n{lines}\nAnswer in the same format as before."
    return Prompt(text=f"{STEP_BY_STEP_EXAMPLES}\n{context}\n{asked}", chat=False)
