"""ETC: where in an answer does the trend of uncertainty turn, so that something should be looked up?

Entropy-Trend Constraint (ETC, section 3, eq. 3-12) on a closed-book step-by-step answer: word entropies, content words,
second differences, smoothing, threshold α; the query is DRAGIN's, from last-layer attention.

Where a server gives only the likeliest tokens, entropies are intervals, and so is what is compared with α: a trigger is
one that fires wherever in its interval the value lies, and a value that may or may not reach α is undecided.
"""

import math
import re
import string
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from engine.backends.text.base import TaggedWord, TextTools
from engine.core.errors import CapabilityError
from engine.core.progress import Stage
from engine.core.records import Generation, ThresholdSource, Token, middle_entropy
from engine.core.words import shown
from engine.measures.attention_query import attention_query, word_attention
from engine.measures.entropy_trend import (
    attention_weighted,
    first_differences,
    second_difference_bounds,
    second_differences,
    smooth,
    smoothed_bounds,
    triggers,
)
from engine.methods.base import Backends, Case, source_of, with_numbers
from engine.methods.conclusion import final_answer as final_answer
from engine.methods.cost import Load, Plan
from engine.methods.descriptor import Method
from engine.methods.reach import trend_reach
from engine.methods.step_by_step import step_by_step_foreseen, step_by_step_load, step_by_step_request
from engine.methods.threshold import Threshold

PAPER_ALPHA = 1.0
# A word ends at punctuation, also at that of a number.
NUMBER, WITHIN_NUMBER = re.compile(r"\d+(?:[.,]\d+)+"), re.compile(r"\d[.,]\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyTrendConfig:
    """How ETC runs. ``alpha`` is the trigger threshold in nats (paper: 1.0).

    ``query_words`` is the most a query holds (None: the profile's; paper: 25 on 2WikiMultihopQA, 35 on the others).
    ``fitted``: the threshold is calibration's, not the paper's.
    """

    variant: Literal["paper", "code"] = "paper"
    alpha: float = PAPER_ALPHA
    query_words: int | None = None
    fitted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendWord:
    """One word of the answer: tokens [first_token, last_token], the largest entropy among them (nats), its tag.

    ``max_attention`` is the most attention it pays to any generated word up to itself; ``query`` is what would be
    looked up if retrieval started here. ``sentence`` counts from 0. ``entropy_high`` is the most the entropy can be
    where it is known within bounds, ``entropy`` then the least; None = exact.
    """

    text: str
    start: int
    end: int
    first_token: int
    last_token: int
    entropy: float
    pos: str
    is_content: bool
    sentence: int
    max_attention: float | None
    query: str
    entropy_high: float | None = None

    @property
    def entropy_middle(self) -> float:
        """The middle of what the entropy can be, in nats; the entropy itself where it is exact."""
        return middle_entropy(self.entropy, self.entropy_high)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendPoint:
    """Δ²H, its smoothing, and the value compared with α, all placed at the last word involved. Signed, nats.

    ``first_difference`` is ΔH at that word. ``smoothed`` is None where released code has NaN. ``value`` equals
    ``smoothed`` in the paper variant and is weighted by attention in the code variant. Where entropies are known within
    bounds, the differences are of their middles, and ``low`` and ``high`` are what ``value`` can be; None = exact.
    """

    word: int
    first_difference: float
    second_difference: float
    smoothed: float | None
    value: float | None
    low: float | None = None
    high: float | None = None

    def nearest_value(self, mode: Literal["abs", "signed"]) -> float | None:
        """What fires only if every value in the interval does: its end nearest to 0, 0 where 0 is inside."""
        if self.low is None or self.high is None or self.value is None:
            return self.value
        return self.low if mode == "signed" else max(self.low, 0.0) + min(self.high, 0.0)

    def farthest_value(self, mode: Literal["abs", "signed"]) -> float | None:
        """What fires as soon as any value in the interval does: its end farthest from 0."""
        if self.low is None or self.high is None or self.value is None:
            return self.value
        return self.high if mode == "signed" or self.high >= -self.low else self.low


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """What says "look it up now": before writing ``word``. ``kept`` is the text that stays."""

    word: int
    value: float
    kept: str
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyTrendResult:
    """The closed-book step-by-step answer, its entropies and where ETC would look something up.

    Only the first trigger would happen: after it the text would be rewritten. ``mode`` "abs" compares |value| >= α
    (paper), "signed" value > α (released code). Where entropies are known within bounds, ``triggers`` are those that
    fire in any case; ``undecided_words`` tells which may.
    """

    method: Literal["entropy_trend"] = "entropy_trend"
    variant: Literal["paper", "code"]
    mode: Literal["abs", "signed"]
    alpha: float
    alpha_source: ThresholdSource
    generation: Generation
    answer: str
    words: tuple[TrendWord, ...]
    points: tuple[TrendPoint, ...]
    triggers: tuple[Trigger, ...]
    not_measured: str = ""


MODES: dict[str, Literal["abs", "signed"]] = {"paper": "abs", "code": "signed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How each word of the answer attends: to the question's words, then to the answer's own words.

    ``attention`` [answer words, question words + answer words]; ``texts`` and ``is_content`` name the columns.
    """

    attention: np.ndarray
    texts: tuple[str, ...]
    is_content: tuple[bool, ...]
    question_words: int


def run(case: Case, config: EntropyTrendConfig, backends: Backends) -> EntropyTrendResult:
    """Return the step-by-step answer with its entropy trend and triggers.

    Raises CapabilityError where the model gives neither its whole distribution nor its likeliest tokens, or, for the
    "code" variant, attentions.
    """
    able = backends.writer.capabilities
    if not able.full_distribution and not able.continued_top:
        raise CapabilityError("ETC needs the model's whole next-token distribution, which this model does not give.")
    if config.variant == "code" and not able.attentions:
        raise CapabilityError("ETC as released weighs by attention, which this model does not give.")
    top = config.query_words or case.profile.query_words
    backends.report(Stage(method="entropy_trend", name="answering step by step", total=case.profile.step_tokens))
    request = step_by_step_request(case.question, case.profile)
    (generation,) = with_numbers(backends.writer.generate([request], backends.report), backends.writer)
    words = tagged_words(generation, backends.text)
    if able.attentions and words:
        backends.report(Stage(method="entropy_trend", name="reading attention", total=1))
        reach = word_reach(case.question, generation, words, backends)
        words = with_attention(words, reach, top)
    else:
        reach = None
    return build_result(generation, words, reach, replace(config, query_words=top))


def build_result(
    generation: Generation, words: tuple[TrendWord, ...], reach: Reach | None, config: EntropyTrendConfig
) -> EntropyTrendResult:
    """Return the result record of an answer's words: the trend, and the triggers with their queries."""
    points = trend_points(words, config.variant)
    fired = fired_points(points, config)
    return EntropyTrendResult(
        variant=config.variant,
        mode=MODES[config.variant],
        alpha=config.alpha,
        alpha_source=source_of(config.alpha == PAPER_ALPHA, config.fitted),
        generation=generation,
        answer=final_answer(generation.text),
        words=words,
        points=points,
        triggers=tuple(build_trigger(point, fired, words, generation.text, reach, config) for point in fired),
        not_measured="" if points else why_no_trend(words),
    )


def why_no_trend(words: Sequence[TrendWord]) -> str:
    """Return why there is no second difference: too few content words, or ties that the released code leaves out."""
    if sum(word.is_content for word in words) < 3:
        return "The answer has fewer than three content words, so no trend can be drawn."
    return "Every content word is as uncertain as the one before; the released code cannot tell that from no value."


def token_words(generation: Generation) -> list[range]:
    """Return the tokens of each word, as ranges; the released code's rule.

    A word begins with the first token, with a token that begins with white space, at punctuation, and after it.
    White space alone is no word.
    """
    tokens = generation.tokens
    starts = [i for i, token in enumerate(tokens) if i == 0 or begins_word(token, tokens[i - 1])]
    ranges = [range(start, end) for start, end in pairwise([*starts, len(tokens)])]
    return [r for r in ranges if "".join(tokens[i].text for i in r).strip()]


def begins_word(token: Token, before: Token) -> bool:
    """Return whether a token starts a new word after the token before it.

    A space before half a character shows as a space alone (" م" is written in two tokens): the rest of the character
    belongs to it.
    """
    goes_on = not token.text or not token.text[0].isascii()
    if before.text.isspace() and "\n" not in before.text and goes_on:
        return False
    return token.text[:1].isspace() or is_break(token.text) or is_break(before.text)


def is_break(text: str) -> bool:
    """Return whether a token is only punctuation or white space; an empty one (half a character) is not."""
    return bool(text) and not text.strip(string.punctuation + string.whitespace)


def tagged_words(generation: Generation, tools: TextTools) -> tuple[TrendWord, ...]:
    """Return the answer's words with their entropy (the largest of their tokens) and part of speech."""
    tags = tools.words(generation.text)
    sentences = tools.sentences(generation.text)
    words = []
    for tokens in token_words(generation):
        start, end = generation.tokens[tokens[0]].start, generation.tokens[tokens[-1]].end
        raw = generation.text[start:end]
        start += len(raw) - len(raw.lstrip())
        end -= len(raw) - len(raw.rstrip())
        tag = best_tag(tags, start, end)
        words.append(
            TrendWord(
                text=generation.text[start:end],
                start=start,
                end=end,
                first_token=tokens[0],
                last_token=tokens[-1],
                entropy=max(generation.tokens[i].entropy for i in tokens),
                entropy_high=highest_entropy([generation.tokens[i] for i in tokens]),
                pos=tag.pos if tag else "X",
                is_content=bool(tag and tag.is_content),
                sentence=max(0, sum(span.start <= start for span in sentences) - 1),
                max_attention=None,
                query="",
            )
        )
    return tuple(words)


def highest_entropy(tokens: Sequence[Token]) -> float | None:
    """Return the most the largest entropy of a word's tokens can be, in nats; None where all are exact."""
    if all(token.entropy_high is None for token in tokens):
        return None
    return max(token.entropy if token.entropy_high is None else token.entropy_high for token in tokens)


def best_tag(tags: Sequence[TaggedWord], start: int, end: int) -> TaggedWord | None:
    """Return the tag of the parser's word at [start, end): a content word if one overlaps, else the first."""
    touching = [tag for tag in tags if tag.start < end and start < tag.end]
    return next((tag for tag in touching if tag.is_content), touching[0] if touching else None)


def word_reach(question: str, generation: Generation, words: Sequence[TrendWord], backends: Backends) -> Reach:
    """Return last-layer attention from the answer's words to the question's and to each other."""
    spans = backends.writer.prompt_spans(generation)
    asked = generation.rendered.rindex(question) if question in generation.rendered else len(generation.rendered)
    question_tags = backends.text.words(question)
    columns = [tokens_at(spans, asked + tag.start, asked + tag.end) for tag in question_tags]
    own = [range(word.first_token, word.last_token + 1) for word in words]
    columns += [range(generation.prompt_tokens + r.start, generation.prompt_tokens + r.stop) for r in own]
    return Reach(
        attention=word_attention(backends.writer.attention(generation), own, columns),
        texts=tuple([tag.text for tag in question_tags] + [word.text for word in words]),
        is_content=tuple([tag.is_content for tag in question_tags] + [word.is_content for word in words]),
        question_words=len(question_tags),
    )


def tokens_at(spans: Sequence[tuple[int, int]], start: int, end: int) -> range:
    """Return the tokens that overlap characters [start, end), empty where none does."""
    touching = [i for i, (first, last) in enumerate(spans) if first < end and start < last]
    return range(touching[0], touching[-1] + 1) if touching else range(0)


def with_attention(words: Sequence[TrendWord], reach: Reach, top: int) -> tuple[TrendWord, ...]:
    """Return the words with the most attention each pays to an answer word, and the query it would send."""
    return tuple(
        replace(
            word,
            max_attention=float(reach.attention[index, reach.question_words :].max()),
            query=query_before(index, reach.attention[index], reach, top),
        )
        for index, word in enumerate(words)
    )


def query_before(word: int, attention: np.ndarray, reach: Reach, top: int) -> str:
    """Return the query from the question and the text before ``word``, by this attention over all columns."""
    before = reach.question_words + word
    return attention_query(reach.texts[:before], attention[:before], reach.is_content[:before], top)


def trend_points(words: Sequence[TrendWord], variant: Literal["paper", "code"]) -> tuple[TrendPoint, ...]:
    """Return Δ²H, its smoothing and the compared value at each content word from the third on."""
    entropies = [word.entropy_middle for word in words]
    content = [word.is_content for word in words]
    if not words:
        return ()
    placed = second_differences(entropies, content, variant)
    first = dict(first_differences(entropies, content))
    smoothed = smooth([value for _, value in placed], variant) if placed else np.zeros(0)
    values = smoothed
    if variant == "code" and placed:
        attention = [word.max_attention or 0.0 for word in words]
        values = attention_weighted(smoothed, [i for i, _ in placed], attention, [word.sentence for word in words])
    bounds = value_bounds(words)
    return tuple(
        TrendPoint(
            word=index,
            first_difference=first[index],
            second_difference=second,
            smoothed=None if math.isnan(smooth_value) else float(smooth_value),
            value=None if math.isnan(value) else float(value),
            low=bounds[index][0] if index in bounds else None,
            high=bounds[index][1] if index in bounds else None,
        )
        for (index, second), smooth_value, value in zip(placed, smoothed, values, strict=True)
    )


def value_bounds(words: Sequence[TrendWord]) -> dict[int, tuple[float, float]]:
    """Return word -> the least and the most its smoothed Δ²H can be; empty where all entropies are exact."""
    if all(word.entropy_high is None for word in words):
        return {}
    low = [word.entropy for word in words]
    high = [word.entropy if word.entropy_high is None else word.entropy_high for word in words]
    placed = second_difference_bounds(low, high, [word.is_content for word in words])
    if not placed:
        return {}
    smoothed = smoothed_bounds([least for _, least, _ in placed], [most for _, _, most in placed])
    return {index: bounds for (index, _, _), bounds in zip(placed, smoothed, strict=True)}


def word_name(result: EntropyTrendResult, index: int) -> str:
    """Return a word without the punctuation that hangs on it; a word of nothing else as it is."""
    text = shown(result.words[index].text)
    return text.strip('.,;:!?()"“”') or text


def named_word(result: EntropyTrendResult, index: int) -> str:
    """Return what a sentence calls a word: the whole number where it begins one, as "1" begins "1,230"."""
    text, start = result.generation.text, result.words[index].start
    inside = start >= 2 and WITHIN_NUMBER.fullmatch(text, start - 2, start + 1) is not None
    found = NUMBER.match(text, start)
    return word_name(result, index) if inside or found is None else found.group()


def undecided_words(result: EntropyTrendResult, alpha: float) -> tuple[int, ...]:
    """Return the words at which the value may or may not reach an α (nats): what the server shows cannot tell."""
    strict = result.mode == "signed"
    known = [point for point in result.points if point.low is not None and point.high is not None]
    surest = [math.nan if (value := point.nearest_value(result.mode)) is None else value for point in known]
    farthest = [math.nan if (value := point.farthest_value(result.mode)) is None else value for point in known]
    fires = triggers(surest, alpha, mode=result.mode, strict=strict) if known else ()
    may_fire = triggers(farthest, alpha, mode=result.mode, strict=strict) if known else ()
    return tuple(
        point.word for point, sure, possible in zip(known, fires, may_fire, strict=True) if possible and not sure
    )


def fired_points(points: Sequence[TrendPoint], config: EntropyTrendConfig) -> tuple[TrendPoint, ...]:
    """Return the points that reach α in any case: |value| >= α in the paper, value > α in the released code."""
    mode = MODES[config.variant]
    values = [math.nan if (value := point.nearest_value(mode)) is None else value for point in points]
    fired = triggers(values, config.alpha, mode=mode, strict=config.variant == "code")
    return tuple(point for point, hit in zip(points, fired, strict=True) if hit)


def build_trigger(
    point: TrendPoint,
    fired: Sequence[TrendPoint],
    words: Sequence[TrendWord],
    text: str,
    reach: Reach | None,
    config: EntropyTrendConfig,
) -> Trigger:
    """Return a trigger with the text it keeps and its query.

    The released code sums the attention of every triggered word from here to the end of the sentence; the paper
    variant takes this word's own.
    """
    word = words[point.word]
    query = word.query
    if config.variant == "code" and reach is not None:
        rows = [p.word for p in fired if p.word >= point.word and words[p.word].sentence == word.sentence]
        query = query_before(point.word, reach.attention[rows].sum(axis=0), reach, config.query_words or len(words))
    value = point.nearest_value(MODES[config.variant])
    return Trigger(word=point.word, value=value or 0.0, kept=text[: word.start], query=query)


def load(_config: EntropyTrendConfig, plan: Plan) -> Load:
    """Return ETC's load: one step-by-step answer without passages, read once more for its attentions."""
    return step_by_step_load(plan)


def fits(result: EntropyTrendResult) -> bool:
    """Return whether words name tokens, and points and triggers name words, that are there."""
    words, tokens = len(result.words), len(result.generation.tokens)
    spans = all(0 <= word.first_token <= word.last_token < tokens for word in result.words)
    named = [point.word for point in result.points] + [trigger.word for trigger in result.triggers]
    return spans and all(0 <= word < words for word in named)


def settings_of(result: EntropyTrendResult) -> EntropyTrendConfig:
    """Return ETC's settings that its result names."""
    fitted = result.alpha_source == "fitted"
    return EntropyTrendConfig(variant=result.variant, alpha=result.alpha, fitted=fitted)


def headlines(result: EntropyTrendResult) -> tuple[str, ...]:
    """Return the value at the first trigger, else the one furthest from 0, and α."""
    values = [(abs(point.value), place) for place, point in enumerate(result.points) if point.value is not None]
    if result.triggers:
        words = {point.word: place for place, point in enumerate(result.points)}
        place = words.get(result.triggers[0].word, 0)
        parts = (f"points.{place}.second_difference", f"points.{place}.smoothed")
        # In the paper's variant the smoothed value is what is compared, and at the first point so is the raw one.
        return ("triggers.0.value", "alpha", *(parts if result.variant == "code" else parts[:1] if place else ()))
    return (f"points.{max(values)[1]}.value", "alpha") if values else ("alpha",)


ALPHA = Threshold(
    word="alpha",
    title="α of ETC",
    unit="nats",
    decides="Where the smoothed trend of entropy reaches it, ETC looks something up.",
    paper="ETC, section 3.2 and table 7",
    group="While writing",
    fields=(("entropy_trend", "alpha"), ("timing", "alpha")),
    stored=("entropy_trend.alpha",),
    compared=("entropy_trend.points.*.value",),
    unmeasured="ETC was not measured in this run, so nothing is compared with α.",
    policy="entropy_trend",
    fitted=True,
    top=2.0,
)
METHOD = Method(
    word="entropy_trend",
    title="ETC",
    question="Where, while answering from memory, should it have looked something up?",
    paper="ETC, section 3",
    icon="show_chart",
    config=EntropyTrendConfig,
    result=EntropyTrendResult,
    run=run,
    foresees=step_by_step_foreseen,
    needs=trend_reach,
    load=load,
    fits=fits,
    settings=settings_of,
    thresholds=(ALPHA,),
    headlines=headlines,
)
