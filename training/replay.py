"""What a training must not forget: answers from memory, in which the model stays as it was.

Training over passages takes from a small model what it knows. So each step also reads a few answers that the adapter
before wrote from memory, and at every token the new distribution is pulled to the one before: KL(before ‖ now) in nats
a token (Li and Hoiem 2016, "Learning without Forgetting"). The answers are the adapter's own, half greedy and half
drawn; no correct answer is needed, so any question serves.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from engine.backends.devices import Device
from engine.backends.language_models.base import Request
from engine.core.progress import silent
from engine.core.records import Prompt
from engine.methods.step_by_step import STEP_BY_STEP_STOP
from training.packing import Batch, Pack, batched, packed

MOST_TOKENS, SHORTEST, TEMPERATURE = 64, 4, 0.8


def kl_per_token(before: torch.Tensor, now: torch.Tensor) -> torch.Tensor:
    """Return the mean KL(before ‖ now) in nats of two tables of logits [tokens, vocabulary]; 0 where they agree."""
    said, wanted = torch.log_softmax(now.float(), dim=-1), torch.log_softmax(before.float(), dim=-1)
    return torch.nn.functional.kl_div(said, wanted, log_target=True, reduction="batchmean")


def own_answers(adapter: Path, prompts: Sequence[Prompt], seed: int, device: Device) -> list[tuple[Prompt, str]]:
    """Return what base weights with an adapter write to each prompt: every other one drawn at temperature 0.8."""
    from engine.backends.language_models.adapters import open_adapted
    from engine.backends.number_types import number_type

    model = open_adapted("before", number_type(device), adapter, device=device)
    asked = [
        Request(
            prompt=prompt,
            max_tokens=MOST_TOKENS,
            stop=STEP_BY_STEP_STOP,
            temperature=TEMPERATURE * (at % 2),
            seed=seed + at,
        )
        for at, prompt in enumerate(prompts)
    ]
    return [(one.prompt, said.text) for one, said in zip(asked, model.generate(asked, silent), strict=True)]


@dataclass(frozen=True, slots=True)
class Replay:
    """Answers of the model before as packs, the model before itself (frozen), and how many of them a step reads."""

    before: Any
    packs: tuple[Pack, ...]
    few: int
    seed: int

    def batch(self, step: int, pad: int) -> Batch:
        """Return the answers of a step: a resumed training draws the same."""
        draw = random.Random(self.seed * 100_003 + step)
        return batched(draw.sample(self.packs, min(self.few, len(self.packs))), pad)


def replayed(tokenizer: Any, answers: Sequence[tuple[Prompt, str]]) -> tuple[Pack, ...]:
    """Return answers as packs, without those that say next to nothing."""
    found = []
    for prompt, said in answers:
        reply = tokenizer(said, add_special_tokens=False)["input_ids"]
        if len(reply) >= SHORTEST:
            asked = tokenizer(prompt.text, add_special_tokens=False)["input_ids"]
            found.append(packed([(asked, [*reply, tokenizer.eos_token_id])]))
    return tuple(found)
