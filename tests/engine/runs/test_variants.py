"""What a person changes before a variant is run: every edit, undo and redo, the request that comes out, the words."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.errors import CorpusError
from engine.core.records import Passage
from engine.core.settings import MOST_PASSAGES
from engine.diagnosis.request import DiagnosisRequest
from engine.methods.dense_records import DenseConfig
from engine.runs.store import RunStore, StoredRun
from engine.runs.variants import (
    HAND,
    Steps,
    Variant,
    add_passage,
    change_marks,
    changes,
    duplicate_passage,
    edit_passage,
    edit_words,
    in_order,
    move_passage,
    pop_step,
    push_step,
    remove_passage,
    replace_passage,
    restore_step,
    set_rewording,
    start_variant,
    variant_base_request,
    variant_request,
)
from tests.pages.page_fixtures import kept, whole_diagnosis
from tests.viz.sample_results import HOSTILE, PASSAGES

OWN = Passage(text="The tower was opened in May.", title="Mine")


@pytest.fixture
def run(tmp_store: RunStore) -> StoredRun:
    """Return a stored run over the sample corpus that read five passages."""
    return tmp_store.get(kept(tmp_store, whole_diagnosis(), "original"))


def texts(variant: Variant) -> list[str]:
    """Return the texts of a variant's passages."""
    return [slot.passage.text for slot in variant.slots]


def test_a_run_starts_as_it_was_read_and_unchanged_it_asks_for_the_same(run: StoredRun) -> None:
    start = start_variant(run)
    assert texts(start) == list(PASSAGES)
    assert (start.reading, start.k, start.retriever, start.corpus) == ("looked up", 5, "hybrid", "sample")
    assert changes(start, start) == ()
    assert variant_request(variant_base_request(run), start, start) == replace(run.request, parent="original", k=5)


def test_each_edit_does_one_thing_to_the_passages(run: StoredRun) -> None:
    start = start_variant(run)
    a, b, c, d, e = PASSAGES
    assert texts(remove_passage(start, 1)) == [a, c, d, e]
    assert texts(move_passage(start, 0, 1)) == [b, a, c, d, e]
    assert texts(move_passage(start, 0, -1)) == [a, b, c, d, e]
    assert texts(duplicate_passage(start, 2)) == [a, b, c, c, d, e]
    assert texts(edit_passage(start, 4, "T", " new words ")) == [a, b, c, d, "new words"]
    assert texts(replace_passage(start, 3, OWN)) == [a, b, c, OWN.text, e]
    assert texts(add_passage(start, OWN)) == [*PASSAGES, OWN.text]
    assert start == start_variant(run), "nothing is changed in place"


def test_a_request_with_changed_passages_fixes_them_and_keeps_corpus_and_seed(run: StoredRun) -> None:
    base, start = variant_base_request(run), start_variant(run)
    asked = variant_request(base, start, duplicate_passage(remove_passage(start, 0), 1))
    assert (asked.fixed, asked.corpus, asked.parent, asked.seed) == (True, "sample", "original", 0)
    assert [passage.text for passage in asked.passages] == [PASSAGES[1], PASSAGES[1], *PASSAGES[2:]]
    assert asked.methods == base.methods


def test_no_passage_left_is_a_closed_book_request(run: StoredRun) -> None:
    start = now = start_variant(run)
    for slot in start.slots:
        now = remove_passage(now, slot.key)
    asked = variant_request(variant_base_request(run), start, now)
    assert (asked.passages, asked.fixed, asked.corpus) == ((), True, "sample")
    assert len(changes(start, now)) == 5


def test_twenty_passages_are_the_most(run: StoredRun) -> None:
    start = now = start_variant(run)
    while len(now.slots) < MOST_PASSAGES:
        now = duplicate_passage(now, 0)
    assert len(variant_request(variant_base_request(run), start, now).passages) == 20
    with pytest.raises(CorpusError, match="21 passages are more than the 20"):
        variant_request(variant_base_request(run), start, duplicate_passage(now, 0))


def test_looking_up_otherwise_keeps_the_look_up_and_drops_the_passages(run: StoredRun) -> None:
    start = start_variant(run)
    other = replace(start, k=3, retriever="bm25")
    asked = variant_request(variant_base_request(run), start, other)
    assert (asked.passages, asked.fixed, asked.k, asked.retriever) == ((), False, 3, "bm25")
    assert changes(start, other) == ("looked up by bm25 instead of hybrid", "3 passages instead of 5")


def test_another_question_over_the_same_passages_fixes_them(run: StoredRun) -> None:
    start = start_variant(run)
    asked = variant_request(variant_base_request(run), start, replace(start, question="Who built it?", reading="given"))
    assert (asked.question, asked.fixed, len(asked.passages)) == ("Who built it?", True, 5)


def test_a_run_without_a_corpus_cannot_look_anything_up(tmp_store: RunStore) -> None:
    given = tuple(Passage(text=text) for text in PASSAGES)
    run = tmp_store.get(kept(tmp_store, without_corpus(), "pasted", corpus=None, passages=given))
    start = start_variant(run)
    assert (start.corpus, start.reading) == (None, "given")
    with pytest.raises(CorpusError, match="no corpus to look anything up in"):
        variant_request(variant_base_request(run), start, replace(start, reading="looked up"))


def without_corpus():  # type: ignore[no-untyped-def]
    """Return a diagnosis over pasted passages."""
    found = whole_diagnosis()
    return replace(found, provenance=replace(found.provenance, corpus="the given passages", corpus_hash=""))


def test_a_record_brought_in_searches_and_counts_in_the_shipped_corpus_again(tmp_store: RunStore) -> None:
    run = tmp_store.get(tmp_store.import_json(whole_diagnosis().to_json()))
    assert run.request.corpus is None
    asked = variant_base_request(run)
    assert (asked.corpus, asked.fixed, [p.text for p in asked.passages]) == ("sample", True, list(PASSAGES))
    assert start_variant(run).reading == "given"


def test_a_rewording_by_hand_goes_with_its_passage_and_asks_for_dense(run: StoredRun) -> None:
    base = replace(variant_base_request(run), methods=("seper",), dense=DenseConfig(draws=2))
    start = start_variant(run)
    asked = variant_request(base, start, move_passage(set_rewording(start, 1, " In other words. "), 1, -1))
    assert asked.dense.rewrites == ((0, "In other words."),)
    assert (asked.dense.draws, asked.methods) == (2, ("seper", "dense"))
    again = edit_passage(set_rewording(start, 1, "In other words."), 1, "", "New text.")
    assert again.slots[1].wording == "", "a rewording of words that are gone is gone"


def test_a_passage_without_text_is_refused(run: StoredRun) -> None:
    start = start_variant(run)
    with pytest.raises(CorpusError, match="has no text"):
        variant_request(variant_base_request(run), start, replace_passage(start, 0, Passage(text=" ")))


def test_an_edit_of_a_passage_that_is_gone_is_a_sentence(run: StoredRun) -> None:
    with pytest.raises(CorpusError, match="no longer there"):
        move_passage(remove_passage(start_variant(run), 1), 1, 1)


def test_undo_and_redo_go_along_the_steps_and_a_new_step_forgets_what_was_undone(run: StoredRun) -> None:
    start = start_variant(run)
    one, two = remove_passage(start, 0), remove_passage(remove_passage(start, 0), 1)
    steps = push_step(push_step(Steps(states=(start,)), one), two)
    assert (pop_step(steps).now, pop_step(pop_step(steps)).now, pop_step(pop_step(pop_step(steps))).now) == (
        one,
        start,
        start,
    )
    assert restore_step(pop_step(steps)).now == two and restore_step(steps).now == two
    fresh = push_step(pop_step(pop_step(steps)), move_passage(start, 0, 1))
    assert (fresh.can_redo, len(fresh.states)) == (False, 2)
    assert push_step(steps, two) == steps, "the same again is no step"


@given(st.lists(st.integers(0, 5), max_size=12))
def test_any_number_of_steps_can_all_be_undone(kinds: list[int]) -> None:
    slots = tuple(Passage(text=text) for text in PASSAGES)
    first = bare(slots)
    steps = Steps(states=(first,))
    for kind in kinds:
        key = steps.now.slots[0].key if steps.now.slots else None
        edit = {0: remove_passage, 1: duplicate_passage}.get(kind)
        now = (
            add_passage(steps.now, OWN)
            if key is None
            else edit(steps.now, key)
            if edit
            else move_passage(steps.now, key, kind - 2)
        )
        steps = push_step(steps, now)
    last = steps.now
    for _ in steps.states:
        steps = pop_step(steps)
    assert steps.now == first
    for _ in steps.states:
        steps = restore_step(steps)
    assert steps.now == last


def bare(passages: tuple[Passage, ...]) -> Variant:
    """Return a variant that reads these passages."""
    start = Variant(
        question="Who?", golds=(), judge="embedded", corpus=None, reading="given", k=5, retriever="hybrid", slots=()
    )
    for passage in passages:
        start = add_passage(start, passage)
    return start


def test_every_change_is_told_in_words(run: StoredRun) -> None:
    start = start_variant(run)
    now = replace(start, question="Who?", golds=(), judge="similarity")
    now = add_passage(
        set_rewording(edit_passage(remove_passage(now, 0), 1, "Other", PASSAGES[1] + " Yes."), 2, "Said otherwise."),
        OWN,
    )
    told = " | ".join(changes(start, duplicate_passage(now, 3)))
    for words in (
        "the question is “Who?” instead of",
        "correct answers: none instead of 31 March 1889",
        "judge similarity instead of embedded",
        "passage 1, “Eiffel Tower”, is left out",
        "passage 2 is edited: “Yes.” comes in",
        "titled “Other” instead of “Eiffel Tower”",
        "the rewording of passage 3 is by hand",
        "is read once more",
        "“Mine”, is new",
    ):
        assert words in told


def test_passages_that_move_up_after_a_removal_are_not_called_moved(run: StoredRun) -> None:
    start = start_variant(run)
    assert changes(start, remove_passage(start, 0)) == ("passage 1, “Eiffel Tower”, is left out",)
    assert changes(start, move_passage(start, 4, -4)) == ("passage 5 moves to place 1",)
    assert in_order([]) == frozenset()


def test_a_passage_in_the_place_of_another_is_told_as_one_change(run: StoredRun) -> None:
    start = start_variant(run)
    assert changes(start, replace_passage(start, 2, OWN)) == ("passage 3, “Eiffel Tower”, gives way to “Mine”",)
    assert changes(start, add_passage(remove_passage(start, 0), OWN)) == (
        "passage 1, “Eiffel Tower”, is left out",
        "passage 5, “Mine”, is new",
    )
    rewritten = edit_passage(start, 0, "Eiffel Tower", "Anna Muster drew it in 1900.")
    assert changes(start, rewritten) == ("passage 1, “Eiffel Tower”, has another text",)


def test_a_passage_read_twice_is_told_once_and_marked(run: StoredRun) -> None:
    start = start_variant(run)
    now = duplicate_passage(start, 0)
    assert changes(start, now) == ("passage 2, “Eiffel Tower”, is read once more",)
    assert [change_marks(start, slot) for slot in now.slots[:3]] == [(), ("read once more",), ()]
    assert change_marks(start, replace_passage(start, 0, OWN).slots[0]) == ("swapped in",)
    assert change_marks(start, edit_passage(start, 0, "", HOSTILE).slots[0]) == ("edited",)
    assert edit_passage(start, 0, "", HOSTILE).slots[0].passage.source == HAND


def test_many_edits_of_one_text_are_counted() -> None:
    assert edit_words("a b c d e", "x b y d z") == "3 words differ"
    assert edit_words("a b c", "a c") == "“b” falls out"
    assert edit_words(" ".join("abcdefghijk"), " ".join("mnopqrstuvw")) == "11 words differ"


def test_a_run_without_passages_yet_says_to_wait(tmp_store: RunStore) -> None:
    run = tmp_store.get(tmp_store.create(DiagnosisRequest(question="Who?", corpus="sample")))
    with pytest.raises(CorpusError, match="has not found its passages yet"):
        start_variant(run)
