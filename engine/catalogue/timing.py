"""Retrieval timing's numbers: what each policy saw at each place, its bar, its delay, and belief at each lookup."""

import math
from collections.abc import Callable

from engine.catalogue.base import Entry, Fact, Input, Place, Working, derived, setting, tex
from engine.catalogue.seper import change_interval, delta_entry, delta_working, soft_entry, soft_working
from engine.core.records import Generation, Interval, ThresholdSource
from engine.diagnosis.traces.reading import ImportedAnswer
from engine.measures.answer_match import contains
from engine.measures.entropy_trend import (
    Smoothing,
    attention_weighted,
    first_differences,
    second_differences,
    smooth,
)
from engine.measures.retrieval_timing import doubt, predictive_entropy
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.seper import SeperResult, belief_change
from engine.methods.timing.base import (
    BeliefStep,
    PolicyRun,
    PolicyThreshold,
    PolicyTrace,
    Retrieval,
    Signal,
    TimingConfig,
    fired,
)
from engine.methods.timing.loop import tokens_before
from engine.methods.timing.method import METHOD, TimingResult
from engine.methods.timing.policies import POLICIES
from engine.methods.timing.staircase import WORTH
from engine.methods.timing.trace import REFERENCE, delay, first_trigger

PAPERS = TimingConfig()
NO_ATTENTION = "It was read from the model's attention, which is not stored."
NOT_SEEN = "The policy could not measure this place (a schedule has no number at all): unknown, which is not 0."
SEEN = (
    r"|\Delta^2 \hat H_t| \ge \alpha, \quad S_i > \theta, "
    r"\quad \min_t p_t < \theta, \quad \mathrm{cooc}(h,t) < \tau"
)
EQUATIONS = {
    "dragin": r"S_i = \frac{a_i}{\tfrac{1}{n} \sum_j a_j} H_i",
    "flare": r"p_t",
    "quco_rag": r"\mathrm{cooc}(h, t)",
    "predictive_entropy": r"-\tfrac{1}{N} \sum_i m_i",
}
# ETC and its three ablations (table 4): which difference, and how it is smoothed ("" = as the variant says).
TRENDS: dict[str, tuple[str, Smoothing | None]] = {
    "entropy_trend": ("second", None),
    "entropy_trend_first": ("first", None),
    "entropy_trend_fixed": ("second", "fixed"),
    "entropy_trend_raw": ("second", "none"),
}


def trend_values(result: EntropyTrendResult, order: str, smoothing: Smoothing | None) -> dict[int, float]:
    """Return the value compared with α by the character a word starts at, from ETC's own words; NaN is undefined."""
    entropies, content = [w.entropy for w in result.words], [w.is_content for w in result.words]
    differences = first_differences if order == "first" else second_differences
    placed = differences(entropies, content, result.variant)
    if not placed:
        return {}
    places = [word for word, _ in placed]
    values = smooth([value for _, value in placed], smoothing or result.variant)
    if result.variant == "code":
        attention = [word.max_attention or 0.0 for word in result.words]
        values = attention_weighted(values, places, attention, [word.sentence for word in result.words])
    return {result.words[word].start: float(value) for word, value in zip(places, values, strict=True)}


def same_answer(place: Place) -> EntropyTrendResult | None:
    """Return ETC's result of the run where it looked at the very answer the lanes judge, in the same variant."""
    timing = place.the(TimingResult)
    outcome = place.diagnosis.outcome("entropy_trend")
    found = None if outcome is None else outcome.result
    if not isinstance(found, EntropyTrendResult) or found.variant != timing.variant:
        return None
    return found if found.generation.text == timing.generation.text else None


def trend_again(place: Place, lane: PolicyTrace, signal: Signal) -> Working:
    """Return a value of ETC or one of its ablations, from the words that ETC's own result stores."""
    found = same_answer(place)
    if found is None:
        return Working(raw=True, note="Computed from words' entropies, which only ETC's result stores; it is not here.")
    value = place.once(trend_values, found, *TRENDS[lane.policy]).get(signal.start, math.nan)
    if math.isnan(value):
        return Working(raw=True, note="The smoothing weight is 0/0 here, which the released code leaves undefined.")
    return Working(filled=rf"\Delta \hat H = {tex(value)}", again=value)


def flare_again(place: Place, signal: Signal) -> Working:
    """Return FLARE's value: a token's probability, or in variant "code" the mean doubt of its sentence."""
    timing = place.find(TimingResult)
    tokens = judged_answer(place).tokens
    if timing is None or timing.variant == "paper":
        token = tokens[signal.token]
        value = min(1.0, math.exp(token.logprob))
        return Working(
            filled=rf"p = e^{{{tex(token.logprob)}}} = {tex(value)}",
            inputs=(Input(name="ln p, token", of=token.text, value=token.logprob),),
            again=value,
        )
    own = [token for token in tokens if signal.start < token.end <= signal.end]
    chances = [min(1.0, math.exp(token.logprob)) for token in own]
    value = doubt(chances)
    return Working(
        filled=rf"\tfrac{{1}}{{{len(own)}}} \sum_t (1 - p_t) = {tex(value)}",
        inputs=tuple(Input(name="p, token", of=t.text, value=p) for t, p in zip(own, chances, strict=True)),
        again=value,
    )


def gate_again(place: Place) -> Working:
    """Return predictive entropy of SePer's closed-book draws, where this run has them."""
    outcome = place.diagnosis.outcome("seper")
    found = None if outcome is None else outcome.result
    if not isinstance(found, SeperResult):
        return Working(raw=True, note="Computed from SePer's closed-book draws, which this run does not store.")
    means = [sample.mean_logprob for sample in found.without.samples]
    value = predictive_entropy(means)
    return Working(
        filled=rf"-\tfrac{{1}}{{{len(means)}}} \sum_i m_i = {tex(value)}",
        inputs=tuple(Input(name="m, draw", of=s.text, value=s.mean_logprob) for s in found.without.samples),
        again=value,
        certain=False,
        note="Taken from SePer's draws of this run, which are the same unless its settings were changed.",
    )


def signal_work(place: Place) -> Working:
    """Return what a policy saw at one place of the answer, computed again where its parts are stored."""
    lane, signal = place.the(PolicyTrace), place.the(Signal)
    if signal.value is None and lane.policy != "flare":
        return Working(raw=True, note=NOT_SEEN)
    if lane.policy in TRENDS:
        found = trend_again(place, lane, signal)
    elif lane.policy == "flare":
        found = flare_again(place, signal)
    elif lane.policy == "predictive_entropy":
        found = gate_again(place)
    else:
        note = NO_ATTENTION if lane.policy == "dragin" else "Counted in the corpus, which is no part of the record."
        found = Working(filled=rf"{EQUATIONS.get(lane.policy, 'x')} = {tex(signal.value)}", note=note, raw=True)
    seen = (
        Input(name="policy", of=POLICIES[lane.policy].title if lane.policy in POLICIES else lane.policy),
        Input(name="it judges", of=signal.text),
        Input(name="rule", of=lane.bar.rule, value=lane.bar.threshold),
    )
    return Working(
        filled=found.filled,
        inputs=(*seen, *found.inputs),
        again=found.again,
        note=found.note,
        raw=found.raw,
        certain=found.certain,
    )


def bar_work(place: Place) -> Working:
    """Return a policy's bar as its settings give it."""
    result, lane = place.find(TimingResult), place.the(PolicyTrace)
    if result is None or lane.policy not in POLICIES:
        return Working(note="The settings of this policy are not stored here.")
    again = POLICIES[lane.policy].bar(result.config).threshold
    return Working(
        filled="" if again is None else tex(again),
        inputs=(Input(name="rule", of=lane.bar.rule), Input(name="unit", of=lane.bar.unit)),
        again=again,
        note="" if again is not None else "A schedule compares nothing.",
    )


def delay_work(place: Place) -> Working:
    """Return a policy's first trigger minus ETC's, in tokens."""
    result, lane = place.find(TimingResult), place.the(PolicyTrace)
    lanes = () if result is None else result.lanes
    reference = next((one for one in lanes if one.policy == REFERENCE), None)
    own, other = first_trigger(lane), first_trigger(reference) if reference is not None else None
    again = delay(own, other)
    if own is None or other is None or again is None:
        return Working(note="One of the two never fires.")
    return Working(
        filled=rf"{own.token} - {other.token} = {again}",
        inputs=(
            Input(name="its first trigger", of=own.text, value=own.token),
            Input(name="ETC's", of=other.text, value=other.token),
        ),
        again=float(again),
    )


def retrieval_work(place: Place) -> Working:
    """Return what made a policy ask in its own run."""
    lookup = place.the(Retrieval)
    return Working(
        inputs=(Input(name="after token", value=lookup.tokens), Input(name="query", of=lookup.query)),
        note="The signals of a policy's own run are not stored beside the one that fired.",
    )


def stair_work(place: Place) -> Working:
    """Return SePer at one lookup."""
    belief = place.the(BeliefStep).belief
    if not belief.kernel:
        return Working(raw=True, note="There is no correct answer.")
    return soft_working(belief.samples, belief.weights, belief.kernel, "code", place.the(TimingResult).golds)


def stair_before(place: Place) -> BeliefStep | None:
    """Return the stair below the one a number stands on, None for the first."""
    stairs, own = place.the(PolicyRun).stairs, place.the(BeliefStep)
    at = next((number for number, stair in enumerate(stairs) if stair is own), 0)
    return stairs[at - 1] if at else None


def gain_work(place: Place) -> Working:
    """Return what a lookup added to belief in the right answer."""
    own, before = place.the(BeliefStep), stair_before(place)
    if before is None:
        return Working(note="The first stair stands before any lookup.")
    return delta_working(own.soft, before.soft, "after this lookup", "before it")


def gain_interval_again(place: Place) -> Interval | None:
    """Return the interval of a lookup's gain, None on the first stair."""
    before = stair_before(place)
    return None if before is None else change_interval(place, place.the(BeliefStep).belief, before.belief, "soft")


def worth_again(place: Place) -> str | None:
    """Return what a gain and its interval say of its retrieval, None on the first stair."""
    own = place.the(BeliefStep)
    return None if own.gain is None else WORTH[belief_change(own.gain, own.gain_interval)]


def judged_answer(place: Place) -> Generation:
    """Return the answer that lanes judge: the run's own from memory, or another pipeline's."""
    timing = place.find(TimingResult)
    return place.the(ImportedAnswer).generation if timing is None else timing.generation


def triggers_again(place: Place) -> tuple[int, ...]:
    """Return which signals of a lane reach its bar."""
    lane = place.the(PolicyTrace)
    return fired(lane.signals, lane.bar)


def right_again(place: Place) -> object:
    """Return whether a correct answer is in what was said, None where there is none or nothing was measured."""
    owner = place.owner
    golds = place.diagnosis.golds if isinstance(owner, ImportedAnswer) else place.the(TimingResult).golds
    if isinstance(owner, ImportedAnswer):
        said, measured = owner.generation.text, True
    elif isinstance(owner, PolicyRun):
        said, measured = owner.answer or owner.text, not owner.not_measured
    else:
        said, measured = place.the(TimingResult).answer or place.the(TimingResult).generation.text, True
    return contains(said, golds) if golds and measured else None


def text_again(place: Place) -> str:
    """Return what stayed of each continuation, one after the other; where it went on, without spaces at its end."""
    text = ""
    for written in place.the(PolicyRun).written:
        text = text.rstrip() + written.generation.text[: written.kept]
    return text.rstrip()


def kept_again(place: Place) -> int:
    """Return how many of the tokens a run wrote are in its answer."""
    return sum(tokens_before(one.generation, one.kept) for one in place.the(PolicyRun).written)


def written_again(place: Place) -> int:
    """Return how many tokens a run wrote in all."""
    return sum(len(one.generation.tokens) for one in place.the(PolicyRun).written)


def read_again(place: Place) -> int:
    """Return how many tokens of prompts a run read."""
    return sum(one.generation.prompt_tokens for one in place.the(PolicyRun).written)


def source_of(field: str, policy: str) -> Callable[[Place], ThresholdSource]:
    """Return a function that says where a policy's threshold comes from in a run."""

    def source(place: Place) -> ThresholdSource:
        config = place.the(TimingResult).config
        if policy in config.fitted:
            return "fitted"
        return "paper" if getattr(config, field) == getattr(PAPERS, field) else "chosen"

    return source


def bar_source(place: Place) -> ThresholdSource | None:
    """Return where a lane's bar comes from; None for a schedule."""
    lane, config = place.the(PolicyTrace), place.the(TimingResult).config
    if lane.bar.threshold is None or lane.policy not in POLICIES:
        return None
    owner = REFERENCE if lane.policy.startswith(REFERENCE) else lane.policy
    if owner in config.fitted:
        return "fitted"
    usual = POLICIES[lane.policy].bar(TimingConfig(variant=config.variant)).threshold
    return "paper" if lane.bar.threshold == usual else "chosen"


def threshold(field: str, title: str, unit: str, equation: str, source: str, papers: str, policy: str) -> Entry:
    """Return the entry of one policy's threshold."""
    return Entry(
        record=TimingConfig,
        field=field,
        title=title,
        unit=unit,
        range="0 to 1" if unit in ("probability", "mean of 1 − p") else "at least 0",
        direction="a setting: it is compared with, not measured",
        equation=equation,
        source=source,
        function="engine.methods.timing.base.fired",
        kind="setting",
        threshold=source_of(field, policy),
        papers=papers,
    )


def first_token(lane: PolicyTrace) -> float | None:
    """Return the token at which a policy would first look something up."""
    found = first_trigger(lane)
    return None if found is None else float(found.token)


ENTRIES: tuple[Entry, ...] = (
    derived(
        PolicyTrace,
        "first_trigger",
        "First trigger",
        "token",
        "higher = it looks something up later",
        "ETC, section 6.3",
        first_token,
        absent="The policy never fires on this answer.",
        short="first trigger",
        compared_in=TimingResult,
    ),
    derived(
        PolicyRun,
        "lookups",
        "Lookups of a run",
        "count",
        "higher = costs more",
        "ETC, table 1",
        lambda run: float(len(run.retrievals)),
        short="lookups",
        compared_in=TimingResult,
    ),
    Entry(
        record=Signal,
        field="value",
        title="What a policy sees at one place",
        short="signal",
        unit="the policy's",
        range="depends on the policy",
        direction="FLARE and QuCo-RAG fire below their bar, the others above it",
        equation=SEEN,
        source="ETC, eq. 6 to 12; DRAGIN, section 3.2; FLARE, section 3.2; QuCo-RAG, eq. 4; SUGAR, section III.D",
        function="engine.methods.timing.base.fired",
        absent=NOT_SEEN,
        work=signal_work,
    ),
    Entry(
        record=PolicyThreshold,
        field="threshold",
        title="Bar of a policy",
        short="bar",
        unit="the policy's",
        range="depends on the policy",
        direction="a value beyond it asks for a lookup",
        equation=r"\text{value beyond the bar} \;\Rightarrow\; \text{look up}",
        source="ETC, section 3.2; DRAGIN's released settings; FLARE, section 3.2; QuCo-RAG, section 4.1",
        function="engine.methods.timing.base.reaches",
        kind="setting",
        absent="A schedule compares nothing: it has no threshold.",
        work=bar_work,
        threshold=bar_source,
        papers="ETC 1.0, RIND 1.0, FLARE θ 0.8, QuCo-RAG 1, predictive entropy 0.55",
    ),
    Entry(
        record=PolicyTrace,
        field="delay",
        title="Delay after ETC",
        unit="tokens",
        range="any whole number",
        direction="above 0 = later than ETC, below 0 = earlier",
        equation=r"\mathrm{delay} = t_{\text{first}}(\text{policy}) - t_{\text{first}}(\text{ETC})",
        source="ETC, section 6.3",
        function="engine.methods.timing.trace.delay",
        absent="This policy or ETC never fires on this answer, so there is nothing to compare.",
        work=delay_work,
    ),
    Entry(
        record=Retrieval,
        field="value",
        title="What made a policy look something up",
        unit="the policy's",
        range="beyond its bar",
        direction="see the policy's bar",
        equation=r"\text{value beyond the bar}",
        source="the policy's paper",
        function="engine.methods.timing.loop.look_up",
        kind="reading",
        absent="A schedule looks up without a number.",
        work=retrieval_work,
    ),
    soft_entry(BeliefStep, "SePer at a lookup", interval="soft_interval", work=stair_work),
    delta_entry(
        BeliefStep,
        "gain",
        "What a lookup added to belief",
        "above 0 = towards the right answer",
        interval="gain_interval",
        work=gain_work,
    ),
    threshold(
        "alpha", "α of the policies", "nats", r"|\Delta^2 \hat H_t| \ge \alpha", "ETC, section 3.2", "1 nat", REFERENCE
    ),
    threshold(
        "dragin_threshold",
        "RIND's threshold θ",
        "nats × relative attention",
        r"S_i > \theta",
        "DRAGIN, section 3.2; its released settings",
        "0.6 to 1.5 by data set and model; 1.0 is 2WikiMultihopQA's for Llama-2-7B",
        "dragin",
    ),
    threshold(
        "flare_probability",
        "FLARE's θ",
        "probability",
        r"\min_t p_t < \theta",
        "FLARE, section 3.2",
        "0.8 (2WikiMultihopQA)",
        "flare",
    ),
    threshold(
        "flare_mask",
        "FLARE's β, below which a token leaves the query",
        "probability",
        r"p_t < \beta \;\Rightarrow\; \text{masked}",
        "FLARE, section 3.2",
        "0.4",
        "flare mask",
    ),
    threshold(
        "flare_doubt",
        "Threshold of FLARE as DRAGIN's authors run it",
        "mean of 1 − p",
        r"\tfrac{1}{n} \sum_t (1 - p_t) > \theta",
        "DRAGIN's released code",
        "0.1",
        "flare doubt",
    ),
    threshold(
        "gate_entropy",
        "Threshold of predictive entropy",
        "nats",
        r"-\tfrac{1}{N} \sum_i m_i > \tau",
        "SUGAR, section III.D",
        "0.55 (TriviaQA)",
        "predictive_entropy",
    ),
    threshold(
        "cooccurrence_threshold",
        "τ_cooc of the policy",
        "documents",
        r"\mathrm{cooc}(h,t) < \tau",
        "QuCo-RAG, section 4.1",
        "1",
        "quco_rag",
    ),
    setting(
        TimingConfig,
        "cooccurrence_window",
        "ω, how far apart both ends of a claim may stand",
        "words",
        "1,000 tokens",
        "QuCo-RAG, section 4.1",
    ),
)
# A policy whose threshold needs no words of its own here.
ENTRIES += tuple(
    threshold(field, one.title, one.unit, "", one.paper, f"{getattr(PAPERS, field):g}", one.policy)
    for one in METHOD.thresholds
    if (field := one.field_of("timing")) not in {entry.field for entry in ENTRIES if entry.record is TimingConfig}
)
FACTS: tuple[Fact, ...] = (
    Fact(ImportedAnswer, "right", right_again),
    Fact(TimingResult, "right", right_again),
    Fact(PolicyTrace, "triggers", triggers_again),
    Fact(PolicyRun, "right", right_again),
    Fact(PolicyRun, "text", text_again, lambda own: own.text.rstrip()),
    Fact(PolicyRun, "tokens_kept", kept_again),
    Fact(PolicyRun, "tokens_written", written_again),
    Fact(PolicyRun, "prompt_tokens", read_again),
    Fact(BeliefStep, "soft_interval", lambda place: place.the(BeliefStep).belief.soft_interval),
    Fact(BeliefStep, "gain_interval", gain_interval_again),
    Fact(BeliefStep, "worth", worth_again),
)
RAW_PARTS = (
    ("signals of ETC, DRAGIN and QuCo-RAG", "they rest on the parser, on attention and on the corpus"),
    ("stairs.ids and kernel", "the judgements of the staircase are not stored"),
)
