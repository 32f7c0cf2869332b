"""Weight matrices and their products; small ones in bfloat16 are also stored as oneDNN multiplies few rows fastest.

A decoding step multiplies a few dozen rows with every matrix of the model. PyTorch hands each matrix to oneDNN as it
lies, which puts it into blocks again in every product; put into blocks once, the same product takes half to two thirds
of the time up to two hundred rows, and its numbers are the same bit for bit. The two functions that do it are those
PyTorch's own compiler calls for frozen weights. They are not promised to stay, so they are tried before they are used:
where they are missing or give another number, the plain product is taken.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.functional import linear

FEW_ROWS = 200
USUAL_ROWS = 16
LARGEST_MODEL = 2**29
"""Bytes of a model whose matrices are stored twice at most."""

Lay = Callable[[torch.Tensor], torch.Tensor | None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matrix:
    """A weight matrix [out, in] with its bias [out]; ``blocks`` is the same in oneDNN's order, None where it is not."""

    weight: torch.Tensor
    bias: torch.Tensor | None = None
    blocks: torch.Tensor | None = None


def product(x: torch.Tensor, matrix: Matrix) -> torch.Tensor:
    """Return rows [n, in] times the matrix, plus its bias: [n, out]."""
    if matrix.blocks is None or len(x) > FEW_ROWS:
        return linear(x, matrix.weight, matrix.bias)
    return in_blocks(x, matrix.blocks, matrix.bias)


def block_layout(model: Any, *, allowed: bool = True) -> Lay:
    """Return what puts a matrix of this model into blocks; it gives None for all of a model that stays as it is."""
    weights = list(model.parameters())
    small = sum(weight.nbytes for weight in weights) <= LARGEST_MODEL
    wanted = allowed and small and weights[0].dtype == torch.bfloat16
    return blocks_of if wanted and blocks_agree() else lambda weight: None


def blocks_agree() -> bool:
    """Return whether this PyTorch, on this processor, multiplies by blocks and gives the plain product's numbers."""
    try:
        if not torch.ops.mkldnn._is_mkldnn_bf16_supported():
            return False
        weight = torch.linspace(-1, 1, 96 * 64, dtype=torch.bfloat16).view(96, 64)
        x = torch.linspace(1, -2, 5 * 64, dtype=torch.bfloat16).view(5, 64)
        return torch.equal(in_blocks(x, blocks_of(weight), None), linear(x, weight))
    except (AttributeError, RuntimeError, TypeError):  # another PyTorch: other names, other arguments
        return False


def blocks_of(weight: torch.Tensor) -> torch.Tensor:
    """Return a matrix in oneDNN's order for a few rows."""
    blocks: torch.Tensor = torch.ops.mkldnn._reorder_linear_weight(weight, USUAL_ROWS)
    return blocks


def in_blocks(x: torch.Tensor, blocks: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    """Return rows times a matrix that lies in blocks."""
    out: torch.Tensor = torch.ops.mkldnn._linear_pointwise(x, blocks, bias, "none", [], "")
    return out
