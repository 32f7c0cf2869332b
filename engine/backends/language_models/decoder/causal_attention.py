"""Attention of a piece of a prompt over all of it that was read, block of tokens by block of tokens.

No token of a block sees past the block's end, so much of what a causal mask would hide is never computed. In bfloat16
a block is three whole products (scores, softmax, values), as transformers' own "eager" attention has them, in a third
of the time of torch's kernel for processors; scores are rounded to bfloat16 there, which the kernel does not do. Every
block takes this way, and its places are made up to a multiple of 64: so from the same keys and values what a token
sees is the same bit for bit, however its text is cut into pieces. In float32 the kernel is the faster one, and takes
every block.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch.nn.functional import scaled_dot_product_attention

BLOCK = {torch.bfloat16: 256}
USUAL_BLOCK = 64
PLACES = 64
"""Products over other numbers of places take other ways through the library, which round otherwise."""
LEAST_TOKENS = 2  # so do products of one token


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Block:
    """Tokens [first, end) of a piece, which see the ``places`` first tokens of their text.

    ``later`` [tokens, tokens] hides by -inf, among the block's own places, what comes after each token.
    """

    first: int
    end: int
    places: int
    later: torch.Tensor


def blocks_of(first: int, end: int, dtype: torch.dtype) -> list[Block]:
    """Return the blocks of the tokens [first, end) of a text.

    >>> [(block.first, block.end, block.places) for block in blocks_of(10, 110, torch.float32)]
    [(0, 64, 74), (64, 100, 110)]
    """
    most, count = BLOCK.get(dtype, USUAL_BLOCK), end - first
    blocks = []
    for start in range(0, count, most):
        stop = min(start + most, count)
        later = torch.full((stop - start, stop - start), -torch.inf, dtype=dtype).triu_(1)
        blocks.append(Block(first=start, end=stop, places=first + stop, later=later))
    return blocks


def attention(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, blocks: Sequence[Block]
) -> list[torch.Tensor]:
    """Return what the tokens of each block see: [tokens, heads, size].

    Queries [tokens, heads, size] of a piece; keys and values [kv heads, places, size] of its text up to its end.
    """
    seen = []
    for block in blocks:
        here = queries[block.first : block.end].transpose(0, 1)
        way = products if here.dtype == torch.bfloat16 else kernel
        seen.append(way(here, keys[:, : block.places], values[:, : block.places], block.later).transpose(0, 1))
    return seen


def products(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, later: torch.Tensor) -> torch.Tensor:
    """Return attention [heads, tokens, size] by three whole products."""
    (heads, tokens, size), (kv, places, _) = queries.shape, keys.shape
    if tokens < LEAST_TOKENS:
        twice = products(queries.repeat(1, LEAST_TOKENS, 1), keys, values, later.expand(LEAST_TOKENS, -1))
        return twice[:, :1]
    missing = -places % PLACES
    keys, values = (torch.nn.functional.pad(states, (0, 0, 0, missing)) for states in (keys, values))
    grouped = queries.reshape(kv, -1, size)  # heads that share their keys are further rows of one product
    scores = torch.bmm(grouped * size**-0.5, keys.transpose(1, 2))
    by_token = scores.view(heads, tokens, places + missing)
    by_token[:, :, places - later.shape[1] : places] += later
    by_token[:, :, places:] = -torch.inf
    return torch.bmm(torch.softmax(scores, dim=-1), values).view(heads, tokens, size)


def kernel(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, later: torch.Tensor) -> torch.Tensor:
    """Return attention [heads, tokens, size] by torch's own kernel."""
    tokens, places = len(later), keys.shape[1]
    mask = None if tokens == 1 else torch.nn.functional.pad(later, (places - tokens, 0))
    out = scaled_dot_product_attention(queries[None], keys[None], values[None], attn_mask=mask, enable_gqa=True)
    return out[0]
