"""``microscope export``, ``import``, ``verify``, ``trace`` and ``trace-schema``: what they write, print and refuse."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine.cli import app
from engine.runs.bundle import read_export
from engine.runs.store import RunStore

SAMPLE = Path(__file__).resolve().parents[2] / "sample_data"
RECORD = SAMPLE / "diagnoses" / "suez-empress.json"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty data folder for the command."""
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    return tmp_path


def run(*words: object) -> tuple[int, str]:
    """Return a command's exit status and all it printed."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.output


def test_a_run_goes_out_as_a_bundle_is_verified_and_comes_back(home: Path) -> None:
    stored = RunStore().import_json(RECORD.read_text(encoding="utf-8"))
    file = home / "run.html"
    assert run("export", stored, "--html", file)[0] == 0
    status, told = run("verify", file)
    assert status == 0
    assert "Holds. 61 derived values computed again" in told or "derived values computed again" in told
    assert "matches its content hash" in told
    status, told = run("import", file)
    assert status == 0
    again = RunStore().get(told.strip()).diagnosis
    assert again == read_export(file.read_bytes()).diagnosis


def test_every_number_is_listed_with_both_values() -> None:
    status, told = run("verify", RECORD)
    assert status == 0
    assert sum(line.startswith("same ") for line in told.splitlines()) >= 60
    stored = json.loads(RECORD.read_text(encoding="utf-8"))["outcomes"][1]["result"]["delta_soft"]
    assert any(line.startswith(f"same     seper.delta_soft  stored {stored}") for line in told.splitlines())
    assert any(line.startswith("raw ") for line in told.splitlines())


def test_a_packed_record_and_one_with_a_byte_order_mark_go_through_every_command(home: Path) -> None:
    packed = SAMPLE / "atlas" / "misread.json.gz"
    (home / "marked.json").write_bytes(b"\xef\xbb\xbf" + RECORD.read_bytes())
    for file in (packed, home / "marked.json"):
        assert run("verify", file)[0] == 0
        assert run("export", file, "--html", home / "run.html")[0] == 0
        status, told = run("import", file)
        assert status == 0
        stored = RunStore().get(told.strip()).diagnosis
        assert stored == read_export((home / "run.html").read_bytes()).diagnosis
        assert stored is not None and stored.question in run("runs", "show", file)[1]


def test_a_stored_run_is_verified_by_its_id_as_its_file_is_and_has_no_hash(home: Path) -> None:
    stored = RunStore().import_json(RECORD.read_text(encoding="utf-8"))
    status, told = run("verify", stored)
    of_file = run("verify", RECORD)[1]
    assert status == 0 and "hash" not in told
    assert told.splitlines()[:-1] == of_file.splitlines()[:-1]
    assert of_file.startswith(told.rstrip())
    recorded = run("runs", "list")[1].split()[0]
    assert run("verify", recorded)[0] == 0


def test_a_changed_number_and_a_broken_hash_end_with_status_one(home: Path) -> None:
    fields = json.loads(RECORD.read_text(encoding="utf-8"))
    fields["outcomes"][1]["result"]["delta_soft"] = 0.9
    (home / "bad.json").write_text(json.dumps(fields))
    status, told = run("verify", home / "bad.json")
    assert status == 1
    assert "DIFFERS  seper.delta_soft  stored 0.9" in told

    run("export", RECORD, "--html", home / "run.html")
    said = json.loads(RECORD.read_text(encoding="utf-8"))["closed_book"]["text"].strip().encode()
    page = (home / "run.html").read_bytes().replace(said, said[::-1])
    (home / "broken.html").write_bytes(page)
    status, told = run("verify", home / "broken.html")
    assert status == 1
    assert "content hash does not match" in told
    status, told = run("import", home / "broken.html")
    assert status == 1
    assert "content hash does not match" in told


def test_what_cannot_be_read_or_written_gets_a_sentence(home: Path) -> None:
    (home / "no.json").write_text("{")
    for words, sentence in (
        (("verify", home / "no.json"), "is not JSON"),
        (("verify", home / "nowhere.json"), "could not be read"),
        (("verify", home), "neither a file nor a run's id"),
        (("verify", "unknown"), "There is no run with the id"),
        (("runs", "show", "a/b.json"), "neither a file nor a run's id"),
        (("import", home / "nowhere.html"), "could not be read"),
        (("export", "unknown", "--html", home / "x.html"), "There is no run with the id"),
        (("export", "x" * 300, "--html", home / "x.html"), "could not be read"),
        (("scores", "x" * 300), "could not be read"),
        (("export", RECORD, "--html", home / "no" / "x.html"), "could not be written"),
        (("trace", home / "no.json"), "is not complete JSON"),
        (("trace-schema", "--into", home / "no" / "x.json"), "could not be written"),
    ):
        status, told = run(*words)
        assert status == 1
        assert sentence in told


def test_a_trace_is_told_with_its_writer_and_its_schema_is_written(home: Path) -> None:
    status, told = run("trace", SAMPLE / "traces" / "openai_logprobs.json")
    assert status == 0
    assert told.startswith("Answer of SmolLM2-135M-Instruct through OpenAI chat completions")
    assert "bounded: an interval" in told
    assert run("trace-schema", "--into", home / "schema.json")[0] == 0
    assert json.loads((home / "schema.json").read_text()) == json.loads(run("trace-schema")[1])
