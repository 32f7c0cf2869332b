"""A model in words: sizes as people say them, what every method can measure, what was not measured."""

from engine.backends.added_models import Trial
from engine.backends.language_models import EMBEDDED_NAMES
from engine.backends.language_models.base import Capabilities
from engine.backends.model_roles import WRITES
from engine.methods import METHODS
from engine.runs.models.card import ModelCard
from engine.runs.models.listing import UsableModel
from viz.workspace.capabilities import reach_table
from viz.workspace.models import card_sentence, facts_table, role_sentence, size_sentence, trial_sentence

ABLE = Capabilities(token_logprobs=True, full_distribution=True, attentions=True, seeded=True)


def card(able: Capabilities = ABLE) -> ModelCard:
    return ModelCard(
        family="qwen3", parameters=596_049_920, vocabulary=151_936, context=40_960, template="t", own_template="t",
        rendered="", ends=("<|im_end|>",), capabilities=able, way="one batch", dtype="bfloat16",
        memory=1_192_099_840, text_memory=114_688_000,
    )  # fmt: skip


def test_a_size_keeps_its_units() -> None:
    sentence = size_sentence(card(), "folder", 1_500_000_000)
    assert "596M parameters" in sentence and "1.2 GB" in sentence and "1.5 GB" in sentence


def test_a_model_without_attention_is_partly_measured_by_etc_and_the_table_has_every_method() -> None:
    blind = Capabilities(token_logprobs=True, full_distribution=True, attentions=False, seeded=True)
    assert str(len(METHODS)) in card_sentence(card()) and "ETC" in card_sentence(card(blind))
    table = reach_table(card(blind)).set_index("method")
    assert len(table) == len(METHODS) and table.loc["ETC", "how far"] == "partly"


def test_a_pace_that_was_not_measured_is_no_number() -> None:
    trial = Trial(
        at="2026-11-08T07:05:09+00:00", device="cpu", dtype="float32", question="Q", answer="<b>A</b>",
        open_seconds=0.01, prompt_tokens=1234.4, new_tokens=56.0,
    )  # fmt: skip
    rows = facts_table(card(), None, None).set_index("what")["found"]
    assert rows["Reads"].startswith("not measured") and rows["Parameters"] == "596,049,920"
    assert facts_table(card(), trial, None).set_index("what")["found"]["Reads"] == "1,234 tokens a second"
    assert trial_sentence(trial).startswith("Tested 8 Nov 2026, 07:05 UTC: it was open already on cpu")
    assert "<b>A</b>" in trial_sentence(trial) and "0.0 s" not in trial_sentence(trial)


def test_each_of_the_programs_models_says_what_it_is_for_and_another_model_does_not() -> None:
    said = [role_sentence(UsableModel(source=name, name=name, kind="embedded")) for name in EMBEDDED_NAMES]
    assert all(said) and len(set(said)) == 3
    assert said[EMBEDDED_NAMES.index(WRITES)].startswith("Writer") and said[0].startswith("Reader")
    assert role_sentence(UsableModel(source="embedded", name="embedded", kind="folder")) == ""
