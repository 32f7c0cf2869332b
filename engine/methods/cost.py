"""What a method costs, counted before it runs: calls, samples, judged pairs and tokens, all "at most".

Token counts of texts that are not tokenised yet are characters / 4.
"""

import math
from dataclasses import dataclass

from engine.methods.profiles import Profile

CHARACTERS_PER_TOKEN = 4
TEMPLATE_TOKENS = 40
SENTENCE_TOKENS = 25
# A new token costs a pass of its own (about 50 ms alone, less in a batch), a prompt token shares one: design choice.
NEW_TOKEN_WORK = 40
METHOD_WORK = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What one part of a run needs of the models: counts, at most."""

    model_calls: int = 0
    samples: int = 0
    judge_pairs: int = 0
    prompt_tokens: int = 0
    new_tokens: int = 0

    @property
    def work(self) -> float:
        """The load as one number in prompt-token units, for comparing runs; higher = longer."""
        return METHOD_WORK + self.prompt_tokens + NEW_TOKEN_WORK * self.new_tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the counts depend on besides a method's settings.

    ``passages`` passages have ``passage_tokens`` in all. ``methods`` run together, and share what they can.
    ``quick``: DENSE reads quickly, so that its answers are no other method's.
    ``pasted``: the question came with its passages; ``searchable``: there are passages or a corpus to search.
    """

    profile: Profile
    passages: int
    passage_tokens: int
    question_tokens: int
    methods: tuple[str, ...] = ()
    golds: int = 0
    quick: bool = False
    pasted: bool = False
    searchable: bool = False

    @property
    def over_passages(self) -> int:
        """Tokens of a prompt with all passages and the question."""
        return self.passage_tokens + self.closed_book

    @property
    def closed_book(self) -> int:
        """Tokens of a prompt with the question alone."""
        return self.question_tokens + TEMPLATE_TOKENS


def tokens_of(text: str) -> int:
    """Return about how many tokens a text has: its characters / 4, rounded up.

    >>> tokens_of("Who rebuilt it?")
    4
    """
    return math.ceil(len(text) / CHARACTERS_PER_TOKEN)
