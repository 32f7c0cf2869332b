"""Small causal models with weights drawn at random, one for each way of building that the lean pass meets."""

import torch
from transformers import (
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

SIZES = {
    "vocab_size": 300,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 2048,
}
LLAMA3 = {
    "rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}  # fmt: skip
LEAN = {
    "Llama": lambda: LlamaForCausalLM(LlamaConfig(**SIZES)),
    "Llama, tied and with biases": lambda: LlamaForCausalLM(
        LlamaConfig(**SIZES, tie_word_embeddings=True, attention_bias=True)
    ),
    "Llama 3 positions": lambda: LlamaForCausalLM(LlamaConfig(**SIZES, rope_parameters=LLAMA3)),
    "Llama, wider heads": lambda: LlamaForCausalLM(LlamaConfig(**SIZES, head_dim=16)),
    "Mistral": lambda: MistralForCausalLM(MistralConfig(**SIZES, sliding_window=None)),
    "Qwen2": lambda: Qwen2ForCausalLM(Qwen2Config(**SIZES)),
}
OTHERS = {
    "GPT-2": lambda: GPT2LMHeadModel(GPT2Config(vocab_size=300, n_embd=32, n_layer=2, n_head=2)),
    "Mistral with a window": lambda: MistralForCausalLM(MistralConfig(**SIZES, sliding_window=8)),
    "Gemma 3": lambda: Gemma3ForCausalLM(
        Gemma3TextConfig(
            **SIZES, head_dim=8, sliding_window=8, layer_types=["sliding_attention"] * 2 + ["full_attention"]
        )
    ),
    "Qwen3": lambda: Qwen3ForCausalLM(Qwen3Config(**SIZES, head_dim=8)),
    "Llama with positions that change with length": lambda: LlamaForCausalLM(
        LlamaConfig(**SIZES, rope_parameters={"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0})
    ),
    "Llama with biases in its network": lambda: LlamaForCausalLM(LlamaConfig(**SIZES, mlp_bias=True)),
}


def built(make, seed: int = 0):
    """Return a model in float32 whose weights are drawn from a seed, wide enough apart that no two tokens tie."""
    torch.manual_seed(seed)
    model = make().eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model
