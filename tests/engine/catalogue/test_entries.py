"""Every numeric score of every record has an entry, or a reason why it needs none; every entry says all it has to."""

import dataclasses
import importlib
import types
import typing
from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.catalogue import base
from engine.catalogue.base import FILES, WORDS
from engine.catalogue.entries import ENTRIES, from_table
from engine.catalogue.walk import compared_numbers, number_at
from engine.diagnosis.record import Diagnosis
from engine.methods import METHODS
from engine.methods.dense_rag_records import DenseRagConfig, SelfEvaluation
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.profiles import PROFILES
from engine.methods.self_evaluation import is_enough
from engine.methods.sugar import Doubt, SugarResult
from tests.engine.catalogue.exempt import EXEMPT
from tests.engine.catalogue.nine_methods import nine


def kinds_in(annotation: object) -> list[object]:
    """Return every plain type inside an annotation: unions and tuples are opened, literals left out."""
    origin = typing.get_origin(annotation)
    if origin is typing.Literal:
        return []
    if origin in (typing.Union, types.UnionType, tuple):
        return [kind for part in typing.get_args(annotation) if part is not Ellipsis for kind in kinds_in(part)]
    return [annotation]


def records(kind: type, seen: set[type]) -> Iterator[type]:
    """Yield a record type and every record type that can be reached from it."""
    if kind in seen:
        return
    seen.add(kind)
    yield kind
    for annotation in typing.get_type_hints(kind).values():
        for inner in kinds_in(annotation):
            if isinstance(inner, type) and dataclasses.is_dataclass(inner):
                yield from records(inner, seen)


def numeric_fields() -> set[tuple[type, str]]:
    """Return every (record, field) that may hold a number, of all records a diagnosis can hold."""
    return {
        (record, name)
        for record in records(Diagnosis, set())
        for name, annotation in typing.get_type_hints(record).items()
        if any(kind in (int, float) for kind in kinds_in(annotation))
    }


def test_every_number_has_an_entry_or_a_reason_and_every_float_an_entry() -> None:
    explained = {key for key, entry in ENTRIES.items() if entry.read is None}
    bare = numeric_fields() - explained
    assert len(numeric_fields()) > 150 and explained <= numeric_fields()
    assert {name for _, name in bare} == set(EXEMPT)
    assert not [key for key in bare if float in kinds_in(typing.get_type_hints(key[0])[key[1]])]


def test_an_entry_names_its_paper_its_function_its_range_and_what_not_measured_means() -> None:
    for key, entry in ENTRIES.items():
        assert all((entry.title, entry.range, entry.direction, entry.source, entry.absent)), key
        module, _, name = entry.function.rpartition(".")
        assert hasattr(importlib.import_module(module), name), entry.function
        assert entry.equation or entry.source.startswith("not ") or entry.kind == "setting", key
        assert entry.kind != "setting" or entry.papers, key
        assert not entry.interval or entry.interval in typing.get_type_hints(entry.record), key


def test_what_suffices_is_read_at_the_runs_own_threshold() -> None:
    # The embedded profile asks for 0.8, so a P(yes) of 0.7, above one half, does not suffice there.
    assert PROFILES["embedded"].suffices_from == 0.8 and not is_enough(0.7, 0.8) and is_enough(0.8, 0.8)
    assert ENTRIES[DenseRagConfig, "suffices_from"].title == "Threshold of “yes”"
    assert ENTRIES[SelfEvaluation, "yes"].direction == "at or above the threshold of “yes” = it suffices"


def test_the_number_that_sugar_decides_by_is_named_for_either_of_its_forms() -> None:
    measured = ENTRIES[SugarResult, "measured"]
    assert "entropy" not in f"{measured.title} {measured.short}".casefold()
    assert ENTRIES[Doubt, "equation_1"].equation in measured.equation
    assert ENTRIES[Doubt, "entropy"].equation.partition(",")[0] in measured.equation


def test_every_table_of_words_belongs_to_one_number() -> None:
    shared = {words["like"] for words in WORDS.values() if "like" in words}
    unused = set(WORDS) - {f"{record.__name__}.{field}" for record, field in ENTRIES}
    assert unused <= shared and unused == {"TimingConfig.threshold"}


def test_every_threshold_says_what_its_paper_sets() -> None:
    thresholds = [entry for entry in ENTRIES.values() if "threshold" in entry.field or entry.field in ("alpha", "low")]
    named = [entry for entry in thresholds if entry.kind == "setting"]
    assert len(named) >= 10
    assert all(any(letter.isdigit() for letter in entry.papers) for entry in named)


def test_references_and_directions_say_what_the_papers_and_the_code_say() -> None:
    assert WORDS["TrendPoint.second_difference"]["direction"] == "above 0 = the trend turns upwards"
    assert WORDS["TrendPoint.smoothed"]["direction"] == "above 0 = the trend turns upwards"
    alpha = ENTRIES[EntropyTrendResult, "alpha"]
    assert alpha.papers == "0.75 to 1.5; 1.0 for 2WikiMultihopQA and IIRC with Llama-2-7B and Llama-3-8B"
    assert alpha.source == METHODS["entropy_trend"].thresholds[0].paper == "ETC, section 3.2 and table 7"
    assert {one.paper for one in METHODS["sugar"].thresholds} == {"SUGAR, section III.D"}
    assert METHODS["entropy_trend"].paper == "ETC, section 3"
    assert WORDS["TrendWord.max_attention"]["source"] == "ETC's released code (variant “code”)"
    assert WORDS["PreCheck.threshold"]["source"] == "QuCo-RAG, eq. 2, section 3.2; the percentile is ours"
    assert WORDS["QucoResult.cooccurrence_threshold"]["source"] == "QuCo-RAG, eq. 4 and section 3.3"
    assert WORDS["Generation.temperature"]["source"] == "SePer, appendix D.4; DENSE, section 4.1"


def test_what_was_not_measured_is_not_said_to_never_fire() -> None:
    assert WORDS["PolicyTrace.first_trigger"]["absent"] == "The policy never fires, or could not be measured."
    assert WORDS["EntropyTrendResult.first_trigger"]["absent"] == "No value reaches α, or none could be measured."
    assert WORDS["EntropyTrendResult.first_trigger"]["range"] == "at least 1"


def test_every_method_has_numbers_that_are_compared() -> None:
    methods = {outcome.method for outcome in nine().outcomes}
    assert {method for method in methods if list(compared_numbers(nine(), method))} == methods


def test_a_number_whose_table_names_its_parts_needs_no_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """DSE's share, as a contributor would add it: its table names the matrix of weights as its only part."""
    table = {**FILES["dense"]["DenseResult"]["share"], "parts": ["weights"]}
    monkeypatch.setitem(FILES["dense"]["DenseResult"], "share", table)
    monkeypatch.setitem(WORDS, "DenseResult.share", table)
    found = next(one for one in from_table("dense") if one.field == "share")
    place = number_at(nine(), "dense.share")
    assert (found.title, found.compared_in) == (ENTRIES[found.record, "share"].title, found.record)
    assert (
        place is not None
        and place.value is not None
        and found.work(place).again == pytest.approx(place.value, abs=1e-12)
    )
    assert base.entry(found.record, "share").work(replace(place, value=None)).again is None
