"""The command line: what it prints, what it writes, what it says when it cannot."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import click
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from engine import cli
from engine.annotations.store import AnnotationStore
from engine.backends import retrieval
from engine.backends.retrieval.scripted import HashedWords
from engine.cli.printed import summary
from engine.core.allowed import acting_person
from engine.core.errors import QuestionError, StorageError
from engine.core.progress import BatchHalved
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import from_json
from engine.runs.corpora import shelf
from engine.runs.store import default_store
from engine.runs.studies import concurrency
from engine.runs.studies.store import StudyStore
from engine.runs.variants import start_variant
from engine.thresholds.fitted import read_fit
from tests.engine.annotations.test_exchange import filled
from tests.engine.backends.language_models.scripted_server import running
from tests.engine.runs.studies.study_case import Engine, corpus_file, damage, question_file, started
from tests.engine.thresholds.calibration_case import diagnosed, fit
from tests.hosted import open_to_others

runner = CliRunner()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, example_diagnosis: Diagnosis) -> list[DiagnosisRequest]:
    """Return the requests the command made; every one is answered with the example."""
    requests: list[DiagnosisRequest] = []

    def run(request: DiagnosisRequest, report: object) -> Diagnosis:
        requests.append(request)
        return example_diagnosis

    monkeypatch.setattr(cli, "run_request", run)
    return requests


def test_ask_prints_the_answer_and_a_line_per_method(asked, example_diagnosis) -> None:
    result = runner.invoke(cli.app, ["ask", "Who?", "--corpus", "sample", "--method", "dense", "--method", "seper"])
    assert result.exit_code == 0, result.output
    assert example_diagnosis.answer.text in result.output
    assert "DENSE" in result.output
    assert asked[0].methods == ("dense", "seper")


def test_with_a_correct_answer_it_says_whether_both_answers_are_right(asked, example_diagnosis) -> None:
    judged = replace(
        example_diagnosis,
        golds=("Selm",),
        answer=replace(example_diagnosis.answer, text="in Selm"),
        closed_book=replace(example_diagnosis.closed_book, text="Karst"),
    )
    lines = summary(judged).split("\n")[1:6]
    assert lines == [
        "What happened Wrong from memory, right after reading: “Karst”, then “in Selm”, which no passage names.",
        "Answer        in Selm",
        "              Right: contains a correct answer",
        "Closed-book   Karst",
        "              Wrong: no correct answer in it",
    ]
    assert summary(replace(judged, golds=())).split("\n")[3] == "Closed-book   Karst"


def test_the_version_is_that_of_the_package() -> None:
    result = runner.invoke(cli.app, ["--version"])
    assert (result.exit_code, result.output) == (0, f"retrieval-microscope {version('retrieval-microscope')}\n")


def test_ask_passes_golds_seed_and_passages_on(asked) -> None:
    runner.invoke(cli.app, ["ask", "Who?", "--passage", "One.", "--passage", "Two.", "--answer", "A", "--seed", "7"])
    request = asked[0]
    assert [passage.text for passage in request.passages] == ["One.", "Two."]
    assert (request.golds, request.seed, request.corpus) == (("A",), 7, None)


def test_settings_of_methods_are_passed_on_and_a_wrong_one_is_a_sentence(asked) -> None:
    options = ("dense.temperature=0.7", "dense.draws=5", "dense_rag.similarity=0.5", "dense_rag.k=", "seper.samples=3")
    sets = [part for option in options for part in ("--set", option)]
    runner.invoke(cli.app, ["ask", "Who?", *sets])
    request = asked[0]
    assert (request.dense.temperature, request.dense.draws, request.seper.samples) == (0.7, 5, 3)
    assert (request.dense_rag.similarity, request.dense_rag.k) == (0.5, None)
    for wrong in ("dense.temperature", "dens.draws=2", "dense.heat=2", "dense.draws=two", "dense.draws=0"):
        result = runner.invoke(cli.app, ["ask", "Who?", "--set", wrong])
        assert result.exit_code == 1 and len(asked) == 1, wrong


def test_the_record_is_written_and_reads_back(asked, example_diagnosis, tmp_path: Path) -> None:
    target = tmp_path / "run.json"
    runner.invoke(cli.app, ["ask", "Who?", "--json", str(target)])
    assert from_json(target.read_text(encoding="utf-8")).answer == example_diagnosis.answer


def test_a_refused_question_is_one_sentence_and_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(request: DiagnosisRequest, report: object) -> Diagnosis:
        raise QuestionError("There is no question. Type one, or pick a sample question.")

    monkeypatch.setattr(cli, "run_request", refuse)
    result = runner.invoke(cli.app, ["ask", " "])
    assert result.exit_code == 1
    assert "There is no question" in result.output
    assert "Traceback" not in result.output


def test_a_file_that_cannot_be_written_is_refused_before_any_model_is_asked(asked, tmp_path: Path) -> None:
    for target, why in ((tmp_path / "no" / "run.json", "there is no folder"), (tmp_path, "it is a folder")):
        result = runner.invoke(cli.app, ["ask", "Who?", "--json", str(target)])
        assert (result.exit_code, asked) == (1, []) and why in result.stderr


def test_a_run_is_kept_and_printed_where_its_file_cannot_be_written_after_all(
    asked, example_diagnosis: Diagnosis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(file: Path, text: str) -> None:
        raise StorageError(f"{file.name} could not be written: No space left on device.")

    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    monkeypatch.setattr(cli, "write_text", full)
    result = runner.invoke(cli.app, ["ask", "Who?", "--json", str(tmp_path / "run.json"), "--keep"])
    assert result.exit_code == 1 and "No space left" in result.stderr
    assert example_diagnosis.answer.text in result.stdout
    assert runner.invoke(cli.app, ["runs", "show", result.stdout.split()[-1]]).exit_code == 0


def test_a_run_that_is_kept_names_its_corpus_so_that_the_workbench_can_search_it_again(
    asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    (tmp_path / "texts").mkdir()
    monkeypatch.chdir(tmp_path)
    for given, corpus in ((("--corpus", "texts"), str(tmp_path / "texts")), ((), "sample")):
        run = runner.invoke(cli.app, ["ask", "Who?", *given, "--k", "4", "--keep"]).stdout.split()[-1]
        request = default_store().get(run).request
        assert (request.corpus, request.k, request.passages) == (corpus, 4, ())
        assert start_variant(default_store().get(run)).corpus == corpus


def test_a_record_goes_to_standard_output_and_the_words_beside_it(asked, example_diagnosis: Diagnosis) -> None:
    result = runner.invoke(cli.app, ["ask", "Who?", "--json", "-"])
    assert from_json(result.stdout).answer == example_diagnosis.answer
    assert example_diagnosis.answer.text in result.stderr


@pytest.mark.parametrize("target", ["/dev/full", "a reader that has left", "ascii"])
def test_a_run_is_written_whatever_becomes_of_the_words(
    target: str, example_diagnosis: Diagnosis, tmp_path: Path
) -> None:
    record = tmp_path / "example.json"
    record.write_text(example_diagnosis.to_json(), encoding="utf-8")
    written = tmp_path / "run.json"
    script = f"""
import sys
from pathlib import Path
from engine import cli
from engine.diagnosis.serialize import from_json

cli.run_request = lambda request, report: from_json(Path({str(record)!r}).read_text(encoding="utf-8"))
sys.argv = ["microscope", "ask", "Who?", "--json", {str(written)!r}]
cli.main()
"""
    environment = {**os.environ, "PYTHONIOENCODING": "ascii" if target == "ascii" else "utf-8"}
    environment.pop("PYTHONUNBUFFERED", None)  # what is held back is written once more at the end
    reading, writing = os.pipe()
    os.close(reading)
    with open("/dev/full", "wb") as full:
        out = {"/dev/full": full, "ascii": subprocess.DEVNULL}.get(target, writing)
        done = subprocess.run([sys.executable, "-c", script], stdout=out, stderr=subprocess.PIPE, env=environment)
    os.close(writing)
    said = done.stderr.decode()
    assert done.returncode == (0 if target == "ascii" else 1) and "Traceback" not in said
    assert ("The output could not be written: No space left on device." in said) == (target == "/dev/full")
    assert from_json(written.read_text(encoding="utf-8")).answer == example_diagnosis.answer


@pytest.mark.parametrize(
    "words",
    [("ask", "Who?", "--corpus", ""), ("study", "QUESTIONS", "--corpus", "")],
)
def test_an_empty_corpus_is_never_the_folder_one_stands_in(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    file = tmp_path / "questions.jsonl"
    file.write_text('{"question": "Who?", "answers": ["A"]}\n')
    monkeypatch.chdir(tmp_path)
    result = runner.invoke(cli.app, [str(file) if word == "QUESTIONS" else word for word in words])
    assert result.exit_code == 1 and "The corpus has no name." in result.stderr
    assert StudyStore().listing() == ()


def test_a_seed_that_no_record_could_hold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    result = runner.invoke(cli.app, ["ask", "Who?", "--passage", "One.", "--seed", str(2**63)])
    assert result.exit_code == 1 and "seed must be at least" in result.stderr


def test_a_study_is_refused_whole_before_it_is_on_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    file = tmp_path / "questions.jsonl"
    file.write_text(f'{{"question": "Who?"}}\n{{"question": "{"why " * 500}?"}}\n')

    def refused(*options: str) -> str:
        result = runner.invoke(cli.app, ["study", str(file), "--corpus", "sample", *options])
        assert result.exit_code != 0 and StudyStore().listing() == ()
        return result.stderr

    assert "Question 2: The question is too long" in refused()
    assert "not both" in refused("--first", "1", "--workers", "2", "--together", "2")
    assert refused("--first", "0") and refused("--first", "-3")
    assert "seed must be a whole number" in refused("--first", "1", "--vary", f"seed={'9' * 5000}")


def test_a_study_ends_with_a_status_and_says_why_questions_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    engine = Engine(failing=("Who built tower 2?",))
    monkeypatch.setattr(concurrency, "run_request", engine.run)
    file = question_file(tmp_path)
    asked = ["study", str(file), "--corpus", str(corpus_file(tmp_path)), "--method", "dense", "--workers", "1"]
    result = runner.invoke(cli.app, asked)
    assert result.exit_code == 1 and "failed: Who built tower 2?: " in result.stderr
    study = result.stdout.split()[0]
    assert "nothing to pause" in runner.invoke(cli.app, ["studies", "pause", study]).stderr


def test_memory_that_ran_out_is_told_in_what_the_model_was_computing(capsys: pytest.CaptureFixture[str]) -> None:
    cli.tell(BatchHalved(model="the judge", rows=8, unit="pairs"))
    cli.tell(BatchHalved(model="the embedder", rows=4))
    first, second = capsys.readouterr().err.splitlines()
    assert "8 pairs at once" in first and "4 texts at once" in second


def test_the_command_line_is_the_owners_where_others_may_come(
    asked, example_diagnosis: Diagnosis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(request: DiagnosisRequest, report: object) -> Diagnosis:
        acting.append(acting_person())
        return example_diagnosis

    acting: list[str | None] = []
    monkeypatch.setattr(cli, "run_request", run)
    open_to_others(monkeypatch, tmp_path)
    assert runner.invoke(cli.app, ["ask", "Who?", "--corpus", str(tmp_path)]).exit_code == 0
    assert acting == [None]


def test_a_workbench_that_is_opened_from_the_command_line_is_its_visitors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    acting: list[str | None] = []
    monkeypatch.setattr(cli, "run_module", lambda name, run_name: acting.append(acting_person()))
    monkeypatch.setattr("sys.argv", ["microscope"])
    open_to_others(monkeypatch, tmp_path)
    assert runner.invoke(cli.app, ["open"]).exit_code == 0
    assert acting == ["ann"]


def test_a_corpus_that_is_not_there_is_not_put_on_the_list_and_one_that_is_takes_a_new_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(retrieval, "load_embedder", HashedWords)
    (tmp_path / "notes.txt").write_text("A note on towers.")
    result = runner.invoke(cli.app, ["corpus", "add", str(tmp_path / "typo")])
    assert result.exit_code == 1 and "There is no file or folder" in result.output
    assert shelf.entries() == ()

    for name, called in (("Towers", "Towers"), ("Bridges", "Bridges"), ("", "Bridges")):
        command = ["corpus", "add", str(tmp_path / "notes.txt"), "--name", name]
        result = runner.invoke(cli.app, command)
        assert result.exit_code == 0, result.output
        assert [one.name for one in shelf.entries()] == [called] and called in result.output


def test_a_profile_that_does_not_exist_is_a_sentence_and_nothing_is_asked() -> None:
    result = runner.invoke(cli.app, ["ask", "Who?", "--passage", "One.", "--profile", "papr"])
    assert result.exit_code == 1
    assert all(word in result.output for word in ("profile", "embedded", "paper", "papr"))


def test_thresholds_that_do_not_exist_are_a_sentence_and_nothing_is_asked() -> None:
    result = runner.invoke(cli.app, ["ask", "Who?", "--passage", "One.", "--thresholds", "mine"])
    assert result.exit_code == 1
    assert all(word in result.output for word in ("thresholds", "paper", "fitted", "mine"))


def test_fitted_thresholds_that_nobody_fitted_are_a_sentence_that_says_what_to_do(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    result = runner.invoke(cli.app, ["ask", "Who?", "--passage", "One.", "--model", "m", "--thresholds", "fitted"])
    assert result.exit_code == 1
    assert "No thresholds were fitted to m" in result.output and "microscope calibrate" in result.output


@pytest.fixture
def scripted_road(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the questions asked of a road that answers by script."""
    questions: list[str] = []

    def run(request: DiagnosisRequest, report: object) -> Diagnosis:
        questions.append(request.question)
        return diagnosed(request, right=len(questions) % 2 == 0, etc=1 + len(questions) / 10)

    monkeypatch.setattr(cli, "run_request", run)
    return questions


def labelled(folder: Path, count: int) -> Path:
    """Return a file of so many labelled questions."""
    file = folder / "questions.jsonl"
    file.write_text("".join(f'{{"question": "Q {n}?", "answer": "1889"}}\n' for n in range(count)), encoding="utf-8")
    return file


def test_calibrate_writes_the_fit_tells_progress_and_resumes(scripted_road, tmp_path: Path) -> None:
    into = tmp_path / "fit.json"
    command = ["calibrate", str(labelled(tmp_path, 20)), "--into", str(into), "--no-compare"]
    result = runner.invoke(cli.app, command)
    assert result.exit_code == 0, result.output
    assert "question 20 of 20: Q 19?" in result.stderr and "Q 19?" not in result.stdout
    assert "alpha" in result.stdout and "not fitted." in result.stdout
    assert read_fit(into).questions == 20
    again = runner.invoke(cli.app, command)
    assert again.exit_code == 1 and "Add --resume" in again.output
    assert runner.invoke(cli.app, [*command, "--resume"]).exit_code == 0
    assert len(scripted_road) == 20


def test_a_file_without_right_answers_is_refused_before_anything_is_asked(scripted_road, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"question": "Who?"}\n', encoding="utf-8")
    result = runner.invoke(cli.app, ["calibrate", str(tmp_path / "q.jsonl"), "--into", str(tmp_path / "fit.json")])
    assert result.exit_code == 1 and scripted_road == []
    assert "Line 1 of q.jsonl has no correct answer" in result.output


def test_a_threshold_is_told_with_how_good_it_is_and_one_that_is_missing_with_the_reason() -> None:
    found = fit(dse=0.25)
    assert cli.threshold_line(found.thresholds[1]) == "sugar_low      not fitted. Too few."
    lines = cli.calibration_summary(found).split("\n")
    assert lines[0] == "40 questions of questions.jsonl, model scripted (scripted)"
    assert lines[1].startswith("dse            0.250: ")


def test_a_server_is_probed_and_its_card_printed() -> None:
    with running() as server:
        done = runner.invoke(cli.app, ["server", server.name])
    assert done.exit_code == 0, done.output
    assert "10 methods exact. Within bounds: ETC. In part: Retrieval timing." in done.output
    assert "Stops at a stop string" in done.output
    failed = runner.invoke(cli.app, ["server", "http://u:s3cret@h/v1"])
    assert failed.exit_code == 1 and "s3cret" not in failed.output


@pytest.fixture
def labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder for files, beside a data folder with a labelled project "Timing"."""
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MICROSCOPE_ANNOTATIONS_URL", raising=False)
    store = AnnotationStore()
    filled(store)
    store.close()
    return tmp_path


def said(*command: str, code: int = 0) -> str:
    """Return what an annotations command printed, after checking how it ended."""
    result = runner.invoke(cli.app, ["annotations", *command])
    assert result.exit_code == code, result.output
    return result.output


def test_labels_are_backed_up_and_restored_into_another_folder(labels: Path, monkeypatch) -> None:
    file = str(labels / "all.backup")
    assert said("backup", file) == "Saved to all.backup: 5 labels (tables 0004).\n"
    assert said("restore", file, code=1)
    monkeypatch.setenv("MICROSCOPE_HOME", str(labels / "other"))
    assert said("restore", file) == "Restored from all.backup: 5 labels.\n"
    assert said("migrate").split("\n")[1].endswith("Timing: 3 items")


@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_labels_are_exported_and_imported_by_the_files_ending(labels: Path, ending: str, monkeypatch) -> None:
    file = str(labels / f"timing.{ending}")
    assert said("export", "Timing", file) == f"The labels are in timing.{ending}.\n"
    assert said("import", file, "--project", "Timing") == "0 new items, 0 new labels, 5 were already there.\n"
    monkeypatch.setenv("MICROSCOPE_HOME", str(labels / "other"))
    assert said("import", file) == "3 new items, 5 new labels, 0 were already there.\n"


def test_csv_keeps_its_line_ends_on_the_way_through_a_file(labels: Path) -> None:
    said("export", "Timing", str(labels / "timing.csv"))
    assert "5 were already there" in said("import", str(labels / "timing.csv"), "--project", "Timing")
    assert "project" in said("import", str(labels / "timing.csv"), code=1)


def test_an_unknown_project_form_or_file_is_a_sentence(labels: Path) -> None:
    assert "There is no labelling project 'Nope'; there are: Timing." in said("export", "Nope", "x.csv", code=1)
    assert "'x.doc' is none of them" in said("export", "Timing", "x.doc", code=1)
    assert "could not be written" in said("export", "Timing", str(labels / "no" / "x.csv"), code=1)
    assert "could not be read" in said("import", str(labels / "nothing.csv"), code=1)


def test_no_help_text_has_brackets_that_the_terminal_takes_for_markup() -> None:
    def helps(command: click.Command) -> Iterator[str]:
        yield command.help or ""
        yield from (getattr(one, "help", None) or "" for one in command.params)
        for inner in getattr(command, "commands", {}).values():
            yield from helps(inner)

    found = list(helps(get_command(cli.app)))
    assert len(found) > 100 and [one for one in found if re.search(r"\[[a-z]", one)] == []


def test_a_study_that_cannot_be_read_is_named_beside_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    studies = StudyStore()
    whole, broken = started(tmp_path, studies), started(tmp_path, studies)
    damage(studies, broken)
    result = runner.invoke(cli.app, ["studies", "list"])
    assert result.exit_code == 0
    assert result.stdout.split()[:2] == [whole, "stopped"] and len(result.stdout.splitlines()) == 1
    assert result.stderr == f"Study {broken} cannot be read. Hide it with: microscope studies delete {broken}\n"
    assert runner.invoke(cli.app, ["studies", "delete", broken]).exit_code == 0
    assert runner.invoke(cli.app, ["studies", "list"]).stderr == ""


def test_a_run_that_is_kept_is_listed_shown_deleted_restored_and_erased(
    asked, example_diagnosis: Diagnosis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path))
    question = example_diagnosis.question

    def said(*words: str, status: int = 0, typed: str = "") -> str:
        result = runner.invoke(cli.app, list(words), input=typed)
        assert result.exit_code == status, result.output
        return result.output

    run = said("ask", question, "--keep").split()[-1]
    assert said("runs", "list", "--search", question).split()[0] == run
    assert f"Question      {question}" in said("runs", "show", run)
    assert f"microscope runs restore {run}" in said("runs", "delete", run)
    assert run not in said("runs", "list") and run in said("runs", "list", "--deleted")
    assert "is back" in said("runs", "restore", run)
    assert "not deleted" in said("runs", "erase", run, "--yes", status=1)
    said("runs", "delete", run)
    assert "Nothing was erased" in said("runs", "erase", run, status=1, typed="n\n")
    assert "gone for good" in said("runs", "erase", run, status=0, typed="y\n")
    assert said("runs", "list", "--deleted") == "No run is deleted.\n"
    assert "deleted for good" in said("runs", "show", run, status=1)
    assert "leave --search and --studies out" in said("runs", "list", "--deleted", "--search", "x", status=1)


def test_a_deleted_study_is_listed_restored_and_erased_in_the_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MICROSCOPE_HOME", str(tmp_path / "home"))
    study = started(tmp_path, StudyStore())
    assert f"microscope studies restore {study}" in runner.invoke(cli.app, ["studies", "delete", study]).output
    assert study in runner.invoke(cli.app, ["studies", "list", "--deleted"]).output
    assert "is back in the list" in runner.invoke(cli.app, ["studies", "restore", study]).output
    runner.invoke(cli.app, ["studies", "delete", study])
    assert "Nothing was erased" in runner.invoke(cli.app, ["studies", "erase", study], input="n\n").output
    assert "gone for good" in runner.invoke(cli.app, ["studies", "erase", study, "--yes"]).output
    assert runner.invoke(cli.app, ["studies", "list", "--deleted"]).output == "No study is deleted.\n"


def test_what_a_model_wrote_cannot_move_the_terminals_cursor(
    monkeypatch: pytest.MonkeyPatch, example_diagnosis: Diagnosis
) -> None:
    hostile = replace(example_diagnosis, answer=replace(example_diagnosis.answer, text="\x1b[2J\x1b]0;owned\x07Paris"))
    monkeypatch.setattr(cli, "run_request", lambda request, report: hostile)
    said = runner.invoke(cli.app, ["ask", "Who?"]).output
    assert "\x1b" not in said and "\x07" not in said and "⟦U+001B⟧[2J" in said
