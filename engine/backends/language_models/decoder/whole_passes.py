"""Passes of transformers' own forward over whole texts: the last layer's attention, and the likelihood of replies."""

from collections.abc import Sequence
from typing import Any

import torch

from engine.backends.language_models.decoder.between_layers import ATTENTION_NAMES
from engine.core.errors import CapabilityError


def attention_layer(model: Any) -> Any | None:
    """Return the last layer's self-attention, None where the architecture has none under its usual names."""
    named = ((name.rpartition(".")[2], module) for name, module in model.named_modules())
    found = [module for name, module in named if name in ATTENTION_NAMES]
    return found[-1] if found else None


@torch.inference_mode()
def last_layer_attention(model: Any, ids: Sequence[int], queries: int) -> torch.Tensor:
    """Return last-layer attention, mean over heads, of the last ``queries`` positions: [queries, len(ids)], float32.

    Eager attention is switched on for this one pass; only the last layer's weights are kept. Raises CapabilityError
    where the architecture does not give them.
    """
    caught: list[torch.Tensor | None] = []
    layer = attention_layer(model)
    if layer is None:
        raise CapabilityError("This model's architecture does not show its attention.")
    hook = layer.register_forward_hook(lambda _m, _i, out: caught.append(second_of(out)))
    before = model.config._attn_implementation
    model.set_attn_implementation("eager")
    try:
        model(input_ids=torch.tensor([list(ids)], device=model.device), use_cache=False, logits_to_keep=1)
    finally:
        model.set_attn_implementation(before)
        hook.remove()
    weights = caught[0]
    if weights is None or weights.dim() != 4:
        raise CapabilityError("This model's architecture does not show its attention.")
    return weights[0, :, -queries:].float().mean(0)


def second_of(out: object) -> torch.Tensor | None:
    """Return the weights, which a layer's attention gives after what it saw; None where it gives no such thing."""
    second = out[1] if isinstance(out, tuple) and len(out) > 1 else None
    return second if isinstance(second, torch.Tensor) else None


@torch.inference_mode()
def continuation_logprobs(model: Any, prompt: Sequence[int], continuations: Sequence[Sequence[int]]) -> list[float]:
    """Return the mean log-probability per token, in nats, of each continuation after the prompt."""
    longest = max(len(tokens) for tokens in continuations)
    rows = [list(prompt) + list(tokens) + [0] * (longest - len(tokens)) for tokens in continuations]
    mask = [[1] * (len(prompt) + len(t)) + [0] * (longest - len(t)) for t in continuations]
    device = model.device
    logits = model(
        input_ids=torch.tensor(rows, device=device),
        attention_mask=torch.tensor(mask, device=device),
        use_cache=False,
        logits_to_keep=longest + 1,
    ).logits
    logprobs = torch.log_softmax(logits.float(), dim=-1)
    return [
        float(logprobs[i, torch.arange(len(tokens)), torch.tensor(list(tokens))].mean())
        for i, tokens in enumerate(continuations)
    ]
