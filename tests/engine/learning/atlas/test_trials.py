"""What to try next: the passages a changed question is asked over."""

from engine.learning.atlas.trials import AS_IT_WAS, trial_of
from tests.engine.learning.atlas.failure_case import ELSEWHERE, OTHER, RIGHT, planted, question, run, specimen

CONFLICT = planted("contradiction", ("d2", "d3"), "1,768 metres")


def test_a_distractor_is_left_out() -> None:
    trial = trial_of(specimen("distractor", run("1,768 metres", OTHER, RIGHT, ELSEWHERE)))
    assert [passage.text for passage in trial.passages] == [RIGHT, ELSEWHERE]
    assert "passages 2, 3" in trial.words


def test_a_copy_is_left_out_and_the_first_one_stays() -> None:
    trial = trial_of(specimen("duplicate", run("1,914 metres", RIGHT, OTHER, RIGHT)))
    assert [passage.text for passage in trial.passages] == [RIGHT, OTHER]


def test_a_misread_passage_is_read_alone() -> None:
    trial = trial_of(specimen("misread", run("1866", OTHER, RIGHT)))
    assert [passage.text for passage in trial.passages] == [RIGHT]


def test_contradicting_passages_change_places() -> None:
    asked = question("number", CONFLICT)
    trial = trial_of(specimen("contradiction", run("1,768 metres", ELSEWHERE, RIGHT, OTHER), asked))
    assert [passage.text for passage in trial.passages] == [OTHER, RIGHT, ELSEWHERE]


def test_where_nothing_would_change_the_form_is_filled_as_it_was() -> None:
    assert trial_of(specimen("misread", run("1866", RIGHT))) == AS_IT_WAS
    assert trial_of(specimen("wording", run("1866", RIGHT, OTHER))) == AS_IT_WAS
    assert trial_of(specimen("contradiction", run("1866", RIGHT, OTHER))) == AS_IT_WAS
