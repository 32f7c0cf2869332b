"""What a run will cost, before the click: calls, samples, judged pairs, tokens, and seconds on this machine.

Calls are counted in closed form from the methods' own loops (DENSE, algorithm 3; SePer, section 3; ETC, section 4):
"at most" where a method may stop early. Token counts of texts that are not tokenised yet are characters / 4. Seconds
come from finished runs of the same model in the store: each method's seconds there, per unit of work estimated in the
same way for that run; loading the models comes on top once. Without such a run there are no seconds.
"""

import math
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.diagnosis import Diagnosis, DiagnosisRequest
from engine.errors import RecordError
from engine.methods.quco_prompts import claims_prompt
from engine.profiles import PROFILES, Profile, step_by_step_prompt
from engine.provenance import machine
from engine.records import Interval
from engine.runs.store import RunStore

CHARACTERS_PER_TOKEN = 4
TEMPLATE_TOKENS = 40
SENTENCE_TOKENS = 25
EXTRACTED_TOKENS = 60
# A new token costs a pass of its own (about 50 ms alone, less in a batch), a prompt token shares one: design choice.
NEW_TOKEN_WORK = 40
METHOD_WORK = 200
RUNS_LOOKED_AT = 20
ENOUGH_RUNS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What one part of a run asks of the models: counts, at most."""

    model_calls: int = 0
    samples: int = 0
    judge_pairs: int = 0
    prompt_tokens: int = 0
    new_tokens: int = 0

    @property
    def work(self) -> float:
        """The load as one number in prompt-token units, for comparing runs; higher = longer."""
        return METHOD_WORK + self.prompt_tokens + NEW_TOKEN_WORK * self.new_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The cost of a run before it starts. All counts are at most; ``sampled_answers`` are among ``model_calls``.

    ``seconds`` is None, with the reason in ``basis``, where this machine has no finished run of the model. Otherwise
    ``basis`` says how many runs it rests on. Answers the cache already holds cost nothing and are not counted out.
    """

    model_calls: int
    sampled_answers: int
    judge_pairs: int
    prompt_tokens: int
    new_tokens_at_most: int
    seconds: Interval | None
    basis: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """What the counts depend on: the profile, k passages and their tokens in all, the question's tokens."""

    profile: Profile
    passages: int
    passage_tokens: int
    question_tokens: int

    @property
    def over_passages(self) -> int:
        """Tokens of a prompt with all passages and the question."""
        return self.passage_tokens + self.closed_book

    @property
    def closed_book(self) -> int:
        """Tokens of a prompt with the question alone."""
        return self.question_tokens + TEMPLATE_TOKENS


def estimate(request: DiagnosisRequest, passage_tokens: int | None, store: RunStore) -> Estimate:
    """Return what the request will cost. ``passage_tokens``: of all passages together, None where not known yet.

    Raises StorageError where the store cannot be read.
    """
    loads = loads_of(request, passage_tokens)
    seconds, basis = expected_seconds(loads, paces(request.model, store))
    return Estimate(
        model_calls=sum(load.model_calls for load in loads.values()),
        sampled_answers=sum(load.samples for load in loads.values()),
        judge_pairs=sum(load.judge_pairs for load in loads.values()),
        prompt_tokens=sum(load.prompt_tokens for load in loads.values()),
        new_tokens_at_most=sum(load.new_tokens for load in loads.values()),
        seconds=seconds,
        basis=basis,
    )


def loads_of(request: DiagnosisRequest, passage_tokens: int | None = None) -> dict[str, Load]:
    """Return the load of each part of a run: "answer" (with and without passages), then each method asked for."""
    profile = PROFILES[request.profile]
    k = len(request.passages) or request.k or profile.passages
    if passage_tokens is None:
        known = sum(tokens_of(passage.text) for passage in request.passages)
        passage_tokens = known or k * profile.chunk_tokens
    sizes = Sizes(
        profile=profile, passages=k, passage_tokens=passage_tokens, question_tokens=tokens_of(request.question)
    )
    answers = Load(
        model_calls=2,
        prompt_tokens=sizes.over_passages + sizes.closed_book,
        new_tokens=2 * profile.answer_tokens,
    )
    return {"answer": answers, **{name: LOADS[name](request, sizes) for name in request.methods if name in LOADS}}


def dense_load(request: DiagnosisRequest, sizes: Sizes) -> Load:
    """Return DENSE's load: k rewrites whole, at most all again by sentence, k answers, at most k ablations.

    Judged are k(k+1) ordered pairs of the k+1 answers, and both directions of each ablation. Rewrites by hand cost no
    call.

    With k = 1 passage of 25 tokens (one sentence) and two sentence wordings: 1 + 2 + 1 + 1 calls, 2 + 2 pairs.
    """
    k, profile = sizes.passages, sizes.profile
    asked = k - len({index for index, _ in request.dense.rewrites if index < k})
    chunk = math.ceil(sizes.passage_tokens / k)
    sentences, wordings = math.ceil(chunk / SENTENCE_TOKENS), len(profile.sentence_rewrites)
    wording_tokens = sum(tokens_of(wording) for wording, _ in profile.sentence_rewrites)
    rewritten = math.ceil(profile.rewrite_growth * chunk)
    by_sentence = asked * sentences * wordings
    return Load(
        model_calls=asked + by_sentence + 2 * k,
        judge_pairs=k * (k + 1) + 2 * k,
        prompt_tokens=asked * (chunk + tokens_of(profile.rewrite) + sentences * wording_tokens + wordings * chunk)
        + k * sizes.over_passages
        + k * (sizes.over_passages - chunk),
        new_tokens=asked * rewritten * (1 + wordings) + 2 * k * profile.answer_tokens,
    )


def seper_load(request: DiagnosisRequest, sizes: Sizes) -> Load:
    """Return SePer's load: N samples with passages and N without, clustered in all ordered pairs.

    Each sample is matched with each gold answer in both directions: the match of clusters needs both in either variant.
    """
    n = request.seper.samples or sizes.profile.samples
    return Load(
        model_calls=2 * n,
        samples=2 * n,
        judge_pairs=2 * (n * (n - 1) + 2 * n * len(request.golds)),
        prompt_tokens=n * (sizes.over_passages + sizes.closed_book),
        new_tokens=2 * n * sizes.profile.answer_tokens,
    )


def entropy_trend_load(_request: DiagnosisRequest, sizes: Sizes) -> Load:
    """Return ETC's load: one step-by-step answer without passages, read once more for its attentions."""
    return Load(
        model_calls=1,
        prompt_tokens=tokens_of(step_by_step_prompt("").text) + sizes.question_tokens,
        new_tokens=sizes.profile.step_tokens,
    )


def quco_load(request: DiagnosisRequest, sizes: Sizes) -> Load:
    """Return QuCo-RAG's load: ETC's step-by-step answer, free where ETC runs too; counting asks no model.

    The whole loop writes at most ``most_generations`` answers, the first of them the one from memory where nothing is
    looked up before it, each over the passages of one query. A named extractor reads every sentence that is checked.
    """
    memory = Load() if "entropy_trend" in request.methods else entropy_trend_load(request, sizes)
    config, alone = request.quco_rag, entropy_trend_load(request, sizes)
    written = config.most_generations if config.dynamic else 0
    over_passages = config.passages_per_query * math.ceil(sizes.passage_tokens / max(sizes.passages, 1))
    sentences = math.ceil(sizes.profile.step_tokens / SENTENCE_TOKENS) * (1 + written) if config.extractor else 0
    return Load(
        model_calls=memory.model_calls + written + sentences,
        prompt_tokens=memory.prompt_tokens
        + written * (alone.prompt_tokens + over_passages)
        + sentences * (tokens_of(claims_prompt("").text) + SENTENCE_TOKENS),
        new_tokens=memory.new_tokens + written * alone.new_tokens + sentences * EXTRACTED_TOKENS,
    )


LOADS: dict[str, Callable[[DiagnosisRequest, Sizes], Load]] = {
    "dense": dense_load,
    "seper": seper_load,
    "entropy_trend": entropy_trend_load,
    "quco_rag": quco_load,
}


def tokens_of(text: str) -> int:
    """Return about how many tokens a text has: its characters / 4, rounded up.

    >>> tokens_of("Who rebuilt it?")
    4
    """
    return math.ceil(len(text) / CHARACTERS_PER_TOKEN)


def paces(model: str, store: RunStore) -> list[dict[str, float]]:
    """Return, for the latest finished runs of a model on this machine, seconds per unit of work of each part.

    Only the first run of each question counts: later ones draw on the cache.
    """
    done = [run for run in store.listing(limit=200) if run.state == "done" and run.origin == "asked"]
    first = {run.question: run.id for run in done}
    found = (pace_of(store, run_id) for run_id in list(first.values())[:RUNS_LOOKED_AT])
    return [pace for used, pace in found if used == model and pace]


@lru_cache(maxsize=256)
def pace_of(store: RunStore, run_id: str) -> tuple[str, dict[str, float]]:
    """Return a finished run's model, and seconds per unit of work of each part; {} where it says nothing of here."""
    try:
        run = store.get(run_id)
    except RecordError:
        return "", {}
    if run.diagnosis is None or run.diagnosis.provenance.machine != machine():
        return run.request.model, {}
    return run.request.model, measured(run.request, run.diagnosis)


def measured(request: DiagnosisRequest, diagnosis: Diagnosis) -> dict[str, float]:
    """Return seconds per unit of work of the methods that ran to their end.

    Where there is none, the two answers are all there is; beside methods their time is left out, for the first run of
    a program loads the models in it.
    """
    seen = replace(request, passages=tuple(hit.passage for hit in diagnosis.hits))
    loads = loads_of(seen)
    seconds = {outcome.method: outcome.seconds for outcome in diagnosis.outcomes if outcome.status == "done"}
    if not diagnosis.outcomes:
        seconds["answer"] = diagnosis.seconds
    return {part: seconds[part] / loads[part].work for part in loads if part in seconds}


def expected_seconds(loads: dict[str, Load], past: list[dict[str, float]]) -> tuple[Interval | None, str]:
    """Return the seconds the loads will take, from past paces, and what that rests on.

    Five runs or more give the middle 80 % of what they say; fewer give half to double their median.
    """
    if not past:
        return None, "no run on this machine yet"
    totals = sorted(total_seconds(loads, pace) for pace in filled(loads, past))
    number = f"{len(totals)} finished run{'s' if len(totals) > 1 else ''} on this machine"
    if len(totals) < ENOUGH_RUNS:
        middle = statistics.median(totals)
        return Interval(low=middle / 2, high=middle * 2, level=0.8), f"a rough guess from {number}"
    tenths = statistics.quantiles(totals, n=10, method="inclusive")
    return Interval(low=tenths[0], high=tenths[-1], level=0.8), f"from {number}"


def total_seconds(loads: dict[str, Load], pace: dict[str, float]) -> float:
    """Return the seconds of all loads at one pace."""
    return sum(load.work * pace[part] for part, load in loads.items())


def filled(loads: dict[str, Load], past: Iterable[dict[str, float]]) -> list[dict[str, float]]:
    """Return the paces with every part: one that a run did not have takes the median of the runs that had it.

    Where no run had it, it takes the median of the run's other parts.
    """
    runs = list(past)
    medians = {part: statistics.median(had) for part in loads if (had := [pace[part] for pace in runs if part in pace])}
    return [
        {part: pace.get(part, medians.get(part, statistics.median(pace.values()))) for part in loads} for pace in runs
    ]
