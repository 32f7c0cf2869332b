"""The claims of one sentence, case by case."""

from engine.backends.text import load_text_tools


def claims(sentence: str) -> list[tuple[str, str, str | None]]:
    return [(t.head.text, t.relation, t.tail.text if t.tail else None) for t in load_text_tools().triplets(sentence)]


def test_a_statement_gives_each_of_its_claims() -> None:
    failing = [
        (sentence, expected)
        for sentence, expected in [
            ("Kumbasaram was released in 2017.", [("Kumbasaram", "released in", "2017")]),
            (
                "Coulson Wallop's father, Nigel Wallop, studied at Eton College.",
                [("Coulson Wallop", "father", "Nigel Wallop"), ("Nigel Wallop", "studied at", "Eton College")],
            ),
            ("Canberra is the capital of Australia.", [("Canberra", "is the capital of", "Australia")]),
            ("Lothair II's mother is Ermengarde of Tours.", [("Lothair II", "mother", "Ermengarde of Tours")]),
            (
                "The tower that Gustave Eiffel built stands in Paris.",
                [("Gustave Eiffel", "built", "tower"), ("tower", "stands in", "Paris")],
            ),
            (
                "Citizen Kane was directed by Orson Welles and released in 1941.",
                [("Citizen Kane", "directed by", "Orson Welles"), ("Citizen Kane", "released in", "1941")],
            ),
            ("Mount Everest is 8,849 metres high.", [("Mount Everest", "is high", "8,849 metres")]),
        ]
        if claims(sentence) != expected
    ]
    assert failing == []


def test_a_descriptive_subject_gives_a_claim_of_what_it_is_told_by() -> None:
    for sentence, expected in {
        "The leader of the team that extracted penicillin was Norman Heatley.": [
            ("penicillin", "leader of team extracted", "Norman Heatley")
        ],
        "The man who bought London Bridge was Robert McCulloch.": [("London Bridge", "man bought", "Robert McCulloch")],
        "The engineer who designed the Statue of Liberty's frame was born in Dijon.": [
            ("Statue of Liberty", "engineer designed frame born in", "Dijon")
        ],
        "The person who led the team that extracted penicillin was born in Adelaide.": [
            ("penicillin", "person led team extracted born in", "Adelaide")
        ],
        "The director of the film that won the prize is Sofia Coppola.": [],
    }.items():
        assert claims(sentence) == expected, sentence


def test_a_role_names_nobody() -> None:
    for sentence in ("The buyer of London Bridge was an office employee.", "Two climbers reached the summit of K2."):
        assert claims(sentence) == [], sentence


def test_a_question_gives_its_first_hop() -> None:
    failing = [
        (question, expected)
        for question, expected in [
            (
                "Which film came out first, Kumbasaram or Mystery Of The 13Th Guest?",
                [("Kumbasaram", "came out", None), ("Mystery Of The 13Th Guest", "came out", None)],
            ),
            ("Where did Diane Meyer Simon's husband graduate from?", [("Diane Meyer Simon", "husband", None)]),
            ("who discovered penicillin in 1928", [("penicillin", "discovered", None)]),
        ]
        if claims(question) != expected
    ]
    assert failing == []


def test_a_conclusion_gives_none() -> None:
    failing = [
        sentence
        for sentence in [
            "Thus, Kumbasaram came out first.",
            "Therefore, Robert Enrico, the director of The Woman Thou Gavest Me, was born first.",
            "The answer is Canberra.",
        ]
        if claims(sentence) != []
    ]
    assert failing == []


def test_what_points_back_to_another_sentence_gives_no_claim() -> None:
    failing = [
        sentence
        for sentence in ["It was built in 1889.", "She met Pablo Picasso in Paris.", "The film won in 1990."]
        if claims(sentence) != []
    ]
    assert failing == []


def test_a_pronoun_counts_where_its_own_sentence_names_one_person() -> None:
    assert claims("Vincent van Gogh painted while he lived in Arles.") == [("Vincent van Gogh", "lived in", "Arles")]
    two = "Vincent van Gogh met Paul Gauguin while he lived in Arles."
    assert ("Vincent van Gogh", "lived in", "Arles") not in claims(two)


def test_a_negated_clause_claims_nothing() -> None:
    assert claims("Albert Einstein was not born in Berlin.") == []


def test_a_word_that_only_leads_to_the_thing_is_no_end_of_a_claim() -> None:
    assert claims("Marie Curie pioneered the study of radioactivity.") == [
        ("Marie Curie", "pioneered study of", "radioactivity")
    ]
    assert claims("Alexander Graham Bell was the inventor of the telephone.") == [
        ("Alexander Graham Bell", "was inventor of", "telephone")
    ]
    assert claims("Petra Vossen was a surveyor of the invented island of Tervane.") == [
        ("Petra Vossen", "was surveyor of invented island of", "Tervane")
    ]


def test_a_class_and_words_that_pick_out_nothing_give_no_claim() -> None:
    failing = [
        (sentence, found)
        for sentence in [
            "Most people get creatine through red meat.",
            "Several reasons led to the war.",
            "Edmund Hillary led the expedition.",
            "This record was set by Usain Bolt in 2009.",
            "The process is used in most countries.",
        ]
        if (found := claims(sentence)) != []
    ]
    assert failing == []


def test_a_claim_of_many_things_is_one_of_the_things() -> None:
    assert claims("Iceland has several glaciers.") == [("Iceland", "has", "glaciers")]
