"""The curves of the growth over one diagnosis; what they show is measured by running the benchmark."""

from dataclasses import fields

import pytest

from benchmarks.growth_question import QUESTIONS, WHOLE, curves_over, fresh
from engine.backends.language_models.base import LanguageModel, Request
from engine.backends.language_models.cached import CachedModel
from engine.backends.language_models.scripted import ScriptedModel
from engine.core.progress import silent
from engine.core.records import Prompt
from engine.methods.base import Backends


def test_a_point_is_the_median_over_the_questions_and_a_doubling_fits_exponent_1() -> None:
    def measured(size: int, question: str, gold: str) -> dict[str, float]:
        return {"the answer": 2.0 * size + (100.0 if question == QUESTIONS[0][0] else 0.0), WHOLE: 5.0}

    answer, whole = curves_over("passages", (1, 2, 4), measured, questions=3)
    assert answer.name == "the answer, over passages"
    assert [point.value for point in answer.points] == [2.0, 4.0, 8.0]
    assert answer.exponent == pytest.approx(1.0)
    assert whole.exponent == pytest.approx(0.0)


def test_no_model_of_a_measured_run_remembers_an_answer() -> None:
    def counted(name: str) -> ScriptedModel:
        return ScriptedModel(lambda request: asked.append(name) or "")

    asked: list[str] = []
    models = (counted("reader"), counted("writer"), counted("base"))
    remembered = dict.fromkeys(("model", "writer", "rewriter"), CachedModel(counted("process")))
    given = Backends(**{one.name: remembered.get(one.name) for one in fields(Backends)})
    request = Request(prompt=Prompt(text="Who?"), max_tokens=1)

    def ask(model: LanguageModel) -> None:
        model.generate([request], silent)

    ask(given.writer)
    for _ in range(2):
        backends = fresh(given, *models)
        for model in (backends.model, backends.writer, backends.rewriter):
            ask(model)
    assert asked == ["process", *["reader", "writer", "base"] * 2]
