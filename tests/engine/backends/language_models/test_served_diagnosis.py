"""A whole diagnosis over a server, and that the embedded model says the same when it is asked through one."""

import pytest
import torch

from engine.backends.language_models import known_card, load_language_model
from engine.backends.language_models.base import Request
from engine.backends.language_models.openai_compatible import open_server
from engine.backends.language_models.server_address import server_name
from engine.backends.language_models.transformers_model import TransformersModel
from engine.core.progress import silent
from engine.core.records import Passage, Prompt
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.request import DiagnosisRequest
from engine.diagnosis.serialize import from_json, to_json
from engine.methods.entropy_trend import EntropyTrendResult, undecided_words
from engine.methods.profiles import step_by_step_prompt
from engine.methods.step_by_step import STEP_BY_STEP_STOP
from engine.runs.run import run_request
from engine.runs.store import RunStore
from tests.engine.backends.language_models.scripted_server import END, Asked, Manners, Spoken, running, spoken
from viz.methods.entropy_trend import verdict, words_table
from viz.methods.trend_figure import trend_figure
from viz.parts.theme import DARK, LIGHT
from viz.parts.token_strip import tokens_table

CLOCK = Passage(text="Lyra Quill rebuilt the Vesper Clock in 1821.", title="Vesper Clock", end=44)
STEPS = "The Vesper Clock was rebuilt by Lyra Quill in 1821 . So the answer is Lyra Quill ."


def clockmaker(asked: Asked) -> list[Spoken]:
    """Return a short answer to a turn, steps to a text to be continued; its middle is less sure than its ends."""
    if asked.chat:
        return spoken("Lyra Quill" if asked.seed % 3 else "Tomas Reed", probability=0.8)
    said = spoken(STEPS)
    unsure = spoken(STEPS, probability=0.4)
    return [unsure[at] if at in (5, 6) else one for at, one in enumerate(said)]


def asked_over(server_model: str, **settings: object) -> DiagnosisRequest:
    return DiagnosisRequest(
        question="Who rebuilt the Vesper Clock?",
        passages=(CLOCK,),
        golds=("Lyra Quill",),
        model=server_model,
        judge="similarity",
        **settings,  # type: ignore[arg-type]
    )


@pytest.mark.weights
def test_the_default_methods_run_over_a_server_and_the_record_redraws_without_it(
    tmp_store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MICROSCOPE_API_KEY", "sk-very-secret")
    with running(Manners(brain=clockmaker, key="sk-very-secret")) as server:
        monkeypatch.setenv("MICROSCOPE_API_SERVER", f"http://{server.host}")
        request = asked_over(server.name)
        diagnosis = run_request(request)
        assert known_card(server.name) is not None
    assert {outcome.method: outcome.status for outcome in diagnosis.outcomes} == {
        "dense": "done",
        "seper": "done",
        "entropy_trend": "done",
        "quco_rag": "done",
        "sufficiency": "done",
        "contradictions": "not measured",
        "question_parts": "done",
    }
    provenance = diagnosis.provenance
    assert provenance.model == request.model == server.name
    assert "3 likeliest tokens" in provenance.model_note
    text = diagnosis.to_json()
    assert "sk-very-secret" not in text + to_json(request)
    assert from_json(text).to_json() == text
    run_id = tmp_store.import_json(text)
    kept = tmp_store.get(run_id).diagnosis
    assert kept is not None and kept.to_json() == text
    redraw(kept)


def redraw(diagnosis: Diagnosis) -> None:
    """Check that the stored trend is drawn with its intervals, no server near."""
    outcome = diagnosis.outcome("entropy_trend")
    assert outcome is not None and isinstance(outcome.result, EntropyTrendResult)
    result = outcome.result
    assert all(word.entropy_high is not None and word.entropy <= word.entropy_high for word in result.words)
    assert all(point.low is not None and point.low <= point.value <= point.high for point in result.points)
    assert undecided_words(result, 0.5), "a trend that moves by 0.5 nats within wide bounds"
    assert "H at most (nats)" in words_table(result).columns
    assert "entropy at most (nats)" in tokens_table(result.generation.tokens).columns
    for theme in (LIGHT, DARK):
        assert any(curve.error_y.array is not None for curve in trend_figure(result, theme).data)
    assert verdict(result).word == "unclear" or not undecided_words(result, result.alpha)


@pytest.mark.weights
def test_a_server_that_shows_no_alternatives_leaves_etc_unmeasured_with_the_reason() -> None:
    with running(Manners(brain=clockmaker, most_top=0)) as server:
        diagnosis = run_request(asked_over(server.name, methods=("entropy_trend",)))
    (outcome,) = diagnosis.outcomes
    assert outcome.status == "not measured" and "distribution" in outcome.reason


class Served:
    """The embedded model as a server's brain: what it writes, with the likeliest tokens of every place."""

    def __init__(self, model: TransformersModel, top: int) -> None:
        self._model, self._top = model, top

    def __call__(self, asked: Asked) -> list[Spoken]:
        prompt = Prompt(text=asked.text, chat=asked.chat)
        request = Request(prompt=prompt, max_tokens=asked.max_tokens, temperature=asked.temperature, seed=asked.seed)
        (found,) = self._model.generate([request], silent)
        tokens = [*found.tokens, *([found.stop_token] if found.stop_token else [])]
        ids = [*self._model.prompts.ids(prompt), *(token.id for token in tokens)]
        with torch.no_grad():
            logits = self._model._model(input_ids=torch.tensor([ids])).logits[0]
        rows = torch.log_softmax(logits[-len(tokens) - 1 : -1].float(), dim=-1)
        best = rows.topk(self._top, dim=-1)
        return [
            Spoken(
                text=token.text if at < len(found.tokens) else END,
                logprob=token.logprob,
                top=tuple((f"#{i}", float(p)) for i, p in zip(best.indices[at], best.values[at], strict=True)),
            )
            for at, token in enumerate(tokens)
        ]


@pytest.mark.weights
def test_the_embedded_model_says_the_same_through_a_server_in_float32(embedded: TransformersModel) -> None:
    asked = [
        Request(
            prompt=Prompt(text="Answer in a few words: What is the capital of France?"), max_tokens=12, stop=("\n",)
        ),
        Request(prompt=Prompt(text="Name three animals."), max_tokens=8),
        Request(prompt=step_by_step_prompt("Who wrote Hamlet?"), max_tokens=12, stop=STEP_BY_STEP_STOP),
    ]
    with running(Manners(brain=Served(embedded, top=20))) as server:
        model = open_server(server_name(server.name))
        through = model.generate(asked, silent)
    for one, other in zip(embedded.generate(asked, silent), through, strict=True):
        assert (other.text, other.stop_reason) == (one.text, one.stop_reason)
        assert [token.text for token in other.tokens] == [token.text for token in one.tokens]
        assert [t.logprob for t in other.tokens] == pytest.approx([t.logprob for t in one.tokens], abs=1e-4)
        for exact, bounded in zip(one.tokens, other.tokens, strict=True):
            assert bounded.entropy - 1e-3 <= exact.entropy <= bounded.entropy_high + 1e-3
        assert other.mean_logprob == pytest.approx(one.mean_logprob, abs=1e-4)


def test_a_server_is_probed_once_and_its_model_remembers_what_it_wrote() -> None:
    counted: list[Asked] = []

    def brain(asked: Asked) -> list[Spoken]:
        counted.append(asked)
        return spoken("Paris")

    with running(Manners(brain=brain)) as server:
        first = load_language_model(server.name)
        probes = len(counted)
        assert load_language_model(server.name) is first
        request = Request(prompt=Prompt(text="Where?"), max_tokens=4)
        for _ in range(3):
            first.generate([request], silent)
    assert len(counted) == probes + 1
