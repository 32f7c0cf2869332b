"""Questions taken apart, and answers held against their parts: a hand-written set, and single cases of each rule."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.backends.text import load_text_tools
from engine.methods.question_clauses import asked_in, clauses_of
from engine.methods.question_parts import QuestionPartsConfig, QuestionPartsResult, run
from tests.engine.methods.scripted_case import backends, case
from tests.viz.sample_results import generation

PAIRS = Path(__file__).parents[2] / "reference" / "question_parts.jsonl"


def parts_of(question: str, answer: str) -> QuestionPartsResult:
    """Return the result for a question and an answer, by the real parser."""
    backend = replace(backends(lambda request: answer), text=load_text_tools())
    asked = replace(case(backend), question=question, answer=generation(answer))
    return run(asked, QuestionPartsConfig(), backend)


@pytest.mark.parametrize(("held_out", "pairs", "least"), [(False, 48, 48), (True, 27, 26)])
def test_the_answered_parts_are_those_that_a_person_sees(held_out: bool, pairs: int, least: int) -> None:
    """Rules were written against the first part; the other was written before they were, and not looked at."""
    rows = [
        row for row in map(json.loads, PAIRS.read_text(encoding="utf-8").splitlines()) if row["held_out"] is held_out
    ]
    right = [list(parts_of(row["question"], row["answer"]).answered) == row["answered"] for row in rows]
    assert (len(rows), sum(right) >= least) == (pairs, True)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("in which year did the king die", "date"),
        ("how old is the city", "number"),
        ("whose brother ruled Karst", "person"),
        ("Which lake is deepest?", "place"),
        ("Is Selm a town?", "yes or no"),
        ("What position does the footballer who plays for the capital of Karst play?", "other"),
        ("Which of the cities was larger?", "place"),
        ("why did it sink", "other"),
        ("Who was king in the year 1066", "person"),
        ("In which months does it rain most", "date"),
        ("In which years did they win", "date"),
    ],
)
def test_a_part_asks_for_one_kind_of_thing(question: str, asked: str) -> None:
    assert clauses_of(question) == (question.rstrip("?"),) and asked_in(question) == asked


@pytest.mark.parametrize(
    "question",
    [
        "At the 2011 census, what was the population of the city where Orla Brand was born?",
        "Besides the country which the Karst flows through, where did they settle?",
        "When he was king, what did he build?",
        "Which nobleman was the subject of a film and was the first man to fly over Selm?",
        "Who was born first? Orla Brand or Mira Halden?",
    ],
)
def test_a_setting_a_second_verb_and_the_choices_are_no_parts(question: str) -> None:
    assert len(clauses_of(question)) == 1


def test_a_question_behind_a_comma_and_one_with_a_verb_of_its_own_are_parts() -> None:
    assert len(clauses_of("When was he king, where did he die?")) == 2
    assert len(clauses_of("Is the sky blue and is the grass green?")) == 2
    assert len(clauses_of("In which year was it built, where does it stand?")) == 2


def test_one_piece_answers_one_part() -> None:
    result = parts_of("Who built it and who designed it?", "Gustave Eiffel")
    assert (result.answered, result.share) == ((True, False), 0.5)
    assert (result.parts[0].by, result.parts[0].start, result.parts[0].end) == ("Gustave Eiffel", 0, 14)


def test_a_place_answers_where_and_not_who() -> None:
    question = "Who invented the World Wide Web, and where did he work?"
    assert parts_of(question, "Geneva").answered == (False, True)
    assert parts_of(question, "Tim Berners-Lee").answered == (True, False)


def test_a_house_answers_where_and_a_company_who() -> None:
    assert parts_of("Who taught her and where did she study?", "University of Paris").answered == (False, True)
    assert parts_of("Who commissioned it and where does it hang?", "National Gallery").answered == (False, True)
    assert parts_of("Who founded it and where is it based?", "Microsoft").answered == (True, False)
    assert parts_of("Who played her and where was it filmed?", "Rebecca Hall").answered == (True, False)


def test_an_abstention_answers_no_part() -> None:
    result = parts_of("Who built it?", "The passages do not mention it.")
    assert (result.stated, result.share) == (False, 0.0)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is the Nile or the Amazon longer?", "The Nile"),
        ("When did the Western Roman Empire fall?", "476"),
        ("When did the dinosaurs die out?", "About 66 million years ago"),
        ("When does the library open?", "At 9 am"),
        ("Who discovered electromagnetic induction?", "Faraday"),
        ("Who was prime minister in 2017?", "May"),
        ("How many moons does Venus have?", "Zero"),
    ],
)
def test_a_short_answer_answers_the_one_part_there_is(question: str, answer: str) -> None:
    assert parts_of(question, answer).answered == (True,)


def test_a_question_of_yes_or_no_is_not_answered_by_a_name_and_one_of_two_things_is_not_by_yes() -> None:
    assert asked_in("Is it true or not") == "yes or no" and asked_in("Is the Nile or the Amazon longer") == "other"
    assert parts_of("Is the Nile longer?", "Faraday").answered == (False,)


@pytest.mark.parametrize(
    ("question", "answer", "by"),
    [
        ("when did the red guards start and end", "1967", ["1967", ""]),
        ("when did the great plague of london start and end", "from 1665 to 1666", ["1665", "1666"]),
        ("In what year was Orla Brand born and died?", "1912–1980", ["1912", "1980"]),
        ("when did the great plague of london start", "from 1665 to 1666", ["1665 to 1666"]),
        ("When did Orla Brand die and who found her?", "on a Friday, Jan Toor", ["Friday", "Jan Toor"]),
        ("When did Orla Brand meet and marry Jan Toor?", "1912", ["1912"]),
        ("In which months does it rain most in Karst?", "July and August", ["July and August"]),
        ("When did Selm win the cup?", "in 1989, 1994 and 2002", ["1989, 1994 and 2002"]),
        ("When did it open and when did it close?", "July and August", ["July", "August"]),
        ("When was it built and how many seats has it?", "1889 and 1500", ["1889", "1500"]),
    ],
)
def test_a_beginning_and_an_end_are_two_dates(question: str, answer: str, by: list[str]) -> None:
    assert [part.by for part in parts_of(question, answer).parts] == by


@pytest.mark.parametrize(
    ("answer", "by"),
    [
        ("Korn's Groovy Pirate Ghost Mystery", "Korn's Groovy Pirate Ghost Mystery"),
        ("It was Rosemary's Baby in 1968", "Rosemary's Baby"),
        ("Tornado outbreak", "Tornado outbreak"),
        ("Marie Curie's Paris", "Marie Curie"),
    ],
)
def test_a_name_that_an_owner_begins_is_one_piece(answer: str, by: str) -> None:
    assert parts_of("Which one was first?", answer).parts[0].by == by


@pytest.mark.parametrize(
    ("question", "answer", "by"),
    [
        ("At what temperature does water boil?", "100 degrees Celsius", "100 degrees Celsius"),
        ("What is the boiling point of water?", "100 degrees Celsius", "100 degrees Celsius"),
        ("What is the boiling point of water?", "It is 212", "212"),
        ("When was the tower built?", "1951–52", "1951–52"),
        ("When was the tower built?", "in 1951/52", "1951/52"),
        ("When was the tower built?", "12 to 15 March 1990", "12 to 15 March 1990"),
        ("When was the tower built?", "1990-05-12", "1990-05-12"),
        ("When was the tower built?", "Sept. 8, 2010", "Sept. 8, 2010"),
        ("How fast is it?", "90 km/h", "90 km/h"),
        ("How fast is it?", "12 kilometres per hour", "12 kilometres per hour"),
        ("How much of the air is nitrogen?", "78%", "78%"),
        ("How much of the air is nitrogen?", "78 per cent", "78 per cent"),
        ("How much did it cost?", "US$ 3.5 million", "US$ 3.5 million"),
        ("How much did it cost?", "12 million US dollars", "12 million US dollars"),
        ("How long did it take?", "two and a half hours", "two and a half hours"),
    ],
)
def test_an_amount_and_a_date_are_named_whole(question: str, answer: str, by: str) -> None:
    (part,) = parts_of(question, answer).parts
    assert (part.answered, part.by) == (True, by)


def test_no_amount_answers_why() -> None:
    assert parts_of("Why was it built?", "1961").share == parts_of("Why was it built?", "12 metres").share == 0.0


def test_a_span_of_years_has_two_ends_where_two_are_asked_for() -> None:
    assert [part.by for part in parts_of("When did the war start and end?", "1951–52").parts] == ["1951", "52"]
    assert parts_of("When was it?", "1951, 52 people came").parts[0].by == "1951"


@pytest.mark.parametrize("answer", ["the 19th", "the nineteenth", "During the 12th."])
def test_an_ordinal_alone_answers_which_century(answer: str) -> None:
    result = parts_of("Which century were both breeds developed in?", answer)
    assert (result.answered, result.parts[0].by) == ((True,), answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who was in charge of the country?", "the hawadle Clan"),
        ("where are the washington redskins based out of", "the Washington metropolitan area"),
    ],
)
def test_a_short_phrase_answers_a_question_of_one_part_as_a_whole(question: str, answer: str) -> None:
    (part,) = parts_of(question, answer).parts
    assert (part.answered, part.by, part.start, part.end) == (True, answer, 0, len(answer))
