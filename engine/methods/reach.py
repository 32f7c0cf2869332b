"""What each method can say with a model of given capabilities, known before anything runs.

"exact" = as with a local model; "within bounds" = numbers are intervals or stand for others, and the page says
so; "partly" = some of what the method looks at; "impossible" = the method would only say why it measures nothing.
"""

from dataclasses import dataclass
from typing import Literal

from engine.backends.language_models.base import Capabilities

Level = Literal["exact", "within bounds", "partly", "impossible"]
CONTINUES = "It reads an answer step by step, for which the model must continue a plain text."
PROBABILITIES = "It weighs answers by the probabilities of their tokens."
REDRAWN = "The same seed does not draw the same again, so a repeated run differs."


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far one method goes, and why no further; ``why`` is "" where it is exact."""

    method: str
    level: Level
    why: str = ""


def answers_only(word: str, able: Capabilities) -> Reach:
    """Return the reach of a method that compares what answers say."""
    if able.plain_text:
        return Reach(method=word, level="exact")
    why = "Rewordings by rules only, unless the papers' prompts are used: others make the model continue a plain text."
    return Reach(method=word, level="partly", why=why)


def label_reach(word: str, able: Capabilities) -> Reach:
    """Return the reach of a method that also weighs "yes" against "no"."""
    if able.labels == "none":
        return Reach(method=word, level="impossible", why='The model does not say how likely "yes" and "no" are.')
    if able.labels == "first token":
        why = 'Whether a context suffices is weighed by the first token of "yes" and "no" only.'
        return Reach(method=word, level="within bounds", why=why)
    return answers_only(word, able)


def by_samples(word: str, able: Capabilities) -> Reach:
    """Return the reach of a method that draws answers and weighs them."""
    if not able.token_logprobs:
        return Reach(method=word, level="impossible", why=f"{PROBABILITIES} This model gives none.")
    return Reach(method=word, level="exact", why="" if able.seeded else REDRAWN)


def baselines_reach(able: Capabilities) -> Reach:
    """Return the reach of the uncertainty baselines: two of their measures weigh answers, the others compare them."""
    if not able.token_logprobs:
        why = "Semantic and predictive entropy need the probabilities of tokens, which this model does not give."
        return Reach(method="uncertainty", level="partly", why=why)
    return by_samples("uncertainty", able)


def stepwise_reach(word: str, able: Capabilities) -> Reach:
    """Return the reach of a method that reads a step-by-step answer."""
    if not able.plain_text:
        return Reach(method=word, level="impossible", why=CONTINUES)
    return Reach(method=word, level="exact")


def trend_reach(able: Capabilities) -> Reach:
    """Return the reach of ETC."""
    if not able.plain_text:
        return Reach(method="entropy_trend", level="impossible", why=CONTINUES)
    if able.full_distribution:
        why = "" if able.attentions else "Without attention there is no query, and not the released code's variant."
        return Reach(method="entropy_trend", level="exact" if able.attentions else "partly", why=why)
    if not able.continued_top:
        return Reach(method="entropy_trend", level="impossible", why="The model does not show its likeliest tokens.")
    why = (
        f"Entropies are intervals, from the {able.continued_top} likeliest tokens: where they lie on both sides of α, "
        "the verdict is “unclear”. Without attention there is no query."
    )
    return Reach(method="entropy_trend", level="within bounds", why=why)
