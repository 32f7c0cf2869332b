"""What is said where answers are in a script that the judge did not learn, or texts in a language rules do not read."""

from engine.core.words import counted, listing
from engine.diagnosis.other_scripts import UnknownScript, in_other_scripts
from engine.diagnosis.record import Diagnosis, MethodResult
from engine.measures.language import is_other_language

# What English rules find, by the method that asks for it. DENSE says itself why a passage was not reworded.
FOUND_BY_RULES = {
    "entropy_trend": "content words",
    "timing": "content words",
    "quco_rag": "claims",
    "question_parts": "the parts of a question",
    "contradictions": "sentences to compare",
}


def language_note(diagnosis: Diagnosis, *results: MethodResult) -> str:
    """Return what of these results was not measured in the language or script at hand; "" where nothing is."""
    found = in_other_scripts(diagnosis, *results)
    ruled = list(dict.fromkeys(FOUND_BY_RULES[one.method] for one in results if one.method in FOUND_BY_RULES))
    other = bool(ruled) and is_in_other_language(diagnosis)
    return " ".join([*([script_sentence(found)] if found else []), *([language_sentence(ruled)] if other else [])])


def run_language_note(diagnosis: Diagnosis) -> str:
    """Return the same of the results of all methods of a run."""
    return language_note(diagnosis, *(one.result for one in diagnosis.outcomes if one.result is not None))


def is_in_other_language(diagnosis: Diagnosis) -> bool:
    """Return whether the question, or it with its passages, is surely not English."""
    asked, read = diagnosis.question, (hit.passage.text for hit in diagnosis.hits)
    return is_other_language(asked) or is_other_language(" ".join([asked, *read]))


def language_sentence(ruled: list[str]) -> str:
    """Return which rules are out of their language.

    >>> language_sentence(["claims"])
    'The texts are not in English. The rules that find claims read English only.'
    """
    return f"The texts are not in English. The rules that find {listing(ruled)} read English only."


def script_sentence(found: UnknownScript) -> str:
    """Return how many judgements are of another script, and what that means.

    >>> script_sentence(UnknownScript(unknown=30, judged=42))[:75]
    'In 30 of 42 judgements an answer is in another script, and no rule decides.'
    """
    return (
        f"In {found.unknown:,} of {counted(found.judged, 'judgement')} an answer is in another script, and no rule "
        "decides. The judge learned from English; how right it is there was not measured."
    )
