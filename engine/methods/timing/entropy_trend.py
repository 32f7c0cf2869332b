"""ETC as a policy: look up before the word at which the trend of entropy turns, and the three ablations of its table 4.

ETC (section 3.2) smooths second differences of content-word entropies and cuts before the last word involved. The
ablations take first differences with the same smoothing, a fixed weight of 0.9, or no smoothing. Variant "code" weighs
by attention and compares signed, as the released program does, in the ablations too. The query is DRAGIN's QFS, from
the trigger word's own attention; the released code adds that of later triggers of the sentence, which is left out here
so that a query does not change when the threshold is moved.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from engine.core.errors import CapabilityError
from engine.measures.entropy_trend import Smoothing, attention_weighted, first_differences, second_differences, smooth
from engine.methods.entropy_trend import ALPHA, TrendWord
from engine.methods.timing.base import DraftView, Policy, Signal, Variant

Order = Literal["first", "second"]


def judge(look: DraftView, order: Order = "second", smoothing: Smoothing | None = None) -> tuple[Signal, ...]:
    """Return the smoothed difference at every content word that has one; ``smoothing`` None takes the variant's own.

    Raises CapabilityError without the whole distribution, and in variant "code" without attention.
    """
    config = look.scene.config
    if config.variant == "code" and not look.scene.backends.writer.capabilities.attentions:
        raise CapabilityError("ETC as released weighs by attention, which this model does not give.")
    words = look.attended_words
    return tuple(
        Signal(
            token=words[place].first_token,
            start=words[place].start,
            end=words[place].end,
            cut=words[place].start,
            text=words[place].text,
            value=None if math.isnan(value) else value,
            query=words[place].query,
        )
        for place, value in placed_values(words, config.variant, order, smoothing)
    )


def placed_values(
    words: Sequence[TrendWord], variant: Variant, order: Order, smoothing: Smoothing | None
) -> list[tuple[int, float]]:
    """Return (word, value compared with α) in nats; NaN where the released code leaves it undefined."""
    differences = first_differences if order == "first" else second_differences
    placed = differences([word.entropy for word in words], [word.is_content for word in words], variant)
    if not placed:
        return []
    places = [place for place, _ in placed]
    values = smooth([value for _, value in placed], smoothing or variant)
    if variant == "code":
        attention = [word.max_attention or 0.0 for word in words]
        values = attention_weighted(values, places, attention, [word.sentence for word in words])
    return [(place, float(value)) for place, value in zip(places, values, strict=True)]


POLICY = Policy(
    word="entropy_trend",
    title="ETC",
    summary="Does the trend of the entropy turn at this word?",
    paper="ETC, section 3, eq. 6-12",
    after="sentence",
    threshold=ALPHA,
    rule="magnitude at least",
    rule_code="above",
    judge=judge,
    reads="entropies",
)
# The ablations of table 4: which difference they read, and how it is smoothed (None = as the variant says).
ABLATIONS: dict[str, tuple[Order, Smoothing | None]] = {
    "entropy_trend_first": ("first", None),
    "entropy_trend_fixed": ("second", "fixed"),
    "entropy_trend_raw": ("second", "none"),
}


def ablation(word: str, name: str, summary: str, paper: str) -> Policy:
    """Return ETC with one of its parts changed."""
    order, smoothing = ABLATIONS[word]
    return replace(
        POLICY,
        word=word,
        title=f"ETC ({name})",
        summary=summary,
        paper=f"ETC, table 4 ({paper})",
        judge=partial(judge, order=order, smoothing=smoothing),
        ablates=POLICY.word,
    )


FIRST_DIFFERENCE = ablation(
    "entropy_trend_first", "first difference", "Does the entropy itself jump at this word?", "1st"
)
FIXED = ablation(
    "entropy_trend_fixed", "fixed weight", "Does the trend turn, smoothed with a fixed weight of 0.9?", "fixed"
)
UNSMOOTHED = ablation("entropy_trend_raw", "unsmoothed", "Does the trend turn, without smoothing?", "w/o smoothing")
