"""The meanings of a run as one list: what SePer's and SUGAR's samples say, each meaning once whatever its condition.

Meanings of two conditions are one where their texts differ only in case, punctuation and articles, as in SePer's bars.
"""

from collections.abc import Iterator

from engine.diagnosis.record import Diagnosis
from engine.methods.seper_records import Belief, SeperResult
from engine.methods.sugar import SugarResult
from viz.methods.belief_bars import belief_order
from viz.parts.words import meaning_key


def meanings_of(diagnosis: Diagnosis) -> tuple[str, ...]:
    """Return the text of every meaning of a run: SePer's, strongest first, then those only SUGAR's samples have."""
    texts: dict[str, str] = {}
    for outcome in diagnosis.outcomes:
        if isinstance(outcome.result, SeperResult):
            texts |= {meaning_key(row.text): row.text for row in belief_order(outcome.result)}
    for _, belief in _beliefs(diagnosis):
        for meaning in belief.named:
            texts.setdefault(meaning_key(meaning.text), meaning.text)
    return tuple(texts.values())


def meaning_places(diagnosis: Diagnosis, text: str) -> list[str]:
    """Return where a meaning stands in the record, such as ``seper.without.meanings.0``, in every condition."""
    return [
        f"{where}.meanings.{place}"
        for where, belief in _beliefs(diagnosis)
        for place, meaning in enumerate(belief.named)
        if meaning_key(meaning.text) == meaning_key(text)
    ]


def _beliefs(diagnosis: Diagnosis) -> Iterator[tuple[str, Belief]]:
    """Yield (where it stands, belief): SePer's two, SUGAR's from memory and after each round that measured one."""
    for outcome in diagnosis.outcomes:
        result = outcome.result
        if isinstance(result, SeperResult):
            yield "seper.without", result.without
            yield "seper.with_passages", result.with_passages
        if isinstance(result, SugarResult):
            yield "sugar.closed_book.belief", result.closed_book.belief
            for place, one in enumerate(result.rounds):
                if one.after is not None:
                    yield f"sugar.rounds.{place}.after.belief", one.after.belief


def meaning_number(diagnosis: Diagnosis, text: str) -> int | None:
    """Return the place of a meaning in the run's list, from 0; None where the list has none of these words."""
    keys = [meaning_key(one) for one in meanings_of(diagnosis)]
    return keys.index(meaning_key(text)) if meaning_key(text) in keys else None
