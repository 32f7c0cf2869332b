"""Where stop strings end a text, and that a server's model needs nothing of an embedded one for it."""

import subprocess
import sys

from engine.backends.language_models.stop_strings import cut_at, first_stop
from engine.core.records import Token


def test_a_stop_string_may_follow_leading_line_breaks() -> None:
    assert first_stop("\n Paris\nQuestion", ("\n",)) == 7
    assert first_stop("\n\n", ("\n",)) is None


def test_a_token_that_crosses_the_cut_is_shortened() -> None:
    tokens = (
        Token(id=1, text="Paris", start=0, end=5, logprob=-1.0, entropy=1.0),
        Token(id=2, text=".\n", start=5, end=7, logprob=-2.0, entropy=2.0),
    )
    text, kept, stop = cut_at(tokens, "Paris.\n", 6)
    assert text == "Paris."
    assert [token.text for token in kept] == ["Paris", "."]
    assert (stop.start, stop.end, stop.logprob) == (6, 6, -2.0)


def test_a_shortened_token_keeps_what_is_not_known_of_its_entropy() -> None:
    bounded = Token(id=2, text=".\n", start=5, end=7, logprob=-2.0, entropy=0.3, entropy_high=2.9)
    paris = Token(id=1, text="Paris", start=0, end=5, logprob=-1.0, entropy=1.0)
    _, kept, stop = cut_at((paris, bounded), "Paris.\n", 6)
    assert [(token.entropy, token.entropy_high) for token in (kept[-1], stop)] == [(0.3, 2.9), (0.3, 2.9)]


def test_the_workbench_starts_without_the_servers_client_and_a_server_is_used_without_torch() -> None:
    program = (
        "import sys, engine.cli, engine.runs.run; print('openai' in sys.modules);"
        "import engine.backends.language_models.openai_compatible; print('torch' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert found.stdout.split() == ["False", "False"]
