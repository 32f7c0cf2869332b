"""Text as a strip coloured by entropy: the tokens of a generation, and the colour ramp every strip shares.

An entropy that is known within bounds is drawn by its middle; tooltips and the table give both ends.

Tint says how unsure the model was before it wrote the token: entropy of its next-token distribution, in nats. Tooltips
and the table repeat every number in words. Token texts are model output: they are escaped, and white space is visible.
"""

import math
from collections.abc import Sequence

import pandas as pd

from engine.records import Token
from viz.chosen import frame_style
from viz.theme import Theme, plain, rgba

# The strongest tint: text on it keeps a contrast of 4.5 : 1 in both modes.
STRONGEST_TINT = 0.45
# Scales end at 1 nat or higher, so that an answer the model was sure of does not look unsure.
LOWEST_TOP = 1.0


def token_strip_html(
    tokens: Sequence[Token], theme: Theme, label: str, top: float | None = None, chosen: int | None = None
) -> str:
    """Return escaped HTML: ``label``, each token tinted by its entropy with a tooltip, and the ramp in nats.

    ``top`` is the entropy of the strongest tint where several strips are to be compared; None takes this strip's own.
    The ``chosen`` token is outlined and heavier.
    """
    if not tokens:
        return f'<p style="color:{theme.muted};margin:0">{plain(label)}: no tokens were written.</p>'
    top = scale_top([token.entropy_middle for token in tokens]) if top is None else top
    strip = "".join(_token_html(token, theme, top, place == chosen) for place, token in enumerate(tokens))
    return (
        f'<div style="color:{theme.text}"><div style="color:{theme.muted};font-size:0.95rem">{plain(label)}</div>'
        f'<div dir="auto" style="font-size:1.1rem;line-height:2;overflow-wrap:anywhere">{strip}</div>'
        f"{ramp_html(theme, top)}</div>"
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


def scale_top(entropies: Sequence[float]) -> float:
    """Return the entropy of the strongest tint: the largest finite one, at least 1 nat.

    >>> scale_top([0.2, 2.5])
    2.5
    >>> scale_top([])
    1.0
    """
    return max([LOWEST_TOP, *(entropy for entropy in entropies if math.isfinite(entropy))])


def tint(theme: Theme, entropy: float, top: float) -> str:
    """Return the CSS background for an entropy on a scale from 0 to ``top`` nats; an unmeasured one has no tint."""
    if not math.isfinite(entropy):
        return "transparent"
    return rgba(theme.model, STRONGEST_TINT * min(1.0, max(0.0, entropy / top)))


def ramp_html(theme: Theme, top: float) -> str:
    """Return the legend of a strip: the colour ramp from 0 nats (sure) to ``top`` nats (unsure)."""
    ramp = f"linear-gradient(to right, {tint(theme, 0.0, top)}, {tint(theme, top, top)})"
    return (
        f'<div dir="ltr" style="color:{theme.muted};font-size:0.95rem;margin-top:0.6rem">entropy: 0 nats, sure '
        f'<span style="display:inline-block;vertical-align:middle;width:9rem;height:0.9rem;border-radius:3px;'
        f'border:1px solid {theme.line};background:{ramp}"></span> {top:.1f} nats, unsure</div>'
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


def _token_html(token: Token, theme: Theme, top: float, chosen: bool) -> str:
    """Return one tinted token; marks for white space are faint and a line break also breaks the line."""
    text = "".join(_character_html(character, theme) for character in visible(token.text))
    style = (
        f"background:{tint(theme, token.entropy_middle, top)};border-radius:3px;padding:0.15em 0.05em;margin-right:2px"
    )
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
