"""What the reader learns from: one question, then the context, in the embedded profile's wording.

A model that knows the question while it reads the passages is less distracted by the rest of the context. Here each
context has one question, so the same work teaches fewer replies than ``training.reader_examples``.
"""

import random
from collections.abc import Mapping, Sequence

from engine.core.records import Passage
from engine.measures.answer_match import contains
from training.cloze import MadeQuestion
from training.nq_open import OracleRow
from training.reader_examples import (
    COUNTS,
    WEIGHTS,
    Example,
    Neighbours,
    memory_example,
    question_example,
    shown_passage,
    still_asked,
    suffices_example,
)

LEFT_OUT, MADE, MEMORY, TOGETHER = 0.2, 0.5, 0.5, 16


def epoch_questions(
    rows: Sequence[OracleRow],
    neighbours: Neighbours,
    made: Mapping[int, Sequence[MadeQuestion]],
    seed: int,
    changed: float,
) -> list[tuple[Example, ...]]:
    """Return one epoch: each question before one context, made questions before half of them, half from memory.

    Examples of one tuple share the beginning of their prompts, except those from memory. ``changed`` is the share of
    passages in which another answer replaces the correct one.
    """
    draw = random.Random(seed)
    contexts: list[tuple[Example, ...]] = []
    for row in draw.sample(range(len(rows)), len(rows)):
        contexts += examples_about(draw, rows, neighbours, made, row, changed)
    memory = [memory_example(row) for row in draw.sample(list(rows), int(MEMORY * len(rows)))]
    contexts += [tuple(memory[at : at + TOGETHER]) for at in range(0, len(memory), TOGETHER)]
    draw.shuffle(contexts)
    return contexts


def examples_about(
    draw: random.Random,
    rows: Sequence[OracleRow],
    neighbours: Neighbours,
    made: Mapping[int, Sequence[MadeQuestion]],
    row: int,
    changed: float,
) -> list[tuple[Example, ...]]:
    """Return the examples of one context: its question with its answer and "yes", or "no" if it was left out."""
    left_out = draw.random() < LEFT_OUT
    count = draw.choices(COUNTS, weights=WEIGHTS)[0]
    places = neighbours.drawn(draw, row, count - (not left_out), rows[row].answers)
    if not left_out:
        places.append(row)
    draw.shuffle(places)
    shown = {place: shown_passage(draw, rows, neighbours, place, changed) for place in places}
    passages = tuple(passage for passage, _ in shown.values())
    asked = rows[row]
    found: list[tuple[Example, ...]] = []
    if not left_out:
        answer = question_example(asked.question, shown[row][1], passages)
        found.append((answer, suffices_example(asked, passages, "yes")))
    elif not contains(" ".join(f"{passage.title} {passage.text}" for passage in passages), asked.answers):
        found.append((suffices_example(asked, passages, "no"),))
    if draw.random() < MADE:
        found += made_example(draw, rows, made, shown, passages)
    return found


def made_example(
    draw: random.Random,
    rows: Sequence[OracleRow],
    made: Mapping[int, Sequence[MadeQuestion]],
    shown: Mapping[int, tuple[Passage, tuple[str, ...]]],
    passages: tuple[Passage, ...],
) -> list[tuple[Example, ...]]:
    """Return a made question about one of the passages; none if its passage has none that still applies."""
    place = draw.choice(list(shown))
    passage, golds = shown[place]
    ready = still_asked(made.get(place, ()), rows[place], passage, golds)
    if not ready:
        return []
    one = draw.choice(ready)
    example = question_example(one.question, (one.answer,), passages)
    return [(Example(prompt=example.prompt, reply=one.answer, kind="made"),)]
