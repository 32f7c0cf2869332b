"""The benchmark of the writer: what it asks, and the entropy at a name."""

from dataclasses import replace

from benchmarks.writer import Asked, name_entropy, separates, several_hops, step_request
from engine.backends.language_models.scripted import scripted_generation
from engine.core.records import Passage
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
    assert separates([made], ["Lyra Quill"], [True])["auroc"] is None, "one class only"
    sure = scripted_generation(request, [(" Rome", -0.1, 0.1)])
    found = separates([made, sure], ["Lyra Quill", "Rome"], [False, True])
    assert (found["auroc"], found["answers"], found["wrong"]) == (1.0, 2, 1)
