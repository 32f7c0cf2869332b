"""Whether a method saw the failure of a run: one look for each way of noticing, None where it was not measured.

A look says what a reader of that method's page would take from it, by the same words as its verdict. "Saw" is an alarm
that fits the failure, "missed" a calm word on it. What a method has no eye for gets no look at all.
"""

from collections.abc import Callable

from engine.diagnosis.record import Diagnosis
from engine.learning.atlas.facts import (
    belief_moved,
    beliefs_of,
    dense_of,
    dense_rag_of,
    holders,
    ranks_with,
    result_of,
    said,
    timing_of,
    trend_of,
    twins,
)
from engine.learning.atlas.predicates import slips
from engine.learning.known_truth import facts_of
from engine.measures.answer_match import contains
from engine.methods.chunk_utility import ChunkUtilityResult
from engine.methods.sugar import SugarResult
from engine.methods.uncertainty import UncertaintyResult
from engine.runs.sample_questions import SampleQuestion

Look = Callable[[Diagnosis, SampleQuestion], bool | None]


def not_understood(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether DENSE finds that the answer depends on the wording; None where other rewordings say otherwise."""
    dense = dense_of(run)
    return None if dense is None or dense.firm is False else facts_of(run).uncertain


def only_source_necessary(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether DENSE calls a passage that holds the answer necessary; None where none of them was measured."""
    dense, held = dense_of(run), holders(run, asked)
    if dense is None:
        return None
    words = [chunk.label for chunk in dense.chunks if chunk.index + 1 in held and chunk.label != "not measured"]
    return "necessary" in words if words else None


def belief_did_not_rise(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether SePer finds no gain of belief in the right answer beyond noise."""
    belief = belief_moved(run)
    return None if belief is None else belief != "up"


def belief_fell(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether SePer finds that reading lowered belief in the right answer beyond noise."""
    belief = belief_moved(run)
    return None if belief is None else belief == "down"


def belief_held(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether SePer finds that reading clearly raised belief in the right answer."""
    belief = belief_moved(run)
    return None if belief is None else belief == "up"


def judged_by_letters(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether SePer counts no sample against what its letters prove; it has no eye of its own on its judge."""
    return None if beliefs_of(run) is None else not slips(run, asked)


def both_sides_drawn(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether a right answer and the one that was given both stand among SePer's samples over the passages."""
    sampled = facts_of(run).sampled
    if sampled is None:
        return None
    return any(contains(text, asked.golds) for text in sampled) and any(
        contains(text, (said(run),)) for text in sampled
    )


def would_look_up(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether ETC would look something up while the answer is written from memory."""
    trend = trend_of(run)
    return None if trend is None else bool(trend.triggers)


def would_not_look_up(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether ETC would look nothing up, as memory needs no help."""
    trend = trend_of(run)
    return None if trend is None else not trend.triggers


def looked_up_in_time(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether ETC's first lookup comes before the wrong conclusion is written."""
    trend = trend_of(run)
    if trend is None or not trend.answer:
        return None
    return bool(trend.triggers) and not contains(trend.triggers[0].kept, (trend.answer,))


def no_evidence(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether a claim of the short answer has two ends that never meet; None where no claim was judged."""
    supported = facts_of(run).supported
    return not all(supported) if supported else None


def evidence(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether the two ends of every judged claim of the short answer meet; None where none was judged."""
    supported = facts_of(run).supported
    return all(supported) if supported else None


def needs_lookup(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether SUGAR asks for a lookup before anything is written."""
    result = result_of(run, "sugar")
    return result.decision != "none" if isinstance(result, SugarResult) else None


def needs_no_lookup(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether SUGAR asks for no lookup."""
    asks = needs_lookup(run, asked)
    return None if asks is None else not asks


def samples_disagree(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether most measures of uncertainty call the samples over the passages uncertain; None where none can."""
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


def harmful_passage(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether a passage that the answer was taken from is called harmful; any passage where it is in none."""
    result = result_of(run, "chunk_utility")
    if not isinstance(result, ChunkUtilityResult):
        return None
    followed = ranks_with(run, said(run)) or tuple(hit.rank for hit in run.hits)
    return any(chunk.verdict == "harmful" for chunk in result.chunks if chunk.index + 1 in followed)


def nothing_useful(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether no passage is called useful."""
    result = result_of(run, "chunk_utility")
    if not isinstance(result, ChunkUtilityResult):
        return None
    return not any(chunk.verdict == "useful" for chunk in result.chunks)


def copy_useful_alone(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether a copy is found to raise belief where it stands alone, though nothing is lost without it."""
    result = result_of(run, "chunk_utility")
    if not isinstance(result, ChunkUtilityResult):
        return None
    return any(chunk.verdict == "useful" for chunk in result.chunks if chunk.index + 1 in twins(run))


def not_accepted(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether DENSE-RAG neither takes the passages as they are nor settles on a refined context."""
    result = dense_rag_of(run)
    return None if result is None else result.ended not in ("certain", "rule")


def mended(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether the answer that DENSE-RAG ends with is right."""
    result = dense_rag_of(run)
    return None if result is None else contains(result.steps[result.final].answer.text, asked.golds)


def earlier_policy(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether another policy that watches the model would have looked something up before ETC did."""
    timing = timing_of(run)
    if timing is None:
        return None
    return any(lane.delay is not None and lane.delay < 0 for lane in timing.lanes if lane.bar.rule != "always")


def steps_within_noise(run: Diagnosis, asked: SampleQuestion) -> bool | None:
    """Return whether every measured lookup left belief within noise; None where the staircase was not measured."""
    timing = timing_of(run)
    worth = [stair.worth for one in timing.runs for stair in one.stairs if stair.worth] if timing is not None else []
    return all(word == "within noise" for word in worth) if worth else None
