"""The questions of a study on several processes or machines, with Ray: each worker has models of its own.

Ray is the optional extra ``[ray]``. A worker is an actor: it opens its models once and answers one question after
another. The program that works on the study keeps the records, so workers need no common disk; only the corpus has to
lie at the same path everywhere, and its bytes are compared. A worker that is lost is made anew, and its question is
asked again.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import engine
from engine.backends.fingerprints import processor_threads
from engine.core.allowed import OWNER, acting_for
from engine.core.errors import CorpusError, InputError, MicroscopeError, ModelError
from engine.core.progress import Report, Stage, silent
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.jobs.desk import Run
from engine.runs.studies.plan import corpus_hash

TRIES = 3
LOOK_SECONDS = 0.2
PASSED_ON = ("MICROSCOPE_", "OMP_", "HF_", "TOKENIZERS_")
WORKING = Stage(method="models", name="asking on another worker")


def own_run() -> Run:
    """Return how a worker answers: as this program does."""
    from engine.runs.run import run_request

    return run_request


class Asker:
    """What a worker does; it lives in a process of its own."""

    def __init__(self, make: Callable[[], Run]) -> None:
        """Answer with the run that ``make`` returns."""
        self.run = make()
        self.hashes: dict[str, str] = {}

    def ask(self, request: DiagnosisRequest, kept: Diagnosis | None, corpus: str) -> Diagnosis | MicroscopeError:
        """Return the diagnosis, or the error that says why there is none; studies are the owner's.

        ``corpus`` is its corpus's hash, "" = any.
        """
        try:
            if corpus and request.corpus is not None and self.hash_of(request.corpus) != corpus:
                raise CorpusError(f"The corpus {Path(request.corpus).name} on this worker is another one.")
            with acting_for(OWNER):
                return self.run(request, silent, *(() if kept is None else (kept,)))
        except MicroscopeError as exc:
            return exc

    def hash_of(self, corpus: str) -> str:
        """Return the hash of a corpus's bytes, read once."""
        if corpus not in self.hashes:
            self.hashes[corpus] = corpus_hash(corpus)
        return self.hashes[corpus]


class RayWorker:
    """One worker as a desk sees it: ``run`` answers there. It is begun at its first question."""

    def __init__(self, make: Callable[[], Run] = own_run, corpus: str = "", processors: float = 1.0) -> None:
        """Answer with the run that ``make`` returns; ``corpus`` is the hash a corpus must have there, "" = any."""
        self.make, self.corpus, self.processors = make, corpus, processors
        self.actor: Any = None

    def run(self, request: DiagnosisRequest, report: Report = silent, kept: Diagnosis | None = None) -> Diagnosis:
        """Return the diagnosis that the worker found. Raises the worker's error, ModelError where it was lost thrice.

        ``report`` may raise to stop: the worker is then ended.
        """
        from ray.exceptions import RayError

        for _ in range(TRIES):
            try:
                found = self.wait_for(request, report, kept)
            except RayError:
                self.end()
                continue
            if isinstance(found, MicroscopeError):
                raise found
            return found
        raise ModelError(f"A worker was lost {TRIES} times while it answered this question.")

    def wait_for(
        self, request: DiagnosisRequest, report: Report, kept: Diagnosis | None
    ) -> Diagnosis | MicroscopeError:
        """Return what the worker answers, looking now and then whether the run is to stop."""
        import ray

        if self.actor is None:
            made = ray.remote(Asker).options(num_cpus=self.processors, runtime_env={"env_vars": passed_on()})
            self.actor = made.remote(self.make)
        answer = self.actor.ask.remote(request, kept, self.corpus)
        over = False
        try:
            while not ray.wait([answer], timeout=LOOK_SECONDS)[0]:
                report(WORKING)
            over = True
        finally:
            if not over:
                self.end()
        found: Diagnosis | MicroscopeError = ray.get(answer)
        return found

    def end(self) -> None:
        """End the worker, if it is still there."""
        import ray

        actor, self.actor = self.actor, None
        if actor is not None:
            with suppress(ValueError):
                ray.kill(actor)


def passed_on() -> dict[str, str]:
    """Return what of this program's environment its workers get: its settings, and where this code lies.

    Ray would give each as many threads as it has processors; bfloat16 rounds by their number, so each gets this
    program's.
    """
    code = str(Path(engine.__file__).parent.parent)
    found = {name: value for name, value in os.environ.items() if name.startswith(PASSED_ON)}
    paths = [code, *filter(None, [os.environ.get("PYTHONPATH", "")])]
    return {**found, "OMP_NUM_THREADS": str(processor_threads()), "PYTHONPATH": os.pathsep.join(paths)}


def begin_ray(workers: int, address: str = "") -> None:
    """Connect to the Ray at an address; without one begin a Ray for so many workers on this machine.

    Raises InputError where Ray is not installed or not reached.
    """
    try:
        import ray
    except ImportError as exc:
        raise InputError("Workers need Ray, which is not installed: pip install 'retrieval-microscope[ray]'.") from exc
    if ray.is_initialized():
        return
    try:
        if address:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        else:
            ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, RuntimeError, ValueError) as exc:
        raise InputError(f"Ray cannot be reached: {exc}.") from exc
