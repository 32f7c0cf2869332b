"""SePer in words and tables: belief before and after reading, how far it moved, every sample.

Follows SePer (eq. 9-11): beliefs are probabilities over meanings, SePer the probability of the correct answer, ΔSePer
the difference that reading makes. It counts as a change where its interval leaves out 0, it is at least one sample in
ten, and both kernels, soft and hard, agree.
"""

import math
from typing import Literal

import pandas as pd

from engine.backends.entailment.base import none_states_answer
from engine.core.records import Generation, Interval
from engine.core.words import shown
from engine.measures.answer_marks import RIGHT, SAME_MEANING, mark
from engine.methods.seper import belief_change, kernels_disagree, weights_disagree
from engine.methods.seper_records import Belief, SeperResult
from viz.methods.check_rates import CHECK_RATES
from viz.methods.verdicts import TONES, Verdict
from viz.parts.words import WORDS, closed, counted, end_words, percent, quoted, same_meaning, signed

WITHOUT, WITH = "without passages", "with passages"


def verdict(result: SeperResult) -> Verdict:
    """Return whether the passages helped; unclear where the soft and the hard kernel contradict each other.

    Samples of both conditions that state no answer hold no belief. Where none is right, or the likeliest right one only
    by SePer's looser match, a rise is not drawn as one.
    """
    moved = direction(result)
    word, tone = WORDS["belief changes"][moved], TONES["belief changes"][moved]
    said = change_sentence(result)
    if none_states_answer(one.text for one in (*result.without.samples, *result.with_passages.samples)):
        return Verdict(word="no answer to compare", tone="unknown", sentence=f"No sample states an answer. {said}")
    if moved == "up" and (none_right(result) or unmarked(result) is not None):
        tone = "middle"
    parts = (
        sentence(result).removeprefix(said).strip(),
        unmarked_sentence(result),
        base_rate() if moved == "up" else "",
    )
    detail = " ".join(part for part in parts if part)
    return Verdict(word=word, tone=tone, sentence=said, detail=detail)


def base_rate() -> str:
    """Return how often the passages are said to have helped where they did, and where the answer stayed wrong."""
    found = {name: int(number) for name, number in CHECK_RATES["seper"].items()}
    return (
        f"On Natural Questions (SmolLM2-135M): helped for {found['mended_helped']} of {found['mended']} answers that "
        f"became right, {found['still_wrong_helped']} of {found['still_wrong']} that stayed wrong."
    )


def direction(result: SeperResult) -> Literal["reference", "up", "down", "noise", "disagree"]:
    """Return where belief in the correct answer moved; "disagree" where the kernels contradict each other."""
    if result.delta_soft is None:
        return "reference"
    if kernels_disagree(result):
        return "disagree"
    return belief_change(result.delta_soft, result.delta_soft_interval)


def hardly_moved(result: SeperResult) -> bool:
    """Return whether the change is too small to speak of although its interval leaves out 0."""
    interval = result.delta_soft_interval
    return direction(result) == "noise" and interval is not None and leaves_out_zero(interval)


def leaves_out_zero(interval: Interval) -> bool:
    """Return whether an interval of a change leaves out no change."""
    return not interval.low <= 0 <= interval.high


def none_right(result: SeperResult) -> bool:
    """Return whether no sample of either condition means the same as a correct answer."""
    return result.without.hard == result.with_passages.hard == 0


def unmarked(result: SeperResult) -> tuple[str, float] | None:
    """Return what the likeliest right meaning mostly says where the mark of an answer calls that wrong; else None.

    With it P(entailment) of a correct answer, in [0, 1]. SePer's released code takes either direction, so that "Korvel"
    is right for "Ostmere and Korvel", and a meaning is right by its first sample; a mark needs all of a correct answer.
    """
    beliefs = (result.with_passages, result.without)
    right = [one for belief in beliefs for one in belief.named if one.matches_gold and result.golds]
    best = max(right, key=lambda one: one.probability, default=None)
    if best is None or mark(best.text, result.golds) in RIGHT:
        return None
    text, golds = best.text.strip(), {gold.strip() for gold in result.golds}
    judged = [one for one in result.judgements if one.premise.strip() == text and one.hypothesis.strip() in golds]
    likely = max((one.entailment for one in judged), default=1.0)
    return (text, likely) if likely < SAME_MEANING else None


def unmarked_sentence(result: SeperResult) -> str:
    """Return that SePer calls right what the mark of an answer does not, "" where it does not happen."""
    found = unmarked(result)
    if found is None:
        return ""
    return (
        f"{quoted(found[0], 40)} counts as right here, by SePer's looser match. An answer's mark needs "
        f"{SAME_MEANING:.2f} from it to a correct answer: the judge gives {found[1]:.2f}."
    )


def sentence(result: SeperResult) -> str:
    """Return the result in words: the change of belief with its interval, then the hard kernel."""
    if result.delta_soft is None:
        return f"{change_sentence(result)} {belief_sentence(result)}"
    return f"{change_sentence(result)}{_hard_sentence(result, change_digits(result))}"


def change_sentence(result: SeperResult) -> str:
    """Return how reading moved belief in the correct answer, with ΔSePer and its interval."""
    if result.delta_soft is None:
        return closed(result.not_measured or "no correct answer")
    moved: str = direction(result)
    if hardly_moved(result):
        moved = "tiny, none right" if none_right(result) else "tiny"
    digits = change_digits(result)
    before, after = number(result.without.soft, digits), number(result.with_passages.soft, digits)
    delta = f"ΔSePer {signed(result.delta_soft, digits)}{interval_words(result.delta_soft_interval, digits=digits)}"
    return f"{WORDS['belief change sentences'][moved]}: {before} to {after} (soft), {delta}."


def belief_sentence(result: SeperResult) -> str:
    """Return the strongest belief of each condition in words."""
    return (
        f"Strongest belief: {strongest_words(result.without)} without passages, "
        f"{strongest_words(result.with_passages)} with them. "
        f"{samples_words(result)}."
    )


def strongest_words(belief: Belief) -> str:
    """Return the strongest meaning with its share, and how many others have as much."""
    best = max(belief.named, key=lambda meaning: meaning.probability)
    level = sum(math.isclose(meaning.probability, best.probability) for meaning in belief.meanings) - 1
    more, each = (f" and {level} more", " each") if level else ("", "")
    return f"{quoted(best.text, 60)}{more} ({percent(best.probability)}{each})"


def weights_sentence(result: SeperResult) -> str:
    """Return where likelihood weights and equal weights say different things, and by how much; "" where they agree."""
    evenly, after = result.equal, result.with_passages
    differ = weights_disagree(result)
    if not differ or evenly is None or after.equal is None or result.delta_soft is None or after.soft is None:
        return ""
    ways = [belief_change(one.delta_soft or 0.0, one.delta_soft_interval) for one in (result, evenly)]
    own, other = (WORDS["belief changes"][way] for way in ways)
    deltas = f"ΔSePer {value_words(result, 'delta_soft')} by likelihood, {value_words(evenly, 'delta_soft')} equally"
    said = {
        "sign": f"The weights reverse the finding: {deltas}.",
        "change": f"The weights decide: {own} by likelihood, {other} equally: {deltas}.",
        "half": f"Belief after reading: {after.soft:.2f} by likelihood, {after.equal.soft:.2f} equally.",
    }
    return " ".join(said[name] for name in differ if name != "change" or "sign" not in differ)


def effective_sentence(result: SeperResult) -> str:
    """Return how many samples decide each belief, by their weights; that it was not measured in an older record."""
    told = [
        f"{belief.effective:.1f} of {len(belief.samples)} {name}"
        for name, belief in ((WITHOUT, result.without), (WITH, result.with_passages))
        if belief.effective is not None
    ]
    if not told:
        return "Effective sample size: not measured."
    return f"Effective sample size: {', '.join(told)}."


def weights_table(result: SeperResult) -> pd.DataFrame:
    """Return one row for each kind of weights and kernel: belief without and with passages, ΔSePer, with intervals."""
    rows = []
    for name, before, after, change in (
        ("likelihood (paper)", result.without, result.with_passages, result),
        ("equal", result.without.equal, result.with_passages.equal, result.equal),
    ):
        for kind in ("soft", "hard"):
            cells = [(one, field) for one, field in ((before, kind), (after, kind), (change, f"delta_{kind}"))]
            rows.append([name, kind, *(value_words(one, field) for one, field in cells)])
    return pd.DataFrame(rows, columns=["weights", "kernel", WITHOUT, WITH, "ΔSePer"])


def value_words(owner: object, field: str) -> str:
    """Return a value of a record with its interval beside it, that it was not measured where there is none."""
    value = getattr(owner, field, None)
    if value is None:
        return "not measured"
    shown_value = signed(value) if field.startswith("delta") else number(value)
    return f"{shown_value}{interval_words(getattr(owner, f'{field}_interval'), short=True)}"


def interval_note(result: SeperResult) -> str:
    """Return a warning where an earlier version made the intervals, which are too narrow; "" otherwise."""
    interval = result.delta_soft_interval
    return WORDS["notes"]["old intervals"] if interval is not None and interval.method == "percentile" else ""


def samples_table(result: SeperResult, chosen: str = "") -> pd.DataFrame:
    """Return one row per sampled answer of both conditions; a mark at the samples of the ``chosen`` meaning.

    Weights sum to 1 in each condition; mean log-probabilities are nats per token; entailment is in [0, 1]. What needs
    a correct answer is missing without one.
    """
    rows = []
    for condition, _, belief, place in _samples(result):
        sample, meaning = belief.samples[place], belief.named[_meaning_of(belief)[place]]
        rows.append(
            {
                "condition": condition,
                "sample": place + 1,
                "text": shown(sample.text),
                "weight": belief.weights[place],
                "mean log-prob (nats)": sample.mean_logprob,
                "meaning": f"{_meaning_of(belief)[place] + 1}: {shown(meaning.text)}",
                "is correct": meaning.matches_gold,
                "entailment": max(belief.kernel[place], default=None) if belief.kernel else None,
            }
        )
    table = pd.DataFrame(rows)
    if chosen:
        marks = ["◆" if same_meaning(text, chosen) else "" for text in sample_meanings(result)]
        table.insert(0, "chosen", marks)
    return table


def _samples(result: SeperResult) -> list[tuple[str, str, Belief, int]]:
    """Return (condition, its field in the record, its belief, place) of every sampled answer, in the table's order."""
    beliefs = ((WITHOUT, "without", result.without), (WITH, "with_passages", result.with_passages))
    return [(name, field, belief, place) for name, field, belief in beliefs for place in range(len(belief.samples))]


def _meaning_of(belief: Belief) -> dict[int, int]:
    """Return sample -> the place of its meaning."""
    return {member: place for place, meaning in enumerate(belief.meanings) for member in meaning.members}


def sample_meanings(result: SeperResult) -> tuple[str, ...]:
    """Return the meaning's text of every sampled answer, in the order of ``samples_table``."""
    return tuple(belief.named[_meaning_of(belief)[place]].text for _, _, belief, place in _samples(result))


def sample_places(result: SeperResult) -> tuple[str, ...]:
    """Return where every sampled answer stands in the run, in the order of ``samples_table``."""
    return tuple(f"seper.{field}.samples.{place}" for _, field, _, place in _samples(result))


def samples_in_order(result: SeperResult) -> tuple[tuple[str, Generation], ...]:
    """Return (name, sample) of every sampled answer, in the order of ``samples_table``."""
    return tuple(
        (f"sample {place + 1} {condition}", belief.samples[place]) for condition, _, belief, place in _samples(result)
    )


def change_digits(result: SeperResult) -> int:
    """Return the decimals at which before, after and difference add up on the page: two, or three where rounding bites.

    0.126 → 0.224 is +0.098: at two decimals 0.13 → 0.22 would be called +0.10.
    """
    moves = (
        (result.without.soft, result.with_passages.soft, result.delta_soft),
        (result.without.hard, result.with_passages.hard, result.delta_hard),
    )
    known = [(a, b, delta) for a, b, delta in moves if a is not None and b is not None and delta is not None]
    off = (round(round(b, 2) - round(a, 2) - round(delta, 2), 9) for a, b, delta in known)
    return 3 if any(off) else 2


def samples_words(result: SeperResult) -> str:
    """Return how many answers were sampled in each of the two conditions, without passages first."""
    before, after = len(result.without.samples), len(result.with_passages.samples)
    return f"{counted(before, 'sample')} each" if before == after else f"{before} and {counted(after, 'sample')}"


def number(value: float | None, digits: int = 2) -> str:
    """Return a probability with its decimals, or that it was not measured."""
    return "not measured" if value is None else f"{value:.{digits}f}"


def interval_words(interval: Interval | None, short: bool = False, digits: int = 2) -> str:
    """Return an interval in words with the decimals of its value, "" where there is none."""
    if interval is None:
        return ""
    span = f"{end_words(interval.low, digits)} to {end_words(interval.high, digits)}"
    if short:
        return f" ({span})"
    # Older records resampled the draws, which is no interval of 95 %.
    return f" (resampled {span})" if interval.method == "percentile" else f" ({interval.level:.0%} interval {span})"


def _hard_sentence(result: SeperResult, digits: int) -> str:
    """Return the hard kernel in words, with a space before it; "" where it was not measured."""
    if result.delta_hard is None:
        return ""
    if none_right(result):
        return " No sample is right: the soft value shows how close wrong ones come."
    before, after = number(result.without.hard, digits), number(result.with_passages.hard, digits)
    return f" Hard: {before} to {after}, Δ {signed(result.delta_hard, digits)}."
