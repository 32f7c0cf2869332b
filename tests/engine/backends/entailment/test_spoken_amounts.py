"""Amounts, times, families and places said in words: what rules alone say of two answers, both ways."""

from engine.backends.entailment.answers import words
from engine.backends.entailment.base import LABELS
from engine.backends.entailment.rules import decided
from engine.backends.entailment.spoken_amounts import in_numbers
from tests.each_row import each_row

OFTEN, SHARE, TIME, WHEN = "How often is it held?", "What share voted?", "At what time was it?", "When is the feast?"
COUNT, COST, WHERE, WHO = "How many came?", "How much did it cost?", "Where was it built?", "Who made it?"
SAME, PART, APART, OPEN = ("entailment",) * 2, ("entailment", "neutral"), ("contradiction",) * 2, ("neutral",) * 2
ROWS = [
    *((OFTEN, one, other, SAME) for one, other in [("twice a year", "every six months"), ("weekly", "once a week"),
      ("every other year", "every two years"), ("quarterly", "four times a year"),
      ("twice a month", "every two weeks"), ("every 6-month", "every six months")]),
    *((OFTEN, one, other, APART) for one, other in [("twice a year", "twice a month"),
      ("every second week", "every week"), ("11 times a year", "monthly")]),
    *((SHARE, one, other, SAME) for one, other in [("half", "50%"), ("a third", "33 percent"), ("two-thirds", "67%"),
      ("one in four", "25%"), ("nine out of ten", "90 per cent"), ("nearly half", "48%")]),
    *((SHARE, one, other, APART) for one, other in [("half of them", "a third of them"), ("10%", "10.5%"),
      ("two thirds", "66%"), ("one in five", "25%")]),
    *((TIME, one, other, SAME) for one, other in [("3 pm", "15:00"), ("noon", "12 p.m."), ("midnight", "12 a.m."),
      ("half past nine in the evening", "21:30"), ("quarter to six in the morning", "5:45 a.m.")]),
    *((TIME, one, other, APART) for one, other in [("5 am", "5 pm"), ("noon", "midnight"), ("9 at night", "9 a.m.")]),
    *((WHEN, one, other, SAME) for one, other in [("Christmas Eve", "24 December"), ("Halloween", "October 31st"),
      ("New Year's Day", "1 January"), ("May 4", "the 4th of May"), ("Christmas Day 1914", "25 December 1914")]),
    *((WHEN, one, other, PART) for one, other in [("4 May", "May"), ("early June", "in June"), ("May", "May or June")]),
    *((WHEN, one, other, APART) for one, other in [("4 May", "5 May"), ("4 May", "June"), ("Christmas", "Epiphany")]),
    *((WHEN, one, other, SAME) for one, other in [("1914–18", "from 1914 to 1918"), ("1898-99", "1898–99")]),
    *((WHEN, one, other, PART) for one, other in [("1630", "the second quarter of the 17th century"),
      ("1294", "the close of the 13th century"), ("about 1000", "between 975 and 1025")]),
    (WHEN, "1294", "the first half of the 13th century", APART),
    *((COUNT, one, other, SAME) for one, other in [("none", "0"), ("nobody", "no one"), ("a couple", "two"),
      ("half a dozen", "6"), ("half a million", "500,000"),
      ("a million and a half", "1.5 million"), ("two hundred and fifty", "250"), ("a hundred thousand", "100,000"),
      ("two to three million", "2 million to 3 million")]),
    (COUNT, "118,900", "more than a hundred thousand", PART),
    (COST, "$3.4bn", "3,400 million US dollars", SAME),
    (COST, "$5m", "$5k", APART),
    *((WHO, one, other, SAME) for one, other in [("the Wright brothers", "Wilbur and Orville Wright"),
      ("Jacob and Wilhelm Grimm", "the Brothers Grimm"), ("the Curies", "Marie and Pierre Curie")]),
    *((WHO, one, other, OPEN) for one, other in [("the Williams sisters", "Venus Williams"),
      ("I would rather not guess between Venus and Serena.", "Serena")]),
    *((WHO, one, other, SAME) for one, other in [("The Tin Drum, or Die Blechtrommel in German", "Die Blechtrommel"),
      ("Samuel Clemens (better known as Mark Twain)", "Mark Twain")]),
    *((WHERE, one, other, OPEN) for one, other in [("near Bonn", "Bonn"), ("a suburb of Paris", "Paris"),
      ("just outside London", "London")]),
    (WHERE, "Kansas City, Missouri", "Kansas", APART),
]  # fmt: skip


@each_row(ROWS, name=lambda row: f"{row[1]} / {row[2]}")
def test_rules_alone_decide_both_ways(row: tuple[str, str, str, tuple[str, str]]) -> None:
    question, one, other, wanted = row
    verdicts = [decided(*pair, words(question)) for pair in ((one, other), (other, one))]
    assert all(verdicts), verdicts
    assert tuple(LABELS[verdict.index(max(verdict))] for verdict in verdicts if verdict) == wanted


@each_row(
    [
        (WHO, "a third"),
        (WHO, "a quarter"),
        (WHERE, "the daily news"),
        (WHEN, "2004-05"),
        (WHEN, "the 2014–15 season"),
        (COUNT, "an hour and a half"),
        (WHO, "May they live"),
        (TIME, "13 in the morning"),
    ]
)
def test_what_is_not_asked_for_or_may_mean_something_else_is_left_alone(row: tuple[str, str]) -> None:
    question, text = row
    assert in_numbers(text, words(question)) == text


def test_a_part_of_a_place_is_not_said_by_the_whole() -> None:
    verdict = decided("Berlin", "East Berlin", words(WHERE))
    assert verdict is not None and LABELS[verdict.index(max(verdict))] == "neutral"
    assert decided("East Berlin", "Berlin", words(WHERE)) is None


def test_dates_with_and_without_a_year_and_times_of_day_are_not_compared() -> None:
    assert decided("4 May 1912", "4 May", words("When did it sink?")) is None
    assert decided("21 July 1861", "5:15 a.m.", words("When did it begin?")) is None
