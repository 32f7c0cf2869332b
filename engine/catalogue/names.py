"""What a number is called where it stands: its title, which chunk, context, policy or set of answers it belongs to."""

from collections.abc import Callable
from typing import Any

from engine.catalogue.base import Entry, Place
from engine.catalogue.entries import OF_INTERVAL
from engine.catalogue.uncertainty import MEASURES, SET_NAMES
from engine.catalogue.walk import entry_of
from engine.core.records import Hit, Interval
from engine.core.words import shown
from engine.methods.chunk_utility import ChunkUse, SampledBelief
from engine.methods.dense_rag_records import DenseRagResult, RefinementStep
from engine.methods.dense_records import DenseChunk
from engine.methods.quco_claims import CountedClaim, CountedEntity
from engine.methods.seper_records import Belief, SeperResult
from engine.methods.sufficiency import PassageReply
from engine.methods.timing.base import PolicyRun, PolicyTrace
from engine.methods.timing.policies import POLICIES
from engine.methods.uncertainty import AnswerSet, Reading

ITEM_NAMES: dict[type, Callable[[Any], str]] = {
    ChunkUse: lambda use: first_words(use),
    AnswerSet: lambda answers: answers.word,
    Reading: lambda reading: f"{reading.measure} on {reading.edges}",
    PolicyTrace: lambda lane: lane.policy,
    PolicyRun: lambda run: run.policy,
}
ENDS = {"low": "from", "high": "to", "level": "level"}


def title_of(place: Place) -> str:
    """Return what a number is called where it stands: an end of an interval by the number it belongs to."""
    entry, belongs = entry_of(place), interval_of(place)
    title = f"{belongs.title}: {entry.title}" if belongs is not None else entry.title
    context = context_of(place)
    return f"{title} ({context})" if context else title


def short_name(place: Place) -> str:
    """Return a number's name for a button."""
    entry, belongs = entry_of(place), interval_of(place)
    name = entry.short or entry.title
    if belongs is not None:
        name = f"{belongs.short or belongs.title} {ENDS[place.field]}"
    context = context_of(place)
    return f"{name}, {context}" if context else name


def unit_of(place: Place) -> str:
    """Return a number's unit: an end of an interval has that of its number, its level is a share."""
    belongs = interval_of(place)
    return entry_of(place).unit if belongs is None or place.field == "level" else belongs.unit


def range_of(place: Place) -> str:
    """Return a number's range: an end of an interval has that of its number."""
    belongs = interval_of(place)
    return entry_of(place).range if belongs is None or place.field == "level" else belongs.range


def interval_of(place: Place) -> Entry | None:
    """Return the entry of the number an interval belongs to, None for a number that is no end of one."""
    if not isinstance(place.owner, Interval):
        return None
    return OF_INTERVAL.get((type(place.above[-1]), str(place.steps[-2])))


def own_interval(place: Place) -> Interval | None:
    """Return the interval stored beside a number, None where it has none.

    Where a chunk's utility rests on SePer's very samples it is SePer's: older records drew another one.
    """
    if (same := seper_belief(place)) is not None:
        return same.soft_interval
    entry = entry_of(place)
    found = getattr(place.owner, entry.interval, None) if entry.interval else None
    return found if isinstance(found, Interval) else None


def seper_belief(place: Place) -> Belief | None:
    """Return SePer's belief over the very samples that a chunk's utility was measured against, None elsewhere."""
    found, owner = place.diagnosis.result(SeperResult), place.owner
    if found is None or not isinstance(owner, SampledBelief) or place.field != "soft":
        return None
    held = (found.without, found.with_passages)
    return next((one for one in held if one is not None and one.samples == owner.samples and one.kernel), None)


def key_of(place: Place) -> str:
    """Return what a number is in any run: its address, with what an item is about in the place of its position.

    Chunks are named by their first words and sets, measures and policies by their words, so that the same number of
    two runs has one key although it stands elsewhere in a list.
    """
    records = (*place.above, place.owner)
    items = [name(one) for one in records for kind, name in ITEM_NAMES.items() if isinstance(one, kind)]
    return " ".join([".".join(step for step in place.steps if isinstance(step, str)), *items])


def compared_name(place: Place) -> str:
    """Return what a number is called beside the same number of another run: passages by their first words."""
    use = place.find(ChunkUse)
    if use is None:
        return short_name(place)
    return f"passage “{first_words(use)}…” {'among the others' if 'left_out' in place.steps else 'alone'}"


def first_words(use: ChunkUse) -> str:
    """Return the first words of a chunk's passage."""
    return " ".join(use.passage.text.split()[:6])


def context_of(place: Place) -> str:
    """Return which of several a number belongs to, as "passage 2" or "with passages"; "" where there is one only."""
    words = [*condition(place), *of_list(place), *policy(place), *claim(place)]
    return ", ".join(words)


def condition(place: Place) -> list[str]:
    """Return under which condition a belief was measured."""
    if "with_passages" in place.steps:
        return ["with passages"]
    if "without" in place.steps:
        return ["without passages"]
    return ["from memory"] if place.find(Belief) is not None and "closed_book" in place.steps else []


def of_list(place: Place) -> list[str]:
    """Return which passage, chunk, context, set of answers and measure a number belongs to."""
    words = []
    use, chunk, step = place.find(ChunkUse), place.find(DenseChunk), place.find(RefinementStep)
    answers, reading, hit = place.find(AnswerSet), place.find(Reading), place.find(Hit)
    if hit is not None:
        words.append(f"passage {hit.rank}")
    if (asked := place.find(PassageReply)) is not None:
        words.append(f"passage {asked.index + 1}")
    if "together" in place.steps:
        words.append("all passages")
    if use is not None:
        words.append(f"passage {use.index + 1} {of_use(place)}")
    if chunk is not None:
        words.append(f"passage {chunk.index + 1}")
    if step is not None:
        words.append(f"context {1 + next(i for i, one in enumerate(place.the(DenseRagResult).steps) if one is step)}")
    if reading is not None:
        soft = " by probabilities" if reading.edges == "probabilities" else ""
        words.append(f"{MEASURES[reading.measure].name}{soft}")
    if answers is not None:
        words.append(SET_NAMES[answers.word])
    return words


def of_use(place: Place) -> str:
    """Return what a number of a chunk's utility compares: a change among the others, or a belief without the chunk."""
    if "left_out" not in place.steps:
        return "alone"
    return "left out" if place.find(SampledBelief) is not None else "among the others"


def policy(place: Place) -> list[str]:
    """Return which retrieval-timing policy a number belongs to."""
    lane, run = place.find(PolicyTrace), place.find(PolicyRun)
    named = lane.policy if lane is not None else run.policy if run is not None else ""
    return [POLICIES[named].title if named in POLICIES else named] if named else []


def claim(place: Place) -> list[str]:
    """Return which named thing or claim a count belongs to."""
    entity, found = place.find(CountedEntity), place.find(CountedClaim)
    if entity is not None:
        return [shown(entity.entity.text, 40)]
    if found is None:
        return []
    tail = "" if found.tail is None else f" – {found.tail.entity.text}"
    return [shown(f"{found.head.entity.text}{tail}", 60)]
