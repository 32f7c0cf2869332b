"""The mean of adapters: exact where it fits the rank, and where it does not nearest in what the layers put out."""

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.training.test_reader_examples import ROWS
from training.average_adapters import CONFIG, DOWN, PREFIX, UP, WEIGHTS, averaged, cut, write_average, write_middle

ALIKE = torch.eye(2)


def test_two_changes_average_to_half_their_sum() -> None:
    first = (torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0], [0.0]]))
    second = (torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0], [2.0]]))

    assert averaged([first, second]).tolist() == [[2.0, 3.0], [1.0, 0.0]]


def test_adapters_of_different_ranks_are_refused() -> None:
    with pytest.raises(ValueError, match="one rank"):
        averaged([(torch.ones(1, 2), torch.ones(2, 1)), (torch.ones(2, 2), torch.ones(2, 2))])


def test_a_change_that_fits_the_rank_stays_as_it_is() -> None:
    change = torch.tensor([[1.5, 3.0], [0.0, 0.0]])

    (down, up), lost = cut(change, 1, torch.tensor([[2.0, 1.0], [1.0, 5.0]]))

    assert torch.allclose(up @ down, change, atol=1e-5) and lost == pytest.approx(0.0, abs=1e-6)


def test_where_all_inputs_weigh_alike_the_largest_singular_value_is_kept() -> None:
    (down, up), lost = cut(torch.diag(torch.tensor([1.0, 0.5])), 1, ALIKE)

    assert torch.allclose(up @ down, torch.diag(torch.tensor([1.0, 0.0])), atol=1e-6)
    assert lost == pytest.approx(0.25 / 1.25)


def test_what_seldom_is_read_is_cut_off_even_where_its_change_is_larger() -> None:
    seen = torch.diag(torch.tensor([0.1, 10.0]))  # by their mean, 5.05: 0.0198 and 1.9802, and 0.01 more each

    (down, up), lost = cut(torch.diag(torch.tensor([1.0, 0.5])), 1, seen)

    assert torch.allclose(up @ down, torch.diag(torch.tensor([0.0, 0.5])), atol=1e-5)
    assert lost == pytest.approx(0.0298 / (0.0298 + 0.25 * 1.9902), rel=1e-3)


@pytest.mark.weights
def test_the_mean_is_written_in_half_precision_under_the_names_of_the_layers(tmp_path: Path) -> None:
    layer = PREFIX + "model.layers.29.self_attn.q_proj"
    for name, factor in (("a", 1.0), ("b", 3.0)):
        (tmp_path / name).mkdir()
        tensors = {layer + DOWN: torch.full((1, 576), factor), layer + UP: torch.full((576, 1), 1e-3)}
        save_file(tensors, str(tmp_path / name / WEIGHTS))
        (tmp_path / name / CONFIG).write_text(json.dumps({"r": 1, "lora_alpha": 2}), encoding="utf-8")

    lost = write_average([tmp_path / "a", tmp_path / "b"], tmp_path / "mean", ROWS[:6])
    made = load_file(str(tmp_path / "mean" / WEIGHTS))

    assert made[layer + DOWN].dtype == torch.float16 and lost == pytest.approx(0.0, abs=1e-5)
    product = made[layer + UP].float() @ made[layer + DOWN].float()
    assert torch.allclose(product, torch.full((576, 576), 2e-3), atol=1e-4)
    assert json.loads((tmp_path / "mean" / CONFIG).read_text(encoding="utf-8"))["lora_alpha"] == 2


def test_the_middle_of_a_path_is_the_mean_of_the_matrices_and_other_ranks_are_refused(tmp_path: Path) -> None:
    for name, rank, value in (("first", 1, 1.0), ("second", 1, 4.0), ("wide", 2, 1.0)):
        (tmp_path / name).mkdir()
        save_file({"layer" + DOWN: torch.full((rank, 3), value)}, str(tmp_path / name / WEIGHTS))
        (tmp_path / name / CONFIG).write_text(json.dumps({"r": rank}), encoding="utf-8")

    write_middle([tmp_path / "first", tmp_path / "second"], tmp_path / "middle")
    made = load_file(str(tmp_path / "middle" / WEIGHTS))["layer" + DOWN]
    assert made.dtype == torch.float16 and made.tolist() == [[2.5, 2.5, 2.5]]
    assert json.loads((tmp_path / "middle" / CONFIG).read_text(encoding="utf-8")) == {"r": 1}

    with pytest.raises(ValueError, match="one rank"):
        write_middle([tmp_path / "first", tmp_path / "wide"], tmp_path / "middle")
