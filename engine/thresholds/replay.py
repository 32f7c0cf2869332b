"""What other thresholds change in a run, and which parts of it they make untrue.

A replay is true up to the first trigger or decision that changes: what stands behind it was written, read or looked up
under the other decision and would have to be computed anew. That part is named, never guessed.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from engine.diagnosis.record import Diagnosis
from engine.measures.co_occurrence import is_unsupported
from engine.measures.context_refinement import choice
from engine.measures.entropy_trend import triggers
from engine.measures.response_graph import is_uncertain
from engine.measures.semantic_entropy import retrieval_need
from engine.methods.dense import DenseResult
from engine.methods.dense_rag import DenseRagResult
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.quco_claims import CountedClaim
from engine.methods.quco_rag import QucoResult
from engine.methods.sugar import SugarResult
from engine.methods.timing.method import TimingResult
from engine.methods.timing.policies import POLICIES
from engine.methods.timing.trace import REFERENCE, replay
from engine.thresholds.in_run import claims_of, lane_of, moved, result_of
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
    found = result_of(diagnosis, "dense")
    if not isinstance(found, DenseResult) or found.entropy is None:
        return
    now = replace(found, threshold=threshold, uncertain=is_uncertain(found.entropy, threshold))
    before, after = dense_word(found), dense_word(now)
    if before != after:
        yield Change(threshold="dse", about="verdict", where="DENSE", before=before, after=after)


def dense_word(result: DenseResult) -> str:
    """Return DENSE's verdict in a word or two."""
    if result.is_firm is False:
        return "cannot tell: it depends on the wording"
    return "uncertain" if result.uncertain else "understood"


def dense_rag_changes(diagnosis: Diagnosis, threshold: float) -> Iterator[Change | Stale]:
    """Yield what another threshold makes of DENSE-RAG: refined or left alone, and where its search would stop."""
    found = result_of(diagnosis, "dense_rag")
    if not isinstance(found, DenseRagResult) or not found.steps or found.steps[0].entropy is None:
        return
    first = found.steps[0].entropy
    was, now = is_uncertain(first, found.config.threshold), is_uncertain(first, threshold)
    words = {True: "refined", False: "left as it is"}
    if was != now:
        yield Change(
            threshold="dse", about="decision", where="DENSE-RAG, first context", before=words[was], after=words[now]
        )
        why = "No refined context was read in this run." if now else "Its further contexts would not have been read."
        yield Stale(threshold="dse", part="DENSE-RAG's contexts and final answer", why=why)
        return
    before, after = stops_at(found, found.config.threshold), stops_at(found, threshold)
    if was and before != after:
        yield Change(
            threshold="dse", about="decision", where="DENSE-RAG, end of the search", before=before, after=after
        )
        yield Stale(threshold="dse", part="DENSE-RAG's final answer", why="The search would end at another context.")


def stops_at(result: DenseRagResult, threshold: float) -> str:
    """Return at which of the contexts read the stop rule would end the search at a threshold."""
    config, searched = result.config, [step for step in result.steps if step.best is not None or step.kind != "first"]
    rule = config.stop_rule if config.self_evaluation else "both"
    entropies: list[float] = []
    flags: list[bool] = []
    for step in searched:
        if step.entropy is None:
            continue
        entropies.append(step.entropy)
        flags.append(step.evaluation is None or step.evaluation.sufficient)
        if choice(entropies, flags, threshold, rule)[1]:
            return f"stops at context {result.steps.index(step) + 1}"
    return "no context read stops it"


def trend_changes(diagnosis: Diagnosis, alpha: float) -> Iterator[Change | Stale]:
    """Yield the triggers of ETC that appear or vanish at another α."""
    found = result_of(diagnosis, "entropy_trend")
    if not isinstance(found, EntropyTrendResult):
        return
    values = [math.nan if (value := point.nearest_value(found.mode)) is None else value for point in found.points]
    fired = triggers(values, alpha, mode=found.mode, strict=found.mode == "signed")
    now = [point.word for point, hit in zip(found.points, fired, strict=True) if hit]
    before = [trigger.word for trigger in found.triggers]
    for word in sorted({*now, *before}):
        if (word in now) != (word in before):
            token = found.words[word].first_token
            where = f"ETC, before “{found.words[word].text}”"
            yield trigger_change("alpha", where, word in now, token)
    starts = [found.words[words[0]].first_token for words in (now, before) if words]
    if now[:1] != before[:1]:
        yield Stale(
            threshold="alpha",
            part=f"ETC's answer from token {min(starts) + 1} on",
            why="Its first trigger is another: behind it the text would be written anew after a lookup.",
            token=min(starts),
        )


def trigger_change(word: str, where: str, fires: bool, token: int) -> Change:
    """Return a trigger that appears or vanishes."""
    before, after = ("does not fire", "fires") if fires else ("fires", "does not fire")
    return Change(threshold=word, about="trigger", where=where, before=before, after=after, token=token)


def lane_changes(diagnosis: Diagnosis, word: str, policy: str, value: float) -> Iterator[Change | Stale]:
    """Yield the triggers of a policy that appear or vanish on the answer from memory, and what is stale behind them."""
    lane = lane_of(diagnosis, policy)
    if lane is None or lane.bar.threshold is None or not lane.signals:
        return
    found = replay(lane, value)
    told = policy == REFERENCE and same_answer(diagnosis)
    for place in sorted((*found.appeared, *found.vanished)) if not told else ():
        signal = lane.signals[place]
        where = (
            f"timing: {policy}, at “{signal.text.strip()}”"
            if signal.text.strip()
            else f"timing: {policy}, at the start"
        )
        yield trigger_change(word, where, place in found.appeared, signal.token)
    if found.true_until is None:
        return
    part = f"timing: {policy}, the answer from token {found.true_until + 1} on"
    why = "Its first trigger is another: behind it the text would be written anew after a lookup."
    if not told:
        yield Stale(threshold=word, part=part, why=why, token=found.true_until)
    result = result_of(diagnosis, "timing")
    if isinstance(result, TimingResult) and any(run.policy == policy for run in result.runs):
        yield Stale(
            threshold=word, part=f"timing: {policy}, its own run", why="It looked up under the other threshold."
        )


def same_answer(diagnosis: Diagnosis) -> bool:
    """Return whether ETC's own result judges the very answer of the lanes, so that its lane says the same again."""
    trend, timing = result_of(diagnosis, "entropy_trend"), result_of(diagnosis, "timing")
    if not isinstance(trend, EntropyTrendResult) or not isinstance(timing, TimingResult):
        return False
    return trend.variant == timing.variant and trend.generation.text == timing.generation.text


def entity_changes(diagnosis: Diagnosis, threshold: float) -> Iterator[Change | Stale]:
    """Yield whether QuCo-RAG would look the question up before writing."""
    found = result_of(diagnosis, "quco_rag")
    if not isinstance(found, QucoResult) or found.pre_check is None or found.pre_check.value is None:
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
    found = result_of(diagnosis, "quco_rag")
    if not isinstance(found, QucoResult):
        return
    words = {True: "has evidence", False: "no evidence"}
    for _, claim in claims_of(found):
        lacks = is_unsupported(claim.documents, threshold)
        if lacks is None or claim.supported is None or lacks is not claim.supported:
            continue
        yield Change(
            threshold="tau_cooc",
            about="claim",
            where=f"QuCo-RAG, {claim_text(claim)} (documents: {claim.documents})",
            before=words[claim.supported],
            after=words[not lacks],
        )
    steps = found.loop.steps if found.loop is not None else ()
    for number, step in enumerate(steps, 1):
        if any(other_word(claim, threshold) for claim in step.claims):
            why = "A claim there passes or fails otherwise; what follows was written after that decision."
            yield Stale(threshold="tau_cooc", part=f"QuCo-RAG's loop from sentence {number} on", why=why)
            return


def other_word(claim: CountedClaim, threshold: float) -> bool:
    """Return whether a claim's evidence counts otherwise at another threshold; one that was not measured does not."""
    lacks = is_unsupported(claim.documents, threshold)
    return lacks is not None and claim.supported is not None and lacks is claim.supported


def claim_text(claim: CountedClaim) -> str:
    """Return a claim as text."""
    tail = "" if claim.tail is None else f" – {claim.tail.entity.text}"
    return f"“{claim.head.entity.text} – {claim.relation}{tail}”"


def sugar_changes(diagnosis: Diagnosis, changed: Mapping[str, float]) -> Iterator[Change | Stale]:
    """Yield what other thresholds make of SUGAR's decision, and which of its rounds are stale."""
    found = result_of(diagnosis, "sugar")
    if not isinstance(found, SugarResult):
        return
    low = changed.get("sugar_low", found.low)
    high = max(low, changed.get("sugar_high", found.high))
    now, word = retrieval_need(found.measured, low, high), moved_first(changed)
    words = {"none": "no lookup", "single": "one lookup", "multi": "several lookups"}
    if now != found.decision:
        yield Change(threshold=word, about="decision", where="SUGAR", before=words[found.decision], after=words[now])
        yield Stale(
            threshold=word, part="SUGAR's rounds and its answer", why="Another number of lookups was decided on."
        )
        return
    for one in found.rounds:
        measured = None if one.after is None else reading(one.after.entropy, one.after.equation_1, found.form)
        if measured is not None and (measured <= found.low) != (measured <= low):
            words_of = {True: "certain enough, ends", False: "goes on"}
            where = f"SUGAR, after round {one.number}"
            before, after = words_of[measured <= found.low], words_of[measured <= low]
            yield Change(threshold=word, about="decision", where=where, before=before, after=after)
            part = f"SUGAR's rounds after round {one.number}, and its answer"
            yield Stale(threshold=word, part=part, why="Whether another round follows is decided otherwise.")
            return


def moved_first(changed: Mapping[str, float]) -> str:
    """Return which of SUGAR's thresholds a change is put down to: the lower one where both are moved."""
    return "sugar_low" if "sugar_low" in changed else "sugar_high"


def reading(entropy: float, printed: float, form: str) -> float:
    """Return the number that SUGAR holds against its thresholds."""
    return entropy if form == "entropy" else printed
