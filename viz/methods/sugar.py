"""SUGAR in words and tables: semantic entropy against its two thresholds, from memory and after each lookup.

Thresholds and the form of the entropy are replayed on the stored numbers, so moving them needs no model. What another
decision would have read and answered cannot be replayed: that is said to need a new run.
"""

import math

import pandas as pd

from engine.backends.entailment.base import states_answer
from engine.core.passage_names import passage_name
from engine.core.records import Generation
from engine.core.words import shown
from engine.measures.semantic_entropy import retrieval_need
from engine.methods.seper_records import Meaning
from engine.methods.sugar import PAPER_THRESHOLDS, Doubt, EntropyForm, SugarResult, SugarRound, decides_nothing
from viz.methods.belief_bars import LEAST_SEEN
from viz.methods.check_rates import CHECK_RATES
from viz.methods.verdicts import TONES, Verdict
from viz.parts.words import WORDS, bound_words, closed, counted, digits_apart, quoted, same_meaning

DECISIONS = WORDS["lookup needs"]
FORMS = WORDS["entropy forms"]
MEMORY = "from memory"
TABLE_COLUMNS = [
    "step",
    "answer",
    "semantic entropy (nats)",
    "eq. 1 (nats)",
    "discrete (nats)",
    "predictive (nats a token)",
    "query",
    "new passages",
    "note",
]


def verdict(result: SugarResult) -> Verdict:
    """Return SUGAR's word on the recorded run; a lookup that was due and not possible is said in the sentence.

    Samples that state no answer agree, but that is no reason to look nothing up. One sample always agrees with itself.
    """
    samples = result.closed_book.belief.samples
    if undecided := undecided_word(result):
        silent = sum(not states_answer(one.text) for one in samples)
        why = (
            "One sample only" if len(samples) < 2 else f"{silent} of {len(samples)} samples from memory state no answer"
        )
        return Verdict(word=undecided, tone="unknown", sentence=f"{why}. {sentence(result)}")
    return Verdict(
        word=DECISIONS[result.decision],
        tone=TONES["lookup needs"][result.decision],
        sentence=sentence(result),
        detail=base_rate(result),
    )


def undecided_word(result: SugarResult) -> str:
    """Return why the samples from memory decide nothing, in a word, "" where they decide."""
    if not decides_nothing(result):
        return ""
    return "nothing to compare" if len(result.closed_book.belief.samples) < 2 else "no answer to compare"


def decided(result: SugarResult, measured: float, low: float, high: float) -> str:
    """Return what a number in nats decides at two thresholds, or why it decides nothing."""
    return undecided_word(result) or DECISIONS[retrieval_need(measured, low, high)]


def base_rate(result: SugarResult) -> str:
    """Return how often no lookup was asked for elsewhere; "" at thresholds or a form that were not measured."""
    rates = CHECK_RATES["sugar"]
    if (result.low, result.high, result.form) != (rates["low"], rates["high"], "entropy"):
        return ""
    found = {name: int(number) for name, number in rates.items()}
    return (
        f"On Natural Questions, SmolLM2-135M reader: no lookup for {found['right_none']} of {found['right']} right "
        f"answers, {found['wrong_none']} of {found['wrong']} wrong ones."
    )


def sentence(result: SugarResult) -> str:
    """Return the decision in words: the number, the thresholds, what was done, and the answer it ends with."""
    number, meanings = len(result.closed_book.belief.samples), len(result.closed_book.belief.meanings)
    has = "has" if number == 1 else "have"
    measured, cuts = result.measured, (result.low, result.high)
    return (
        f"{counted(number, 'answer')} from memory {has} {counted(meanings, 'meaning')}: "
        f"{FORMS[result.form]} {nats(measured, *cuts)}, {comparison(measured, *cuts)}. "
        f"{outcome(result)}"
    )


def outcome(result: SugarResult) -> str:
    """Return what followed from the decision, in words."""
    made = sum(one.answer is not None for one in result.rounds)
    answer = closed(f"The answer is {quoted(result.answer.text)}")
    ending = WORDS["lookup endings"][result.ending]
    return f"{ending.format(reason=result.ending_reason, rounds=counted(made, 'round'))} {answer}"


def comparison(measured: float, low: float, high: float) -> str:
    """Return where a number in nats lies between two thresholds.

    >>> comparison(0.6, 0.4, 0.9)
    'between the thresholds 0.40 and 0.90'
    """
    if measured <= low:
        return f"not above the lower threshold {bound_words(low)}"
    if measured <= high:
        return f"between the thresholds {bound_words(low)} and {bound_words(high)}"
    return f"above the upper threshold {bound_words(high)}"


def nats(value: float, *bounds: float) -> str:
    """Return a number of nats, two decimals or as many as tell it from the bounds, no minus on zero, infinity as ∞.

    >>> nats(0.3251), nats(-0.0), nats(math.inf), nats(0.4004, 0.4, 0.9)
    ('0.33 nats', '0.00 nats', '∞', '0.4004 nats')
    """
    return "∞" if math.isinf(value) else f"{value + 0.0:.{digits_apart(value, *bounds)}f} nats"


def number_of(found: Doubt, form: EntropyForm) -> float:
    """Return the number, in nats, that a form holds against the thresholds."""
    return found.entropy if form == "entropy" else found.equation_1


def replay_sentence(result: SugarResult, form: EntropyForm, low: float, high: float) -> str:
    """Return what SUGAR would decide with another form or other thresholds, and what a replay cannot show."""
    if (form, low, high) == (result.form, result.low, result.high):
        return "The run's own thresholds: move them."
    measured = number_of(result.closed_book, form)
    decision = retrieval_need(measured, low, high)
    said = f"{comparison(measured, low, high)}: {decided(result, measured, low, high)}"
    text = f"{FORMS[form].capitalize()} {nats(measured, low, high)}, {said}."
    if decision == result.decision:
        return f"{text} Same decision."
    return f"{text} The run decided on {DECISIONS[result.decision]}: run again to read more."


def threshold_label(result: SugarResult) -> str:
    """Return the label of the thresholds: their unit, this run's values, where those come from, and the paper's."""
    low, high = PAPER_THRESHOLDS
    own = f"Thresholds in nats (this run: {result.low:.2f} and {result.high:.2f}"
    papers = "the paper's single cuts on TriviaQA and SQuAD, 7B"
    if result.threshold_source == "paper":
        return f"{own}, {papers})"
    return f"{own}, {result.threshold_source}; {papers}: {low:.2f} and {high:.2f})"


def threshold_range(result: SugarResult) -> tuple[float, float]:
    """Return the thresholds worth trying, in nats: from 0 to the largest entropy of so many samples, or the run's own.

    Rounded up to a tenth, so that a slider ends on a round number.
    """
    most = math.log(max(2, len(result.closed_book.belief.samples)))
    return 0.0, math.ceil(max(most, result.high) * 10) / 10


def steps(result: SugarResult) -> tuple[tuple[str, Doubt, str], ...]:
    """Return (name, doubt, answer) from memory and after each round where the doubt was measured."""
    memory = (MEMORY, result.closed_book, result.closed_book_answer.text)
    after = [
        (f"after round {one.number}", one.after, one.answer.text)
        for one in result.rounds
        if one.after is not None and one.answer is not None
    ]
    return (memory, *after)


def rounds_table(result: SugarResult) -> pd.DataFrame:
    """Return the text twin: one row from memory and one per round, with query, titles, answer and four readings.

    Readings are nats, missing where nothing was measured after a round; the note says why a round has no answer.
    """
    memory = _row(MEMORY, "", "", result.closed_book_answer, result.closed_book, "")
    rows = [memory]
    for one in result.rounds:
        titles = "; ".join(passage_name(hit.passage) for hit in one.hits)
        rows.append(_row(f"round {one.number}", one.query, titles, one.answer, one.after, one.reason))
    return pd.DataFrame(rows, columns=TABLE_COLUMNS)


def shown_rounds(result: SugarResult) -> pd.DataFrame:
    """Return ``rounds_table`` for a page: without its notes where there is none."""
    whole = rounds_table(result)
    return whole if whole["note"].any() else whole.drop(columns="note")


def _row(step: str, query: str, titles: str, answer: Generation | None, found: Doubt | None, note: str) -> list[object]:
    measured: list[float | None] = [None] * 4
    if found is not None:
        measured = [found.entropy, found.equation_1, found.discrete, found.predictive]
    return [step, None if answer is None else shown(answer.text), *measured, query, titles, note]


def shown_meanings(found: Doubt) -> pd.DataFrame:
    """Return ``meanings_table`` for a page: meanings that two decimals show as 0.00 are one row, "other"."""
    whole = meanings_table(found)
    small = whole["probability"] < LEAST_SEEN
    if small.sum() < 2:
        return whole
    name = f"other ({counted(int(small.sum()), 'meaning')})"
    other = pd.DataFrame([[name, *whole.loc[small, ["probability", "samples"]].sum()]], columns=whole.columns)
    return pd.concat([whole[~small], other], ignore_index=True).astype({"samples": int})


def meanings_table(found: Doubt) -> pd.DataFrame:
    """Return the meanings of one condition's samples: text, probability (they sum to 1), number of samples."""
    rows = [
        {"meaning": shown(meaning.text), "probability": meaning.probability, "samples": len(meaning.members)}
        for meaning in _strongest_first(found)
    ]
    return pd.DataFrame(rows, columns=["meaning", "probability", "samples"])


def _strongest_first(found: Doubt) -> list[Meaning]:
    return sorted(found.belief.named, key=lambda meaning: -meaning.probability)


def meanings_in_order(found: Doubt) -> tuple[str, ...]:
    """Return the text of each row of ``meanings_table``."""
    return tuple(meaning.text for meaning in _strongest_first(found))


def sample_meanings(found: Doubt) -> tuple[str, ...]:
    """Return the text of each sample's meaning, in the order of the samples."""
    places = {member: meaning.text for meaning in found.belief.named for member in meaning.members}
    return tuple(places[sample] for sample in range(len(found.belief.samples)))


def samples_table(found: Doubt, meaning: str) -> pd.DataFrame:
    """Return a row per sample: its text, its meaning, its weight (they sum to 1); ◆ marks a chosen ``meaning``."""
    rows = [
        ("◆" if same_meaning(text, meaning) else "", number, shown(sample.text), shown(text), weight)
        for number, (sample, text, weight) in enumerate(
            zip(found.belief.samples, sample_meanings(found), found.belief.weights, strict=True), start=1
        )
    ]
    return pd.DataFrame(rows, columns=["chosen", "sample", "text", "meaning", "weight"])


def samples_place(result: SugarResult, step: int) -> str:
    """Return where the samples of a step of ``steps`` stand in the run: from memory first, then after each round."""
    measured = [place for place, one in enumerate(result.rounds) if one.after is not None]
    return f"sugar.rounds.{measured[step - 1]}.after.belief.samples" if step else "sugar.closed_book.belief.samples"


def answers_of(result: SugarResult) -> tuple[tuple[str, Generation | None], ...]:
    """Return (where it stands in the run, answer) of each row of ``rounds_table``; None where a round has none."""
    rounds = ((f"sugar.rounds.{place}.answer", one.answer) for place, one in enumerate(result.rounds))
    return (("sugar.closed_book_answer", result.closed_book_answer), *rounds)


def round_sentence(one: SugarRound) -> str:
    """Return one round in words: what was searched, how much came, and how unsure the model was after it."""
    if one.answer is None:
        return f"Searched for {quoted(one.query, 200)}: nothing to read. {one.reason}"
    after = f" Semantic entropy after it: {nats(one.after.entropy)}." if one.after is not None else ""
    found = counted(len(one.hits), "new passage")
    return f"Searched for {quoted(one.query, 200)}: {found}.{after}"


def workings_latex(result: SugarResult) -> str:
    """Return the entropy with this run's probabilities in it, as LaTeX, the four largest meanings written out."""
    largest = sorted((meaning.probability for meaning in result.closed_book.belief.meanings), reverse=True)
    terms = " + ".join(f"{p:.4f} \\ln {p:.4f}" for p in largest[:4])
    more = r" + \dots" if len(largest) > 4 else ""
    return rf"\mathrm{{SE}} = -\left({terms}{more}\right) = {result.closed_book.entropy + 0.0:.3f}"
