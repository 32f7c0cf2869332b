"""Dynamic retrieval: when would each policy have looked something up, and what did each write that way?

Two views of ``engine.methods.timing``. The trace lets every policy judge one step-by-step answer from memory (ETC's
section 6.3 compares delays so). The run lets the policies that the settings name write their own answers, with the same
prompts, corpus, seeds and budget.
"""

from dataclasses import dataclass, replace
from typing import Literal

from engine.backends.language_models.base import Capabilities
from engine.core.errors import InputError
from engine.core.progress import Event, Report, Stage
from engine.core.records import Generation, JudgedAnswer
from engine.core.settings import check_settings
from engine.methods.base import Backends, Case, with_numbers
from engine.methods.conclusion import FORCED_TOKENS, forced_conclusion, scored
from engine.methods.cost import Load, Plan, tokens_of
from engine.methods.descriptor import Method
from engine.methods.meaning import judged_answers
from engine.methods.profiles import sample_tokens, step_by_step_prompt
from engine.methods.quco_claims import share_of_documents
from engine.methods.reach import CONTINUES, Reach
from engine.methods.seper import belief_fits
from engine.methods.step_by_step import step_by_step_foreseen, step_by_step_load, step_by_step_request
from engine.methods.timing.base import LOOP_VERSION, PolicyContext, PolicyRun, PolicyTrace
from engine.methods.timing.base import TimingConfig as TimingConfig
from engine.methods.timing.claims import with_claims
from engine.methods.timing.loop import NO_CORPUS, run_together
from engine.methods.timing.moves import most_tokens
from engine.methods.timing.policies import POLICIES
from engine.methods.timing.staircase import with_stairs
from engine.methods.timing.trace import trace


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingResult:
    """Every policy's lane over one answer from memory, and the runs that were asked for.

    ``answer`` is what follows "the answer is", or what was ``forced`` after that phrase; ``right`` whether it holds a
    correct answer, None without one. ``no_retrieval`` says why nothing can be looked up, "" where something can.
    ``judged`` is what the judge says of these answers that words call wrong (``engine.methods.meaning``).
    ``samples`` are those of the gate; ``window_share`` is QuCo-RAG's, None where its window is in words.
    ``loop_version`` 1: made by the first loop (``PolicyRun``).
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
    lanes: tuple[PolicyTrace, ...]
    runs: tuple[PolicyRun, ...]
    not_measured: str = ""
    forced: Generation | None = None
    samples: tuple[Generation, ...] = ()
    loop_version: int = 1
    window_share: float | None = None
    judged: tuple[JudgedAnswer, ...] = ()


def trace_of(result: TimingResult | None, policy: str) -> PolicyTrace | None:
    """Return a policy's trace over the answer from memory, None without one."""
    return next((one for one in result.lanes if one.policy == policy), None) if result is not None else None


def run_of(result: TimingResult | None, policy: str) -> PolicyRun | None:
    """Return a policy's own run, None without one."""
    return next((one for one in result.runs if one.policy == policy), None) if result is not None else None


def run(case: Case, config: TimingConfig, backends: Backends) -> TimingResult:
    """Return the trace and the runs. Raises InputError where the settings cannot be used.

    A policy that the model cannot serve carries its reason in its lane; it stops no other.
    """
    check_timing(config)
    scene = PolicyContext(case=case, config=config, backends=replace(backends, report=as_timing(backends.report)))
    backends.report(Stage(method="timing", name="answering step by step", total=case.profile.step_tokens))
    request = step_by_step_request(case.question, case.profile)
    (generation,) = with_numbers(backends.writer.generate([request], backends.report), backends.writer)
    forced = forced_conclusion(generation.text, scene.case, scene.backends)
    found = scored(generation.text, forced, case.golds, backends.text)
    lanes = trace(tuple(POLICIES.values()), generation, scene)
    runs = with_claims(run_together([POLICIES[word] for word in dict.fromkeys(config.policies)], scene), scene)
    answers = [found.answer, *(one.answer for one in runs)]
    return TimingResult(
        variant=config.variant,
        config=config,
        most_tokens=most_tokens(scene),
        corpus="" if backends.corpus is None else backends.corpus.name,
        retriever=config.retriever or backends.retriever,
        no_retrieval=NO_CORPUS if backends.corpus is None else "",
        golds=case.golds,
        generation=generation,
        answer=found.answer,
        right=found.right,
        lanes=lanes,
        runs=with_stairs(runs, scene) if config.staircase else runs,
        not_measured="" if generation.text.strip() else "The model wrote nothing that a policy could judge.",
        forced=forced,
        samples=tuple(scene.samples),
        loop_version=LOOP_VERSION,
        window_share=share_of_documents(config.cooccurrence_share, case.profile, backends.counter),
        judged=judged_answers(backends.judge, case.question, case.golds, answers),
    )


def as_timing(report: Report) -> Report:
    """Return a reporter that tells stages of SePer's samples as this method's, whose progress they are."""

    def report_as_timing(event: Event) -> None:
        report(replace(event, method="timing") if isinstance(event, Stage) else event)

    return report_as_timing


def check_timing(config: TimingConfig) -> None:
    """Raise InputError for an unknown policy or a number outside its limits."""
    unknown = [word for word in config.policies if word not in POLICIES]
    if unknown:
        raise InputError(f"There is no retrieval policy {unknown[0]!r}; there are {', '.join(POLICIES)}.")
    check_settings(config, "Retrieval timing")


def load(config: TimingConfig, plan: Plan) -> Load:
    """Return the load of retrieval timing, at most: the answer from memory, the gate's samples, and each policy's loop.

    A loop writes once, and after each lookup twice (over the passages, then without) or once; an answer that does not
    conclude is made to. The answer is ETC's, free where that runs. The staircase samples before and after each lookup.
    """
    profile, golds = plan.profile, plan.golds
    n, beginning = profile.samples, plan.question_tokens + tokens_of(step_by_step_prompt("").text)
    answer = Load() if {"entropy_trend", "quco_rag"} & set(plan.methods) else step_by_step_load(plan)
    loops = [1 + rounds(word, config.most_retrievals) for word in config.policies if word != "never"]
    forced = 1 + len(config.policies)
    over = beginning + config.passages * profile.chunk_tokens
    stairs = (1 + len(loops) * config.most_retrievals) if config.staircase and golds else 0
    return Load(
        model_calls=answer.model_calls + n + forced + sum(loops) + stairs * n,
        samples=n + stairs * n,
        judge_pairs=stairs * (n * (n - 1) + 2 * n * golds),
        prompt_tokens=answer.prompt_tokens
        + (n + forced) * beginning
        + sum(loops) * over
        + stairs * n * (plan.closed_book + config.passages * profile.chunk_tokens),
        new_tokens=answer.new_tokens
        + (n + forced) * FORCED_TOKENS
        + stairs * n * sample_tokens(profile, "code")
        + sum(loops) * (config.most_tokens or profile.step_tokens),
    )


def rounds(word: str, lookups: int) -> int:
    """Return how many more continuations a policy's loop may write after its first.

    >>> rounds("once", 3), rounds("dragin", 3), rounds("every_sentence", 3)
    (1, 6, 3)
    """
    after = POLICIES[word].after if word in POLICIES else "sentence"
    return {"once": 1, "schedule": lookups}.get(after, 2 * lookups)


def fits(result: TimingResult) -> bool:
    """Return whether signals and lookups stand inside their texts, and triggers and passages name what is there."""
    length = len(result.generation.text)
    lanes = all(
        all(0 <= place < len(lane.signals) for place in lane.triggers)
        and all(0 <= signal.start <= signal.end <= length and 0 <= signal.cut <= length for signal in lane.signals)
        for lane in result.lanes
    )
    runs = all(
        all(0 <= retrieval.characters <= len(run.text) for retrieval in run.retrievals)
        and all(0 <= at < len(run.retrievals) for one in run.written for at in (one.over, one.lookup) if at is not None)
        and all(0 <= stair.retrieval <= len(run.retrievals) and belief_fits(stair.belief) for stair in run.stairs)
        for run in result.runs
    )
    return lanes and runs


def headlines(result: TimingResult) -> tuple[str, ...]:
    """Return what fired first in the lanes that watch the model, with their bars."""
    found, ablations = list[str](), {one.word for one in POLICIES.values() if one.ablates}
    for place, lane in enumerate(result.lanes):
        if lane.triggers and lane.bar.threshold is not None and lane.policy not in ablations:
            found += [f"lanes.{place}.signals.{lane.triggers[0]}.value", f"lanes.{place}.bar.threshold"]
    return tuple(found[:4]) or ("config.alpha", "config.dragin_threshold", "config.flare_probability")


def timing_reach(able: Capabilities) -> Reach:
    """Return the reach of the retrieval policies together, from what each reads of the model."""
    if not able.plain_text:
        return Reach(method="timing", level="impossible", why=CONTINUES)
    given = {"probabilities": able.token_logprobs, "entropies": able.full_distribution, "attention": able.attentions}
    missing = [one for one in POLICIES.values() if not one.ablates and not given.get(one.reads, True)]
    if not missing:
        return Reach(method="timing", level="exact")
    reads = " or ".join(dict.fromkeys(one.reads for one in missing))
    why = f"All but {', '.join(one.title for one in missing)}: this model gives no {reads}."
    return Reach(method="timing", level="partly", why=why)


THRESHOLDS = tuple(dict.fromkeys(policy.threshold for policy in POLICIES.values() if policy.threshold is not None))
METHOD = Method(
    word="timing",
    title="Retrieval timing",
    question="When would each policy have looked something up, and what does it write that way?",
    paper="ETC, sections 3 and 6.3; DRAGIN; FLARE; IRCoT; QuCo-RAG",
    icon="timeline",
    config=TimingConfig,
    result=TimingResult,
    run=run,
    foresees=step_by_step_foreseen,
    needs=timing_reach,
    load=load,
    fits=fits,
    settings=lambda result: result.config,
    thresholds=THRESHOLDS,
    headlines=headlines,
)
