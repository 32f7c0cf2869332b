"""A study in words: the verdicts of a run as its row keeps them, and where the whole study stands."""

from engine.core.words import shorten
from engine.diagnosis.record import Diagnosis
from engine.runs.studies.plan import settings_words
from engine.runs.studies.records import Study, StudyPlan
from viz.methods.verdicts import Tone, Verdict, verdict_html
from viz.parts.theme import Theme
from viz.parts.words import counted, judge_name, model_name
from viz.runs.summary import verdict_of

STATES: dict[str, tuple[str, Tone, str]] = {
    "running": ("running", "model", "Questions are asked now."),
    "paused": ("paused", "middle", "Resume continues with the next question."),
    "cancelled": ("cancelled", "middle", "Finished questions are kept. Resume continues."),
    "stopped": ("stopped", "middle", "No program is working on it. Resume it."),
    "done": ("done", "model", "Every question is finished."),
}
RIGHT_MEANS = (
    "The answer equals a correct one, or contains one without denying it. "
    "Where words say no, the embedded judge decides, if it was the judge."
)
LONGEST = 60  # letters of a setting beside another


def shown_settings(plan: StudyPlan) -> dict[str, str]:
    """Return what a study was asked with, model and judge by their names, and what counts as right."""
    words = {name: str(value) for name, value in settings_words(plan).items()}
    words |= {"Model": model_name(plan.request.model), "Judge": judge_name(plan.request.judge)}
    return {**words, "Right": RIGHT_MEANS}


def settings_apart(first: StudyPlan, second: StudyPlan) -> str:
    """Return in which settings study A and study B differ, each with both values; that none differs where none does."""
    a, b = shown_settings(first), shown_settings(second)
    told = [f"{name}: A {shorten(a[name], LONGEST)}, B {shorten(b[name], LONGEST)}" for name in a if a[name] != b[name]]
    return f"Settings that differ: {'; '.join(told)}." if told else "Both have the same settings."


def verdicts_in(diagnosis: Diagnosis) -> dict[str, tuple[str, str]]:
    """Return (word, tone) of every method of a run, by its name."""
    found = {outcome.method: verdict_of(outcome) for outcome in diagnosis.outcomes}
    return {method: (verdict.word, verdict.tone) for method, verdict in found.items()}


def standing(study: Study) -> Verdict:
    """Return where a study stands: its state, and how many points are done, failed and waiting."""
    word, tone, said = STATES[study.state]
    failed = f", {study.failed} failed" if study.failed else ""
    waiting = f", {study.waiting} waiting" if study.waiting else ""
    sentence = f"{counted(study.done, 'point')} done{failed}{waiting}. {said}"
    if study.failed and not study.waiting:
        return Verdict(word="done, with failures", tone="middle", sentence=sentence)
    return Verdict(word=word, tone=tone, sentence=sentence)


def standing_html(study: Study, theme: Theme) -> str:
    """Return where a study stands as HTML."""
    return verdict_html(standing(study), theme)
