"""Sizes and prompt wordings as one choice: "embedded" for a 135M model, "paper" for the papers' own words and sizes.

The papers' prompts and chunk sizes were made for models of 1.5B to 70B parameters. The small embedded model answers
more often when the task is short and the question stands both before the passages, so that they are read with it in
mind, and behind them (Liu et al. 2023, "Lost in the Middle", query-aware contextualization); so it has its own
wording. Every record says which profile wrote its prompts. Braces are filled with ``str.replace``, never ``format``:
passages may contain braces.
"""

from dataclasses import dataclass

from engine.core.records import Passage, Prompt

STEP_BY_STEP_EXAMPLES = (
    (
        "When did the composer of The Magic Flute die?",
        "The Magic Flute was composed by Wolfgang Amadeus Mozart. Wolfgang Amadeus Mozart died on 5 December 1791. "
        "So the answer is 5 December 1791.",
    ),
    (
        "Which is longer, the Rhine or the Danube?",
        "The Rhine is about 1,230 kilometres long. The Danube is about 2,850 kilometres long. "
        "So the answer is the Danube.",
    ),
    (
        "In which country was the inventor of dynamite born?",
        "Dynamite was invented by Alfred Nobel. Alfred Nobel was born in Stockholm, Sweden. So the answer is Sweden.",
    ),
    (
        "Who painted the ceiling of the Sistine Chapel?",
        "The Sistine Chapel is in Vatican City. The ceiling of the Sistine Chapel was painted by Michelangelo. "
        "So the answer is Michelangelo.",
    ),
)
PAPER_REWRITE = (
    "Rewrite the following text at the syntactic level without changing its meaning. Modify the sentence structure, "
    "but preserve the original intent and semantic meaning. ONLY return the rewritten content without any additional "
    "token. Text: {chunk}"
)
SENTENCE_EXAMPLES = """Sentence: The Rhine flows through Cologne before it reaches the North Sea.
In other words: Before reaching the North Sea, the Rhine passes through Cologne.

Sentence: Johannes Kepler published Astronomia Nova in 1609.
In other words: In 1609, Astronomia Nova was published by Johannes Kepler.

Sentence: Rain fell for three days, so the bridge near Graz was closed.
In other words: The bridge near Graz was closed because it rained for three days.

Sentence: {chunk}
In other words:"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Prompt wordings and sizes that belong together. Token counts are the language model's, chunks the embedder's.

    ``rewrite_whole``: a chunk is first reworded as a whole; a small model only ever does it sentence by sentence.
    ``sentence_rewrites`` are (wording, as a chat turn), each asked for every sentence that goes to the model.
    ``best_last`` puts the best passage next to the question: a small model reads what stands near it.
    """

    name: str
    chunk_tokens: int
    chunk_overlap: int
    passages: int
    samples: int
    answer_tokens: int
    step_tokens: int
    rewrite_growth: float
    question_with_context: str
    question_alone: str
    sample_with_context: str
    sample_alone: str
    suffices: str
    rewrite_whole: bool
    rewrite: str
    sentence_rewrites: tuple[tuple[str, bool], ...]
    chat_samples: bool
    best_last: bool


EMBEDDED = Profile(
    name="embedded",
    chunk_tokens=128,
    chunk_overlap=16,
    passages=5,
    samples=10,
    answer_tokens=32,
    step_tokens=96,
    rewrite_growth=1.5,
    question_with_context=(
        "Question: {question}\n\n{context}\n\nBased on the text above, answer in a few words: {question}"
    ),
    question_alone="Answer in a few words: {question}",
    sample_with_context=(
        "Question: {question}\n\n{context}\n\nBased on the text above, answer in a few words: {question}"
    ),
    sample_alone="Answer in a few words: {question}",
    suffices=(
        "Question: {question}\n\n{context}\n\nDoes the text above contain the answer? Only answer yes or no: {question}"
    ),
    rewrite_whole=False,
    rewrite="Rewrite this text in other words. Keep its meaning, all names and all numbers.\n\n{chunk}",
    sentence_rewrites=((SENTENCE_EXAMPLES, False), ("Paraphrase: {chunk}", True)),
    chat_samples=True,
    best_last=True,
)

PAPER = Profile(
    name="paper",
    chunk_tokens=512,
    chunk_overlap=64,
    passages=5,
    samples=10,
    answer_tokens=64,
    step_tokens=128,
    rewrite_growth=1.5,
    question_with_context=(
        "Answer question {question} based on provided context, ONLY output a short answer with minimum words. "
        "Context:{context}"
    ),
    question_alone=(
        "Answer the question based on your own knowledge. Only give me the answer and do not output any other "
        "words.\nQuestion: {question}"
    ),
    sample_with_context=(
        "Answer the following question as briefly as possible.\nContext: {context}\nQuestion: {question}\nAnswer:"
    ),
    sample_alone="Answer the following question as briefly as possible.\nQuestion: {question}\nAnswer:",
    suffices=(
        "Context: {context}\nQuestion: {question}\n"
        "Does the context contain enough information to answer the question? Only answer yes or no."
    ),
    rewrite_whole=True,
    rewrite=PAPER_REWRITE,
    sentence_rewrites=((PAPER_REWRITE, True),),
    chat_samples=False,
    best_last=False,
)

PROFILES = {profile.name: profile for profile in (EMBEDDED, PAPER)}


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


def context_text(profile: Profile, passages: tuple[Passage, ...]) -> str:
    """Return the passages as the model reads them: one after the other, title first where there is one."""
    ordered = reversed(passages) if profile.best_last else passages
    return "\n".join(f"{passage.title}: {passage.text}" if passage.title else passage.text for passage in ordered)


def answer_prompt(profile: Profile, question: str, passages: tuple[Passage, ...]) -> Prompt:
    """Return the prompt of a greedy short answer: over the passages, or closed-book where there are none."""
    if not passages:
        return Prompt(text=fill_template(profile.question_alone, question=question))
    return Prompt(
        text=fill_template(profile.question_with_context, context=context_text(profile, passages), question=question)
    )


def sample_prompt(profile: Profile, question: str, passages: tuple[Passage, ...]) -> Prompt:
    """Return the prompt that SePer's samples answer, with passages or without (released code: no chat template)."""
    template = profile.sample_with_context if passages else profile.sample_alone
    text = fill_template(template, context=context_text(profile, passages), question=question)
    return Prompt(text=text, chat=profile.chat_samples)


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


def step_by_step_prompt(question: str) -> Prompt:
    """Return the few-shot prompt of a closed-book step-by-step answer, in DRAGIN's format with our own examples."""
    shown = "\n".join(f"Question: {asked}\nAnswer: {answered}" for asked, answered in STEP_BY_STEP_EXAMPLES)
    return Prompt(text=f"{shown}\nQuestion: {question}\nAnswer:", chat=False)
