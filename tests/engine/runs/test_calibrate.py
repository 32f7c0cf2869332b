"""Calibration as work: what files it reads, what it asks, and that a run that was stopped goes on where it was."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.core.errors import CorpusError, InputError, RecordError, StorageError
from engine.core.progress import Event, Report, Stage, silent
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.calibrate import LabelledQuestion, Plan, calibrate, labelled_questions, settings_of
from engine.thresholds import calibration
from engine.thresholds.calibration import Budget
from engine.thresholds.fitted import read_fit
from tests.engine.thresholds.calibration_case import diagnosed

QUESTIONS = tuple(LabelledQuestion(question=f"Question {n}?", golds=("1889",)) for n in range(24))
PLAN = Plan(questions=QUESTIONS, name="questions.jsonl")


@pytest.fixture(autouse=True)
def few_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw 20 resamples only: nothing here looks at intervals."""
    monkeypatch.setattr(calibration, "REPEATS", 20)


class Road:
    """A road through the engine that answers by script and keeps what it was asked; it may stop at a question."""

    def __init__(self, stops_at: int | None = None, revision: str = "r1") -> None:
        self.asked: list[DiagnosisRequest] = []
        self.stops_at, self.revision = stops_at, revision

    def __call__(self, request: DiagnosisRequest, report: Report) -> Diagnosis:
        if len(self.asked) == self.stops_at:
            raise KeyboardInterrupt
        self.asked.append(request)
        number = int(request.question.split()[1].strip("?"))
        # A third of the answers is wrong; ETC's strongest value grows with the number.
        found = diagnosed(request, right=number % 3 != 0, etc=1.0 + number / 10)
        return replace(found, provenance=replace(found.provenance, model_revision=self.revision))


def test_every_question_is_asked_twice_and_the_fit_is_written(tmp_path: Path) -> None:
    road, into = Road(), tmp_path / "fit.json"
    found = calibrate(PLAN, into, False, silent, road)
    assert [len(road.asked), found.questions, found.questions_name] == [48, 24, "questions.jsonl"]
    assert read_fit(into) == found
    assert {request.methods for request in road.asked[:24]} == {("dense", "sugar", "timing")}
    assert {request.methods for request in road.asked[24:]} == {("timing",)}
    assert not list(tmp_path.glob("*.part"))


def test_alpha_lets_the_traces_ask_once_a_question(tmp_path: Path) -> None:
    # Each answer has two sentences, with 1 + n/10 and half of that: of these 48 peaks the 24 highest are to fire. Equal
    # peaks fire together, so the cut may lie a step of 0.05 beside that.
    found = calibrate(replace(PLAN, compare=False), tmp_path / "fit.json", False, silent, Road())
    values = sorted([v for n in range(24) for v in (1.0 + n / 10, (1.0 + n / 10) / 2)], reverse=True)
    assert found.value("alpha") == pytest.approx((values[23] + values[24]) / 2, abs=0.06)
    etc = next(one for one in found.thresholds if one.name == "alpha")
    assert etc.retrievals == pytest.approx(1.0, abs=0.1)
    dragin = next(one for one in found.thresholds if one.name == "rind")
    assert (dragin.value, dragin.questions) == (None, 0)


def test_the_loops_run_at_what_was_fitted_and_are_compared_with_never_and_once(tmp_path: Path) -> None:
    road = Road()
    found = calibrate(PLAN, tmp_path / "fit.json", False, silent, road)
    timing = road.asked[-1].timing
    assert timing.policies == ("never", "once", "entropy_trend", "flare")
    assert (timing.alpha, timing.flare_probability) == (found.value("alpha"), found.value("flare"))
    assert timing.fitted == ("entropy_trend", "flare")
    assert [(one.policy, one.right, one.questions) for one in found.policies] == [
        (word, 16, 24) for word in timing.policies
    ]


def test_without_comparison_nothing_is_asked_twice(tmp_path: Path) -> None:
    road = Road()
    assert calibrate(replace(PLAN, compare=False), tmp_path / "fit.json", False, silent, road).policies == ()
    assert len(road.asked) == 24


@pytest.mark.parametrize("stops_at", [0, 10, 30])
def test_a_run_that_was_killed_loses_one_question_at_most_and_ends_with_the_same_file(
    tmp_path: Path, stops_at: int
) -> None:
    calibrate(PLAN, tmp_path / "whole.json", False, silent, Road())
    with pytest.raises(KeyboardInterrupt):
        calibrate(PLAN, tmp_path / "cut.json", False, silent, Road(stops_at))
    assert not (tmp_path / "cut.json").exists()
    rest = Road()
    calibrate(PLAN, tmp_path / "cut.json", True, silent, rest)
    assert len(rest.asked) == 48 - stops_at
    assert (tmp_path / "cut.json").read_bytes() == (tmp_path / "whole.json").read_bytes()


def test_a_row_cut_off_in_the_middle_is_asked_again(tmp_path: Path) -> None:
    plan = replace(PLAN, compare=False)
    calibrate(plan, tmp_path / "fit.json", False, silent, Road())
    rows = tmp_path / "fit.questions.jsonl"
    rows.write_text(rows.read_text(encoding="utf-8")[:-100], encoding="utf-8")
    rest = Road()
    calibrate(plan, tmp_path / "fit.json", True, silent, rest)
    assert [request.question for request in rest.asked] == ["Question 23?"]
    assert len(rows.read_text(encoding="utf-8").splitlines()) == 24


def test_loops_that_were_stopped_at_another_number_of_lookups_are_run_again(tmp_path: Path) -> None:
    calibrate(PLAN, tmp_path / "fit.json", False, silent, Road())
    same, more = Road(), Road()
    calibrate(PLAN, tmp_path / "fit.json", True, silent, same)
    assert same.asked == []
    budget = replace(PLAN.budget, most=PLAN.budget.most + 7)
    found = calibrate(replace(PLAN, budget=budget), tmp_path / "fit.json", True, silent, more)
    assert {request.timing.most_retrievals for request in more.asked} == {budget.most} and len(more.asked) == 24
    assert found.most_retrievals == budget.most


@pytest.mark.parametrize("budget", [Budget(wanted=-1), Budget(wanted=float("nan")), Budget(most=0)])
def test_a_cost_that_cannot_be_is_refused_before_anything_is_asked(tmp_path: Path, budget: Budget) -> None:
    road = Road()
    with pytest.raises(InputError, match="Ask for more than 0 lookups"):
        calibrate(replace(PLAN, budget=budget), tmp_path / "fit.json", False, silent, road)
    assert road.asked == [] and list(tmp_path.iterdir()) == []


def test_a_damaged_row_in_the_middle_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "fit.questions.jsonl").write_text('{"question": "Who?"}\n', encoding="utf-8")
    with pytest.raises(RecordError, match="This row of calibration cannot be read: golds: Field required"):
        calibrate(PLAN, tmp_path / "fit.json", True, silent, Road())


def test_rows_that_are_there_are_not_written_over_unless_asked(tmp_path: Path) -> None:
    plan = replace(PLAN, compare=False)
    calibrate(plan, tmp_path / "fit.json", False, silent, Road())
    with pytest.raises(InputError, match=r"fit\.questions\.jsonl is already there\. Add --resume"):
        calibrate(plan, tmp_path / "fit.json", False, silent, Road())


@pytest.mark.parametrize("change", [{"model": "other"}, {"corpus": "texts"}, {"seed": 1}, {"k": 3}, {"judge": "llm"}])
def test_rows_made_with_other_settings_are_refused_before_anything_is_asked(tmp_path: Path, change) -> None:
    calibrate(replace(PLAN, compare=False), tmp_path / "fit.json", False, silent, Road())
    road = Road()
    with pytest.raises(InputError, match="were made with another model"):
        calibrate(replace(PLAN, **change), tmp_path / "fit.json", True, silent, road)
    assert road.asked == []


def test_other_weights_under_the_same_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        calibrate(PLAN, tmp_path / "fit.json", False, silent, Road(stops_at=5))
    with pytest.raises(InputError, match="another model, judge or corpus"):
        calibrate(PLAN, tmp_path / "fit.json", True, silent, Road(revision="r2"))


def test_a_question_that_cannot_be_asked_is_named(tmp_path: Path) -> None:
    def refuses(request: DiagnosisRequest, report: Report) -> Diagnosis:
        raise CorpusError("There is no file or folder texts.")

    with pytest.raises(InputError, match=r"Question 1, 'Question 0\?': There is no file or folder"):
        calibrate(PLAN, tmp_path / "fit.json", False, silent, refuses)


def test_each_question_is_told_before_it_is_asked(tmp_path: Path) -> None:
    told: list[Stage] = []
    calibrate(replace(PLAN, compare=False), tmp_path / "fit.json", False, told.append, Road())
    assert [(stage.method, stage.name) for stage in told[:2]] == [
        ("question 1 of 24", "Question 0?"),
        ("question 2 of 24", "Question 1?"),
    ]


def test_a_folder_that_cannot_be_written_to_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StorageError, match="cannot be written"):
        calibrate(PLAN, tmp_path / "file" / "fit.json", False, silent, Road())


def test_no_row_holds_the_corpus_path(tmp_path: Path) -> None:
    plan = replace(PLAN, corpus=str(tmp_path / "secret-place"), compare=False)
    calibrate(plan, tmp_path / "fit.json", False, silent, Road())
    assert "secret-place" not in (tmp_path / "fit.questions.jsonl").read_text(encoding="utf-8")
    assert settings_of(plan) != settings_of(PLAN)


def write(path: Path, *rows: object) -> Path:
    """Return a file of JSON lines."""
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


def test_answers_come_as_a_list_or_as_one_with_aliases(tmp_path: Path) -> None:
    file = write(
        tmp_path / "q.jsonl",
        {"question": " Who?  ", "answers": ["A", " B ", "A"]},
        "",
        {"question": "When?", "answer": "1889", "aliases": ["in 1889"], "type": "date"},
        {"question": "Where?", "answers": "Paris"},
        {"question": "How many?", "answers": [7]},
    )
    assert labelled_questions(file) == (
        LabelledQuestion(question="Who?", golds=("A", "B")),
        LabelledQuestion(question="When?", golds=("1889", "in 1889")),
        LabelledQuestion(question="Where?", golds=("Paris",)),
        LabelledQuestion(question="How many?", golds=("7",)),
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("q.jsonl", '{"question": "Wo?", "answer": "München"}\n'.encode("utf-16")),
        ("q.csv", "question;answers\nWo?;München\n".encode()),
        ("q.json.gz", gzip.compress(json.dumps([{"question": "Wo?", "answer": "München"}], indent=2).encode())),
        (
            "dev.json",
            b'{"data": [{"paragraphs": [{"context": "c", "qas": [{"question": "Wo?", "answers": [{"text": '
            b'"M\\u00fcnchen"}]}]}]}]}',
        ),
    ],
    ids=["utf-16", "semicolons", "gzip", "squad"],
)
def test_every_file_that_a_study_reads_can_be_fitted_on(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert labelled_questions(tmp_path / name) == (LabelledQuestion(question="Wo?", golds=("München",)),)


def test_repeated_questions_are_asked_once_and_counted(tmp_path: Path) -> None:
    rows = [{"question": f"Question {n}?", "answers": ["1889", "in 1889"]} for n in (0, 1, 0, 2, 0)]
    rows[2]["answers"] = ["in 1889", "1889"]
    said: list[str] = []

    def hear(event: Event) -> None:
        if isinstance(event, Stage):
            said.append(f"{event.method}: {event.name}")

    road = Road()
    plan = replace(PLAN, questions=labelled_questions(write(tmp_path / "q.jsonl", *rows)), compare=False)
    found = calibrate(plan, tmp_path / "fit.json", False, hear, road)
    assert [request.question for request in road.asked] == [f"Question {n}?" for n in range(3)]
    assert (found.questions, said[0]) == (3, "Left out: 2 repeated questions.")


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([{"question": "Who?"}], 'Line 1 of q.jsonl has no correct answer: give "answers"'),
        ([{"question": "Who?", "answers": []}], "Line 1 of q.jsonl has no correct answer"),
        ([{"question": "Who?", "answers": [" "]}], "Line 1 of q.jsonl has no correct answer"),
        ([{"question": "Who?", "answers": [None]}], "Line 1 of q.jsonl has no correct answer"),
        ([{"question": "A?", "answer": "b"}, {"answers": ["A"]}], "Line 2 of q.jsonl holds no question"),
        (["[1]"], "Entry 1 of q.jsonl is not an object"),
        (["{"], "q.jsonl is not JSON"),
        ([{"question": "A?", "answer": "b"}, '{"answers": ' + "[" * 1000 + "]" * 1000 + "}"], "Line 2 of q.jsonl"),
        ([{"question": "A?", "answer": "b"}, {"question": "A?", "answer": "c"}], "Line 2 of q.jsonl asks 'A?' again"),
        ([""], "There is no question in q.jsonl"),
    ],
)
def test_a_file_that_is_not_labelled_is_refused_with_the_line(tmp_path: Path, rows, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence.replace("?", r"\?")):
        labelled_questions(write(tmp_path / "q.jsonl", *rows))


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.jsonl could not be read"):
        labelled_questions(tmp_path / "none.jsonl")


def test_the_sample_questions_that_bring_no_passages_are_enough_to_fit_on() -> None:
    found = labelled_questions("sample")
    assert len(found) >= 60 and all(one.golds for one in found)
    assert len({one.question for one in found}) == len(found)


def test_a_file_that_begins_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text('{"question": "Who?", "answer": "Ada"}\n{"question": "When?", "answer": "1843"}\n', "utf-8-sig")
    assert labelled_questions(file) == (
        LabelledQuestion(question="Who?", golds=("Ada",)),
        LabelledQuestion(question="When?", golds=("1843",)),
    )
