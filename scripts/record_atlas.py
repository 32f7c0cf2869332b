"""Record the runs of the failure atlas, and find questions that show a kind of failure.

    .venv/bin/python scripts/record_atlas.py                            record every kind again with its question
    .venv/bin/python scripts/record_atlas.py distractor=QUESTION_ID …   these kinds, with these questions
    .venv/bin/python scripts/record_atlas.py misread=FILE.json …        these kinds, with runs that exist already
    .venv/bin/python scripts/record_atlas.py --survey [QUESTION_ID …]   only list the kinds that questions show

A run asks the embedded models with the default methods and all that can detect its kind. It uses the question's own
passages, otherwise the sample corpus, and its correct answers. A run is kept only if it shows its kind by the predicate
of ``engine.learning.atlas``; otherwise the script says so and ends with an error. A survey runs the default methods
only, so it does not find kinds that depend on others.
"""

import sys
from pathlib import Path

from engine.cli.printed import summary
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import from_json
from engine.learning.atlas.kinds import KINDS, Kind
from engine.learning.atlas.shelf import recorded_kinds, specimens, write_specimen
from engine.methods import DEFAULT_METHODS, METHODS
from engine.methods.timing.method import TimingConfig
from engine.runs.run import run_request
from engine.runs.sample_questions import SampleQuestion, sample_questions
from engine.runs.sample_runs import write_index

# On the sample questions only the language model, asked to judge, makes errors that the texts prove.
JUDGES = {"judge_mistake": "llm"}


def methods_for(kind: Kind) -> tuple[str, ...]:
    """Return the default methods, those with a clue to the kind, and the two that cost nothing after SePer."""
    wanted = {*DEFAULT_METHODS, *(clue.method for clue in kind.clues), "sugar", "uncertainty"}
    return tuple(word for word in METHODS if word in wanted)


def ask_question(question: SampleQuestion, methods: tuple[str, ...], judge: str = "embedded") -> Diagnosis:
    """Return the diagnosis of a sample question; with timing it includes the belief steps."""
    return run_request(
        DiagnosisRequest(
            question=question.question,
            corpus=None if question.passages else "sample",
            passages=question.passages,
            golds=question.golds,
            methods=methods,
            judge=judge,
            timing=TimingConfig(staircase=True),
        )
    )


def record(kind: Kind, name: str) -> bool:
    """Return whether a run shows the kind; keep the run if it does.

    ``name`` is a sample question, or the file of a run that this version of the program recorded.
    """
    found = from_json(Path(name).read_text(encoding="utf-8")) if name.endswith(".json") else None
    question = next(one for one in sample_questions() if name == one.id or (found and found.question == one.question))
    run = found or ask_question(question, methods_for(kind), JUDGES.get(kind.word, "embedded"))
    if not kind.shows(run, question):
        print(f"{kind.word}: {question.id} does not show it. {run.answer.text.strip()!r}", flush=True)
        return False
    path = write_specimen(kind, run)
    print(
        f"{kind.word}: {question.id} ({run.seconds:.0f} s, {path.stat().st_size:,} bytes)\n{summary(run)}\n", flush=True
    )
    return True


def survey(questions: list[SampleQuestion]) -> None:
    """Print the kinds that each question's run shows."""
    for question in questions:
        run = ask_question(question, DEFAULT_METHODS)
        shown = [kind.word for kind in KINDS.values() if kind.shows(run, question)]
        print(f"{question.id} ({run.seconds:.0f} s) {run.answer.text.strip()!r}: {', '.join(shown) or '-'}", flush=True)


def main(words: list[str]) -> int:
    """Return 0 if everything requested was recorded, otherwise 1."""
    if words[:1] == ["--survey"]:
        known = {question.id: question for question in sample_questions()}
        survey([known[name] for name in words[1:] or known])
        return 0
    chosen = dict(word.split("=", 1) for word in words) or {one.kind.word: one.question.id for one in specimens()}
    failed = [word for word, name in chosen.items() if not record(KINDS[word], name)]
    write_index()
    print(f"{len(recorded_kinds())} of {len(KINDS)} kinds have a run. Failed: {', '.join(failed) or 'none'}.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
