"""One model on several servers: the same texts as from one, and a lost server's share asked of the others."""

import pytest

from engine.backends.language_models import load_language_model, refuse_secrets
from engine.backends.language_models.base import Request
from engine.backends.language_models.openai_compatible import open_server
from engine.backends.language_models.scripted import ScriptedModel
from engine.backends.language_models.server_address import server_name
from engine.backends.language_models.several_servers import SeveralServers
from engine.core.errors import InputError, ModelError
from engine.core.progress import silent
from engine.core.records import Prompt
from tests.engine.backends.language_models.scripted_server import Manners, running, spoken

REQUESTS = [
    Request(prompt=Prompt(text=f"Question {at}?", chat=True), max_tokens=8, temperature=1.0, seed=at) for at in range(7)
]


class Lost(ScriptedModel):
    """A server that is gone."""

    def generate(self, requests, report):
        self.requests += requests
        raise ModelError("The server does not answer.")


def model() -> ScriptedModel:
    """Return a model that says its seed."""
    return ScriptedModel(lambda request: f"draw {request.seed}")


def test_requests_are_shared_out_evenly_and_come_back_in_order() -> None:
    one, two, three = model(), model(), model()
    found = SeveralServers([one, two, three]).generate(REQUESTS, silent)
    assert found == model().generate(REQUESTS, silent)
    assert [len(each.requests) for each in (one, two, three)] == [3, 2, 2]


def test_the_share_of_a_lost_server_is_asked_of_the_others() -> None:
    lost, other = Lost(lambda request: ""), model()
    found = SeveralServers([lost, other]).generate(REQUESTS, silent)
    assert found == model().generate(REQUESTS, silent)
    assert (len(lost.requests), len(other.requests)) == (4, 7)
    with pytest.raises(ModelError):
        SeveralServers([lost, Lost(lambda request: "")]).generate(REQUESTS, silent)


def test_other_models_are_refused() -> None:
    with pytest.raises(ModelError):
        SeveralServers([model(), ScriptedModel(lambda request: "", attentions=False)])


def test_two_servers_give_what_one_gives_with_bounded_concurrency() -> None:
    manners = [Manners(brain=lambda asked: spoken(f"draw {asked.seed}")) for _ in range(2)]
    with running(manners[0]) as first, running(manners[1]) as second:
        names = [server.name for server in (first, second)]
        alone = open_server(server_name(names[0])).generate(REQUESTS, silent)
        both = load_language_model(", ".join(names))
        asked_before = [len(server.bodies) for server in (first, second)]
        found = both.generate(REQUESTS, silent)
        assert [one.text for one in found] == [one.text for one in alone]
        asked = [len(server.bodies) - before for server, before in zip((first, second), asked_before, strict=True)]
        assert asked == [4, 3]
        assert load_language_model(", ".join(names)) is both


def test_a_password_in_any_address_is_refused() -> None:
    with pytest.raises(InputError):
        refuse_secrets("http://one/v1#m, http://me:secret@two/v1#m")
