"""Train the reader: a LoRA adapter on SmolLM2-135M-Instruct for short answers, and for yes or no.

    python -m training.train_reader FOLDER --nq nq-open-oracle.jsonl.gz --device cuda

Every question stands before one context, as in the workbench (``training.asked_first``). ``--grouped`` adds earlier
epochs with many questions about each context (``training.reader_examples``), which teach more replies for the same
work. The mean of adapters with different seeds is better than each (``training.average_adapters``).

Weights are bfloat16 with autocast by default, the adapter is float32. All questions about one context share one row
(``training.packing``), and the vocabulary is projected at reply tokens only. Together that is several times faster than
one prompt after another. FOLDER keeps a checkpoint; after a stop, the same command resumes.
"""

import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from engine.backends.language_models.embedded import converted_folder
from engine.backends.text.parser import load_pipeline
from training.asked_first import epoch_questions
from training.checkpoints import agree, rate, resume, save
from training.cloze import MadeQuestion, made_questions
from training.nq_open import OracleRow, oracle_path, read_oracle
from training.packing import Batch, Pack, batched, packed
from training.reader_examples import CHANGED, Example, Neighbours, epoch_contexts
from training.replay import Replay, kl_per_token

LINEAR = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
POOL = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a reader is trained. ``tokens``: tokens of a step, with padding; ``dropout``: the adapter's; ``dtype``:
    that of the weights and the sums, bfloat16 (autocast) or float32, which a processor without bfloat16 does faster;
    ``start``: the folder of an adapter of the same rank to go on from, "" for a fresh one.

    ``grouped``: epochs with many questions after each context, followed by ``epochs`` with one question before it. In
    these, the shares ``changed`` of the passages contain another answer than the correct one, one share per epoch,
    repeated.
    """

    seed: int = 1
    grouped: int = 0
    epochs: int = 4
    tokens: int = 4_000
    rank: int = 16
    alpha: int = 32
    learning_rate: float = 1e-3
    dropout: float = 0.0
    changed: tuple[float, ...] = (CHANGED,)
    warmup: float = 0.05
    held_out: int = 100
    checkpoint_every: int = 20
    device: str = "cpu"
    dtype: str = "bfloat16"
    start: str = ""


def training_rows(rows: Sequence[OracleRow], held_out: int) -> list[OracleRow]:
    """Return the rows to learn from: without test rows and without the first of split 1, which choose settings."""
    kept_back = set(held_out_rows(rows, held_out))
    return [row for row in rows if not row.test and row not in kept_back]


def held_out_rows(rows: Sequence[OracleRow], count: int) -> list[OracleRow]:
    """Return the first questions of split 1."""
    return [row for row in rows if row.split == 1][:count]


def all_made(rows: Sequence[OracleRow], neighbours: Neighbours, seed: int) -> dict[int, tuple[MadeQuestion, ...]]:
    """Return the made questions about each row's passage."""
    draw = random.Random(seed)
    documents = load_pipeline().pipe([passage.text for passage in neighbours.passages])
    return {at: tuple(made_questions(document, rows[at].passage.title, draw)) for at, document in enumerate(documents)}


def encoded(tokenizer: Any, example: Example) -> tuple[list[int], list[int]]:
    """Return (prompt ids, reply ids with the end token), as the workbench renders a chat turn, or text to continue."""
    turn = [{"role": "user", "content": example.prompt.text}]
    chat = tokenizer.apply_chat_template(turn, add_generation_prompt=True, tokenize=False)
    text = chat if example.prompt.chat else example.prompt.text
    prompt = tokenizer(text, add_special_tokens=False)["input_ids"]
    reply = tokenizer(example.reply, add_special_tokens=False)["input_ids"] + [tokenizer.eos_token_id]
    return prompt, reply


def epoch_batches(contexts: Sequence[tuple[Example, ...]], tokenizer: Any, tokens: int, seed: int) -> list[list[Pack]]:
    """Return an epoch's steps: packs of similar length, as many as the tokens allow, in random order."""
    packs = [packed([encoded(tokenizer, example) for example in examples]) for examples in contexts]
    steps: list[list[Pack]] = []
    size = POOL * 4
    for first in range(0, len(packs), size):
        current: list[Pack] = []
        for pack in sorted(packs[first : first + size], key=len):
            if current and (len(current) + 1) * len(pack) > tokens:
                steps.append(current)
                current = []
            current.append(pack)
        steps.append(current)
    random.Random(seed).shuffle(steps)
    return steps


def loss_of(model: Any, batch: Batch, settings: Settings) -> torch.Tensor:
    """Return the mean cross-entropy per reply token."""
    logits = reply_logits(model.get_base_model(), batch, settings)
    return torch.nn.functional.cross_entropy(logits.float(), batch.targets.to(settings.device))


def reply_logits(whole: Any, batch: Batch, settings: Settings) -> torch.Tensor:
    """Return the logits [reply tokens, vocabulary] from which each reply token is predicted."""
    device, dtype = settings.device, getattr(torch, settings.dtype)
    ids, positions, mask, places = (part.to(device) for part in (batch.ids, batch.positions, batch.mask, batch.places))
    with torch.autocast(device, dtype, enabled=dtype is not torch.float32):
        hidden = whole.model(input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=False)
        logits: torch.Tensor = whole.lm_head(hidden.last_hidden_state[places[:, 0], places[:, 1]])
    return logits


def forgotten(model: Any, replay: Replay, step: int, pad: int, settings: Settings) -> torch.Tensor:
    """Return how far the model is from the one before, on answers from memory: KL in nats a token."""
    batch = replay.batch(step, pad)
    with torch.no_grad():
        before = reply_logits(replay.before, batch, settings)
    return kl_per_token(before, reply_logits(model.get_base_model(), batch, settings))


def adapted(settings: Settings) -> tuple[Any, Any]:
    """Return the model with a fresh adapter, or one that starts at ``settings.start``, and its tokenizer."""
    from peft import LoraConfig, get_peft_model, set_peft_model_state_dict

    folder = converted_folder()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=getattr(torch, settings.dtype)).to(settings.device)
    torch.manual_seed(settings.seed)
    lora = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules=list(LINEAR),
        task_type="CAUSAL_LM",
    )
    model = get_peft_model(model, lora, autocast_adapter_dtype=True)
    if settings.start:
        set_peft_model_state_dict(model, load_file(Path(settings.start) / "adapter_model.safetensors"))
    return model, tokenizer


def frozen(adapter: Path, settings: Settings) -> Any:
    """Return the model with an adapter of the settings' rank, to be compared with and not learnt."""
    model, _ = adapted(replace(settings, start=str(adapter), dropout=0.0))
    return model.eval().requires_grad_(False).get_base_model()


def train(folder: Path, rows: Sequence[OracleRow], settings: Settings) -> None:
    """Train or resume, and write the adapter into the folder."""
    train_steps(folder, settings, lambda tokenizer: schedule(rows, tokenizer, settings))


def train_steps(
    folder: Path,
    settings: Settings,
    scheduled: Callable[[Any], list[tuple[int, int, list[Pack]]]],
    most: int = 0,
    remembered: Callable[[Any], Replay | None] = lambda _: None,
) -> list[float]:
    """Train or resume on the steps that ``scheduled(tokenizer)`` gives, write the adapter, and return the losses.

    ``most`` stops after so many steps (0 = none), with a checkpoint. ``remembered(tokenizer)`` gives what must not be
    forgotten; how far the model is from it counts as much as the replies.
    """
    from peft import get_peft_model_state_dict, set_peft_model_state_dict

    folder.mkdir(parents=True, exist_ok=True)
    agree(folder, settings)
    model, tokenizer = adapted(settings)
    model.train()
    learned = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=settings.learning_rate, weight_decay=0.01, fused=True)
    done = resume(folder, "adapter", partial(set_peft_model_state_dict, model), optimizer)
    losses: list[float] = []
    replay = remembered(tokenizer)
    for step, steps, packs in scheduled(tokenizer):
        if step <= done:
            continue
        began = time.perf_counter()
        for group in optimizer.param_groups:
            group["lr"] = settings.learning_rate * rate(step, steps, settings.warmup)
        loss = loss_of(model, batched(packs, tokenizer.pad_token_id), settings)
        loss.backward()
        if replay is not None:
            forgotten(model, replay, step, tokenizer.pad_token_id, settings).backward()
        torch.nn.utils.clip_grad_norm_(learned, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        spent = time.perf_counter() - began
        losses.append(float(loss.detach()))
        print(
            f"step {step}/{steps} loss {float(loss.detach()):.3f} {sum(map(len, packs))} tokens {spent:.1f} s",
            flush=True,
        )
        stops = step in (steps, most)
        if step % settings.checkpoint_every == 0 or stops:
            save(folder, "adapter", get_peft_model_state_dict(model), optimizer, step)
        if stops:
            break
    write_adapter(model, folder / "adapter")
    return losses


def schedule(rows: Sequence[OracleRow], tokenizer: Any, settings: Settings) -> list[tuple[int, int, list[Pack]]]:
    """Return every step of the training as (step, steps, packs)."""
    neighbours = Neighbours(rows)
    made = all_made(rows, neighbours, settings.seed)
    batches: list[list[Pack]] = []
    for epoch in range(settings.grouped + settings.epochs):
        seed, asked = settings.seed * 1000 + epoch, epoch - settings.grouped
        contexts = (
            epoch_contexts(rows, neighbours, made, seed)
            if asked < 0
            else epoch_questions(rows, neighbours, made, seed, settings.changed[asked % len(settings.changed)])
        )
        batches += epoch_batches(contexts, tokenizer, settings.tokens, seed)
    return [(at, len(batches), packs) for at, packs in enumerate(batches, 1)]


def write_adapter(model: Any, folder: Path) -> None:
    """Write the adapter in half precision, with its settings and without the path of the base weights."""
    from peft import get_peft_model_state_dict

    folder.mkdir(parents=True, exist_ok=True)
    state = {
        name: tensor.detach().half().cpu().contiguous() for name, tensor in get_peft_model_state_dict(model).items()
    }
    save_file(state, folder / "adapter_model.safetensors")
    settings = model.peft_config["default"].to_dict()
    kept = {name: settings[name] for name in ("peft_type", "task_type", "r", "lora_alpha", "target_modules", "bias")}
    kept |= {"inference_mode": True, "base_model_name_or_path": "SmolLM2-135M-Instruct"}
    text = json.dumps(
        {name: sorted(value) if isinstance(value, set) else value for name, value in kept.items()}, indent=2
    )
    (folder / "adapter_config.json").write_text(text + "\n")


def main() -> None:
    """Read the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where checkpoint and adapter go")
    parser.add_argument("--nq", help="nq-open-oracle.jsonl.gz, plain or gzipped")
    for name in ("seed", "grouped", "epochs", "tokens", "rank", "alpha", "held-out"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Settings(), name.replace("-", "_")))
    for name in ("learning-rate", "dropout"):
        parser.add_argument(f"--{name}", type=float, default=getattr(Settings(), name.replace("-", "_")))
    parser.add_argument("--changed", type=float, nargs="+", default=Settings().changed, help="shares, one per epoch")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    given = vars(parser.parse_args())
    folder, rows = given.pop("folder"), read_oracle(oracle_path(given.pop("nq")))
    settings = Settings(**{**given, "changed": tuple(given["changed"])})
    train(folder, training_rows(rows, settings.held_out), settings)


if __name__ == "__main__":
    main()
