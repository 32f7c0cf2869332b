"""What to try next with a specimen: the passages a changed question is asked over, as its kind suggests."""

from dataclasses import dataclass

from engine.core.records import Passage
from engine.learning.atlas.facts import holders, planted, ranks_with, said, twins
from engine.learning.atlas.shelf import Specimen


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A change to ask again with: in words, and the passages to read; () leaves passages and corpus as they were."""

    words: str
    passages: tuple[Passage, ...] = ()


AS_IT_WAS = Trial(words="The form is filled with the same question and passages, to be changed by you.")


def trial_of(specimen: Specimen) -> Trial:
    """Return the change that a specimen's kind suggests; as it was where nothing would change or nothing be left."""
    change = specimen.kind.change
    if change == "only the answer":
        return _keeping(specimen, holders(specimen.run, specimen.asked), "Only what holds the right answer is read: ")
    if change == "without the wrong":
        wrong = set(ranks_with(specimen.run, said(specimen.run))) - set(holders(specimen.run, specimen.asked))
        kept = tuple(hit.rank for hit in specimen.run.hits if hit.rank not in wrong)
        return _keeping(specimen, kept, "Read without what holds the wrong answer: ")
    if change == "no copies":
        spare = set(twins(specimen.run)[1:])
        kept = tuple(hit.rank for hit in specimen.run.hits if hit.rank not in spare)
        return _keeping(specimen, kept, "Read without the copy: ")
    if change == "right first":
        return _turned(specimen)
    return AS_IT_WAS


def _keeping(specimen: Specimen, ranks: tuple[int, ...], words: str) -> Trial:
    """Return the trial that reads these ranks only."""
    if not ranks or len(ranks) == len(specimen.run.hits):
        return AS_IT_WAS
    kept = tuple(hit.passage for hit in specimen.run.hits if hit.rank in ranks)
    return Trial(words=f"{words}{_named(ranks)}.", passages=kept)


def _turned(specimen: Specimen) -> Trial:
    """Return the trial that reads the contradicting passages in the other order, the others after them."""
    defect = planted(specimen.asked, "contradiction")
    sides = set(defect.documents) if defect is not None else set()
    in_conflict = [hit.passage for hit in specimen.run.hits if hit.passage.document_id in sides]
    others = [hit.passage for hit in specimen.run.hits if hit.passage.document_id not in sides]
    if len(in_conflict) < 2:
        return AS_IT_WAS
    return Trial(
        words="The two passages that contradict each other are read in the other order.",
        passages=(*in_conflict[::-1], *others),
    )


def _named(ranks: tuple[int, ...]) -> str:
    """Return passages by their numbers.

    >>> _named((2,)), _named((1, 3))
    ('passage 2', 'passages 1, 3')
    """
    return f"passage{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}"
