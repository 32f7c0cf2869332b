"""How often do the uncertainty baselines call a right answer uncertain? The base rate beside that of wrong answers.

Ten samples from memory and ten over five passages, for each question, are measured as the page Uncertainty measures
them, with the same thresholds. Right is the greedy answer of the same condition where the embedded judge finds that it
entails a correct one. Per measure: the share called uncertain among right and among wrong answers, and the AUROC of
its value, the chance that a wrong answer scores higher than a right one, with the middle 95 % of 2,000 bootstrap draws
of the questions. The answers over DENSE's reworded contexts are measured where ``--sets`` names them.

Data: the test questions of Natural Questions (open) with oracle passages, five passages each (``dense_correctness``).

    python -m benchmarks.uncertainty_base nq-open-oracle.jsonl.gz                writes results/uncertainty_base.json
    python -m benchmarks.uncertainty_base --questions 60 --sets reworded         DENSE's answers, of some questions

Without a path, MICROSCOPE_BENCHMARK_DATA names the folder of the data. A row is written after each question; a stopped
run goes on where it ended, and a file with rows of other settings is refused. A question takes about 5 seconds of one
processor, DENSE's answers about 15 more.
"""

import argparse
import json
import random
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.dense_correctness import REPEATS, five_passages, right_by
from benchmarks.question_keys import key_of
from benchmarks.results_file import model_words, refuse_other_settings
from engine.backends.number_types import number_type
from engine.backends.retrieval.bm25_index import build_bm25
from engine.core.progress import silent
from engine.core.provenance import library_versions, machine
from engine.core.records import Passage
from engine.diagnosis.request import DiagnosisRequest
from engine.measures.ranking import auroc
from engine.measures.resampling import bootstrap_interval
from engine.methods.base import Backends, Case, answer_request
from engine.methods.profiles import EMBEDDED
from engine.methods.uncertainty import (
    AnswerSet,
    Reading,
    SetWord,
    UncertaintyConfig,
    drawn_answers,
    measured_set,
    reworded_set,
    with_passages_set,
)
from engine.runs.run import load_backends
from training.nq_open import OracleRow, oracle_path, read_oracle

RESULTS = Path(__file__).parent / "results" / "uncertainty_base.json"
CLOSED_BOOK: SetWord = "closed_book"
OVER_PASSAGES: SetWord = "with_passages"
REWORDED: SetWord = "reworded"
SETS = (CLOSED_BOOK, OVER_PASSAGES, REWORDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One question's answers under one condition: whether the greedy one is right, and every measure of the set.

    ``question`` is its key. ``values`` and ``uncertain`` by measure and graph, as in
    "degree/probabilities"; those not measured are left out.
    """

    question: str
    condition: str
    answer: str
    right: bool
    values: dict[str, float]
    uncertain: dict[str, bool]


def key(one: Reading) -> str:
    """Return the name of a measure over a graph."""
    return f"{one.measure}/{one.edges}"


def row_of(question: OracleRow, condition: str, answer: str, found: AnswerSet, backends: Backends) -> Row:
    """Return one condition's row of a question."""
    told = [one for one in found.readings if one.value is not None and one.uncertain is not None]
    return Row(
        question=key_of(question.question),
        condition=condition,
        answer=answer,
        right=right_by(answer, question, backends)["judge"],
        values={key(one): round(float(one.value or 0.0), 6) for one in told},
        uncertain={key(one): bool(one.uncertain) for one in told},
    )


def measured(question: OracleRow, passages: tuple[Passage, ...], backends: Backends, sets: Sequence[str]) -> list[Row]:
    """Return a question's rows, one for each set of answers asked for."""
    asked = [answer_request(EMBEDDED, question.question, shown) for shown in ((), passages)]
    memory, read = backends.model.generate(asked, silent)
    case = Case(question=question.question, passages=passages, golds=(), answer=read, profile=EMBEDDED, seed=0)
    rows = []
    for word in sets:
        found = answer_set(word, case, backends)
        text = (memory if word == CLOSED_BOOK else read).text.strip()
        rows.append(row_of(question, word, text, found, backends))
    return rows


def answer_set(word: str, case: Case, backends: Backends) -> AnswerSet:
    """Return one set of answers measured as the method measures it."""
    config = UncertaintyConfig()
    if word == REWORDED:
        return reworded_set(case, config, backends)
    if word == OVER_PASSAGES:
        return with_passages_set(case, config, backends)
    return measured_set(CLOSED_BOOK, drawn_answers(case, (), "without", config, backends), case, backends)


def rates(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Return, for each measure, how many right and wrong answers it calls uncertain, and its AUROC."""
    names = list(dict.fromkeys(name for row in rows for name in row.values))
    return {name: rate(name, [row for row in rows if name in row.values]) for name in names}


def rate(name: str, rows: Sequence[Row]) -> dict[str, Any]:
    """Return one measure's counts and AUROC; no AUROC where all answers are right or all are wrong."""
    right, wrong = [row for row in rows if row.right], [row for row in rows if not row.right]
    counted: dict[str, Any] = {
        "right": len(right),
        "right_uncertain": sum(row.uncertain[name] for row in right),
        "wrong": len(wrong),
        "wrong_uncertain": sum(row.uncertain[name] for row in wrong),
    }
    if not right or not wrong:
        return counted
    labels, values = np.array([not row.right for row in rows]), np.array([row.values[name] for row in rows])
    low, high = bootstrap_interval(auroc, labels, values, repeats=REPEATS)
    return {**counted, "auroc": round(auroc(labels, values), 3), "low": round(low, 3), "high": round(high, 3)}


def write(into: Path, rows: Sequence[Row], about: dict[str, Any]) -> None:
    """Write the rates of every condition and the rows."""
    by_condition = {
        word: rates([row for row in rows if row.condition == word])
        for word in dict.fromkeys(row.condition for row in rows)
    }
    content = {**about, "questions": len({row.question for row in rows}), "rates": by_condition}
    content["rows"] = [asdict(row) for row in rows]
    into.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Measure the questions that are not in the results yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", help="nq-open-oracle.jsonl.gz, plain or gzipped")
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=SETS[:2])
    parser.add_argument("--into", type=Path, default=RESULTS)
    given = parser.parse_args()
    every = read_oracle(oracle_path(given.data))
    asked = [row for row in every if row.test]
    random.Random(0).shuffle(asked)
    index = build_bm25([f"{row.passage.title} {row.passage.text}" for row in every])
    stored = json.loads(given.into.read_text(encoding="utf-8"))["rows"] if given.into.is_file() else []
    rows = [Row(**row) for row in stored]
    known = {(row.question, row.condition) for row in rows}
    about: dict[str, Any] = {
        "machine": machine(),
        "libraries": library_versions(),
        "dtype": number_type(),
        "passages": 5,
        "samples": 10,
    }
    request = DiagnosisRequest(question="?", passages=(every[0].passage,))
    backends, _ = load_backends(request, EMBEDDED, silent)
    about |= {"judge": backends.judge.note, "model": model_words(backends.model.identity)}
    refuse_other_settings(given.into, about)
    for row in asked[: given.questions]:
        left = [word for word in given.sets if (key_of(row.question), word) not in known]
        if not left:
            continue
        began = time.perf_counter()
        rows += measured(row, five_passages(every, index, row), backends, left)
        write(given.into, rows, about)
        print(f"{len(rows)}: {time.perf_counter() - began:.0f} s, {row.question} -> {rows[-1].answer}", flush=True)


if __name__ == "__main__":
    main()
