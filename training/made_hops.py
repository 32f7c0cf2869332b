"""Questions of several hops made from passages: bridges, comparisons, and yes or no, each with its chain of facts.

Questions of several hops with written chains are few (``training.multihop`` gives 132). HotpotQA (Yang et al. 2018) and
2WikiMultihopQA (Ho et al. 2020) describe the kinds: a bridge ("Where was the director of X born?"), a comparison ("Who
was born first, X or Y?", "Are X and Y both from the same country?"), and the entity that two facts share. 2Wiki's were
made from templates too. The facts come from ``training.page_facts``; each reply states them one a sentence, draws the
conclusion where one has to be drawn, and closes with the answer. Only the seed decides what is made.
"""

import itertools
import random
import re
from collections.abc import Callable, Iterator, Sequence

from engine.backends.retrieval.bm25_index import Bm25Index, build_bm25
from training.mention_hops import mentions, two_hops
from training.page_facts import COUNTRIES, MAKERS, PageFacts
from training.reader_examples import shortened
from training.writer_examples import Chain, concluded

NEIGHBOURS = 8
DONE = {
    "director": "directed",
    "writer": "wrote",
    "producer": "produced",
    "composer": "composed the music of",
    "creator": "created",
    "founder": "founded",
    "publisher": "published",
    "developer": "developed",
    "designer": "designed",
    "performer": "performed",
}
BRITAIN = {"British", "English", "Scottish", "Welsh"}  # one country or two, as one takes it
ARTICLE_THINGS = ("film", "album", "song", "novel", "television series", "magazine", "band", "company", "school")
Made = tuple[str, Sequence[str], str, Sequence[PageFacts]]  # question, facts, answer, pages


def year_of(date: str) -> int:
    """Return the year of a date.

    >>> year_of("3 May 1950"), year_of("May 3, 1950"), year_of("1950")
    (1950, 1950, 1950)
    """
    return int(re.findall(r"\d{4}", date)[-1])


def called(page: PageFacts, draw: random.Random) -> str:
    """Return a thing's name in a question, sometimes with what it is."""
    plain = page.kind in ARTICLE_THINGS and draw.random() < 0.6
    return f"the {page.kind} {page.name}" if plain else page.name


def a_or_an(words: str) -> str:
    """Return words behind their article.

    >>> a_or_an("actor"), a_or_an("Dutch judge")
    ('an actor', 'a Dutch judge')
    """
    return f"{'an' if words[0].lower() in 'aeiou' else 'a'} {words}"


def dated(value: str) -> str:
    """Return a date or year behind its preposition.

    >>> dated("3 May 1950"), dated("1950")
    ('on 3 May 1950', 'in 1950')
    """
    return f"{'on' if ' ' in value else 'in'} {value}"


def told(person: PageFacts, fact: str) -> str:
    """Return a person's fact as a sentence."""
    value = person.facts[fact]
    said = {
        "born": f"was born {dated(value)}",
        "died": f"died {dated(value)}",
        "birthplace": f"was born in {value}",
        "nationality": f"is {value}",
        "trade": f"is {a_or_an(value)}",
        "school": f"studied at {value}",
        "parent": f"is the child of {value}",
        "spouse": f"is married to {value}",
    }
    return f"{person.name} {said[fact]}."


def asked(fact: str, whom: str, draw: random.Random) -> str:
    """Return a question for a person's fact."""
    forms = {
        "born": (f"When was {whom} born?", f"What is the date of birth of {whom}?", f"On what date was {whom} born?"),
        "died": (f"When did {whom} die?", f"What is the date of death of {whom}?"),
        "birthplace": (f"Where was {whom} born?", f"What is the place of birth of {whom}?"),
        "nationality": (f"What nationality is {whom}?", f"What is the nationality of {whom}?"),
        "trade": (f"What is the profession of {whom}?", f"What does {whom} do?"),
        "school": (f"At which school did {whom} study?", f"Which university or school did {whom} attend?"),
        "parent": (f"Who is a parent of {whom}?", f"Whose child is {whom}?"),
        "spouse": (f"Who is the spouse of {whom}?", f"To whom is {whom} married?"),
    }
    return draw.choice(forms[fact])


def bridged(draw: random.Random, page: PageFacts, maker: str, person: PageFacts) -> Made | None:
    """Return a question from a work over its maker to the maker's fact; None where the maker has none."""
    facts = [fact for fact in person.facts if person.facts[fact] not in {page.name, person.name}]
    if not facts:
        return None
    fact = draw.choice(facts)
    work, value = called(page, draw), person.facts[fact]
    if fact == "trade" and maker[:-2] in value.replace("writ", "write"):
        return None  # "The profession of the director is director."
    first = draw.choice((f"The {maker} of {page.name} is {person.name}.", f"{person.name} {DONE[maker]} {page.name}."))
    by_whom = f"{work[0].upper()}{work[1:]} was {MAKERS.get(maker, 'performed')} by a person"
    if fact == "born" and draw.random() < 0.3:
        answer, question = str(year_of(value)), f"{by_whom} born in what year?"
    elif fact == "trade" and draw.random() < 0.4:
        answer, question = value, f"{by_whom} of what profession?"
    elif fact == "nationality" and draw.random() < 0.5:
        answer, question = value.title(), f"{by_whom} of what nationality?"
        if draw.random() < 0.5:
            answer, question = COUNTRIES[value], f"Which country is the {maker} of {work} from?"
    else:
        whom = draw.choice((f"the {maker} of {work}", f"the person who {DONE[maker]} {work}"))
        answer, question = value, asked(fact, whom, draw)
    return question, (first, told(person, fact)), answer, (page, person)


def met(draw: random.Random, page: PageFacts, maker: str, person: PageFacts) -> Made | None:
    """Return a question for the person whom two facts describe: what was made, and what is said of the person."""
    facts = [fact for fact in ("born", "birthplace", "school", "nationality") if fact in person.facts]
    if not facts:
        return None
    fact, trade = draw.choice(facts), person.facts.get("trade", "person")
    value = person.facts[fact]
    which = {
        "born": f"{trade} born {dated(value)}",
        "birthplace": f"{trade} born in {value}",
        "school": f"{trade} who studied at {value}",
        "nationality": f"{value} {trade}",
    }[fact]
    question = draw.choice(
        (
            f"Which {which} {DONE[maker]} {called(page, draw)}?",
            f"What is the name of the {which} who {DONE[maker]} {page.name}?",
        )
    )
    return question, (f"{person.name} {DONE[maker]} {page.name}.", told(person, fact)), person.name, (page, person)


def work_of(draw: random.Random, page: PageFacts, maker: str, person: PageFacts) -> Made | None:
    """Return a question for the work of a person whom a fact describes."""
    if "born" not in person.facts or page.kind not in ARTICLE_THINGS:
        return None
    who = f"{a_or_an(person.facts.get('trade', 'person'))} born {dated(person.facts['born'])}"
    year = f" {page.facts['year']}" if "year" in page.facts else ""
    question = f"Which{year} {page.kind} was {MAKERS.get(maker, 'performed')} by {who}?"
    return question, (told(person, "born"), f"{person.name} {DONE[maker]} {page.name}."), page.name, (person, page)


def earlier(draw: random.Random, first: PageFacts, other: PageFacts) -> Made | None:
    """Return which of two people was born or died first or last, or which work or band is older."""
    common = [fact for fact in ("born", "died", "year", "founded") if fact in first.facts and fact in other.facts]
    if not common:
        return None
    fact = draw.choice(common)
    years = [year_of(page.facts[fact]) for page in (first, other)]
    if years[0] == years[1]:
        return None
    young = draw.random() < 0.35
    forms, word = comparison(fact, young, first.kind)
    chosen = (first, other)[(years[0] < years[1]) == young]
    sentences = [when(page, fact) for page in (first, other)]
    question = f"{draw.choice(forms)}, {first.name} or {other.name}?"
    return question, (*sentences, f"Thus, {chosen.name} {word}."), chosen.name, (first, other)


def when(page: PageFacts, fact: str) -> str:
    """Return a dated fact as a sentence."""
    if fact in {"born", "died"}:
        return told(page, fact)
    return f"{page.name} was {'released' if fact == 'year' else 'founded'} in {page.facts[fact]}."


def comparison(fact: str, young: bool, kind: str) -> tuple[tuple[str, ...], str]:
    """Return the beginnings of a comparing question and the words of its conclusion."""
    if fact == "born":
        forms = (
            ("Who is younger", "Who was born later")
            if young
            else ("Who is older", "Who was born first", "Who was born earlier")
        )
        return forms, "was born later" if young else "was born first"
    if fact == "died":
        return (("Who died later",), "died later") if young else (("Who died first", "Who died earlier"), "died first")
    verb = "founded" if fact == "founded" else "released"
    if young:
        return (f"Which {kind} was {verb} more recently", f"Which {kind} was {verb} later"), f"was {verb} later"
    forms = (
        f"Which {kind} was {verb} first",
        f"Which {kind} came out first" if verb == "released" else f"Which {kind} is older",
    )
    return (*forms, f"Which {kind} was {verb} earlier"), f"was {verb} first"


def from_where(thing: PageFacts) -> str:
    """Return which country a thing is from, as a sentence."""
    what = a_or_an(f"{thing.facts['country']} {thing.kind}")
    return f"{thing.name} is {what}."


def both(draw: random.Random, first: PageFacts, other: PageFacts) -> Made | None:
    """Return whether two people or works share a nationality or profession, yes or no."""
    fact = draw.choice([fact for fact in ("nationality", "trade", "country") if fact in first.facts] or [""])
    if not fact or fact not in other.facts:
        return None
    values = [page.facts[fact] for page in (first, other)]
    same = values[0] == values[1]
    if not same and set(values) <= BRITAIN:
        return None
    pair = f"{first.name} and {other.name}"
    said = [from_where(page) if fact == "country" else told(page, fact) for page in (first, other)]
    if fact == "trade":
        if not same and holds_both(first, other):
            return None
        plural = f"{values[0]}s"
        question = draw.choice((f"Are {pair} both {plural}?", f"Are both {pair} {plural}?"))
        word = f"both {plural}"
    elif draw.random() < 0.5:
        question = draw.choice((f"Are {pair} from the same country?", f"Do {pair} have the same nationality?"))
        word = "from the same country"
    else:
        question = draw.choice((f"Are {pair} both {values[0]}?", f"Are both {pair} {values[0]}?"))
        word = f"both {values[0]}"
    conclusion = f"Thus, they are {'' if same else 'not '}{word}."
    return question, (*said, conclusion), "yes" if same else "no", (first, other)


def holds_both(first: PageFacts, other: PageFacts) -> bool:
    """Return whether a page's beginning also holds the other's profession: many people have two."""
    return any(
        page.facts["trade"].split()[-1] in mate.passage.text[:300] for page, mate in ((first, other), (other, first))
    )


def shared(draw: random.Random, first: PageFacts, other: PageFacts) -> Made | None:
    """Return what two people have in common: their nationality or profession."""
    same = [
        fact
        for fact in ("nationality", "trade")
        if first.facts.get(fact) and first.facts[fact] == other.facts.get(fact)
    ]
    if not same:
        return None
    fact, pair = draw.choice(same), f"{first.name} and {other.name}"
    forms = {
        "nationality": (f"What nationality do {pair} share?", f"Of what nationality are both {pair}?"),
        "trade": (f"What profession do {pair} share?", f"What occupation do {pair} have in common?"),
    }[fact]
    answer = first.facts[fact]
    return draw.choice(forms), (told(first, fact), told(other, fact)), answer, (first, other)


def which_is(draw: random.Random, first: PageFacts, other: PageFacts) -> Made | None:
    """Return which of two people or works has a nationality that the other has not."""
    fact = "nationality" if "nationality" in first.facts else "country"
    values = {page.facts.get(fact, "") for page in (first, other)}
    if "" in values or len(values) == 1 or values <= BRITAIN:
        return None
    chosen = draw.choice((first, other))
    what = chosen.facts.get("trade", "person") if chosen.kind == "person" else chosen.kind
    question = draw.choice(
        (
            f"Which {what} is {chosen.facts[fact]}, {first.name} or {other.name}?",
            f"Who or what is {chosen.facts[fact]}, {first.name} or {other.name}?",
        )
    )
    said = [from_where(page) if fact == "country" else told(page, fact) for page in (first, other)]
    return question, (*said, f"Thus, {chosen.name} is {chosen.facts[fact]}."), chosen.name, (first, other)


COMPARED: tuple[Callable[[random.Random, PageFacts, PageFacts], Made | None], ...] = (
    earlier,
    earlier,
    both,
    both,
    which_is,
    shared,
)
BRIDGED = (bridged, bridged, bridged, met, work_of)


def bridges(draw: random.Random, pages: Sequence[PageFacts]) -> Iterator[Made]:
    """Yield one question for each work whose maker has a page, in random order."""
    people = {page.name: page for page in pages if page.kind == "person"}
    links = [
        (page, maker, people[page.facts[maker]])
        for page in pages
        for maker in DONE
        if page.kind != "person" and page.facts.get(maker) in people
    ]
    draw.shuffle(links)
    for page, maker, person in links:
        made = draw.choice(BRIDGED)(draw, page, maker, person)
        if made:
            yield made


def comparisons(draw: random.Random, pages: Sequence[PageFacts]) -> Iterator[Made]:
    """Yield comparisons of two pages of one kind, without end; every kind is drawn as often as it can be compared."""
    kinds = {kind: [page for page in pages if page.kind == kind] for kind in {page.kind for page in pages} - {""}}
    order = [kind for kind in sorted(kinds) if len(kinds[kind]) > 1]
    weights = [min(len(kinds[kind]), 400) for kind in order]
    while True:
        first, other = draw.sample(kinds[draw.choices(order, weights)[0]], 2)
        made = draw.choice(COMPARED)(draw, first, other)
        if made:
            yield made


def mentioned(draw: random.Random, pages: Sequence[PageFacts], most: int) -> Iterator[Made]:
    """Yield questions over mentions, at most two of one mention."""
    found = list(mentions(pages)) * 2
    draw.shuffle(found)
    made: dict[str, Made] = {}
    for mention in found:
        if len(made) == most:
            break
        if (hops := two_hops(draw, mention)) is not None:
            question, facts, answer = hops
            made[question] = (question, facts, answer, (mention.page, mention.whom))
    yield from made.values()


def made_chains(pages: Sequence[PageFacts], counts: tuple[int, int, int], seed: int) -> tuple[Chain, ...]:
    """Return made questions with their chains: so many bridges, over mentions, and comparisons at most.

    Each question's nearest passages by BM25 distract, of other pages and without the answer.
    """
    draw = random.Random(seed)
    index = build_bm25([f"{page.name} {page.passage.text}" for page in pages])
    found = [
        *itertools.islice(bridges(draw, pages), counts[0]),
        *mentioned(draw, pages, counts[1]),
        *itertools.islice(comparisons(draw, pages), counts[2]),
    ]
    return tuple(made_chain(made, pages, index) for made in found)


def made_chain(made: Made, pages: Sequence[PageFacts], index: Bm25Index) -> Chain:
    """Return a made question's chain with what distracts from it."""
    question, facts, answer, told_by = made
    names, scores = {page.name for page in told_by}, index.scores(question)
    near = sorted(range(len(pages)), key=lambda place: -scores[place])[: NEIGHBOURS + len(names)]
    return Chain(
        question=question,
        reply=concluded(list(facts), answer),
        passages=tuple(shortened(page.passage, (answer,)) for page in told_by),
        others=tuple(shortened(pages[place].passage, ("",)) for place in near if pages[place].name not in names),
        answers=(answer,),
    )
