"""SePer: how much does the model believe in the correct answer, before and after reading?

Semantic Perplexity (SePer, eq. 7-11): sampled answers, clustered by meaning, weighted by the softmax of their mean
token log-probabilities. Variant "code" follows the released code with its bugs mended (entailment in the better
direction, maximum over correct answers, loose match); "paper" follows the equations (response entails answer, mean over
correct answers, strict match). Beside the likelihood weights stand equal ones, 1/N each: only those estimate the share
of right answers without bias, and where the two say different things, a few heavy samples decide.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from engine.backends.entailment.base import ENTAILMENT
from engine.backends.entailment.matrix import judge_against, judge_pairs
from engine.backends.language_models.base import Request
from engine.core.errors import NotMeasured
from engine.core.progress import Stage
from engine.core.records import Generation, Interval, IntervalMethod, Judgement, Passage
from engine.core.seeds import derive_seed
from engine.measures.checks import Bools, Floats
from engine.measures.draw_intervals import LEVEL, covering_change, covering_interval, delta_interval, seper_interval
from engine.measures.levels import is_below
from engine.measures.semantic_clusters import cluster, cluster_probabilities, equivalent, first_members
from engine.measures.semantic_entropy import semantic_entropy
from engine.measures.semantic_perplexity import (
    delta_seper,
    draws_that_match,
    effective_samples,
    kernel,
    sample_weights,
    seper_hard,
    seper_soft,
)
from engine.methods.base import Backends, Case, Foreseen, refuse_without_numbers, with_numbers
from engine.methods.cost import Load, Plan
from engine.methods.descriptor import Method
from engine.methods.profiles import sample_prompt, sample_tokens
from engine.methods.reach import by_samples
from engine.methods.sample_logprobs import sample_logprobs
from engine.methods.seper_records import Belief, EqualBelief, EqualChange, Meaning, SeperConfig, SeperResult

STOP = ("\n", "Question:", "Context:")
LEAST_CHANGE = 0.1
KINDS = ("soft", "hard")
COVERING: IntervalMethod = "imagined draw"
NEEDS_GOLD = "ΔSePer needs a correct answer; without one only the belief over meanings can be shown."
BeliefChange = Literal["up", "down", "noise"]
WeightsDiffer = Literal["sign", "change", "half"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What sets a variant apart: the direction of entailment, how correct answers are pooled, when two texts match."""

    direction: Literal["max", "response_to_answer"]
    answers: Literal["max", "mean"]
    match: Literal["loose", "strict"]


CHOICES = {
    "code": Choice(direction="max", answers="max", match="loose"),
    "paper": Choice(direction="response_to_answer", answers="mean", match="strict"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """One condition's samples against the correct answers, as the measures take them.

    ``logprobs`` [n] mean token log-probabilities in nats; ``soft`` and ``hard`` [n, golds] kernels in [0, 1]: the
    sample's entailment with each gold, and 1 where its meaning matches.
    """

    logprobs: Floats
    soft: Floats
    hard: Floats

    @property
    def evenly(self) -> "Draws":
        """The same draws, each weighing the same."""
        return replace(self, logprobs=np.zeros_like(self.logprobs))


def run(case: Case, config: SeperConfig, backends: Backends) -> SeperResult:
    """Return belief without and with the passages, and ΔSePer where there is a correct answer.

    Raises NotMeasured without passages.
    """
    if not case.passages:
        raise NotMeasured("ΔSePer compares belief without and with passages, and there are none.")
    without = sample_answers(case, (), "without", config, backends)
    with_passages = sample_answers(case, case.passages, "with", config, backends)
    before, draws_before, judged_before = belief(case, without, config, backends, "without")
    after, draws_after, judged_after = belief(case, with_passages, config, backends, "with")
    deltas: dict[str, Any] = dict.fromkeys(("delta_soft", "delta_hard", "delta_soft_interval", "delta_hard_interval"))
    evenly: EqualChange | None = None
    if draws_before is not None and draws_after is not None:
        deltas = change_of(after, before, draws_after, draws_before, config, case.seed)
        evenly = EqualChange(
            **change_of(after.equal, before.equal, draws_after.evenly, draws_before.evenly, config, case.seed)
        )
    return SeperResult(
        variant=config.variant,
        golds=case.golds,
        without=before,
        with_passages=after,
        judgements=tuple(dict.fromkeys((*judged_before, *judged_after))),
        **deltas,
        not_measured="" if case.golds else NEEDS_GOLD,
        resamples=config.resamples,
        equal=evenly,
    )


def change_of(
    after: Belief | EqualBelief | None,
    before: Belief | EqualBelief | None,
    draws_after: Draws,
    draws_before: Draws,
    config: SeperConfig,
    seed: int,
) -> dict[str, Any]:
    """Return ΔSePer, soft and hard, with the interval of each, as fields of a record."""
    found: dict[str, Any] = {}
    for kind in KINDS:
        drawn = [(draws.logprobs, getattr(draws, kind)) for draws in (draws_after, draws_before)]
        drawn_by = derive_seed(seed, "seper", "delta", kind)
        found[f"delta_{kind}"] = delta_seper(getattr(after, kind), getattr(before, kind))
        found[f"delta_{kind}_interval"] = change_interval(drawn[0], drawn[1], drawn_by, config)
    return found


def belief_change(delta: float, interval: Interval | None) -> BeliefChange:
    """Return where belief in the correct answer moved: "up" or "down" where it is beyond noise and worth speaking of.

    The interval must leave out 0, and the change reach one sample in ten: where all samples are wrong and alike, the
    interval has hardly a width, and the judge's own error (0.03 on average) moves belief by as much.

    >>> belief_change(0.4, Interval(low=0.2, high=0.6)), belief_change(0.02, Interval(low=0.01, high=0.03))
    ('up', 'noise')
    >>> belief_change(0.3 - 0.2, Interval(low=0.02, high=0.2))
    'up'
    """
    if interval is None or is_below(abs(delta), LEAST_CHANGE):
        return "noise"
    if interval.low > 0:
        return "up"
    return "down" if interval.high < 0 else "noise"


def kernels_disagree(result: SeperResult) -> bool:
    """Return whether one kernel moves clearly while the other one stays, or goes the other way.

    Both look at the same samples: soft at how far each entails the correct answer, hard at the meanings they fall into.
    Where they contradict each other, the judge errs in one of the two, and nobody can say in which.
    """
    if result.delta_soft is None or result.delta_hard is None:
        return False
    soft = belief_change(result.delta_soft, result.delta_soft_interval)
    hard = belief_change(result.delta_hard, result.delta_hard_interval)
    return goes_against(soft, result.delta_hard) or goes_against(hard, result.delta_soft)


def goes_against(way: BeliefChange, other: float) -> bool:
    """Return whether one kernel moves clearly while ``other``, the change by the other one, does not go that way.

    Of ten samples that weigh the same, one is a tenth, however a computer rounds 0.3 − 0.2.

    >>> goes_against("up", 0.3 - 0.2), goes_against("up", 0.05), goes_against("down", 0.05), goes_against("noise", 0.5)
    (False, True, True, False)
    """
    if way == "up":
        return bool(is_below(other, LEAST_CHANGE))
    return way == "down" and bool(is_below(-LEAST_CHANGE, other))


def agreed_change(result: SeperResult) -> BeliefChange | None:
    """Return where belief in the correct answer moved; None where it was not measured or the kernels disagree."""
    if result.delta_soft is None or kernels_disagree(result):
        return None
    return belief_change(result.delta_soft, result.delta_soft_interval)


def weights_disagree(result: SeperResult) -> tuple[WeightsDiffer, ...]:
    """Return in what the likelihood weights and equal weights contradict each other, soft SePer; () where they agree.

    "change": one finds a clear change, the other does not; "sign": ΔSePer points the other way, by at least one sample
    in ten on each side; "half": belief with the passages lies on the other side of 0.5. () in records of earlier
    versions, which know one kind of weights.
    """
    evenly, after = result.equal, result.with_passages
    if evenly is None or after.equal is None or result.delta_soft is None or after.soft is None:
        return ()
    one = belief_change(result.delta_soft, result.delta_soft_interval)
    other = belief_change(evenly.delta_soft, evenly.delta_soft_interval)
    large = not is_below(min(abs(result.delta_soft), abs(evenly.delta_soft)), LEAST_CHANGE)
    differ: dict[WeightsDiffer, bool] = {
        "sign": large and result.delta_soft * evenly.delta_soft < 0,
        "change": one != other,
        "half": (after.soft - 0.5) * (after.equal.soft - 0.5) < 0,
    }
    return tuple(name for name, found in differ.items() if found)


def sample_answers(
    case: Case,
    passages: tuple[Passage, ...],
    condition: str,
    config: SeperConfig,
    backends: Backends,
    *,
    numbers: bool = True,
    told: str = "",
) -> tuple[Generation, ...]:
    """Return N sampled answers of one condition; sample i depends on the root seed, the condition and i only.

    ``told`` is what the progress line calls the condition; "" = by its name. Raises CapabilityError, before anything is
    drawn, where their log-probabilities are needed (``numbers``) and the model gives none.
    """
    requests = sample_requests(case, passages, condition, config)
    if numbers:
        refuse_without_numbers(backends.model, requests[0].prompt.chat)
    name = f"sampling answers {told or f'{condition} passages'}"
    backends.report(Stage(method="seper", name=name, total=len(requests)))
    drawn = backends.model.generate(requests, backends.report)
    return with_numbers(drawn, backends.model) if numbers else drawn


def foreseen(case: Case, config: SeperConfig, backends: Backends) -> Foreseen:
    """Return the samples of both conditions; none without passages, where nothing is measured."""
    if not case.passages:
        return Foreseen()
    without = sample_requests(case, (), "without", config)
    return Foreseen(model=(*without, *sample_requests(case, case.passages, "with", config)))


def sample_requests(
    case: Case, passages: tuple[Passage, ...], condition: str, config: SeperConfig
) -> tuple[Request, ...]:
    """Return the requests of one condition's N samples."""
    prompt = sample_prompt(case.profile, case.question, passages)
    return tuple(
        Request(
            prompt=prompt,
            max_tokens=sample_tokens(case.profile, config.variant),
            temperature=config.temperature,
            seed=derive_seed(case.seed, "seper", condition, index),
            stop=STOP,
        )
        for index in range(config.samples or case.profile.samples)
    )


def belief(
    case: Case, samples: tuple[Generation, ...], config: SeperConfig, backends: Backends, condition: str
) -> tuple[Belief, Draws | None, tuple[Judgement, ...]]:
    """Return one condition's belief, its draws for resampling (None without correct answers), and what was judged."""
    backends.report(Stage(method="seper", name=f"judging samples {condition} passages", total=len(samples)))
    texts = [sample.text.strip() for sample in samples]
    logprobs = sample_logprobs(samples, resampled=bool(case.golds))
    weights = sample_weights(logprobs)
    classes, judgements = judge_pairs(backends.judge, case.question, texts, backends.report)
    ids, draws, matches = cluster(classes, rule="strict"), None, None
    if case.golds:
        forward, backward, against = judge_against(backends.judge, case.question, texts, case.golds, backends.report)
        choice, heads = CHOICES[config.variant], first_members(ids)
        soft = kernel(forward[..., ENTAILMENT], backward[..., ENTAILMENT], direction=choice.direction)
        matches = equivalent(forward[heads].argmax(-1), backward[heads].argmax(-1), rule=choice.match)
        draws = Draws(logprobs=logprobs, soft=soft, hard=hard_kernel(ids, matches, choice.answers))
        judgements = (*judgements, *against)
    return build_belief(samples, weights, ids, draws, matches, config, case.seed), draws, judgements


def build_belief(
    samples: tuple[Generation, ...],
    weights: Floats,
    ids: np.ndarray,
    draws: Draws | None,
    matches: Bools | None,
    config: SeperConfig,
    seed: int,
) -> Belief:
    """Return the belief record: meanings with their probabilities, and SePer where there are correct answers."""
    probabilities = cluster_probabilities(weights, ids)
    meanings = tuple(
        Meaning(
            text=samples[int(head)].text.strip(),
            probability=float(probabilities[number]),
            members=tuple(int(i) for i in np.flatnonzero(ids == number)),
            matches_gold=None if matches is None else bool(matches[number].any()),
        )
        for number, head in enumerate(first_members(ids))
    )
    pooled, drawn = CHOICES[config.variant].answers, derive_seed(seed, "seper", "interval")
    evenly: EqualBelief | None = None
    if draws is not None and matches is not None:
        evenly = equal_belief(ids, draws.evenly, matches, drawn, config)
    return Belief(
        samples=samples,
        weights=tuple(float(weight) for weight in weights),
        ids=tuple(int(i) for i in ids),
        meanings=meanings,
        kernel=() if draws is None else tuple(tuple(float(value) for value in row) for row in draws.soft),
        soft=None if draws is None else seper_soft(weights, draws.soft, answers=pooled),
        hard=None if matches is None else seper_hard(weights, ids, matches, "any" if pooled == "max" else "mean"),
        soft_interval=None if draws is None else belief_interval(draws.logprobs, draws.soft, drawn, config),
        hard_interval=None if draws is None else belief_interval(draws.logprobs, draws.hard, drawn, config),
        entropy=semantic_entropy(probabilities),
        effective=effective_samples(weights),
        equal=evenly,
    )


def equal_belief(ids: np.ndarray, draws: Draws, matches: Bools, seed: int, config: SeperConfig) -> EqualBelief:
    """Return SePer with equal weights; ``draws`` have equal log-probabilities."""
    pooled, weights = CHOICES[config.variant].answers, sample_weights(draws.logprobs)
    return EqualBelief(
        soft=seper_soft(weights, draws.soft, answers=pooled),
        hard=seper_hard(weights, ids, matches, "any" if pooled == "max" else "mean"),
        soft_interval=belief_interval(draws.logprobs, draws.soft, seed, config),
        hard_interval=belief_interval(draws.logprobs, draws.hard, seed, config),
    )


def hard_kernel(ids: np.ndarray, matches: Bools, pooled: Literal["max", "mean"]) -> Floats:
    """Return the kernel whose soft SePer is SePer_H: a match with any gold (released code), or with each (paper)."""
    return draws_that_match(ids, matches)[:, None] if pooled == "max" else matches[ids].astype(np.float64)


Drawn = tuple[Floats, Floats]


def belief_interval(
    logprobs: Floats, values: Floats, seed: int, config: SeperConfig, method: IntervalMethod = COVERING
) -> Interval:
    """Return the 95 % interval of SePer; "percentile" is that of earlier versions, which is too narrow."""
    answers, repeats = CHOICES[config.variant].answers, config.resamples
    make = seper_interval if method == "percentile" else covering_interval
    low, high = make(logprobs, values, seed, answers=answers, repeats=repeats)
    return Interval(low=low, high=high, method=method)


def change_interval(
    after: Drawn,
    before: Drawn,
    seed: int,
    config: SeperConfig,
    level: float = LEVEL,
    method: IntervalMethod = COVERING,
) -> Interval:
    """Return the interval of ΔSePer from each condition's log-probabilities and kernel; the method as above."""
    answers, repeats = CHOICES[config.variant].answers, config.resamples
    if method == "percentile":
        low, high = delta_interval(*after, *before, seed, answers=answers, repeats=repeats, level=level)
    else:
        low, high = covering_change(after, before, seed, answers=answers, repeats=repeats, level=level)
    return Interval(low=low, high=high, level=level, method=method)


def load(config: SeperConfig, plan: Plan) -> Load:
    """Return SePer's load: N samples with passages and N without, clustered in all ordered pairs.

    Each sample is matched with each correct answer in both directions: to match clusters, both variants need both.
    """
    n = config.samples or plan.profile.samples
    return Load(
        model_calls=2 * n,
        samples=2 * n,
        judge_pairs=2 * (n * (n - 1) + 2 * n * plan.golds),
        prompt_tokens=n * (plan.over_passages + plan.closed_book),
        new_tokens=2 * n * sample_tokens(plan.profile, config.variant),
    )


def belief_fits(belief: Belief) -> bool:
    """Return whether there is one weight, meaning and kernel row per sample, and meanings name only samples."""
    n = len(belief.samples)
    per_sample = len(belief.weights) == len(belief.ids) == n and len(belief.kernel) in (0, n)
    return per_sample and all(0 <= i < n for meaning in belief.meanings for i in meaning.members)


def fits(result: SeperResult) -> bool:
    """Return whether both beliefs fit together."""
    return belief_fits(result.without) and belief_fits(result.with_passages)


def sampling(samples: tuple[Generation, ...], **named: Any) -> SeperConfig | None:
    """Return SePer's settings with the number and temperature of these samples, None where there are none."""
    if not samples:
        return None
    return SeperConfig(samples=len(samples), temperature=samples[0].temperature, **named)


def sampling_of(result: SeperResult) -> SeperConfig | None:
    """Return how a result's samples were drawn and compared, None where it has none."""
    return sampling(result.with_passages.samples, variant=result.variant, resamples=result.resamples)


METHOD = Method(
    word="seper",
    title="SePer",
    question="How far did the passages move its belief towards the correct answer?",
    paper="SePer, section 3",
    icon="balance",
    config=SeperConfig,
    result=SeperResult,
    run=run,
    foresees=foreseen,
    needs=partial(by_samples, "seper"),
    load=load,
    fits=fits,
    sampling=sampling_of,
    headlines=lambda _result: (
        "delta_soft",
        "delta_soft_interval.low",
        "delta_soft_interval.high",
        "delta_hard",
        "with_passages.soft",
        "without.soft",
    ),
)
