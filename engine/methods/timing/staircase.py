"""SePer before and after every retrieval of a run: a staircase of belief, and which step is worth its lookup.

SePer (section 3) measures the utility of each retrieval in a run of several (figure 2): belief in the correct answer
over everything found so far, minus belief over what was found before. The band comes from redrawing the samples; a gain
whose 95 % interval holds 0 may be noise, which suggests a redundant retrieval. Samples over the same passages are the
same draws, whichever policy found them, and those without passages are SePer's own.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from engine.core.progress import Stage
from engine.core.records import Passage
from engine.core.seeds import derive_seed
from engine.measures.semantic_perplexity import delta_seper
from engine.methods.seper import (
    BeliefChange,
    Draws,
    belief,
    belief_change,
    change_interval,
    goes_against,
    sample_answers,
)
from engine.methods.seper_records import Belief, SeperConfig
from engine.methods.timing.base import BeliefStep, PolicyContext, PolicyRun

WORTH: dict[BeliefChange, Literal["helped", "harmed", "within noise"]] = {
    "up": "helped",
    "down": "harmed",
    "noise": "within noise",
}

NEEDS_GOLD = "SePer needs a correct answer, so belief is not measured before and after each lookup."
NOTHING_FOUND = "Nothing was retrieved in this run, so belief could not change."
Measured = dict[tuple[Passage, ...], tuple[Belief, Draws | None]]


def with_stairs(runs: tuple[PolicyRun, ...], scene: PolicyContext) -> tuple[PolicyRun, ...]:
    """Return the runs with their staircases, or with the reason why one has none."""
    known: Measured = {}
    climbed = []
    for done, run in enumerate(runs):
        scene.backends.report(Stage(method="timing", name="belief at each retrieval", done=done, total=len(runs)))
        climbed.append(with_its_stairs(run, scene, known))
    return tuple(climbed)


def with_its_stairs(run: PolicyRun, scene: PolicyContext, known: Measured) -> PolicyRun:
    """Return one run with a stair before any retrieval and one after each that found something."""
    if not scene.case.golds:
        return replace(run, stair_note=NEEDS_GOLD)
    found = [place for place, retrieval in enumerate(run.retrievals) if retrieval.hits]
    if not found:
        return replace(run, stair_note=NOTHING_FOUND)
    stairs = [measure_belief_step(0, (), scene, known)]
    draws = [known[()][1]]
    for place in found:
        passages = read_until(run, place)
        stairs.append(measure_belief_step(place + 1, passages, scene, known))
        draws.append(known[passages][1])
    climbed = [stairs[0]]
    for (before, after), (drawn_before, drawn_after) in zip(pairwise(stairs), pairwise(draws), strict=True):
        climbed.append(compare_belief_steps(before, after, drawn_before, drawn_after, scene))
    return replace(run, stairs=tuple(climbed))


def read_until(run: PolicyRun, place: int) -> tuple[Passage, ...]:
    """Return every passage found up to a retrieval, each once, in the order it was found."""
    hits = [hit for retrieval in run.retrievals[: place + 1] for hit in retrieval.hits]
    return tuple(dict.fromkeys(hit.passage for hit in hits))


def measure_belief_step(
    retrieval: int, passages: tuple[Passage, ...], scene: PolicyContext, known: Measured
) -> BeliefStep:
    """Return belief over these passages; measured once for each set of passages."""
    if passages not in known:
        condition = "with" if passages else "without"
        samples = sample_answers(scene.case, passages, condition, SeperConfig(), scene.backends)
        measured, draws, _ = belief(scene.case, samples, SeperConfig(), scene.backends, condition)
        known[passages] = (measured, draws)
    found = known[passages][0]
    return BeliefStep(
        retrieval=retrieval,
        passages=len(passages),
        belief=found,
        soft=found.soft or 0.0,
        soft_interval=found.soft_interval,
    )


def compare_belief_steps(
    before: BeliefStep, after: BeliefStep, drawn_before: Draws | None, drawn_after: Draws | None, scene: PolicyContext
) -> BeliefStep:
    """Return a stair with what its retrieval added and whether that stands out of the noise."""
    if drawn_before is None or drawn_after is None:
        return after
    drawn = [(draws.logprobs, draws.soft) for draws in (drawn_after, drawn_before)]
    seed = derive_seed(scene.case.seed, "seper", "delta", "soft")
    interval = change_interval(drawn[0], drawn[1], seed, SeperConfig())
    gain = delta_seper(after.soft, before.soft)
    return replace(
        after,
        gain=gain,
        gain_interval=interval,
        worth=WORTH[belief_change(gain, interval)],
    )


def agreed_steps(steps: Sequence[BeliefStep]) -> tuple[BeliefStep, ...]:
    """Return the stairs as they are told: "unclear" where the samples' meanings do not go where soft SePer goes.

    Where one wrong answer is exchanged for another, nearer to the correct one, a lookup has helped nobody.
    """
    told = list(steps[:1])
    for before, after in pairwise(steps):
        known = before.belief.hard is not None and after.belief.hard is not None
        hard = (after.belief.hard or 0.0) - (before.belief.hard or 0.0)
        way: BeliefChange = next((way for way, worth in WORTH.items() if worth == after.worth), "noise")
        told.append(replace(after, worth="unclear") if known and goes_against(way, hard) else after)
    return tuple(told)
