"""How much faster a study is than single runs one after another, and whether both give the same records.

In one process with warm models, the questions of each block are asked one after another and side by side
(``engine/runs/studies/together.py``); which goes first changes with the block. Before each, whatever was remembered is
forgotten, and the cache on disk is off. Seconds are those of the clock and of the processor: on a busy machine the
latter say more. ``--commands`` also times a loop in a shell: a program for each question. ``--workers`` asks processes
in the place of one batch, in blocks of ``--together``, with ``--ray`` workers of a Ray begun on this machine; the first
question opens their models and is not counted.

    python -m benchmarks.study_speed nq-open-oracle.jsonl.gz --methods seper,sugar --questions 16 --together 8

Each call adds one measurement to ``results/study_speed.json``; an earlier one of the same settings is replaced.
Without a path, MICROSCOPE_BENCHMARK_DATA names the folder of the file.
"""

import argparse
import gc
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any

os.environ["MICROSCOPE_CACHE_MB"] = "0"

from benchmarks.real_studies import natural_questions, written_data
from benchmarks.results_file import origin
from engine.backends.language_models.decoder.key_values import KnownPrompts
from engine.backends.memory import Memory
from engine.backends.number_types import number_type
from engine.core.folders import data_folder, make_folder
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import to_json
from engine.runs.run import run_request
from engine.runs.studies.processes import ProcessWorker
from engine.runs.studies.ray_workers import RayWorker, begin_ray
from engine.runs.studies.together import Together

RESULTS = Path(__file__).parent / "results" / "study_speed.json"
NOT_THE_SAME = ("seconds", "started_at")
Seconds = tuple[float, float]


def forget() -> None:
    """Forget every call that this process remembers, and every prompt whose keys and values are held."""
    for one in gc.get_objects():
        if type(one) is Memory:
            one._known.clear()
        elif type(one) is KnownPrompts:
            one._held.clear()


def timed(work: Callable[[], list[Diagnosis]]) -> tuple[list[Diagnosis], Seconds]:
    """Return what was found, with the seconds of the clock and of the processor."""
    forget()
    began, busy = time.perf_counter(), time.process_time()
    found = work()
    return found, (time.perf_counter() - began, time.process_time() - busy)


def one_by_one(requests: Sequence[DiagnosisRequest]) -> list[Diagnosis]:
    """Return the runs, asked one after another."""
    return [run_request(request) for request in requests]


def side_by_side(requests: Sequence[DiagnosisRequest]) -> list[Diagnosis]:
    """Return the runs, asked side by side."""
    together = Together(len(requests))
    with ThreadPoolExecutor(len(requests)) as pool:
        return list(pool.map(together.run, requests))


def by_workers(workers: Sequence[ProcessWorker | RayWorker], requests: Sequence[DiagnosisRequest]) -> list[Diagnosis]:
    """Return the runs, each asked of whichever process is free."""
    free: SimpleQueue[ProcessWorker | RayWorker] = SimpleQueue()
    for one in workers:
        free.put(one)

    def run(request: DiagnosisRequest) -> Diagnosis:
        worker = free.get()
        try:
            return worker.run(request)
        finally:
            free.put(worker)

    with ThreadPoolExecutor(len(workers)) as pool:
        return list(pool.map(run, requests))


def resident_bytes(process: int) -> int | None:
    """Return the most memory that a process has held so far, in bytes, None where the system does not tell."""
    with suppress(OSError, StopIteration, ValueError, IndexError):
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    return None


def workers_measured(requests: list[DiagnosisRequest], number: int, block: int, ray: bool) -> dict[str, Any]:
    """Return what ``measured`` does for workers, with the seconds until each had answered once, and its memory.

    The memory of Ray's workers is not measured.
    """
    if ray:
        begin_ray(number)
    workers = [RayWorker() if ray else ProcessWorker() for _ in range(number)]
    try:
        began = time.perf_counter()
        with ThreadPoolExecutor(number) as pool:
            list(pool.map(lambda one: one.run(requests[0]), workers))
        opening = time.perf_counter() - began
        found = measured(requests[1:], block, lambda asked: by_workers(workers, asked))
        held = [resident_bytes(one.process.pid) for one in workers if isinstance(one, ProcessWorker) and one.process]
    finally:
        for one in workers:
            one.end()
    # The processor's seconds of other processes are not counted here.
    kept = {name: value for name, value in found.items() if "processor" not in name}
    return {**kept, "seconds_to_a_first_answer": round(opening, 2), "most_bytes_each": held}


def commands(requests: Sequence[DiagnosisRequest]) -> Seconds:
    """Return the seconds of the clock and of the processor of a program for each request."""
    began, before = time.perf_counter(), os.times()
    for request in requests:
        words = [word for method in request.methods for word in ("--method", method)]
        golds = [word for gold in request.golds for word in ("--answer", gold)]
        asked = ["ask", request.question, "--corpus", str(request.corpus), *words, *golds]
        made = [sys.executable, "-c", "from engine.cli import app; app()", *asked]
        subprocess.run(made, check=True, capture_output=True)
    after = os.times()
    busy = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - began, busy


def leaves(value: Any, address: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (address, value) of everything a record holds but the clock."""
    if isinstance(value, dict):
        for name, one in value.items():
            if name not in NOT_THE_SAME:
                yield from leaves(one, f"{address}.{name}")
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from leaves(one, f"{address}.{at}")
    else:
        yield address, value


def sameness(first: Diagnosis, second: Diagnosis) -> dict[str, Any]:
    """Return how two records of one question differ: in words, in shape, and by how much in numbers at most."""
    sides = [dict(leaves(json.loads(to_json(one)))) for one in (first, second)]
    shared = [(sides[0][key], sides[1][key]) for key in sides[0] if key in sides[1]]
    numbers = [(a, b) for a, b in shared if isinstance(a, float | int) and isinstance(b, float | int) and a is not b]
    gaps = [abs(a - b) for a, b in numbers if math.isfinite(a) and math.isfinite(b)]
    words = sum(a != b for a, b in shared if isinstance(a, str))
    return {
        "identical": sides[0] == sides[1],
        "same_shape": sides[0].keys() == sides[1].keys(),
        "words_differ": words,
        "same_answer": first.answer.text == second.answer.text,
        "largest_gap": max(gaps, default=0.0) if sides[0].keys() == sides[1].keys() and not words else None,
    }


def requests_of(data: str | None, methods: tuple[str, ...], number: int, skip: int) -> list[DiagnosisRequest]:
    """Return what is asked: test questions of Natural Questions over all passages of the file."""
    entries = natural_questions(data)
    _, corpus = written_data(entries, make_folder(data_folder() / "study_nq"))
    asked = [one for one in entries if one.asked][skip : skip + number]
    return [
        DiagnosisRequest(question=one.question, golds=one.answers, corpus=str(corpus), methods=methods, k=5)
        for one in asked
    ]


def measured(
    requests: list[DiagnosisRequest], size: int, beside: Callable[[Sequence[DiagnosisRequest]], list[Diagnosis]]
) -> dict[str, Any]:
    """Return the seconds of both ways, and how their records differ; ``beside`` asks several at once."""
    run_request(requests[0])  # opens whatever is needed
    ways = {"one_by_one": one_by_one, "side_by_side": beside}
    seconds: dict[str, list[Seconds]] = {name: [] for name in ways}
    same = []
    for block, first in enumerate(range(0, len(requests), size)):
        found = {}
        for name in sorted(ways, reverse=bool(block % 2)):
            found[name], took = timed(lambda way=ways[name], first=first: way(requests[first : first + size]))  # type: ignore[misc]
            seconds[name].append(took)
        same += [sameness(a, b) for a, b in zip(found["one_by_one"], found["side_by_side"], strict=True)]
    sums = {name: [round(sum(one[at] for one in took), 2) for at in (0, 1)] for name, took in seconds.items()}
    gaps = [one["largest_gap"] for one in same if one["largest_gap"] is not None]
    return {
        "clock_seconds": {name: took[0] for name, took in sums.items()},
        "processor_seconds": {name: took[1] for name, took in sums.items()},
        "faster_by_clock": round(sums["one_by_one"][0] / sums["side_by_side"][0], 2),
        "faster_by_processor": round(sums["one_by_one"][1] / sums["side_by_side"][1], 2),
        "identical_records": sum(one["identical"] for one in same),
        "same_words": sum(one["same_shape"] and not one["words_differ"] for one in same),
        "same_answers": sum(one["same_answer"] for one in same),
        "largest_gap_where_words_agree": max(gaps, default=None),
    }


def main() -> None:
    """Measure once, and keep it beside the other measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", help="nq-open-oracle.jsonl.gz, plain or gzipped")
    parser.add_argument("--methods", default="seper,sugar")
    parser.add_argument("--questions", type=int, default=8)
    parser.add_argument("--together", type=int, default=8)
    parser.add_argument("--workers", type=int, default=0, help="so many processes in the place of one batch")
    parser.add_argument("--ray", action="store_true", help="workers of Ray in the place of processes")
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--commands", type=int, default=0, help="how many questions a program each is timed for")
    given = parser.parse_args()
    methods = tuple(word for word in given.methods.split(",") if word)
    requests = requests_of(given.data, methods, given.questions, given.skip)
    settings = {
        "methods": list(methods),
        "dtype": number_type(),
        "questions": len(requests),
        "together": given.together,
        "threads": os.environ.get("OMP_NUM_THREADS", "all"),
    }
    load = os.getloadavg()[0]
    if given.workers:
        settings |= {"workers": given.workers, "together": 1, "ray": given.ray}
        found = workers_measured(requests, given.workers, given.together, given.ray)
    else:
        found = measured(requests, given.together, side_by_side)
    result = {**settings, **found, "load": load}
    if given.commands:
        clock, busy = commands(requests[: given.commands])
        result["commands"] = {
            "questions": given.commands,
            "clock_seconds": round(clock, 2),
            "processor_seconds": round(busy, 2),
        }
    known = json.loads(RESULTS.read_text(encoding="utf-8"))["measured"] if RESULTS.exists() else []
    kept = [one for one in known if any(one.get(name) != value for name, value in settings.items())]
    content = {**origin(), "measured": [*kept, result]}
    RESULTS.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
