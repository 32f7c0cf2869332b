"""The What if page: what can be changed, the variant it asks for, what it shows beside the original, undo, repeats."""

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from engine.runs.store import RunStore, StoredRun
from engine.runs.variants import Slot
from pages.what_if.editing import accepted_wording, labels_of
from pages.what_if.searching import hit_label
from tests.pages.page_fixtures import (
    answered,
    desk_over,
    done,
    kept,
    opened,
    shown_run,
    whole_diagnosis,
    with_outcome,
    words_on,
)
from tests.viz.sample_results import HOSTILE, PASSAGES, generation, hits, seper_hurt

PAGE = "pages/workspace/what_if.py"


@pytest.fixture
def store(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    """Return a store without recorded examples behind a desk without a model."""

    desk = desk_over(tmp_store, monkeypatch)
    yield tmp_store
    desk.shutdown()


def press(page: AppTest, label: str, place: int = 0) -> AppTest:
    """Press the button with this label, the one at ``place`` where there are several."""
    [button for button in page.button if button.label == label][place].click()
    page.run()
    assert not page.exception, page.exception[0].message if page.exception else ""
    return page


def newest(store: RunStore, besides: str) -> StoredRun:
    """Return the run that was made last, once it is done."""
    for _ in range(100):
        run = store.listing(limit=1)[0]
        if run.id != besides and run.state == "done":
            return store.get(run.id)
        time.sleep(0.1)
    raise AssertionError("no variant was run")


def test_a_passage_found_is_named_on_one_line_and_one_that_was_read_has_denses_word() -> None:
    assert hit_label(hits()[0]).startswith("1. Eiffel Tower: ")
    found = labels_of(whole_diagnosis())
    assert [found[hit.passage] for hit in hits()] == ["certain", "necessary", "unnecessary", "certain", "certain"]
    assert labels_of(None) == {}
    start = Slot(key=0, passage=hits()[0].passage)
    assert accepted_wording(whole_diagnosis(), start) != ""
    assert accepted_wording(None, start) == ""


def test_without_any_run_the_page_offers_the_ways_to_one(store: RunStore) -> None:
    assert "There is no run yet" in words_on(opened(PAGE))


def test_a_run_is_shown_with_its_passages_and_nothing_changed(store: RunStore) -> None:
    page = opened(PAGE, kept(store, whole_diagnosis(), "original"))
    words = words_on(page).replace("\\", "")
    assert "Nothing is changed yet" in words and "Nothing was made from this run yet." in words
    assert all(f"{place}. Eiffel Tower" in words for place in range(1, len(PASSAGES) + 1))
    assert "DENSE: necessary" in words
    assert [button.disabled for button in page.button if button.label == "Run this variant"] == [True]


def test_a_passage_left_out_is_asked_as_a_variant_with_the_same_seed(store: RunStore) -> None:
    page = press(opened(PAGE, kept(store, whole_diagnosis(), "original", seed=5)), "Remove", 1)
    assert "passage 2, “Eiffel Tower”, is left out" in words_on(page).replace("\\", "")
    press(page, "Run this variant")
    run = newest(store, "original")
    assert (run.parent, run.request.seed, run.request.fixed, run.request.corpus) == ("original", 5, True, "sample")
    assert [passage.text for passage in run.request.passages] == [PASSAGES[0], *PASSAGES[2:]]
    assert shown_run(page) == run.id


def test_undo_redo_and_start_over_go_along_the_steps(store: RunStore) -> None:
    page = opened(PAGE, kept(store, whole_diagnosis(), "original"))
    press(press(page, "Twice"), "Down", 0)
    changed = words_on(page)
    assert "Nothing is changed yet" in words_on(press(press(page, "Undo"), "Undo"))
    assert words_on(press(press(page, "Redo"), "Redo")) == changed
    assert "Nothing is changed yet" in words_on(press(page, "Start over"))
    assert words_on(press(page, "Undo")) == changed


def test_the_words_of_a_passage_are_edited_and_come_back_with_undo(store: RunStore) -> None:
    page = press(opened(PAGE, kept(store, whole_diagnosis(), "original")), "Edit, swap, reword")
    box = next(area for area in page.text_area if area.label == "Text")
    box.set_value(HOSTILE)
    page.run()
    words = words_on(page)
    assert "<script>" not in words and "&lt;script&gt;" in words
    assert "passage 1, “Eiffel Tower”, gives way to" in words.replace("\\", "")
    press(page, "Undo")
    assert next(area for area in page.text_area if area.label == "Text").value == PASSAGES[0]
    next(area for area in page.text_area if area.label == "Text").set_value("  ")
    page.run()
    assert "A passage needs a text; the old one stays" in words_on(page).replace("\\", "")


def test_a_passage_of_ones_own_is_added_and_one_without_words_is_not(store: RunStore) -> None:
    page = opened(PAGE, kept(store, whole_diagnosis(), "original"))
    assert "Write the passage first" in words_on(press(page, "Add it"))
    next(area for area in page.text_area if area.label == "Your passage").set_value("The tower is in Lyon.")
    page.run()
    words = words_on(press(page, "Add it"))
    assert "The tower is in Lyon." in words and "is new" in words
    assert next(area for area in page.text_area if area.label == "Your passage").value == ""


def test_another_retriever_and_number_are_asked_for_without_the_passages(store: RunStore) -> None:
    page = opened(PAGE, kept(store, whole_diagnosis(), "original"))
    next(box for box in page.selectbox if box.label == "How to look them up").set_value("reranked")
    page.run()
    next(slider for slider in page.slider if slider.label == "Passages to look up").set_value(3)
    page.run()
    press(page, "Run this variant")
    request = newest(store, "original").request
    assert (request.retriever, request.k, request.passages, request.fixed) == ("reranked", 3, (), False)


def test_a_rewording_by_hand_goes_into_the_variant(store: RunStore) -> None:
    page = press(opened(PAGE, kept(store, whole_diagnosis(), "original")), "Edit, swap, reword", 2)
    next(area for area in page.text_area if area.label == "The passage in your own words").set_value("Said otherwise.")
    page.run()
    words = words_on(press(page, "Use this rewording"))
    assert "the rewording of passage 3 is by hand" in words.replace("\\", "")
    press(page, "Run this variant")
    assert newest(store, "original").request.dense.rewrites == ((2, "Said otherwise."),)


def fallen(store: RunStore) -> tuple[str, str]:
    """Return the ids of a run and of its variant without a passage, in which belief fell and the answer changed."""
    first = kept(store, whole_diagnosis(), "original")
    changed = with_outcome(whole_diagnosis(), done("seper", seper_hurt()))
    changed = answered(replace(changed, hits=hits()[1:]), generation("1887"))
    fixed = {"fixed": True, "passages": tuple(hit.passage for hit in hits()[1:])}
    return first, kept(store, changed, "variant", parent=first, **fixed)


def test_a_variant_stands_beside_its_original_with_the_word_on_every_difference(store: RunStore) -> None:
    _, variant = fallen(store)
    page = opened(PAGE, variant)
    words = words_on(page).replace("\\", "")
    assert "Changed: passage 1, “Eiffel Tower”, is left out." in words
    assert "beyond noise" in words and "The answer was “31 March 1889” and is “1887”" in words
    table = next(frame.value for frame in page.dataframe if "word" in frame.value.columns)
    assert (
        table.set_index("what")["word"][
            "ΔSePer, soft" if "ΔSePer, soft" in set(table["what"]) else "SePer: ΔSePer, soft"
        ]
        == "beyond noise"
    )
    assert "Not only your change" not in words


def test_a_click_goes_back_to_the_original_and_the_tree_keeps_the_variant(store: RunStore) -> None:
    original, variant = fallen(store)
    page = press(opened(PAGE, variant), "Undo: back to the original")
    assert shown_run(page) == original
    tree = next(frame.value for frame in page.dataframe if "here" in frame.value.columns)
    assert list(tree["run"]) == [original, variant]
    assert list(tree["here"]) == ["shown", ""]


def test_other_weights_than_the_originals_are_warned_of_with_the_way_out(store: RunStore) -> None:
    original = kept(store, whole_diagnosis(), "original")
    later = replace(whole_diagnosis().provenance, model_revision="r2")
    variant = kept(store, replace(whole_diagnosis(), provenance=later), "variant", parent=original)
    page = opened(PAGE, variant)
    assert "Not only your change" in words_on(page)
    press(page, "Ask the original again, unchanged")
    request = newest(store, variant).request
    assert (request.parent, request.seed) == (original, 0)


def test_repeats_are_stored_runs_of_the_original_with_other_seeds(store: RunStore) -> None:
    page = opened(PAGE, kept(store, whole_diagnosis(), "original", seed=7))
    press(page, "Draw again 4 times")
    for _ in range(100):
        made = [run for run in store.listing(limit=20) if run.parent == "original"]
        if len(made) == 4 and all(run.state == "done" for run in made):
            break
        time.sleep(0.1)
    assert sorted(store.get(run.id).request.seed for run in made) == [8, 9, 10, 11]
    page.run()
    assert "Drawn again 4 times so far (seeds 8, 9, 10, 11)" in words_on(page)


def test_closed_book_and_twenty_passages_are_shown(store: RunStore) -> None:
    bare = replace(whole_diagnosis(), hits=(), outcomes=())
    page = opened(PAGE, kept(store, bare, "bare", fixed=True))
    assert "No passage is left" in words_on(page)
    many = replace(whole_diagnosis(), hits=hits() * 4)
    words = words_on(opened(PAGE, kept(store, many, "many")))
    assert "20 passages are as many as can be read at once" in words


def test_the_ask_page_leads_here(store: RunStore) -> None:
    page = opened("pages/workspace/ask.py", kept(store, whole_diagnosis(), "original"))
    assert [button.label for button in page.button].count("What if …") == 1
    dense = opened("pages/methods/dense.py", "original")
    assert "What if passage 2 …" in [button.label for button in dense.button]
