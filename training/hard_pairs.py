"""Labelled pairs of answers that share words and differ in what they say, and of related answers that do not meet.

Each maker fills templates of ``training/hard_forms.py`` with a question's correct answer and with other answers of its
type. ``back`` is the label the other way round where it is another: "1912" entails "1912 or 1927", and not the reverse.
"""

import random
import re

from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT, NEUTRAL
from engine.measures.answer_match import contains
from training import answer_forms as forms
from training import hard_forms as hard
from training.evouna import Row
from training.made_pairs import Made, Pools, replaced_in

YEAR = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-2]\d)(?!\d)")
MOST_DRAWN = 20
Labelled = tuple[str, str, int, int]


def drawn(draw: random.Random, row: Row, kind: str, pools: Pools) -> tuple[str, str]:
    """Return a correct answer and another one of its type, without full stops."""
    return plain(draw.choice(row.golds)), plain(pools.other(draw, kind, row.golds))


def plain(text: str) -> str:
    """Return an answer as it stands inside a sentence."""
    return text.strip().rstrip(".")


def correction(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return a denial with its correction beside the correct answer, which it asserts or denies."""
    gold, other = drawn(draw, row, kind, pools)
    if draw.random() < 0.12:
        said = draw.choice(hard.ONLY_DENIED).format(d=gold, e=other)
        return said, gold, CONTRADICTION
    asserted = draw.random() < 0.5
    said = draw.choice(hard.CORRECTIONS).format(a=gold if asserted else other, d=other if asserted else gold)
    return said, gold, ENTAILMENT if asserted else CONTRADICTION


def correction_inside(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return a system's right answer in which the correct one is denied or corrects another."""
    inside = [gold for gold in row.golds if gold.casefold() in row.answer.casefold()]
    if not row.right or not inside:
        return None
    gold = max(inside, key=len)
    other = plain(pools.other(draw, kind, row.golds))
    asserted = draw.random() < 0.5
    pattern = draw.choice(
        ("{a}, not {d}", "not {d} but {a}", "{a} rather than {d}", "{a} (and not {d})", "{a}, unlike {d},")
    )
    phrase = pattern.format(a=gold if asserted else other, d=other if asserted else gold)
    return replaced_in(row.answer, gold, phrase), gold, ENTAILMENT if asserted else CONTRADICTION


def passing(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return an answer that names another thing in passing, beside the correct one."""
    gold, other = drawn(draw, row, kind, pools)
    templates = (*hard.DATES_IN_PASSING,) if kind == "dates" and draw.random() < 0.6 else hard.IN_PASSING
    asserted = draw.random() < 0.5
    said = draw.choice(templates).format(a=gold if asserted else other, d=other if asserted else gold)
    return said, gold, ENTAILMENT if asserted else CONTRADICTION


def hedge(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return a hedged answer: what may be is not said; what one thinks is."""
    gold, other = drawn(draw, row, kind, pools)
    if draw.random() < 0.6:
        return draw.choice(hard.STRONG_HEDGES).format(a=gold), gold, NEUTRAL
    if draw.random() < 0.6:
        return draw.choice(hard.WEAK_HEDGES).format(a=gold), gold, ENTAILMENT
    return draw.choice(hard.WEAK_HEDGES).format(a=other), gold, CONTRADICTION


def alternative(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made | Labelled:
    """Return two answers left open beside one of them, both in other words, or a third."""
    gold, other = drawn(draw, row, kind, pools)
    first, second = draw.sample((gold, other), 2)
    said = draw.choice(hard.ALTERNATIVES).format(a=first, b=second)
    what = draw.random()
    if what < 0.6:
        return said, gold, NEUTRAL, ENTAILMENT
    if what < 0.8:
        return said, draw.choice(hard.ALTERNATIVES[:5]).format(a=second, b=first), ENTAILMENT
    third = plain(pools.other(draw, kind, (*row.golds, other)))
    return said, third, CONTRADICTION


def part_of_list(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made | Labelled:
    """Return several things beside some of them, or beside several of which one is another."""
    gold, other = drawn(draw, row, kind, pools)
    third = plain(pools.other(draw, kind, (*row.golds, other)))
    both = draw.choice(hard.BOTH).format(a=gold, b=other)
    what = draw.random()
    if what < 0.35:
        return both, gold, ENTAILMENT, NEUTRAL
    if what < 0.6:
        items = [gold, other, third]
        draw.shuffle(items)
        return f"{items[0]}, {items[1]} and {items[2]}", both, ENTAILMENT, NEUTRAL
    if what < 0.75:
        return draw.choice(hard.BOTH).format(a=other, b=gold), both, ENTAILMENT
    if what < 0.85:
        return f"only {gold}", both, CONTRADICTION
    return draw.choice(hard.BOTH).format(a=gold, b=third), both, CONTRADICTION


def kin(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return someone's relative beside that person, another relative, or the relative by name."""
    if kind != "people":
        return None
    gold, other = drawn(draw, row, kind, pools)
    one, two = draw.sample(hard.KIN, 2)
    what = draw.random()
    if what < 0.4:
        return draw.choice(hard.OF_KIN).format(a=gold, k=one), gold, CONTRADICTION
    if what < 0.55:
        return (
            draw.choice(hard.OF_KIN[:4]).format(a=gold, k=one),
            draw.choice(hard.OF_KIN[:4]).format(a=gold, k=one),
            ENTAILMENT,
        )
    if what < 0.65:
        return (
            draw.choice(hard.OF_KIN).format(a=gold, k=one),
            draw.choice(hard.OF_KIN).format(a=gold, k=two),
            CONTRADICTION,
        )
    asserted = draw.random() < 0.5
    said = draw.choice(hard.NAMED_KIN).format(a=gold if asserted else other, d=other if asserted else gold, k=one)
    return said, gold, ENTAILMENT if asserted else CONTRADICTION


def roles(draw: random.Random, row: Row, kind: str, pools: Pools) -> tuple[str, str, str, int] | None:
    """Return who did what to whom, in two wordings or with the roles exchanged, under a question of its own."""
    if kind not in ("people", "places", "other"):
        return None
    one, two = drawn(draw, row, kind, pools)
    verb, participle = draw.choice(hard.VERBS)
    question = draw.choice(hard.TURNED_QUESTIONS).format(a=one, b=two, v=verb)
    active, passive = f"{one} {verb} {two}.", f"{two} was {participle} by {one}."
    if draw.random() < 0.4:
        active, passive = (text.format(a=one, b=two) for text in draw.choice(hard.CONVERSES))
    if draw.random() < 0.4:
        return question, active, passive, ENTAILMENT
    turned = [text.replace(one, "\0").replace(two, one).replace("\0", two) for text in (active, passive)]
    return question, draw.choice((active, passive)), draw.choice(turned), CONTRADICTION


def time_relation(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made | Labelled:
    """Return a year beside a time before, after, around or about it."""
    found = next((found for gold in row.golds if (found := YEAR.search(gold))), None)
    if found is None or kind != "dates":
        return None
    year = int(found.group())
    gap = draw.randrange(1, 15)
    decade, century = f"the {year // 10 * 10}s", f"the {year // 100 + 1}th century"
    choices: tuple[tuple[str, int, int], ...] = (
        (f"before {year}", CONTRADICTION, CONTRADICTION), (f"after {year}", CONTRADICTION, CONTRADICTION),
        (f"some time before {year}", CONTRADICTION, CONTRADICTION),
        (f"not until after {year}", CONTRADICTION, CONTRADICTION),
        (f"before {year + gap}", NEUTRAL, ENTAILMENT), (f"after {year - gap}", NEUTRAL, ENTAILMENT),
        (f"before {year - gap}", CONTRADICTION, CONTRADICTION), (f"after {year + gap}", CONTRADICTION, CONTRADICTION),
        (f"between {year - gap} and {year + gap}", NEUTRAL, ENTAILMENT), (f"by {year + gap}", NEUTRAL, ENTAILMENT),
        (f"between {year + gap} and {year + gap + 9}", CONTRADICTION, CONTRADICTION),
        (f"in {decade}", NEUTRAL, ENTAILMENT),
        (f"around {year}", ENTAILMENT, ENTAILMENT), (f"circa {year}", ENTAILMENT, ENTAILMENT),
        (f"in {century}", NEUTRAL, ENTAILMENT), (f"since {year}", ENTAILMENT, ENTAILMENT),
        (f"no later than {year - gap}", CONTRADICTION, CONTRADICTION), (f"until {year}", ENTAILMENT, ENTAILMENT),
    )  # fmt: skip
    said, label, back = draw.choice(choices)
    shown = f"It was {said}." if draw.random() < 0.4 else said
    return shown, draw.choice((str(year), f"in {year}", f"It was in {year}.")), label, back


def unit(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return an amount beside the same one in another unit's name, which changes it, or in the unit's short form."""
    if kind != "numbers":
        return None
    number = draw.choice((draw.randrange(2, 99), draw.randrange(100, 2000), 10 * draw.randrange(2, 500)))
    if draw.random() < 0.35:
        whole, short = draw.choice(hard.SYNONYMS)
        return forms.carried(draw, f"{number} {whole}", kind), f"{number} {short}", ENTAILMENT
    one, two = draw.sample(draw.choice(hard.RIVAL_UNITS), 2)
    said = f"{number} {one}"
    return forms.carried(draw, said, kind) if draw.random() < 0.4 else said, f"{number} {two}", CONTRADICTION


def other_person(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return a person beside another of the surname, or beside the person with title or initial."""
    gold = plain(draw.choice(row.golds))
    parts = forms.name_parts(gold)
    if kind != "people" or len(parts) < 2:
        return None
    what = draw.random()
    if what < 0.2:
        return f"{parts[0][0]}. {parts[-1]}", gold, ENTAILMENT
    if what < 0.35:
        return f"{draw.choice(('Mr', 'Dr.', 'Professor', 'President', 'Sir', 'Captain'))} {gold}", gold, ENTAILMENT
    if what < 0.5:
        ends = draw.sample((" Sr.", " Jr.", " III", " the Elder", " the Younger"), 2)
        return gold + ends[0], gold + ends[1], CONTRADICTION
    if len(pools.by_type["people"]) < MOST_DRAWN:
        return None
    firsts = [
        parts_[0]
        for name in draw.sample(pools.by_type["people"], MOST_DRAWN)
        if len(parts_ := forms.name_parts(name)) > 1
    ]
    other = next((first for first in firsts if first[0] != parts[0][0]), None)
    if other is None:
        return None
    said = f"{other} {parts[-1]}"
    return forms.carried(draw, said, kind) if draw.random() < 0.4 else said, gold, CONTRADICTION


def related(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return what is said about the matter and answers something else, or mentions the answer without giving it."""
    gold = plain(draw.choice(row.golds))
    if draw.random() < 0.15:
        return draw.choice(hard.MENTIONED).format(a=gold), gold, NEUTRAL
    if any(group not in pools.by_type for group in ("people", "places", "dates")):
        return None
    fill = {word: plain(draw.choice(pools.by_type[group])) for word, group in
            (("person", "people"), ("place", "places"), ("date", "dates"))}  # fmt: skip
    said = draw.choice(hard.RELATED[kind]).format(**fill)
    return None if contains(said, row.golds) else (said, gold, NEUTRAL)


HARD_MAKERS = (correction, correction_inside, passing, hedge, alternative, part_of_list, kin, time_relation, unit,
               other_person, related)  # fmt: skip
HARD_WEIGHTS = (12, 6, 26, 6, 5, 6, 10, 6, 12, 8, 22)
