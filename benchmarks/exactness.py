"""Do the shortcuts that make the engine fast change any number? In float32 and in bfloat16.

The embedded model writes greedy answers to sample questions, over five passages and from memory, in four ways:
transformers' own forward pass, one prompt at a time; the lean pass, one prompt at a time; the lean pass with shared
prefixes read once; and the same with all prompts in one batch. Then come the likelihoods of three replies to a judge's
prompts, one prompt at a time against all in one batch, and the attention of answers. The result gives the share of
identical answers, and the largest differences of entropies and log-probabilities while both ways write the same tokens.

    python -m benchmarks.exactness                      writes results/exactness.json
    python -m benchmarks.exactness --only float32 --prompts 24 --results FILE
"""

import argparse
import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.results_file import origin
from benchmarks.speed import DTYPES, passages_of
from engine.backends.entailment.base import LABELS
from engine.backends.entailment.llm_judge import judge_prompt
from engine.backends.language_models.base import Request
from engine.backends.language_models.decoder import padded_batch, whole_passes
from engine.backends.language_models.decoder.decoding import Row
from engine.backends.language_models.decoder.key_values import KnownPrompts
from engine.backends.language_models.embedded import converted_folder
from engine.backends.language_models.transformers_model import TransformersModel, open_folder
from engine.backends.number_types import NumberType
from engine.backends.retrieval import load_corpus, load_embedder
from engine.core.progress import silent
from engine.core.records import Generation, Prompt
from engine.methods.profiles import EMBEDDED, answer_prompt
from engine.runs.sample_questions import sample_questions

RESULTS = Path(__file__).resolve().parent / "results" / "exactness.json"
PROMPTS = 40
Written = list[Generation]


def prompts_of(count: int) -> list[Prompt]:
    """Return prompts of sample questions, alternating between five passages and from memory."""
    corpus = load_corpus(
        "sample", chunk_tokens=EMBEDDED.chunk_tokens, chunk_overlap=EMBEDDED.chunk_overlap, embedder=load_embedder()
    )
    questions = [question.question for question in sample_questions()][: -(-count // 2)]
    pairs = [(answer_prompt(EMBEDDED, q, passages_of(q, corpus)), answer_prompt(EMBEDDED, q, ())) for q in questions]
    return [prompt for pair in pairs for prompt in pair][:count]


def by_transformers(model: TransformersModel, requests: Sequence[Request]) -> Written:
    """Return the answers by transformers' own forward pass, one at a time."""
    found = []
    for request in requests:
        row: Row = model._row(request)
        padded_batch.decode(model._model, KnownPrompts(), [row], silent)
        found.append(model._generation(request, row))
    return found


def by_lean_pass(model: TransformersModel, requests: Sequence[Request]) -> Written:
    """Return the answers by the lean pass, one at a time, keeping nothing in between."""
    found: Written = []
    for request in requests:
        model.known = KnownPrompts()
        found += model.generate([request], silent)
    return found


def with_shared_beginnings(model: TransformersModel, requests: Sequence[Request]) -> Written:
    """Return the answers one at a time; prefixes shared with earlier prompts are not read again."""
    model.known = KnownPrompts()
    return [one for request in requests for one in model.generate([request], silent)]


def in_one_batch(model: TransformersModel, requests: Sequence[Request]) -> Written:
    """Return the answers of one batch."""
    model.known = KnownPrompts()
    return list(model.generate(requests, silent))


WAYS: dict[str, Callable[[TransformersModel, Sequence[Request]], Written]] = {
    "lean pass": by_lean_pass,
    "shared beginnings": with_shared_beginnings,
    "one batch": in_one_batch,
}


def compared(one: Written, other: Written) -> dict[str, float]:
    """Return the share of identical answers, and the largest differences over the tokens that both wrote."""
    same, entropies, logprobs = 0, [0.0], [0.0]
    for left, right in zip(one, other, strict=True):
        same += [token.id for token in left.tokens] == [token.id for token in right.tokens]
        for a, b in zip(left.tokens, right.tokens, strict=False):
            if a.id != b.id:
                break
            entropies.append(abs(a.entropy - b.entropy))
            logprobs.append(abs(a.logprob - b.logprob))
    return {
        "identical": same / len(one),
        "largest_entropy_difference": max(entropies),
        "largest_logprob_difference": max(logprobs),
    }


def replies_compared(model: TransformersModel, answers: Sequence[str]) -> float:
    """Return the largest difference of a reply's mean log-probability: one at a time against all in one batch."""
    prompts = [judge_prompt("Which is it?", one, other) for one, other in pairwise(answers)]
    model.known = KnownPrompts()
    together = model.label_logprobs(prompts, LABELS, silent)
    replies = [model.prompts.encode(label) for label in LABELS]
    alone = [whole_passes.continuation_logprobs(model._model, model.prompts.ids(prompt), replies) for prompt in prompts]
    return float(np.abs(together - np.array(alone)).max())


def attention_compared(model: TransformersModel, answers: Written) -> float:
    """Return the largest difference of an attention weight."""
    largest = 0.0
    for answer in answers:
        ids = [*model.prompts.ids(answer.prompt), *(token.id for token in answer.tokens)]
        theirs = whole_passes.last_layer_attention(model._model, ids, len(answer.tokens)).double().numpy()
        largest = max(largest, float(np.abs(model.attention(answer) - theirs).max()))
    return largest


def measured(dtype: NumberType, prompts: Sequence[Prompt]) -> dict[str, Any]:
    """Return all comparisons in one number type."""
    model = open_folder(converted_folder(), "embedded-base", dtype)
    requests = [Request(prompt=prompt, max_tokens=EMBEDDED.answer_tokens) for prompt in prompts]
    theirs = by_transformers(model, requests)
    found: dict[str, Any] = {name: compared(theirs, way(model, requests)) for name, way in WAYS.items()}
    written = [answer for answer in theirs if answer.tokens]
    found["largest_reply_difference"] = replies_compared(model, [answer.text for answer in written])
    found["largest_attention_difference"] = attention_compared(model, written[:10])
    return found


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=DTYPES, help="one number type")
    parser.add_argument("--prompts", type=int, default=PROMPTS)
    parser.add_argument("--results", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    prompts = prompts_of(chosen.prompts)
    found: dict[str, Any] = {dtype: measured(dtype, prompts) for dtype in DTYPES if chosen.only in (None, dtype)}
    results = {
        "prompts": len(prompts), "threads": torch.get_num_threads(), **origin(), **found,
    }  # fmt: skip
    chosen.results.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
