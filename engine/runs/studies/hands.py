"""How many hands work on a study: one desk, questions side by side in one program, processes, or workers of Ray."""

import atexit
import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from engine.backends.devices import place_or_cpu
from engine.backends.language_models import EMBEDDED_NAMES
from engine.core.errors import InputError, RecordError, StorageError
from engine.runs.jobs.desk import JobDesk, Run
from engine.runs.jobs.turns import TURNS, Turns
from engine.runs.run import run_request
from engine.runs.store import RunStore
from engine.runs.studies.processes import ProcessWorker, usual_processes
from engine.runs.studies.records import Study
from engine.runs.studies.row import Describe
from engine.runs.studies.runner import StudyRunner
from engine.runs.studies.store import StudyStore
from engine.runs.studies.together import Together

MOST_TOGETHER = 16
USUAL_TOGETHER = 8
LOCAL_RAY = "local"
log = logging.getLogger(__name__)
# How far processes beside a page give way to it: it draws while they compute.
BESIDE_A_PAGE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Hands:
    """``together`` questions side by side in this program, or ``workers``: processes here, or workers of Ray.

    ``ray`` is the address of a Ray, LOCAL_RAY begins one on this machine, "" = no Ray.
    """

    together: int = 1
    workers: int = 1
    ray: str = ""

    @property
    def number(self) -> int:
        """How many questions are in hand at once."""
        return max(self.together, self.workers)


def check_hands(hands: Hands) -> None:
    """Raise InputError where questions are to be asked both side by side and over workers."""
    if (hands.workers > 1 or hands.ray) and hands.together > 1:
        raise InputError("Ask questions side by side (--together) or over workers (--workers), not both.")


@contextmanager
def opened_desks(
    hands: Hands, store: RunStore, corpus: str, *, turns: Turns | None = None, wait_seconds: float = 10.0
) -> Iterator[tuple[JobDesk, ...]]:
    """Yield a desk for each hand, all over one store of runs; they and their workers end with the block.

    ``corpus`` is the hash that a corpus must have on a worker of Ray. ``turns`` is the line of a program that others
    ask too: its own questions go first. Raises InputError where both kinds are asked for, or Ray is not there.
    """
    processes: list[ProcessWorker] = []
    check_hands(hands)
    if hands.ray:
        from engine.runs.studies.ray_workers import RayWorker, begin_ray

        begin_ray(hands.workers, "" if hands.ray == LOCAL_RAY else hands.ray)
        runs: list[Run] = [RayWorker(corpus=corpus).run for _ in range(hands.workers)]
    elif hands.workers > 1:
        processes = made_processes(hands.workers, turns)
        runs = [one.run for one in processes]
    elif hands.together > 1:
        runs = [Together(hands.together, turns=turns).run] * hands.together
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


def usual_hands(model: str, points: int) -> Hands:
    """Return how many questions of a study are in hand at once unless somebody chooses.

    Where an embedded model runs on the processor: one a core, each in a process, since a batch of several costs almost
    what its parts cost (docs/scale.md). A server or a GPU has room for a batch. A model of one's own may be large, so
    it is opened once.
    """
    if model in EMBEDDED_NAMES:
        return Hands(workers=usual_processes(points))
    served = model.startswith(("http://", "https://"))
    return Hands(together=USUAL_TOGETHER if served or place_or_cpu() != "cpu" else 1)


def hands_for(model: str, number: int) -> Hands:
    """Return so many questions at once in the form that suits the model: processes, or side by side."""
    return Hands(workers=number) if model in EMBEDDED_NAMES else Hands(together=number)


@contextmanager
def hands_beside(desk: JobDesk, hands: Hands) -> Iterator[tuple[JobDesk, ...]]:
    """Yield the desks for several questions in a program whose own desk goes on; its own alone for one at a time.

    They close with the block, or with the program: what runs then goes on when the study is resumed.
    """
    if hands.number == 1:
        yield (desk,)
        return
    with opened_desks(hands, desk.store, "", turns=TURNS) as desks:
        at_exit = partial(close_desks, desks, 2.0)
        atexit.register(at_exit)
        try:
            yield desks
        finally:
            atexit.unregister(at_exit)


ONE_HAND = Hands()
# The hands that work on a study in this program, by its id.
_AT_WORK: dict[str, Hands] = {}
# The thread here that answers for a study, with the hands it was last asked for, by the study's id.
_HERE: dict[str, tuple[threading.Thread, Hands]] = {}
_HERE_LOCK = threading.Lock()


def side_by_side(study_id: str) -> int:
    """Return how many questions of a study are in hand in this program; 0 where nobody here works on it."""
    hands = _AT_WORK.get(study_id)
    return 0 if hands is None else hands.number


def by_the_clock(study: Study) -> Study:
    """Return the study with its seconds as a clock would show them: processes here answer several questions at once.

    Questions side by side in one program have shared out their seconds already.
    """
    return replace(study, seconds=study.seconds / _AT_WORK.get(study.id, ONE_HAND).workers)


def start_study(studies: StudyStore, desk: JobDesk, study_id: str, describe: Describe, hands: Hands = ONE_HAND) -> None:
    """Work on a study in a thread of its own, which ends with the program or with the study.

    ``hands`` says how many questions are asked at once. A study that is worked on already, here or elsewhere, is left
    as it is but told to go on; where its hands here are closing, it goes on with these afterwards.
    """
    with _HERE_LOCK:
        studies.tell(study_id, "go")
        known = _HERE.get(study_id)
        if known is not None and known[0].is_alive():
            _HERE[study_id] = (known[0], hands)
            return
        given = (studies, desk, study_id, describe)
        thread = threading.Thread(target=work_here, args=given, name=f"microscope-study-{study_id}", daemon=True)
        _HERE[study_id] = (thread, hands)
        thread.start()


def work_here(studies: StudyStore, desk: JobDesk, study_id: str, describe: Describe) -> None:
    """Work on a study until nothing waits or it is told to stop; told to go on while its hands close, it goes on."""
    over = False
    while (hands := hands_wanted(studies, study_id, over)) is not None:
        over = work_once(studies, desk, study_id, describe, hands)


def hands_wanted(studies: StudyStore, study_id: str, over: bool) -> Hands | None:
    """Return the hands that a study is to go on with here.

    None where nothing waits, it is told otherwise, or work here is ``over``: this thread no longer answers for it.
    """
    with _HERE_LOCK:
        if over or studies.control(study_id) != "go" or not studies.waiting(study_id):
            del _HERE[study_id]
            return None
        return _HERE[study_id][1]


def work_once(studies: StudyStore, desk: JobDesk, study_id: str, describe: Describe, hands: Hands) -> bool:
    """Return whether this thread is to let go of a study, after working on it with these hands; they are closed then.

    It is where the desks close. Where they cannot work, the study is paused, unless somebody told it to stop meanwhile.
    """
    _AT_WORK[study_id] = hands
    try:
        with hands_beside(desk, hands) as desks:
            StudyRunner(studies, desks, describe).work_while_told(study_id)
            return any(one.closing.is_set() for one in (desk, *desks))
    except (InputError, RecordError, StorageError) as exc:
        log.warning("study %s stopped: %s", study_id, exc)
        return not was_paused(studies, study_id)
    finally:
        del _AT_WORK[study_id]


def was_paused(studies: StudyStore, study_id: str) -> bool:
    """Pause a study, unless somebody told it something else, and return whether its store let that be done."""
    try:
        if studies.control(study_id) == "go":
            studies.tell(study_id, "pause")
    except (RecordError, StorageError) as exc:
        log.warning("study %s could not be paused: %s", study_id, exc)
        return False
    return True
