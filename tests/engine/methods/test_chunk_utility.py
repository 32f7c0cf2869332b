"""The utility of single chunks on scripted samples: a useful, a useless and a harmful passage, by construction."""

import math
from dataclasses import replace

import pytest

from engine.backends.language_models.base import Request
from engine.backends.language_models.cached import CachedModel
from engine.core.errors import InputError, NotMeasured
from engine.core.progress import Stage
from engine.core.seeds import derive_seed
from engine.methods import chunk_utility, seper
from engine.methods.chunk_utility import ChunkUtilityConfig
from engine.methods.seper_records import SeperConfig
from tests.engine.methods.scripted_case import PASSAGES, Events, backends, case
from tests.viz import sample_uncertainty as samples

GOLD = "Lyra Quill"
CLOCK, QUILL, HARBOUR = PASSAGES


def used(speak, passages=PASSAGES, golds=(GOLD,), **config):
    """Return the result of a model that draws as ``speak(prompt, number of the draw)`` says."""
    drawn: dict[str, int] = {}

    def spoken(request: Request):
        if request.temperature == 0:
            return GOLD
        number = drawn[request.prompt.text] = drawn.get(request.prompt.text, -1) + 1
        return [(speak(request.prompt.text, number), -1.0, 0.3)]

    backend = backends(spoken)
    return chunk_utility.run(case(backend, passages, golds), ChunkUtilityConfig(**config), backend), backend


def test_a_token_of_probability_0_leaves_utility_unmeasured() -> None:
    backend = backends(lambda request: [("Lyra Quill", -math.inf, 0.3)] if request.temperature else "Lyra Quill")
    with pytest.raises(NotMeasured, match=r"^10 of 10 "):
        chunk_utility.run(case(backend, golds=("Lyra Quill",)), ChunkUtilityConfig(), backend)


def test_the_chunk_that_holds_the_answer_is_useful_and_ten_samples_cannot_show_that_the_others_are_useless() -> None:
    result, _ = used(lambda prompt, _: GOLD if CLOCK.text in prompt else "Nobody")
    assert [chunk.verdict for chunk in result.chunks] == ["useful", "cannot tell", "cannot tell"]
    assert {change.delta for one in result.chunks[1:] for change in (one.left_out, one.alone)} == {0.0}
    first = result.chunks[0]
    assert (first.left_out.delta, first.alone.delta) == pytest.approx((1.0, 1.0))
    assert (first.left_out.belief.soft, first.alone.belief.soft) == pytest.approx((0.0, 1.0))
    assert (result.without.soft, result.with_passages.soft) == pytest.approx((0.0, 1.0))


def test_a_chunk_that_spoils_what_is_known_by_heart_is_harmful() -> None:
    result, _ = used(lambda prompt, _: "Nobody" if HARBOUR.text in prompt else GOLD)
    assert [chunk.verdict for chunk in result.chunks] == ["cannot tell", "cannot tell", "harmful"]
    assert (result.chunks[2].left_out.delta, result.chunks[2].alone.delta) == pytest.approx((-1.0, -1.0))


def test_a_chunk_with_a_twin_shows_nothing_left_out_and_is_still_useful_alone() -> None:
    result, _ = used(lambda prompt, _: GOLD if CLOCK.text in prompt or QUILL.text in prompt else "Nobody")
    first = result.chunks[0]
    assert (first.left_out.effect, first.alone.effect, first.verdict) == ("unclear", "up", "useful")


def test_a_coin_toss_everywhere_cannot_be_told() -> None:
    result, _ = used(lambda prompt, number: GOLD if number % 2 else "Nobody")
    assert [chunk.verdict for chunk in result.chunks] == ["cannot tell"] * 3
    band = result.chunks[0].left_out.interval
    assert band.low < 0 < band.high
    assert band.level == pytest.approx(1 - 0.05 / 6), "six bands hold together at 95%"


def test_belief_over_all_chunks_and_over_none_is_sepers() -> None:
    def speak(request: Request):
        return [(GOLD if request.seed % 3 else "Nobody", -1.0, 0.3)]

    backend = backends(speak)
    asked = case(backend, golds=(GOLD,))
    belief = seper.run(asked, SeperConfig(), backend)
    result = chunk_utility.run(asked, ChunkUtilityConfig(), backend)
    assert (result.without.soft, result.with_passages.soft) == (belief.without.soft, belief.with_passages.soft)
    assert result.with_passages.samples == belief.with_passages.samples
    held = (result.without.interval, result.with_passages.interval)
    assert held == (belief.without.soft_interval, belief.with_passages.soft_interval)
    assert held[0].low < held[0].high and result.belief_resamples == belief.resamples


def test_sepers_own_draws_are_not_made_again() -> None:
    plain = backends(lambda request: GOLD if request.temperature == 0 else [("Nobody", -1.0, 0.3)])
    backend = replace(plain, model=CachedModel(plain.model))
    asked = case(backend, golds=(GOLD,))
    seper.run(asked, SeperConfig(samples=4), backend)
    before = len(plain.model.requests)
    chunk_utility.run(asked, ChunkUtilityConfig(seper=SeperConfig(samples=4)), backend)
    # Three chunks, each left out and alone, of four samples.
    assert len(plain.model.requests) - before == 3 * 2 * 4


def test_of_a_single_chunk_both_comparisons_are_the_whole_contexts() -> None:
    result, backend = used(lambda prompt, _: GOLD if CLOCK.text in prompt else "Nobody", passages=(CLOCK,))
    only = result.chunks[0]
    assert only.verdict == "useful"
    assert (only.left_out.delta, only.alone.delta) == pytest.approx((1.0, 1.0))
    assert len([request for request in backend.model.requests if request.temperature > 0]) == 20
    assert only.left_out.belief == result.without
    assert only.alone.belief == result.with_passages


def test_every_condition_draws_from_seeds_of_its_own() -> None:
    _, backend = used(lambda prompt, _: GOLD)
    seeds = [request.seed for request in backend.model.requests if request.temperature > 0]
    assert len(seeds) == len(set(seeds)) == (2 * 3 + 2) * 10


def test_the_paper_averages_over_golds_and_the_code_takes_the_best() -> None:
    golds = (GOLD, "Somebody else")
    code, _ = used(lambda prompt, _: GOLD, golds=golds)
    paper, _ = used(lambda prompt, _: GOLD, golds=golds, seper=SeperConfig(variant="paper"))
    assert (code.with_passages.soft, paper.with_passages.soft) == pytest.approx((1.0, 0.5))
    assert (code.variant, paper.variant) == ("code", "paper")


def test_without_a_gold_answer_or_passages_it_is_not_measured() -> None:
    with pytest.raises(NotMeasured, match="needs a correct answer"):
        used(lambda prompt, _: GOLD, golds=())
    with pytest.raises(NotMeasured, match="there are none"):
        used(lambda prompt, _: GOLD, passages=())


def test_settings_that_cannot_be_used_are_a_sentence() -> None:
    with pytest.raises(InputError, match=r"margin .* 0"):
        used(lambda prompt, _: GOLD, margin=0)


def test_progress_counts_the_passages_under_its_own_name() -> None:
    events = Events()
    backend = backends(lambda request: GOLD if request.temperature == 0 else [(GOLD, -1.0, 0.3)], report=events)
    chunk_utility.run(case(backend, golds=(GOLD,)), ChunkUtilityConfig(), backend)
    stages = [event for event in events.seen if isinstance(event, Stage)]
    assert {stage.method for stage in stages} == {"chunk_utility", "entailment"}
    assert [stage.done for stage in stages if stage.name == "trying each passage"] == [0, 1, 2]
    # As a reader calls them; the seeds come from other words, which stay: samples of older runs are found again.
    told = [stage.name for stage in stages if stage.name.startswith("sampling")]
    assert told[2:4] == ["sampling answers without passage 1", "sampling answers over passage 1 alone"]
    seeds = {request.seed for request in backend.model.requests if request.temperature}
    assert derive_seed(0, "seper", "without chunk 1 of the", 0) in seeds


def test_the_numbers_of_the_page_are_those_its_verdicts_rest_on() -> None:
    """Passage 4 is clear alone only: the card said that it helps alone, beside its unclear change among the others."""
    result = samples.chunk_utility()
    helpful = replace(result.chunks[3], alone=samples.change(0.9, 0.4, 1.0, "up", 0.9), verdict="useful")
    changed = replace(result, chunks=(*result.chunks[:3], helpful))
    assert chunk_utility.headlines(changed) == (
        "chunks.0.left_out.delta",
        "chunks.1.left_out.delta",
        "chunks.2.left_out.delta",
        "chunks.3.alone.delta",
        "with_passages.soft",
    )
