"""SUGAR: did the question need a lookup at all, one, or several?

Semantic entropy of ten closed-book answers (SUGAR, section II.B, eq. 1) against two thresholds (section II.C) chooses
between no retrieval, one round and several. Differences: the entropy is -Σ p ln p of length-normalised likelihoods;
the printed mean of -ln p is an option. The paper leaves open how several rounds go on: here each retrieves what was not
read yet, answers over all that was, and while rounds are left measures the entropy again: low ends it, else the next
search is for the question and that answer. Samples that mostly state no answer agree on nothing and end no search. The
samples are SePer's very draws, so a run with both draws them once.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from engine.backends.entailment.base import states_answer
from engine.core.errors import InputError, NotMeasured
from engine.core.progress import Stage
from engine.core.records import Generation, Hit, Judgement, Passage, ThresholdSource
from engine.core.settings import Positive, check_settings
from engine.measures.semantic_entropy import (
    discrete_semantic_entropy,
    equation_1,
    predictive_entropy,
    retrieval_need,
    semantic_entropy,
)
from engine.methods.base import Backends, Case, answer_request, on_behalf_of, source_of
from engine.methods.cost import Load, Plan
from engine.methods.descriptor import Method
from engine.methods.profiles import sample_tokens
from engine.methods.reach import by_samples
from engine.methods.seper import belief, belief_fits, sample_answers, sampling
from engine.methods.seper_records import Belief, SeperConfig
from engine.methods.threshold import Threshold

MOST_ROUNDS = 10
PAPER_THRESHOLDS = (0.4, 0.9)
EntropyForm = Literal["entropy", "equation_1"]
Need = Literal["none", "single", "multi"]
Ending = Literal[
    "not needed", "one round", "certain enough", "out of rounds", "nothing new", "nothing found", "not possible"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SugarConfig:
    """How SUGAR runs. Thresholds in nats; ``passages`` a round, None = as many as the question was asked over.

    ``seper`` is how the samples are drawn: ``diagnose`` puts SePer's own settings here, so that both share their draws.
    The paper names no number of rounds; 2 is ours, as they are nearly free where SePer ran (the paper's multi-step
    baseline takes about five). ``fitted``: the thresholds are calibration's, not the paper's.
    """

    low: Annotated[float, Field(ge=0)] = PAPER_THRESHOLDS[0]
    high: Annotated[float, Field(ge=0)] = PAPER_THRESHOLDS[1]
    form: EntropyForm = "entropy"
    passages: Positive | None = None
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)] = 2
    seper: SeperConfig = SeperConfig()
    fitted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """How unsure the model is in one condition: sampled answers, their meanings, four readings of them in nats.

    ``entropy`` in [0, ln samples] and ``discrete``, the same of frequencies; ``equation_1`` as printed, at least the ln
    of the number of meanings; ``predictive`` minus the mean token log-probability. Higher = more unsure. ``belief`` has
    the samples, their weights and meanings; it knows no correct answer, as SUGAR must decide without.
    """

    belief: Belief
    entropy: float
    equation_1: float
    discrete: float
    predictive: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SugarRound:
    """One lookup: the query, the new passages it found, the answer over all passages read so far, the doubt after it.

    ``hits`` are empty, with the ``reason``, where nothing (new) was found: then there is no answer of this round.
    ``after`` is measured only where another round may follow: it is what decides on that.
    """

    number: int
    query: str
    hits: tuple[Hit, ...]
    answer: Generation | None
    after: Doubt | None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SugarResult:
    """The decision, what it rests on, and every round that was made.

    ``measured`` is the number, in nats, that was compared with ``low`` and ``high``: the closed-book doubt in the
    ``form`` asked for. ``most_rounds`` is the budget of a "multi" decision, ``passages_a_round`` what each may add.
    ``answer`` is the last round's, else the closed-book one. ``ending`` says why no further round was made;
    ``ending_reason`` adds a sentence where a lookup was due and could not be made.
    """

    method: Literal["sugar"] = "sugar"
    variant: Literal["paper"] = "paper"
    form: EntropyForm
    low: float
    high: float
    threshold_source: ThresholdSource
    closed_book: Doubt
    closed_book_answer: Generation
    measured: float
    decision: Need
    rounds: tuple[SugarRound, ...]
    most_rounds: int
    passages_a_round: int
    retriever: str
    answer: Generation
    ending: Ending
    ending_reason: str
    judgements: tuple[Judgement, ...]
    not_measured: str = ""


def run(case: Case, config: SugarConfig, backends: Backends) -> SugarResult:
    """Return what SUGAR decides for the question, and the answer it ends with.

    A question without passages or corpus is decided too; where its decision is to look something up, that is *not
    possible*, and the closed-book answer stays. Raises InputError on settings that cannot be used, NotMeasured below
    two samples: one draw cannot disagree.
    """
    check_settings(config, "SUGAR")
    if (config.seper.samples or case.profile.samples) < 2:
        raise NotMeasured("SUGAR compares samples from memory, and there is only one.")
    if config.low > config.high:
        raise InputError(f"SUGAR: the lower threshold must not exceed the upper one, got {config.low}, {config.high}.")
    backends = on_behalf_of("sugar", backends)
    closed_book, judgements = measure_doubt(case, (), config, backends)
    backends.report(Stage(method="sugar", name="answering from memory", total=1))
    from_memory = backends.model.generate([answer_request(case.profile, case.question, ())], backends.report)[0]
    measured = decision_value(closed_book, config.form)
    decision: Need = retrieval_need(measured, config.low, config.high)
    rounds, ending, reason, judged = looked_up(case, config, decision, backends)
    answers = [one.answer for one in rounds if one.answer is not None]
    return SugarResult(
        form=config.form,
        low=config.low,
        high=config.high,
        threshold_source=source_of((config.low, config.high) == PAPER_THRESHOLDS, config.fitted),
        closed_book=closed_book,
        closed_book_answer=from_memory,
        measured=measured,
        decision=decision,
        rounds=rounds,
        most_rounds=config.rounds,
        passages_a_round=passages_wanted(case, config),
        retriever=backends.retriever if backends.corpus is not None else "none",
        answer=answers[-1] if answers else from_memory,
        ending=ending,
        ending_reason=reason,
        judgements=tuple(dict.fromkeys((*judgements, *judged))),
    )


def measure_doubt(
    case: Case, passages: tuple[Passage, ...], config: SugarConfig, backends: Backends
) -> tuple[Doubt, tuple[Judgement, ...]]:
    """Return how unsure the model is over these passages (closed-book where there are none), and what was judged.

    Requests and clusters are SePer's. All rounds draw from the same seeds: what changes between them is the reading.
    """
    condition = "with" if passages else "without"
    samples = sample_answers(case, passages, condition, config.seper, backends)
    measured_belief, _, judgements = belief(replace(case, golds=()), samples, config.seper, backends, condition)
    probabilities = np.array([meaning.probability for meaning in measured_belief.meanings])
    measured = Doubt(
        belief=measured_belief,
        entropy=semantic_entropy(probabilities),
        # A meaning so improbable that its share is rounded to 0 would make the printed mean infinite.
        equation_1=equation_1(probabilities) if probabilities.all() else float("inf"),
        discrete=discrete_semantic_entropy(measured_belief.ids),
        predictive=predictive_entropy([sample.mean_logprob for sample in samples]),
    )
    return measured, judgements


def decision_value(found: Doubt, form: EntropyForm) -> float:
    """Return the number, in nats, that is compared with the thresholds."""
    return found.entropy if form == "entropy" else found.equation_1


def states_nothing(found: Doubt) -> bool:
    """Return whether at least half of the weight lies on samples that state no answer: they agree on nothing."""
    told = [
        (weight, states_answer(one.text))
        for weight, one in zip(found.belief.weights, found.belief.samples, strict=True)
    ]
    return sum(weight for weight, states in told if not states) >= sum(weight for weight, states in told if states)


def decides_nothing(result: SugarResult) -> bool:
    """Return whether the samples from memory leave SUGAR nothing to decide by: a single one, or no answer stated."""
    return len(result.closed_book.belief.samples) < 2 or states_nothing(result.closed_book)


def is_certain(found: Doubt, config: SugarConfig) -> bool:
    """Return whether the samples agree on an answer, so that no further round is needed."""
    return decision_value(found, config.form) <= config.low and not states_nothing(found)


def passages_wanted(case: Case, config: SugarConfig) -> int:
    """Return how many new passages a round reads; as many as the question's own retrieval makes round one free."""
    return config.passages or len(case.passages) or case.profile.passages


def looked_up(
    case: Case, config: SugarConfig, decision: Need, backends: Backends
) -> tuple[tuple[SugarRound, ...], Ending, str, tuple[Judgement, ...]]:
    """Return the rounds a decision leads to, why they ended, the reason in words, and what was judged in them."""
    allowed = {"none": 0, "single": 1, "multi": config.rounds}[decision]
    if not allowed:
        return (), "not needed", "", ()
    if backends.corpus is None:
        reason = "There is nothing to search: the question came without a corpus and without passages."
        return (), "not possible", reason, ()
    rounds: list[SugarRound] = []
    judgements: list[Judgement] = []
    query = case.question
    for number in range(1, allowed + 1):
        backends.report(Stage(method="sugar", name="looking up", done=number - 1, total=allowed))
        made, judged = one_round(case, config, number, query, tuple(rounds), allowed, backends)
        rounds.append(made)
        judgements += judged
        if made.answer is None:
            return tuple(rounds), "nothing new" if number > 1 else "nothing found", made.reason, tuple(judgements)
        if made.after is not None and is_certain(made.after, config):
            return tuple(rounds), "certain enough", "", tuple(judgements)
        # The next search is for the question and what was just answered, so that the answer can lead on.
        query = f"{case.question} {made.answer.text.strip()}".strip()
    return tuple(rounds), "one round" if decision == "single" else "out of rounds", "", tuple(judgements)


def one_round(
    case: Case,
    config: SugarConfig,
    number: int,
    query: str,
    before: tuple[SugarRound, ...],
    allowed: int,
    backends: Backends,
) -> tuple[SugarRound, tuple[Judgement, ...]]:
    """Return one round: search, answer over everything read so far, and the doubt after it where that decides."""
    read = tuple(hit.passage for one in before for hit in one.hits)
    hits, reason = search_unread(query, passages_wanted(case, config), read, backends)
    if not hits:
        return SugarRound(number=number, query=query, hits=(), answer=None, after=None, reason=reason), ()
    passages = (*read, *(hit.passage for hit in hits))
    backends.report(Stage(method="sugar", name=f"answering after round {number}", total=1))
    answer = backends.model.generate([answer_request(case.profile, case.question, passages)], backends.report)[0]
    after, judgements = measure_doubt(case, passages, config, backends) if number < allowed else (None, ())
    return SugarRound(number=number, query=query, hits=hits, answer=answer, after=after), judgements


def search_unread(
    query: str, wanted: int, read: tuple[Passage, ...], backends: Backends
) -> tuple[tuple[Hit, ...], str]:
    """Return at most ``wanted`` hits that were not read yet, and the reason where there are none."""
    if backends.corpus is None:
        return (), "There is nothing to search."
    try:
        hits = backends.corpus.search(query, wanted + len(read), backends.retriever)
    except InputError as exc:
        return (), str(exc)
    new = tuple(hit for hit in hits if hit.passage not in read)[:wanted]
    return new, "" if new else "Every passage that this search finds was read already."


def load(config: SugarConfig, plan: Plan) -> Load:
    """Return SUGAR's load at most: N closed-book samples, an answer a round, N samples over all read after all but one.

    The closed-book samples are SePer's, and so are those of round one where it reads what the question was asked over.
    Without passages or a corpus nothing can be looked up.
    """
    n = config.seper.samples or plan.profile.samples
    rounds, shared = config.rounds if plan.searchable else 0, "seper" in plan.methods
    # Pasted passages may be found in another order than they were asked over.
    first_free = shared and config.passages is None and not plan.pasted
    new = plan.passage_tokens * (config.passages or plan.passages) // plan.passages
    reading = [number * new + plan.closed_book for number in range(1, rounds + 1)]
    answered, measured = reading[1 if first_free else 0 :], reading[1 if first_free else 0 : -1]
    closed = 0 if shared else n
    samples = closed + len(measured) * n
    return Load(
        model_calls=samples + len(answered),
        samples=samples,
        judge_pairs=max(1, rounds) * n * (n - 1),
        prompt_tokens=closed * plan.closed_book + sum(answered) + n * sum(measured),
        new_tokens=samples * sample_tokens(plan.profile, config.seper.variant)
        + len(answered) * plan.profile.answer_tokens,
    )


def fits(result: SugarResult) -> bool:
    """Return whether the beliefs before and after every round fit together."""
    doubts = (result.closed_book, *(one.after for one in result.rounds if one.after is not None))
    return all(belief_fits(one.belief) for one in doubts)


def settings_of(result: SugarResult) -> SugarConfig:
    """Return SUGAR's thresholds, form and budget."""
    return SugarConfig(
        low=result.low,
        high=result.high,
        form=result.form,
        passages=result.passages_a_round,
        rounds=result.most_rounds,
        fitted=result.threshold_source == "fitted",
    )


def sampling_of(result: SugarResult) -> SeperConfig | None:
    """Return how the closed-book samples were drawn."""
    return sampling(result.closed_book.belief.samples)


LOW, HIGH = (
    Threshold(
        word=f"sugar_{field}",
        title=title,
        unit="nats",
        decides=decides,
        paper="SUGAR, section III.D",
        group="Need of a lookup",
        fields=(("sugar", field),),
        stored=(f"sugar.{field}",),
        compared=("sugar.measured",),
        fitted=True,
    )
    for field, title, decides in (
        ("low", "SUGAR's lower threshold", "Up to it nothing is looked up."),
        ("high", "SUGAR's upper threshold", "Above it there are several lookups."),
    )
)
METHOD = Method(
    word="sugar",
    title="SUGAR",
    question="Did the question need a lookup at all, one, or several?",
    paper="SUGAR, section II",
    icon="alt_route",
    config=SugarConfig,
    result=SugarResult,
    run=run,
    needs=partial(by_samples, "sugar"),
    load=load,
    fits=fits,
    settings=settings_of,
    sampling=sampling_of,
    thresholds=(
        LOW,
        HIGH,
    ),
    headlines=lambda _result: ("measured", "low", "high", "closed_book.discrete"),
)
