"""A policy's own answer as running text, with a mark where it looked something up. All text is escaped."""

from engine.methods.timing.base import PolicyRun, Retrieval
from viz.theme import Theme, plain
from viz.timing import found_words, run_sentence
from viz.words import quoted


def run_text_html(run: PolicyRun, theme: Theme) -> str:
    """Return the answer as escaped HTML, each lookup a mark in it that says on hover what was asked and found."""
    if run.not_measured or not run.text.strip():
        return f'<p style="color:{theme.muted};margin:0">{plain(run_sentence(run))}</p>'
    pieces, place = [], 0
    for number, lookup in enumerate(run.retrievals, 1):
        pieces.append(_text_html(run.text[place : lookup.characters]) + _mark_html(number, lookup, theme))
        place = max(place, lookup.characters)
    pieces.append(_text_html(run.text[place:]))
    return (
        f'<div dir="auto" style="color:{theme.text};font-size:1.15rem;line-height:2.1;overflow-wrap:anywhere">'
        f"{''.join(pieces)}</div>"
    )


def _text_html(text: str) -> str:
    return plain(text).replace("\n", "<br>")


def _mark_html(number: int, lookup: Retrieval, theme: Theme) -> str:
    """Return the mark of one lookup; one that found nothing is grey."""
    colour = theme.unknown if lookup.failed else theme.middle
    hover = f"Lookup {number}: {quoted(lookup.query, 200)}. {found_words(lookup)}"
    style = f"background:{colour};color:{theme.page};border-radius:0.8em;padding:0.1em 0.6em;font-weight:600"
    word = f"lookup {number}, nothing found" if lookup.failed else f"lookup {number}"
    return f' <span style="{style};font-size:0.95rem;white-space:nowrap" title="{plain(hover)}">{word}</span> '
