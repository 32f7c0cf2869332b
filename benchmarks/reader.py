"""How well does the embedded reader answer from five passages and from memory, and judge sufficiency?

Data: test questions of Natural Questions (open) with oracle passages (``training/nq_open.py`` names the source). The
reader was not trained or tuned on them. Each question is asked over five passages of 70 words: the one with the answer
at a random place, and four without a correct answer, near the question by BM25 or from anywhere. It is also asked over
the one passage alone, and from memory. A yes-no question asks whether the context suffices, with and without the right
passage. Greedy answers are compared with all correct answers. For some questions, ten samples at temperature 1 show
whether sampling still spreads: the entropy of meanings, by the embedded judge.

    python -m benchmarks.reader nq-open-oracle.jsonl.gz                 writes results/reader.json
    python -m benchmarks.reader nq-open-oracle.jsonl.gz --adapter RUN   another adapter, on the held-out questions

Without a path, MICROSCOPE_BENCHMARK_DATA names a folder that contains the file as nq_open_oracle_dev.jsonl.gz.
"""

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results_file import origin
from engine.backends.entailment import load_judge
from engine.backends.entailment.base import Judge
from engine.backends.entailment.matrix import judge_pairs
from engine.backends.language_models import load_language_model
from engine.backends.language_models.adapters import open_adapted
from engine.backends.language_models.base import LanguageModel, Request
from engine.backends.number_types import number_type
from engine.core.progress import silent
from engine.core.records import Generation, Passage, Prompt
from engine.measures.answer_match import contains, exact_match, token_f1
from engine.measures.semantic_clusters import cluster
from engine.measures.semantic_entropy import discrete_semantic_entropy
from engine.methods.profiles import EMBEDDED, answer_prompt, sufficiency_prompt
from training.nq_open import OracleRow, oracle_path, read_oracle
from training.reader_examples import Neighbours
from training.train_reader import held_out_rows

RESULTS = Path(__file__).parent / "results" / "reader.json"
MODELS = ("embedded", "embedded-base")
PASSAGES, SPREAD_QUESTIONS, DRAWS, BATCH = 5, 40, 10, 16


def contexts(rows: Sequence[OracleRow], seed: int = 0) -> list[tuple[tuple[Passage, ...], tuple[Passage, ...]]]:
    """Return per question (five passages with the right one at a random place, five without it)."""
    draw, neighbours = random.Random(seed), Neighbours(rows)
    made = []
    for at, row in enumerate(rows):
        others = [neighbours.passages[place] for place in neighbours.drawn(draw, at, PASSAGES, row.answers)]
        gold = list(others[: PASSAGES - 1])
        gold.insert(draw.randrange(PASSAGES), neighbours.passages[at])
        made.append((tuple(gold), tuple(others)))
    return made


def answered(model: LanguageModel, prompts: Sequence[Prompt]) -> list[Generation]:
    """Return the greedy short answers."""
    requests = [Request(prompt=prompt, max_tokens=EMBEDDED.answer_tokens, stop=("\n",)) for prompt in prompts]
    return [one for at in range(0, len(requests), BATCH) for one in model.generate(requests[at : at + BATCH], silent)]


def scored(answers: Sequence[Generation], rows: Sequence[OracleRow]) -> dict[str, float]:
    """Return shares over the questions: contains a correct answer, exact match, token F1, at most 12 tokens."""
    pairs = [(answer.text, row.answers) for answer, row in zip(answers, rows, strict=True)]
    return {
        "contains_gold": float(np.mean([contains(text, golds) for text, golds in pairs])),
        "exact_match": float(np.mean([exact_match(text, golds) for text, golds in pairs])),
        "token_f1": float(np.mean([token_f1(text, golds) for text, golds in pairs])),
        "under_12_tokens": float(np.mean([len(answer.tokens) < 12 for answer in answers])),
    }


def sufficiency(
    model: LanguageModel, rows: Sequence[OracleRow], made: Sequence[tuple[tuple[Passage, ...], tuple[Passage, ...]]]
) -> dict[str, float]:
    """Return accuracy of yes/no, by the likelier label: with the right passage, without it, and balanced."""

    def yes(of: Sequence[tuple[Passage, ...]]) -> list[bool]:
        prompts = [sufficiency_prompt(EMBEDDED, row.question, given) for row, given in zip(rows, of, strict=True)]
        parts = [prompts[at : at + BATCH] for at in range(0, len(prompts), BATCH)]
        return [bool(said[0] > said[1]) for part in parts for said in model.label_logprobs(part, ("yes", "no"), silent)]

    held = float(np.mean(yes([gold for gold, _ in made])))
    absent = 1.0 - float(np.mean(yes([others for _, others in made])))
    return {"with_gold": held, "without_gold": absent, "balanced_accuracy": (held + absent) / 2}


def spread(
    model: LanguageModel, judge: Judge, rows: Sequence[OracleRow], prompts: Sequence[Prompt]
) -> dict[str, float]:
    """Return the mean entropy of meanings of ten samples at temperature 1, in nats, and the share with several."""
    entropies = []
    for row, prompt in zip(rows, prompts, strict=True):
        draws = [
            Request(prompt=prompt, max_tokens=EMBEDDED.answer_tokens, temperature=1.0, seed=seed, stop=("\n",))
            for seed in range(DRAWS)
        ]
        texts = [one.text.strip() for one in model.generate(draws, silent)]
        classes, _ = judge_pairs(judge, row.question, texts, silent)
        entropies.append(discrete_semantic_entropy(cluster(classes)))
    return {"mean_entropy": float(np.mean(entropies)), "more_than_one": float(np.mean(np.array(entropies) > 0))}


def measured(model: LanguageModel, rows: Sequence[OracleRow], spread_questions: int) -> dict[str, Any]:
    """Return all measurements of one model."""
    made, began = contexts(rows), time.perf_counter()
    five = [answer_prompt(EMBEDDED, row.question, gold) for row, (gold, _) in zip(rows, made, strict=True)]
    alone = [answer_prompt(EMBEDDED, row.question, ()) for row in rows]
    gold_only = Neighbours(rows).passages
    one = [answer_prompt(EMBEDDED, row.question, (gold,)) for row, gold in zip(rows, gold_only, strict=True)]
    answers = answered(model, five)
    found: dict[str, Any] = {
        "five_passages": scored(answers, rows),
        "one_passage": scored(answered(model, one), rows),
        "closed_book": scored(answered(model, alone), rows),
        "sufficiency": sufficiency(model, rows, made),
        "examples": [
            {"question": row.question, "answers": row.answers, "said": answer.text}
            for row, answer in zip(rows[:30], answers, strict=False)
        ],
    }
    if spread_questions:
        judge, few = load_judge(), rows[:spread_questions]
        found["spread"] = {
            "questions": len(few),
            "draws": DRAWS,
            "five_passages": spread(model, judge, few, five[:spread_questions]),
            "closed_book": spread(model, judge, few, alone[:spread_questions]),
        }
    return {**found, "dtype": number_type(), "seconds": time.perf_counter() - began}


def main() -> None:
    """Read the arguments, measure reader and base model and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", help="nq-open-oracle.jsonl.gz, plain or gzipped")
    parser.add_argument("--adapter", type=Path, help="a folder with an adapter to try on the held-out questions")
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--only", choices=MODELS, help="measure this model, and keep what the results say of the other")
    parser.add_argument("--into", type=Path, default=RESULTS)
    given = parser.parse_args()
    rows = read_oracle(oracle_path(given.data))
    if given.adapter:
        tried = held_out_rows(rows, 100)[: given.questions]
        found = measured(open_adapted("tried", number_type(), given.adapter), tried, 0)
        print(json.dumps({key: value for key, value in found.items() if key != "examples"}, indent=1))
        print(*(f"{one['question']} | {one['answers']} | {one['said']}" for one in found["examples"]), sep="\n")
        return
    test = [row for row in rows if row.test][: given.questions]
    results: dict[str, Any] = {
        "questions": len(test),
        "passages": PASSAGES,
        **origin(),
    }
    kept = json.loads(given.into.read_text()) if given.only and given.into.is_file() else {}
    results |= {name: kept[name] for name in MODELS if name in kept}
    for name in (given.only,) if given.only else MODELS:
        found = measured(load_language_model(name), test, SPREAD_QUESTIONS)
        print(name, json.dumps(found, ensure_ascii=False), flush=True)
        results[name] = {key: value for key, value in found.items() if key != "examples"}
        given.into.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
