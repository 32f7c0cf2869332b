"""The lean pass beside transformers' own forward, over small models of every kind it knows."""

import pytest
import torch
from transformers.models.llama.modeling_llama import LlamaRMSNorm

from engine.backends.language_models.decoder.key_values import KnownPrompts, prefill
from engine.backends.language_models.decoder.llama import llama_weights, normed_by, rotated
from engine.core.progress import silent
from tests.engine.backends.language_models.tiny_models import LEAN, OTHERS, built

IDS = (5, 9, 250, 3, 17, 17, 80, 299, 1, 42)


def test_logits_after_a_prompt_are_those_of_transformers_to_1e_5() -> None:
    for name in LEAN:
        model = built(LEAN[name])
        with torch.inference_mode():
            theirs = model(input_ids=torch.tensor([IDS])).logits[0, -1]
        llama = llama_weights(model)
        assert llama is not None
        (read,) = prefill(llama, KnownPrompts(), [IDS], silent)
        assert read.logits.tolist() == pytest.approx(theirs.tolist(), abs=1e-5)
        with torch.inference_mode():
            after = model(input_ids=torch.tensor([IDS])).logits[0, -1]
        assert torch.equal(after, theirs), "the model itself computes as before"


def test_an_architecture_with_other_layers_is_left_to_transformers() -> None:
    failing = [name for name in OTHERS if llama_weights(built(OTHERS[name])) is not None]
    assert failing == []


def test_no_weight_is_held_twice_in_float32() -> None:
    model = built(LEAN["Qwen2"])
    llama = llama_weights(model)
    assert llama is not None
    first, layer = model.model.layers[0], llama.layers[0]
    assert layer.down.blocks is None and llama.vocabulary.blocks is None
    assert first.self_attn.q_proj.weight.data_ptr() == layer.query_key_value.weight.data_ptr()
    assert first.mlp.up_proj.weight.data_ptr() == layer.gate_up.weight[48:].data_ptr()
    assert first.mlp.down_proj.weight.data_ptr() == layer.down.weight.data_ptr()


def test_a_quarter_turn_takes_the_first_half_to_the_second() -> None:
    states = torch.tensor([[[1.0, 2.0, 3.0, 4.0]]])
    turned = rotated(states, torch.zeros(1, 1, 4), torch.ones(1, 1, 4))
    assert turned.tolist() == [[[-3.0, -4.0, 1.0, 2.0]]]


def test_a_norm_rounds_where_transformers_does_bit_for_bit() -> None:
    for dtype in [torch.float32, torch.bfloat16]:
        x = torch.linspace(-9, 7, 40 * 64).view(40, 64).to(dtype)
        module = LlamaRMSNorm(64, eps=1e-5).to(dtype)
        module.weight.data = torch.linspace(0.3, 2, 64).to(dtype)
        with torch.inference_mode():
            assert torch.equal(normed_by(x, module.weight.data, 1e-5), module(x))
