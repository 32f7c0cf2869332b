"""Attention over a prompt block by block, beside its definition in float64."""

from itertools import product

import torch

from engine.backends.language_models.decoder.causal_attention import attention, blocks_of
from tests.each_row import each_row

HEADS, KEY_VALUE_HEADS, SIZE = 6, 2, 8


def drawn(dtype: torch.dtype, tokens: int, places: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return queries of the last ``tokens`` places, keys and values of all ``places``, from one seed."""
    noise = torch.Generator().manual_seed(3)
    shapes = (tokens, HEADS, SIZE), (KEY_VALUE_HEADS, places, SIZE), (KEY_VALUE_HEADS, places, SIZE)
    queries, keys, values = (torch.randn(shape, generator=noise).to(dtype) for shape in shapes)
    return queries, keys, values


def defined(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Return softmax(q k / sqrt(size)) v in float64, each token over the places up to its own."""
    tokens, places = len(queries), keys.shape[1]
    repeated = [part.double().repeat_interleave(HEADS // KEY_VALUE_HEADS, dim=0) for part in (keys, values)]
    scores = queries.double().transpose(0, 1) @ repeated[0].transpose(1, 2) / SIZE**0.5
    own = torch.arange(places - tokens, places)
    scores.masked_fill_(torch.arange(places)[None] > own[:, None], -torch.inf)
    return (scores.softmax(-1) @ repeated[1]).transpose(0, 1)


@each_row(product([1, 2, 15, 16, 63, 64, 65, 300], [0, 7], [(torch.float32, 2e-6), (torch.bfloat16, 3e-2)]))
def test_every_token_sees_its_own_past_and_nothing_later(row: tuple[int, int, tuple[torch.dtype, float]]) -> None:
    tokens, past, (dtype, close) = row
    queries, keys, values = drawn(dtype, tokens, past + tokens)
    seen = torch.cat(attention(queries, keys, values, blocks_of(past, past + tokens, dtype)))
    assert seen.dtype == dtype and seen.shape == (tokens, HEADS, SIZE)
    assert float((seen.double() - defined(queries, keys, values)).abs().max()) < close


def test_a_block_never_looks_past_its_end() -> None:
    queries, keys, values = drawn(torch.float32, 130, 130)
    before = attention(queries, keys, values, blocks_of(0, 130, torch.float32))
    keys[:, 128:], values[:, 128:] = torch.nan, torch.nan
    after = attention(queries, keys, values, blocks_of(0, 130, torch.float32))
    assert torch.equal(before[0], after[0]) and torch.equal(before[1], after[1])
    assert bool(after[2].isnan().all())


def test_in_bfloat16_a_block_is_longer_for_its_products_are_whole() -> None:
    assert [block.end for block in blocks_of(0, 300, torch.bfloat16)] == [256, 300]
    assert [block.end for block in blocks_of(0, 150, torch.float32)] == [64, 128, 150]


@each_row(product([(45, (20, 44)), (300, (37, 100, 256, 299)), (150, (64, 149))], [3, 9]))
def test_in_bfloat16_a_token_sees_the_same_bit_for_bit_however_its_text_is_cut(
    row: tuple[tuple[int, tuple[int, ...]], int],
) -> None:
    (length, cuts), seed = row
    noise = torch.Generator().manual_seed(seed)
    shapes = (length, HEADS, 64), (KEY_VALUE_HEADS, length, 64), (KEY_VALUE_HEADS, length, 64)
    queries, keys, values = (torch.randn(shape, generator=noise).to(torch.bfloat16) for shape in shapes)
    whole = torch.cat(attention(queries, keys, values, blocks_of(0, length, torch.bfloat16)))
    for cut in cuts:
        parts = [
            attention(queries[first:end], keys[:, :end], values[:, :end], blocks_of(first, end, torch.bfloat16))
            for first, end in ((0, cut), (cut, length))
        ]
        assert torch.equal(whole, torch.cat([seen for part in parts for seen in part]))
