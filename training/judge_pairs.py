"""Labelled pairs of answers to train the judge: judged by people, made from those, and from WordNet.

Premise and hypothesis may be swapped: extra detail leaves entailment intact both ways. A wrong answer contradicts; an
abstention or no answer is neutral. Only the seed decides which pairs are drawn.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.backends.entailment.answers import abstains, content, words
from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT, NEUTRAL
from engine.measures.answer_match import contains
from training import answer_forms as forms
from training.beside_pairs import named_beside, said_beside
from training.evouna import Row, answer_type
from training.hard_pairs import HARD_MAKERS, HARD_WEIGHTS, roles
from training.made_pairs import MAKERS, WEIGHTS, pools_of
from training.wordnet import Synset, families, gloss_question

ROLE_PAIRS, TRIES = 0.2, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One training example; ``kind`` says what made it, ``back`` the label the other way round (None = the same)."""

    question: str
    premise: str
    hypothesis: str
    label: int
    kind: str
    back: int | None = None


def swapped(pair: Pair) -> Pair:
    """Return the pair with premise and hypothesis swapped."""
    return Pair(
        question=pair.question,
        premise=pair.hypothesis,
        hypothesis=pair.premise,
        label=pair.label if pair.back is None else pair.back,
        kind=pair.kind,
        back=pair.label,
    )


def epoch_pairs(
    rows: Iterable[Row],
    synsets: tuple[Synset, ...],
    seed: int,
    wordnet: int,
    made: float,
    hard: float = 0.0,
    share: float = 1.0,
) -> list[Pair]:
    """Return one epoch's pairs, shuffled: judged answers, pairs of answers, ``made`` forms and ``hard`` ones per row,
    WordNet pairs. ``share`` of the rows is drawn for it.
    """
    draw = random.Random(seed)
    rows = list(rows)
    rows = rows if share == 1.0 else draw.sample(rows, int(share * len(rows)))
    pairs = [
        *(pair for row in rows for pair in judged_pairs(draw, row)),
        *answer_pairs(draw, rows),
        *made_pairs(draw, rows, made),
        *hard_pairs(draw, rows, hard),
        *(wordnet_pairs(draw, synsets, wordnet) if wordnet else ()),
    ]
    pairs = [swapped(pair) if draw.random() < (0.35 if pair.back is None else 0.5) else pair for pair in pairs]
    draw.shuffle(pairs)
    return pairs


def judged_pairs(draw: random.Random, row: Row) -> Iterator[Pair]:
    """Return a judged answer against its correct answer: the matching alias if right, up to two aliases if wrong."""
    if row.right:
        yield Pair(
            question=row.question, premise=row.answer, hypothesis=meant(draw, row), label=ENTAILMENT, kind="judged"
        )
        return
    label = NEUTRAL if abstains(row.answer) else CONTRADICTION
    for gold in draw.sample(row.golds, min(2, len(row.golds))):
        yield Pair(question=row.question, premise=row.answer, hypothesis=gold, label=label, kind="judged")


def meant(draw: random.Random, row: Row) -> str:
    """Return the alias that a right answer means: one it contains, otherwise the one that shares most words."""
    inside = [gold for gold in row.golds if contains(row.answer, (gold,))]
    if inside:
        return draw.choice(inside)
    said = set(words(row.answer))
    return max(row.golds, key=lambda gold: overlap(words(gold), said))


def overlap(wanted: tuple[str, ...], said: set[str]) -> float:
    """Return the share of words that occur, without stop words."""
    bearing = content(wanted, ())
    return sum(word in said for word in bearing) / len(bearing) if bearing else 0.0


def answer_pairs(draw: random.Random, rows: list[Row]) -> Iterator[Pair]:
    """Return pairs of two systems' answers: both right by the same alias entail, right and wrong contradict."""
    by_question: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_question[row.question].append(row)
    for question, answers in by_question.items():
        right = [row for row in answers if row.right]
        wrong = [row for row in answers if not row.right]
        if len(right) > 1:
            first, second = draw.sample(right, 2)
            if same_alias(first, second):
                yield Pair(
                    question=question, premise=first.answer, hypothesis=second.answer, label=ENTAILMENT, kind="answers"
                )
        if right and wrong:
            good, bad = draw.choice(right), draw.choice(wrong)
            label = NEUTRAL if abstains(bad.answer) else CONTRADICTION
            yield Pair(question=question, premise=good.answer, hypothesis=bad.answer, label=label, kind="answers")


def same_alias(first: Row, second: Row) -> bool:
    """Return whether two right answers contain the same alias."""
    return any(contains(first.answer, (gold,)) and contains(second.answer, (gold,)) for gold in first.golds)


def made_pairs(draw: random.Random, rows: list[Row], share: float) -> Iterator[Pair]:
    """Return made pairs, ``share`` times as many draws as rows; a draw without a suitable form gives nothing."""
    pools = pools_of(rows)
    for row in draw.choices(rows, k=int(share * len(rows))):
        maker = draw.choices(MAKERS, weights=WEIGHTS)[0]
        kind = answer_type(row.question, row.golds)
        made = maker(draw, row, kind, pools)
        if made is not None:
            premise, hypothesis, label = made
            yield Pair(question=row.question, premise=premise, hypothesis=hypothesis, label=label, kind=maker.__name__)


def hard_pairs(draw: random.Random, rows: list[Row], share: float) -> Iterator[Pair]:
    """Return pairs that share words and differ in what they say, ``share`` times as many draws as rows, and, where
    there are any, pairs cut from every right answer.
    """
    pools = pools_of(rows)
    for row in rows if share else ():
        for cut in (said_beside, named_beside):
            found = cut(draw, row, answer_type(row.question, row.golds), pools)
            if found is not None:
                premise, hypothesis, label = found
                yield Pair(
                    question=row.question, premise=premise, hypothesis=hypothesis, label=label, kind=cut.__name__
                )
    for row in draw.choices(rows, k=int(share * len(rows))):
        kind = answer_type(row.question, row.golds)
        if draw.random() < ROLE_PAIRS:
            turned = roles(draw, row, kind, pools)
            if turned is not None:
                question, premise, hypothesis, label = turned
                yield Pair(question=question, premise=premise, hypothesis=hypothesis, label=label, kind="roles")
            continue
        for maker in draw.choices(HARD_MAKERS, weights=HARD_WEIGHTS, k=TRIES):
            made = maker(draw, row, kind, pools)
            if made is None:
                continue
            premise, hypothesis, label, *back = made
            yield Pair(
                question=row.question, premise=premise, hypothesis=hypothesis, label=label, kind=maker.__name__,
                back=back[0] if back else None,
            )  # fmt: skip
            break


def wordnet_pairs(draw: random.Random, synsets: tuple[Synset, ...], count: int) -> Iterator[Pair]:
    """Return pairs under glosses: two words of one meaning entail, a word of a sister contradicts."""
    kin = families(synsets)
    sisters = [(synset, above + "i" * synset.instance) for synset in synsets for above in synset.above[:1]]
    open_sets = [(synset, above) for synset, above in sisters if above in kin]
    several = [pair for pair in open_sets if len(pair[0].words) > 1]
    instances = [pair for pair in several if pair[0].instance]
    for _ in range(count):
        synset, above = draw.choice(draw.choice((instances, several, open_sets)))
        sister = draw.choice(kin[above])
        if sister.offset == synset.offset or set(sister.words) & set(synset.words):
            continue
        word = draw.choice(synset.words)
        same = len(synset.words) > 1 and draw.random() < 0.55
        said = draw.choice([other for other in synset.words if other != word]) if same else draw.choice(sister.words)
        if draw.random() < 0.3:
            said = forms.carried(draw, said, "people" if synset.instance else "other")
        label = ENTAILMENT if same else CONTRADICTION
        yield Pair(question=gloss_question(draw, synset), premise=said, hypothesis=word, label=label, kind="wordnet")
