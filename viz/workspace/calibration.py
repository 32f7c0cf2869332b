"""Thresholds fitted to a model, and what timing policies achieve at them with about the same number of lookups.

A policy that looks something up more often reads more, so it is compared at a threshold that gives as many lookups a
question as the others have (ETC, section 6.2, compares at one threshold instead). Points are shares of right answers
with their 95 % interval.
"""

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from engine.core.records import Interval
from engine.runs.studies.views.base import Mark, leaders
from engine.thresholds.fitted.records import FittedThreshold, FittedThresholds, PolicyAtCost
from engine.thresholds.table import THRESHOLDS
from viz.methods.timing import policy_title
from viz.parts.figure_parts import empty_figure, error_bars, write
from viz.parts.theme import Theme, layout
from viz.parts.words import counted, listing

ROW_HEIGHT, FRAME = 46, 170
NOT_COMPARED = "No policy was compared."


def policies_figure(fit: FittedThresholds, theme: Theme) -> go.Figure:
    """Return the share of right answers of each policy, in [0, 1], with what it cost beside it; more is better."""
    rows = list(reversed(fit.policies))
    if not rows:
        return empty_figure("No policy compared", NOT_COMPARED, theme, 220)
    figure = go.Figure(layout=layout(theme, policies_title(fit.policies), FRAME + ROW_HEIGHT * len(rows)))
    shares = [share(row) for row in rows]

    names = [policy_title(row.policy) for row in rows]
    figure.add_scatter(
        x=shares,
        y=names,
        error_x=error_bars(shares, [row.right_interval for row in rows], thickness=2),
        mode="markers",
        marker={"size": 13, "symbol": "diamond", "color": theme.model},
        showlegend=False,
        hoverinfo="skip",
    )
    for name, row, value in zip(names, rows, shares, strict=True):
        right = row.right_interval.high if row.right_interval else value
        text = f"  {row.right} of {row.questions} · {cost_words(row)}"
        write(figure, text, theme.muted, x=right, y=name, xanchor="left")
    figure.update_xaxes(title_text="Share of right answers", range=[0, 1], tickformat=".1f", gridcolor=theme.line)
    figure.update_yaxes(showgrid=False)
    figure.update_layout(margin={"l": 190})
    return figure


def share(row: PolicyAtCost) -> float:
    """Return the share of questions answered right, in [0, 1]; 0 of none."""
    return row.right / row.questions if row.questions else 0.0


def cost_words(row: PolicyAtCost) -> str:
    """Return what a policy took for a question, in words.

    >>> cost_words(PolicyAtCost(policy="once", questions=2, right=1, right_interval=None, retrievals=1.0,
    ...     tokens_written=20.4, prompt_tokens=514.0, on_wrong=None, on_right=None))
    '1.00 lookups, 20 tokens'
    """
    return f"{row.retrievals:.2f} lookups, {row.tokens_written:.0f} tokens"


def policies_title(rows: Sequence[PolicyAtCost]) -> str:
    """Return the finding in one line: which policy is right most often, and what never looking up gives.

    Policies that ran on fewer questions than others are not ranked.
    """
    most = max(row.questions for row in rows)
    compared = [row for row in rows if row.questions == most]
    best = max(compared, key=share)
    named = leaders([Mark(series="", label=policy_title(row.policy), value=share(row)) for row in compared])
    said = f"Most right answers here: {named}, {best.right} of {best.questions}"
    never = next((row for row in rows if row.policy == "never"), None)
    if never is None or share(never) == share(best):
        return said
    memory = f"{never.right}" if never.questions == best.questions else f"{never.right} of {never.questions}"
    return f"{said}; from memory {memory}"


def policies_sentence(fit: FittedThresholds) -> str:
    """Return the comparison in words, for those who do not see the figure."""
    if not fit.policies:
        return NOT_COMPARED
    told = [f"{policy_title(row.policy)} {row.right} of {row.questions} with {cost_words(row)}" for row in fit.policies]
    plural = "lookup" if fit.retrievals_wanted == 1 else "lookups"
    return (
        f"Right answers at about {fit.retrievals_wanted:g} {plural} a question: {listing(told)}. "
        "Overlapping intervals: unclear."
    )


def policies_table(fit: FittedThresholds) -> pd.DataFrame:
    """Return one row a policy: right answers, what they took, and on which answers from memory it would look up."""
    return pd.DataFrame(
        [
            {
                "policy": policy_title(row.policy),
                "right": f"{row.right} of {row.questions}",
                "share right": f"{share(row):.2f}{interval_words(row.right_interval)}",
                "lookups": f"{row.retrievals:.2f}",
                "tokens written": f"{row.tokens_written:.0f}",
                "tokens read": f"{row.prompt_tokens:.0f}",
                "looks up on wrong answers": share_words(row.on_wrong),
                "looks up on right answers": share_words(row.on_right),
            }
            for row in fit.policies
        ]
    )


def thresholds_table(fit: FittedThresholds) -> pd.DataFrame:
    """Return one row a threshold: its value, how well it tells wrong from right answers, or why it was not fitted."""
    return pd.DataFrame(
        [
            {
                "threshold": f"{THRESHOLDS[one.name].title} ({THRESHOLDS[one.name].unit})",
                "fitted": "not fitted" if one.value is None else f"{one.value:.2f}{interval_words(one.interval)}",
                "how well": quality_words(one),
                "on": counted(one.questions, "question"),
            }
            for one in fit.thresholds
        ]
    )


def quality_words(one: FittedThreshold) -> str:
    """Return how well a threshold decides, or how many lookups it gives, or why there is none."""
    if one.value is None and one.tested is None:
        return one.reason
    if one.auroc is None:
        return f"{one.retrievals:.2f} lookups a question" if one.retrievals is not None else "not measured"
    ranks = f"Fitted on {counted(one.questions, 'question')}: AUROC {one.auroc:.2f}{interval_words(one.auroc_interval)}"
    return " ".join(part for part in (one.reason, f"{ranks}.", tested_words(one)) if part)


def tested_words(one: FittedThreshold) -> str:
    """Return what a cut achieves on questions it was not fitted to, or that no such questions were kept."""
    found = one.tested
    if found is None:
        return "Not tested on others."
    shares = (
        ("sensitivity", found.sensitivity, found.sensitivity_interval),
        ("specificity", found.specificity, found.specificity_interval),
        ("balanced accuracy", found.balanced_accuracy, found.balanced_accuracy_interval),
    )
    told = listing([f"{name} {value:.2f}{interval_words(span)}" for name, value, span in shares])
    return f"Tested on {counted(found.questions, 'other question')}: {told}."


def interval_words(bounds: Interval | None) -> str:
    """Return an interval behind its value, "" where there is none.

    >>> interval_words(Interval(low=0.1, high=0.25))
    ' (0.10 to 0.25)'
    """
    return "" if bounds is None else f" ({bounds.low:.2f} to {bounds.high:.2f})"


def share_words(value: float | None) -> str:
    """Return a share of answers, "not measured" where there is none.

    >>> share_words(0.5), share_words(None)
    ('0.50', 'not measured')
    """
    return "not measured" if value is None else f"{value:.2f}"
