"""The step-by-step answer of ETC as running text: tinted by entropy, the first trigger marked, on grey what follows it.

The text is model output: everything is escaped.
"""

from engine.methods.entropy_trend import EntropyTrendResult
from viz.chosen import frame_style
from viz.entropy_trend import FIRST, not_measured_sentence, trigger_roles, word_sentence
from viz.theme import Theme, plain, rgba
from viz.token_strip import ramp_html, tint


def answer_strip_html(
    result: EntropyTrendResult, theme: Theme, alpha: float | None = None, chosen: int | None = None
) -> str:
    """Return the step-by-step answer as escaped HTML: tinted by entropy, first trigger marked, on grey what follows.

    The ``chosen`` word is outlined.
    """
    if not result.words:
        return f'<p style="color:{theme.muted};margin:0">{plain(not_measured_sentence(result))}</p>'
    roles = trigger_roles(result, alpha)
    first = min(roles, default=len(result.words))
    text, pieces, place = result.generation.text, [], 0
    for index, word in enumerate(result.words):
        pieces.append(_gap_html(text[place : word.start]))
        word_html = _word_html(result, index, theme, roles.get(index, ""))
        pieces.append(_framed(word_html, theme) if index == chosen else word_html)
        pieces.append(_band_html(theme) if index == first else "")
        place = max(place, word.end)
    pieces.append(_gap_html(text[place:]) + ("</span>" if roles else ""))
    key = _strip_key_html(theme) if roles else ""
    return (
        f'<div style="color:{theme.text}"><div dir="auto" style="font-size:1.2rem;line-height:2.1;'
        f'overflow-wrap:anywhere">{"".join(pieces)}</div>{ramp_html(theme)}{key}</div>'
    )


def _framed(word: str, theme: Theme) -> str:
    return f'<mark style="background:transparent;color:{theme.text};{frame_style(theme)}">{word}</mark>'


def _gap_html(text: str) -> str:
    return plain(text).replace("\n", "<br>")


def _band_html(theme: Theme) -> str:
    """Return the opening of the grey band under everything behind the first trigger."""
    style = f"background:{rgba(theme.unknown, 0.13)};padding:0.35em 0;-webkit-box-decoration-break:clone"
    return f'<span style="{style};box-decoration-break:clone">'


def _word_html(result: EntropyTrendResult, index: int, theme: Theme, role: str) -> str:
    """Return one word of the strip, with a sign before it where it is the first trigger."""
    word = result.words[index]
    ground = tint(theme, word.entropy_middle) if word.is_content else "transparent"
    colour = theme.text if word.is_content else theme.muted
    style = f"background:{ground};color:{colour};border-radius:3px;padding:0.15em 0.2em"
    if role:
        style += f";border-bottom:3px {'solid' if role == FIRST else 'dotted'} {theme.middle}"
    hover = f"{word_sentence(result, index)} {role}".strip()
    body = f'<span style="{style}" title="{plain(hover)}">{plain(word.text)}</span>'
    return _sign_html(theme) + body if role == FIRST else body


def _sign_html(theme: Theme) -> str:
    style = f"background:{theme.middle};color:{theme.page};border-radius:0.8em;padding:0.1em 0.6em;font-weight:600"
    return f'<span style="{style};font-size:0.95rem;white-space:nowrap">look up here ▸</span> '


def _strip_key_html(theme: Theme) -> str:
    """Return what the marks of the strip mean."""
    return (
        f'<div dir="ltr" style="color:{theme.muted};font-size:0.95rem">Function words have no tint. '
        f'<span style="border-bottom:3px solid {theme.middle}">Underlined</span>: the first trigger. '
        f'<span style="background:{rgba(theme.unknown, 0.13)}">On grey</span>: rewritten after the lookup, '
        f'so the <span style="border-bottom:3px dotted {theme.middle}">later triggers</span> are not reached.</div>'
    )
