"""Another pipeline's answer again from its raw part: its tokens as they were given."""

import math
from collections.abc import Iterator

from engine.catalogue.verify import entropy_trend, timing
from engine.catalogue.verify.base import Check, Source, compare
from engine.diagnosis.traces.reading import ForeignAnswer
from engine.measures.answer_match import contains


def checks(answer: ForeignAnswer, source: Source) -> Iterator[Check]:
    """Yield whether it is right, ETC's numbers over its tokens, and FLARE's probabilities and triggers."""
    text = answer.generation.text
    yield compare("foreign.right", answer.right, lambda: contains(text, source.golds) if source.golds else None)
    if answer.trend is not None:
        yield from entropy_trend.checks(answer.trend, source, "foreign.trend")
    if answer.flare is not None:
        lane, tokens = answer.flare, answer.generation.tokens
        stored = tuple(signal.value for signal in lane.signals)
        yield compare(
            "foreign.flare.value",
            stored,
            lambda: [min(1.0, math.exp(tokens[signal.token].logprob)) for signal in lane.signals],
        )
        yield compare("foreign.flare.triggers", lane.triggers, timing.fired, lane.signals, lane.bar)
