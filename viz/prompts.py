"""What the model was asked, to the letter, and what it wrote, token by token.

The prompt shown is the very string that was tokenised; its SHA-256 lets anybody check that it is the one a record
speaks of. Prompt and answer are untrusted: both are escaped.
"""

import hashlib

from engine.records import Generation
from viz.theme import Theme, plain
from viz.token_strip import token_strip_html

HASH_LETTERS = 12
STOPS = {
    "end": "the model ended its answer",
    "stop string": "cut at a stop string",
    "length": "cut off at the most tokens allowed",
}


def prompt_hash(generation: Generation) -> str:
    """Return the first 12 hexadecimal digits of the SHA-256 of the rendered prompt in UTF-8."""
    return hashlib.sha256(generation.rendered.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_LETTERS]


def sentence(generation: Generation) -> str:
    """Return in words how the answer was made: prompt, length, why it ended, how it was drawn."""
    tokens = len(generation.tokens)
    drawn = "greedy" if generation.temperature == 0 else f"sampled at temperature {generation.temperature:g}"
    return (
        f"{generation.prompt_tokens} prompt tokens (SHA-256 {prompt_hash(generation)}…), "
        f"{tokens} {'token' if tokens == 1 else 'tokens'} written, {drawn}, seed {generation.seed}; "
        f"{STOPS[generation.stop_reason]}."
    )


def generation_html(generation: Generation, theme: Theme) -> str:
    """Return the exact rendered prompt with its hash, and the answer's tokens coloured by entropy, as escaped HTML."""
    return f"{prompt_html(generation, theme)}{tokens_html(generation, theme)}"


def prompt_html(generation: Generation, theme: Theme) -> str:
    """Return the exact rendered prompt in a box that scrolls, under a line that says how the answer was made."""
    box = (
        f"background:{theme.panel};border:1px solid {theme.line};border-radius:0.4rem;padding:0.7rem;"
        "margin:0.3rem 0 1rem;max-height:20rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;"
        "font-size:0.9rem;line-height:1.5"
    )
    return (
        f'<div style="color:{theme.muted};font-size:0.95rem">{plain(sentence(generation))}</div>'
        f'<pre dir="auto" tabindex="0" aria-label="the exact prompt" style="color:{theme.text};{box}">'
        f"{plain(generation.rendered) or '(empty)'}</pre>"
    )


def tokens_html(
    generation: Generation, theme: Theme, label: str = "what it wrote, token by token", top: float | None = None
) -> str:
    """Return the tokens coloured by entropy in nats with their legend, as escaped HTML; ``top`` as in token_strip."""
    return token_strip_html(generation.tokens, theme, label, top)
