"""The exact prompt that the model received, and what it wrote.

The prompt shown is the string that was tokenised; its SHA-256 shows that it is the one of the record. A seal
(``engine.core.seals``), stored when the answer was written, shows whether prompt, settings and answer are unchanged:
red where they are not. Prompt and answer are untrusted: both are escaped.
"""

import hashlib
import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import pandas as pd

from engine.core.records import Generation
from engine.core.seals import SealState, seal_of, seal_state
from engine.core.words import shown
from engine.diagnosis.record import Diagnosis, Outcome
from engine.methods import method_title
from viz.methods.verdicts import SIGNS, TONES, Tone, tone_colour
from viz.parts.chosen import framed_html
from viz.parts.html import render
from viz.parts.theme import Theme
from viz.parts.token_strip import token_strip_html
from viz.parts.words import WORDS, counted, quoted

HASH_LETTERS = 12
STOPS = WORDS["stop reasons"]
SEAL_TONES = TONES["seals"]
SEAL_WORDS: dict[SealState, str] = {"holds": "the seal holds", "broken": "SEAL BROKEN", "none": "made before seals"}
LIST_COLUMNS = ["which", "answer", "seal", "prompt tokens", "tokens written", "drawn", "seed", "hash", "where"]
# The words for the steps of an answer's place; a number counts from 1.
STEPS = WORDS["answer places"]


def prompt_hash(generation: Generation) -> str:
    """Return the first 12 hexadecimal digits of the SHA-256 of the rendered prompt in UTF-8."""
    return hashlib.sha256(generation.rendered.encode("utf-8", "surrogatepass")).hexdigest()[:HASH_LETTERS]


def prompt_sentence(generation: Generation) -> str:
    """Return in words how the answer was written: prompt, length, draw, and why it ended."""
    count = token_count(generation)
    written = "tokens not counted" if count is None else f"{counted(count, 'token')} written"
    drawn = drawn_words(generation)
    read = ", read quickly" if generation.kept else ""
    return (
        f"{generation.prompt_tokens} prompt tokens{read} (SHA-256 {prompt_hash(generation)}…), "
        f"{written}, {drawn}, seed {generation.seed}; "
        f"{STOPS[generation.stop_reason]}."
    )


def token_count(generation: Generation) -> int | None:
    """Return how many tokens were written, None where nobody counted: a server without log-probabilities names none.

    Its text then stands as one token without a probability.
    """
    tokens = generation.tokens
    uncounted = len(tokens) == 1 and math.isnan(tokens[0].logprob) and len(tokens[0].text.split()) > 1
    return None if uncounted else len(tokens)


def drawn_words(generation: Generation) -> str:
    """Return how an answer was drawn: greedy, or at which temperature."""
    return "greedy" if generation.temperature == 0 else f"sampled at temperature {generation.temperature:g}"


def seal_sentence(generation: Generation) -> str:
    """Return whether the prompt shown is the one that was run, in words."""
    stored, now = (seal[:HASH_LETTERS] for seal in (generation.seal, seal_of(generation)))
    return WORDS["seal sentences"][seal_state(generation)].format(stored=stored, now=now)


def settings_table(generation: Generation) -> dict[str, str]:
    """Return the settings of the answer, row by row; *not stored* where an older record lacks one."""
    stop = generation.stop
    return {
        "Format": "one turn, chat template" if generation.prompt.chat else "plain text, continued",
        "Prompt tokens": f"{generation.prompt_tokens:,}",
        "Read": "over another prompt's reading (quick)" if generation.kept else "in full",
        "Drawn": drawn_words(generation),
        "Seed": str(generation.seed),
        "Most tokens": "not stored" if generation.max_tokens is None else str(generation.max_tokens),
        "Stops before": "not stored" if stop is None else " ".join(repr(one) for one in stop) or "nothing",
        "Ended": STOPS[generation.stop_reason],
        "SHA-256 of the prompt": hashlib.sha256(generation.rendered.encode("utf-8", "surrogatepass")).hexdigest(),
        "Seal": generation.seal or "none: made before seals",
    }


def generations_of(diagnosis: Diagnosis) -> dict[str, Generation]:
    """Return every answer of a run by its place, such as ``dense.chunks.0.answer``, each place once."""
    found = {"run.answer": diagnosis.answer, "run.closed_book": diagnosis.closed_book}
    for outcome in diagnosis.outcomes:
        found |= dict(_within(outcome, outcome.method))
    return found


def answer_at(diagnosis: Diagnosis, where: str) -> Generation | None:
    """Return the answer at a place such as ``dense.chunks.0.answer``, None where the run has none there."""
    return generations_of(diagnosis).get(where)


def _within(record: object, way: str) -> Iterator[tuple[str, Generation]]:
    """Yield (where, answer) of a record and everything in it."""
    if isinstance(record, Generation):
        yield way, record
    elif is_dataclass(record):
        for field in fields(record):
            whole = isinstance(record, Outcome) and field.name == "result"
            yield from _within(getattr(record, field.name), way if whole else f"{way}.{field.name}")
    elif isinstance(record, tuple):
        for place, one in enumerate(record):
            yield from _within(one, f"{way}.{place}")


def generations_table(found: dict[str, Generation]) -> pd.DataFrame:
    """Return every answer of a run as a row: its place, its text, how it was written, and its seal."""
    rows = [
        (
            place_words(where),
            shown(one.text),
            SEAL_WORDS[seal_state(one)],
            one.prompt_tokens,
            token_count(one),
            drawn_words(one),
            str(one.seed),
            prompt_hash(one),
            where,
        )
        for where, one in found.items()
    ]
    return pd.DataFrame(rows, columns=LIST_COLUMNS)


def place_words(where: str) -> str:
    """Return an answer's place in a run in plain words.

    >>> place_words("run.closed_book"), place_words("dense.chunks.0.attempts.1.generations.2")
    ('The answer from memory', 'DENSE: passage 1, attempt 2, call 3')
    """
    method, *steps = where.split(".")
    if method == "run":
        return {"answer": "The answer over the passages", "closed_book": "The answer from memory"}.get(steps[0], where)
    words: list[str] = []
    for step in steps:
        if step.isdecimal() and words:
            words[-1] += f" {int(step) + 1}"
        else:
            words.append(STEPS.get(step, step.replace("_", " ")))
    return f"{method_title(method)}: {', '.join(words)}"


def seals_word(found: dict[str, Generation]) -> tuple[str, Tone]:
    """Return the word and tone of all seals of a run: one broken seal is red."""
    states = {seal_state(one) for one in found.values()}
    if "broken" in states:
        return "changed since the run", "bad"
    return ("made before seals", "unknown") if "none" in states else ("every prompt matches its seal", "good")


def seals_sentence(found: dict[str, Generation]) -> str:
    """Return in words whether the prompts shown are the original ones."""
    states = [seal_state(one) for one in found.values()]
    broken = [where for where, one in found.items() if seal_state(one) == "broken"]
    if broken:
        named = ", ".join(quoted(where) for where in broken[:5])
        more = "" if len(broken) <= 5 else f" and {len(broken) - 5} more"
        return f"{counted(len(broken), 'seal is', 'seals are')} broken: {named}{more}. Changed since the run."
    holds = states.count("holds")
    if not holds:
        return f"{counted(len(states), 'answer')}, all made before seals: nothing proves these prompts."
    older = f", {states.count('none')} made before seals" if "none" in states else ""
    return f"{counted(len(states), 'answer')}: {holds} of the seals hold{older}."


def prompt_html(generation: Generation, theme: Theme) -> str:
    """Return as HTML the exact prompt in a box that scrolls, below its seal and how the answer was written."""
    tone = SEAL_TONES[seal_state(generation)]
    values = {"made": prompt_sentence(generation), "seal": seal_sentence(generation), "prompt": generation.rendered}
    return render("prompt.html.j2", colour=tone_colour(tone, theme), sign=SIGNS[tone], theme=theme, **values)


def tokens_html(
    generation: Generation,
    theme: Theme,
    label: str = "what it wrote",
    *,
    token: int | None = None,
    framed: bool = False,
    legend: bool = True,
) -> str:
    """Return the tokens coloured by entropy in nats as escaped HTML, with the ``legend`` unless it is elsewhere.

    ``token`` is the chosen one; ``framed`` frames an answer that is chosen as a whole.
    """
    strip = token_strip_html(generation.tokens, theme, label, token, legend=legend)
    return framed_html(strip, "answer", theme) if framed else strip
