"""How a training keeps to its settings, goes on after a stop, and is warmed up: for judge, reader and writer alike."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def rate(step: int, steps: int, warmup: float) -> float:
    """Return the factor on the learning rate: linear over the share ``warmup`` of the steps, then linear decay to 0."""
    warm = max(1, int(warmup * steps))
    return step / warm if step < warm else max(0.0, (steps - step) / max(1, steps - warm))


def agree(folder: Path, settings: "DataclassInstance") -> None:
    """Keep the settings beside the checkpoint; exits if the folder has a run with other settings."""
    path, wanted = folder / "settings.json", json.dumps(asdict(settings), indent=2)
    if path.is_file() and path.read_text() != wanted:
        raise SystemExit(f"{folder} holds a run with other settings: name another folder, or remove it.")
    path.write_text(wanted)


def save(folder: Path, part: str, weights: dict[str, Any], optimizer: Any, step: int) -> None:
    """Write the checkpoint completely or not at all; ``part`` is what its weights are called in it."""
    unfinished = folder / "checkpoint.part"
    torch.save({part: weights, "optimizer": optimizer.state_dict(), "step": step}, unfinished)
    unfinished.replace(folder / "checkpoint.pt")


def resume(folder: Path, part: str, load: Callable[[dict[str, Any]], Any], optimizer: Any) -> int:
    """Load the checkpoint, if there is one, and return the number of finished steps; ``load`` takes its weights."""
    path = folder / "checkpoint.pt"
    if not path.is_file():
        return 0
    state = torch.load(path, weights_only=True)
    load(state[part])
    optimizer.load_state_dict(state["optimizer"])
    return int(state["step"])
