"""Train the judge of sentences: a cross-encoder on the packaged MiniLM over two sentences, three classes.

    python -m training.train_sentence_judge FOLDER --evouna NQ.json --from judge.safetensors

It goes on from the judge of answers, which knows how to hold two texts against each other, and trains its upper layers.
Sentences come from the train questions' answers (fifths 2 to 4). Deterministic and resumable, as ``train_judge``.
"""

import argparse
import random
from dataclasses import replace
from pathlib import Path

from engine.core.folders import file_hash
from training.evouna import data_path, read_rows
from training.sentence_pairs import read_sentences, sentence_pairs
from training.train_judge import Settings, chosen_rows, epoch_seeds, train

SENTENCES, PAIRS = 2_000, 8_000


def main() -> None:
    """Read the arguments and train."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where checkpoint and weights go")
    parser.add_argument("--evouna", help="EVOUNA's NQ.json, plain or gzipped")
    parser.add_argument("--from", dest="start", type=Path, help="weights of a judge to go on from")
    parser.add_argument("--sentences", type=int, default=SENTENCES)
    parser.add_argument("--pairs", type=int, default=PAIRS, help="pairs per epoch")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--frozen", type=int, default=4)
    chosen = parser.parse_args()
    start: Path | None = chosen.start
    settings = replace(
        Settings(epochs=chosen.epochs, frozen=chosen.frozen, longest=128),
        start=file_hash(start).hex()[:12] if start else "",
    )
    rows = chosen_rows(read_rows(data_path(chosen.evouna)), settings)
    found = read_sentences(rows, chosen.sentences)
    each = [list(sentence_pairs(random.Random(seed), found, chosen.pairs)) for seed in epoch_seeds(settings)]
    for pairs in each:
        random.Random(settings.seed).shuffle(pairs)
    train(chosen.folder, each, settings, start)


if __name__ == "__main__":
    main()
