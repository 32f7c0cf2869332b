"""Sufficiency in words, a figure and a table: how likely each passage, and all together, hold an answer."""

import math
from collections.abc import Collection

import pandas as pd
import plotly.graph_objects as go

from engine.core.words import isolated, shown
from engine.methods.sufficiency import PassageReply, SufficiencyResult
from viz.methods.check_rates import CHECK_RATES
from viz.methods.verdicts import Verdict, tone_colour
from viz.parts.figure_parts import still_axis, write
from viz.parts.theme import Theme, hatched, layout, plain
from viz.parts.words import bound_words, chance, counted, listing, wrapped

TOGETHER = "all together"
RATES, HOPS = CHECK_RATES["sufficiency"], CHECK_RATES["sufficiency_hops"]


def verdict(result: SufficiencyResult) -> Verdict:
    """Return whether the passages hold an answer, as far as the model says: it overlooks what is missing."""
    if math.isnan(result.score):
        return Verdict(word="not measured", tone="unknown", sentence=finding(result))
    word, tone = ("the model sees an answer", "model") if result.sufficient else ("the model sees no answer", "middle")
    return Verdict(word=word, tone=tone, sentence=finding(result), detail=rates(result))  # type: ignore[arg-type]


def finding(result: SufficiencyResult) -> str:
    """Return the highest P(yes) against its threshold, in words."""
    if math.isnan(result.score):
        return "The model gave neither “yes” nor “no” any probability."
    side, score = "at or above" if result.sufficient else "below", chance(result.score, result.threshold)
    return f"The highest P(yes) is {score}, {side} the threshold {bound_words(result.threshold)}."


def sentence(result: SufficiencyResult) -> str:
    """Return the finding and the passage that comes nearest, in words."""
    return f"{finding(result)} {nearest_sentence(result)}"


def nearest_sentence(result: SufficiencyResult) -> str:
    """Return which passage comes nearest, how likely it holds the answer, and what it lacks of the question."""
    near = result.passages[result.nearest]
    missing = [word for word in result.words if word not in near.words]
    lacks = f" It lacks {listing([f'“{isolated(shown(word, 40))}”' for word in missing])}." if missing else ""
    alone, together = "", ""
    if len(result.passages) > 1:
        alone, together = " alone", f"; all together {chance(result.together.yes)}"
    return f"Passage {near.index + 1} comes nearest{alone}: P(yes) {chance(near.reply.yes)}{together}.{lacks}"


def overlooked_sentence(result: SufficiencyResult, holding: Collection[int]) -> str:
    """Return how many passages without a correct answer pass the threshold too, "" where none does or none holds one.

    ``holding`` are the places, from 0, of the passages with the words of a correct answer.
    """
    others = [one for one in result.passages if one.index not in holding]
    passing = sum(one.reply.yes >= result.threshold for one in others)
    if not holding or not passing:
        return ""
    return f"{passing} of {counted(len(others), 'passage')} without a correct answer {verb(passing)} the threshold too."


def verb(passing: int) -> str:
    """Return the verb after so many passages.

    >>> verb(1), verb(4)
    ('passes', 'pass')
    """
    return "passes" if passing == 1 else "pass"


def rates(result: SufficiencyResult) -> str:
    """Return how often the check is right, as measured; that it was not measured with another model or threshold."""
    if not result.trained or abs(result.threshold - RATES["threshold"]) > 1e-9:
        return "Its error rate is not measured for this model and threshold."
    told = (
        f"On {RATES['questions']:.0f} questions it noticed {RATES['sensitivity']:.0%} of contexts without an "
        f"answer; false alarms: {RATES['false_alarms']:.0%}."
    )
    return (
        f"{told} On {HOPS['questions']:.0f} questions that need two passages it noticed {HOPS['one_missing']:.0%} "
        f"with one missing, {HOPS['none_there']:.0%} with both missing."
    )


def rate_values() -> dict[str, str]:
    """Return the measured rates as they stand in the page's text."""
    return {name: f"{value:g}" for name, value in RATES.items()}


def yes_figure(result: SufficiencyResult, theme: Theme, chosen: int | None = None) -> go.Figure:
    """Return a bar for each passage and one for all together: P(yes) from 0 to 1, with the threshold."""
    names = [f"passage {one.index + 1}" for one in result.passages] + [TOGETHER]
    values = [*result.alone, result.together.yes]
    names = [f"<b>◆ {name}</b>" if place == chosen else name for place, name in enumerate(names)]
    tones = ["model" if value >= result.threshold else "middle" for value in values]
    figure = go.Figure(layout=layout(theme, plain(nearest_sentence(result)), height=110 + 44 * len(names)))
    for place, (name, value, tone) in enumerate(zip(names, values, tones, strict=True)):
        figure.add_bar(
            x=[value],
            y=[name],
            orientation="h",
            marker=hatched(tone_colour(tone, theme), "" if tone == "model" else "/", theme),  # type: ignore[arg-type]
            hovertext=wrapped(result.passages[place].passage.text) if place < len(result.passages) else TOGETHER,
            hoverinfo="text",
            customdata=[[place]],
            showlegend=False,
        )
        write(figure, plain(chance(value)), theme.text, 16, x=1.03, y=name, xanchor="left")
    figure.add_vline(x=result.threshold, line={"color": theme.text, "width": 2, "dash": "dash"})
    above = {"x": result.threshold, "y": 1, "yref": "paper", "yanchor": "bottom"}
    write(figure, plain(f"threshold {result.threshold:g}"), theme.text, **above)
    figure.update_xaxes(**still_axis(theme, "P(yes): the text holds the answer", range=[0, 1.12]))
    look = {"tickfont": {"size": 14, "color": theme.text}, "ticklabelstandoff": 8}
    figure.update_yaxes(autorange="reversed", fixedrange=True, **look)
    figure.update_layout(margin={"l": 118, "r": 24, "t": 64, "b": 56}, dragmode=False)
    return figure


def passages_table(result: SufficiencyResult) -> pd.DataFrame:
    """Return the text twin: a row for each passage and one for all together; P(yes) in [0, 1]."""
    rows = [row_of(one, result) for one in result.passages]
    rows.append({"passage": TOGETHER, "P(yes)": result.together.yes, "words in it": "", "text": ""})
    return pd.DataFrame(rows, columns=["passage", "P(yes)", "words in it", "text"])


def row_of(one: PassageReply, result: SufficiencyResult) -> dict[str, object]:
    """Return a passage's row of the table."""
    share = ": ".join(filter(None, [f"{len(one.words)} of {len(result.words)}", ", ".join(one.words)]))
    return {
        "passage": str(one.index + 1),
        "P(yes)": one.reply.yes,
        "words in it": share,
        "text": shown(one.passage.text),
    }
