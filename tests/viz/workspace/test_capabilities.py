"""The capability card in words: what is exact, what is not, and why."""

from dataclasses import replace

from engine.backends.language_models.base import CapabilityCard, Route
from engine.methods import METHODS
from viz.workspace.capabilities import card_sentence, card_table, reach_table

VLLM = CapabilityCard(
    host="box:8000",
    model="org/model-8b",
    models=("org/model-8b",),
    revision="",
    context=32768,
    chat=Route(logprobs=True, alternatives=20, extras=True),
    plain=Route(logprobs=True, alternatives=20, extras=True),
    labels="whole",
    plain_labels="whole",
    seeded=True,
    stops=True,
    untempered=True,
    counts_tokens=True,
    seconds=0.12,
)


def test_the_finding_counts_what_is_exact_and_names_what_is_not() -> None:
    served = card_sentence(VLLM)
    assert served.startswith("org/model-8b at box:8000: 10 ")
    assert served.index("Within bounds: ETC") < served.index("In part: Retrieval timing")
    bare = replace(VLLM, plain=None, chat=Route(logprobs=False, alternatives=0, extras=False), labels="none")
    assert "DENSE-RAG, SePer, ETC" in card_sentence(bare)


def test_every_method_has_a_row_with_its_reason() -> None:
    table = reach_table(VLLM)
    assert table["method"].tolist() == [method.title for method in METHODS.values()]
    assert all(bool(why) != (level == "exact") for level, why in zip(table["how far"], table["why"], strict=True))


def test_what_was_tried_is_told_in_words() -> None:
    table = dict(card_table(VLLM).itertuples(index=False))
    assert table["Longest prompt and answer"] == "32,768 tokens"
    assert table["Chat turns"] == "yes, with the 20 likeliest tokens of each place"
    assert table["Scores given replies"] == "exactly"
    assert table["Attention"] == "no server shows it"
    bare = dict(card_table(replace(VLLM, plain=None, context=None, seeded=False)).itertuples(index=False))
    assert (bare["Plain text to be continued"], bare["Longest prompt and answer"]) == ("refused", "not known")
    assert bare["Same seed, same text"] == "no"
