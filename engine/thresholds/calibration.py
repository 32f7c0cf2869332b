"""Fits thresholds to one model: from what it said to labelled questions, to numbers that are used like the papers'.

The papers' thresholds were set for models of 7B and more, most of them on each data set. How they are chosen here:

- DSE (DENSE section 5): the cut with the highest balanced accuracy (Youden's index) of DSE against a wrong answer over
  the passages.
- SUGAR's lower threshold: the same of the closed-book semantic entropy against a wrong closed-book answer, so that a
  lookup is due where memory fails. Its upper one: the same, among the questions above the lower one, against a wrong
  answer over one lookup's passages, so that several are due where one fails. The paper leaves open how it chose.
- α of ETC, RIND's threshold and FLARE's θ: the cut at which the answers from memory ask for a given mean number of
  lookups a question, so that policies are compared at equal cost. A sentence asks once, however many of its words fire,
  as a loop rewrites it only once; a question asks at most as often as a run may look up. This replays the stored
  traces, and past its first lookup a text would be rewritten: the loops themselves are counted beside it.

DSE and SUGAR are fitted to one half of the questions and tested on the other (the hash of a question decides), and
both are reported. Nothing is fitted below 20 questions, or 5 of a class, in either half; nor where the AUROC's interval
on the fitting half, or the balanced accuracy's on the test half, holds chance; nor where no cut comes within 0.1
lookups of the number asked for. The counts of the policies know no right or wrong and take all questions.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from hashlib import sha256

import numpy as np

from engine.core.errors import InputError
from engine.core.records import Interval
from engine.core.seeds import derive_seed
from engine.core.words import counted
from engine.diagnosis.record import Diagnosis
from engine.measures.answer_marks import is_right
from engine.measures.decision_threshold import (
    balanced_accuracy,
    mean_count,
    shares_decided,
    threshold_for_count,
    youden_threshold,
)
from engine.measures.draw_intervals import REPEATS, joined_interval, percentile_interval
from engine.measures.levels import levelled
from engine.measures.ranking import auroc, auroc_interval
from engine.measures.share_intervals import clopper_pearson_interval
from engine.methods.dense_records import DenseResult
from engine.methods.sugar import SugarResult
from engine.methods.timing.base import PolicyRun, PolicyTrace
from engine.methods.timing.method import TimingResult
from engine.methods.timing.trace import NO_VALUE
from engine.thresholds.fitted.records import (
    CheckedCut,
    FittedThreshold,
    LoopOutcome,
    LoopRow,
    Origin,
    PolicyAtCost,
    PolicySignals,
    QuestionRow,
)
from engine.thresholds.table import FITTED_POLICIES

LEAST_QUESTIONS = 20
# Seeds keep the label they had before thresholds had one name, so a fit gives the same numbers again.
SEED_LABELS = {"dse": "dense"}
LEAST_OF_A_CLASS = 5
MOST_OFF = 0.1
ANCHORS = ("never", "once")
SENTENCES = "flare"  # the one policy whose signals cover every sentence
HOW = (
    "DSE and SUGAR: highest balanced accuracy against wrong answers (Youden), fitted to one half of the questions and "
    "tested on the other. ETC, RIND and FLARE: the mean number of lookups a question that was asked for, counted on "
    "the answers from memory, one a sentence at most."
)
Labelled = tuple[str, float, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The cost at which policies are compared: ``wanted`` lookups a question on average, ``most`` at one question."""

    wanted: float = 1.0
    most: int = 3


def row_of(found: Diagnosis, settings: str = "") -> QuestionRow:
    """Return what calibration keeps of a diagnosis with correct answers. Raises InputError without one.

    ``settings`` names what was asked for, so that other settings are not mixed in.
    """
    if not found.golds:
        raise InputError(f"Calibration needs a correct answer to {found.question!r}.")
    dense, sugar = (found.result(DenseResult, measured=False), found.result(SugarResult, measured=False))
    timing = found.result(TimingResult, measured=False)
    measured = timing if timing and not timing.not_measured else None
    return QuestionRow(
        question=found.question,
        golds=found.golds,
        settings=settings,
        origin=origin_of(found),
        right=is_right(found.answer.text, found.golds),
        right_closed_book=is_right(found.closed_book.text, found.golds),
        right_step_by_step=measured.right if measured else None,
        dense=dense.entropy if dense else None,
        sugar=sugar.closed_book.entropy if sugar else None,
        policies=signals_of(measured.lanes) if measured else (),
    )


def origin_of(found: Diagnosis) -> Origin:
    """Return what a diagnosis was made with, as far as thresholds depend on it."""
    stated = {field.name for field in fields(Origin)} - {"passages"}
    made = {name: getattr(found.provenance, name) for name in stated}
    return Origin(**made, passages=len(found.hits))


def signals_of(lanes: Sequence[PolicyTrace]) -> tuple[PolicySignals, ...]:
    """Return the peaks of the policies whose thresholds are fitted, sentence by sentence."""
    by_word = {lane.policy: lane for lane in lanes}
    starts = sorted({signal.cut for signal in by_word[SENTENCES].signals}) if SENTENCES in by_word else []
    return tuple(peaks_of(by_word[word], starts) for word in FITTED_POLICIES if word in by_word)


def peaks_of(lane: PolicyTrace, starts: Sequence[int]) -> PolicySignals:
    """Return a lane's strongest value in each sentence; ``starts`` are where the sentences begin, in characters."""
    below = lane.bar.rule == "below"
    # A text without a value costs no lookup at any threshold, which a budget of lookups has to count.
    missing = "" if lane.not_measured == NO_VALUE else lane.not_measured
    reason = missing or ("" if starts else "The sentences of the answer are not known.")
    peaks: dict[int, float] = {}
    for signal in lane.signals if starts else ():
        if signal.value is None:
            continue
        value = abs(signal.value) if lane.bar.rule.startswith("magnitude") else signal.value
        sentence = max(0, bisect_right(starts, signal.start) - 1)
        peaks[sentence] = (min if below else max)(value, peaks.get(sentence, value))
    found = tuple(peaks[sentence] for sentence in sorted(peaks))
    return PolicySignals(policy=lane.policy, below=below, peaks=() if reason else found, reason=reason)


def check_budget(budget: Budget) -> None:
    """Raise InputError where no policy could be compared at this cost."""
    if not 0 < budget.wanted < math.inf or budget.most < 1:
        raise InputError(f"Ask for more than 0 lookups a question, got {budget.wanted:g} of at most {budget.most}.")


def fitted(rows: Sequence[QuestionRow], budget: Budget) -> tuple[FittedThreshold, ...]:
    """Return every threshold, fitted or with its reason. Raises InputError where rows do not belong together."""
    check_budget(budget)
    if len({row.origin for row in rows}) > 1:
        raise InputError("These rows were made with different models, corpora or settings, so nothing is fitted.")
    dense = [(row.question, row.dense, not row.right) for row in rows if row.dense is not None]
    memory = [(row.question, row.sugar, not row.right_closed_book) for row in rows if row.sugar is not None]
    low = decision("sugar_low", memory)
    return (
        decision("dse", dense),
        low,
        upper_sugar(rows, low),
        *(policy_threshold(word, rows, budget) for word in FITTED_POLICIES),
    )


def upper_sugar(rows: Sequence[QuestionRow], low: FittedThreshold) -> FittedThreshold:
    """Return SUGAR's upper threshold, from the questions above the lower one: it is never below that."""
    if low.value is None:
        return FittedThreshold(
            name="sugar_high", value=None, questions=0, reason="It needs the lower threshold, which is not fitted."
        )
    above = [row for row in rows if row.sugar is not None and row.sugar > low.value]
    doubtful = [(row.question, row.sugar, not row.right) for row in above if row.sugar is not None]
    return decision("sugar_high", doubtful)


def is_for_fitting(question: str) -> bool:
    """Return whether a question is one to fit on, not to test on: by its text alone, so that it is always the same.

    >>> is_for_fitting("Who?"), is_for_fitting("What?")
    (False, True)
    """
    return sha256(question.encode()).digest()[0] % 2 == 0


def decision(name: str, labelled: Sequence[Labelled]) -> FittedThreshold:
    """Return the threshold of an uncertainty in nats against wrong answers, from (question, uncertainty, is wrong)."""
    fitting = [one for one in labelled if is_for_fitting(one[0])]
    testing = [one for one in labelled if not is_for_fitting(one[0])]
    n, n_wrong = len(fitting), sum(wrong for _, _, wrong in fitting)
    reason = too_few(n, n_wrong, "to fit on") or too_few(len(testing), sum(w for _, _, w in testing), "to test on")
    if reason:
        return FittedThreshold(name=name, value=None, questions=n, wrong=n_wrong, reason=reason)
    values, wrong = arrays_of(fitting)
    ranks, (low, high) = auroc(wrong, values), auroc_interval(wrong, values)
    seen = FittedThreshold(
        name=name,
        value=None,
        questions=n,
        wrong=n_wrong,
        auroc=ranks,
        auroc_interval=Interval(low=low, high=high, method="score"),
    )
    cut = youden_threshold(values, wrong)
    if math.isnan(cut) or low <= 0.5:
        said = f"AUROC {ranks:.2f} ({low:.2f} to {high:.2f}) does not leave out 0.5"
        return replace(seen, reason=f"Wrong answers are not clearly more uncertain than right ones here: {said}.")
    tested = check_cut(cut, testing)
    seen = replace(seen, tested=tested, balanced_accuracy=balanced_accuracy(values, wrong, cut))
    span = tested.balanced_accuracy_interval
    if span.low <= 0.5:
        said = f"balanced accuracy {tested.balanced_accuracy:.2f} ({span.low:.2f} to {span.high:.2f})"
        reason = f"On {tested.questions} other questions the cut {cut:.2f} is not clearly better than chance: {said}."
        return replace(seen, reason=reason)
    drawn = resample_questions(values, wrong, SEED_LABELS.get(name, name))
    return replace(seen, value=cut, interval=interval([youden_threshold(v, w) for v, w in drawn]))


def arrays_of(labelled: Sequence[Labelled]) -> tuple[np.ndarray, np.ndarray]:
    """Return uncertainties and labels as arrays; values that differ by rounding become one."""
    values = np.array([value for _, value, _ in labelled])
    return levelled(values), np.array([wrong for _, _, wrong in labelled])


def check_cut(cut: float, labelled: Sequence[Labelled]) -> CheckedCut:
    """Return what a cut achieves on questions that it was not fitted to."""
    values, wrong = arrays_of(labelled)
    above, below = shares_decided(values, wrong, cut)
    shares, spans = [m / t for m, t in (above, below)], [clopper_pearson_interval(*one) for one in (above, below)]
    low, high = joined_interval([(0.5, share, span) for share, span in zip(shares, spans, strict=True)])
    bounds = [Interval(low=a, high=b, method="exact") for a, b in spans]
    return CheckedCut(
        cut=cut,
        questions=len(labelled),
        wrong=int(wrong.sum()),
        sensitivity=shares[0],
        sensitivity_interval=bounds[0],
        specificity=shares[1],
        specificity_interval=bounds[1],
        balanced_accuracy=sum(shares) / 2,
        balanced_accuracy_interval=Interval(low=low, high=high, method="joined"),
    )


def too_few(questions: int, wrong: int, use: str = "") -> str:
    """Return why nothing can be fitted to so many questions of which so many are wrong, "" where it can.

    ``use`` says what these are for where they are half of all: then about twice as many have to be asked.

    >>> too_few(30, 28)
    'Only 2 of 30 answers are right; at least 5 of each kind are needed.'
    >>> too_few(12, 6, "to test on")
    'Measured on 12 questions to test on only; at least 20 are needed, about 40 in all.'
    """
    words, every = (f" {use}", 2) if use else ("", 1)
    if questions < LEAST_QUESTIONS:
        in_all = f", about {every * LEAST_QUESTIONS} in all" if use else ""
        return (
            f"Measured on {counted(questions, 'question')}{words} only; at least {LEAST_QUESTIONS} are needed{in_all}."
        )
    fewer, kind = min((wrong, "wrong"), (questions - wrong, "right"))
    if fewer < LEAST_OF_A_CLASS:
        in_all = f", about {every * LEAST_OF_A_CLASS} in all" if use else ""
        return (
            f"Only {fewer} of {questions} answers{words} are {kind}; at least {LEAST_OF_A_CLASS} of each kind are "
            f"needed{in_all}."
        )
    return ""


def resample_questions(values: np.ndarray, wrong: np.ndarray, name: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return bootstrap resamples of the questions, each with as many wrong answers as there are."""
    rng = np.random.default_rng(derive_seed(0, "calibration", name))
    kinds = (np.flatnonzero(wrong), np.flatnonzero(~wrong))
    drawn = [np.concatenate([rng.choice(kind, kind.size) for kind in kinds]) for _ in range(REPEATS)]
    return [(values[places], wrong[places]) for places in drawn]


def interval(repeats: Sequence[float]) -> Interval | None:
    """Return the middle 95 % of the repeats that have a value, None where none has."""
    known = [value for value in repeats if not math.isnan(value)]
    if not known:
        return None
    low, high = percentile_interval(known)
    return Interval(low=low, high=high)


def policy_threshold(policy: str, rows: Sequence[QuestionRow], budget: Budget) -> FittedThreshold:
    """Return the threshold at which a policy asks for the budget's mean number of lookups a question."""
    name = FITTED_POLICIES[policy].word
    found = [signals for row in rows for signals in row.policies if signals.policy == policy]
    measured = [signals for signals in found if not signals.reason]
    n = len(measured)
    if n < LEAST_QUESTIONS:
        why = next((f" {signals.reason}" for signals in found if signals.reason), "")
        return FittedThreshold(name=name, value=None, questions=n, reason=f"{too_few(n, 0)}{why}")
    peaks, below = [signals.peaks for signals in measured], measured[0].below
    if any(signals.below != below for signals in measured):
        raise InputError(f"The rows of {policy} mix two variants, so nothing is fitted.")
    cut, retrievals = threshold_for_count(peaks, budget.wanted, budget.most, below)
    if math.isnan(cut):
        return FittedThreshold(name=name, value=None, questions=n, reason="It has no value in any answer.")
    if abs(retrievals - budget.wanted) > MOST_OFF:
        reason = f"No threshold gives {budget.wanted:.2f} lookups a question; the nearest gives {retrievals:.2f}."
        return FittedThreshold(name=name, value=None, questions=n, reason=reason)
    rng = np.random.default_rng(derive_seed(0, "calibration", policy))
    again = [
        threshold_for_count([peaks[place] for place in rng.integers(0, n, n)], budget.wanted, budget.most, below)[0]
        for _ in range(REPEATS)
    ]
    return FittedThreshold(name=name, value=cut, questions=n, interval=interval(again), retrievals=retrievals)


def loops_of(found: Diagnosis, thresholds: tuple[tuple[str, float], ...], most_retrievals: int) -> LoopRow:
    """Return what the loops of a diagnosis took, at most so many lookups. Raises InputError where it has none."""
    timing = found.result(TimingResult, measured=False)
    if timing is None:
        outcome = found.outcome("timing")
        raise InputError(f"The policies could not be run on {found.question!r}: {outcome.reason if outcome else ''}")
    return LoopRow(
        question=found.question,
        golds=found.golds,
        origin=origin_of(found),
        thresholds=thresholds,
        loops=tuple(loop_of(run) for run in timing.runs),
        most_retrievals=most_retrievals,
    )


def loop_of(run: PolicyRun) -> LoopOutcome:
    """Return what one loop took."""
    return LoopOutcome(
        policy=run.policy,
        right=run.right,
        retrievals=len(run.retrievals),
        tokens_written=run.tokens_written,
        prompt_tokens=run.prompt_tokens,
        reason=run.not_measured,
    )


def compare_policies(
    rows: Sequence[QuestionRow], loops: Sequence[LoopRow], thresholds: Sequence[FittedThreshold]
) -> tuple[PolicyAtCost, ...]:
    """Return one line a policy, in the order the loops name them: what it cost and how often it was right."""
    words = tuple(dict.fromkeys(one.policy for row in loops for one in row.loops))
    values = {one.name: one.value for one in thresholds}
    lines = []
    for word in words:
        runs = [one for row in loops for one in row.loops if one.policy == word and one.right is not None]
        cut = values.get(FITTED_POLICIES[word].word) if word in FITTED_POLICIES else None
        if runs:
            lines.append(policy_line(word, runs, share_that_fires(rows, word, cut)))
    return tuple(lines)


def policy_line(word: str, runs: Sequence[LoopOutcome], fires: tuple[float | None, float | None]) -> PolicyAtCost:
    """Return the line of one policy from its loops and from how often its trace fires (on wrong, on right answers)."""
    right = np.array([bool(run.right) for run in runs])
    low, high = clopper_pearson_interval(int(right.sum()), right.size)
    return PolicyAtCost(
        policy=word,
        questions=len(runs),
        right=int(right.sum()),
        right_interval=Interval(low=low, high=high, method="exact"),
        retrievals=float(np.mean([run.retrievals for run in runs])),
        tokens_written=float(np.mean([run.tokens_written for run in runs])),
        prompt_tokens=float(np.mean([run.prompt_tokens for run in runs])),
        on_wrong=fires[0],
        on_right=fires[1],
    )


def share_that_fires(rows: Sequence[QuestionRow], word: str, cut: float | None) -> tuple[float | None, float | None]:
    """Return the shares of wrong, and of right, answers from memory in which a policy's trace reaches a threshold."""
    if cut is None:
        return None, None
    shares: list[float | None] = []
    for right in (False, True):
        found = [
            signals
            for row in rows
            for signals in row.policies
            if row.right_step_by_step is right and signals.policy == word and not signals.reason
        ]
        peaks = [signals.peaks for signals in found]
        shares.append(mean_count(peaks, cut, 1, found[0].below) if found else None)
    return shares[0], shares[1]
