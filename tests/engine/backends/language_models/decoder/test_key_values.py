"""What prompts share is read once: what is counted, what is kept, and that no number changes by it."""

import numpy as np
import pytest
import torch

from engine.backends.language_models.decoder.key_values import TOKENS_AT_ONCE, KnownPrompts, next_wave, prefill, shared
from engine.backends.language_models.decoder.llama import llama_weights
from engine.core.errors import Cancelled
from engine.core.progress import Event, silent
from tests.engine.backends.language_models.tiny_models import LEAN, built

COMMON = tuple(range(10, 60))


@pytest.fixture(scope="module")
def llama():
    """Return a small Llama's weights."""
    return llama_weights(built(LEAN["Llama"]))


def test_texts_share_what_comes_before_their_first_difference() -> None:
    assert shared(np.array([1, 2, 3]), np.array([1, 2, 4, 5])) == 2
    assert shared(np.array([1, 2]), np.array([1, 2, 4])) == 2
    assert shared(np.array([9]), np.array([1])) == 0


def test_of_two_prompts_with_50_tokens_in_common_the_50_are_read_once(llama) -> None:
    known = KnownPrompts()
    prefill(llama, known, [(*COMMON, 1, 2), (*COMMON, 3, 4, 5)], silent)
    assert (known.computed, known.reused) == (55, 50)


def test_a_prompt_that_is_known_whole_costs_nothing(llama) -> None:
    known = KnownPrompts()
    (first,) = prefill(llama, known, [COMMON], silent)
    (again,) = prefill(llama, known, [COMMON], silent)
    assert again is first
    assert (known.computed, known.reused) == (50, 50)


def test_what_was_read_for_another_run_is_read_anew(llama) -> None:
    known = KnownPrompts()
    for run, read, copied in (("a", 50, 0), ("a", 50, 50), ("b", 100, 50), ("a", 150, 50)):
        known.keep_for(run)
        prefill(llama, known, [COMMON], silent)
        assert (known.computed, known.reused) == (read, copied)


def test_shared_beginnings_change_no_logit_by_more_than_1e_5(llama) -> None:
    prompts = [(*COMMON, 1, 2), (*COMMON[:30], 7), (*COMMON, 3, 4, 5), (*COMMON, 3, 4, 6), (8,)]
    alone = [prefill(llama, KnownPrompts(), [ids], silent)[0] for ids in prompts]
    together = prefill(llama, KnownPrompts(), prompts, silent)
    for one, other, ids in zip(alone, together, prompts, strict=True):
        assert other.ids == ids
        assert other.logits.tolist() == pytest.approx(one.logits.tolist(), abs=1e-5)
        assert torch.allclose(one.states, other.states, atol=1e-5)


def test_a_prompt_waits_only_for_one_it_shares_more_with_than_with_what_is_known(llama) -> None:
    first, second, third = (1, *COMMON, 2), (1, *COMMON, 3), (90, *COMMON)
    assert next_wave([first, second, third], KnownPrompts()) == ([first, third], [second])
    known = KnownPrompts()
    prefill(llama, known, [(1, *COMMON, 4)], silent)
    assert next_wave([first, second, third], known) == ([first, second, third], [])


def test_what_was_used_longest_ago_makes_room(llama) -> None:
    one_prompt = 3 * 2 * 2 * 50 * 8 * 4  # layers, keys and values, heads, tokens, size, bytes of a float
    known = KnownPrompts(most_bytes=2 * one_prompt)
    a, b, c = (tuple(range(start, start + 50)) for start in (0, 100, 200))
    prefill(llama, known, [a], silent)
    prefill(llama, known, [b], silent)
    prefill(llama, known, [a], silent)
    prefill(llama, known, [c], silent)
    assert known.get(b) is None
    assert known.get(a) is not None
    assert known.get(c) is not None


def test_the_prompt_of_most_use_makes_room_last(llama) -> None:
    one_prompt = 3 * 2 * 2 * 50 * 8 * 4  # layers, keys and values, heads, tokens, size, bytes of a float
    known = KnownPrompts(most_bytes=3 * one_prompt)
    answer = tuple(range(50))
    prefill(llama, known, [answer], silent)
    for change in range(5):  # five contexts that share all but their last ten tokens with the answer's
        prefill(llama, known, [(*answer[:40], *range(100 + 10 * change, 110 + 10 * change))], silent)
    assert known.computed == 50 + 5 * 10
    prefill(llama, known, [answer], silent)
    assert known.computed == 100, "it is still known"


def test_a_prompt_too_large_to_keep_beside_others_is_still_read(llama) -> None:
    known = KnownPrompts(most_bytes=1)
    prompts = [COMMON, tuple(reversed(COMMON))]
    assert [read.ids for read in prefill(llama, known, prompts, silent)] == prompts


def test_a_long_prompt_is_read_in_parts_between_which_it_can_be_stopped(llama) -> None:
    long = tuple(np.arange(TOKENS_AT_ONCE * 2 + 10) % 290)
    heard = []

    def stop_at_second(event: Event) -> None:
        heard.append(event)
        if len(heard) == 2:
            raise Cancelled("stop")

    with pytest.raises(Cancelled):
        prefill(llama, KnownPrompts(), [long], stop_at_second)
    (whole,) = prefill(llama, KnownPrompts(), [long], silent)
    model = built(LEAN["Llama"])
    with torch.inference_mode():
        theirs = model(input_ids=torch.tensor([long])).logits[0, -1]
    assert whole.logits.tolist() == pytest.approx(theirs.tolist(), abs=1e-4)
