"""A model in words and tables: what it is, what it needs, how fast it was, what each method can measure with it."""

import pandas as pd

from engine.backends.added_models import Trial
from engine.methods import reach_of_methods
from engine.runs.jobs.pace import Pace
from engine.runs.models.card import ModelCard
from engine.runs.models.hub import Offer
from engine.runs.models.listing import Kind, UsableModel
from viz.parts.words import WORDS, listing, model_name, moment_words, shown
from viz.workspace.capabilities import levels_sentence
from viz.workspace.capabilities import reach_table as reach_table
from viz.workspace.corpora import size_text

KINDS: dict[Kind, str] = {
    "embedded": "comes with the program",
    "folder": "a local folder",
    "gguf": "a local GGUF file",
    "hub": "in the hub cache",
    "server": "on a server",
    "missing": "not there any more",
}
WAYS = {
    "own decoder": "our decoder: one batch, prompts shared",
    "one batch": "one batch through transformers",
    "one text at a time": "one text at a time",
}


def title_of(model: UsableModel) -> str:
    """Return what a page calls a model."""
    return model_name(model.name) if model.kind == "embedded" else model.name


def role_sentence(model: UsableModel) -> str:
    """Return what one of the program's models is for, "" for another model."""
    return WORDS["model roles"].get(model.source, "") if model.kind == "embedded" else ""


def size_sentence(card: ModelCard | None, kind: Kind, stored: int) -> str:
    """Return what a model is, how large it is, and what memory it takes."""
    parts = [KINDS[kind]]
    if card is not None:
        parts += [f"{card.family}", f"{count_text(card.parameters)} parameters", f"{size_text(card.memory)} of memory"]
    parts += [f"{size_text(stored)} on disk"] if stored else []
    words = ", ".join(parts)
    return f"{words[:1].upper()}{words[1:]}."


def count_text(number: int) -> str:
    """Return a number of parameters as people say it.

    >>> count_text(134_515_008), count_text(8_030_000_000), count_text(41_216)
    ('135M', '8.0B', '41K')
    """
    for size, unit, digits in ((10**9, "B", 1), (10**6, "M", 0), (10**3, "K", 0)):
        if number >= size:
            return f"{number / size:.{digits}f}{unit}"
    return str(number)


def card_sentence(card: ModelCard) -> str:
    """Return how many methods are exact with a model, and which are not."""
    reached = reach_of_methods(card.capabilities)
    if all(one.level == "exact" for one in reached):
        return f"All {len(reached)} methods are exact with it."
    return levels_sentence(reached)


def facts_table(card: ModelCard, trial: Trial | None, pace: Pace | None) -> pd.DataFrame:
    """Return what is known of a model, a row per fact; what was not measured says so."""
    timed = trial or pace
    reading = f"{timed.prompt_tokens:,.0f} tokens a second" if timed else "not measured: press Test"
    writing = f"{timed.new_tokens:,.0f} tokens a second, eight texts at once" if timed else "not measured: press Test"
    rows = [
        ("Architecture", card.family),
        ("Parameters", f"{card.parameters:,}"),
        ("Longest prompt and answer", f"{card.context:,} tokens" if card.context else "not known"),
        ("Vocabulary", f"{card.vocabulary:,} tokens" if card.vocabulary else "not known"),
        ("Memory", f"{size_text(card.memory)} for weights in {card.dtype}, {text_memory(card)}"),
        ("Decodes by", WAYS[card.way]),
        ("Questions are put", "as a turn of its chat template" if card.template else "as plain text"),
        ("An answer ends at", listing([shown(one, 40) for one in card.ends]) or "its longest length only"),
        ("Entropies", "exact"),
        ("Attention", "shown" if card.capabilities.attentions else "not shown by this architecture"),
        ("Reads", reading),
        ("Writes", writing),
    ]
    return pd.DataFrame(rows, columns=["what", "found"])


def text_memory(card: ModelCard) -> str:
    """Return what one text takes beside the weights."""
    return f"{size_text(card.text_memory)} for each text of 1,000 tokens"


def trial_sentence(trial: Trial) -> str:
    """Return what a test showed; the answer is quoted as the model wrote it."""
    opened = f"opened in {trial.open_seconds:.1f} s" if trial.open_seconds >= 0.05 else "it was open already"
    slowed = " The machine was busy." if trial.busy else ""
    return (
        f"Tested {moment_words(trial.at)}: {opened} on {trial.device} ({trial.dtype}). "
        f"It reads {trial.prompt_tokens:,.0f}, writes {trial.new_tokens:,.0f} tokens a second. "
        f"Asked “{trial.question}”, it said “{shown(trial.answer, 200)}”.{slowed}"
    )


def offer_sentence(offer: Offer) -> str:
    """Return what fetching a model means: size, licence, memory."""
    size = f"{count_text(offer.parameters)} parameters, " if offer.parameters else ""
    return (
        f"{offer.name}: {size}{size_text(offer.size)} to fetch in {offer.files} files, about "
        f"{size_text(offer.memory)} of memory. Licence: {offer.licence or 'none is named'}. "
        f"Revision {offer.revision[:12]}."
    )


def model_line(model: UsableModel) -> str:
    """Return a model in one line for a terminal."""
    marked = f"{model.entry.id}  " if model.entry is not None else ""
    return f"{marked}{title_of(model)} ({KINDS[model.kind]}): --model {model.source}"
