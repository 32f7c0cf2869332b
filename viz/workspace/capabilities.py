"""The capability card of a server: what it gave when it was probed, and how far each method goes with that."""

import pandas as pd

from engine.backends.language_models.base import CapabilityCard, Route
from engine.methods import METHODS, reach_of_methods
from engine.methods.reach import Level, Reach
from engine.runs.models.card import ModelCard
from viz.parts.words import counted, listing, moment_words, yes_or_no

LABELS = {"whole": "exactly", "first token": "by their first token only", "none": "not at all"}


def card_sentence(card: CapabilityCard) -> str:
    """Return the finding of a card in words: how many methods are exact, and which are not."""
    return f"{card.model} at {card.host}: {levels_sentence(reach_of_methods(card.capabilities))}"


def tested_sentence(at: str) -> str:
    """Return when a server was tested: what its card says was so then, also where a later test failed."""
    return f"Tested {moment_words(at)}."


def levels_sentence(reached: tuple[Reach, ...]) -> str:
    """Return how many methods are exact, and which are not."""
    parts = [f"{counted(len(named(reached, 'exact')), 'method')} exact."]
    for level, words in (("within bounds", "within bounds"), ("partly", "in part"), ("impossible", "not possible")):
        if found := named(reached, level):  # type: ignore[arg-type]
            parts.append(f"{words.capitalize()}: {listing(found)}.")
    return " ".join(parts)


def named(reached: tuple[Reach, ...], level: Level) -> list[str]:
    """Return the titles of the methods of one level."""
    return [METHODS[one.method].title for one in reached if one.level == level]


def reach_table(card: CapabilityCard | ModelCard) -> pd.DataFrame:
    """Return a row per method: how far it goes with a server or a local model, and why no further."""
    rows = [(METHODS[one.method].title, one.level, one.why) for one in reach_of_methods(card.capabilities)]
    return pd.DataFrame(rows, columns=["method", "how far", "why"])


def card_table(card: CapabilityCard) -> pd.DataFrame:
    """Return what was probed, a row per finding, in words."""
    rows = [
        ("Longest prompt and answer", f"{card.context:,} tokens" if card.context else "not known"),
        ("Chat turns", route_words(card.chat)),
        ("Plain text to be continued", route_words(card.plain)),
        ("Scores given replies", LABELS[card.capabilities.labels]),
        ("Same seed, same text", yes_or_no(card.seeded)),
        ("Stops at a stop string", yes_or_no(card.stops)),
        ("Probabilities ignore the temperature", yes_or_no(card.untempered)),
        ("Counts tokens", yes_or_no(card.counts_tokens)),
        ("Attention", "no server shows it"),
        ("One short answer", f"{card.seconds:.2f} s for the round trip"),
    ]
    return pd.DataFrame(rows, columns=["what was tried", "what was seen"])


def route_words(route: Route | None) -> str:
    """Return what one kind of text comes with, in words."""
    if route is None:
        return "refused"
    if not route.logprobs:
        return "yes, without probabilities"
    return f"yes, with the {counted(route.alternatives, 'likeliest token')} of each place"
