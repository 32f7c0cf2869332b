"""What a person changes before a variant is run: every edit, undo and redo, the request that comes out, the words."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.errors import CorpusError
from engine.core.records import Passage
from engine.diagnosis.request import MOST_PASSAGES, DiagnosisRequest
from engine.methods.dense import DenseConfig
from engine.runs.store import RunStore, StoredRun
from engine.runs.variants import (
    HAND,
    Steps,
    Variant,
    added,
    asked_again,
    changes,
    duplicated,
    edit_words,
    edited,
    in_order,
    marks,
    moved,
    redone,
    removed,
    reworded,
    started,
    stepped,
    swapped,
    undone,
    wanted,
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
    start = started(run)
    assert texts(start) == list(PASSAGES)
    assert (start.reading, start.k, start.retriever, start.corpus) == ("looked up", 5, "hybrid", "sample")
    assert changes(start, start) == ()
    assert wanted(asked_again(run), start, start) == replace(run.request, parent="original", k=5)


def test_each_edit_does_one_thing_to_the_passages(run: StoredRun) -> None:
    start = started(run)
    a, b, c, d, e = PASSAGES
    assert texts(removed(start, 1)) == [a, c, d, e]
    assert texts(moved(start, 0, 1)) == [b, a, c, d, e]
    assert texts(moved(start, 0, -1)) == [a, b, c, d, e]
    assert texts(duplicated(start, 2)) == [a, b, c, c, d, e]
    assert texts(edited(start, 4, "T", " new words ")) == [a, b, c, d, "new words"]
    assert texts(swapped(start, 3, OWN)) == [a, b, c, OWN.text, e]
    assert texts(added(start, OWN)) == [*PASSAGES, OWN.text]
    assert start == started(run), "nothing is changed in place"


def test_a_request_with_changed_passages_fixes_them_and_keeps_corpus_and_seed(run: StoredRun) -> None:
    base, start = asked_again(run), started(run)
    asked = wanted(base, start, duplicated(removed(start, 0), 1))
    assert (asked.fixed, asked.corpus, asked.parent, asked.seed) == (True, "sample", "original", 0)
    assert [passage.text for passage in asked.passages] == [PASSAGES[1], PASSAGES[1], *PASSAGES[2:]]
    assert asked.methods == base.methods


def test_no_passage_left_is_a_closed_book_request(run: StoredRun) -> None:
    start = now = started(run)
    for slot in start.slots:
        now = removed(now, slot.key)
    asked = wanted(asked_again(run), start, now)
    assert (asked.passages, asked.fixed, asked.corpus) == ((), True, "sample")
    assert len(changes(start, now)) == 5


def test_twenty_passages_are_the_most(run: StoredRun) -> None:
    start = now = started(run)
    while len(now.slots) < MOST_PASSAGES:
        now = duplicated(now, 0)
    assert len(wanted(asked_again(run), start, now).passages) == 20
    with pytest.raises(CorpusError, match="21 passages are more than the 20"):
        wanted(asked_again(run), start, duplicated(now, 0))


def test_looking_up_otherwise_keeps_the_look_up_and_drops_the_passages(run: StoredRun) -> None:
    start = started(run)
    other = replace(start, k=3, retriever="bm25")
    asked = wanted(asked_again(run), start, other)
    assert (asked.passages, asked.fixed, asked.k, asked.retriever) == ((), False, 3, "bm25")
    assert changes(start, other) == ("looked up by bm25 instead of hybrid", "3 passages instead of 5")


def test_another_question_over_the_same_passages_fixes_them(run: StoredRun) -> None:
    start = started(run)
    asked = wanted(asked_again(run), start, replace(start, question="Who built it?", reading="given"))
    assert (asked.question, asked.fixed, len(asked.passages)) == ("Who built it?", True, 5)


def test_a_run_without_a_corpus_cannot_look_anything_up(tmp_store: RunStore) -> None:
    given = tuple(Passage(text=text) for text in PASSAGES)
    run = tmp_store.get(kept(tmp_store, without_corpus(), "pasted", corpus=None, passages=given))
    start = started(run)
    assert (start.corpus, start.reading) == (None, "given")
    with pytest.raises(CorpusError, match="no corpus to look anything up in"):
        wanted(asked_again(run), start, replace(start, reading="looked up"))


def without_corpus():  # type: ignore[no-untyped-def]
    """Return a diagnosis over pasted passages."""
    found = whole_diagnosis()
    return replace(found, provenance=replace(found.provenance, corpus="the given passages", corpus_hash=""))


def test_a_record_brought_in_searches_and_counts_in_the_shipped_corpus_again(tmp_store: RunStore) -> None:
    run = tmp_store.get(tmp_store.import_json(whole_diagnosis().to_json()))
    assert run.request.corpus is None
    asked = asked_again(run)
    assert (asked.corpus, asked.fixed, [p.text for p in asked.passages]) == ("sample", True, list(PASSAGES))
    assert started(run).reading == "given"


def test_a_rewording_by_hand_goes_with_its_passage_and_asks_for_dense(run: StoredRun) -> None:
    base = replace(asked_again(run), methods=("seper",), dense=DenseConfig(draws=2))
    start = started(run)
    asked = wanted(base, start, moved(reworded(start, 1, " In other words. "), 1, -1))
    assert asked.dense.rewrites == ((0, "In other words."),)
    assert (asked.dense.draws, asked.methods) == (2, ("seper", "dense"))
    again = edited(reworded(start, 1, "In other words."), 1, "", "New text.")
    assert again.slots[1].wording == "", "a rewording of words that are gone is gone"


def test_a_passage_without_text_is_refused(run: StoredRun) -> None:
    start = started(run)
    with pytest.raises(CorpusError, match="has no text"):
        wanted(asked_again(run), start, swapped(start, 0, Passage(text=" ")))


def test_an_edit_of_a_passage_that_is_gone_is_a_sentence(run: StoredRun) -> None:
    with pytest.raises(CorpusError, match="no longer there"):
        moved(removed(started(run), 1), 1, 1)


def test_undo_and_redo_go_along_the_steps_and_a_new_step_forgets_what_was_undone(run: StoredRun) -> None:
    start = started(run)
    one, two = removed(start, 0), removed(removed(start, 0), 1)
    steps = stepped(stepped(Steps(states=(start,)), one), two)
    assert (undone(steps).now, undone(undone(steps)).now, undone(undone(undone(steps))).now) == (one, start, start)
    assert redone(undone(steps)).now == two and redone(steps).now == two
    fresh = stepped(undone(undone(steps)), moved(start, 0, 1))
    assert (fresh.can_redo, len(fresh.states)) == (False, 2)
    assert stepped(steps, two) == steps, "the same again is no step"


@given(st.lists(st.integers(0, 5), max_size=12))
def test_any_number_of_steps_can_all_be_undone(kinds: list[int]) -> None:
    slots = tuple(Passage(text=text) for text in PASSAGES)
    first = bare(slots)
    steps = Steps(states=(first,))
    for kind in kinds:
        key = steps.now.slots[0].key if steps.now.slots else None
        edit = {0: removed, 1: duplicated}.get(kind)
        now = (
            added(steps.now, OWN) if key is None else edit(steps.now, key) if edit else moved(steps.now, key, kind - 2)
        )
        steps = stepped(steps, now)
    last = steps.now
    for _ in steps.states:
        steps = undone(steps)
    assert steps.now == first
    for _ in steps.states:
        steps = redone(steps)
    assert steps.now == last


def bare(passages: tuple[Passage, ...]) -> Variant:
    """Return a variant that reads these passages."""
    start = Variant(
        question="Who?", golds=(), judge="embedded", corpus=None, reading="given", k=5, retriever="hybrid", slots=()
    )
    for passage in passages:
        start = added(start, passage)
    return start


def test_every_change_is_told_in_words(run: StoredRun) -> None:
    start = started(run)
    now = replace(start, question="Who?", golds=(), judge="similarity")
    now = added(reworded(edited(removed(now, 0), 1, "Other", PASSAGES[1] + " Yes."), 2, "Said otherwise."), OWN)
    told = " | ".join(changes(start, duplicated(now, 3)))
    for words in (
        "the question is “Who?” instead of",
        "right answers: none instead of 31 March 1889",
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
    start = started(run)
    assert changes(start, removed(start, 0)) == ("passage 1, “Eiffel Tower”, is left out",)
    assert changes(start, moved(start, 4, -4)) == ("passage 5 moves to place 1",)
    assert in_order([]) == frozenset()


def test_a_passage_in_the_place_of_another_is_told_as_one_change(run: StoredRun) -> None:
    start = started(run)
    assert changes(start, swapped(start, 2, OWN)) == ("passage 3, “Eiffel Tower”, gives way to “Mine”",)
    assert changes(start, added(removed(start, 0), OWN)) == (
        "passage 1, “Eiffel Tower”, is left out",
        "passage 5, “Mine”, is new",
    )


def test_a_passage_read_twice_is_told_once_and_marked(run: StoredRun) -> None:
    start = started(run)
    now = duplicated(start, 0)
    assert changes(start, now) == ("passage 2, “Eiffel Tower”, is read once more",)
    assert [marks(start, slot) for slot in now.slots[:3]] == [(), ("read once more",), ()]
    assert marks(start, swapped(start, 0, OWN).slots[0]) == ("swapped in",)
    assert marks(start, edited(start, 0, "", HOSTILE).slots[0]) == ("edited",)
    assert edited(start, 0, "", HOSTILE).slots[0].passage.source == HAND


def test_many_edits_of_one_text_are_counted() -> None:
    assert edit_words("a b c d e", "x b y d z") == "3 words differ"
    assert edit_words("a b c", "a c") == "“b” falls out"
    assert edit_words(" ".join("abcdefghijk"), " ".join("mnopqrstuvw")) == "11 words differ"


def test_a_run_without_passages_yet_says_to_wait(tmp_store: RunStore) -> None:
    run = tmp_store.get(tmp_store.create(DiagnosisRequest(question="Who?", corpus="sample")))
    with pytest.raises(CorpusError, match="has not found its passages yet"):
        started(run)
