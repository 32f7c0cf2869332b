"""Sentences end where they should, also in a line that no writer would write."""

import time

import pytest

from engine.backends.retrieval.sentence_ends import sentence_bounds


@pytest.mark.parametrize(
    "text",
    ["a" + "." * 20_000 + "b", '"' * 20_000 + 'a".\nB', "a." + ")" * 20_000 + "b", "." * 9_999 + '"' * 9_999 + "b"],
)
def test_a_line_of_twenty_thousand_marks_is_one_sentence_in_no_time(text: str) -> None:
    began = time.thread_time()
    assert len(sentence_bounds(text)) <= 2
    assert time.thread_time() - began < 2.0


def test_marks_and_quotes_in_a_row_end_one_sentence() -> None:
    text = 'He said "Well..." Then? Yes?! (So be it.) Dr. A. Curie agreed. J."'
    assert [text[start:end].strip() for start, end in sentence_bounds(text)] == [
        'He said "Well..."',
        "Then?",
        "Yes?!",
        "(So be it.)",
        "Dr. A. Curie agreed.",
        'J."',
    ]
