"""What each chunk does to belief in the correct answer: with and without it among the others, and alone.

ΔSePer (SePer, eq. 11) applied to single chunks: SePer over all chunks minus SePer over all but this one, and SePer over
this one alone minus SePer closed-book. Both from sampled answers with seeds of their own; over all chunks and closed-
book they are SePer's very draws. Soft SePer only. Each difference has a band, so wide that all bands of a question hold
together; the verdict rests on them (``engine.measures.chunk_utility``) and may be "cannot tell". As in SePer's verdict,
soft SePer is believed only where the samples' meanings go with it (``agreed``).
"""

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal

from pydantic import Field

from engine.backends.entailment.base import ENTAILMENT
from engine.backends.entailment.matrix import judge_against
from engine.core.errors import NotMeasured
from engine.core.progress import Stage
from engine.core.records import Generation, Interval, Judgement, Passage
from engine.core.seeds import derive_seed
from engine.core.settings import check_settings
from engine.measures.checks import Floats
from engine.measures.chunk_utility import Effect, Utility, effect, shared_level, utility
from engine.measures.semantic_perplexity import delta_seper, effective_samples, kernel, sample_weights, seper_soft
from engine.methods.base import Backends, Case, on_behalf_of
from engine.methods.cost import Load, Plan
from engine.methods.descriptor import Method
from engine.methods.profiles import sample_tokens
from engine.methods.reach import by_samples
from engine.methods.sample_logprobs import sample_logprobs
from engine.methods.seper import CHOICES, belief_interval, change_interval, goes_against, sample_answers, sampling
from engine.methods.seper_records import Repeats, SeperConfig

# Of entailment: from here on a sample counts as saying a correct answer.
LEAST_MATCH = 0.5

CLEAR: frozenset[Effect] = frozenset({"up", "down"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkUtilityConfig:
    """How the bands are made. ``margin``: a change of SePer below it is not worth speaking of.

    ``seper`` is how the samples are drawn and compared; ``diagnose`` puts SePer's own settings here.
    """

    margin: Annotated[float, Field(gt=0)] = 0.1
    level: Annotated[float, Field(gt=0, lt=1)] = 0.95
    resamples: Repeats = 4000
    seper: SeperConfig = SeperConfig()


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledBelief:
    """The samples over some chunks: weights (sum 1), entailment [samples][golds] in [0, 1], soft SePer with its band.

    ``interval`` is at 95%. Higher ``soft`` = more belief in the correct answer. ``effective`` is the effective sample
    size in [1, samples], None in records of earlier versions.
    """

    samples: tuple[Generation, ...]
    weights: tuple[float, ...]
    kernel: tuple[tuple[float, ...], ...]
    soft: float
    interval: Interval
    effective: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkChange:
    """What having a chunk does: ΔSePer in [-1, 1], positive = towards the correct answer, its band and its word."""

    belief: SampledBelief
    delta: float
    interval: Interval
    effect: Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkUse:
    """One chunk. ``left_out`` compares all chunks with all others but this one; ``alone`` this one with none.

    ``left_out.belief`` is the belief without the chunk, ``alone.belief`` that over the chunk alone. ``index`` from 0.
    """

    index: int
    passage: Passage
    left_out: ChunkChange
    alone: ChunkChange
    verdict: Utility


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkUtilityResult:
    """Belief without and with all chunks, and what each chunk does to it. Bands hold together at ``level``.

    ``resamples`` repeats of the bootstrap made each band. The intervals of the beliefs without and with all chunks are
    SePer's: ``belief_resamples`` repeats with its seed. None in records of earlier versions, which drew them anew.
    """

    method: Literal["chunk_utility"] = "chunk_utility"
    variant: Literal["paper", "code"]
    golds: tuple[str, ...]
    without: SampledBelief
    with_passages: SampledBelief
    chunks: tuple[ChunkUse, ...]
    judgements: tuple[Judgement, ...]
    margin: float
    level: float
    not_measured: str = ""
    resamples: Repeats = 2000
    belief_resamples: Repeats | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """One set of samples as the measures take them, beside its record and what was judged."""

    logprobs: Floats
    soft: Floats
    belief: SampledBelief
    judgements: tuple[Judgement, ...]


def run(case: Case, config: ChunkUtilityConfig, backends: Backends) -> ChunkUtilityResult:
    """Return what each chunk does to belief in the correct answer.

    Raises NotMeasured without passages and without a correct answer, InputError on settings that cannot be used.
    """
    if not case.passages:
        raise NotMeasured("The utility of a passage is measured over retrieved ones, and there are none.")
    if not case.golds:
        raise NotMeasured("The utility of a passage needs a correct answer: it is a change of belief in that answer.")
    check_settings(config, "Passage utility")
    backends = on_behalf_of("chunk_utility", backends)
    without = sample_belief(case, (), "without", config, backends)
    everything = sample_belief(case, case.passages, "with", config, backends)
    chunks: list[ChunkUse] = []
    judgements = [*without.judgements, *everything.judgements]
    for index in range(len(case.passages)):
        total = len(case.passages)
        backends.report(Stage(method="chunk_utility", name="trying each passage", done=index, total=total))
        use, judged = chunk_use(index, case, without, everything, config, backends)
        chunks.append(use)
        judgements += judged
    return ChunkUtilityResult(
        variant=config.seper.variant,
        golds=case.golds,
        without=without.belief,
        with_passages=everything.belief,
        chunks=tuple(chunks),
        judgements=tuple(dict.fromkeys(judgements)),
        margin=config.margin,
        level=config.level,
        resamples=config.resamples,
        belief_resamples=config.seper.resamples,
    )


def chunk_use(
    index: int, case: Case, without: Draws, everything: Draws, config: ChunkUtilityConfig, backends: Backends
) -> tuple[ChunkUse, tuple[Judgement, ...]]:
    """Return one chunk's two differences and its verdict, and what was judged.

    Of a single chunk both are one comparison, so its draws are not made twice.
    """
    only_one = len(case.passages) == 1
    chunk, others = case.passages[index : index + 1], case.passages[:index] + case.passages[index + 1 :]
    number = index + 1
    rest = (
        without
        if only_one
        else sample_belief(
            case, others, f"without chunk {number} of the", config, backends, f"without passage {number}"
        )
    )
    alone = (
        everything
        if only_one
        else sample_belief(case, chunk, f"over chunk {number} of the", config, backends, f"over passage {number} alone")
    )
    bands = 2 * len(case.passages)
    left_out = chunk_change(everything, rest, rest, f"left out {index}", bands, case.seed, config)
    by_itself = chunk_change(alone, without, alone, f"alone {index}", bands, case.seed, config)
    use = ChunkUse(
        index=index,
        passage=case.passages[index],
        left_out=left_out,
        alone=by_itself,
        verdict=utility(left_out.effect, by_itself.effect),
    )
    return use, (*rest.judgements, *alone.judgements)


def sample_belief(
    case: Case,
    passages: tuple[Passage, ...],
    condition: str,
    config: ChunkUtilityConfig,
    backends: Backends,
    told: str = "",
) -> Draws:
    """Return N samples over these chunks, compared with the correct answers; SePer's soft kernel in its variant.

    The seeds come from ``condition``, whose words stay as they are; the progress line says ``told``.
    """
    samples = sample_answers(case, passages, condition, config.seper, backends, told=told)
    texts = [sample.text.strip() for sample in samples]
    forward, backward, judgements = judge_against(backends.judge, case.question, texts, case.golds, backends.report)
    choice = CHOICES[config.seper.variant]
    logprobs = sample_logprobs(samples, resampled=True)
    soft = kernel(forward[..., ENTAILMENT], backward[..., ENTAILMENT], direction=choice.direction)
    weights = sample_weights(logprobs)
    # SePer's very draws have SePer's interval: the same samples say the same on both pages.
    own = condition not in ("without", "with")
    labels = ("chunk_utility", "interval", condition) if own else ("seper", "interval")
    sampled = SampledBelief(
        samples=samples,
        weights=tuple(float(weight) for weight in weights),
        kernel=tuple(tuple(float(value) for value in row) for row in soft),
        soft=seper_soft(weights, soft, answers=choice.answers),
        interval=belief_interval(
            logprobs, soft, derive_seed(case.seed, *labels), intervals_of(config) if own else config.seper
        ),
        effective=effective_samples(weights),
    )
    return Draws(logprobs=logprobs, soft=soft, belief=sampled, judgements=judgements)


def intervals_of(config: ChunkUtilityConfig) -> SeperConfig:
    """Return SePer's settings with as many repeats as a band has."""
    return replace(config.seper, resamples=config.resamples)


def chunk_change(
    after: Draws, before: Draws, tried: Draws, name: str, bands: int, seed: int, config: ChunkUtilityConfig
) -> ChunkChange:
    """Return ΔSePer from ``before`` to ``after`` with its band; ``tried`` is the condition that was drawn for it."""
    level = shared_level(bands, config.level)
    drawn = [(draws.logprobs, draws.soft) for draws in (after, before)]
    seed = derive_seed(seed, "chunk_utility", "delta", name)
    band = change_interval(drawn[0], drawn[1], seed, intervals_of(config), level)
    delta = delta_seper(after.belief.soft, before.belief.soft)
    return ChunkChange(
        belief=tried.belief,
        delta=delta,
        interval=band,
        effect=effect(delta, band.low, band.high, config.margin),
    )


def agreed(result: ChunkUtilityResult) -> ChunkUtilityResult:
    """Return the result with the effects that hard SePer contradicts as "unclear", and the verdicts that follow.

    Soft SePer may rise where one wrong answer is exchanged for another that lies nearer to the correct one.
    """
    before, everything = hard_belief(result.without, result.variant), hard_belief(result.with_passages, result.variant)
    chunks = []
    for use in result.chunks:
        left_out = agreed_change(use.left_out, everything - hard_belief(use.left_out.belief, result.variant))
        alone = agreed_change(use.alone, hard_belief(use.alone.belief, result.variant) - before)
        verdict = utility(left_out.effect, alone.effect)
        chunks.append(replace(use, left_out=left_out, alone=alone, verdict=verdict))
    return replace(result, chunks=tuple(chunks))


def agreed_change(change: ChunkChange, hard: float) -> ChunkChange:
    """Return a change, its effect "unclear" where ``hard``, ΔSePer by meanings, does not go the same way."""
    moved = change.effect in ("up", "down") and goes_against(change.effect, hard)
    return replace(change, effect="unclear") if moved else change


def hard_belief(belief: SampledBelief, variant: Literal["paper", "code"]) -> float:
    """Return hard SePer in [0, 1]: the weight of the samples that say a correct answer, as far as entailment tells."""
    matches = [[value >= LEAST_MATCH for value in row] for row in belief.kernel]
    shares = [float(any(row)) if CHOICES[variant].answers == "max" else sum(row) / len(row) for row in matches]
    return sum(weight * share for weight, share in zip(belief.weights, shares, strict=True))


def load(config: ChunkUtilityConfig, plan: Plan) -> Load:
    """Return the load of single chunks: N samples without each, N over each alone; SePer's 2N are free where it runs.

    Of one chunk both comparisons are SePer's own. Each sample is compared with each correct answer in both directions;
    without a correct answer nothing is drawn.
    """
    if not plan.golds:
        return Load()
    n, k = config.seper.samples or plan.profile.samples, plan.passages
    tried = 2 * k if k > 1 else 0
    own, chunk = 0 if "seper" in plan.methods else 2, math.ceil(plan.passage_tokens / k)
    tried_tokens = k * (plan.over_passages - chunk) + k * (chunk + plan.closed_book) if tried else 0
    own_tokens = plan.over_passages + plan.closed_book if own else 0
    return Load(
        model_calls=n * (tried + own),
        samples=n * (tried + own),
        judge_pairs=(tried + 2) * 2 * n * plan.golds,
        prompt_tokens=n * (tried_tokens + own_tokens),
        new_tokens=n * (tried + own) * sample_tokens(plan.profile, config.seper.variant),
    )


def fits(result: ChunkUtilityResult) -> bool:
    """Return whether every sampled belief has one weight and one kernel row per sample."""
    tried = [change.belief for one in result.chunks for change in (one.left_out, one.alone)]
    beliefs = (result.without, result.with_passages, *tried)
    return all(len(one.samples) == len(one.weights) == len(one.kernel) for one in beliefs)


def settings_of(result: ChunkUtilityResult) -> ChunkUtilityConfig:
    """Return the settings that a result names; SePer's settings inside are left alone."""
    return ChunkUtilityConfig(margin=result.margin, level=result.level, resamples=result.resamples)


def sampling_of(result: ChunkUtilityResult) -> SeperConfig | None:
    """Return how the samples over all passages were drawn and compared."""
    return sampling(result.with_passages.samples, variant=result.variant)


def headlines(result: ChunkUtilityResult) -> tuple[str, ...]:
    """Return the four most telling changes of chunks, in the chunks' order, and belief over all.

    A clear effect comes before a large change. Where only the chunk alone has one, its change alone is told: the
    verdict rests on it.
    """
    told = [(place, *telling_change(one)) for place, one in enumerate(result.chunks)]
    order = sorted(told, key=lambda one: (one[2].effect not in CLEAR, -abs(one[2].delta)))
    return (*(f"chunks.{place}.{name}.delta" for place, name, _ in sorted(order[:4])), "with_passages.soft")


def telling_change(use: ChunkUse) -> tuple[Literal["left_out", "alone"], ChunkChange]:
    """Return the change that a chunk's verdict rests on: among the others, or alone where only that is clear."""
    if use.alone.effect in CLEAR and use.left_out.effect not in CLEAR:
        return "alone", use.alone
    return "left_out", use.left_out


METHOD = Method(
    word="chunk_utility",
    title="Utility of single passages",
    question="Which passage moves belief towards the correct answer, which does nothing, which misleads?",
    paper="SePer, section 3, passage by passage",
    icon="format_list_numbered",
    config=ChunkUtilityConfig,
    result=ChunkUtilityResult,
    run=run,
    needs=partial(by_samples, "chunk_utility"),
    load=load,
    fits=fits,
    settings=settings_of,
    sampling=sampling_of,
    headlines=headlines,
)
