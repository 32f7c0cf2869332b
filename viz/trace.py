"""An imported answer in words, tables and figures: who wrote it, and which diagnoses its trace allows.

The imported answer always carries its writer's name.
"""

import pandas as pd
import plotly.graph_objects as go

from engine.core.words import shorten
from engine.diagnosis.traces.reading import Ability, ImportedAnswer, State
from engine.methods.quco_claims import CountedClaim
from engine.methods.timing.base import PolicyTrace
from viz import entropy_trend
from viz.empty_figure import only_text
from viz.quco_rag import claim_verdict
from viz.summary import Match, answer_html
from viz.theme import Theme, layout, plain, rgba
from viz.token_strip import visible
from viz.verdicts import SIGNS, Tone
from viz.words import counted, listing, quoted, wrapped

STATE_TONES: dict[State, Tone] = {"exact": "good", "bounded": "middle", "asked again": "unknown", "impossible": "bad"}
STATE_WORDS: dict[State, str] = {
    "exact": "exact",
    "bounded": "bounded: an interval",
    "asked again": "repeated with a model here",
    "impossible": "impossible",
}
MOST_TICKS = 40


def writer_words(answer: ImportedAnswer) -> str:
    """Return who wrote the imported answer, in words."""
    through = f" through {shorten(answer.pipeline, 80)}" if answer.pipeline.strip() else ""
    return f"{shorten(answer.written_by, 80)}{through}"


def imported_html(answer: ImportedAnswer) -> str:
    """Return the card of an imported answer as HTML: whose it is, its text, whether it is right."""
    match: Match | None = None if answer.right is None else "contains" if answer.right else "no"
    kind = f"Imported answer, by {writer_words(answer)}"
    return answer_html(kind, answer.generation.text, match, large=True, note=". No model on this machine wrote it.")


def apart_sentence(answer: ImportedAnswer, model: str) -> str:
    """Return the sentence that keeps the answers of two models apart on one page."""
    return f"Answers and verdicts below are from {model}, not from {shorten(answer.written_by, 80)}."


def abilities_sentence(found: tuple[Ability, ...]) -> str:
    """Return which diagnoses of a trace are exact, bounded, repeated here, or impossible."""
    parts = [(words, [one.what for one in found if one.state == state]) for state, words in STATE_WORDS.items()]
    text = "; ".join(f"{words}: {listing(what)}" for words, what in parts if what)
    return f"{text[:1].upper()}{text[1:]}."


def abilities_table(found: tuple[Ability, ...]) -> pd.DataFrame:
    """Return what each diagnosis is for a trace, and why, a row each."""
    rows = [(one.what, f"{SIGNS[STATE_TONES[one.state]]} {STATE_WORDS[one.state]}", one.reason) for one in found]
    return pd.DataFrame(rows, columns=["diagnosis", "state", "because"])


def trend_sentence(answer: ImportedAnswer) -> str:
    """Return ETC's word on the imported answer, with what its entropies are."""
    if answer.trend is None:
        return f"ETC: {answer.trend_reason}"
    known = {
        "exact": "The entropy of every token was given.",
        "bounded": f"Entropies are intervals, for a vocabulary of {answer.vocabulary:,} tokens.",
        "none": "",
    }[answer.entropies]
    return f"{entropy_trend.sentence(answer.trend, text='answer of the trace')} {known}".strip()


def flare_sentence(answer: ImportedAnswer) -> str:
    """Return FLARE's word on the imported answer."""
    lane = answer.flare
    if lane is None:
        return f"FLARE: {answer.flare_reason}"
    threshold = f"θ = {lane.bar.threshold:g}"
    if not lane.triggers:
        return f"FLARE would look nothing up: no token's probability is below {threshold}."
    first = lane.signals[lane.triggers[0]]
    query = f" Query: {quoted(first.query, 120)}." if first.query else ""
    place = f"{quoted(first.text, 40)} (probability {first.value or 0.0:.2f})"
    return (
        f"FLARE looks up at {place}: {len(lane.triggers)} of {len(lane.signals)} tokens are below {threshold}.{query}"
    )


def flare_title(lane: PolicyTrace) -> str:
    """Return the finding of the figure."""
    if not lane.triggers:
        return "No token is below FLARE's threshold"
    return f"{counted(len(lane.triggers), 'token')} of {len(lane.signals)} below FLARE's threshold"


def flare_figure(answer: ImportedAnswer, theme: Theme) -> go.Figure:
    """Return the probability of each token of the imported answer against FLARE's threshold."""
    lane, figure = answer.flare, go.Figure()
    if lane is None or not lane.signals:
        figure.update_layout({**layout(theme, "Nothing to draw", 160), **only_text(flare_sentence(answer), theme)})
        return figure
    fires = [place in lane.triggers for place in range(len(lane.signals))]
    figure.add_bar(
        x=list(range(len(lane.signals))),
        y=[signal.value for signal in lane.signals],
        marker={"color": [theme.middle if hit else theme.model for hit in fires]},
        hovertext=[
            wrapped(f"Token “{visible(signal.text)}”: probability {signal.value or 0.0:.3f}") for signal in lane.signals
        ],
        hoverinfo="text",
    )
    apart = max(1, -(-len(lane.signals) // MOST_TICKS))
    ticks = [place for place in range(len(lane.signals)) if place % apart == 0 or fires[place]]
    figure.update_layout(layout(theme, flare_title(lane), 340))
    figure.add_hline(y=lane.bar.threshold, line={"color": theme.middle, "width": 2, "dash": "dash"})
    figure.add_annotation(
        x=1.0, xref="paper", y=lane.bar.threshold, text=f"<b>θ = {lane.bar.threshold:g}</b>", showarrow=False,
        xanchor="left", xshift=4, font={"color": theme.middle, "size": 14},
    )  # fmt: skip
    figure.update_layout(margin={"l": 64, "r": 84, "t": 64, "b": 90}, bargap=0.25, showlegend=False)
    figure.update_xaxes(
        tickvals=ticks,
        ticktext=[plain(shorten(visible(lane.signals[place].text), 14)) for place in ticks],
        tickangle=-60 if len(ticks) > 8 else 0,
        title={"text": "token of the imported answer", "standoff": 36},
        automargin=True,
        showgrid=False,
        linecolor=theme.line,
    )
    figure.update_yaxes(title_text="probability, 0 to 1", range=[0, 1.02], gridcolor=rgba(theme.line, 0.6))
    return figure


def flare_table(answer: ImportedAnswer) -> pd.DataFrame:
    """Return the text twin of ``flare_figure``: every token with its probability and whether it is below θ."""
    lane = answer.flare
    rows = [
        (place + 1, visible(signal.text), signal.value, place in lane.triggers, signal.query)
        for place, signal in enumerate(lane.signals if lane else ())
        if lane
    ]
    return pd.DataFrame(rows, columns=["#", "token", "probability", "below θ", "query of its sentence"])


def claims_table(answer: ImportedAnswer) -> pd.DataFrame:
    """Return every claim of the imported answer with its evidence in the given passages."""
    rows = [
        (claim.head.entity.text, claim.relation, tail_of(claim), claim.documents, claim_verdict(claim), claim.reason)
        for checked in answer.claims
        for claim in checked.claims
    ]
    columns = ["head", "relation", "tail", "passages with both", "evidence", "why not measured"]
    return pd.DataFrame(rows, columns=columns)


def claims_sentence(answer: ImportedAnswer) -> str:
    """Return how many claims of the imported answer the given passages support, in words."""
    claims = [claim for checked in answer.claims for claim in checked.claims]
    if not claims:
        return "No claim found that the passages could support."
    met = sum(claim.supported is True for claim in claims)
    left = sum(claim.supported is None for claim in claims)
    return f"The passages support {met} of {counted(len(claims), 'claim')}{f'; {left} not measured' if left else ''}."


def tail_of(claim: CountedClaim) -> str:
    """Return a claim's other end, "" where it has none."""
    return claim.tail.entity.text if claim.tail is not None else ""


def lines(answer: ImportedAnswer) -> str:
    """Return the whole reading as lines for a terminal."""
    table = abilities_table(answer.abilities)
    width = max(len(text) for text in table["diagnosis"])
    rows = [f"{what:<{width}}  {state}: {why}" for what, state, why in table.itertuples(index=False, name=None)]
    said = [trend_sentence(answer), flare_sentence(answer), claims_sentence(answer)]
    return "\n".join((f"Answer of {writer_words(answer)}: {answer.generation.text.strip()}", *rows, *said))
