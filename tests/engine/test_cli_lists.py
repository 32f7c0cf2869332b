"""The commands about corpora and models: what a name stands for, what was deleted, what is wrong with an entry."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine import cli
from engine.backends import added_models, retrieval
from engine.backends.retrieval.scripted import HashedWords
from engine.core.errors import InputError, RecordError
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.corpora import shelf
from engine.runs.request_checks import check_request
from tests.hosted import open_to_others

runner = CliRunner()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(retrieval, "load_embedder", HashedWords)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


def said(*words: str, status: int = 0) -> str:
    """Return what a command printed, after checking how it ended."""
    result = runner.invoke(cli.app, list(words))
    assert result.exit_code == status, result.output
    return result.output


@pytest.fixture
def twins(tmp_path: Path) -> list[shelf.CorpusEntry]:
    """Return two listed corpora called "docs", the older first."""
    made = []
    for parent in ("a", "b"):
        folder = tmp_path / parent / "docs"
        folder.mkdir(parents=True)
        (folder / "n.txt").write_text(f"A note of {parent}.")
        made.append(shelf.add(folder))
    return made


def test_a_name_that_two_corpora_have_is_refused_with_their_ids_and_an_id_is_not(
    twins: list[shelf.CorpusEntry],
) -> None:
    for words in (("delete", "docs"), ("rename", "docs", "Notes")):
        printed = said("corpus", *words, status=1)
        assert all(one.id in printed for one in twins) and len(shelf.entries()) == 2
    said("corpus", "delete", twins[0].id)
    assert [one.id for one in shelf.entries()] == [twins[1].id]
    said("corpus", "delete", "docs")
    printed = said("corpus", "list", "--deleted")
    assert [line.split()[0] for line in printed.splitlines()] == [twins[1].id, twins[0].id], "the last one first"
    assert said("corpus", "restore", "docs", status=1).count(twins[0].id) == 1
    said("corpus", "restore", twins[0].id)
    said("corpus", "restore", "docs")
    assert len(shelf.entries()) == 2 and twins[0].id not in said("corpus", "list", "--deleted")


@pytest.mark.parametrize("kind", ["corpus", "models"])
def test_what_was_never_there_is_not_said_to_be_gone(kind: str) -> None:
    assert "There is no" in said(kind, "restore", "nope", status=1)
    assert said(kind, "list", "--deleted").startswith("No ")


def test_a_removed_model_is_listed_and_brought_back_by_its_name() -> None:
    first = added_models.add("http://localhost:1/v1#m", "Small")
    second = added_models.add("http://localhost:2/v1#m", "Small")
    for words in (("remove", "Small"), ("show", "Small"), ("test", "Small")):
        printed = said("models", *words, status=1)
        assert first.id in printed and second.id in printed, words
    said("models", "remove", first.id)
    assert first.id in said("models", "list", "--deleted") and second.id not in said("models", "list", "--deleted")
    said("models", "restore", "Small")
    assert {one.id for one in added_models.entries()} == {first.id, second.id}


def test_adding_a_known_model_under_another_name_renames_it() -> None:
    for words, called in (((), "m at localhost:1"), (("--name", "Small"), "Small"), ((), "Small")):
        said("models", "add", "http://localhost:1/v1#m", *words)
        assert [one.name for one in added_models.entries()] == [called]


def corpus_of(source: str) -> str | None:
    """Return what a request that names a corpus so is asked over."""
    return check_request(DiagnosisRequest(question="Who?", corpus=source)).corpus


def test_a_question_is_asked_over_a_corpus_by_its_name_or_id_where_no_path_is_called_so(
    twins: list[shelf.CorpusEntry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(RecordError, match=twins[0].id):
        corpus_of("docs")
    assert corpus_of(twins[0].id) == twins[0].path
    shelf.delete(twins[0].id)
    assert corpus_of("docs") == twins[1].path and corpus_of(twins[0].id) == twins[0].id
    assert (corpus_of("sample"), corpus_of("nope"), corpus_of("a\0b")) == ("sample", "nope", "a\0b")
    monkeypatch.chdir(tmp_path / "a")
    assert corpus_of("docs") == "docs", "a folder that is there comes first"


def test_a_visitor_names_no_corpus_that_they_do_not_see(
    twins: list[shelf.CorpusEntry], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    open_to_others(monkeypatch, home)
    for name in ("docs", twins[0].id):
        with pytest.raises(InputError) as refused:
            corpus_of(name)
        assert str(tmp_path) not in str(refused.value) and twins[1].id not in str(refused.value)
    open_to_others(monkeypatch, home, f"corpora = ['{twins[0].path}']")
    assert corpus_of("docs") == twins[0].path, "what the owner lists"
