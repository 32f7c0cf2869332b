"""The store of predictions: the first one counts, a kill loses nothing, a reset can be undone, tabs do not collide."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine.core.errors import InputError
from engine.learning.lessons.progress import Prediction, ProgressStore

HOSTILE = "'); DROP TABLE answers; -- <script>\x00\ud800"


@pytest.fixture
def store(tmp_path: Path) -> ProgressStore:
    """Return an empty store."""
    return ProgressStore(tmp_path / "lessons.sqlite")


def said(given: str, step: int = 1, lesson: str = "belief", right: bool = False) -> Prediction:
    """Return a prediction."""
    return Prediction(lesson=lesson, step=step, asked="abc", given=given, right=right)


def test_the_first_prediction_of_a_step_counts(store: ProgressStore) -> None:
    assert store.keep("ann", said("2")).given == "2"
    assert store.keep("ann", said("0", right=True)).given == "2"
    assert [(one.given, one.right) for one in store.predictions("ann")] == [("2", False)]


def test_what_one_person_says_another_does_not_see(store: ProgressStore) -> None:
    store.keep("ann", said("2"))
    store.visit("ann", "belief", 1)
    assert store.predictions("ben") == () and store.places("ben") == {}


def test_a_question_that_changed_since_is_asked_again(store: ProgressStore) -> None:
    store.keep("ann", said("2"))
    again = Prediction(lesson="belief", step=1, asked="another", given="1", right=True)
    assert store.keep("ann", again).given == "1"
    assert len(store.predictions("ann")) == 2


def test_the_place_in_a_lesson_is_the_step_seen_last(store: ProgressStore) -> None:
    for step in (1, 2, 5, 2):
        store.visit("ann", "belief", step)
    place = store.places("ann")["belief"]
    assert (place.seen, place.last) == ((1, 2, 5), 2)


def test_a_reset_of_one_lesson_leaves_the_others_and_is_undone(store: ProgressStore) -> None:
    for lesson in ("belief", "low-entropy"):
        store.keep("ann", said("1", lesson=lesson))
        store.visit("ann", lesson, 3)
    assert not store.can_undo("ann")
    store.reset("ann", "belief")
    assert [one.lesson for one in store.predictions("ann")] == ["low-entropy"]
    assert list(store.places("ann")) == ["low-entropy"]
    assert store.can_undo("ann") and not store.can_undo("ben")
    store.undo("ann")
    assert [one.lesson for one in store.predictions("ann")] == ["belief", "low-entropy"]
    assert store.places("ann")["belief"].last == 3
    assert not store.can_undo("ann")


def test_resets_are_undone_one_by_one_the_last_first(store: ProgressStore) -> None:
    for lesson in ("belief", "low-entropy"):
        store.keep("ann", said("1", lesson=lesson))
        store.reset("ann", lesson)
    store.undo("ann")
    assert [one.lesson for one in store.predictions("ann")] == ["low-entropy"]
    store.undo("ann")
    assert [one.lesson for one in store.predictions("ann")] == ["belief", "low-entropy"]


def test_what_was_predicted_anew_after_a_reset_survives_its_undo(store: ProgressStore) -> None:
    store.keep("ann", said("old"))
    store.reset("ann")
    store.keep("ann", said("new"))
    store.undo("ann")
    assert [one.given for one in store.predictions("ann")] == ["new"]
    assert not store.can_undo("ann")


def test_hostile_text_is_kept_as_text(store: ProgressStore) -> None:
    store.keep(HOSTILE.encode("utf-8", "replace").decode(), said(HOSTILE))
    kept = store.predictions(HOSTILE.encode("utf-8", "replace").decode())
    assert kept[0].given == HOSTILE.replace("\ud800", "?")


def test_an_answer_that_is_no_answer_is_refused(store: ProgressStore) -> None:
    with pytest.raises(InputError, match="200"):
        store.keep("ann", said("9" * 201))
    with pytest.raises(InputError):
        store.keep("ann", said("1", step=0))
    assert store.predictions("ann") == ()


def test_eight_tabs_that_answer_at_once_keep_one_prediction_and_all_see_it(tmp_path: Path) -> None:
    path = tmp_path / "lessons.sqlite"

    def answer(number: int) -> str:
        tab = ProgressStore(path)
        tab.visit("ann", "belief", number + 1)
        return tab.keep("ann", said(str(number))).given

    with ThreadPoolExecutor(8) as pool:
        seen = set(pool.map(answer, range(8)))
    assert len(seen) == 1
    assert ProgressStore(path).places("ann")["belief"].seen == tuple(range(1, 9))


def test_what_was_kept_before_a_kill_is_there_after_it(tmp_path: Path) -> None:
    path = tmp_path / "lessons.sqlite"
    script = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from engine.learning.lessons.progress import Prediction, ProgressStore\n"
        "store = ProgressStore(Path(sys.argv[1]))\n"
        "store.keep('ann', Prediction(lesson='belief', step=2, asked='abc', given='0.5', right=True))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(path)], timeout=60, check=False)
    assert killed.returncode == -9
    assert [one.given for one in ProgressStore(path).predictions("ann")] == ["0.5"]
