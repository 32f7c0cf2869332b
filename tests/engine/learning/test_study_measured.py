"""The study that was measured, read back as views."""

from pathlib import Path

from engine.learning.study_measured import stored_studies, stored_view


def test_the_stored_view_of_utility_has_our_marks_and_the_papers() -> None:
    view = stored_view("seper_utility")
    assert view is not None and sum(bool(mark.paper) for mark in view.marks) == 7
    assert max(mark.n for mark in view.marks) == 237 and len({mark.series for mark in view.marks}) == 1


def test_all_studies_are_of_all_their_questions_and_hold_a_view_of_every_paper() -> None:
    found = stored_studies()
    assert {word: (study.questions, study.measured) for word, study in found.items()} == {
        "nq": (251, 251),
        "hotpotqa": (100, 100),
        "musique": (30, 30),
    }
    for study in found.values():
        papers = {view.name.split("_")[0] for view in study.views if view.marks}
        assert papers >= {"dense", "seper", "timing", "quco", "sugar"}


def test_without_a_file_or_a_view_nothing_is_measured(tmp_path: Path) -> None:
    assert stored_view("seper_utility", tmp_path) is None
    assert stored_view("no_such_view") is None
