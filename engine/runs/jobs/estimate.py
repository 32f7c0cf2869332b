"""What a run will cost, before the click: calls, samples, judged pairs, tokens, and seconds on this machine.

Calls are counted in closed form from the methods' own loops (DENSE, algorithm 3; SePer, section 3; ETC, section 4):
"at most" where a method may stop early. Token counts of texts that are not tokenised yet are characters / 4. Seconds
come from finished runs of the same model in the store: each method's seconds there, per unit of work estimated in the
same way for that run; loading the models comes on top once. Without such a run they come from a measurement of the
model's pace (``engine.runs.jobs.pace``), and without that there are no seconds.
"""

import math
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.core.errors import RecordError
from engine.core.provenance import machine
from engine.core.records import Interval
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.methods.dense import DenseConfig
from engine.methods.profiles import PROFILES, Profile, step_by_step_prompt
from engine.methods.quco_prompts import claims_prompt
from engine.methods.timing import POLICIES
from engine.runs.jobs.pace import Pace
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
EARLY_SHARE, LATE_SHARE = 0.1, 0.5


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

    ``seconds`` is None, with the reason in ``basis``, where this machine has neither a finished run of the model nor a
    measurement of its pace. Otherwise ``basis`` says what it rests on. Answers the cache already holds cost nothing and
    are not counted out.
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


def estimate(
    request: DiagnosisRequest, passage_tokens: int | None, store: RunStore, pace: Pace | None = None
) -> Estimate:
    """Return what the request will cost. ``passage_tokens``: of all passages together, None where not known yet.

    ``pace`` is what was measured of the model on this machine; it counts as long as there is no finished run. Raises
    StorageError where the store cannot be read.
    """
    loads = loads_of(request, passage_tokens)
    seconds, basis = expected_seconds(loads, paces(request.model, store))
    if seconds is None and pace is not None:
        seconds, basis = seconds_at(loads, pace), "a rough guess from a two-second measurement of this machine"
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
    """Return DENSE's load: rewrites, an answer over each of d of them per chunk, at most k ablations.

    Rewritten is each chunk as a whole where the profile says so, and at most every sentence in each wording. Judged are
    the ordered pairs of the 1 + dk answers, and both directions of each ablation. Rewrites by hand cost no call and
    come once.

    With k = 1 passage of 25 tokens (one sentence), one draw and two sentence wordings: 2 + 1 + 1 calls, 2 + 2 pairs.
    """
    k, profile = sizes.passages, sizes.profile
    asked = k - len({index for index, _ in request.dense.rewrites if index < k})
    chunk = math.ceil(sizes.passage_tokens / k)
    sentences, wordings = math.ceil(chunk / SENTENCE_TOKENS), len(profile.sentence_rewrites)
    wording_tokens = sum(tokens_of(wording) for wording, _ in profile.sentence_rewrites)
    rewritten = math.ceil(profile.rewrite_growth * chunk)
    by_sentence = asked * sentences * wordings
    whole = asked if profile.rewrite_whole else 0
    answers = (k - asked) + asked * request.dense.draws
    return Load(
        model_calls=whole + by_sentence + answers + k,
        judge_pairs=answers * (answers + 1) + 2 * k,
        prompt_tokens=whole * (chunk + tokens_of(profile.rewrite))
        + asked * (sentences * wording_tokens + wordings * chunk)
        + answers * sizes.over_passages
        + k * (sizes.over_passages - chunk),
        new_tokens=rewritten * (whole + asked * wordings) + (answers + k) * profile.answer_tokens,
    )


def dense_rag_load(request: DiagnosisRequest, sizes: Sizes) -> Load:
    """Return DENSE-RAG's load, at most: DENSE over the first context and over each of the search, all as large as read.

    Each context costs its answer and one look at "yes" and "no" besides. Rewordings by hand do not count here.
    """
    contexts = 1 + request.dense_rag.most_contexts
    one = dense_load(replace(request, dense=DenseConfig()), sizes)
    return Load(
        model_calls=contexts * (one.model_calls + 2),
        judge_pairs=contexts * one.judge_pairs,
        prompt_tokens=contexts * (one.prompt_tokens + 2 * sizes.over_passages),
        new_tokens=contexts * (one.new_tokens + sizes.profile.answer_tokens),
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


def sugar_load(request: DiagnosisRequest, sizes: Sizes) -> Load:
    """Return SUGAR's load at most: N closed-book samples, an answer a round, N samples over all read after all but one.

    The closed-book samples are SePer's, and so are those of round one where it reads what the question was asked over.
    Without passages or a corpus nothing can be looked up.
    """
    n = request.seper.samples or sizes.profile.samples
    searched = bool(request.passages) or request.corpus is not None
    rounds, shared = request.sugar.rounds if searched else 0, "seper" in request.methods
    # Pasted passages may be found in another order than they were asked over.
    first_free = shared and request.sugar.passages is None and not request.passages
    new = sizes.passage_tokens * (request.sugar.passages or sizes.passages) // sizes.passages
    reading = [number * new + sizes.closed_book for number in range(1, rounds + 1)]
    answered, measured = reading[1 if first_free else 0 :], reading[1 if first_free else 0 : -1]
    closed = 0 if shared else n
    samples = closed + len(measured) * n
    return Load(
        model_calls=samples + len(answered),
        samples=samples,
        judge_pairs=max(1, rounds) * n * (n - 1),
        prompt_tokens=closed * sizes.closed_book + sum(answered) + n * sum(measured),
        new_tokens=(samples + len(answered)) * sizes.profile.answer_tokens,
    )


def uncertainty_load(request: DiagnosisRequest, sizes: Sizes) -> Load:
    """Return the baselines' load: DENSE's and SePer's answers, free where those run too; all pairs are judged again.

    DENSE's answers are judged in all ordered pairs twice: by DENSE, and for the probabilities.
    """
    n, k = request.seper.samples or sizes.profile.samples, sizes.passages
    dense, draws = dense_load(request, sizes), 0 if "seper" in request.methods else 2 * n
    again = "dense" not in request.methods
    return Load(
        model_calls=draws + again * dense.model_calls,
        samples=draws,
        judge_pairs=dense.judge_pairs + k * (k + 1) + 2 * n * (n - 1),
        prompt_tokens=draws * (sizes.over_passages + sizes.closed_book) // 2 + again * dense.prompt_tokens,
        new_tokens=draws * sizes.profile.answer_tokens + again * dense.new_tokens,
    )


def chunk_utility_load(request: DiagnosisRequest, sizes: Sizes) -> Load:
    """Return the load of single chunks: N samples without each, N over each alone; SePer's 2N are free where it runs.

    Of one chunk both comparisons are SePer's own. Each sample is held against each gold answer in both directions;
    without a gold answer nothing is drawn.
    """
    if not request.golds:
        return Load()
    n, k = request.seper.samples or sizes.profile.samples, sizes.passages
    tried = 2 * k if k > 1 else 0
    own, chunk = 0 if "seper" in request.methods else 2, math.ceil(sizes.passage_tokens / k)
    tried_tokens = k * (sizes.over_passages - chunk) + k * (chunk + sizes.closed_book) if tried else 0
    own_tokens = sizes.over_passages + sizes.closed_book if own else 0
    return Load(
        model_calls=n * (tried + own),
        samples=n * (tried + own),
        judge_pairs=(tried + 2) * 2 * n * len(request.golds),
        prompt_tokens=n * (tried_tokens + own_tokens),
        new_tokens=n * (tried + own) * sizes.profile.answer_tokens,
    )


def timing_load(request: DiagnosisRequest, sizes: Sizes) -> Load:
    """Return the load of retrieval timing, at most: the answer from memory, the gate's samples, and each policy's loop.

    A loop writes once, and after each lookup twice (over the passages, then without) or once. The answer is ETC's and
    the samples are SePer's without passages, both free where those run. The staircase samples before and after each
    lookup.
    """
    config, profile = request.timing, sizes.profile
    n, golds = profile.samples, len(request.golds)
    answer = Load() if {"entropy_trend", "quco_rag"} & set(request.methods) else entropy_trend_load(request, sizes)
    gate = 0 if "seper" in request.methods else n
    loops = [1 + rounds(word, config.most_retrievals) for word in config.policies if word != "never"]
    over = sizes.question_tokens + tokens_of(step_by_step_prompt("").text) + config.passages * profile.chunk_tokens
    stairs = (1 + len(loops) * config.most_retrievals) if config.staircase and golds else 0
    return Load(
        model_calls=answer.model_calls + gate + sum(loops) + stairs * n,
        samples=gate + stairs * n,
        judge_pairs=stairs * (n * (n - 1) + 2 * n * golds),
        prompt_tokens=answer.prompt_tokens
        + gate * sizes.closed_book
        + sum(loops) * over
        + stairs * n * (sizes.closed_book + config.passages * profile.chunk_tokens),
        new_tokens=answer.new_tokens
        + (gate + stairs * n) * profile.answer_tokens
        + sum(loops) * (config.most_tokens or profile.step_tokens),
    )


def rounds(word: str, lookups: int) -> int:
    """Return how many more continuations a policy's loop may write after its first.

    >>> rounds("once", 3), rounds("dragin", 3), rounds("every_sentence", 3)
    (1, 6, 3)
    """
    after = POLICIES[word].after if word in POLICIES else "sentence"
    return {"all": 1, "schedule": lookups, "checked on": lookups, "sentence": 2 * lookups}[after]


LOADS: dict[str, Callable[[DiagnosisRequest, Sizes], Load]] = {
    "dense": dense_load,
    "dense_rag": dense_rag_load,
    "seper": seper_load,
    "entropy_trend": entropy_trend_load,
    "quco_rag": quco_load,
    "sugar": sugar_load,
    "uncertainty": uncertainty_load,
    "chunk_utility": chunk_utility_load,
    "timing": timing_load,
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


def seconds_at(loads: dict[str, Load], pace: Pace) -> Interval:
    """Return the seconds of the loads at a measured pace; high is what they take where nothing ends early.

    Prompts that share a beginning, answers that end after a few words and judgements made once take most of that away,
    how much is not known beforehand: between a tenth and a half of it is a guess. (The first run of one sample question
    took 41 s where this said 10 to 48 s.)
    """
    prompts = sum(load.prompt_tokens for load in loads.values()) / pace.prompt_tokens
    high = prompts + sum(load.new_tokens for load in loads.values()) / pace.new_tokens
    return Interval(low=EARLY_SHARE * high, high=LATE_SHARE * high, level=0.8)


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
