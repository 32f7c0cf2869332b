"""Which method sees which planted defect? The planted sample questions, asked of the embedded models.

Each question of ``sample_data/questions.jsonl`` with a defect, and the intact controls, run with all default methods
over their own passages, or over the sample corpus if they bring none. So does each question's twin, over the passages
before anything was planted: a sighting counts beyond how often its rule fires there. The facts that the rules look at,
and each rule's result, are stored per question. So the scoreboard can be drawn and checked without a model.

    python -m benchmarks.known_truth                                 writes results/known_truth.json
    python -m benchmarks.known_truth QUESTION_ID... --results FILE   some questions only, written elsewhere

About half a minute per question. A stopped run resumes, because model calls stay in the cache.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from engine.core.provenance import Provenance
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.learning.known_truth import RESULTS, Facts, facts_of, sightings
from engine.runs.run import run_request
from engine.runs.sample_questions import SampleQuestion, planted_questions


def request_of(question: SampleQuestion, model: str, judge: str) -> DiagnosisRequest:
    """Return the request of a planted question: over its own passages, otherwise over the sample corpus."""
    return DiagnosisRequest(
        question=question.question,
        corpus=None if question.passages else "sample",
        passages=question.passages,
        golds=question.golds,
        model=model,
        judge=judge,
    )


def asked(
    questions: Sequence[SampleQuestion], model: str, judge: str, run: Callable[[DiagnosisRequest], Diagnosis]
) -> dict[str, Diagnosis]:
    """Return the diagnoses by question id; each is printed with what was seen as soon as it is there."""
    found = {}
    for number, question in enumerate(questions, 1):
        diagnosis = run(request_of(question, model, judge))
        found[question.id] = diagnosis
        said = [f"{s.method}: {s.seen}" for s in sightings({question.id: facts_of(diagnosis)}, [question])]
        kinds = ", ".join(planted.kind for planted in question.defects)
        print(f"{number}/{len(questions)} {question.id} ({kinds}, {diagnosis.seconds:.0f} s): {'; '.join(said)}")
        print(f"    {diagnosis.answer.text.strip()!r} beside {question.golds[0]!r}", flush=True)
    return found


def twins_of(questions: Sequence[SampleQuestion]) -> list[SampleQuestion]:
    """Return the same questions over their passages before anything was planted, for those that have such a twin."""
    return [replace(question, passages=question.twin) for question in questions if question.twin]


def written(
    found: dict[str, Diagnosis], questions: Sequence[SampleQuestion], twins: dict[str, Diagnosis] | None = None
) -> dict[str, object]:
    """Return everything that is stored: origin, facts per question and of its twin, each rule's result."""
    before: dict[str, Facts] = {name: facts_of(diagnosis) for name, diagnosis in (twins or {}).items()}
    facts: dict[str, Facts] = {name: facts_of(diagnosis) for name, diagnosis in found.items()}
    first: Provenance = next(iter(found.values())).provenance
    return {
        "origin": (
            f"{len(found)} questions asked of {first.model} ({first.model_revision}), judge {first.judge}, "
            f"seed {first.seed}, {first.started_at[:10]}"
        ),
        "machine": first.machine,
        "libraries": dict(first.libraries),
        "facts": {name: asdict(each) for name, each in facts.items()},
        "twins": {name: asdict(each) for name, each in before.items()},
        "sightings": [asdict(sighting) for sighting in sightings(facts, questions, before)],
    }


def main() -> None:
    """Ask the planted questions, store the results and print each line as it comes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="ids of planted questions; without one, all of them")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where to write")
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--judge", default="embedded")
    chosen = parser.parse_args()
    known = planted_questions()
    unknown = set(chosen.names) - {question.id for question in known}
    if unknown:
        parser.error(f"no planted question is called {', '.join(sorted(unknown))}")
    if chosen.names and chosen.results == RESULTS:
        parser.error("a few questions only make no scoreboard: name another file with --results")
    questions = [question for question in known if not chosen.names or question.id in chosen.names]
    found = asked(questions, chosen.model, chosen.judge, run_request)
    twins = asked(twins_of(questions), chosen.model, chosen.judge, run_request)
    chosen.results.parent.mkdir(parents=True, exist_ok=True)
    chosen.results.write_text(
        json.dumps(written(found, questions, twins), indent=2, ensure_ascii=False) + "\n", "utf-8"
    )


if __name__ == "__main__":
    main()
