"""How long does a repeated question take, in the same process and in another one?

One sample question is asked over the sample encyclopaedia with the default methods. The cache of model calls is empty
at first, and the weights are already converted. The first and the third look run in their own processes; the second
shares the process of the first. Each look says whether it loaded torch. The records are compared field by field,
without times.

    python -m benchmarks.second_look                          writes results/second_look.json
    python -m benchmarks.second_look ID --results FILE        another sample question, written elsewhere
    python -m benchmarks.second_look --beside                 writes results/two_at_once.json instead

With ``--beside`` it asks how much longer two such questions take at once, each in a process of its own with an empty
cache: threads that wait by spinning would steal each other's processors. A round is one alone, then two at once; the
ratios are medians of the rounds.

``seconds`` is the time of the look itself (``run_request``), ``processor_seconds`` its processor time, and
``process_seconds`` the time of the whole process with imports. On a busy machine (``load_before`` is the number of
programs that wanted a processor) only ``processor_seconds`` is reliable.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.results_file import origin
from engine.backends.call_cache import CallCache
from engine.core.folders import ENVIRONMENT_VARIABLE, data_folder
from engine.runs.sample_questions import sample_questions

PROJECT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).resolve().parent / "results" / "second_look.json"
BESIDE, ROUNDS = RESULTS.with_name("two_at_once.json"), 3
QUESTION = "suez-opening-date"
SHARED = ("models", "indexes")

LOOK = """
import json, sys, time
began = time.monotonic()
from dataclasses import replace
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.run import run_request
from engine.core.progress import Stage
from engine.methods import DEFAULT_METHODS
question, golds, times, methods = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
request = DiagnosisRequest(
    question=question, corpus="sample", golds=tuple(golds), methods=tuple(methods) or DEFAULT_METHODS
)
looks = []
for _ in range(times):
    began, busy, steps = time.monotonic(), time.process_time(), []
    def report(event):
        if isinstance(event, Stage) and (not steps or steps[-1][0] != event.method):
            steps.append((event.method, round(time.monotonic() - began, 3)))
    diagnosis = run_request(request, report)
    seconds, busy = time.monotonic() - began, time.process_time() - busy
    timeless = replace(
        diagnosis,
        seconds=0.0,
        outcomes=tuple(replace(outcome, seconds=0.0) for outcome in diagnosis.outcomes),
        provenance=replace(diagnosis.provenance, started_at=""),
    )
    opened = [name for name in ("torch", "transformers", "spacy") if name in sys.modules]
    looks.append(
        {
            "seconds": round(seconds, 3),
            "processor_seconds": round(busy, 3),
            "opened": opened,
            "stages": steps,
            "record": timeless.to_json(),
        }
    )
print(json.dumps(looks))
"""


def looked(
    home: Path, question: str, golds: tuple[str, ...], looks: int, methods: tuple[str, ...] = ()
) -> list[dict[str, object]]:
    """Return the looks of one fresh process, the last with ``process_seconds``; no methods = the usual ones."""
    command = [sys.executable, "-c", LOOK, question, json.dumps(golds), str(looks), *methods]
    environment = {**os.environ, ENVIRONMENT_VARIABLE: str(home), "PYTHONPATH": str(PROJECT)}
    began = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, check=True, cwd=PROJECT)
    found: list[dict[str, object]] = json.loads(done.stdout.splitlines()[-1])
    found[-1]["process_seconds"] = round(time.monotonic() - began, 3)
    return found


def measured(home: Path, question: str, golds: tuple[str, ...]) -> dict[str, object]:
    """Return the three looks and the size of the cache after them."""
    first, same = looked(home, question, golds, 2)
    (fresh,) = looked(home, question, golds, 1)
    records = [look.pop("record") for look in (first, same, fresh)]
    size = CallCache(home / "calls.sqlite").size()
    return {
        "first_look": first,
        "second_look_in_the_same_process": same,
        "second_look_in_a_fresh_process": fresh,
        "records_identical_but_for_times": records[0] == records[1] == records[2],
        "cache": {"calls": size.calls, "bytes": size.used},
    }


def first_look(question: str, golds: tuple[str, ...]) -> dict[str, object]:
    """Return the look of one fresh process with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        share_models(Path(folder))
        (look,) = looked(Path(folder), question, golds, 1)
    return look


def share_models(home: Path) -> None:
    """Give a data folder the models and indexes of the usual one."""
    for name in SHARED:
        (home / name).symlink_to(data_folder() / name)


def beside(question: str, golds: tuple[str, ...]) -> dict[str, object]:
    """Return what one look takes alone and what two take at once, round by round, with the medians of their ratios."""
    rounds = []
    for _ in range(ROUNDS):
        alone = first_look(question, golds)
        with ThreadPoolExecutor(2) as pool:
            both = [one.result() for one in [pool.submit(first_look, question, golds) for _ in range(2)]]
        rounds.append(compared(alone, both))
    ratios = {name: statistics.median(one[name] for one in rounds) for name in ("ratio", "processor_ratio")}
    return {**ratios, "rounds": rounds}


def compared(alone: Mapping[str, Any], both: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the seconds of one look alone and of the longer of two at once, the same of the processor, and the ratios.

    >>> one, other = {"seconds": 10.0, "processor_seconds": 20.0}, {"seconds": 21.0, "processor_seconds": 21.0}
    >>> found = compared(one, (other, other))
    >>> found["ratio"], found["processor_ratio"]
    (2.1, 1.05)
    """
    longer = max(one["seconds"] for one in both)
    busy = sum(one["processor_seconds"] for one in both) / len(both)
    return {
        "alone": alone["seconds"],
        "two_at_once": longer,
        "ratio": round(longer / alone["seconds"], 2),
        "processor_alone": alone["processor_seconds"],
        "processor_each": round(busy, 2),
        "processor_ratio": round(busy / alone["processor_seconds"], 2),
    }


def main() -> None:
    """Look three times at one sample question and write the measurements."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="?", default=QUESTION, help="id of a sample question")
    parser.add_argument("--results", type=Path, help="where to write")
    parser.add_argument("--beside", action="store_true", help="one question alone against two at once")
    chosen = parser.parse_args()
    sample = next((sample for sample in sample_questions() if sample.id == chosen.name), None)
    if sample is None:
        parser.error(f"no sample question is called {chosen.name}")
    load = round(os.getloadavg()[0], 1)
    if chosen.beside:
        found = beside(sample.question, sample.golds)
    else:
        with tempfile.TemporaryDirectory() as folder:
            share_models(Path(folder))
            found = measured(Path(folder), sample.question, sample.golds)
    about = {"question": sample.question, **origin(), "processors": os.cpu_count(), "load_before": load}
    about["load_after"] = round(os.getloadavg()[0], 1)
    settings = {name: os.environ.get(name, "") for name in ("OMP_NUM_THREADS", "MICROSCOPE_DTYPE")}
    whole = {**about, **settings, **found}
    results = chosen.results or (BESIDE if chosen.beside else RESULTS)
    results.write_text(json.dumps(whole, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
