"""Training the reader on two questions with the real weights: resumable, and merged as peft merges."""

import functools
import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from engine.backends.language_models.adapters import open_adapted, read_adapter
from tests.training.test_reader_examples import ROWS
from training import train_reader
from training.train_reader import Settings, held_out_rows, train, training_rows

SETTINGS = Settings(
    grouped=1, epochs=1, dropout=0.0, tokens=300, held_out=0, checkpoint_every=1, rank=2, alpha=4, dtype="float32"
)


def test_no_test_question_and_none_that_settings_are_chosen_by_is_learnt_from() -> None:
    rows = [replace(row, split=at % 5) for at, row in enumerate(ROWS)]
    assert [row.split for row in training_rows(rows, 1)] == [2, 3, 4, 1, 2]
    assert held_out_rows(rows, 1) == [rows[1]]


@pytest.mark.weights
def test_a_training_that_was_stopped_ends_as_one_that_was_not_and_merges_as_peft_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, whole_schedule = ROWS[:6], functools.cache(train_reader.schedule)
    monkeypatch.setattr(
        train_reader,
        "schedule",
        lambda given, *others: [(at - 1, 2, packs) for at, _, packs in whole_schedule(tuple(given), *others)[1:3]],
    )
    train(tmp_path / "whole", rows, SETTINGS)
    taken, loss = [0], train_reader.loss_of

    def stopping(*given: object) -> torch.Tensor:
        taken[0] += 1
        if taken[0] == 2:
            raise KeyboardInterrupt
        return loss(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(train_reader, "loss_of", stopping)
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "stopped", rows, SETTINGS)
    monkeypatch.setattr(train_reader, "loss_of", loss)
    train(tmp_path / "stopped", rows, SETTINGS)
    whole, stopped = (load_file(tmp_path / name / "adapter/adapter_model.safetensors") for name in ("whole", "stopped"))
    assert set(whole) == set(stopped) and len(whole) == 30 * 7 * 2
    assert all(torch.allclose(whole[name], stopped[name], atol=1e-3) for name in whole)
    assert any(whole[name].abs().max() > 0 for name in whole if "lora_B" in name)
    as_peft_merges(tmp_path / "whole/adapter")


def as_peft_merges(folder: Path) -> None:
    """Compare the reader's weights with those that peft itself merges."""
    from peft import PeftModel
    from transformers import AutoModelForCausalLM

    from engine.backends.language_models.embedded import converted_folder

    base = AutoModelForCausalLM.from_pretrained(converted_folder(), dtype=torch.float32)
    theirs = PeftModel.from_pretrained(base, folder).merge_and_unload().state_dict()
    ours = open_adapted("reader", "float32", folder)._model.state_dict()
    assert all(torch.allclose(ours[name], theirs[name], atol=1e-6) for name in theirs)


def test_an_adapter_that_is_missing_damaged_or_empty_is_refused_with_a_sentence(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    from engine.core.errors import ModelError

    with pytest.raises(ModelError, match="adapter cannot be read"):
        read_adapter(tmp_path)
    (tmp_path / "adapter_config.json").write_text(json.dumps({"r": 0, "lora_alpha": 2}))
    with pytest.raises(ModelError, match="adapter cannot be read"):
        read_adapter(tmp_path)
    (tmp_path / "adapter_config.json").write_text(json.dumps({"r": 2, "lora_alpha": 4}))
    (tmp_path / "adapter_model.safetensors").write_bytes(b"no tensors")
    with pytest.raises(ModelError, match="adapter cannot be read"):
        read_adapter(tmp_path)
    save_file({"other": torch.zeros(1)}, tmp_path / "adapter_model.safetensors")
    with pytest.raises(ModelError, match="empty"):
        read_adapter(tmp_path)
    save_file({"base_model.model.m.lora_A.weight": torch.zeros(2, 3)}, tmp_path / "adapter_model.safetensors")
    with pytest.raises(ModelError, match="adapter cannot be read"):
        read_adapter(tmp_path)


@pytest.mark.weights
def test_what_is_replayed_pulls_a_changed_adapter_back_to_the_one_before(tmp_path: Path) -> None:
    from training.packing import packed
    from training.replay import Replay
    from training.train_reader import adapted, forgotten, frozen, write_adapter

    model, tokenizer = adapted(SETTINGS)
    write_adapter(model, tmp_path)
    prompt, reply = (
        tokenizer(text)["input_ids"] for text in ("Question: who rebuilt it?\nAnswer:", " Lyra Quill did.")
    )
    replay = Replay(before=frozen(tmp_path, SETTINGS), packs=(packed([(prompt, reply)]),), few=1, seed=1)
    assert float(forgotten(model, replay, 1, tokenizer.pad_token_id, SETTINGS)) == pytest.approx(0, abs=1e-6)
    learnt = [one for name, one in model.named_parameters() if "lora_B" in name]
    with torch.no_grad():
        for one in learnt:
            one += 0.05
    far = forgotten(model, replay, 1, tokenizer.pad_token_id, SETTINGS)
    far.backward()
    slope = sum(float((one.grad**2).sum()) for one in learnt)
    assert float(far) > 0.01 and slope > 0
    with torch.no_grad():
        for one in learnt:
            one -= 0.1 * float(far) / slope * one.grad
    assert float(forgotten(model, replay, 1, tokenizer.pad_token_id, SETTINGS)) < float(far)
