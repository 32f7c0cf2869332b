"""What a run will cost, before the click: calls, samples, judged pairs, tokens, and seconds on this machine.

Each method counts its own load in closed form, "at most" where it may stop early (``engine.methods.cost``). Seconds
come from finished runs of the same model in the store: each method's seconds there, per unit of work estimated in the
same way for that run; loading the models comes on top once. Without such a run they come from a measurement of the
model's pace (``engine.runs.jobs.pace``), and without that there are no seconds.
"""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from engine.core.errors import RecordError
from engine.core.provenance import machine
from engine.core.records import Interval
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest, with_shared_settings
from engine.methods import METHODS
from engine.methods.cost import Load, Plan, tokens_of
from engine.methods.meaning import MEASURED
from engine.methods.profiles import PROFILES
from engine.runs.jobs.pace import Pace
from engine.runs.store import RunStore

RUNS_LISTED, RUNS_LOOKED_AT = 200, 20
ENOUGH_RUNS = 5
EARLY_SHARE, LATE_SHARE = 0.1, 0.5


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
    seconds: Interval | None
    basis: str

    def seconds_for(self, runs: int) -> Interval | None:
        """Return the seconds of so many such runs one after another, None where those of one are not known."""
        if self.seconds is None:
            return None
        return replace(self.seconds, low=self.seconds.low * runs, high=self.seconds.high * runs)


def estimate(request: DiagnosisRequest, store: RunStore, pace: Pace | None = None) -> Estimate:
    """Return what the request will cost.

    ``pace`` is what was measured of the model on this machine or its server; it counts as long as there is no finished
    run. Raises StorageError where the store cannot be read.
    """
    loads = loads_of(request)
    seconds, basis = expected_seconds(loads, past_paces(request.model, store))
    if seconds is None and pace is not None:
        measured = "this server" if pace.device == "server" else "this machine"
        seconds, basis = seconds_at(loads, pace), f"a rough guess from a two-second measurement of {measured}"
    return Estimate(
        model_calls=sum(load.model_calls for load in loads.values()),
        sampled_answers=sum(load.samples for load in loads.values()),
        judge_pairs=sum(load.judge_pairs for load in loads.values()),
        prompt_tokens=sum(load.prompt_tokens for load in loads.values()),
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
    request = with_shared_settings(request)
    plan = Plan(
        profile=profile,
        passages=k,
        passage_tokens=passage_tokens,
        question_tokens=tokens_of(request.question),
        methods=request.methods,
        golds=len(request.golds),
        quick=request.dense.reading == "quick" and request.dense.temperature == 0,
        pasted=bool(request.passages),
        searchable=bool(request.passages) or request.corpus is not None,
    )
    answers = Load(
        model_calls=2,
        judge_pairs=answers_read(request) * len(request.golds),
        prompt_tokens=plan.over_passages + plan.closed_book,
        new_tokens=2 * profile.answer_tokens,
    )
    known_methods = (word for word in request.methods if word in METHODS)
    return {"answer": answers, **{word: METHODS[word].load(getattr(request, word), plan) for word in known_methods}}


def answers_read(request: DiagnosisRequest) -> int:
    """Return how many answers the judge may read against each correct one where words call them wrong, at most."""
    if request.judge != MEASURED:
        return 0
    rounds = request.sugar.rounds if "sugar" in request.methods else 0
    return 2 + rounds + (request.dense_rag.most_contexts if "dense_rag" in request.methods else 0)


def past_paces(model: str, store: RunStore) -> list[dict[str, float]]:
    """Return, for the latest finished runs of a model on this machine, seconds per unit of work of each part.

    Only a model's first run of each question counts: later ones draw on the cache.
    """
    asked = [run for run in store.listing(limit=RUNS_LISTED) if run.origin == "asked" and run.model == model]
    first = {run.question: run.id for run in asked if run.state == "done"}
    found = (pace_of(store, run_id) for run_id in list(first.values())[:RUNS_LOOKED_AT])
    return [pace for pace in found if pace]


@lru_cache(maxsize=256)
def pace_of(store: RunStore, run_id: str) -> dict[str, float]:
    """Return a finished run's seconds per unit of work of each part; {} where it says nothing of this machine."""
    try:
        run = store.get(run_id)
    except RecordError:
        return {}
    if run.diagnosis is None or run.diagnosis.provenance.machine != machine():
        return {}
    return measured_paces(run.request, run.diagnosis)


def measured_paces(request: DiagnosisRequest, diagnosis: Diagnosis) -> dict[str, float]:
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
    totals = sorted(total_seconds(loads, pace) for pace in complete_paces(loads, past))
    number = f"{len(totals)} finished run{'s' if len(totals) > 1 else ''} on this machine"
    if len(totals) < ENOUGH_RUNS:
        middle = statistics.median(totals)
        return Interval(low=middle / 2, high=middle * 2, level=0.8, method="range"), f"a rough guess from {number}"
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
    return Interval(low=EARLY_SHARE * high, high=LATE_SHARE * high, level=0.8, method="range")


def total_seconds(loads: dict[str, Load], pace: dict[str, float]) -> float:
    """Return the seconds of all loads at one pace."""
    return sum(load.work * pace[part] for part, load in loads.items())


def complete_paces(loads: dict[str, Load], past: Iterable[dict[str, float]]) -> list[dict[str, float]]:
    """Return the paces with every part: one that a run did not have takes the median of the runs that had it.

    Where no run had it, it takes the median of the run's other parts.
    """
    runs = list(past)
    medians = {part: statistics.median(had) for part in loads if (had := [pace[part] for pace in runs if part in pace])}
    return [
        {part: pace.get(part, medians.get(part, statistics.median(pace.values()))) for part in loads} for pace in runs
    ]
