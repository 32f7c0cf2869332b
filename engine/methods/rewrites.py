"""A chunk in other words, by the model or by hand.

DENSE (section 4.1, appendix B.1) trusts its rewriter; a small model copies, cuts, loops or drops names. So a rewrite
counts only when it passes every check; otherwise it is tried again sentence by sentence, and then the chunk is *not
measured*.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.language_models.base import Request
from engine.methods.base import Backends
from engine.methods.rewrite_checks import RewriteCheck as RewriteCheck
from engine.methods.rewrite_checks import checked
from engine.profiles import Profile, rewrite_prompt, sentence_rewrite_prompts
from engine.progress import Stage
from engine.records import Generation, Passage, Prompt
from engine.retrieval.base import embeddings

SENTENCE_BOUND = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteAttempt:
    """One try at rewriting a chunk: as a whole, sentence by sentence, or by a person's hand."""

    source: Literal["whole", "sentences", "hand"]
    text: str
    checks: tuple[RewriteCheck, ...]
    generations: tuple[Generation, ...]

    @property
    def against(self) -> tuple[RewriteCheck, ...]:
        """The failed checks that count: all of them; one written by hand only has to be there and differ."""
        needed = ("changed", "complete") if self.source == "hand" else tuple(check.name for check in self.checks)
        return tuple(check for check in self.checks if check.name in needed and not check.passed)

    @property
    def valid(self) -> bool:
        """Whether the rewrite counts: no check that decides has failed."""
        return not self.against


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceTry:
    """One sentence's rewordings, and the first that passed every check (None = the sentence stays as it is)."""

    chosen: str | None
    generations: tuple[Generation, ...]


def cosines(backends: Backends, originals: Sequence[str], rewrites: Sequence[str]) -> np.ndarray:
    """Return the cosine of each text with its rewrite: [n], in [-1, 1]; an empty rewrite has 0.

    A text longer than the embedder reads, as a pasted passage may be, counts to its end as the mean of its parts.
    """
    texts = list(dict.fromkeys(text for text in [*originals, *rewrites] if text.strip()))
    vectors = embeddings(texts, backends.embedder)
    pairs = zip(originals, rewrites, strict=True)
    return np.array([float(vectors[a] @ vectors[b]) if a.strip() and b.strip() else 0.0 for a, b in pairs])


def rewrite_request(
    prompt: Prompt, original: str, growth: float, backends: Backends, stop: tuple[str, ...] = ()
) -> Request:
    """Return the request for one rewrite: at most ``growth`` times as many tokens as the original has."""
    return Request(prompt=prompt, max_tokens=max(8, int(backends.writer.count_tokens(original) * growth)), stop=stop)


def rewritten_whole(
    passages: Sequence[Passage], profile: Profile, bound: float, backends: Backends
) -> list[RewriteAttempt]:
    """Return one attempt per passage, the whole text at once."""
    originals = [passage.text for passage in passages]
    requests = [
        rewrite_request(rewrite_prompt(profile, text), text, profile.rewrite_growth, backends) for text in originals
    ]
    backends.report(Stage(method="dense", name="rewording passages", total=len(requests)))
    written = backends.writer.generate(requests, backends.report)
    texts = [generation.text.strip() for generation in written]
    alike = cosines(backends, originals, texts)
    return [
        RewriteAttempt(
            source="whole",
            text=text,
            checks=checked(original, text, g.stop_reason == "length", float(cosine), bound, backends.text),
            generations=(g,),
        )
        for original, g, text, cosine in zip(originals, written, texts, alike, strict=True)
    ]


def rewritten_by_sentence(
    passages: Sequence[Passage], profile: Profile, bound: float, backends: Backends
) -> list[RewriteAttempt]:
    """Return one attempt per passage in which every sentence that could be reworded is; the others stay."""
    spans = [backends.text.sentences(passage.text) for passage in passages]
    tries = iter(reworded_sentences([span.text for found in spans for span in found], profile, backends))
    attempts = []
    for passage, found in zip(passages, spans, strict=True):
        mine = [next(tries) for _ in found]
        text, place = "", 0
        for span, sentence in zip(found, mine, strict=True):
            text += passage.text[place : span.start] + (sentence.chosen or span.text)
            place = span.end
        text += passage.text[place:]
        attempts.append(attempt(passage, text, "sentences", bound, backends, mine))
    return attempts


def attempt(
    passage: Passage,
    text: str,
    source: Literal["sentences", "hand"],
    bound: float,
    backends: Backends,
    tries: Sequence[SentenceTry] = (),
) -> RewriteAttempt:
    """Return a put-together or hand-written text as an attempt, checked as a whole."""
    cosine = float(cosines(backends, [passage.text], [text])[0])
    return RewriteAttempt(
        source=source,
        text=text,
        checks=checked(passage.text, text, False, cosine, bound, backends.text),
        generations=tuple(generation for sentence in tries for generation in sentence.generations),
    )


def reworded_sentences(sentences: Sequence[str], profile: Profile, backends: Backends) -> list[SentenceTry]:
    """Return each sentence's rewordings: every wording of the task is asked, the first valid answer is chosen."""
    requests = [
        rewrite_request(prompt, sentence, profile.rewrite_growth, backends, ("\n",))
        for sentence in sentences
        for prompt in sentence_rewrite_prompts(profile, sentence)
    ]
    backends.report(Stage(method="dense", name="rewording sentence by sentence", total=len(requests)))
    written = backends.writer.generate(requests, backends.report)
    per_sentence = len(profile.sentence_rewrites)
    originals = [sentence for sentence in sentences for _ in range(per_sentence)]
    alike = cosines(backends, originals, [generation.text.strip() for generation in written])
    found = iter(zip(written, alike, strict=True))
    return [chosen_of(sentence, [next(found) for _ in range(per_sentence)], backends) for sentence in sentences]


def chosen_of(sentence: str, tries: Sequence[tuple[Generation, float]], backends: Backends) -> SentenceTry:
    """Return one sentence's tries with the first that passes every check."""

    def valid() -> Iterator[str]:
        for generation, cosine in tries:
            text, cut = generation.text.strip(), generation.stop_reason == "length"
            if all(c.passed for c in checked(sentence, text, cut, float(cosine), SENTENCE_BOUND, backends.text)):
                yield text

    return SentenceTry(chosen=next(valid(), None), generations=tuple(generation for generation, _ in tries))


Rewriter = Callable[[Sequence[Passage], Profile, float, Backends], list[RewriteAttempt]]
REWRITERS: tuple[Rewriter, ...] = (rewritten_whole, rewritten_by_sentence)


def rewrite_all(
    passages: Sequence[Passage], by_hand: dict[int, str], profile: Profile, bound: float, backends: Backends
) -> list[tuple[RewriteAttempt, ...]]:
    """Return each passage's attempts in order; the last one counts if it is valid. One by hand ends the matter."""
    attempts: list[list[RewriteAttempt]] = [[] for _ in passages]
    for index, text in by_hand.items():
        attempts[index].append(attempt(passages[index], text, "hand", bound, backends))
    for rewriter in REWRITERS:
        undone = [i for i, made in enumerate(attempts) if i not in by_hand and not any(one.valid for one in made)]
        if undone:
            made = rewriter([passages[i] for i in undone], profile, bound, backends)
            for index, one in zip(undone, made, strict=True):
                attempts[index].append(one)
    return [tuple(made) for made in attempts]
