"""The commands about corpora and models: what a name stands for, what was deleted, what is wrong with an entry."""

import os
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from engine import cli
from engine.backends import added_models, retrieval
from engine.backends.retrieval.scripted import HashedWords
from engine.cli.printed import StageLines
from engine.core.errors import InputError, RecordError
from engine.core.progress import Report, Stage, silent
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.calibrate import Plan, calibrate, labelled_questions
from engine.runs.corpora import shelf
from engine.runs.request_checks import check_request
from engine.runs.studies.plan import make_plan
from engine.runs.studies.questions import read_questions
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


def folder_of(files: dict[str, str], folder: Path) -> Path:
    """Return a folder with these files."""
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def test_what_cannot_be_read_at_all_is_not_listed_and_what_was_listed_before_stays_with_its_reason(
    tmp_path: Path,
) -> None:
    (tmp_path / "img.png").write_bytes(b"\x89PNG")
    assert "img.png" in said("corpus", "add", str(tmp_path / "img.png"), status=1)
    assert shelf.entries() == () and list(shelf.shelf_folder().glob("*.json")) == []
    folder = folder_of({"a.txt": "A note."}, tmp_path / "dd")
    said("corpus", "add", str(folder))
    (folder / "a.txt").unlink()
    said("corpus", "add", str(folder), status=1)
    (entry,) = shelf.entries()
    assert entry.state == "failed" and entry.reason in said("corpus", "list")


def test_rows_with_one_id_are_named_by_their_numbers(tmp_path: Path) -> None:
    rows = '{"id": "a", "text": "One."}\n\n{"id": "b", "text": "Two."}\n{"id": "a", "text": "Three."}\n'
    folder = folder_of({"dup.jsonl": rows}, tmp_path / "dd")
    printed = said("corpus", "add", str(folder), status=1)
    assert "dup.jsonl, row 1 and dup.jsonl, row 4" in printed and "()" not in printed
    (folder / "dup.jsonl").unlink()
    (folder / "t.csv").write_text("id,title,text\nx,T,One.\nx,U,Two.\n")
    assert "t.csv, row 1 (T) and t.csv, row 2 (U)" in said("corpus", "add", str(folder), status=1)


def test_an_interrupted_corpus_is_listed_as_stopped_and_the_way_to_go_on_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(HashedWords):
        def embed(self, texts: Sequence[str]) -> np.ndarray:
            raise KeyboardInterrupt

    folder = folder_of({"a.txt": "A note."}, tmp_path / "my notes")
    monkeypatch.setattr(retrieval, "load_embedder", Interrupted)
    result = runner.invoke(cli.app, ["corpus", "add", str(folder)])
    assert result.exit_code == 130 and f"microscope corpus add '{folder}'" in result.stderr
    (entry,) = shelf.entries()
    assert entry.state == "stopped" and entry.reason in said("corpus", "list")
    monkeypatch.setattr(retrieval, "load_embedder", HashedWords)
    said("corpus", "add", str(folder))
    assert shelf.entries()[0].state == "ready" and shelf.entries()[0].reason == ""


def test_an_entry_that_cannot_be_read_is_named_beside_the_list(twins: list[shelf.CorpusEntry]) -> None:
    broken = shelf.shelf_folder() / f"{twins[0].id}.json"
    broken.write_text("{")
    shelf.keep_questions(twins[1].id, ())
    result = runner.invoke(cli.app, ["corpus", "list"])
    assert result.exit_code == 0 and result.stdout.split()[0] == twins[1].id
    assert str(broken) in result.stderr and len(result.stderr.splitlines()) == 1
    broken.unlink()
    assert runner.invoke(cli.app, ["corpus", "list"]).stderr == ""


def test_a_long_stage_is_told_every_five_seconds_with_the_time_left_and_a_short_one_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = [100.0]
    tell = StageLines(lambda: now[0])

    def go(name: str, units: int) -> list[str]:
        for done in range(units + 1):
            tell(Stage(method="retrieval", name=name, done=done * 25, total=units * 25))
            now[0] += 0.25
        return capsys.readouterr().err.splitlines()

    assert len(go("cutting", 19)) == 1
    lines = go("embedding", 240)
    assert len(lines) == 1 + 11
    assert "500 of 6,000" in lines[1] and "about 55 s left" in lines[1]
    assert "5,500 of 6,000" in lines[-1] and "a few seconds left" in lines[-1]
    assert len(go("cutting", 19)) == 1, "a stage that begins again begins anew"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="devices have such names on Linux")
@pytest.mark.parametrize(
    "words", [("verify",), ("import",), ("trace",), ("annotations", "restore"), ("annotations", "import")]
)
def test_a_device_is_refused_by_every_command_that_reads_a_file(words: tuple[str, ...]) -> None:
    form = ("--form", "jsonl") if words[-1] == "import" and len(words) > 1 else ()
    assert "/dev/zero" in said(*words, "/dev/zero", *form, status=1)


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="pipes have such names on Linux")
def test_a_run_is_read_from_a_pipe(example_diagnosis: Diagnosis) -> None:
    reading, writing = os.pipe()
    threading.Thread(target=fill, args=(writing, example_diagnosis.to_json().encode())).start()
    printed = said("runs", "show", f"/dev/fd/{reading}")
    os.close(reading)
    assert example_diagnosis.answer.text in printed


def fill(pipe: int, content: bytes) -> None:
    """Write bytes into a pipe and close it."""
    with open(pipe, "wb") as opened:
        opened.write(content)


def test_a_study_and_a_calibration_take_a_corpus_by_its_name_on_the_list(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "n.txt").write_text("Ada built the tower.")
    path = shelf.add(folder, "Towers").path
    file = tmp_path / "q.jsonl"
    file.write_text('{"question": "Who built it?", "answers": ["Ada"]}\n')
    plan, _ = make_plan(read_questions(file), DiagnosisRequest(question="", corpus="Towers", methods=("dense",)))
    assert plan.request.corpus == path and plan.corpus_hash

    def asked(request: DiagnosisRequest, report: Report) -> Diagnosis:
        assert request.corpus == path
        raise InputError("enough")

    questions = labelled_questions(str(file))
    with pytest.raises(InputError, match="enough"):
        calibrate(Plan(questions=questions, name="q", corpus="Towers"), tmp_path / "fit.json", False, silent, asked)


@pytest.mark.parametrize("words", [("study", "/dev/zero"), ("calibrate", "/dev/zero", "--into", "fit.json")])
def test_questions_are_not_read_from_what_never_ends(words: tuple[str, ...]) -> None:
    assert "neither a file nor a pipe" in said(*words, status=1)
