"""Does ΔSePer tell the passage that answers a question from others? Pearson's r with utility 1 or 0 (SePer, table 2).

Test questions of Natural Questions (open) with oracle passages; the reader was not trained on them. Each question is
sampled forty times without a passage and over one passage of at most 70 words: the one that answers it, one of another
question drawn at random, and the nearest other one of the whole file by BM25. Passages that hold a correct answer are
not drawn. ΔSePer is soft SePer with the passage minus that without, by likelihood weights and by equal ones; utility is
1 for the right passage and 0 for the others. The first ten samples count, as in the paper; the same scores of the first
five, of twenty and of all forty show what more samples bring. As in the paper, questions that are known without a
passage are left out (half of the samples hold a correct answer); r over all questions stands beside it. Intervals are
the middle 95 % over resampled questions.

    python -m benchmarks.seper_utility nq-open-oracle.jsonl.gz --minutes 15

Every question is written as soon as it is done; run again to go on. A file with rows of another model or judge is
refused: move it away to measure all anew. Without a path, MICROSCOPE_BENCHMARK_DATA names a folder that contains the
file as nq_open_oracle_dev.jsonl.gz.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.question_keys import key_of
from benchmarks.results_file import model_words, refuse_other_settings
from engine.backends.entailment import load_judge
from engine.backends.entailment.base import ENTAILMENT, Judge
from engine.backends.entailment.matrix import judge_against
from engine.backends.language_models import load_language_model
from engine.backends.language_models.base import LanguageModel, Request
from engine.core.progress import silent
from engine.core.records import Generation, Passage
from engine.core.seeds import derive_seed
from engine.measures.answer_match import contains
from engine.measures.ranking import pearson
from engine.measures.resampling import bootstrap_interval
from engine.measures.semantic_perplexity import effective_samples, kernel, sample_weights, seper_soft
from engine.methods.profiles import EMBEDDED, sample_prompt, sample_tokens
from engine.methods.seper import STOP
from training.nq_open import OracleRow, oracle_path, read_oracle
from training.reader_examples import Neighbours

RESULTS = Path(__file__).parent / "results" / "seper_utility.json"
SAMPLES, RESAMPLES, TARGET, KNOWN = 10, 2000, 0.75, 0.5
SIZES = (5, 10, 20, 40)
WITHOUT, GOLD, RANDOM, NEAR = "without", "gold", "random", "bm25"


def usable(passage: Passage, row: OracleRow) -> bool:
    """Return whether a passage is of another document and holds no correct answer."""
    return passage.title != row.passage.title and not contains(f"{passage.title} {passage.text}", row.answers)


def passages_of(rows: Sequence[OracleRow], at: int, neighbours: Neighbours) -> dict[str, tuple[Passage, ...]]:
    """Return what is read in each condition."""
    row, rng = rows[at], np.random.default_rng(derive_seed(0, "utility", rows[at].question))
    anywhere = (neighbours.passages[int(place)] for place in rng.permutation(len(rows)) if int(place) != at)
    near = (neighbours.passages[place] for place in neighbours.near(at))
    return {
        WITHOUT: (),
        GOLD: (neighbours.passages[at],),
        RANDOM: (next(one for one in anywhere if usable(one, row)),),
        NEAR: tuple(one for one in near if usable(one, row))[:1],
    }


def measure(
    row: OracleRow, given: dict[str, tuple[Passage, ...]], model: LanguageModel, judge: Judge
) -> dict[str, Any]:
    """Return SePer of one question in each condition, soft by both weights and the share of right samples."""
    conditions = [name for name in given if name == WITHOUT or given[name]]
    requests = [
        Request(
            prompt=sample_prompt(EMBEDDED, row.question, given[name]),
            max_tokens=sample_tokens(EMBEDDED, "code"),
            temperature=1.0,
            seed=derive_seed(0, "utility", name, number),
            stop=STOP,
        )
        for name in conditions
        for number in range(max(SIZES))
    ]
    drawn = model.generate(requests, silent)
    found: dict[str, Any] = {"question": key_of(row.question), "first_half": in_first_half(row.question)}
    for place, name in enumerate(conditions):
        samples = drawn[place * max(SIZES) : (place + 1) * max(SIZES)]
        texts = [sample.text.strip() for sample in samples]
        forward, backward, _ = judge_against(judge, row.question, texts, row.answers)
        table = kernel(forward[..., ENTAILMENT], backward[..., ENTAILMENT])
        sizes = {size: scores(samples[:size], table[:size], row.answers) for size in SIZES}
        found[name] = sizes[SAMPLES] | {"sizes": {str(size): one for size, one in sizes.items() if size != SAMPLES}}
    return found


def scores(samples: Sequence[Generation], table: np.ndarray, answers: Sequence[str]) -> dict[str, float]:
    """Return soft SePer of samples by both weights, the share of right ones, and how many count in effect.

    ``table`` [samples, answers] is the kernel between samples and correct answers.
    """
    weights = sample_weights([sample.mean_logprob for sample in samples])
    right = sum(contains(sample.text.strip(), answers) for sample in samples)
    return {
        "soft": round(seper_soft(weights, table), 6),
        "equal": round(seper_soft([1 / len(samples)] * len(samples), table), 6),
        "right": round(right / len(samples), 6),
        "effective": round(effective_samples(weights), 3),
    }


def at_size(rows: Sequence[dict[str, Any]], size: int) -> list[dict[str, Any]]:
    """Return rows with the scores of so many samples in each condition; rows without them are left out."""
    if size == SAMPLES:
        return list(rows)
    conditions = (WITHOUT, GOLD, RANDOM, NEAR)
    return [
        row | {name: row[name]["sizes"][str(size)] for name in conditions if name in row}
        for row in rows
        if str(size) in row[WITHOUT].get("sizes", {})
    ]


def in_first_half(question: str) -> bool:
    """Return whether a question belongs to the half on which ``utility_variants`` would choose a variant."""
    return int(sha256(question.encode()).hexdigest(), 16) % 2 == 0


def changes(rows: Sequence[dict[str, Any]], against: str, weights: str) -> tuple[np.ndarray, np.ndarray]:
    """Return ΔSePer [questions] over the right passage and over the other one."""
    having = [row for row in rows if against in row]
    with_gold = np.array([row[GOLD][weights] - row[WITHOUT][weights] for row in having])
    return with_gold, np.array([row[against][weights] - row[WITHOUT][weights] for row in having])


def correlation(after: np.ndarray, other: np.ndarray) -> float:
    """Return Pearson's r of ΔSePer with utility 1 and 0."""
    return pearson(np.concatenate([after, other]), np.repeat([1.0, 0.0], after.size))[0]


def related(rows: Sequence[dict[str, Any]], against: str, weights: str) -> dict[str, Any]:
    """Return r with the middle 95 % of resampled questions, and the mean ΔSePer of both passages."""
    after, other = changes(rows, against, weights)
    if after.size < 3:
        return {"questions": int(after.size), "r": None}
    seed = derive_seed(0, "utility", "resampled")
    low, high = bootstrap_interval(correlation, after, other, repeats=RESAMPLES, seed=seed)
    return {
        "questions": int(after.size),
        "r": round(correlation(after, other), 4),
        "interval": [round(low, 4), round(high, 4)],
        "mean_gold": round(float(after.mean()), 4),
        "mean_other": round(float(other.mean()), 4),
    }


def gained(rows: Sequence[dict[str, Any]], size: int) -> dict[str, Any]:
    """Return by how much r against random passages is higher with so many samples, with the middle 95 %."""

    def gain(after: np.ndarray, other: np.ndarray, after_usual: np.ndarray, other_usual: np.ndarray) -> float:
        return correlation(after, other) - correlation(after_usual, other_usual)

    having = [row for row in rows if str(size) in row[WITHOUT].get("sizes", {})]
    values = (*changes(at_size(having, size), RANDOM, "soft"), *changes(having, RANDOM, "soft"))
    if len(having) < 3:
        return {"questions": len(having), "gain": None}
    low, high = bootstrap_interval(gain, *values, repeats=RESAMPLES, seed=derive_seed(0, "utility", "resampled"))
    return {"questions": len(having), "gain": round(gain(*values), 4), "interval": [round(low, 4), round(high, 4)]}


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return r for random passages and BM25 neighbours, by both weights, over unknown questions and over all.

    And what r by likelihood weights gains by other numbers of samples.
    """
    unknown = [row for row in rows if row[WITHOUT]["right"] < KNOWN]
    asked = [("unknown questions", unknown), ("all questions", rows)]
    asked += [(f"unknown questions, {size} samples", at_size(unknown, size)) for size in SIZES if size != SAMPLES]
    found = {
        f"{against}, {weights}, {name}": related(some, against, weights)
        for name, some in asked
        for against in (RANDOM, NEAR)
        for weights in ("soft", "equal")
    }
    gains = {f"gain, {size} samples for {SAMPLES}": gained(unknown, size) for size in SIZES if size != SAMPLES}
    return found | gains


def run(rows: Sequence[OracleRow], into: Path, until: Callable[[], bool], model: LanguageModel, judge: Judge) -> None:
    """Measure test questions that the file does not hold yet, until it is told to stop; write after each.

    Exits where the file holds rows of another model or judge.
    """
    settings = {"model": model_words(model.identity), "judge": judge.note}
    refuse_other_settings(into, settings)
    held = json.loads(into.read_text(encoding="utf-8"))["rows"] if into.exists() else []
    done, neighbours = {row["question"] for row in held}, Neighbours(rows)
    waiting = [at for at, row in enumerate(rows) if row.test and key_of(row.question) not in done]
    for at in waiting:
        if until():
            return
        held.append(measure(rows[at], passages_of(rows, at, neighbours), model, judge))
        found = {
            "target": TARGET,
            **settings,
            "test_questions": len(done) + len(waiting),
            "measured": len(held),
        }
        into.write_text(json.dumps(found | {"summary": summary(held), "rows": held}, indent=1) + "\n", "utf-8")


def main() -> None:
    """Go on with the questions for so many minutes, then print the summary."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", nargs="?")
    parser.add_argument("--minutes", type=float, default=15.0)
    given = parser.parse_args()
    end = time.monotonic() + 60 * given.minutes
    rows = read_oracle(oracle_path(given.data))
    run(rows, RESULTS, lambda: time.monotonic() > end, load_language_model("embedded"), load_judge("embedded"))
    print(json.dumps(json.loads(RESULTS.read_text(encoding="utf-8"))["summary"], indent=1))


if __name__ == "__main__":
    main()
