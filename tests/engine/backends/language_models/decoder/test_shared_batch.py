"""Rows that share prompts decode as they would alone with transformers."""

import pytest
import torch

from engine.backends.language_models.decoder import padded_batch, shared_batch
from engine.backends.language_models.decoder.decoding import Row
from engine.backends.language_models.decoder.key_values import KnownPrompts, prefill
from engine.backends.language_models.decoder.llama import llama_weights
from engine.backends.language_models.decoder.shared_batch import SharedBatch, SharedRows, StackedRows
from engine.core.progress import silent
from tests.engine.backends.language_models.tiny_models import LEAN, built

PROMPTS = ((5, 9, 250, 3), tuple(range(100, 140)), (5, 9, 250, 3), (7,))


def rows_of(prompts, temperature: float = 0.0, most: int = 40) -> list[Row]:
    """Return rows of different lengths that never end by themselves."""
    return [
        Row(ids=ids, max_tokens=most - 5 * at, temperature=temperature, seed=at, ended=lambda _: False)
        for at, ids in enumerate(prompts)
    ]


def test_greedy_rows_of_any_length_write_what_generate_writes() -> None:
    for name in LEAN:
        model = built(LEAN[name])
        llama, rows = llama_weights(model), rows_of(PROMPTS)
        assert llama is not None
        shared_batch.decode(llama, KnownPrompts(), rows, silent)
        for row in rows:
            ids = torch.tensor([row.ids])
            written = model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=row.max_tokens,
                do_sample=False,
                eos_token_id=None,
            )
            assert [step.id for step in row.steps] == written[0, len(row.ids) :].tolist()


def test_both_batches_give_the_same_tokens_and_signals_to_1e_5() -> None:
    for temperature in [0.0, 1.0]:
        model = built(LEAN["Llama"])
        llama = llama_weights(model)
        assert llama is not None
        ours, theirs = rows_of(PROMPTS, temperature), rows_of(PROMPTS, temperature)
        shared_batch.decode(llama, KnownPrompts(), ours, silent)
        padded_batch.decode(model, KnownPrompts(), theirs, silent)
        for one, other in zip(ours, theirs, strict=True):
            assert [step.id for step in one.steps] == [step.id for step in other.steps]
            assert [step.entropy for step in one.steps] == pytest.approx([s.entropy for s in other.steps], abs=1e-5)
            assert [step.logprob for step in one.steps] == pytest.approx([s.logprob for s in other.steps], abs=1e-5)


def test_rows_that_leave_take_nothing_from_those_that_stay() -> None:
    llama = llama_weights(built(LEAN["Llama"]))
    assert llama is not None
    prompts = prefill(llama, KnownPrompts(), [PROMPTS[0], PROMPTS[1]], silent)
    batch = SharedBatch(llama, prompts, [3, 2])
    batch.step([[1], [2], [3], [4], [5]])
    batch.accept([1] * 5)
    batch.keep([1, 4])
    (held,) = batch.parts
    assert isinstance(held, SharedRows)
    assert [(group.first, group.end) for group in held.sharing] == [(0, 1), (1, 2)]
    alone = SharedBatch(llama, prompts[1:], [1])
    alone.step([[5]])
    alone.accept([1])
    assert batch.step([[8], [9]])[1].tolist() == pytest.approx(alone.step([[9]])[0].tolist(), abs=1e-5)
    batch.accept([1, 1])
    batch.keep([1])
    assert [group.prompt.ids for group in held.sharing] == [PROMPTS[1]]


def after(llama, ids: tuple[int, ...]) -> list[float]:
    """Return the logits after a text that is read at once."""
    return prefill(llama, KnownPrompts(), [ids], silent)[0].logits.tolist()


def test_ragged_steps_give_each_token_what_its_text_alone_gives_it() -> None:
    llama = llama_weights(built(LEAN["Llama"]))
    assert llama is not None
    prompts = [(7,), (5, 9, 250, 3), (8, 9, 10, 3, 4), tuple(range(100, 140)), (6, 6, 6)]
    batch = SharedBatch(llama, prefill(llama, KnownPrompts(), prompts, silent), [1, 1, 1, 1, 2])
    assert [type(part) for part in batch.parts] == [StackedRows] * 3 + [SharedRows]
    texts = [prompts[which] for which in (0, 1, 2, 3, 4, 4)]
    fed = [[1], [2, 3, 4], [5], [6, 7], [8, 9], [10]]
    for keeping in ([1, 2, 3, 4, 5], [0, 1, 3, 4], [1, 2, 3], [1]):
        logits = iter(batch.step(fed))
        for text, tokens in zip(texts, fed, strict=True):
            for count in range(1, len(tokens) + 1):
                assert next(logits).tolist() == pytest.approx(after(llama, (*text, *tokens[:count])), abs=1e-4)
        batch.accept([1] * len(fed))  # what else was fed was a wrong guess
        batch.keep(keeping)
        texts = [(*texts[row], fed[row][0]) for row in keeping]
        fed = [[20 + row, *range(30, 30 + row % 3)] for row in range(len(keeping))]


def test_a_row_that_leaves_a_stack_leaves_its_slot_to_the_last_one() -> None:
    llama = llama_weights(built(LEAN["Llama"]))
    assert llama is not None
    prompts = [(5, 9, 250, 3), (8, 9, 10, 3), (1, 2, 3, 4)]
    batch = SharedBatch(llama, prefill(llama, KnownPrompts(), prompts, silent), [1, 1, 1])
    batch.step([[1], [2], [3]])
    batch.accept([1, 1, 1])
    batch.keep([1, 2])
    (held,) = batch.parts
    assert isinstance(held, StackedRows)
    assert held.states.slots.tolist() == [1, 0]
    logits = batch.step([[7], [8]])
    assert logits[0].tolist() == pytest.approx(after(llama, (8, 9, 10, 3, 2, 7)), abs=1e-4)
    assert logits[1].tolist() == pytest.approx(after(llama, (1, 2, 3, 4, 3, 8)), abs=1e-4)


def test_prompts_that_no_longer_fit_into_stacks_are_held_once(monkeypatch) -> None:
    monkeypatch.setattr(shared_batch, "STACK_BYTES", 0)
    llama = llama_weights(built(LEAN["Llama"]))
    assert llama is not None
    prompts = prefill(llama, KnownPrompts(), [(5, 9, 250, 3), (8, 9, 10, 3)], silent)
    assert [type(part) for part in SharedBatch(llama, prompts, [1, 1]).parts] == [SharedRows]
