"""The figure, cards, tables and sentences of DENSE-RAG: the numbers are the record's, the texts are escaped."""

from dataclasses import replace

import pytest

from engine.core.records import Interval, Passage
from engine.methods.dense_rag import Cutting, DenseRagConfig
from tests.viz.numbers_in_text import numbers_in
from tests.viz.sample_rag_results import (
    broken_off_result,
    certain_result,
    fallback_result,
    hostile_rag_result,
    refined_result,
    unmeasured_result,
)
from tests.viz.sample_results import generation
from viz.methods import dense_rag
from viz.methods.dense_rag import context_html, numbers_of, passage_of, places_with, shares_text
from viz.methods.refinement_figure import refinement_figure, title
from viz.parts.theme import DARK, LIGHT

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def test_verdicts_are_settled_nothing_to_refine_not_settled_and_cannot_tell():
    results = (refined_result(), certain_result(), fallback_result(), unmeasured_result())
    assert [(dense_rag.verdict(result).word, dense_rag.verdict(result).tone) for result in results] == [
        ("settled by refining", "model"),
        ("nothing to refine", "model"),
        ("not settled", "middle"),
        ("not measured", "unknown"),
    ]


def test_the_sentence_has_the_course_of_dse_and_both_answers():
    words = dense_rag.sentence(refined_result())
    for part in ("3 contexts", "0.64 nats to 0.10 nats in context 3", "“In 1887”", "“31 March 1889”"):
        assert part in words
    assert "number 2" in dense_rag.sentence(fallback_result())
    assert "first answer stays" in dense_rag.sentence(broken_off_result())
    assert unmeasured_result().not_measured in dense_rag.sentence(unmeasured_result())


def test_a_stop_by_one_condition_names_that_condition():
    either = replace(refined_result(), config=DenseRagConfig(stop_rule="either"))
    lacking = replace(either.steps[2], evaluation=either.steps[1].evaluation)
    stable = dense_rag.rule_sentence(replace(either, steps=(*either.steps[:2], lacking)))
    assert "context 3" in stable and "stable" in stable and "sufficient" not in stable
    unsure = replace(either, steps=(*either.steps[:2], replace(either.steps[2], entropy=0.4)))
    assert "sufficient" in dense_rag.rule_sentence(unsure) and "stable" not in dense_rag.rule_sentence(unsure)


def test_a_context_has_its_entropy_its_sufficiency_and_its_answer():
    words = dense_rag.step_sentence(refined_result(), 1)
    for part in ("Context 2 of 3", "2 chunks", "DSE 0.45 nats", "threshold 0.2", "yes 0.40, no 0.60", "“May 1889”"):
        assert part in words


def test_every_move_has_its_reason():
    result = refined_result()
    refill = dense_rag.came_sentence(result, result.steps[2].came[0])
    assert "chunk 3" in refill and "0.71" in refill
    assert numbers_in(dense_rag.came_sentence(result, result.steps[1].came[0])) == ["1", "0.03"]
    assert dense_rag.left_sentence(result.steps[2].left[0]).startswith("unnecessary:")
    assert numbers_in(dense_rag.moves_sentence(result, 2)) == ["4", "6"]
    assert dense_rag.leaves_next(result, 1, 3) and not dense_rag.leaves_next(result, 1, 2)


def test_the_cuts_are_counted_and_a_cut_that_was_not_possible_says_why():
    assert "5 chunks" in dense_rag.cuts_sentence(refined_result())
    failed = replace(refined_result(), cuttings=(Cutting(cut="semantic", documents=(), chunks=0, failed="No corpus"),))
    assert "No corpus" in dense_rag.cuts_sentence(failed)


def test_the_tables_hold_every_context_and_every_chunk_of_one():
    steps = dense_rag.steps_table(refined_result())
    assert list(steps["DSE (nats)"]) == [0.64, 0.45, 0.1]
    assert list(steps["came"]) == ["1, 2", "3, 4", "6"] and list(steps["left"]) == ["", "1, 2", "4"]
    assert list(steps["final"]) == ["", "", "final"]
    context = dense_rag.context_table(refined_result(), 2)
    assert list(context["chunk"]) == [3, 6, 4] and list(context["state"]) == ["read", "read", "left"]
    assert context["why"][0] == "stayed"


def test_the_settings_of_a_run_are_all_in_words():
    table = dense_rag.settings_table(DenseRagConfig(first_cut="256/32", tie="cut", refine="prune_only"))
    assert table["First cut"] == "chunks of 256 tokens, overlap 32"
    assert table["τ"] == "0.6, a tie cuts" and table["Refinement"] == "prune only"
    assert table["Temperature"] == "0 (greedy)"


def test_the_player_knows_its_ends():
    assert dense_rag.neighbours(refined_result(), 0) == (None, 1)
    assert dense_rag.neighbours(refined_result(), 2) == (1, None)
    assert dense_rag.step_name(refined_result(), 2) == "3: refined, final"


@THEMES
def test_the_figure_has_a_dot_per_context_a_threshold_and_the_final_one_ringed(theme):
    figure = refinement_figure(refined_result(), theme)
    assert [list(trace.y) for trace in figure.data if trace.customdata is not None] == [[0.1], [0.45], [0.64]]
    assert any("threshold 0.2<br>(paper&#x27;s" in str(note.text) for note in figure.layout.annotations)
    assert [list(trace.x) for trace in figure.data if trace.name == "final answer"] == [[2]]


def test_the_title_has_the_dse_and_an_unmeasured_run_a_sentence():
    assert "0.05 nats" in title(certain_result()) and "0.64 nats" in title(broken_off_result())
    figure = refinement_figure(unmeasured_result(), LIGHT)
    assert not figure.data and len(figure.layout.annotations) == 1


def test_the_title_says_why_the_first_context_counts():
    first = refined_result().steps[0]
    few = replace(first, entropy=0.05, labels=("certain", *("not measured",) * 4))
    assert few.has_too_few
    unclear = replace(certain_result(), ended="unclear")
    assert title(unclear) == "Stable with some wordings only: DSE 0.05 nats"
    assert title(replace(unclear, steps=(few,))) == "Too few rewordings: DSE 0.05 nats"
    assert title(broken_off_result()) == "Only the first context is measured: DSE 0.64 nats"
    one = replace(broken_off_result(), steps=(first,), ended="cap")
    assert title(one) == "One context read: DSE 0.64 nats"
    worse = replace(first, kind="refined", entropy=0.7)
    assert title(replace(one, steps=(first, worse))) == "No context beats the first: DSE 0.64 nats"


def test_a_lower_context_within_the_range_of_the_first_is_named_with_the_reason():
    first = replace(refined_result().steps[0], entropy_interval=Interval(low=0.0, high=0.69), share=0.5, best=0)
    lower = replace(first, kind="cut anew", entropy=0.0, share=0.0, entropy_interval=None)
    result = replace(broken_off_result(), steps=(first, lower), ended="unchanged", final=0)
    assert title(result) == "No context clearly beats the first: DSE 0.64 nats"
    said = "The best context counts: number 1. Lower, but within the first one's range over its wordings: 2."
    assert said in dense_rag.sentence(result)
    clear = replace(first, entropy_interval=Interval(low=0.4, high=0.69))
    assert "Lower" not in dense_rag.sentence(replace(result, steps=(clear, lower)))


def test_a_final_context_without_dse_is_told_once_and_not_as_a_course():
    result = refined_result()
    first, second = result.steps[:2]
    missing = replace(second, entropy=None, share=None)
    told = dense_rag.course_sentence(replace(result, steps=(first, missing), final=1))
    assert told.endswith("; DSE of the first 0.64 nats, of context 2 not measured.")
    back = dense_rag.course_sentence(replace(result, steps=(replace(first, entropy=None), second), final=1))
    assert "; DSE of the first not measured, of context 2 0.45 nats, above " in back


def test_a_context_without_an_entropy_is_a_cross_and_not_a_zero():
    figure = refinement_figure(broken_off_result(), LIGHT)
    (cross,) = [trace for trace in figure.data if trace.name == "DSE not measured"]
    assert cross.marker.symbol == "x" and list(cross.x) == [1]
    assert list(dense_rag.steps_table(broken_off_result())["DSE (nats)"].isna()) == [False, True]


@THEMES
def test_markup_in_passages_titles_and_answers_is_drawn_as_text(theme):
    result = hostile_rag_result()
    html = "".join(dense_rag.context_html(result, place, theme) for place in range(3))
    assert "<script" not in html and "<b>31" not in html and "&lt;script&gt;" in html
    figure = refinement_figure(result, theme).to_json()
    assert "<script" not in figure and "<b>31" not in figure


def test_a_passage_is_found_in_a_chunk_that_shares_its_characters_and_in_no_other_document() -> None:
    whole = Passage(text="abcdefghij", document_id="d", start=0, end=10)
    part = Passage(text="fgh", document_id="d", start=5, end=8)
    beside = Passage(text="kl", document_id="d", start=10, end=12)
    assert shares_text(whole, part)
    assert not shares_text(whole, beside)
    assert not shares_text(whole, replace(part, document_id="other"))
    assert not shares_text(replace(whole, document_id=""), replace(part, document_id=""))


def test_a_chosen_passage_is_framed_in_every_context_that_read_it() -> None:
    result = refined_result()
    number = result.steps[0].context[0]
    passage = result.chunks[number].passage
    assert number in numbers_of(result, passage)
    assert numbers_of(result, None) == frozenset()
    assert places_with(result, frozenset({number}))[0] == 0
    assert passage_of(result, number, [Passage(text="another"), passage]) == 1
    assert context_html(result, 0, LIGHT, frozenset({number})).count("passage chosen") == 1
    assert "passage chosen" not in context_html(result, 0, LIGHT)


def test_too_few_valid_rewordings_settle_nothing() -> None:
    few = replace(certain_result().steps[0], context=(0, 1, 0), labels=("certain", "not measured", "not measured"))
    settled = refined_result()
    last = replace(settled.steps[2], context=(2, 5, 3), labels=few.labels)
    for result in (replace(certain_result(), steps=(few,)), replace(settled, steps=(*settled.steps[:2], last))):
        found = dense_rag.verdict(result)
        assert (found.word, found.tone) == ("unclear", "unknown")
        assert numbers_in(found.sentence)[:2] == ["1", "3"]
    half = replace(few, context=(0, 1), labels=("certain", "not measured"))
    assert dense_rag.verdict(replace(certain_result(), steps=(half,))).word == "nothing to refine"


@pytest.mark.parametrize("known", [True, None])
def test_a_final_context_without_an_answer_settles_nothing(known) -> None:
    settled = replace(refined_result(), config=DenseRagConfig(stop_rule="either"))
    silent = replace(settled.steps[2], answer=generation("I do not know."), states_nothing=known, entropy=0.0)
    found = dense_rag.verdict(replace(settled, steps=(*settled.steps[:2], silent)))
    assert (found.word, found.tone) == ("no answer to compare", "unknown")
    stated = replace(silent, states_nothing=False)
    assert dense_rag.verdict(replace(settled, steps=(*settled.steps[:2], stated))).tone == "model"


def test_over_answers_that_state_nothing_a_chunk_is_unclear_as_on_the_page_of_dense() -> None:
    first = certain_result().steps[0]
    few = replace(
        first, context=(0, 1, 2), labels=("certain", "necessary", "not measured"), changing=(0, 3, None),
        wordings=(3, 3, None), states_nothing=True,
    )  # fmt: skip
    result = replace(certain_result(), steps=(few,))
    labels = [dense_rag.label_words(result, few, at) for at in range(3)]
    assert labels == ["unclear (0 of 3)", "unclear (3 of 3), taken as necessary", "not measured"]
    assert "No answer states anything, so no chunk is certain." in dense_rag.only_sentence(result)
    stated = replace(few, states_nothing=False)
    assert dense_rag.label_words(result, stated, 0) == "certain (0 of 3)"


def test_a_first_answer_that_some_wordings_change_is_unclear_and_has_no_colour() -> None:
    open_first = replace(
        certain_result().steps[0], entropy=0.0, share=0.0, entropy_interval=Interval(low=0.0, high=0.5)
    )
    unclear = replace(certain_result(), steps=(open_first,), ended="unclear")
    for result in (unclear, replace(unclear, ended="unchanged")):
        found = dense_rag.verdict(result)
        assert (found.word, found.tone) == ("unclear", "unknown")
    assert "0.50" in found.sentence


def test_a_dse_next_to_the_threshold_has_the_digits_that_tell_them_apart() -> None:
    one = replace(certain_result(), steps=(replace(certain_result().steps[0], entropy=0.19855),))
    assert "DSE of the first 0.199 nats, below the paper's threshold 0.2" in dense_rag.course_sentence(one)


def test_a_chunk_of_the_first_context_is_the_runs_passage_also_where_it_was_given() -> None:
    """ "Retrieved, rank 1" stood at passages that were given with the question."""
    result = refined_result()
    first = result.steps[0].came[0]
    assert dense_rag.came_sentence(result, replace(first, rank=1)) == "the run's passage 1"
