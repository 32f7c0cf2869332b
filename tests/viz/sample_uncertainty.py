"""Results of SUGAR, the baselines and single chunks made by hand, for tests of figures and pages."""

import math
from dataclasses import replace

from engine.core.records import Interval
from engine.methods.chunk_utility import ChunkChange, ChunkUse, ChunkUtilityResult, SampledBelief
from engine.methods.sugar import Doubt, SugarResult, SugarRound
from engine.methods.uncertainty import AnswerSet, Reading, UncertaintyResult
from tests.viz.sample_results import BEFORE, HOSTILE, belief, generation, hits

RIGHT, WRONG = "31 March 1889", "1887"


def doubt(groups: tuple[tuple[str, int], ...], entropy: float, equation_1: float = 2.0) -> Doubt:
    """Return a doubt over groups of equal samples."""
    held = belief(tuple((text, number, None) for text, number in groups), {}, None, None)
    return Doubt(belief=held, entropy=entropy, equation_1=equation_1, discrete=entropy, predictive=0.7)


def sugar_several() -> SugarResult:
    """Five meanings of ten samples, entropy 1.4708: two rounds, the second right, measured 0.8018 after the first."""
    first, second = hits()[:2], hits()[2:4]
    memory = doubt(tuple((text, number) for text, number, _ in BEFORE), 1.4708, 1.7)
    return SugarResult(
        form="entropy",
        low=0.4,
        high=0.9,
        threshold_source="paper",
        closed_book=memory,
        closed_book_answer=generation(WRONG),
        measured=1.4708,
        decision="multi",
        rounds=(
            SugarRound(
                number=1,
                query="When was it opened?",
                hits=first,
                answer=generation("15 May 1889"),
                after=doubt(((RIGHT, 7), ("15 May 1889", 2), (WRONG, 1)), 0.8018),
            ),
            SugarRound(
                number=2,
                query="When was it opened? 15 May 1889",
                hits=second,
                answer=generation(RIGHT),
                after=None,
            ),
        ),
        most_rounds=2,
        passages_a_round=2,
        retriever="hybrid",
        answer=generation(RIGHT),
        ending="out of rounds",
        ending_reason="",
        judgements=(),
    )


def sugar_none() -> SugarResult:
    """Nine samples of ten agree: entropy 0.3251, nothing looked up; eq. 1 would be 1.2040."""
    return replace(
        sugar_several(),
        closed_book=doubt(((WRONG, 9), ("1900", 1)), 0.325083, 1.203973),
        measured=0.325083,
        decision="none",
        rounds=(),
        answer=generation(WRONG),
        ending="not needed",
    )


def sugar_not_possible() -> SugarResult:
    """Several lookups were due, and there was nothing to search."""
    return replace(
        sugar_several(),
        rounds=(),
        answer=generation(WRONG),
        ending="not possible",
        ending_reason="There is nothing to search: the question came without a corpus and without passages.",
        retriever="none",
    )


def sugar_hostile() -> SugarResult:
    """Markup in answer, query, reason and meanings; eq. 1 infinite; the second search failed."""
    several = sugar_several()
    failed = SugarRound(number=2, query=HOSTILE, hits=(), answer=None, after=None, reason=HOSTILE)
    return replace(
        several,
        form="equation_1",
        closed_book=doubt(((HOSTILE, 9), ("", 1)), 0.325083, math.inf),
        measured=math.inf,
        rounds=(replace(several.rounds[0], query=HOSTILE, answer=generation(HOSTILE)), failed),
        answer=generation(HOSTILE),
        ending="nothing new",
        ending_reason=HOSTILE,
    )


def reading(measure: str, value: float | None, threshold: float | None, edges: str = "decisions") -> Reading:
    """Return a reading in [0, 2.3] that says uncertain above its threshold."""
    missing = value is None
    return Reading(
        measure=measure,  # type: ignore[arg-type]
        edges=edges,  # type: ignore[arg-type]
        value=value,
        low=0.0,
        high=math.inf if measure == "predictive_entropy" else 2.3,
        threshold=threshold,
        threshold_source="none" if threshold is None else "paper",
        uncertain=None if value is None or threshold is None else value > threshold,
        not_measured="These answers are no draws." if missing else "",
    )


def answer_set(word: str, texts: tuple[str, ...], readings: tuple[Reading, ...]) -> AnswerSet:
    """Return a set of answers that all differ."""
    n = len(texts)
    return AnswerSet(
        word=word,  # type: ignore[arg-type]
        answers=tuple(generation(text) for text in texts),
        classes=tuple(tuple(2 if i == j else 0 for j in range(n)) for i in range(n)),
        entailment=tuple(tuple(1.0 if i == j else 0.1 for j in range(n)) for i in range(n)),
        ids=tuple(range(n)),
        readings=readings,
        judgements=(),
    )


def baselines() -> UncertaintyResult:
    """DSE and two others say uncertain of the reworded answers, U_deg does not on decisions; memory all uncertain."""
    reworded = (
        reading("degree_entropy", 0.69, 0.2),
        reading("semantic_entropy", None, None),
        reading("predictive_entropy", None, None, "none"),
        reading("discrete_semantic_entropy", 0.69, 0.225),
        reading("degree", 0.1, 0.139),
        reading("degree", 0.3, 0.139, "probabilities"),
        reading("heat_kernel", 0.9, 0.95),
    )
    memory = (reading("degree_entropy", 1.5, 0.2), reading("semantic_entropy", 1.4, 0.4))
    empty = answer_set("with_passages", (), ())
    return UncertaintyResult(
        sets=(
            answer_set("reworded", (RIGHT, WRONG), reworded),
            answer_set("closed_book", (WRONG, HOSTILE, ""), memory),
            replace(empty, not_measured="There are no passages to answer over."),
        )
    )


def nothing_measured() -> UncertaintyResult:
    """No set has answers."""
    empty = replace(answer_set("reworded", (), ()), not_measured="There are none.")
    return UncertaintyResult(sets=(empty,))


def drawn(soft: float) -> SampledBelief:
    """Return two samples, one right, which has about as much weight as ``soft``."""
    return SampledBelief(
        samples=(generation(RIGHT, temperature=1.0), generation(WRONG, temperature=1.0)),
        weights=(soft, 1 - soft),
        kernel=((0.99,), (0.01,)),
        soft=soft,
        interval=Interval(low=0.0, high=1.0, method="imagined draw"),
        effective=2.0,
    )


def change(delta: float, low: float, high: float, effect: str, soft: float = 0.5) -> ChunkChange:
    """Return a change with its band; ``soft`` is the belief that was drawn for it."""
    return ChunkChange(
        belief=drawn(soft),
        delta=delta,
        interval=Interval(low=low, high=high, method="imagined draw", level=0.99375),
        effect=effect,  # type: ignore[arg-type]
    )


def chunk_utility() -> ChunkUtilityResult:
    """Passage 1 useful, 2 useless, 3 harmful, of 4 one cannot tell; the fourth's title is markup."""
    told = (
        ("useful", change(0.5, 0.2, 0.8, "up", 0.1), change(0.6, 0.3, 0.9, "up", 0.8)),
        ("useless", change(0.0, -0.05, 0.05, "none", 0.6), change(0.01, -0.02, 0.04, "none", 0.21)),
        ("harmful", change(-0.4, -0.7, -0.1, "down", 1.0), change(0.1, -0.3, 0.5, "unclear", 0.3)),
        ("cannot tell", change(0.1, -0.4, 0.6, "unclear", 0.5), change(0.0, -0.5, 0.5, "unclear", 0.2)),
    )
    chunks = tuple(
        ChunkUse(index=i, passage=hits()[i].passage, left_out=left_out, alone=alone, verdict=verdict)  # type: ignore[arg-type]
        for i, (verdict, left_out, alone) in enumerate(told)
    )
    spoilt = replace(chunks[3], passage=replace(chunks[3].passage, title=HOSTILE, text=HOSTILE))
    return ChunkUtilityResult(
        variant="code",
        golds=(RIGHT,),
        without=drawn(0.2),
        with_passages=drawn(0.6),
        chunks=(*chunks[:3], spoilt),
        judgements=(),
        margin=0.1,
        level=0.95,
    )
