"""A number as words, table and file: nothing rounded away, nothing untrusted drawn as markup."""

import csv
import io
from dataclasses import replace

import pandas as pd

from engine.catalogue.base import worked
from engine.catalogue.headlines import headlines
from engine.catalogue.walk import entry_of, number_at
from tests.engine.catalogue.nine_methods import nine
from tests.viz.numbers_in_text import numbers_in
from viz.runs import numbers as drawn


def test_the_list_of_all_numbers_counts_what_was_computed_again() -> None:
    table = drawn.all_numbers(nine())
    assert list(table.columns) == drawn.LIST_COLUMNS
    sentence = drawn.list_sentence(table)
    assert sentence.startswith(f"{len(table):,} numbers; ") and "all the same" in sentence
    assert "not measured, which is not 0" in sentence
    scores = table[table["address"].str.startswith("run.hits.")]["number"]
    assert list(scores) == [f"Passage {rank}: Retrieval score" for rank in (1, 2, 3)]


def test_the_list_says_when_none_can_be_computed_again_and_counts_what_differs() -> None:
    def told(**counts: int) -> str:
        states = [drawn.CHECKED[name.replace("_", " ")] for name, count in counts.items() for _ in range(count)]
        return drawn.list_sentence(pd.DataFrame({"checked": states}))

    rest = "The others are readings, settings and counts."
    assert told(reading=2) == f"2 numbers; none can be computed again. {rest}"
    changed = "67 the same, 1 not (changed, or recorded by another version)"
    assert told(same=67, differs=1) == f"68 numbers; 68 computed again just now: {changed}. {rest}"
    assert "1 depends on a setting that is not stored." in told(same=1, not_certain=1)


def test_a_search_needs_every_word_and_heeds_no_case() -> None:
    table = drawn.all_numbers(nine())
    found = drawn.matching(table, "SEPER without soft")
    assert set(found["address"]) >= {"seper.without.soft"}
    assert all("without" in address for address in found["address"])
    assert drawn.matching(table, "no such number").empty
    assert len(drawn.matching(table, "  ")) == len(table)


def test_the_inputs_are_a_table_and_a_file_with_every_digit() -> None:
    place = number_at(nine(), "seper.with_passages.soft")
    assert place is not None
    working = worked(entry_of(place), place)
    table = drawn.inputs_table(working)
    assert len(table) == 10 and list(table.columns) == drawn.INPUT_COLUMNS
    rows = list(csv.DictReader(io.StringIO(drawn.inputs_csv(working).decode("utf-8-sig"))))
    assert [float(row["value"]) for row in rows] == [one.value for one in working.inputs]


def test_every_method_of_a_run_has_headline_numbers_with_short_names() -> None:
    for outcome in nine().outcomes:
        places = headlines(nine(), outcome.method)
        assert 2 <= len(places) <= 7, outcome.method
        assert all(len(drawn.button_words(place)) < 90 for place in places)


def test_a_trace_of_rounding_in_a_difference_of_beliefs_is_none() -> None:
    place = number_at(nine(), "seper.delta_soft")
    assert place is not None
    assert drawn.place_words(replace(place, value=-1.1e-16)) == "0"
    assert drawn.place_words(replace(place, value=-4.78e-6)) == "−4.78 × 10⁻⁶"
    belief = number_at(nine(), "seper.with_passages.soft")
    assert belief is not None and drawn.place_words(replace(belief, value=1.1e-16)) == "1.1 × 10⁻¹⁶"


def test_a_method_without_a_result_has_no_headline_numbers() -> None:
    bare = replace(nine(), outcomes=tuple(replace(one, result=None, status="failed") for one in nine().outcomes))
    assert all(headlines(bare, one.method) == () for one in bare.outcomes)


def test_a_threshold_says_whose_it_is_here_and_in_the_paper() -> None:
    place = number_at(nine(), "dense.threshold")
    assert place is not None
    assert numbers_in(drawn.said_of(place)["Threshold"])[0] == "0.2"
    alpha = number_at(nine(), "entropy_trend.alpha")
    assert alpha is not None and "In this run: chosen." in drawn.said_of(alpha)["Threshold"]


def test_the_numbers_beneath_a_place_are_its_own_and_not_those_of_a_place_that_begins_alike() -> None:
    table = pd.DataFrame(
        {"address": ["dense.chunks.1.weight", "dense.chunks.10.weight", "dense.chunks.1", "run.seconds"]}
    )
    assert list(drawn.beneath(table, ["dense.chunks.1"])["address"]) == ["dense.chunks.1.weight", "dense.chunks.1"]
    assert drawn.beneath(table, []).empty


def test_the_list_begins_with_what_each_method_is_about_then_thresholds_then_the_rest() -> None:
    run = nine()
    table = drawn.all_numbers(run)
    methods = [outcome.method for outcome in run.outcomes if headlines(run, outcome.method)]
    first = table.head(len(methods))
    assert list(first["address"]) == [headlines(run, method)[0].address for method in methods]
    assert first["address"].iloc[0] == "dense.entropy" and first["method"].iloc[0] == "DENSE"
    assert table["address"].is_unique
    assert list(table["address"]).index("run.hits.0.score") > len(methods)
