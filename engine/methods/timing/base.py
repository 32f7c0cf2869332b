"""What retrieval-timing policies share: their settings, what each looks at, and what the loop and the trace record.

A policy is data (its word, what it compares with what) and two functions: ``before`` looks at the question before
anything is written, ``judge`` at text the model has written ahead. Both return signals; a signal that reaches the
policy's bar asks for a lookup, the first one in the text is the one that happens. The same signals serve the loop
(each policy writes its own answer) and the trace (all judge one answer), so that a bar can be moved afterwards.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from engine.backends.text.base import TextSpan
from engine.core.errors import CapabilityError
from engine.core.records import Generation, Hit, Interval, Prompt
from engine.core.settings import FiniteFloat, Positive
from engine.measures.attention_query import word_attention
from engine.methods.base import Backends, Case
from engine.methods.entropy_trend import Reach, TrendWord, query_before, tagged_words, tokens_at, with_attention
from engine.methods.quco_claims import CheckedSentence
from engine.methods.seper_records import Belief
from engine.methods.threshold import Threshold

Variant = Literal["paper", "code"]
Rule = Literal["magnitude at least", "magnitude above", "above", "below", "always"]
Reads = Literal["nothing", "probabilities", "entropies", "attention"]
After = Literal["sentence", "checked on", "all", "once", "schedule"]
# "answered" (it ended by itself) and "nothing more written" are endings of the first loop.
Ended = Literal["answered", "nothing more written", "concluded", "stopped", "out of tokens"]
# Why part of a continuation did not stay; "whole" where all did, "" in a record of the first loop.
Kept = Literal["", "whole", "trigger", "one sentence", "concluded", "another question", "nothing"]
LOOP_VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingConfig:
    """How the policies run. ``policies`` names whose loops run ((): the trace alone, which costs one answer).

    A run looks up at most ``most_retrievals`` times ``passages`` passages and keeps at most ``most_tokens`` tokens
    (None: the profile's step-by-step length). ``variant`` "code" follows the released programs of ETC, DRAGIN and
    DRAGIN's re-implementation of FLARE. Thresholds are the papers': ``alpha`` ETC's and ``dragin_threshold`` RIND's in
    nats, ``flare_probability`` and ``flare_mask`` FLARE's θ and β, ``flare_doubt`` its re-implementation's,
    ``gate_entropy`` SUGAR's table III on TriviaQA in nats. ``cooccurrence_window`` and ``cooccurrence_share`` are
    QuCo-RAG's windows (``QucoConfig``). ``staircase`` measures SePer before and after every retrieval, which samples.
    ``query_words`` is the most an attention query holds (None: the profile's). ``most_total`` ends a run once so many
    tokens were read and written for it in all, checks included (None: no such limit). ``retriever`` finds the passages;
    "" is the run's own, "bm25" the papers'. ``fitted`` names the policies whose threshold is calibration's.
    """

    variant: Variant = "paper"
    policies: tuple[str, ...] = ("never", "once", "entropy_trend", "dragin", "flare")
    passages: Positive = 3
    most_retrievals: Annotated[int, Field(ge=0)] = 3
    most_tokens: Positive | None = None
    most_total: Positive | None = None
    retriever: Literal["", "bm25", "hybrid", "vector", "reranked"] = ""
    alpha: FiniteFloat = 1.0
    dragin_threshold: FiniteFloat = 1.0
    flare_probability: FiniteFloat = 0.8
    flare_mask: FiniteFloat = 0.4
    flare_doubt: FiniteFloat = 0.1
    gate_entropy: FiniteFloat = 0.55
    cooccurrence_threshold: int = 1
    cooccurrence_window: int = 1000
    cooccurrence_share: Annotated[float, Field(ge=0, le=1)] | None = None
    fixed_length: Positive = 32
    query_words: Positive | None = None
    staircase: bool = False
    fitted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyThreshold:
    """What a policy's values are compared with, and how; ``threshold`` None and "always" for a schedule."""

    rule: Rule
    threshold: float | None
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """What a policy sees at one place of a text, and what it would look up there.

    It stands on characters [start, end); ``token`` counts the tokens before it: a word's first token, a sentence's
    last, 0 for the moment before anything is written. ``cut`` is how much of the text stays if it fires. ``value`` is
    compared with the bar; None is not measured, or a schedule, which has no number. ``text`` is what it judges.
    """

    token: int
    start: int
    end: int
    cut: int
    text: str
    value: float | None
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyTrace:
    """One policy's judgement of the answer from memory: ``triggers`` are the places in ``signals`` that fire.

    ``delay`` is its first trigger minus ETC's in tokens (positive = later), None where one of them never fires.
    """

    policy: str
    bar: PolicyThreshold
    signals: tuple[Signal, ...]
    triggers: tuple[int, ...]
    delay: int | None = None
    not_measured: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """One lookup of a run: after ``characters`` and ``tokens`` of its answer, with this query.

    ``failed`` says why nothing was found (no corpus, an empty query, no passage), "" where ``hits`` hold something.
    ``value`` is what made the policy ask, None for a schedule.
    """

    characters: int
    tokens: int
    value: float | None
    query: str
    hits: tuple[Hit, ...]
    failed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """One continuation of a run and how much of it stayed: characters [0, kept), and why the rest did not.

    ``over`` numbers the retrieval whose passages stood in its prompt, None where there were none. ``lookup`` numbers
    the retrieval it led to. ``judged`` are the policy's signals that are stronger than all before them, up to the one
    that fired: at any threshold the first of them that reaches it is the first that fires (``ladder``).
    """

    generation: Generation
    kept: int
    over: int | None
    why: Kept = ""
    lookup: int | None = None
    judged: tuple[Signal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BeliefStep:
    """Belief in the correct answer after the first ``retrieval`` retrievals of a run (0 = before any): SePer in [0, 1].

    ``gain`` is what the last of them added, in [-1, 1], and ``gain_interval`` its 95 % interval over redraws; both None
    on the first stair. ``worth`` "within noise" suggests a redundant retrieval; "unclear" is never stored
    (``staircase.agreed_steps``).
    """

    retrieval: int
    passages: int
    belief: Belief
    soft: float
    soft_interval: Interval | None
    gain: float | None = None
    gain_interval: Interval | None = None
    worth: Literal["helped", "harmed", "within noise", "unclear"] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRun:
    """A policy's own loop: the answer it wrote, and what that took.

    ``answer`` is what follows "the answer is"; where the text never gets there, what the model says after that phrase
    when it is put behind it (``forced``). ``right``: whether it holds a correct answer, None without one.
    ``tokens_kept`` are in the text, ``tokens_written`` were decoded for it in all, ``prompt_tokens`` read; both hold
    ``checks_written`` and ``checks_read``, what the policy's own checks took (samples; attention is read once more).
    ``used_up``: it would have looked up more often than allowed. ``opening``: what the policy saw before writing.
    ``stair_note`` says why there is no staircase. ``claims`` are the facts its text states, with what the corpus holds
    for each (QuCo-RAG's count); None where nothing was counted, as in an earlier record.

    ``loop_version`` 1 is the first loop: it took a text for finished after one sentence over passages, counted no
    checks, forced nothing, and judged the whole text where there was no conclusion.
    """

    policy: str
    text: str
    answer: str
    right: bool | None
    ended: Ended
    used_up: bool
    retrievals: tuple[Retrieval, ...]
    written: tuple[Continuation, ...]
    tokens_kept: int
    tokens_written: int
    prompt_tokens: int
    stairs: tuple[BeliefStep, ...] = ()
    stair_note: str = ""
    not_measured: str = ""
    forced: Generation | None = None
    checks_read: int = 0
    checks_written: int = 0
    opening: tuple[Signal, ...] = ()
    loop_version: int = 1
    claims: tuple[CheckedSentence, ...] | None = None


@dataclass(slots=True)
class Checks:
    """How many tokens a policy's own checks have read and written so far."""

    read: int = 0
    written: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyContext:
    """What a policy may use: the case, the settings and the backends.

    ``checks`` counts what its checks take; ``samples`` are the gate's, once they are drawn.
    """

    case: Case
    config: TimingConfig
    backends: Backends
    checks: Checks = field(default_factory=Checks)
    samples: list[Generation] = field(default_factory=list)

    @property
    def query_words(self) -> int:
        """The most words that a query by attention takes."""
        return self.config.query_words or self.case.profile.query_words


# What a generation's fields are where its text is read alone.
NO_PROMPT: dict[str, Any] = {
    "prompt": Prompt(text="", chat=False),
    "rendered": "",
    "prompt_tokens": 0,
    "stop_token": None,
    "max_tokens": None,
    "stop": None,
    "seal": "",
}


class DraftView:
    """Text written ahead after ``kept``, with what policies read in it; each is computed once, when first asked for."""

    def __init__(self, scene: PolicyContext, kept: str, generation: Generation) -> None:
        """Hold the text; nothing is computed yet."""
        self.scene, self.kept, self.generation = scene, kept, generation

    @cached_property
    def sentences(self) -> tuple[TextSpan, ...]:
        """The sentences of the text written ahead."""
        return self.scene.backends.text.sentences(self.generation.text)

    @cached_property
    def words(self) -> tuple[TrendWord, ...]:
        """Its words with their largest token entropy, and, where the model gives attention, ETC's query at each.

        Raises CapabilityError where the model does not give its whole distribution.
        """
        if not self.scene.backends.writer.capabilities.full_distribution:
            raise CapabilityError("It needs the model's whole next-token distribution, which this model does not give.")
        return tagged_words(self.generation, self.scene.backends.text)

    @cached_property
    def attended_words(self) -> tuple[TrendWord, ...]:
        """The words with the most attention each pays and the query it would send; without, where there is none."""
        if not self.words or not self.scene.backends.writer.capabilities.attentions:
            return self.words
        return with_attention(self.words, self.reach, self.scene.query_words)

    @cached_property
    def attention(self) -> np.ndarray:
        """Last-layer attention of its tokens over the whole sequence; raises CapabilityError where there is none."""
        return self.attention_of(self.generation)

    def attention_of(self, generation: Generation) -> np.ndarray:
        """Return last-layer attention of a generation; raises CapabilityError where the model gives none."""
        if not self.scene.backends.writer.capabilities.attentions:
            raise CapabilityError("It reads attention, which this model does not give.")
        self.scene.checks.read += generation.prompt_tokens + len(generation.tokens)
        return self.scene.backends.writer.attention(generation)

    @cached_property
    def received(self) -> np.ndarray:
        """The most attention each of its tokens receives when the model reads this text alone: [tokens].

        DRAGIN's RIND leaves the prompt out, and so the token with which some models begin every text; the mean over
        heads comes before the maximum here, the other way round in its released code.
        """
        weights = self.attention_of(replace(self.generation, **NO_PROMPT))
        return np.asarray(weights[:, -len(self.generation.tokens) :].max(axis=0))

    @cached_property
    def reach(self) -> Reach:
        """Attention from its words to the question's, to those of the text kept so far, and to each other."""
        own = [range(word.first_token, word.last_token + 1) for word in self.words]
        texts, content, columns = self._asked
        columns = [*columns, *(shifted(tokens, self.generation.prompt_tokens) for tokens in own)]
        return Reach(
            attention=word_attention(self.attention, own, columns),
            texts=(*texts, *(word.text for word in self.words)),
            is_content=(*content, *(word.is_content for word in self.words)),
            question_words=len(texts),
        )

    def query_by(self, attention: np.ndarray, word: int) -> str:
        """Return the content words before ``word`` that get most of this attention [prompt + generated tokens]."""
        own = [range(w.first_token, w.last_token + 1) for w in self.words[:word]]
        columns = [*self._asked[2], *(shifted(tokens, self.generation.prompt_tokens) for tokens in own)]
        paid = np.array([attention[tokens.start : tokens.stop].sum() for tokens in columns])
        return query_before(word, paid, self.reach, self.scene.query_words)

    @cached_property
    def _asked(self) -> tuple[tuple[str, ...], tuple[bool, ...], list[range]]:
        """Words of the question and of the kept text that end the prompt: texts, whether content, their tokens."""
        rendered, tools = self.generation.rendered, self.scene.backends.text
        spans = self.scene.backends.writer.prompt_spans(self.generation)
        body = len(rendered) - len(self.kept)
        question = self.scene.case.question
        tagged = []
        for text, place in ((question, rendered[:body].rfind(question)), (self.kept, body)):
            tagged += [(place, tag) for tag in tools.words(text)] if place >= 0 and text else []
        return (
            tuple(tag.text for _, tag in tagged),
            tuple(tag.is_content for _, tag in tagged),
            [tokens_at(spans, place + tag.start, place + tag.end) for place, tag in tagged],
        )


def shifted(tokens: range, by: int) -> range:
    """Return a range moved by a number.

    >>> shifted(range(0, 2), 3)
    range(3, 5)
    """
    return range(tokens.start + by, tokens.stop + by)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A way to decide when to look something up, and how the text goes on after a lookup.

    A value asks for a lookup where it stands to the ``threshold`` as ``rule`` says (``rule_code`` in variant "code"); a
    schedule has none and always asks. ``summary`` is what the policy looks at, as a short question.

    ``after`` says what becomes of the text written over the passages found. "sentence": its first sentence stays
    unchecked, the rest is rewritten without them. "checked on": the same, but the rest is checked where it stands.
    "all": everything stays, and what follows is written without them. "once": everything stays, and so do the
    passages. "schedule": it is checked like any other text, and the passages stay until the next lookup.
    ``after_code`` is set where the released code differs. ``piece`` is how many tokens are written ahead at a
    time, None for as many as are left. ``reads`` is what it needs of the model beside the text; ``ablates`` names the
    policy of which this one is an ablation, "" for none.
    """

    word: str
    title: str
    summary: str
    paper: str
    after: After
    threshold: Threshold | None = None
    rule: Rule = "always"
    rule_code: Rule | None = None
    before: Callable[[PolicyContext], tuple[Signal, ...]] = lambda scene: ()
    judge: Callable[[DraftView], tuple[Signal, ...]] = lambda look: ()
    after_code: After | None = None
    piece: Callable[[TimingConfig], int | None] = lambda config: None
    reads: Reads = "nothing"
    ablates: str = ""

    def afterwards(self, variant: Variant) -> After:
        """Return what becomes of text written over passages in this variant."""
        return self.after_code if variant == "code" and self.after_code else self.after

    def bar(self, config: TimingConfig) -> PolicyThreshold:
        """Return what values are compared with under these settings, and how."""
        if self.threshold is None:
            return PolicyThreshold(rule="always", threshold=None, unit="")
        code = config.variant == "code"
        value = float(getattr(config, self.threshold.field_of("timing", config.variant)))
        unit = self.threshold.code_unit if code and self.threshold.code_unit else self.threshold.unit
        return PolicyThreshold(
            rule=self.rule_code if code and self.rule_code else self.rule, threshold=value, unit=unit
        )


def at_the_start(scene: PolicyContext, value: float | None = None) -> Signal:
    """Return the signal of a policy that looks before the first word and would look up the question."""
    return Signal(token=0, start=0, end=0, cut=0, text="", value=value, query=scene.case.question)


def before_writing(scene: PolicyContext) -> tuple[Signal, ...]:
    """Return the lookup of the question before anything is written."""
    return (at_the_start(scene),)


def reaches(value: float | None, bar: PolicyThreshold) -> bool:
    """Return whether a value asks for a lookup; a value that was not measured never does, a schedule always.

    >>> reaches(-1.0, PolicyThreshold(rule="magnitude at least", threshold=1.0, unit="nats"))
    True
    >>> reaches(1.0, PolicyThreshold(rule="above", threshold=1.0, unit="nats"))
    False
    """
    if bar.rule == "always":
        return True
    if value is None or bar.threshold is None:
        return False
    if bar.rule == "below":
        return value < bar.threshold
    compared = abs(value) if bar.rule.startswith("magnitude") else value
    return compared >= bar.threshold if bar.rule == "magnitude at least" else compared > bar.threshold


def fired(signals: Sequence[Signal], bar: PolicyThreshold) -> tuple[int, ...]:
    """Return which signals reach the bar, in the order of the text."""
    return tuple(place for place, signal in enumerate(signals) if reaches(signal.value, bar))


def strength(value: float, bar: PolicyThreshold) -> float:
    """Return how strongly a value asks for a lookup under a rule: higher = sooner.

    >>> strength(-2.0, PolicyThreshold(rule="magnitude at least", threshold=1.0, unit="nats"))
    2.0
    >>> strength(0.2, PolicyThreshold(rule="below", threshold=0.8, unit="probability"))
    -0.2
    """
    if bar.rule == "below":
        return -value
    return abs(value) if bar.rule.startswith("magnitude") else value


def ladder(signals: Sequence[Signal], bar: PolicyThreshold) -> tuple[Signal, ...]:
    """Return the signals that are stronger than all before them, in order; () for a schedule, which compares nothing.

    At any threshold the first of these that reaches it is the first of all signals that does.
    """
    steps: list[Signal] = []
    highest = -math.inf
    for signal in signals if bar.rule != "always" else ():
        if signal.value is not None and strength(signal.value, bar) > highest:
            highest = strength(signal.value, bar)
            steps.append(signal)
    return tuple(steps)
