"""When a run shows a kind of failure: one predicate over record and sample question for each kind.

A predicate reads only what is stored, so the same rule checks a run that is recorded again. It asks for the failure
itself and not for a method's verdict on it. Exceptions are failures of a method: a judge that errs, a self-evaluation
that is too kind, copies that make a passage look unnecessary. For a lost right answer, SePer's two versions must also
agree.
"""

from dataclasses import dataclass
from typing import Literal

from engine.diagnosis.record import Diagnosis
from engine.learning.atlas.facts import (
    GIVEN,
    answer_text,
    beliefs_of,
    copy_ranks,
    has_text_answer,
    is_right,
    is_wrong,
    numbers_in,
    planted_defect,
    ranks_containing,
    ranks_of,
    ranks_with_answer,
    right_from_memory,
    says_right,
)
from engine.learning.known_truth import facts_of
from engine.measures.answer_match import contains, exact_match
from engine.methods.dense_rag_records import DenseRagResult
from engine.methods.dense_records import NO_LABEL, DenseResult
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.seper import kernels_disagree
from engine.methods.seper_records import SeperResult
from engine.methods.sugar import PAPER_THRESHOLDS
from engine.methods.timing.base import PolicyRun
from engine.methods.timing.method import TimingResult
from engine.methods.timing.policies import POLICIES
from engine.runs.sample_questions import SampleQuestion


def made_up(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether the model gives an answer although no passage contains one, because nothing does."""
    nowhere = planted_defect(question, "answer_removed") is not None or question.kind == "not_in_corpus"
    return nowhere and is_wrong(run, question) and not ranks_with_answer(run, question)


def retriever_miss(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether the corpus has the answer, no retrieved passage contains it, and the answer is wrong."""
    searched = all(hit.retriever != GIVEN for hit in run.hits)
    answered_there = has_text_answer(question) and question.kind != "not_in_corpus"
    return searched and answered_there and is_wrong(run, question) and not ranks_with_answer(run, question)


def distractor(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether a passage contains the correct answer, and the model's answer is only in other passages."""
    held, followed = ranks_with_answer(run, question), ranks_containing(run, answer_text(run))
    apart = not set(held) & set(followed)
    return (
        bool(held and followed)
        and apart
        and is_wrong(run, question)
        and planted_defect(question, "contradiction") is None
    )


def contradiction(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether two passages contradict each other, and the answer silently takes the wrong side."""
    defect = planted_defect(question, "contradiction")
    if defect is None or not ranks_with_answer(run, question) or not ranks_containing(run, defect.tempting):
        return False
    return is_wrong(run, question) and contains(answer_text(run), (defect.tempting,))


def memory_against_context(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether memory was right, no passage is, and the answer follows the passages."""
    against = right_from_memory(run, question) and not ranks_with_answer(run, question)
    return against and is_wrong(run, question) and bool(ranks_containing(run, answer_text(run)))


def talked_out(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether memory was right, a passage agrees, and the answer over the passages is wrong.

    If SePer was measured, its two versions must agree; otherwise it is unclear whether belief was lost.
    """
    known = right_from_memory(run, question) and bool(ranks_with_answer(run, question))
    seper = run.result(SeperResult)
    return known and is_wrong(run, question) and not (seper and kernels_disagree(seper))


def misread(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether the answer is another number or date from a passage with the correct one."""
    same = set(ranks_with_answer(run, question)) & set(ranks_containing(run, answer_text(run)))
    return bool(same) and bool(numbers_in(answer_text(run))) and is_wrong(run, question)


def not_extracted(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether a passage contains the correct answer, and no passage contains the model's answer."""
    return (
        bool(ranks_with_answer(run, question))
        and is_wrong(run, question)
        and not ranks_containing(run, answer_text(run))
    )


def split_answer(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether each half of the answer was in its own passage, and the model did not combine them."""
    defect = planted_defect(question, "split_answer")
    if defect is None or not is_wrong(run, question):
        return False
    read = {hit.passage.document_id for hit in run.hits}
    return set(defect.documents) <= read


def duplicate(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether only a passage and its copy hold the answer, and DENSE calls neither necessary.

    With one of them gone or reworded, the other one still answers: tested one at a time, both look dispensable.
    """
    copies, held, dense = copy_ranks(run), ranks_with_answer(run, question), run.result(DenseResult)
    if dense is None or not held or not set(held) <= set(copies):
        return False
    words = [label for place, label in dense.labels.items() if place + 1 in held and label not in NO_LABEL]
    return bool(words) and "necessary" not in words


def confidently_wrong(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether the answer is wrong, DENSE calls it stable, and the samples over the passages agree.

    They agree if their semantic entropy is below SUGAR's lower threshold.
    """
    dense, beliefs = run.result(DenseResult), beliefs_of(run)
    if dense is None or beliefs is None or facts_of(run).uncertain is not False:
        return False
    return is_wrong(run, question) and beliefs[1].entropy < PAPER_THRESHOLDS[0]


def wording(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether rewording one passage makes a right answer wrong, or a wrong one right."""
    dense = run.result(DenseResult)
    if dense is None or facts_of(run).uncertain is not True:
        return False
    now = is_right(run, question)
    return any(chunk.answer is not None and says_right(chunk.answer.text, question) != now for chunk in dense.chunks)


def delayed(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether the wrong conclusion was already written before ETC's first lookup.

    A conclusion that only repeats the question's words proves nothing, because any answer contains them.
    """
    trend = run.result(EntropyTrendResult)
    if trend is None or not trend.triggers or not trend.answer or says_right(trend.answer, question):
        return False
    if contains(question.question, (trend.answer,)):
        return False
    return contains(trend.triggers[0].kept, (trend.answer,))


def redundant(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether memory is right, in short and step by step, and a policy still looked something up."""
    timing = run.result(TimingResult)
    if timing is None or not right_from_memory(run, question) or not says_right(timing.answer, question):
        return False
    return bool(needless_runs(timing.runs))


def needless_runs(runs: tuple[PolicyRun, ...]) -> tuple[PolicyRun, ...]:
    """Return the runs of policies that decide for themselves, not by a schedule, and whose lookup found passages."""
    deciding = [one for one in runs if one.policy not in POLICIES or POLICIES[one.policy].rule != "always"]
    return tuple(one for one in deciding if any(lookup.hits for lookup in one.retrievals))


def true_without_evidence(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether the answer is right, and the two ends of one of its claims never meet in the corpus."""
    return is_right(run, question) and False in facts_of(run).supported


def false_with_evidence(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether the answer is wrong, and the two ends of all its claims meet in the corpus."""
    supported = facts_of(run).supported
    return is_wrong(run, question) and bool(supported) and all(supported)


def too_kind(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether the model calls a context without a correct answer sufficient, and answers wrongly."""
    return bool(trusted_steps(run, question))


def trusted_steps(run: Diagnosis, question: SampleQuestion) -> tuple[int, ...]:
    """Return DENSE-RAG's steps, from 0, with a context that is called sufficient but has no correct answer."""
    result = run.result(DenseRagResult)
    if result is None or not has_text_answer(question):
        return ()
    return tuple(
        place
        for place, step in enumerate(result.steps)
        if step.evaluation is not None
        and step.evaluation.sufficient
        and not any(contains(result.chunks[number].passage.text, question.golds) for number in step.context)
        and not says_right(step.answer.text, question)
    )


def judge_mistake(run: Diagnosis, question: SampleQuestion) -> bool:
    """Return whether the judge errs on a sample in a way that the texts prove."""
    return bool(judge_errors(run, question))


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeError:
    """A judgement that its texts prove wrong: what was judged, against what, and the error."""

    text: str
    against: str
    error: Literal["right counts as wrong", "wrong counts as right", "two taken for one"]


def judge_errors(run: Diagnosis, question: SampleQuestion) -> tuple[JudgeError, ...]:
    """Return SePer's provable misjudgements, without and with the passages.

    Three kinds: a correct answer, word for word, that counts as wrong; an answer that counts as right and shares no
    number with any correct one; two samples with one meaning that share no number.
    """
    found: list[JudgeError] = []
    for belief in beliefs_of(run) or ():
        for meaning in belief.meanings:
            gold = question.golds[0]
            if meaning.matches_gold is False and exact_match(meaning.text, question.golds):
                found.append(JudgeError(text=meaning.text, against=gold, error="right counts as wrong"))
            elif meaning.matches_gold and all(_other_numbers(meaning.text, one) for one in question.golds):
                found.append(JudgeError(text=meaning.text, against=gold, error="wrong counts as right"))
            texts = tuple(dict.fromkeys(belief.samples[member].text.strip() for member in meaning.members))
            merged = next((text for text in texts[1:] if _other_numbers(text, texts[0])), None)
            if merged is not None:
                found.append(JudgeError(text=texts[0], against=merged, error="two taken for one"))
    return tuple(dict.fromkeys(found))


def _other_numbers(one: str, other: str) -> bool:
    """Return whether both texts contain numbers, and none in common."""
    first, second = numbers_in(one), numbers_in(other)
    return bool(first and second) and not first & second


def half_ranks(run: Diagnosis, question: SampleQuestion) -> tuple[int, ...]:
    """Return the ranks of the passages with the halves of a split answer, () without a split."""
    defect = planted_defect(question, "split_answer")
    return ranks_of(run, defect.documents) if defect is not None else ()
