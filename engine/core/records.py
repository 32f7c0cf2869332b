"""Records that more than one folder shares. Facts only: drawing is ``viz``, storing is ``runs``.

All are frozen, hold tuples instead of lists and no arrays. Offsets are characters, half-open. Log-probabilities and
entropies are nats, computed from raw logits in float32 before any temperature.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from engine.core.errors import NotMeasured

# The version of run records and requests; ``engine.diagnosis.migrations`` has a step from each older one.
SCHEMA_VERSION = 3

# Where a threshold comes from: the method's paper, ``microscope calibrate`` on this model, or a person's hand.
ThresholdSource = Literal["paper", "fitted", "chosen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text of a corpus, before it is cut into passages. ``source`` names the file it came from, or "pasted".

    ``row`` is its place in a table or JSON file, from 1; 0 = the file is one text. Where it stands is no part of it.
    """

    document_id: str
    title: str
    text: str
    source: str = ""
    row: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """What became of one file of a corpus: read or skipped, what it gave, and notes on why or on what was left out."""

    name: str
    read: bool
    documents: int = 0
    questions: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a document as the model reads it. ``start``/``end`` locate it in the document's text."""

    text: str
    title: str = ""
    document_id: str = ""
    start: int = 0
    end: int = 0
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A retrieved passage: rank from 1, and the retriever's score (higher = better; NaN where passages were given)."""

    passage: Passage
    rank: int
    score: float
    retriever: str


def middle_entropy(low: float, high: float | None) -> float:
    """Return the middle of what an entropy can be, in nats; ``high`` None: it is exact, and ``low`` is its value.

    >>> middle_entropy(0.5, 1.5), middle_entropy(0.5, None)
    (1.0, 0.5)
    """
    return low if high is None else (low + high) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One generated token: characters [start, end) of the text, log-probability of it and entropy of its distribution.

    ``entropy`` in nats, in [0, ln |V|]; higher = the model was less sure what to write here. Where a server gives only
    the likeliest tokens it is known within bounds: then ``entropy`` is the least it can be and ``entropy_high`` the
    most; None = exact. ``id`` -1 = unknown. NaN = the server gives no probabilities.
    """

    id: int
    text: str
    start: int
    end: int
    logprob: float
    entropy: float
    entropy_high: float | None = None

    @property
    def entropy_middle(self) -> float:
        """The middle of what the entropy can be, in nats; the entropy itself where it is exact."""
        return middle_entropy(self.entropy, self.entropy_high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The input of a language model. ``chat``: one user turn in the model's template; else ``text`` is continued."""

    text: str
    chat: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAnswer:
    """An answer whose words are no correct one's, and P(entailment) of the likeliest correct one, in [0, 1]."""

    text: str
    meaning: float


def meaning_of(text: str, judged: Sequence[JudgedAnswer]) -> float | None:
    """Return how likely an answer means a correct one, None where the judge was not asked about it.

    >>> meaning_of(" 1889", (JudgedAnswer(text="1889", meaning=0.9),)), meaning_of("1890", ())
    (0.9, None)
    """
    return next((one.meaning for one in judged if one.text.strip() == text.strip()), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """A model's continuation of a prompt, token by token.

    ``rendered`` is the very string that was tokenised (after the chat template); over a server, which applies its own
    and does not show it, the text that was sent. ``stop_reason``: "end" (the model's end token), "stop string", or
    "length" (the text is cut off). ``tokens`` carry the text; ``stop_token`` is the one that ended it, so an empty
    answer still has a log-probability. ``max_tokens`` and ``stop`` are those of the request, None where they were not
    stored; ``seal`` is the hash of all this (``engine.core.seals``), "" in a record made before. ``kept``: the prompt
    was not read in full, but over what was read of another one (DENSE's quick reading).
    """

    prompt: Prompt
    rendered: str
    prompt_tokens: int
    text: str
    tokens: tuple[Token, ...]
    stop_reason: Literal["end", "stop string", "length"]
    temperature: float
    seed: int
    stop_token: Token | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] | None = None
    seal: str = ""
    kept: bool = False

    @property
    def mean_logprob(self) -> float:
        """Mean log-probability per token, in nats, at most 0 (higher = likelier); of an empty text, its stop token's.

        SePer's released code counts the same way: the end token only where nothing else was written. Raises NotMeasured
        for an empty text whose end has no probability, as some servers give none.
        """
        counted = self.tokens or ((self.stop_token,) if self.stop_token else ())
        if not counted:
            raise NotMeasured("The model wrote nothing, and its server does not say how likely that was.")
        return sum(token.logprob for token in counted) / len(counted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A judge's verdict on "premise entails hypothesis, given the question": three probabilities that sum to 1."""

    premise: str
    hypothesis: str
    contradiction: float
    neutral: float
    entailment: float

    @property
    def probabilities(self) -> tuple[float, float, float]:
        """The three probabilities in the order of the classes: contradiction, neutral, entailment."""
        return self.contradiction, self.neutral, self.entailment

    @property
    def label(self) -> Literal["contradiction", "neutral", "entailment"]:
        """The most probable class; a tie goes to the one named first."""
        best = max(self.probabilities)
        if self.contradiction == best:
            return "contradiction"
        return "neutral" if self.neutral == best else "entailment"


IntervalMethod = Literal["percentile", "imagined draw", "score", "exact", "joined", "t", "range"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A range for a value that rests on draws; ``level`` is what it is to hold, or the share of repeats inside.

    ``method``: "percentile" is the middle of resampled values or of repeats, which says how far they move. "range" is
    a guess from few or no repeats, such as half to double. The others are made to hold the true value in a share of
    ``level``: "imagined draw" of ``engine.measures.draw_intervals``; "score" of ``ranking`` for an AUROC, and Wilson's
    for a share; "exact" of ``share_intervals``; "t", Student's t on a standard error; "joined", of a sum or difference
    of values with intervals of their own (``draw_intervals.joined_interval``).

    >>> Interval(low=0.2, high=0.6).method
    'percentile'
    """

    low: float
    high: float
    level: float = 0.95
    method: IntervalMethod = "percentile"
