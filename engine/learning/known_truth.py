"""Which method saw which planted defect: rules in plain words, applied to the facts of a diagnosis.

The truth is known because the defect was planted (``sample_data/README.md``). A rule looks only at facts taken from a
diagnosis, so stored facts give the same scoreboard without a model. Some kinds and methods have no rule: ETC reads no
passage and cannot see a contradiction between two. In the row "intact" nothing was planted. There "saw" means that the
method rightly gave no alarm, so a method that always gives one gains nothing.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from engine.core.errors import RecordError
from engine.diagnosis.record import Diagnosis, MethodResult
from engine.measures.answer_match import contains
from engine.methods.dense import DenseResult
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.quco_rag import QucoResult
from engine.methods.seper import BeliefChange, SeperResult, belief_change
from engine.runs.sample_questions import KINDS, DefectKind, PlantedDefect, SampleQuestion

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "known_truth.json"
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
    """Whether a method saw the defect planted in one question."""

    question: str
    kind: DefectKind
    method: str
    seen: Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One kind of defect under one method: its rule in words, and the ids of the questions by outcome."""

    kind: DefectKind
    method: str
    words: str
    saw: tuple[str, ...]
    missed: tuple[str, ...]
    not_measured: tuple[str, ...]

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
    """Return the facts of a diagnosis for the rules; the facts of an unfinished method stay unmeasured."""
    dense, seper = _result(diagnosis, "dense"), _result(diagnosis, "seper")
    trend, counted = _result(diagnosis, "entropy_trend"), _result(diagnosis, "quco_rag")
    return Facts(
        golds=diagnosis.golds,
        answer=diagnosis.answer.text.strip(),
        closed_book=diagnosis.closed_book.text.strip(),
        uncertain=_uncertain(dense) if isinstance(dense, DenseResult) else None,
        labels=_labels(dense) if isinstance(dense, DenseResult) else (),
        belief=_belief(seper) if isinstance(seper, SeperResult) else None,
        sampled=_sampled(seper) if isinstance(seper, SeperResult) else None,
        triggers=len(trend.triggers) if isinstance(trend, EntropyTrendResult) else None,
        supported=_supported(counted) if isinstance(counted, QucoResult) else (),
    )


def _result(diagnosis: Diagnosis, method: str) -> MethodResult | None:
    """Return a method's result if the method is done, otherwise None."""
    outcome = diagnosis.outcome(method)
    return outcome.result if outcome is not None and outcome.status == "done" else None


def _uncertain(result: DenseResult) -> bool | None:
    """Return whether DENSE calls the answer uncertain; None if fewer than half of the rewordings count, as in its
    verdict.
    """
    return result.uncertain if 2 * result.valid_rewrites >= len(result.chunks) else None


def _labels(result: DenseResult) -> tuple[tuple[str, str], ...]:
    """Return each passage's document with DENSE's label, in reading order."""
    return tuple((chunk.passage.document_id, chunk.label) for chunk in result.chunks)


def _belief(result: SeperResult) -> BeliefChange | None:
    """Return how belief in the correct answer moved, None without a correct answer."""
    return None if result.delta_soft is None else belief_change(result.delta_soft, result.delta_soft_interval)


def _sampled(result: SeperResult) -> tuple[str, ...]:
    """Return the answers drawn over the passages."""
    return tuple(sample.text.strip() for sample in result.with_passages.samples)


def _supported(result: QucoResult) -> tuple[bool, ...]:
    """Return, per judged claim of the short answer, whether its two ends meet in the corpus."""
    claims = [claim for sentence in result.sentences if sentence.kind == "short answer" for claim in sentence.claims]
    return tuple(claim.supported for claim in claims if claim.supported is not None)


def not_stable(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether the answer depends on the wording of the passages."""
    return facts.uncertain


def stable(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether the answer does not depend on the wording of the passages."""
    return None if facts.uncertain is None else not facts.uncertain


def carrier_not_necessary(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether no passage with the defect is called necessary; None if none of them was measured."""
    found = _words_on(facts, planted)
    return "necessary" not in found if found else None


def parts_necessary(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether a part is called necessary and none unnecessary; None unless every part was measured."""
    found = _words_on(facts, planted)
    measured = {document for document, word in facts.labels if word != "not measured"}
    return "necessary" in found and "unnecessary" not in found if measured.issuperset(planted.documents) else None


def _words_on(facts: Facts, planted: PlantedDefect) -> list[str]:
    """Return DENSE's labels of the passages with the defect, without unmeasured ones."""
    return [word for document, word in facts.labels if document in planted.documents and word != "not measured"]


def belief_rose(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether belief in the correct answer rose beyond noise."""
    return None if facts.belief is None else facts.belief == "up"


def belief_did_not_rise(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether belief in the correct answer fell, or stayed within noise."""
    return None if facts.belief is None else facts.belief != "up"


def belief_fell(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether belief in the correct answer fell beyond noise."""
    return None if facts.belief is None else facts.belief == "down"


def wrong_answer_drawn(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether a sample contains the tempting wrong answer."""
    if facts.sampled is None or not planted.tempting:
        return None
    return any(contains(text, (planted.tempting,)) for text in facts.sampled)


def both_answers_drawn(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether the samples contain both the correct and the tempting wrong answer."""
    wrong = wrong_answer_drawn(facts, planted)
    if wrong is None or facts.sampled is None:
        return None
    return wrong and any(contains(text, facts.golds) for text in facts.sampled)


def looks_up(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether ETC would look something up."""
    return None if facts.triggers is None else facts.triggers > 0


def looks_nothing_up(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether ETC would look nothing up."""
    return None if facts.triggers is None else facts.triggers == 0


def without_evidence(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether the two ends of some claim of the answer never meet; None if no claim was judged."""
    return not all(facts.supported) if facts.supported else None


def with_evidence(facts: Facts, planted: PlantedDefect) -> bool | None:
    """Return whether the two ends of every judged claim of the answer meet; None if no claim was judged."""
    return all(facts.supported) if facts.supported else None


UNSTABLE = "it calls the answer not stable: another wording, another answer"
NO_GAIN = "it finds that the passages did not clearly help: ΔSePer is not above 0 beyond noise"
GAIN = "it finds that the passages clearly helped: ΔSePer is above 0 beyond noise"
LOOK_UP = "it would look something up at least once while the model answers from memory"
NEVER_MEET = "it finds no evidence for a claim of the answer: the two ends never meet"
RULES: tuple[Rule, ...] = (
    Rule(kind="answer_removed", method="dense", words=UNSTABLE, detector=not_stable),
    Rule(
        kind="distractor",
        method="dense",
        words="it does not call the distracting passage necessary",
        detector=carrier_not_necessary,
    ),
    Rule(kind="contradiction", method="dense", words=UNSTABLE, detector=not_stable),
    Rule(kind="duplicate", method="dense", words="it calls neither copy necessary", detector=carrier_not_necessary),
    Rule(
        kind="split_answer",
        method="dense",
        words="it calls at least one of the two parts necessary and neither unnecessary",
        detector=parts_necessary,
    ),
    Rule(
        kind="intact", method="dense", words="it calls the answer stable, because nothing was planted", detector=stable
    ),
    Rule(kind="answer_removed", method="seper", words=NO_GAIN, detector=belief_did_not_rise),
    Rule(
        kind="distractor",
        method="seper",
        words="the distracting passage's answer is among the samples over the passages",
        detector=wrong_answer_drawn,
    ),
    Rule(
        kind="contradiction",
        method="seper",
        words="both contradicting answers are among the samples over the passages",
        detector=both_answers_drawn,
    ),
    Rule(
        kind="memory_against_context",
        method="seper",
        words="it finds that the passages lowered belief in the true answer: the whole interval of ΔSePer is below 0",
        detector=belief_fell,
    ),
    Rule(kind="split_answer", method="seper", words=GAIN, detector=belief_rose),
    Rule(kind="intact", method="seper", words=f"{GAIN}, because nothing was planted", detector=belief_rose),
    Rule(kind="answer_removed", method="entropy_trend", words=LOOK_UP, detector=looks_up),
    Rule(
        kind="memory_against_context",
        method="entropy_trend",
        words="it would look nothing up, because memory has the true answer",
        detector=looks_nothing_up,
    ),
    Rule(kind="split_answer", method="entropy_trend", words=LOOK_UP, detector=looks_up),
    Rule(kind="missing_co_occurrence", method="entropy_trend", words=LOOK_UP, detector=looks_up),
    Rule(kind="answer_removed", method="quco_rag", words=NEVER_MEET, detector=without_evidence),
    Rule(kind="split_answer", method="quco_rag", words=NEVER_MEET, detector=without_evidence),
    Rule(kind="missing_co_occurrence", method="quco_rag", words=NEVER_MEET, detector=without_evidence),
    Rule(
        kind="intact",
        method="quco_rag",
        words="it finds evidence for every claim of the answer, because nothing was planted",
        detector=with_evidence,
    ),
)


def sightings(facts: Mapping[str, Facts], questions: Sequence[SampleQuestion]) -> tuple[Sighting, ...]:
    """Return whether each method saw the defects of each question, for the questions with facts.

    ``facts`` is by question id. There is one sighting for every rule of a question's kinds of defect.
    """
    return tuple(
        Sighting(
            question=question.id,
            kind=rule.kind,
            method=rule.method,
            seen=seen_word(rule.detector(facts[question.id], planted)),
        )
        for rule in RULES
        for question in questions
        for planted in question.defects
        if planted.kind == rule.kind and question.id in facts
    )


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
    return Scoreboard(
        cells=tuple(
            Cell(
                kind=rule.kind,
                method=rule.method,
                words=rule.words,
                saw=_questions_with(found, rule, "saw"),
                missed=_questions_with(found, rule, "missed"),
                not_measured=_questions_with(found, rule, "not measured"),
            )
            for rule in RULES
        ),
        origin=origin,
    )


def known_truth(diagnoses: Mapping[str, Diagnosis], questions: Sequence[SampleQuestion]) -> Scoreboard:
    """Return the scoreboard of diagnoses by question id: which method saw which planted defect."""
    facts = {name: facts_of(diagnosis) for name, diagnosis in diagnoses.items()}
    return scoreboard(sightings(facts, questions))


def _questions_with(found: Sequence[Sighting], rule: Rule, wanted: Seen) -> tuple[str, ...]:
    """Return the questions of a rule's cell with the wanted outcome."""
    return tuple(s.question for s in found if (s.kind, s.method, s.seen) == (rule.kind, rule.method, wanted))


def facts_to_row(facts: Facts) -> dict[str, Any]:
    """Return facts as a JSON object that ``facts_from_row`` reads back unchanged."""
    return asdict(facts)


def facts_from_row(row: Mapping[str, Any]) -> Facts:
    """Return facts from their JSON object. Raises KeyError and TypeError on another shape."""
    tuples = {name: tuple(row[name]) for name in ("golds", "supported")}
    labels = tuple((document, word) for document, word in row["labels"])
    sampled = None if row["sampled"] is None else tuple(row["sampled"])
    return Facts(**{**row, **tuples, "labels": labels, "sampled": sampled})


def stored_scoreboard(path: Path = RESULTS) -> Scoreboard | None:
    """Return the scoreboard that the benchmark wrote, None if there is none.

    Raises RecordError if the file cannot be read.
    """
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return scoreboard([Sighting(**row) for row in found["sightings"]], found["origin"])
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise RecordError(f"The scoreboard in {path.name} cannot be read: {exc}. Run the benchmark again.") from exc
