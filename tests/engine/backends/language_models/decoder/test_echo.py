"""Guesses from what was read and written: where they come from, how many, and that no text changes by them."""

import pytest

from engine.backends.language_models.decoder import shared_batch
from engine.backends.language_models.decoder.decoding import Row
from engine.backends.language_models.decoder.echo import FEWEST_GUESSES, MOST_GUESSES, Echo
from engine.backends.language_models.decoder.key_values import KnownPrompts
from engine.backends.language_models.decoder.llama import llama_weights
from engine.backends.language_models.decoder.shared_batch import SharedBatch
from engine.core.progress import TokensDecoded, silent
from tests.engine.backends.language_models.tiny_models import LEAN, built


def test_what_followed_the_last_tokens_the_last_time_is_guessed() -> None:
    echo = Echo([1, 2, 3, 1, 2, 9, 8, 7])
    assert echo.guess() == ()
    echo.read([1, 2])
    assert echo.guess() == (9, 8, 7)
    assert Echo([5]).guess() == ()


def test_where_more_tokens_stood_side_by_side_tells_more_than_where_fewer_did() -> None:
    echo = Echo([4, 1, 2, 10, 11, 12, 1, 2, 20, 21, 22, 2, 30, 31, 32])
    echo.read([2])
    assert echo.guess() == (30, 31, 32), "after 2"
    echo.read([1, 2])
    assert echo.guess() == (20, 21, 22), "after 1, 2"
    echo.read([4, 1, 2])
    assert echo.guess() == (10, 11, 12), "after 4, 1, 2"


def test_right_guesses_make_more_and_wrong_ones_fewer() -> None:
    echo = Echo([1, 2, *range(3, 20), 1, 2])
    assert len(echo.guess()) == 3
    echo.learn(guessed=3, right=3)
    assert len(echo.guess()) == 7
    for _ in range(5):
        echo.learn(guessed=7, right=7)
    assert len(echo.guess()) == 11
    echo.learn(guessed=11, right=11)
    assert len(echo.guess()) == MOST_GUESSES == 12
    echo.learn(guessed=12, right=0)
    assert len(echo.guess()) == 6
    for _ in range(5):
        echo.learn(guessed=3, right=0)
    assert len(echo.guess()) == FEWEST_GUESSES == 2
    echo.learn(guessed=0, right=0)
    assert len(echo.guess()) == 2, "nothing was guessed, so nothing is learnt"


PROMPTS = (tuple([7, 8, 9, 10, 11] * 6), tuple(range(100, 140)), tuple([5, 250, 3] * 4))


@pytest.mark.parametrize("temperature", [0.0, 0.2, 1.0])
def test_with_guesses_every_row_writes_what_it_writes_without(temperature: float, monkeypatch) -> None:
    llama = llama_weights(built(LEAN["Llama"]))
    assert llama is not None

    def written() -> tuple[list[Row], int]:
        steps = []
        rows = [
            Row(ids=ids, max_tokens=60 - 7 * at, temperature=temperature, seed=at, ended=lambda _: False)
            for at, ids in enumerate(PROMPTS)
        ]

        def count(event: object) -> None:
            if isinstance(event, TokensDecoded) and event.count:
                steps.append(event.count)

        shared_batch.decode(llama, KnownPrompts(), rows, count)
        assert sum(steps) == sum(len(row.steps) for row in rows) == 60 + 53 + 46
        return rows, len(steps)

    guessing, few = written()
    monkeypatch.setattr(SharedBatch, "guesses", property(lambda batch: 0))
    plain, many = written()
    assert many == 60
    for one, other in zip(guessing, plain, strict=True):
        assert [step.id for step in one.steps] == [step.id for step in other.steps]
        assert [step.entropy for step in one.steps] == pytest.approx([s.entropy for s in other.steps], abs=1e-5)
        assert [step.logprob for step in one.steps] == pytest.approx([s.logprob for s in other.steps], abs=1e-5)
    if temperature == 0.0:
        assert few < many, "a greedy model with random weights soon repeats itself, and then guesses are right"


def test_a_row_that_ends_inside_its_guesses_writes_nothing_further() -> None:
    llama = llama_weights(built(LEAN["Llama"]))
    assert llama is not None
    free = Row(ids=PROMPTS[0], max_tokens=60, temperature=0.0, seed=0, ended=lambda _: False)
    shared_batch.decode(llama, KnownPrompts(), [free], silent)
    ids = [step.id for step in free.steps]
    cut = Row(ids=PROMPTS[0], max_tokens=60, temperature=0.0, seed=0, ended=lambda written: len(written) == 41)
    shared_batch.decode(llama, KnownPrompts(), [cut], silent)
    assert [step.id for step in cut.steps] == ids[:41]
