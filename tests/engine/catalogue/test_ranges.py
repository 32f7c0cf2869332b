"""A number of an imported run is held to its range, and a run of ours always passes."""

from dataclasses import replace
from math import inf

import pytest

from engine.catalogue.ranges import refuse_impossible
from engine.core.errors import RecordError
from engine.methods.uncertainty import UncertaintyResult
from tests.engine.catalogue.nine_methods import nine


def test_a_run_of_every_method_is_within_its_ranges_also_where_a_measure_has_no_largest_value() -> None:
    whole = nine()
    readings = [reading for one in whole.result(UncertaintyResult).sets for reading in one.readings]
    assert any(reading.high == inf for reading in readings)
    refuse_impossible(whole)


def test_an_impossible_number_is_refused_by_its_address() -> None:
    whole = nine()
    outcomes = tuple(
        replace(one, result=replace(one.result, share=1.5)) if one.method == "dense" else one for one in whole.outcomes
    )
    with pytest.raises(RecordError, match=r"dense\.share is 1\.5"):
        refuse_impossible(replace(whole, outcomes=outcomes))
