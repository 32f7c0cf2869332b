"""Contradictions: do two passages say what cannot both be true?

Sentences of different passages are compared by the judge of sentences, in both directions. Only those go to the judge
that say one thing of one name and differ in one value (``engine.methods.rival_sentences``), those with most words of
the question first. Copies of a passage are left out. RGB (Chen et al. 2024) and Barnett et al. 2024 name the failure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from engine.backends.language_models.base import Capabilities
from engine.core.errors import NotMeasured
from engine.core.progress import Stage
from engine.core.records import Judgement
from engine.core.settings import Positive, check_settings
from engine.measures.contradictions import mutual_contradiction, strongest_contradiction
from engine.methods.base import Backends, Case
from engine.methods.copies import first_copies
from engine.methods.cost import Load, Plan
from engine.methods.descriptor import Method
from engine.methods.reach import Reach
from engine.methods.rival_sentences import rivalry
from engine.methods.sentence_facts import Kind, SentenceFacts, facts_in


@dataclass(frozen=True, slots=True, kw_only=True)
class ContradictionsConfig:
    """``threshold``: a mean probability of contradiction from which on two sentences contradict each other.

    At most ``pairs`` pairs of sentences are judged.
    """

    threshold: Annotated[float, Field(gt=0, lt=1)] = 0.5
    pairs: Positive = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageSentence:
    """A sentence of the passage at ``index``, at characters [start, end) of its text."""

    index: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SentencePair:
    """Two sentences of different passages, the names they share, and what the judge said of them in both directions.

    ``differs`` is the kind of value in which they differ; ``contradiction`` the mean of both directions, in [0, 1].
    """

    first: PassageSentence
    second: PassageSentence
    names: tuple[str, ...]
    differs: Kind
    there: Judgement
    back: Judgement
    contradiction: float

    @property
    def forward(self) -> float:
        """P(contradiction) with the first sentence as premise."""
        return self.there.contradiction

    @property
    def backward(self) -> float:
        """P(contradiction) with the second sentence as premise."""
        return self.back.contradiction


@dataclass(frozen=True, slots=True, kw_only=True)
class ContradictionsResult:
    """The compared pairs, the strongest contradiction first.

    ``sentences`` were looked at; ``candidates`` of their pairs may contradict each other, of which as many as the
    settings allow were judged. ``strongest`` is None where there was none to judge.
    """

    method: Literal["contradictions"] = "contradictions"
    pairs: tuple[SentencePair, ...]
    sentences: int
    candidates: int
    strongest: float | None
    config: ContradictionsConfig
    judge: str
    not_measured: str = ""

    @property
    def values(self) -> tuple[float, ...]:
        """The contradiction of each pair."""
        return tuple(pair.contradiction for pair in self.pairs)

    @property
    def contradicting(self) -> tuple[SentencePair, ...]:
        """The pairs that contradict each other."""
        return tuple(pair for pair in self.pairs if pair.contradiction >= self.config.threshold)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Two sentences worth judging."""

    first: PassageSentence
    second: PassageSentence
    names: tuple[str, ...]
    differs: Kind


def run(case: Case, config: ContradictionsConfig, backends: Backends) -> ContradictionsResult:
    """Return which sentences of different passages contradict each other.

    Raises NotMeasured with fewer than two different passages.
    """
    kept = [index for index, first in enumerate(first_copies(case.passages)) if first == index]
    if len(kept) < 2:
        raise NotMeasured("Passages can only contradict each other where there are two different ones.")
    check_settings(config, "Contradictions")
    backends.report(Stage(method="contradictions", name="comparing sentences of different passages", total=1))
    facts = [(index, one) for index in kept for one in facts_in(case.passages[index], backends.text)]
    candidates = candidates_of(case.question, facts)
    pairs = judged_pairs(candidates[: config.pairs], backends)
    return ContradictionsResult(
        pairs=pairs,
        sentences=len(facts),
        candidates=len(candidates),
        strongest=strongest_contradiction([pair.contradiction for pair in pairs]),
        config=config,
        judge=backends.sentence_judge.name,
    )


def candidates_of(question: str, facts: Sequence[tuple[int, SentenceFacts]]) -> list[Candidate]:
    """Return the pairs of sentences of different passages that are rivals, those with most words of the question first.

    Passages overlap, so a sentence may come twice; each pair of texts comes once.
    """
    asked, found = set(question.casefold().split()), {}
    for (index, one), (place, other) in combinations(facts, 2):
        texts = frozenset({one.span.text.strip(), other.span.text.strip()})
        why = rivalry(one, other) if index != place and len(texts) == 2 and texts not in found else None
        if why is not None:
            first, second = sentence_at(index, one), sentence_at(place, other)
            found[texts] = Candidate(first=first, second=second, names=why.names, differs=why.kind)
    return sorted(found.values(), key=lambda one: -len(asked & words_of(one)))


def sentence_at(index: int, facts: SentenceFacts) -> PassageSentence:
    """Return where a sentence stands in its passage."""
    return PassageSentence(index=index, start=facts.span.start, end=facts.span.end, text=facts.span.text.strip())


def words_of(candidate: Candidate) -> set[str]:
    """Return the words of both sentences, in lower case."""
    return set(f"{candidate.first.text} {candidate.second.text}".casefold().split())


def judged_pairs(candidates: Sequence[Candidate], backends: Backends) -> tuple[SentencePair, ...]:
    """Return the candidates as the sentence judge sees them, the strongest contradiction first."""
    texts = [(one.first.text, one.second.text) for one in candidates]
    rows = [*texts, *((second, first) for first, second in texts)]
    backends.report(Stage(method="contradictions", name="judging sentences", total=len(rows)))
    judge, at_once = backends.sentence_judge, max(1, backends.sentence_judge.pairs_at_once)
    judged: list[Judgement] = []
    for start in range(0, len(rows), at_once):
        part = rows[start : start + at_once]
        said = judge.entailment("", [premise for premise, _ in part], [hypothesis for _, hypothesis in part])
        judged += [
            as_judgement(premise, hypothesis, row) for (premise, hypothesis), row in zip(part, said, strict=True)
        ]
        backends.report(Stage(method="contradictions", name="judging sentences", done=len(judged), total=len(rows)))
    pairs = [
        SentencePair(
            first=one.first,
            second=one.second,
            names=one.names,
            differs=one.differs,
            there=there,
            back=back,
            contradiction=mutual_contradiction(there.contradiction, back.contradiction),
        )
        for one, there, back in zip(candidates, judged[: len(texts)], judged[len(texts) :], strict=True)
    ]
    return tuple(sorted(pairs, key=lambda pair: -pair.contradiction))


def as_judgement(premise: str, hypothesis: str, row: np.ndarray) -> Judgement:
    """Return a judge's three probabilities as a record."""
    contradiction, neutral, entailment = (float(value) for value in row)
    return Judgement(
        premise=premise, hypothesis=hypothesis, contradiction=contradiction, neutral=neutral, entailment=entailment
    )


def needs(able: Capabilities) -> Reach:
    """Return the reach: no language model is asked."""
    return Reach(method="contradictions", level="exact")


def load(config: ContradictionsConfig, plan: Plan) -> Load:
    """Return the load: both directions of each pair, at most."""
    return Load(judge_pairs=2 * config.pairs if plan.passages > 1 else 0)


METHOD = Method(
    word="contradictions",
    title="Contradictions",
    question="Do two passages contradict each other?",
    paper="RGB (Chen et al. 2024)",
    icon="sync_problem",
    config=ContradictionsConfig,
    result=ContradictionsResult,
    run=run,
    needs=needs,
    load=load,
    settings=lambda result: result.config,
    headlines=lambda result: ("strongest", "config.threshold"),
)
