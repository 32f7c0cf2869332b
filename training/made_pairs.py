"""Ways to make a labelled pair of answers from a question and its correct answers: the same, or nearly the same.

Each maker draws from the generator it gets and returns premise, hypothesis and label, or None where the answer has no
such form.
"""

import random
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.backends.entailment.answers import abstains
from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT, NEUTRAL
from engine.measures.answer_match import contains, exact_match
from training import answer_forms as forms
from training.evouna import Row, answer_type

TRIES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Pools:
    """Correct answers by type, to draw wrong answers of the right type from."""

    by_type: dict[str, list[str]]
    single: list[str]

    def other(self, draw: random.Random, kind: str, golds: tuple[str, ...]) -> str:
        """Return a wrong answer of the type; of any type if there is no other.

        Raises ValueError if every answer is correct.
        """
        pools = (self.by_type[kind], [answer for pool in self.by_type.values() for answer in pool])
        for pool in pools:
            for drawn in draw.choices(pool, k=TRIES):
                if not any(contains(drawn, (gold,)) or contains(gold, (drawn,)) for gold in golds):
                    return drawn
        raise ValueError(f"no answer other than {', '.join(golds)} among {len(pools[1])}")


def pools_of(rows: Iterable[Row]) -> Pools:
    """Return the correct answers by type."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        found[answer_type(row.question, row.golds)].update(row.golds)
    single = sorted(gold for golds in found.values() for gold in golds if len(gold.split()) == 1)
    return Pools(by_type={kind: sorted(golds) for kind, golds in found.items()}, single=single)


Made = tuple[str, str, int] | None


def same_form(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return a correct answer beside another form of it."""
    gold = draw.choice(row.golds)
    said = forms.other_date_form(draw, gold) or forms.other_number_form(draw, gold) or forms.noisy(draw, gold)
    if draw.random() < 0.6:
        said = forms.carried(draw, said, kind) if draw.random() < 0.6 else forms.detailed(draw, said, kind)
    return said, gold, ENTAILMENT


def in_context(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return a correct answer restated, repeated, cut off or with detail, beside the plain one."""
    gold = draw.choice(row.golds)
    what = draw.randrange(4)
    if what == 0:
        return forms.restated(draw, row.question, gold), gold, ENTAILMENT
    if what == 1:
        return forms.repeated(draw, gold, kind), gold, ENTAILMENT
    if what == 2 and row.right and contains(row.answer, (gold,)):
        at = row.answer.casefold().find(gold.casefold())
        said = forms.cut_off(draw, row.answer, at + len(gold)) if at >= 0 else None
        return (said, gold, ENTAILMENT) if said else None
    return forms.detailed(draw, gold, kind), gold, ENTAILMENT


def both_carried(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return a correct answer in two carriers, or two different answers in the same one."""
    gold = draw.choice(row.golds)
    if draw.random() < 0.5:
        return forms.carried(draw, gold, kind), forms.detailed(draw, gold, kind), ENTAILMENT
    other = pools.other(draw, kind, row.golds)
    state = draw.getstate()
    first = forms.carried(draw, gold, kind)
    draw.setstate(state)
    return first, forms.carried(draw, other, kind), CONTRADICTION


def surname(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return a person's full name beside the surname alone."""
    gold = draw.choice(row.golds)
    said = forms.shorter_name(gold) if kind == "people" else None
    return (said, gold, ENTAILMENT) if said else None


def near_miss(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return a correct answer beside one with a changed number, date, ordinal or name."""
    gold = draw.choice(row.golds)
    said = forms.other_date(draw, gold) or forms.other_ordinal(draw, gold) or forms.other_number(draw, gold)
    if said is None and kind == "people":
        said = forms.other_name(draw, gold, pools.by_type["people"])
    if said is None or exact_match(said, row.golds):
        return None
    if draw.random() < 0.5:
        said = forms.carried(draw, said, kind) if draw.random() < 0.6 else forms.detailed(draw, said, kind)
    return said, gold, CONTRADICTION


def replaced(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return a right answer in which another of its type, or a near miss, replaces the correct one."""
    inside = [gold for gold in row.golds if gold.casefold() in row.answer.casefold()]
    if not row.right or not inside:
        return None
    gold = max(inside, key=len)
    other = forms.other_date(draw, gold) or forms.other_number(draw, gold) if draw.random() < 0.5 else None
    other = other or pools.other(draw, kind, row.golds)
    said = replaced_in(row.answer, gold, other)
    return None if contains(said, row.golds) else (said, gold, CONTRADICTION)


def replaced_in(text: str, old: str, new: str) -> str:
    """Return the text with every occurrence of a phrase, in any case, replaced."""
    lowered, wanted = text.casefold(), old.casefold()
    if len(lowered) != len(text):
        return text.replace(old, new)
    out: list[str] = []
    at = 0
    while (found := lowered.find(wanted, at)) >= 0:
        out.extend((text[at:found], new))
        at = found + len(wanted)
    return "".join((*out, text[at:]))


def other_answer(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return a correct answer beside another of its type, plain, in a carrier or with detail."""
    said = pools.other(draw, kind, row.golds)
    if draw.random() < 0.5:
        said = forms.carried(draw, said, kind) if draw.random() < 0.5 else forms.detailed(draw, said, kind)
    return said, draw.choice(row.golds), CONTRADICTION


def denial(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return a denial of the correct answer, or of another one followed by the correct one."""
    gold = draw.choice(row.golds)
    if draw.random() < 0.75:
        return draw.choice(forms.DENIALS).format(gold), gold, CONTRADICTION
    other = pools.other(draw, kind, row.golds)
    return (
        draw.choice(("not {}, but {}", "It was not {} but {}.", "Not {}; it was {}.")).format(other, gold),
        gold,
        ENTAILMENT,
    )


def abstention(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return an abstention beside an answer (neutral) or another abstention (entailment)."""
    said = draw.choice(forms.ABSTENTIONS)
    if draw.random() < 0.15:
        return said, draw.choice(forms.ABSTENTIONS), ENTAILMENT
    other = draw.choice(row.golds) if draw.random() < 0.6 or abstains(row.answer) else row.answer
    return said, other, NEUTRAL


def no_answer(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return the repeated question, or another question's abstention, beside the correct answer."""
    said = forms.without_answer(draw, row.question)
    return None if contains(said, row.golds) else (said, draw.choice(row.golds), NEUTRAL)


def listed(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return lists: another order entails, one exchanged item contradicts."""
    gold = draw.choice(row.golds)
    if draw.random() < 0.5:  # lists of single words: colours, countries, surnames
        gold = draw.choice(pools.single)
        row = replace(row, golds=(gold,))
        pools = Pools(by_type={kind: pools.single}, single=pools.single)
    others = [pools.other(draw, kind, row.golds) for _ in range(draw.choice((1, 2)))]
    if draw.random() < 0.5:
        items = [gold, *others]
        return joined(draw, items), joined(draw, draw.sample(items, len(items))), ENTAILMENT
    changed = [gold, *others[:-1], pools.other(draw, kind, (*row.golds, *others))]
    draw.shuffle(changed)
    return joined(draw, [gold, *others]), joined(draw, changed), CONTRADICTION


def numbered(draw: random.Random, row: Row, kind: str, pools: Pools) -> Made:
    """Return a correct answer's first word with a Roman numeral: the same one entails, another contradicts."""
    named = draw.choice(row.golds).split()[0].strip(",.'\"")
    if not named[:1].isupper() or len(named) < 3:
        return None
    first, second = draw.sample(forms.ROMAN, 2)
    before = draw.choice(("", "", "King ", "Pope ", "Queen ", "the "))
    if draw.random() < 0.4:
        said = f"{named} {first}"
        said = forms.carried(draw, said, "people") if draw.random() < 0.5 else said
        return said, f"{before}{named} {first}", ENTAILMENT
    return f"{named} {second}", f"{before}{named} {first}", CONTRADICTION


def joined(draw: random.Random, items: list[str]) -> str:
    """Return several items as one list, in one of the usual forms."""
    if draw.random() < 0.5:
        return ", ".join(items)
    return ", ".join(items[:-1]) + " and " + items[-1]


MAKERS = (same_form, in_context, both_carried, surname, near_miss, replaced, other_answer, denial, abstention,
          no_answer, listed, numbered)  # fmt: skip
WEIGHTS = (14, 12, 12, 4, 22, 12, 12, 7, 5, 6, 8, 6)
