"""How does the cost of one diagnosis grow with its passages and samples?

The embedded models run the default methods on sample questions over 1 to 20 retrieved passages, and SePer alone
with 1 to 40 samples over five passages. Each size computes everything again: no cache on disk, no memory of earlier
answers, no known prompt.

    python -m benchmarks.growth_question                                  writes results/growth_question.json
    python -m benchmarks.growth_question --passages 1 2 5 --samples 1 5 10 --questions 1 --results FILE

About 25 minutes on two idle cores in float32.
"""

import argparse
import os
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import torch
from pydantic_core import to_json

from benchmarks.growth import curve
from benchmarks.growth_records import CorpusGrowth, GrowthCurve, GrowthPoint, question_results_file
from engine.backends.language_models import ADAPTERS
from engine.backends.language_models.adapters import open_adapted
from engine.backends.language_models.cached import CachedModel
from engine.backends.language_models.decoder.key_values import KnownPrompts
from engine.backends.language_models.embedded import converted_folder
from engine.backends.language_models.transformers_model import TransformersModel, open_folder
from engine.backends.number_types import number_type
from engine.core.errors import NotMeasured
from engine.core.progress import silent
from engine.core.provenance import library_versions, machine
from engine.diagnosis.request import DiagnosisRequest
from engine.methods import DEFAULT_METHODS, METHODS
from engine.methods.base import Backends, Case, answer_request
from engine.methods.profiles import EMBEDDED
from engine.runs.request_checks import check_request
from engine.runs.run import load_backends

QUESTIONS = (
    ("When was the Suez Canal opened?", "17 November 1869"),
    ("Who bought London Bridge?", "Robert P. McCulloch"),
    ("Who was the first person in space?", "Yuri Gagarin"),
)
PASSAGES = (1, 2, 3, 5, 8, 12, 16, 20)
SAMPLES = (1, 2, 5, 10, 20, 30, 40)
WHOLE = "the default methods"
QUICK = "DENSE by quick reading"


def fresh(
    backends: Backends, reader: TransformersModel, writer: TransformersModel, base: TransformersModel
) -> Backends:
    """Return backends whose models remember nothing."""
    for one in (reader, writer, base):
        one.known = KnownPrompts()
    return replace(backends, model=CachedModel(reader), writer=CachedModel(writer), rewriter=CachedModel(base))


def seconds_of(
    question: str, gold: str, k: int, samples: int, methods: Sequence[str], models: tuple[TransformersModel, ...]
) -> dict[str, float]:
    """Return the seconds of the answer, of each method, and of everything."""
    request = check_request(
        DiagnosisRequest(question=question, golds=(gold,), corpus="sample", k=k, methods=tuple(methods))
    )
    request = replace(request, seper=replace(request.seper, samples=samples))
    given, ground = load_backends(request, EMBEDDED, silent)
    backends = fresh(given, *models)
    passages = tuple(hit.passage for hit in ground.hits)
    began = time.perf_counter()
    (answer,) = backends.model.generate([answer_request(EMBEDDED, question, passages)], silent)
    found = {"the answer": time.perf_counter() - began}
    case = Case(question=question, passages=passages, golds=(gold,), answer=answer, profile=EMBEDDED, seed=0)
    for word in methods:
        start = time.perf_counter()
        with suppress(NotMeasured):  # a method may need two passages; then it has no point at this size
            METHODS[word].run(case, getattr(request, word), backends)
            found[METHODS[word].title] = time.perf_counter() - start
    found[WHOLE] = time.perf_counter() - began
    return found | (quick_seconds(case, request, fresh(given, *models)) if "dense" in methods else {})


def quick_seconds(case: Case, request: DiagnosisRequest, backends: Backends) -> dict[str, float]:
    """Return DENSE's seconds by quick reading, with backends that know the answer over the passages only."""
    backends.model.generate([answer_request(EMBEDDED, case.question, case.passages)], silent)
    began = time.perf_counter()
    METHODS["dense"].run(case, replace(request.dense, reading="quick"), backends)
    return {QUICK: time.perf_counter() - began}


def curves_over(
    axis: str, sizes: Sequence[int], measured: Callable[[int, str, str], dict[str, float]], questions: int
) -> tuple[GrowthCurve, ...]:
    """Return one curve for each part over the sizes; a point is the median over the questions."""
    by_part: dict[str, list[GrowthPoint]] = {}
    for size in sizes:
        rows = [measured(size, *asked) for asked in QUESTIONS[:questions]]
        for part in rows[0]:
            middle = statistics.median(row[part] for row in rows)
            by_part.setdefault(part, []).append(GrowthPoint(size=size, value=middle))
        print(f"{axis} {size}: " + ", ".join(f"{part} {p[-1].value:.2f} s" for part, p in by_part.items()), flush=True)
    return tuple(curve(f"{part}, over {axis}", "s", points) for part, points in by_part.items())


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passages", type=int, nargs="*", default=PASSAGES)
    parser.add_argument("--samples", type=int, nargs="*", default=SAMPLES)
    parser.add_argument("--questions", type=int, default=len(QUESTIONS))
    parser.add_argument("--results", type=Path, default=question_results_file())
    chosen = parser.parse_args()
    os.environ["MICROSCOPE_CACHE_MB"] = "0"
    started_at = datetime.now(UTC).isoformat(timespec="seconds")
    models = (
        open_adapted("embedded", number_type()),
        open_adapted("embedded-writer", number_type(), ADAPTERS["embedded-writer"], blocks=True),
        open_folder(converted_folder(), "embedded-base", number_type()),
    )
    seconds_of(*QUESTIONS[0], 5, 2, DEFAULT_METHODS, models)  # everything is opened and warm
    over_passages = curves_over(
        "passages",
        chosen.passages,
        lambda k, question, gold: seconds_of(question, gold, k, EMBEDDED.samples, DEFAULT_METHODS, models),
        chosen.questions,
    )
    over_samples = curves_over(
        "samples",
        chosen.samples,
        lambda n, question, gold: seconds_of(question, gold, EMBEDDED.passages, n, ("seper",), models),
        chosen.questions,
    )
    growth = CorpusGrowth(
        started_at=started_at,
        machine=machine(),
        processors=os.cpu_count() or 1,
        threads=torch.get_num_threads(),
        libraries=library_versions(),
        queries=chosen.questions,
        notes=(f"{number_type()}; each point is the median over {chosen.questions} questions, nothing cached.",),
        curves=(*over_passages, *(one for one in over_samples if not one.name.startswith(WHOLE))),
    )
    chosen.results.write_bytes(to_json(growth, indent=1) + b"\n")


if __name__ == "__main__":
    main()
