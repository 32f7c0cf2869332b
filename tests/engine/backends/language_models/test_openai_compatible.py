"""A model behind a server: what it writes, what is only known within bounds, and every way in which a server fails."""

import json
import logging
import math
import time
import traceback
from collections.abc import Callable

import numpy as np
import pytest

from engine.backends.language_models.base import CapabilityCard, Request
from engine.backends.language_models.openai_compatible import (
    ServerModel,
    first_token_scores,
    open_server,
)
from engine.backends.language_models.server_address import server_name
from engine.backends.language_models.server_connection import Patience
from engine.core.errors import Cancelled, CapabilityError, InputError, MicroscopeError, ModelError, NotMeasured
from engine.core.progress import Event, TokensDecoded, silent
from engine.core.records import Prompt
from engine.measures.token_entropy import LARGEST_VOCABULARY
from engine.methods import reach_of_methods
from engine.methods.base import with_numbers
from tests.engine.backends.language_models.scripted_server import (
    END,
    MODEL,
    Asked,
    Manners,
    ScriptedServer,
    Spoken,
    running,
    spoken,
)

HASTY = Patience(connect=1.0, reply=2.0, tries=3)


def opened(server: ScriptedServer, patience: Patience = HASTY) -> ServerModel:
    return open_server(server_name(server.name), silent, patience)


def request(text: str = "Where?", chat: bool = True, **settings: object) -> Request:
    return Request(prompt=Prompt(text=text, chat=chat), max_tokens=8, **settings)  # type: ignore[arg-type]


def says(text: str) -> Callable[[Asked], list[Spoken]]:
    return lambda asked: spoken(text)


def test_a_text_comes_with_its_tokens_offsets_and_the_end_token_apart() -> None:
    with running(Manners(brain=says("New York City"))) as server:
        for chat in (True, False):
            (found,) = opened(server).generate([request(chat=chat)], silent)
            assert found.text == "New York City"
            assert [(t.text, t.start, t.end) for t in found.tokens] == [
                ("New", 0, 3),
                (" York", 3, 8),
                (" City", 8, 13),
            ]
            assert [t.logprob for t in found.tokens] == pytest.approx([math.log(0.9)] * 3)
            assert found.stop_reason == "end"
            assert found.stop_token is not None and found.stop_token.logprob == pytest.approx(math.log(0.8))
            assert (found.prompt_tokens, found.rendered, found.tokens[0].id) == (1, "Where?", -1)


def test_entropy_is_the_interval_that_the_likeliest_tokens_leave() -> None:
    # 0.9, 0.075 and 0.02 are known; 0.005 is left: one token at the least, evenly over the vocabulary at the most.
    known = -sum(p * math.log(p) for p in (0.9, 0.075, 0.02))
    rest = 0.005
    with running() as server:
        (found,) = opened(server).generate([request()], silent)
    token = found.tokens[0]
    assert token.entropy == pytest.approx(known - rest * math.log(rest))
    assert token.entropy_high == pytest.approx(known - rest * math.log(rest / (LARGEST_VOCABULARY - 3)), abs=1e-6)
    assert token.entropy_middle == pytest.approx((token.entropy + token.entropy_high) / 2)


def test_a_stop_string_cuts_the_text_whether_or_not_its_tokens_come_along() -> None:
    for tells_end in [True, False]:
        with running(Manners(brain=says("Paris \n Question: more"), tells_end=tells_end)) as server:
            (found,) = opened(server).generate([request(stop=("\n",))], silent)
        assert found.text in ("Paris", "Paris ")
        assert "".join(token.text for token in found.tokens) == found.text
        assert (found.stop_reason == "stop string") == tells_end, "a server that drops them does not say why it ended"


def test_a_text_that_begins_with_the_stop_string_is_asked_for_again_and_cut_at_the_next_one() -> None:
    with running(Manners(brain=says("\n\nParis \n more"))) as server:
        (found,) = opened(server).generate([request(stop=("\n",))], silent)
        asked = [body for path, body in server.bodies if path.endswith("chat/completions")]
    assert found.text.strip() == "Paris" and found.stop_reason == "stop string"
    assert asked[-2]["stop"] == ["\n"] and "stop" not in asked[-1]


def test_a_text_cut_off_says_so_and_one_longer_than_asked_for_is_refused() -> None:
    with running(Manners(brain=says("one two three four five six seven eight nine ten"))) as server:
        (found,) = opened(server).generate([request()], silent)
        assert (found.stop_reason, len(found.tokens), found.stop_token) == ("length", 8, None)
    content = [{"token": "a", "logprob": -0.1, "top_logprobs": [{"token": "a", "logprob": -0.1}]}] * 40
    message = {"message": {"content": "a" * 40}, "logprobs": {"content": content}, "finish_reason": "length"}
    with running() as server:
        model = opened(server)
        server.manners.raw = json.dumps({"choices": [message]}).encode()
        with pytest.raises(ModelError, match=r"40.* 8"):
            model.generate([request()], silent)


def test_half_characters_are_empty_until_they_are_whole() -> None:
    halves = [("\ufffd", b"\xc3"), ("\ufffd", b"\xa9"), ("t", b"t")]
    content = [
        {"token": text, "logprob": -0.1, "bytes": list(raw), "top_logprobs": [{"token": text, "logprob": -0.1}]}
        for text, raw in halves
    ]
    choice = {"message": {"content": "ét"}, "logprobs": {"content": content}, "finish_reason": "length"}
    with running() as server:
        model = opened(server)
        server.manners.raw = json.dumps({"choices": [choice]}).encode()
        (found,) = model.generate([request()], silent)
    assert [(t.text, t.start, t.end) for t in found.tokens] == [("", 0, 0), ("é", 0, 1), ("t", 1, 2)]


def test_plain_sampling_is_asked_for_and_every_draw_has_its_own_seed() -> None:
    with running(Manners(brain=lambda asked: spoken(f"draw {asked.seed}"))) as server:
        draws = [request(temperature=1.0, seed=2**62 + at) for at in range(3)]
        texts = [found.text for found in opened(server).generate(draws, silent)]
        body = server.bodies[-1][1]
    assert len(set(texts)) == 3
    assert (body["top_p"], body["top_k"], body["min_p"], body["repetition_penalty"]) == (1.0, -1, 0.0, 1.0)
    assert all(0 <= body["seed"] < 2**31 for path, body in server.bodies if "seed" in body)


def test_the_card_of_a_server_like_vllm_says_what_it_was_seen_to_give() -> None:
    with running(
        Manners(brain=lambda asked: spoken("a cat" if asked.temperature < 1 else f"cat {asked.seed}"))
    ) as server:
        card = opened(server).card
    assert (card.host, card.model, card.models, card.context) == (server.host, MODEL, (MODEL,), 4096)
    assert card.chat is not None and card.plain is not None
    assert (card.chat.alternatives, card.plain.alternatives, card.chat.extras) == (3, 3, True)
    assert (card.labels, card.plain_labels) == ("whole", "whole")
    assert (card.seeded, card.stops, card.counts_tokens) == (True, True, True)
    assert card.revision == "", "a path of the server's machine is nobody's business"
    assert 0 < card.seconds < 5


def test_the_card_of_a_service_like_openai_has_less_and_says_so() -> None:
    manners = Manners(
        brain=lambda asked: spoken(f"cat {asked.seed if asked.temperature else 0}"),
        vllm=False, plain=False, seeded=False, most_top=5,
    )  # fmt: skip
    with running(manners) as server:
        model = opened(server)
        card, able = model.card, model.capabilities
        assert (card.plain, card.labels, card.seeded, card.context) == (None, "first token", False, None)
        assert card.chat is not None and (card.chat.alternatives, card.chat.extras) == (3, False)
        assert not able.plain_text and not able.attentions and not able.full_distribution and able.top_logprobs == 3
        assert len(model.identity.note.split(". ")) == 5 and "the 3 likeliest" in model.identity.note
        with pytest.raises(CapabilityError):
            model.generate([request(chat=False)], silent)


def test_a_server_like_llama_cpp_gives_both_kinds_in_the_layout_of_chat_and_tells_its_vocabulary() -> None:
    with running(Manners(vllm=False, llama=True, tells_end=False)) as server:
        model = opened(server)
        found = model.generate([request(), request(chat=False)], silent)
        assert model.count_tokens("one two three") == 3
    card, able = model.card, model.capabilities
    assert (card.vocabulary, card.context, card.counts_tokens) == (49_152, 1024, True)
    assert (able.token_logprobs, able.continued_logprobs, able.top_logprobs, able.continued_top) == (True, True, 3, 3)
    rest = 0.005
    known = -sum(p * math.log(p) for p in (0.9, 0.075, 0.02))
    for generation in found:
        high = generation.tokens[0].entropy_high
        assert high == pytest.approx(known - rest * math.log(rest / (49_152 - 3)), abs=1e-6)
    assert {one.method: one.level for one in reach_of_methods(able)}["seper"] == "exact"


def test_each_kind_of_text_is_judged_by_itself() -> None:
    with running(Manners(plain_logprobs=False)) as server:
        able = opened(server).capabilities
    assert (able.token_logprobs, able.continued_logprobs, able.top_logprobs, able.continued_top) == (True, False, 3, 0)
    levels = {one.method: one.level for one in reach_of_methods(able)}
    assert (levels["seper"], levels["uncertainty"], levels["entropy_trend"]) == ("exact", "exact", "impossible")
    with running(Manners(chat_logprobs=False)) as server:
        model = opened(server)
        able = model.capabilities
        chat, plain = model.generate([request(), request(chat=False)], silent)
    assert (able.token_logprobs, able.continued_logprobs, able.top_logprobs, able.continued_top) == (False, True, 0, 3)
    levels = {one.method: one.level for one in reach_of_methods(able)}
    assert (levels["seper"], levels["uncertainty"], levels["entropy_trend"]) == (
        "impossible",
        "partly",
        "within bounds",
    )
    assert with_numbers((plain,), model) == (plain,)
    with pytest.raises(CapabilityError):
        with_numbers((chat,), model)


def test_a_server_that_wants_the_fields_of_the_other_kind_is_asked_with_them() -> None:
    with running(Manners(other_fields=True)) as server:
        model = opened(server)
        found = model.generate([request(), request(chat=False)], silent)
    assert [route.asking for route in (model.card.chat, model.card.plain) if route] == ["other", "other"]
    assert all(math.isfinite(generation.tokens[0].logprob) for generation in found)
    assert (model.capabilities.top_logprobs, model.capabilities.continued_top) == (3, 3)


def test_an_answer_is_bounded_by_the_field_that_the_server_asks_for() -> None:
    with running(Manners(limit="max_completion_tokens")) as server:
        model = opened(server)
        (found,) = model.generate([request()], silent)
        sent = [body for path, body in server.bodies if path.endswith("chat/completions")][-1]
    assert found.text == "Paris" and sent["max_completion_tokens"] == 8 and "max_tokens" not in sent


def test_a_server_that_lists_no_model_serves_the_one_that_is_named() -> None:
    with running(Manners(models=(), serves_anything=True)) as server:
        assert opened(server).generate([request()], silent)[0].text == "Paris"
        with pytest.raises(ModelError, match="#"):
            open_server(server_name(server.name.partition("#")[0]), silent, HASTY)


def test_log_probabilities_that_follow_the_temperature_give_no_entropy() -> None:
    def tempered(asked: Asked) -> list[Spoken]:
        return spoken("cat", probability=0.999 if asked.temperature == 0 else 0.5)

    with running(Manners(brain=tempered)) as server:
        model = opened(server)
    assert not model.card.untempered and model.capabilities.top_logprobs == 0
    assert "temperature" in model.identity.note


def test_a_server_without_probabilities_writes_text_that_nothing_can_be_counted_with() -> None:
    with running(Manners(logprobs=False)) as server:
        model = opened(server)
        found = model.generate([request()], silent)
    assert found[0].text == "Paris" and not model.capabilities.token_logprobs
    with pytest.raises(CapabilityError):
        with_numbers(found, model)


def test_an_empty_answer_without_its_end_token_has_no_log_probability() -> None:
    with running(Manners(brain=says(""), tells_end=False)) as server:
        (silent_end,) = opened(server).generate([request()], silent)
    assert silent_end.text == "" and silent_end.tokens == ()
    with pytest.raises(NotMeasured):
        _ = silent_end.mean_logprob
    with running(Manners(brain=says(""))) as server:
        (told_end,) = opened(server).generate([request()], silent)
    assert told_end.mean_logprob == pytest.approx(math.log(0.8))


def test_labels_are_scored_whole_where_the_server_can() -> None:
    for chat in [True, False]:
        with running() as server:
            model = opened(server)
            scores = model.label_logprobs([Prompt(text="Wet?", chat=chat)], ("yes", "no"), silent)[0]
        assert scores.tolist() == pytest.approx([-0.2, -1.7])


def test_labels_are_scored_by_their_first_token_where_it_cannot() -> None:
    top = ((" Yes", math.log(0.5)), ("yes", math.log(0.2)), ("maybe", math.log(0.1)))
    said = [Spoken(text=" Yes", logprob=math.log(0.5), top=top), *spoken("")]
    with running(Manners(brain=lambda asked: said, vllm=False)) as server:
        model = opened(server)
        assert model.capabilities.labels == "first token"
        scores = model.label_logprobs([Prompt(text="Wet?")], ("yes", "no"), silent)[0]
    assert scores.tolist() == pytest.approx([math.log(0.7), math.log(0.1)]), "the other has at most the last one's"
    with pytest.raises(CapabilityError):
        first_token_scores((("n", -0.1),), ("no", "never"))
    with pytest.raises(CapabilityError):
        first_token_scores((("x", -0.1),), ("yes", "no"))


def test_tokens_are_counted_by_the_server_and_estimated_where_it_does_not() -> None:
    with running() as server:
        model = opened(server)
        assert model.count_tokens("three short words") == 3
        server.manners.statuses = [500]
        assert model.count_tokens("three other words") == 5, "a limit is not worth waiting for"
    with running(Manners(vllm=False)) as server:
        assert opened(server).count_tokens("three short words") == 5


def test_attention_cannot_be_had() -> None:
    with running() as server:
        model = opened(server)
        found = model.generate([request()], silent)[0]
        for look in (model.attention, model.prompt_spans):
            with pytest.raises(CapabilityError):
                look(found)


def reply(**choice: object) -> bytes:
    return json.dumps({"choices": [{"message": {"content": "x"}, "finish_reason": "stop"} | choice]}).encode()


def token(**fields: object) -> bytes:
    one = {"token": "x", "logprob": -0.1, "top_logprobs": [{"token": "x", "logprob": -0.1}]} | fields
    return reply(logprobs={"content": [one]})


INVALID = {
    b"<html>gateway</html>": ".",
    b"": ".",
    b"[]": ".",
    b'{"choices": []}': ".",
    b'{"choices": [{"message": 3}]}': "choices.0.message",
    b"[" * 100_000: ".",
    token(logprob=float("nan")): "choices.0.logprobs.content.0.logprob",
    token(logprob=2.0): "choices.0.logprobs.content.0.logprob",
    token(logprob=float("inf")): "choices.0.logprobs.content.0.logprob",
    token(top_logprobs=[{"token": "x", "logprob": float("inf")}]): "choices.0.logprobs.content.0.top_logprobs",
    token(logprob=None): "choices.0.logprobs.content.0.logprob",
    token(bytes=[900]): "choices.0.logprobs.content.0.bytes",
    token(top_logprobs=[{"token": name, "logprob": -0.01} for name in "xyz"]): "distribution",
    token(top_logprobs=[{"token": "x"}]): "choices.0.logprobs.content.0.top_logprobs",
    token(token="hidden thought"): ".",
    reply(logprobs=3): "choices.0.logprobs",
    reply(logprobs={"tokens": ["x"], "token_logprobs": []}): "choices.0.logprobs",
    reply(finish_reason="content_filter"): "filter",
    reply(message={"refusal": "I will not say."}): "I will not say",
    reply(message={"content": "x" * 500_000}): "500,000",
}  # fmt: skip


def test_an_invalid_reply_is_a_short_error_that_names_the_field() -> None:
    with running() as server:
        model = opened(server)
        for raw, named in INVALID.items():
            server.manners.raw = raw
            with pytest.raises(ModelError, match=named) as told:
                model.generate([request()], silent)
            assert str(told.value).endswith(".") and len(str(told.value)) < 500, raw[:80]


def test_a_reply_of_hundreds_of_megabytes_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.backends.language_models.server_connection.LARGEST_REPLY", 2**20)
    with running() as server:
        model = opened(server)
        server.manners.raw = b'{"pad": "' + b"x" * 3_000_000
        with pytest.raises(ModelError, match="1 MiB"):
            model.generate([request()], silent)


def test_only_a_status_that_may_pass_is_tried_again() -> None:
    tries = {401: 1, 403: 1, 404: 1, 400: 1, 302: 1, 429: 3, 500: 3, 503: 3}
    with running(Manners(retry_after="0.01")) as server:
        model = opened(server)
        for status, times in tries.items():
            before = len(server.bodies)
            server.manners.statuses = [status] * 10
            with pytest.raises(ModelError, match=str(status)):
                model.generate([request()], silent)
            assert len(server.bodies) - before == times, status


def test_a_server_that_is_busy_twice_is_asked_a_third_time_after_the_pause_it_names() -> None:
    with running(Manners(retry_after="0.3")) as server:
        model = opened(server)
        server.manners.statuses = [429, 503]
        began = time.monotonic()
        assert model.generate([request()], silent)[0].text == "Paris"
        assert time.monotonic() - began >= 0.6


def test_a_prompt_that_is_too_long_is_the_users_to_shorten() -> None:
    with running() as server:
        model = opened(server)
        server.manners.statuses = [400]
        server.manners.said = "This model's maximum context length is 4096 tokens."
        with pytest.raises(InputError, match="4096"):
            model.generate([request()], silent)


def test_a_connection_cut_once_is_made_again_and_one_always_cut_is_an_error() -> None:
    with running() as server:
        model = opened(server)
        server.manners.cut = 1
        assert model.generate([request()], silent)[0].text == "Paris"
        server.manners.cut = 100
        with pytest.raises(ModelError, match=r"127\.0\.0\.1"):
            model.generate([request()], silent)


def test_nobody_there_and_a_model_that_is_not_there_are_told_before_anything_is_asked() -> None:
    with running() as server:
        gone = server.name
        with pytest.raises(ModelError, match=r"'other'.* test/model"):
            open_server(server_name(f"http://{server.host}#other"), silent, HASTY)
        assert open_server(server_name(f"http://{server.host}"), silent, HASTY).card.model == MODEL
        server.manners.models = (MODEL, "b")
        with pytest.raises(ModelError, match=r"2 .* test/model, b"):
            open_server(server_name(f"http://{server.host}"), silent, HASTY)
    with pytest.raises(ModelError, match=r"127\.0\.0\.1"):
        open_server(server_name(gone), silent, HASTY)


def test_a_slow_server_is_given_up_after_its_time() -> None:
    with running() as server:
        model = opened(server, Patience(connect=1.0, reply=0.3, tries=2))
        server.manners.delay = 5.0
        began = time.monotonic()
        with pytest.raises(ModelError, match=r"0\.3 seconds"):
            model.generate([request()], silent)
        assert time.monotonic() - began < 3.0


def test_a_run_is_left_within_a_second_while_the_server_still_thinks() -> None:
    def stop(event: Event) -> None:
        if time.monotonic() - began > 0.3:
            raise Cancelled("stopped")

    with running() as server:
        model = opened(server)
        server.manners.delay = 30.0
        began = time.monotonic()
        with pytest.raises(Cancelled):
            model.generate([request(seed=at) for at in range(20)], stop)
        assert time.monotonic() - began < 1.3


def test_no_more_requests_are_in_hand_than_allowed_and_no_fewer_than_helps() -> None:
    with running() as server:
        model = opened(server)
        server.manners.delay, server.most_at_once = 0.05, 0
        found = model.generate([request(f"Question {at}?") for at in range(30)], silent)
        assert [one.prompt.text for one in found] == [f"Question {at}?" for at in range(30)]
        assert 4 <= server.most_at_once <= 8
        narrow = opened(server, Patience(at_once=2))
        server.most_at_once = 0
        narrow.generate([request(f"Question {at}?") for at in range(10)], silent)
        assert server.most_at_once <= 2


def test_progress_is_told_as_answers_arrive() -> None:
    events: list[Event] = []
    with running(Manners(brain=says("New York City"))) as server:
        model = opened(server)
        server.manners.delay = 0.15
        model.generate([request(f"{at}?") for at in range(16)], events.append)
    counts = [event.count for event in events if isinstance(event, TokensDecoded)]
    assert sum(counts) == 16 * 4 and sum(count > 0 for count in counts) >= 2


def test_the_key_goes_into_one_header_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("MICROSCOPE_API_KEY", "sk-very-secret")
    with running(Manners(key="sk-very-secret")) as server:
        monkeypatch.setenv("MICROSCOPE_API_SERVER", f"http://{server.host}")
        model = opened(server)
        found = model.generate([request()], silent)
        assert {name.lower(): value for name, value in server.headers[-1].items()}[
            "authorization"
        ] == "Bearer sk-very-secret"
        seen = [repr(found), repr(model.identity), repr(model.card), repr(vars(model)), repr(server.bodies)]
        server.manners.statuses = [401]
        server.manners.said = "Incorrect API key provided: sk-very-secret"
        with pytest.raises(MicroscopeError) as told:
            model.generate([request()], silent)
    assert "•••" in str(told.value)
    seen += ["".join(traceback.format_exception(told.value)), caplog.text]
    assert not [text for text in seen if "sk-very-secret" in text]


def test_the_environments_keys_go_to_no_other_server(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MICROSCOPE_API_KEY", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "sk-very-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Key: sk-very-secret\nAuthorization: sk-very-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/sk-very-secret")
    for named in ("", "http://127.0.0.1:1"):
        monkeypatch.setenv("MICROSCOPE_API_SERVER", named)
        with running() as server:
            opened(server).generate([request()], silent)
        with running(Manners(key="sk-very-secret")) as closed, pytest.raises(ModelError) as told:
            opened(closed)
        assert "MICROSCOPE_API_SERVER" in str(told.value)
        assert "sk-very-secret" not in str(told.value) + repr(server.headers) + repr(closed.headers)
        sent = {name.lower() for headers in server.headers for name in headers}
        assert sent <= {"host", "accept", "accept-encoding", "content-type", "content-length", "connection"}


def test_without_the_key_the_server_refuses_and_the_sentence_says_what_to_do() -> None:
    with running(Manners(key="wanted")) as server, pytest.raises(ModelError, match="MICROSCOPE_API_KEY"):
        opened(server)


def test_a_card_holds_no_address_beyond_the_host() -> None:
    with running() as server:
        card: CapabilityCard = opened(server).card
    assert "http" not in repr(card) and card.host == server.host
    assert np.isfinite(card.seconds) and END not in repr(card)
