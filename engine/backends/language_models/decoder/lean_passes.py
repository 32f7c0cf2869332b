"""Lean passes over whole texts: the last layer's attention, and the likelihood of replies to many prompts at once."""

from collections.abc import Sequence

import torch

from engine.backends.language_models.decoder.key_values import (
    KnownPrompts,
    Prefilled,
    Reading,
    by_head,
    pieces_of,
    prefill,
    states_of_known_prefix,
)
from engine.backends.language_models.decoder.llama import Llama, logits_of
from engine.core.progress import Report, TokensDecoded

PROMPTS_AT_ONCE = 16


@torch.inference_mode()
def last_layer_attention(
    llama: Llama, known: KnownPrompts[Prefilled], ids: tuple[int, ...], queries: int
) -> torch.Tensor:
    """Return last-layer attention, mean over heads, of the last ``queries`` positions: [queries, len(ids)], float32."""
    first_query = len(ids) - queries
    states, start = states_of_known_prefix(llama, known, ids, first_query)
    reading = Reading(llama, [states])
    weights = torch.zeros(queries, len(ids), dtype=torch.float32)
    last = len(llama.layers) - 1

    def attend(layer: int, vectors: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        seen = reading.attend(layer, vectors, keys, values)
        if layer == last:
            ((_, first, end),) = reading.pieces
            if end > first_query:
                here = max(first, first_query)
                weights[here - first_query : end - first_query, :end] = mean_weights(
                    vectors[here - first :], by_head(states[last][:, :, :end], llama)[0], here
                )
        return seen

    for pieces in pieces_of([(start, len(ids))]):
        reading.over(pieces, [ids], attend)
    return weights


def mean_weights(queries: torch.Tensor, keys: torch.Tensor, first: int) -> torch.Tensor:
    """Return attention weights [tokens, places], mean over heads, of queries [tokens, heads, size].

    The first query stands at place ``first``; keys [heads, places, size].
    """
    scores = queries.float().transpose(0, 1) @ keys.float().transpose(-1, -2) * queries.shape[-1] ** -0.5
    places = torch.arange(keys.shape[1])
    later = places[None, :] > torch.arange(first, first + len(queries))[:, None]
    weights: torch.Tensor = scores.masked_fill(later, -torch.inf).softmax(-1).mean(0)
    return weights


@torch.inference_mode()
def reply_logprobs(
    llama: Llama,
    known: KnownPrompts[Prefilled],
    prompts: Sequence[tuple[int, ...]],
    replies: Sequence[Sequence[int]],
    report: Report,
) -> torch.Tensor:
    """Return the mean log-probability per token, in nats, of each reply to each prompt: [prompts, replies]."""
    means = torch.empty(len(prompts), len(replies), dtype=torch.float32)
    for first in range(0, len(prompts), PROMPTS_AT_ONCE):
        some = prompts[first : first + PROMPTS_AT_ONCE]
        read = prefill(llama, known, some, report)
        begins = torch.log_softmax(torch.stack([prompt.logits for prompt in read]).float(), dim=-1)
        sums = begins[:, [reply[0] for reply in replies]]
        texts = [(at, which) for at in range(len(some)) for which, reply in enumerate(replies) if len(reply) > 1]
        for at, which, logprobs in continued(llama, known, some, replies, texts):
            sums[at, which] += logprobs
        means[first : first + len(some)] = sums / torch.tensor([len(reply) for reply in replies])
        report(TokensDecoded(count=0))
    return means


def continued(
    llama: Llama,
    known: KnownPrompts[Prefilled],
    prompts: Sequence[tuple[int, ...]],
    replies: Sequence[Sequence[int]],
    pairs: Sequence[tuple[int, int]],
) -> list[tuple[int, int, float]]:
    """Return (prompt, reply, summed log-probability of the reply's tokens after its first) of each (prompt, reply)."""
    if not pairs:
        return []
    texts = [(*prompts[at], *replies[which][:-1]) for at, which in pairs]
    states = [
        states_of_known_prefix(llama, known, text, len(prompts[at]))[0]
        for text, (at, _) in zip(texts, pairs, strict=True)
    ]
    pieces = [(index, len(prompts[at]), len(texts[index])) for index, (at, _) in enumerate(pairs)]
    hidden = Reading(llama, states).over(pieces, texts)
    logprobs = torch.log_softmax(logits_of(llama, torch.cat(list(hidden.values()))).float(), dim=-1)
    wanted = torch.tensor([token for _, which in pairs for token in replies[which][1:]])
    found = torch.split(logprobs.gather(-1, wanted[:, None])[:, 0], [len(replies[which]) - 1 for _, which in pairs])
    return [(at, which, float(part.sum())) for (at, which), part in zip(pairs, found, strict=True)]
