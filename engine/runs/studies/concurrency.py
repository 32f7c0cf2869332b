"""How many questions of a study are asked at once, and by whom: one desk, one program, processes, workers of Ray."""

import atexit
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from engine.backends.devices import place_or_cpu
from engine.backends.language_models import EMBEDDED_NAMES
from engine.core.errors import InputError
from engine.runs.jobs.desk import JobDesk, Run
from engine.runs.jobs.turns import TURNS, Turns
from engine.runs.run import run_request
from engine.runs.store import RunStore
from engine.runs.studies.processes import ProcessWorker, usual_processes
from engine.runs.studies.together import Together

MOST_TOGETHER = 16
USUAL_TOGETHER = 8
LOCAL_RAY = "local"
# How far processes beside a page give way to it: it draws while they compute.
BESIDE_A_PAGE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Concurrency:
    """``together`` questions side by side in this program, or ``workers``: processes here, or workers of Ray.

    ``ray`` is the address of a Ray, LOCAL_RAY begins one on this machine, "" = no Ray.
    """

    together: int = 1
    workers: int = 1
    ray: str = ""

    @property
    def number(self) -> int:
        """How many questions are asked at once."""
        return max(self.together, self.workers)


ONE_AT_A_TIME = Concurrency()


def check_concurrency(wanted: Concurrency) -> None:
    """Raise InputError where questions are to be asked both side by side and over workers."""
    if (wanted.workers > 1 or wanted.ray) and wanted.together > 1:
        raise InputError("Ask questions side by side (--together) or over workers (--workers), not both.")


@contextmanager
def opened_desks(
    wanted: Concurrency, store: RunStore, corpus: str, *, turns: Turns | None = None, wait_seconds: float = 10.0
) -> Iterator[tuple[JobDesk, ...]]:
    """Yield a desk for each question asked at once, all over one store of runs; all end with the block.

    ``corpus`` is the hash that a corpus must have on a worker of Ray. ``turns`` is the line of a program that others
    ask too: its own questions go first. Raises InputError where both kinds are asked for, or Ray is not there.
    """
    processes: list[ProcessWorker] = []
    check_concurrency(wanted)
    if wanted.ray:
        from engine.runs.studies.ray_workers import RayWorker, begin_ray

        begin_ray(wanted.workers, "" if wanted.ray == LOCAL_RAY else wanted.ray)
        runs: list[Run] = [RayWorker(corpus=corpus).run for _ in range(wanted.workers)]
    elif wanted.workers > 1:
        processes = made_processes(wanted.workers, turns)
        runs = [one.run for one in processes]
    elif wanted.together > 1:
        runs = [Together(wanted.together, turns=turns).run] * wanted.together
    else:
        runs = [run_request]
    desks = tuple(JobDesk(store, run) for run in runs)
    try:
        yield desks
    finally:
        try:
            close_desks(desks, wait_seconds)
        finally:
            for one in processes:
                one.end()


def made_processes(number: int, turns: Turns | None) -> list[ProcessWorker]:
    """Return so many processes; beside a page they give way to its questions."""
    if turns is None:
        return [ProcessWorker() for _ in range(number)]
    return [ProcessWorker(nice=BESIDE_A_PAGE, busy=lambda: turns.busy) for _ in range(number)]


def close_desks(desks: Sequence[JobDesk], wait_seconds: float = 10.0) -> None:
    """Close the desks; what runs stops at its next report."""
    for desk in desks:
        desk.closing.set()
    for desk in desks:
        desk.shutdown(wait_seconds)


def usual_concurrency(model: str, points: int) -> Concurrency:
    """Return how many questions of a study are asked at once unless somebody chooses.

    Where an embedded model runs on the processor: one a core, each in a process, since a batch of several costs almost
    what its parts cost (docs/scale.md). A server or a GPU has room for a batch. A model of one's own may be large, so
    it is opened once.
    """
    if model in EMBEDDED_NAMES:
        return Concurrency(workers=usual_processes(points))
    served = model.startswith(("http://", "https://"))
    return Concurrency(together=USUAL_TOGETHER if served or place_or_cpu() != "cpu" else 1)


def concurrency_for(model: str, number: int) -> Concurrency:
    """Return so many questions at once in the form that suits the model: processes, or side by side."""
    return Concurrency(workers=number) if model in EMBEDDED_NAMES else Concurrency(together=number)


@contextmanager
def desks_beside(desk: JobDesk, wanted: Concurrency) -> Iterator[tuple[JobDesk, ...]]:
    """Yield the desks for several questions in a program whose own desk goes on; its own alone for one at a time.

    They close with the block, or with the program: what runs then goes on when the study is resumed.
    """
    if wanted.number == 1:
        yield (desk,)
        return
    with opened_desks(wanted, desk.store, "", turns=TURNS) as desks:
        at_exit = partial(close_desks, desks, 2.0)
        atexit.register(at_exit)
        try:
            yield desks
        finally:
            atexit.unregister(at_exit)
