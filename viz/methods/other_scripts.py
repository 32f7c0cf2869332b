"""What is said where the judge read answers in another script than the one it learned."""

from engine.core.words import counted
from engine.diagnosis.other_scripts import UnknownScript, in_other_scripts
from engine.diagnosis.record import Diagnosis, MethodResult


def script_note(diagnosis: Diagnosis, *results: MethodResult) -> str:
    """Return how many judgements of these results are of another script, and what that means; "" where none is."""
    found = in_other_scripts(diagnosis, *results)
    return script_sentence(found) if found else ""


def run_script_note(diagnosis: Diagnosis) -> str:
    """Return the same of the judgements of all methods of a run."""
    return script_note(diagnosis, *(one.result for one in diagnosis.outcomes if one.result is not None))


def script_sentence(found: UnknownScript) -> str:
    """Return it in words.

    >>> script_sentence(UnknownScript(unknown=30, judged=42))[:75]
    'In 30 of 42 judgements an answer is in another script, and no rule decides.'
    """
    return (
        f"In {found.unknown:,} of {counted(found.judged, 'judgement')} an answer is in another script, and no rule "
        "decides. The judge learned from English; how right it is there was not measured."
    )
