"""Contradictions in words, as sentences side by side, and as a table; what was compared, passage by passage."""

from collections.abc import Mapping, Sequence

import pandas as pd

from engine.core.words import shown
from engine.methods.contradictions import ContradictionsResult, SentencePair
from viz.methods.check_rates import CHECK_RATES
from viz.methods.verdicts import Verdict
from viz.parts.html import render
from viz.parts.theme import Theme, rgba
from viz.parts.word_diff import peers_html
from viz.parts.words import counted, listing

NONE = "–"
MOST_NAMED = 3
COLUMNS = "passage|sentence|other passage|other sentence|contradiction|contradict|differ in|names".split("|")


def verdict(result: ContradictionsResult) -> Verdict:
    """Return how many pairs of sentences contradict each other; that none was found is no proof that none is there.

    With under half of the candidates compared, none found says nothing.
    """
    found = len(result.contradicting)
    if result.strongest is None:
        return Verdict(word="nothing to compare", tone="unknown", sentence=sentence(result), detail=rates())
    if not found and result.candidates > 2 * len(result.pairs):
        return Verdict(word="mostly not compared", tone="unknown", sentence=sentence(result), detail=rates())
    if not found:
        return Verdict(word="no contradiction found", tone="model", sentence=sentence(result), detail=rates())
    return Verdict(word=counted(found, "contradiction"), tone="middle", sentence=sentence(result), detail=rates())


def rates() -> str:
    """Return how often the check found what was planted, and spoke where nothing was, as measured."""
    found = {name: int(number) for name, number in CHECK_RATES["contradictions"].items()}
    return (
        f"It found {found['replaced_flagged']} of {found['replaced']} planted contradictions; false alarms: "
        f"{found['plain_flagged']} of {found['plain']} questions, over twenty passages "
        f"{found['long_flagged']} of {found['long']}."
    )


def sentence(result: ContradictionsResult) -> str:
    """Return the finding in words: which passages, how many pairs were compared."""
    left_out = result.candidates > len(result.pairs)
    number = f"{len(result.pairs)} of {result.candidates} pairs" if left_out else counted(len(result.pairs), "pair")
    compared = f"{number} of sentences compared"
    if result.strongest is None:
        return "Its rules found no two sentences that give one thing different values."
    if not result.contradicting:
        return f"{compared}; the strongest contradiction is {result.strongest:.2f}."
    apart = sorted({tuple(sorted((one.first.index + 1, one.second.index + 1))) for one in result.contradicting})
    if len(apart) == 1:
        return f"Passages {listing(apart[0])} contradict each other: {result.strongest:.2f}, {compared}."
    named = [listing(two) for two in apart[:MOST_NAMED]]
    more = [f"{len(apart) - MOST_NAMED} more"] if len(apart) > MOST_NAMED else []
    return f"Contradicting passages: {'; '.join([*named, *more])}. Strongest: {result.strongest:.2f}; {compared}."


def pair_html(pair: SentencePair, theme: Theme) -> str:
    """Return the two sentences of a pair side by side as escaped HTML, words that differ marked."""
    heads = (f"passage {pair.first.index + 1}", f"passage {pair.second.index + 1}")
    return peers_html(pair.first.text, pair.second.text, heads, theme)


def strongest_between(result: ContradictionsResult) -> dict[tuple[int, int], float]:
    """Return the strongest contradiction of each two passages of which sentences were compared, by their places."""
    found: dict[tuple[int, int], float] = {}
    for pair in result.pairs:
        first, second = sorted((pair.first.index, pair.second.index))
        found[first, second] = max(found.get((first, second), 0.0), pair.contradiction)
    return found


def compared_html(result: ContradictionsResult, titles: Sequence[str], theme: Theme) -> str:
    """Return what was looked at as escaped HTML: how many were left at each step, and every two passages.

    ``titles`` are the passages' in their order. A cell's colour is its contradiction; without one no two sentences give
    one thing different values, or the settings allowed no more pairs.
    """
    found = strongest_between(result)
    rows = [
        {
            "number": place + 1,
            "name": shown(title, 40),
            "cells": [
                compared_cell(found, (at, place), result.config.threshold, theme) for at in range(len(titles) - 1)
            ],
        }
        for place, title in enumerate(titles)
        if place
    ]
    steps = [
        (len(titles), "passages", "model"),
        (result.sentences, "sentences", "model"),
        (result.candidates, "pairs that give one thing two values", "model"),
        (len(result.contradicting), "contradictions", "middle" if result.contradicting else "unknown"),
    ]
    return render(
        "compared_passages.html.j2",
        steps=steps,
        title="Strongest contradiction of each two passages",
        columns=range(1, len(titles)),
        rows=rows,
        key=f"{NONE} no such pair compared. From {result.config.threshold:.2f} on: a contradiction.",
    )


def compared_cell(
    found: Mapping[tuple[int, int], float], both: tuple[int, int], threshold: float, theme: Theme
) -> dict[str, str | float | None] | None:
    """Return the cell of two passages, None where it would say a pair twice, or a passage beside itself.

    Amber from the ``threshold`` on, grey below.
    """
    if both[0] >= both[1]:
        return None
    value = found.get(both)
    hue = theme.unknown if value is None or value < threshold else theme.middle
    colour = theme.panel if value is None else rgba(hue, 0.1 + 0.6 * value)
    return {"value": value, "text": NONE if value is None else f"{value:.2f}", "colour": colour}


def pairs_table(result: ContradictionsResult) -> pd.DataFrame:
    """Return the text twin: a row for each compared pair; contradiction in [0, 1]."""
    rows = [
        (
            pair.first.index + 1,
            pair.first.text,
            pair.second.index + 1,
            pair.second.text,
            pair.contradiction,
            pair.contradiction >= result.config.threshold,
            pair.differs,
            ", ".join(pair.names),
        )
        for pair in result.pairs
    ]
    return pd.DataFrame(rows, columns=COLUMNS)
