"""The Ask page: what it says before anything runs, what it submits, and how it draws a run, whole or not."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ButtonGroup, TextArea

from engine.core.folders import sample_data
from engine.core.records import Passage
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.traces.schema import read_trace
from engine.methods import DEFAULT_METHODS
from engine.methods.dense_records import DenseConfig
from engine.runs.read_trace import imported_answer
from engine.runs.store import RunStore
from engine.thresholds.fitted.records import to_json as fit_to_json
from pages.shared import forms
from pages.shared.draft import FILES, PASTED, SAMPLE, Draft
from pages.shared.links import METHOD_TITLES
from pages.shared.session import TELLINGS
from pages.shared.uploads import uploaded_files
from tests.engine.thresholds.calibration_case import ORIGIN, fit
from tests.pages.asking import ASK, PASTE, finished
from tests.pages.page_fixtures import (
    PROJECT,
    answered,
    done,
    failed_diagnosis,
    kept,
    keys_on,
    named_button,
    notices,
    opened,
    shown_run,
    unmeasured_diagnosis,
    whole_diagnosis,
    with_drawers,
    with_outcome,
    words_on,
)
from tests.viz.sample_results import HOSTILE, QUESTION, generation
from tests.viz.sample_trend_results import hostile_trend_result


def test_a_first_visit_shows_the_form_and_what_it_will_cost(store: RunStore) -> None:
    page = opened(ASK)

    assert page.button(key="ask") and not page.number_input and not page.pills
    assert "rm-cases" not in " ".join(str(one.value) for one in page.get("html")).replace(".rm-cases", "")
    assert [box.label for box in page.checkbox if box.value] == [METHOD_TITLES[word] for word in DEFAULT_METHODS]


def test_a_form_drawn_often_enough_writes_no_choice_over_what_is_clicked_meanwhile(store: RunStore) -> None:
    page = opened(ASK)
    assert all(choice.proto.set_value for choice in page.get("button_group")), "the first time they are set"
    for _ in range(TELLINGS):
        page.run()
    widgets = [*page.get("button_group"), *page.checkbox, *page.text_area, *page.text_input, *page.selectbox]
    assert [widget.proto.label for widget in widgets if widget.proto.set_value] == []


def test_leaving_the_question_box_writes_no_choice_over_a_click_that_comes_with_it(store: RunStore) -> None:
    page = opened(ASK)
    page.text_area[0].set_value("Who wrote Hamlet?").run()
    widgets = [*page.get("button_group"), *page.checkbox]
    assert [widget.proto.label for widget in widgets if widget.proto.set_value] == []


def test_pasted_passages_stay_the_source_when_a_message_sent_before_names_another(store: RunStore) -> None:
    page = opened(ASK)
    page.text_area(key=PASTE).set_value("The council meets twice a year.").run()
    assert source(page).value == PASTED

    # Whoever leaves the next box at once sends it with the source that the browser knew.
    source(page).set_value(SAMPLE)
    golds(page).set_value("every six months").run()
    assert source(page).value == PASTED and source(page).proto.set_value
    assert "Not read: another source is chosen." not in words_on(page)

    page.run()
    source(page).set_value(SAMPLE).run()
    assert source(page).value == SAMPLE, "a later choice is a person's"


def test_a_click_on_another_source_right_after_pasting_counts(store: RunStore) -> None:
    page = opened(ASK)
    page.text_area(key=PASTE).set_value("The council meets twice a year.").run()
    source(page).set_value(FILES).run()
    assert source(page).value == FILES


def source(page: AppTest) -> ButtonGroup[str]:
    """Return the buttons for the source of passages."""
    return next(one for one in page.get("button_group") if one.proto.label == "Source of passages")


def golds(page: AppTest) -> TextArea:
    """Return the box for correct answers."""
    return next(one for one in page.text_area if one.label == "Correct answers, one per line")


@pytest.mark.parametrize(("question", "sentence"), [("   ", ""), ("word " * 401, "401")])
def test_a_question_that_cannot_be_asked_gets_a_sentence_and_no_run(
    store: RunStore, question: str, sentence: str
) -> None:
    page = opened(ASK)
    page.text_area[0].set_value(question)
    page.button(key="ask").click().run()

    assert sentence in page.error[0].value
    assert store.listing() == ()


def test_a_question_is_submitted_once_and_its_run_stands_in_the_address(store: RunStore) -> None:
    page = opened(ASK)
    page.text_area[0].set_value("  When was   it opened?")
    page.text_area[2].set_value("31 March 1889\n\n31 March 1889\nMarch 31, 1889")
    page.button(key="ask").click().run()

    (run,) = store.listing()
    request = store.get(run.id).request
    assert shown_run(page) == run.id
    assert request.question == "When was it opened?"
    assert request.golds == ("31 March 1889", "March 31, 1889")
    assert request.corpus == "sample"
    finished(store, run.id)


def test_a_sample_question_brings_its_gold_answers_into_the_form(store: RunStore) -> None:
    page = with_drawers(opened(ASK))
    page.selectbox(key="sample.of.place").select_index(0).run()

    assert page.text_area[0].value == "What is the capital of France?"
    assert page.text_area[2].value == "Paris"


def test_a_finished_run_shows_both_answers_all_verdicts_and_the_gold_answer_in_the_passages(store: RunStore) -> None:
    page = opened(ASK, kept(store, whole_diagnosis(), "whole"))
    words = words_on(page)

    assert QUESTION in words
    assert {"card.dense.entropy", "card.seper.delta_soft"} <= set(keys_on(page))
    assert 'class="rm-gold"' in words
    assert words.count('rm-model">DENSE: certain') == 3 and words.count('rm-middle">DENSE: necessary') == 1


def test_a_run_is_told_by_its_headline_its_flow_and_four_figures(store: RunStore) -> None:
    page = opened(ASK, kept(store, whole_diagnosis(), "whole"))
    words = words_on(page)

    assert words.count('class="rm-headline rm-good"') == 1
    assert words.count("<details") == 5 and words.count('class="rm-end ') == 2
    assert len(page.get("plotly_chart")) == 4


@pytest.mark.parametrize(("diagnosis", "figures"), [(failed_diagnosis(), 3), (unmeasured_diagnosis(), 3)])
def test_a_quiet_card_stands_where_a_method_has_no_figure(store: RunStore, diagnosis: Diagnosis, figures: int) -> None:
    page = opened(ASK, kept(store, diagnosis, "quiet"))

    assert len(page.get("plotly_chart")) == figures
    assert words_on(page).count("rm-quiet") == 1 + words_on(opened(ASK)).count("rm-quiet")


def test_the_card_and_the_whole_address_are_offered(store: RunStore) -> None:
    page = opened(ASK, kept(store, whole_diagnosis(), "whole"))

    assert any(code.value.endswith("?run=whole") for code in page.code)
    assert {button.proto.label for button in page.get("download_button")} >= {"Download card as SVG"}


def test_a_run_of_a_trace_with_an_id_offers_its_scores_for_where_the_trace_came_from(store: RunStore) -> None:
    imported = imported_answer(read_trace((sample_data() / "traces" / "langchain.json").read_bytes()))
    offered = []
    for name, trace_id in (("bare", ""), ("traced", "ab" * 16)):
        run = replace(whole_diagnosis(), imported=replace(imported, trace_id=trace_id))
        page = opened(ASK, kept(store, run, name))
        offered.append({button.proto.label for button in page.get("download_button")})
    assert offered[1] - offered[0] == {"Scores for Phoenix", "Scores for Langfuse"}


def test_a_failed_method_keeps_the_rest_and_its_reason_is_escaped(store: RunStore) -> None:
    words = words_on(opened(ASK, kept(store, failed_diagnosis(), "failed")))

    assert "&lt;b&gt;no such folder" in words


def test_a_method_that_was_not_measured_says_so_and_why(store: RunStore) -> None:
    words = words_on(opened(ASK, kept(store, unmeasured_diagnosis(), "unmeasured")))

    assert "No rewrite passed" in words


def test_hostile_text_is_drawn_as_text_everywhere(store: RunStore) -> None:
    diagnosis = answered(whole_diagnosis(HOSTILE, (HOSTILE,)), generation(HOSTILE))
    page = opened(ASK, kept(store, diagnosis, "hostile"))

    assert "<script>" not in words_on(page)
    assert "&lt;script&gt;" in words_on(page)


def test_findings_that_pull_apart_get_a_sentence_under_the_cards_with_the_way_to_their_evidence(
    store: RunStore,
) -> None:
    diagnosis = answered(whole_diagnosis(), generation("in 1900"))
    page = opened(ASK, kept(store, diagnosis, "apart"))
    words = words_on(page)

    assert "⇄" in words


def test_methods_that_agree_get_a_sentence_too(store: RunStore) -> None:
    words = words_on(opened(ASK, kept(store, whole_diagnosis(), "agree")))

    assert ">=</span>" in words


def test_a_run_with_too_few_results_says_so_instead_of_comparing(store: RunStore) -> None:
    bare = replace(whole_diagnosis(golds=()), outcomes=whole_diagnosis().outcomes[2:3])
    words = words_on(opened(ASK, kept(store, bare, "bare")))

    assert "⇄" not in words and ">=</span>" not in words


def test_the_words_of_a_model_in_a_finding_are_drawn_as_text(store: RunStore) -> None:
    doubted = with_outcome(whole_diagnosis(), done("entropy_trend", hostile_trend_result()))
    diagnosis = replace(doubted, closed_book=generation("31 March 1889"))
    words = words_on(opened(ASK, kept(store, diagnosis, "hostile-radar")))

    assert "<script>" not in words and "<b>bold" not in words


def test_a_planted_sample_question_brings_its_passages_and_they_are_what_is_asked_over(store: RunStore) -> None:
    page = with_drawers(opened(ASK))
    page.pills[0].set_value("number").run()
    names = page.selectbox(key="sample.of.number").options
    page.selectbox(key="sample.of.number").select_index(names.index("How deep is Lake Morrin?")).run()
    page.button(key="row.out.1").click().run()
    page.button(key="undo_form").click().run()
    page.button(key="ask").click().run()

    (run,) = store.listing()
    request = store.get(run.id).request
    assert request.corpus is None and request.golds == ("212 metres", "212")
    assert [passage.title for passage in request.passages] == ["Lake Morrin", "Waters of Tervane", "The Salt Road"]
    assert "96 metres deep" in request.passages[1].text
    finished(store, run.id)


def test_an_unknown_run_in_the_address_is_named_and_the_form_is_there(store: RunStore) -> None:
    page = opened(ASK, "nosuchrun")

    assert "nosuchrun" in page.warning[0].value
    assert page.button(key="ask")


def test_a_deleted_run_in_the_address_is_said_to_be_deleted(store: RunStore) -> None:
    store.delete(kept(store, whole_diagnosis(), "gone"))
    page = opened(ASK, "gone")
    assert notices(page)[0] == "The run gone was deleted but can be restored."
    assert "To the list of runs" in words_on(page)


def test_ask_again_fills_the_form_from_the_run_and_links_the_new_one_to_it(store: RunStore) -> None:
    run_id = kept(store, whole_diagnosis(), "parent", k=7, seed=3, methods=("dense", "seper"))
    page = opened(ASK, run_id)
    page.button(key="ask_again").click().run()

    assert page.text_area[0].value == QUESTION
    assert [box.label for box in page.checkbox if box.value] == ["DENSE", "SePer"]
    page.button(key="ask").click().run()
    child = store.get(shown_run(page))
    assert (child.parent, child.request.k, child.request.seed) == (run_id, 7, 3)
    finished(store, child.id)


def test_passages_pasted_into_the_editor_are_what_the_run_reads_in_the_order_given(store: RunStore) -> None:
    page = opened(ASK)
    page.segmented_control[0].set_value(PASTED).run()
    page.text_area(key=PASTE).set_value("Title: Tower\nBuilt in 1889.\n\nSecond.").run()
    page.button(key="passages.add").click().run()
    named_button(page, "row.down.").click().run()
    page.text_area[0].set_value("When?")
    page.button(key="ask").click().run()

    request = store.get(store.listing()[0].id).request
    assert [(passage.title, passage.text) for passage in request.passages] == [
        ("", "Second."),
        ("Tower", "Built in 1889."),
    ]
    assert request.corpus is None and request.k is None
    finished(store, store.listing()[0].id)


def test_pasted_passages_are_read_without_being_added_first(store: RunStore) -> None:
    page = opened(ASK)
    page.text_area[0].set_value("When?")
    page.text_area(key=PASTE).set_value("Title: Tower\nBuilt in 1889.\n\nSecond.")
    page.button(key="ask").click().run()

    request = store.get(store.listing()[0].id).request
    assert [passage.text for passage in request.passages] == ["Built in 1889.", "Second."]
    assert request.corpus is None
    finished(store, store.listing()[0].id)


def test_a_named_choice_of_methods_ticks_their_boxes_and_a_tick_makes_it_ones_own(store: RunStore) -> None:
    page = opened(ASK)
    chosen = page.segmented_control[1]
    assert chosen.value == "Quick"
    chosen.set_value("Full").run()
    assert all(box.value for box in page.checkbox)
    page.checkbox[0].uncheck().run()
    assert page.segmented_control[1].value == "Custom"
    page.segmented_control[1].set_value("Quick").run()
    assert [box.label for box in page.checkbox if box.value] == [METHOD_TITLES[word] for word in DEFAULT_METHODS]


def test_a_closed_drawer_loses_nothing_that_was_chosen_in_it(store: RunStore) -> None:
    page = with_drawers(opened(ASK))
    page.number_input[0].set_value(7).run()
    page.session_state["ask.0.drawer.settings"] = False
    page.run()
    page.run()
    assert not page.number_input
    page.text_area[0].set_value("When was it opened?")
    page.button(key="ask").click().run()
    (run,) = store.listing()
    assert store.get(run.id).request.seed == 7
    finished(store, run.id)


def test_my_passages_without_a_passage_is_refused_before_anything_runs(store: RunStore) -> None:
    page = opened(ASK)
    page.segmented_control[0].set_value(PASTED).run()
    page.text_area[0].set_value("When?")
    page.button(key="ask").click().run()

    assert page.error
    assert store.listing() == ()


def test_two_uploads_of_one_name_are_both_looked_in(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    page = opened(ASK)
    page.segmented_control[0].set_value(FILES).run()
    sent = [("notes.txt", b"Paris is a city.", "text/plain"), ("notes.txt", b"Lyon is a city.", "text/plain")]
    page.file_uploader[1].set_value(sent).run()

    assert not page.exception
    folder = Path(page.session_state["microscope.draft"].corpus_path)
    assert {(folder / name).read_bytes() for name in uploaded_files(folder)} == {content for _, content, _ in sent}


def test_dropped_files_are_added_all_or_none_where_a_title_has_no_text(store: RunStore) -> None:
    page = opened(ASK)
    good, bad = ("a.txt", b"Paris is a city.", "text/plain"), ("b.txt", b"A city.\n\nTitle: Lyon", "text/plain")
    page.file_uploader[0].set_value([good, bad]).run()

    assert not page.exception and any("Lyon" in said for said in notices(page))
    assert page.segmented_control[0].value != PASTED
    assert not [key for key in keys_on(page) if key.startswith("row.")]
    page.file_uploader[0].set_value([good]).run()
    assert page.segmented_control[0].value == PASTED
    assert [row.text for row in page.session_state["microscope.passage_rows"]] == ["Paris is a city."]


def test_a_request_comes_back_from_the_form_it_filled() -> None:
    request = DiagnosisRequest(question="Who?", corpus="sample", golds=("A", "B"), methods=("dense",), k=4, seed=9)
    filled = forms.draft_of(request, parent="p1")

    assert (filled.source, filled.golds, filled.k) == (SAMPLE, "A\nB", 4)
    assert forms.draft_of(DiagnosisRequest(question="Who?", passages=(Passage(text="x"),)), "p1").source == PASTED
    assert Draft(question="Who?").methods == DEFAULT_METHODS


def test_a_run_of_twenty_passages_is_asked_again_over_twenty() -> None:
    filled = forms.draft_of(DiagnosisRequest(question="Who?", corpus="sample", k=20), parent="p1")
    assert forms.request_of(filled).k == 20


def test_a_folder_that_is_not_there_is_refused_before_anything_runs_and_the_form_keeps_its_words(
    store: RunStore, tmp_path: Path
) -> None:
    page = opened(ASK)
    page.text_area[0].set_value("When?")
    page.segmented_control[0].set_value(FILES).run()
    for path in (str(tmp_path / "none"), "~nobody-of-that-name/x"):
        page.text_input[0].set_value(path)
        page.button(key="ask").click().run()
        assert page.error
        assert (page.text_area[0].value, page.text_input[0].value) == ("When?", path)
    assert store.listing() == ()


def test_a_rewording_by_hand_stays_with_the_passages_it_was_written_for() -> None:
    dense = DenseConfig(rewrites=((0, "By hand."),))
    looked_up = forms.draft_of(DiagnosisRequest(question="Who?", corpus="sample", dense=dense), "p1")

    assert forms.request_of(replace(looked_up, seed=4, methods=("dense",))).dense.rewrites == ((0, "By hand."),)
    for changed in ({"k": 3}, {"question": "When?"}, {"retriever": "bm25"}, {"profile": "paper"}):
        assert forms.request_of(replace(looked_up, **changed)).dense.rewrites == ()


def test_other_pasted_passages_take_no_rewording_by_hand_along() -> None:
    dense = DenseConfig(rewrites=((0, "By hand."),))
    one, other = (Passage(text="One."),), (Passage(text="Other."),)
    base = DiagnosisRequest(question="Who?", passages=one, dense=dense)

    assert forms.without_strange_rewrites(replace(base, question="When?"), base).dense.rewrites == dense.rewrites
    assert forms.without_strange_rewrites(replace(base, passages=other), base).dense.rewrites == ()


def test_a_run_made_from_another_says_so_with_the_way_back_while_that_one_is_there(store: RunStore) -> None:
    first = kept(store, whole_diagnosis(), "first")
    second = kept(store, whole_diagnosis(), "second", parent=first)

    page = opened(ASK, second)
    page.button(key="parent.second").click().run()
    assert shown_run(page) == first

    store.delete(first)
    assert "parent.second" not in [button.key for button in opened(ASK, second).button]


def test_a_method_that_was_not_run_is_offered_and_not_said_to_be_explained(store: RunStore) -> None:
    diagnosis = whole_diagnosis()
    page = opened(ASK, kept(store, replace(diagnosis, outcomes=diagnosis.outcomes[:1]), "only-dense"))

    assert [key for key in keys_on(page) if key.startswith("card.")] == ["card.dense.entropy"]
    assert "SePer" in words_on(page)


def test_whose_thresholds_is_asked_only_where_some_were_fitted(store: RunStore, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("engine.thresholds.fitted.SHIPPED", tmp_path / "none")
    labels = [control.label for control in with_drawers(opened(ASK)).segmented_control]
    assert "Methods" in labels and "Thresholds" not in labels
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    folder = tmp_path / "home" / "fitted"
    folder.mkdir(parents=True)
    made = replace(ORIGIN, model="embedded", judge="embedded")
    (folder / "embedded.json").write_text(fit_to_json(fit(made, dse=0.3)), encoding="utf-8")
    page = with_drawers(opened(ASK))
    (choice,) = [control for control in page.segmented_control if control.label == "Thresholds"]
    assert choice.value == "paper"
    assert "40 questions" in words_on(page)
    choice.set_value("fitted")
    page.text_area[0].set_value("When was it opened?")
    page.button(key="ask").click().run()
    (run,) = store.listing()
    assert store.get(run.id).request.thresholds == "fitted"
    finished(store, run.id)


def test_a_form_filled_from_a_run_keeps_its_choice_of_thresholds() -> None:
    request = DiagnosisRequest(question="Who?", corpus="sample", thresholds="fitted")
    assert forms.draft_of(request, "tower").thresholds == "fitted"


def test_a_question_too_long_is_told_its_bound_before_the_click(store: RunStore) -> None:
    page = opened(ASK)
    page.text_area[0].set_value("why " * 4000).run()
    said = page.error[0].value.replace("\\", "")
    assert all(number in said for number in ("4,000 words", "15,999", "400 words"))


def test_methods_that_were_not_asked_for_stand_in_one_line_below_the_measured_ones(store: RunStore) -> None:
    diagnosis = failed_diagnosis()
    partial = replace(diagnosis, outcomes=(diagnosis.outcomes[1], diagnosis.outcomes[3]))
    words = words_on(opened(ASK, kept(store, partial, "partial")))
    assert "DENSE" in words and "no such folder" in words


def test_pasted_passages_are_still_there_when_the_page_was_left(store: RunStore) -> None:
    page = opened(ASK)
    page.text_area(key=PASTE).set_value("Built in 1889.").run()
    page.switch_page(str(PROJECT / "pages/workspace/models.py")).run()
    page.switch_page(str(PROJECT / ASK)).run()
    assert page.text_area(key=PASTE).value == "Built in 1889."
