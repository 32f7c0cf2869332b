"""Fit the last layer of the embedded judge and write the weights that are shipped.

    python -m training.fit_judge FOLDER --evouna NQ.json [--into judge.safetensors]

FOLDER contains a finished run of ``train_judge``. The last layer is a multinomial logistic regression over the
encoder's logits and features of the words. It is fitted on the fifth of the questions that the encoder did not train on
(split 1), and on pairs made from them with a lower weight, those of hard kinds and neutral ones with a still lower one.
Pairs that a rule decides are left out, since the last layer never sees them in use. The likeliest alias represents
the answer, so fitting and choosing alternate. Encoder weights are stored in half precision and read as float32; that
changes no verdict on the test set.
"""

import argparse
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from sklearn.linear_model import LogisticRegression

from engine.backends.entailment.answers import abstains, words
from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT, NEUTRAL
from engine.backends.entailment.embedded_judge import (
    LAST_BIAS,
    LAST_WEIGHT,
    EmbeddedJudge,
    load_backbone,
    without_encoder,
)
from engine.backends.entailment.evidence import INPUTS, WORD_NUMBERS, last_layer_inputs, word_numbers
from engine.backends.entailment.rules import decided
from engine.backends.number_types import number_type
from training.evouna import Row, data_path, read_rows
from training.judge_pairs import Pair, answer_pairs, hard_pairs, judged_pairs, made_pairs, swapped
from training.train_judge import Settings, chosen_rows

FIT_SPLIT = 1
MADE_WEIGHT, HARD_WEIGHT, NEUTRAL_WEIGHT = 0.5, 0.3, 0.12
MOST_MADE = 2_600
STRENGTH = 0.3  # C of the logistic regression: the inverse of its penalty
LEAST_SPREAD = 0.05  # of an input that hardly varies here and may elsewhere
TURNS = 2


def encoder(folder: Path) -> EmbeddedJudge:
    """Return the judge with a run's encoder, and without a last layer."""
    model, tokenizer = load_backbone()
    model.load_state_dict(load_file(folder / "judge.safetensors"), strict=False)
    return EmbeddedJudge(model, tokenizer, (np.zeros((3, INPUTS)), np.zeros(3)), "unfitted", number_type())


def inputs(judge: EmbeddedJudge, asked: Sequence[tuple[str, str, str]]) -> np.ndarray:
    """Return [n, 32] for (question, premise, hypothesis), question by question, as in use."""
    places: dict[str, list[int]] = {}
    for place, (question, _, _) in enumerate(asked):
        places.setdefault(question, []).append(place)
    out = np.zeros((len(asked), INPUTS))
    for question, chosen in places.items():
        pairs = [asked[place][1:] for place in chosen]
        out[chosen] = last_layer_inputs(word_numbers(question, pairs), judge.logits(question, pairs))
    return out


def extra_pairs(rows: list[Row], seed: int = 11) -> list[Pair]:
    """Return pairs made from the rows, pairs of answers, and correct answers as premises; half of them swapped."""
    draw = random.Random(seed)
    pairs = [*made_pairs(draw, rows, 1.0), *answer_pairs(draw, rows)]
    pairs = [swapped(pair) if draw.random() < 0.5 else pair for pair in pairs]
    turned = [swapped(pair) for row in rows for pair in judged_pairs(draw, row)]
    return [*pairs, *draw.sample(turned, len(turned) // 4)]


def weighed_pairs(rows: list[Row], seed: int = 12) -> tuple[list[Pair], np.ndarray]:
    """Return made and hard pairs that no wording decides, and their weights [n]."""
    draw = random.Random(seed)
    made = extra_pairs(rows)
    made = draw.sample(made, min(MOST_MADE, len(made)))
    hard = [swapped(pair) if draw.random() < 0.5 else pair for pair in hard_pairs(draw, rows, 1.0)]
    weights = [MADE_WEIGHT] * len(made) + [NEUTRAL_WEIGHT if pair.label == NEUTRAL else HARD_WEIGHT for pair in hard]
    kept = [
        (pair, weight)
        for pair, weight in zip((*made, *hard), weights, strict=True)
        if decided(pair.premise, pair.hypothesis, words(pair.question)) is None
    ]
    return [pair for pair, _ in kept], np.array([weight for _, weight in kept])


def fitted(judge: EmbeddedJudge, rows: list[Row]) -> tuple[np.ndarray, np.ndarray]:
    """Return weight [3, 32] and bias [3] of the last layer."""
    asked = [(row.question, row.answer, gold) for row in rows for gold in row.golds]
    owners = np.array([place for place, row in enumerate(rows) for _ in row.golds])
    is_open = np.array([without_encoder(*one) is None for one in asked])
    labels = np.array(
        [ENTAILMENT if row.right else NEUTRAL if abstains(row.answer) else CONTRADICTION for row in rows], dtype=int
    )
    made, weights = weighed_pairs(rows)
    judged = inputs(judge, asked)
    more = inputs(judge, [(pair.question, pair.premise, pair.hypothesis) for pair in made])
    both = np.vstack((judged, more))
    centre, spread = both.mean(axis=0), np.maximum(both.std(axis=0), LEAST_SPREAD)
    judged, more = (judged - centre) / spread, (more - centre) / spread
    scores = judged[:, WORD_NUMBERS + ENTAILMENT]  # the encoder's centred logit of entailment
    for _ in range(TURNS):
        chosen = likeliest(scores, owners)
        chosen = chosen[is_open[chosen]]
        model = LogisticRegression(C=STRENGTH, max_iter=2000)
        model.fit(
            np.vstack((judged[chosen], more)),
            np.concatenate((labels[owners[chosen]], [pair.label for pair in made])),
            sample_weight=np.concatenate((np.ones(len(chosen)), weights)),
        )
        scores = model.predict_log_proba(judged)[:, ENTAILMENT]
    weight = model.coef_ / spread
    return weight, model.intercept_ - weight @ centre


def likeliest(scores: np.ndarray, owners: np.ndarray) -> np.ndarray:
    """Return, per answer, the place of its alias with the highest score.

    >>> likeliest(np.array([0.2, 0.9, 0.5]), np.array([0, 0, 1])).tolist()
    [1, 2]
    """
    order = np.lexsort((-scores, owners))
    return order[np.unique(owners[order], return_index=True)[1]]


def stored(folder: Path, last_layer: tuple[np.ndarray, np.ndarray]) -> dict[str, torch.Tensor]:
    """Return the shipped weights: the encoder's changed weights in half precision, the last layer in single."""
    changed = {name: tensor.half() for name, tensor in load_file(folder / "judge.safetensors").items()}
    weight, bias = (torch.from_numpy(part).float().contiguous() for part in last_layer)
    return {**changed, LAST_WEIGHT: weight, LAST_BIAS: bias}


def settings_of(folder: Path) -> dict[str, Any]:
    """Return the settings of a finished run."""
    found: dict[str, Any] = json.loads((folder / "settings.json").read_text())
    return found


def main() -> None:
    """Fit the last layer and write the shipped weights."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="a finished run of train_judge")
    parser.add_argument("--evouna", help="EVOUNA's NQ.json, plain or gzipped")
    parser.add_argument("--into", type=Path, help="the file to write; FOLDER/shipped.safetensors without it")
    chosen = parser.parse_args()
    kept = settings_of(chosen.folder)
    if FIT_SPLIT in kept["splits"]:
        raise SystemExit(f"{chosen.folder} was trained on split {FIT_SPLIT}, which the last layer is fitted on.")
    left = Settings(
        splits=(FIT_SPLIT,), leave_out_system=kept["leave_out_system"], leave_out_type=kept["leave_out_type"]
    )
    rows = chosen_rows(read_rows(data_path(chosen.evouna)), left)
    last_layer = fitted(encoder(chosen.folder), rows)
    save_file(stored(chosen.folder, last_layer), chosen.into or chosen.folder / "shipped.safetensors")


if __name__ == "__main__":
    main()
