"""Each look on what a method found: an alarm is seen, a calm word is not, and nothing measured stays nothing."""

from dataclasses import replace

import pytest

from engine.learning.atlas.detectors import DETECTORS
from engine.learning.atlas.kinds import KINDS
from engine.methods import METHODS
from tests.each_row import each_row
from tests.engine.learning.atlas.failure_case import OTHER, RIGHT, question, run
from tests.viz.sample_rag_results import certain_result, fallback_result, refined_result
from tests.viz.sample_results import dense_depending_on_wording, dense_full, dense_understood, seper_helped, seper_hurt
from tests.viz.sample_timing_results import timing_full
from tests.viz.sample_trend_results import sample_quco_result, voyage_result
from tests.viz.sample_uncertainty import baselines, chunk_utility, doubt, reading, sugar_none, sugar_several

QUIET = voyage_result(alpha=100.0)
# Ten samples that state no answer agree with each other: entropy 0, and no lookup decided.
SILENT = replace(sugar_none(), closed_book=doubt((("I do not know.", 10),), 0.0), measured=0.0)
CASES = [
    ("not_stable", dense_full(), True),
    ("not_stable", dense_understood(), False),
    ("not_stable", dense_depending_on_wording(), None),
    ("belief_did_not_rise", seper_helped(), False),
    ("belief_rose", seper_helped(), True),
    ("belief_fell", seper_helped(), False),
    ("belief_fell", replace(seper_hurt(), delta_hard=0.0), None),
    ("would_look_up", voyage_result(), True),
    ("would_not_look_up", QUIET, True),
    ("looked_up_in_time", voyage_result(), True),
    ("looked_up_in_time", replace(voyage_result(), answer="Portuguese"), False),
    ("no_evidence", sample_quco_result(), True),
    ("evidence", sample_quco_result(), False),
    ("needs_lookup", sugar_several(), True),
    ("needs_no_lookup", sugar_none(), True),
    ("needs_no_lookup", SILENT, None),
    ("needs_lookup", SILENT, None),
    ("refined_answer_right", refined_result(), False),
    ("not_accepted", fallback_result(), True),
    ("not_accepted", certain_result(), False),
    ("steps_within_noise", timing_full(), False),
]


@pytest.mark.parametrize(("detector", "result", "expected"), CASES, ids=[f"{row[0]}-{row[2]}" for row in CASES])
def test_a_look_reads_the_methods_own_word(detector: str, result: object, expected: bool | None) -> None:
    made = run("1,768 metres", OTHER, RIGHT, results=(result,))  # type: ignore[arg-type]
    assert DETECTORS[detector](made, question()) is expected


@each_row([(kind.word, clue.method) for kind in KINDS.values() for clue in kind.clues])
def test_what_was_not_run_is_not_measured(row: tuple[str, str]) -> None:
    word, method = row
    (clue,) = [clue for clue in KINDS[word].clues if clue.method == method]
    assert clue.detector(run("1,768 metres", OTHER, RIGHT), question()) is None


@pytest.mark.parametrize(("value", "expected"), [(0.5, True), (0.3, False), (None, None)])
def test_semantic_entropy_over_the_passages_decides_alone(value: float | None, expected: bool | None) -> None:
    result = baselines()
    own = reading("semantic_entropy", value, None if value is None else 0.4)
    over_passages = replace(result.sets[0], word="with_passages", readings=(reading("degree_entropy", 0.9, 0.2), own))
    made = run("1,768 metres", OTHER, results=(replace(result, sets=(over_passages,)),))
    assert DETECTORS["semantic_entropy_high"](made, question()) is expected


def test_only_a_passage_that_the_answer_came_from_counts_as_the_harmful_one() -> None:
    result = chunk_utility()
    harmful = [chunk.index for chunk in result.chunks if chunk.verdict == "harmful"]
    texts = [OTHER if index in harmful else RIGHT for index in range(len(result.chunks))]
    assert DETECTORS["harmful_passage"](run("1,768 metres", *texts, results=(result,)), question()) is bool(harmful)
    nowhere = run("1,768 metres", *[RIGHT] * len(texts), results=(result,))
    assert DETECTORS["harmful_passage"](nowhere, question()) is None
    turned = [RIGHT if index in harmful else OTHER for index in range(len(result.chunks))]
    assert DETECTORS["harmful_passage"](run("1,768 metres", *turned, results=(result,)), question()) is False


def test_every_clue_belongs_to_a_method_and_each_kind_has_one_at_least() -> None:
    assert all(kind.clues and {clue.method for clue in kind.clues} <= set(METHODS) for kind in KINDS.values())
    assert all(len({clue.method for clue in kind.clues}) == len(kind.clues) for kind in KINDS.values())
