"""How many hands work on a study: one desk, questions side by side in one program, or workers of Ray."""

import atexit
import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from engine.backends.devices import place_or_cpu
from engine.backends.language_models import EMBEDDED_NAMES
from engine.core.errors import InputError, RecordError, StorageError
from engine.runs.jobs.desk import JobDesk, Run
from engine.runs.jobs.turns import TURNS
from engine.runs.run import run_request
from engine.runs.store import RunStore
from engine.runs.studies.row import Describe
from engine.runs.studies.runner import StudyRunner
from engine.runs.studies.store import StudyStore
from engine.runs.studies.together import Together

MOST_TOGETHER = 16
USUAL_TOGETHER = 8
# How many questions of a study go side by side here, by its id, while it is worked on.
_SIDE_BY_SIDE: dict[str, int] = {}


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


def usual_together(model: str) -> int:
    """Return how many questions go side by side unless somebody chooses: one where the model runs on the processor.

    There a batch of several questions costs almost what its parts cost (docs/scale.md). A server has room for more.
    """
    on_gpu = model not in EMBEDDED_NAMES and place_or_cpu() != "cpu"
    return USUAL_TOGETHER if on_gpu or model.startswith(("http://", "https://")) else 1


@contextmanager
def hands_beside(desk: JobDesk, together: int) -> Iterator[tuple[JobDesk, ...]]:
    """Yield the desks for questions side by side in a program whose own desk goes on; its own alone for one at a time.

    They close with the block, or with the program: what runs then goes on when the study is resumed.
    """
    if together == 1:
        yield (desk,)
        return
    beside = Together(together, turns=TURNS)
    desks = tuple(JobDesk(desk.store, beside.run) for _ in range(together))
    at_exit = partial(close_desks, desks, 2.0)
    atexit.register(at_exit)
    try:
        yield desks
    finally:
        close_desks(desks)
        atexit.unregister(at_exit)


def side_by_side(study_id: str) -> int:
    """Return how many questions of a study go side by side in this program; 0 where nobody here works on it."""
    return _SIDE_BY_SIDE.get(study_id, 0)


def start_study(studies: StudyStore, desk: JobDesk, study_id: str, describe: Describe, together: int = 1) -> None:
    """Work on a study in a thread of its own, which ends with the program or with the study.

    ``together`` questions are asked side by side. A study that is worked on already, here or elsewhere, is left as it
    is but told to go on.
    """

    def work() -> None:
        _SIDE_BY_SIDE[study_id] = together
        try:
            with hands_beside(desk, together) as desks:
                StudyRunner(studies, desks, describe).work(study_id)
        except (InputError, RecordError, StorageError) as exc:
            logging.getLogger(__name__).warning("study %s stopped: %s", study_id, exc)
            studies.tell(study_id, "pause")
        finally:
            del _SIDE_BY_SIDE[study_id]

    studies.tell(study_id, "go")
    name = f"microscope-study-{study_id}"
    if not any(thread.name == name for thread in threading.enumerate()):
        threading.Thread(target=work, name=name, daemon=True).start()
