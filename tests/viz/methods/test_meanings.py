"""The meanings of a run as one list, and where each stands in the record."""

from tests.pages.page_fixtures import whole_diagnosis
from tests.viz.sample_results import seper_helped
from viz.methods.belief_bars import belief_rows
from viz.methods.meanings import meaning_number, meaning_places, meanings_of


def test_sepers_meanings_come_in_the_order_of_its_bars() -> None:
    rows = [row.text for row in belief_rows(seper_helped()) if row.meanings == 1]
    assert list(meanings_of(whole_diagnosis()))[: len(rows)] == rows


def test_a_meaning_is_found_by_its_words_whatever_their_case_and_stops() -> None:
    diagnosis = whole_diagnosis()
    assert meaning_number(diagnosis, f"The {meanings_of(diagnosis)[1].upper()}.") == 1
    assert meaning_number(diagnosis, "said by nobody") is None


def test_a_meaning_of_both_conditions_stands_at_two_places_of_the_record() -> None:
    diagnosis, result = whole_diagnosis(), seper_helped()
    both = next(row.text for row in belief_rows(result) if row.without and row.with_passages)
    places = meaning_places(diagnosis, both)
    assert [place.split(".")[1] for place in places] == ["without", "with_passages"]
    assert all(place.startswith("seper.") and ".meanings." in place for place in places)
