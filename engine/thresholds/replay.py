"""What other thresholds change in a run, and which parts of it they make untrue.

A replay is true up to the first trigger or decision that changes: what stands behind it was written, read or looked up
under the other decision and needs a new computation. That part is named, never guessed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from engine.core.words import isolated
from engine.diagnosis.record import Diagnosis
from engine.measures.co_occurrence import is_unsupported
from engine.measures.response_graph import is_uncertain
from engine.measures.semantic_entropy import retrieval_need
from engine.methods.dense_rag_choice import best_step, needs_refining
from engine.methods.dense_rag_records import DenseRagResult
from engine.methods.dense_records import DenseResult
from engine.methods.entropy_trend import EntropyTrendConfig, EntropyTrendResult, fired_points
from engine.methods.quco_claims import CountedClaim
from engine.methods.quco_rag import QucoResult
from engine.methods.sugar import SugarResult, is_certain, settings_of
from engine.methods.timing.base import PolicyTrace
from engine.methods.timing.method import TimingResult, run_of, trace_of
from engine.methods.timing.policies import POLICIES
from engine.methods.timing.replay import replay_run
from engine.methods.timing.trace import REFERENCE, replay
from engine.thresholds.in_run import moved
from engine.thresholds.table import THRESHOLDS

About = Literal["verdict", "decision", "trigger", "claim"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that differs at the threshold tried: ``where`` it stands, what it was in the run, what it is now.

    ``token`` is where a trigger stands in the answer from memory, None elsewhere.
    """

    threshold: str
    about: About
    where: str
    before: str
    after: str
    token: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """A part of the run that rests on a decision which is now another: only a new run can show it.

    ``token``: from which token of the answer from memory on, None for another part.
    """

    threshold: str
    part: str
    why: str
    token: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """Everything that other thresholds change, and every part of the run that is no longer true."""

    changes: tuple[Change, ...]
    stale: tuple[Stale, ...]


def replayed(diagnosis: Diagnosis, settings: Mapping[str, float]) -> Replayed:
    """Return what other thresholds change against the run's own, and what of the run would need a new one."""
    changed = moved(diagnosis, settings)
    found: list[Change | Stale] = []
    if "dse" in changed:
        found += [*dense_changes(diagnosis, changed["dse"]), *dense_rag_changes(diagnosis, changed["dse"])]
    if "alpha" in changed:
        found += trend_changes(diagnosis, changed["alpha"])
    for word, value in changed.items():
        for policy in (one for one in POLICIES.values() if one.threshold is THRESHOLDS[word]):
            found += lane_changes(diagnosis, word, policy.word, value)
    if "tau_entity" in changed:
        found += entity_changes(diagnosis, changed["tau_entity"])
    if "tau_cooc" in changed:
        found += claim_changes(diagnosis, changed["tau_cooc"])
    if "sugar_low" in changed or "sugar_high" in changed:
        found += sugar_changes(diagnosis, changed)
    return Replayed(
        changes=tuple(one for one in found if isinstance(one, Change)),
        stale=tuple(one for one in found if isinstance(one, Stale)),
    )


def dense_changes(diagnosis: Diagnosis, threshold: float) -> Iterator[Change]:
    """Yield what another threshold makes of DENSE's verdict and of its firmness."""
    found = diagnosis.result(DenseResult, measured=False)
    if found is None or found.entropy is None:
        return
    now = replace(found, threshold=threshold, uncertain=is_uncertain(found.entropy, threshold))
    if found.verdict != now.verdict:
        yield Change(threshold="dse", about="verdict", where="DENSE", before=found.verdict, after=now.verdict)


def dense_rag_changes(diagnosis: Diagnosis, threshold: float) -> Iterator[Change | Stale]:
    """Yield what another threshold makes of DENSE-RAG: refined or left alone, and where its search would stop."""
    found = diagnosis.result(DenseRagResult, measured=False)
    if found is None or not found.steps or found.steps[0].entropy is None:
        return
    was, now = (needs_refining(found.steps[0], value) for value in (found.config.threshold, threshold))
    if was != now:
        before, after = ("refined", "left as it is") if was else ("left as it is", "refined")
        yield Change(threshold="dse", about="decision", where="DENSE-RAG, first context", before=before, after=after)
        why = "No refined context was read in this run." if now else "Its further contexts would not have been read."
        yield Stale(threshold="dse", part="DENSE-RAG's contexts and final answer", why=why)
        return
    before, after = stops_at(found, found.config.threshold), stops_at(found, threshold)
    if was and before != after:
        where = "DENSE-RAG, end of the search"
        yield Change(threshold="dse", about="decision", where=where, before=before, after=after)
        yield Stale(threshold="dse", part="DENSE-RAG's final answer", why="The search would end at another context.")


def stops_at(result: DenseRagResult, threshold: float) -> str:
    """Return at which of the contexts read the stop rule would end the search at a threshold."""
    config = replace(result.config, threshold=threshold)
    begun = int(any(step.kind == "cut anew" for step in result.steps))
    for place in range(begun, len(result.steps)):
        if best_step(result.steps[: place + 1], config)[1]:
            return f"stops at context {place + 1}"
    return "no context read stops it"


def trend_changes(diagnosis: Diagnosis, alpha: float) -> Iterator[Change | Stale]:
    """Yield the triggers of ETC that appear or vanish at another α."""
    found = diagnosis.result(EntropyTrendResult, measured=False)
    if found is None:
        return
    tried = EntropyTrendConfig(variant=found.variant, alpha=alpha)
    now = [point.word for point in fired_points(found.points, tried)]
    before = [trigger.word for trigger in found.triggers]
    for word in sorted({*now, *before}):
        if (word in now) != (word in before):
            token = found.words[word].first_token
            where = f"ETC, before “{isolated(found.words[word].text)}”"
            yield trigger_change("alpha", where, word in now, token)
    starts = [found.words[words[0]].first_token for words in (now, before) if words]
    if now[:1] != before[:1]:
        yield Stale(
            threshold="alpha",
            part=f"ETC's answer from token {min(starts) + 1} on",
            why="Its first trigger moves, and a lookup there would rewrite the text after it.",
            token=min(starts),
        )


def trigger_change(word: str, where: str, fires: bool, token: int) -> Change:
    """Return a trigger that appears or vanishes."""
    before, after = ("does not fire", "fires") if fires else ("fires", "does not fire")
    return Change(threshold=word, about="trigger", where=where, before=before, after=after, token=token)


def lane_changes(diagnosis: Diagnosis, word: str, policy: str, value: float) -> Iterator[Change | Stale]:
    """Yield the triggers of a policy that appear or vanish on the answer from memory, and what is stale behind them."""
    lane = trace_of(diagnosis.result(TimingResult, measured=False), policy)
    if lane is None or lane.bar.threshold is None or not lane.signals:
        return
    found = replay(lane, value)
    shown = policy == REFERENCE and same_answer(diagnosis)
    for place in sorted((*found.appeared, *found.vanished)) if not shown else ():
        signal = lane.signals[place]
        at = f"“{isolated(signal.text.strip())}”" if signal.text.strip() else "the start"
        yield trigger_change(word, f"timing: {policy}, at {at}", place in found.appeared, signal.token)
    if found.true_until is not None and not shown:
        part = f"timing: {policy}, the answer from token {found.true_until + 1} on"
        why = "Its first trigger moves, and a lookup there would rewrite the text after it."
        yield Stale(threshold=word, part=part, why=why, token=found.true_until)
    yield from run_changes(diagnosis, word, lane, value)


def run_changes(diagnosis: Diagnosis, word: str, lane: PolicyTrace, value: float) -> Iterator[Stale]:
    """Yield from where on a policy's own run is stale at another threshold, if it is."""
    result = diagnosis.result(TimingResult, measured=False)
    run = run_of(result, lane.policy)
    if result is None or run is None or run.not_measured:
        return
    found = replay_run(run, lane.bar, value, result.config.most_retrievals, lane)
    if found.same is True:
        return
    kept = found.fates.count("stays")
    where = f" behind lookup {kept}" if kept else ""
    known = "Its lookups there would differ."
    if found.same is None:
        known = "Whether its lookups there would differ is not known."
    yield Stale(threshold=word, part=f"timing: {lane.policy}, its own run{where}", why=known)


def same_answer(diagnosis: Diagnosis) -> bool:
    """Return whether ETC's own result judges the very answer of the lanes, so that its lane says the same again."""
    trend, timing = (
        diagnosis.result(EntropyTrendResult, measured=False),
        diagnosis.result(TimingResult, measured=False),
    )
    if trend is None or timing is None:
        return False
    return trend.variant == timing.variant and trend.generation.text == timing.generation.text


def entity_changes(diagnosis: Diagnosis, threshold: float) -> Iterator[Change | Stale]:
    """Yield whether QuCo-RAG would look the question up before writing."""
    found = diagnosis.result(QucoResult, measured=False)
    if found is None or found.pre_check is None or found.pre_check.value is None:
        return
    was, now = found.pre_check.retrieves is True, found.pre_check.value < threshold
    if was == now:
        return
    words = {True: "looks the question up", False: "writes at once"}
    where = "QuCo-RAG, before writing"
    yield Change(threshold="tau_entity", about="decision", where=where, before=words[was], after=words[now])
    if found.loop is not None:
        why = "Everything it wrote stands behind this decision."
        yield Stale(threshold="tau_entity", part="The whole loop of QuCo-RAG", why=why)


def claim_changes(diagnosis: Diagnosis, threshold: float) -> Iterator[Change | Stale]:
    """Yield the claims of QuCo-RAG that gain or lose their evidence, and what of its loop is stale."""
    found = diagnosis.result(QucoResult, measured=False)
    if found is None:
        return
    words = {True: "has evidence", False: "no evidence"}
    unit = "documents" if found.counts_from == "corpus" else "places"
    for claim in (claim for sentence in found.sentences for claim in sentence.claims):
        if not other_word(claim, threshold):
            continue
        yield Change(
            threshold="tau_cooc",
            about="claim",
            where=f"QuCo-RAG, {claim_text(claim)} ({unit}: {claim.documents})",
            before=words[claim.supported is True],
            after=words[claim.supported is not True],
        )
    steps = found.loop.steps if found.loop is not None else ()
    for number, step in enumerate(steps, 1):
        if any(other_word(claim, threshold) for claim in step.claims):
            why = "A claim there passes or fails otherwise; what follows was written after that decision."
            yield Stale(threshold="tau_cooc", part=f"QuCo-RAG's loop from sentence {number} on", why=why)
            return


def other_word(claim: CountedClaim, threshold: float) -> bool:
    """Return whether a claim's evidence counts differently at another threshold; one that was not measured does not."""
    lacks = is_unsupported(claim.documents, threshold)
    return lacks is not None and claim.supported is not None and lacks is claim.supported


def claim_text(claim: CountedClaim) -> str:
    """Return a claim as text."""
    tail = "" if claim.tail is None else f" – {claim.tail.entity.text}"
    return f"“{claim.head.entity.text} – {claim.relation}{tail}”"


def sugar_changes(diagnosis: Diagnosis, changed: Mapping[str, float]) -> Iterator[Change | Stale]:
    """Yield what other thresholds make of SUGAR's decision, and which of its rounds are stale."""
    found = diagnosis.result(SugarResult, measured=False)
    if found is None:
        return
    low = changed.get("sugar_low", found.low)
    high = max(low, changed.get("sugar_high", found.high))
    now = retrieval_need(found.measured, low, high)
    # Where both are moved, a change is put down to the lower one.
    word = "sugar_low" if "sugar_low" in changed else "sugar_high"
    words = {"none": "no lookup", "single": "one lookup", "multi": "several lookups"}
    if now != found.decision:
        yield Change(threshold=word, about="decision", where="SUGAR", before=words[found.decision], after=words[now])
        yield Stale(threshold=word, part="SUGAR's rounds and its answer", why="The number of lookups changes.")
        return
    was, tried = settings_of(found), replace(settings_of(found), low=low)
    for one in found.rounds:
        if one.after is not None and is_certain(one.after, was) != is_certain(one.after, tried):
            words_of = {True: "certain enough, ends", False: "goes on"}
            where = f"SUGAR, after round {one.number}"
            before, after = words_of[is_certain(one.after, was)], words_of[is_certain(one.after, tried)]
            yield Change(threshold=word, about="decision", where=where, before=before, after=after)
            part = f"SUGAR's rounds after round {one.number}, and its answer"
            yield Stale(threshold=word, part=part, why="The decision on another round changes.")
            return
