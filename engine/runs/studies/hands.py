"""How many hands work on a study: one desk, questions side by side in one program, or workers of Ray."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.core.errors import InputError
from engine.runs.jobs.desk import JobDesk, Run
from engine.runs.run import run_request
from engine.runs.store import RunStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Hands:
    """``together`` questions side by side in this program, or ``workers`` of Ray at the address ``ray``.

    Without an address a Ray is begun on this machine where there is more than one worker.
    """

    together: int = 1
    workers: int = 1
    ray: str = ""


def runs_of(hands: Hands, corpus: str) -> list[Run]:
    """Return one way to run a question for each hand; ``corpus`` is the hash that a corpus must have on a worker.

    Raises InputError where both kinds are asked for, or Ray is not there.
    """
    by_ray = hands.workers > 1 or bool(hands.ray)
    if by_ray and hands.together > 1:
        raise InputError("Ask questions side by side (--together) or over workers (--workers), not both.")
    if by_ray:
        from engine.runs.studies.ray_workers import RayWorker, begin_ray

        begin_ray(hands.workers, hands.ray)
        return [RayWorker(corpus=corpus).run for _ in range(hands.workers)]
    if hands.together > 1:
        from engine.runs.studies.together import Together

        return [Together(hands.together).run] * hands.together
    return [run_request]


def open_desks(hands: Hands, store: RunStore, corpus: str) -> tuple[JobDesk, ...]:
    """Return a desk for each hand, all over one store of runs. Raises InputError as ``runs_of`` does."""
    return tuple(JobDesk(store, run) for run in runs_of(hands, corpus))


def close_desks(desks: Sequence[JobDesk], wait_seconds: float = 10.0) -> None:
    """Close the desks; what runs stops at its next report."""
    for desk in desks:
        desk.closing.set()
    for desk in desks:
        desk.shutdown(wait_seconds)
