"""Attention and replies by the lean pass beside transformers' own."""

import pytest

from engine.backends.language_models.decoder import lean_passes, whole_passes
from engine.backends.language_models.decoder.key_values import TOKENS_AT_ONCE, KnownPrompts, prefill
from engine.backends.language_models.decoder.llama import llama_weights
from engine.core.progress import silent
from tests.engine.backends.language_models.tiny_models import LEAN, built

PROMPT, WRITTEN = tuple(range(20, 45)), (3, 250, 17, 9)


@pytest.mark.parametrize("name", LEAN)
@pytest.mark.parametrize("read_before", [False, True])
def test_attention_of_the_written_tokens_is_transformers_eager_attention(name: str, read_before: bool) -> None:
    model = built(LEAN[name])
    theirs = whole_passes.last_layer_attention(model, [*PROMPT, *WRITTEN], len(WRITTEN))
    llama, known = llama_weights(model), KnownPrompts()
    assert llama is not None
    if read_before:
        prefill(llama, known, [PROMPT], silent)
    ours = lean_passes.last_layer_attention(llama, known, (*PROMPT, *WRITTEN), len(WRITTEN))
    assert ours.shape == (4, 29)
    assert ours.flatten().tolist() == pytest.approx(theirs.flatten().tolist(), abs=1e-5)
    assert ours.sum(-1).tolist() == pytest.approx([1.0] * 4)
    assert known.computed == len(PROMPT) + len(WRITTEN), "nothing is read twice"


def test_attention_over_several_parts_of_a_long_text_is_one_whole() -> None:
    model = built(LEAN["Llama"])
    ids = [at % 290 for at in range(TOKENS_AT_ONCE + 40)]
    theirs = whole_passes.last_layer_attention(model, ids, 60)
    llama = llama_weights(model)
    assert llama is not None
    ours = lean_passes.last_layer_attention(llama, KnownPrompts(), tuple(ids), 60)
    assert float((ours - theirs).abs().max()) < 1e-5


def test_replies_to_many_prompts_score_as_each_alone_with_transformers() -> None:
    model = built(LEAN["Qwen2"])
    prompts = [(*PROMPT, at, at + 1) for at in range(20)]
    replies = [(5,), (5, 6, 7), (8, 9)]
    theirs = [whole_passes.continuation_logprobs(model, ids, replies) for ids in prompts]
    llama, known = llama_weights(model), KnownPrompts()
    assert llama is not None
    ours = lean_passes.reply_logprobs(llama, known, prompts, replies, silent)
    assert ours.tolist() == [pytest.approx(row, abs=1e-5) for row in theirs]
    assert known.reused > 19 * len(PROMPT), "what the prompts share is read once"
