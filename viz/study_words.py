"""The verdicts of a run as a study keeps them: a word and its tone for each method."""

from engine.diagnosis.record import Diagnosis
from viz.summary import verdict_of


def verdicts_in(diagnosis: Diagnosis) -> dict[str, tuple[str, str]]:
    """Return (word, tone) of every method of a run, by its name."""
    found = {outcome.method: verdict_of(outcome) for outcome in diagnosis.outcomes}
    return {method: (verdict.word, verdict.tone) for method, verdict in found.items()}
