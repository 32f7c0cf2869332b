"""The judge of two sentences: what follows, what contradicts, and what the parse says of both."""

import json
from pathlib import Path

import pytest

from engine.backends.entailment import load_sentence_judge
from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT, LABELS, NEUTRAL
from engine.backends.entailment.clauses import Arc, read_sentence
from tests.each_row import each_row

pytestmark = pytest.mark.weights

WRITTEN = json.loads((Path(__file__).parents[3] / "reference" / "sentence_pairs.json").read_text(encoding="utf-8"))
CLOCK = "Lyra Quill rebuilt the clock in 1890."
PAIRS = [
    (CLOCK, "The clock was rebuilt by Lyra Quill in 1890.", ENTAILMENT),
    (CLOCK, "In 1890, Lyra Quill rebuilt the clock.", ENTAILMENT),
    (CLOCK, "Lyra Quill did not rebuild the clock in 1890.", CONTRADICTION),
    (CLOCK, "Lyra Quill rebuilt the clock in 1870.", CONTRADICTION),
    (CLOCK, "Lyra Quill rebuilt the clock and the tower in 1890.", NEUTRAL),
    ("The king defeated the duke at Arn.", "The duke defeated the king at Arn.", CONTRADICTION),
    ("The king defeated the duke at Arn.", "The duke was defeated by the king at Arn.", ENTAILMENT),
    ("Its capital is Selm, a walled town.", "The capital of Selm is a walled town.", NEUTRAL),
    ("Marta's brother painted the hall.", "Marta painted the hall.", NEUTRAL),
]


@each_row(PAIRS, name=lambda pair: pair[1][:60])
def test_what_follows_and_what_does_not(pair: tuple[str, str, int]) -> None:
    premise, hypothesis, expected = pair
    row = load_sentence_judge().entailment("", [premise], [hypothesis])[0]
    assert int(row.argmax()) == expected, row.round(2).tolist()
    assert row.sum() == pytest.approx(1.0)


def test_of_pairs_that_nothing_was_fitted_to_three_in_four_are_right_and_few_are_entailed_wrongly() -> None:
    last = [row for row in WRITTEN if row["split"] == "last"]
    judged = load_sentence_judge().entailment("", [row["premise"] for row in last], [row["hypothesis"] for row in last])
    said = [LABELS[int(scores.argmax())] for scores in judged]
    assert len(WRITTEN) == 189 and len(last) == 64
    assert sum(one == row["expected"] for one, row in zip(said, last, strict=True)) >= 48
    wrong = [row for one, row in zip(said, last, strict=True) if one == "entailment" != row["expected"]]
    assert len(wrong) <= 3


def test_active_and_passive_have_the_same_arcs() -> None:
    wanted = {
        Arc(head="write", relation="subject", dependent="orwell"),
        Arc(head="write", relation="object", dependent="novel"),
    }
    for text in ("Orwell wrote the novel.", "The novel was written by Orwell."):
        assert wanted <= read_sentence(text).arcs
