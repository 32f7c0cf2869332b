"""Which device a model of one's own computes on: the processor, an NVIDIA GPU ("cuda") or an Apple GPU ("mps").

MICROSCOPE_DEVICE names one; "auto" takes a GPU that torch can use, else the processor; without it, the processor. The
embedded models, the embedder and the judge stay on the processor: they are small, and were measured there.
"""

import os
from typing import Literal, cast, get_args

from engine.core.errors import ModelError

Device = Literal["cpu", "cuda", "mps"]
GPUS: tuple[Device, ...] = ("cuda", "mps")
DEVICE_VARIABLE = "MICROSCOPE_DEVICE"


def chosen_device() -> Device:
    """Return the device that the environment names. Raises ModelError for another name, or one that is not there."""
    name = os.environ.get(DEVICE_VARIABLE, "").strip().lower() or "cpu"
    if name == "auto":
        return next((device for device in GPUS if is_there(device)), "cpu")
    if name not in get_args(Device):
        raise ModelError(f"{DEVICE_VARIABLE} must be auto, cpu, cuda or mps, got {name[:40]!r}.")
    device = cast(Device, name)
    if not is_there(device):
        raise ModelError(
            f"There is no {device} device that torch can use here. Run `microscope doctor`, or set "
            f"{DEVICE_VARIABLE}=cpu."
        )
    return device


def is_there(device: Device) -> bool:
    """Return whether torch can compute on a device; the processor always is there."""
    if device == "cpu":
        return True
    import torch  # a second to import, and only needed to look for a GPU

    return torch.cuda.is_available() if device == "cuda" else torch.backends.mps.is_available()
