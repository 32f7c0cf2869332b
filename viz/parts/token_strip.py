"""Text as a strip coloured by entropy: the tokens of a generation, and the colour ramp every strip shares.

An entropy that is known within bounds is drawn by its middle; tooltips and the table give both ends.

Tint says how unsure the model was before it wrote the token: entropy of its next-token distribution, in nats. Every
strip has the same scale, so that a tint means the same in two of them; it ends at 4 nats and says so. Tooltips and the
table repeat every number in words. Token texts are model output: they are escaped, and white space is visible.
"""

import math
from collections.abc import Sequence

import pandas as pd

from engine.core.records import Token
from viz.parts.html import render
from viz.parts.row_table import Column
from viz.parts.theme import Theme, rgba
from viz.parts.words import chance, signed

# The strongest tint: text on it keeps a contrast of 4.5 : 1 in both modes.
STRONGEST_TINT = 0.45
# Above so many nats every token has the strongest tint.
TOP = 4.0


def token_strip_html(
    tokens: Sequence[Token], theme: Theme, label: str, chosen: int | None = None, *, legend: bool = True
) -> str:
    """Return HTML: ``label``, each token tinted by its entropy with a tooltip, and the ramp in nats.

    The ``chosen`` token is outlined and heavier. ``legend`` is for the last of several strips only.
    """
    if not tokens:
        return render("note.html.j2", text=f"{label}: no tokens were written.", colour=theme.muted)
    drawn = [
        {
            "text": visible(token.text),
            "tint": tint(theme, token.entropy_middle),
            "hover": token_words(token),
            "ends_line": "\n" in token.text,
        }
        for token in tokens
    ]
    ramp = ramp_html(theme) if legend else ""
    return render("token_strip.html.j2", tokens=drawn, label=label, chosen=chosen, ramp=ramp, theme=theme)


THREE = Column(form=".3f")
TOKEN_COLUMNS = {
    "probability": THREE,
    "log-probability (nats)": THREE,
    "entropy (nats)": THREE,
    "entropy at most (nats)": THREE,
}


def tokens_table(tokens: Sequence[Token]) -> pd.DataFrame:
    """Return the text twin: one row per token with its probability in [0, 1], log-probability and entropy in nats.

    Where a server shows only the likeliest tokens the entropy is the least it can be, and another column the most.
    """
    table = pd.DataFrame(
        {
            "#": range(1, len(tokens) + 1),
            "token": [visible(token.text) for token in tokens],
            "probability": [math.exp(token.logprob) for token in tokens],
            "log-probability (nats)": [token.logprob for token in tokens],
            "entropy (nats)": [token.entropy for token in tokens],
        }
    )
    if any(token.entropy_high is not None for token in tokens):
        table["entropy at most (nats)"] = [token.entropy_high for token in tokens]
    return table


def tint(theme: Theme, entropy: float) -> str:
    """Return the CSS background for an entropy in nats, strongest from ``TOP`` on; an unmeasured one has no tint."""
    if not math.isfinite(entropy):
        return "transparent"
    return rgba(theme.model, STRONGEST_TINT * min(1.0, max(0.0, entropy / TOP)))


def ramp_html(theme: Theme) -> str:
    """Return the legend of a strip as HTML: the colour ramp from 0 nats (sure) to 4 nats and more (unsure)."""
    return render("ramp.html.j2", low=tint(theme, 0.0), high=tint(theme, TOP), top=f"{TOP:.0f}", theme=theme)


def visible(text: str) -> str:
    """Return a token's text with white space made visible.

    >>> visible(" Lisbon\\n")
    '␣Lisbon⏎'
    >>> visible("")
    '∅'
    """
    return text.replace(" ", "␣").replace("\n", "⏎").replace("\t", "⇥") or "∅"


def token_words(token: Token) -> str:
    """Return what a tooltip says of a token: its text, probability, log-probability and entropy."""
    name = f"token “{visible(token.text)}”" if token.text else "a token without visible text"
    if math.isnan(token.logprob):
        return f"{name}: the server gives no probability"
    high = "" if token.entropy_high is None else f" to {token.entropy_high:.2f}"
    entropy = f"{token.entropy:.2f}{high} nats" if math.isfinite(token.entropy) else "not measured"
    probability = chance(math.exp(token.logprob), least=3)
    return f"{name}: probability {probability}, log-probability {signed(token.logprob)}, entropy {entropy}"
