"""What if: a run with something changed, before it is run.

A ``Variant`` is what a person edits: the question, the judge, and the passages, either as they stand or looked up anew
another way. Editing makes a new one; nothing is changed in place, so undo is keeping the one before. What comes out is
an ordinary request with the same seed and its parent's id: the job desk works it off like any other.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Literal

from engine.backends.retrieval.documents import corpus_name
from engine.core.errors import CorpusError
from engine.core.folders import sample_data
from engine.core.passage_names import passage_name
from engine.core.records import Hit, Passage
from engine.core.settings import MOST_PASSAGES
from engine.core.words import isolated
from engine.diagnosis.request import DiagnosisRequest, Retriever
from engine.methods.profiles import PROFILES
from engine.runs.compare import align_chunks
from engine.runs.store import StoredRun

SAMPLE = "sample"
HAND = "written by hand"
MOST_STEPS = 200
WORDS_SHOWN, QUOTED_LETTERS = 8, 40
Reading = Literal["given", "looked up"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One passage in the place where the model reads it. ``wording`` is DENSE's rewording by hand, "" = the writer's.

    ``key`` stays with the passage while it is moved and edited, and names its widgets.
    """

    key: int
    passage: Passage
    wording: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A run as a person wants it changed. ``reading`` "given": the slots; "looked up": k passages by the retriever.

    ``corpus`` is what can be searched, None where the passages are all there is.
    """

    question: str
    golds: tuple[str, ...]
    judge: str
    corpus: str | None
    reading: Reading
    k: int
    retriever: Retriever
    slots: tuple[Slot, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """The variants a person went through, and which one stands; what was undone can be done again."""

    states: tuple[Variant, ...]
    at: int = 0

    @property
    def now(self) -> Variant:
        """The variant that stands."""
        return self.states[self.at]

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return self.at > 0

    @property
    def can_redo(self) -> bool:
        """Whether a step was taken back that can be done again."""
        return self.at + 1 < len(self.states)


def start_variant(run: StoredRun) -> Variant:
    """Return a run as the variant in which nothing is changed yet: the passages it read, each in its place.

    Raises CorpusError where the run has not come to its passages.
    """
    if run.diagnosis is None:
        raise CorpusError(
            "This run has not found its passages yet, so there is nothing to change. Wait for its answer."
        )
    request = variant_base_request(run)
    return variant_of(request, run.diagnosis.hits)


def variant_of(request: DiagnosisRequest, hits: Sequence[Hit]) -> Variant:
    """Return what was asked and read as a variant."""
    by_hand = dict(request.dense.rewrites)
    looked_up = request.corpus is not None and not request.fixed and not request.passages
    return Variant(
        question=" ".join(request.question.split()),
        golds=request.golds,
        judge=request.judge,
        corpus=request.corpus,
        reading="looked up" if looked_up else "given",
        k=request.k or len(hits) or PROFILES[request.profile].passages,
        retriever=request.retriever,
        slots=tuple(
            Slot(key=place, passage=hit.passage, wording=by_hand.get(place, "")) for place, hit in enumerate(hits)
        ),
    )


def variant_base_request(run: StoredRun) -> DiagnosisRequest:
    """Return a run's request as the start of a variant: its parent is that run, counting stays on this machine.

    A record that was brought in names no corpus, only what it read. Where it was asked over the shipped encyclopaedia,
    its methods search and count there again, with the passages as they were.
    """
    request = replace(run.request, parent=run.id, quco_rag=replace(run.request.quco_rag, counts="corpus"))
    if run.diagnosis is None or request.corpus is not None:
        return request
    origin = run.diagnosis.provenance
    if not origin.corpus_hash or origin.corpus != corpus_name(sample_data()):
        return request
    return replace(request, corpus=SAMPLE, fixed=True, passages=tuple(hit.passage for hit in run.diagnosis.hits))


def variant_request(base: DiagnosisRequest, start: Variant, variant: Variant) -> DiagnosisRequest:
    """Return the request for a variant: everything that was not edited stays as ``base`` asked for it.

    Raises CorpusError where there are too many passages or one has no text, and where nothing can be looked up.
    """
    request = replace(base, question=variant.question, golds=variant.golds, judge=variant.judge)
    if variant.reading == "looked up":
        if variant.corpus is None:
            raise CorpusError("This run has no corpus to look anything up in. Keep the passages, or edit them.")
        by_hand = base.dense.rewrites if read_alike(start, variant) else ()
        kept = replace(base.dense, rewrites=by_hand)
        found = {"k": variant.k, "retriever": variant.retriever}
        return replace(request, passages=(), fixed=False, corpus=variant.corpus, dense=kept, **found)  # type: ignore[arg-type]
    if texts_of(variant) == texts_of(start) and start.reading == variant.reading:
        return request
    if any(not slot.passage.text.strip() for slot in variant.slots):
        raise CorpusError("A passage has no text. Write some, or remove the passage.")
    if len(variant.slots) > MOST_PASSAGES:
        raise CorpusError(f"{len(variant.slots)} passages are more than the {MOST_PASSAGES} that can be read at once.")
    rewrites = tuple((place, slot.wording) for place, slot in enumerate(variant.slots) if slot.wording.strip())
    return replace(
        request,
        passages=tuple(slot.passage for slot in variant.slots),
        corpus=variant.corpus,
        fixed=True,
        k=None,
        dense=replace(base.dense, rewrites=rewrites),
        # A rewording by hand is DENSE's: without it nobody would read it.
        methods=tuple(dict.fromkeys((*base.methods, *(("dense",) if rewrites else ())))),
    )


def read_alike(start: Variant, variant: Variant) -> bool:
    """Return whether both are sure to read the same passages: looked up for the same question in the same way."""
    both = (start, variant)
    return len({(one.reading, one.question, one.k, one.retriever, one.corpus) for one in both}) == 1


def texts_of(variant: Variant) -> tuple[tuple[str, str, str], ...]:
    """Return what is read, in order: title, text and rewording by hand of each passage."""
    return tuple((slot.passage.title, slot.passage.text, slot.wording) for slot in variant.slots)


def remove_passage(variant: Variant, key: int) -> Variant:
    """Return the variant without one passage."""
    return set_slots(variant, tuple(slot for slot in variant.slots if slot.key != key))


def move_passage(variant: Variant, key: int, step: int) -> Variant:
    """Return the variant with one passage moved by ``step`` places; at either end it stays."""
    slots = list(variant.slots)
    place = place_of(variant, key)
    other = place + step
    if not 0 <= other < len(slots):
        return variant
    slots.insert(other, slots.pop(place))
    return set_slots(variant, tuple(slots))


def duplicate_passage(variant: Variant, key: int) -> Variant:
    """Return the variant with one passage read twice, the second time right after the first."""
    place = place_of(variant, key)
    twin = replace(variant.slots[place], key=new_key(variant))
    return set_slots(variant, (*variant.slots[: place + 1], twin, *variant.slots[place + 1 :]))


def edit_passage(variant: Variant, key: int, title: str, text: str) -> Variant:
    """Return the variant with other words in one passage; a rewording by hand of the old words goes with them.

    White space at the ends of what was typed counts for nothing.
    """
    old = variant.slots[place_of(variant, key)].passage
    if (title.strip(), text.strip()) == (old.title.strip(), old.text.strip()):
        return variant
    words = Passage(text=text.strip(), title=title.strip(), source=HAND, end=len(text.strip()))
    return replace_slot(variant, key, Slot(key=key, passage=words))


def replace_passage(variant: Variant, key: int, passage: Passage) -> Variant:
    """Return the variant with another passage in the place of one."""
    return replace_slot(variant, key, Slot(key=key, passage=passage))


def add_passage(variant: Variant, passage: Passage) -> Variant:
    """Return the variant with one more passage, read last."""
    return set_slots(variant, (*variant.slots, Slot(key=new_key(variant), passage=passage)))


def set_rewording(variant: Variant, key: int, wording: str) -> Variant:
    """Return the variant with DENSE's rewording of one passage by hand; "" leaves it to the writer again."""
    slot = variant.slots[place_of(variant, key)]
    return replace_slot(variant, key, replace(slot, wording=wording.strip()))


def replace_slot(variant: Variant, key: int, slot: Slot) -> Variant:
    """Return the variant with one slot exchanged; the variant itself where that changes nothing."""
    return set_slots(variant, tuple(slot if old.key == key else old for old in variant.slots))


def set_slots(variant: Variant, slots: tuple[Slot, ...]) -> Variant:
    """Return the variant that reads these passages; the variant itself where it does so already."""
    return variant if slots == variant.slots else replace(variant, slots=slots, reading="given")


def place_of(variant: Variant, key: int) -> int:
    """Return the place of a passage from 0. Raises CorpusError where it is gone, as after an undo in another tab."""
    for place, slot in enumerate(variant.slots):
        if slot.key == key:
            return place
    raise CorpusError("This passage is no longer there; the list below is what stands.")


def new_key(variant: Variant) -> int:
    """Return a key that no passage has."""
    return 1 + max((slot.key for slot in variant.slots), default=-1)


def push_step(steps: Steps, variant: Variant) -> Steps:
    """Return the steps with one more; what had been undone is forgotten. The same variant again is no step."""
    if variant == steps.now:
        return steps
    states = (*steps.states[: steps.at + 1], variant)[-MOST_STEPS:]
    return Steps(states=states, at=len(states) - 1)


def pop_step(steps: Steps) -> Steps:
    """Return the steps with the last one taken back."""
    return replace(steps, at=steps.at - 1) if steps.can_undo else steps


def restore_step(steps: Steps) -> Steps:
    """Return the steps with the last undone one done again."""
    return replace(steps, at=steps.at + 1) if steps.can_redo else steps


def changes(before: Variant, after: Variant) -> tuple[str, ...]:
    """Return what sets a variant apart from another, each change as a sentence without its full stop; () for none."""
    told: list[str] = []
    if before.question != after.question:
        told.append(f"the question is “{isolated(after.question)}” instead of “{isolated(before.question)}”")
    if before.golds != after.golds:
        told.append(
            f"correct answers: {' / '.join(map(isolated, after.golds)) or 'none'} "
            f"instead of {' / '.join(map(isolated, before.golds)) or 'none'}"
        )
    if before.judge != after.judge:
        told.append(f"judge {after.judge} instead of {before.judge}")
    if after.reading == "looked up":
        return (*told, *lookup_changes(before, after))
    return (*told, *passage_changes(before, after))


def lookup_changes(before: Variant, after: Variant) -> Iterator[str]:
    """Yield how passages are looked up otherwise."""
    if before.reading != "looked up":
        yield f"{after.k} passages are looked up anew by {after.retriever}"
        return
    if before.retriever != after.retriever:
        yield f"looked up by {after.retriever} instead of {before.retriever}"
    if before.k != after.k:
        yield f"{after.k} passages instead of {before.k}"


def passage_changes(before: Variant, after: Variant) -> Iterator[str]:
    """Yield what became of each passage, in the order of the first variant; what is new comes last."""
    old, new = hits_of(before), hits_of(after)
    read = {slot.passage.text for slot in before.slots}
    pairs = align_chunks(old, new)
    # What stands in the place of what is gone was put there instead of it.
    swaps = {p.first for p in pairs if p.second is None} & {p.second for p in pairs if p.first is None}
    stays = in_order([(p.first, p.second) for p in pairs if p.first is not None and p.second is not None])
    for pair in pairs:
        if pair.first is None and pair.second in swaps:
            continue
        if pair.first is None and pair.second is not None:
            passage = new[pair.second].passage
            what = "is read once more" if passage.text in read else "is new"
            yield f"passage {pair.second + 1}, {quoted_name(passage)}, {what}"
        elif pair.first is not None and pair.first in swaps:
            name, instead = (quoted_name(hits[pair.first].passage) for hits in (old, new))
            became = "has another text" if name == instead else f"gives way to {instead}"
            yield f"passage {pair.first + 1}, {name}, {became}"
        elif pair.second is None and pair.first is not None:
            yield f"passage {pair.first + 1}, {quoted_name(old[pair.first].passage)}, is left out"
        elif pair.first is not None and pair.second is not None:
            yield from pair_changes(before.slots[pair.first], after.slots[pair.second], pair.first, pair.second, stays)


def pair_changes(old: Slot, new: Slot, first: int, second: int, stays: Collection[int]) -> Iterator[str]:
    """Yield how one passage differs in place, words, title and rewording by hand."""
    name = f"passage {first + 1}"
    if first not in stays:
        yield f"{name} moves to place {second + 1}"
    if old.passage.text != new.passage.text:
        yield f"{name} is edited: {edit_words(old.passage.text, new.passage.text)}"
    if old.passage.title != new.passage.title:
        yield f"{name} {title_change(old.passage.title, new.passage.title)}"
    if old.wording != new.wording:
        yield f"the rewording of {name} is {'by hand' if new.wording else 'left to the writer again'}"


def in_order(pairs: Sequence[tuple[int, int]]) -> frozenset[int]:
    """Return the first places of the pairs that keep their order, as many as can: only the others were moved.

    Where one passage is left out, those after it move up without anybody having moved them.

    >>> sorted(in_order([(0, 1), (1, 2), (2, 0)]))
    [0, 1]
    """
    chains: list[tuple[int, ...]] = []
    for place, (_, second) in enumerate(pairs):
        before = [chain for chain in chains if pairs[chain[-1]][1] < second]
        chains.append((*max(before, key=len, default=()), place))
    return frozenset(pairs[place][0] for place in max(chains, key=len, default=()))


def edit_words(before: str, after: str) -> str:
    """Return what an edit did, in a few words.

    >>> edit_words("opened in 1869", "opened in 1870")
    '“1869” becomes “1870”'
    """
    old, new = before.split(), after.split()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    spans = [span for span in matcher.get_opcodes() if span[0] != "equal"]
    if len(spans) != 1 or max(spans[0][2] - spans[0][1], spans[0][4] - spans[0][3]) > WORDS_SHOWN:
        count = sum(max(end_a - start_a, end_b - start_b) for _, start_a, end_a, start_b, end_b in spans)
        return f"{count} word{'s' if count != 1 else ''} differ{'s' if count == 1 else ''}"
    _, start_a, end_a, start_b, end_b = spans[0]
    gone, came = " ".join(old[start_a:end_a]), " ".join(new[start_b:end_b])
    if not gone or not came:
        return f"“{isolated(came)}” comes in" if came else f"“{isolated(gone)}” falls out"
    return f"“{isolated(gone)}” becomes “{isolated(came)}”"


def title_change(old: str, new: str) -> str:
    """Return how a passage's title changed, for the end of a clause.

    >>> title_change("Suez", ""), title_change("", "Suez")
    ('loses its title “Suez”', 'is titled “Suez”')
    """
    if not new:
        return f"loses its title “{isolated(old)}”"
    return f"is titled “{isolated(new)}”" + (f" instead of “{isolated(old)}”" if old else "")


def quoted_name(passage: Passage) -> str:
    """Return how a passage is called inside a sentence.

    >>> quoted_name(Passage(text="The Suez Canal was opened in November of 1869."))
    '“The Suez Canal was opened in November …”'
    """
    return f"“{isolated(passage_name(passage, QUOTED_LETTERS))}”"


def hits_of(variant: Variant) -> tuple[Hit, ...]:
    """Return the passages of a variant as hits, so that they can be aligned."""
    return tuple(
        Hit(passage=slot.passage, rank=rank, score=float("nan"), retriever="given")
        for rank, slot in enumerate(variant.slots, 1)
    )


def change_marks(start: Variant, slot: Slot) -> tuple[str, ...]:
    """Return in a word or two what was done to a passage since ``start``; () where it stands as it was read."""
    old = next((one for one in start.slots if one.key == slot.key), None)
    told = []
    if old is None:
        twin = any(one.passage.text == slot.passage.text for one in start.slots)
        told.append("read once more" if twin else "new")
    elif old.passage != slot.passage:
        told.append("edited" if slot.passage.source == HAND else "swapped in")
    if slot.wording:
        told.append("rewording by hand")
    return tuple(told)
