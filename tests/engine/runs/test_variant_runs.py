"""Stored runs made from one another: what was changed, what else differs, repeats, and the tree."""

from dataclasses import replace

from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.methods.dense_records import DenseConfig
from engine.runs.compare import Side
from engine.runs.store import RunStore, RunSummary
from engine.runs.variant_runs import ancestors, is_redraw, redraws_wanted, run_changes, run_tree, unintended_differences
from tests.pages.page_fixtures import whole_diagnosis

ASKED = DiagnosisRequest(question="Who?", corpus="sample", golds=("31 March 1889",), methods=("dense",))


def side(diagnosis: Diagnosis, run: str = "a", **asked: object) -> Side:
    """Return a diagnosis as a side that was asked for over the sample corpus."""
    request = replace(ASKED, question=diagnosis.question, golds=diagnosis.golds, **asked)  # type: ignore[arg-type]
    return Side(run=run, request=request, diagnosis=diagnosis)


def listed(run_id: str, parent: str = "", at: int = 0) -> RunSummary:
    """Return a line of the list of runs, asked at this second."""
    moment = f"2026-01-01T00:00:{at:02d}"
    return RunSummary(
        id=run_id, created_at=moment, started_at="", finished_at="", state="done", reason="", question="Who?",
        answer="", parent=parent, origin="asked",
    )  # fmt: skip


def test_a_passage_left_out_is_told_and_nothing_else() -> None:
    first = whole_diagnosis()
    second = replace(first, hits=first.hits[1:])
    fixed = {"fixed": True, "passages": tuple(hit.passage for hit in second.hits)}
    assert run_changes(side(first), side(second, "b", **fixed)) == ("passage 1, “Eiffel Tower”, is left out",)


def test_what_another_retriever_found_is_told_after_the_retriever() -> None:
    first = whole_diagnosis()
    told = run_changes(side(first), side(replace(first, hits=first.hits[:4]), "b", retriever="bm25", k=4))
    assert told == (
        "looked up by bm25 instead of hybrid",
        "4 passages instead of 5",
        "so passage 5, “Eiffel Tower”, is left out",
    )


def test_what_was_asked_otherwise_beyond_an_edit_is_told_too() -> None:
    first = whole_diagnosis()
    asked = {"seed": 4, "methods": ("dense", "seper"), "dense": DenseConfig(draws=1)}
    assert run_changes(side(first), side(first, "b", **asked)) == (
        "seed 4 instead of 0",
        "methods dense, seper instead of dense",
        "dense: draws 1 instead of 3",
    )


def test_other_weights_under_the_same_name_are_named_and_another_judge_is_an_edit() -> None:
    first = whole_diagnosis()
    origin = replace(first.provenance, model_revision="r2", judge_note="New weights.", libraries=(("torch", "3.0"),))
    second = replace(first, provenance=origin)
    assert [what for what, _, _ in unintended_differences(side(first), side(second, "b"))] == [
        "model",
        "judge",
        "torch",
    ]
    assert [what for what, _, _ in unintended_differences(side(first), side(second, "b", judge="llm"))] == [
        "model",
        "torch",
    ]
    assert unintended_differences(side(first), side(first, "b")) == ()


def test_a_repeat_is_the_same_request_with_another_seed() -> None:
    base = replace(ASKED, parent="a")
    repeats = redraws_wanted(base, {0, 2}, 3)
    assert [one.seed for one in repeats] == [1, 3, 4]
    assert all(is_redraw(one, base) for one in repeats)
    assert not is_redraw(base, base)
    assert not is_redraw(replace(repeats[0], question="When?"), base)
    assert is_redraw(replace(repeats[0], parent="elsewhere"), base)


def test_the_tree_has_children_below_their_parent_oldest_first() -> None:
    runs = [listed("c", "a", 3), listed("d", "b", 4), listed("b", "a", 2), listed("a", "", 1), listed("x", "", 5)]
    tree = run_tree(runs, "d")
    assert [(branch.run.id, branch.depth) for branch in tree] == [("a", 0), ("b", 1), ("d", 2), ("c", 1)]
    assert run_tree(runs, "a") == tree
    assert ancestors(tree, "d") == ("b", "a")
    assert ancestors(tree, "a") == ()
    assert run_tree(runs, "gone") == ()


def test_a_parent_that_was_deleted_and_parents_in_a_circle_end_the_way_up() -> None:
    assert [branch.run.id for branch in run_tree([listed("b", "deleted"), listed("c", "b", 1)], "c")] == ["b", "c"]
    circle = [listed("a", "b"), listed("b", "a", 1)]
    tree = run_tree(circle, "a")
    assert sorted(branch.run.id for branch in tree) == ["a", "b"]
    assert ancestors(tree, "a") == ("b",)
    assert [branch.run.id for branch in run_tree([listed("a", "a")], "a")] == ["a"]


def test_a_chain_of_a_thousand_variants_is_walked(tmp_store: RunStore) -> None:
    runs = [listed(str(at), str(at - 1) if at else "") for at in range(1000)]
    assert run_tree(runs, "500")[-1].depth == 999
