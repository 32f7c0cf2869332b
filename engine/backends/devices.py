"""Which device models compute on: the processor, an NVIDIA GPU ("cuda") or an Apple GPU ("mps").

A run names one, or "auto": that is what MICROSCOPE_DEVICE names, and without it a GPU that torch can use, else the
processor. Under "auto" the language models that come with the program stay on the processor, for which their decoder is
made; named by itself, a device takes them too. Whether there may be a GPU is seen without torch, which is slow to
import.
"""

import os
import platform
from pathlib import Path
from typing import Literal, cast, get_args

from engine.core.errors import ModelError

Device = Literal["cpu", "cuda", "mps"]
DeviceChoice = Literal["auto", "cpu", "cuda", "mps"]
GPUS: tuple[Device, ...] = ("cuda", "mps")
DEVICE_VARIABLE = "MICROSCOPE_DEVICE"
# What a driver of NVIDIA leaves on Linux, in the Windows subsystem for Linux, and on Windows.
DRIVERS = ("/dev/nvidiactl", "/dev/dxg", "C:/Windows/System32/nvcuda.dll")
MEMORY_FACTS = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")


def named_device(wanted: str = "auto") -> DeviceChoice:
    """Return the device that is wanted, in the place of "auto" what the environment names. Raises ModelError."""
    environment = os.environ.get(DEVICE_VARIABLE, "").strip().lower()
    name = wanted.strip().lower() or "auto"
    name = environment or name if name == "auto" else name
    if name not in get_args(DeviceChoice):
        raise ModelError(f"The device must be auto, cpu, cuda or mps ({DEVICE_VARIABLE} too), got {name[:40]!r}.")
    return cast(DeviceChoice, name)


def chosen_device(wanted: str = "auto") -> Device:
    """Return the device to compute on. Raises ModelError for another name, or a device that is not there."""
    name = named_device(wanted)
    if name == "auto":
        return next((device for device in GPUS if is_there(device)), "cpu")
    if not is_there(name):
        raise ModelError(
            f"There is no {name} device that torch can use here. Run `microscope doctor`, or choose the device cpu "
            f"({DEVICE_VARIABLE})."
        )
    return name


def packaged_device(wanted: str = "auto") -> Device:
    """Return where the language models that come with the program compute: the processor unless a device is named."""
    return "cpu" if named_device(wanted) == "auto" else chosen_device(wanted)


def place_or_cpu() -> Device:
    """Return the device to compute on, the processor where the named one is not there: to guess what a run costs."""
    try:
        return chosen_device()
    except ModelError:
        return "cpu"


def is_there(device: Device) -> bool:
    """Return whether torch can compute on a device; the processor always is there."""
    if device == "cpu":
        return True
    if not may_be_there(device):
        return False
    import torch  # a second to import, and only needed to look for a GPU

    return torch.cuda.is_available() if device == "cuda" else torch.backends.mps.is_available()


def may_be_there(device: Device) -> bool:
    """Return whether a machine may have a device, by its drivers alone."""
    if device == "mps":
        return (platform.system(), platform.machine()) == ("Darwin", "arm64")
    return any(Path(driver).exists() for driver in DRIVERS)


def free_memory(device: Device = "cpu") -> int | None:
    """Return the bytes of memory that are free on a device, None where nothing tells."""
    if device == "cpu":
        return free_main_memory()
    import torch

    if device == "cuda":
        free, _ = torch.cuda.mem_get_info()
        return int(free) + torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
    return int(torch.mps.recommended_max_memory()) - int(torch.mps.current_allocated_memory())


def free_main_memory() -> int | None:
    """Return the bytes of main memory that programs can still get, within the limit of a container; None = not told."""
    found = [free for free in (available_memory(), group_memory()) if free is not None]
    return min(found, default=None)


def available_memory() -> int | None:
    """Return what Linux calls available memory, in bytes; None elsewhere."""
    try:
        lines = MEMORY_FACTS.read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, IndexError, StopIteration):
        return None


def group_memory() -> int | None:
    """Return what is left of a container's limit of memory, in bytes; None where there is no limit."""
    try:
        limit = int((GROUP / "memory.max").read_text(encoding="utf-8"))
        return limit - int((GROUP / "memory.current").read_text(encoding="utf-8"))
    except (OSError, ValueError):  # no such file, or "max"
        return None


def is_short_of_memory(error: BaseException) -> bool:
    """Return whether an error says that memory ran out: torch has a kind of its own for GPUs, and words elsewhere.

    >>> [is_short_of_memory(RuntimeError(words)) for words in ("CUDA out of memory.", "shape mismatch")]
    [True, False]
    """
    words = str(error).lower()
    named = isinstance(error, RuntimeError) and ("out of memory" in words or "can't allocate memory" in words)
    return named or isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError"


def release_memory(device: str) -> None:
    """Give back what torch keeps of a GPU's memory for later."""
    import torch

    if device == "cuda":
        torch.cuda.empty_cache()
    elif device == "mps":
        torch.mps.empty_cache()
