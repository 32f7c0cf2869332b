"""A long pass is heard of and can be stopped between its layers, by who listens and nobody else."""

import threading
import time

import pytest
import torch

from engine.backends.language_models.base import Request
from engine.backends.language_models.decoder import between_layers
from engine.backends.language_models.decoder.between_layers import report_between_layers, with_layer_hooks
from engine.backends.language_models.decoder.key_values import KnownPrompts
from engine.core.errors import Cancelled
from engine.core.progress import Event, TokensDecoded, silent
from engine.core.records import Prompt


class Layer(torch.nn.Module):
    """A layer that takes its time, and counts how often it is computed."""

    def __init__(self) -> None:
        super().__init__()
        self.self_attn = torch.nn.Linear(2, 2)
        self.passes = 0

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Return the states after a moment."""
        time.sleep(0.02)
        self.passes += 1
        return states


def stack() -> torch.nn.Module:
    """Return twenty layers, 0.4 s for one pass."""
    return with_layer_hooks(torch.nn.Sequential(*(Layer() for _ in range(20))))


def test_a_pass_of_four_tenths_of_a_second_is_heard_of_about_four_times() -> None:
    heard: list[Event] = []
    began = time.monotonic()
    with report_between_layers(heard.append):
        stack()(torch.zeros(1, 2))
    spent = time.monotonic() - began  # longer on a busy machine
    assert 2 <= len(heard) <= spent / 0.1 + 1
    assert set(heard) == {TokensDecoded(count=0)}


def test_a_reporter_that_raises_ends_the_pass_at_once() -> None:
    def stop(event: Event) -> None:
        raise Cancelled("stopped")

    layers = stack()
    with pytest.raises(Cancelled), report_between_layers(stop):
        layers(torch.zeros(1, 2))
    # It is called every tenth of a second: after five of the twenty layers, or fewer where the machine is busy.
    assert sum(layer.passes for layer in layers.children()) <= 5


def test_nobody_listens_outside_or_in_another_thread() -> None:
    heard: list[Event] = []
    model = stack()
    with report_between_layers(heard.append):
        other = threading.Thread(target=model, args=(torch.zeros(1, 2),))
        other.start()
        other.join()
    model(torch.zeros(1, 2))
    assert heard == []


@pytest.mark.weights
def test_a_long_prompt_is_stopped_in_the_middle_and_numbers_stay_the_same(embedded, monkeypatch) -> None:
    request = Request(prompt=Prompt(text="The Suez Canal was opened in 1869. " * 10), max_tokens=1)
    monkeypatch.setattr(embedded, "known", KnownPrompts())  # or a part of the prompt may be known from another test
    before = embedded.generate([request], silent)
    monkeypatch.setattr(embedded, "known", KnownPrompts())  # or the prompt would not be read again
    monkeypatch.setattr(between_layers, "SECONDS_BETWEEN", 0.0)
    heard: list[Event] = []
    with report_between_layers(heard.append):
        assert embedded.generate([request], silent) == before
    assert len(heard) >= 30, "one for each layer at least"

    def stop(event: Event) -> None:
        raise Cancelled("stopped")

    monkeypatch.setattr(embedded, "known", KnownPrompts())
    with pytest.raises(Cancelled), report_between_layers(stop):
        embedded.generate([request], silent)
    assert embedded.generate([request], silent) == before
