"""Results of the labels: the ETC paper's Table 6, and each method's automatic label against people's.

In section 6.3 a retrieval is delayed if incorrect tokens precede it, and redundant if the model could answer without
it. In section 6.4 it is redundant if the result is equal or worse. Both ratios are over retrievals. The average delay
is a policy's first trigger minus ETC's in tokens, over the questions where both trigger. The intervals (Wilson's for
ratios, the bootstrap's for means) treat retrievals as independent, but those of one answer are not.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.annotations.agreement import (
    FEWEST_ITEMS,
    Estimate,
    cohen,
    interval_of,
    not_measured,
    proportion,
    submitted_by_item,
)
from engine.annotations.fields import FIELDS, field_of
from engine.annotations.records import Adjudication, Item, Kind, Label, Suggestion, Value, Values
from engine.measures.annotator_agreement import mean_interval
from engine.methods.timing.trace import REFERENCE

# What a method is scored on finding; of chunks and entailment every value counts.
FAULTS: Mapping[str, str] = {
    "timing": "delayed",
    "without": "redundant",
    "gain": "redundant",
    "missing": "missing",
    "correct": "wrong",
}
RETRIEVALS: tuple[Kind, ...] = ("retrieval", "trigger")
Pairs = dict[tuple[str, Kind, str], list[tuple[Value, Value]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledItem:
    """The result for an item: its adjudication, otherwise the majority of the submitted labels per field.

    ``people`` submitted a label; ``open`` names the fields without a majority.
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
    ``missing`` over whole answers without any. ``delay`` is the number of tokens between the first wrong token and a
    delayed retrieval; ``after_etc`` is the first trigger minus ETC's.
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
    """A method's automatic label against people's, for one value of one field (the paper's fault, if it has one).

    Precision and recall in [0, 1], ``kappa`` (Cohen's, over all values of the field) in [-1, 1]. Each may be not
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
    """The place of one retrieval: after ``token`` of an answer's ``tokens``, and people's result."""

    policy: str
    item: str
    token: int
    tokens: int
    timing: str


def settled_items(
    items: Sequence[Item], labels: Sequence[Label], adjudications: Sequence[Adjudication] = ()
) -> tuple[SettledItem, ...]:
    """Return the result for each item with a submitted label or an adjudication, in the order of the items."""
    by_item = submitted_by_item(labels)
    decided = {one.item: one for one in adjudications}
    return tuple(
        settle_item(item, by_item.get(item.id, []), decided.get(item.id))
        for item in items
        if item.id in by_item or item.id in decided
    )


def settle_item(item: Item, labels: Sequence[Label], adjudication: Adjudication | None) -> SettledItem:
    """Return the result for one item: the adjudication, otherwise the majority of each field.

    A field that belongs to another field's value is decided by those who chose that value, and dropped without it.
    """
    if adjudication is not None:
        values = adjudication.values
        return SettledItem(item=item.id, values=values, people=len(labels), adjudicated=True, open=())
    chosen: dict[str, Value] = {}
    undecided = []
    for field in FIELDS[item.kind]:
        if field.needed_with and chosen.get(field.needed_with[0]) != field.needed_with[1]:
            continue
        said = [value for label in labels if (value := label.value(field.name)) is not None]
        winner = majority(said)
        if winner is None:
            undecided.append(field.name)
        else:
            chosen[field.name] = winner
    values = tuple(chosen.items())
    return SettledItem(item=item.id, values=values, people=len(labels), adjudicated=False, open=tuple(undecided))


def majority(said: Sequence[Value]) -> Value | None:
    """Return the value of more than half, None without one.

    >>> majority(["timely", "delayed", "delayed"]), majority(["timely", "delayed"])
    ('delayed', None)
    """
    value, votes = Counter(said).most_common(1)[0] if said else (None, 0)
    return value if 2 * votes > len(said) else None


def table_six(items: Sequence[Item], counted: Sequence[SettledItem]) -> tuple[TimingRow, ...]:
    """Return a line for each policy with items, ETC first, then in alphabetical order."""
    values = {one.item: dict(one.values) for one in counted}
    policies = sorted({item.policy for item in items if item.policy}, key=lambda word: (word != REFERENCE, word))
    first = first_tokens(items)
    return tuple(
        timing_row(policy, [item for item in items if item.policy == policy], values, first) for policy in policies
    )


def timing_row(
    policy: str,
    items: Sequence[Item],
    values: Mapping[str, Mapping[str, Value]],
    first: Mapping[tuple[str, str], int],
) -> TimingRow:
    """Return one policy's line; ``first`` is its and ETC's first trigger in tokens, by run and policy."""
    retrievals = [item for item in items if item.kind in RETRIEVALS]
    said = [values.get(item.id, {}) for item in retrievals]
    answers = [values.get(item.id, {}) for item in items if item.kind == "answer"]
    late = [length for item, one in zip(retrievals, said, strict=True) if (length := delay_of(item, one)) is not None]
    later = [
        token - first[run, REFERENCE]
        for (run, word), token in first.items()
        if word == policy and (run, REFERENCE) in first
    ]
    unlabelled = "None of its retrievals has a label."
    return TimingRow(
        policy=policy,
        retrievals=len(retrievals),
        delayed=ratio([one.get("timing") for one in said], "delayed", unlabelled),
        redundant_without=ratio([one.get("without") for one in said], "redundant", unlabelled),
        redundant_gain=ratio([one.get("gain") for one in said], "redundant", "None of its own retrievals has a label."),
        missing=ratio([one.get("missing") for one in answers], "missing", "No answer without a retrieval has a label."),
        delay=average(late, "No delayed retrieval has a marked first wrong token."),
        after_etc=average(later, "On no question both it and ETC trigger."),
    )


def delay_of(item: Item, said: Mapping[str, Value]) -> int | None:
    """Return how many tokens after the first wrong one a retrieval came, None where none is marked."""
    wrong = said.get("first_wrong")
    return item.token - wrong if isinstance(wrong, int) and item.token is not None else None


def first_tokens(items: Sequence[Item]) -> dict[tuple[str, str], int]:
    """Return the first retrieval of each policy in each run, in tokens: {(run hash, policy): tokens before it}."""
    first: dict[tuple[str, str], int] = {}
    for item in items:
        if item.kind in RETRIEVALS and item.token is not None:
            key = (item.run_hash, item.policy)
            first[key] = min(item.token, first.get(key, item.token))
    return first


def ratio(said: Sequence[Value | None], wanted: str, reason: str) -> Estimate:
    """Return the share of the wanted value among known values, in [0, 1], with Wilson's interval."""
    known = [value for value in said if value is not None]
    if not known:
        return not_measured(reason)
    return proportion(sum(value == wanted for value in known), len(known))


def average(numbers: Sequence[float], reason: str) -> Estimate:
    """Return the mean with its bootstrap interval; few numbers, or numbers that are all alike, have none."""
    if not numbers:
        return not_measured(reason)
    interval = interval_of(*mean_interval(numbers)) if len(numbers) >= FEWEST_ITEMS else None
    return Estimate(value=sum(numbers) / len(numbers), interval=interval, n=len(numbers))


def score_methods(
    items: Sequence[Item],
    counted: Sequence[SettledItem],
    suggested: Mapping[str, Sequence[Suggestion]],
) -> tuple[MethodScore, ...]:
    """Return each method's score per field; ``suggested`` maps an item's id to its suggestions."""
    values = {one.item: dict(one.values) for one in counted}
    pairs: Pairs = {}
    for item in items:
        for one in suggested.get(item.id, ()):
            truth = values.get(item.id, {}).get(one.field)
            key = (one.method, item.kind, one.field)
            pairs.setdefault(key, []).extend([(one.value, truth)] if truth is not None else [])
    return tuple(
        method_score(method, kind, field, value, pairs[method, kind, field])
        for method, kind, field in sorted(pairs)
        for value in scored_values(kind, field)
    )


def scored_values(kind: Kind, name: str) -> tuple[Value, ...]:
    """Return the values of a field that a method is scored on: the fault, or every choice without one.

    >>> scored_values("retrieval", "timing"), scored_values("chunk", "chunk")
    (('delayed',), ('certain', 'necessary', 'unnecessary'))
    """
    return (FAULTS[name],) if name in FAULTS else tuple(choice.value for choice in field_of(kind, name).choices)


def method_score(
    method: str, kind: Kind, field: str, value: Value, pairs: Sequence[tuple[Value, Value]]
) -> MethodScore:
    """Return how a method's values (first of each pair) compare with people's (second)."""
    said = [truth for ours, truth in pairs if ours == value]
    true = [ours for ours, truth in pairs if truth == value]
    nobody = "No item with its suggestion has a label."
    return MethodScore(
        method=method,
        kind=kind,
        field=field,
        value=value,
        n=len(pairs),
        precision=ratio(said, str(value), f"It never suggests {value}." if pairs else nobody),
        recall=ratio(true, str(value), f"People never choose {value}." if pairs else nobody),
        kappa=cohen(pairs) if pairs else not_measured(nobody),
    )


def trigger_places(items: Sequence[Item], counted: Sequence[SettledItem] = ()) -> tuple[TriggerPlace, ...]:
    """Return the place of every retrieval among the items, in their order; ``timing`` is "" without a result."""
    values = {one.item: dict(one.values) for one in counted}
    return tuple(
        TriggerPlace(
            policy=item.policy,
            item=item.id,
            token=item.token,
            tokens=len(item.view.tokens),
            timing=str(values.get(item.id, {}).get("timing", "")),
        )
        for item in items
        if item.kind in RETRIEVALS and item.token is not None
    )
