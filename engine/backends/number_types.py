"""Which type of number models compute in: bfloat16 where the device multiplies it in hardware, else float32.

float32 is the exact one: there batching and reuse change nothing above a stated tolerance. MICROSCOPE_DTYPE names one.
"""

import os
from functools import lru_cache
from pathlib import Path
from typing import Literal, cast

from engine.backends.devices import Device
from engine.core.errors import ModelError

NumberType = Literal["float32", "bfloat16"]
DTYPE_VARIABLE = "MICROSCOPE_DTYPE"


def number_type(device: Device = "cpu") -> NumberType:
    """Return the type that the environment names, else the fast one of a device; raises ModelError."""
    name = os.environ.get(DTYPE_VARIABLE, "auto").strip() or "auto"
    if name in ("float32", "bfloat16"):
        return cast(NumberType, name)
    if name != "auto":
        raise ModelError(f"{DTYPE_VARIABLE} must be auto, float32 or bfloat16, got {name!r}.")
    return fast_number_type(device)


def fast_number_type(device: Device = "cpu") -> NumberType:
    """Return bfloat16 where the device multiplies it in hardware, else float32; on an Apple GPU always float32."""
    if device == "mps":
        return "float32"
    if device == "cuda":
        import torch

        return "bfloat16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float32"
    return "bfloat16" if {"avx512_bf16", "amx_bf16"} & set(processor_flags()) else "float32"


@lru_cache(maxsize=1)
def processor_flags() -> tuple[str, ...]:
    """Return the names of the processor's extra instructions, sorted.

    Linux lists them in a file; elsewhere torch gives them, which takes a second to import.
    """
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        lines = listed.read_text(encoding="utf-8", errors="replace").splitlines()
        flags = next((line.partition(":")[2] for line in lines if line.startswith(("flags", "Features"))), "")
        return tuple(sorted(set(flags.split())))
    import torch

    return tuple(sorted(name for name, there in torch.cpu.get_capabilities().items() if there is True))
