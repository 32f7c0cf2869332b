"""Labelled pairs of answers to train the judge: judged by people, made from those, and from WordNet.

Premise and hypothesis may be swapped: extra detail leaves entailment intact both ways. A wrong answer contradicts; an
abstention or no answer is neutral. Only the seed decides which pairs are drawn.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from engine.backends.entailment.answers import abstains, content, words
from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT, NEUTRAL
from engine.measures.answer_match import contains, exact_match
from training import answer_forms as forms
from training.evouna import Row, answer_type
from training.wordnet import Synset, families, gloss_question

TRIES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One training example; ``kind`` says where it comes from."""

    question: str
    premise: str
    hypothesis: str
    label: int
    kind: str


def swapped(pair: Pair) -> Pair:
    """Return the pair with premise and hypothesis swapped."""
    return Pair(
        question=pair.question, premise=pair.hypothesis, hypothesis=pair.premise, label=pair.label, kind=pair.kind
    )


def epoch_pairs(rows: Iterable[Row], synsets: tuple[Synset, ...], seed: int, wordnet: int, made: float) -> list[Pair]:
    """Return one epoch's pairs, shuffled: judged answers, pairs of answers, ``made`` forms per row, WordNet pairs."""
    draw = random.Random(seed)
    rows = list(rows)
    pairs = [
        *(pair for row in rows for pair in judged_pairs(draw, row)),
        *answer_pairs(draw, rows),
        *made_pairs(draw, rows, made),
        *(wordnet_pairs(draw, synsets, wordnet) if wordnet else ()),
    ]
    pairs = [swapped(pair) if draw.random() < 0.35 else pair for pair in pairs]
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
    out, at = [], 0
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
