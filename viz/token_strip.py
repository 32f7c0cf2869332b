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
from viz.chosen import frame_style
from viz.theme import Theme, plain, rgba

# The strongest tint: text on it keeps a contrast of 4.5 : 1 in both modes.
STRONGEST_TINT = 0.45
# Above so many nats every token has the strongest tint.
TOP = 4.0


def token_strip_html(
    tokens: Sequence[Token], theme: Theme, label: str, chosen: int | None = None, *, legend: bool = True
) -> str:
    """Return escaped HTML: ``label``, each token tinted by its entropy with a tooltip, and the ramp in nats.

    The ``chosen`` token is outlined and heavier. ``legend`` is for the last of several strips only.
    """
    if not tokens:
        return f'<p style="color:{theme.muted};margin:0">{plain(label)}: no tokens were written.</p>'
    strip = "".join(_token_html(token, theme, place == chosen) for place, token in enumerate(tokens))
    return (
        f'<div style="color:{theme.text}"><div style="color:{theme.muted};font-size:0.95rem">{plain(label)}</div>'
        f'<div dir="auto" style="font-size:1.1rem;line-height:2;overflow-wrap:anywhere">{strip}</div>'
        f"{ramp_html(theme) if legend else ''}</div>"
    )


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
    """Return the legend of a strip: the colour ramp from 0 nats (sure) to 4 nats and more (unsure)."""
    ramp = f"linear-gradient(to right, {tint(theme, 0.0)}, {tint(theme, TOP)})"
    return (
        f'<div dir="ltr" style="color:{theme.muted};font-size:0.95rem;margin-top:0.6rem">entropy: 0 nats, sure '
        f'<span style="display:inline-block;vertical-align:middle;width:9rem;height:0.9rem;border-radius:3px;'
        f'border:1px solid {theme.line};background:{ramp}"></span> {TOP:.0f} nats and more, unsure</div>'
    )


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
    name = f"token “{visible(token.text)}”" if token.text else "a token without visible text, such as the end"
    if math.isnan(token.logprob):
        return f"{name}: the server tells no probability"
    high = "" if token.entropy_high is None else f" to {token.entropy_high:.2f}"
    entropy = f"{token.entropy:.2f}{high} nats" if math.isfinite(token.entropy) else "not measured"
    return f"{name}: probability {math.exp(token.logprob):.3f}, log-probability {token.logprob:.2f}, entropy {entropy}"


def _token_html(token: Token, theme: Theme, chosen: bool) -> str:
    """Return one tinted token; marks for white space are faint and a line break also breaks the line."""
    text = "".join(_character_html(character, theme) for character in visible(token.text))
    style = f"background:{tint(theme, token.entropy_middle)};border-radius:3px;padding:0.15em 0.05em;margin-right:2px"
    line_break = "<br>" if "\n" in token.text else ""
    hover = plain(token_words(token))
    if chosen:
        style += f";{frame_style(theme)};color:{theme.text}"
        return f'<mark style="{style}" title="chosen: {hover}">{text}</mark>{line_break}'
    return f'<span style="{style}" title="{hover}">{text}</span>{line_break}'


def _character_html(character: str, theme: Theme) -> str:
    if character in "␣⏎⇥∅":
        return f'<span style="color:{theme.muted};opacity:0.55">{character}</span>'
    return plain(character)
