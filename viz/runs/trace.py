"""An imported answer in words, tables and figures: who wrote it, and which diagnoses its trace allows.

The imported answer always carries its writer's name.
"""

import pandas as pd
import plotly.graph_objects as go

from engine.core.words import shorten
from engine.diagnosis.traces.reading import Ability, ImportedAnswer
from engine.diagnosis.traces.schema import UNNAMED, Trace, passages_of
from engine.methods.timing.base import PolicyTrace
from viz.methods import entropy_trend
from viz.methods.quco_rag import claim_cells, claim_verdict
from viz.methods.verdicts import SIGNS, TONES
from viz.parts.figure_parts import empty_figure, write
from viz.parts.theme import Theme, layout, plain, rgba
from viz.parts.token_strip import visible
from viz.parts.words import WORDS, closed, counted, model_name, quoted, wrapped
from viz.runs.headline import imported_headline, passages_with
from viz.runs.summary import MATCH_WORDS, answer_html, match_of

STATE_TONES = TONES["trace states"]
STATE_WORDS = WORDS["trace states"]
MOST_TICKS = 40
NO_GOLDS = "Name a correct answer to see whether retrieval or the model failed."


def writer_words(answer: ImportedAnswer) -> str:
    """Return who wrote the imported answer, in words."""
    if answer.written_by == UNNAMED:
        return f"a model of {shorten(answer.pipeline, 80) or 'another pipeline'} that it does not name"
    through = f" through {shorten(answer.pipeline, 80)}" if answer.pipeline.strip() else ""
    return f"{shorten(answer.written_by, 80)}{through}"


def imported_html(answer: ImportedAnswer, golds: tuple[str, ...]) -> str:
    """Return the card of an imported answer as HTML: whose it is, its text, whether it is right."""
    kind, text = f"Imported answer, by {writer_words(answer)}", answer.generation.text
    return answer_html(kind, text, match_of(text, golds, answer.judged), large=True)


def apart_sentence(answer: ImportedAnswer, model: str) -> str:
    """Return the sentence that keeps the answers of two models apart on one page."""
    return f"Answers and verdicts here are from {model_name(model)}, not from {writer_words(answer)}."


def abilities_table(found: tuple[Ability, ...]) -> pd.DataFrame:
    """Return what each diagnosis is for a trace, and why, a row each."""
    rows = [(one.what, f"{SIGNS[STATE_TONES[one.state]]} {STATE_WORDS[one.state]}", one.reason) for one in found]
    return pd.DataFrame(rows, columns=["diagnosis", "state", "because"])


def trend_sentence(answer: ImportedAnswer) -> str:
    """Return ETC's word on the imported answer, with what its entropies are."""
    if answer.trend is None:
        return f"ETC: {answer.trend_reason}"
    known = WORDS["entropies of a trace"][answer.entropies].format(vocabulary=answer.vocabulary)
    return f"{entropy_trend.sentence(answer.trend, text='answer of the trace')} {known}".strip()


def flare_sentence(answer: ImportedAnswer) -> str:
    """Return FLARE's word on the imported answer."""
    trace = answer.flare
    if trace is None:
        return f"FLARE: {answer.flare_reason}"
    threshold = f"θ = {trace.bar.threshold:g}"
    if not trace.triggers:
        return f"FLARE looks nothing up: no token is below {threshold}."
    first = trace.signals[trace.triggers[0]]
    query = " " + closed(f"Query: {quoted(first.query, 120)}") if first.query else ""
    place = f"{quoted(first.text, 40)} (probability {first.value or 0.0:.2f})"
    return (
        f"FLARE looks up at {place}: {len(trace.triggers)} of {len(trace.signals)} tokens are below {threshold}.{query}"
    )


def flare_title(trace: PolicyTrace) -> str:
    """Return the finding of the figure."""
    if not trace.triggers:
        return "No token below FLARE's threshold"
    return f"{counted(len(trace.triggers), 'token')} of {len(trace.signals)} below FLARE's threshold"


def flare_figure(answer: ImportedAnswer, theme: Theme) -> go.Figure:
    """Return the probability of each token of the imported answer against FLARE's threshold."""
    trace, figure = answer.flare, go.Figure()
    if trace is None or not trace.signals:
        return empty_figure("Nothing to draw", flare_sentence(answer), theme, 160)
    fires = [place in trace.triggers for place in range(len(trace.signals))]
    figure.add_bar(
        x=list(range(len(trace.signals))),
        y=[signal.value for signal in trace.signals],
        marker={"color": [theme.middle if hit else theme.model for hit in fires]},
        hovertext=[
            wrapped(f"Token “{visible(signal.text)}”: probability {signal.value or 0.0:.3f}")
            for signal in trace.signals
        ],
        hoverinfo="text",
    )
    apart = max(1, -(-len(trace.signals) // MOST_TICKS))
    ticks = [place for place in range(len(trace.signals)) if place % apart == 0 or fires[place]]
    figure.update_layout(layout(theme, flare_title(trace), 340), overwrite=True)
    figure.add_hline(y=trace.bar.threshold, line={"color": theme.middle, "width": 2, "dash": "dash"})
    right = {"x": 1.0, "xref": "paper", "xanchor": "left", "xshift": 4}
    write(figure, f"<b>θ = {trace.bar.threshold:g}</b>", theme.middle, y=trace.bar.threshold, **right)
    figure.update_layout(margin={"l": 64, "r": 84, "t": 64, "b": 90}, bargap=0.25, showlegend=False)
    figure.update_xaxes(
        tickvals=ticks,
        ticktext=[plain(shorten(visible(trace.signals[place].text), 14)) for place in ticks],
        tickangle=-60 if len(ticks) > 8 else 0,
        title={"text": "token of the imported answer", "standoff": 12, "font": {"size": 14}},
        automargin=True,
        showgrid=False,
        linecolor=theme.line,
    )
    figure.update_yaxes(
        title={"text": "probability, 0 to 1", "font": {"size": 14}}, range=[0, 1.02], gridcolor=rgba(theme.line, 0.6)
    )
    return figure


def flare_table(answer: ImportedAnswer) -> pd.DataFrame:
    """Return the text twin of ``flare_figure``: every token with its probability and whether it is below θ."""
    trace = answer.flare
    rows = [
        (place + 1, visible(signal.text), signal.value, place in trace.triggers, signal.query)
        for place, signal in enumerate(trace.signals if trace else ())
        if trace
    ]
    return pd.DataFrame(rows, columns=["#", "token", "probability", "below θ", "query of its sentence"])


def passages_table(trace: Trace) -> pd.DataFrame:
    """Return the passages of a trace, a row each; columns only where the trace has something for them.

    ``holds`` says which of them have the words of a correct answer.
    """
    holding = passages_with(passages_of(trace), trace.golds)
    rows = [
        (place + 1, "✔ its words" if place in holding else "", one.title, one.text, one.score, one.source)
        for place, one in enumerate(trace.passages)
    ]
    return without_empty_columns(pd.DataFrame(rows, columns=["#", "holds", "title", "text", "score", "source"]))


def without_empty_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table without the columns that hold nothing; an empty text is nothing."""
    return table.replace("", None).dropna(axis=1, how="all")


def claims_table(answer: ImportedAnswer) -> pd.DataFrame:
    """Return every claim of the imported answer with its evidence in the given passages."""
    rows = [
        (claim_verdict(claim), head, relation, tail, documents, claim.reason)
        for each in answer.claims
        for claim in each.claims
        for head, _, relation, tail, _, documents in [claim_cells(claim)]
    ]
    columns = ["evidence", "head", "relation", "tail", "passages with both", "why not measured"]
    return without_empty_columns(pd.DataFrame(rows, columns=columns))


def claims_sentence(answer: ImportedAnswer) -> str:
    """Return of how many claims of the imported answer both ends stand in one of the passages, in words."""
    claims = [claim for checked in answer.claims for claim in checked.claims]
    if not claims:
        return "No claim to support was found."
    met = sum(claim.supported is True for claim in claims)
    alone = sum(claim.supported is None and claim.tail is None for claim in claims)
    left = sum(claim.supported is None for claim in claims) - alone
    rest = [f"{alone} without a second end"] if alone else []
    rest += [f"{left} not measured"] if left else []
    said = f"Claims with both ends in one passage: {met} of {len(claims)}"
    return f"{'; '.join([said, *rest])}."


def finding_sentence(answer: ImportedAnswer, golds: tuple[str, ...]) -> str:
    """Return whether the answer is right and which passages hold a correct one; else what is missing to tell that."""
    if not golds:
        return NO_GOLDS
    found = imported_headline(answer, golds)
    if found is None:
        return MATCH_WORDS[match_of(answer.generation.text, golds, answer.judged)][0]
    return f"{SIGNS[found.tone]} {found.sentence}"


def reading_lines(answer: ImportedAnswer, golds: tuple[str, ...]) -> str:
    """Return the whole reading as lines for a terminal, what happened first."""
    table = abilities_table(answer.abilities)
    width = max(len(text) for text in table["diagnosis"])
    rows = [f"{what:<{width}}  {state}: {why}" for what, state, why in table.itertuples(index=False, name=None)]
    said = [*answer.notes, trend_sentence(answer), flare_sentence(answer), claims_sentence(answer)]
    head = f"Answer of {writer_words(answer)}: {answer.generation.text.strip()}"
    return "\n".join((head, finding_sentence(answer, golds), *rows, *said))
