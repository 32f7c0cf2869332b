"""A chunk in other words, by rules, by the model, or by hand.

DENSE (section 4.1, appendix B.1) trusts its rewriter; a small model copies, cuts, loops or drops names. So a rewrite
counts only when it passes every check. For a small model the chunk goes sentence by sentence: what rules over the parse
make of it and what the model writes are checked, and the best that passes stands in. Several different texts can be
drawn from one chunk. Where nothing passes, the chunk is *not measured*.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from engine.backends.language_models.base import Request
from engine.backends.retrieval.base import Embedder, embeddings
from engine.backends.text.base import TextSpan, TextTools
from engine.core.progress import Stage
from engine.core.records import Generation, Passage, Prompt
from engine.methods.base import Backends
from engine.methods.profiles import Profile, rewrite_prompt, sentence_rewrite_prompts
from engine.methods.rewrite_checks import RewriteCheck as RewriteCheck
from engine.methods.rewrite_checks import changed_share, check_rewrite

SENTENCE_BOUND = 0.8
RULE_CANDIDATES = 10
HAND_CHECKS = ("changed", "complete")


@dataclass(frozen=True, slots=True, kw_only=True)
class RewordedSentence:
    """What became of one sentence of a chunk: its new text, and who found it ("kept" = it stands as it was).

    ``rule`` names what a rule did to it; ``valid`` of ``candidates`` rewordings passed every check.
    """

    text: str
    source: Literal["kept", "model", "rule"]
    rule: str = ""
    candidates: int = 0
    valid: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteAttempt:
    """One try at rewriting a chunk: as a whole, sentence by sentence, or by a person's hand."""

    source: Literal["whole", "sentences", "hand"]
    text: str
    checks: tuple[RewriteCheck, ...]
    generations: tuple[Generation, ...]
    sentences: tuple[RewordedSentence, ...] = ()

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
class Candidate:
    """One rewording of one sentence; ``score`` = cosine + share of changed words, in [-1, 2], higher = better."""

    text: str
    source: Literal["model", "rule"]
    rule: str
    cut: bool
    cosine: float
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Reworded:
    """Another text for passage ``at``: its sentences, and what the model wrote for them; both () when by hand."""

    at: int
    text: str
    sentences: tuple[RewordedSentence, ...] = ()
    generations: tuple[Generation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceTry:
    """One sentence's rewordings: how many there were, the valid ones (best first), what the model wrote for it."""

    original: str
    candidates: int
    valid: tuple[Candidate, ...]
    generations: tuple[Generation, ...]

    def reworded(self, draw: int) -> RewordedSentence:
        """Return the sentence for one draw: the best wording for the first, the next best for the next, and round."""
        chosen = self.valid[draw % len(self.valid)] if self.valid else None
        return RewordedSentence(
            text=chosen.text if chosen else self.original,
            source=chosen.source if chosen else "kept",
            rule=chosen.rule if chosen else "",
            candidates=self.candidates,
            valid=len(self.valid),
        )


def cosines(backends: Backends, originals: Sequence[str], rewrites: Sequence[str]) -> np.ndarray:
    """Return the cosine of each text with its rewrite: [n], in [-1, 1]; an empty rewrite has 0.

    A text longer than the embedder reads, as a pasted passage may be, counts to its end as the mean of its parts.
    """
    texts = list(dict.fromkeys(text for text in [*originals, *rewrites] if text.strip()))
    vectors = embeddings(texts, backends.embedder)
    pairs = zip(originals, rewrites, strict=True)
    return np.array([float(vectors[a] @ vectors[b]) if a.strip() and b.strip() else 0.0 for a, b in pairs])


def hand_checks(
    original: str, rewrite: str, bound: float, embedder: Embedder, text: TextTools
) -> tuple[RewriteCheck, ...]:
    """Return all six checks of a rewrite by hand, as a run will make them; ``HAND_CHECKS`` are those that decide."""
    one, other = original.strip(), rewrite.strip()
    vectors = embeddings([one, other], embedder) if one and other else {}
    cosine = float(vectors[one] @ vectors[other]) if vectors else 0.0
    return check_rewrite(original, rewrite, False, cosine, bound, text)


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
    requests = whole_requests(originals, profile, backends)
    backends.report(Stage(method="dense", name="rewording passages", total=len(requests)))
    written = backends.writer.generate(requests, backends.report)
    texts = [generation.text.strip() for generation in written]
    alike = cosines(backends, originals, texts)
    return [
        RewriteAttempt(
            source="whole",
            text=text,
            checks=check_rewrite(original, text, g.stop_reason == "length", float(cosine), bound, backends.text),
            generations=(g,),
        )
        for original, g, text, cosine in zip(originals, written, texts, alike, strict=True)
    ]


def whole_requests(texts: Sequence[str], profile: Profile, backends: Backends) -> list[Request]:
    """Return the requests for rewrites of whole texts."""
    return [rewrite_request(rewrite_prompt(profile, text), text, profile.rewrite_growth, backends) for text in texts]


def sentence_requests(sentences: Sequence[str], profile: Profile, backends: Backends) -> list[Request]:
    """Return the requests for rewordings of single sentences: one for every wording of the task."""
    return [
        rewrite_request(prompt, sentence, profile.rewrite_growth, backends, ("\n",))
        for sentence in sentences
        for prompt in sentence_rewrite_prompts(profile, sentence)
    ]


def first_requests(
    passages: Sequence[Passage], profile: Profile, backends: Backends, draws: int
) -> tuple[Request, ...]:
    """Return the requests that rewording these passages begins with."""
    if profile.rewrite_whole:
        return tuple(whole_requests([passage.text for passage in passages], profile, backends))
    sentences = [span.text for passage in passages for span in backends.text.sentences(passage.text)]
    asked = [sentence for sentence in sentences if len(backends.text.rewordings(sentence)[:RULE_CANDIDATES]) < draws]
    return tuple(sentence_requests(asked, profile, backends))


def rewritten_by_sentence(
    passages: Sequence[Passage], profile: Profile, bound: float, backends: Backends, draws: int
) -> list[list[RewriteAttempt]]:
    """Return per passage at most ``draws`` attempts, no text twice; a sentence without a valid rewording stays."""
    spans = [backends.text.sentences(passage.text) for passage in passages]
    tries = iter(sentence_tries([span.text for found in spans for span in found], profile, backends, draws))
    written: list[Reworded] = []
    for at, (passage, found) in enumerate(zip(passages, spans, strict=True)):
        mine = [next(tries) for _ in found]
        generations = tuple(generation for sentence in mine for generation in sentence.generations)
        texts: dict[str, tuple[RewordedSentence, ...]] = {}
        for draw in range(draws):
            said = tuple(one.reworded(draw) for one in mine)
            texts.setdefault(join_sentences(passage.text, found, said), said)
        written += [Reworded(at=at, text=text, sentences=said, generations=generations) for text, said in texts.items()]
    return attempts_of(written, passages, "sentences", bound, backends)


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
                checks=check_rewrite(original, one.text, False, float(cosine), bound, backends.text),
                generations=one.generations,
                sentences=one.sentences,
            )
        )
    return attempts


def sentence_tries(sentences: Sequence[str], profile: Profile, backends: Backends, draws: int) -> list[SentenceTry]:
    """Return each sentence's rewordings, by rules and by the model where rules found too few for every draw."""
    by_rule = [backends.text.rewordings(sentence)[:RULE_CANDIDATES] for sentence in sentences]
    asked = [at for at, made in enumerate(by_rule) if len(made) < draws]
    written = by_model([sentences[at] for at in asked], profile, backends)
    of_model = dict(zip(asked, written, strict=True))
    texts = [
        [*(made.text for made in rules), *(g.text.strip() for g in of_model.get(at, ()))]
        for at, rules in enumerate(by_rule)
    ]
    flat = [(sentence, text) for sentence, made in zip(sentences, texts, strict=True) for text in made]
    alike = iter(cosines(backends, [sentence for sentence, _ in flat], [text for _, text in flat]))
    tries = []
    for at, sentence in enumerate(sentences):
        generations = of_model.get(at, ())
        made = [score_candidate(sentence, one.text, next(alike), rule=one.rule) for one in by_rule[at]]
        made += [
            score_candidate(sentence, g.text.strip(), next(alike), cut=g.stop_reason == "length") for g in generations
        ]
        valid = best_valid(sentence, made, backends, draws)
        tries.append(SentenceTry(original=sentence, candidates=len(made), valid=valid, generations=generations))
    return tries


def by_model(sentences: Sequence[str], profile: Profile, backends: Backends) -> list[tuple[Generation, ...]]:
    """Return what the model writes for each sentence: one answer to every wording of the task."""
    if not sentences:
        return []
    requests = sentence_requests(sentences, profile, backends)
    backends.report(Stage(method="dense", name="rewording sentence by sentence", total=len(requests)))
    written = iter(backends.writer.generate(requests, backends.report))
    return [tuple(next(written) for _ in profile.sentence_rewrites) for _ in sentences]


def score_candidate(sentence: str, text: str, cosine: float, *, rule: str = "", cut: bool = False) -> Candidate:
    """Return one rewording with its score: near in meaning and far in words is best."""
    score = float(cosine) + changed_share(sentence, text)
    return Candidate(
        text=text, source="rule" if rule else "model", rule=rule, cut=cut, cosine=float(cosine), score=score
    )


def best_valid(sentence: str, candidates: Sequence[Candidate], backends: Backends, count: int) -> tuple[Candidate, ...]:
    """Return at most ``count`` rewordings that pass every check, best first; looking ends when there are enough."""
    found: list[Candidate] = []
    for one in sorted(candidates, key=lambda one: -one.score):
        if len(found) == count:
            break
        checks = check_rewrite(sentence, one.text, one.cut, one.cosine, SENTENCE_BOUND, backends.text)
        if all(check.passed for check in checks):
            found.append(one)
    return tuple(found)


def rewrite_all(
    passages: Sequence[Passage],
    by_hand: dict[int, str],
    profile: Profile,
    bound: float,
    backends: Backends,
    draws: int = 1,
) -> list[tuple[RewriteAttempt, ...]]:
    """Return each passage's attempts, the valid ones last; one written by hand ends the matter.

    A profile for large models rewrites the chunk as a whole first, as the paper does. Where that fails, and for a
    small model at once, it goes sentence by sentence, with as many different texts as there are draws.
    """
    own = [Reworded(at=index, text=text) for index, text in by_hand.items()]
    attempts = attempts_of(own, passages, "hand", bound, backends)
    free = [i for i in range(len(passages)) if i not in by_hand]
    if free and profile.rewrite_whole:
        for index, one in zip(
            free, rewritten_whole([passages[i] for i in free], profile, bound, backends), strict=True
        ):
            attempts[index].append(one)
    undone = [i for i in free if draws > 1 or not any(one.valid for one in attempts[i])]
    made = rewritten_by_sentence([passages[i] for i in undone], profile, bound, backends, draws) if undone else []
    for index, ones in zip(undone, made, strict=True):
        attempts[index].extend(ones)
    return [tuple(sorted(tried, key=lambda one: one.valid)) for tried in attempts]
