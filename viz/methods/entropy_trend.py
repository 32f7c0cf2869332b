"""The trend of entropy over an answer (ETC, section 3) in words and tables.

Every α is replayed on the stored values, so moving the threshold needs no model. What is behind the first trigger was
written without the retrieval that would happen there, so it needs a new run.
"""

import math
from dataclasses import dataclass

import pandas as pd

from engine.backends.entailment.base import states_answer
from engine.measures.entropy_trend import first_differences, smoothing_weights
from engine.measures.entropy_trend import triggers as reaches
from engine.methods.entropy_trend import EntropyTrendResult, Trigger, named_word, undecided_words, word_name
from viz.methods.check_rates import CHECK_RATES, measured_writer
from viz.methods.verdicts import Tone, Verdict
from viz.parts.words import bound_words, closed, counted, digits_apart, listing, origin_words, quoted, signed

# More undecided words than this would bury the finding; the table has every one.
MOST_NAMED = 3
FIRST, LATER = "look up here", "later, not reached"
TABLE_COLUMNS = [
    *("word number", "word", "trigger", "part of speech", "content word", "H (nats)", "ΔH (nats)", "Δ²H (nats)"),
    *("smoothed (nats)", "compared with α (nats)", "query"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What another α changes against the recorded run, in sentences: what newly fires and what no longer does."""

    appeared: tuple[str, ...]
    vanished: tuple[str, ...]
    first_changed: bool


def replay(result: EntropyTrendResult, alpha: float | None = None) -> tuple[Trigger, ...]:
    """Return the triggers at another α (nats; None = the run's own), recomputed from the stored values, in order.

    Mode "abs" compares |value| >= α, "signed" value > α. Kept text is what stands before the word. At the run's own α
    these are the recorded triggers; at another one the query is the word's own, which the released code widens by
    later triggers of the sentence. Of a value known within bounds the end nearest to 0 is compared.
    """
    if alpha_of(result, alpha) == result.alpha:
        return result.triggers
    values = [math.nan if (value := point.nearest_value(result.mode)) is None else value for point in result.points]
    fired = reaches(values, alpha_of(result, alpha), result.mode, strict=result.mode == "signed")
    return tuple(
        Trigger(
            word=point.word,
            value=value,
            kept=result.generation.text[: result.words[point.word].start],
            query=result.words[point.word].query,
        )
        for point, value, hit in zip(result.points, values, fired, strict=True)
        if hit
    )


def compare(result: EntropyTrendResult, alpha: float) -> Replay:
    """Return what an α changes against the triggers the run recorded."""
    now, recorded = replay(result, alpha), result.triggers
    before, after = {trigger.word for trigger in recorded}, {trigger.word for trigger in now}
    return Replay(
        appeared=tuple(_trigger_words(result, trigger, alpha) for trigger in now if trigger.word not in before),
        vanished=tuple(_trigger_words(result, trigger, alpha) for trigger in recorded if trigger.word not in after),
        first_changed=[trigger.word for trigger in now[:1]] != [trigger.word for trigger in recorded[:1]],
    )


def replay_sentence(result: EntropyTrendResult, alpha: float) -> str:
    """Return what an α changes, and where the replay ends, in words."""
    if alpha == result.alpha:
        return "The run's own α: move it."
    changed = compare(result, alpha)
    if not changed.appeared and not changed.vanished:
        return f"α = {bound_words(alpha)} nats: same triggers as at {bound_words(result.alpha)}."
    parts = [f"α = {bound_words(alpha)} nats instead of {bound_words(result.alpha)}."]
    parts += [f"Newly fires: {listing(changed.appeared)}."] if changed.appeared else []
    parts += [f"No longer fires: {listing(changed.vanished)}."] if changed.vanished else []
    parts += ["The first trigger changes: run again."] if changed.first_changed else []
    return " ".join(parts)


def alpha_range(result: EntropyTrendResult) -> tuple[float, float]:
    """Return the thresholds worth trying, in nats: from 0.05 to where nothing fires, the run's own included."""
    values = [point.farthest_value("abs") for point in result.points]
    largest = max((abs(value) for value in values if value is not None), default=0.0)
    return min(0.05, result.alpha), max(2.0, math.ceil(largest * 2 + 0.5) / 2, result.alpha)


def alpha_label(result: EntropyTrendResult) -> str:
    """Return the label of the threshold: its unit, the run's value and where that comes from."""
    origin = origin_words(result.alpha_source, "the paper's, for 7B–13B models")
    return f"Threshold α in nats (this run: {bound_words(result.alpha)}, {origin})"


def sentence(result: EntropyTrendResult, alpha: float | None = None, text: str = "answer from memory") -> str:
    """Return the figure in words, at the run's own α or at another one (nats); ``text`` names what was read."""
    if not result.words:
        return not_measured_sentence(result)
    content = sum(word.is_content for word in result.words)
    finding = _finding(result, alpha_of(result, alpha)) if result.points else not_measured_sentence(result)
    doubt, later = undecided_sentence(result, alpha_of(result, alpha)), len(replay(result, alpha)) - 1
    unreached = f"{counted(later, 'later trigger')} not reached: the text would change." if later > 0 else ""
    size = f"The {text} has {counted(len(result.words), 'word')}, {counted(content, 'content word')}."
    return " ".join(part for part in (finding, unreached, doubt, size) if part)


def before_any_trigger(result: EntropyTrendResult, alpha: float) -> tuple[int, ...]:
    """Return the words, ahead of the first sure trigger at an α, that may be one: with any, ETC's word is not known."""
    first = next((trigger.word for trigger in replay(result, alpha)), len(result.words))
    return tuple(word for word in undecided_words(result, alpha) if word < first)


def undecided_sentence(result: EntropyTrendResult, alpha: float) -> str:
    """Return where top-k probabilities leave open whether α is reached, in words; "" where they do nowhere."""
    words = undecided_words(result, alpha)
    if not words:
        return ""
    bounds = {point.word: (point.low, point.high) for point in result.points}
    named = [f"word {word + 1}, {quoted(named_word(result, word), 40)} ({_range(*bounds[word])})" for word in words]
    more = f" and {counted(len(words) - MOST_NAMED, 'other word')}" if len(words) > MOST_NAMED else ""
    return f"Entropies are intervals: unclear at {listing(named[:MOST_NAMED])}{more}."


def conclusion(result: EntropyTrendResult) -> str:
    """Return what the step-by-step answer ends with, in words."""
    ending = closed(f"It concludes with {quoted(result.answer)}") if result.answer.strip() else "It states no answer."
    cut = f" Cut off after {counted(len(result.generation.tokens), 'token')}."
    return ending + (cut if result.generation.stop_reason == "length" else "")


def base_rate(result: EntropyTrendResult) -> str:
    """Return how often ETC fires on right and wrong answers from memory; "" at an α that was not measured."""
    found = {name: int(number) for name, number in CHECK_RATES["entropy_trend"].items()}
    if result.alpha != CHECK_RATES["entropy_trend"]["alpha"]:
        return ""
    return (
        f"On other questions, with {measured_writer()}, it fires for {found['right_fired']} of {found['right']} right "
        f"answers, {found['wrong_fired']} of {found['wrong']} wrong ones."
    )


def verdict(result: EntropyTrendResult) -> Verdict:
    """Return ETC's word on the recorded run: look something up, no need, unclear, or not measured.

    A text without an answer may be even in its entropy; that is no reason to look nothing up.
    """
    if result.not_measured or not result.points:
        return Verdict(word="not measured", tone="unknown", sentence=closed(why_not_measured(result)))
    said = _finding(result, result.alpha)
    detail = f"{base_rate(result)} {sentence(result).removeprefix(said).strip()}".strip()
    word: str = "no trigger"
    tone: Tone = "model"
    if before_any_trigger(result, result.alpha):
        word, tone = "unclear", "unknown"
    elif result.triggers:
        word, tone = f"look it up before {quoted(named_word(result, result.triggers[0].word), 30)}", "middle"
    elif not states_answer(result.answer.strip() or result.generation.text):
        word, tone = "no answer to compare", "unknown"
        said, detail = "The text from memory states no answer.", f"{said} {detail}"
    elif (missing := sum(point.value is None for point in result.points)) * 2 >= len(result.points):
        word, tone = "unclear", "unknown"
        said, detail = (
            f"{missing} of {counted(len(result.points), 'value')} of the trend undefined.",
            f"{said} {detail}",
        )
    return Verdict(word=word, tone=tone, sentence=said, detail=detail)


def words_table(result: EntropyTrendResult, alpha: float | None = None) -> pd.DataFrame:
    """Return the text twin: one row per word with every stored number, in nats; empty where there is none."""
    points, first = {point.word: point for point in result.points}, first_differences_of(result)
    roles = trigger_roles(result, alpha)
    rows = []
    for index, word in enumerate(result.words):
        start = (index + 1, word.text, roles.get(index, ""), word.pos, word.is_content, word.entropy, first.get(index))
        point = points.get(index)
        trend = (None, None, None) if point is None else (point.second_difference, point.smoothed, point.value)
        rows.append((*start, *trend, word.query))
    table = pd.DataFrame(rows, columns=TABLE_COLUMNS)
    if any(word.entropy_high is not None for word in result.words):
        found = [points.get(index) for index in range(len(result.words))]
        table["H at most (nats)"] = [word.entropy_high for word in result.words]
        table["compared, at least (nats)"] = [None if point is None else point.low for point in found]
        table["compared, at most (nats)"] = [None if point is None else point.high for point in found]
    return table


def word_sentence(result: EntropyTrendResult, index: int) -> str:
    """Return one word in words: its tag, its numbers in nats, and what would be looked up before it."""
    word = result.words[index]
    point = next((point for point in result.points if point.word == index), None)
    kind = "content word" if word.is_content else "function word, skipped"
    bound = "" if word.entropy_high is None else f" to {word.entropy_high:.2f}"
    parts = [f"Word {index + 1}, {quoted(word.text)} ({word.pos}, {kind}): H = {word.entropy:.2f}{bound} nats."]
    if point is not None:
        compared = _or_undefined(point.value) if point.low is None else _range(point.low, point.high)
        parts.append(
            f"ΔH = {signed(point.first_difference)}, Δ²H = {signed(point.second_difference)}, "
            f"smoothed {_or_undefined(point.smoothed)}, against α: {compared}."
        )
    elif word.is_content:
        parts.append("No second difference before the third content word.")
    query = closed(f"A lookup before it would ask {quoted(word.query, 200)}")
    parts.append(query if word.query else "Nothing to look up.")
    return " ".join(parts)


def workings(result: EntropyTrendResult, index: int) -> tuple[str, ...]:
    """Return the calculation at a word with this run's values, a line per equation; empty where there is none.

    What is calculated with has more digits than what comes out: rounded alike, a line would not add up.
    """
    place = next((place for place, point in enumerate(result.points) if point.word == index), None)
    if place is None:
        return ()
    point, first = result.points[place], first_differences_of(result)
    content = [number for number in range(index) if result.words[number].is_content]
    before = result.words[content[-1]]
    here = result.words[index]
    lines = [
        f"ΔH = H({word_name(result, index)}) − H({word_name(result, content[-1])}) = "
        f"{here.entropy_middle:.4f} − {before.entropy_middle:.4f} = {signed(point.first_difference)} nats (eq. 6)"
    ]
    if result.variant == "code":
        lines.append(f"Δ²H = {signed(point.second_difference)}, smoothed {_or_undefined(point.smoothed)}")
        return (*lines, f"times attention: {_or_undefined(point.value)}")
    earlier = signed(first[content[-1]], 4)
    lines.append(
        f"Δ²H = {signed(point.first_difference, 4)} − ({earlier}) = {signed(point.second_difference)} nats (eq. 9)"
    )
    if place == 0 or point.smoothed is None:
        return (*lines, f"smoothed: {_or_undefined(point.smoothed)}, as the first value")
    weight = smoothing_weights([stored.second_difference for stored in result.points])[place]
    share = 1.0 if math.isnan(weight) else float(weight)
    previous = signed(result.points[place - 1].second_difference, 4)
    lines.append(
        f"smoothed = w Δ²H + (1 − w) Δ²H before = {share:.4f} × ({signed(point.second_difference, 4)}) + "
        f"{1 - share:.4f} × ({previous}) = {signed(point.smoothed)} nats (eq. 10–12)"
    )
    return tuple(lines)


def alpha_of(result: EntropyTrendResult, alpha: float | None) -> float:
    """Return the threshold to draw, in nats: the one asked for, or else the run's own."""
    return result.alpha if alpha is None else alpha


def why_not_measured(result: EntropyTrendResult) -> str:
    """Return why there is no trend, without the word that says so."""
    return result.not_measured or "fewer than three content words"


def not_measured_sentence(result: EntropyTrendResult) -> str:
    """Return why there is no trend, in words."""
    return closed(f"Not measured: {why_not_measured(result)}")


def _finding(result: EntropyTrendResult, alpha: float) -> str:
    """Return what the trend does at an α, in words."""
    found = replay(result, alpha)
    if before_any_trigger(result, alpha):
        sure = f", certainly from {_trigger_words(result, found[0], alpha)} on" if found else ""
        return f"Unclear at α = {bound_words(alpha)} nats{sure}."
    if not found:
        bound = "within ±" if result.mode == "abs" else "at or below +"
        return f"The trend of entropy stays {bound}{bound_words(alpha)} nats: nothing to look up."
    first = found[0]
    # Retrieval timing counts in tokens: both stand side by side on a run's page.
    return f"Trend beyond α = {bound_words(alpha)} at {_trigger_words(result, first, alpha, token=True)}."


def _trigger_words(result: EntropyTrendResult, trigger: Trigger, alpha: float, *, token: bool = False) -> str:
    """Return a trigger's word with its number and its value in nats, in decimals that tell it from ±α.

    With a ``token`` also the number of its first one.
    """
    word, place = quoted(named_word(result, trigger.word), 40), result.words[trigger.word].first_token + 1
    bounded = any(point.word == trigger.word and point.low is not None for point in result.points)
    least = ("at least " if trigger.value >= 0 else "at most ") if bounded else ""
    digits = max(digits_apart(trigger.value, bound) for bound in (alpha, -alpha))
    number = f"{trigger.word + 1} (token {place})" if token else f"{trigger.word + 1}"
    return f"word {number}, {word} ({least}{signed(trigger.value, digits)} nats)"


def word_at(result: EntropyTrendResult, token: int | None) -> int | None:
    """Return the word that a token belongs to, None without a token or where it belongs to none."""
    if token is None:
        return None
    return next((i for i, word in enumerate(result.words) if word.first_token <= token <= word.last_token), None)


def trigger_roles(result: EntropyTrendResult, alpha: float | None) -> dict[int, str]:
    """Return word index -> what it is at an α: the first trigger or a later one."""
    found = replay(result, alpha)
    return {trigger.word: LATER if place else FIRST for place, trigger in enumerate(found)}


def _range(low: float | None, high: float | None) -> str:
    return f"{signed(low or 0.0)} to {signed(high or 0.0)} nats"


def _or_undefined(value: float | None) -> str:
    return "undefined (0/0)" if value is None else f"{signed(value)} nats"


def first_differences_of(result: EntropyTrendResult) -> dict[int, float]:
    """Return ΔH by word, from the second content word on; the stored points begin at the third."""
    if not result.words:
        return {}
    placed = first_differences(
        [word.entropy_middle for word in result.words], [word.is_content for word in result.words]
    )
    return dict(placed)
