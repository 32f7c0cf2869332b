"""When to look something up, in words and tables: policies on one answer, their own runs, and a moved threshold.

A threshold is replayed on the stored signals, so no model is needed.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from engine.backends.entailment.base import states_answer
from engine.core.passage_names import passage_name
from engine.core.words import shown
from engine.methods.meaning import only_means
from engine.methods.timing.base import (
    Continuation,
    PolicyRun,
    PolicyThreshold,
    PolicyTrace,
    Retrieval,
    Signal,
    TimingConfig,
)
from engine.methods.timing.method import TimingResult, run_of, trace_of
from engine.methods.timing.policies import POLICIES
from engine.methods.timing.replay import replay_run
from engine.methods.timing.trace import REFERENCE, first_trigger, missing_reason, replay
from viz.methods.check_rates import CHECK_RATES, measured_writer
from viz.methods.verdicts import Tone, Verdict
from viz.parts.words import WORDS, bound_words, closed, counted, digits_apart, first_of, listing, quoted, value_words

# A policy's reason starts so where the backend lacks what it reads.
NOT_GIVEN = "this model does not give"
RIGHT_WORDS = {True: "right", False: "wrong", None: "not judged"}
BY_JUDGE = WORDS["short matches"]["meant"]
ENDED_WORDS = WORDS["run endings"]
KEPT_WORDS = WORDS["run kept reasons"]
FATE_WORDS = WORDS["lookup fates"]
FIRST_LOOP = "An earlier version: it may have stopped after one sentence; without an answer the whole text was judged."
RULE_WORDS = {"magnitude at least": "|value| ≥", "magnitude above": "|value| >", "above": "value >", "below": "value <"}
TRACE_COLUMNS = ["policy", "first lookup", "token", "delay after ETC (tokens)", "triggers", "threshold", "query"]
RUN_COLUMNS = "policy|answer|right|lookups|tokens kept|tokens written|tokens read|how it ended".split("|")
RETRIEVER_WORDS = {"bm25": "BM25", "hybrid": "hybrid search", "vector": "vector search", "reranked": "reranking"}
KEPT_COLUMNS = ["step", "written over", "stayed", "thrown away", "why"]
LOOKUP_COLUMNS = ["lookup", "after token", "value", "query", "passages found"]
SIGNAL_COLUMNS = ["token", "text", "value", "fires", "query"]


def verdict(result: TimingResult) -> Verdict:
    """Return how many of the policies that watch the model would look something up, without ranking them."""
    watching = [trace for trace in result.lanes if watches(trace) and not missing_reason(trace)]
    if result.not_measured or not watching:
        reasons = (missing_reason(trace) for trace in result.lanes if watches(trace))
        reason = result.not_measured or next(filter(None, reasons), "No policy works with this model.")
        return Verdict(word="not measured", tone="unknown", sentence=reason)
    firing = sum(bool(trace.triggers) for trace in watching)
    count = f"{firing} of {counted(len(watching), 'adaptive policy', 'adaptive policies')}"
    kind = "adaptive" if len(watching) == sum(map(watches, result.lanes)) else "measured"
    word = f"{count} look{'s' if firing == 1 else ''} something up" if firing else f"no {kind} policy looks anything up"
    tone: Tone = "middle" if firing else "model"
    return Verdict(word=word, tone=tone, sentence=first_sentence(result), detail=base_rate(result))


def base_rate(result: TimingResult) -> str:
    """Return how many other questions make each policy look something up; "" at thresholds that were not measured."""
    bars, fired = CHECK_RATES["timing_thresholds"], CHECK_RATES["timing"]
    counted_ones = [trace.policy for trace in result.lanes if bars.get(trace.policy, -1) == trace.bar.threshold]
    if not counted_ones:
        return ""
    first, *others = (f"{policy_title(policy)} {{}}in {int(fired[policy])}" for policy in counted_ones)
    each = listing([first.format("fires "), *(one.format("") for one in others)])
    return f"Of {int(fired['questions'])} questions to {measured_writer()} {each}."


def first_sentence(result: TimingResult) -> str:
    """Return where in the answer from memory ETC first looks something up."""
    if result.not_measured:
        return closed(f"Not measured: {result.not_measured}")
    reference = trace_of(result, REFERENCE)
    if reference is not None and (missing := missing_reason(reference)):
        return closed(f"ETC not measured: {missing}")
    trigger = first_trigger(reference) if reference else None
    if trigger is None:
        return "ETC would look nothing up."
    return f"ETC's first lookup: {place_words(trigger)}."


def trace_sentence(result: TimingResult) -> str:
    """Return where in the answer from memory ETC first looks something up, and how much later the other policies do.

    ETC's ablations are in the figure and the table only.
    """
    asked = [one for one in result.lanes if watches(one) and not etc_family(one)]
    others = [one for one in asked if not missing_reason(one)]
    late = [f"{policy_title(trace.policy)} {delay_words(trace.delay)}" for trace in others if trace.delay is not None]
    late = late or [policy_title(trace.policy) for trace in others if trace.triggers]
    if result.not_measured:
        return first_sentence(result)
    silent = "No other policy fires." if len(others) == len(asked) else "No other measured policy fires."
    if asked and not others:
        silent = "The others are not measured."
    return f"{first_sentence(result)} {f'Others: {listing(late)}.' if late else silent}"


def etc_family(trace: PolicyTrace) -> bool:
    """Return whether a policy is ETC or an ablation of it."""
    return trace.policy == REFERENCE or (trace.policy in POLICIES and POLICIES[trace.policy].ablates == REFERENCE)


def watches(trace: PolicyTrace) -> bool:
    """Return whether a policy decides by what the model does, unlike a schedule."""
    return trace.bar.rule != "always"


def runs_sentence(result: TimingResult) -> str:
    """Return which policies' own answers are right; how often each looked something up is in figure and table."""
    done = [run for run in result.runs if not run.not_measured]
    if not done:
        return ""
    right = [policy_title(run.policy) for run in done if run.right]
    meant = [policy_title(run.policy) for run in done if judged_words(result, run) == BY_JUDGE]
    parts = [f"Right by words in its own run: {listing(right)}." if right else "By words no policy's answer is right."]
    parts += [f"Right by the judge alone: {listing(meant)}."] if meant else []
    if all(run.right is None for run in done):
        parts = ["Not judged: no correct answer."]
    parts += [f"None found anything. {result.no_retrieval}"] if result.no_retrieval else []
    if result.right and any(run.retrievals for run in result.runs):
        parts.append("Right from memory: every lookup was redundant.")
    return " ".join(parts)


def retriever_sentence(result: TimingResult) -> str:
    """Return which retriever the policies looked up with, beside the papers'."""
    used = RETRIEVER_WORDS.get(result.retriever, result.retriever)
    papers = "as in the papers" if result.retriever == "bm25" else "the papers use BM25"
    return f"Lookups by {used} ({papers})."


def runs_legend(result: TimingResult) -> str:
    """Return what the runs were allowed, how they looked up, and what the marks of their figure mean."""
    config = result.config
    lookups, passages = counted(config.most_retrievals, "lookup"), counted(config.passages, "passage")
    return (
        f"{retriever_sentence(result)} At most {lookups} of {passages}, "
        f"{result.most_tokens} tokens each. ◆ lookup, ✕ nothing found."
    )


def policy_title(word: str) -> str:
    """Return a policy's name; another version's policy stays as its word.

    >>> policy_title("entropy_trend"), policy_title("another")
    ('ETC', 'another')
    """
    return POLICIES[word].title if word in POLICIES else word


def delay_words(delay: int) -> str:
    """Return a delay after ETC in words.

    >>> delay_words(3), delay_words(-1), delay_words(0)
    ('3 tokens later', '1 token earlier', 'at the same token')
    """
    if delay == 0:
        return "at the same token"
    return f"{counted(abs(delay), 'token')} {'later' if delay > 0 else 'earlier'}"


def place_words(signal: Signal) -> str:
    """Return where a signal stands: before anything is written, or at which token and text.

    >>> place_words(Signal(token=0, start=0, end=0, cut=0, text="", value=None, query="Who?"))
    'before writing'
    """
    if not signal.text.strip():
        return "before writing" if signal.token == 0 else f"token {signal.token + 1}"
    return f"token {signal.token + 1}, {quoted(signal.text, 60)}"


def threshold_words(bar: PolicyThreshold) -> str:
    """Return what a policy's values are compared with.

    >>> threshold_words(PolicyThreshold(rule="below", threshold=0.8, unit="probability"))
    'value < 0.8 probability'
    >>> threshold_words(PolicyThreshold(rule="below", threshold=1.0, unit="documents"))
    'value < 1 document'
    """
    if bar.threshold is None:
        return "a schedule: no threshold"
    unit = "document" if bar.unit == "documents" and bar.threshold == 1 else bar.unit
    return f"{RULE_WORDS.get(bar.rule, bar.rule)} {bar.threshold:g} {unit}"


def threshold_label(trace: PolicyTrace, config: TimingConfig) -> str:
    """Return the label of a policy's threshold: its unit, this run's value, and where that comes from.

    The ``config`` of the run names the policies whose threshold is calibration's; ETC's ablations share its α.
    """
    own = trace.bar.threshold
    if own is None:
        return "No threshold"
    named = POLICIES.get(trace.policy)
    usual = None if named is None else named.bar(TimingConfig(variant=config.variant)).threshold
    origin = "the paper's, for 7B and more" if own == usual else "set by hand"
    if trace.policy in config.fitted:
        origin = "fitted to this model"
    elif etc_family(trace) and REFERENCE in config.fitted:
        origin = "fitted for ETC"
    return f"Threshold in {trace.bar.unit} (this run: {own:g}, {origin})"


def origin_sentence(result: TimingResult) -> str:
    """Return where the policies' thresholds come from: the papers, or a fit to the run's model."""
    fitted = [policy_title(word) for word in result.config.fitted]
    papers = "the papers', for 7B and more"
    if not fitted:
        return f"Thresholds: {papers}, unless set by hand."
    return f"Fitted to this model: {listing(fitted)}; others: {papers}."


def policies_table() -> pd.DataFrame:
    """Return every policy with its question and its source."""
    rows = [(policy.title, policy.summary, policy.paper) for policy in POLICIES.values()]
    return pd.DataFrame(rows, columns=["policy", "asks", "source"])


def signal_sentence(trace: PolicyTrace, place: int, triggers: Sequence[int], threshold: float | None = None) -> str:
    """Return the signal at ``place`` in words: policy, where it stands, its value against the threshold, its query.

    ``triggers`` are the places that fire: the first looks something up, a later one is not reached, others do not fire.
    A moved ``threshold`` stands for the run's own.
    """
    signal, bar = trace.signals[place], trace.bar
    bar = bar if threshold is None else replace(bar, threshold=threshold)
    fires = place in triggers
    if bar.threshold is None:
        value = "on schedule"
    elif signal.value is None:
        value = "not measured here"
    else:
        told, rule = f"value {signal_words(signal.value, bar.threshold)}", threshold_words(bar)
        value = f"{told} ({rule})" if fires else f"{told}, does not fire (needs {rule})"
    happens = "looks" if triggers[:1] == (place,) else "not reached, would look" if fires else "would look"
    query = f"{happens} up {quoted(signal.query, 160)}" if signal.query.strip() else "without a query"
    place_said = place_words(signal)
    at = " at " if place_said.startswith("token") else ", "
    return closed(f"{policy_title(trace.policy)}{at}{place_said}: {value}; {query}")


def signal_words(value: float, threshold: float) -> str:
    """Return a signal's value with decimals that tell it from the threshold, on either side of 0, and from 0.

    >>> signal_words(0.62, 0.8), signal_words(0.7996, 0.8), signal_words(0.0004, 0.8), signal_words(-1.0, 1.0)
    ('0.62', '0.7996', '0.0004', '−1.00')
    """
    if 0 < abs(value) < 0.005:
        return value_words(value)
    digits = max(digits_apart(value, bound) for bound in (threshold, -threshold))
    return f"{value + 0.0:.{digits}f}".replace("-", "−")


def traces_table(result: TimingResult) -> pd.DataFrame:
    """Return the text twin of the policy traces: one row per policy with its first lookup and its delay after ETC."""
    return pd.DataFrame([_trace_row(trace) for trace in result.lanes], columns=TRACE_COLUMNS)


def _trace_row(trace: PolicyTrace) -> tuple[object, ...]:
    first = first_trigger(trace)
    name, threshold = policy_title(trace.policy), threshold_words(trace.bar)
    if missing := missing_reason(trace):
        return (name, f"not measured: {missing}", None, None, None, threshold, "")
    if first is None:
        return (name, "nothing", None, None, 0, threshold, "")
    where = shown(first.text) if first.text.strip() else "(before writing)" if first.token == 0 else "(next piece)"
    return (name, where, first.token + 1, trace.delay, len(trace.triggers), threshold, first.query)


def signals_table(trace: PolicyTrace, threshold: float | None = None) -> pd.DataFrame:
    """Return every stored signal of one policy, with whether it fires at a threshold (None: the run's own)."""
    fires = set(trace.triggers if threshold is None else replay(trace, threshold).triggers)
    rows = [
        (signal.token + 1, signal.text, signal.value, place in fires, signal.query)
        for place, signal in enumerate(trace.signals)
    ]
    return pd.DataFrame(rows, columns=SIGNAL_COLUMNS)


def threshold_range(trace: PolicyTrace) -> tuple[float, float]:
    """Return the thresholds worth trying for a policy, the run's own included: from 0 to where nothing changes."""
    own = trace.bar.threshold or 0.0
    values = [abs(signal.value) for signal in trace.signals if signal.value is not None and math.isfinite(signal.value)]
    top = max([own, *values]) * 1.1
    if trace.bar.unit == "probability" or trace.bar.unit.startswith("mean of"):
        return 0.0, 1.0
    return 0.0, max(1.0, own, math.ceil(top * 2) / 2)


def movable(result: TimingResult) -> tuple[str, ...]:
    """Return the policies whose threshold can be moved: they have one, and something was measured."""
    if result.not_measured:
        return ()
    return tuple(trace.policy for trace in result.lanes if trace.bar.threshold is not None and trace.signals)


def replay_sentence(trace: PolicyTrace, threshold: float) -> str:
    """Return in words what another threshold changes on the answer from memory, and how far that is valid."""
    changed, name = replay(trace, threshold), policy_title(trace.policy)
    own = trace.bar.threshold or 0.0
    if threshold == own:
        return f"{name}: the run's own threshold. Move it."
    if not changed.appeared and not changed.vanished:
        return f"{name} at {bound_words(threshold)} {trace.bar.unit}: same triggers as at {own:g}."
    parts = [f"{name} at {bound_words(threshold)} {trace.bar.unit} instead of {own:g}."]
    if changed.appeared:
        parts.append(f"Newly fires: {_places(trace, changed.appeared)}.")
    if changed.vanished:
        parts.append(f"No longer fires: {_places(trace, changed.vanished)}.")
    if changed.true_until is None:
        return " ".join([*parts, "The first trigger stays."])
    return " ".join([*parts, f"Valid up to token {changed.true_until + 1}."])


def run_replay_sentence(result: TimingResult, trace: PolicyTrace, threshold: float) -> str:
    """Return in words what a policy's own run becomes at another threshold, lookup by lookup; "" without a run."""
    run = run_of(result, trace.policy)
    if run is None or run.not_measured or trace.bar.threshold is None:
        return ""
    found = replay_run(run, trace.bar, threshold, result.config.most_retrievals, trace)
    if found.same is True:
        return "Its own run stays the same."
    fates = [f"lookup {number} {FATE_WORDS[fate]}" for number, fate in enumerate(found.fates, 1)]
    parts = [f"In its own run: {listing(fates)}."] if fates else []
    if found.instead is not None:
        parts.append(f"Instead it looks up at {quoted(found.instead.text, 40)}.")
    parts += ["An earlier lookup is possible."] if found.same is None else []
    return " ".join([*parts, f"Valid for its first {counted(found.true_until or 0, 'character')}."])


def _places(trace: PolicyTrace, places: tuple[int, ...]) -> str:
    return first_of([place_words(trace.signals[place]) for place in places], 5)


def trigger_token(result: TimingResult, policy: str, number: int) -> int | None:
    """Return the token on which a policy's trigger stands, both from 0; None where it has no such trigger."""
    trace = trace_of(result, policy)
    return trace.signals[trace.triggers[number]].token if trace and number < len(trace.triggers) else None


def run_place(result: TimingResult, place: int) -> str:
    """Return the address of the last text in a policy's own answer, "" where it wrote none."""
    written = result.runs[place].written
    return f"timing.runs.{place}.written.{len(written) - 1}.generation" if written else ""


def runs_table(result: TimingResult) -> pd.DataFrame:
    """Return the text twin of the runs: one row per policy with its answer and its cost."""
    return pd.DataFrame([_run_row(result, run) for run in result.runs], columns=RUN_COLUMNS)


def _run_row(result: TimingResult, run: PolicyRun) -> tuple[object, ...]:
    name = policy_title(run.policy)
    if run.not_measured:
        return (name, f"not measured: {run.not_measured}", RIGHT_WORDS[None], None, None, None, None, "")
    ended = ENDED_WORDS[run.ended] + ("; no lookups left" if run.used_up else "")
    answer = run.answer or shown(run.text)
    answer += " (forced)" if run.forced is not None and run.answer else ""
    return (
        name,
        answer,
        judged_words(result, run),
        len(run.retrievals),
        run.tokens_kept,
        run.tokens_written,
        run.prompt_tokens,
        ended,
    )


def judged_words(result: TimingResult, run: PolicyRun) -> str:
    """Return whether a run's answer is right, by words or by the judge; one that never states any has "no answer"."""
    if run.right is not False:
        return RIGHT_WORDS[run.right]
    if not states_answer(run.answer.strip()):
        return "no answer"
    return RIGHT_WORDS[False] if only_means(run.answer, run.right, result.judged) is None else BY_JUDGE


def run_sentence(result: TimingResult, run: PolicyRun) -> str:
    """Return one run of a result in words."""
    name = policy_title(run.policy)
    if run.not_measured:
        return closed(f"{name}: not measured, {run.not_measured}")
    answer = quoted(run.answer) if run.answer else "no answer stated"
    answer += " when forced" if run.forced and run.answer else ""
    said = judged_words(result, run)
    judged = "" if said in ("no answer", RIGHT_WORDS[None]) else f" ({said})"
    failed = sum(bool(retrieval.failed) for retrieval in run.retrievals)
    lookups = counted(len(run.retrievals), "lookup") + (f", {failed} found nothing" if failed else "")
    used_up = " Lookup limit reached." if run.used_up else ""
    return (
        f"{name}: {answer}{judged}; {lookups}; {run.tokens_kept} of {run.tokens_written} tokens kept; "
        f"{ENDED_WORDS[run.ended]}.{used_up}"
    )


def run_notes(run: PolicyRun) -> tuple[str, ...]:
    """Return what a reader has to know of how a run was made and judged."""
    notes = [FIRST_LOOP] if run.loop_version == 1 else []
    if run.forced is not None:
        notes.append("Forced: written after “So the answer is”.")
    if run.checks_read or run.checks_written:
        notes.append(f"Checks: {run.checks_read} tokens read, {run.checks_written} written.")
    return tuple(notes)


def kept_table(run: PolicyRun) -> pd.DataFrame:
    """Return one row per continuation of a run: over what it was written, what stayed, what did not, and why."""
    rows = [
        (
            number,
            "memory" if one.over is None else f"lookup {one.over + 1}",
            one.generation.text[: one.kept].strip(),
            one.generation.text[one.kept :].strip(),
            KEPT_WORDS[one.why],
        )
        for number, one in enumerate(run.written, 1)
    ]
    return pd.DataFrame(rows, columns=KEPT_COLUMNS)


def lookups_table(run: PolicyRun) -> pd.DataFrame:
    """Return one row per lookup of a run: where, why, the query, and what was found or why nothing was."""
    rows = [
        (number, lookup.tokens, lookup.value, lookup.query, found_words(lookup))
        for number, lookup in enumerate(run.retrievals, 1)
    ]
    return pd.DataFrame(rows, columns=LOOKUP_COLUMNS)


def found_words(lookup: Retrieval) -> str:
    """Return the titles of what a lookup found, or why it found nothing."""
    if lookup.failed:
        return lookup.failed
    return " · ".join(passage_name(hit.passage) for hit in lookup.hits)


def written_name(run: PolicyRun, number: int) -> str:
    """Return a continuation's name: its number, what it was written over, how much of it stayed."""
    written: Continuation = run.written[number]
    over = "from memory" if written.over is None else f"over lookup {written.over + 1}"
    stayed = f"{written.kept} of {len(written.generation.text)} characters stayed"
    return f"{number + 1}. Written {over}: {stayed}"


def not_served(result: TimingResult) -> dict[str, str]:
    """Return the policies that the run's model does not support, with the reason."""
    return {trace.policy: trace.not_measured for trace in result.lanes if NOT_GIVEN in trace.not_measured}


def not_served_sentences(result: TimingResult) -> tuple[str, ...]:
    """Return which policies the run's model does not support, a sentence per reason."""
    by_reason: dict[str, list[str]] = {}
    for word, reason in not_served(result).items():
        by_reason.setdefault(reason, []).append(policy_title(word))
    return tuple(f"Not offered: {listing(titles)}. {reason}" for reason, titles in by_reason.items())
