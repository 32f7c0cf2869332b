"""Studies that this program works on behind its pages, each in a thread of its own."""

import logging
import threading
from dataclasses import replace

from engine.core.errors import InputError, RecordError, StorageError
from engine.runs.jobs.desk import JobDesk
from engine.runs.studies.concurrency import ONE_AT_A_TIME, Concurrency, desks_beside
from engine.runs.studies.records import Study
from engine.runs.studies.row import Describe
from engine.runs.studies.runner import StudyRunner
from engine.runs.studies.store import StudyStore

# How many questions are asked at once of each study that is worked on in this program, by its id.
_AT_WORK: dict[str, Concurrency] = {}
# The thread here that answers for a study, with how many questions at once it was last asked for, by the study's id.
_HERE: dict[str, tuple[threading.Thread, Concurrency]] = {}
_HERE_LOCK = threading.Lock()
log = logging.getLogger(__name__)


def side_by_side(study_id: str) -> int:
    """Return how many questions of a study this program asks at once; 0 where nobody here works on it."""
    at_once = _AT_WORK.get(study_id)
    return 0 if at_once is None else at_once.number


def by_the_clock(study: Study) -> Study:
    """Return the study with its seconds as a clock would show them: processes here answer several questions at once.

    Questions side by side in one program have shared out their seconds already.
    """
    return replace(study, seconds=study.seconds / _AT_WORK.get(study.id, ONE_AT_A_TIME).workers)


def start_study(
    studies: StudyStore, desk: JobDesk, study_id: str, describe: Describe, at_once: Concurrency = ONE_AT_A_TIME
) -> None:
    """Work on a study in a thread of its own, which ends with the program or with the study.

    ``at_once`` says how many questions are asked at once. A study that is worked on already, here or elsewhere, is left
    as it is but told to go on; where its desks here are closing, it goes on with ``at_once`` afterwards.
    """
    with _HERE_LOCK:
        studies.tell(study_id, "go")
        known = _HERE.get(study_id)
        if known is not None and known[0].is_alive():
            _HERE[study_id] = (known[0], at_once)
            return
        given = (studies, desk, study_id, describe)
        thread = threading.Thread(target=work_here, args=given, name=f"microscope-study-{study_id}", daemon=True)
        _HERE[study_id] = (thread, at_once)
        thread.start()


def work_here(studies: StudyStore, desk: JobDesk, study_id: str, describe: Describe) -> None:
    """Work on a study until nothing waits or it is told to stop; told to go on while its desks close, it goes on."""
    over = False
    while (at_once := next_concurrency(studies, study_id, over)) is not None:
        over = work_once(studies, desk, study_id, describe, at_once)


def next_concurrency(studies: StudyStore, study_id: str, over: bool) -> Concurrency | None:
    """Return how many questions at once a study is to go on with here.

    None where nothing waits, it is told otherwise, or work here is ``over``: this thread no longer answers for it.
    """
    with _HERE_LOCK:
        if over or studies.control(study_id) != "go" or not studies.waiting(study_id):
            del _HERE[study_id]
            return None
        return _HERE[study_id][1]


def work_once(studies: StudyStore, desk: JobDesk, study_id: str, describe: Describe, at_once: Concurrency) -> bool:
    """Return whether this thread is to let go of a study, after working on it; its desks are closed then.

    It is where the desks close. Where they cannot work, the study is paused, unless somebody told it to stop meanwhile.
    """
    _AT_WORK[study_id] = at_once
    try:
        with desks_beside(desk, at_once) as desks:
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
