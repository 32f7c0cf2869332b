"""Classes that vote by phone: one ballot a voter, none after the reveal, none lost among threads, none kept."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.core.errors import InputError
from engine.learning.lessons import polls
from engine.learning.lessons.base import Option, Question, Slip
from engine.learning.lessons.polls import ClassPoll, PollStore, Vote, code_from, vote_on, voter_name
from engine.learning.lessons.progress import FILE, SCHEMA, Prediction, ProgressStore

OPTIONS = (Option(text="Yes", why="It does."), Option(text="No", why="It does not."), Option(text="Both", why="Half."))
CHOICE = Question(kind="choice", text="Which one?", options=OPTIONS, right=1)
NUMBER = Question(kind="number", text="How many?", value=0.45, tolerance=0.01, slips=(Slip(value=0.9, why="Twice."),))
ON_CHOICE, ON_NUMBER = vote_on("belief", 1, CHOICE), vote_on("belief", 2, NUMBER)
START = datetime(2026, 11, 26, 8, 0, tzinfo=UTC)


class Clock:
    """A clock that tests turn."""

    def __init__(self) -> None:
        self.at = START

    def __call__(self) -> str:
        return self.at.isoformat(timespec="microseconds")


@pytest.fixture
def clock() -> Clock:
    """Return a clock that stands still."""
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> PollStore:
    """Return an empty store."""
    return PollStore(tmp_path / FILE, clock)


@pytest.fixture
def code(store: PollStore) -> str:
    """Return the code of a class of Ms Reed's that votes on the choice."""
    made = store.open("reed")
    store.show(made, "reed", ON_CHOICE, CHOICE)
    return made


def found(store: PollStore, code: str) -> ClassPoll:
    """Return a class that is open."""
    poll = store.find(code)
    assert poll is not None
    return poll


def rows(store: PollStore, table: str) -> int:
    """Return how many rows a table of the file has."""
    with sqlite3.connect(str(store.database.url.database)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_a_class_of_three_votes_and_the_last_ballot_of_each_counts(store: PollStore, code: str) -> None:
    for person, given in (("ann", "0"), ("ben", "1"), ("cem", "1"), ("ann", "2"), ("ann", "1")):
        store.cast(code, person, ON_CHOICE, given)
    assert store.counts(code, ON_CHOICE) == {"1": 3} and store.count(code, ON_CHOICE) == 3
    store.cast(code, "ben", ON_CHOICE, "0")
    assert store.counts(code, ON_CHOICE) == {"0": 1, "1": 2}
    poll = found(store, code)
    assert [store.given(poll, person) for person in ("ann", "ben", "dot")] == ["1", "0", ""]


def test_no_ballot_is_taken_after_the_reveal_even_where_the_teacher_goes_back(store: PollStore, code: str) -> None:
    store.cast(code, "ann", ON_CHOICE, "0")
    store.reveal(code, "reed", ON_CHOICE, CHOICE)
    assert store.revealed(code, ON_CHOICE) and found(store, code).state == "revealed"
    for _ in range(2):
        for person in ("ann", "ben"):
            with pytest.raises(InputError):
                store.cast(code, person, ON_CHOICE, "1")
        store.show(code, "reed")
        assert found(store, code).state == "between"
        store.show(code, "reed", ON_CHOICE, CHOICE)
        assert found(store, code).state == "revealed"
    assert store.counts(code, ON_CHOICE) == {"0": 1}


def test_a_ballot_counts_only_in_the_vote_that_the_class_is_at(store: PollStore, code: str) -> None:
    store.show(code, "reed", ON_NUMBER, NUMBER)
    with pytest.raises(InputError):
        store.cast(code, "ann", ON_CHOICE, "0")
    with pytest.raises(InputError):
        store.cast(code, "ann", replace(ON_NUMBER, step=3), "0.4")
    store.cast(code, "ann", ON_NUMBER, " 0,45 ")
    assert store.counts(code, ON_NUMBER) == {"0.45": 1} and store.counts(code, ON_CHOICE) == {}
    store.show(code, "reed")
    with pytest.raises(InputError):
        store.cast(code, "ann", ON_NUMBER, "0.5")


@pytest.mark.parametrize("given", ["", "3", "-1", "x", "0" * 41, "'); DROP TABLE ballots; --", "\ud800", "1.0"])
def test_what_is_no_option_is_refused(store: PollStore, code: str, given: str) -> None:
    with pytest.raises(InputError):
        store.cast(code, "ann", ON_CHOICE, given)
    assert store.counts(code, ON_CHOICE) == {}


@pytest.mark.parametrize("given", ["", "half", "nan", "inf", "1" * 41, "<script>"])
def test_what_is_no_number_is_refused(store: PollStore, code: str, given: str) -> None:
    store.show(code, "reed", ON_NUMBER, NUMBER)
    with pytest.raises(InputError):
        store.cast(code, "ann", ON_NUMBER, given)
    assert store.counts(code, ON_NUMBER) == {}


def test_numbers_that_are_equal_are_one_answer_however_they_are_typed(store: PollStore, code: str) -> None:
    store.show(code, "reed", ON_NUMBER, NUMBER)
    for person, given in (("ann", "0.45"), ("ben", "0,450"), ("cem", ".45"), ("dot", "−1")):
        store.cast(code, person, ON_NUMBER, given)
    assert store.counts(code, ON_NUMBER) == {"0.45": 3, "-1.0": 1}


def test_nobody_moves_reveals_or_closes_a_class_of_somebody_else(store: PollStore, code: str) -> None:
    for person in ("ann", "", "REED"):
        for forbidden in (
            lambda who=person: store.show(code, who),
            lambda who=person: store.show(code, who, ON_NUMBER, NUMBER),
            lambda who=person: store.reveal(code, who, ON_CHOICE, CHOICE),
            lambda who=person: store.close(code, who),
        ):
            with pytest.raises(InputError):
                forbidden()
    poll = found(store, code)
    assert poll.question is not None and poll.question.options == OPTIONS
    assert (poll.state, poll.vote, vote_on("belief", 1, poll.question)) == ("voting", ON_CHOICE, ON_CHOICE)


def test_a_question_comes_back_from_the_file_as_it_was(store: PollStore, code: str) -> None:
    store.show(code, "reed", ON_NUMBER, NUMBER)
    assert found(store, code).question == NUMBER


def test_two_hundred_ballots_at_once_are_all_counted_once(store: PollStore, code: str) -> None:
    people = [f"person-{number}" for number in range(200)]
    with ThreadPoolExecutor(40) as threads:
        list(threads.map(lambda one: store.cast(code, one, ON_CHOICE, str(int(one[7:]) % 3)), people))
    assert store.counts(code, ON_CHOICE) == {"0": 67, "1": 67, "2": 66}
    with ThreadPoolExecutor(40) as threads:
        list(threads.map(lambda number: store.cast(code, "ann", ON_CHOICE, str(number % 3)), range(30)))
    assert store.count(code, ON_CHOICE) == 201


def test_a_reveal_among_ballots_is_a_clean_end(store: PollStore, code: str) -> None:
    def vote(number: int) -> int:
        try:
            store.cast(code, f"person-{number}", ON_CHOICE, "1")
        except InputError:
            return 0
        return 1

    with ThreadPoolExecutor(16) as threads:
        ballots = [threads.submit(vote, number) for number in range(30)]
        threads.submit(store.reveal, code, "reed", ON_CHOICE, CHOICE)
        ballots += [threads.submit(vote, number) for number in range(30, 60)]
        taken = sum(one.result() for one in ballots)
    assert store.count(code, ON_CHOICE) == taken
    assert vote(60) == 0, "the end holds for whoever comes later"


def test_closing_deletes_the_ballots_and_a_closed_code_looks_like_an_unknown_one(store: PollStore, code: str) -> None:
    store.cast(code, "ann", ON_CHOICE, "0")
    store.close(code, "reed")
    assert rows(store, "ballots") == rows(store, "revealed_votes") == 0
    unknown = next(one for one in ("CCCC", "DDDD") if one != code)
    assert [store.find(one) for one in (code, unknown, "", "CCC", "'--", "\ud800ABC")] == [None] * 6
    told = []
    for one in (code, unknown):
        with pytest.raises(InputError) as refused:
            store.cast(one, "ann", ON_CHOICE, "0")
        told.append(str(refused.value))
    assert told[0] == told[1]


def test_a_class_ends_after_a_day_and_its_rows_go(store: PollStore, code: str, clock: Clock) -> None:
    store.cast(code, "ann", ON_CHOICE, "0")
    clock.at += timedelta(hours=24)
    assert store.find(code) is not None
    clock.at += timedelta(seconds=1)
    assert store.find(code) is None
    with pytest.raises(InputError):
        store.cast(code, "ann", ON_CHOICE, "1")
    with pytest.raises(InputError):
        store.close(code, "reed")
    store.delete_old()
    assert [rows(store, table) for table in ("classes", "revealed_votes", "ballots")] == [0, 0, 0]


def test_opening_again_closes_the_class_before_and_a_day_has_twenty(
    store: PollStore, code: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.cast(code, "ann", ON_CHOICE, "0")
    second = store.open("reed")
    assert store.find(code) is None and store.find(second) is not None and rows(store, "ballots") == 0
    for _ in range(polls.MOST_CLASSES - 2):
        store.open("reed")
    with pytest.raises(InputError):
        store.open("reed")
    assert store.find(store.open("ann")) is not None
    monkeypatch.setattr(polls, "MOST_OPEN", 2)
    with pytest.raises(InputError):
        store.open("ben")
    clock.at += timedelta(hours=25)
    assert store.find(store.open("reed")) is not None


def test_a_full_vote_takes_no_more_people_but_changes_of_those_it_has(
    store: PollStore, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polls, "MOST_VOTERS", 2)
    store.cast(code, "ann", ON_CHOICE, "0")
    store.cast(code, "ben", ON_CHOICE, "0")
    with pytest.raises(InputError):
        store.cast(code, "cem", ON_CHOICE, "1")
    store.cast(code, "ben", ON_CHOICE, "1")
    assert store.counts(code, ON_CHOICE) == {"0": 1, "1": 1}


def test_a_voters_name_tells_neither_the_person_nor_the_same_one_in_another_class(store: PollStore, code: str) -> None:
    first, second = found(store, code), found(store, store.open("ann"))
    names = {voter_name(poll, person) for poll in (first, second) for person in ("ann", "ben")}
    assert len(names) == 4 and all(len(name) == 32 and "ann" not in name for name in names)


def test_who_cannot_be_told_from_others_has_no_vote(store: PollStore, code: str) -> None:
    with pytest.raises(InputError):
        store.cast(code, "", ON_CHOICE, "0")


def test_codes_are_four_letters_that_nobody_takes_for_others(store: PollStore) -> None:
    codes = [store.open(f"teacher-{number}") for number in range(60)]
    assert len(set(codes)) == 60 and all(code_from(code.lower()) == code for code in codes)
    assert not set("".join(codes)) & set("AEIOUQ015SBGZLV")


def test_predictions_of_an_older_file_stay_and_the_file_is_read_further(tmp_path: Path) -> None:
    older = ProgressStore(tmp_path / FILE)
    older.keep("ann", Prediction(lesson="belief", step=1, asked="q", given="x", right=True))
    with older.database.transaction() as connection:
        for table in ("ballots", "revealed_votes", "classes"):
            connection.exec_driver_sql(f"DROP TABLE {table}")
        connection.exec_driver_sql("PRAGMA user_version = 1")
    older.database.close()

    store = PollStore(tmp_path / FILE)
    assert store.database.version() == SCHEMA.version == 2
    assert store.find(store.open("reed")) is not None
    assert [one.given for one in ProgressStore(tmp_path / FILE).predictions("ann")] == ["x"]


def test_a_vote_is_named_by_its_question() -> None:
    other = replace(CHOICE, text="Which other one?")
    assert vote_on("belief", 1, CHOICE) == ON_CHOICE != vote_on("belief", 1, other)
    assert isinstance(ON_CHOICE, Vote)
