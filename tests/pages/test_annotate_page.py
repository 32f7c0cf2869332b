"""The Annotate page: every part of it, empty and full, and what it says where something cannot be done."""

from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine.annotations.store import AnnotationStore
from engine.core.folders import sample_data
from engine.runs.store import RunStore
from pages.annotating.adjudicating import take_back
from pages.annotating.agreeing import mark_of
from tests.pages.annotate_page import labelled, shown, sitting_data, text_of
from tests.pages.annotation_fixtures import item, project_with
from tests.pages.page_fixtures import (
    desk_over,
    done,
    kept,
    named_button,
    notices,
    row_tables,
    whole_diagnosis,
)
from tests.viz.sample_timing_results import timing_full


def test_without_a_project_both_ways_to_one_are_offered(labels: AnnotationStore) -> None:
    page = shown()
    assert page.button(key="annotate.new.make")
    assert len(page.file_uploader) == 1


def test_recorded_runs_are_a_project_with_one_click_which_undo_takes_back(
    labels: AnnotationStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk_over(RunStore(tmp_path / "runs.sqlite", samples=sample_data()), monkeypatch)
    page = shown(person="Ada")
    (table,) = [one for one in row_tables(page) if "To label" in one]
    page.button(key="annotate.recorded").click().run()
    (made,) = labels.projects()
    items = labels.items(made.id)
    assert len(items) == table["To label"].sum() > 40 and at_address(page, "project") == made.id
    assert {one.kind for one in items} == {"retrieval", "answer", "correctness"}
    assert sitting_data(page)["progress"] == {"done": 0, "open": len(items)}
    named_button(page, "undo_annotate.recorded").click().run()
    assert not page.exception and labels.projects() == ()
    assert page.button(key="annotate.recorded") and "project" not in page.query_params


def test_a_project_is_made_from_stored_runs(labels: AnnotationStore, tmp_path: Path) -> None:
    whole = whole_diagnosis()
    timed = replace(whole, outcomes=(*whole.outcomes, done("timing", timing_full())))
    kept(RunStore(tmp_path / "runs.sqlite"), timed, "tower")
    page = shown()
    page.text_input(key="annotate.new.name").set_value("Towers")
    page.checkbox(key="annotate.all.new").set_value(True).run()
    page.button(key="annotate.new.make").click().run()

    (made,) = labels.projects()
    assert (made.name, made.overlap, made.blind) == ("Towers", 2, True)
    assert {one.policy for one in labels.items(made.id) if one.kind == "retrieval"} == {"once", "entropy_trend"}
    assert at_address(page, "project") == made.id


def test_a_project_without_items_or_with_a_taken_name_is_refused_with_a_sentence(
    labels: AnnotationStore, tmp_path: Path
) -> None:
    page = shown()
    page.button(key="annotate.new.make").click().run()
    assert notices(page)
    assert labels.projects() == ()


def test_a_name_is_asked_for_before_anything_is_labelled(labels: AnnotationStore) -> None:
    made = project_with(labels, lookups=2)
    labelled(labels, made, Ada="timely")
    page = shown()
    assert page.get("bidi_component") == []
    page.selectbox(key="annotate.person.").select("Ada").run()
    assert at_address(page, "as") == "Ada"
    assert sitting_data(page)["annotator"] == "Ada"


def test_the_browser_is_sent_items_ahead_their_labels_and_no_suggestion(labels: AnnotationStore) -> None:
    made = project_with(labels, lookups=30)
    labelled(labels, made, Ada="delayed")
    data = sitting_data(shown(person="Ada"))
    assert data["progress"] == {"done": 2, "open": 28}
    cards = {one["id"]: one for one in data["items"]}  # type: ignore[attr-defined, index]
    assert len(cards) >= 12
    assert all(one["suggestions"] == [] for one in cards.values())
    assert all("ETC" not in mark["title"] for one in cards.values() for mark in one["marks"])
    assert data["labels"]["towers-retrieval-1"]["values"]["first_wrong"] == 4  # type: ignore[index]
    assert [one["item"] for one in data["undo"]] == ["towers-retrieval-1", "towers-retrieval-2"]  # type: ignore[attr-defined]


def test_an_open_project_names_the_policy_and_the_worth(labels: AnnotationStore) -> None:
    project_with(labels, lookups=1, blind=False)
    (card,) = sitting_data(shown(person="Ada"))["items"]  # type: ignore[misc]
    assert [mark["title"] for mark in card["marks"]] == ["this lookup · ETC", "lookup · ETC"]
    assert card["stairs"]["rows"][1] == ["1", "0.70", "+0.50", "+0.35 to +0.65", "helped"]


def test_a_browser_that_holds_open_items_is_sent_them_anew_once_the_project_is_blind(labels: AnnotationStore) -> None:
    project_with(labels, lookups=1, blind=False)
    page = shown(person="Ada")
    assert sitting_data(page)["blind"] is False
    held: dict[str, object] = {"number": 1, "have": ["towers-retrieval-1"], "blind": False}
    page.session_state["annotate.sitting.towers.Ada"] = {"sitting": held}
    assert sitting_data(page.run())["items"] == []
    labels.change_project("towers", blind=True)
    for _ in range(2):  # until the browser says that it holds blind ones
        data = sitting_data(page.run())
        (card,) = data["items"]  # type: ignore[misc]
        assert (data["blind"], card["stairs"], card["marks"][0]["title"]) == (True, None, "this lookup")
    page.session_state["annotate.sitting.towers.Ada"] = {"sitting": held | {"number": 2, "blind": True}}
    assert sitting_data(page.run())["items"] == []


def test_the_item_of_a_link_is_where_the_sitting_begins(labels: AnnotationStore) -> None:
    project_with(labels, answers=40)
    data = sitting_data(shown(person="Ada", project="towers", item="towers-correctness-33"))
    assert data["goto"]["item"] == "towers-correctness-33"  # type: ignore[index]
    assert "towers-correctness-33" in [one["id"] for one in data["items"]]  # type: ignore[attr-defined]


def test_a_link_to_nothing_opens_the_first_item_and_another_project_is_said(labels: AnnotationStore) -> None:
    project_with(labels, answers=2)
    page = shown(person="Ada", project="gone", item="gone")
    assert any("gone" in said for said in notices(page))
    assert len(sitting_data(page)["items"]) == 2  # type: ignore[arg-type]


def at_address(page: AppTest, name: str) -> str:
    """Return what the page's address says under a name."""
    found = page.query_params[name]
    return str(found[0] if isinstance(found, list) else found)


def pressed(page: AppTest, entries: list[dict[str, object]], number: int = 1) -> AppTest:
    """Return the page after the browser sent these entries."""
    key = "annotate.sitting.towers.Ada"
    page.session_state[key] = {"sitting": {"number": number, "item": "", "order": "", "have": [], "entries": entries}}
    page.run()
    assert not page.exception, page.exception[0].message
    return page


def entry(name: str, item_id: str = "towers-correctness-1", **said_here: object) -> dict[str, object]:
    """Return an entry as the browser makes it: right, submitted."""
    made: dict[str, object] = {
        "id": name,
        "project": "towers",
        "annotator": "Ada",
        "item": item_id,
        "base": "",
        "verb": "set",
        "of": "",
        "values": {"correct": "right"},
        "state": "submitted",
        "note": "",
        "seconds": 1.5,
        "at": 1.0,
        "turn": 0,
    }
    return made | said_here


def test_what_the_browser_sends_is_kept_once_and_acknowledged(labels: AnnotationStore) -> None:
    project_with(labels, answers=3)
    page = shown(person="Ada")
    pressed(page, [entry("a"), entry("b", "towers-correctness-2")])
    receipts = sitting_data(page)["receipts"]
    assert {name: one["status"] for name, one in receipts.items()} == {"a": "kept", "b": "kept"}  # type: ignore[attr-defined]
    pressed(page, [entry("a"), entry("b", "towers-correctness-2")], number=2)
    again = AnnotationStore()
    assert [label.version for label in again.labels("towers", "Ada")] == [1, 1]
    assert sitting_data(page)["heard"] == 2
    again.close()


def test_an_entry_that_cannot_be_used_is_answered_with_why(labels: AnnotationStore) -> None:
    project_with(labels, answers=1)
    page = shown(person="Ada")
    bad = [
        {"id": "broken"},
        entry("no-choice", values={"correct": "maybe"}),
        entry("no-item", "nowhere"),
        entry("no-project", project="nowhere"),
        entry("bad-keys", verb="keys", note="[]"),
        entry("stale", base="somebody-else"),
    ]
    pressed(page, bad)
    receipts = sitting_data(page)["receipts"]
    assert {name: one["status"] for name, one in receipts.items()} == {  # type: ignore[attr-defined]
        "broken": "refused",
        "no-choice": "refused",
        "no-item": "refused",
        "no-project": "refused",
        "bad-keys": "refused",
        "stale": "conflict",
    }
    assert all(one["sentence"] for one in receipts.values())  # type: ignore[attr-defined]
    assert labels.labels("towers") == ()


def test_entries_of_another_person_left_in_the_browser_are_kept_under_their_name(labels: AnnotationStore) -> None:
    project_with(labels, answers=1)
    page = shown(person="Ada")
    pressed(page, [entry("a", annotator="Grace")])
    (label,) = labels.labels("towers")
    assert label.annotator == "Grace"


def test_a_key_map_is_kept_for_the_person(labels: AnnotationStore) -> None:
    project_with(labels, answers=1)
    page = shown(person="Ada")
    pressed(page, [entry("k", item_id="", verb="keys", note='{"discard": "-"}')])
    assert labels.preference("Ada", "keys") == '{"discard": "-"}'
    assert sitting_data(page)["keys"] == {"discard": "-"}


def test_a_store_that_cannot_be_written_to_acknowledges_nothing_and_says_so(
    labels: AnnotationStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.core.errors import StorageError

    project_with(labels, answers=1)
    page = shown(person="Ada")

    def full(*_: object) -> None:
        raise StorageError("The disk is full.")

    monkeypatch.setattr(AnnotationStore, "apply", full)
    pressed(page, [entry("a")])
    data = sitting_data(page)
    assert data["receipts"] == {}
    assert str(data["trouble"]).startswith("The disk is full.")


def test_while_the_store_cannot_be_read_the_sitting_stays_on_the_screen(
    labels: AnnotationStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.core.errors import StorageError

    project_with(labels, answers=3)
    page = shown(person="Ada")
    before = sitting_data(page)

    def locked(*_: object, **__: object) -> None:
        raise StorageError("The store is locked.")

    monkeypatch.setattr(AnnotationStore, "apply", locked)
    monkeypatch.setattr(AnnotationStore, "labels", locked)
    pressed(page, [entry("a")], number=5)
    data = sitting_data(page)
    assert data["order"] == before["order"] and data["heard"] == 5 and data["receipts"] == {}
    assert str(data["trouble"]).startswith("The store is locked.")


def test_a_filter_shows_what_is_submitted(labels: AnnotationStore) -> None:
    made = project_with(labels, lookups=4)
    labelled(labels, made, Ada="timely")
    page = shown(person="Ada")
    page.session_state["annotate.shown"] = "Submitted"
    page.run()
    assert sitting_data(page)["order"] == ["towers-retrieval-1", "towers-retrieval-2"]


def test_a_reload_keeps_the_list_and_what_it_is_filtered_by(labels: AnnotationStore) -> None:
    made = project_with(labels, lookups=4, answers=3)
    labelled(labels, made, Ada="timely")
    page = shown(person="Ada")
    page.session_state["annotate.shown"] = "All"
    page.session_state["annotate.filter.kinds"] = ["correctness"]
    page.session_state["annotate.filter.search"] = "tower"
    page.run()
    wanted = sitting_data(page)["order"]
    assert wanted and all("correctness" in one for one in wanted)  # type: ignore[attr-defined]
    again = shown(person="Ada", **{name: at_address(page, name) for name in ("list", "kinds", "search")})
    assert sitting_data(again)["order"] == wanted
    assert again.text_input(key="annotate.filter.search").value == "tower"
    odd = shown(person="Ada", list="Nothing", kinds="chalk,correctness,")
    assert odd.session_state["annotate.shown"] == "To label"
    assert odd.session_state["annotate.filter.kinds"] == ["correctness"]


def test_going_to_a_number_jumps_there_and_a_wrong_number_is_said(labels: AnnotationStore) -> None:
    project_with(labels, answers=30)
    page = shown(person="Ada")
    page.number_input(key="annotate.number").set_value(30).run()
    page.button(key="annotate.go").click().run()
    assert sitting_data(page)["goto"]["item"] == "towers-correctness-30"  # type: ignore[index]
    page.number_input(key="annotate.number").set_value(31).run()
    page.button(key="annotate.go").click().run()
    assert any("31" in said for said in notices(page))
    assert sitting_data(page)["goto"]["item"] == "towers-correctness-30"  # type: ignore[index]


def test_guidelines_stand_beside_the_item_as_text(labels: AnnotationStore) -> None:
    project_with(labels, answers=1, guidelines="*Late*: too late.\n\n![x](http://example.org/x.png)")
    markdown = [element.value for element in shown(person="Ada").markdown]
    assert "*Late*\\: too late\\." in markdown
    assert "\\!\\[x\\]\\(http\\:\u2060//example\\.org/x\\.png\\)" in markdown


def test_nothing_to_adjudicate_says_why(labels: AnnotationStore) -> None:
    made = project_with(labels, lookups=2)
    assert notices(shown(person="Ada", view="adjudicate"))
    labelled(labels, made, Ada="timely", Grace="timely")
    page = shown(person="Ada", view="adjudicate")
    assert notices(page) and not page.radio


def test_a_dispute_shows_both_reasons_and_is_settled(labels: AnnotationStore) -> None:
    made = project_with(labels, lookups=2)
    labelled(labels, made, Ada="delayed", Grace="timely")
    page = shown(person="Vera", view="adjudicate")
    words = text_of(page)
    assert "Ada says so" in words and "Grace says so" in words
    assert words.count("Was this lookup on time, and was it needed?") == 1, "what the two were asked"
    assert "⚠" in words and "“1887”" in words
    named_button(page, "annotate.settle.").click().run()
    assert notices(page) and labels.adjudication("towers-retrieval-1") is None

    page.radio(key="annotate.settle.towers-retrieval-1.timing").set_value("delayed")
    page.selectbox(key="annotate.settle.towers-retrieval-1.first_wrong").set_value(4)
    page.text_area[0].set_value("Works began in 1887.")
    named_button(page, "annotate.settle.").click().run()
    ruled = labels.adjudication("towers-retrieval-1")
    assert ruled is not None
    assert dict(ruled.values) == {"timing": "delayed", "first_wrong": 4, "without": "useful", "gain": "useful"}
    assert (ruled.by, ruled.reason) == ("Vera", "Works began in 1887.")
    page.button(key="undo_adjudicated.towers").click().run()
    assert labels.adjudication("towers-retrieval-1") is None
    assert "undo_adjudicated.towers" not in [button.key for button in page.button]


def test_undo_of_a_changed_adjudication_puts_the_first_one_back_and_leaves_a_newer_one(labels: AnnotationStore) -> None:
    made = project_with(labels, lookups=2)
    labelled(labels, made, Ada="delayed", Grace="timely")
    first = (("timing", "timely"), ("without", "useful"), ("gain", "useful"))
    changed = (("timing", "delayed"), ("first_wrong", 4), ("without", "useful"), ("gain", "useful"))
    before = labels.adjudicate("towers-retrieval-1", "Ada", first, "As I see it.", 0)
    now = labels.adjudicate("towers-retrieval-1", "Vera", changed, "", 1)
    take_back(labels, now, before)
    back = labels.adjudication("towers-retrieval-1")
    assert back is not None and (back.by, back.values, back.reason) == ("Ada", first, "As I see it.")
    take_back(labels, now, before)
    assert labels.adjudication("towers-retrieval-1") == back


def test_two_who_settle_the_same_item_never_overwrite_each_other(labels: AnnotationStore) -> None:
    made = project_with(labels, lookups=2)
    labelled(labels, made, Ada="delayed", Grace="timely")
    page = shown(person="Vera", view="adjudicate")
    other = (("timing", "timely"), ("without", "useful"), ("gain", "useful"))
    page.radio(key="annotate.settle.towers-retrieval-1.timing").set_value("delayed")
    page.selectbox(key="annotate.settle.towers-retrieval-1.first_wrong").set_value(4)
    from engine.annotations import store as store_module

    first = store_module.AnnotationStore.adjudicate
    calls: list[int] = []

    def raced(self: AnnotationStore, *args: object) -> object:
        if not calls:
            calls.append(1)
            first(self, "towers-retrieval-1", "Wren", other, "", 0)
        return first(self, *args)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AnnotationStore, "adjudicate", raced)
        named_button(page, "annotate.settle.").click().run()
    assert any("Wren" in said for said in notices(page))
    ruled = labels.adjudication("towers-retrieval-1")
    assert ruled is not None and ruled.by == "Wren"


def test_a_decision_filled_in_while_another_decides_is_kept_in_the_form_and_named(labels: AnnotationStore) -> None:
    made = project_with(labels, lookups=2)
    labelled(labels, made, Ada="delayed", Grace="timely")
    page = shown(person="Vera", view="adjudicate")
    page.radio(key="annotate.settle.towers-retrieval-1.timing").set_value("delayed")
    page.selectbox(key="annotate.settle.towers-retrieval-1.first_wrong").set_value(4)
    page.text_area[0].set_value("Vera's reason.")
    other = (("timing", "timely"), ("without", "useful"), ("gain", "useful"))
    labels.adjudicate("towers-retrieval-1", "Wren", other, "Wren's reason.", 0)
    named_button(page, "annotate.settle.").click().run()
    ruled = labels.adjudication("towers-retrieval-1")
    assert ruled is not None and (ruled.by, ruled.version) == ("Wren", 1)
    assert any("Wren decided" in said for said in (str(box.value) for box in page.error))
    assert page.text_area[0].value == "Vera's reason."

    named_button(page, "annotate.settle.").click().run()
    ruled = labels.adjudication("towers-retrieval-1")
    assert ruled is not None and (ruled.by, ruled.reason, ruled.version) == ("Vera", "Vera's reason.", 2)
    assert dict(ruled.values) == {"timing": "delayed", "first_wrong": 4, "without": "useful", "gain": "useful"}
    assert not page.radio  # it has left the list of what is unresolved
    page.button(key="undo_adjudicated.towers").click().run()
    back = labels.adjudication("towers-retrieval-1")
    assert back is not None and (back.by, back.reason, back.version) == ("Wren", "Wren's reason.", 3)


def test_after_an_undo_the_form_holds_what_stands_again(labels: AnnotationStore) -> None:
    made = project_with(labels, lookups=2)
    labelled(labels, made, Ada="delayed", Grace="timely")
    timely = (("timing", "timely"), ("without", "useful"), ("gain", "useful"))
    labels.adjudicate("towers-retrieval-1", "Wren", timely, "Wren's reason.", 0)
    page = shown(person="Vera", view="adjudicate")
    page.segmented_control(key="annotate.disputes").set_value("All disagreements").run()
    page.radio(key="annotate.settle.towers-retrieval-1.timing").set_value("delayed")
    page.selectbox(key="annotate.settle.towers-retrieval-1.first_wrong").set_value(4)
    page.text_area[0].set_value("Vera's reason.")
    named_button(page, "annotate.settle.").click().run()
    page.button(key="undo_adjudicated.towers").click().run()
    assert page.radio(key="annotate.settle.towers-retrieval-1.timing").value == "timely"
    assert page.text_area[0].value == "Wren's reason."


def test_agreement_needs_two_people_and_then_is_drawn_with_its_disagreements(labels: AnnotationStore) -> None:
    made = project_with(labels, lookups=3)
    assert not shown(view="agreement").get("plotly_chart")
    labelled(labels, made, Ada="delayed", Grace="timely")
    page = shown(view="agreement")
    assert len(page.get("plotly_chart")) == 1
    progress = row_tables(page)[0]
    assert list(zip(progress["person"], progress["submitted"], strict=True)) == [("Ada", 2), ("Grace", 2)]
    table = row_tables(page)[-1]
    assert (table["asked"].iloc[0], table["said"].iloc[0]) == ("Timing", "Ada: delayed; Grace: timely")


def test_agreement_that_is_looked_at_shows_what_is_labelled_meanwhile(labels: AnnotationStore) -> None:
    made = project_with(labels, lookups=2)
    labelled(labels, made, Ada="delayed")
    before = mark_of(labels, made.id)
    assert mark_of(labels, made.id) == before
    labelled(labels, made, Grace="timely")
    labelled_by_two = mark_of(labels, made.id)
    labels.add_items(made.id, [item(made.id, 9, "edge", labels.item("towers-retrieval-1").view)])
    assert len({before, labelled_by_two, mark_of(labels, made.id)}) == 3


def test_results_of_an_unlabelled_project_are_one_notice_and_where_lookups_fall(labels: AnnotationStore) -> None:
    project_with(labels, lookups=2)
    page = shown(view="results")
    assert "Nothing is decided yet" in page.info[0].value
    (places,) = row_tables(page)
    assert list(places["timing"]) == ["not settled", "not settled"]
    assert [one.value for one in page.header] == ["Where retrievals fall"]


def test_results_of_a_project_without_lookups_say_so_in_one_sentence(labels: AnnotationStore) -> None:
    project_with(labels, answers=2)
    page = shown(view="results")
    assert page.get("plotly_chart") == []


def test_results_draw_table_six_from_the_labels(labels: AnnotationStore) -> None:
    made = project_with(labels, lookups=2)
    labelled(labels, made, Ada="delayed")
    page = shown(view="results")
    assert "50" in row_tables(page)[0].to_string()


def test_results_say_how_many_labelled_items_have_lost_their_run(labels: AnnotationStore) -> None:
    labelled(labels, project_with(labels, lookups=3), Ada="delayed")
    said = [one.value for one in shown(view="results").caption]
    assert "2 labelled items left out: the run behind is gone or was changed." in said


def test_results_follow_a_decision_that_was_taken_back_and_made_anew(labels: AnnotationStore) -> None:
    made = project_with(labels, lookups=2)
    labelled(labels, made, Ada="delayed", Grace="timely")
    name = "towers-retrieval-1"
    late = (("timing", "delayed"), ("first_wrong", 4), ("without", "useful"), ("gain", "useful"))
    timely = (("timing", "timely"), ("without", "useful"), ("gain", "useful"))
    first = labels.adjudicate(name, "Vera", late, "", 0)
    assert "50" in row_tables(shown(view="results"))[0].to_string()  # one of two lookups is late
    take_back(labels, first, None)
    labels.adjudicate(name, "Vera", timely, "", labels.withdrawn_version(name))
    assert "50" not in row_tables(shown(view="results"))[0].to_string()


def test_a_project_without_items_says_where_to_add_some(labels: AnnotationStore) -> None:
    project_with(labels)
    assert not shown(view="results").get("plotly_chart")
    assert sitting_data(shown(person="Ada"))["nothing"]


def test_items_of_a_kind_without_policy_are_drawn_whole(labels: AnnotationStore) -> None:
    made = project_with(labels, answers=1)
    view = labels.item("towers-correctness-1").view
    edge = item(made.id, 7, "edge", replace(view, text="1887", other="1889"))
    labels.add_items(made.id, [edge])
    cards = {one["kind"]: one for one in sitting_data(shown(person="Ada"))["items"]}  # type: ignore[attr-defined, index]
    assert cards["edge"]["below"] == [{"title": "Second answer", "text": "1889"}]
