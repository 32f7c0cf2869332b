"""The benchmark of memory: what it reads of a process, and what tensors hold."""

import sys

import pytest
import torch

from benchmarks.memory import resident, tensors


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel tells it on Linux only")
def test_memory_that_no_file_holds_is_part_of_what_is_resident() -> None:
    before = resident()
    held = torch.ones(25_000_000)
    after = resident()

    assert before["anonymous_mb"] <= before["resident_mb"]
    # 25 million numbers of four bytes.
    assert after["anonymous_mb"] - before["anonymous_mb"] == pytest.approx(held.numel() * 4 / 1e6, abs=5)


def test_memory_that_several_tensors_share_counts_once() -> None:
    before = tensors()
    whole = torch.zeros(10_000_000)
    part = whole[:5_000_000]

    assert tensors() - before == pytest.approx(40, abs=1) and len(part) == 5_000_000
