"""What happened in a run of the atlas: one or two sentences from its record, with one function for each kind.

Plain text: escape before drawing. Passages count from 1, as the model read them.
"""

from collections.abc import Callable

from engine.learning.atlas.facts import (
    answer_text,
    beliefs_of,
    copy_ranks,
    dense_of,
    dense_rag_of,
    is_right,
    planted_defect,
    ranks_containing,
    ranks_with_answer,
    result_of,
    timing_of,
    trend_of,
)
from engine.learning.atlas.predicates import half_ranks, judge_errors, needless_runs, trusted_steps
from engine.learning.atlas.shelf import Specimen
from engine.measures.answer_match import contains
from engine.methods.quco_claims import CountedClaim
from engine.methods.quco_rag import QucoResult
from viz.timing import policy_title
from viz.words import closed, counted, listing, quoted


def story(specimen: Specimen) -> str:
    """Return what happened in a specimen's run, from its record."""
    return STORIES[specimen.kind.word](specimen)


def right_words(specimen: Specimen) -> str:
    """Return the correct answer in quotation marks."""
    return quoted(specimen.question.golds[0])


def answer_words(specimen: Specimen) -> str:
    """Return the answer over the passages in quotation marks."""
    return quoted(answer_text(specimen.run))


def memory_words(specimen: Specimen) -> str:
    """Return the answer from memory in quotation marks."""
    return quoted(specimen.run.closed_book.text)


def passages_words(ranks: tuple[int, ...]) -> str:
    """Return passages by their numbers.

    >>> passages_words((2,)), passages_words((1, 3)), passages_words(())
    ('passage 2', 'passages 1 and 3', 'no passage')
    """
    if not ranks:
        return "no passage"
    return f"passage{'s' if len(ranks) > 1 else ''} {listing(ranks)}"


def is_in(ranks: tuple[int, ...]) -> str:
    """Return in which passages an answer is, for the end of a sentence."""
    return f"is in {passages_words(ranks)}"


def nowhere_read(specimen: Specimen) -> str:
    """Return the story of a correct answer that no passage contains."""
    followed = ranks_containing(specimen.run, answer_text(specimen.run))
    return (
        f"None of the {counted(len(specimen.run.hits), 'passage')} contains {right_words(specimen)}. "
        f"The model answers {answer_words(specimen)}, which {is_in(followed)}."
    )


def copies(specimen: Specimen) -> str:
    """Return the story of an answer that only copies contain, with DENSE's labels of them."""
    dense, held = dense_of(specimen.run), ranks_with_answer(specimen.run, specimen.question)
    words = [chunk.label for chunk in dense.chunks if chunk.index + 1 in held] if dense is not None else []
    return (
        f"Passages {listing(copy_ranks(specimen.run))} are copies. Only {passages_words(held)} "
        f"contain{'s' if len(held) == 1 else ''} {right_words(specimen)}. DENSE calls "
        f"them {listing(words)}. The answer is {answer_words(specimen)}."
    )


def led_astray(specimen: Specimen) -> str:
    """Return the story of an answer taken from the wrong passage."""
    held, followed = (
        ranks_with_answer(specimen.run, specimen.question),
        ranks_containing(specimen.run, answer_text(specimen.run)),
    )
    return (
        f"{right_words(specimen)} {is_in(held)}. The model answers {answer_words(specimen)}, which {is_in(followed)}."
    )


def took_a_side(specimen: Specimen) -> str:
    """Return the story of two passages that contradict each other, and which one the answer follows."""
    defect = planted_defect(specimen.question, "contradiction")
    tempting = defect.tempting if defect is not None else ""
    held, against = ranks_with_answer(specimen.run, specimen.question), ranks_containing(specimen.run, tempting)
    return (
        f"{right_words(specimen)} {is_in(held)}, {quoted(tempting)} {is_in(against)}. "
        f"The model answers {answer_words(specimen)} and does not mention the other."
    )


def wrong_number(specimen: Specimen) -> str:
    """Return the story of a wrong number taken from the right passage."""
    held, followed = (
        ranks_with_answer(specimen.run, specimen.question),
        ranks_containing(specimen.run, answer_text(specimen.run)),
    )
    both = tuple(rank for rank in held if rank in followed)
    pair = f"{right_words(specimen)} and {answer_words(specimen)}"
    return f"Both {pair} are in {passages_words(both)}. The model answers the second."


def put_apart(specimen: Specimen) -> str:
    """Return the story of two halves that were read and not joined."""
    found = half_ranks(specimen.run, specimen.question)
    return (
        f"{passages_words(found).capitalize()} each contain half of the answer. "
        f"The model answers {answer_words(specimen)} "
        f"instead of {right_words(specimen)}."
    )


def turned_by_words(specimen: Specimen) -> str:
    """Return the story of a rewording that changes the answer."""
    now, dense = is_right(specimen.run, specimen.question), dense_of(specimen.run)
    turned = next(
        (
            chunk
            for chunk in (dense.chunks if dense is not None else ())
            if chunk.answer is not None and contains(chunk.answer.text, specimen.question.golds) != now
        ),
        None,
    )
    opening = f"The model answers {answer_words(specimen)}, which is {'right' if now else 'wrong'}."
    if turned is None or turned.answer is None:
        return opening
    other = quoted(turned.answer.text)
    return f"{opening} With passage {turned.index + 1} reworded it answers {other}: {'wrong' if now else 'right'}."


def left_memory(specimen: Specimen) -> str:
    """Return the story of a right answer from memory that the passages changed."""
    held, followed = (
        ranks_with_answer(specimen.run, specimen.question),
        ranks_containing(specimen.run, answer_text(specimen.run)),
    )
    confirmed = f" {passages_words(held).capitalize()} confirm{'s' if len(held) == 1 else ''} it." if held else ""
    return (
        f"From memory the model answers {memory_words(specimen)}, which is right.{confirmed} After reading it answers "
        f"{answer_words(specimen)}, which {is_in(followed)}."
    )


def too_late(specimen: Specimen) -> str:
    """Return the wrong conclusion and the place of the first lookup."""
    trend = trend_of(specimen.run)
    if trend is None or not trend.triggers:
        return closed(f"The model answers {answer_words(specimen)}")
    first = trend.triggers[0].word
    return (
        f"Step by step from memory the model concludes {quoted(trend.answer)}. Correct is {right_words(specimen)}. ETC "
        f"would first retrieve before word {first + 1} of {len(trend.words)}, {quoted(trend.words[first].text)}. "
        "The wrong conclusion is already written by then."
    )


def for_nothing(specimen: Specimen) -> str:
    """Return the lookups that a right answer from memory did not need."""
    timing = timing_of(specimen.run)
    if timing is None:
        return closed(f"The model answers {answer_words(specimen)}")
    made = [f"{policy_title(one.policy)} {len(one.retrievals)}" for one in needless_runs(timing.runs)]
    return (
        f"Step by step from memory the model concludes {quoted(timing.answer)}, which is right. Needless lookups: "
        f"{listing(made)}."
    )


def sure_of_it(specimen: Specimen) -> str:
    """Return how certain DENSE and SePer find a wrong answer."""
    dense, beliefs = dense_of(specimen.run), beliefs_of(specimen.run)
    entropy = f"{dense.entropy + 0.0:.2f}" if dense is not None and dense.entropy is not None else "not measured"
    opening = f"The model answers {answer_words(specimen)}. Correct is {right_words(specimen)}. DSE is {entropy} nats."
    if beliefs is None:
        return opening
    after = beliefs[1]
    return (
        f"{opening} {counted(len(after.samples), 'sample')} over the passages: "
        f"{counted(len(after.meanings), 'meaning')}, semantic entropy {after.entropy + 0.0:.2f} nats."
    )


def pair_words(claim: CountedClaim) -> str:
    """Return the two ends of a claim."""
    tail = quoted(claim.tail.entity.text) if claim.tail is not None else "nothing"
    return f"{quoted(claim.head.entity.text)} and {tail}"


def claims_of(specimen: Specimen, supported: bool) -> list[CountedClaim]:
    """Return the judged claims of the short answer that have, or lack, evidence."""
    result = result_of(specimen.run, "quco_rag")
    sentences = result.sentences if isinstance(result, QucoResult) else ()
    return [
        claim
        for sentence in sentences
        if sentence.kind == "short answer"
        for claim in sentence.claims
        if claim.supported is supported
    ]


def without_evidence(specimen: Specimen) -> str:
    """Return the story of a true claim whose ends never meet."""
    pairs = "; ".join(pair_words(claim) for claim in claims_of(specimen, supported=False))
    return f"The model answers {answer_words(specimen)}, which is right. Never near each other in the corpus: {pairs}."


def with_evidence(specimen: Specimen) -> str:
    """Return the story of a false claim whose ends do meet."""
    met = "; ".join(
        f"{pair_words(claim)} in {counted(claim.documents or 0, 'document')}"
        for claim in claims_of(specimen, supported=True)
    )
    return (
        f"The model answers {answer_words(specimen)}. Correct is {right_words(specimen)}. "
        f"Still near each other in the corpus: {met}."
    )


def called_enough(specimen: Specimen) -> str:
    """Return the story of a context called sufficient that is not."""
    rag, steps = dense_rag_of(specimen.run), trusted_steps(specimen.run, specimen.question)
    if rag is None or not steps:
        return nowhere_read(specimen)
    step = rag.steps[steps[0]]
    share = f" (“yes” {step.evaluation.yes:.0%})" if step.evaluation is not None else ""
    return (
        f"The model says that context {steps[0] + 1} suffices{share}. None of its "
        f"{counted(len(step.context), 'passage')} contains {right_words(specimen)}. The answer over it is "
        f"{quoted(step.answer.text)}."
    )


def misjudged(specimen: Specimen) -> str:
    """Return what the judge got wrong."""
    slip = judge_errors(specimen.run, specimen.question)[0]
    words = {
        "right counts as wrong": f"{quoted(slip.text)} is a right answer, word for word, and counts as wrong.",
        "wrong counts as right": f"{quoted(slip.text)} counts as {quoted(slip.against)}.",
        "two taken for one": f"{quoted(slip.text)} and {quoted(slip.against)} count as one meaning.",
    }
    return f"{words[slip.error]} The answer is {answer_words(specimen)}."


STORIES: dict[str, Callable[[Specimen], str]] = {
    "made_up": nowhere_read,
    "retriever_miss": nowhere_read,
    "duplicate": copies,
    "distractor": led_astray,
    "contradiction": took_a_side,
    "misread": wrong_number,
    "not_extracted": led_astray,
    "split_answer": put_apart,
    "wording": turned_by_words,
    "memory_against_context": left_memory,
    "talked_out": left_memory,
    "delayed": too_late,
    "redundant": for_nothing,
    "confidently_wrong": sure_of_it,
    "true_without_evidence": without_evidence,
    "false_with_evidence": with_evidence,
    "too_kind": called_enough,
    "judge_mistake": misjudged,
}
