"""Dynamic retrieval: when would each policy have looked something up, and what did each write that way?

Two views of ``engine.methods.timing``. The trace lets every policy judge one step-by-step answer from memory (ETC's
section 6.3 compares delays so). The run lets the policies that the settings name write their own answers, with the same
prompts, corpus, seeds and budget.
"""

from dataclasses import dataclass, replace
from math import isfinite
from typing import Literal

from engine.core.errors import InputError
from engine.core.progress import Event, Report, Stage
from engine.core.records import Generation
from engine.measures.answer_match import contains
from engine.methods.base import Backends, Case, with_numbers
from engine.methods.entropy_trend import final_answer
from engine.methods.step_by_step import step_by_step_request
from engine.methods.timing.base import Lane, PolicyRun, Scene
from engine.methods.timing.base import TimingConfig as TimingConfig
from engine.methods.timing.loop import NO_CORPUS, most_tokens, run_together
from engine.methods.timing.policies import POLICIES
from engine.methods.timing.staircase import with_stairs
from engine.methods.timing.trace import trace


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingResult:
    """Every policy's lane over one answer from memory, and the runs that were asked for.

    ``answer`` is what follows "the answer is", ``right`` whether a gold answer is in it (in the whole text where there
    is none), None without a gold answer. ``no_retrieval`` says why nothing can be looked up, "" where something can.
    """

    method: Literal["timing"] = "timing"
    variant: Literal["paper", "code"]
    config: TimingConfig
    most_tokens: int
    corpus: str
    retriever: str
    no_retrieval: str
    golds: tuple[str, ...]
    generation: Generation
    answer: str
    right: bool | None
    lanes: tuple[Lane, ...]
    runs: tuple[PolicyRun, ...]
    not_measured: str = ""


def run(case: Case, config: TimingConfig, backends: Backends) -> TimingResult:
    """Return the trace and the runs. Raises InputError where the settings cannot be used.

    A policy that the model cannot serve carries its reason in its lane; it stops no other.
    """
    refuse_unusable(config)
    scene = Scene(case=case, config=config, backends=replace(backends, report=as_timing(backends.report)))
    backends.report(Stage(method="timing", name="answering step by step", total=case.profile.step_tokens))
    request = step_by_step_request(case.question, case.profile)
    (generation,) = with_numbers(backends.writer.generate([request], backends.report), backends.writer)
    answer = final_answer(generation.text)
    lanes = trace(tuple(POLICIES.values()), generation, scene)
    runs = run_together([POLICIES[word] for word in dict.fromkeys(config.policies)], scene)
    return TimingResult(
        variant=config.variant,
        config=config,
        most_tokens=most_tokens(scene),
        corpus="" if backends.corpus is None else backends.corpus.name,
        retriever=backends.retriever,
        no_retrieval=NO_CORPUS if backends.corpus is None else "",
        golds=case.golds,
        generation=generation,
        answer=answer,
        right=contains(answer or generation.text, case.golds) if case.golds else None,
        lanes=lanes,
        runs=with_stairs(runs, scene) if config.staircase else runs,
        not_measured="" if generation.text.strip() else "The model wrote nothing that a policy could judge.",
    )


def as_timing(report: Report) -> Report:
    """Return a reporter that tells stages of SePer's samples as this method's, whose progress they are."""

    def told(event: Event) -> None:
        report(replace(event, method="timing") if isinstance(event, Stage) else event)

    return told


def refuse_unusable(config: TimingConfig) -> None:
    """Raise InputError where the settings name no policy of ours or hold a number that cannot be one."""
    unknown = [word for word in config.policies if word not in POLICIES]
    if unknown:
        raise InputError(f"There is no retrieval policy {unknown[0]!r}; there are {', '.join(POLICIES)}.")
    counts = {
        "passages": config.passages,
        "fixed length": config.fixed_length,
        "query words": config.query_words,
        "tokens": 1 if config.most_tokens is None else config.most_tokens,
    }
    low = next((f"{name} must be at least 1, got {number}" for name, number in counts.items() if number < 1), "")
    if low or config.most_retrievals < 0:
        raise InputError(f"For retrieval timing, {low or f'lookups must be at least 0, got {config.most_retrievals}'}.")
    thresholds = (
        config.alpha,
        config.dragin_threshold,
        config.flare_probability,
        config.flare_mask,
        config.flare_doubt,
        config.gate_entropy,
    )
    odd = next((value for value in thresholds if not isfinite(value)), None)
    if odd is not None:
        raise InputError(f"A threshold of retrieval timing must be a finite number, got {odd}.")
