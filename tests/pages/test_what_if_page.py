"""The What if page: what can be changed, the variant it asks for, what it shows beside the original, undo, repeats."""

import time
from dataclasses import replace

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextArea

from engine.runs.store import RunStore, StoredRun
from engine.runs.variants import Slot
from pages.what_if.editing import accepted_wording, labels_of
from pages.what_if.searching import hit_label
from tests.pages.page_fixtures import (
    answered,
    done,
    has_no_run,
    kept,
    keys_on,
    notices,
    opened,
    row_tables,
    shown_run,
    whole_diagnosis,
    with_outcome,
    words_on,
)
from tests.viz.sample_results import HOSTILE, PASSAGES, generation, hits, seper_hurt

PAGE = "pages/workspace/what_if.py"


def press(page: AppTest, name: str, place: int = 0) -> AppTest:
    """Press the button whose key has this part, the one at ``place`` where there are several."""
    [button for button in page.button if f".{name}." in f"{button.key}."][place].click()
    page.run()
    assert not page.exception, page.exception[0].message if page.exception else ""
    return page


def box_of(page: AppTest, part: str) -> TextArea:
    """Return the text box whose key holds this part."""
    return next(area for area in page.text_area if part in f"{area.key}.")


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
    assert has_no_run(opened(PAGE))


def test_a_run_is_shown_with_its_passages_and_nothing_changed(store: RunStore) -> None:
    page = opened(PAGE, kept(store, whole_diagnosis(), "original"))
    words = words_on(page).replace("\\", "")
    assert all(f"{place}. Eiffel Tower" in words for place in range(1, len(PASSAGES) + 1))
    assert "DENSE: necessary" in words
    assert page.button(key="what_if.ask.original").disabled


def test_a_passage_left_out_is_asked_as_a_variant_with_the_same_seed(store: RunStore) -> None:
    page = press(opened(PAGE, kept(store, whole_diagnosis(), "original", seed=5)), "remove", 1)
    assert "passage 2, “Eiffel Tower”" in words_on(page).replace("\\", "")
    press(page, "ask")
    run = newest(store, "original")
    assert (run.parent, run.request.seed, run.request.fixed, run.request.corpus) == ("original", 5, True, "sample")
    assert [passage.text for passage in run.request.passages] == [PASSAGES[0], *PASSAGES[2:]]
    assert shown_run(page) == run.id


def test_undo_redo_and_start_over_go_along_the_steps(store: RunStore) -> None:
    page = opened(PAGE, kept(store, whole_diagnosis(), "original"))
    ask = "what_if.ask.original"
    press(press(page, "copy"), "down", 0)
    changed = words_on(page)
    assert press(press(page, "undo"), "undo").button(key=ask).disabled
    assert words_on(press(press(page, "redo"), "redo")) == changed
    assert press(page, "reset").button(key=ask).disabled
    assert words_on(press(page, "undo")) == changed


def test_the_words_of_a_passage_are_edited_and_come_back_with_undo(store: RunStore) -> None:
    page = press(opened(PAGE, kept(store, whole_diagnosis(), "original")), "open")
    box = box_of(page, ".text.")
    box.set_value(HOSTILE)
    page.run()
    words = words_on(page)
    assert "<script>" not in words and "&lt;script&gt;" in words
    assert "passage 1, “Eiffel Tower”" in words.replace("\\", "")
    press(page, "undo")
    assert box_of(page, ".text.").value == PASSAGES[0]
    box_of(page, ".text.").set_value("  ")
    page.run()
    assert notices(page) or page.toast
    assert page.button(key="what_if.ask.original").disabled


def test_a_passage_of_ones_own_is_added_and_one_without_words_is_not(store: RunStore) -> None:
    page = opened(PAGE, kept(store, whole_diagnosis(), "original"))
    assert press(page, "own.add").button(key="what_if.ask.original").disabled
    box_of(page, "own").set_value("The tower is in Lyon.")
    page.run()
    assert "The tower is in Lyon." in words_on(press(page, "own.add"))
    assert not page.button(key="what_if.ask.original").disabled
    assert box_of(page, "own").value == ""


def test_another_retriever_and_number_are_asked_for_without_the_passages(store: RunStore) -> None:
    page = opened(PAGE, kept(store, whole_diagnosis(), "original"))
    next(box for box in page.selectbox if ".retriever" in str(box.key)).set_value("reranked")
    page.run()
    next(slider for slider in page.slider if ".k" in str(slider.key)).set_value(3)
    page.run()
    press(page, "ask")
    request = newest(store, "original").request
    assert (request.retriever, request.k, request.passages, request.fixed) == ("reranked", 3, (), False)


def test_a_rewording_by_hand_goes_into_the_variant(store: RunStore) -> None:
    page = press(opened(PAGE, kept(store, whole_diagnosis(), "original")), "open", 2)
    box_of(page, ".wording.").set_value("Said otherwise.")
    page.run()
    assert "passage 3" in words_on(press(page, "use")).replace("\\", "")
    press(page, "ask")
    assert newest(store, "original").request.dense.rewrites == ((2, "Said otherwise."),)


def test_a_rewording_is_never_offered_for_another_text_than_its_own(store: RunStore) -> None:
    page = press(opened(PAGE, kept(store, whole_diagnosis(), "original")), "open")
    recorded = box_of(page, ".wording.").value
    box_of(page, ".text.").set_value("Anna Muster drew the tower in 1900.")
    page.run()
    assert box_of(page, ".wording.").value == "Anna Muster drew the tower in 1900."
    box_of(page, ".wording.").set_value("The tower was drawn in 1900 by Anna Muster.")
    page.run()
    assert box_of(press(page, "use"), ".wording.").value == "The tower was drawn in 1900 by Anna Muster."
    press(page, "undo")
    assert box_of(page, ".wording.").value == "Anna Muster drew the tower in 1900."
    assert box_of(press(page, "undo"), ".wording.").value == recorded


def fallen(store: RunStore) -> tuple[str, str]:
    """Return the ids of a run and of its variant without a passage, in which belief fell and the answer changed."""
    first = kept(store, whole_diagnosis(), "original")
    changed = with_outcome(whole_diagnosis(), done("seper", seper_hurt()))
    changed = answered(replace(changed, hits=hits()[1:]), generation("1887"))
    fixed = {"fixed": True, "passages": tuple(hit.passage for hit in hits()[1:])}
    return first, kept(store, changed, "variant", parent=first, **fixed)


def test_the_runs_to_compare_with_bear_their_steps_and_changes_and_no_ids(store: RunStore) -> None:
    _, variant = fallen(store)
    last = kept(store, whole_diagnosis(), "last", parent=variant)
    picker = opened(PAGE, last).selectbox(key=f"what_if.base.{last}")
    assert len(picker.options) == 2 and not any(variant in one for one in picker.options)
    assert "Eiffel Tower" in picker.options[0] and "opened to the public" in picker.options[1]


def test_a_variant_stands_beside_its_original_with_the_word_on_every_difference(store: RunStore) -> None:
    _, variant = fallen(store)
    page = opened(PAGE, variant)
    words = words_on(page).replace("\\", "")
    assert "passage 1, “Eiffel Tower”" in words
    assert "“31 March 1889”" in words and "“1887”" in words
    labels = [one.label.replace("\\", "") for one in page.expander]
    assert any("only in the original" in one and one.count("Passages") == 1 for one in labels), labels
    table = next(frame for frame in row_tables(page) if "word" in frame.columns)
    assert (
        table.set_index("what")["word"][
            "ΔSePer, soft" if "ΔSePer, soft" in set(table["what"]) else "SePer: ΔSePer, soft"
        ]
        == "beyond noise"
    )
    assert not page.warning


def test_a_click_goes_back_to_the_original_and_the_tree_keeps_the_variant(store: RunStore) -> None:
    original, variant = fallen(store)
    page = press(opened(PAGE, variant), "back")
    assert shown_run(page) == original
    tree = next(frame for frame in row_tables(page) if "here" in frame.columns)
    assert len(tree) == 2 and "run" not in tree.columns
    assert tree["here"].fillna("").tolist() == ["shown", ""]


def test_other_weights_than_the_originals_are_warned_of_with_the_way_out(store: RunStore) -> None:
    original = kept(store, whole_diagnosis(), "original")
    later = replace(whole_diagnosis().provenance, model_revision="r2")
    variant = kept(store, replace(whole_diagnosis(), provenance=later), "variant", parent=original)
    page = opened(PAGE, variant)
    assert page.warning
    press(page, "repeat")
    request = newest(store, variant).request
    assert (request.parent, request.seed) == (original, 0)


def test_repeats_are_stored_runs_of_the_original_with_other_seeds(store: RunStore) -> None:
    page = opened(PAGE, kept(store, whole_diagnosis(), "original", seed=7))
    press(page, "redraw")
    for _ in range(100):
        made = [run for run in store.listing(limit=20) if run.parent == "original"]
        if len(made) == 4 and all(run.state == "done" for run in made):
            break
        time.sleep(0.1)
    assert sorted(store.get(run.id).request.seed for run in made) == [8, 9, 10, 11]
    page.run()
    assert "8, 9, 10, 11" in words_on(page)
    assert "No variants yet, 4 repeats" in words_on(page)


def test_the_number_of_repeats_stays_after_they_were_run(store: RunStore) -> None:
    page = opened(PAGE, kept(store, whole_diagnosis(), "original"))
    next(slider for slider in page.slider if slider.label == "Repeats").set_value(2).run()
    press(page, "redraw")
    for _ in range(100):
        page.run()
        if "Repeated 2 times" in words_on(page):
            break
        time.sleep(0.1)
    assert [slider.value for slider in page.slider if slider.label == "Repeats"] == [2]


def test_closed_book_and_twenty_passages_are_shown(store: RunStore) -> None:
    bare = replace(whole_diagnosis(), hits=(), outcomes=())
    page = opened(PAGE, kept(store, bare, "bare", fixed=True))
    assert not [key for key in keys_on(page) if ".remove." in key]
    many = replace(whole_diagnosis(), hits=hits() * 4)
    page = opened(PAGE, kept(store, many, "many"))
    assert [button.disabled for button in page.button if ".copy." in str(button.key)] == [True] * 20


def test_the_ask_page_leads_here(store: RunStore) -> None:
    page = opened("pages/workspace/ask.py", kept(store, whole_diagnosis(), "original"))
    assert page.button(key="to_what_if.original.None")
    assert opened("pages/methods/dense.py", "original").button(key="to_what_if.original.1")


def test_a_run_between_is_not_called_the_original(store: RunStore) -> None:
    first, variant = fallen(store)
    last = kept(store, whole_diagnosis(), "last", parent=variant)
    page = opened(PAGE, last)
    assert page.header[0].value == "Compared with the run before"
    page.selectbox(key=f"what_if.base.{last}").set_value(first).run()
    assert page.header[0].value == "Compared with the original"
    assert page.button(key=f"what_if.back.{last}").label == "Back to the run before"
