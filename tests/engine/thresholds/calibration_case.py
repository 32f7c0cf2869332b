"""Rows of calibration made by hand, and a road through the engine that answers by script."""

from collections.abc import Sequence
from dataclasses import replace

from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.thresholds.fitted.records import (
    FittedThreshold,
    FittedThresholds,
    LoopOutcome,
    LoopRow,
    Origin,
    PolicySignals,
    QuestionRow,
)
from tests.pages.page_fixtures import done, whole_diagnosis
from tests.viz.sample_results import generation
from tests.viz.sample_timing_results import lane, policy_run, timing_full
from tests.viz.sample_uncertainty import sugar_several

ORIGIN = Origin(
    model="scripted",
    model_revision="scripted",
    model_dtype="none",
    writer="",
    writer_revision="",
    judge="scripted",
    profile="embedded",
    corpus="three passages",
    corpus_hash="0",
    passages=3,
    seed=0,
    package_version="0.1.0",
)


def row(
    number: int,
    *,
    dense: float | None = None,
    right: bool = True,
    sugar: float | None = None,
    right_closed_book: bool = True,
    policies: tuple[PolicySignals, ...] = (),
    right_step_by_step: bool | None = None,
) -> QuestionRow:
    """Return the row of one question; what is not named was not measured."""
    return QuestionRow(
        question=f"Question {number}?",
        golds=("gold",),
        settings="s",
        origin=ORIGIN,
        right=right,
        right_closed_book=right_closed_book,
        right_step_by_step=right_step_by_step,
        dense=dense,
        sugar=sugar,
        policies=policies,
    )


def peaks(policy: str, values: Sequence[float], reason: str = "") -> PolicySignals:
    """Return a policy's peaks, one a sentence; FLARE's fire where they are low."""
    return PolicySignals(policy=policy, below=policy == "flare", peaks=tuple(values), reason=reason)


def loop_row(number: int, *loops: LoopOutcome) -> LoopRow:
    """Return the loops of one question at α = 1."""
    return LoopRow(
        question=f"Question {number}?",
        golds=("gold",),
        origin=ORIGIN,
        thresholds=(("entropy_trend", 1.0),),
        loops=loops,
    )


def loop(policy: str, right: bool | None, retrievals: int, reason: str = "") -> LoopOutcome:
    """Return a loop that wrote ten tokens and ten more a lookup, and read a hundred."""
    return LoopOutcome(
        policy=policy,
        right=right,
        retrievals=retrievals,
        tokens_written=10 + 10 * retrievals,
        prompt_tokens=100,
        reason=reason,
    )


def fit(origin: Origin = ORIGIN, **values: float) -> FittedThresholds:
    """Return a fit with these thresholds; one that is not named was not fitted."""
    names = ("dse", "sugar_low", "sugar_high", "alpha", "rind", "flare")
    return FittedThresholds(
        origin=origin,
        questions=40,
        questions_name="questions.jsonl",
        questions_hash="abc",
        retrievals_wanted=1.0,
        most_retrievals=3,
        how="by hand",
        thresholds=tuple(
            FittedThreshold(
                name=name,  # type: ignore[arg-type]
                value=values.get(name),
                questions=40,
                reason="" if name in values else "Too few.",
            )
            for name in names
        ),
    )


def diagnosed(request: DiagnosisRequest, right: bool = True, etc: float = 0.5) -> Diagnosis:
    """Return a diagnosis as the road gives it: DSE 0.00 or more, SUGAR's doubt, traces of two sentences, loops.

    ETC's words at tokens 2 and 7 have ``etc`` and half of it; FLARE sees every token, so it knows both sentences, which
    begin at "The" and at "So".
    """
    config = request.timing
    etc_lane = lane("entropy_trend", {2: -etc, 7: etc / 2}, config)
    flare = lane("flare", {0: 0.9, 2: 0.3, 5: 0.8, 7: 0.6}, config)
    starts = (0, flare.signals[2].start)
    flare = replace(
        flare, signals=tuple(replace(s, cut=starts[0] if s.start < starts[1] else starts[1]) for s in flare.signals)
    )
    timing = replace(
        timing_full(right),
        config=config,
        golds=request.golds,
        lanes=(etc_lane, flare),
        runs=tuple(policy_run(word, "So the answer is 1889.", right) for word in config.policies),
    )
    whole = whole_diagnosis(request.question, request.golds)
    doubt = sugar_several()
    kept = tuple(outcome for outcome in whole.outcomes if outcome.method == "dense")
    return replace(
        whole,
        answer=generation(request.golds[0] if right else "nothing"),
        closed_book=generation("nothing"),
        outcomes=tuple(
            outcome
            for outcome in (*kept, done("sugar", doubt), done("timing", timing))
            if outcome.method in request.methods
        ),
    )
