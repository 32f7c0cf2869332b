"""Calibration as work to be done: every labelled question is asked, one row each is kept, thresholds are fitted.

Rows are appended to a file beside the result as soon as a question is done, so a run that is stopped loses at most the
question it was at. Then, on request, the policies write their own answers at the thresholds just fitted: what they cost
and how often they are right at an equal number of lookups. Nothing here knows a date, so the same questions and the
same weights give the same file.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypeVar

from engine.backends.retrieval.readers.base import LARGEST_FILE
from engine.core.errors import InputError, StorageError
from engine.core.folders import read_at_most, write_whole
from engine.core.progress import Report, Stage
from engine.core.words import counted
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.methods.dense_records import DenseConfig
from engine.methods.sugar import SugarConfig
from engine.methods.timing.method import TimingConfig
from engine.runs.corpora.shelf import listed_path
from engine.runs.sample_questions import sample_questions
from engine.runs.studies.questions import questions_in
from engine.thresholds.calibration import ANCHORS, HOW, check_budget, compare_policies, fitted, loops_of, row_of
from engine.thresholds.calibration import Budget as Budget
from engine.thresholds.fitted.records import (
    FittedThreshold,
    FittedThresholds,
    LoopRow,
    QuestionRow,
    loop_row,
    question_row,
    to_json,
)
from engine.thresholds.table import FITTED_POLICIES, THRESHOLDS

SAMPLE = "sample"
Row = TypeVar("Row", QuestionRow, LoopRow)
Run = Callable[[DiagnosisRequest, Report], Diagnosis]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuestion:
    """A question with the answers that count as right."""

    question: str
    golds: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is asked, and how. ``compare``: the policies also write their own answers at the thresholds fitted."""

    questions: tuple[LabelledQuestion, ...]
    name: str
    corpus: str = SAMPLE
    model: str = "embedded"
    judge: str = "embedded"
    profile: Literal["embedded", "paper"] = "embedded"
    k: int | None = None
    seed: int = 0
    budget: Budget = Budget()
    compare: bool = True


def labelled_questions(source: str | Path) -> tuple[LabelledQuestion, ...]:
    """Return the questions of a file, in any form that a study reads, or, for "sample", those asked of the sample.

    Passages in the file are not read, and sample questions that bring their own are left out: all are asked over one
    corpus. Repeated questions are returned as often as they stand there. Raises InputError, naming the place, where a
    question has no correct answer, or stands there again with others.
    """
    if str(source) == SAMPLE:
        own = [sample for sample in sample_questions() if not sample.passages]
        return tuple(LabelledQuestion(question=sample.question, golds=sample.golds) for sample in own)
    path = Path(source).expanduser()
    found: list[LabelledQuestion] = []
    answers: dict[str, frozenset[str]] = {}
    for place, one in questions_in(path.name, read_at_most(path, LARGEST_FILE)):
        if not one.golds:
            raise InputError(f'{place} has no correct answer: give "answers", a list of texts, or "answer".')
        if answers.setdefault(one.question, frozenset(one.golds)) != frozenset(one.golds):
            raise InputError(f"{place} asks {one.question!r} again, with other correct answers; leave one of them out.")
        found.append(LabelledQuestion(question=one.question, golds=one.golds))
    return tuple(found)


def calibrate(plan: Plan, into: Path, resume: bool, report: Report, run: Run) -> FittedThresholds:
    """Return the fitted thresholds after asking every question once, and write them to ``into``.

    How many repeated questions are left out is reported. Rows stand beside it (``NAME.questions.jsonl``,
    ``NAME.loops.jsonl``). Raises InputError where rows are there and ``resume`` was not asked for, were made with other
    settings, or a question cannot be asked, which is then named; StorageError where nothing can be written; ModelError
    as ``run`` does.
    """
    check_budget(plan.budget)
    plan = replace(plan, corpus=listed_path(plan.corpus))
    files = tuple(into.with_name(f"{into.stem}.{kind}.jsonl") for kind in ("questions", "loops"))
    if not resume and (there := next((file for file in (*files, into) if file.exists()), None)):
        raise InputError(f"{there.name} is already there. Add --resume to continue it, or name another file.")
    plan = without_repeats(plan, report)
    rows = collect_rows(plan, files[0], report, run)
    thresholds = fitted(rows, plan.budget)
    loops = run_loops(plan, thresholds, files[1], report, run) if plan.compare else ()
    if any(loop.origin != rows[0].origin for loop in loops):
        raise InputError("The model or the corpus changed between the two parts of this calibration; start anew.")
    fit = FittedThresholds(
        origin=rows[0].origin,
        questions=len(rows),
        questions_name=plan.name,
        questions_hash=hash_of(plan.questions),
        retrievals_wanted=plan.budget.wanted,
        most_retrievals=plan.budget.most,
        how=HOW,
        thresholds=thresholds,
        policies=compare_policies(rows, loops, thresholds),
    )
    write_whole(into, to_json(fit, indent=2) + "\n")
    return fit


def without_repeats(plan: Plan, report: Report) -> Plan:
    """Return the plan with each question once, and report how many were left out."""
    kept: dict[str, LabelledQuestion] = {}
    for one in plan.questions:
        kept.setdefault(one.question, one)
    if left := len(plan.questions) - len(kept):
        report(Stage(method="Left out", name=f"{counted(left, 'repeated question')}."))
    return replace(plan, questions=tuple(kept.values()))


def collect_rows(plan: Plan, file: Path, report: Report, run: Run) -> tuple[QuestionRow, ...]:
    """Return a row a question, from the file where it is there already."""
    settings, stored = settings_of(plan), read_rows(file, question_row)
    if any(row.settings != settings for row in stored):
        raise InputError(
            f"The rows in {file.name} were made with another model, judge, corpus, profile or seed. Name another file."
        )
    known = {(row.question, row.golds): row for row in stored}
    rows: list[QuestionRow] = []
    for number, one in enumerate(plan.questions, 1):
        row = known.get((one.question, one.golds))
        if row is None:
            row = row_of(run_one(one, number, len(plan.questions), signals_request(plan), report, run), settings)
            same_origin((*rows, *stored), row, file)
            append(file, to_json(row))
        rows.append(row)
    return tuple(rows)


def signals_request(plan: Plan) -> DiagnosisRequest:
    """Return what each question is asked for its row: DSE, SUGAR's first decision, and every policy's trace."""
    return DiagnosisRequest(
        question="",
        corpus=plan.corpus,
        methods=("dense", "sugar", "timing"),
        model=plan.model,
        judge=plan.judge,
        seed=plan.seed,
        k=plan.k,
        profile=plan.profile,
        dense=DenseConfig(draws=1),
        sugar=SugarConfig(rounds=1),
        timing=TimingConfig(policies=(), most_retrievals=plan.budget.most),
    )


def run_loops(
    plan: Plan, thresholds: Sequence[FittedThreshold], file: Path, report: Report, run: Run
) -> tuple[LoopRow, ...]:
    """Return the loops a question at the fitted thresholds; () where no policy has one.

    Loops at other thresholds, or stopped at another number of lookups, are not used.
    """
    words = [one.word for one in FITTED_POLICIES.values()]
    at = tuple((one.name, one.value) for one in thresholds if one.name in words and one.value is not None)
    if not at:
        return ()
    most = plan.budget.most
    stored = read_rows(file, loop_row)
    known = {(row.question, row.golds, row.thresholds): row for row in stored if row.most_retrievals == most}
    rows: list[LoopRow] = []
    for number, one in enumerate(plan.questions, 1):
        row = known.get((one.question, one.golds, at))
        if row is None:
            row = loops_of(run_one(one, number, len(plan.questions), loops_request(plan, at), report, run), at, most)
            append(file, to_json(row))
        rows.append(row)
    return tuple(rows)


def loops_request(plan: Plan, at: Sequence[tuple[str, float]]) -> DiagnosisRequest:
    """Return what each question is asked for its loops: the fitted policies at their thresholds, and the anchors."""
    fields: dict[str, Any] = {THRESHOLDS[word].field_of("timing"): value for word, value in at}
    policies = tuple(THRESHOLDS[word].policy for word, _ in at)
    timing = TimingConfig(policies=(*ANCHORS, *policies), most_retrievals=plan.budget.most, fitted=policies, **fields)
    return replace(signals_request(plan), methods=("timing",), timing=timing)


def run_one(
    one: LabelledQuestion, number: int, total: int, request: DiagnosisRequest, report: Report, run: Run
) -> Diagnosis:
    """Return one question's diagnosis. An InputError names the question."""
    report(Stage(method=f"question {number} of {total}", name=one.question, total=1))
    try:
        return run(replace(request, question=one.question, golds=one.golds), report)
    except InputError as exc:
        raise InputError(f"Question {number}, {one.question!r}: {exc}") from exc


def same_origin(known: Sequence[QuestionRow], row: QuestionRow, file: Path) -> None:
    """Raise InputError where a row was made with other weights or another corpus than those before it."""
    if known and known[0].origin != row.origin:
        raise InputError(
            f"The rows in {file.name} were made with another model, judge or corpus, so this run "
            "cannot go on with them. Name another file."
        )


def settings_of(plan: Plan) -> str:
    """Return a name of what every question is asked with: a hash, as a corpus may be a path, which no record holds."""
    corpus = plan.corpus if plan.corpus == SAMPLE else str(Path(plan.corpus).expanduser().resolve())
    return digest([plan.model, plan.judge, plan.profile, corpus, plan.k, plan.seed])


def hash_of(questions: Sequence[LabelledQuestion]) -> str:
    """Return a name of these questions and answers."""
    return digest([[one.question, *one.golds] for one in questions])


def digest(values: list[Any]) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of some values as JSON."""
    return sha256(json.dumps(values).encode()).hexdigest()[:16]


def read_rows(file: Path, read: Callable[[str], Row]) -> list[Row]:
    """Return the rows of a file, [] where there is none; a last line that was cut off by a stop is taken out of it.

    Raises RecordError on any other line that cannot be read, StorageError where the file cannot be.
    """
    if not file.exists():
        return []
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
        whole, cut = text.rsplit("\n", 1) if "\n" in text else ("", text)
        if cut:
            file.write_text(whole + "\n" if whole else "", encoding="utf-8")
    except OSError as exc:
        raise StorageError(f"The rows in {file.name} cannot be read: {exc.strerror}.") from exc
    # Not splitlines: a text may hold a line separator of Unicode, which JSON leaves as it is.
    return [read(line) for line in whole.split("\n") if line.strip()]


def append(file: Path, line: str) -> None:
    """Add a line to a file. Raises StorageError where it cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as opened:
            opened.write(line + "\n")
    except OSError as exc:
        raise StorageError(f"{file.name} cannot be written: {exc.strerror}.") from exc
