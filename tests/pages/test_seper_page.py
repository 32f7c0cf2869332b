"""The SePer page: what it shows of a stored run, and what it asks anew."""

import re
from dataclasses import replace

import pytest

from engine.core.records import Judgement
from engine.diagnosis.record import MethodResult
from engine.diagnosis.request import DiagnosisRequest
from engine.methods.seper_records import SeperResult
from engine.runs.store import RunStore
from tests.pages.page_fixtures import desk_over, done, kept, opened, row_tables, whole_diagnosis, with_outcome, words_on
from tests.viz import sample_results as samples
from viz.runs.bundle import run_bundle

PAGE = "pages/methods/seper.py"


@pytest.fixture(autouse=True)
def desk(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the page an empty store and a desk without a model."""
    desk_over(tmp_store, monkeypatch)


def holding(store: RunStore, result: MethodResult, golds: tuple[str, ...] = ("31 March 1889",)) -> str:
    """Return the id of a stored run whose SePer result is this one."""
    return kept(store, with_outcome(whole_diagnosis(golds=golds), done("seper", result)), "r1")


def test_the_page_says_that_the_passages_helped_and_by_how_much(tmp_store: RunStore) -> None:
    page = opened(PAGE, holding(tmp_store, samples.seper_helped()))
    words = words_on(page)
    assert all(number in words for number in ("+0.49", "0.18", "0.76"))
    assert "**code**" in words
    assert [len(table) for table in row_tables(page)] == [6, 4, 20, 2]


def test_the_page_says_how_many_judgements_are_of_a_script_that_the_judge_never_learned(tmp_store: RunStore) -> None:
    third = 1 / 3
    strange = Judgement(premise="القاهرة", hypothesis="دمشق", contradiction=third, neutral=third, entailment=third)
    result = replace(samples.seper_helped(), judgements=(strange, replace(strange, premise="1889", hypothesis="1889")))
    run = with_outcome(whole_diagnosis(golds=("31 March 1889",)), done("seper", result))
    run = replace(run, provenance=replace(run.provenance, judge="embedded"))

    said = "In 1 of 2 judgements an answer is in another script, and no rule decides."
    words = words_on(opened(PAGE, kept(tmp_store, run, "r1")))
    assert said in words.replace("\\", "")
    assert said in run_bundle(run)
    whole = words_on(opened("pages/workspace/ask.py", "r1")).replace("\\", "")
    assert re.search(r"In 1 of \d+ judgements an answer is in another script", whole)


def test_a_difference_within_noise_is_not_called_a_difference(tmp_store: RunStore) -> None:
    words = words_on(opened(PAGE, holding(tmp_store, samples.seper_noise())))
    interval = samples.seper_noise().delta_soft_interval
    assert interval is not None
    assert f"{abs(interval.low):.2f}" in words and f"{interval.high:.2f}" in words


def test_without_gold_answers_the_beliefs_stand_and_gold_answers_can_be_added(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[DiagnosisRequest] = []
    monkeypatch.setattr("pages.shared.run_panel.submit_variant", asked.append)
    page = opened(PAGE, holding(tmp_store, samples.seper_no_gold(), golds=()))
    page.text_area[0].set_value("31 March 1889\n\n In 1889 \n")
    page.button(key="seper.golds.ask").click()
    page.run()
    assert not page.exception
    assert asked[0].golds == ("31 March 1889", "In 1889")
    assert asked[0].parent == "r1"


@pytest.mark.parametrize("result", [samples.seper_no_gold(), samples.seper_helped()])
def test_the_strongest_beliefs_are_said_once(tmp_store: RunStore, result: SeperResult) -> None:
    golds = ("31 March 1889",) if result.golds else ()
    words = words_on(opened(PAGE, holding(tmp_store, result, golds)))
    assert len(re.findall("Strongest belief(?! after reading)", words)) == 1


def test_a_run_with_gold_answers_does_not_ask_for_them(tmp_store: RunStore) -> None:
    assert not opened(PAGE, holding(tmp_store, samples.seper_helped())).text_area


def test_odd_results_are_drawn_without_an_exception_and_without_markup(tmp_store: RunStore) -> None:
    words = words_on(opened(PAGE, holding(tmp_store, samples.seper_hostile())))
    assert re.search(r"(?<!\\)<script", words) is None


def test_a_selected_row_shows_how_that_sample_was_written(tmp_store: RunStore) -> None:
    page = opened(PAGE, holding(tmp_store, samples.seper_helped()))
    first = words_on(page)
    page.query_params["answer"] = "seper.with_passages.samples.2"
    page.run()
    assert not page.exception
    assert "sample 3" in words_on(page) and "sample 3" not in first


def test_the_paper_variant_is_named_as_such(tmp_store: RunStore) -> None:
    page = opened(PAGE, holding(tmp_store, replace(samples.seper_helped(), variant="paper")))
    assert "**paper**" in words_on(page)


def test_the_page_names_the_judge_in_use(tmp_store: RunStore) -> None:
    words = words_on(opened(PAGE, holding(tmp_store, samples.seper_helped())))
    assert "“Similarity of words and meaning”" in words
