"""The Models page: a model is added, described, changed, removed, brought back, and asked."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from engine.backends import added_models
from engine.backends.added_models import Changes
from engine.core.errors import InputError
from engine.methods import METHODS
from engine.runs.models import listing, trial
from engine.runs.store import RunStore
from tests.engine.runs.models.tiny_folder import tiny_gpt2
from tests.hosted import open_to_others
from tests.pages.page_fixtures import choose_rows, desk_over, named_button, notices, opened, with_drawers, words_on

MODELS = "pages/workspace/models.py"


@pytest.fixture(autouse=True)
def store(tmp_store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "no-cache"))
    desk = desk_over(tmp_store, monkeypatch)
    yield tmp_store
    desk.shutdown()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_gpt2(tmp_path / "tiny *gpt2*")


def with_folder(folder: Path) -> AppTest:
    page = opened(MODELS)
    page.text_input(key="models.source").set_value(str(folder)).run()
    page.button(key="models.add").click().run()
    assert not page.exception
    return page


def test_an_added_folder_shows_what_each_method_can_measure_before_anything_runs(folder: Path) -> None:
    page = with_folder(folder)
    (entry,) = added_models.entries()
    assert entry.name == "tiny *gpt2*" and "tiny \\*gpt2\\*" in words_on(page)
    page.toggle[0].set_value(True).run()
    reach = page.table[0].value
    assert len(reach) == len(METHODS) and set(reach.iloc[:, 0]) <= {"exact", "partly", "within bounds", "impossible"}
    facts = page.table[1].value
    assert facts.loc["Architecture"].item() == "gpt2" and facts.loc["Parameters"].item() == "50,080"


def test_what_is_no_model_is_a_sentence_and_is_not_listed(tmp_path: Path) -> None:
    for source in (str(tmp_path), "nobody/nothing-here"):
        page = opened(MODELS)
        page.text_input(key="models.source").set_value(source).run()
        page.button(key="models.add").click().run()
        assert len(page.error) == 1 and added_models.entries() == ()


def test_an_empty_box_is_asked_to_be_filled() -> None:
    page = opened(MODELS)
    page.button(key="models.add").click().run()
    said = [error.value.replace("\\", "") for error in page.error]
    assert said == ["Enter a folder, a .gguf file, a hub name or a server."]
    assert added_models.entries() == ()


def test_details_of_a_server_that_was_never_tested_say_so(folder: Path) -> None:
    added_models.add("http://localhost:9/v1#gone")
    page = opened(MODELS)
    page.toggle[0].set_value(True).run()
    assert "Test it first. Only then is known what it gives." in words_on(page) and not page.table


def test_a_removed_model_comes_back_with_undo(folder: Path) -> None:
    page = with_folder(folder)
    named_button(page, "remove.").click().run()
    assert added_models.entries() == () and not page.exception
    page.button(key="undo_remove_model").click().run()
    assert [one.source for one in added_models.entries()] == [str(folder)]


def test_a_model_that_was_removed_elsewhere_is_listed_and_put_back(folder: Path) -> None:
    entry = added_models.add(str(folder))
    listing.take_off(entry.id)
    page = opened(MODELS)
    assert "1 deleted model" in [one.label for one in page.expander]
    choose_rows(page, "model.deleted", (entry.id,)).button(key="restore_model").click().run()
    assert [one.source for one in added_models.entries()] == [str(folder)] and not page.exception


def test_a_typed_template_is_kept_and_one_without_the_question_is_refused(folder: Path) -> None:
    page = with_folder(folder)
    (entry,) = added_models.entries()
    page.toggle[0].set_value(True).run()
    page.text_area(key=f"template.{entry.id}").set_value("nothing")
    named_button(page, "Save").click().run()
    assert len(page.error) == 1 and added_models.entries()[0].changes.template == ""
    page.text_area(key=f"template.{entry.id}").set_value("<b>{{ messages[0]['content'] }}</b>")
    page.text_area(key=f"stops.{entry.id}").set_value("\n\nStop")
    named_button(page, "Save").click().run()
    changes = added_models.entries()[0].changes
    assert changes.template.startswith("<b>") and changes.stop == ("Stop",)
    assert page.code[1].value == "<b>Who wrote Hamlet?</b>"
    page.button(key=f"own.{entry.id}").click().run()
    assert added_models.entries()[0].changes.stop == ()
    page.button(key=f"undo_model.{entry.id}").click().run()
    assert added_models.entries()[0].changes == changes and not page.exception


def test_an_added_model_fills_the_ask_form_and_stands_in_its_list(folder: Path) -> None:
    page = with_folder(folder)
    named_button(page, "ask.").click().run()
    assert page.session_state["microscope.draft"].model == str(folder)
    ask = with_drawers(opened("pages/workspace/ask.py"))
    field = next(box for box in ask.selectbox if box.label == "Language model")
    assert "tiny *gpt2*" in field.options
    devices = next(box for box in ask.selectbox if box.label == "Computes on")
    assert devices.value == "auto" and len(devices.options) == 4
    assert notices(ask) == []


def test_a_visitor_sees_no_model_of_the_owner_and_changes_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = added_models.add(str(folder))
    hidden = added_models.add("http://localhost:1/v1#m")
    open_to_others(monkeypatch, tmp_path / "home", f"models = ['{folder}']")
    page = opened(MODELS)
    assert not page.button
    assert not page.text_input and hidden.name not in words_on(page) and str(folder) not in words_on(page)
    doors = (
        lambda: added_models.add(str(folder.parent)),
        lambda: added_models.hide(entry.id),
        lambda: added_models.keep_changes(entry.id, Changes(stop=("x",))),
        lambda: listing.remove_for_good(),
        lambda: trial.try_model("embedded"),
    )
    for door in doors:
        with pytest.raises(InputError):
            door()
