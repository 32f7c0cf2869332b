"""The study that was measured, read back as views."""

from pathlib import Path

from engine.learning.study_measured import stored_view


def test_the_stored_view_of_utility_has_our_marks_and_four_of_the_paper() -> None:
    view = stored_view("seper_utility")
    assert view is not None and sum(bool(mark.paper) for mark in view.marks) == 4
    assert max(mark.n for mark in view.marks) == 216 and len({mark.series for mark in view.marks}) == 1


def test_without_a_file_or_a_view_nothing_is_measured(tmp_path: Path) -> None:
    assert stored_view("seper_utility", tmp_path / "none.json") is None
    assert stored_view("no_such_view") is None
