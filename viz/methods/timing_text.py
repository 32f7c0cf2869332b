"""A policy's own answer as running text, with a mark at each lookup."""

from engine.methods.timing.base import PolicyRun
from engine.methods.timing.method import TimingResult
from viz.methods.timing import found_words, run_sentence
from viz.parts.html import render
from viz.parts.theme import Theme
from viz.parts.words import quoted


def run_text_html(result: TimingResult, run: PolicyRun, theme: Theme) -> str:
    """Return the answer as HTML, each lookup a mark in it with its query and what it found as hover text."""
    if run.not_measured or not run.text.strip():
        return render("note.html.j2", text=run_sentence(result, run), colour=theme.muted)
    pieces: list[tuple[str, dict[str, object] | None]] = []
    place = 0
    for number, lookup in enumerate(run.retrievals, 1):
        hover = f"Lookup {number}: {quoted(lookup.query, 200)}. {found_words(lookup)}"
        pieces.append((run.text[place : lookup.characters], {"failed": bool(lookup.failed), "hover": hover}))
        place = max(place, lookup.characters)
    return render("timing_text.html.j2", pieces=[*pieces, (run.text[place:], None)], theme=theme)
