"""The benchmark of the writer: what it asks, and the entropy at a name."""

from dataclasses import replace
from pathlib import Path

from benchmarks.writer import (
    FIVE,
    MEMORY,
    Asked,
    Row,
    answered,
    ask,
    name_entropy,
    results,
    separates,
    several_hops,
    step_request,
)
from engine.backends.language_models.base import Request
from engine.backends.language_models.scripted import ScriptedModel, scripted_generation
from engine.core.records import Passage
from engine.methods.conclusion import FORCED_TOKENS
from engine.methods.profiles import EMBEDDED, step_by_step_prompt
from tests.training.test_writer_examples import ROW


def test_only_hotpotqa_is_asked_over_its_supporting_passages_and_others() -> None:
    hotpot = replace(ROW, set_name="hotpotqa_train", test=True)
    (asked,) = several_hops([ROW, hotpot])
    assert {one.title for one in asked.passages} == {"Vesper Clock", "Lyra Quill", "Harbour"}


def test_the_request_is_the_loops_own() -> None:
    asked = Asked(question="Who?", golds=("A",), passages=(Passage(text="It is A.", title="A"),))
    request = step_request(asked, asked.passages)
    assert request.prompt == step_by_step_prompt("Who?", EMBEDDED, asked.passages)
    assert (request.max_tokens, request.temperature) == (EMBEDDED.step_tokens, 0.0)


def test_entropy_is_that_of_the_token_that_first_says_the_answers_name() -> None:
    request = step_request(Asked(question="Who?", golds=(), passages=()), ())
    made = scripted_generation(
        request, [(" It", -0.1, 0.2), (" is", -0.1, 0.3), (" Lyra", -0.1, 2.5), (" Quill.", 0, 0.1)]
    )
    assert name_entropy(made, "Lyra Quill") == 2.5
    assert name_entropy(made, "yes") is None and name_entropy(made, "Rome") is None


def row(model: str, question: str, right: bool, entropy: float | None = None, where: str = MEMORY) -> Row:
    """Return one kept answer."""
    share = float(right)
    return Row(
        model=model, group="nq_open", where=where, question=question, golds=("A",), said="", answer="", concludes=1.0,
        contains_gold=share, exact_match=share, token_f1=share, answer_anywhere=share, tokens=3, entropy=entropy,
    )  # fmt: skip


def test_entropy_at_names_ranks_wrong_answers_above_right_ones_where_there_are_both() -> None:
    rows = [row("m", "a", False, 2.5), row("m", "b", True, 0.1), row("m", "c", True)]
    found = separates(rows)
    assert (found["auroc"], found["answers"], found["wrong"]) == (1.0, 2, 1)
    assert separates(rows[:1])["auroc"] is None, "one class only"


def test_two_models_are_compared_on_the_same_questions() -> None:
    right = {"base": (False, False), "writer": (True, False)}
    rows = [row(m, q, is_right, where=w) for m in right for q, is_right in zip("ab", right[m], strict=True)
            for w in (FIVE, MEMORY)]  # fmt: skip
    found = results(rows, ["base", "writer"])["nq_open"][FIVE]
    assert (found["base"]["contains_gold"]["mean"], found["writer"]["contains_gold"]["mean"]) == (0.0, 0.5)
    assert found["difference"]["contains_gold"]["mean"] == 0.5 and found["difference"]["concludes"]["mean"] == 0.0


def test_an_answer_without_a_conclusion_is_made_to_conclude_and_does_not_count_as_concluding() -> None:
    asked = [Asked(question=name, golds=("Rome",), passages=()) for name in ("One?", "Two?")]

    def speak(request: Request) -> str:
        if request.max_tokens == FORCED_TOKENS:
            return " Rome."
        return " It is. So the answer is Oslo." if "One?" in request.prompt.text else " It is old."

    one, two = answered(ScriptedModel(speak), "m", "nq_open", MEMORY, asked)
    assert (one.answer, one.concludes, one.contains_gold) == ("Oslo", 1.0, 0.0)
    assert (two.answer, two.concludes, two.contains_gold, two.answer_anywhere) == ("Rome", 0.0, 1.0, 0.0)


def test_what_is_kept_is_not_asked_again(tmp_path: Path) -> None:
    asked = {"nq_open": [Asked(question="One?", golds=("Oslo",), passages=())]}
    model = ScriptedModel(lambda request: " So the answer is Oslo.")
    first = ask(tmp_path, {"m": model}, asked)
    assert len(model.requests) == 2 and ask(tmp_path, {"m": model}, asked) == first
    assert len(model.requests) == 2
