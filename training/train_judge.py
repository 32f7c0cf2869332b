"""Train the embedded judge: a cross-encoder on the packaged MiniLM, three classes, word vectors unchanged.

    python -m training.train_judge FOLDER --evouna NQ.json --wordnet data.noun [--from judge.safetensors --epochs 1]

Deterministic for a seed and a number of threads. FOLDER keeps a checkpoint; after a stop, the same command resumes.
``--leave-out-system`` and ``--leave-out-type`` train without one system's answers and one type of answer, to measure
how well the judge generalises.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from engine.backends.entailment.base import with_question_mark
from engine.backends.entailment.embedded_judge import LAST_BIAS, LAST_WEIGHT, load_backbone
from engine.core.folders import file_hash
from training.checkpoints import agree, rate, resume, save
from training.evouna import ANSWER_TYPES, SYSTEMS, Row, answer_type, data_path, read_rows
from training.judge_pairs import Pair, epoch_pairs
from training.wordnet import read_synsets

POOL = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a judge is trained.

    ``share`` of the judged answers is used per epoch; ``made`` and ``hard`` are such pairs per answer, ``wordnet``
    WordNet pairs per epoch. ``start`` is the digest of the weights that training goes on from, "" = the
    packaged encoder.
    """

    seed: int = 1
    epochs: int = 3
    batch: int = 32
    learning_rate: float = 2e-4
    warmup: float = 0.06
    smoothing: float = 0.05
    made: float = 1.3
    hard: float = 0.0
    share: float = 1.0
    wordnet: int = 4_000
    longest: int = 112
    frozen: int = 2
    checkpoint_every: int = 25
    splits: tuple[int, ...] = (2, 3, 4)
    leave_out_system: str = ""
    leave_out_type: str = ""
    start: str = ""


def chosen_rows(rows: Sequence[Row], settings: Settings) -> list[Row]:
    """Return the rows to train on, never test rows."""
    return [
        row
        for row in rows
        if row.split in settings.splits
        and not row.test
        and row.system != settings.leave_out_system
        and answer_type(row.question, row.golds) != settings.leave_out_type
    ]


def batches(pairs: list[Pair], tokenizer: Any, settings: Settings, seed: int) -> Iterator[dict[str, torch.Tensor]]:
    """Return batches of pairs of about the same length, in random order."""
    order = np.random.default_rng(seed)
    lengths = np.array([len(pair.premise) + len(pair.hypothesis) + 2 * len(pair.question) for pair in pairs])
    groups: list[np.ndarray] = []
    for first in range(0, len(pairs), settings.batch * POOL):
        pool = first + np.argsort(lengths[first : first + settings.batch * POOL], kind="stable")
        groups.extend(pool[at : at + settings.batch] for at in range(0, len(pool), settings.batch))
    for place in order.permutation(len(groups)):
        chosen = [pairs[at] for at in groups[place]]
        left = [with_question(pair.question, pair.premise) for pair in chosen]
        right = [with_question(pair.question, pair.hypothesis) for pair in chosen]
        inputs = tokenizer(
            left, right, padding=True, truncation="longest_first", max_length=settings.longest, return_tensors="pt"
        )
        yield {**inputs, "labels": torch.tensor([pair.label for pair in chosen])}


def with_question(question: str, text: str) -> str:
    """Return a text behind its question; a sentence has none."""
    return f"{with_question_mark(question)} {text}" if question else text


def trainable(model: torch.nn.Module, frozen: int) -> dict[str, torch.nn.Parameter]:
    """Return the parameters that are trained: all but the embeddings and the lowest ``frozen`` layers."""
    kept = ("embeddings", *(f"layer.{layer}." for layer in range(frozen)))
    for name, parameter in model.named_parameters():
        parameter.requires_grad = not any(part in name for part in kept)
    return {name: parameter for name, parameter in model.named_parameters() if parameter.requires_grad}


def train(folder: Path, each: Sequence[list[Pair]], settings: Settings, start: Path | None = None) -> None:
    """Train or resume on each epoch's pairs, and write ``judge.safetensors`` (float32) into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    agree(folder, settings)
    torch.manual_seed(settings.seed)
    model, tokenizer = load_backbone()
    if start is not None:
        model.load_state_dict(encoder_weights(start), strict=False)
    prepare(model)
    changed = trainable(model, settings.frozen)
    optimizer = torch.optim.AdamW(changed.values(), lr=settings.learning_rate, weight_decay=0.01, fused=True)
    done = resume(folder, "model", model.load_state_dict, optimizer)
    steps = sum(-(-len(pairs) // settings.batch) for pairs in each)
    step, began, total = 0, time.perf_counter(), 0.0
    for epoch, pairs in enumerate(each):
        for batch in batches(pairs, tokenizer, settings, settings.seed * 1000 + epoch):
            step += 1
            if step <= done:
                continue
            torch.manual_seed(settings.seed * 1_000_003 + step)
            total += learned(model, optimizer, batch, settings, rate(step, steps, settings.warmup))
            if step % settings.checkpoint_every == 0:
                save(folder, "model", model.state_dict(), optimizer, step)
                spent = time.perf_counter() - began
                print(f"step {step}/{steps} loss {total / settings.checkpoint_every:.4f} {spent:.0f} s", flush=True)
                total = 0.0
    kept = encoder_weights(start) if start is not None else {}
    trained = {name: tensor.detach().clone() for name, tensor in changed.items()}
    save_file({**kept, **trained}, folder / "judge.safetensors")


def encoder_weights(file: Path) -> dict[str, torch.Tensor]:
    """Return the encoder's weights of a judge, shipped or just trained, in single precision, without the last layer."""
    return {name: tensor.float() for name, tensor in load_file(file).items() if name not in (LAST_WEIGHT, LAST_BIAS)}


def prepare(model: Any) -> None:
    """Prepare the model for training on a processor, where dropout and fused attention cost more than layers."""
    model.set_attn_implementation("eager")
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    model.train()


def epoch_seeds(settings: Settings) -> list[int]:
    """Return one seed per epoch."""
    return [settings.seed * 1000 + epoch for epoch in range(settings.epochs)]


def learned(model: Any, optimizer: Any, batch: dict[str, torch.Tensor], settings: Settings, factor: float) -> float:
    """Take one step and return its loss."""
    for group in optimizer.param_groups:
        group["lr"] = settings.learning_rate * factor
    labels = batch.pop("labels")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(**batch).logits
    loss = torch.nn.functional.cross_entropy(logits.float(), labels, label_smoothing=settings.smoothing)
    loss.backward()
    torch.nn.utils.clip_grad_norm_([p for group in optimizer.param_groups for p in group["params"]], 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return float(loss.detach())


def main() -> None:
    """Read the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where checkpoint and weights go")
    parser.add_argument("--evouna", help="EVOUNA's NQ.json, plain or gzipped")
    parser.add_argument("--wordnet", type=Path, help="WordNet's data.noun; without it no WordNet pairs are made")
    parser.add_argument("--leave-out-system", choices=SYSTEMS, default="")
    parser.add_argument("--leave-out-type", choices=ANSWER_TYPES, default="")
    parser.add_argument("--splits", type=int, nargs="+", default=Settings().splits, help="fifths to train on")
    for name in ("seed", "epochs", "batch", "longest", "frozen"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Settings(), name))
    for name in ("learning-rate", "smoothing", "made", "hard", "share"):
        parser.add_argument(f"--{name}", type=float, default=getattr(Settings(), name.replace("-", "_")))
    parser.add_argument("--wordnet-pairs", type=int, default=Settings().wordnet)
    parser.add_argument("--from", dest="start", type=Path, help="weights of a judge to go on from")
    given = vars(parser.parse_args())
    folder, start = given.pop("folder"), given.pop("start")
    rows, nouns, count = read_rows(data_path(given.pop("evouna"))), given.pop("wordnet"), given.pop("wordnet_pairs")
    pairs = count if nouns else 0
    settings = Settings(**{**given, "splits": tuple(given["splits"]), "wordnet": pairs})
    settings = replace(settings, start=file_hash(start).hex()[:12] if start else "")
    synsets = read_synsets(nouns) if nouns else ()
    chosen = chosen_rows(rows, settings)
    each = [
        epoch_pairs(chosen, synsets, seed, settings.wordnet, settings.made, settings.hard, settings.share)
        for seed in epoch_seeds(settings)
    ]
    train(folder, each, settings, start)


if __name__ == "__main__":
    main()
