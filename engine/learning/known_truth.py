"""Which method saw which planted defect: rules in plain words, applied to the facts of a diagnosis.

The truth is known because the defect was planted (``sample_data/README.md``). A rule looks only at facts taken from a
diagnosis, so stored facts give the same scoreboard without a model. Some kinds and methods have no rule: ETC reads no
passage and cannot see a contradiction between two. In the row "intact" nothing was planted. There "saw" means that the
method rightly gave no alarm, so a method that always gives one gains nothing.

A sighting counts only beyond the base rate: where the same rule does not fire on the question's twin, the same question
over the same passages before anything was planted. ETC reads no passage, so on the twin it does what it does here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import yaml
from pydantic import TypeAdapter

from engine.core.folders import PROJECT
from engine.core.json_text import read_json_file
from engine.diagnosis.record import Diagnosis
from engine.measures.answer_match import contains
from engine.methods.dense_records import NO_LABEL, DenseResult
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.quco_rag import QucoResult
from engine.methods.seper import BeliefChange, agreed_change
from engine.methods.seper_records import SeperResult
from engine.runs.sample_questions import KINDS, DefectKind, PlantedDefect, SampleQuestion

RESULTS = PROJECT / "benchmarks" / "results" / "known_truth.json"
Seen = Literal["saw", "missed", "not measured"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the rules look at in one diagnosis; None = not measured.

    ``uncertain`` and ``labels`` (document and DENSE's label, in reading order) are DENSE's. ``belief`` is the change of
    ΔSePer, ``sampled`` are SePer's answers over the passages, ``triggers`` counts ETC's. ``supported`` says for each
    judged claim of the answer whether its two ends meet.
    """

    golds: tuple[str, ...]
    answer: str
    closed_book: str
    uncertain: bool | None = None
    labels: tuple[tuple[str, str], ...] = ()
    belief: BeliefChange | None = None
    sampled: tuple[str, ...] | None = None
    triggers: int | None = None
    supported: tuple[bool, ...] = ()


Detector = Callable[[Facts, PlantedDefect], bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """When a method saw a kind of defect, in words and as a detector over the facts (None = not measured)."""

    kind: DefectKind
    method: str
    words: str
    detector: Detector


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """Whether a method saw the defect planted in one question, and whether the same rule fires on its twin."""

    question: str
    kind: DefectKind
    method: str
    seen: Seen
    twin: Seen = "not measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSightings:
    """What the benchmark wrote, as far as the scoreboard needs it."""

    origin: str
    sightings: tuple[Sighting, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One kind of defect under one method: its rule in words, and the ids of the questions by outcome.

    ``twins`` are (question, what the rule says of its twin).
    """

    kind: DefectKind
    method: str
    words: str
    saw: tuple[str, ...]
    missed: tuple[str, ...]
    not_measured: tuple[str, ...]
    twins: tuple[tuple[str, Seen], ...] = ()

    @property
    def compared(self) -> int:
        """The number of measured questions whose twin was measured too."""
        measured = {*self.saw, *self.missed}
        return sum(question in measured and seen != "not measured" for question, seen in self.twins)

    @property
    def alarms(self) -> int:
        """The number of these twins on which the rule fires, although nothing was planted: the base rate."""
        return sum(question in {*self.saw, *self.missed} and seen == "saw" for question, seen in self.twins)

    @property
    def beyond(self) -> tuple[str, ...]:
        """The questions in which the method saw the defect and does not fire on the twin: what the defect explains."""
        return tuple(question for question, seen in self.twins if question in self.saw and seen == "missed")

    @property
    def measured(self) -> int:
        """The number of questions in which the method was measured."""
        return len(self.saw) + len(self.missed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoreboard:
    """Kinds of defect by methods, in the order of the rules; ``origin`` says what produced it."""

    cells: tuple[Cell, ...]
    origin: str = ""

    @property
    def kinds(self) -> tuple[DefectKind, ...]:
        """The kinds that have a cell, in their usual order."""
        return tuple(kind for kind in KINDS if any(cell.kind == kind for cell in self.cells))

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that have a cell, in the order of the rules."""
        return tuple(dict.fromkeys(cell.method for cell in self.cells))

    def cell(self, kind: DefectKind, method: str) -> Cell | None:
        """Return one cell, None where there is no rule."""
        return next((cell for cell in self.cells if (cell.kind, cell.method) == (kind, method)), None)


def facts_of(diagnosis: Diagnosis) -> Facts:
    """Return the facts of a diagnosis for the rules; the facts of an unfinished method stay unmeasured.

    What the pages call unclear is not measured either: DENSE's stability by its verdict, ΔSePer where its kernels
    disagree. Only claims of the short answer are taken.
    """
    dense, seper = diagnosis.result(DenseResult), diagnosis.result(SeperResult)
    trend, counted = diagnosis.result(EntropyTrendResult), diagnosis.result(QucoResult)
    sentences = counted.sentences if counted else ()
    claims = [claim for sentence in sentences if sentence.kind == "short answer" for claim in sentence.claims]
    return Facts(
        golds=diagnosis.golds,
        answer=diagnosis.answer.text.strip(),
        closed_book=diagnosis.closed_book.text.strip(),
        uncertain={"unstable": True, "stable": False}.get(dense.verdict) if dense else None,
        labels=tuple((chunk.passage.document_id, dense.labels[chunk.index]) for chunk in dense.chunks) if dense else (),
        belief=agreed_change(seper) if seper else None,
        sampled=tuple(sample.text.strip() for sample in seper.with_passages.samples) if seper else None,
        triggers=len(trend.triggers) if trend else None,
        supported=tuple(claim.supported for claim in claims if claim.supported is not None),
    )


def opposite(found: bool | None) -> bool | None:
    """Return the opposite of what was found; None stays None."""
    return None if found is None else not found


def belief_is(facts: Facts, *changes: BeliefChange) -> bool | None:
    """Return whether belief in the correct answer moved in one of these ways."""
    return None if facts.belief is None else facts.belief in changes


def measured_labels(facts: Facts, planted: PlantedDefect) -> list[str]:
    """Return DENSE's clear labels of the passages with the defect: its wordings agree on them."""
    return [word for document, word in facts.labels if document in planted.documents and word not in NO_LABEL]


def carrier_not_necessary(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether no passage with the defect is called necessary; None if none of them was measured."""
    found = measured_labels(facts, planted)
    return "necessary" not in found if found else None


def parts_necessary(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether a part is called necessary and none unnecessary; None unless every part was measured."""
    found = measured_labels(facts, planted)
    measured = {document for document, word in facts.labels if word not in NO_LABEL}
    return "necessary" in found and "unnecessary" not in found if measured.issuperset(planted.documents) else None


def wrong_answer_drawn(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether a sample contains the tempting wrong answer."""
    if facts.sampled is None or not planted.tempting:
        return None
    return any(contains(text, (planted.tempting,)) for text in facts.sampled)


def both_answers_drawn(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether the samples contain both the correct and the tempting wrong answer."""
    wrong = wrong_answer_drawn(facts, planted)
    return wrong and any(contains(text, facts.golds) for text in facts.sampled or ())


def looks_up(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether ETC would look something up."""
    return None if facts.triggers is None else facts.triggers > 0


def with_evidence(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether the two ends of every judged claim of the answer meet; None if no claim was judged."""
    return all(facts.supported) if facts.supported else None


DETECTORS: dict[str, Detector] = {
    "not_stable": lambda facts, _: facts.uncertain,
    "stable": lambda facts, _: opposite(facts.uncertain),
    "carrier_not_necessary": carrier_not_necessary,
    "parts_necessary": parts_necessary,
    "belief_rose": lambda facts, _: belief_is(facts, "up"),
    "belief_did_not_rise": lambda facts, _: belief_is(facts, "down", "noise"),
    "belief_fell": lambda facts, _: belief_is(facts, "down"),
    "wrong_answer_drawn": wrong_answer_drawn,
    "both_answers_drawn": both_answers_drawn,
    "looks_up": looks_up,
    "looks_nothing_up": lambda facts, planted: opposite(looks_up(facts, planted)),
    "with_evidence": with_evidence,
    "without_evidence": lambda facts, planted: opposite(with_evidence(facts, planted)),
}


def read_rules() -> tuple[Rule, ...]:
    """Return the rules of ``known_truth.yaml``, in the order of the file."""
    content = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    rows = [
        {"method": method, "kind": kind, "words": rule["words"], "detector": DETECTORS[rule["detector"]]}
        for method, kinds in content.items()
        for kind, rule in kinds.items()
    ]
    return TypeAdapter(tuple[Rule, ...]).validate_python(rows)


RULES = read_rules()


# Methods that look at the answer from memory: what stands in the passages cannot change what they say.
READS_NO_PASSAGE = ("entropy_trend",)


def sightings(
    facts: Mapping[str, Facts], questions: Sequence[SampleQuestion], twins: Mapping[str, Facts] | None = None
) -> tuple[Sighting, ...]:
    """Return whether each method saw the defects of each question, for the questions with facts.

    ``facts`` is by question id, ``twins`` holds the facts of their twins. There is one sighting for every rule of a
    question's kinds of defect.
    """
    return tuple(
        Sighting(
            question=question.id,
            kind=rule.kind,
            method=rule.method,
            seen=(seen := seen_word(rule.detector(facts[question.id], planted))),
            twin=twin_word(rule, question, planted, seen, twins or {}),
        )
        for rule in RULES
        for question in questions
        for planted in question.defects
        if planted.kind == rule.kind and question.id in facts
    )


def twin_word(
    rule: Rule, question: SampleQuestion, planted: PlantedDefect, seen: Seen, twins: Mapping[str, Facts]
) -> Seen:
    """Return what a rule says of a question's twin; nothing was planted in the control, so it has none."""
    if rule.kind == "intact":
        return "not measured"
    if rule.method in READS_NO_PASSAGE:
        return seen
    if question.id not in twins:
        return "not measured"
    # The twin's passages stand under their own names, at the places where the planted ones stood.
    names = {one.document_id for one in question.twin}
    held = [one.document_id for one in question.passages if one.document_id in planted.documents]
    before = tuple(dict.fromkeys([name for name in held if name in names] or sorted(names)))
    return seen_word(rule.detector(twins[question.id], replace(planted, documents=before)))


def seen_word(found: bool | None) -> Seen:
    """Return the result of a detector as a word.

    >>> seen_word(True), seen_word(False), seen_word(None)
    ('saw', 'missed', 'not measured')
    """
    if found is None:
        return "not measured"
    return "saw" if found else "missed"


def scoreboard(found: Sequence[Sighting], origin: str = "") -> Scoreboard:
    """Return the table of kinds of defect and methods: one cell for every rule, empty without questions."""

    def questions_with(rule: Rule, seen: Seen) -> tuple[str, ...]:
        return tuple(s.question for s in found if (s.kind, s.method, s.seen) == (rule.kind, rule.method, seen))

    cells = (
        Cell(
            kind=rule.kind,
            method=rule.method,
            words=rule.words,
            saw=questions_with(rule, "saw"),
            missed=questions_with(rule, "missed"),
            not_measured=questions_with(rule, "not measured"),
            twins=tuple((s.question, s.twin) for s in found if (s.kind, s.method) == (rule.kind, rule.method)),
        )
        for rule in RULES
    )
    return Scoreboard(cells=tuple(cells), origin=origin)


def stored_scoreboard(path: Path = RESULTS) -> Scoreboard | None:
    """Return the scoreboard that the benchmark wrote, None if there is none.

    Raises RecordError if the file cannot be read.
    """
    if not path.is_file():
        return None
    found = read_json_file(path, StoredSightings)
    return scoreboard([with_known_twin(one) for one in found.sightings], found.origin)


def with_known_twin(found: Sighting) -> Sighting:
    """Return a stored sighting with what is known of its twin without a run: a method that reads no passage repeats."""
    known = found.method in READS_NO_PASSAGE and found.twin == "not measured" and found.kind != "intact"
    return replace(found, twin=found.seen) if known else found
