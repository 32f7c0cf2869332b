"""Models of any family decode in one batch what they write one by one, a sliding window among them."""

import pytest
import torch

from engine.backends.language_models.decoder import padded_batch
from engine.backends.language_models.decoder.decoding import Row
from engine.backends.language_models.decoder.key_values import KnownPrompts
from engine.backends.language_models.decoder.whole_passes import continuation_logprobs, last_layer_attention
from engine.core.progress import silent
from tests.engine.backends.language_models.tiny_models import LEAN, OTHERS, built

FAMILIES = ["GPT-2", "Mistral with a window", "Gemma 3", "Qwen2", "Qwen3"]
# Shorter and longer than the window of 8, two alike, so that one prompt is shared.
PROMPTS = ((5, 9, 2), tuple(range(20, 45)), (7, 7, 40, 3, 11, 60, 2, 9, 31, 4, 8), (5, 9, 2))


def rows() -> list[Row]:
    return [Row(ids=ids, max_tokens=24, temperature=0.0, seed=0, ended=lambda _: False) for ids in PROMPTS]


def greedy(model: torch.nn.Module, ids: tuple[int, ...]) -> list[int]:
    """Return what the model writes when the whole text is read anew for every token, without any cache."""
    text = list(ids)
    with torch.inference_mode():
        for _ in range(24):
            text.append(int(model(input_ids=torch.tensor([text]), use_cache=False).logits[0, -1].argmax()))
    return text[len(ids) :]


@pytest.mark.parametrize("name", FAMILIES)
def test_a_batch_writes_what_the_model_writes_without_any_cache(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = built((OTHERS | LEAN)[name])
    batches = []
    step_together = padded_batch.step_together
    monkeypatch.setattr(
        padded_batch, "step_together", lambda *given: (batches.append(len(given[0])), step_together(*given))
    )
    found = rows()
    padded_batch.decode(model, KnownPrompts(), found, silent)
    assert [[step.id for step in row.steps] for row in found] == [greedy(model, ids) for ids in PROMPTS]
    assert batches == [4], "all rows in one batch"


@pytest.mark.parametrize("name", FAMILIES)
def test_what_prompts_share_is_read_once_and_changes_no_number(name: str) -> None:
    model, known = built((OTHERS | LEAN)[name]), KnownPrompts()
    shared = tuple(range(60, 90))
    prompts = [(*shared, 5), (*shared, 7, 9), shared, (*shared, 5)]
    found = [
        Row(ids=ids, max_tokens=8, temperature=1.0, seed=seed, ended=lambda _: False)
        for seed, ids in enumerate(prompts)
    ]
    padded_batch.decode(model, known, found, silent)
    # In order: 30 tokens; then one after 30 shared; then two after the same 30. The fourth is the first.
    assert (known.computed, known.reused) == (33, 60)
    for row in found:
        alone = [Row(ids=row.ids, max_tokens=8, temperature=1.0, seed=row.seed, ended=lambda _: False)]
        padded_batch.decode(model, KnownPrompts(), alone, silent)
        assert [step.id for step in row.steps] == [step.id for step in alone[0].steps]
        for one, other in zip(row.steps, alone[0].steps, strict=True):
            assert one.logprob == pytest.approx(other.logprob, abs=1e-4)


@pytest.mark.parametrize("name", FAMILIES)
def test_labels_scored_in_one_batch_are_those_scored_over_whole_texts(name: str) -> None:
    model, replies = built((OTHERS | LEAN)[name]), [[4], [8, 15], [16, 23, 42]]
    found = padded_batch.reply_logprobs(model, KnownPrompts(), PROMPTS, replies, silent)
    for ids, row in zip(PROMPTS, found.tolist(), strict=True):
        assert row == pytest.approx(continuation_logprobs(model, ids, replies), abs=1e-4)


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_shows_its_last_attention(name: str) -> None:
    weights = last_layer_attention(built((OTHERS | LEAN)[name]), PROMPTS[1], 3)
    assert weights.shape == (3, 25) and weights.sum(-1).tolist() == pytest.approx([1, 1, 1], abs=1e-5)
    assert weights[0, 23:].tolist() == [0, 0]  # nothing looks at what comes after it


@pytest.mark.parametrize("name", ["GPT-2", "Qwen3", "Gemma 3"])
def test_guesses_save_steps_where_no_window_slides_and_change_nothing(name: str) -> None:
    model, steps = built((OTHERS | LEAN)[name]), []
    # A text that says itself again and again is guessed right; draws and others are guessed wrong at times.
    prompts = [(5, 9, 2, 7) * 8, PROMPTS[1], (5, 9, 2, 7) * 5 + (5, 9)]
    found = [Row(ids=ids, max_tokens=40, temperature=0.0, seed=0, ended=lambda _: False) for ids in prompts]
    padded_batch.decode(model, KnownPrompts(), found, lambda event: steps.append(event.count))
    for row in found:
        text = list(row.ids)
        with torch.inference_mode():
            for step in row.steps:
                logits = model(input_ids=torch.tensor([text]), use_cache=False).logits[0, -1]
                assert step.id == int(logits.argmax())
                assert step.logprob == pytest.approx(float(logits.log_softmax(-1)[step.id]), abs=1e-4)
                text.append(step.id)
    written = [count for count in steps if count]
    assert sum(written) == 120 and (len(written) == 40 if name == "Gemma 3" else len(written) < 40)
