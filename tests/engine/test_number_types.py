"""Which type models compute in: what the environment asks for, else what the processor does fast."""

import pytest
import torch

from engine.errors import ModelError
from engine.number_types import DTYPE_VARIABLE, number_type


@pytest.mark.parametrize("asked", ["float32", "bfloat16"])
def test_the_environment_decides(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DTYPE_VARIABLE, asked)
    assert number_type() == asked


@pytest.mark.parametrize(
    ("known", "kind"),
    [({}, "float32"), ({"avx512_bf16": True}, "bfloat16"), ({"avx512_bf16": False, "amx_bf16": True}, "bfloat16")],
)
def test_otherwise_the_processor_does(known: dict[str, bool], kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DTYPE_VARIABLE, " ")
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: known)
    assert number_type() == kind


def test_another_type_is_refused_with_the_ones_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DTYPE_VARIABLE, "float8")
    with pytest.raises(ModelError, match="must be auto, float32 or bfloat16, got 'float8'"):
        number_type()
