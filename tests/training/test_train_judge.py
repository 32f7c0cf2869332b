"""Training and fitting the judge on a handful of rows, with the real encoder."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.backends.entailment.embedded_judge import load_embedded_judge
from training import fit_judge, train_judge
from training.evouna import Row
from training.judge_pairs import epoch_pairs
from training.train_judge import Settings, batches, chosen_rows, epoch_seeds, train

SETTINGS = Settings(epochs=1, batch=4, made=0.5, wordnet=0, checkpoint_every=2, frozen=5)


def row(answer: str, right: bool, question: str, gold: str, split: int = 2, system: str = "fid") -> Row:
    """Return a judged answer."""
    return Row(system=system, question=question, answer=answer, golds=(gold,), right=right, split=split)


ROWS = [
    row(answer, answer == gold, f"which city is number {place}", gold)
    for place, gold in enumerate(("Paris", "Rome", "Oslo", "Cairo", "Lima", "Quito"))
    for answer in (gold, "Berlin, I think", "Berlin, but I don't know")
]
EACH = [epoch_pairs(ROWS, (), seed, 0, SETTINGS.made) for seed in epoch_seeds(SETTINGS)]


def test_test_rows_and_what_is_left_out_are_never_trained_on() -> None:
    rows = [
        row("a", True, "who is it", "a", split=0),
        row("b", True, "who is it", "b", split=2),
        row("c", True, "who is it", "c", split=2, system="gpt4"),
        row("d", True, "when is it", "1950", split=2),
    ]
    assert [found.answer for found in chosen_rows(rows, Settings())] == ["b", "c", "d"]
    assert chosen_rows(rows, Settings(splits=(0,))) == []
    left = Settings(leave_out_system="gpt4", leave_out_type="dates")
    assert [found.answer for found in chosen_rows(rows, left)] == ["b"]


@pytest.mark.weights
def test_a_training_that_was_stopped_ends_as_one_that_was_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train(tmp_path / "whole", EACH, SETTINGS)
    taken, step = [0], train_judge.learned

    def stopping(*given: object) -> float:
        taken[0] += 1
        if taken[0] == 4:
            raise KeyboardInterrupt
        return step(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(train_judge, "learned", stopping)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "stopped", EACH, SETTINGS)
    monkeypatch.setattr(train_judge, "learned", step)
    train(tmp_path / "stopped", EACH, SETTINGS)
    whole, stopped = (load_file(tmp_path / name / "judge.safetensors") for name in ("whole", "stopped"))
    assert set(whole) == set(stopped) and "classifier.weight" in whole
    assert all(torch.allclose(whole[name], stopped[name], atol=1e-5) for name in whole)


@pytest.mark.weights
def test_a_fitted_judge_is_loaded_and_calls_right_what_it_was_fitted_on(tmp_path: Path) -> None:
    train(tmp_path, EACH, SETTINGS)
    judge = fit_judge.encoder(tmp_path)
    save_file(fit_judge.stored(tmp_path, fit_judge.fitted(judge, ROWS)), tmp_path / "shipped.safetensors")
    shipped = load_embedded_judge(tmp_path / "shipped.safetensors")
    rows = shipped.entailment(
        "which city is number 0", ["Paris, yes", "Berlin, I think", "I don't know"], ["Paris"] * 3
    )
    assert rows.argmax(axis=1).tolist() == [2, 0, 1]
    assert json.loads((tmp_path / "settings.json").read_text())["frozen"] == 5


@pytest.mark.weights
def test_batches_hold_every_pair_once() -> None:
    from engine.backends.entailment.embedded_judge import load_backbone

    pairs = epoch_pairs(ROWS, (), 0, 0, 1.0)
    _, tokenizer = load_backbone()
    sizes = [len(batch["labels"]) for batch in batches(pairs, tokenizer, SETTINGS, 0)]
    assert sum(sizes) == len(pairs) and max(sizes) == 4


def test_the_likeliest_alias_of_each_answer_stands_for_it() -> None:
    assert fit_judge.likeliest(np.array([0.1, 0.7, 0.2, 0.9, 0.3]), np.array([0, 0, 1, 2, 2])).tolist() == [1, 2, 3]
