"""A chunk in other words, by rules, by the model, or by hand.

DENSE (section 4.1, appendix B.1) trusts its rewriter; a small model copies, cuts, loops or drops names. So a rewrite
counts only when it passes every check. For a small model the chunk goes sentence by sentence
(``sentence_rewordings.py``); what a large model makes of a whole chunk is laid beside the chunk's own sentences
(``whole_rewrites.py``). A sentence that holds the answer has to be reworded, else the answer would be read where
nothing changed. Several different texts can be drawn from one chunk. Where nothing passes, the chunk is *not measured*.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.backends.language_models.base import Request
from engine.backends.retrieval.base import Embedder, embeddings
from engine.backends.text.base import TextSpan, TextTools
from engine.core.progress import Stage
from engine.core.records import Generation, Passage
from engine.measures.language import is_other_language
from engine.measures.rewording_shares import entailment_rate
from engine.methods.base import Backends
from engine.methods.profiles import Profile, rewrite_prompt
from engine.methods.rewrite_checks import RewriteCheck as RewriteCheck
from engine.methods.rewrite_checks import check_answer, check_rewrite, holds_answer
from engine.methods.sentence_rewordings import MOST_ASKED, cosines, rewrite_request, sentence_requests, sentence_tries
from engine.methods.sentence_rewordings import RewordedSentence as RewordedSentence
from engine.methods.whole_rewrites import check_judged, check_whole_facts, side_by_side

HAND_CHECKS = ("changed", "complete")


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteAttempt:
    """One try at rewriting a chunk: as a whole, sentence by sentence, or by a person's hand.

    ``entailment`` (DENSE, Table 6): the share of the reworded sentences that entail, and are entailed by, the sentence
    they stand for, in [0, 1]; None where none was judged.
    """

    source: Literal["whole", "sentences", "hand"]
    text: str
    checks: tuple[RewriteCheck, ...]
    generations: tuple[Generation, ...]
    sentences: tuple[RewordedSentence, ...] = ()
    entailment: float | None = None

    @property
    def against(self) -> tuple[RewriteCheck, ...]:
        """The failed checks that count: all of them; one written by hand only has to be there and differ."""
        needed = HAND_CHECKS if self.source == "hand" else tuple(check.name for check in self.checks)
        return tuple(check for check in self.checks if check.name in needed and not check.passed)

    @property
    def valid(self) -> bool:
        """Whether the rewrite counts: no check that decides has failed."""
        return not self.against


@dataclass(frozen=True, slots=True, kw_only=True)
class Reworded:
    """Another text for passage ``at``: its sentences, and what the model wrote for them; both () when by hand."""

    at: int
    text: str
    sentences: tuple[RewordedSentence, ...] = ()
    generations: tuple[Generation, ...] = ()


def hand_checks(
    original: str, rewrite: str, bound: float, embedder: Embedder, text: TextTools
) -> tuple[RewriteCheck, ...]:
    """Return all six checks of a rewrite by hand, as a run will make them; ``HAND_CHECKS`` are those that decide."""
    one, other = original.strip(), rewrite.strip()
    vectors = embeddings([one, other], embedder) if one and other else {}
    cosine = float(vectors[one] @ vectors[other]) if vectors else 0.0
    return check_rewrite(original, rewrite, False, cosine, bound, text)


def rewritten_whole(
    passages: Sequence[Passage], profile: Profile, bound: float, backends: Backends, answers: Sequence[str]
) -> list[RewriteAttempt]:
    """Return one attempt per passage, the whole text at once."""
    originals = [passage.text for passage in passages]
    requests = whole_requests(originals, profile, backends)
    backends.report(Stage(method="dense", name="rewording passages", total=len(requests)))
    written = backends.rewriter.generate(requests, backends.report)
    texts = [generation.text.strip() for generation in written]
    alike = cosines(backends, originals, texts)
    return [
        whole_attempt(original, g, float(cosine), bound, backends, answers)
        for original, g, cosine in zip(originals, written, alike, strict=True)
    ]


def whole_attempt(
    original: str, written: Generation, cosine: float, bound: float, backends: Backends, answers: Sequence[str]
) -> RewriteAttempt:
    """Return a chunk as the model reworded it at once, with the checks of a rewrite and those of its sentences."""
    text = written.text.strip()
    parts = side_by_side(original, text, backends.text)
    judged, entailed = check_judged(parts, backends)
    return RewriteAttempt(
        source="whole",
        text=text,
        checks=(
            *check_rewrite(original, text, written.stop_reason == "length", cosine, bound, backends.text),
            check_whole_facts(parts, backends.text),
            judged,
            check_answer(original, text, answers, backends.text),
        ),
        generations=(written,),
        entailment=entailment_rate(entailed),
    )


def whole_requests(texts: Sequence[str], profile: Profile, backends: Backends) -> list[Request]:
    """Return the requests for rewrites of whole texts."""
    return [rewrite_request(rewrite_prompt(profile, text), text, profile.rewrite_growth, backends) for text in texts]


def first_requests(
    passages: Sequence[Passage], profile: Profile, backends: Backends, answers: Sequence[str]
) -> tuple[Request, ...]:
    """Return the requests that rewording makes for sure: for a sentence with the answer of which no rule makes any."""
    if profile.rewrite_whole:
        return tuple(whole_requests([passage.text for passage in passages], profile, backends))
    asked = []
    for passage in passages:
        sentences = [span.text for span in backends.text.sentences(passage.text)]
        if is_other_language(" ".join(sentences)):
            continue
        holding = [one for one in sentences if holds_answer(one, answers, backends.text)]
        asked += [one for one in holding[:MOST_ASKED] if not backends.text.rewordings(one)]
    return tuple(sentence_requests(asked, profile, backends))


def rewritten_by_sentence(
    passages: Sequence[Passage],
    profile: Profile,
    bound: float,
    backends: Backends,
    draws: int,
    answers: Sequence[str],
) -> list[list[RewriteAttempt]]:
    """Return per passage at most ``draws`` attempts, no text twice; a sentence without a valid rewording stays."""
    spans = [backends.text.sentences(passage.text) for passage in passages]
    tries = sentence_tries([[span.text for span in found] for found in spans], profile, backends, draws, answers)
    written: list[Reworded] = []
    for at, (passage, found, mine) in enumerate(zip(passages, spans, tries, strict=True)):
        generations = tuple(generation for sentence in mine for generation in sentence.generations)
        texts: dict[str, tuple[RewordedSentence, ...]] = {}
        for draw in range(draws):
            said = tuple(one.reworded(draw) for one in mine)
            texts.setdefault(join_sentences(passage.text, found, said), said)
        written += [Reworded(at=at, text=text, sentences=said, generations=generations) for text, said in texts.items()]
    return attempts_of(written, passages, "sentences", bound, backends, answers)


def join_sentences(text: str, spans: Sequence[TextSpan], said: Sequence[RewordedSentence]) -> str:
    """Return the text with each sentence as it is said now; what stands between sentences stays."""
    out, place = "", 0
    for span, sentence in zip(spans, said, strict=True):
        out += text[place : span.start] + sentence.text
        place = span.end
    return out + text[place:]


def attempts_of(
    written: Sequence[Reworded],
    passages: Sequence[Passage],
    source: Literal["sentences", "hand"],
    bound: float,
    backends: Backends,
    answers: Sequence[str],
) -> list[list[RewriteAttempt]]:
    """Return put-together or hand-written texts as attempts by passage, each checked as a whole."""
    originals = [passages[one.at].text for one in written]
    alike = cosines(backends, originals, [one.text for one in written])
    attempts: list[list[RewriteAttempt]] = [[] for _ in passages]
    for one, original, cosine in zip(written, originals, alike, strict=True):
        attempts[one.at].append(
            RewriteAttempt(
                source=source,
                text=one.text,
                checks=(
                    *check_rewrite(original, one.text, False, float(cosine), bound, backends.text),
                    check_answer(original, one.text, answers, backends.text),
                ),
                generations=one.generations,
                sentences=one.sentences,
                entailment=entailment_rate([said.entailment for said in one.sentences]),
            )
        )
    return attempts


def rewrite_all(
    passages: Sequence[Passage],
    by_hand: dict[int, str],
    profile: Profile,
    bound: float,
    backends: Backends,
    draws: int,
    answers: Sequence[str],
) -> list[tuple[RewriteAttempt, ...]]:
    """Return each passage's attempts, the valid ones last; one written by hand ends the matter.

    ``answers``: what the answers say; a sentence that holds one has to be reworded.

    A profile for large models rewrites the chunk as a whole first, as the paper does. Where that fails, and for a
    small model at once, it goes sentence by sentence, with as many different texts as there are draws.
    """
    own = [Reworded(at=index, text=text) for index, text in by_hand.items()]
    attempts = attempts_of(own, passages, "hand", bound, backends, answers)
    free = [i for i in range(len(passages)) if i not in by_hand]
    if free and profile.rewrite_whole:
        for index, one in zip(
            free, rewritten_whole([passages[i] for i in free], profile, bound, backends, answers), strict=True
        ):
            attempts[index].append(one)
    undone = [i for i in free if draws > 1 or not any(one.valid for one in attempts[i])]
    by_sentence = rewritten_by_sentence([passages[i] for i in undone], profile, bound, backends, draws, answers)
    for index, ones in zip(undone, by_sentence, strict=True):
        attempts[index].extend(ones)
    return [tuple(sorted(tried, key=lambda one: one.valid)) for tried in attempts]
