"""Each rule of the scoreboard on hand-made facts, and the way from a diagnosis to the table and back from a file."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from engine.core.errors import RecordError
from engine.learning.known_truth import (
    RULES,
    Facts,
    facts_of,
    scoreboard,
    sightings,
    stored_scoreboard,
)
from engine.runs.sample_questions import KINDS, PlantedDefect, SampleQuestion, planted_questions
from tests.pages.page_fixtures import done, unmeasured_diagnosis, whole_diagnosis, with_outcome
from tests.viz.sample_results import (
    dense_depending_on_wording,
    dense_mostly_not_measured,
    dense_understood,
    seper_hurt,
    seper_no_gold,
)

NOTHING = Facts(golds=("Ankara",), answer="Ankara", closed_book="Istanbul")


def planted(kind: str, documents: tuple[str, ...] = ("a", "b"), tempting: str = "Istanbul") -> PlantedDefect:
    """Return a defect carried by two documents that suggests Istanbul."""
    return PlantedDefect(kind=kind, documents=documents, tempting=tempting)  # type: ignore[arg-type]


def seen(kind: str, method: str, facts: Facts, defect: PlantedDefect | None = None) -> str:
    """Return what the one rule of a kind and a method makes of facts."""
    question = SampleQuestion(
        id="q", question="?", golds=facts.golds, kind="place", note="", defects=(defect or planted(kind),)
    )
    (found,) = [each for each in sightings({"q": facts}, [question]) if each.method == method]
    return found.seen


@pytest.mark.parametrize("kind", ["answer_removed", "contradiction"])
def test_dense_sees_a_spoiled_passage_when_the_answer_is_not_understood(kind: str) -> None:
    assert seen(kind, "dense", replace(NOTHING, uncertain=True)) == "saw"
    assert seen(kind, "dense", replace(NOTHING, uncertain=False)) == "missed"
    assert seen(kind, "dense", NOTHING) == "not measured"


@pytest.mark.parametrize("kind", ["distractor", "duplicate"])
def test_dense_sees_a_needless_passage_when_no_carrier_is_necessary(kind: str) -> None:
    labels = (("a", "certain"), ("c", "necessary"), ("b", "not measured"))
    assert seen(kind, "dense", replace(NOTHING, labels=labels)) == "saw"
    assert seen(kind, "dense", replace(NOTHING, labels=(("a", "necessary"), ("a", "certain")))) == "missed"
    assert seen(kind, "dense", replace(NOTHING, labels=(("a", "not measured"), ("c", "certain")))) == "not measured"


def test_dense_sees_a_split_answer_only_when_both_parts_were_measured() -> None:
    assert seen("split_answer", "dense", replace(NOTHING, labels=(("a", "necessary"), ("b", "certain")))) == "saw"
    assert seen("split_answer", "dense", replace(NOTHING, labels=(("a", "certain"), ("b", "certain")))) == "missed"
    one = replace(NOTHING, labels=(("a", "necessary"), ("b", "unnecessary")))
    assert seen("split_answer", "dense", one) == "missed"
    assert seen("split_answer", "dense", replace(one, labels=one.labels[:1])) == "not measured"
    twice = replace(one, labels=(("a", "necessary"), ("a", "certain")))
    assert seen("split_answer", "dense", twice) == "not measured", "two passages of one part, none of the other"


def test_seper_goes_by_where_belief_moved_beyond_noise() -> None:
    rose, fell, noise = (replace(NOTHING, belief=change) for change in ("up", "down", "noise"))
    assert [seen("answer_removed", "seper", each) for each in (rose, fell, noise)] == ["missed", "saw", "saw"]
    assert [seen("split_answer", "seper", each) for each in (rose, fell, noise)] == ["saw", "missed", "missed"]
    found = [seen("memory_against_context", "seper", each) for each in (rose, fell, noise, NOTHING)]
    assert found == ["missed", "saw", "missed", "not measured"]


def test_seper_sees_what_stands_among_the_drawn_answers() -> None:
    both = replace(NOTHING, sampled=("It is Istanbul.", "Ankara"))
    assert seen("distractor", "seper", both) == "saw" and seen("contradiction", "seper", both) == "saw"
    wrong = replace(NOTHING, sampled=("It is Istanbul.", "Izmir"))
    assert seen("distractor", "seper", wrong) == "saw" and seen("contradiction", "seper", wrong) == "missed"
    assert seen("distractor", "seper", replace(NOTHING, sampled=("Ankara",))) == "missed"
    assert seen("contradiction", "seper", NOTHING) == "not measured"
    assert seen("distractor", "seper", both, planted("distractor", tempting="")) == "not measured"


def test_etc_should_look_up_what_memory_cannot_know_and_nothing_where_it_knows() -> None:
    found = [seen("answer_removed", "entropy_trend", replace(NOTHING, triggers=n)) for n in (2, 0, None)]
    assert found == ["saw", "missed", "not measured"]
    found = [seen("memory_against_context", "entropy_trend", replace(NOTHING, triggers=n)) for n in (2, 0)]
    assert found == ["missed", "saw"]


def test_co_occurrence_sees_what_never_meets_and_says_nothing_without_a_judged_claim() -> None:
    states = [(True, False), (True, True), ()]
    found = [seen("missing_co_occurrence", "quco_rag", replace(NOTHING, supported=each)) for each in states]
    assert found == ["saw", "missed", "not measured"]


def test_where_nothing_was_planted_to_see_is_to_stay_calm() -> None:
    calm = replace(NOTHING, uncertain=False, belief="up", supported=(True,))
    alarmed = replace(NOTHING, uncertain=True, belief="noise", supported=(False,))
    for method in ("dense", "seper", "quco_rag"):
        assert seen("intact", method, calm) == "saw" and seen("intact", method, alarmed) == "missed"


def test_a_kind_and_a_method_have_one_rule_at_most_and_every_kind_has_one() -> None:
    pairs = [(rule.kind, rule.method) for rule in RULES]
    assert len(set(pairs)) == len(pairs)
    assert {kind for kind, _ in pairs} == set(KINDS)


def test_facts_are_taken_from_whole_results_only() -> None:
    facts = facts_of(whole_diagnosis())
    assert facts.uncertain is True and [word for _, word in facts.labels][:2] == ["certain", "necessary"]
    assert facts.belief == "up" and len(facts.sampled or ()) == 10
    assert facts.triggers == 4 and facts.supported == (False,)
    bare = facts_of(with_outcome(unmeasured_diagnosis(), done("seper", seper_no_gold())))
    assert bare.uncertain is None and bare.labels == () and bare.belief is None


def test_fewer_than_half_of_the_rewordings_leave_the_answer_unmeasured() -> None:
    few = with_outcome(whole_diagnosis(), done("dense", dense_mostly_not_measured()))
    assert facts_of(few).uncertain is None
    assert facts_of(with_outcome(whole_diagnosis(), done("dense", dense_understood()))).uncertain is False


def test_what_dense_and_seper_call_unclear_is_not_measured() -> None:
    # DSE 0.16 over one wording of each passage, 0.10 to 0.45 over all: on both sides of 0.2.
    divided = with_outcome(whole_diagnosis(), done("dense", dense_depending_on_wording()))
    assert facts_of(divided).uncertain is None
    # The soft kernel falls by 0.49, clearly; the hard one stays at 0.
    apart = with_outcome(whole_diagnosis(), done("seper", replace(seper_hurt(), delta_hard=0.0)))
    assert facts_of(apart).belief is None
    assert facts_of(with_outcome(whole_diagnosis(), done("seper", seper_hurt()))).belief == "down"


def test_a_diagnosis_becomes_a_line_of_the_scoreboard() -> None:
    question = SampleQuestion(
        id="tower", question="?", golds=("1889",), kind="date", note="", defects=(planted("answer_removed"),)
    )
    board = scoreboard(sightings({"tower": facts_of(whole_diagnosis())}, [question]))
    cells = {cell.method: cell for cell in board.cells if cell.kind == "answer_removed"}
    assert cells["dense"].saw == ("tower",) and cells["seper"].missed == ("tower",)
    assert cells["quco_rag"].saw == ("tower",) and cells["dense"].measured == 1
    assert board.cell("contradiction", "entropy_trend") is None
    assert board.kinds == KINDS and board.methods == ("dense", "seper", "entropy_trend", "quco_rag")


def test_facts_come_back_from_json_unchanged() -> None:
    facts = facts_of(whole_diagnosis())
    for one in (facts, NOTHING):
        assert TypeAdapter(Facts).validate_json(json.dumps(asdict(one))) == one


def test_a_stored_scoreboard_is_read_again_a_missing_one_is_none_and_a_damaged_one_a_sentence(tmp_path: Path) -> None:
    question = SampleQuestion(
        id="q", question="?", golds=("x",), kind="date", note="", defects=(planted("contradiction"),)
    )
    found = sightings({"q": replace(NOTHING, uncertain=True)}, [question])
    path = tmp_path / "known_truth.json"
    assert stored_scoreboard(path) is None
    path.write_text(json.dumps({"origin": "here", "sightings": [asdict(each) for each in found]}))
    assert stored_scoreboard(path) == scoreboard(found, "here")
    path.write_text('{"origin": "here"}')
    with pytest.raises(RecordError, match=r"known_truth\.json"):
        stored_scoreboard(path)


def test_etc_gains_nothing_from_defects_in_passages_that_it_never_reads() -> None:
    board = stored_scoreboard()
    assert board is not None
    cells = [one for one in board.cells if one.method == "entropy_trend"]
    assert cells and sum(len(one.saw) for one in cells) > 0
    assert all(one.beyond == () and one.alarms == len(one.saw) and one.compared == one.measured for one in cells)


def test_a_sighting_counts_where_the_rule_does_not_fire_on_the_twin() -> None:
    question = next(one for one in planted_questions() if one.id == "korvel-university-founding")
    assert [one.document_id for one in question.twin] == ["university-of-korvel", "korvel", "lantern-theatre"]
    facts = Facts(golds=question.golds, answer="a", closed_book="b", uncertain=True, triggers=2)
    calm, loud = replace(facts, uncertain=False), facts
    for twin, beyond in ((calm, ("korvel-university-founding",)), (loud, ())):
        board = scoreboard(sightings({question.id: facts}, [question], {question.id: twin}))
        cell = board.cell("answer_removed", "dense")
        assert cell is not None and cell.saw == (question.id,) and cell.beyond == beyond
    alone = scoreboard(sightings({question.id: facts}, [question])).cell("answer_removed", "dense")
    assert alone is not None and (alone.beyond, alone.compared) == ((), 0), "without a twin nothing is known beyond it"


def test_a_twin_has_its_originals_back_and_neither_copies_nor_distractors() -> None:
    twins = {one.id: [passage.document_id for passage in one.twin] for one in planted_questions()}
    assert twins["mount-sorrel-height"] == ["mount-sorrel", "hanne-brook"]
    assert twins["mount-sorrel-first-climber"] == ["mount-sorrel", "treaty-of-ostmere"]
    assert twins["which-writer-hamlet"] == ["hamlet", "chess", "coffee"]
    assert twins["railway-designer-birthplace"] == [] and twins["dorle-war-end"] == []
