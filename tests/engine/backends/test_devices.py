"""A device is named by a run or the environment; what is not there is a sentence, and the doctor changes nothing.

Tests marked ``cuda`` run where there is an NVIDIA GPU: docs/models.md lists them for a first look at one.
"""

from pathlib import Path

import numpy as np
import pytest

import engine
from engine.backends import devices
from engine.backends.devices import DEVICE_VARIABLE, chosen_device, packaged_device
from engine.backends.doctor import findings
from engine.backends.entailment import load_judge
from engine.backends.language_models import computing_place, load_language_model
from engine.backends.language_models.base import Request
from engine.backends.language_models.decoder.decoding import Row, choose_few
from engine.backends.retrieval import load_embedder
from engine.core.errors import InputError, ModelError
from engine.core.progress import silent
from engine.core.records import Prompt
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import request_from_json
from engine.runs.request_checks import check_request
from tests.engine.runs.models.tiny_folder import tiny_gpt2


def test_a_run_names_a_device_else_the_environment_does_else_a_gpu_that_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for there, auto in [((), "cpu"), (("cuda",), "cuda"), (("mps",), "mps"), (("cuda", "mps"), "cuda")]:
        monkeypatch.setattr(devices, "is_there", lambda device, there=there: device in (*there, "cpu"))
        monkeypatch.delenv(DEVICE_VARIABLE, raising=False)
        assert (chosen_device(), chosen_device("cpu"), packaged_device()) == (auto, "cpu", "cpu")
        monkeypatch.setenv(DEVICE_VARIABLE, "cpu")
        assert chosen_device() == "cpu"
        if auto != "cpu":
            assert chosen_device(auto) == packaged_device(auto) == auto
            assert computing_place("embedded", auto) == auto and computing_place("embedded") == "cpu"
    assert computing_place("http://localhost:1/v1#m", "cuda") == "server"


def test_a_device_that_is_not_there_or_unknown_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "is_there", lambda device: device == "cpu")
    for name in ("cuda", "mps", "tpu"):
        with pytest.raises(ModelError, match=DEVICE_VARIABLE):
            chosen_device(name)
        monkeypatch.setenv(DEVICE_VARIABLE, name)
        with pytest.raises(ModelError, match=DEVICE_VARIABLE):
            chosen_device()
        for load in (load_embedder, load_judge):
            with pytest.raises(ModelError, match=DEVICE_VARIABLE):
                load()


def test_a_request_of_before_opens_with_the_machines_choice_and_another_device_is_refused() -> None:
    assert request_from_json('{"schema_version": 2, "question": "Who?"}').device == "auto"
    with pytest.raises(InputError, match="device"):
        check_request(DiagnosisRequest(question="Who?", device="tpu"))  # type: ignore[arg-type]


def test_a_machine_without_drivers_is_not_asked_for_a_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "DRIVERS", (str(tmp_path / "driver"),))
    assert not devices.may_be_there("cuda")
    (tmp_path / "driver").touch()
    assert devices.may_be_there("cuda")


def test_the_doctor_names_the_device_and_says_what_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DEVICE_VARIABLE, "cpu")
    found = {one.what: one for one in findings()}
    assert found["Device"].well and found["Device"].found.startswith("cpu")
    assert {"Memory", "Free disk", "Numbers", "Embedder"} <= set(found)
    monkeypatch.setenv(DEVICE_VARIABLE, "tpu")
    assert not {one.what: one for one in findings()}["Device"].well


@pytest.mark.cuda
def test_a_draw_on_a_gpu_is_the_draw_on_the_processor() -> None:
    import torch

    logits = torch.randn(3, 1000, generator=torch.Generator().manual_seed(0))
    rows = [Row(ids=(1,), max_tokens=1, temperature=t, seed=7, ended=lambda _: False) for t in (0.0, 1.0, 0.7)]
    here, there = (choose_few(logits.to(device), rows, [0, 0, 0]) for device in ("cpu", "cuda"))
    assert [step.id for step in here] == [step.id for step in there]


@pytest.mark.cuda
def test_a_model_of_ones_own_writes_on_a_gpu_what_it_writes_here(tmp_path: Path) -> None:
    source = str(tiny_gpt2(tmp_path / "tiny"))
    asked = [Request(prompt=Prompt(text=f"Who {n}?"), max_tokens=8, temperature=n % 2, seed=n) for n in range(6)]
    here, there = (load_language_model(source, silent, device).generate(asked, silent) for device in ("cpu", "cuda"))
    assert [one.text for one in here] == [one.text for one in there]
    labels = [load_language_model(source, silent, device).label_logprobs(
        [Prompt(text="Is it?")], ["yes", "no"], silent) for device in ("cpu", "cuda")]  # fmt: skip
    np.testing.assert_allclose(labels[0], labels[1], atol=1e-4)


@pytest.mark.cuda
@pytest.mark.weights
def test_embedder_and_judge_say_on_a_gpu_what_they_say_here() -> None:
    rows = [load_embedder(device).embed(["a dog barks", "tax law"]) for device in ("cpu", "cuda")]
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-4)
    pairs = ("who rebuilt it", ["Lyra Quill", "Oslo"], ["Quill did", "Bergen"])
    judged = [load_judge("embedded", None, device).entailment(*pairs) for device in ("cpu", "cuda")]
    np.testing.assert_allclose(judged[0], judged[1], atol=1e-3)


@pytest.mark.cuda
@pytest.mark.weights
def test_a_whole_run_on_a_gpu_says_so_in_its_record() -> None:
    found = engine.diagnose("Who?", passages=["Lyra Quill rebuilt it."], methods=("dense",), device="cuda")
    assert found.provenance.device == "cuda" and found.outcome("dense").status in ("done", "not measured")
