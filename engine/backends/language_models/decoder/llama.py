"""A lean forward pass for models of the Llama family: transformers' numbers, with little beside the matrices.

One decoding step of a small model on a processor is mostly overhead: modules, hooks, padding and masks around a few
dozen matrix products. Here tokens of any number of texts lie one after another in one row of vectors, so that every
matrix product sees all of them and none is padding; only attention looks at texts one by one, and the caller says how.
The three projections of a layer's attention are one product, and so are the two of its network.

Llama (Touvron et al. 2023) with grouped queries and rotary positions; Mistral and Qwen2 have the same layers where they
do not slide their window. The weights are transformers' own; only a small model in bfloat16 may hold its matrices twice
(``engine.backends.language_models.decoder.matrices``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn.functional import embedding, silu

from engine.backends.language_models.decoder.between_layers import between_layers
from engine.backends.language_models.decoder.matrices import Lay, Matrix, block_layout, product

FAMILY = ("llama", "mistral", "qwen2")

Attend = Callable[[int, torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
"""(layer, queries [tokens, heads, size], keys and values [tokens, kv heads, size]) -> [tokens, heads, size]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One layer's weights; the projections that read the same vector are stacked."""

    before_attention: torch.Tensor
    query_key_value: Matrix
    out: Matrix
    before_network: torch.Tensor
    gate_up: Matrix
    down: Matrix


@dataclass(frozen=True, slots=True, kw_only=True)
class Llama:
    """A model's weights and sizes. ``rotary`` gives (cos, sin) of positions in the model's number type."""

    embeddings: torch.Tensor
    layers: tuple[Layer, ...]
    norm: torch.Tensor
    vocabulary: Matrix
    rotary: Callable[..., tuple[torch.Tensor, torch.Tensor]]
    epsilon: float
    heads: int
    key_value_heads: int
    size: int

    @property
    def dtype(self) -> torch.dtype:
        """The number type of weights, keys and values."""
        return self.embeddings.dtype


def llama_weights(model: Any, *, blocks: bool = True) -> Llama | None:
    """Return a causal language model's weights for the lean pass, None where its architecture is another.

    The model keeps working: its stacked projections become views of the stacks. ``blocks``: whether a small model may
    hold its matrices twice, for speed.
    """
    config = model.config
    if model.device.type != "cpu" or not has_lean_pass(config):
        return None
    lay = block_layout(model, allowed=blocks)
    return Llama(
        embeddings=model.model.embed_tokens.weight.data,
        layers=tuple(layer_of(layer, lay) for layer in model.model.layers),
        norm=model.model.norm.weight.data,
        vocabulary=matrix_of(model.lm_head, lay),
        rotary=model.model.rotary_emb,
        epsilon=config.rms_norm_eps,
        heads=config.num_attention_heads,
        key_value_heads=config.num_key_value_heads,
        size=getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads,
    )


def has_lean_pass(config: Any) -> bool:
    """Return whether a model of these settings has the layers that the lean pass knows."""
    if config.model_type not in FAMILY or slides(config):
        return False
    if config.hidden_act != "silu" or getattr(config, "mlp_bias", False):
        return False
    rope = getattr(config, "rope_parameters", None) or {}
    # The other kinds of positions change with the length of the text.
    return rope.get("rope_type", "default") in ("default", "llama3", "linear")


def slides(config: Any) -> bool:
    """Return whether any layer forgets what lies far back."""
    layers = getattr(config, "layer_types", None)
    if layers is not None:
        return any(kind != "full_attention" for kind in layers)
    return getattr(config, "sliding_window", None) is not None


def layer_of(layer: Any, lay: Lay) -> Layer:
    """Return one layer's weights, stacked."""
    attention, network = layer.self_attn, layer.mlp
    return Layer(
        before_attention=layer.input_layernorm.weight.data,
        query_key_value=stack([attention.q_proj, attention.k_proj, attention.v_proj], lay),
        out=matrix_of(attention.o_proj, lay),
        before_network=layer.post_attention_layernorm.weight.data,
        gate_up=stack([network.gate_proj, network.up_proj], lay),
        down=matrix_of(network.down_proj, lay),
    )


def matrix_of(module: Any, lay: Lay) -> Matrix:
    """Return a linear module's weights."""
    weight, bias = module.weight.data, None if module.bias is None else module.bias.data
    return Matrix(weight=weight, bias=bias, blocks=lay(weight))


def stack(modules: Sequence[Any], lay: Lay) -> Matrix:
    """Return the linear modules' weights, and biases where they have any, as one; the modules look into it from now."""
    weights = torch.cat([module.weight.data for module in modules])
    place = 0
    for module in modules:
        module.weight.data = weights[place : place + module.out_features]
        place += module.out_features
    bias = None if modules[0].bias is None else torch.cat([module.bias.data for module in modules])
    return Matrix(weight=weights, bias=bias, blocks=lay(weights))


def hidden_states(llama: Llama, ids: torch.Tensor, positions: torch.Tensor, attend: Attend) -> torch.Tensor:
    """Return the last hidden states [tokens, width] of tokens [tokens] at their positions [tokens]."""
    x = embedding(ids, llama.embeddings)
    cos, sin = llama.rotary(x[None], positions[None])
    cos, sin = cos[0, :, None], sin[0, :, None]
    heads, kv = llama.heads, llama.key_value_heads
    for index, layer in enumerate(llama.layers):
        between_layers()
        normed = normed_by(x, layer.before_attention, llama.epsilon)
        mixed = product(normed, layer.query_key_value).view(len(x), -1, llama.size)
        turned = rotated(mixed[:, : heads + kv], cos, sin)
        seen = attend(index, turned[:, :heads], turned[:, heads:], mixed[:, heads + kv :])
        x = x + product(seen.reshape(len(x), -1), layer.out)
        normed = normed_by(x, layer.before_network, llama.epsilon)
        gate, up = product(normed, layer.gate_up).chunk(2, dim=-1)
        x = x + product(silu(gate).mul_(up), layer.down)
    return x


def normed_by(x: torch.Tensor, weight: torch.Tensor, epsilon: float) -> torch.Tensor:
    """Return vectors [tokens, width] by their root mean square, times a weight [width].

    Rounded where transformers does; torch's own ``rms_norm`` rounds elsewhere, and takes eight times as long over a
    prompt in bfloat16.
    """
    wide = x.float()
    scale = wide.square().mean(-1, keepdim=True).add_(epsilon).rsqrt_()
    return (wide * scale).to(x.dtype).mul_(weight)


def rotated(states: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Return queries or keys [tokens, heads, size] turned by their positions' angles."""
    first, second = states.chunk(2, dim=-1)
    return torch.addcmul(states * cos, torch.cat([-second, first], dim=-1), sin)


def logits_of(llama: Llama, hidden: torch.Tensor) -> torch.Tensor:
    """Return raw logits [tokens, vocabulary] of hidden states [tokens, width]."""
    return product(normed_by(hidden, llama.norm, llama.epsilon), llama.vocabulary)
