"""How far a run is and how long it still takes: what each part is expected to cost, held against what it took so far.

Parts are what comes before the methods (models, passages, both answers, what is written ahead), then each method in the
order of the request. Their seconds come from finished runs of the same model on this machine, else from its measured
pace (``engine.runs.jobs.estimate``). Parts behind the run say how far off these are; what lies ahead is scaled by that.
"""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from engine.core.errors import RecordError
from engine.diagnosis.request import DiagnosisRequest
from engine.methods import METHODS
from engine.runs.jobs.desk import JobStatus
from engine.runs.jobs.estimate import EARLY_SHARE, LATE_SHARE, complete_paces, loads_of, past_paces, seconds_at
from engine.runs.jobs.pace import Pace
from engine.runs.store import RunStore

BEFORE = "before"
SLOWEST, FASTEST = 4.0, 0.25
# A part that takes longer than expected still has this share of it to go.
LEAST_LEFT = 0.1
# A part that takes this many times what was expected shows that the expectation does not hold here.
REFUTED = 2.0
RUNS_LOOKED_AT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Remaining:
    """How far a run is, in [0, 1], and the seconds it still takes; None where nothing tells, or what told was wrong."""

    share: float
    seconds: float | None


def expected_parts(request: DiagnosisRequest, store: RunStore, pace: Pace | None) -> dict[str, float]:
    """Return the seconds each part of a run will take, in the order of work; {} where nothing tells them.

    Raises StorageError where the store cannot be read.
    """
    loads = loads_of(request)
    methods = [word for word in request.methods if word in loads]
    past = past_paces(request.model, store)
    if past:
        paces = complete_paces(loads, past)
        found = {word: loads[word].work * statistics.median(one[word] for one in paces) for word in methods}
        return {BEFORE: seconds_before(request.model, store), **found}
    if pace is None:
        return {}
    usual = (EARLY_SHARE + LATE_SHARE) / 2
    seconds = {word: usual * seconds_at({word: loads[word]}, pace).high / LATE_SHARE for word in ("answer", *methods)}
    return {BEFORE: seconds.pop("answer"), **seconds}


def seconds_before(model: str, store: RunStore) -> float:
    """Return the median of what the latest runs of a model took before their first method; 0 without such a run."""
    found: list[float] = []
    for run in store.listing(limit=50):
        if run.state != "done" or run.origin != "asked" or len(found) >= RUNS_LOOKED_AT:
            continue
        try:
            whole = store.get(run.id)
        except RecordError:
            continue
        if whole.diagnosis is not None and whole.request.model == model:
            methods = sum(outcome.seconds for outcome in whole.diagnosis.outcomes)
            found.append(max(0.0, whole.diagnosis.seconds - methods))
    return statistics.median(found) if found else 0.0


def remaining(status: JobStatus, expected: Mapping[str, float]) -> Remaining:
    """Return how far a run is by what its parts were expected to take, in seconds.

    >>> expected = {"before": 10.0, "dense": 30.0}
    >>> remaining(JobStatus(run_id="a", state="running", method="answer", seconds=4.0), expected)
    Remaining(share=0.1, seconds=36.0)
    """
    if not expected:
        return Remaining(share=0.0, seconds=None)
    spent = seconds_spent(status, expected)
    at = list(spent)[-1]
    order = list(expected)
    behind, ahead = order[: order.index(at)], order[order.index(at) + 1 :]
    done = [part for part in behind if part in spent]
    scale = scale_of(sum(spent[part] for part in done), sum(expected[part] for part in done))
    here = scale * expected[at]
    left = max(here - spent[at], LEAST_LEFT * here) + scale * sum(expected[part] for part in ahead)
    whole = status.seconds + left
    known = left if spent[at] <= REFUTED * here else None
    return Remaining(share=status.seconds / whole if whole else 1.0, seconds=known)


def seconds_spent(status: JobStatus, expected: Mapping[str, float]) -> dict[str, float]:
    """Return the seconds spent on each part begun, the one in hand last.

    Work that bears no method's name, such as opening a model in between, belongs to the part it came in.
    """
    spent, at = {BEFORE: 0.0}, BEFORE
    told = [(stage.method, stage.seconds) for stage in status.stages]
    in_hand = (status.method, status.seconds - sum(seconds for _, seconds in told))
    for name, seconds in (*told, in_hand):
        at = name if name in METHODS and name in expected else at
        spent[at] = spent.pop(at, 0.0) + max(0.0, seconds)
    return spent


def scale_of(took: float, expected: float) -> float:
    """Return how much slower a run is than expected, within bounds; 1 where too little lies behind it to tell.

    >>> scale_of(20.0, 10.0), scale_of(0.2, 0.1), scale_of(90.0, 2.0)
    (2.0, 1.0, 4.0)
    """
    return min(SLOWEST, max(FASTEST, took / expected)) if expected >= 1.0 else 1.0
