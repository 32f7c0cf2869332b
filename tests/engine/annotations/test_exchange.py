"""What goes out comes back unchanged, and what does not fit is refused whole."""

import csv
import io
import json
from collections.abc import Callable

import pytest
from sqlalchemy import event

from engine.annotations.exchange import Format, export_text, import_text, label_studio_config
from engine.annotations.portable import collect_project
from engine.annotations.records import Action, Values
from engine.annotations.store import AnnotationStore
from engine.core.errors import ConflictError, InputError, RecordError
from tests.engine.annotations.sample_items import correctness, retrieval

NOTE = '=HYPERLINK("http://x")\n"quoted", \'single\' and é\u2028 end'
DELAYED: Values = (("timing", "delayed"), ("first_wrong", 4), ("without", "useful"), ("gain", "redundant"))


def filled(store: AnnotationStore) -> str:
    """Return the id of a project with every state, a second wording, notes that a spreadsheet would run, a decision."""
    project = store.create_project("Timing", overlap=3, blind=False).id
    items = [retrieval(project, 0), retrieval(project, 1, "flare"), correctness(project, 0, "=1889")]
    store.add_items(project, items)
    first, second, third = (item.id for item in items)
    store.apply(
        project,
        "Ada",
        [
            Action(id="a1", item=first, base="", values=DELAYED, state="submitted", note=NOTE, seconds=0.1 + 0.2),
            Action(id="a2", item=second, base="", values=(("timing", "timely"),), state="draft", seconds=1.0),
            Action(id="a3", item=third, base="", values=(("correct", "right"),), state="submitted", seconds=2.0),
            Action(id="a4", item=third, base="a3", verb="undo", of="a3"),
        ],
    )
    store.set_guidelines(project, "Look twice.", base=1)
    timely: Values = (("timing", "timely"), ("without", "useful"), ("gain", "useful"))
    store.apply(
        project,
        "=Ben",
        [
            Action(id="b1", item=first, base="", values=timely, state="submitted", note="'apostrophe"),
            Action(id="b2", item=third, base="", state="discarded", note="Cannot tell."),
        ],
    )
    store.adjudicate(first, "Cleo", DELAYED, "+1887 is wrong", base=0)
    return project


@pytest.mark.parametrize("form", ["jsonl", "label_studio"])
def test_a_whole_project_comes_back_unchanged_in_an_empty_store(
    store: AnnotationStore, other_store: AnnotationStore, form: Format
) -> None:
    project = filled(store)
    text = export_text(store, project, form)
    brought = import_text(other_store, text, form)
    assert (brought.items, brought.labels, brought.unchanged) == (3, 5, 0)
    again = export_text(other_store, brought.project, form)
    # The project has another id there, from which the ids of its items follow; nothing else differs.
    assert named_alike(again, other_store, brought.project) == named_alike(text, store, project)
    there, here = collect_project(other_store, brought.project), collect_project(store, project)
    assert [label.values for label in there.labels] == [label.values for label in here.labels]
    assert there.wordings == here.wordings


def test_what_is_labelled_while_an_export_is_read_is_not_in_it_by_halves(
    open_store: Callable[[], AnnotationStore], other_store: AnnotationStore
) -> None:
    store, another = open_store(), open_store()
    project = filled(store)
    before = export_text(store, project, "jsonl")
    waiting = [project]

    def write_meanwhile(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if "FROM labels" in statement and waiting:
            label_one_more(another, waiting.pop())

    event.listen(store.database.engine, "before_cursor_execute", write_meanwhile)
    assert export_text(store, project, "jsonl") == before
    after = export_text(store, project, "jsonl")
    assert (len(store.items(project)), len(store.labels(project)), len(store.adjudications(project))) == (4, 6, 2)
    assert after != before
    brought = import_text(other_store, after, "jsonl")
    assert (brought.items, brought.labels) == (4, 6)


def label_one_more(store: AnnotationStore, project: str) -> None:
    """Add an item to the project, label it, settle it, and change the guidelines."""
    item = retrieval(project, 7)
    store.add_items(project, [item])
    store.apply(project, "Dan", [Action(id="d1", item=item.id, base="", values=DELAYED, state="submitted")])
    store.adjudicate(item.id, "Cleo", DELAYED, "", base=0)
    store.set_guidelines(project, "Look three times.", base=2)


def named_alike(text: str, store: AnnotationStore, project: str) -> str:
    """Return an export with the ids of its project and items replaced by their order."""
    for number, item in enumerate(store.item_ids(project)):
        text = text.replace(item, f"item {number}")
    return text.replace(project, "project")


@pytest.mark.parametrize("form", ["jsonl", "csv", "label_studio"])
def test_an_export_that_comes_back_into_its_own_project_changes_nothing(store: AnnotationStore, form: Format) -> None:
    project = filled(store)
    before, text = collect_project(store, project), export_text(store, project, form)
    brought = import_text(store, text, form, project)
    assert (brought.items, brought.labels, brought.unchanged) == (0, 0, 5)
    assert collect_project(store, project) == before
    assert export_text(store, project, form) == text


def test_labels_as_csv_come_back_into_a_project_that_has_the_items_only(
    store: AnnotationStore, other_store: AnnotationStore
) -> None:
    project = filled(store)
    other_store.create_project("Timing", project=project)
    other_store.set_guidelines(project, "Look twice.", base=1)
    other_store.add_items(project, store.items(project))
    brought = import_text(other_store, export_text(store, project, "csv"), "csv", project)
    assert (brought.labels, brought.unchanged) == (5, 0)
    assert other_store.labels(project) == store.labels(project)
    assert other_store.adjudications(project) == store.adjudications(project)


@pytest.mark.parametrize("mark", [";", "\t"])
def test_labels_as_csv_come_back_as_a_spreadsheet_saves_them_in_other_countries(
    mark: str, store: AnnotationStore, other_store: AnnotationStore
) -> None:
    project = filled(store)
    other_store.create_project("Timing", project=project)
    other_store.set_guidelines(project, "Look twice.", base=1)
    other_store.add_items(project, store.items(project))
    saved = io.StringIO(newline="")
    rows = csv.reader(io.StringIO(export_text(store, project, "csv"), newline=""))
    csv.writer(saved, delimiter=mark).writerows(rows)
    assert import_text(other_store, saved.getvalue(), "csv", project).labels == 5
    assert other_store.labels(project) == store.labels(project)


def test_labels_as_csv_find_their_items_in_another_copy_of_the_project(
    store: AnnotationStore, other_store: AnnotationStore
) -> None:
    project = filled(store)
    text, whole = export_text(store, project, "csv"), export_text(store, project, "jsonl")
    copy = import_text(other_store, whole, "jsonl").project
    back = import_text(other_store, text, "csv", copy)
    assert copy != project and (back.labels, back.unchanged) == (0, 5)
    item = store.items(project)[0].id
    other = next(one.id for one in other_store.items(copy) if one.view == store.items(project)[0].view)
    head, first = text.splitlines()[:2]
    twice = "\n".join([head, first, first.replace(item, other)])
    with pytest.raises(RecordError, match="again by another id"):
        import_text(other_store, twice, "csv", copy)


@pytest.mark.parametrize(
    ("form", "there", "found"),
    [
        ("jsonl", ("Mine.", "Look twice."), [3, 3, 3]),  # their version 2 is version 3 there
        ("label_studio", ("Mine.", "Look twice."), [3, 3, 3]),
        ("jsonl", ("Mine.",), [0, 0, 0]),  # that text is not there
        ("csv", (), [0, 0, 0]),  # a table has no text; there is no version 2
        ("csv", ("Look twice.",), [2, 2, 2]),
    ],
)
def test_imported_labels_name_only_guidelines_that_the_project_has(
    store: AnnotationStore, other_store: AnnotationStore, form: Format, there: tuple[str, ...], found: list[int]
) -> None:
    project = store.create_project("Timing").id
    store.add_items(project, [retrieval(project, number) for number in range(3)])
    store.set_guidelines(project, "Look twice.", base=1)
    for number, item in enumerate(store.item_ids(project)):
        store.apply(project, "Ada", [Action(id=f"a{number}", item=item, base="", values=DELAYED, state="submitted")])
    other_store.create_project("Timing", project=project)
    other_store.add_items(project, store.items(project))
    for base, wording in enumerate(there, start=1):
        other_store.set_guidelines(project, wording, base=base)
    assert import_text(other_store, export_text(store, project, form), form, project).labels == 3
    assert [label.guidelines for label in other_store.labels(project)] == found


def test_csv_has_one_column_a_person_and_no_cell_that_a_spreadsheet_would_run(store: AnnotationStore) -> None:
    project = filled(store)
    rows = list(csv.reader(io.StringIO(export_text(store, project, "csv"), newline="")))
    assert rows[0][9:] == ["adjudicated", "'=Ben", "Ada"]
    timing = next(row for row in rows if row[8] == "timing")
    assert timing[9:] == ["delayed", "timely", "delayed"]
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]


def test_csv_counts_tokens_from_one_as_the_page_does_and_reads_earlier_files_that_count_from_zero(
    store: AnnotationStore, other_store: AnnotationStore
) -> None:
    project = filled(store)
    text = export_text(store, project, "csv")
    marked = next(row for row in csv.reader(io.StringIO(text, newline="")) if row[8] == "first_wrong_token")
    assert marked[9:] == ["5", "", "5"]
    other_store.create_project("Timing", project=project)
    other_store.set_guidelines(project, "Look twice.", base=1)
    other_store.add_items(project, store.items(project))
    earlier = text.replace("first_wrong_token,5,,5", "first_wrong,4,,4")
    assert earlier != text
    import_text(other_store, earlier, "csv", project)
    assert other_store.labels(project) == store.labels(project)


def test_a_column_that_somebody_fills_in_holds_labels(store: AnnotationStore) -> None:
    project = store.create_project("Timing", overlap=2).id
    store.add_items(project, [retrieval(project, 0), retrieval(project, 1, "flare")])
    first, second = store.item_ids(project)
    said = {(first, "timing"): "timely", (first, "without"): "useful", (first, "gain"): "redundant"}
    said |= {(second, "timing"): "delayed", (second, "first_wrong_token"): "3"}
    rows = list(csv.reader(io.StringIO(export_text(store, project, "csv"), newline="")))
    out = io.StringIO(newline="")
    csv.writer(out).writerows([[*rows[0], "Jonas"], *([*row, said.get((row[0], row[8]), "")] for row in rows[1:])])
    assert import_text(store, out.getvalue(), "csv", project).labels == 2
    labels = {label.item: label for label in store.labels(project)}
    assert labels[first].values == (("timing", "timely"), ("without", "useful"), ("gain", "redundant"))
    assert (labels[first].state, labels[first].guidelines, labels[first].annotator) == ("submitted", 1, "Jonas")
    assert labels[second].values == (("timing", "delayed"), ("first_wrong", 2))
    assert labels[second].state == "draft"
    assert import_text(store, out.getvalue(), "csv", project).unchanged == 2


@pytest.mark.parametrize("form", ["jsonl", "csv", "label_studio"])
def test_an_export_carries_the_guidelines_version_and_the_hashes_of_the_runs(
    store: AnnotationStore, form: Format
) -> None:
    project = filled(store)
    text = export_text(store, project, form)
    assert all(item.run_hash in text for item in store.items(project))
    if form == "jsonl":
        first = json.loads(text.split("\n")[0])
        assert (first["version"], first["runs"]) == (2, ["run-a" * 8])
    if form == "csv":
        assert {row[6] for row in list(csv.reader(io.StringIO(text, newline="")))[1:]} == {"2"}


def test_an_export_that_says_otherwise_of_a_label_is_refused_whole(store: AnnotationStore) -> None:
    project = filled(store)
    text = export_text(store, project, "jsonl")
    item = store.item_ids(project)[1]
    store.apply(project, "Ada", [Action(id="a9", item=item, base="a2", values=(("timing", "timely"),), note="Changed")])
    new = store.item_ids(project)[0]
    before = collect_project(store, project)
    said = f"Ada on item {store.item(item).number}. Nothing was imported. Undo those first, or import the file as a new"
    with pytest.raises(ConflictError, match=said):
        import_text(store, text.replace('"annotator": "=Ben"', '"annotator": "Dan"'), "jsonl", project)
    assert collect_project(store, project) == before
    assert store.label(new, "Dan").version == 0


@pytest.mark.parametrize(
    ("timing", "token", "said"),
    [
        ("late", "", "The label of Jonas on item 2 does not fit: Timing must be one of timely, delayed, got 'late'."),
        ("delayed", "99", "The label of Jonas on item 2 does not fit: First wrong token must .* got token 99."),
        ("delayed", "third", "The label of Jonas on item 2 cannot be read: .* 'third' in this CSV file is not a"),
        (" Delayed", "3", ""),
    ],
)
def test_a_cell_that_somebody_filled_in_wrongly_is_found_by_person_and_item(
    sqlite_store: AnnotationStore, timing: str, token: str, said: str
) -> None:
    project = sqlite_store.create_project("Timing").id
    sqlite_store.add_items(project, [retrieval(project, 0), retrieval(project, 1, "flare")])
    second = sqlite_store.item_ids(project)[1]
    head, *rows = csv.reader(io.StringIO(export_text(sqlite_store, project, "csv"), newline=""))
    cells = {(second, "timing"): timing, (second, "first_wrong_token"): token}
    out = io.StringIO(newline="")
    csv.writer(out).writerows([[*head, "Jonas"], *([*row, cells.get((row[0], row[8]), "")] for row in rows)])
    if said:
        with pytest.raises(RecordError, match=said):
            import_text(sqlite_store, out.getvalue(), "csv", project)
        return
    import_text(sqlite_store, out.getvalue(), "csv", project)
    assert sqlite_store.label(second, "Jonas").values == (("timing", "delayed"), ("first_wrong", 2))


def test_an_export_that_says_otherwise_of_a_decision_is_refused_with_the_items_number(store: AnnotationStore) -> None:
    project = filled(store)
    text = export_text(store, project, "csv")
    (settled,) = store.adjudications(project)
    store.adjudicate(settled.item, "Dan", settled.values, "Another reason.", settled.version)
    said = f"stored here on item {store.item(settled.item).number}. Nothing was imported."
    with pytest.raises(ConflictError, match=said):
        import_text(store, text, "csv", project)


@pytest.mark.parametrize("form", ["jsonl", "csv", "label_studio"])
def test_a_label_that_was_undone_comes_back_with_an_import_as_its_next_version(
    store: AnnotationStore, form: Format
) -> None:
    project = store.create_project("Timing").id
    item = correctness(project, 0)
    store.add_items(project, [item])
    right: Values = (("correct", "right"),)
    store.apply(project, "Ada", [Action(id="a1", item=item.id, base="", values=right, state="submitted")])
    text = export_text(store, project, form)
    store.apply(project, "Ada", [Action(id="a2", item=item.id, base="a1", verb="undo", of="a1")])
    assert (store.label(item.id, "Ada").state, store.label(item.id, "Ada").version) == ("untouched", 2)
    brought = import_text(store, text, form, project)
    back = store.label(item.id, "Ada")
    assert (brought.labels, brought.unchanged) == (1, 0)
    assert (back.values, back.state, back.version) == (right, "submitted", 3)
    assert [one.verb for one in store.history(project, "Ada")] == ["import", "undo", "set"]


def test_a_label_made_in_label_studio_is_read_with_its_author(store: AnnotationStore) -> None:
    project = filled(store)
    tasks = json.loads(export_text(store, project, "label_studio"))
    region = {"start": 21, "end": 25, "text": "1887", "labels": ["first wrong token"]}
    tasks[0]["annotations"] = [
        {
            "completed_by": {"email": "eve@example.org"},
            "lead_time": 4.5,
            "result": [
                {"from_name": "timing", "to_name": "text", "type": "choices", "value": {"choices": ["delayed"]}},
                {"from_name": "first_wrong", "to_name": "text", "type": "labels", "value": region},
                {"from_name": "without", "to_name": "text", "type": "choices", "value": {"choices": ["useful"]}},
                {"from_name": "gain", "to_name": "text", "type": "choices", "value": {"choices": ["redundant"]}},
            ],
        }
    ]
    import_text(store, json.dumps(tasks), "label_studio", project)
    label = store.label(store.item_ids(project)[0], "eve@example.org")
    assert (label.values, label.state, label.seconds) == (DELAYED, "submitted", 4.5)


def with_results(store: AnnotationStore, project: str, *results: dict[str, object]) -> str:
    """Return the project's tasks, the first with one annotation made in Label Studio: delayed, and these results."""
    tasks = json.loads(export_text(store, project, "label_studio"))
    given = {"timing": "delayed", "without": "useful", "gain": "redundant"}
    chosen = [
        {"from_name": name, "to_name": "text", "type": "choices", "value": {"choices": [value]}}
        for name, value in given.items()
    ]
    tasks[0]["annotations"] = [{"completed_by": "eve", "result": [*chosen, *results]}]
    return json.dumps(tasks)


@pytest.mark.parametrize("order", [(2, 4), (4, 2)])
def test_of_two_regions_in_label_studio_the_first_token_counts(store: AnnotationStore, order: tuple[int, int]) -> None:
    project = filled(store)
    (first, *_) = store.items(project)
    regions: list[dict[str, object]] = [
        {"from_name": "first_wrong", "to_name": "text", "type": "labels", "value": {"start": one.start, "end": one.end}}
        for one in (first.view.tokens[number] for number in order)
    ]
    import_text(store, with_results(store, project, *regions), "label_studio", project)
    assert store.label(first.id, "eve").value("first_wrong") == 2


def test_two_choices_for_one_field_in_label_studio_are_refused(store: AnnotationStore) -> None:
    project = filled(store)
    again: dict[str, object] = {"from_name": "timing", "type": "choices", "value": {"choices": ["timely"]}}
    with pytest.raises(RecordError, match="field timing is chosen twice"):
        import_text(store, with_results(store, project, again), "label_studio", project)


def test_the_labelling_interface_names_every_field_and_is_well_formed() -> None:
    from xml.etree import ElementTree

    root = ElementTree.fromstring(label_studio_config())
    names = {element.get("name") for element in root.iter() if element.tag in ("Choices", "Labels")}
    assert names == {"timing", "first_wrong", "without", "gain", "missing", "chunk", "entailment", "correct"}


BROKEN: list[tuple[Format, str, str]] = [
    ("jsonl", "", "names no project"),
    ("jsonl", "{", "Line 1:"),
    ("jsonl", "[1]", "Line 1:"),
    ("jsonl", '{"type": "virus"}', "Line 1: .*virus"),
    ("jsonl", '{"type": "project", "format": 9}', "Line 1: .*9"),
    ("jsonl", '{"type": "item", "id": 1}', "Line 1:"),
    ("jsonl", "[" * 100_000, "Line 1:"),
    ("csv", "", "CSV"),
    ("csv", "a,b\n1,2\n", "CSV"),
    ("csv", '"', "CSV"),
    ("label_studio", "{}", "Label Studio"),
    ("label_studio", "nonsense", "JSON"),
    ("label_studio", '[{"data": {"text": "x"}}]', "Task 1"),
    ("label_studio", '[{"data": {"microscope": {"item": {}}}}]', "task 1"),
]


@pytest.mark.parametrize(("form", "text", "sentence"), BROKEN)
def test_a_file_that_cannot_be_read_is_refused_with_a_sentence(
    sqlite_store: AnnotationStore, form: Format, text: str, sentence: str
) -> None:
    project = filled(sqlite_store)
    before = collect_project(sqlite_store, project)
    with pytest.raises(RecordError, match=sentence):
        import_text(sqlite_store, text, form, project)
    assert collect_project(sqlite_store, project) == before
    assert len(sqlite_store.projects()) == 1


CHANGES = [
    ('"timing": "timely"', '"timing": "sometimes"', "Timing"),
    ('"first_wrong": 4', '"first_wrong": 99', "5 tokens"),
    ('"without": "useful", "gain": "redundant"', '"gain": "redundant"', "=Ben|Ada|label"),
    ('"annotator": "=Ben"', '"annotator": "B\\u0000"', "null"),
    ('"run_id": "', '"run_id": "\\u0000', "null"),
    ('"policy": "', '"policy": "\\ud800', "half a letter"),
    ('"note": "Cannot tell."', '"note": "\\u0000"', "null"),
    ('"annotator": "=Ben"', '"annotator": "Ada"', "two labels"),
    ('"seconds": 1.0', '"seconds": "a while"', "Line 9: .*at seconds"),
    ('"seconds": 1.0', '"seconds": 1.0, "evil": 1', "Line 9: .*at evil"),
    ('"version": 2, "text": "Look twice."', '"version": 7, "text": "Look twice."', "guidelines"),
    ('"kind": "correctness"', '"kind": "virus"', "Line 6: .*at kind"),
]


@pytest.mark.parametrize(("was", "becomes", "sentence"), CHANGES)
def test_a_file_that_does_not_fit_together_brings_nothing(
    sqlite_store: AnnotationStore, other_sqlite_store: AnnotationStore, was: str, becomes: str, sentence: str
) -> None:
    text = export_text(sqlite_store, filled(sqlite_store), "jsonl")
    assert was in text
    with pytest.raises(RecordError, match=sentence):
        import_text(other_sqlite_store, text.replace(was, becomes), "jsonl")
    assert other_sqlite_store.projects() == ()


@pytest.mark.parametrize("guidelines", [7, True, "x", {"a": 1}])
def test_guidelines_that_are_no_list_are_refused(sqlite_store: AnnotationStore, guidelines: object) -> None:
    tasks = json.loads(export_text(sqlite_store, filled(sqlite_store), "label_studio"))
    tasks[0]["data"]["microscope"]["guidelines"] = guidelines
    with pytest.raises(RecordError):
        import_text(sqlite_store, json.dumps(tasks), "label_studio")


def test_labels_without_their_items_name_what_is_missing(store: AnnotationStore, other_store: AnnotationStore) -> None:
    text = export_text(store, filled(store), "jsonl")
    without = "\n".join(line for line in text.split("\n") if '"type": "item"' not in line)
    with pytest.raises(RecordError, match="project"):
        import_text(other_store, without, "jsonl")


def test_csv_of_another_record_of_the_run_is_refused(store: AnnotationStore) -> None:
    project = filled(store)
    text = export_text(store, project, "csv")
    with pytest.raises(RecordError, match="Row 2"):
        import_text(store, text.replace("run-a" * 8, "run-b" * 8), "csv", project)
    with pytest.raises(RecordError, match="Row 2"):
        import_text(store, text, "csv", store.create_project("Empty").id)


def test_an_import_under_a_name_that_is_taken_is_numbered(store: AnnotationStore) -> None:
    text = export_text(store, filled(store), "jsonl")
    made = [import_text(store, text, "jsonl").project for _ in range(2)]
    assert [store.project(one).name for one in made] == ["Timing (2)", "Timing (3)"]
    assert len(store.labels(made[1])) == len(store.labels(made[0])) > 0
    with pytest.raises(InputError, match="nowhere"):
        import_text(store, text, "jsonl", "nowhere")
