"""Products with matrices in oneDNN's order: the plain product's numbers, or the plain product itself."""

import itertools

import pytest
import torch
from torch.nn.functional import linear

from engine.backends.language_models.decoder import matrices
from engine.backends.language_models.decoder.llama import llama_weights
from engine.backends.language_models.decoder.matrices import (
    FEW_ROWS,
    Matrix,
    block_layout,
    blocks_agree,
    blocks_of,
    product,
)
from tests.each_row import each_row
from tests.engine.backends.language_models.tiny_models import LEAN, built

NEEDS_BLOCKS = pytest.mark.skipif(not blocks_agree(), reason="this processor or PyTorch has no products by blocks")


@NEEDS_BLOCKS
@each_row(itertools.product([1, 2, 7, 16, 41, 128, FEW_ROWS], [(960, 576), (576, 1536), (3072, 576), (49152, 576)]))
def test_rows_times_a_matrix_in_blocks_are_the_plain_product_bit_for_bit(case: tuple[int, tuple[int, int]]) -> None:
    rows, (out, width) = case
    draw = torch.Generator().manual_seed(out + rows)
    weight = torch.randn(out, width, generator=draw).bfloat16()
    x, bias = torch.randn(rows, width, generator=draw).bfloat16(), torch.randn(out, generator=draw).bfloat16()
    assert torch.equal(product(x, Matrix(weight=weight, blocks=blocks_of(weight))), linear(x, weight))
    with_bias = product(x, Matrix(weight=weight, bias=bias, blocks=blocks_of(weight)))
    assert torch.equal(with_bias, linear(x, weight, bias))


def test_many_rows_take_the_plain_product() -> None:
    weight, x = torch.eye(3), torch.ones(FEW_ROWS + 1, 3)
    unused = torch.zeros(0)
    assert torch.equal(product(x, Matrix(weight=weight, bias=torch.ones(3), blocks=unused)), x + 1)


@NEEDS_BLOCKS
def test_a_small_model_in_bfloat16_has_blocks_and_a_large_one_or_float32_has_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = built(LEAN["Qwen2"]).bfloat16()
    llama = llama_weights(model)
    assert llama is not None and llama.vocabulary.blocks is not None and llama.layers[0].down.blocks is not None
    assert block_layout(built(LEAN["Qwen2"]))(torch.eye(2)) is None
    assert block_layout(model, allowed=False)(torch.eye(2)) is None
    monkeypatch.setattr(matrices, "LARGEST_MODEL", 10)
    assert block_layout(model)(torch.eye(2)) is None


@pytest.mark.parametrize("error", [AttributeError("renamed"), RuntimeError("refused"), TypeError("other arguments")])
def test_another_pytorch_without_these_products_keeps_the_plain_ones(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr(matrices, "blocks_of", fails)
    assert not blocks_agree()
    model = built(LEAN["Qwen2"]).bfloat16()
    llama = llama_weights(model)
    assert llama is not None and llama.vocabulary.blocks is None


def test_products_that_give_another_number_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrices, "in_blocks", lambda x, blocks, bias: x)
    assert not blocks_agree()
