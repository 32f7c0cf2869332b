"""Brackets are taken out of a sentence and remembered, also where it is nothing else."""

import time

from engine.backends.text.base import without_brackets


def test_white_space_and_brackets_without_end_are_looked_through_in_no_time() -> None:
    began = time.thread_time()
    assert without_brackets("a" + " " * 30_000 + "b") == ("a" + " " * 30_000 + "b", ())
    plain, brackets = without_brackets("Word " + "a " * 5_000 + "(b) " * 5_000)
    assert len(brackets) == 1 and plain.count("(b)") == 4_999
    assert time.thread_time() - began < 1.5


def test_a_bracket_remembers_the_two_words_before_it_and_its_white_space() -> None:
    plain, brackets = without_brackets("The river Tell  (a stream) runs [north] to Lund.")
    assert plain == "The river Tell runs to Lund."
    assert [(one.behind, one.text) for one in brackets] == [("river Tell", "  (a stream)"), ("Tell runs", " [north]")]
