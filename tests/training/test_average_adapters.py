"""The mean of adapters: exact where it fits the rank, nearest where it does not."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from training.average_adapters import CONFIG, WEIGHTS, averaged, write_average


def test_two_equal_changes_average_to_themselves_times_the_factor() -> None:
    down, up = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0], [0.0]])

    (kept_down, kept_up), lost = averaged([(down, up), (down, up)], 0.5)

    assert torch.allclose(kept_up @ kept_down, torch.tensor([[1.5, 3.0], [0.0, 0.0]]), atol=1e-6)
    assert lost == pytest.approx(0.0, abs=1e-6)


def test_of_two_orthogonal_changes_the_larger_is_kept_and_the_share_of_the_other_is_lost() -> None:
    first = (torch.tensor([[2.0, 0.0]]), torch.tensor([[1.0], [0.0]]))
    second = (torch.tensor([[0.0, 1.0]]), torch.tensor([[0.0], [1.0]]))

    (down, up), lost = averaged([first, second], 1.0)

    assert torch.allclose(up @ down, torch.tensor([[1.0, 0.0], [0.0, 0.0]]), atol=1e-6)  # singular values 1 and 0.5
    assert lost == pytest.approx(0.25 / 1.25)


def test_adapters_of_different_ranks_are_refused() -> None:
    with pytest.raises(ValueError, match="one rank"):
        averaged([(torch.ones(1, 2), torch.ones(2, 1)), (torch.ones(2, 2), torch.ones(2, 2))], 1.0)


def test_the_mean_is_written_in_half_precision_under_the_names_of_the_layers(tmp_path: Path) -> None:
    for name, factor in (("a", 1.0), ("b", 3.0)):
        (tmp_path / name).mkdir()
        layer = {"q.lora_A.weight": torch.ones(1, 2) * factor, "q.lora_B.weight": torch.ones(2, 1)}
        save_file(layer, str(tmp_path / name / WEIGHTS))
        (tmp_path / name / CONFIG).write_text(json.dumps({"r": 1}), encoding="utf-8")

    write_average([tmp_path / "a", tmp_path / "b"], tmp_path / "mean", 0.5)
    made = load_file(str(tmp_path / "mean" / WEIGHTS))

    assert made["q.lora_A.weight"].dtype == torch.float16
    assert torch.allclose(
        made["q.lora_B.weight"].float() @ made["q.lora_A.weight"].float(), torch.ones(2, 2), atol=1e-2
    )
    assert json.loads((tmp_path / "mean" / CONFIG).read_text(encoding="utf-8")) == {"r": 1}
