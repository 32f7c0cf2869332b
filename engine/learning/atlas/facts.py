"""Facts of a run and its sample question: which passages contain which answer, what was right, what was known.

Answers are right as everywhere (``engine.measures.answer_marks``); passages are searched by ``answer_match``. The
correct answers are those of the sample question, because a run may have none. Ranks count from 1.
"""

import re

from engine.diagnosis.record import Diagnosis
from engine.measures.answer_marks import is_right as text_is_right
from engine.measures.answer_match import contains, normalise
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.seper import BeliefChange, agreed_change
from engine.methods.seper_records import Belief, SeperResult
from engine.runs.sample_questions import DefectKind, PlantedDefect, SampleQuestion

NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
ALIKE = 0.8
GIVEN = "given"


def answer_text(run: Diagnosis) -> str:
    """Return the answer over the passages."""
    return run.answer.text.strip()


def says_right(text: str, question: SampleQuestion) -> bool:
    """Return whether a text is a right answer to a question."""
    return text_is_right(text, question.golds)


def is_right(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether the answer over the passages is right."""
    return says_right(answer_text(run), question)


def is_wrong(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether there is an answer over passages, and it is not right."""
    return bool(run.hits) and bool(answer_text(run)) and not is_right(run, question)


def right_from_memory(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether the closed-book answer is right."""
    return says_right(run.closed_book.text, question)


def has_text_answer(question: SampleQuestion) -> bool:
    """Return whether the correct answer is text to find in a passage; a "no" is in most passages and proves nothing."""
    return question.kind != "yes_no"


def numbers_in(text: str) -> frozenset[str]:
    """Return the numbers in a text, without separators.

    >>> sorted(numbers_in("1,768 metres in 1866"))
    ['1768', '1866']
    """
    return frozenset(found.replace(",", "") for found in NUMBER.findall(text))


def contains_answer(answer: str, text: str) -> bool:
    """Return whether a text contains an answer: word for word, or all its numbers if it has any.

    >>> contains_answer("about 29 years", "once in 29 years"), contains_answer("Eagle", "The eagle landed.")
    (True, True)
    >>> contains_answer("", "x")
    False
    """
    if not normalise(answer):
        return False
    numbers = numbers_in(answer)
    return contains(text, (answer,)) or (bool(numbers) and numbers <= numbers_in(text))


def ranks_with_answer(run: Diagnosis, question: SampleQuestion) -> tuple[int, ...]:
    """Return the ranks of the passages with a correct answer; () if that is just yes or no."""
    if not has_text_answer(question):
        return ()
    return tuple(hit.rank for hit in run.hits if contains(hit.passage.text, question.golds))


def ranks_containing(run: Diagnosis, answer: str) -> tuple[int, ...]:
    """Return the ranks of the passages that contain an answer."""
    return tuple(hit.rank for hit in run.hits if contains_answer(answer, hit.passage.text))


def ranks_of(run: Diagnosis, documents: tuple[str, ...]) -> tuple[int, ...]:
    """Return the ranks of the passages from these documents."""
    return tuple(hit.rank for hit in run.hits if hit.passage.document_id in documents)


def planted_defect(question: SampleQuestion, kind: DefectKind) -> PlantedDefect | None:
    """Return the question's planted defect of that kind, None without one."""
    return next((defect for defect in question.defects if defect.kind == kind), None)


def copy_ranks(run: Diagnosis) -> tuple[int, ...]:
    """Return the ranks of passages that occur twice, exactly or nearly; () without copies.

    Two passages are copies if they share at least four in five of all their words (Jaccard).
    """
    words = [frozenset(normalise(hit.passage.text).split()) for hit in run.hits]
    found: set[int] = set()
    for place, one in enumerate(words):
        for other in range(place):
            if one and len(one & words[other]) >= ALIKE * len(one | words[other]):
                found |= {run.hits[place].rank, run.hits[other].rank}
    return tuple(sorted(found))


def beliefs_of(run: Diagnosis) -> tuple[Belief, Belief] | None:
    """Return SePer's beliefs without and with the passages, None if it did not run; no correct answer is needed."""
    result = run.result(SeperResult, measured=False)
    return None if result is None else (result.without, result.with_passages)


def belief_moved(run: Diagnosis) -> BeliefChange | None:
    """Return how belief in the correct answer moved; None if not measured or if the kernels disagree."""
    result = run.result(SeperResult)
    return None if result is None else agreed_change(result)


def conclusion_word(run: Diagnosis) -> int | None:
    """Return the word, from 0, at which ETC's step-by-step answer first gives its conclusion; None without one.

    The search ignores case. An earlier mention with another spelling is not found.
    """
    trend = run.result(EntropyTrendResult)
    if trend is None or not trend.answer:
        return None
    place = trend.generation.text.lower().find(trend.answer.lower())
    return next((index for index, word in enumerate(trend.words) if word.end > place), None) if place >= 0 else None
