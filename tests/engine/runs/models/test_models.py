"""Models of one's own: put on the list, described without weights, tested, changed, taken off and brought back."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.backends import added_models, devices, number_types
from engine.backends.added_models import Changes
from engine.backends.language_models import load_language_model
from engine.backends.language_models.base import Request
from engine.backends.language_models.prompt_tokens import cut_prompt
from engine.core.errors import InputError, ModelError, RecordError
from engine.core.progress import silent
from engine.core.records import Prompt
from engine.methods import METHODS, reach_of_methods
from engine.runs.jobs.pace import stored_pace
from engine.runs.models import card, listing, trial
from tests.engine.runs.models.tiny_folder import END, tiny_gpt2

BRACES = "{% for message in messages %}[[{{ message['content'] }}]]{% endfor %}"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tiny_gpt2(tmp_path / "tiny-gpt2")


def test_two_that_add_one_model_at_once_get_one_entry_with_what_the_first_has_changed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids: list[str] = []
    moment = added_models.now()

    def added_meanwhile() -> str:
        monkeypatch.setattr(added_models, "now", lambda: moment)
        first = added_models.add(str(folder))
        ids.append(added_models.keep_changes(first.id, Changes(stop=(END,))).id)
        return moment

    monkeypatch.setattr(added_models, "now", added_meanwhile)
    assert [added_models.add(str(folder)).id] == ids
    assert [(one.id, one.changes.stop) for one in added_models.entries()] == [(ids[0], (END,))]


def test_a_folder_is_listed_once_and_a_path_without_a_model_is_a_sentence(folder: Path, tmp_path: Path) -> None:
    first = added_models.add(listing.check_source(str(folder)))
    assert added_models.add(str(folder)).id == first.id and first.name == "tiny-gpt2"
    assert [one.source for one in listing.usable_models() if one.entry] == [str(folder)]
    (tmp_path / "empty").mkdir()
    for source in (str(tmp_path / "empty"), str(tmp_path / "nowhere"), "", "embedded"):
        with pytest.raises(ModelError):
            listing.check_source(source)


@pytest.mark.parametrize("address", ["http://ada:pw@localhost:1/v1", "http://a:1/v1#m,HTTP://b:1/v1?key=pw"])
def test_an_address_with_a_password_in_it_is_neither_listed_nor_repeated(home: Path, address: str) -> None:
    for add in (listing.check_source, added_models.add):
        with pytest.raises(InputError) as refused:
            add(address)
        assert "pw" not in str(refused.value).replace("password", "")
    assert added_models.entries() == () and not (home / "models.sqlite").exists()


def test_looking_at_the_list_writes_nothing(home: Path) -> None:
    assert [one.kind for one in listing.usable_models()] == ["embedded"] * 3
    assert not (home / "models.sqlite").exists()


def test_a_card_says_what_every_method_can_measure_without_reading_weights(folder: Path) -> None:
    for file in folder.glob("*.safetensors"):
        header = file.read_bytes()[:8192]
        file.write_bytes(header)  # the numbers are gone, their header stays
    found = card.card_of(str(folder))
    assert found is not None
    # 257 x 32 and 512 x 32 embeddings, two layers of 12 x 32 x 32 + 13 x 32, a norm of 2 x 32.
    assert found.parameters == 257 * 32 + 512 * 32 + 2 * (12 * 32**2 + 13 * 32) + 2 * 32
    assert (found.family, found.context, found.vocabulary, found.way) == ("gpt2", 512, 257, "one batch")
    assert found.ends == (END,)
    assert found.memory == found.parameters * 4  # the tests compute in float32
    # Keys and values of 2 layers of width 32, and four rows of 257 logits, in single precision.
    assert found.text_memory == 2 * 2 * 32 * 4 * 1000 + 4 * 4 * 257
    assert {one.method for one in reach_of_methods(found.capabilities)} == set(METHODS)


def test_a_card_is_about_the_device_a_run_would_compute_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "is_there", lambda device: device in ("cpu", "mps"))
    monkeypatch.setenv("MICROSCOPE_DTYPE", "auto")
    monkeypatch.setattr(number_types, "processor_flags", lambda: ("avx512_bf16",))
    assert card.card_of(str(folder)).dtype == "float32"  # auto takes the Apple GPU, which has no fast bfloat16
    monkeypatch.setenv("MICROSCOPE_DEVICE", "cpu")
    assert card.card_of(str(folder)).dtype == "bfloat16"


def test_a_typed_template_a_stop_string_and_a_shorter_context_hold_wherever_the_model_is_named(folder: Path) -> None:
    source = str(folder)
    asked = Request(prompt=Prompt(text="Who?"), max_tokens=40, temperature=1.0, seed=3)
    (before,) = load_language_model(source).generate([asked], silent)
    assert before.rendered == "<|user|> Who?<|end|> <|assistant|> "
    stop = before.text[4:6]
    entry = added_models.add(source)
    added_models.keep_changes(entry.id, Changes(template=BRACES))
    (framed,) = load_language_model(source).generate([asked], silent)
    assert framed.rendered == "[[Who?]]"
    assert len(cut_prompt(source, framed)) == framed.prompt_tokens == 8
    added_models.keep_changes(entry.id, Changes(stop=(stop,), context=80))
    model = load_language_model(source)
    (cut,) = model.generate([asked], silent)
    assert (cut.text, cut.stop_reason) == (before.text[: before.text.index(stop)], "stop string")
    assert "80 tokens" in model.identity.note
    with pytest.raises(InputError, match="80"):
        model.generate([Request(prompt=Prompt(text="x" * 60), max_tokens=40)], silent)


def test_a_template_that_drops_the_question_or_breaks_is_refused(folder: Path) -> None:
    assert card.check_template(str(folder), BRACES) == f"[[{card.EXAMPLE}]]"
    for template in ("no question at all", "{% for", BRACES * 2):
        with pytest.raises(ModelError):
            card.check_template(str(folder), template)
    entry = added_models.add(str(folder))
    with pytest.raises(RecordError):
        added_models.keep_changes(entry.id, Changes(context=3))


def test_a_test_keeps_its_pace_with_the_entry(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.runs.jobs.pace.READING_SECONDS", 0.0)
    monkeypatch.setattr("engine.runs.jobs.pace.WRITING_SECONDS", 0.0)
    entry = added_models.add(str(folder))
    found = trial.try_model(str(folder))
    assert added_models.entry_named(entry.id).trial == found and found.device == "cpu"
    pace = stored_pace(str(folder))
    assert pace is not None and pace.new_tokens == found.new_tokens > 0
    assert stored_pace(str(folder), "cuda") is None


def test_a_model_is_taken_off_and_brought_back_and_its_own_folder_is_never_deleted(folder: Path, home: Path) -> None:
    first, fetched = added_models.add(str(folder)), home / "models" / "hub-org--m"
    fetched.mkdir(parents=True)
    second = added_models.add(str(fetched))
    added_models.hide(first.id)
    assert added_models.restore(first.id).source == str(folder)
    for entry in (second, first):
        listing.take_off(entry.id)
    assert added_models.restore(second.id).source == str(fetched), "a second removal leaves the first"
    listing.take_off(second.id)
    yesterday = (datetime.now(UTC) - timedelta(days=1, hours=1)).isoformat()
    for entry in (first, second):
        added_models.changed(entry.id, lambda one: replace(one, deleted_at=yesterday))
    listing.remove_for_good()
    assert (folder / "config.json").exists() and not fetched.exists()
    with pytest.raises(RecordError):
        added_models.restore(second.id)


def test_a_name_in_the_hubs_local_cache_is_found_and_asked_and_another_is_never_fetched(tmp_path: Path) -> None:
    snapshot = tmp_path / "cache" / "models--org--tiny" / "snapshots" / ("a" * 40)
    tiny_gpt2(snapshot)
    (snapshot.parents[1] / "refs").mkdir()
    (snapshot.parents[1] / "refs" / "main").write_text("a" * 40)
    assert [one.source for one in listing.usable_models() if one.kind == "hub"] == ["org/tiny"]
    asked = [Request(prompt=Prompt(text="Who?"), max_tokens=3)]
    model = load_language_model("org/tiny")
    assert model.identity.name == "org/tiny" and len(model.generate(asked, silent)[0].tokens) == 3
    found = card.card_of("org/tiny")
    assert found is not None and found.parameters == 50_080
    with pytest.raises(ModelError, match="microscope models add org/other"):
        load_language_model("org/other")
