"""Which type of number models compute in: bfloat16 where the processor multiplies it in hardware, else float32.

float32 is the exact one: there batching and reuse change nothing above a stated tolerance. MICROSCOPE_DTYPE names one.
"""

import os
from typing import Literal, cast

from engine.errors import ModelError

NumberType = Literal["float32", "bfloat16"]
DTYPE_VARIABLE = "MICROSCOPE_DTYPE"


def number_type() -> NumberType:
    """Return the type asked for by the environment, else the fast one of this processor; raises ModelError."""
    asked = os.environ.get(DTYPE_VARIABLE, "auto").strip() or "auto"
    if asked in ("float32", "bfloat16"):
        return cast(NumberType, asked)
    if asked != "auto":
        raise ModelError(f"{DTYPE_VARIABLE} must be auto, float32 or bfloat16, got {asked!r}.")
    import torch

    known = torch.cpu.get_capabilities()
    return "bfloat16" if known.get("avx512_bf16") or known.get("amx_bf16") else "float32"
