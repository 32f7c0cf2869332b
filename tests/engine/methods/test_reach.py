"""How far each method goes with a model of given capabilities."""

from dataclasses import replace

from engine.backends.language_models.base import Capabilities
from engine.methods import METHODS, reach_of_methods
from engine.methods.reach import Reach

HERE = Capabilities(token_logprobs=True, full_distribution=True, attentions=True, seeded=True)
VLLM = Capabilities(
    token_logprobs=True, full_distribution=False, attentions=False, seeded=True, top_logprobs=20, labels="whole"
)


def levels(able: Capabilities) -> dict[str, str]:
    return {one.method: one.level for one in reach_of_methods(able)}


def why(able: Capabilities, word: str) -> str:
    return next(one.why for one in reach_of_methods(able) if one.method == word)


def test_every_method_is_there_once_and_exact_with_a_model_held_open_here() -> None:
    assert list(levels(HERE)) == list(METHODS)
    assert reach_of_methods(HERE) == tuple(Reach(method=word, level="exact") for word in METHODS)


def test_a_server_like_vllm_bounds_etc_and_leaves_dragin_out() -> None:
    found = levels(VLLM)
    assert found.pop("entropy_trend") == "within bounds" and found.pop("timing") == "partly"
    assert set(found.values()) == {"exact"}
    assert "20 likeliest" in why(VLLM, "entropy_trend") and "DRAGIN" in why(VLLM, "timing")


def test_without_probabilities_only_what_answers_say_is_left() -> None:
    able = replace(VLLM, token_logprobs=False, top_logprobs=0, labels="none")
    assert {word for word, level in levels(able).items() if level == "exact"} == {
        "dense",
        "quco_rag",
        "contradictions",
        "question_parts",
    }
    assert levels(able)["seper"] == levels(able)["entropy_trend"] == levels(able)["dense_rag"] == "impossible"


def test_chat_turns_only_rule_out_what_is_read_step_by_step() -> None:
    found = levels(replace(VLLM, plain_text=False, labels="first token", seeded=False))
    assert {word for word, level in found.items() if level == "impossible"} == {"entropy_trend", "quco_rag", "timing"}
    assert (found["dense"], found["dense_rag"], found["seper"]) == ("partly", "within bounds", "exact")
    assert "seed" in why(replace(VLLM, seeded=False), "seper")
