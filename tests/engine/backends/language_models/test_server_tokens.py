"""Servers differ in how they tell tokens: drawn ones, parts of characters, and a probability of 0."""

import json
import math

import numpy as np
import pytest
from scipy.special import log_softmax

from engine.backends.language_models.base import Request
from engine.backends.language_models.openai_compatible import entropy_interval, open_server
from engine.backends.language_models.server_address import server_name
from engine.backends.language_models.server_replies import Piece
from engine.core.errors import ModelError
from engine.core.progress import silent
from engine.core.records import Prompt
from tests.engine.backends.language_models.scripted_server import running

REQUEST = Request(prompt=Prompt(text="Where?"), max_tokens=8)


def one_token(logprob: float, listed: list[dict[str, object]]) -> bytes:
    """Return a chat reply of the one token "x"."""
    content = [{"token": "x", "logprob": logprob, "top_logprobs": listed}]
    choice = {"message": {"content": "x"}, "finish_reason": "stop", "logprobs": {"content": content}}
    return json.dumps({"choices": [choice]}).encode()


@pytest.mark.parametrize(("rank", "low", "high"), [(400, 2.67978, 3.90874), (49_000, 2.67952, 3.90882)])
def test_a_token_that_was_drawn_in_place_of_the_last_alternative_is_no_ceiling(
    rank: int, low: float, high: float
) -> None:
    # vLLM lists the drawn token first, then the likeliest ones, and keeps the first 20: p ~ rank^-1.5, 50,000 tokens.
    logprobs = log_softmax(-1.5 * np.log(np.arange(1.0, 50_001.0))).tolist()
    top = (("drawn", logprobs[rank]), *((f"token {at}", logprobs[at]) for at in range(19)))
    bounds = entropy_interval(Piece(text="drawn", raw=None, logprob=logprobs[rank], top=top), 20, 50_000)
    assert bounds == pytest.approx((low, high), abs=1e-5)


def test_fewer_alternatives_than_asked_for_leave_more_open() -> None:
    piece = Piece(text="a", raw=None, logprob=math.log(0.6), top=(("a", math.log(0.6)), ("b", math.log(0.1))))
    low, high = entropy_interval(piece, 5)
    assert low == pytest.approx(-0.6 * math.log(0.6) - 0.1 * math.log(0.1) - 0.3 * math.log(0.3))
    assert high > entropy_interval(piece, 2)[0] > low, "two complete ones put at most 0.1 on each other token"
    alone = Piece(text="a", raw=None, logprob=math.log(0.6), top=())
    assert entropy_interval(alone, 0)[0] == pytest.approx(-0.6 * math.log(0.6) - 0.4 * math.log(0.4))

    small = entropy_interval(piece, 5, vocabulary=1)
    assert small == pytest.approx((low, low)), "a vocabulary said to be smaller than the list leaves one token more"


def test_fewer_alternatives_that_sum_above_one_belong_to_no_distribution() -> None:
    top = (("a", math.log(0.7)), ("b", math.log(0.6)))
    with pytest.raises(ValueError, match=r"sum to 1\.300000"):
        entropy_interval(Piece(text="a", raw=None, logprob=top[0][1], top=top), 5)


def told(texts: list[str], raw: list[bytes | None], answer: str) -> bytes:
    """Return a chat reply whose tokens a server shows in these texts and bytes."""
    content = [
        {"token": text, "logprob": -0.25, "bytes": None if part is None else list(part), "top_logprobs": []}
        for text, part in zip(texts, raw, strict=True)
    ]
    choice = {"message": {"content": answer}, "finish_reason": "stop", "logprobs": {"content": content}}
    return json.dumps({"choices": [choice]}).encode()


@pytest.mark.parametrize(
    ("texts", "raw", "answer", "spelled"),
    [
        (["\ufffd"] * 4, [b"\xef\xbf\xbd"] * 4, "😊", ["", "", "", "😊"]),
        (["", "", "", "Hi"], [b"", b"", b"", b"Hi"], "“Hi", ["", "", "“", "Hi"]),
        (["\xf0\x9f", "\x98\x8a"], [None, None], "😊", ["", "😊"]),
    ],
    ids=["Ollama", "older vLLM", "SGLang"],
)
def test_a_server_whose_tokens_spell_no_half_characters_is_understood(
    texts: list[str], raw: list[bytes | None], answer: str, spelled: list[str]
) -> None:
    with running() as server:
        model = open_server(server_name(server.name))
        server.manners.raw = told(texts, raw, answer)
        (found,) = model.generate([REQUEST], silent)
        assert (found.text, [token.text for token in found.tokens]) == (answer, spelled)
        assert [token.logprob for token in found.tokens] == [-0.25] * len(spelled)
        server.manners.raw = told([*texts, "?"], [*raw, b"?"], f"{answer}! I think")
        with pytest.raises(ModelError, match="do not spell its answer"):
            model.generate([REQUEST], silent)


def test_the_lowest_number_of_llama_cpp_is_a_probability_of_0() -> None:
    lowest = -3.4028234663852886e38
    with running() as server:
        model = open_server(server_name(server.name))
        top = [("x", math.log(0.9)), ("y", math.log(0.1)), ("z", lowest)]
        listed = [{"token": text, "logprob": value} for text, value in top]
        server.manners.raw = one_token(math.log(0.9), listed)
        (found,) = model.generate([REQUEST], silent)
        written = found.tokens[0]
        assert written.entropy == pytest.approx(-0.9 * math.log(0.9) - 0.1 * math.log(0.1))
        assert written.entropy_high == pytest.approx(written.entropy)
        server.manners.raw = one_token(lowest, [])
        (found,) = model.generate([REQUEST], silent)
    assert found.tokens[0].logprob == -9999.0 and math.exp(found.tokens[0].logprob) == 0.0
