"""Questions made from passages are answered by them, and their chains draw the right conclusion."""

import random
import re

import pytest

from engine.core.records import Passage
from engine.measures.answer_match import contains
from training.made_hops import both, earlier, made_chains, shared, which_is, year_of
from training.mention_hops import mentions, two_hops
from training.page_facts import COUNTRIES, PageFacts, page_facts, pages_of

TEXTS = {
    "The Blue Door (film)": "The Blue Door is a 1950 French drama film directed by Ann Lee and starring Tom Reed.",
    "The Red Door": "The Red Door is a 1931 American comedy film directed by Paul Orne.",
    "Ann Lee": "Ann Lee (3 May 1910 – 9 June 1980) was a French film director. She was born in Lyon. "
    "She studied at the University of Lyon.",
    "Paul Orne": "Paul Orne (born 9 July 1905) is an American actor. He was born in Boston, Massachusetts.",
    "Ida Falk": "Ida Falk (born May 1, 1944) is a French novelist. She won the prize in 1971.",
    "Gull Harbour": "Gull Harbour is a small town in Norland. The town was the home of Ida Falk until 1999.",
}


def page(title: str) -> PageFacts:
    return page_facts(Passage(text=TEXTS[title], title=title))


def pages() -> tuple[PageFacts, ...]:
    return pages_of([Passage(text=text, title=title) for title, text in TEXTS.items()])


def test_what_stands_in_the_first_sentences_is_read() -> None:
    assert page("Ann Lee").facts == {
        "born": "3 May 1910",
        "died": "9 June 1980",
        "birthplace": "Lyon",
        "nationality": "French",
        "trade": "film director",
        "school": "University of Lyon",
    }
    film = page("The Blue Door (film)")
    assert (film.name, film.kind) == ("The Blue Door", "film")
    assert film.facts == {"year": "1950", "director": "Ann Lee", "country": "French"}


def test_a_director_of_films_is_a_person_and_no_film() -> None:
    assert page_facts(Passage(text="Karl Anton is a German film director.", title="Karl Anton")).kind == "person"


def test_of_two_passages_with_one_name_the_one_that_tells_more_is_kept() -> None:
    kept = pages_of([Passage(text="Ann Lee was not at home on that day.", title="Ann Lee"), page("Ann Lee").passage])
    assert [one.facts["born"] for one in kept] == ["3 May 1910"]


@pytest.mark.parametrize("seed", range(12))
def test_the_earlier_of_two_is_the_one_with_the_smaller_year(seed: int) -> None:
    made = earlier(random.Random(seed), page("Ann Lee"), page("Paul Orne"))
    assert made is not None
    question, facts, answer, _ = made
    last = bool(re.search("younger|later", question))
    assert answer == ("Ann Lee" if last else "Paul Orne")
    assert facts[-1].startswith(f"Thus, {answer} was born")


@pytest.mark.parametrize(("other", "same"), [("Ida Falk", True), ("Paul Orne", False)])
def test_yes_is_said_where_both_share_a_nationality_and_no_where_they_do_not(other: str, same: bool) -> None:
    draws = [both(random.Random(seed), page("Ann Lee"), page(other)) for seed in range(12)]
    made = [one for one in draws if one is not None and "is French." in one[1][0]]
    assert len(made) >= 3
    assert {one[2] for one in made} == {"yes" if same else "no"}
    assert all(("not" in one[1][-1].split()) is not same for one in made)


def test_british_and_english_are_not_held_to_be_two_countries() -> None:
    people = [
        page_facts(Passage(text=f"{name} (born 3 May 1910) is {nation} poet.", title=name))
        for name, nation in (("Ann Lee", "a British"), ("Ida Falk", "an English"))
    ]
    draws = [both(random.Random(seed), *people) for seed in range(20)]
    assert all(made is None or "poets" in made[0] for made in draws)
    assert which_is(random.Random(0), *people) is None


def test_what_two_people_share_is_said_once_for_each() -> None:
    made = shared(random.Random(0), page("Ann Lee"), page("Ida Falk"))
    assert made is not None
    assert (made[1], made[2]) == (("Ann Lee is French.", "Ida Falk is French."), "French")


def test_a_mention_becomes_a_description_with_the_answer_asked_for() -> None:
    found = [mention for mention in mentions(pages()) if mention.page.name == "The Blue Door"]
    assert [(one.before, one.whom.name) for one in found] == [
        ("The Blue Door is a 1950 French drama film directed by", "Ann Lee")
    ]
    asked = {two_hops(random.Random(seed), found[0]) for seed in range(8)} - {None}
    assert any(one and one[2] == "Lyon" and "French film director who was born in wh" in one[0] for one in asked)
    assert all(one and one[1][0] == "The Blue Door is a 1950 French drama film directed by Ann Lee." for one in asked)


def test_every_made_question_is_answered_by_its_own_passages() -> None:
    chains = made_chains(pages(), (10, 10, 40), seed=1)
    assert len(chains) > 40
    for chain in chains:
        held = " ".join(f"{one.title} {one.text}" for one in chain.passages)
        spoken = chain.answers[0] in {"yes", "no", *COUNTRIES.values()} or contains(held, chain.answers)
        assert spoken, chain.question
        assert chain.reply.endswith(f"So the answer is {chain.answers[0]}.")
        assert not {one.title for one in chain.passages} & {one.title for one in chain.others}


def test_the_same_seed_makes_the_same_questions() -> None:
    assert made_chains(pages(), (5, 5, 20), seed=3) == made_chains(pages(), (5, 5, 20), seed=3)


def test_the_year_of_a_date_is_its_last_four_digits() -> None:
    assert [year_of(date) for date in ("3 May 1910", "May 3, 1910", "1910")] == [1910, 1910, 1910]
