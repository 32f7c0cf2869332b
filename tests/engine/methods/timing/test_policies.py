"""Each policy on scripted text: where it stands, what it compares, where it cuts, what it would look up."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.backends.corpus_stats.base import CoOccurrence
from engine.backends.text.base import Entity, Triplet
from engine.core.errors import CapabilityError
from engine.measures.attention_query import attention_query
from engine.methods import entropy_trend as method
from engine.methods.conclusion import forced_request
from engine.methods.profiles import EMBEDDED
from engine.methods.timing import (
    dragin,
    entropy_trend,
    every_sentence,
    fixed_length,
    flare,
    predictive_entropy,
    quco_rag,
)
from engine.methods.timing.base import DraftView, PolicyThreshold, TimingConfig, fired, reaches
from engine.methods.timing.loop import run_together
from engine.methods.timing.policies import POLICIES
from tests.engine.methods.scripted_case import QUESTION
from tests.engine.methods.test_entropy_trend import SPOKEN, hand_smoothed, run_trend
from tests.engine.methods.timing.test_loop import SplitAtStops
from tests.engine.methods.timing.timing_case import ScriptedCorpus, in_turn, look, scene, with_tools, writer_of

REFERENCE = json.loads((Path(__file__).parents[3] / "reference" / "timing.json").read_text(encoding="utf-8"))
CODE = TimingConfig(variant="code")


def spoken(tokens: list[str], probabilities: list[float], entropy: float = 0.1) -> list[tuple[str, float, float]]:
    """Return tokens with these probabilities."""
    return [(token, math.log(p), entropy) for token, p in zip(tokens, probabilities, strict=True)]


def test_the_list_holds_every_policy_under_its_word() -> None:
    assert list(POLICIES) == [
        "entropy_trend", "entropy_trend_first", "entropy_trend_fixed", "entropy_trend_raw", "dragin", "flare",
        "quco_rag", "predictive_entropy", "fixed_length", "every_sentence", "once", "never",
    ]  # fmt: skip
    assert all(word == policy.word and policy.title and policy.summary for word, policy in POLICIES.items())


@pytest.mark.parametrize(
    ("rule", "value", "verdict"),
    [
        ("magnitude at least", -1.0, True),
        ("magnitude at least", 0.99, False),
        ("above", 1.0, False),
        ("above", 1.01, True),
        ("below", 1.0, False),
        ("below", 0.99, True),
        ("below", None, False),
        ("above", math.nan, False),
        ("always", None, True),
    ],
)
def test_a_value_is_compared_as_its_rule_says_and_what_was_not_measured_never_fires(rule, value, verdict) -> None:
    assert reaches(value, PolicyThreshold(rule=rule, threshold=None if rule == "always" else 1.0, unit="")) is verdict


@pytest.mark.parametrize("variant", ["paper", "code"])
def test_etc_fires_at_the_words_where_the_method_of_that_name_does(variant) -> None:
    expected = run_trend(config=method.EntropyTrendConfig(variant=variant, alpha=0.5))
    seen = look(SPOKEN, TimingConfig(variant=variant, alpha=0.5))
    signals = entropy_trend.judge(seen)
    places = fired(signals, entropy_trend.POLICY.bar(seen.scene.config))
    assert [(signals[p].text, signals[p].value) for p in places] == [
        (expected.words[trigger.word].text, pytest.approx(trigger.value)) for trigger in expected.triggers
    ]
    assert [signals[p].cut for p in places] == [len(trigger.kept) for trigger in expected.triggers]
    if variant == "paper":
        assert [signals[p].query for p in places] == [trigger.query for trigger in expected.triggers]


def test_the_ablations_of_etc_take_first_differences_a_fixed_weight_or_none() -> None:
    # Content words: H = 0, 1, 2, 4, 3, 3.5; first differences 1, 1, 2, -1, 0.5; second 0, 1, -3, 1.5.
    seen = look(SPOKEN)
    values = {word: [s.value for s in POLICIES[word].judge(seen)] for word in list(POLICIES)[:4]}
    assert values["entropy_trend"] == pytest.approx(hand_smoothed([0.0, 1.0, -3.0, 1.5]))
    assert values["entropy_trend_first"] == pytest.approx(hand_smoothed([1.0, 1.0, 2.0, -1.0, 0.5]))
    # 0.9 of the value and 0.1 of the one before.
    assert values["entropy_trend_fixed"] == pytest.approx([0.0, 0.9, -2.6, 1.05])
    assert values["entropy_trend_raw"] == pytest.approx([0.0, 1.0, -3.0, 1.5])


def test_the_query_reaches_back_to_the_text_kept_before() -> None:
    seen = look([(" clocks", -0.1, 0.1), (" in", -0.1, 0.1), (" Rome", -0.1, 0.1)], kept=" Lyra Quill built old")
    assert seen.reach.texts[:6] == ("Who", "rebuilt", "the", "Vesper", "Clock", "?")
    assert seen.reach.texts[6:10] == ("Lyra", "Quill", "built", "old")
    assert seen.attended_words[2].query.endswith("Lyra Quill built old clocks")


def dragin_attention(received: list[float]):
    """Return attention by which each token of a text read alone receives at most this much, in its own row."""

    def attend(generation):
        width = generation.prompt_tokens + len(generation.tokens)
        attention = np.full((len(generation.tokens), width), 0.0)
        if generation.prompt_tokens == 0:
            attention[-1] = received
        return attention

    return attend


def test_the_token_that_begins_every_text_of_some_models_takes_no_word_of_rind() -> None:
    entry = REFERENCE["dragin_rind_trigger_content"]
    words = [("Film", 0), (" was", 1), (" directed", 2), (" by", 3), (" Bergman", 4)]
    text = [(word, -0.1, entry["entropy"][i]) for word, i in words]
    plain = look(text, attend=dragin_attention(entry["attention"]))
    begun = look(text, attend=lambda generation: with_start(dragin_attention(entry["attention"])(generation)))
    assert begun.received.tolist() == plain.received.tolist()
    assert dragin.rind_values(begun).tolist() == pytest.approx(entry["value"])


def with_start(attention: np.ndarray) -> np.ndarray:
    """Return attention of a text that has one more token before it, which every other looks at most."""
    return np.hstack([np.full((len(attention), 1), 0.9), attention])


@pytest.mark.parametrize(
    "name", ["dragin_rind_trigger_content", "dragin_rind_no_trigger", "dragin_rind_only_function_word_over",
             "dragin_rind_exact_threshold"],
)  # fmt: skip
@pytest.mark.parametrize("variant", ["paper", "code"])
def test_released_rind_vectors_through_the_policy(name: str, variant) -> None:
    # The words of the vector without the full stop that hangs on the last, which would be a word of its own here.
    entry = REFERENCE[name]
    words = [("Film", 0), (" was", 1), (" directed", 2), (" by", 3), (" Bergman", 4)]
    config = TimingConfig(variant=variant, dragin_threshold=entry["threshold"])
    text = [(word, -0.1, entry["entropy"][i]) for word, i in words]
    seen = look(text, config, attend=dragin_attention(entry["attention"]))
    assert dragin.rind_values(seen).tolist() == pytest.approx(entry["value"])
    signals = dragin.judge(seen)
    places = fired(signals, dragin.POLICY.bar(config))
    hit_content = bool(entry["hit_mask"] and any(entry["hit_mask"]))
    # A function word alone fires in the released code only; the paper's s is 0 for it.
    assert bool(places) is (entry["fires"] if variant == "code" else hit_content)
    assert all(signal.cut == 0 for signal in signals), "the sentence is written anew from its beginning"


def test_released_query_of_dragin_takes_content_words_by_the_row_before_the_hit() -> None:
    entry = REFERENCE["dragin_QFS_query"]
    words, content = entry["words"], [word in entry["content"] for word in entry["words"]]
    assert attention_query(words[:-1], entry["attention"][:-1], content[:-1], entry["top"]) == entry["query"]


def test_dragin_asks_by_the_attention_of_the_token_before_the_word_that_fires() -> None:
    def attend(generation):
        width = generation.prompt_tokens + len(generation.tokens)
        attention = np.zeros((len(generation.tokens), width))
        if generation.prompt_tokens:
            attention[0, generation.prompt_tokens] = 1.0  # "Film" itself, from its own row
            attention[2, generation.prompt_tokens] = 0.7  # "Film", from "directed"
            attention[2, generation.prompt_tokens + 2] = 0.2  # "directed", from itself
            attention[3, generation.prompt_tokens + 1] = 0.9
        else:
            attention[-1] = 0.2
        return attention

    text = [("Film", -0.1, 0.1), (" was", -0.1, 0.1), (" directed", -0.1, 0.1), (" Bergman", -0.1, 2.0)]
    seen = look(text, TimingConfig(query_words=2), attend=attend)
    bergman = next(signal for signal in dragin.judge(seen) if signal.text == "Bergman")
    assert bergman.query == "Film directed"


def test_flare_of_the_paper_fires_at_the_first_token_below_theta_and_cuts_the_sentence() -> None:
    tokens = ["It", " is", " a", " city", ".", " She", " left", " Paris", "."]
    seen = look(spoken(tokens, [0.99, 0.95, 0.8, 0.9, 0.99, 0.9, 0.79, 0.3, 0.9]))
    signals = flare.judge(seen)
    places = fired(signals, flare.POLICY.bar(TimingConfig()))
    assert [signals[p].token for p in places] == [6, 7], "0.8 itself is not below θ"
    assert seen.generation.text[: signals[places[0]].cut].strip() == "It is a city."
    assert signals[places[0]].query == "She left.", "Paris at 0.3 is below β = 0.4"


@pytest.mark.parametrize("name", ["flare_trigger", "flare_no_trigger", "flare_one_low_token_diluted"])
def test_released_flare_vectors_through_the_policy(name: str) -> None:
    entry = REFERENCE[name]
    seen = look(spoken(entry["tokens"], entry["probabilities"]), CODE)
    (signal,) = flare.judge(seen)
    assert signal.value == pytest.approx(entry["doubt"])
    assert bool(fired([signal], flare.POLICY.bar(CODE))) is entry["fires"]
    assert signal.cut == 0 and signal.token == len(entry["tokens"]) - 1
    if entry["query"]:
        assert signal.query == entry["query"]


def test_a_sentence_does_not_fire_for_the_first_token_of_the_next_one() -> None:
    entry = REFERENCE["flare_two_sentences_offbyone"]
    seen = look(spoken(entry["tokens"], entry["probabilities"]), CODE)
    seen = type(seen)(with_tools(seen.scene, text=SplitAtStops()), "", seen.generation)
    first, second = flare.judge(seen)
    assert [reaches(s.value, flare.POLICY.bar(CODE)) for s in (first, second)] == [False, True]
    assert (second.cut, second.query) == (len("A is B. "), "is D.")


class Counts:
    """A corpus that says in how many documents a pair meets."""

    name, note, documents, kind = "counts", "", 3, "corpus"

    def __init__(self, counts: dict[tuple[str, str], int | None]) -> None:
        self._counts, self.asked = counts, []

    def count(self, entity: str) -> int:
        """Return one mention of anything."""
        return 1

    def co_occurrence(self, head: str, tail: str, window: int, share: float | None = None) -> CoOccurrence:
        """Return the scripted count."""
        self.asked.append((head, tail, window))
        return CoOccurrence(documents=self._counts[head, tail], meetings=())


def claims(*triples: tuple[str, str, str]) -> tuple[Triplet, ...]:
    """Return claims of named things; "" is an open end."""

    def thing(text: str) -> Entity:
        return Entity(text=text, start=0, end=len(text), label="PERSON")

    return tuple(Triplet(head=thing(h), relation=r, tail=thing(t) if t else None) for h, r, t in triples)


CLAIMS = {
    "X was directed by Y.": claims(("X", "directed by", "Y")),
    "X was directed by Z.": claims(("X", "directed by", "Z")),
    "Y died in 1990.": claims(("Y", "died in", "1990")),
    "Z is in Q.": claims(("Z", "is in", "Q")),
    "So the answer is 1990.": claims(("Y", "is", "1990")),
}


def quco_scene(lines: tuple[str, ...], counts: dict[tuple[str, str], int | None], corpus: ScriptedCorpus | None = None):
    """Return a scene whose parser and counter are scripted."""
    found = scene(in_turn(*lines), corpus, question="q?")
    return with_tools(found, text=SplitAtStops(CLAIMS), counter=Counts(counts))


def test_released_quco_vector_the_failing_sentence_is_cut_and_asked_for_by_head_and_relation() -> None:
    text = "X was directed by Y. Y died in 1990. So the answer is 1990."
    found = quco_scene((text,), {("X", "Y"): 12, ("Y", "1990"): 0})
    seen = type(look(text))(found, "", look(text).generation)
    signals = quco_rag.judge(seen)
    places = fired(signals, quco_rag.POLICY.bar(found.config))
    assert [signals[p].query for p in places] == ["Y died in"]
    assert seen.generation.text[: signals[places[0]].cut].strip() == "X was directed by Y."
    assert found.backends.counter.asked == [("X", "Y", 1000), ("Y", "1990", 1000)], "no claim of the conclusion"
    assert signals[places[0]].token == 8, "the last word of the second sentence"


def test_a_claim_that_could_not_be_counted_is_not_measured_and_does_not_fire() -> None:
    found = quco_scene(("",), {("X", "Y"): None})
    seen = type(look("X was directed by Y."))(found, "", look("X was directed by Y.").generation)
    (signal,) = quco_rag.judge(seen)
    assert signal.value is None
    assert fired([signal], quco_rag.POLICY.bar(found.config)) == ()


def test_released_quco_loop_the_first_rewritten_sentence_is_not_verified_and_the_rest_is() -> None:
    corpus = ScriptedCorpus()
    lines = (" X was directed by Y.", " X was directed by Z. Z is in Q. So the answer is Q.")
    counts = {("X", "Y"): 0, ("X", "Z"): 0, ("Z", "Q"): 5}
    found = quco_scene(lines, counts, corpus)
    (run,) = run_together([POLICIES["quco_rag"]], found)
    assert run.text.strip() == "X was directed by Z. Z is in Q. So the answer is Q."
    assert corpus.queries == ["X directed by"]
    counts[("Z", "Q")] = 0
    again = quco_scene((*lines, " Z is near Q. So it is."), counts, corpus)
    (run,) = run_together([POLICIES["quco_rag"]], again)
    assert corpus.queries == ["X directed by", "X directed by", "Z is in"]


def test_the_gate_samples_the_writer_in_the_loops_own_format_once_and_counts_what_it_took() -> None:
    found = scene(lambda request: [(" Rome", -0.5 if request.seed % 2 else -1.0, 0.1)])
    (signal,) = predictive_entropy.before(found)
    asked = writer_of(found).requests
    assert {(one.prompt, one.temperature) for one in asked} == {(forced_request(QUESTION, EMBEDDED, "").prompt, 1.0)}
    assert len({one.seed for one in asked}) == len(asked) == 10
    expected = [0.5 if one.seed % 2 else 1.0 for one in asked]
    assert signal.value == pytest.approx(sum(expected) / 10)
    assert (signal.token, signal.cut, signal.query) == (0, 0, found.case.question)
    assert (found.checks.written, found.checks.read) == (10, 10 * len(asked[0].prompt.text.split()))
    predictive_entropy.before(found)
    assert len(writer_of(found).requests) == 10, "the loop takes the trace's draws"


def test_a_piece_that_is_not_full_because_the_model_ended_asks_for_nothing() -> None:
    config = TimingConfig(fixed_length=2)
    assert [s.token for s in fixed_length.judge(look(" a b c d e", config))] == [2, 4]
    assert [s.query for s in fixed_length.judge(look(" a b c d e", config))] == ["a b", "c d"]
    assert fixed_length.judge(look(" a b", config)) == ()


def test_with_the_small_profiles_cap_attention_chooses_the_querys_words_and_the_papers_25_never_binds() -> None:
    words = [f"Name{number}" for number in range(12)]
    spoken = [(f" {word}", -0.1, 0.2 if number < 11 else 3.0) for number, word in enumerate(words)]
    for cap, most in ((None, EMBEDDED.query_words), (25, 25)):
        signals = entropy_trend.judge(look(spoken, TimingConfig(query_words=cap)))
        asked = signals[-1].query.split()
        assert len(asked) == most == 8 if cap is None else 8 < len(asked) < 25


def test_a_sentence_that_the_length_limit_cut_makes_no_claim() -> None:
    text = " The Vesper Clock was built by Lyra Quill. Lyra Quill married an Italian office employe"
    seen = look(text)
    whole = DraftView(seen.scene, "", replace(seen.generation, stop_reason="length"))
    assert [s.text for s in quco_rag.judge(whole)] == ["Vesper Clock · built by · Lyra Quill"]


def test_every_sentence_but_a_conclusion_asks_after_itself() -> None:
    signals = every_sentence.judge(look(" Lyra Quill built it. She died. So the answer is Bremen."))
    assert [(s.query, s.token) for s in signals] == [("Lyra Quill built it.", 4), ("She died.", 6)]


def test_what_the_model_cannot_give_is_said() -> None:
    with pytest.raises(CapabilityError, match="attention"):
        dragin.judge(look(SPOKEN, attentions=False))
    with pytest.raises(CapabilityError, match="whole next-token distribution"):
        entropy_trend.judge(look(SPOKEN, full_distribution=False))
    with pytest.raises(CapabilityError, match="ETC as released"):
        entropy_trend.judge(look(SPOKEN, replace(CODE, alpha=1.0), attentions=False))
    assert entropy_trend.judge(look(SPOKEN, attentions=False))[0].query == ""
