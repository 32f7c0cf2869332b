"""The command line: what it prints, what it writes, what it says when it cannot."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from engine import cli
from engine.diagnosis import Diagnosis, DiagnosisRequest
from engine.errors import QuestionError
from engine.runs.serialize import from_json

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


def test_ask_passes_golds_seed_and_passages_on(asked) -> None:
    runner.invoke(cli.app, ["ask", "Who?", "--passage", "One.", "--passage", "Two.", "--answer", "A", "--seed", "7"])
    request = asked[0]
    assert [passage.text for passage in request.passages] == ["One.", "Two."]
    assert (request.golds, request.seed, request.corpus) == (("A",), 7, None)


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


def test_a_file_that_cannot_be_written_is_a_sentence(asked, tmp_path: Path) -> None:
    result = runner.invoke(cli.app, ["ask", "Who?", "--json", str(tmp_path / "no" / "such" / "folder.json")])
    assert result.exit_code == 1
    assert "could not be written" in result.output


def test_a_profile_that_does_not_exist_is_a_sentence_and_nothing_is_asked() -> None:
    result = runner.invoke(cli.app, ["ask", "Who?", "--passage", "One.", "--profile", "papr"])
    assert result.exit_code == 1
    assert "There is no profile 'papr'; there are embedded, paper." in result.output
