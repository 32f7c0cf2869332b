"""Sufficiency in words: how many passages pass that hold no correct answer."""

from tests.viz.sample_check_results import sufficiency
from viz.methods import sufficiency as drawn


def test_passages_without_an_answer_that_pass_too_are_counted() -> None:
    found = sufficiency(0.9, 0.8, 0.2, threshold=0.5)
    said = "1 of 2 passages without a correct answer passes the threshold too."
    assert drawn.overlooked_sentence(found, (0,)) == said
    assert drawn.overlooked_sentence(found, (0, 1)) == "" == drawn.overlooked_sentence(found, ())


def test_a_share_next_to_its_threshold_has_the_digits_that_tell_them_apart() -> None:
    assert drawn.finding(sufficiency(0.4992, 0.1)) == "The highest P(yes) is 0.499, below the threshold 0.50."


def test_a_probability_reads_as_1_only_where_it_is() -> None:
    found = sufficiency(0.998, 0.1, together=0.996)
    assert drawn.finding(found) == "The highest P(yes) is 0.998, at or above the threshold 0.50."
    assert "P(yes) 0.998; all together 0.996." in drawn.nearest_sentence(found)
