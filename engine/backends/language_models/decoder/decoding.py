"""Decoding rows together: choose each row's next token, step, let rows go as they end.

Rows that share a prompt share its keys and values. What holds these is a batch: for models of the Llama family the lean
one (``shared_batch``), for others transformers' own (``padded_batch``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

import torch

from engine.backends.language_models.decoder.echo import Echo
from engine.core.errors import ModelError
from engine.core.progress import Report, TokensDecoded
from engine.core.seeds import uniform_at

BLOCK = 256  # places summed at a time where a draw looks for its token
FEW_ROWS = 8  # rows of logits looked at together: more in float32 fall out of the processor's caches


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One decoded position: token id, its log-probability and the entropy of its distribution, both in nats."""

    id: int
    logprob: float
    entropy: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The ids of a prompt whose reading is kept behind a change, and how many of the last tokens are read again."""

    ids: tuple[int, ...]
    tail: int


@dataclass(slots=True, kw_only=True)
class Row:
    """One request on its way through the batch. ``ended`` reads the ids so far and says whether to stop."""

    ids: tuple[int, ...]
    max_tokens: int
    temperature: float
    seed: int
    ended: Callable[[list[int]], bool]
    kept: Kept | None = None
    steps: list[Step] = field(default_factory=list)


class Batch(Protocol):
    """Rows with their keys and values, in order."""

    @property
    def guesses(self) -> int:
        """How many tokens, beside one of each row, a step may read at little cost."""

    @property
    def guesses_each(self) -> int:
        """How many of these one row may have."""

    def step(self, tokens: Sequence[Sequence[int]]) -> torch.Tensor:
        """Return the logits [tokens, vocab] after each further token of each row, row after row."""

    def accept(self, counts: Sequence[int]) -> None:
        """Keep the first so many of each row's tokens of the last step; the others were wrong guesses."""

    def keep(self, rows: Sequence[int]) -> None:
        """Let go of all rows but these, given in order."""


@torch.inference_mode()
def step_together(rows: Sequence[Row], batch: Batch, logits: torch.Tensor, report: Report) -> None:
    """Step the rows from their first logits [rows, vocab] until each has ended or reached its limit."""
    echoes = [Echo(row.ids) for row in rows]
    guessed: list[tuple[int, ...]] = [()] * len(rows)
    ahead, first = logits, True
    while True:
        before = [len(row.steps) for row in rows]
        over = choose_while_right(rows, guessed, ahead)
        counts = [len(row.steps) - count for row, count in zip(rows, before, strict=True)]
        report(TokensDecoded(count=sum(counts)))
        going = [index for index in range(len(rows)) if not over[index]]
        if not going:
            return
        if not first:
            batch.accept(counts)
        if len(going) < len(rows):
            batch.keep(going)
        for index in going:
            echoes[index].learn(len(guessed[index]), counts[index] - 1)
            echoes[index].read([step.id for step in rows[index].steps[-counts[index] :]])
        rows, echoes = [rows[index] for index in going], [echoes[index] for index in going]
        guessed = guesses_of(rows, echoes, batch.guesses, batch.guesses_each)
        ahead = batch.step([(row.steps[-1].id, *guess) for row, guess in zip(rows, guessed, strict=True)])
        first = False


def guesses_of(rows: Sequence[Row], echoes: Sequence[Echo], most: int, each: int) -> list[tuple[int, ...]]:
    """Return each row's guesses, ``most`` tokens in all and ``each`` of a row: the rows with most left take first.

    How many steps follow depends on them. No row guesses past its limit, nor where it draws freely: what it draws is
    seldom what stood there before.
    """
    found: list[tuple[int, ...]] = [()] * len(rows)
    left = [row.max_tokens - len(row.steps) for row in rows]
    guessing = [index for index, row in enumerate(rows) if row.temperature < 1]
    for index in sorted(guessing, key=lambda index: -left[index]):
        if most <= 0:
            break
        found[index] = echoes[index].guess()[: min(most, each, left[index] - 1)]
        most -= len(found[index])
    return found


def choose_while_right(rows: Sequence[Row], guessed: Sequence[tuple[int, ...]], logits: torch.Tensor) -> list[bool]:
    """Return which rows are over, after each chose its next token and, as long as its guesses were right, further ones.

    ``logits`` [tokens, vocab] follow each row's last token and then its guesses, row after row.
    """
    widths = [1 + len(guess) for guess in guessed]
    placed = [(row, place) for row, width in zip(rows, widths, strict=True) for place in range(width)]
    steps = iter(choose(logits, [row for row, _ in placed], [place for _, place in placed]))
    return [
        take_while_right(row, guess, list(islice(steps, width)))
        for row, guess, width in zip(rows, guessed, widths, strict=True)
    ]


def take_while_right(row: Row, guess: tuple[int, ...], steps: Sequence[Step]) -> bool:
    """Return whether the row is over, after it took the first step and those that follow right guesses."""
    for step, guessed in zip(steps, (*guess, None), strict=True):
        row.steps.append(step)
        if len(row.steps) >= row.max_tokens or row.ended([one.id for one in row.steps]):
            return True
        if step.id != guessed:
            break
    return False


def sharing(rows: Sequence[Row]) -> list[list[Row]]:
    """Return the rows of each prompt that is read in one way, in order of first appearance."""
    prompts: dict[tuple[tuple[int, ...], Kept | None], list[Row]] = {}
    for row in rows:
        prompts.setdefault((row.ids, row.kept), []).append(row)
    return list(prompts.values())


def stored_tokens(rows: Sequence[Row]) -> list[int]:
    """Return how many tokens each row adds to a batch that stores a shared prompt once, prompt and answer together."""
    begun, counts = set[tuple[tuple[int, ...], Kept | None]](), list[int]()
    for row in rows:
        prompt = (row.ids, row.kept)
        counts.append(row.max_tokens + (0 if prompt in begun else len(row.ids)))
        begun.add(prompt)
    return counts


def choose(logits: torch.Tensor, rows: Sequence[Row], ahead: Sequence[int] | None = None) -> list[Step]:
    """Return each row's next token: the likeliest, or the draw that belongs to (seed, position).

    A row may be named several times; ``ahead`` says how many of its tokens stand between what it has written and each
    place (none where it is None). Log-probability and entropy come from the raw logits in float32, before any
    temperature. Raises ModelError where the logits are no distribution (NaN, +inf, or nothing but -inf).
    """
    places = [len(row.steps) + gap for row, gap in zip(rows, ahead or [0] * len(rows), strict=True)]
    pieces = [slice(first, first + FEW_ROWS) for first in range(0, len(rows), FEW_ROWS)]
    return [step for piece in pieces for step in choose_few(logits[piece], rows[piece], places[piece])]


def choose_few(logits: torch.Tensor, rows: Sequence[Row], places: Sequence[int]) -> list[Step]:
    """Return the token of each row at its place; see ``choose``."""
    raw = logits.float()
    logprobs = torch.log_softmax(raw, dim=-1)
    probabilities = logprobs.exp()
    entropies = entropies_of(probabilities, logprobs)
    if bool(logprobs[:, 0].isnan().any()):  # NaN or +inf anywhere spoils the sum, and so every place of its row
        raise ModelError(
            "The language model gave no distribution over its next token (its numbers are NaN or infinite). "
            "Its weights may be damaged, or its number type too small: try float32."
        )
    ids = logits.max(-1).indices  # the same as argmax, which takes five times as long in bfloat16
    drawn = [index for index, row in enumerate(rows) if row.temperature > 0]
    if drawn:
        heats = [rows[index].temperature for index in drawn]
        temperatures = torch.tensor(heats, dtype=torch.float32)[:, None].to(raw.device)
        uniforms = torch.tensor([uniform_at(rows[i].seed, places[i]) for i in drawn], dtype=torch.double)
        plain = bool((temperatures == 1).all())
        whole = probabilities if plain else raw
        some = whole if len(drawn) == len(rows) else whole[drawn]
        tempered = some if plain else torch.softmax(some / temperatures, dim=-1)
        # Sums in float64, which Apple's GPUs do not have.
        place = torch.device("cpu") if raw.device.type == "mps" else raw.device
        ids[drawn] = draw(tempered.to(place), uniforms.to(place)).to(raw.device)
    chosen = logprobs.gather(-1, ids[:, None])[:, 0]
    return [
        Step(id=i, logprob=logprob, entropy=max(entropy, 0.0))
        for i, logprob, entropy in zip(ids.tolist(), chosen.tolist(), entropies.tolist(), strict=True)
    ]


def entropies_of(probabilities: torch.Tensor, logprobs: torch.Tensor) -> torch.Tensor:
    """Return the entropy [rows], in nats, of distributions [rows, vocab]; what cannot come adds 0 (0 ln 0 = 0)."""
    terms = probabilities * logprobs
    sums = terms.sum(-1)
    return -(terms.nan_to_num(0.0).sum(-1) if bool(sums.isnan().any()) else sums)


def draw(probabilities: torch.Tensor, uniforms: torch.Tensor) -> torch.Tensor:
    """Return the token [rows] where each row's cumulative probability first exceeds ``uniforms`` [rows] in [0, 1).

    Probabilities [rows, vocab] need not sum to 1 exactly. Sums are in float64 and in two steps, blocks first: a whole
    vocabulary in one cumulative sum would take longer than the rest of a step.
    """
    rows, vocabulary = probabilities.shape
    missing = -vocabulary % BLOCK
    whole = torch.nn.functional.pad(probabilities, (0, missing)) if missing else probabilities
    blocks = whole.view(rows, -1, BLOCK)
    ends = blocks.sum(-1, dtype=torch.double).cumsum(-1)
    targets = (uniforms * ends[:, -1])[:, None]
    block = torch.searchsorted(ends, targets, right=True).clamp(max=ends.shape[-1] - 1)
    before = torch.where(block > 0, ends.gather(-1, (block - 1).clamp(min=0)), 0.0)
    inside = blocks[torch.arange(rows, device=block.device), block[:, 0]].cumsum(-1, dtype=torch.double)
    place = torch.searchsorted(inside, targets - before, right=True).clamp(max=BLOCK - 1)
    return (block * BLOCK + place).clamp(max=vocabulary - 1)[:, 0]
