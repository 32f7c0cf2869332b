"""How a run shows itself in a notebook: question, answers and verdicts as one small card, then at most four figures.

The card is HTML from a template, everything in it escaped, and needs no script. The figures are Plotly's own outputs,
which notebooks draw themselves.
"""

from collections.abc import Mapping

from engine.diagnosis.record import Diagnosis
from engine.methods import method_title
from viz.gallery import figure, figure_names
from viz.methods.verdicts import SIGNS, brief_of, tone_colour
from viz.parts.html import render
from viz.parts.theme import THEMES
from viz.runs.summary import MATCH_WORDS, Match, matches_of, verdict_of

MOST_FIGURES = 4


def run_html(diagnosis: Diagnosis) -> str:
    """Return a run as a small HTML card: question, both answers, and a line for each method."""
    reading, memory = matches_of(diagnosis)
    return str(
        render(
            "notebook_card.html.j2",
            question=diagnosis.question,
            golds=diagnosis.golds,
            answers=[
                answer_values("Over the passages", diagnosis.answer.text, reading),
                answer_values("From memory", diagnosis.closed_book.text, memory),
            ],
            methods=method_rows(diagnosis),
            themes=THEMES,
        )
    )


def answer_values(kind: str, text: str, match: Match | None) -> Mapping[str, str]:
    """Return what the card shows of an answer."""
    word, tone = MATCH_WORDS[match]
    return {"kind": kind, "text": text.strip(), "word": word, "sign": SIGNS[tone]}


def method_rows(diagnosis: Diagnosis) -> list[dict[str, str]]:
    """Return what the card shows of each method: title, word with its sign and colours, sentence."""
    rows = []
    for outcome in diagnosis.outcomes:
        found = verdict_of(outcome)
        colours: dict[str, str] = {mode: tone_colour(found.tone, theme) for mode, theme in THEMES.items()}
        shown = {"word": found.word, "sign": SIGNS[found.tone], "brief": brief_of(found)}
        rows.append({"title": method_title(outcome.method), **shown, **colours})
    return rows


def chosen_figures(diagnosis: Diagnosis) -> tuple[str, ...]:
    """Return the first figure of each of the first four methods that have one."""
    firsts = (figure_names(diagnosis, outcome.method)[:1] for outcome in diagnosis.outcomes)
    return tuple(name for found in firsts for name in found)[:MOST_FIGURES]


def show_run(diagnosis: Diagnosis) -> None:
    """Show a run in a notebook: its card, then its figures."""
    from IPython.display import HTML, display  # only a notebook comes here, and it has it

    display(HTML(run_html(diagnosis)))
    for name in chosen_figures(diagnosis):
        display(figure(diagnosis, name))
