"""A model that is opened only when something must be computed, once, and is the one it was taken for."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.backends.call_cache import CallCache
from engine.backends.language_models.base import LanguageModel, Request
from engine.backends.language_models.cached import CachedModel, LazyModel, kept_model
from engine.backends.language_models.scripted import ScriptedModel
from engine.core.errors import ModelError
from engine.core.progress import Event, Stage, silent
from engine.core.records import Prompt

ASKED = Request(prompt=Prompt(text="a"), max_tokens=8)


class Opening:
    """A way to a scripted model that counts how often it is taken."""

    def __init__(self, change: Callable[[ScriptedModel], None] = lambda model: None) -> None:
        self.times = 0
        self.change = change

    def __call__(self) -> LanguageModel:
        self.times += 1
        model = ScriptedModel(lambda request: "said")
        self.change(model)
        return model


def test_a_second_look_opens_nothing_and_knows_who_answered(tmp_path: Path) -> None:
    first, second = Opening(), Opening()
    cache = CallCache(tmp_path / "c.sqlite")
    fresh = kept_model(cache, "m", first)
    said = fresh.generate([ASKED], silent)
    again = kept_model(cache, "m", second)
    assert again.generate([ASKED], silent) == said
    assert (again.identity, again.capabilities) == (fresh.identity, fresh.capabilities)
    assert (first.times, second.times) == (1, 0)


def test_something_new_opens_the_model_once_from_whichever_thread(tmp_path: Path) -> None:
    cache = CallCache(tmp_path / "c.sqlite")
    kept_model(cache, "m", Opening())
    opening = Opening()
    model = kept_model(cache, "m", opening)
    asked = [replace(ASKED, seed=seed) for seed in range(8)]
    threads = [threading.Thread(target=model.generate, args=([one], silent)) for one in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert opening.times == 1


def test_opening_is_a_stage_of_its_own_that_ends() -> None:
    opening = Opening()
    shown = opening()
    heard: list[Event] = []
    CachedModel(LazyModel((shown.identity, shown.capabilities), opening)).generate([ASKED], heard.append)
    stages = [event for event in heard if isinstance(event, Stage)]
    assert [(stage.method, stage.done, stage.total) for stage in stages] == [("models", 0, 1), ("models", 1, 1)]


def test_a_model_whose_files_changed_meanwhile_is_refused() -> None:
    shown = Opening()()

    def changed(model: ScriptedModel) -> None:
        model.identity = replace(model.identity, revision="another")

    with pytest.raises(ModelError, match="changed"):
        CachedModel(LazyModel((shown.identity, shown.capabilities), Opening(changed))).generate([ASKED], silent)


def test_facts_that_cannot_be_read_are_found_out_anew(tmp_path: Path) -> None:
    from engine.backends.call_cache import key_of

    cache = CallCache(tmp_path / "c.sqlite")
    cache.put("fact", {key_of("model", "m"): b"[]"})
    opening = Opening()
    assert kept_model(cache, "m", opening).generate([ASKED], silent)[0].text == "said"
    assert opening.times == 1
