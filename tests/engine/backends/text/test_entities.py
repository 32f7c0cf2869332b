"""What is worth counting, and what is not."""

from itertools import pairwise

from engine.backends.text import load_text_tools


def names(text: str) -> list[str]:
    return [entity.text for entity in load_text_tools().entities(text)]


def test_entities_are_names_dates_quantities_and_specific_things() -> None:
    failing = [
        (text, expected)
        for text, expected in [
            ("When did the composer of The Magic Flute die?", ["The Magic Flute"]),
            (
                "Charles Darwin published On the Origin of Species in 1859.",
                ["Charles Darwin", "On the Origin of Species", "1859"],
            ),
            (
                "The Treaty of Westphalia ended the Thirty Years' War in 1648.",
                ["Treaty of Westphalia", "Thirty Years' War", "1648"],
            ),
            ("Marie and Pierre Curie shared a prize.", ["Marie", "Pierre Curie"]),
            ("Queen Victoria reigned from 1837 to 1901.", ["Queen Victoria", "1837", "1901"]),
            ("Coulson Wallop's father studied at Eton College.", ["Coulson Wallop", "Eton College"]),
            ("What is the largest planet?", ["largest planet"]),
            ("Who discovered penicillin?", ["penicillin"]),
            ("the Danube", ["Danube"]),
            ("what is the capital of australia", ["australia"]),
            ("what year is the deer hunter set in", ["deer hunter"]),
            (
                "Juan Bustillo Oro( 2 June 1904 – 10 June 1989) was a director.",
                ["Juan Bustillo Oro", "2 June 1904", "10 June 1989"],
            ),
            ("<p>Marie Curie</p>", ["Marie Curie"]),
            ("The film was directed by Fritz Lang.", ["Fritz Lang"]),
        ]
        if names(text) != expected
    ]
    assert failing == []


def test_a_peoples_adjective_and_a_role_are_not_counted() -> None:
    assert names("Pierre Curie was a French physicist.") == ["Pierre Curie"]


def test_pronouns_and_ordinals_are_not_counted() -> None:
    assert names("She was the first.") == []


def test_entities_never_overlap_and_come_in_order() -> None:
    text = (
        "Nelson Mandela, born in Mvezo on 18 July 1918, shared the Nobel Peace Prize with F. W. de Klerk in 1993. " * 3
    )
    found = load_text_tools().entities(text)
    assert len(found) == 18
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all(text[entity.start : entity.end] == entity.text for entity in found)


def test_the_letter_of_a_unit_or_a_key_is_no_name_and_other_lone_letters_are() -> None:
    assert names("The metal mercury freezes at -39 °C.") == ["metal mercury"]
    assert "C" not in names("The manuscript for Flute Sonata in C major is in the hand of a German musician.")
    assert names("Who wrote V?") == ["V"]


def test_a_name_keeps_its_hyphens_its_number_and_its_company() -> None:
    assert names("Alexander Fleming was born in Stoke-on-Trent.") == ["Alexander Fleming", "Stoke-on-Trent"]
    assert names("Symphony No. 40 was composed by Mozart.") == ["Symphony No. 40", "Mozart"]
    assert names("Piano Sonata No. 14 was completed by Beethoven.") == ["Piano Sonata No. 14", "Beethoven"]
    assert names("The Rose was built for the Admiral's Men.") == ["Rose", "Admiral's Men"]


def test_a_number_that_can_count_nothing_belongs_to_the_name_before_it() -> None:
    assert names("How many times did Apollo 8 circle the Moon?") == ["Apollo 8", "Moon"]
    assert names("Did Norway win 3 medals?") == ["Norway", "3 medals"]


def test_words_that_pick_out_nothing_are_not_counted() -> None:
    assert names("Most people get creatine through red meat.") == ["creatine", "red meat"]
    assert names("The process is used in most countries.") == []
    assert names("The most stable isotope is radium-226.") == ["most stable isotope"]


def test_what_a_role_or_a_class_leads_to_is_counted() -> None:
    assert names("Alexander Graham Bell was the inventor of the telephone.") == ["Alexander Graham Bell", "telephone"]
    assert names("Gustave Eiffel was the designer of the iron frame inside the Statue of Liberty.") == [
        "Gustave Eiffel",
        "Statue of Liberty",
    ]


def test_how_many_and_what_for_pick_out_nothing() -> None:
    expected = {
        "Which launch site did the Orbis telescope start from?": ["Orbis"],
        "Which three metals does the Torv alloy contain?": ["Torv"],
        "In which country was the composer of the opera Ravel Bay born?": ["Ravel Bay"],
        "Who invented the telescope?": ["telescope"],
    }
    assert {text: names(text) for text in expected} == expected


def test_a_class_beside_a_name_makes_no_claim_of_its_own_but_a_named_one_does() -> None:
    tools = load_text_tools()
    pairs = {
        text: [(one.head.text, one.tail.text) for one in tools.triplets(text) if one.tail is not None]
        for text in (
            "The opera Ravel Bay was written by Mozart.",
            "The telescope was launched from the launch site at Cape Canaveral.",
            "The Hubble telescope was launched from Cape Canaveral.",
            "Galileo observed the moons with the help of a telescope.",
        )
    }
    assert list(pairs.values()) == [
        [("Ravel Bay", "Mozart")],
        [],
        [("Hubble telescope", "Cape Canaveral")],
        [("Galileo", "moons"), ("Galileo", "telescope")],
    ]


def test_the_number_that_opens_a_list_or_its_next_line_is_not_counted() -> None:
    opened = "The main sources of economic growth in the United States are: 1."
    assert names(opened) == ["United States"] and load_text_tools().triplets(opened) == ()
    assert names("2. The moon landing.") == ["moon landing"]
    assert names("The answer is: 7.") == ["7"] and names("7.") == ["7"]


def test_a_year_belongs_to_the_name_that_names_many_without_it() -> None:
    assert names("The Immigration Act of 1924 was passed in Canada.") == ["Immigration Act of 1924", "Canada"]
    assert names("The War of 1812 ended in 1815.") == ["War of 1812", "1815"]
    assert names("He won the Tour de France of 1998.") == ["Tour de France", "1998"]
