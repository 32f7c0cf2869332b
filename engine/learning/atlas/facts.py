"""What the atlas reads off a run beside its sample question: who holds which answer, what was right, what was known.

Texts are compared as everywhere (``engine.measures.answer_match``). The golds are the sample question's, because a run
may have been recorded without any. Ranks count from 1.
"""

import re

from engine.diagnosis.record import Diagnosis, MethodResult
from engine.measures.answer_match import contains, normalise
from engine.methods.dense import DenseResult
from engine.methods.dense_rag import DenseRagResult
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.seper import Belief, BeliefChange, SeperResult, belief_change, kernels_disagree
from engine.methods.timing.method import TimingResult
from engine.runs.sample_questions import DefectKind, PlantedDefect, SampleQuestion

NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
ALIKE = 0.8
GIVEN = "given"


def said(run: Diagnosis) -> str:
    """Return the answer over the passages."""
    return run.answer.text.strip()


def is_right(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether the answer over the passages contains a right one."""
    return contains(said(run), asked.golds)


def is_wrong(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether an answer was given over passages that were read, and is not right."""
    return bool(run.hits) and bool(said(run)) and not is_right(run, asked)


def known_by_heart(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether the answer from memory contains a right one."""
    return contains(run.closed_book.text, asked.golds)


def has_text_answer(asked: SampleQuestion) -> bool:
    """Return whether the right answer is words that can stand in a passage: "no" stands in most, and says nothing."""
    return asked.kind != "yes_no"


def numbers_in(text: str) -> frozenset[str]:
    """Return the numbers that stand in a text, without separators.

    >>> sorted(numbers_in("1,768 metres in 1866"))
    ['1768', '1866']
    """
    return frozenset(found.replace(",", "") for found in NUMBER.findall(text))


def stands_in(answer: str, text: str) -> bool:
    """Return whether an answer stands in a text: word for word, or, where it holds numbers, with all of them.

    >>> stands_in("about 29 years", "once in 29 years"), stands_in("Eagle", "The eagle landed."), stands_in("", "x")
    (True, True, False)
    """
    if not normalise(answer):
        return False
    numbers = numbers_in(answer)
    return contains(text, (answer,)) or (bool(numbers) and numbers <= numbers_in(text))


def holders(run: Diagnosis, asked: SampleQuestion) -> tuple[int, ...]:
    """Return the ranks of the passages that hold a right answer; () where it is a bare yes or no."""
    if not has_text_answer(asked):
        return ()
    return tuple(hit.rank for hit in run.hits if contains(hit.passage.text, asked.golds))


def ranks_with(run: Diagnosis, answer: str) -> tuple[int, ...]:
    """Return the ranks of the passages an answer stands in."""
    return tuple(hit.rank for hit in run.hits if stands_in(answer, hit.passage.text))


def ranks_of(run: Diagnosis, documents: tuple[str, ...]) -> tuple[int, ...]:
    """Return the ranks of the passages that come from these documents."""
    return tuple(hit.rank for hit in run.hits if hit.passage.document_id in documents)


def planted(asked: SampleQuestion, kind: DefectKind) -> PlantedDefect | None:
    """Return the defect of that kind that the question brings along, None where there is none."""
    return next((defect for defect in asked.defects if defect.kind == kind), None)


def twins(run: Diagnosis) -> tuple[int, ...]:
    """Return the ranks of passages that come twice, word for word or nearly; () where none does.

    Two passages are twins where they share at least four in five of all their words (Jaccard).
    """
    words = [frozenset(normalise(hit.passage.text).split()) for hit in run.hits]
    found: set[int] = set()
    for place, one in enumerate(words):
        for other in range(place):
            if one and len(one & words[other]) >= ALIKE * len(one | words[other]):
                found |= {run.hits[place].rank, run.hits[other].rank}
    return tuple(sorted(found))


def result_of(run: Diagnosis, method: str) -> MethodResult | None:
    """Return a method's result where it is whole, else None."""
    outcome = run.outcome(method)
    return outcome.result if outcome is not None and outcome.status == "done" else None


def dense_of(run: Diagnosis) -> DenseResult | None:
    """Return DENSE's result, None where it was not measured."""
    result = result_of(run, "dense")
    return result if isinstance(result, DenseResult) else None


def dense_rag_of(run: Diagnosis) -> DenseRagResult | None:
    """Return DENSE-RAG's result, None where it was not measured."""
    result = result_of(run, "dense_rag")
    return result if isinstance(result, DenseRagResult) else None


def beliefs_of(run: Diagnosis) -> tuple[Belief, Belief] | None:
    """Return SePer's beliefs without and with the passages, None where it was not run; no gold answer is needed."""
    outcome = run.outcome("seper")
    result = outcome.result if outcome is not None else None
    return (result.without, result.with_passages) if isinstance(result, SeperResult) else None


def belief_moved(run: Diagnosis) -> BeliefChange | None:
    """Return where belief in the right answer moved; None where it was not measured or the kernels disagree."""
    result = result_of(run, "seper")
    if not isinstance(result, SeperResult) or result.delta_soft is None or kernels_disagree(result):
        return None
    return belief_change(result.delta_soft, result.delta_soft_interval)


def kernels_at_odds(run: Diagnosis) -> bool:
    """Return whether SePer was measured and its soft and hard kernel contradict each other."""
    result = result_of(run, "seper")
    return isinstance(result, SeperResult) and kernels_disagree(result)


def trend_of(run: Diagnosis) -> EntropyTrendResult | None:
    """Return ETC's result, None where it was not measured."""
    result = result_of(run, "entropy_trend")
    return result if isinstance(result, EntropyTrendResult) else None


def timing_of(run: Diagnosis) -> TimingResult | None:
    """Return the result of retrieval timing, None where it was not measured."""
    result = result_of(run, "timing")
    return result if isinstance(result, TimingResult) else None


def conclusion_word(run: Diagnosis) -> int | None:
    """Return the word, from 0, at which ETC's step-by-step answer first writes its conclusion; None where it has none.

    The text is searched letter by letter, in any case; a conclusion that is spelled otherwise before is found later.
    """
    trend = trend_of(run)
    if trend is None or not trend.answer:
        return None
    place = trend.generation.text.lower().find(trend.answer.lower())
    return next((index for index, word in enumerate(trend.words) if word.end > place), None) if place >= 0 else None
