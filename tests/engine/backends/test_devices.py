"""A device is named by the environment; what is not there is a sentence, and the doctor changes nothing."""

import pytest
import torch

from engine.backends import devices
from engine.backends.devices import DEVICE_VARIABLE, chosen_device
from engine.backends.doctor import findings
from engine.backends.language_models.decoder.decoding import Row, choose_few
from engine.core.errors import ModelError


def test_the_processor_is_the_default_and_auto_takes_a_gpu_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DEVICE_VARIABLE, raising=False)
    assert chosen_device() == "cpu"
    for there, chosen in [((), "cpu"), (("cuda",), "cuda"), (("mps",), "mps"), (("cuda", "mps"), "cuda")]:
        monkeypatch.setattr(devices, "is_there", lambda device, there=there: device in (*there, "cpu"))
        monkeypatch.setenv(DEVICE_VARIABLE, "auto")
        assert chosen_device() == chosen


def test_a_device_that_is_not_there_or_unknown_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "is_there", lambda device: device == "cpu")
    for name in ("cuda", "mps", "tpu"):
        monkeypatch.setenv(DEVICE_VARIABLE, name)
        with pytest.raises(ModelError, match=DEVICE_VARIABLE):
            chosen_device()


def test_the_doctor_names_the_device_and_says_what_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DEVICE_VARIABLE, "cpu")
    found = {one.what: one for one in findings()}
    assert found["Device"].well and found["Device"].found.startswith("cpu")
    assert {"Memory", "Free disk", "Numbers", "Embedder"} <= set(found)
    monkeypatch.setenv(DEVICE_VARIABLE, "tpu")
    assert not {one.what: one for one in findings()}["Device"].well


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no NVIDIA GPU here")
def test_a_draw_on_a_gpu_is_the_draw_on_the_processor() -> None:
    logits = torch.randn(3, 1000, generator=torch.Generator().manual_seed(0))
    rows = [Row(ids=(1,), max_tokens=1, temperature=t, seed=7, ended=lambda _: False) for t in (0.0, 1.0, 0.7)]
    here, there = (choose_few(logits.to(device), rows, [0, 0, 0]) for device in ("cpu", "cuda"))
    assert [step.id for step in here] == [step.id for step in there]
