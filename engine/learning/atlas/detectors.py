"""Whether a method detected the failure of a run: one detector for each clue; None if it was not measured.

A detector says what a reader of the method's page would conclude, by the same rule as its verdict. "Saw" is an alarm
that fits the failure; "missed" is a calm verdict on it. A method that cannot notice a failure has no detector for it.
"""

from collections.abc import Callable
from typing import TypeVar

from engine.diagnosis.record import Diagnosis
from engine.learning.atlas.facts import (
    answer_text,
    belief_moved,
    beliefs_of,
    copy_ranks,
    ranks_containing,
    ranks_with_answer,
    says_right,
)
from engine.learning.atlas.predicates import judge_errors
from engine.learning.known_truth import facts_of, opposite
from engine.measures.answer_match import contains
from engine.methods.chunk_utility import ChunkUtilityResult, agreed
from engine.methods.dense_rag_records import DenseRagResult
from engine.methods.dense_records import NO_LABEL, DenseResult
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.seper import BeliefChange
from engine.methods.sugar import SugarResult, decides_nothing
from engine.methods.timing.method import TimingResult
from engine.methods.timing.staircase import agreed_steps
from engine.methods.uncertainty import UncertaintyResult
from engine.runs.sample_questions import SampleQuestion

Detector = Callable[[Diagnosis, SampleQuestion], bool | None]
Result = TypeVar("Result")


def over(kind: type[Result], verdict: Callable[[Result, Diagnosis, SampleQuestion], bool | None]) -> Detector:
    """Return a detector over one method's result; None where the run has no such result."""

    def detector(run: Diagnosis, question: SampleQuestion) -> bool | None:
        result = run.result(kind)
        return None if result is None else verdict(result, run, question)

    return detector


def looks_up(sugar: SugarResult, run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether SUGAR finds that something must be looked up; None if its samples hold no answer to compare."""
    return None if decides_nothing(sugar) else sugar.decision != "none"


def only_source_necessary(dense: DenseResult, run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether DENSE calls a passage with the answer necessary; None if none of them has a clear label."""
    sources = ranks_with_answer(run, question)
    labels = [label for place, label in dense.labels.items() if place + 1 in sources and label not in NO_LABEL]
    return "necessary" in labels if labels else None


def belief_is(*changes: BeliefChange) -> Detector:
    """Return a detector for how SePer finds that belief in the correct answer moved."""
    return lambda run, _: None if (belief := belief_moved(run)) is None else belief in changes


def judge_without_errors(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether no judgement of a sample contradicts its text; SePer itself cannot detect judge errors."""
    return None if beliefs_of(run) is None else not judge_errors(run, question)


def both_sides_drawn(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether SePer's samples over the passages contain both a correct answer and the given one."""
    sampled = facts_of(run).sampled
    sides = (question.golds, (answer_text(run),))
    return None if sampled is None else all(any(contains(text, side) for text in sampled) for side in sides)


def looked_up_in_time(trend: EntropyTrendResult, run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether ETC's first lookup comes before the wrong conclusion."""
    if not trend.answer:
        return None
    return bool(trend.triggers) and not contains(trend.triggers[0].kept, (trend.answer,))


def evidence(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether the two ends of every judged claim of the answer meet; None if no claim was judged."""
    supported = facts_of(run).supported
    return all(supported) if supported else None


def semantic_entropy_high(result: UncertaintyResult, run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether semantic entropy of the samples over the passages is above SUGAR's 0.4; None if not measured.

    The measures without a threshold in print are left out: a single dissenting sample makes them say "uncertain", which
    most right answers do too (``benchmarks/uncertainty_base.py``).
    """
    readings = [reading for answers in result.sets if answers.word == "with_passages" for reading in answers.readings]
    return next((one.uncertain for one in readings if one.measure == "semantic_entropy"), None)


def chunk_called(result: ChunkUtilityResult, verdict: str, ranks: tuple[int, ...]) -> bool:
    """Return whether a passage at one of the ranks has the verdict."""
    return any(chunk.verdict == verdict for chunk in agreed(result).chunks if chunk.index + 1 in ranks)


def harmful_passage(result: ChunkUtilityResult, run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether a passage with the given answer is called harmful; None if none contains it."""
    followed = ranks_containing(run, answer_text(run))
    return chunk_called(result, "harmful", followed) if followed else None


def earlier_policy(timing: TimingResult, run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether another policy that watches the model would have looked something up before ETC."""
    return any(lane.delay is not None and lane.delay < 0 for lane in timing.lanes if lane.bar.rule != "always")


def steps_within_noise(timing: TimingResult, run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether every measured lookup left belief within noise; None without measured belief steps."""
    steps = [step.worth for policy in timing.runs for step in agreed_steps(policy.stairs) if step.worth]
    return all(worth == "within noise" for worth in steps) if steps else None


DETECTORS: dict[str, Detector] = {
    "not_stable": lambda run, _: facts_of(run).uncertain,
    "only_source_necessary": over(DenseResult, only_source_necessary),
    "belief_did_not_rise": belief_is("down", "noise"),
    "belief_fell": belief_is("down"),
    "belief_rose": belief_is("up"),
    "judge_without_errors": judge_without_errors,
    "both_sides_drawn": both_sides_drawn,
    "would_look_up": over(EntropyTrendResult, lambda trend, *_: bool(trend.triggers)),
    "would_not_look_up": over(EntropyTrendResult, lambda trend, *_: not trend.triggers),
    "looked_up_in_time": over(EntropyTrendResult, looked_up_in_time),
    "evidence": evidence,
    "no_evidence": lambda run, question: opposite(evidence(run, question)),
    "needs_lookup": over(SugarResult, looks_up),
    "needs_no_lookup": over(SugarResult, lambda *found: opposite(looks_up(*found))),
    "semantic_entropy_high": over(UncertaintyResult, semantic_entropy_high),
    "harmful_passage": over(ChunkUtilityResult, harmful_passage),
    "copy_useful_alone": over(
        ChunkUtilityResult, lambda result, run, _: chunk_called(result, "useful", copy_ranks(run))
    ),
    "not_accepted": over(DenseRagResult, lambda result, *_: result.ended not in ("certain", "rule")),
    "refined_answer_right": over(
        DenseRagResult, lambda result, _, question: says_right(result.steps[result.final].answer.text, question)
    ),
    "earlier_policy": over(TimingResult, earlier_policy),
    "steps_within_noise": over(TimingResult, steps_within_noise),
}
