"""Train the writer: a LoRA adapter on SmolLM2-135M-Instruct that answers step by step in the few-shot format.

    python -m training.train_writer FOLDER --nq nq-open-oracle.jsonl.gz --multihop multihop.jsonl.gz

Data: ``training.writer_examples``. Everything else is the reader's (``training.train_reader``): weights in bfloat16,
the adapter in float32, loss on the reply alone, checkpoints, and the same command resumes. A step of 4,000 tokens holds
about six prompts. ``--most N`` stops after N steps, to see that the loss falls.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training.multihop import MultihopRow, for_training, read_multihop
from training.nq_open import OracleRow, oracle_path, read_oracle
from training.packing import Pack
from training.reader_examples import Neighbours
from training.train_reader import Settings, epoch_batches, train_steps, training_rows
from training.writer_examples import chains_of, epoch_examples

# A few-shot prompt is ten times as long as the reader's: one question of a prompt is one row.
DEFAULTS = Settings(epochs=3, learning_rate=5e-4, held_out=100)


def writer_schedule(
    rows: Sequence[OracleRow], multihop: Sequence[MultihopRow], tokenizer: Any, settings: Settings
) -> list[tuple[int, int, list[Pack]]]:
    """Return every step of the training as (step, steps, packs)."""
    neighbours, chains = Neighbours(rows), chains_of(multihop)
    batches: list[list[Pack]] = []
    for epoch in range(settings.epochs):
        seed = settings.seed * 1000 + epoch
        changed = settings.changed[epoch % len(settings.changed)]
        examples = epoch_examples(rows, chains, neighbours, seed, changed)
        batches += epoch_batches([(example,) for example in examples], tokenizer, settings.tokens, seed)
    return [(at, len(batches), packs) for at, packs in enumerate(batches, 1)]


def main() -> None:
    """Read the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where checkpoint and adapter go")
    parser.add_argument("--nq", help="nq-open-oracle.jsonl.gz, plain or gzipped")
    parser.add_argument("--multihop", type=Path, required=True, help="multihop.jsonl.gz, plain or gzipped")
    for name in ("seed", "epochs", "tokens", "rank", "alpha", "held-out", "checkpoint-every"):
        parser.add_argument(f"--{name}", type=int, default=getattr(DEFAULTS, name.replace("-", "_")))
    for name in ("learning-rate", "dropout"):
        parser.add_argument(f"--{name}", type=float, default=getattr(DEFAULTS, name.replace("-", "_")))
    parser.add_argument("--changed", type=float, nargs="+", default=DEFAULTS.changed, help="shares, one per epoch")
    parser.add_argument("--start", default="", help="folder of an adapter to go on from: the reader's reads already")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--dtype", choices=("bfloat16", "float32"), default=DEFAULTS.dtype)
    parser.add_argument("--most", type=int, default=0, help="stop after so many steps")
    given = vars(parser.parse_args())
    folder, most, multihop = given.pop("folder"), given.pop("most"), given.pop("multihop")
    rows = read_oracle(oracle_path(given.pop("nq")))
    settings = Settings(**{**given, "changed": tuple(given["changed"])})
    learned, chains = training_rows(rows, settings.held_out), for_training(read_multihop(multihop))
    train_steps(folder, settings, lambda tokenizer: writer_schedule(learned, chains, tokenizer, settings), most)


if __name__ == "__main__":
    main()
