"""What runs are called: names, and ids only where a name tells two runs not apart."""

from dataclasses import replace

from pages.shared.run_names import missing_labels, state_word
from tests.pages.test_compare_page import summary


def test_a_run_that_is_not_here_bears_its_id_only_beside_another() -> None:
    assert "r1" not in missing_labels(["r1"])["r1"]
    both = missing_labels(["r1", "r2"])
    assert "r1" in both["r1"] and "r2" in both["r2"]
    assert missing_labels([]) == {}


def test_a_run_of_a_study_that_failed_says_so() -> None:
    study = summary("s1", origin="study")
    assert [state_word(one) for one in (study, replace(study, state="failed"), summary("r"))] == [
        "study",
        "failed",
        "done",
    ]
