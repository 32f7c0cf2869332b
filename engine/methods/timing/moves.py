"""What becomes of text that was written ahead: how much stays, why the rest does not, and what comes next.

A conclusion ends a run, and what stands behind it is dropped. What was written right after a lookup is not checked
again, as in the released programs: else it would fire at the same word for ever. Text that the model ended by itself
without a conclusion is no answer: the run goes on where the next prompt is another one (the passages are gone), and has
*stopped* where it is the same, for a greedy model writes nothing more there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.core.records import Generation
from engine.methods.conclusion import answer_end, conclusion_end
from engine.methods.timing.base import (
    After,
    Continuation,
    DraftView,
    Ended,
    Kept,
    Policy,
    PolicyContext,
    Retrieval,
    Signal,
    fired,
    ladder,
)

UNCHECKED: tuple[After, ...] = ("sentence", "checked on")
DROPPING: tuple[After, ...] = ("checked on", "all")


@dataclass(slots=True, kw_only=True)
class Draft:
    """A run while it is being written. ``over`` numbers the retrieval whose passages stand in the prompt.

    ``fresh``: something was looked up just now, and nothing has been written since.
    """

    text: str = ""
    tokens: int = 0
    over: int | None = None
    fresh: bool = False
    used_up: bool = False
    ended: Ended | None = None
    forced: Generation | None = None
    opening: tuple[Signal, ...] = ()
    retrievals: list[Retrieval] = field(default_factory=list)
    written: list[Continuation] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What a policy makes of text written ahead: characters [0, kept) stay; then a lookup, or the end, or neither.

    ``used_up``: it asked for a lookup, and none was left.
    """

    kept: int
    why: Kept
    trigger: Signal | None = None
    ended: Ended | None = None
    drops_passages: bool = False
    used_up: bool = False
    judged: tuple[Signal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A continuation as far as it is the answer: ``end`` in characters, ``said`` where its conclusion ends, if any."""

    end: int
    said: int | None

    @property
    def stays(self) -> int:
        """How much stays where nothing else is decided."""
        return self.end if self.said is None else self.said


def decide(policy: Policy, look: DraftView, draft: Draft) -> Move:
    """Return what becomes of text written ahead: how much stays, and whether to look up, to end or to go on."""
    text = look.generation.text
    if not text.strip():
        return Move(kept=0, why="nothing", ended="stopped")
    read = read_ahead(look)
    # A stop string ends no text that begins with it, so the format's next question may be all that was written.
    if not text[: read.end].strip():
        return Move(kept=0, why="another question", ended="stopped")
    after = policy.afterwards(look.scene.config.variant)
    unchecked = min(look.sentences[0].end, read.end) if draft.fresh and after in UNCHECKED else 0
    if unchecked and read.said is not None and read.said <= unchecked:
        return concluded(read.said)
    if unchecked and after == "sentence":
        whole = not text[unchecked:].strip()
        return Move(kept=unchecked, why="whole" if whole else "one sentence", drops_passages=True)
    signals = () if draft.fresh and after in ("all", "once") else usable(policy.judge(look), unchecked, read)
    return checked(policy, look, draft, read, signals)


def read_ahead(look: DraftView) -> Reading:
    """Return how far a continuation is the answer. The conclusion's phrase may stand in the text kept before it."""
    said = conclusion_end(look.kept + look.generation.text, look.scene.backends.text)
    return Reading(end=answer_end(look.generation.text), said=None if said is None else max(0, said - len(look.kept)))


def usable(signals: Sequence[Signal], start: int, read: Reading) -> list[Signal]:
    """Return the signals that may fire: behind what stays unchecked, before the end of the conclusion."""
    return [signal for signal in signals if signal.start >= start and signal.cut < (read.said or read.end + 1)]


def checked(policy: Policy, look: DraftView, draft: Draft, read: Reading, signals: Sequence[Signal]) -> Move:
    """Return the move that a policy's signals call for: a lookup at the first that fires, where one is left."""
    bar = policy.bar(look.scene.config)
    places = fired(signals, bar)
    trigger = signals[places[0]] if places else None
    judged = ladder(signals[: places[0] + 1] if places else signals, bar)
    if trigger is not None and has_room(trigger, look, draft):
        if len(draft.retrievals) < look.scene.config.most_retrievals:
            return Move(kept=trigger.cut, why="trigger", trigger=trigger, judged=judged)
        return onwards(policy, look, draft, read, judged, used_up=True)
    return onwards(policy, look, draft, read, judged)


def onwards(
    policy: Policy, look: DraftView, draft: Draft, read: Reading, judged: tuple[Signal, ...], used_up: bool = False
) -> Move:
    """Return the move where nothing is looked up: the conclusion, a spent budget, or whether the text goes on."""
    if read.said is not None:
        return concluded(read.said, judged, used_up)
    config, generation = look.scene.config, look.generation
    another = read.end < len(generation.text)
    cut = generation.stop_reason == "length" and not another
    drops = draft.over is not None and policy.afterwards(config.variant) in DROPPING
    ended: Ended | None = None
    if cut and policy.piece(config) is None:
        ended = "out of tokens"
    elif not cut and not drops:
        ended = "stopped"
    return Move(
        kept=read.end,
        why="another question" if another else "whole",
        ended=ended,
        drops_passages=drops,
        used_up=used_up,
        judged=judged,
    )


def concluded(said: int, judged: tuple[Signal, ...] = (), used_up: bool = False) -> Move:
    """Return the move that ends a run with its conclusion."""
    return Move(kept=said, why="concluded", ended="concluded", judged=judged, used_up=used_up)


def most_tokens(scene: PolicyContext) -> int:
    """Return how many tokens an answer may keep."""
    return scene.config.most_tokens or scene.case.profile.step_tokens


def has_room(trigger: Signal, look: DraftView, draft: Draft) -> bool:
    """Return whether a token could still be written after a lookup."""
    return draft.tokens + tokens_before(look.generation, trigger.cut) < most_tokens(look.scene)


def tokens_before(generation: Generation, cut: int) -> int:
    """Return how many tokens stand before a cut; one of which only its leading space does stands behind it."""
    text = generation.text
    return sum(token.end <= cut or bool(text[token.start : cut].strip()) for token in generation.tokens)
