"""The arithmetic of the speed and exactness benchmarks; what they run is measured by running them."""

import pytest

from benchmarks.exactness import compared
from benchmarks.speed import JUDGES, Side, pairs_of, ratios_of, replaced, without
from engine.core.records import Generation, Passage, Prompt, Token

PASSAGES = tuple(Passage(text=text) for text in ("one", "two", "three"))


def test_a_total_counts_one_judge_and_not_the_other() -> None:
    side = Side(seconds={"rewrites": 3.0, "answers": 2.0, JUDGES[0]: 7.0, JUDGES[1]: 0.5})
    assert side.total(JUDGES[0]) == 12.0
    assert side.total(JUDGES[1]) == 5.5


def test_each_literal_way_is_held_against_the_engine_in_bfloat16() -> None:
    def row(literal: float, engine: float) -> dict:
        return {"literal": {"seconds": {"all": literal}}, "engine": {"seconds": {"all": engine}}}

    found = {
        "bfloat16": {"questions": [row(80, 10), row(60, 10), row(90, 10)]},
        "float32": {"questions": [row(120, 15), row(110, 11), row(100, 20)]},
    }
    ratios = ratios_of(found)
    assert ratios["ratio_bfloat16"] == 8.0
    assert ratios["ratio_float32"] == 11.0
    assert ratios["ratio_float32_on_both_sides"] == 8.0
    assert "ratio_float32" not in ratios_of({"float32": found["float32"]})


def test_six_answers_have_thirty_ordered_pairs() -> None:
    assert len(pairs_of(["same"] * 6)) == 30


def test_a_context_changes_in_one_place() -> None:
    assert [p.text for p in replaced(PASSAGES, 1, "zwei")] == ["one", "zwei", "three"]
    assert [p.text for p in without(PASSAGES, 1)] == ["one", "three"]


def said(*tokens: tuple[int, float, float]) -> Generation:
    """Return a generation of (id, log-probability, entropy)s."""
    written = tuple(
        Token(id=number, text="a", start=at, end=at + 1, logprob=logprob, entropy=entropy)
        for at, (number, logprob, entropy) in enumerate(tokens)
    )
    return Generation(
        prompt=Prompt(text="?"), rendered="?", prompt_tokens=1, text="a" * len(tokens), tokens=written,
        stop_reason="length", temperature=0.0, seed=0,
    )  # fmt: skip


def test_differences_are_taken_as_far_as_both_wrote_the_same() -> None:
    one = [said((1, -0.5, 1.0), (2, -0.1, 0.5)), said((3, -0.2, 0.3))]
    other = [said((1, -0.4, 1.25), (7, -9.0, 9.0)), said((3, -0.2, 0.3))]
    found = compared(one, other)
    assert found["identical"] == 0.5
    assert found["largest_entropy_difference"] == pytest.approx(0.25)
    assert found["largest_logprob_difference"] == pytest.approx(0.1)
