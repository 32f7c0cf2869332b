"""Retrieval timing's numbers: what each policy saw at each place, its bar, its delay, and belief at each lookup."""

import math
from collections.abc import Callable

from engine.catalogue.base import Entry, Fact, Input, Place, Working, entry, of_owner, tex, words_of
from engine.catalogue.seper import change_interval, delta_working, soft_working
from engine.core.records import Generation, Interval, ThresholdSource
from engine.diagnosis.traces.reading import ImportedAnswer
from engine.measures.answer_marks import is_right
from engine.measures.answer_match import contains
from engine.measures.retrieval_timing import doubt
from engine.measures.semantic_entropy import predictive_entropy
from engine.methods.conclusion import FORCED_START, final_answer
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.seper import belief_change
from engine.methods.seper_records import SeperResult
from engine.methods.timing.base import (
    BeliefStep,
    Continuation,
    PolicyRun,
    PolicyThreshold,
    PolicyTrace,
    Retrieval,
    Signal,
    TimingConfig,
    fired,
)
from engine.methods.timing.entropy_trend import ABLATIONS, placed_values
from engine.methods.timing.flare import probability, tokens_in
from engine.methods.timing.method import METHOD, TimingResult, trace_of
from engine.methods.timing.moves import tokens_before
from engine.methods.timing.policies import POLICIES
from engine.methods.timing.staircase import WORTH
from engine.methods.timing.trace import REFERENCE, delay, first_trigger

PAPERS = TimingConfig()
TRENDS = {REFERENCE: ("second", None), **ABLATIONS}
NO_ATTENTION = "Read from the model's attention, which is not stored."
RUN_SIGNAL = "Read in text written ahead, which is stored without words, attention and counts."
NOT_SEEN = "The policy could not measure this place; a schedule measures nothing."
EQUATIONS = {
    "dragin": r"S_i = \frac{a_i}{\tfrac{1}{n} \sum_j a_j} H_i",
    "flare": r"p_t",
    "quco_rag": r"\mathrm{cooc}(h, t)",
    "predictive_entropy": r"-\tfrac{1}{N} \sum_i m_i",
}


def same_answer(place: Place) -> EntropyTrendResult | None:
    """Return ETC's result of the run where it looked at the very answer the lanes judge, in the same variant."""
    timing = place.the(TimingResult)
    found = place.diagnosis.result_of("entropy_trend")
    if not isinstance(found, EntropyTrendResult) or found.variant != timing.variant:
        return None
    return found if found.generation.text == timing.generation.text else None


def trend_again(place: Place, lane: PolicyTrace, signal: Signal) -> Working:
    """Return a value of ETC or one of its ablations, from the words that ETC's own result stores."""
    found = same_answer(place)
    if found is None:
        return Working(raw=True, note="Computed from words' entropies; this run has no ETC result.")
    values = place.once(placed_values, found.words, found.variant, *TRENDS[lane.policy])
    value = next((value for word, value in values if found.words[word].start == signal.start), math.nan)
    if math.isnan(value):
        return Working(raw=True, note="The weight is 0/0 (NaN in the released code): no trigger.")
    return Working(filled=rf"\Delta \hat H = {tex(value)}", again=value)


def flare_again(place: Place, signal: Signal) -> Working:
    """Return FLARE's value: a token's probability, or in variant "code" the mean doubt of its sentence."""
    timing = place.find(TimingResult)
    answer = judged_answer(place)
    if timing is None or timing.variant == "paper":
        token = answer.tokens[signal.token]
        value = probability(token)
        return Working(
            filled=rf"p = e^{{{tex(token.logprob)}}} = {tex(value)}",
            inputs=(Input(name="ln p, token", of=token.text, value=token.logprob),),
            again=value,
        )
    own = [token for _, token in tokens_in(answer, signal)]
    chances = [probability(token) for token in own]
    value = doubt(chances)
    return Working(
        filled=rf"\tfrac{{1}}{{{len(own)}}} \sum_t (1 - p_t) = {tex(value)}",
        inputs=tuple(Input(name="p, token", of=t.text, value=p) for t, p in zip(own, chances, strict=True)),
        again=value,
    )


def gate_again(place: Place) -> Working:
    """Return predictive entropy of the gate's samples; the first loop's gate took SePer's closed-book draws."""
    timing, found = place.find(TimingResult), place.diagnosis.result_of("seper")
    if timing is not None and timing.loop_version > 1:
        means = [sample.mean_logprob for sample in timing.samples]
        value = predictive_entropy(means)
        return Working(
            filled=rf"-\tfrac{{1}}{{{len(means)}}} \sum_i m_i = {tex(value)}",
            inputs=tuple(Input(name="m, draw", of=s.text, value=s.mean_logprob) for s in timing.samples),
            again=value,
        )
    if not isinstance(found, SeperResult):
        return Working(raw=True, note="Computed from SePer's closed-book draws, which this run does not store.")
    means = [sample.mean_logprob for sample in found.without.samples]
    value = predictive_entropy(means)
    return Working(
        filled=rf"-\tfrac{{1}}{{{len(means)}}} \sum_i m_i = {tex(value)}",
        inputs=tuple(Input(name="m, draw", of=s.text, value=s.mean_logprob) for s in found.without.samples),
        again=value,
        certain=False,
        note="Taken from SePer's draws; equal unless the settings were changed.",
    )


def signal_work(place: Place) -> Working:
    """Return what a policy saw at one place of the answer, computed again where its parts are stored."""
    lane, signal = place.find(PolicyTrace), place.the(Signal)
    if lane is None:
        return run_signal_work(place, signal)
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


def run_signal_work(place: Place, signal: Signal) -> Working:
    """Return what a policy saw in its own run: FLARE's probabilities and the gate's samples are stored with it."""
    run, written, variant = place.the(PolicyRun), place.find(Continuation), place.the(TimingResult).variant
    seen = (Input(name="policy", of=run.policy), Input(name="it judges", of=signal.text))
    if run.policy == "predictive_entropy":
        return gate_again(place)
    if run.policy == "flare" and written is not None and variant == "paper":
        value = probability(written.generation.tokens[signal.token])
        return Working(filled=rf"p = {tex(value)}", inputs=seen, again=value)
    filled = rf"{EQUATIONS.get(run.policy, 'x')} = {tex(signal.value)}"
    return Working(filled=filled, inputs=seen, raw=True, note=RUN_SIGNAL)


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
    reference, lane = trace_of(place.find(TimingResult), REFERENCE), place.the(PolicyTrace)
    own, other = first_trigger(lane), first_trigger(reference) if reference is not None else None
    again = delay(own, other)
    if own is None or other is None or again is None:
        return Working(note="One of the two never fires.")
    return Working(
        filled=rf"{own.token} - {other.token} = {again}",
        inputs=(
            Input(name="tokens before its first trigger", of=own.text, value=own.token),
            Input(name="before ETC's", of=other.text, value=other.token),
        ),
        again=float(again),
    )


def retrieval_work(place: Place) -> Working:
    """Return what made a policy ask in its own run."""
    lookup = place.the(Retrieval)
    return Working(
        inputs=(Input(name="after token", value=lookup.tokens), Input(name="query", of=lookup.query)),
        note="Read in a continuation, which is stored without attention.",
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
    """Return what a lookup added to belief in the correct answer."""
    own, before = place.the(BeliefStep), stair_before(place)
    if before is None:
        return Working(note="The first step is before any lookup.")
    return delta_working(own.soft, before.soft, "after this lookup", "before it")


def gain_interval_again(place: Place) -> Interval | None:
    """Return the interval of a lookup's gain, None on the first stair."""
    before = stair_before(place)
    return None if before is None else change_interval(place, place.the(BeliefStep).belief, before.belief, "soft")


def judged_answer(place: Place) -> Generation:
    """Return the answer that lanes judge: the run's own from memory, or another pipeline's."""
    timing = place.find(TimingResult)
    return place.the(ImportedAnswer).generation if timing is None else timing.generation


def right_again(place: Place) -> object:
    """Return whether what was said is right, None where there is no correct answer or nothing was measured.

    The first loop judged the whole text where there was no conclusion; an imported answer is judged so too. Records
    that were made while an answer was right as soon as it contained a correct one keep what that rule says.
    """
    owner = place.owner
    golds = place.diagnosis.golds if isinstance(owner, ImportedAnswer) else place.the(TimingResult).golds
    if not golds:
        return None
    if isinstance(owner, ImportedAnswer):
        return judged_again(owner.generation.text, golds, owner.right)
    own = owner if isinstance(owner, PolicyRun) else place.the(TimingResult)
    if isinstance(own, PolicyRun) and own.not_measured:
        return None
    text = own.text if isinstance(own, PolicyRun) else own.generation.text
    return judged_again(own.answer if own.loop_version > 1 else own.answer or text, golds, own.right)


def judged_again(text: str, golds: tuple[str, ...], stored: bool | None) -> bool:
    """Return whether an answer is right by today's rule, or by the older one where the record was made with that."""
    before = contains(text, golds)
    return before if stored is before else is_right(text, golds)


def answer_again(place: Place) -> str:
    """Return what a text concludes, or what was forced, by its words; the first loop took all behind the phrase."""
    own = place.owner if isinstance(place.owner, PolicyRun) else place.the(TimingResult)
    text = own.text if isinstance(own, PolicyRun) else own.generation.text
    said = final_answer(text)
    if own.loop_version > 1 and own.forced is not None:
        said = final_answer(f"{FORCED_START}{own.forced.text}")
    return said[: len(own.answer)] if own.loop_version > 1 else said


def written_again(run: PolicyRun) -> int:
    """Return how many tokens were written for a run: continuations, the forced answer, the policy's own checks."""
    forced = len(run.forced.tokens) if run.forced else 0
    return sum(len(one.generation.tokens) for one in run.written) + forced + run.checks_written


def read_again(run: PolicyRun) -> int:
    """Return how many tokens were read for a run: prompts, that of the forced answer, the policy's own checks."""
    forced = run.forced.prompt_tokens if run.forced else 0
    return sum(one.generation.prompt_tokens for one in run.written) + forced + run.checks_read


def text_again(place: Place) -> str:
    """Return what stayed of each continuation, one after the other; where it went on, without spaces at its end."""
    text = ""
    for written in place.the(PolicyRun).written:
        text = text.rstrip() + written.generation.text[: written.kept]
    return text.rstrip()


def source_of(field: str, policy: str = "") -> Callable[[Place], ThresholdSource]:
    """Return a function that says where a policy's threshold comes from in a run."""

    def source(place: Place) -> ThresholdSource:
        config = place.the(TimingResult).config
        if policy and policy in config.fitted:
            return "fitted"
        return "paper" if getattr(config, field) == getattr(PAPERS, field) else "chosen"

    return source


def bar_source(place: Place) -> ThresholdSource | None:
    """Return where a lane's bar comes from; None for a schedule."""
    lane, config = place.the(PolicyTrace), place.the(TimingResult).config
    if lane.bar.threshold is None or lane.policy not in POLICIES:
        return None
    policy = POLICIES[lane.policy]
    if policy.threshold is not None and policy.threshold.policy in config.fitted:
        return "fitted"
    usual = policy.bar(TimingConfig(variant=config.variant)).threshold
    return "paper" if lane.bar.threshold == usual else "chosen"


def first_token(lane: PolicyTrace) -> float | None:
    """Return the token at which a policy would first look something up."""
    found = first_trigger(lane)
    return None if found is None else float(found.token)


ENTRIES: tuple[Entry, ...] = (
    entry(PolicyTrace, "first_trigger", read=first_token, compared_in=TimingResult),
    entry(PolicyRun, "lookups", read=lambda run: float(len(run.retrievals)), compared_in=TimingResult),
    entry(Signal, "value", signal_work),
    entry(PolicyThreshold, "threshold", bar_work, threshold=bar_source),
    entry(PolicyTrace, "delay", delay_work),
    entry(Retrieval, "value", retrieval_work),
    entry(BeliefStep, "soft", stair_work),
    entry(BeliefStep, "gain", gain_work),
    entry(TimingConfig, "flare_mask", threshold=source_of("flare_mask")),
    entry(TimingConfig, "flare_doubt", threshold=source_of("flare_doubt")),
    entry(TimingConfig, "cooccurrence_window"),
    entry(TimingConfig, "cooccurrence_share"),
    entry(TimingResult, "window_share"),
    *(
        entry(
            TimingConfig,
            field := one.field_of("timing"),
            threshold=source_of(field, one.policy),
            usual=words_of("TimingConfig.threshold")
            | {"title": one.title, "unit": one.unit, "source": one.paper, "papers": f"{getattr(PAPERS, field):g}"},
        )
        for one in METHOD.thresholds
    ),
)
FACTS: tuple[Fact, ...] = (
    Fact(ImportedAnswer, "right", right_again),
    Fact(TimingResult, "right", right_again),
    Fact(PolicyTrace, "triggers", of_owner(lambda lane: fired(lane.signals, lane.bar))),
    Fact(PolicyRun, "right", right_again),
    Fact(PolicyRun, "answer", answer_again),
    Fact(TimingResult, "answer", answer_again),
    Fact(PolicyRun, "text", text_again, lambda own: own.text.rstrip()),
    Fact(
        PolicyRun,
        "tokens_kept",
        of_owner(lambda run: sum(tokens_before(one.generation, one.kept) for one in run.written)),
    ),
    Fact(PolicyRun, "tokens_written", of_owner(written_again)),
    Fact(PolicyRun, "prompt_tokens", of_owner(read_again)),
    Fact(BeliefStep, "soft_interval", of_owner(lambda step: step.belief.soft_interval)),
    Fact(BeliefStep, "gain_interval", gain_interval_again),
    Fact(
        BeliefStep,
        "worth",
        of_owner(lambda step: None if step.gain is None else WORTH[belief_change(step.gain, step.gain_interval)]),
    ),
)
