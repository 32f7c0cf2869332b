"""How much faster does the engine take a model of each family than the papers' algorithms taken literally?

Models are built from transformers' settings with weights drawn at random, four layers of width 256, with the tokenizer
of the embedded model, and stored as folders: what a person brings along. The work is that of ``benchmarks.speed`` (five
passages, five rewordings, six answers and five ablations, a language model as the judge of all pairs, twenty samples,
96 tokens step by step), in float32 on both sides. Random weights never end a text, so every text has its full length.

Seconds are the processor's own, on one thread, so that other work on the machine changes little.

Before it is timed, each family answers three questions greedily on both ways: the answers must be the same, token by
token.

    python -m benchmarks.families                           writes results/families.json
    python -m benchmarks.families --only "Gemma 3"          measures one family, and keeps the others' rows
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoTokenizer,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from benchmarks.results_file import origin
from benchmarks.speed import JUDGES, Side, by_engine, literally, passages_of, shown
from engine.backends.entailment import load_judge
from engine.backends.language_models.base import Request
from engine.backends.language_models.embedded import converted_folder
from engine.backends.language_models.transformers_model import TransformersModel, open_folder
from engine.backends.retrieval import load_corpus, load_embedder
from engine.core.progress import silent
from engine.core.records import Prompt
from engine.methods.profiles import EMBEDDED, answer_prompt

RESULTS = Path(__file__).resolve().parent / "results" / "families.json"
QUESTION = "When was the Suez Canal opened?"
CHECKED = (QUESTION, "Who was the first person in space?", "Who bought London Bridge?")
CHECKED_TOKENS = 24
SIZES: dict[str, Any] = {
    "hidden_size": 256,
    "intermediate_size": 704,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 4096,
    "tie_word_embeddings": True,
}
SLIDING = ["sliding_attention"] * 3 + ["full_attention"]
FAMILIES: dict[str, Callable[[int], Any]] = {
    "Llama": lambda vocabulary: LlamaForCausalLM(LlamaConfig(**SIZES, vocab_size=vocabulary)),
    "Qwen2": lambda vocabulary: Qwen2ForCausalLM(Qwen2Config(**SIZES, vocab_size=vocabulary)),
    "Qwen3": lambda vocabulary: Qwen3ForCausalLM(Qwen3Config(**SIZES, head_dim=64, vocab_size=vocabulary)),
    "Gemma 3": lambda vocabulary: Gemma3ForCausalLM(
        Gemma3TextConfig(**SIZES, head_dim=64, vocab_size=vocabulary, sliding_window=128, layer_types=SLIDING)
    ),
    "GPT-2": lambda vocabulary: GPT2LMHeadModel(
        GPT2Config(vocab_size=vocabulary, n_embd=256, n_layer=4, n_head=4, n_positions=4096)
    ),
}


def folder_of(family: str, place: Path) -> Path:
    """Return a folder with a model of a family, its weights drawn from one seed, and the embedded tokenizer."""
    tokenizer = AutoTokenizer.from_pretrained(converted_folder())
    torch.manual_seed(0)
    model = FAMILIES[family](len(tokenizer))
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.eos_token_id
    folder = place / family.replace(" ", "-")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def same_answers(model: TransformersModel, corpus: Any) -> int:
    """Return to how many of the questions both ways write the same tokens, greedily, over five passages."""
    prompts = [answer_prompt(EMBEDDED, question, passages_of(question, corpus)) for question in CHECKED]
    ours = model.generate([Request(prompt=prompt, max_tokens=CHECKED_TOKENS) for prompt in prompts], silent)
    same = 0
    for prompt, found in zip(prompts, ours, strict=True):
        ids = torch.tensor([model.prompts.ids(prompt)])
        out = model._model.generate(
            ids, attention_mask=torch.ones_like(ids), max_new_tokens=CHECKED_TOKENS, do_sample=False
        )
        written = [token.id for token in found.tokens]
        same += out[0, ids.shape[1] :].tolist()[: len(written)] == written and len(written) > 0
    return same


def measured(family: str) -> dict[str, Any]:
    """Return the seconds of both ways with one family, their ratio, and on how many questions answers are the same."""
    corpus = load_corpus(
        "sample", chunk_tokens=EMBEDDED.chunk_tokens, chunk_overlap=EMBEDDED.chunk_overlap, embedder=load_embedder()
    )
    judge, passages = load_judge("embedded"), passages_of(QUESTION, corpus)
    with tempfile.TemporaryDirectory() as place:
        model = open_folder(folder_of(family, Path(place)), family, "float32")
    model.generate([Request(prompt=Prompt(text="Hello"), max_tokens=4)], silent)  # both sides find the code warm
    same = same_answers(model, corpus)
    model.forget()
    engine, literal = by_engine(model, judge, QUESTION, passages), literally(model, judge, QUESTION, passages)
    ratio = literal.total(JUDGES[0]) / engine.total(JUDGES[0])
    print(
        f"{family}: literal {literal.total(JUDGES[0]):.1f} s, engine {engine.total(JUDGES[0]):.1f} s: {ratio:.1f}; "
        f"same greedy answers {same} of {len(CHECKED)}\n    literal {shown(literal)}\n    engine {shown(engine)}",
        flush=True,
    )
    return {
        "ratio": ratio,
        "same_greedy_answers": same,
        "of": len(CHECKED),
        "parameters": model.identity.parameters,
        "own_decoder": model._llama is not None,
        "literal": asdict(literal) | {"total": literal.total(JUDGES[0])},
        "engine": asdict(engine) | {"total": engine.total(JUDGES[0])},
    }


def main() -> None:
    """Measure and write, family by family."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=tuple(FAMILIES), action="append", help="one family; repeat it")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--results", type=Path, default=RESULTS)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    Side.clock = time.process_time
    stored = json.loads(given.results.read_text(encoding="utf-8")) if given.results.exists() else {}
    rows: dict[str, Any] = dict(stored.get("families", {}))
    for family in given.only or FAMILIES:
        rows[family] = measured(family)
        results = {
            "threads": given.threads,
            **origin(),
            "families": {name: rows[name] for name in FAMILIES if name in rows},
        }
        given.results.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
