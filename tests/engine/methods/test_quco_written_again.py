"""QuCo-RAG's loop against a short one written from the paper alone, on random texts, claims and counts."""

import random
from collections.abc import Iterator, Sequence

import pytest

from tests.engine.methods.test_quco_loop import CLAIMS, Counts, Tools, go, queries

PLAIN = ("The sky is blue.", "It does not mention that.", "No information is given.", "So the answer is Q.")
SENTENCES = (*CLAIMS, *PLAIN)
PAIRS = ("X_AND_Y", "Y_AND_1990", "Y_AND_W", "X_AND_Z", "Z_AND_Q", "X_AND_1990")
MOST = 6


def checked(sentences: Sequence[str], counts: dict[str, int]) -> tuple[list[str], list[str], str]:
    """Return the sentences before the first that ends or fails, the queries of a failing one, and how it ends."""
    kept: list[str] = []
    for sentence in sentences:
        if "does not" in sentence or "No information" in sentence:
            return kept, [], "denied"
        if "the answer is" in sentence:
            return [*kept, sentence], [], "answered"
        found = [(h, r, counts.get(h if t is None else f"{h}_AND_{t}"), t) for h, r, t in CLAIMS.get(sentence, [])]
        failing = [f"{h} {r}" for h, r, count, t in found if count is not None and count < (20 if t is None else 1)]
        if failing:
            return kept, failing, ""
        kept.append(sentence)
    return kept, [], ""


def by_hand(texts: Sequence[str], asked: Sequence[str], counts: dict[str, int]) -> tuple[str, list[str], int]:
    """Return the text, the queries and the number of generations of section 3's loop in the released order."""
    turn, kept, made, written, denied = iter(texts), [], [], 1, False

    def new(waiting: Iterator[str]) -> list[str]:
        said = dict.fromkeys(span.text for span in Tools(()).sentences(next(waiting, "")))
        return [sentence for sentence in said if sentence not in kept]

    pending, known = new(turn), [counts[name] for name in asked if name in counts]
    if known and sum(known) / len(known) < 1000:
        made, pending = ["q?"], new(turn)
    while True:
        stay, failing, ends = checked(pending, counts)
        kept, made, pending = [*kept, *stay], [*made, *failing], []
        again, denied = denied and not stay, ends == "denied"
        if ends == "answered" or (denied and again) or written == MOST:
            return " ".join(kept), made, written
        pending, written = new(turn), written + 1
        if failing and pending:
            kept, pending = [*kept, pending[0]], pending[1:]
            if "the answer is" in kept[-1]:
                return " ".join(kept), made, written
        elif not pending:
            return " ".join(kept), made, written
        while not pending and written < MOST:
            pending, written = new(turn), written + 1
            if not pending:
                return " ".join(kept), made, written


@pytest.mark.parametrize("seed", range(150))
def test_the_loop_keeps_asks_and_writes_what_the_short_one_does(seed: int) -> None:
    dice = random.Random(seed)
    texts = [" ".join(dice.choices(SENTENCES, k=dice.randint(0, 4))) for _ in range(dice.randint(1, 7))]
    counts = {pair: dice.choice((0, 1, 5)) for pair in PAIRS if dice.random() < 0.85}
    counts |= {name: dice.choice((10, 1000, 1500)) for name in ("A", "B") if dice.random() < 0.8}
    counts |= {"Z": dice.choice((0, 19, 20, 99))}
    asked = dice.sample(("A", "B"), dice.randint(0, 2))
    result, _ = go(texts, Counts(**counts), asked=asked)
    assert result.loop is not None
    assert (result.loop.text, queries(result), len(result.loop.generations)) == by_hand(texts, asked, counts)
