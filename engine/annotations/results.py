"""What the labels say: the ETC paper's Table 6, and each method's automatic label against people's.

Section 6.3 counts a retrieval as delayed where incorrect tokens stand before it, and as redundant where the model could
answer without it; section 6.4 as redundant where the result is equal or worse. Both ratios are over retrievals. The
average delay is a policy's first trigger minus ETC's in tokens, over the questions where both fire.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.annotations.agreement import Estimate
from engine.annotations.records import Adjudication, Item, Kind, Label, Suggestion, Value, Values


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What counts for an item: what was adjudicated, else what more than half of the submitted labels say per field.

    ``people`` submitted a label; ``open`` names the fields on which no value has a majority.
    """

    item: str
    values: Values
    people: int
    adjudicated: bool
    open: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingRow:
    """One policy's line of Table 6. Ratios in [0, 1], lower is better; tokens may be negative (earlier than ETC).

    ``delayed``, ``redundant_without`` (right without it) and ``redundant_gain`` (no gain from it) are over retrievals,
    ``missing`` over whole answers without any. ``delay`` is how many tokens after the first wrong token the delayed
    retrievals came; ``after_etc`` the first trigger minus ETC's.
    """

    policy: str
    retrievals: int
    delayed: Estimate
    redundant_without: Estimate
    redundant_gain: Estimate
    missing: Estimate
    delay: Estimate
    after_etc: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodScore:
    """A method's automatic label against people's, for one value of one field (the paper's fault, where it has one).

    Precision and recall in [0, 1], ``kappa`` (Cohen's, over all values of the field) in [-1, 1]; each may be not
    measured, with its reason.
    """

    method: str
    kind: Kind
    field: str
    value: Value
    n: int
    precision: Estimate
    recall: Estimate
    kappa: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerPlace:
    """Where one retrieval falls: after ``token`` tokens of an answer of ``tokens``, and what people settled on."""

    policy: str
    item: str
    token: int
    tokens: int
    timing: str


def settled(
    items: Sequence[Item], labels: Sequence[Label], adjudications: Sequence[Adjudication] = ()
) -> tuple[Settled, ...]:
    """Return what counts for each item that has a submitted label or an adjudication, in the order of the items."""
    raise NotImplementedError


def table_six(
    items: Sequence[Item], counted: Sequence[Settled], draws: int = 2000, seed: int = 0
) -> tuple[TimingRow, ...]:
    """Return a line for each policy that has items, ETC first, then in alphabetical order."""
    raise NotImplementedError


def against_people(
    items: Sequence[Item],
    counted: Sequence[Settled],
    suggested: Mapping[str, Sequence[Suggestion]],
    draws: int = 500,
    seed: int = 0,
) -> tuple[MethodScore, ...]:
    """Return each method's score per field; ``suggested`` maps an item's id to what the methods say of it."""
    raise NotImplementedError


def trigger_places(items: Sequence[Item], counted: Sequence[Settled] = ()) -> tuple[TriggerPlace, ...]:
    """Return where every retrieval among the items falls, in their order; ``timing`` is "" where nothing is settled."""
    raise NotImplementedError
