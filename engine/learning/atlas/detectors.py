"""Whether a method detected the failure of a run: one detector for each clue; None if it was not measured.

A detector says what a reader of the method's page would conclude, by the same rule as its verdict. "Saw" is an alarm
that fits the failure; "missed" is a calm verdict on it. A method that cannot notice a failure has no detector for it.
"""

from collections.abc import Callable

from engine.diagnosis.record import Diagnosis
from engine.learning.atlas.facts import (
    answer_text,
    belief_moved,
    beliefs_of,
    copy_ranks,
    dense_of,
    dense_rag_of,
    ranks_containing,
    ranks_with_answer,
    result_of,
    timing_of,
    trend_of,
)
from engine.learning.atlas.predicates import judge_errors
from engine.learning.known_truth import facts_of
from engine.measures.answer_match import contains
from engine.methods.chunk_utility import ChunkUtilityResult
from engine.methods.sugar import SugarResult
from engine.methods.uncertainty import UncertaintyResult
from engine.runs.sample_questions import SampleQuestion

Detector = Callable[[Diagnosis, SampleQuestion], bool | None]


def not_stable(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether DENSE finds that the answer depends on the wording; None if other rewordings disagree."""
    dense = dense_of(run)
    return None if dense is None or dense.is_firm is False else facts_of(run).uncertain


def only_source_necessary(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether DENSE calls a passage with the answer necessary; None if none of them was measured."""
    dense, held = dense_of(run), ranks_with_answer(run, question)
    if dense is None:
        return None
    words = [chunk.label for chunk in dense.chunks if chunk.index + 1 in held and chunk.label != "not measured"]
    return "necessary" in words if words else None


def belief_did_not_rise(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether SePer finds no gain of belief in the correct answer beyond noise."""
    belief = belief_moved(run)
    return None if belief is None else belief != "up"


def belief_fell(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether SePer finds that the passages lowered belief in the correct answer beyond noise."""
    belief = belief_moved(run)
    return None if belief is None else belief == "down"


def belief_rose(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether SePer finds that the passages clearly raised belief in the correct answer."""
    belief = belief_moved(run)
    return None if belief is None else belief == "up"


def judge_without_errors(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether no judgement of a sample contradicts its text; SePer itself cannot detect judge errors."""
    return None if beliefs_of(run) is None else not judge_errors(run, question)


def both_sides_drawn(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether SePer's samples over the passages contain both a correct answer and the given one."""
    sampled = facts_of(run).sampled
    if sampled is None:
        return None
    return any(contains(text, question.golds) for text in sampled) and any(
        contains(text, (answer_text(run),)) for text in sampled
    )


def would_look_up(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether ETC would look something up while the model answers from memory."""
    trend = trend_of(run)
    return None if trend is None else bool(trend.triggers)


def would_not_look_up(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether ETC would look nothing up, because memory suffices."""
    trend = trend_of(run)
    return None if trend is None else not trend.triggers


def looked_up_in_time(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether ETC's first lookup comes before the wrong conclusion."""
    trend = trend_of(run)
    if trend is None or not trend.answer:
        return None
    return bool(trend.triggers) and not contains(trend.triggers[0].kept, (trend.answer,))


def no_evidence(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether the two ends of some claim of the answer never meet; None if no claim was judged."""
    supported = facts_of(run).supported
    return not all(supported) if supported else None


def evidence(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether the two ends of every judged claim of the answer meet; None if no claim was judged."""
    supported = facts_of(run).supported
    return all(supported) if supported else None


def needs_lookup(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether SUGAR asks for a lookup before anything is written."""
    result = result_of(run, "sugar")
    return result.decision != "none" if isinstance(result, SugarResult) else None


def needs_no_lookup(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether SUGAR asks for no lookup."""
    asks = needs_lookup(run, question)
    return None if asks is None else not asks


def samples_disagree(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether most uncertainty measures call the samples over the passages uncertain; None without a verdict."""
    result = result_of(run, "uncertainty")
    if not isinstance(result, UncertaintyResult):
        return None
    words = [
        reading.uncertain
        for answers in result.sets
        if answers.word == "with_passages"
        for reading in answers.readings
        if reading.uncertain is not None
    ]
    return 2 * sum(words) > len(words) if words else None


def harmful_passage(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether a passage with the given answer is called harmful; any passage if none contains it."""
    result = result_of(run, "chunk_utility")
    if not isinstance(result, ChunkUtilityResult):
        return None
    followed = ranks_containing(run, answer_text(run)) or tuple(hit.rank for hit in run.hits)
    return any(chunk.verdict == "harmful" for chunk in result.chunks if chunk.index + 1 in followed)


def nothing_useful(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether no passage is called useful."""
    result = result_of(run, "chunk_utility")
    if not isinstance(result, ChunkUtilityResult):
        return None
    return not any(chunk.verdict == "useful" for chunk in result.chunks)


def copy_useful_alone(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether a copy raises belief on its own, although nothing is lost without it."""
    result = result_of(run, "chunk_utility")
    if not isinstance(result, ChunkUtilityResult):
        return None
    return any(chunk.verdict == "useful" for chunk in result.chunks if chunk.index + 1 in copy_ranks(run))


def not_accepted(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether DENSE-RAG neither accepts the passages nor settles on a refined context."""
    result = dense_rag_of(run)
    return None if result is None else result.ended not in ("certain", "rule")


def refined_answer_right(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether DENSE-RAG's final answer is right."""
    result = dense_rag_of(run)
    return None if result is None else contains(result.steps[result.final].answer.text, question.golds)


def earlier_policy(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether another policy that watches the model would have looked something up before ETC."""
    timing = timing_of(run)
    if timing is None:
        return None
    return any(lane.delay is not None and lane.delay < 0 for lane in timing.lanes if lane.bar.rule != "always")


def steps_within_noise(run: Diagnosis, question: SampleQuestion) -> bool | None:
    """Return whether every measured lookup left belief within noise; None without measured belief steps."""
    timing = timing_of(run)
    worth = [stair.worth for one in timing.runs for stair in one.stairs if stair.worth] if timing is not None else []
    return all(word == "within noise" for word in worth) if worth else None
