"""What does each retrieval policy cost, and how often is it correct? All policies, with the real models.

The named sample questions are asked over the sample encyclopaedia. Every policy of ``engine.methods.timing`` judges the
answer from memory and writes its own answer. A folder keeps the whole record of each question in its own file. The
results follow from these records alone.

    python -m benchmarks.policies --into sample_data/policy_runs           writes results/policies.json
    python -m benchmarks.policies ID... --into FOLDER --results FILE       some questions only, written elsewhere
    python -m benchmarks.policies --into FOLDER --thresholds fitted        at equal cost, after microscope calibrate

An existing record is not made again, so a stopped run resumes.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, cast

from engine.core.errors import InputError
from engine.core.folders import sample_data, write_whole
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import from_json
from engine.methods.timing.base import PolicyRun, PolicyTrace
from engine.methods.timing.method import TimingConfig, TimingResult
from engine.methods.timing.policies import POLICIES
from engine.runs.run import run_request
from engine.runs.sample_questions import SampleQuestion, sample_questions
from engine.runs.sample_runs import write_index

RESULTS = Path(__file__).resolve().parent / "results" / "policies.json"
QUESTIONS = (
    "capital-of-france",
    "author-of-hamlet",
    "moon-landing-date",
    "capital-of-turkey",
    "author-of-principia",
    "suez-opening-date",
    "suez-empress",
    "k2-first-climbers",
    "london-bridge-buyer",
    "rose-theatre-builder",
    "beethoven-fifth-premiere",
    "penicillin-leader-birthplace",
    "statue-engineer-birthplace",
    "jupiter-symphony-composer-birthplace",
    "first-in-space",
    "octopus-hearts",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRow:
    """One policy over all questions; numbers "per question" are means over those it could be measured on.

    ``triggers`` come from its trace of the answer from memory (``traced`` questions). The rest comes from its own loop
    (``answered`` questions): ``retrievals``, tokens kept, written and read, and how many answers are ``right``.
    ``delay`` is its first trigger minus ETC's in tokens, over the ``delays`` questions with a trigger of both; None
    without any.
    """

    policy: str
    threshold: float | None
    traced: int
    triggers: float | None
    delays: int
    delay: float | None
    answered: int
    retrievals: float | None
    tokens_kept: float | None
    tokens_written: float | None
    prompt_tokens: float | None
    right: int
    reasons: tuple[str, ...]


def request_of(question: SampleQuestion, model: str, thresholds: Literal["paper", "fitted"]) -> DiagnosisRequest:
    """Return the request that makes every policy judge and write an answer to one sample question."""
    return DiagnosisRequest(
        question=question.question,
        corpus="sample",
        golds=question.golds,
        methods=("timing",),
        model=model,
        timing=TimingConfig(policies=tuple(POLICIES)),
        thresholds=thresholds,
    )


def timing_of(found: Diagnosis) -> TimingResult:
    """Return the timing result of a record. Raises InputError with the reason if there is none."""
    outcome = found.outcome("timing")
    if outcome is None or not isinstance(outcome.result, TimingResult):
        raise InputError(f"{found.question!r} has no retrieval timing: {outcome.reason if outcome else 'not asked'}.")
    return outcome.result


def recorded(
    questions: Sequence[SampleQuestion],
    folder: Path,
    ask: Callable[[SampleQuestion], Diagnosis],
) -> dict[str, Diagnosis]:
    """Return the record of each question by its id: read from the folder, or made and stored.

    A record without timing is not stored. Raises InputError if a stored record answers another question.
    """
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for number, question in enumerate(questions, 1):
        file = folder / f"timing-{question.id}.json"
        if file.exists():
            found[question.id] = from_json(file.read_text(encoding="utf-8"))
            if found[question.id].question != question.question:
                raise InputError(f"{file.name} holds another question: {found[question.id].question!r}.")
        else:
            diagnosis = ask(question)
            timing_of(diagnosis)
            write_whole(file, diagnosis.to_json())
            found[question.id] = diagnosis
        right = [run.policy for run in timing_of(found[question.id]).runs if run.right]
        print(f"{number}/{len(questions)} {question.id}: right {', '.join(right) or 'none'}", flush=True)
    return found


def table(found: Mapping[str, Diagnosis]) -> tuple[PolicyRow, ...]:
    """Return one row per policy, in the order of the list of policies. Raises InputError if settings differ."""
    results = [timing_of(diagnosis) for diagnosis in found.values()]
    if len({(one.config, one.corpus) for one in results}) > 1 or len({made_with(one) for one in found.values()}) > 1:
        raise InputError("These records were made with different settings, models or corpora; use an empty folder.")
    lanes = [lane for one in results for lane in one.lanes]
    runs = [run for one in results for run in one.runs]
    return tuple(
        row_of([lane for lane in lanes if lane.policy == word], [run for run in runs if run.policy == word], word)
        for word in POLICIES
    )


def made_with(found: Diagnosis) -> tuple[str, ...]:
    """Return which weights and corpus a record was made with."""
    origin = found.provenance
    return origin.model, origin.model_revision, origin.model_dtype, origin.writer_revision, origin.corpus_hash


def row_of(lanes: Sequence[PolicyTrace], runs: Sequence[PolicyRun], word: str) -> PolicyRow:
    """Return one policy's row from its traces and its runs, with the reasons for what was not measured."""
    traced = [lane for lane in lanes if not lane.not_measured]
    answered = [run for run in runs if not run.not_measured]
    delays = [lane.delay for lane in traced if lane.delay is not None]
    reasons = filter(None, [*(lane.not_measured for lane in lanes), *(run.not_measured for run in runs)])
    return PolicyRow(
        policy=word,
        threshold=next((lane.bar.threshold for lane in lanes), None),
        traced=len(traced),
        triggers=mean([len(lane.triggers) for lane in traced]),
        delays=len(delays),
        delay=mean(delays),
        answered=len(answered),
        retrievals=mean([len(run.retrievals) for run in answered]),
        tokens_kept=mean([run.tokens_kept for run in answered]),
        tokens_written=mean([run.tokens_written for run in answered]),
        prompt_tokens=mean([run.prompt_tokens for run in answered]),
        right=sum(bool(run.right) for run in answered),
        reasons=tuple(dict.fromkeys(reasons)),
    )


def mean(values: Sequence[int]) -> float | None:
    """Return the mean of some counts to three decimals, None for no counts.

    >>> mean([1, 2]), mean([])
    (1.5, None)
    """
    return round(sum(values) / len(values), 3) if values else None


def written(found: Mapping[str, Diagnosis]) -> dict[str, object]:
    """Return everything that is stored: origin, questions, the answers from memory that are right, the table."""
    first = next(iter(found.values())).provenance
    memory = [timing_of(diagnosis).right for diagnosis in found.values()]
    return {
        "origin": (
            f"{len(found)} questions asked of {first.model} ({first.model_revision}), step by step by "
            f"{first.writer or 'the same model'} ({first.writer_revision or first.model_revision}), seed {first.seed}, "
            f"{first.started_at[:10]}"
        ),
        "machine": first.machine,
        "libraries": dict(first.libraries),
        "corpus": first.corpus,
        "thresholds": first.thresholds or "the papers'",
        "questions": list(found),
        "right_from_memory": sum(bool(right) for right in memory),
        "policies": [asdict(row) for row in table(found)],
    }


def chosen_questions(names: Sequence[str]) -> list[SampleQuestion]:
    """Return the named sample questions. Raises InputError for unknown names and for questions with passages."""
    known = {question.id: question for question in sample_questions() if not question.passages}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(f"No sample question asked of the encyclopaedia is called {', '.join(unknown)}.")
    return [known[name] for name in names]


def main() -> None:
    """Ask the questions, store their records, write the table and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="ids of sample questions; without one, the sixteen of the benchmark")
    parser.add_argument("--into", type=Path, required=True, help="folder of the records")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where to write the table")
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--thresholds", choices=("paper", "fitted"), default="paper")
    chosen = parser.parse_args()
    if chosen.names and chosen.results == RESULTS:
        parser.error("a few questions only make no benchmark: name another file with --results")
    thresholds = cast(Literal["paper", "fitted"], chosen.thresholds)
    try:
        questions = chosen_questions(chosen.names or QUESTIONS)
        found = recorded(
            questions, chosen.into, lambda question: run_request(request_of(question, chosen.model, thresholds))
        )
        if chosen.into.resolve().parent == sample_data():
            write_index()
        results = written(found)
    except InputError as exc:
        parser.error(str(exc))
    chosen.results.parent.mkdir(parents=True, exist_ok=True)
    chosen.results.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", "utf-8")
    for row in table(found):
        print(
            f"{row.policy:<22} right {row.right}/{row.answered}  lookups {row.retrievals}  triggers {row.triggers}  "
            f"written {row.tokens_written}  delay {row.delay} (n = {row.delays})"
        )


if __name__ == "__main__":
    main()
