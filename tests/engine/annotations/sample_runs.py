"""Made-up diagnoses to make items from: with any results, and with every view of retrieval timing."""

import math

from engine.core.provenance import Provenance, machine
from engine.diagnosis.record import Diagnosis, MethodResult, Outcome
from engine.methods.timing.method import TimingResult
from tests.viz.sample_results import QUESTION, generation, hits
from tests.viz.sample_timing_results import timing_full


def diagnosis_with(**results: MethodResult) -> Diagnosis:
    """Return a diagnosis of the sample question with these results, all whole."""
    provenance = Provenance(
        package_version="0.1.0", libraries=(), python="3.11.9", machine=machine(), model="embedded",
        model_revision="abc", model_dtype="bfloat16", judge="embedded", judge_note="", retriever="hybrid",
        corpus="sample", corpus_hash="def", seed=0, profile="embedded", started_at="2026-01-01T00:00:00+00:00",
    )  # fmt: skip
    return Diagnosis(
        question=QUESTION,
        golds=("1889",),
        hits=hits(),
        answer=generation("31 March 1889"),
        closed_book=generation("1887"),
        outcomes=tuple(Outcome(method=word, status="done", result=result) for word, result in results.items()),
        provenance=provenance,
        seconds=math.pi,
    )


def timed(result: TimingResult | None = None) -> Diagnosis:
    """Return a diagnosis with retrieval timing."""
    return diagnosis_with(timing=result or timing_full())
