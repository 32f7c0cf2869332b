"""The settings of a run, read off its record: what an imported run is run again with.

A field that no result names (DENSE's bound of similarity, ETC's words a query, QuCo-RAG's passages a query and meetings
shown) has its default. Other methods use SePer's samples, so their results name SePer's settings where it did not run.
"""

from typing import Any

from engine.diagnosis.record import Diagnosis
from engine.methods import METHODS

# Whose result names SePer's settings: the first that is there, as it names the most of them.
SAMPLING = ("seper", "chunk_utility", "sugar", "uncertainty")


def settings_of(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return the settings that the methods' results name, by the method's word.

    Settings inside settings are left alone: ``with_shared_settings`` puts DENSE's and SePer's there before a run.
    """
    results = {one.method: one for outcome in diagnosis.outcomes if (one := outcome.result) is not None}
    named = {word: METHODS[word].settings(result) for word, result in results.items()}
    named["seper"] = next(
        (config for word in SAMPLING if word in results and (config := METHODS[word].sampling(results[word]))), None
    )
    return {word: config for word, config in named.items() if config is not None}
