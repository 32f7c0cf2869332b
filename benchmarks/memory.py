"""How does a program's memory grow while it answers one question after another, and what keeps it?

Questions of Natural Questions with five passages are answered one after another in one process, with SePer and an empty
cache. ``resident_mb`` and ``anonymous_mb`` stand after every third question, once Python has collected its garbage and
the C library has given back what is free. Over the last nine questions ``python_mb`` is what Python's own allocator
took more, and ``tensors_mb`` what all tensors hold before and after. Linux only.

oneDNN, which multiplies matrices for torch, keeps a compiled product for each size. ``products`` says what a smaller
store costs: 300 numbers of rows in turn, in processes of their own, with the usual store and with one of 128. Run it on
a quiet machine: the milliseconds are wall-clock time.

    python -m benchmarks.memory [NQ.jsonl.gz] [--questions 45]     writes results/memory.json

Without a path, MICROSCOPE_BENCHMARK_DATA names a folder that contains nq_open_oracle_dev.jsonl.gz.
"""

import argparse
import ctypes
import gc
import json
import os
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from benchmarks.reader import contexts
from benchmarks.results_file import origin
from engine.core.folders import ENVIRONMENT_VARIABLE, data_folder
from engine.core.records import Passage
from engine.runs.run import diagnose
from training.nq_open import OracleRow, oracle_path, read_oracle

RESULTS = Path(__file__).parent / "results" / "memory.json"
EVERY, TRACED, SIZES, MEGABYTE = 3, 9, 300, 1e6
STORES: dict[str, dict[str, str]] = {
    "usual": {},
    "of 128": {"ONEDNN_PRIMITIVE_CACHE_CAPACITY": "128", "LRU_CACHE_CAPACITY": "128"},
}
PRODUCTS = """
import sys, time, torch
torch.set_num_threads(1)
weights = [torch.randn(size, 576).bfloat16() for size in (576, 1536)]
with torch.inference_mode():
    inputs = [torch.randn(rows, 576).bfloat16() for rows in range(2, 2 + int(sys.argv[1]))]
    for _ in range(5):
        began = time.perf_counter()
        for rows in inputs:
            for weight in weights:
                torch.nn.functional.linear(rows, weight)
        last = time.perf_counter() - began
print(1000 * last / (2 * len(inputs)))
"""


def resident() -> dict[str, int]:
    """Return this process's memory in megabytes: what is resident, and how much of it no file holds."""
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    told = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    names = {"resident_mb": "VmRSS", "anonymous_mb": "RssAnon"}
    return {name: round(int(told[field].split()[0]) * 1024 / MEGABYTE) for name, field in names.items()}


def tensors() -> float:
    """Return the megabytes of all tensors but the weights in oneDNN's own order; what several share counts once."""
    held: dict[int, int] = {
        one.untyped_storage().data_ptr(): one.untyped_storage().nbytes()
        for one in gc.get_objects()
        if issubclass(type(one), torch.Tensor) and one.layout is torch.strided
    }
    return round(sum(held.values()) / MEGABYTE, 1)


def product_milliseconds(store: dict[str, str]) -> float:
    """Return the milliseconds of a product in the last of five rounds over all sizes, in a process of its own."""
    command = [sys.executable, "-c", PRODUCTS, str(SIZES)]
    done = subprocess.run(command, env={**os.environ, **store}, capture_output=True, text=True, check=True)
    return round(float(done.stdout), 3)


def growth(asked: Sequence[tuple[OracleRow, tuple[Passage, ...]]]) -> dict[str, Any]:
    """Return the memory after every third question, and what Python and tensors took over the last ones."""
    rows: list[dict[str, int]] = []
    traced: list[tuple[int, float]] = []
    for number, (row, passages) in enumerate(asked, start=1):
        diagnose(row.question, passages=passages, answers=row.answers, methods=("seper",))
        if number % EVERY == 0:
            rows.append({"questions": number, **resident()})
        if number == len(asked) - TRACED:
            tracemalloc.start()
        if number in (len(asked) - TRACED, len(asked)):
            gc.collect()
            traced.append((tracemalloc.get_traced_memory()[0], tensors()))
    (python, before), (python_after, after) = traced
    return {
        "rows": rows,
        "python_mb": round((python_after - python) / MEGABYTE, 2),
        "tensors_mb": {"before": before, "after": after},
    }


def main() -> None:
    """Measure, store the results and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", nargs="?", help="nq_open_oracle_dev.jsonl, plain or gzipped")
    parser.add_argument("--questions", type=int, default=45)
    chosen = parser.parse_args()
    rows = [row for row in read_oracle(oracle_path(chosen.path)) if row.test][: chosen.questions]
    asked = [(row, with_answer) for row, (with_answer, _) in zip(rows, contexts(rows), strict=True)]
    products = {name: [product_milliseconds(store) for _ in range(3)] for name, store in STORES.items()}
    with tempfile.TemporaryDirectory() as fresh:
        (Path(fresh) / "models").symlink_to(data_folder() / "models")
        os.environ[ENVIRONMENT_VARIABLE] = fresh
        found = growth(asked)
    whole = {"questions": len(asked), "products_ms": products, **found, **origin()}
    RESULTS.write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(whole, indent=2))


if __name__ == "__main__":
    main()
