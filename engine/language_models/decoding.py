"""Decoding rows together: choose each row's next token, step, let rows go as they end.

Rows that share a prompt share its keys and values. What holds these is a batch: for models of the Llama family the lean
one (``shared_batch``), for others transformers' own (``padded_batch``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import torch

from engine.errors import ModelError
from engine.language_models.echo import Echo
from engine.progress import Report, TokensDecoded
from engine.seeds import uniform_at

BLOCK = 256  # places summed at a time where a draw looks for its token


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One decoded position: token id, its log-probability and the entropy of its distribution, both in nats."""

    id: int
    logprob: float
    entropy: float


@dataclass(slots=True, kw_only=True)
class Row:
    """One request on its way through the batch. ``ended`` reads the ids so far and says whether to stop."""

    ids: tuple[int, ...]
    max_tokens: int
    temperature: float
    seed: int
    ended: Callable[[list[int]], bool]
    steps: list[Step] = field(default_factory=list)


class Batch(Protocol):
    """Rows whose keys and values are held, in order."""

    @property
    def guesses(self) -> bool:
        """Whether reading some tokens more costs little now."""

    def step(self, tokens: Sequence[Sequence[int]]) -> torch.Tensor:
        """Return the logits [rows, tokens, vocab] after each further token of each row; equally many of all rows."""

    def accept(self, counts: Sequence[int]) -> None:
        """Keep the first so many of each row's tokens of the last step; the others were wrong guesses."""

    def keep(self, rows: Sequence[int]) -> None:
        """Let go of all rows but these, given in order."""


@torch.inference_mode()
def step_together(rows: Sequence[Row], batch: Batch, logits: torch.Tensor, report: Report) -> None:
    """Step the rows from their first logits [rows, vocab] until each has ended or reached its limit."""
    echoes = [Echo(row.ids) for row in rows]
    guessed: list[tuple[int, ...]] = [()] * len(rows)
    ahead, first = logits[:, None], True
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
        guessed = [echo.guess() for echo in echoes] if batch.guesses else [()] * len(rows)
        width = max(len(guess) for guess in guessed)
        padded = [(*guess, *([0] * (width - len(guess)))) for guess in guessed]
        ahead = batch.step([(row.steps[-1].id, *guess) for row, guess in zip(rows, padded, strict=True)])
        first = False


def choose_while_right(rows: Sequence[Row], guessed: Sequence[tuple[int, ...]], logits: torch.Tensor) -> list[bool]:
    """Return which rows are over, after each chose its next token and, as long as its guesses were right, further ones.

    ``logits`` [rows, tokens, vocab] follow the row's last token and then each guess.
    """
    over, active = [False] * len(rows), list(range(len(rows)))
    for place in range(logits.shape[1]):
        right = []
        for index, step in zip(active, choose(logits[active, place], [rows[index] for index in active]), strict=True):
            row = rows[index]
            row.steps.append(step)
            over[index] = len(row.steps) >= row.max_tokens or row.ended([one.id for one in row.steps])
            if not over[index] and place < len(guessed[index]) and guessed[index][place] == step.id:
                right.append(index)
        active = right
        if not active:
            break
    return over


def sharing(rows: Sequence[Row]) -> dict[tuple[int, ...], list[Row]]:
    """Return the rows by prompt, in order of first appearance."""
    prompts: dict[tuple[int, ...], list[Row]] = {}
    for row in rows:
        prompts.setdefault(row.ids, []).append(row)
    return prompts


def choose(logits: torch.Tensor, rows: Sequence[Row]) -> list[Step]:
    """Return each row's next token: the likeliest, or the draw that belongs to (seed, position).

    Log-probability and entropy come from the raw logits in float32, before any temperature. Raises ModelError where
    the logits are no distribution (NaN, +inf, or nothing but -inf).
    """
    raw = logits.float()
    logprobs = torch.log_softmax(raw, dim=-1)
    probabilities = logprobs.exp()
    entropies = -(probabilities * logprobs).nan_to_num(0.0).sum(-1)  # 0 ln 0 = 0, the only NaN of a distribution
    if bool(logprobs[:, 0].isnan().any()):  # NaN or +inf anywhere spoils the sum, and so every place of its row
        raise ModelError(
            "The language model gave no distribution over its next token (its numbers are NaN or infinite). "
            "Its weights may be damaged, or its number type too small: try float32."
        )
    ids = logits.argmax(-1)
    drawn = [index for index, row in enumerate(rows) if row.temperature > 0]
    if drawn:
        temperatures = torch.tensor([rows[index].temperature for index in drawn])[:, None].to(raw.device)
        uniforms = torch.tensor([uniform_at(rows[i].seed, len(rows[i].steps)) for i in drawn], dtype=torch.double)
        plain = bool((temperatures == 1).all())
        tempered = probabilities[drawn] if plain else torch.softmax(raw[drawn] / temperatures, dim=-1)
        ids[drawn] = draw(tempered, uniforms.to(raw.device))
    chosen = logprobs.gather(-1, ids[:, None])[:, 0]
    return [
        Step(id=i, logprob=logprob, entropy=max(entropy, 0.0))
        for i, logprob, entropy in zip(ids.tolist(), chosen.tolist(), entropies.tolist(), strict=True)
    ]


def draw(probabilities: torch.Tensor, uniforms: torch.Tensor) -> torch.Tensor:
    """Return the token [rows] where each row's cumulative probability first exceeds ``uniforms`` [rows] in [0, 1).

    Probabilities [rows, vocab] need not sum to 1 exactly. Sums are in float64 and in two steps, blocks first: a whole
    vocabulary in one cumulative sum would take longer than the rest of a step.
    """
    rows, vocabulary = probabilities.shape
    blocks = torch.nn.functional.pad(probabilities, (0, -vocabulary % BLOCK)).view(rows, -1, BLOCK)
    ends = blocks.sum(-1, dtype=torch.double).cumsum(-1)
    targets = (uniforms * ends[:, -1])[:, None]
    block = torch.searchsorted(ends, targets, right=True).clamp(max=ends.shape[-1] - 1)
    before = torch.where(block > 0, ends.gather(-1, (block - 1).clamp(min=0)), 0.0)
    inside = blocks[torch.arange(rows, device=block.device), block[:, 0]].cumsum(-1, dtype=torch.double)
    place = torch.searchsorted(inside, targets - before, right=True).clamp(max=BLOCK - 1)
    return (block * BLOCK + place).clamp(max=vocabulary - 1)[:, 0]
