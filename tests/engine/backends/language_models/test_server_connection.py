"""Calls go to a server in the order that its cache serves, and as many at once as helps."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

from engine.backends.language_models import served_names
from engine.backends.language_models.server_connection import Call, by_prompt, in_lanes
from engine.core.errors import ModelError
from tests.ports import free_port

Found = TypeVar("Found")
A, B, C = "Passage one. Who?", "Passage one. When?", "Passage two. Who?"


def call(prompt: str) -> Call[bytes]:
    """Return a call with a prompt; "" has none."""
    return Call(path="/completions", parse=bytes, body={"prompt": prompt, "seed": 1} if prompt else None)


def finished(work: Coroutine[Any, Any, Found]) -> Found:
    """Return what a coroutine gives, run in a thread of its own: a browser test may have left a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


class Served:
    """A server that answers in turns; it notes which prompt begins when, and how many are at work."""

    def __init__(self, fails: str = "") -> None:
        self.begun: list[str] = []
        self.at_work = self.most = 0
        self._fails = fails

    async def answer(self, one: Call[bytes]) -> int:
        """Return how many calls had begun before this one."""
        prompt = (one.body or {}).get("prompt", "")
        place = len(self.begun)
        self.begun.append(prompt)
        self.at_work += 1
        self.most = max(self.most, self.at_work)
        await asyncio.sleep(0.01)
        self.at_work -= 1
        if prompt == self._fails:
            raise ValueError(prompt)
        return place


def test_prompts_that_begin_alike_follow_each_other_and_one_prompt_stays_together() -> None:
    groups = by_prompt([call(prompt) for prompt in (C, A, B, A, "", "", A)])
    assert [list(group) for group in groups] == [[4], [5], [2], [1, 3, 6], [0]]


def test_the_first_call_of_a_prompt_is_answered_before_the_others_begin() -> None:
    served = Served()
    found = finished(in_lanes([call(A)] * 9, served.answer, 8))
    assert found[0] == 0 and sorted(found) == list(range(9))
    assert served.most == 8  # one goes ahead, then as many as are allowed


def test_with_many_prompts_each_has_one_lane_and_answers_come_in_the_order_of_the_calls() -> None:
    served = Served()
    prompts = [f"{number:02} {place}" for place in "ab" for number in range(20)] * 3
    found = finished(in_lanes([call(prompt) for prompt in prompts], served.answer, 4))
    assert [served.begun[place] for place in found] == prompts
    assert served.most == 4
    assert served.begun[:4] == sorted(set(prompts))[:4]


def test_after_the_first_error_nothing_more_begins() -> None:
    served = Served(fails=B)
    with pytest.raises(ValueError, match="When"):
        finished(in_lanes([call(B), call(A), *[call(C)] * 20], served.answer, 2))
    assert len(served.begun) <= 4


def test_no_calls_are_no_answers() -> None:
    assert finished(in_lanes([], Served().answer, 8)) == []


def test_a_server_that_is_not_running_is_said_without_the_words_of_its_client() -> None:
    port = free_port()
    with pytest.raises(ModelError) as failed:
        served_names(f"http://127.0.0.1:{port}/v1")
    assert str(failed.value) == f"The server 127.0.0.1:{port} does not answer. Is it running?"
