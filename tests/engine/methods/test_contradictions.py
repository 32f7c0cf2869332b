"""Which sentences may contradict each other, by the real parser, and what a judge's word makes of them."""

import pytest

from engine.backends.entailment.base import CONTRADICTION, NEUTRAL
from engine.backends.entailment.scripted import ScriptedJudge
from engine.backends.text import load_text_tools
from engine.core.errors import NotMeasured
from engine.core.records import Passage
from engine.methods.contradictions import ContradictionsConfig, run
from engine.methods.rival_sentences import rivalry
from engine.methods.sentence_facts import facts_in
from tests.engine.methods.scripted_case import backends, case

FIRST = Passage(title="Clock", text="The tower is tall. Mira Halden built the Harbour Clock in Korvel.")
SECOND = Passage(title="Quay", text="Joren Halden built the Harbour Clock. Blue tiles cover the tower.")


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        ("Mira Halden built the Harbour Clock.", "The Harbour Clock was built by Joren Halden.", "name"),
        ("Lake Morrin is 212 metres deep.", "It was found that Lake Morrin is 96 metres deep.", "number"),
        ("The Salt Road was performed on 12 March 1866.", "The Salt Road was performed on 3 May 1869.", "date"),
        ("Tokyo is the capital of Japan.", "Osaka is the capital of Japan.", "name"),
        ("Gustave Eiffel designed a bridge in Porto.", "Gustave Eiffel designed a tower in Paris.", None),
        ("Mount Ildan is a peak on Tervane.", "Mount Sorrel is a peak on Tervane.", None),
        ("A rocket launched Apollo 11 on 16 July 1969.", "A rocket launched Apollo 8 on 21 December 1968.", None),
        ("The summit was reached in 1953.", "The summit was reached on 29 May 1953.", None),
        ("Ann Fell climbed Mount Ildan from 1935 onward.", "Ann Fell climbed Mount Ildan in 1953.", None),
        ("Ann Fell climbed Mount Ildan in 1935.", "Ann Fell climbed Mount Ildan in 1953.", "date"),
        ("Ann Fell climbed Mount Ildan in 1935.", "Jon Reik climbed Mount Ildan in 1953.", None),
        ("Toronto is the largest city in Canada.", "Montreal is the largest city in Quebec in Canada.", None),
        ("Mount Ildan rises to 1,914 metres until June.", "Mount Ildan, 1,914 metres, is on Tervane.", None),
        (
            "Ada Reik was an engineer, born in Korvel on 5 May 1859.",
            "Lea Reik was born in Korvel on 2 June 1897.",
            None,
        ),
        ("Ada Reik was an engineer, born in Korvel on 5 May 1859.", "Ada Reik was born in Korvel in 1857.", "date"),
        ("In Korvel, Lake Tower was built in 1798.", "Bell Tower in Korvel was built in 1801.", None),
        ("In Korvel, Lake Tower was built in 1798.", "Lake Tower was built for Korvel in 1801.", "date"),
        ("Pure water boils at 100 degrees at sea level.", "Pure water boils at 90 degrees at sea level.", "number"),
        ("Pure water boils at 100 degrees at sea level.", "Pure water freezes at 0 degrees in a lake.", None),
        ("The Velna observatory opened in 1911.", "By one account, the Velna observatory opened in 1917.", "date"),
        ("The Velna works opened in 1911.", "According to the archive, the Velna works opened in 1917.", "date"),
        ("The Velna firm opened a shop in Bonn in 1911.", "The Velna firm opened a shop in Bern in 1917.", None),
        ("The castle at Selm was built in 1150.", "The abbey at Selm was built in 1128.", None),
        ("The castle at Selm was built in 1150.", "Selm's castle was built in 1250.", "date"),
        ("Selm has a castle that was built in 1150.", "Selm has an abbey that was built in 1128.", None),
        ("The Vark bridge opened in 1901.", "The Vark station opened in 1911.", None),
        ("The stone bridge of Selm was built in 1901.", "The bridge of Selm was built in 1980.", "date"),
        ("The old bridge of Selm was built in 1901.", "The new bridge of Selm was built in 1980.", None),
        ("The film Selm was released in 1999.", "The novel Selm was released in 1987.", None),
        ("Selm was founded in 1150.", "The castle of Selm was founded in 1250.", None),
        ("The city of Selm was founded in 1150.", "Selm was founded in 1250.", "date"),
        ("Ann Fell's father died in 1901.", "Ann Fell died in 1920.", None),
        ("Ann Fell, a painter, died in 1901.", "Ann Fell, a poet, died in 1905.", "date"),
        ("The painter Ann Fell died in 1901.", "The poet Ann Fell died in 1905.", "date"),
        ("The church of Selm was finished in 1901.", "Selm Church was finished in 1910.", "date"),
        ("The price of tea rose by 5 percent in March.", "The price of coffee rose by 8 percent in March.", None),
        ("In 1901 the Kelm theatre was built by Ann Fell.", "In 1901 the Kelm museum was built by Jon Reik.", None),
        ("Ferdinand de Lesseps was convicted in Paris.", "When Ferdinand de Lesseps fell, Eiffel was convicted.", None),
    ],
)
def test_two_sentences_are_rivals_in_one_value_of_one_thing(one: str, other: str, differs: str | None) -> None:
    tools = load_text_tools()
    (first,), (second,) = (facts_in(Passage(text=text), tools) for text in (one, other))
    found = rivalry(first, second)
    assert (found.kind if found else None) == differs


@pytest.mark.parametrize(
    ("one", "other", "differs"),
    [
        # Two episodes, two songs, two persons of one family name, each in a passage without a title.
        (
            "Chickenlover is an episode of the series. It first aired on Comedy Central on May 27, 1998.",
            "Douche and Turd is an episode of the series. It first aired on Comedy Central on October 27, 2004.",
            set(),
        ),
        (
            "Kate Ramsay is a character from the soap opera Neighbours, played by Ashleigh Brewer.",
            "Madge Bishop (also Ramsay) is a character from the soap opera Neighbours, played by Anne Charleston.",
            set(),
        ),
        ("It first aired on Comedy Central in 1998.", "It first aired on Comedy Central in 2004.", set()),
        ("The film was released on 19 August 2016.", "The film was released on 10 June 2016.", set()),
        # "It" is what the passage begins with.
        (
            "The Brackwater Bridge was opened in 1931. It is 412 metres long and carries two lanes of traffic.",
            "The Brackwater Bridge is 640 metres long. It was opened in 1931 by the mayor of Selm.",
            {"number"},
        ),
        # One episode, told in two ways.
        (
            "Chickenlover is an episode of the series. It first aired on Comedy Central on May 27, 1998.",
            "Chickenlover is the fourth episode. It first aired on Comedy Central on June 3, 1998.",
            {"date"},
        ),
    ],
)
def test_a_passage_without_a_title_is_about_the_name_it_begins_with(one: str, other: str, differs: set[str]) -> None:
    tools = load_text_tools()
    first, second = (facts_in(Passage(text=text), tools) for text in (one, other))
    found = {why.kind for a in first for b in second if (why := rivalry(a, b)) is not None}
    assert found == differs


@pytest.mark.parametrize(
    ("title", "one", "beside", "other", "differs"),
    [
        # Each building, band and ship of its own kind has its own year, place and maker.
        ("Elm Hall", "The hall was listed in Pell in 2003.", "Oak Hall", "The hall was listed in Pell in 1972.", None),
        ("Elm Hall", "The hall was listed in Korvel in 2003.", "Elm Hall", "It was listed in Korvel in 1972.", "date"),
        ("", "The hall was listed in Korvel in 2003.", "", "The hall was listed in Korvel in 1972.", "date"),
        ("Elm Hall", "The hall was first listed in 2003.", "Oak Hall", "The hall was first listed in 1972.", None),
        ("Elm Hall", "The hall was first listed in 2003.", "Elm Hall", "The hall was first listed in 1972.", "date"),
        ("Rovers", "The Rovers joined the Pell League in 1960.", "Selm Town", "Town joined the Pell League.", None),
        (
            "HD 36",
            "The HD 36 was a trainer built in Norway by Reik.",
            "HD 32",
            "HD 32 was built in Norway by Fell.",
            None,
        ),
        ("Elm", "The Elm is a river in Norway.", "Oak", "The Oak is a river in Norway near Pell.", None),
        ("Ada Reik", "She won the Pell Cup in 1960.", "Lea Fell", "She won the Pell Cup in 1972.", None),
        # One deed has one doer, whatever the passages are about.
        ("Ada Reik", "Ada Reik wrote Salt Road.", "Lea Fell", "Lea Fell wrote Salt Road.", "name"),
        (
            "Ada Reik",
            "Ada Reik is the maker of the Pell Lamp.",
            "Fell",
            "Lea Fell is the maker of the Pell Lamp.",
            "name",
        ),
        # A clause of its own: the sentence is about a plumb line, what is measured is the lake.
        (
            "Lake Elm",
            "Lake Elm is 212 metres deep.",
            "Waters",
            "A line showed that Lake Elm is 96 metres deep.",
            "number",
        ),
    ],
)
def test_sentences_about_two_things_are_rivals_only_in_what_one_alone_can_be_or_have_done(
    title: str, one: str, beside: str, other: str, differs: str | None
) -> None:
    tools = load_text_tools()
    (first,), (second,) = (
        facts_in(Passage(title=name, text=text), tools) for name, text in ((title, one), (beside, other))
    )
    found = rivalry(first, second)
    assert (found.kind if found else None) == differs


@pytest.mark.parametrize(("said", "flagged"), [(CONTRADICTION, 1), (NEUTRAL, 0)])
def test_a_pair_counts_by_the_judges_mean_of_both_directions(said: int, flagged: int) -> None:
    backend = backends(lambda request: "Mira Halden", sentence_judge=ScriptedJudge(lambda one, other: said), rules=True)
    result = run(case(backend, (FIRST, SECOND)), ContradictionsConfig(), backend)
    (pair,) = result.pairs
    assert (pair.first.text, pair.second.text) == (
        "Mira Halden built the Harbour Clock in Korvel.",
        "Joren Halden built the Harbour Clock.",
    )
    assert (pair.differs, pair.names, result.sentences, result.candidates) == ("name", ("Harbour Clock",), 4, 1)
    assert pair.contradiction == (pair.forward + pair.backward) / 2 == result.strongest
    assert len(result.contradicting) == flagged
    assert FIRST.text[pair.first.start : pair.first.end].strip() == pair.first.text


def test_copies_of_one_passage_cannot_contradict_each_other() -> None:
    backend = backends(lambda request: "Mira Halden", rules=True)
    with pytest.raises(NotMeasured):
        run(case(backend, (FIRST, FIRST)), ContradictionsConfig(), backend)


@pytest.mark.parametrize(
    ("titles", "texts"),
    [
        (("Selm (film)", "Selm (novel)"), ("Selm was released in 1999.", "Selm was released in 1987.")),
        (
            ("Midway (near Vark), Karst", "Midway, Orlen"),
            ("Midway is a village in Karst.", "Midway is a village in Orlen."),
        ),
        (("Selm", "Selm"), ("The castle was built in 1150.", "The abbey was built in 1128.")),
    ],
)
def test_two_things_of_one_name_are_no_rivals(titles: tuple[str, str], texts: tuple[str, str]) -> None:
    tools = load_text_tools()
    (one,), (other,) = (
        facts_in(Passage(title=title, text=text), tools) for title, text in zip(titles, texts, strict=True)
    )
    assert rivalry(one, other) is None
