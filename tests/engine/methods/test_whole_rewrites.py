"""Chunks reworded at once: which sentences stand beside which, and which false rewrites are refused."""

import pytest

from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT
from engine.backends.entailment.scripted import ScriptedJudge
from engine.backends.text import load_text_tools
from engine.methods.whole_rewrites import check_judged, check_whole_facts, side_by_side
from tests.engine.methods.scripted_case import backends

CHUNK = "Marie Curie discovered radium in 1898. She was born in Warsaw."


def facts_pass(original: str, rewrite: str) -> bool:
    """Return whether every sentence of the rewrite states what its own states."""
    tools = load_text_tools()
    return check_whole_facts(side_by_side(original, rewrite, tools), tools).passed


def test_a_sentence_in_two_stands_beside_both_and_one_of_two_beside_the_other_two() -> None:
    rewrite = "Radium was discovered by Marie Curie. That was in 1898. She was born in Warsaw."
    parts = side_by_side(CHUNK, rewrite, load_text_tools())
    assert [(len(one.original.split(". ")), len(one.rewrite.split(". "))) for one in parts] == [(1, 2), (1, 1)]
    back = side_by_side(rewrite, CHUNK, load_text_tools())
    assert [(one.rewrite, one.original) for one in back] == [(one.original, one.rewrite) for one in parts]


def test_a_rewrite_that_keeps_every_fact_passes() -> None:
    assert facts_pass(CHUNK, "In 1898, radium was discovered by Marie Curie. It was in Warsaw that she was born.")


@pytest.mark.parametrize(
    ("original", "rewrite"),
    [
        (
            "The Galerie des Machines was demolished in 1910, but the Eiffel Tower remained. It is of iron.",
            "The Eiffel Tower was demolished in 1910, but the Galerie des Machines remained. It is of iron.",
        ),
        ("Kyoto is a city in Japan. It has temples.", "Kyoto, the capital city of Japan, is a city. It has temples."),
        ("Selm lies inland. Its capital is Selm, a walled town.", "Selm lies inland. The capital of Selm is a town."),
        (CHUNK, "Marie Curie did not discover radium in 1898. She was born in Warsaw."),
        (CHUNK, "Marie Curie discovered radium. She was born in Warsaw in 1898."),
        (CHUNK, "Radium was discovered by Marie Curie in 1898."),
        (CHUNK, f"{CHUNK} She won two prizes."),
    ],
)
def test_a_rewrite_that_changes_what_is_claimed_is_refused(original: str, rewrite: str) -> None:
    assert not facts_pass(original, rewrite)


def test_one_sentence_that_the_judge_finds_contradicted_refuses_the_whole() -> None:
    tried_on = backends(
        lambda request: "",
        sentence_judge=ScriptedJudge(lambda one, other: CONTRADICTION if "Paris" in one + other else ENTAILMENT),
    )
    fine, entailed = check_judged(side_by_side(CHUNK, CHUNK, tried_on.text), tried_on)
    assert fine.passed and len(entailed) == 2
    against, _ = check_judged(side_by_side(CHUNK, CHUNK.replace("Warsaw", "Paris"), tried_on.text), tried_on)
    assert not against.passed
