"""Every number has an address that leads back to it, and no other address leads anywhere."""

from dataclasses import replace

from engine.catalogue.names import range_of, short_name, title_of, unit_of
from engine.catalogue.walk import number_at, numbers_of
from engine.diagnosis.record import Outcome
from tests.engine.catalogue.nine_methods import nine


def test_every_number_of_a_run_with_all_methods_is_found_again_by_its_address() -> None:
    places = list(numbers_of(nine(), raw=True))
    assert len({place.address for place in places}) == len(places) > 3000
    for place in places:
        found = number_at(nine(), place.address)
        assert found is not None and found.owner is place.owner
        assert (found.field, found.position, found.above) == (place.field, place.position, place.above)


def test_tokens_and_judgements_are_listed_only_where_they_are_asked_for() -> None:
    few, all_of_them = list(numbers_of(nine())), list(numbers_of(nine(), raw=True))
    assert len(few) < len(all_of_them) / 2
    assert not any(".tokens." in place.address for place in few)


def test_a_method_that_the_run_never_reached_took_no_time_and_not_0_seconds() -> None:
    whole = nine()
    outcomes = tuple(
        Outcome(method=one.method, status="waiting") if one.method == "dense" else one for one in whole.outcomes
    )
    stopped = replace(whole, outcomes=outcomes)
    listed = [place.address for place in numbers_of(stopped)]
    assert "seper.seconds" in listed and not any(address.startswith("dense.") for address in listed)
    assert number_at(stopped, "dense.seconds") is None and number_at(whole, "dense.seconds") is not None


def test_an_address_that_leads_to_no_number_is_refused() -> None:
    for address in (
        "", "dense", "dense.", "dense.nothing", "dense.entropy.0", "dense.chunks.99.weight", "dense.chunks.-1.weight",
        "dense.chunks.weight", "dense.weights.0", "sugar.closed_book", "nobody.entropy", "run.outcomes.0.seconds",
        "dense.__class__", "dense.chunks.٣.weight", "entropy_trend.trigger_count.0", "dense." + "chunks." * 500,
    ):  # fmt: skip
        assert number_at(nine(), address) is None, address


def test_numbers_are_named_by_what_they_belong_to() -> None:
    def title(address: str) -> str:
        place = number_at(nine(), address)
        assert place is not None
        return title_of(place)

    assert title("seper.without.soft") == "SePer, soft (without passages)"
    assert title("dense.chunks.1.weight").endswith("(passage 2)")
    assert title("seper.delta_soft_interval.low") == "ΔSePer, soft: lower end of its interval"
    low = number_at(nine(), "dense.entropy_interval.low")
    assert low is not None and short_name(low) == "DSE from"
    assert (unit_of(low), range_of(low)) == ("nats", "0 to ln(answers)")
    assert "among the others" in title("chunk_utility.chunks.0.left_out.delta")
    assert "left out" in title("chunk_utility.chunks.0.left_out.belief.soft")
    assert "(ETC)" in title("timing.lanes.0.bar.threshold")
