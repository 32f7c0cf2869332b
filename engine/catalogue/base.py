"""What is said of a number, where one stands in a record, and how it comes about from what is stored beside it.

A number is *computed* (it follows from other numbers of the record, and is computed again here with the measure that
made it), a *reading* (a model, a corpus or a clock gave it, and what it was read from is not stored) or a *setting*.
"""

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from engine.core.records import ThresholdSource
from engine.diagnosis.record import Diagnosis

State = Literal["same", "differs", "not certain", "reading", "setting", "counted", "not measured"]
Kind = Literal["computed", "reading", "setting"]
Step = str | int
Record = TypeVar("Record")
Made = TypeVar("Made")
# What float64 sums lose where terms are added in another order.
TOLERANCE = 1e-9
MOST_TERMS = 4
FOLDER = Path(__file__).parent
# The table of a file that says what of a method's record no equation gives again.
RAW = "raw_parts"
COMPARED = "a setting: it is compared with, not measured"
ALWAYS = "It is always there where its record is."
# What a fact's ``again`` returns where nothing in the record gives the fact again.
UNSTORED: Final = object()
BROKEN = "its parts do not give it"
FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a number stands: the record and field that hold it, its position inside a field of many, what encloses it.

    ``above`` are the enclosing records, the diagnosis first, ``owner`` not among them; ``steps`` lead to it by name and
    number. ``value`` None is *not measured*. ``memory`` is shared by all places of one walk.
    """

    owner: object
    field: str
    position: tuple[int, ...]
    value: float | None
    above: tuple[object, ...]
    steps: tuple[Step, ...]
    memory: dict[object, Any] = dataclass_field(default_factory=dict, compare=False, repr=False)

    def once(self, function: Callable[..., Made], *given: object) -> Made:
        """Return ``function(*given)``, computed once in a walk; ``given`` are parts of the run, words or numbers."""
        key = (function, *(one if isinstance(one, str | int | float) else id(one) for one in given))
        if key not in self.memory:
            self.memory[key] = function(*given)
        return self.memory[key]  # type: ignore[no-any-return]

    @property
    def address(self) -> str:
        """The way to the number as text: ``dense.chunks.0.weight``."""
        return ".".join(str(step) for step in self.steps)

    @property
    def diagnosis(self) -> Diagnosis:
        """The run."""
        return self.the(Diagnosis)

    def find(self, kind: type[Record]) -> Record | None:
        """Return the nearest record of a kind, the owner included, None where there is none."""
        return next((one for one in (self.owner, *reversed(self.above)) if isinstance(one, kind)), None)

    def the(self, kind: type[Record]) -> Record:
        """Return the nearest record of a kind. Raises LookupError where a number stands outside any."""
        found = self.find(kind)
        if found is None:
            raise LookupError(f"{self.address} does not stand inside a {kind.__name__}")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One thing a number is made of: its name, what it belongs to (a text of the run, or ""), its value."""

    name: str
    of: str = ""
    value: float | str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Working:
    """How a number comes about in this run: the formula with the values in it, its inputs, and the number again.

    ``filled`` is LaTeX of numbers only, "" where there is nothing to fill in. ``again`` None: by its parts it is not
    measured. ``raw``: nothing in the record gives it again, and ``note`` says why. ``certain`` False: a setting it
    depends on is not stored, so the usual one was taken and a difference proves nothing.
    """

    filled: str = ""
    inputs: tuple[Input, ...] = ()
    again: float | None = None
    note: str = ""
    raw: bool = False
    certain: bool = True
    tolerance: float = TOLERANCE


def no_working(place: Place) -> Working:
    """Return the working of a number of which nothing more is stored."""
    return Working()


def stored_source(record: type, field: str = "threshold_source") -> Callable[[Place], ThresholdSource]:
    """Return a function that reads in a record where a threshold comes from."""
    return lambda place: getattr(place.the(record), field)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is said of a number wherever it stands: of one field of one kind of record.

    ``equation`` is the paper's, in LaTeX; ``source`` names paper and number; ``function`` is the dotted name of what
    computed it. ``absent`` says what *not measured* means here. ``threshold`` names where a threshold comes from,
    ``papers`` what the paper sets; ``short`` is its name on a button, the title where it is "". ``read`` returns a
    number that is no field of the record but follows from it. ``interval`` names the field beside it with its interval.
    ``compared_in`` is the result in which Compare and What if show it.
    """

    record: type
    field: str
    title: str
    unit: str
    range: str
    direction: str
    source: str
    function: str
    equation: str = ""
    kind: Kind = "computed"
    absent: str = ALWAYS
    work: Callable[[Place], Working] = no_working
    threshold: Callable[[Place], ThresholdSource | None] = lambda place: None
    papers: str = ""
    short: str = ""
    read: Callable[[Any], float | None] | None = None
    interval: str = ""
    compared_in: type | None = None


# What the TOML files say, by file name: of each number under its record and field, and of the raw parts.
FILES: dict[str, dict[str, Any]] = {
    path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.toml"))
}
WORDS: dict[str, dict[str, str]] = {
    f"{record}.{field}": words
    for tables in FILES.values()
    for record, fields in tables.items()
    if record != RAW
    for field, words in fields.items()
}


def words_of(name: str) -> dict[str, str]:
    """Return what is said of a number by its "Record.field"; {} for none.

    A table may name another with ``like``: it says the same but for what it states itself.
    """
    own = dict(WORDS.get(name, {}))
    like = own.pop("like", None)
    return own if like is None else {**words_of(like), **own}


def raw_parts_of(method: str) -> dict[str, str]:
    """Return the parts of a method's record that no equation gives again, each with the reason."""
    return dict(FILES.get(method, {}).get(RAW, {}))


def from_parts(function: str, parts: Sequence[str]) -> Callable[[Place], Working]:
    """Return the working of a number that a dotted function computes from fields of its own record."""
    module, _, name = function.rpartition(".")

    def work(place: Place) -> Working:
        given = [getattr(place.owner, part) for part in parts]
        if place.value is None:
            return Working()
        again = float(getattr(import_module(module), name)(*given))
        numbers = [(part, value) for part, value in zip(parts, given, strict=True) if isinstance(value, int | float)]
        return Working(filled=tex(again), inputs=tuple(Input(name=n, value=v) for n, v in numbers), again=again)

    return work


def entry(
    record: type,
    field: str,
    work: Callable[[Place], Working] = no_working,
    *,
    usual: Mapping[str, str] | None = None,
    paper: float | None = None,
    **others: Any,
) -> Entry:
    """Return the entry of a number with its words from the TOML files; ``usual`` are the words that stand in none.

    ``paper`` is put into the words ``papers`` for the mark {}. ``others`` are fields of Entry that are no words. Where
    the table names ``parts``, the number is its function of these fields of the record.
    """
    words: dict[str, Any] = {**(usual or {}), **words_of(f"{record.__name__}.{field}")}
    if parts := words.pop("parts", None):
        work = from_parts(words["function"], parts)
    if words.get("kind") == "setting":
        words.setdefault("direction", COMPARED)
    if paper is not None:
        words["papers"] = words["papers"].format(paper)
    return Entry(record=record, field=field, work=work, **words, **others)


@dataclass(frozen=True, slots=True)
class Fact:
    """A derived part of a record that is no single number: a label, a list, a table, an interval.

    ``again`` returns it as it follows from the values beside it, ``UNSTORED`` where nothing in the record gives it;
    ``stored`` returns what is compared with that, by default the field itself.
    """

    record: type
    field: str
    again: Callable[[Place], object]
    stored: Callable[[Any], object] | None = None


def of_owner(again: Callable[[Any], object]) -> Callable[[Place], object]:
    """Return a fact's function that needs the record alone which holds the fact."""
    return lambda place: again(place.owner)


def worked(entry: Entry, place: Place) -> Working:
    """Return how a number comes about; where its parts contradict each other, that is said and it *differs*.

    A record from elsewhere may hold anything: lists of different lengths, weights that are no distribution.
    """
    try:
        return entry.work(place)
    except FAULTS as exc:
        return Working(again=math.nan, note=f"{BROKEN}: {exc}.")


def state_of(entry: Entry, place: Place, working: Working) -> State:
    """Return what became of computing a number again, or why it was not."""
    if is_absent(entry, place) and working.again is None:
        return "not measured"
    if entry.read is not None:
        return "counted"
    if working.raw or (working.again is None and entry.kind != "computed"):
        return "setting" if entry.kind == "setting" else "reading"
    if place.value is not None and working.again is not None and equal(place.value, working.again, working.tolerance):
        return "same"
    return "differs" if working.certain else "not certain"


def is_absent(entry: Entry, place: Place) -> bool:
    """Return whether a number was not measured: None, or a reading that is NaN, as the score of a given passage is."""
    return place.value is None or (entry.kind == "reading" and math.isnan(place.value))


def equal(stored: float, again: float, tolerance: float = TOLERANCE) -> bool:
    """Return whether two numbers are the same up to rounding; NaN is NaN, infinity is infinity.

    >>> equal(0.1 + 0.2, 0.3), equal(0.45, 0.46), equal(math.inf, math.inf), equal(math.nan, math.nan)
    (True, False, True, True)
    """
    if math.isnan(stored) or math.isnan(again):
        return math.isnan(stored) and math.isnan(again)
    return math.isclose(stored, again, rel_tol=tolerance, abs_tol=tolerance)


def tex(value: float | None, digits: int = 6) -> str:
    """Return a number in LaTeX, six digits by default, with infinity and *not measured* by name.

    >>> tex(0.4505610), tex(-0.0), tex(math.inf), tex(None)
    ('0.450561', '0', '\\\\infty', '\\\\text{not measured}')
    """
    if value is None:
        return r"\text{not measured}"
    if math.isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    if math.isnan(value):
        return r"\text{undefined}"
    text = f"{value + 0.0:.{digits}g}"
    if "e" in text:
        front, _, power = text.partition("e")
        return rf"{front} \cdot 10^{{{int(power)}}}"
    return text


def signed_tex(value: float | None) -> str:
    r"""Return a number in LaTeX, in brackets where it is negative, for use behind an operator.

    >>> signed_tex(-0.5), signed_tex(0.5)
    ('(-0.5)', '0.5')
    """
    text = tex(value)
    return f"({text})" if text.startswith("-") else text


def total(terms: Sequence[str]) -> str:
    r"""Return the terms as a sum in LaTeX; a long one keeps its first terms and the last, and says how many there are.

    >>> total(["1", "2"])
    '1 + 2'
    >>> total([str(n) for n in range(1, 10)])
    '1 + 2 + 3 + \\cdots + 9 \\;\\; (9 \\text{ terms})'
    """
    if len(terms) <= MOST_TERMS:
        return " + ".join(terms)
    kept = [*terms[: MOST_TERMS - 1], r"\cdots", terms[-1]]
    return " + ".join(kept) + rf" \;\; ({len(terms)} \text{{ terms}})"
