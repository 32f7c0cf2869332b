"""Train the writer: a LoRA adapter on SmolLM2-135M-Instruct that answers step by step in the few-shot format.

    python -m training.train_writer FOLDER --nq nq-open-oracle.jsonl.gz --multihop multihop.jsonl.gz

Data: ``training.writer_examples``. Everything else is the reader's (``training.train_reader``): weights in bfloat16,
the adapter in float32, loss on the reply alone, checkpoints, and the same command resumes. A step of 4,000 tokens holds
about six prompts. ``--most N`` stops after N steps, to see that the loss falls; ``--steps N`` trains on the first N
steps alone. ``--remember ADAPTER`` keeps what that adapter says from memory (``training.replay``).
"""

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.backends.devices import chosen_device
from engine.core.records import Passage, Prompt
from engine.methods.profiles import step_by_step_prompt
from training.evouna import split_of
from training.json_lines import read_json_lines
from training.made_hops import made_chains
from training.multihop import MultihopRow, for_training, read_multihop
from training.nq_open import OracleRow, oracle_path, read_oracle
from training.packing import Pack
from training.page_facts import pages_of
from training.reader_examples import Neighbours
from training.replay import Replay, own_answers, replayed
from training.train_reader import Settings, all_made, epoch_batches, frozen, train_steps, training_rows
from training.writer_examples import REPEATED, Chain, chains_of, cloze_chains, epoch_examples

# A few-shot prompt is ten times as long as the reader's: one question of a prompt is one row.
MADE = (350, 350, 300)
DEFAULTS = Settings(epochs=3, learning_rate=5e-4, held_out=100)
FEW = 6  # answers from memory beside each step


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """What an epoch holds: ``made`` questions of several hops, so many ``cloze`` questions made from single sentences;
    at most ``most_rows`` Natural Questions; how often a chain stands.
    """

    made: tuple[Chain, ...] = ()
    cloze: int = 0
    most_rows: int = 0
    repeated: int = REPEATED


def writer_schedule(
    rows: Sequence[OracleRow],
    multihop: Sequence[MultihopRow],
    tokenizer: Any,
    settings: Settings,
    mixture: Mixture = Mixture(),
    first: int = 0,
) -> list[tuple[int, int, list[Pack]]]:
    """Return every step of the training as (step, steps, packs); ``first`` leaves out all behind so many, 0 = none."""
    neighbours, chains = Neighbours(rows), chains_of(multihop)
    sentences = all_made(rows, neighbours, settings.seed) if mixture.cloze else {}
    batches: list[list[Pack]] = []
    for epoch in range(settings.epochs):
        seed = settings.seed * 1000 + epoch
        changed = settings.changed[epoch % len(settings.changed)]
        made = (*mixture.made, *cloze_chains(random.Random(seed), sentences, neighbours, mixture.cloze))
        examples = epoch_examples(rows, chains, neighbours, seed, changed, made, mixture.most_rows, mixture.repeated)
        batches += epoch_batches([(example,) for example in examples], tokenizer, settings.tokens, seed)
    batches = batches[: first or None]
    return [(at, len(batches), packs) for at, packs in enumerate(batches, 1)]


def remembered(
    adapter: Path, rows: Sequence[OracleRow], chains: Sequence[Chain], tokenizer: Any, settings: Settings
) -> Replay:
    """Return what an adapter says from memory to the questions that are learnt from, made ones among them."""
    sentences = all_made(rows, Neighbours(rows), settings.seed)
    asked = [*(row.question for row in rows), *(chain.question for chain in chains)]
    asked += [made[0].question for made in sentences.values() if made]
    prompts: list[Prompt] = [step_by_step_prompt(question) for question in dict.fromkeys(asked)]
    packs = replayed(tokenizer, own_answers(adapter, prompts, settings.seed, chosen_device(settings.device)))
    return Replay(before=frozen(adapter, settings), packs=packs, few=FEW, seed=settings.seed)


def source_passages(wikipedia: Path, rows: Sequence[OracleRow], multihop: Sequence[MultihopRow]) -> tuple[Passage, ...]:
    """Return the passages that questions are made from.

    None whose title stands under a test question, and none of every fifth title, so that made questions can be kept
    aside too.
    """
    kept_out = {passage.title for row in multihop if row.test for passage in row.passages}
    plain = [
        Passage(text=one["text"], title=one["title"], document_id=one["title"], end=len(one["text"]))
        for one in read_json_lines(wikipedia)
    ]
    others = [passage for row in multihop if not row.test for passage in row.passages]
    found = [*plain, *others, *(row.passage for row in rows)]
    return tuple(passage for passage in found if passage.title not in kept_out and split_of(passage.title) != 0)


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
    parser.add_argument("--wikipedia", type=Path, help="passages (title, text) to make questions of several hops from")
    parser.add_argument("--made", type=int, nargs=3, default=MADE, help="bridges, over mentions, comparisons at most")
    parser.add_argument("--most-rows", type=int, default=0, help="Natural Questions of an epoch, 0 = all")
    parser.add_argument("--repeated", type=int, default=REPEATED, help="how often a written chain stands in an epoch")
    parser.add_argument("--cloze", type=int, default=0, help="questions of an epoch that are made from a sentence")
    parser.add_argument("--remember", type=Path, help="folder of an adapter whose answers from memory are kept")
    parser.add_argument("--steps", type=int, default=0, help="train on the first so many steps, 0 = all")
    parser.add_argument("--most", type=int, default=0, help="stop after so many steps")
    given = vars(parser.parse_args())
    folder, most, wikipedia, counts = (given.pop(name) for name in ("folder", "most", "wikipedia", "made"))
    before, first = given.pop("remember"), given.pop("steps")
    rows, asked = read_oracle(oracle_path(given.pop("nq"))), read_multihop(given.pop("multihop"))
    shares = {name: given.pop(name) for name in ("most_rows", "repeated", "cloze")}
    settings = Settings(**{**given, "changed": tuple(given["changed"])})
    learned, chains = training_rows(rows, settings.held_out), for_training(asked)
    pages = pages_of(source_passages(wikipedia, learned, asked)) if wikipedia else ()
    mixture = Mixture(made=made_chains(pages, tuple(counts), settings.seed) if pages else (), **shares)
    train_steps(
        folder,
        settings,
        lambda tokenizer: writer_schedule(learned, chains, tokenizer, settings, mixture, first),
        most,
        lambda tokenizer: (
            remembered(before, learned, [*chains_of(chains), *mixture.made], tokenizer, settings) if before else None
        ),
    )


if __name__ == "__main__":
    main()
