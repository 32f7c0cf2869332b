"""The similarity judge against pairs written by hand."""

import numpy as np
import pytest

from engine.backends.entailment import load_judge
from engine.backends.entailment.rules import same_word, similar_spelling
from engine.backends.entailment.similarity import SimilarityJudge
from engine.backends.retrieval.base import embeddings
from engine.backends.retrieval.scripted import HashedWords

RULED = SimilarityJudge(HashedWords())
CAPITAL, MOON, KING = "What is the capital of France?", "When did men first land on the Moon?", "Who was king in 1940?"
BORN, YESNO = "When did he move to Paris?", "Is Paris the capital of France?"

HIGH_BOTH_WAYS = [
    (CAPITAL, "Paris", "Paris"),
    (CAPITAL, "Paris", "It is Paris."),
    (CAPITAL, "Paris", "The capital of France is Paris."),
    (CAPITAL, "paris!", "The answer is PARIS"),
    (MOON, "July 20, 1969", "20 July 1969"),
    (MOON, "1969-07-20", "July 20th, 1969"),
    (MOON, "on 20 July 1969", "July 20, 1969."),
    ("How many moons has Mars?", "two", "2"),
    ("How many?", "1,000", "1000"),
    ("How many?", "twenty-one", "21"),
    ("Which war?", "World War II", "World War Two"),
    ("Who found X-rays?", "Wilhelm Röntgen", "Wilhelm Rontgen"),
    (YESNO, "Yes", "Yes, it is."),
    (YESNO, "No.", "No, Lyon is."),
    ("Which language?", "C++", "c++"),
]
HIGH_ONE_WAY = [
    (BORN, "In 1960, at the age of 18", "1960"),
    (CAPITAL, "Paris, the largest city of the country", "Paris"),
    ("Who wrote Hamlet?", "It was written by William Shakespeare in 1600.", "William Shakespeare"),
    ("Who wrote Hamlet?", "William Shakespeare", "Shakespeare"),
    (MOON, "20 July 1969", "1969"),
    ("When was it built?", "1984", "the 1980s"),
    ("Who sang it?", "Dawn featuring Tony Orlando", "Tony Orlando and Dawn"),
]
CONTRADICTIONS = [
    (BORN, "1960", "1961"),
    (BORN, "in 1960", "In 1961."),
    (CAPITAL, "not Paris", "Paris"),
    (CAPITAL, "Paris", "It is not Paris."),
    (KING, "King George VI", "George V"),
    (KING, "George VI", "George V"),
    (MOON, "20 July 1969", "21 July 1969"),
    ("How many?", "two", "three"),
    ("How cold was it?", "-5", "5"),
    (YESNO, "Yes", "No"),
    (YESNO, "No, it is not", "Yes, it is"),
    (CAPITAL, "It isn't Paris", "Paris"),
]
NEUTRAL = [
    (CAPITAL, "I don't know.", "Paris"),
    (CAPITAL, "Paris", "The text does not mention it."),
    (CAPITAL, "There is no information about this.", "Lyon"),
    (CAPITAL, "not Paris", "Lyon"),
    (MOON, "1969", "20 July 1969"),
]


def row(question: str, premise: str, hypothesis: str) -> np.ndarray:
    return RULED.entailment(question, [premise], [hypothesis])[0]


def test_the_same_answer_in_other_words_entails_both_ways() -> None:
    failing = [
        (question, one, other)
        for question, one, other in HIGH_BOTH_WAYS
        if not (row(question, one, other)[2] > 0.9 and row(question, other, one)[2] > 0.9)
    ]
    assert failing == []


def test_a_premise_that_says_more_entails_the_hypothesis() -> None:
    failing = [
        (question, premise, hypothesis)
        for question, premise, hypothesis in HIGH_ONE_WAY
        if not (row(question, premise, hypothesis)[2] > 0.9)
    ]
    assert failing == []


def test_other_numbers_denials_and_opposite_words_contradict() -> None:
    failing = [
        (question, premise, hypothesis)
        for question, premise, hypothesis in CONTRADICTIONS
        if not (row(question, premise, hypothesis)[0] > 0.8 and row(question, hypothesis, premise)[0] > 0.8)
    ]
    assert failing == []


def test_no_answer_and_less_detail_are_neutral() -> None:
    failing = [
        (question, premise, hypothesis)
        for question, premise, hypothesis in NEUTRAL
        if int(np.argmax(row(question, premise, hypothesis))) != 1
    ]
    assert failing == []


def test_equal_answers_entail_by_99_in_a_hundred() -> None:
    assert row(CAPITAL, "Paris", "paris.")[2] > 0.99


def test_two_ways_to_say_that_there_is_no_answer_are_one_meaning() -> None:
    assert row(CAPITAL, "I don't know.", "It is not mentioned.")[2] > 0.9


def test_an_abstention_that_then_answers_counts_by_its_answer() -> None:
    assert row(CAPITAL, "I am not sure, but I think it is Paris.", "Paris")[2] > 0.9


def test_empty_answers_go_by_rule() -> None:
    rows = RULED.entailment(CAPITAL, ["", "", "Paris"], [" ", "Paris", ""])
    assert rows.tolist() == [[0, 0, 1], [0, 1, 0], [0, 1, 0]]


def test_every_row_is_a_distribution_and_a_repeat_is_the_same() -> None:
    texts = ["Paris", "Lyon", "👍", "<script>", "שלום", "the", "not", "1960", "word " * 900, "x" * 5000, "..."]
    premises = [one for one in texts for _ in texts]
    rows = RULED.entailment(CAPITAL, premises, texts * len(texts))
    assert rows.shape == (len(texts) ** 2, 3)
    assert rows.sum(axis=1) == pytest.approx(1.0) and rows.min() >= 0
    assert np.array_equal(rows, RULED.entailment(CAPITAL, premises, texts * len(texts)))


def test_the_order_of_pairs_and_their_batch_change_nothing() -> None:
    premises, hypotheses = ["Paris", "Lyon", "Rome"], ["Lyon", "Rome", "Paris"]
    together = RULED.entailment(CAPITAL, premises, hypotheses)
    assert np.array_equal(RULED.entailment(CAPITAL, premises[1:2], hypotheses[1:2])[0], together[1])


def test_a_text_is_embedded_once_a_call_and_not_at_all_where_a_rule_decides() -> None:
    embedder = HashedWords()
    judge = SimilarityJudge(embedder)
    judge.entailment(CAPITAL, ["Paris", "Paris"], ["Paris", "It is Paris"])
    assert embedder.embedded == []
    judge.entailment(CAPITAL, ["Paris", "Lyon", "Lyon", "Paris"], ["Lyon", "Paris", "Rome", "Rome"])
    assert sorted(embedder.embedded) == ["lyon", "paris", "rome"]


def test_a_text_longer_than_the_embedder_reads_counts_to_its_end() -> None:
    embedder = HashedWords(max_tokens=8)
    rows = embeddings(["a b c d e f g h i j zebra", "zebra"], embedder)
    assert rows["a b c d e f g h i j zebra"] @ rows["zebra"] > 0.2
    assert max(embedder.count_tokens(text) for text in embedder.embedded) <= 8


def test_no_text_asks_the_embedder_nothing() -> None:
    class Closed(HashedWords):
        def embed(self, texts):  # type: ignore[no-untyped-def]
            raise AssertionError("opened for nothing")

    assert embeddings([], Closed()) == {}


def test_spellings_are_alike_and_numbers_never() -> None:
    assert (
        similar_spelling("rontgen", "roentgen")
        and not similar_spelling("1960", "1961")
        and not similar_spelling("kate", "katy")
    )
    assert same_word("1984", "1980s") and not same_word("1994", "1980s") and not same_word("1980s", "1984")


@pytest.mark.weights
def test_another_answer_of_the_same_kind_is_low() -> None:
    for question, premise, hypothesis in [
        (CAPITAL, "Paris", "Lyon"),
        ("Who wrote Emma?", "Jane Austen", "Charlotte Brontë"),
        ("Which planet is largest?", "Jupiter", "Saturn"),
        ("What did she study?", "physics", "the history of art"),
        ("Who directed it?", "Steven Spielberg", "George Lucas"),
    ]:
        judged = load_judge("similarity").entailment(question, [premise, hypothesis], [hypothesis, premise])
        assert judged[:, 2].max() < 0.4 and (np.argmax(judged, axis=1) == 0).all()


@pytest.mark.weights
def test_a_near_synonym_is_likelier_than_another_answer() -> None:
    judged = load_judge("similarity").entailment(
        "What is it for?", ["a physician", "a physician"], ["a doctor", "a lawyer"]
    )
    assert judged[0, 2] > judged[1, 2] + 0.15


@pytest.mark.weights
def test_the_similarity_judge_is_loaded_by_its_name_and_says_what_it_is() -> None:
    judge = load_judge("similarity")
    assert judge is load_judge("similarity") and judge.name == "similarity"
    assert "no entailment model" in judge.note


def test_another_month_or_year_contradicts_however_much_else_a_long_answer_says() -> None:
    question = "On what date was the Suez Canal opened?"
    said = (
        "The French diplomat Ferdinand de Lesseps opened the Suez Canal on 26 July 1869, "
        "sailing around the Mediterranean."
    )
    for premise, hypothesis in (
        (said, "17 November 1869"),
        ("17 November 1869", said),
        ("25 August 1869", "in July 1869"),
    ):
        assert RULED.entailment(question, [premise], [hypothesis])[0].argmax() == 0
