"""Which type models compute in: what the environment asks for, else what the processor does fast."""

import pytest
import torch

from engine.backends import number_types
from engine.backends.number_types import DTYPE_VARIABLE, number_type, processor_flags
from engine.core.errors import ModelError


@pytest.mark.parametrize("asked", ["float32", "bfloat16"])
def test_the_environment_decides(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DTYPE_VARIABLE, asked)
    assert number_type() == asked


@pytest.mark.parametrize(
    ("flags", "kind"), [((), "float32"), (("avx512_bf16", "sse"), "bfloat16"), (("amx_bf16",), "bfloat16")]
)
def test_otherwise_the_processor_does(flags: tuple[str, ...], kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DTYPE_VARIABLE, " ")
    monkeypatch.setattr(number_types, "processor_flags", lambda: flags)
    assert number_type() == kind


def test_the_processors_flags_say_of_bfloat16_what_torch_says() -> None:
    known = torch.cpu.get_capabilities()
    fast = bool(known.get("avx512_bf16") or known.get("amx_bf16"))
    assert bool({"avx512_bf16", "amx_bf16"} & set(processor_flags())) is fast


def test_another_type_is_refused_with_the_ones_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DTYPE_VARIABLE, "float8")
    with pytest.raises(ModelError, match="float8"):
        number_type()
