"""When a run shows a kind of failure: one predicate over the record for each kind, with the sample question beside it.

A predicate reads what is stored and nothing else, so that a run recorded anew is checked by the same words. Each asks
for the failure itself and never for what a method says of it, except where the failure is a method's own: a judge that
errs, a self-evaluation that is too kind, copies that make a passage look dispensable. Being talked out of an answer
also asks that SePer does not contradict itself.
"""

from dataclasses import dataclass
from typing import Literal

from engine.diagnosis.record import Diagnosis
from engine.learning.atlas.facts import (
    GIVEN,
    beliefs_of,
    dense_of,
    dense_rag_of,
    has_text_answer,
    holders,
    is_right,
    is_wrong,
    kernels_at_odds,
    known_by_heart,
    numbers_in,
    planted,
    ranks_of,
    ranks_with,
    said,
    timing_of,
    trend_of,
    twins,
)
from engine.learning.known_truth import facts_of
from engine.measures.answer_match import contains, exact_match
from engine.methods.sugar import PAPER_THRESHOLDS
from engine.methods.timing.base import PolicyRun
from engine.runs.sample_questions import SampleQuestion


def made_up(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether no passage holds the answer, because nothing does, and another one is given all the same."""
    nowhere = planted(asked, "answer_removed") is not None or asked.kind == "not_in_corpus"
    return nowhere and is_wrong(run, asked) and not holders(run, asked)


def retriever_miss(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether the corpus has the answer, no passage that was found holds it, and the answer is wrong."""
    searched = all(hit.retriever != GIVEN for hit in run.hits)
    answered_there = has_text_answer(asked) and asked.kind != "not_in_corpus"
    return searched and answered_there and is_wrong(run, asked) and not holders(run, asked)


def distractor(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether a passage with the answer was read, and the model's answer stands only in others."""
    held, followed = holders(run, asked), ranks_with(run, said(run))
    apart = not set(held) & set(followed)
    return bool(held and followed) and apart and is_wrong(run, asked) and planted(asked, "contradiction") is None


def contradiction(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether two passages contradict each other, and the answer takes the wrong side without a word on it."""
    defect = planted(asked, "contradiction")
    if defect is None or not holders(run, asked) or not ranks_with(run, defect.tempting):
        return False
    return is_wrong(run, asked) and contains(said(run), (defect.tempting,))


def memory_against_context(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether memory had it right, no passage does, and the answer follows the passages."""
    against = known_by_heart(run, asked) and not holders(run, asked)
    return against and is_wrong(run, asked) and bool(ranks_with(run, said(run)))


def talked_out(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether memory had it right and a passage says it too, and the answer over the passages is wrong.

    Where SePer was measured, its two kernels must not contradict each other: then nobody can say that belief is gone.
    """
    known = known_by_heart(run, asked) and bool(holders(run, asked))
    return known and is_wrong(run, asked) and not kernels_at_odds(run)


def misread(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether the answer is another number or date of the very passage that holds the right one."""
    same = set(holders(run, asked)) & set(ranks_with(run, said(run)))
    return bool(same) and bool(numbers_in(said(run))) and is_wrong(run, asked)


def not_extracted(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether a passage with the answer was read, and the model's answer stands in no passage at all."""
    return bool(holders(run, asked)) and is_wrong(run, asked) and not ranks_with(run, said(run))


def split_answer(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether each half of the answer was read in a passage of its own, and they were not put together."""
    defect = planted(asked, "split_answer")
    if defect is None or not is_wrong(run, asked):
        return False
    read = {hit.passage.document_id for hit in run.hits}
    return set(defect.documents) <= read


def duplicate(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether only a passage and its copy hold the answer, and DENSE calls neither necessary.

    With one of them gone or reworded, the other one still answers: tested one at a time, both look dispensable.
    """
    copies, held, dense = twins(run), holders(run, asked), dense_of(run)
    if dense is None or not held or not set(held) <= set(copies):
        return False
    words = [chunk.label for chunk in dense.chunks if chunk.index + 1 in held and chunk.label != "not measured"]
    return bool(words) and "necessary" not in words


def confidently_wrong(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether the answer is wrong, DENSE calls it understood, and the samples over the passages agree.

    They agree where their semantic entropy is below SUGAR's lower threshold.
    """
    dense, beliefs = dense_of(run), beliefs_of(run)
    if dense is None or beliefs is None or facts_of(run).uncertain is not False or dense.firm is False:
        return False
    return is_wrong(run, asked) and beliefs[1].entropy < PAPER_THRESHOLDS[0]


def wording(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether putting one passage in other words makes a right answer wrong, or a wrong one right."""
    dense = dense_of(run)
    if dense is None or facts_of(run).uncertain is not True or dense.firm is False:
        return False
    now = is_right(run, asked)
    return any(chunk.answer is not None and contains(chunk.answer.text, asked.golds) != now for chunk in dense.chunks)


def delayed(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether the wrong conclusion was already written where ETC would first have looked something up.

    A conclusion that only repeats the question's words proves nothing: they stand in any answer.
    """
    trend = trend_of(run)
    if trend is None or not trend.triggers or not trend.answer or contains(trend.answer, asked.golds):
        return False
    if contains(asked.question, (trend.answer,)):
        return False
    return contains(trend.triggers[0].kept, (trend.answer,))


def redundant(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether memory has it right, short and step by step, and a policy looked something up all the same."""
    timing = timing_of(run)
    if timing is None or not known_by_heart(run, asked) or not contains(timing.answer, asked.golds):
        return False
    return bool(needless_runs(timing.runs))


def needless_runs(runs: tuple[PolicyRun, ...]) -> tuple[PolicyRun, ...]:
    """Return the runs of policies that decide for themselves, and in which a lookup found passages."""
    return tuple(one for one in runs if one.policy != "once" and any(lookup.hits for lookup in one.retrievals))


def true_without_evidence(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether the answer is right, and the two ends of a claim it makes never meet in the corpus."""
    return is_right(run, asked) and False in facts_of(run).supported


def false_with_evidence(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether the answer is wrong, and the two ends of every claim it makes do meet in the corpus."""
    supported = facts_of(run).supported
    return is_wrong(run, asked) and bool(supported) and all(supported)


def too_kind(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether the model calls a context sufficient that holds no right answer, and answers wrongly over it."""
    return bool(trusted_steps(run, asked))


def trusted_steps(run: Diagnosis, asked: SampleQuestion) -> tuple[int, ...]:
    """Return the steps of DENSE-RAG, from 0, whose context is called sufficient without holding a right answer."""
    result = dense_rag_of(run)
    if result is None or not has_text_answer(asked):
        return ()
    return tuple(
        place
        for place, step in enumerate(result.steps)
        if step.evaluation is not None
        and step.evaluation.sufficient
        and not any(contains(result.chunks[number].passage.text, asked.golds) for number in step.context)
        and not contains(step.answer.text, asked.golds)
    )


def judge_mistake(run: Diagnosis, asked: SampleQuestion) -> bool:
    """Return whether the judge errs on a sampled answer in a way that its letters prove."""
    return bool(slips(run, asked))


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """A judgement that the letters of its texts prove wrong: what was judged, against what, and how it erred."""

    text: str
    against: str
    error: Literal["right counts as wrong", "wrong counts as right", "two taken for one"]


def slips(run: Diagnosis, asked: SampleQuestion) -> tuple[Slip, ...]:
    """Return SePer's provable misjudgements, without and with the passages.

    A gold answer, word for word, that counts as wrong; an answer that counts as right and shares no number with any
    right one; two samples of one meaning that share no number.
    """
    found: list[Slip] = []
    for belief in beliefs_of(run) or ():
        for meaning in belief.meanings:
            gold = asked.golds[0]
            if meaning.matches_gold is False and exact_match(meaning.text, asked.golds):
                found.append(Slip(text=meaning.text, against=gold, error="right counts as wrong"))
            elif meaning.matches_gold and all(_other_numbers(meaning.text, one) for one in asked.golds):
                found.append(Slip(text=meaning.text, against=gold, error="wrong counts as right"))
            texts = tuple(dict.fromkeys(belief.samples[member].text.strip() for member in meaning.members))
            merged = next((text for text in texts[1:] if _other_numbers(text, texts[0])), None)
            if merged is not None:
                found.append(Slip(text=texts[0], against=merged, error="two taken for one"))
    return tuple(dict.fromkeys(found))


def _other_numbers(one: str, other: str) -> bool:
    """Return whether both texts hold numbers, and none in common."""
    first, second = numbers_in(one), numbers_in(other)
    return bool(first and second) and not first & second


def halves(run: Diagnosis, asked: SampleQuestion) -> tuple[int, ...]:
    """Return the ranks of the passages that hold the halves of a split answer, () where none was split."""
    defect = planted(asked, "split_answer")
    return ranks_of(run, defect.documents) if defect is not None else ()
