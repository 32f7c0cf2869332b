"""A seal holds over what was run and breaks on every change of prompt, settings or answer."""

from dataclasses import replace

import pytest

from engine.backends.language_models.base import Request
from engine.backends.language_models.cached import CachedModel
from engine.backends.language_models.scripted import ScriptedModel
from engine.core.progress import silent
from engine.core.records import Generation, Prompt
from engine.core.seals import seal_of, seal_state
from engine.diagnosis.record import Diagnosis
from engine.diagnosis.serialize import from_json, to_json


def generated() -> Generation:
    """Return an answer as a loaded model gives it: through the memory every model stands behind."""
    model = CachedModel(ScriptedModel(lambda request: "31 March 1889"))
    asked = Request(prompt=Prompt(text="When?"), max_tokens=32, temperature=1.0, seed=7, stop=("\n",))
    return model.generate([asked], silent)[0]


def test_every_generation_of_a_loaded_model_carries_a_seal_that_holds_and_what_was_asked_for() -> None:
    found = generated()
    assert len(found.seal) == 64 and seal_state(found) == "holds"
    assert (found.max_tokens, found.stop) == (32, ("\n",))


@pytest.mark.parametrize(
    "change",
    [
        {"rendered": "When? "},
        {"text": "1 April 1889"},
        {"temperature": 0.5},
        {"seed": 8},
        {"max_tokens": 64},
        {"stop": ()},
        {"prompt_tokens": 2},
        {"prompt": Prompt(text="Where?")},
        {"stop_reason": "length"},
        {"tokens": ()},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_change_of_prompt_settings_or_answer_breaks_the_seal(change: dict[str, object]) -> None:
    assert seal_state(replace(generated(), **change)) == "broken"  # type: ignore[arg-type]


def test_a_record_made_before_seals_has_none_and_is_still_read(example_diagnosis: Diagnosis) -> None:
    assert seal_state(example_diagnosis.answer) == "none"
    text = to_json(example_diagnosis)
    older = text.replace(',"max_tokens":null,"stop":null,"seal":""', "")
    assert older != text
    assert from_json(older).answer == example_diagnosis.answer


def test_a_seal_survives_storing_and_a_tampered_record_shows(example_diagnosis: Diagnosis) -> None:
    stored = from_json(to_json(replace(example_diagnosis, answer=generated())))
    assert seal_state(stored.answer) == "holds"
    tampered = from_json(to_json(stored).replace('"rendered":"When?"', '"rendered":"Whence?"'))
    assert seal_state(tampered.answer) == "broken"


def test_the_seal_is_the_same_on_every_machine() -> None:
    assert seal_of(generated()) == seal_of(generated()) == generated().seal
    assert generated().seal[:12] == "b48eadc3be80"
