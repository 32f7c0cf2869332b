"""What to try next with a specimen: the passages for a changed question, as its kind suggests."""

from collections.abc import Collection
from dataclasses import dataclass

from engine.core.records import Passage
from engine.diagnosis.record import Diagnosis
from engine.learning.atlas.facts import answer_text, copy_ranks, planted_defect, ranks_containing, ranks_with_answer
from engine.learning.atlas.shelf import Specimen


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A change to ask again with: in words, and the passages to read; () keeps passages and corpus."""

    words: str
    passages: tuple[Passage, ...] = ()


AS_IT_WAS = Trial(words="The form starts as asked.")


def trial_of(specimen: Specimen) -> Trial:
    """Return the change that a specimen's kind suggests; no change if it would change nothing or leave nothing."""
    run, change = specimen.run, specimen.kind.change
    sources = ranks_with_answer(run, specimen.question)
    if change == "only the answer":
        return _keeping(run, sources, "Only with the correct answer:  ")
    if change == "without the wrong":
        wrong = set(ranks_containing(run, answer_text(run))) - set(sources)
        return _keeping(run, _ranks_besides(run, wrong), "Without the wrong answer:  ")
    if change == "no copies":
        return _keeping(run, _ranks_besides(run, copy_ranks(run)[1:]), "Without the copy: ")
    return _turned(specimen) if change == "right first" else AS_IT_WAS


def _ranks_besides(run: Diagnosis, left_out: Collection[int]) -> tuple[int, ...]:
    """Return the ranks of all other passages."""
    return tuple(hit.rank for hit in run.hits if hit.rank not in left_out)


def _keeping(run: Diagnosis, ranks: tuple[int, ...], words: str) -> Trial:
    """Return the trial that reads only these ranks."""
    if not ranks or len(ranks) == len(run.hits):
        return AS_IT_WAS
    kept = tuple(hit.passage for hit in run.hits if hit.rank in ranks)
    return Trial(words=f"{words}{_named(ranks)}.", passages=kept)


def _turned(specimen: Specimen) -> Trial:
    """Return the trial that reads the contradicting passages in the other order, followed by the others."""
    defect = planted_defect(specimen.question, "contradiction")
    sides = defect.documents if defect is not None else ()
    in_conflict = [hit.passage for hit in specimen.run.hits if hit.passage.document_id in sides]
    others = [hit.passage for hit in specimen.run.hits if hit.passage.document_id not in sides]
    if len(in_conflict) < 2:
        return AS_IT_WAS
    return Trial(words="Both contradicting passages change places.", passages=(*in_conflict[::-1], *others))


def _named(ranks: tuple[int, ...]) -> str:
    """Return passages by their numbers.

    >>> _named((2,)), _named((1, 3))
    ('passage 2', 'passages 1, 3')
    """
    return f"passage{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}"
