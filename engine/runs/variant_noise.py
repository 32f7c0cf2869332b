"""A run beside a changed one, number by number: is a difference more than the noise of repeated draws?

What the records hold decides how that is measured. The intervals of SePer's samples in both runs are joined. DENSE's
rewordings of both are taken in every way. For what was drawn once, the original is drawn again with other seeds, as
stored runs. "beyond noise": the interval of the difference leaves out 0. "within noise": it does not, or the difference
is smaller than the judge's own error. "unclear": no noise was measured, or all draws were alike, which does not
prove that there is none. Equal requests draw with equal seeds; the intervals do not use that, so they are rather too
wide than too narrow.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from engine.core.passage_names import passage_name
from engine.core.records import Interval
from engine.core.seeds import derive_seed
from engine.core.words import isolated
from engine.diagnosis.record import Diagnosis
from engine.measures.answer_match import exact_match
from engine.measures.levels import is_below
from engine.measures.repeated_draws import LEAST_REPEATS, Draws, change_interval, next_draw, reworded_change, share_odds
from engine.methods.dense_records import DenseChunk, DenseResult
from engine.methods.seper import CHOICES, LEAST_CHANGE
from engine.methods.seper_records import Belief, SeperResult
from engine.runs.compare import NONE, ChunkPair, Noise, Number, NumberPair, Side, align_chunks, compared, number_pairs

NO_WIDTH = 1e-3
SURE = 0.05
LEAST_ODDS = 1e-3  # smaller ones are told as under this
# The methods whose numbers rest on drawn samples, which may be alike by chance.
DRAWN = ("seper", "sugar", "uncertainty", "chunk_utility")
ANSWER = "answer"
Source = Literal["stored samples", "other rewordings", "repeated draws", "none"]
# The headline numbers by their keys in the catalogue.
DSE = "dense.entropy"
WITH_PASSAGES, WITHOUT, CHANGE = "seper.with_passages.soft", "seper.without.soft", "seper.delta_soft"
HEADLINES = (DSE, WITH_PASSAGES, WITHOUT, CHANGE, "entropy_trend.trigger_count")
# What names the draws of a difference in its seed.
SEED_WORDS = {WITH_PASSAGES: "SePer with passages", WITHOUT: "SePer without passages", CHANGE: "ΔSePer, soft"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thing in both runs. ``first`` and ``second`` are numbers or words, None where it was not measured.

    ``difference`` is second minus first, None for words; ``interval`` is that of the difference, by ``source``.
    """

    method: str
    name: str
    first: float | str | None
    second: float | str | None
    noise: Noise
    source: Source
    reason: str
    unit: str = ""
    difference: float | None = None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """An original and its variant: the answer, the labels and headline numbers, and every other number both have."""

    lines: tuple[Line, ...]
    others: tuple[Line, ...]

    @property
    def all_lines(self) -> tuple[Line, ...]:
        """Every line, headlines first."""
        return (*self.lines, *self.others)


def beside(first: Side, second: Side, redraws: Sequence[Diagnosis] = ()) -> Beside:
    """Return the two runs beside each other; ``redraws`` are runs of the first with other seeds."""
    a, b = first.diagnosis, second.diagnosis
    others = [other_line(pair, redraws) for pair in number_pairs(first, second) if pair.first.key not in HEADLINES]
    lines = (
        answer_line(a, b),
        *(line for key in HEADLINES for line in headline_lines(key, a, b, redraws)),
        *label_lines(a, b),
    )
    return Beside(
        lines=tuple(line for line in lines if line.first is not None or line.second is not None),
        others=tuple(others),
    )


def other_line(pair: NumberPair, redraws: Sequence[Diagnosis]) -> Line:
    """Return a number that is no headline: by its own two intervals where the records keep them, else by redraws."""
    old, new = pair.first, pair.second
    if old.interval is None or new.interval is None or old.value == new.value:
        return number_line(pair.method, old, new, None, redraws, least=0.0)
    source: Source = "other rewordings" if pair.method == "dense" else "stored samples"
    return numbers_line(pair.method, old, new, None, pair.noise, source, pair.reason)


def answer_line(first: Diagnosis, second: Diagnosis) -> Line:
    """Return the greedy answer of both, with how often either run's samples say what the original answers."""
    old, new = first.answer.text.strip(), second.answer.text.strip()
    noise, source, reason = answer_noise(first, second, old, new)
    name = "answer over the passages"
    return Line(method=ANSWER, name=name, first=old, second=new, noise=noise, source=source, reason=reason)


def answer_noise(first: Diagnosis, second: Diagnosis, old: str, new: str) -> tuple[Noise, Source, str]:
    """Return the word on two answers: how often SePer's samples say the original one, before and after."""
    if old == new:
        return "the same", "none", "the same words"
    kept = [side.result(SeperResult, measured=False) for side in (first, second)]
    if kept[0] is None or kept[1] is None:
        return "unclear", "none", "it is written once, greedily, and no samples over the passages are kept"
    a, b = kept[0].with_passages, kept[1].with_passages
    before, after = samples_that_say(a, old), samples_that_say(b, old)
    many, more = len(a.samples), len(b.samples)
    counts = f"“{isolated(old) or '(empty)'}” is said by {before} of {many} samples before, {after} of {more} after"
    odds = share_odds((before, many), (after, more))
    if not before and not after:
        return "unclear", "stored samples", f"{counts}: the samples say other things than the greedy answer"
    noise: Noise = "beyond noise" if odds < SURE else "within noise"
    return noise, "stored samples", f"{counts}; chance alone parts them so far in {odds_words(odds)} of cases"


def odds_words(odds: float) -> str:
    """Return a probability of chance in percent, never as 0.

    >>> odds_words(0.3), odds_words(0.012), odds_words(1e-11)
    ('30%', '1.2%', 'under 0.1%')
    """
    if odds < LEAST_ODDS:
        return f"under {LEAST_ODDS:.1%}"
    return f"{odds:.1%}" if odds < SURE else f"{odds:.0%}"


def samples_that_say(belief: Belief, answer: str) -> int:
    """Return how many samples say an answer: in its words, or in words judged to mean the same as one that does."""
    if not answer:
        return sum(not sample.text.strip() for sample in belief.samples)
    alike = {place for place, sample in enumerate(belief.samples) if exact_match(sample.text.strip(), (answer,))}
    return sum(len(meaning.members) for meaning in belief.meanings if alike & set(meaning.members))


def headline_lines(key: str, first: Diagnosis, second: Diagnosis, redraws: Sequence[Diagnosis]) -> tuple[Line, ...]:
    """Return the line of a headline number; where one run lacks it, that is said; () where both do."""
    old, new = number_with(first, key), number_with(second, key)
    known = old or new
    if known is None:
        return ()
    none, method = replace(known, value=None, interval=None), key.partition(".")[0]
    least = LEAST_CHANGE if method == "seper" else 0.0
    return (number_line(method, old or none, new or none, kept_noise(key, first, second), redraws, least),)


def number_line(
    method: str, old: Number, new: Number, kept: Interval | None, redraws: Sequence[Diagnosis], least: float
) -> Line:
    """Return one number of both runs with the word on its difference; ``kept`` is the interval the records give."""
    if old.never or new.never:
        where = [which for which, side in (("original", old), ("variant", new)) if side.never]
        same: Noise = "the same" if len(where) == 2 else "unclear"
        return numbers_line(method, old, new, None, same, "none", f"none in the {' and the '.join(where)}")
    if old.value is None or new.value is None:
        missing = [which for which, side in (("original", old), ("variant", new)) if side.value is None]
        reason = f"not measured in the {' and the '.join(missing)}"
        return numbers_line(method, old, new, None, "unclear", "none", reason)
    if old.value == new.value:
        return numbers_line(method, old, new, kept, "the same", "none", "equal to the last digit")
    source: Source = "other rewordings" if method == "dense" else "stored samples"
    found = kept
    if found is None:
        source, found = "repeated draws", redrawn(old, new, redraws)
    if found is None:
        return numbers_line(method, old, new, None, *unmeasured(method, old, redraws))
    noise, reason = noise_of(new.value - old.value, found, least, source, len(drawn_values(old, redraws)))
    return numbers_line(method, old, new, found, noise, source, reason)


def noise_of(difference: float, interval: Interval, least: float, source: Source, draws: int) -> tuple[Noise, str]:
    """Return whether a difference is beyond its interval, and why that is the word.

    ``draws``: how many draws of the original measured the number, itself included.

    >>> noise_of(0.6, Interval(low=0.3, high=0.8), 0.1, "stored samples", 0)[0]
    'beyond noise'
    >>> noise_of(0.05, Interval(low=0.02, high=0.08), 0.1, "stored samples", 0)[0]
    'within noise'
    """
    if is_below(abs(difference), least):
        return "within noise", f"below {least:g}, as much as the judge's own error can move it"
    if interval.high - interval.low < NO_WIDTH:
        alike = "every rewording gives the same" if source == "other rewordings" else "all draws were alike"
        return "unclear", f"{alike} in either run: that shows no noise, which is not certainty"
    how = {
        "stored samples": "joined from the intervals of both runs' samples",
        "other rewordings": "every way of taking one rewording of each passage in both runs",
        "repeated draws": f"where one more draw of the original would fall, by {draws} of them",
    }.get(source, "")
    inside = interval.low <= 0.0 <= interval.high
    where = "inside" if inside else "outside"
    return ("within noise" if inside else "beyond noise"), f"0 lies {where} the 95% interval of the difference: {how}"


def kept_noise(key: str, first: Diagnosis, second: Diagnosis) -> Interval | None:
    """Return the interval of a difference by what both records keep, None where they keep nothing to draw from."""
    if key == DSE:
        return dense_noise(first, second)
    return seper_noise(key, first, second) if key in SEED_WORDS else None


def dense_noise(first: Diagnosis, second: Diagnosis) -> Interval | None:
    """Return the interval of DSE's difference over the rewordings of both runs, None where one has one each only."""
    a, b = first.result(DenseResult, measured=False), second.result(DenseResult, measured=False)
    if a is None or b is None or not (a.further and b.further):
        return None
    low, high = reworded_change(*((one.further_weights, one.rows) for one in (b, a)))
    return Interval(low=low, high=high)


def seper_noise(key: str, first: Diagnosis, second: Diagnosis) -> Interval | None:
    """Return the interval of a SePer number's difference over resampled draws, None without a gold answer."""
    a, b = first.result(SeperResult, measured=False), second.result(SeperResult, measured=False)
    if a is None or b is None or a.variant != b.variant or any(one.without.soft is None for one in (a, b)):
        return None
    after, before = {
        WITH_PASSAGES: ([b.with_passages], [a.with_passages]),
        WITHOUT: ([b.without], [a.without]),
        CHANGE: ([b.with_passages, a.without], [a.with_passages, b.without]),
    }[key]
    if key == CHANGE and a.without == b.without:
        after, before = [b.with_passages], [a.with_passages]
    if not all(drawable(one) for one in (*after, *before)):
        return None
    low, high = change_interval(
        [draws_of(one) for one in after],
        [draws_of(one) for one in before],
        derive_seed(first.provenance.seed, "variant", SEED_WORDS[key]),
        answers=CHOICES[a.variant].answers,
    )
    return Interval(low=low, high=high, method="imagined draw")


def drawable(belief: Belief) -> bool:
    """Return whether a belief's samples can be resampled: each has a finite likelihood and a row of entailments."""
    return bool(belief.kernel) and all(np.isfinite(sample.mean_logprob) for sample in belief.samples)


def draws_of(belief: Belief) -> Draws:
    """Return a belief's samples as the measures take them."""
    return [sample.mean_logprob for sample in belief.samples], [list(row) for row in belief.kernel]


def redrawn(old: Number, new: Number, redraws: Sequence[Diagnosis]) -> Interval | None:
    """Return where the variant's difference would fall if it were one more draw of the original; None without enough.

    The interval is that of the variant minus what one more draw would give.
    """
    values = drawn_values(old, redraws)
    if len(values) < LEAST_REPEATS or new.value is None:
        return None
    low, high = next_draw(values)
    if high - low < NO_WIDTH:
        return None
    return Interval(low=new.value - high, high=new.value - low, method="t")


def drawn_values(old: Number, redraws: Sequence[Diagnosis]) -> list[float]:
    """Return a number of the original and of its redraws, those that measured it."""
    found = (number_with(one, old.key) for one in redraws)
    return [value for value in (old.value, *(one.value for one in found if one is not None)) if value is not None]


def unmeasured(method: str, old: Number, redraws: Sequence[Diagnosis]) -> tuple[Noise, Source, str]:
    """Return the word where no noise stands against a difference, and what would measure it."""
    values = drawn_values(old, redraws)
    if len(values) >= LEAST_REPEATS:
        if method in DRAWN:
            reason = f"all {len(values)} draws of the original were alike: that shows no noise, which is not certainty"
        else:
            alike = f"all {len(values)} draws of the original give the same"
            reason = f"{alike}: another seed does not move what is not drawn"
        return "unclear", "repeated draws", reason
    if method == "dense":
        return "unclear", "none", "noise not measured: one rewording of each passage only; ask for more of them"
    return "unclear", "none", "noise not measured: draw the original again to measure it"


def numbers_line(
    method: str, old: Number, new: Number, interval: Interval | None, noise: Noise, source: Source, reason: str
) -> Line:
    """Return the line of two numbers."""
    both = old.value is not None and new.value is not None
    return Line(
        method=method,
        name=old.name,
        unit=old.unit,
        first=NONE if old.never else old.value,
        second=NONE if new.never else new.value,
        difference=new.value - old.value if both else None,  # type: ignore[operator]
        interval=interval,
        noise=noise,
        source=source,
        reason=reason,
    )


def label_lines(first: Diagnosis, second: Diagnosis) -> tuple[Line, ...]:
    """Return DENSE's label of every passage of either run, passages matched by their text."""
    results = [side.result(DenseResult, measured=False) for side in (first, second)]
    if results == [None, None]:
        return ()
    return tuple(label_line(pair, first, second, *results) for pair in align_chunks(first.hits, second.hits))


def label_line(
    pair: ChunkPair, first: Diagnosis, second: Diagnosis, a: DenseResult | None, b: DenseResult | None
) -> Line:
    """Return one passage's label in both runs with the word on the two; None where DENSE did not run."""
    old, new = chunk_at(a, pair.first), chunk_at(b, pair.second)
    hit = first.hits[pair.first] if pair.first is not None else second.hits[pair.second or 0]
    places = [str(place + 1) for place in (pair.first, pair.second) if place is not None]
    labels = [
        "not read" if place is None else result.labels[chunk.index] if result and chunk else None
        for result, place, chunk in ((a, pair.first, old), (b, pair.second, new))
    ]
    title = passage_name(hit.passage)
    noise, source, reason = label_noise(a, old, b, new)
    return Line(
        method="dense",
        name=f"passage {' → '.join(dict.fromkeys(places))} “{isolated(title)}”",
        first=labels[0],
        second=labels[1],
        noise=noise,
        source=source,
        reason=reason,
    )


def chunk_at(result: DenseResult | None, place: int | None) -> DenseChunk | None:
    """Return what DENSE says of the passage at a place, None where it says nothing."""
    return next((chunk for chunk in result.chunks if chunk.index == place), None) if result else None


def label_noise(
    a: DenseResult | None, old: DenseChunk | None, b: DenseResult | None, new: DenseChunk | None
) -> tuple[Noise, Source, str]:
    """Return whether two labels of a passage differ by more than its rewordings do among themselves.

    Certain or not hangs on the rewordings; necessary or unnecessary on one answer without the passage.
    """
    if a is None or old is None or b is None or new is None:
        return "unclear", "none", "there is no label in one of the runs"
    labels = (a.labels[old.index], b.labels[new.index])
    same = labels[0] == labels[1]
    if "not measured" in labels:
        return "unclear", "none", "not measured in either run" if same else "not measured in one of the runs"
    before, after = kept_of(a, old.index), kept_of(b, new.index)
    of = f"of {before[1]} {'rewording keeps' if before[1] == 1 else 'rewordings keep'} the answer before"
    counts = f"{before[0]} {of}, {after[0]} of {after[1]} after"
    if same:
        return "the same", "other rewordings", counts
    if not {"certain", "unclear"} & set(labels):
        return "unclear", "none", "necessary or unnecessary hangs on one greedy answer without the passage"
    if min(before[1], after[1]) < 2:
        return "unclear", "none", "noise not measured: the passage was reworded once only"
    odds = share_odds(before, after)
    noise: Noise = "beyond noise" if odds < SURE else "within noise"
    return noise, "other rewordings", f"{counts}: by chance in {odds_words(odds)} of cases"


def kept_of(result: DenseResult, index: int) -> tuple[int, int]:
    """Return how many of a chunk's valid rewordings leave an answer of the same meaning, of how many."""
    changing, wordings = result.changes[index]
    return wordings - changing, wordings


def number_with(diagnosis: Diagnosis, key: str) -> Number | None:
    """Return the number of a run with a key, None where the run has no such number."""
    return next((number for number in compared(diagnosis, key.partition(".")[0]) if number.key == key), None)
