"""What is chosen: read from an untrusted address, written back, joined, and found in a run's record."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.diagnosis.record import Diagnosis
from pages.shared import session
from pages.shared.selection import (
    KINDS,
    Chosen,
    Selection,
    add_choice,
    in_run,
    names_of,
    parse_selection,
    prefixes_of,
    remove_choice,
    selection_parameters,
    trigger_at,
)
from tests.engine.catalogue.nine_methods import nine
from tests.pages.page_fixtures import whole_diagnosis

FULL = {
    "chunk": "2",
    "answer": "seper.with_passages.samples.0",
    "token": "1",
    "meaning": "1",
    "trigger": "entropy_trend.1",
    "claim": "1",
}


@pytest.fixture(scope="module")
def diagnosis() -> Diagnosis:
    """Return a hand-made run with DENSE, SePer, ETC and QuCo-RAG."""
    return whole_diagnosis()


def test_the_session_keeps_exactly_the_kinds_of_a_selection() -> None:
    assert session.CHOSEN_PARAMETERS == KINDS


def test_places_count_from_one_in_the_address_and_from_nought_in_the_record() -> None:
    found = parse_selection(FULL)
    assert (found.chunk, found.token, found.meaning, found.claim) == (1, 0, 0, 0)
    assert selection_parameters(found) == FULL


numbers = st.none() | st.integers(0, 999_998)
names = st.sampled_from(["", "run.answer", "dense.chunks.3.answer", "seper.without.samples.12"])
triggers = st.sampled_from(["", "entropy_trend.1", "flare.12"])


@given(numbers, names, numbers, numbers, triggers, numbers)
def test_every_selection_comes_back_from_its_address(chunk, answer, token, meaning, trigger, claim) -> None:  # type: ignore[no-untyped-def]
    whole = Selection(chunk=chunk, answer=answer, token=token, meaning=meaning, trigger=trigger, claim=claim)
    assert parse_selection(selection_parameters(whole)) == whole


@given(st.dictionaries(st.sampled_from(KINDS), st.text(max_size=40)))
def test_any_text_in_the_address_chooses_something_or_nothing_and_never_fails(texts: dict[str, str]) -> None:
    found = in_run(parse_selection(texts), whole_diagnosis())
    assert isinstance(found, Chosen)
    assert parse_selection(selection_parameters(found.selection)) == found.selection


@pytest.mark.parametrize(
    "texts",
    [
        {"chunk": "0"},
        {"chunk": "-1"},
        {"chunk": "3.5"},
        {"chunk": "٣"},
        {"chunk": "9999999999999999999999"},
        {"answer": "run.__class__"},
        {"answer": "dense.original/../x"},
        {"trigger": "entropy_trend.0"},
        {"trigger": "<script>.1"},
        {"unknown": "1"},
    ],
)
def test_nonsense_chooses_nothing(texts: dict[str, str], diagnosis: Diagnosis) -> None:
    assert not in_run(parse_selection(texts), diagnosis).selection


@pytest.mark.parametrize(
    "asked",
    [
        Selection(chunk=5),
        Selection(claim=500),
        Selection(meaning=500),
        Selection(answer="dense.chunks.99.answer"),
        Selection(answer="dense.entropy"),
        Selection(answer="run.answer", token=999).__class__(token=3),
        Selection(trigger="entropy_trend.99"),
        Selection(trigger="no_policy.1"),
    ],
)
def test_what_the_run_does_not_have_is_not_chosen(asked: Selection, diagnosis: Diagnosis) -> None:
    assert not in_run(asked, diagnosis).selection


def test_a_token_beyond_its_answer_is_dropped_and_the_answer_stays(diagnosis: Diagnosis) -> None:
    found = in_run(Selection(answer="run.answer", token=999), diagnosis)
    assert found.selection == Selection(answer="run.answer")


def test_another_answer_takes_the_token_and_the_trigger_of_the_old_one_away_and_leaves_the_passage() -> None:
    before = Selection(chunk=1, answer="entropy_trend.generation", token=4, trigger="entropy_trend.1", meaning=2)
    assert add_choice(before, Selection(answer="run.answer")) == Selection(chunk=1, answer="run.answer", meaning=2)
    assert add_choice(before, Selection(chunk=3)) == replace(before, chunk=3)


def test_dropping_an_answer_drops_its_token_and_dropping_a_passage_only_the_passage() -> None:
    before = Selection(chunk=1, answer="run.answer", token=4)
    assert remove_choice(before, "answer") == Selection(chunk=1)
    assert remove_choice(before, "chunk") == replace(before, chunk=None)
    assert remove_choice(before, "token") == Selection(chunk=1, answer="run.answer")


def test_the_same_answer_is_chosen_wherever_it_stands(diagnosis: Diagnosis) -> None:
    found = in_run(Selection(answer="run.answer", token=0), diagnosis)
    again = replace(diagnosis.answer)
    assert found.is_answer(again)
    assert found.token_of(again) == 0
    assert found.token_of(replace(again, seed=7)) is None
    assert found.token_of(None) is None


def test_a_token_chosen_for_etc_is_chosen_in_the_lanes_that_read_the_same_text() -> None:
    found = in_run(Selection(answer="entropy_trend.generation", token=4), nine())
    timing, sugar, seper = (nine().outcome(method).result for method in ("timing", "sugar", "seper"))  # type: ignore[union-attr]
    assert found.token_of(timing.generation) == 4
    sample = in_run(Selection(answer="seper.without.samples.3"), nine())
    assert [sample.is_answer(one) for one in sugar.closed_book.belief.samples].count(True) == 1
    assert sample.is_answer(sugar.closed_book.belief.samples[3])
    assert not sample.is_answer(seper.without.samples[2])


def test_a_trigger_is_found_with_the_token_it_stands_on(diagnosis: Diagnosis) -> None:
    outcome = diagnosis.outcome("entropy_trend")
    assert outcome is not None
    result = outcome.result
    first = result.triggers[0]  # type: ignore[union-attr]
    expected = result.words[first.word].first_token  # type: ignore[union-attr]
    assert trigger_at(diagnosis, "entropy_trend.1") == ("entropy_trend", 0, expected)


def test_chips_name_what_is_chosen_in_words(diagnosis: Diagnosis) -> None:
    words = names_of(in_run(Selection(chunk=2, answer="run.answer", claim=0), diagnosis))
    assert words == {"chunk": "Passage 3", "answer": "Answer “31 March 1889”", "claim": "Claim 1"}


def test_the_numbers_of_a_chosen_passage_stand_under_its_place_in_the_record(diagnosis: Diagnosis) -> None:
    found = in_run(Selection(chunk=1, answer="run.answer"), diagnosis)
    assert prefixes_of(found, diagnosis) == ("run.answer", "dense.chunks.1", "chunk_utility.chunks.1")
