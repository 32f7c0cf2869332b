"""One sentence in other words that state the same: rules over the parse first, the model where a rule is missed.

A candidate counts when it passes the checks of a rewrite, when every fact of the parse of one sentence is among those
of the other, and when the sentence judge calls neither a contradiction of the other. Of those that count the most
faithful come first; among them those that keep the answer letter for letter, then those that change the structure of
the sentence and not only a phrase or a date, then the one that changes most words. The model is asked only where it
matters: for a sentence that holds the answer, or where nothing else of a passage could be reworded.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

import numpy as np

from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT
from engine.backends.entailment.matrix import by_texts, judged_pairs
from engine.backends.language_models.base import Request
from engine.backends.retrieval.base import embeddings
from engine.core.progress import Stage, silent
from engine.core.records import Generation, Prompt
from engine.measures.language import is_other_language
from engine.measures.rewording_shares import ENTAILED
from engine.methods.base import Backends
from engine.methods.profiles import Profile, sentence_rewrite_prompts
from engine.methods.rewrite_checks import changed_share, check_facts, check_words, holds_answer, keeps_answer

SENTENCE_BOUND = 0.8
RULE_CANDIDATES = 60
# Of each sentence so many candidates are judged, the best of those that state the same.
MOST_JUDGED = 5
# Of each passage the model rewords so many sentences at most.
MOST_ASKED = 2
# They put one word or figure for another; the rest moves something.
WORD_RULES = frozenset(
    {"another phrase", "date the other way round", "year named as one", "number as a word", "which for that",
     "contracted", "written out", "clause without that", "clause with that", "object clause without that",
     "where to in which", "in which to where", "aim said as one", "including as among them", "circumstance with with",
     "month of a year", "place in an order", "unit written out", "total left out", "until for to", "during for in",
     "so far for to date", "place said as located"}
)  # fmt: skip
# "It was X that …" says the same with more weight on X than the sentence had.
CLEFTS = frozenset({"subject set apart", "phrase set apart"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RewordedSentence:
    """What became of one sentence of a chunk: its new text, and who found it ("kept" = it stands as it was).

    ``rule`` names what a rule did to it; ``valid`` of ``candidates`` rewordings passed every check. ``entailment``: the
    sentence judge's probability that one entails the other, the smaller of both ways, in [0, 1]; None where it stands
    as it was.
    """

    text: str
    source: Literal["kept", "model", "rule"]
    rule: str = ""
    candidates: int = 0
    valid: int = 0
    entailment: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One rewording of one sentence: its share of changed words, and what the sentence judge says of both ways.

    ``entailment`` is the smaller P(entailment) of both ways, ``contradicts`` whether either is most likely a
    contradiction; both are set by the judge. ``keeps_answer``: it has the answer letter for letter,
    if its sentence has.
    """

    text: str
    source: Literal["model", "rule"]
    rule: str = ""
    cut: bool = False
    changed: float = 0.0
    entailment: float = 0.0
    contradicts: bool = False
    keeps_answer: bool = True

    @property
    def words_only(self) -> bool:
        """Whether it exchanges phrases and figures and leaves the structure of the sentence as it is."""
        return bool(self.rule) and set(self.rule.split(", ")) <= WORD_RULES

    @property
    def cleft(self) -> bool:
        """Whether it sets a part of the sentence apart: "It was X that …"."""
        return not CLEFTS.isdisjoint(self.rule.split(", "))

    @property
    def forced(self) -> bool:
        """Whether it sets a part apart that is hardly set apart in good English: "It is X that …"."""
        return self.cleft and ("It is " in self.text or "it is " in self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceTry:
    """One sentence's rewordings: how many there were, the valid ones (best first), what the model wrote for it."""

    original: str
    candidates: int
    valid: tuple[Candidate, ...]
    generations: tuple[Generation, ...] = ()

    def reworded(self, draw: int) -> RewordedSentence:
        """Return the sentence for one draw: the best wording for the first, the next best for the next, and round."""
        chosen = self.valid[draw % len(self.valid)] if self.valid else None
        return RewordedSentence(
            text=chosen.text if chosen else self.original,
            source=chosen.source if chosen else "kept",
            rule=chosen.rule if chosen else "",
            candidates=self.candidates,
            valid=len(self.valid),
            entailment=chosen.entailment if chosen else None,
        )


def sentence_tries(
    passages: Sequence[Sequence[str]], profile: Profile, backends: Backends, draws: int, answers: Sequence[str] = ()
) -> list[list[SentenceTry]]:
    """Return the rewordings of each sentence of each passage, at most ``draws``: by rules, or by the model.

    The model is asked where no rule's counts and where it matters (``asked_of``). A passage in another language stays
    as it is: rules and checks know English only.
    """
    foreign = [is_other_language(" ".join(passage)) for passage in passages]
    sentences = [sentence for passage in passages for sentence in passage]
    by_rule = [
        () if other else rule_candidates(sentence, backends)
        for passage, other in zip(passages, foreign, strict=True)
        for sentence in passage
    ]
    kept = valid_candidates(list(zip(sentences, by_rule, strict=True)), backends, draws, answers)
    found = iter(
        SentenceTry(original=sentence, candidates=len(made), valid=valid)
        for sentence, made, valid in zip(sentences, by_rule, kept, strict=True)
    )
    tries = [[next(found) for _ in passage] for passage in passages]
    asked = [
        (at, one) for at, passage in enumerate(tries) if not foreign[at] for one in asked_of(passage, answers, backends)
    ]
    for (at, place), more in zip(
        asked, by_model([tries[at][place] for at, place in asked], profile, backends, draws, answers), strict=True
    ):
        tries[at][place] = more
    return tries


def asked_of(passage: Sequence[SentenceTry], answers: Sequence[str], backends: Backends) -> list[int]:
    """Return the places of the sentences that the model shall reword, of those that no rule could.

    These are the ones that hold the answer. Where nothing of the passage is reworded and none holds it, the longest.
    """
    undone = [place for place, one in enumerate(passage) if not one.valid]
    holding = [place for place in undone if holds_answer(passage[place].original, answers, backends.text)]
    nothing = len(undone) == len(passage)
    longest = sorted(undone, key=lambda place: -len(passage[place].original)) if nothing else []
    return (holding or longest)[:MOST_ASKED]


def rule_candidates(sentence: str, backends: Backends) -> tuple[Candidate, ...]:
    """Return what the rules make of a sentence."""
    return tuple(
        Candidate(text=made.text, source="rule", rule=made.rule, changed=changed_share(sentence, made.text))
        for made in backends.text.rewordings(sentence)[:RULE_CANDIDATES]
    )


def model_candidate(sentence: str, written: Generation) -> Candidate:
    """Return what the model wrote for a sentence as a candidate."""
    text = written.text.strip()
    cut = written.stop_reason == "length"
    return Candidate(text=text, source="model", cut=cut, changed=changed_share(sentence, text))


def valid_candidates(
    asked: Sequence[tuple[str, Sequence[Candidate]]], backends: Backends, count: int, answers: Sequence[str] = ()
) -> list[tuple[Candidate, ...]]:
    """Return per sentence at most ``count`` candidates that pass every check, the most faithful first.

    Words and facts are checked first, since they cost least; the judge sees only what is left.
    """
    left = [stating_the_same(sentence, made, backends, answers) for sentence, made in asked]
    near = iter(cosines(backends, [s for (s, _), made in zip(asked, left, strict=True) for _ in made],
                        [one.text for made in left for one in made]))  # fmt: skip
    left = [[one for one in made if float(next(near)) >= SENTENCE_BOUND] for made in left]
    pairs = [(sentence, one) for (sentence, _), made in zip(asked, left, strict=True) for one in made]
    judged = iter(judged_candidates(pairs, backends))
    found = [[next(judged) for _ in made] for made in left]
    return [tuple(ranked([one for one in made if not one.contradicts])[:count]) for made in found]


def stating_the_same(
    sentence: str, made: Sequence[Candidate], backends: Backends, answers: Sequence[str]
) -> list[Candidate]:
    """Return the best candidates of a sentence whose words and facts are those of the sentence, a few at most."""
    marked = [replace(one, keeps_answer=keeps_answer(sentence, one.text, answers)) for one in made]
    passing = (one for one in sorted(marked, key=preference) if states_the_same(sentence, one, backends))
    return list(islice(passing, MOST_JUDGED))


def preference(one: Candidate) -> tuple[bool, bool, bool, bool, float]:
    """Return what a candidate is sorted by: the answer letter for letter, the structure changed, most words changed.

    Of structures, "It was X that …" comes last, and "It is X that …" last of all.
    """
    return (not one.keeps_answer, one.forced, one.words_only, one.cleft, -one.changed)


def states_the_same(sentence: str, one: Candidate, backends: Backends) -> bool:
    """Return whether words, names, numbers and facts of a candidate are those of its sentence."""
    words = check_words(sentence, one.text, one.cut, backends.text)
    if not all(check.passed for check in words):
        return False
    return check_facts(sentence, one.text, backends.text, moved=one.source == "rule").passed


def judged_candidates(pairs: Sequence[tuple[str, Candidate]], backends: Backends) -> list[Candidate]:
    """Return the candidates with what the sentence judge says of each and its sentence, both ways.

    Phrases that mean the same are read as one of them, as for the facts.
    """
    said = backends.text.one_wording
    texts = [(said(sentence), said(one.text)) for sentence, one in pairs]
    asked = list(dict.fromkeys(pair for one, other in texts for pair in ((one, other), (other, one)) if one != other))
    rows = by_texts(judged_pairs(backends.sentence_judge, "", asked, silent))
    judged = []
    for (_, one), (left, right) in zip(pairs, texts, strict=True):
        both = [rows[left, right], rows[right, left]] if left != right else [np.eye(3)[ENTAILMENT]]
        judged.append(
            replace(
                one,
                entailment=float(min(row[ENTAILMENT] for row in both)),
                contradicts=any(int(np.argmax(row)) == CONTRADICTION for row in both),
            )
        )
    return judged


def ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates by faithfulness, then by preference; ties in their order.

    Faithful are those that the judge finds entailed both ways; how sure it is says no more.
    """
    return sorted(candidates, key=lambda one: (one.entailment <= ENTAILED, *preference(one)))


def by_model(
    tries: Sequence[SentenceTry], profile: Profile, backends: Backends, draws: int, answers: Sequence[str]
) -> list[SentenceTry]:
    """Return tries with what the model writes for each sentence: one answer to every wording of the task."""
    if not tries:
        return []
    sentences = [one.original for one in tries]
    requests = sentence_requests(sentences, profile, backends)
    backends.report(Stage(method="dense", name="rewording sentence by sentence", total=len(requests)))
    replies = iter(backends.rewriter.generate(requests, backends.report))
    written = [tuple(next(replies) for _ in profile.sentence_rewrites) for _ in sentences]
    made = [tuple(model_candidate(s, one) for one in ones) for s, ones in zip(sentences, written, strict=True)]
    kept = valid_candidates(list(zip(sentences, made, strict=True)), backends, draws, answers)
    return [
        replace(one, candidates=one.candidates + len(ones), valid=valid, generations=generations)
        for one, ones, valid, generations in zip(tries, made, kept, written, strict=True)
    ]


def sentence_requests(sentences: Sequence[str], profile: Profile, backends: Backends) -> list[Request]:
    """Return the requests for rewordings of single sentences: one for every wording of the task."""
    return [
        rewrite_request(prompt, sentence, profile.rewrite_growth, backends, ("\n",))
        for sentence in sentences
        for prompt in sentence_rewrite_prompts(profile, sentence)
    ]


def rewrite_request(
    prompt: Prompt, original: str, growth: float, backends: Backends, stop: tuple[str, ...] = ()
) -> Request:
    """Return the request for one rewrite: at most ``growth`` times as many tokens as the original has."""
    return Request(prompt=prompt, max_tokens=max(8, int(backends.rewriter.count_tokens(original) * growth)), stop=stop)


def cosines(backends: Backends, originals: Sequence[str], rewrites: Sequence[str]) -> np.ndarray:
    """Return the cosine of each text with its rewrite: [n], in [-1, 1]; an empty rewrite has 0.

    A text longer than the embedder reads, as a pasted passage may be, counts to its end as the mean of its parts.
    """
    texts = list(dict.fromkeys(text for text in [*originals, *rewrites] if text.strip()))
    vectors = embeddings(texts, backends.embedder)
    pairs = zip(originals, rewrites, strict=True)
    return np.array([float(vectors[a] @ vectors[b]) if a.strip() and b.strip() else 0.0 for a, b in pairs])
