"""No label is lost, doubled or overwritten, in SQLite and in PostgreSQL alike."""

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from engine.annotations.records import (
    Action,
    AdjudicationConflict,
    Filter,
    Label,
    ProjectConflict,
    Values,
    redoable,
    undoable,
)
from engine.annotations.store import AnnotationStore
from engine.core.errors import InputError
from tests.engine.annotations.sample_items import correctness, retrieval
from tests.engine.annotations.steps import next_step, redo, undo

PROJECT = Path(__file__).resolve().parents[3]
Opener = Callable[[], AnnotationStore]
RIGHT: Values = (("correct", "right"),)
WRONG: Values = (("correct", "wrong"),)


def project_with(store: AnnotationStore, items: int, overlap: int = 2) -> str:
    """Return the id of a new project with this many answers to judge."""
    project = store.create_project("Answers", overlap=overlap).id
    store.add_items(project, [correctness(project, place) for place in range(items)])
    return project


def submit(item: str, number: int, base: str = "", values: Values = RIGHT, seconds: float = 1.0) -> Action:
    """Return the action that submits an item."""
    return Action(id=f"act-{number}", item=item, base=base, values=values, state="submitted", seconds=seconds)


def test_a_label_comes_back_as_it_was_kept_after_the_store_is_opened_again(open_store: Opener) -> None:
    store = open_store()
    project = store.create_project("Timing", overlap=1)
    item = retrieval(project.id, 0)
    assert store.add_items(project.id, [item]) == 1
    values: Values = (("timing", "delayed"), ("first_wrong", 4), ("without", "useful"), ("gain", "redundant"))
    action = Action(
        id="a", item=item.id, base="", values=values[::-1], state="submitted", note="1887 is wrong", seconds=7.5
    )
    (receipt,) = store.apply(project.id, " Ada ", [action])
    assert receipt.status == "kept"
    again = open_store().label(item.id, "Ada")
    assert again == receipt.label
    assert (again.values, again.state, again.note, again.seconds) == (values, "submitted", "1887 is wrong", 7.5)
    assert (again.version, again.action, again.guidelines) == (1, "a", 1)
    assert open_store().item(item.id).view == item.view


def test_an_action_that_is_sent_twice_counts_once(store: AnnotationStore) -> None:
    project = project_with(store, 1)
    (item,) = store.item_ids(project)
    first = store.apply(project, "Ada", [submit(item, 1)])[0]
    second = store.apply(project, "Ada", [submit(item, 1)])[0]
    assert (first.status, second.status) == ("kept", "repeated")
    assert second.label == first.label
    assert len(store.history(project)) == 1


def test_a_repeated_action_answers_with_the_label_as_it_now_stands(store: AnnotationStore) -> None:
    project = project_with(store, 1)
    (item,) = store.item_ids(project)
    store.apply(project, "Ada", [submit(item, 1), submit(item, 2, base="act-1", values=WRONG)])
    repeated = store.apply(project, "Ada", [submit(item, 1)])[0]
    assert repeated.status == "repeated"
    assert repeated.label is not None and repeated.label.values == WRONG


def test_a_stale_tab_gets_the_newer_label_and_so_does_what_it_chained_to_it(store: AnnotationStore) -> None:
    project = project_with(store, 1)
    (item,) = store.item_ids(project)
    store.apply(project, "Ada", [submit(item, 1)])
    store.apply(project, "Ada", [submit(item, 2, base="act-1", values=WRONG)])
    stale = [submit(item, 3, base="act-1"), submit(item, 4, base="act-3"), submit(item, 5, base="act-4")]
    receipts = store.apply(project, "Ada", stale)
    assert [receipt.status for receipt in receipts] == ["conflict"] * 3
    assert all(receipt.label is not None and receipt.label.values == WRONG for receipt in receipts)
    assert receipts[0].sentence
    assert store.label(item, "Ada").version == 2


def test_one_bad_action_stops_no_other_of_its_batch(store: AnnotationStore) -> None:
    project = project_with(store, 3)
    one, two, three = store.item_ids(project)
    batch = [
        submit(one, 1),
        submit(two, 2, values=(("correct", "perhaps"),)),
        submit("nowhere", 3),
        Action(id="act-4", item=two, base="", state="submitted"),
        submit(three, 5),
    ]
    receipts = store.apply(project, "Ada", batch)
    assert [receipt.status for receipt in receipts] == ["kept", "refused", "refused", "refused", "kept"]
    assert "perhaps" in receipts[1].sentence and all(receipt.sentence for receipt in receipts[2:4])
    assert store.label(two, "Ada") == Label(item=two, annotator="Ada")


def test_undo_and_redo_walk_through_the_items_and_a_new_action_ends_what_can_be_redone(store: AnnotationStore) -> None:
    project = project_with(store, 2)
    one, two = store.item_ids(project)
    store.apply(project, "Ada", [submit(one, 1), submit(two, 2)])
    undone = undo(store, project, "Ada", "u1")
    assert undone is not None and undone.label is not None
    assert (undone.label.item, undone.label.state, undone.label.version) == (two, "untouched", 2)
    undo(store, project, "Ada", "u2")
    assert undo(store, project, "Ada", "u3") is None
    redone = redo(store, project, "Ada", "r1")
    assert redone is not None and redone.label is not None
    assert (redone.label.item, redone.label.state, redone.label.values) == (one, "submitted", RIGHT)
    store.apply(project, "Ada", [submit(one, 3, base="r1", values=WRONG)])
    assert redo(store, project, "Ada", "r2") is None
    back = undo(store, project, "Ada", "u4")
    assert back is not None and back.label is not None and back.label.values == RIGHT


def test_what_a_new_action_has_buried_is_not_brought_again(store: AnnotationStore) -> None:
    project = project_with(store, 1)
    (item,) = store.item_ids(project)
    steps = [
        submit(item, 1),
        Action(id="u1", item=item, base="act-1", verb="undo", of="act-1"),
        submit(item, 2, base="u1", values=WRONG),
    ]
    store.apply(project, "Ada", steps)
    undo(store, project, "Ada", "u2")
    again = redo(store, project, "Ada", "r1")
    assert again is not None and again.label is not None and again.label.values == WRONG
    assert redo(store, project, "Ada", "r2") is None
    events = store.history(project, "Ada")
    assert ([one.action for one in undoable(events)], redoable(events)) == (["act-2"], ())


def test_an_undo_that_is_sent_twice_takes_back_one_action(store: AnnotationStore) -> None:
    project = project_with(store, 2)
    one, two = store.item_ids(project)
    store.apply(project, "Ada", [submit(one, 1), submit(two, 2)])
    step = next_step(store, project, "Ada", "undo", "u1")
    assert step is not None
    receipts = [store.apply(project, "Ada", [step])[0] for _ in range(2)]
    assert [receipt.status for receipt in receipts] == ["kept", "repeated"]
    assert store.label(one, "Ada").state == "submitted"


def test_undo_in_a_batch_restores_the_stores_own_history_and_keeps_the_time(store: AnnotationStore) -> None:
    project = project_with(store, 1)
    (item,) = store.item_ids(project)
    store.apply(
        project, "Ada", [submit(item, 1, seconds=3.0), submit(item, 2, base="act-1", values=WRONG, seconds=5.0)]
    )
    undo = Action(
        id="u", item=item, base="act-2", verb="undo", of="act-2", values=(("correct", "made up"),), seconds=6.0
    )
    (receipt,) = store.apply(project, "Ada", [undo])
    assert receipt.label is not None
    assert (receipt.label.values, receipt.label.seconds, receipt.label.version) == (RIGHT, 6.0, 3)
    out_of_order = Action(id="u2", item=item, base="u", verb="undo", of="act-2")
    assert store.apply(project, "Ada", [out_of_order])[0].status == "refused"


def test_two_people_on_one_item_never_overwrite_each_other(store: AnnotationStore) -> None:
    project = project_with(store, 1)
    (item,) = store.item_ids(project)
    store.apply(project, "Ada", [submit(item, 1)])
    store.apply(project, "Ben", [submit(item, 1, values=WRONG)])
    assert [(label.annotator, label.values) for label in store.labels(project)] == [("Ada", RIGHT), ("Ben", WRONG)]
    undo(store, project, "Ben", "u")
    assert store.label(item, "Ada").values == RIGHT


def test_one_place_goes_to_one_of_two_people_who_ask_at_the_same_moment(open_store: Opener) -> None:
    project = project_with(open_store(), 40, overlap=1)
    stores, together = [open_store(), open_store()], threading.Barrier(2)

    def ask(place: int) -> list[str]:
        together.wait()
        return [item.id for item in stores[place].next_items(project, f"Person {place}", 20)]

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(ask, range(2))
    assert len(first) == len(second) == 20
    assert not set(first) & set(second)


def test_sixty_actions_sent_twice_from_two_connections_at_once_are_sixty_labels(open_store: Opener) -> None:
    project = project_with(open_store(), 60)
    ids = open_store().item_ids(project)
    stores, together = [open_store(), open_store()], threading.Barrier(2)

    def send(place: int) -> list[str]:
        together.wait()
        return [stores[place].apply(project, "Ada", [submit(item, n)])[0].status for n, item in enumerate(ids)]

    with ThreadPoolExecutor(2) as pool:
        statuses = [status for told in pool.map(send, range(2)) for status in told]
    assert sorted(statuses) == ["kept"] * 60 + ["repeated"] * 60
    assert len(open_store().labels(project)) == len(open_store().history(project, limit=500)) == 60


def test_next_items_take_one_of_each_run_in_turn(store: AnnotationStore) -> None:
    project = store.create_project("Answers", overlap=1).id
    of_runs = [replace(correctness(project, place), run_id=run) for place, run in enumerate("aaab")]
    store.add_items(project, of_runs)
    given = [item.run_id for item in store.next_items(project, "Ada", 4)]
    assert given == ["a", "b", "a", "a"]


def test_next_items_respect_overlap_assignment_and_what_is_done(store: AnnotationStore) -> None:
    project = project_with(store, 4, overlap=1)
    one, two, three, four = store.item_ids(project)
    store.apply(project, "Ben", [submit(one, 1)])
    store.assign(two, ["Ben"])
    store.apply(project, "Ada", [submit(three, 2), Action(id="d", item=four, base="", state="draft")])
    assert [item.id for item in store.next_items(project, "Ada", 10)] == [four]
    assert [item.id for item in store.next_items(project, "Ben", 10)] == [two]
    store.assign(two, [])
    store.release(project, "Ben")
    assert [item.id for item in store.next_items(project, "Ada", 10, besides=[four])] == [two]


def test_a_claim_keeps_others_away_until_it_is_released_or_runs_out(
    store: AnnotationStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = project_with(store, 1, overlap=1)
    assert len(store.next_items(project, "Ada")) == 1
    assert store.next_items(project, "Ben") == ()
    assert store.progress_of(project, "Ben").open == 0
    monkeypatch.setattr("engine.annotations.queries.CLAIM_SECONDS", -1.0)
    assert len(store.next_items(project, "Ben")) == 1


def test_filters_find_kinds_policies_states_words_and_disagreement(store: AnnotationStore) -> None:
    project = store.create_project("Mixed").id
    items = [correctness(project, 0, "STRASSE 1"), correctness(project, 1, run="run-b"), retrieval(project, 0, "flare")]
    assert store.add_items(project, items) == 3
    assert store.add_items(project, items) == 0
    street, other, lookup = (item.id for item in items)
    store.apply(project, "Ada", [submit(street, 1), submit(other, 2)])
    store.apply(project, "Ben", [submit(street, 3, values=WRONG), submit(other, 4)])
    found = {
        "kinds": store.item_ids(project, Filter(kinds=("retrieval",))),
        "policies": store.item_ids(project, Filter(policies=("flare",))),
        "runs": store.item_ids(project, Filter(runs=("run-b",))),
        "words": store.item_ids(project, Filter(search="straße")),
        "percent": store.item_ids(project, Filter(search="%")),
        "untouched": store.item_ids(project, Filter(annotator="Ada", states=("untouched",))),
        "submitted": store.item_ids(project, Filter(annotator="Ada", states=("submitted",))),
        "disagreed": store.item_ids(project, Filter(disagreed=True)),
        "not settled": store.item_ids(project, Filter(disagreed=True, adjudicated=False)),
    }
    assert found == {
        "kinds": (lookup,),
        "policies": (lookup,),
        "runs": (other,),
        "words": (street,),
        "percent": (),
        "untouched": (lookup,),
        "submitted": (street, other),
        "disagreed": (street,),
        "not settled": (street,),
    }
    assert store.policies(project) == ("flare",)
    assert store.count(project) == 3


def test_progress_counts_states_and_time_of_each_person(store: AnnotationStore) -> None:
    project = project_with(store, 4)
    one, two, three, _ = store.item_ids(project)
    store.apply(
        project,
        "Ada",
        [
            submit(one, 1, seconds=2.0),
            Action(id="b", item=two, base="", state="discarded", seconds=3.0),
            Action(id="c", item=three, base="", state="draft", seconds=0.5),
        ],
    )
    (ada,) = store.progress(project)
    assert (ada.submitted, ada.discarded, ada.drafts, ada.open, ada.items, ada.seconds) == (1, 1, 1, 2, 4, 5.5)
    nobody = store.progress_of(project, "Cleo")
    assert (nobody.submitted, nobody.open) == (0, 4)
    assert store.annotators() == store.annotators(project) == ("Ada",)


def test_what_two_people_disagree_on_is_settled_once_and_never_overwritten(store: AnnotationStore) -> None:
    project = project_with(store, 1)
    (item,) = store.item_ids(project)
    assert store.adjudication(item) is None
    settled = store.adjudicate(item, "Cleo", RIGHT, "Same year.", base=0)
    assert (settled.version, store.adjudication(item)) == (1, settled)
    with pytest.raises(AdjudicationConflict) as caught:
        store.adjudicate(item, "Dan", WRONG, "", base=0)
    assert caught.value.newer == settled
    assert store.adjudicate(item, "Dan", WRONG, "", base=1).version == 2
    assert [one.by for one in store.adjudications(project)] == ["Dan"]
    with pytest.raises(InputError, match="right, wrong"):
        store.adjudicate(item, "Dan", (("correct", "maybe"),), "", base=2)


def test_only_the_adjudication_one_knows_is_withdrawn(store: AnnotationStore) -> None:
    project = project_with(store, 1)
    (item,) = store.item_ids(project)
    with pytest.raises(AdjudicationConflict):
        store.withdraw_adjudication(item, base=0)
    store.adjudicate(item, "Cleo", RIGHT, "", base=0)
    newer = store.adjudicate(item, "Dan", WRONG, "", base=1)
    with pytest.raises(AdjudicationConflict) as caught:
        store.withdraw_adjudication(item, base=1)
    assert caught.value.newer == store.adjudication(item) == newer
    store.withdraw_adjudication(item, base=2)
    assert store.adjudication(item) is None


def test_versions_of_adjudications_go_on_rising_over_a_withdrawal(store: AnnotationStore) -> None:
    project = project_with(store, 1)
    (item,) = store.item_ids(project)
    assert store.withdrawn_version(item) == 0
    store.adjudicate(item, "Vera", RIGHT, "", base=0)
    store.withdraw_adjudication(item, base=1)
    assert (store.withdrawn_version(item), store.adjudication(item), store.adjudications(project)) == (2, None, ())
    assert store.item_ids(project, Filter(adjudicated=True)) == ()
    assert store.item_ids(project, Filter(adjudicated=False)) == (item,)
    with pytest.raises(AdjudicationConflict):
        store.withdraw_adjudication(item, base=2)
    settled = store.adjudicate(item, "Ben", WRONG, "Ben's.", base=2)
    assert settled.version == 3
    with pytest.raises(AdjudicationConflict) as caught:  # Carol saw Vera's
        store.adjudicate(item, "Carol", RIGHT, "", base=1)
    assert caught.value.newer == store.adjudication(item) == settled


def test_an_item_that_is_unresolved_again_tells_a_late_decision_so(store: AnnotationStore) -> None:
    project = project_with(store, 1)
    (item,) = store.item_ids(project)
    store.adjudicate(item, "Vera", RIGHT, "", base=0)
    store.withdraw_adjudication(item, base=1)
    with pytest.raises(AdjudicationConflict, match="took back") as caught:
        store.adjudicate(item, "Carol", WRONG, "", base=1)
    assert (caught.value.newer.by, caught.value.newer.version) == ("", 2)


def test_guidelines_keep_every_wording_and_labels_say_under_which_they_were_made(store: AnnotationStore) -> None:
    project = project_with(store, 2)
    one, two = store.item_ids(project)
    store.apply(project, "Ada", [submit(one, 1)])
    shipped = store.project(project).guidelines
    changed = store.set_guidelines(project, "Look twice.", base=1)
    store.apply(project, "Ada", [submit(two, 2)])
    assert (changed.version, store.guidelines(project, 1), store.guidelines(project, 2)) == (2, shipped, "Look twice.")
    assert [store.label(item, "Ada").guidelines for item in (one, two)] == [1, 2]
    with pytest.raises(ProjectConflict) as caught:
        store.set_guidelines(project, "Mine.", base=1)
    assert caught.value.newer.guidelines == "Look twice."


def test_a_project_is_removed_while_nothing_in_it_is_labelled(store: AnnotationStore) -> None:
    other, project = store.create_project("Kept").id, project_with(store, 2)
    store.next_items(project, "Ada")  # a claim is no label
    store.remove_unlabelled(project)
    assert [one.id for one in store.projects()] == [other] and store.item_ids(project) == ()
    again = project_with(store, 1)
    store.apply(again, "Ada", [submit(store.item_ids(again)[0], 1)])
    with pytest.raises(InputError, match="holds labels"):
        store.remove_unlabelled(again)
    assert len(store.item_ids(again)) == 1


def test_a_projects_name_is_its_own_and_what_cannot_be_is_refused_with_a_sentence(store: AnnotationStore) -> None:
    project = store.create_project("Timing", overlap=3, blind=False)
    assert store.projects() == (project,)
    with pytest.raises(InputError, match="Timing"):
        store.create_project("Timing")
    with pytest.raises(InputError, match="0"):
        store.change_project(project.id, overlap=0)
    with pytest.raises(InputError, match="nope"):
        store.project("nope")
    with pytest.raises(InputError, match="1 to 60"):
        store.apply(project.id, "  ", [])
    with pytest.raises(InputError, match="nope"):
        store.item("nope")
    changed = store.change_project(project.id, name="When", overlap=1, blind=True)
    assert (changed.name, changed.overlap, changed.blind) == ("When", 1, True)


def test_a_persons_key_map_is_kept(store: AnnotationStore) -> None:
    assert store.preference("Ada", "keys") == ""
    store.set_preference("Ada", "keys", '{"timely": "j"}')
    store.set_preference("Ada", "keys", '{"timely": "k"}')
    assert (store.preference("Ada", "keys"), store.preference("Ben", "keys")) == ('{"timely": "k"}', "")


WRITER = """
import sys
from engine.annotations.records import Action
from engine.annotations.store import AnnotationStore

store = AnnotationStore(sys.argv[1])
print("open", flush=True)
for number, item in enumerate(store.item_ids(sys.argv[2])):
    action = Action(id=f"act-{number}", item=item, base="", values=(("correct", "right"),), state="submitted")
    (receipt,) = store.apply(sys.argv[2], "Ada", [action])
    print(item, receipt.status, flush=True)
"""


def test_what_was_acknowledged_is_there_after_the_program_is_killed_in_the_middle(
    open_store: Opener, database_url: str
) -> None:
    project = project_with(open_store(), 2000)
    command = [sys.executable, "-c", WRITER, database_url, project]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=PROJECT) as writer:
        assert writer.stdout is not None
        told = [writer.stdout.readline() for _ in range(31)]
        writer.kill()
        told += writer.stdout.readlines()
    acknowledged = [line.split()[0] for line in told[1:] if line.endswith("kept\n")]
    assert 30 <= len(acknowledged) < 2000
    store = open_store()
    labels = {label.item: label for label in store.labels(project)}
    assert set(acknowledged) <= set(labels)
    assert len(labels) - len(acknowledged) <= 1
    assert len(store.history(project, limit=5000)) == len(labels)
    # What was sent again after the restart is told as kept before, the rest is taken.
    again = [submit(item, number) for number, item in enumerate(store.item_ids(project))]
    statuses = [receipt.status for receipt in store.apply(project, "Ada", again[: len(labels) + 5])]
    assert statuses == ["repeated"] * len(labels) + ["kept"] * 5
