"""The threshold lab in words, tables and one strip, from stored records and fast enough to follow a slider."""

import json
import time

from engine.thresholds.in_run import run_thresholds
from engine.thresholds.replay import Replayed, replayed
from tests.engine.catalogue.nine_methods import nine
from tests.pages.page_fixtures import done, whole_diagnosis, with_outcome
from tests.viz.sample_trend_results import hostile_trend_result, voyage_result
from viz.parts.theme import DARK, LIGHT
from viz.runs import threshold_lab as lab

EVERYTHING = {
    "dse": 0.0,
    "alpha": 3.0,
    "rind": 0.1,
    "flare": 0.05,
    "tau_entity": 0.0,
    "tau_cooc": 3.0,
    "sugar_low": 2.2,
    "sugar_high": 2.2,
}


def test_every_threshold_has_a_range_that_holds_the_runs_own() -> None:
    for diagnosis in (nine(), whole_diagnosis()):
        for one in run_thresholds(diagnosis):
            low, high, step = lab.span(one)
            assert low <= min(one.value, high) and step > 0
            assert isinstance(high, float)
            assert one.missing or one.value <= high


def test_where_nothing_was_moved_the_lab_says_so() -> None:
    found = Replayed(changes=(), stale=())
    assert lab.verdict(found, 0).word == "as in the run"
    assert lab.verdict(found, 2).word == "nothing changes"
    assert lab.sentences(found) == () and lab.strip_html(nine(), found, LIGHT) == ""


def test_changes_are_told_in_plain_sentences_one_for_each_policy() -> None:
    diagnosis = with_outcome(whole_diagnosis(), done("entropy_trend", voyage_result()))
    found = replayed(diagnosis, {"alpha": 1.6})
    said = lab.sentences(found)
    assert len(said) == 1 and said[0].startswith("ETC no longer") and "“Lisbon”" in said[0]
    assert lab.verdict(found, 1).tone == "middle"


def test_the_strip_marks_what_vanished_and_greys_what_stands_behind_the_first_change() -> None:
    found = replayed(whole_diagnosis(), {"alpha": 1.6})
    for theme in (LIGHT, DARK):
        html = lab.strip_html(whole_diagnosis(), found, theme)
        assert 'aria-label="vanishes"' in html and "Grey from token" in html
        assert theme.panel in html


def test_the_tables_and_files_hold_every_change_and_every_stale_part() -> None:
    found = replayed(nine(), EVERYTHING)
    assert len(lab.changes_table(found)) == len(found.changes) > 5
    content = json.loads(lab.changes_json("abc", run_thresholds(nine()), EVERYTHING, found))
    assert content["run"] == "abc" and len(content["changes"]) == len(found.changes)
    assert content["thresholds"]["dse"]["in_the_run"] == 0.2
    lines = lab.changes_csv(found).decode().splitlines()
    assert len(lines) == 1 + len(found.changes) + len(found.stale)


def test_whose_value_a_threshold_has_is_told_apart() -> None:
    alpha = next(one for one in run_thresholds(nine()) if one.word == "alpha")
    assert lab.state_word(alpha, 0.5, {}) == ""
    assert lab.state_word(alpha, 1.0, {}) == "The paper's value. "
    assert lab.state_word(alpha, 1.3, {"alpha": 1.3}) == "The fitted value. "
    assert lab.state_word(alpha, 1.4, {"alpha": 1.3}) == "Your own value. "
    assert "1.30" in lab.origin_sentence(alpha, {"alpha": 1.3}) and "1.30" not in lab.origin_sentence(alpha, {})
    own, papers, fits = lab.presets(run_thresholds(nine()), {"alpha": 1.3})
    assert (own["alpha"], papers["alpha"], fits["alpha"]) == (0.5, 1.0, 1.3)
    assert papers["tau_entity"] == own["tau_entity"]


def test_table_and_sentence_name_the_same_origin_of_a_threshold() -> None:
    """The corpus's percentile was "chosen" in the table, which is a person's hand."""
    found = run_thresholds(nine())
    table = lab.settings_table(found, {}).set_index("threshold")["the run's is"]
    entity = next(one for one in found if one.word == "tau_entity")
    assert table["τ_entity"] == "the corpus's percentile" and "(the corpus's percentile)" in lab.origin_sentence(
        entity, {}
    )
    assert table["α of ETC"] == "chosen"


def test_markup_in_an_answer_stays_text_in_the_strip() -> None:
    diagnosis = with_outcome(whole_diagnosis(), done("entropy_trend", hostile_trend_result()))
    found = replayed(diagnosis, {"alpha": 0.0})
    html = lab.strip_html(diagnosis, found, LIGHT)
    assert "<script" not in html and "<b>" not in html


def test_a_move_of_every_threshold_is_replayed_and_drawn_in_well_under_the_time_a_hand_notices() -> None:
    diagnosis = nine()
    began = time.process_time()
    found = replayed(diagnosis, EVERYTHING)
    lab.sentences(found), lab.strip_html(diagnosis, found, LIGHT), lab.changes_table(found)
    assert time.process_time() - began < 0.4
