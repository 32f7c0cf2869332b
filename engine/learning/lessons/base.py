"""What a lesson is: steps of a few sentences, something of a stored run to look at, a prediction, and its reveal.

A lesson is made from recorded runs and holds no number of its own: whatever it says of a run is read from the record
or computed by ``engine.measures`` when the lesson is opened. A part of a lesson names what its run must show as
predicates over the record, so another run that shows the same can stand in. Texts are plain: escape before drawing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from engine.core.errors import InputError, RecordError
from engine.core.words import listing
from engine.diagnosis.record import Diagnosis

LONGEST_GIVEN, LARGEST_GIVEN = 200, 1e12
BELOW = "The lines below lead to it term by term."


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One answer to choose, and what is said to whoever chose it: why it is right, or why it seems so and is not."""

    text: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """A number that a known misunderstanding leads to, and the reason in a sentence."""

    value: float
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is predicted before the reveal.

    "choice" and "words" (words or passages of the run, to be clicked) have ``options`` and the index of the
    ``right`` one (``also``: others that are no worse); "number" has a ``value``, what counts as hit (``tolerance``, in
    the same ``unit``), and known ``slips``.
    """

    kind: Literal["choice", "words", "number"]
    text: str
    options: tuple[Option, ...] = ()
    right: int = -1
    also: tuple[int, ...] = ()
    value: float = float("nan")
    tolerance: float = 0.0
    unit: str = ""
    slips: tuple[Slip, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: sentences, what to look at before (``shows``) and after the reveal (``then``), a prediction, the sums.

    ``shows`` and ``then`` name exhibits of the part ``part`` (from 0). ``working`` is the arithmetic on the run's own
    numbers, a line each. ``mistake`` is what people usually get wrong; ``notes`` are the teacher's.
    """

    title: str
    text: tuple[str, ...]
    part: int = 0
    equation: str = ""
    shows: tuple[str, ...] = ()
    table: Mapping[str, Sequence[object]] | None = None
    question: Question | None = None
    reveal: tuple[str, ...] = ()
    working: tuple[str, ...] = ()
    then: tuple[str, ...] = ()
    mistake: str = ""
    notes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Something a run must show, in words and as a predicate over its record, which never raises; None = unknown."""

    words: str
    holds: Callable[[Diagnosis], bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A run a lesson is about: what it must show, and the recorded runs that are tried first, in this order."""

    needs: tuple[Need, ...]
    prefers: tuple[str, ...] = ()

    def fits(self, run: Diagnosis) -> bool:
        """Return whether a run shows everything that is needed."""
        return all(need.holds(run) for need in self.needs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A lesson: its word in addresses, title, what is asked, the papers, its parts, and how its ``steps`` are made.

    ``build`` takes one run per part, each of which fits it. ``recap`` is what the lesson leaves, a sentence each.
    """

    word: str
    title: str
    asks: str
    papers: str
    parts: tuple[Part, ...]
    build: Callable[..., tuple[Step, ...]]
    steps: int
    minutes: int = 10
    recap: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What became of a prediction: whether it was right, and what is said to whoever made it."""

    right: bool
    sentence: str


def chosen_runs(lesson: Lesson, read: Callable[[str], Diagnosis], ids: Sequence[str]) -> tuple[str, ...]:
    """Return the id of the run for each part: the first preferred one that still fits, else the first of all that does.

    ``read`` opens a run by its id. Raises RecordError, with what is needed, where no recorded run shows it.
    """
    return tuple(chosen_run(lesson, part, read, ids) for part in lesson.parts)


def chosen_run(lesson: Lesson, part: Part, read: Callable[[str], Diagnosis], ids: Sequence[str]) -> str:
    """Return the run for one part, as ``chosen_runs`` does."""
    preferred = [run_id for run_id in part.prefers if run_id in ids]
    for run_id in dict.fromkeys((*preferred, *ids)):
        if part.fits(read(run_id)):
            return run_id
    needed = listing([need.words for need in part.needs])
    raise RecordError(f"No recorded run shows what the lesson “{lesson.title}” is about: {needed}.")


def candidates(lesson: Lesson, runs: Mapping[str, Diagnosis]) -> tuple[tuple[str, ...], ...]:
    """Return, for each part of a lesson, every run that could be shown in it."""
    return tuple(tuple(run_id for run_id, run in runs.items() if part.fits(run)) for part in lesson.parts)


def checked(question: Question, given: str) -> Checked:
    """Return what becomes of a prediction. Raises InputError with a sentence where it is none."""
    if question.kind == "number":
        return checked_number(question, number_from(given))
    place = place_from(given, len(question.options))
    return Checked(right=place in (question.right, *question.also), sentence=question.options[place].why)


def checked_number(question: Question, given: float) -> Checked:
    """Return what becomes of a predicted number: hit, a known slip with its reason, or how far away it lies."""
    if abs(given - question.value) <= question.tolerance:
        return Checked(right=True, sentence=f"Yes: it is {amount(question.value, question.unit)}.")
    for slip in question.slips:
        if abs(given - slip.value) <= max(question.tolerance / 2, 0.005):
            return Checked(right=False, sentence=slip.why)
    way = "above" if given > question.value else "below"
    off = amount(abs(given - question.value), question.unit)
    return Checked(right=False, sentence=f"Your number lies {off} {way} it. {BELOW}")


def number_from(given: str) -> float:
    """Return a typed number; a comma counts as the decimal point. Raises InputError where it is no number up to 1e12.

    >>> number_from("0,45"), number_from("−1.5")
    (0.45, -1.5)
    """
    try:
        value = float(given.strip()[:LONGEST_GIVEN].replace(",", ".").replace("−", "-"))
    except ValueError as exc:
        raise InputError("Type a number, such as 0.45.") from exc
    if not abs(value) <= LARGEST_GIVEN:
        raise InputError("Type a number up to a trillion, such as 0.45.")
    return value


def place_from(given: str, count: int) -> int:
    """Return which option was chosen, from 0. Raises InputError where there is no such option."""
    if not (given.isascii() and given.isdigit() and len(given) < 4 and int(given) < count):
        raise InputError("Choose one of the answers.")
    return int(given)


def amount(value: float, unit: str = "", digits: int = 3) -> str:
    """Return a number with its unit, a true minus and no needless zeros; one of a unit is singular.

    >>> amount(0.4505, "nats"), amount(3.0), amount(1.0, "passages")
    ('0.451 nats', '3', '1 passage')
    """
    words = f"{abs(value):.{digits}f}".rstrip("0").rstrip(".")
    sign = "−" if value < 0 and float(words) else ""
    return f"{sign}{words} {unit.removesuffix('s') if words == '1' else unit}".strip()


def asked_words(question: Question, given: str) -> str:
    """Return a kept prediction in words: the option's text, or the number with its unit; as typed where it is none."""
    try:
        if question.kind == "number":
            return amount(number_from(given), question.unit)
        return question.options[place_from(given, len(question.options))].text
    except InputError:
        return given[:LONGEST_GIVEN]


def right_words(question: Question) -> str:
    """Return the right answer in words."""
    if question.kind == "number":
        return amount(question.value, question.unit)
    return question.options[question.right].text


def fingerprint(question: Question) -> str:
    """Return what tells a question from another, in the words it had when predictions were first stored."""
    words = question.text.replace("correct answer", "right answer")
    options = [one.text.replace("noise of the samples", "noise of the draws") for one in question.options]
    asked = repr((question.kind, words, options, question.right, question.value))
    return sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()[:16]
