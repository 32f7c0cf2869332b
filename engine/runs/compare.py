"""Two runs beside each other: first what was set differently, then what came out differently.

A difference between two numbers is compared with the intervals that their records hold. "beyond noise": the intervals
do not meet. "within noise": each value lies in the other's interval. Everything else is "unclear": no interval,
intervals that meet only partly, or two of no width, which say that all draws were alike and not that the numbers are
certain. Answers are aligned token by token, passages by their text; both with ``difflib``, which finds runs that match.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from difflib import SequenceMatcher
from math import isclose
from typing import Any, Literal

from engine.catalogue.names import compared_name, key_of
from engine.catalogue.walk import compared_numbers, entry_of
from engine.core.records import Generation, Hit, Interval, Token
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.settings import settings_of
from engine.methods.entropy_trend import EntropyTrendResult, undecided_words
from engine.methods.timing.base import PolicyTrace

Noise = Literal["the same", "beyond noise", "within noise", "unclear"]
How = Literal["the same", "moved", "changed", "only in A", "only in B"]
ALIKE_ENOUGH = 0.5
NO_WIDTH = 1e-3
# What eigenvalues and sums of a few numbers lose on the way.
ROUNDING = 1e-9
NONE = "none"
# What a model writes of a run unless another one is named for it.
PARTS, ITSELF = ("writer of step-by-step answers", "model of rewordings"), "the model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One setting that differs: what it is, and its two values in words."""

    what: str
    first: str
    second: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One number of a method's result with its interval, None where it has none.

    ``key`` is the same in every run, ``name`` is what it is called, ``unit`` says what it counts. ``never``: the value
    is None for nothing happened, which was measured: a policy that fires nowhere has no first trigger.
    """

    key: str
    name: str
    unit: str
    value: float | None
    interval: Interval | None = None
    never: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberPair:
    """The same number in both runs, and whether they differ by more than their intervals allow."""

    method: str
    first: Number
    second: Number
    noise: Noise
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPair:
    """Two tokens that stand for each other, or one that has no other. ``same``: equal texts."""

    first: Token | None
    second: Token | None
    same: bool

    @property
    def logprob_change(self) -> float | None:
        """How much likelier (positive) the token is in the second run, in nats; None where only one is there."""
        return None if self.first is None or self.second is None else self.second.logprob - self.first.logprob

    @property
    def entropy_change(self) -> float | None:
        """How much less sure (positive) the second run was there, in nats; None where only one is there."""
        return None if self.first is None or self.second is None else self.second.entropy - self.first.entropy


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkPair:
    """Two passages that stand for each other, by their places from 0, None where one has no other.

    ``likeness`` in [0, 1] is the share of words in common runs (1 = the same text).
    """

    first: int | None
    second: int | None
    how: How
    likeness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two runs: its id, its request, its result."""

    run: str
    request: DiagnosisRequest
    diagnosis: Diagnosis


def setup_differences(first: Side, second: Side) -> tuple[Difference, ...]:
    """Return every setting and version that differs, most telling first; () where nothing was."""
    rows = [
        *zip_facts(*named_parts(first, second)),
        *passages_differences(first.diagnosis, second.diagnosis),
        *settings_differences(settled_request(first), settled_request(second)),
        *installed_differences(first.diagnosis, second.diagnosis),
    ]
    return tuple(Difference(what=what, first=a, second=b) for what, a, b in rows if a != b)


def zip_facts(first: dict[str, str], second: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield (what, first, second) of every fact that either side has."""
    for what in dict.fromkeys((*first, *second)):
        yield what, first.get(what, NONE), second.get(what, NONE)


def named_parts(first: Side, second: Side) -> tuple[dict[str, str], dict[str, str]]:
    """Return what both runs were asked with; "the model" goes by its name where the other run names one for that part.

    A run of SmolLM2-135M whose model writes the rewordings itself has the writer of a run that names SmolLM2-135M.
    """
    a, b = request_facts(first), request_facts(second)
    for part in PARTS:
        for own, other, side in ((a, b, first), (b, a, second)):
            if own[part] == ITSELF and other[part] != ITSELF:
                origin = side.diagnosis.provenance
                own[part] = model_words(origin.model, origin.model_revision)
    return a, b


def request_facts(side: Side) -> dict[str, str]:
    """Return the question of a run and what answered it, by name."""
    diagnosis, origin = side.diagnosis, side.diagnosis.provenance
    return {
        "question": diagnosis.question,
        "correct answers": " / ".join(diagnosis.golds) or NONE,
        "model": f"{origin.model} ({origin.model_revision}, {origin.model_dtype})",
        PARTS[0]: model_words(origin.writer, origin.writer_revision),
        PARTS[1]: model_words(*origin.rewords),
        "judge": f"{origin.judge}: {origin.judge_note}" if origin.judge_note else origin.judge,
        "retriever": origin.retriever,
        "corpus": f"{origin.corpus} ({origin.corpus_hash[:12]})" if origin.corpus_hash else origin.corpus,
        "seed": str(origin.seed),
        "prompt profile": origin.profile,
        "thresholds": origin.thresholds or "the papers', or set by hand",
        "methods": ", ".join(outcome.method for outcome in diagnosis.outcomes) or NONE,
    }


def model_words(name: str, revision: str) -> str:
    """Return which model did a part of a run; "" is the model itself.

    >>> model_words("embedded-base", "1f3a"), model_words("", "")
    ('embedded-base (1f3a)', 'the model')
    """
    return f"{name} ({revision})" if name else ITSELF


def passages_differences(first: Diagnosis, second: Diagnosis) -> Iterator[tuple[str, str, str]]:
    """Yield, where they differ, how many passages each run read and how many of them the other read too."""
    a, b = [[(hit.passage.title, hit.passage.text) for hit in side.hits] for side in (first, second)]
    if a == b:
        return
    if sorted(a) == sorted(b):
        yield "passages", f"{len(a)} in one order", "the same in another order"
        return
    yield (
        "passages",
        f"{len(a)}, of which {sum(text not in b for text in a)} are not in B",
        f"{len(b)}, of which {sum(text not in a for text in b)} are not in A",
    )


def installed_facts(diagnosis: Diagnosis) -> dict[str, str]:
    """Return the versions a run was made with, by name."""
    origin = diagnosis.provenance
    return {
        "retrieval-microscope": origin.package_version,
        **dict(origin.libraries),
        "Python": origin.python,
        "machine": origin.machine,
        "computed on": origin.device or "cpu",
    }


def installed_differences(first: Diagnosis, second: Diagnosis) -> Iterator[tuple[str, str, str]]:
    """Yield (what, first, second) of the versions; of the threads too where both records say them."""
    yield from zip_facts(installed_facts(first), installed_facts(second))
    threads = first.provenance.threads, second.provenance.threads
    if all(threads):
        yield "threads", str(threads[0]), str(threads[1])


def settled_request(side: Side) -> DiagnosisRequest:
    """Return a run's request in which a setting that was left open has the value that the method's result names."""
    settled = {}
    for word, used in settings_of(side.diagnosis).items():
        asked = getattr(side.request, word)
        named = {field.name: getattr(used, field.name) for field in fields(asked) if getattr(asked, field.name) is None}
        settled[word] = replace(asked, **named)
    return replace(side.request, **settled)


def settings_differences(first: DiagnosisRequest, second: DiagnosisRequest) -> Iterator[tuple[str, str, str]]:
    """Yield the settings that differ, of the methods that both ran."""
    for method in (word for word in first.methods if word in second.methods):
        yield from changed_fields(method, getattr(first, method, None), getattr(second, method, None))


def changed_fields(name: str, first: Any, second: Any) -> Iterator[tuple[str, str, str]]:
    """Yield the fields of two settings that differ, with the way to them; settings inside settings too."""
    if first is None or type(first) is not type(second):
        return
    for field in fields(first):
        a, b = getattr(first, field.name), getattr(second, field.name)
        if a == b:
            continue
        if hasattr(a, "__dataclass_fields__"):
            yield from changed_fields(f"{name}, {field.name}", a, b)
        else:
            yield f"{name}: {field.name.replace('_', ' ')}", setting_words(a), setting_words(b)


def setting_words(value: Any) -> str:
    """Return a setting's value as words; one that was left open has none of its own.

    >>> setting_words(None), setting_words(("a", 2)), setting_words(True)
    ('left open', 'a, 2', 'yes')
    """
    if value is None:
        return "left open"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) or NONE if isinstance(value, tuple | list) else str(value)


def number_pairs(first: Side, second: Side) -> tuple[NumberPair, ...]:
    """Return every number that both runs have, method by method, each with what noise allows to say."""
    pairs = []
    for method in (outcome.method for outcome in first.diagnosis.outcomes):
        known = {number.key: number for number in compared(second.diagnosis, method)}
        for number in compared(first.diagnosis, method):
            if other := known.get(number.key):
                noise, reason = noise_between(number, other)
                pairs.append(NumberPair(method=method, first=number, second=other, noise=noise, reason=reason))
    return tuple(pairs)


def noise_between(first: Number, second: Number) -> tuple[Noise, str]:
    """Return whether two numbers differ by more than their intervals allow, and why that is the word.

    >>> a = Number(key="dense.entropy", name="DSE", unit="nats", value=0.1, interval=Interval(low=0.0, high=0.2))
    >>> b = Number(key="dense.entropy", name="DSE", unit="nats", value=0.9, interval=Interval(low=0.5, high=1.0))
    >>> noise_between(a, b)
    ('beyond noise', 'the intervals do not meet')
    """
    if first.never and second.never:
        return "the same", "there is none in either run"
    if first.value is None or second.value is None:
        both = first.value is None and second.value is None
        known = all(one.never or one.value is not None for one in (first, second))
        missing = "not measured in either run" if both else "not measured in one of the runs"
        return "unclear", "there is none in one of the runs" if known else missing
    if first.value == second.value and first.interval == second.interval:
        return "the same", "equal to the last digit"
    if isclose(first.value, second.value, rel_tol=ROUNDING, abs_tol=ROUNDING) and first.interval == second.interval:
        return "the same", "equal but for rounding"
    if first.interval is None or second.interval is None:
        return ("the same", "equal") if first.value == second.value else ("unclear", "no interval is stored")
    a, b = first.interval, second.interval
    narrow = [side.high - side.low < NO_WIDTH for side in (a, b)]
    if first.value != second.value and all(narrow):
        return "unclear", "neither interval has a width: all draws were alike in both runs"
    if a.high < b.low or b.high < a.low:
        alike = "; one has no width, as its draws were all alike" if any(narrow) else ""
        return "beyond noise", f"the intervals do not meet{alike}"
    if b.low <= first.value <= b.high and a.low <= second.value <= a.high:
        return "within noise", "each value lies in the other's interval"
    return "unclear", "the intervals meet only partly"


def compared(diagnosis: Diagnosis, method: str) -> tuple[Number, ...]:
    """Return the numbers of a method's result that are compared, by the catalogue; () where it has no result."""
    numbers = []
    for place in compared_numbers(diagnosis, method):
        if not (isinstance(place.owner, PolicyTrace) and place.owner.not_measured):
            entry = entry_of(place)
            interval = getattr(place.owner, entry.interval) if entry.interval else None
            key, name = key_of(place), compared_name(place)
            never = place.value is None and fires_nowhere(place.owner)
            numbers.append(
                Number(key=key, name=name, unit=entry.unit, value=place.value, interval=interval, never=never)
            )
    return tuple(numbers)


def fires_nowhere(owner: object) -> bool:
    """Return whether this is a policy's or ETC's look at an answer that was measured whole, and triggers nowhere."""
    if isinstance(owner, EntropyTrendResult):
        return not (owner.triggers or owner.not_measured or undecided_words(owner, owner.alpha))
    return isinstance(owner, PolicyTrace) and not (owner.triggers or owner.not_measured)


def align_tokens(first: Sequence[Token], second: Sequence[Token]) -> tuple[TokenPair, ...]:
    """Return two answers' tokens in pairs, in order: equal runs beside each other, else replaced one by one.

    Where one side of a replacement is longer, what is left of it stands alone.
    """
    matcher = SequenceMatcher(None, [t.text for t in first], [t.text for t in second], autojunk=False)
    pairs: list[TokenPair] = []
    for tag, start_a, end_a, start_b, end_b in matcher.get_opcodes():
        for step in range(max(end_a - start_a, end_b - start_b)):
            a = first[start_a + step] if start_a + step < end_a else None
            b = second[start_b + step] if start_b + step < end_b else None
            pairs.append(TokenPair(first=a, second=b, same=tag == "equal"))
    return tuple(pairs)


def align_chunks(first: Sequence[Hit], second: Sequence[Hit]) -> tuple[ChunkPair, ...]:
    """Return two runs' passages in pairs: equal texts first, then the likest that are left, then those without other.

    In the order of the first run; what only the second has comes last.
    """
    pairs = dict(equal_chunks(first, second))
    ratios = dict.fromkeys(pairs, 1.0)
    likely = [
        (likeness(a.passage.text, b.passage.text), -i, -j)
        for i, a in enumerate(first)
        for j, b in enumerate(second)
        if i not in pairs and j not in pairs.values()
    ]
    for ratio, minus_i, minus_j in sorted(likely, reverse=True):
        if ratio >= ALIKE_ENOUGH and -minus_i not in pairs and -minus_j not in pairs.values():
            pairs[-minus_i], ratios[-minus_i] = -minus_j, ratio
    added = [j for j in range(len(second)) if j not in pairs.values()]
    return (
        *(chunk_pair(i, pairs.get(i), ratios.get(i, 0.0)) for i in range(len(first))),
        *(ChunkPair(first=None, second=j, how="only in B", likeness=0.0) for j in added),
    )


def equal_chunks(first: Sequence[Hit], second: Sequence[Hit]) -> Iterator[tuple[int, int]]:
    """Yield (place, place) of passages with equal texts, each once, in order."""
    free = list(range(len(second)))
    for i, hit in enumerate(first):
        twin = next((j for j in free if second[j].passage.text == hit.passage.text), None)
        if twin is not None:
            free.remove(twin)
            yield i, twin


def chunk_pair(first: int, second: int | None, ratio: float) -> ChunkPair:
    """Return one pair with the word on it."""
    how: How = "only in A"
    if second is not None:
        how = "changed" if ratio < 1 else "the same" if first == second else "moved"
    return ChunkPair(first=first, second=second, how=how, likeness=ratio)


def likeness(first: str, second: str) -> float:
    """Return the share of words in common runs, in [0, 1]; 0 at once where not enough words are shared.

    >>> likeness("a b c d", "a b c e"), likeness("a b", "x y")
    (0.75, 0.0)
    """
    matcher = SequenceMatcher(None, first.split(), second.split(), autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= ALIKE_ENOUGH else 0.0


def generations_of(diagnosis: Diagnosis) -> dict[str, Generation]:
    """Return the texts of a run that can be compared with another run's, by name."""
    found = {"the answer over the passages": diagnosis.answer, "the answer from memory": diagnosis.closed_book}
    if trend := diagnosis.result(EntropyTrendResult, measured=False):
        found["the step-by-step answer"] = trend.generation
    return found
