"""What each lookup did to belief in the correct answer, in words and as a table."""

import pandas as pd

from engine.core.records import Interval
from engine.methods.timing.base import BeliefStep, PolicyRun
from engine.methods.timing.staircase import agreed_steps
from viz.methods.seper import leaves_out_zero
from viz.parts.words import end_words, listing, signed

STEP_COLUMNS = ["after lookup", "passages", "SePer", "low", "high", "gain", "gain low", "gain high", "worth"]
WORTH_WORDS = {
    "helped": "raised it",
    "harmed": "lowered it",
    "within noise": "changed it within noise",
    "unclear": "is unclear: soft and hard SePer disagree",
}


def belief_steps_sentence(run: PolicyRun) -> str:
    """Return in words what each lookup did to belief in the correct answer."""
    if not run.stairs:
        return run.stair_note or "SePer at lookups: not measured."
    steps = [f"lookup {step.retrieval} {worth_words(step)}" for step in agreed_steps(run.stairs)[1:]]
    start = f"SePer before any lookup: {run.stairs[0].soft:.2f}"
    return f"{start}; {listing(steps)}."


def worth_words(step: BeliefStep) -> str:
    """Return what one lookup did to belief, with its interval."""
    if step.gain is None or step.gain_interval is None or step.worth is None:
        return f"leaves it at {step.soft:.2f}"
    said = WORTH_WORDS[step.worth]
    if step.worth == "within noise" and leaves_out_zero(step.gain_interval):
        said = "hardly changed it"
    low, high = (end_words(end, with_sign=True) for end in (step.gain_interval.low, step.gain_interval.high))
    return f"{said} ({signed(step.gain)}, 95 % {low} to {high})"


def belief_steps_table(run: PolicyRun) -> pd.DataFrame:
    """Return one row per belief step; empty where there is none."""
    rows = [
        (
            *(step.retrieval, step.passages, step.soft, *_ends(step.soft_interval)),
            *(step.gain, *_ends(step.gain_interval), step.worth or ""),
        )
        for step in agreed_steps(run.stairs)
    ]
    return pd.DataFrame(rows, columns=STEP_COLUMNS)


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    """Return both ends of an interval, None without one."""
    return (None, None) if interval is None else (interval.low, interval.high)
