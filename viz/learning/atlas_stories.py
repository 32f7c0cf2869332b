"""What happened in a run of the atlas: one or two sentences from its record, with one template for each kind.

The templates are in ``atlas_stories.yaml``. Plain text: escape before drawing.
"""

from engine.diagnosis.record import Diagnosis
from engine.learning.atlas.facts import (
    answer_text,
    beliefs_of,
    copy_ranks,
    is_right,
    planted_defect,
    ranks_containing,
    ranks_with_answer,
    says_right,
)
from engine.learning.atlas.predicates import half_ranks, judge_errors, needless_runs, trusted_steps
from engine.learning.atlas.shelf import Specimen
from engine.learning.content import render_plain
from engine.methods.dense_rag_records import DenseRagResult
from engine.methods.dense_records import DenseChunk, DenseResult
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.quco_claims import CountedClaim
from engine.methods.quco_rag import QucoResult
from engine.methods.timing.method import TimingResult
from viz.methods.timing import policy_title
from viz.parts.data_files import read_table
from viz.parts.words import counted, listing, numbered, quoted

STORIES: dict[str, str] = read_table("learning/atlas_stories.yaml", dict[str, str])


def story(specimen: Specimen) -> str:
    """Return what happened in a specimen's run, from its record."""
    run, question = specimen.run, specimen.question
    having, followed = ranks_with_answer(run, question), ranks_containing(run, answer_text(run))
    defect, dense = planted_defect(question, "contradiction"), run.result(DenseResult)
    text = render_plain(
        STORIES[specimen.kind.word],
        run=run,
        question=question,
        right=quoted(question.golds[0]),
        answer=quoted(answer_text(run)),
        memory=quoted(run.closed_book.text),
        is_right=is_right(run, question),
        having=having,
        followed=followed,
        both=tuple(rank for rank in having if rank in followed),
        copies=copy_ranks(run),
        labels=labels_of(dense, having),
        tempting=defect.tempting if defect is not None else "",
        containing=lambda text: ranks_containing(run, text),
        turned=turning_chunk(specimen, dense),
        dense=dense,
        dense_rag=run.result(DenseRagResult),
        beliefs=beliefs_of(run),
        trend=run.result(EntropyTrendResult),
        timing=run.result(TimingResult),
        needless_lookups=needless_lookups,
        pairs_met=lambda: [
            f"{pair_words(claim)} in {counted(claim.documents or 0, 'document')}" for claim in short_claims(run, True)
        ],
        pairs_missing=lambda: [pair_words(claim) for claim in short_claims(run, False)],
        passages=passages_words,
        **{one.__name__: one for one in (counted, listing, quoted, half_ranks, judge_errors, trusted_steps)},
    )
    return " ".join(text.split())


def labels_of(dense: DenseResult | None, ranks: tuple[int, ...]) -> list[str]:
    """Return DENSE's labels of these passages, each once."""
    found = dense.labels.items() if dense is not None else ()
    return list(dict.fromkeys(label for place, label in found if place + 1 in ranks))


def turning_chunk(specimen: Specimen, dense: DenseResult | None) -> DenseChunk | None:
    """Return the first passage whose rewording makes a right answer wrong or a wrong one right, None without one."""
    question = specimen.question
    right = is_right(specimen.run, question)
    chunks = dense.chunks if dense is not None else ()
    return next(
        (one for one in chunks if one.answer is not None and says_right(one.answer.text, question) != right), None
    )


def needless_lookups(timing: TimingResult) -> list[str]:
    """Return the policies with needless lookups, each with how many."""
    return [f"{policy_title(one.policy)} {len(one.retrievals)}" for one in needless_runs(timing.runs)]


def passages_words(ranks: tuple[int, ...]) -> str:
    """Return passages by their numbers.

    >>> passages_words((2,)), passages_words((1, 3)), passages_words(())
    ('passage 2', 'passages 1 and 3', 'no passage')
    """
    return numbered("passage", ranks) if ranks else "no passage"


def pair_words(claim: CountedClaim) -> str:
    """Return the two ends of a claim."""
    tail = quoted(claim.tail.entity.text) if claim.tail is not None else "nothing"
    return f"{quoted(claim.head.entity.text)} and {tail}"


def short_claims(run: Diagnosis, supported: bool) -> list[CountedClaim]:
    """Return the judged claims of the short answer that have, or lack, evidence."""
    result = run.result(QucoResult)
    sentences = result.sentences if result is not None else ()
    short = [claim for sentence in sentences if sentence.kind == "short answer" for claim in sentence.claims]
    return [claim for claim in short if claim.supported is supported]
