"""The Ask form with a model on a server: the key stays out of what is kept, the card says what can be measured."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

from engine.backends import language_models
from engine.backends.language_models import card_time, keep_key, server_address
from engine.backends.language_models.server_address import key_of, server_name
from engine.diagnosis.serialize import to_json
from engine.runs.store import RunStore
from pages.shared.links import METHOD_TITLES
from pages.shared.theme import as_text
from tests.engine.backends.language_models.scripted_server import Manners, running
from tests.pages.page_fixtures import desk_over, opened, words_on
from viz.parts.words import moment_words

ASK = "pages/workspace/ask.py"


@pytest.fixture
def store(tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunStore]:
    """Return a store without recorded examples behind a desk that answers at once."""
    monkeypatch.setattr(language_models, "_SERVED", {})
    monkeypatch.setattr(server_address, "_TYPED", {})
    desk = desk_over(tmp_store, monkeypatch)
    yield tmp_store
    desk.shutdown()


def with_model(name: str) -> AppTest:
    """Return the Ask page after a model's name was typed."""
    page = opened(ASK)
    draft = page.session_state["microscope.draft"]
    page.session_state["microscope.draft"] = replace(draft, model=name)
    page.session_state["microscope.draft_generation"] = 7
    return page.run()


def key_field(page: AppTest) -> TextInput:
    """Return the field for the server's key."""
    (field,) = [field for field in page.text_input if field.proto.type == 1]
    return field


def test_an_address_brings_a_key_field_and_a_test_and_nothing_is_asked_yet(store: RunStore) -> None:
    with running() as server:
        page = with_model(server.name)
        assert not page.exception
        assert key_field(page).proto.type == 1, "a password field"
        assert server.bodies == []


def test_a_test_shows_the_card_and_puts_the_models_full_name_into_the_form(store: RunStore) -> None:
    with running(Manners(key="sk-typed")) as server:
        page = with_model(f"http://{server.host}")
        key_field(page).set_value("sk-typed")
        page.button(key="server.test").click().run()
        assert not page.exception
        assert page.session_state["microscope.draft"].model == server.name
        assert key_of(server_name(server.name)) == "sk-typed"
        page.text_area[0].set_value("Where?")
        page.button(key="ask").click().run()
    (run,) = store.listing(limit=5)
    assert "sk-typed" not in to_json(store.get(run.id).request)
    assert store.get(run.id).request.model == server.name


def test_a_wrong_key_gets_its_sentence(store: RunStore) -> None:
    with running(Manners(key="sk-right")) as server:
        page = with_model(server.name)
        key_field(page).set_value("sk-wrong")
        page.button(key="server.test").click().run()
    assert "sk-wrong" not in page.error[0].value


def test_a_test_with_an_empty_field_keeps_the_key_that_somebody_typed_and_a_button_forgets_it(store: RunStore) -> None:
    with running(Manners(key="sk-typed")) as server:
        keep_key(server.name, "sk-typed")
        page = with_model(server.name)
        page.button(key="server.test").click().run()
        assert not page.error and key_of(server_name(server.name)) == "sk-typed"
        assert "sk-typed" not in words_on(page) + key_field(page).value
        page.button(key="server.forget").click().run()
        assert not page.exception and key_of(server_name(server.name)) == ""
        assert "server.forget" not in [button.key for button in page.button]
        page.button(key="server.test").click().run()
    assert page.error


def test_forgetting_a_key_empties_its_field(store: RunStore) -> None:
    with running() as server:
        page = with_model(server.name)
        key_field(page).set_value("sk-typed")
        page.button(key="server.test").click().run()
        assert key_of(server_name(server.name)) == "sk-typed"
        page.button(key="server.forget").click().run()
        assert key_field(page).value == ""
        page.button(key="server.test").click().run()
    assert key_of(server_name(server.name)) == ""


def test_a_key_in_the_field_of_one_server_is_not_sent_to_the_next(store: RunStore) -> None:
    with running() as server, running() as other:
        page = with_model(server.name)
        key_field(page).set_value("sk-typed").run()
        page.session_state["microscope.draft"] = replace(page.session_state["microscope.draft"], model=other.name)
        page.session_state["microscope.draft_generation"] = 8
        page.run()
        assert key_field(page).value == ""
        page.button(key="server.test").click().run()
        assert not page.exception and other.headers
    assert "authorization" not in {name.lower() for headers in other.headers for name in headers}


def test_one_of_several_models_is_chosen_after_the_test(store: RunStore) -> None:
    with running(Manners(models=("test/model", "test/other"))) as server:
        page = with_model(f"http://{server.host}")
        page.button(key="server.test").click().run()
        assert not page.exception and not page.error
        page.selectbox(key="server.model.").set_value("test/other").run()
        assert not page.exception
        assert page.session_state["microscope.draft"].model == f"http://{server.host}/v1#test/other"
        assert "test/other at" in words_on(page).replace("\\", "")


def test_methods_that_the_model_cannot_serve_are_greyed_out_with_the_reason(store: RunStore) -> None:
    with running(Manners(plain=False, logprobs=False)) as server:
        page = with_model(server.name)
        page.button(key="server.test").click().run()
    boxes = {box.label: box for box in page.checkbox}
    greyed = {label for label, box in boxes.items() if box.disabled}
    assert {METHOD_TITLES["entropy_trend"], METHOD_TITLES["seper"], METHOD_TITLES["quco_rag"]} <= greyed
    assert METHOD_TITLES["dense"] not in greyed
    assert boxes[METHOD_TITLES["entropy_trend"]].help


def test_an_address_with_a_password_is_refused_and_never_stored(store: RunStore) -> None:
    page = with_model("http://anna:s3cret@host/v1#m")
    page.button(key="server.test").click().run()
    assert not page.exception
    assert "s3cret" not in page.error[0].value
    page.text_area[0].set_value("Where?")
    page.button(key="ask").click().run()
    assert store.listing(limit=5) == ()


def test_after_a_failed_test_the_card_that_stays_says_when_it_was_made(store: RunStore) -> None:
    with running() as server:
        page = with_model(server.name)
        page.button(key="server.test").click().run()
        made = card_time(server.name)
    page.button(key="server.test").click().run()
    assert page.error and as_text(f"Tested {moment_words(made)}.") in words_on(page)
    assert card_time(server.name) == made
