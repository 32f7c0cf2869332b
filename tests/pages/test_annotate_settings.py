"""Settings of an annotation project on its page, what two who save at once keep, and what goes out and comes back."""

from pathlib import Path

import pytest

from engine.annotations.exchange import Format, export_text
from engine.annotations.records import Action
from engine.annotations.store import AnnotationStore
from tests.pages.annotate_page import labelled, shown, text_of
from tests.pages.annotation_fixtures import project_with
from tests.pages.page_fixtures import notices


def test_guidelines_overlap_and_blindness_can_be_changed(labels: AnnotationStore) -> None:
    project_with(labels, answers=1)
    page = shown(view="project")
    page.text_area[0].set_value("Read twice.")
    page.toggle[0].set_value(False)
    page.button(key="annotate.project.save").click().run()
    changed = labels.project("towers")
    assert (changed.guidelines, changed.version, changed.blind) == ("Read twice.", 2, False)
    page.button(key="undo_project.towers").click().run()
    back = labels.project("towers")
    assert (back.guidelines != "Read twice.", back.version, back.blind) == (True, 3, True)


def test_guidelines_typed_while_another_saves_are_kept_beside_the_newer_ones(labels: AnnotationStore) -> None:
    project_with(labels, answers=1)
    page = shown(view="project")
    labels.set_guidelines("towers", "Ben's.", base=1)
    page.text_area[0].set_value("Ada's.")
    page.button(key="annotate.project.save").click().run()
    assert (labels.project("towers").guidelines, labels.project("towers").version) == ("Ben's.", 2)
    assert page.text_area[0].value == "Ada's." and "Ben's." in text_of(page)
    assert page.error and "Saved." not in notices(page)

    page.button(key="annotate.project.save").click().run()
    assert (labels.project("towers").guidelines, labels.project("towers").version) == ("Ada's.", 3)
    assert "Saved." in notices(page)


def test_saving_guidelines_leaves_the_overlap_that_another_set_meanwhile(labels: AnnotationStore) -> None:
    project_with(labels, answers=1)
    page = shown(view="project")
    labels.change_project("towers", overlap=5)
    page.text_area[0].set_value("Ada's.")
    page.button(key="annotate.project.save").click().run()
    saved = labels.project("towers")
    assert (saved.guidelines, saved.overlap) == ("Ada's.", 5)


@pytest.mark.parametrize("guidelines", ["Ben newer.", None])
def test_undo_leaves_settings_that_another_saved_meanwhile(labels: AnnotationStore, guidelines: str | None) -> None:
    project_with(labels, answers=1)
    page = shown(view="project")
    page.text_area[0].set_value("Ada's.")
    page.button(key="annotate.project.save").click().run()
    if guidelines:
        labels.set_guidelines("towers", guidelines, base=2)
    labels.change_project("towers", overlap=5)
    newest = labels.project("towers")
    page.button(key="undo_project.towers").click().run()
    assert labels.project("towers") == newest
    assert any("meanwhile" in said for said in notices(page))
    assert page.text_area[0].value == newest.guidelines


def test_three_ways_out_are_offered(labels: AnnotationStore) -> None:
    project_with(labels, answers=1)
    page = shown(view="exchange")
    assert len(page.get("download_button")) == 4


@pytest.mark.parametrize("form", ["jsonl", "label_studio"])
def test_what_was_exported_comes_back_through_the_page(labels: AnnotationStore, tmp_path: Path, form: Format) -> None:
    other = AnnotationStore(f"sqlite:///{tmp_path / 'other.sqlite'}")
    labelled(other, project_with(other, lookups=2), Ada="delayed", Grace="timely")
    page = shown()
    ending = {"jsonl": "jsonl", "label_studio": "json"}[form]
    content = export_text(other, "towers", form).encode()
    page.file_uploader[0].upload(f"labels.{ending}", content, "application/json").run()
    assert page.selectbox(key=f"annotate.import.format.{form}").value == form, "as the name of the file says"
    page.button(key="annotate.import.go").click().run()
    (came,) = labels.projects()
    assert [one.values for one in labels.labels(came.id)] == [one.values for one in other.labels("towers")]
    other.close()


def test_an_import_that_differs_names_its_items_as_the_page_does_and_a_way_out(
    labels: AnnotationStore,
) -> None:
    project = project_with(labels, lookups=2)
    labelled(labels, project, Ada="timely", Grace="delayed")
    content = export_text(labels, project.id, "csv").encode()
    for number, person in ((2, "Ada"), (1, "Grace"), (2, "Grace")):
        label = labels.label(f"towers-retrieval-{number}", person)
        again = Action(id=f"{number}-{person}", item=label.item, base=label.action, values=label.values, note="Changed")
        labels.apply(project.id, person, [again])
    page = shown(view="exchange")
    assert "annotate.import.target" in [one.key for one in page.radio]
    page.file_uploader[0].upload("labels.csv", content).run()
    assert not page.radio, "labels without items are no project"
    page.button(key="annotate.import.go").click().run()
    assert [one.value.replace("\\", "") for one in page.error] == [
        "Other labels than in the file are stored here: Ada on item 2; Grace on items 1 and 2. Nothing was imported. "
        "Undo those first, or take them out of the file."
    ]


def test_a_bad_import_gets_a_sentence_and_changes_nothing(labels: AnnotationStore) -> None:
    project_with(labels, answers=1)
    page = shown(view="exchange")
    page.file_uploader[0].upload("labels.jsonl", b"\xff\xfe", "application/jsonl").run()
    page.button(key="annotate.import.go").click().run()
    assert any("UTF-8" in said for said in notices(page))
    assert labels.labels("towers") == ()
