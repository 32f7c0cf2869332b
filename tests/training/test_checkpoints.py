"""A training is taken up where it stopped, with the settings it began with."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from training.checkpoints import agree, rate, resume, save
from training.train_judge import Settings


def test_the_learning_rate_goes_up_in_a_line_and_down_to_nothing() -> None:
    assert [rate(step, 100, 0.1) for step in (0, 5, 10, 55, 100)] == pytest.approx([0.0, 0.5, 1.0, 0.5, 0.0])


def test_a_folder_with_other_settings_is_refused(tmp_path: Path) -> None:
    agree(tmp_path, Settings())
    agree(tmp_path, Settings())
    with pytest.raises(SystemExit, match="other settings"):
        agree(tmp_path, replace(Settings(), seed=9))


def test_a_checkpoint_brings_weights_and_optimizer_back_with_the_steps_done(tmp_path: Path) -> None:
    layers = [torch.nn.Linear(2, 1) for _ in range(2)]
    first, second = (torch.optim.AdamW(layer.parameters()) for layer in layers)
    assert resume(tmp_path, "model", layers[1].load_state_dict, second) == 0
    layers[0](torch.ones(2)).backward()
    first.step()
    save(tmp_path, "model", layers[0].state_dict(), first, 7)
    assert resume(tmp_path, "model", layers[1].load_state_dict, second) == 7
    assert torch.equal(layers[0].weight, layers[1].weight)
    assert second.state_dict()["state"][0]["step"] == 1
    assert [file.name for file in tmp_path.iterdir()] == ["checkpoint.pt"]
