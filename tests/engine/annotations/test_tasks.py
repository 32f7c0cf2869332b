"""Items stand where the retrievals stand, once each, and keep everything a person needs to see."""

import json
from dataclasses import replace

import pytest

from engine.annotations.records import Kind
from engine.annotations.suggestions import suggestions
from engine.annotations.tasks import items_of, pieces_of, run_hash
from engine.core.records import JudgedAnswer
from engine.diagnosis.record import Diagnosis, Outcome
from engine.diagnosis.serialize import from_json
from engine.methods.sugar import EntropyForm
from engine.methods.timing.base import Continuation, PolicyRun
from engine.methods.timing.method import TimingResult
from tests.engine.annotations.sample_runs import diagnosis_with, timed
from tests.viz.sample_results import dense_full, seper_helped
from tests.viz.sample_timing_results import generation, lookup, policy_run, timing_full, timing_unmeasured
from tests.viz.sample_uncertainty import doubt, sugar_none


def test_every_retrieval_of_a_run_is_an_item_and_every_lane_without_a_run_its_first_trigger() -> None:
    items = items_of("p", "run-a", timed(), kinds=("retrieval", "trigger", "answer"))
    found = [(item.kind, item.policy, item.place, item.token) for item in items]
    assert found == [
        ("retrieval", "once", 0, 0),
        ("retrieval", "entropy_trend", 0, 4),
        ("retrieval", "entropy_trend", 1, 5),
        ("trigger", "flare", 0, 2),
        ("answer", "dragin", 0, None),
    ]


def test_a_policy_that_never_looks_anything_up_misses_nothing_and_one_that_was_not_measured_gives_no_item() -> None:
    policies = {item.policy for item in items_of("p", "run-a", timed(), kinds=("retrieval", "trigger", "answer"))}
    assert not policies & {"never", "quco_rag"}


def test_an_item_shows_the_answer_its_retrievals_and_what_they_brought() -> None:
    diagnosis = timed()
    first, second = items_of("p", "run-a", diagnosis, kinds=("retrieval",), policies=("entropy_trend",))
    view = second.view
    assert view.text == "The tower opened in 1889. So the answer is 1889."
    assert "".join(piece.text for piece in view.tokens) == view.text
    assert view.tokens[4].text == " 1889."
    assert [(mark.token, mark.query, mark.here) for mark in view.marks] == [
        (4, "tower opened", False),
        (5, "tower opened 1889", True),
    ]
    assert (first.view.text, first.view.after) == (view.without, view.text)
    assert [(mark.token, mark.here) for mark in first.view.marks] == [(4, True)]
    assert len(view.found) == 2 and view.found[0].title == "Eiffel Tower"
    assert view.without == "The tower opened in 1887. So the answer is 1887."
    assert [(step.retrieval, step.soft, step.worth) for step in view.stairs] == [
        (0, 0.2, ""),
        (1, 0.7, "helped"),
        (2, 0.72, "within noise"),
    ]
    assert (view.golds, len(view.evidence)) == (diagnosis.golds, len(diagnosis.hits))


def test_the_same_run_gives_the_same_ids_and_another_project_or_another_run_others() -> None:
    diagnosis = timed()
    ids = [item.id for item in items_of("p", "run-a", diagnosis)]
    assert ids == [item.id for item in items_of("p", "again", diagnosis)]
    assert len(set(ids)) == len(ids)
    assert not set(ids) & {item.id for item in items_of("q", "run-a", diagnosis)}
    other = replace(diagnosis, question="When was it built?")
    assert not set(ids) & {item.id for item in items_of("p", "run-a", other)}
    assert len(run_hash(diagnosis)) == 64


def test_a_runs_hash_survives_storing_and_reading_it_back() -> None:
    diagnosis = timed()
    assert run_hash(from_json(diagnosis.to_json())) == run_hash(diagnosis)
    whole = json.loads(diagnosis.to_json())
    del whole["parent"]  # as a record of a version that did not know the field
    assert run_hash(from_json(json.dumps(whole))) == run_hash(diagnosis)


def test_a_run_that_could_not_be_measured_gives_no_retrieval() -> None:
    broken = replace(timing_full().runs[1], not_measured="The model gives no attention.")
    diagnosis = timed(replace(timing_full(), runs=(broken,)))
    assert items_of("p", "r", diagnosis, kinds=("retrieval",)) == ()


def test_chunks_pairs_and_answers_are_items_of_their_own() -> None:
    diagnosis = diagnosis_with(dense=dense_full(), seper=seper_helped())
    counts = {kind: len(items_of("p", "r", diagnosis, kinds=(kind,))) for kind in KINDS_WITHOUT_TIMING}
    different = {(j.premise, j.hypothesis) for j in dense_full().judgements if j.premise != j.hypothesis}
    assert counts == {"retrieval": 0, "chunk": 5, "edge": len(different), "correctness": 2}
    chunk = items_of("p", "r", diagnosis, kinds=("chunk",))[1]
    assert chunk.view.text == dense_full().chunks[1].passage.text
    assert chunk.view.other == diagnosis.answer.text.strip()


KINDS_WITHOUT_TIMING: tuple[Kind, ...] = ("retrieval", "chunk", "edge", "correctness")


def test_a_method_that_failed_or_wrote_nothing_gives_no_item() -> None:
    nothing = Outcome(method="timing", status="not measured", reason="Empty.", result=timing_unmeasured())
    diagnosis = replace(timed(), outcomes=(nothing,))
    assert items_of("p", "r", diagnosis, kinds=("retrieval", "trigger", "answer")) == ()


def stitched(*parts: tuple[str, int]) -> PolicyRun:
    """Return a run written in parts, of each of which so many characters were kept."""
    text = ""
    written = []
    for number, (whole, kept) in enumerate(parts):
        text += whole[:kept]
        text = text.rstrip() if number < len(parts) - 1 else text
        written.append(Continuation(generation=generation(whole), kept=kept, over=None))
    return replace(policy_run("dragin", text, None), written=tuple(written))


def test_tokens_of_an_answer_written_in_parts_are_those_that_were_kept_on_their_own_characters() -> None:
    run = stitched(("The tower opened in 1887.", 17), (" in 1889.", 9))
    assert run.text == "The tower opened in 1889."
    pieces = pieces_of(run)
    assert [piece.text for piece in pieces if piece.text] == ["The", " tower", " opened", " in", " 1889."]
    assert all(run.text[piece.start : piece.end] == piece.text for piece in pieces)


def said(kind: Kind, diagnosis: Diagnosis, policy: str = "", place: int = 0) -> set[tuple[str, object, str]]:
    """Return what is suggested for one item, without the reasons."""
    items = [
        item for item in items_of("p", "r", diagnosis, kinds=(kind,)) if (item.policy, item.place) == (policy, place)
    ]
    return {(one.field, one.value, one.method) for one in suggestions(items[0], diagnosis)}


def test_suggestions_for_a_retrieval_name_the_method_behind_each() -> None:
    assert said("retrieval", timed(), "entropy_trend", 0) == {
        ("without", "useful", "answer_match"),
        ("gain", "useful", "seper"),
    }
    assert ("gain", "redundant", "seper") in said("retrieval", timed(), "entropy_trend", 1)
    assert said("retrieval", timed(), "once") == {
        ("without", "useful", "answer_match"),
        ("gain", "useful", "answer_match"),
    }


def test_delayed_is_suggested_from_the_first_wrong_token_and_never_from_etcs_trigger() -> None:
    full = timing_full()
    said_at = next(place for place, token in enumerate(full.generation.tokens) if "1887" in token.text)
    lanes = tuple(replace(lane, delay=5) if lane.policy == "flare" else lane for lane in full.lanes)

    def suggested(token: int, result: TimingResult) -> set[object]:
        item = items_of("p", "r", timed(result), kinds=("retrieval",), policies=("once",))[0]
        found = suggestions(replace(item, token=token), timed(result))
        return {(one.value, one.method) for one in found if one.field == "timing"}

    wrong = replace(full, answer="1887", right=False, lanes=lanes)
    assert suggested(said_at + 1, wrong) == {("delayed", "answer_match")}
    assert suggested(said_at, wrong) == set(), "other wrong words may stand before it: not known"
    known = replace(wrong, golds=(), right=None)
    assert suggested(said_at + 1, known) == set(), "ETC fires earlier; that proves nothing"
    assert suggested(said_at + 1, replace(wrong, right=True)) == {("timely", "answer_match")}
    meant = replace(wrong, judged=(JudgedAnswer(text="1887", meaning=0.9),))
    assert suggested(said_at + 1, meant) == set(), "the judge finds a correct answer in these words"


def test_an_answer_from_memory_that_is_right_makes_every_retrieval_redundant_and_none_missing() -> None:
    diagnosis = timed(timing_full(right_from_memory=True))
    assert ("without", "redundant", "answer_match") in said("retrieval", diagnosis, "once")
    assert ("gain", "redundant", "answer_match") in said("retrieval", diagnosis, "once")
    assert said("answer", diagnosis, "dragin") == {("missing", "not missing", "answer_match")}
    assert said("answer", timed(), "dragin") == {("missing", "missing", "answer_match")}


def test_an_answer_from_memory_that_only_the_judge_calls_right_needs_no_retrieval_by_the_judge() -> None:
    full = timing_full()
    diagnosis = timed(replace(full, judged=(JudgedAnswer(text=full.answer, meaning=0.93),)))

    assert ("without", "redundant", "judge") in said("retrieval", diagnosis, "once")
    assert ("gain", "redundant", "judge") in said("retrieval", diagnosis, "once")
    assert said("answer", diagnosis, "dragin") == {("missing", "not missing", "judge")}
    item = items_of("p", "r", diagnosis, kinds=("retrieval",), policies=("once",))[0]
    reasons = {one.field: one.reason for one in suggestions(item, diagnosis) if one.method == "judge"}
    assert reasons["gain"] == "The answer means a correct answer without it and gives one with it."


def test_suggestions_for_chunks_pairs_and_answers_are_the_methods_own_words() -> None:
    diagnosis = diagnosis_with(dense=dense_full(), seper=seper_helped())
    assert said("chunk", diagnosis, place=1) == {("chunk", "necessary", "dense")}
    assert said("edge", diagnosis) == {("entailment", "entailment", "judge")}
    assert ("correct", "wrong", "dense") in said("correctness", diagnosis)


def test_an_answer_in_other_words_is_suggested_to_be_right_by_the_judge_alone() -> None:
    diagnosis = replace(diagnosis_with(seper=seper_helped()), golds=("8 September 2010",))
    judged = replace(diagnosis, judged=(JudgedAnswer(text=diagnosis.answer.text, meaning=0.93),))

    assert ("correct", "wrong", "answer_match") in said("correctness", diagnosis)
    assert ("correct", "right", "judge") in said("correctness", judged)
    assert "answer_match" not in {method for _, _, method in said("correctness", judged)}


@pytest.mark.parametrize(
    ("form", "measured", "told"),
    [("entropy", 0.325083, "semantic entropy 0.33 nats"), ("equation_1", 1.203973, "eq. 1 as printed 1.20 nats")],
)
def test_sugars_suggestion_names_the_number_it_decided_by(form: EntropyForm, measured: float, told: str) -> None:
    decided = replace(sugar_none(), form=form, measured=measured)
    diagnosis = diagnosis_with(timing=timing_full(), sugar=decided)
    item = items_of("p", "r", diagnosis, kinds=("retrieval",), policies=("once",))[0]
    (found,) = [one for one in suggestions(item, diagnosis) if one.method == "sugar"]
    assert told in found.reason and ("semantic entropy" in found.reason) == (form == "entropy")


def test_a_result_without_gold_answers_suggests_nothing_about_need() -> None:
    result: TimingResult = replace(timing_full(), golds=(), right=None)
    assert not [one for one in said("retrieval", timed(result), "once") if one[0] == "without"]


def test_a_first_retrieval_stands_where_it_was_asked_for_and_not_where_the_text_was_cut() -> None:
    # FLARE fires at token 2 of the answer from memory, cuts its whole sentence and writes it anew.
    cut = policy_run("flare", "The tower opened in 1889.", True, (lookup(0, 0, 0.3, "tower"),))
    diagnosis = timed(replace(timing_full(), runs=(cut,)))
    (item,) = items_of("p", "r", diagnosis, kinds=("retrieval",))
    assert (item.token, item.view.text) == (2, "The tower opened in 1887. So the answer is 1887.")
    assert item.view.after == "The tower opened in 1889."


def test_a_first_retrieval_in_a_text_that_memory_did_not_write_stands_at_its_cut() -> None:
    other = policy_run("flare", "Another text than that. Of 1889.", True, (lookup(23, 4, 0.3, "tower"),))
    (item,) = items_of("p", "r", timed(replace(timing_full(), runs=(other,))), kinds=("retrieval",))
    assert (item.token, item.view.text) == (4, "Another text than that. Of 1889.")


def test_sugar_suggests_nothing_where_its_samples_state_no_answer() -> None:
    silent = replace(sugar_none(), closed_book=doubt((("I do not know.", 9), ("1900", 1)), 0.325083))
    diagnosis = diagnosis_with(timing=timing_full(), sugar=silent)
    items = items_of("p", "r", diagnosis, kinds=("retrieval", "trigger", "answer", "correctness"))
    assert {item.kind for item in items} >= {"retrieval", "answer", "correctness"}
    assert not [one for item in items for one in suggestions(item, diagnosis) if one.method == "sugar"]
