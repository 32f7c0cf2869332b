"""What a training must not forget: the pull to the model before, and which answers a step reads."""

from math import log

import pytest
import torch

from engine.core.records import Prompt
from training.packing import packed
from training.replay import Replay, kl_per_token, replayed


class Words:
    """A tokenizer of one number a word."""

    eos_token_id = 0

    def __call__(self, text: str, add_special_tokens: bool) -> dict[str, list[int]]:
        """Return the length of each word."""
        return {"input_ids": [len(word) for word in text.split()]}


def test_the_pull_is_the_mean_divergence_a_token_by_hand() -> None:
    before = torch.tensor([[log(0.5), log(0.5)], [log(0.9), log(0.1)]])
    now = torch.tensor([[log(0.8), log(0.2)], [log(0.9), log(0.1)]])
    first = 0.5 * log(0.5 / 0.8) + 0.5 * log(0.5 / 0.2)
    assert float(kl_per_token(before, now)) == pytest.approx(first / 2)
    assert float(kl_per_token(before, before)) == 0


def test_an_answer_of_next_to_nothing_is_not_replayed_and_each_ends_with_the_end_token() -> None:
    prompt = Prompt(text="Question: who rebuilt it?", chat=False)
    packs = replayed(Words(), [(prompt, "Lyra Quill rebuilt it."), (prompt, "Oslo.")])
    assert packs == (packed([([9, 3, 7, 3], [4, 5, 7, 3, 0])]),)


def test_a_step_reads_the_same_few_answers_whenever_it_is_asked() -> None:
    packs = tuple(packed([([1, 2], [at, 0])]) for at in range(20))
    replay = Replay(before=None, packs=packs, few=3, seed=1)
    first, again, other = replay.batch(7, 0), replay.batch(7, 0), replay.batch(8, 0)
    assert first.ids.shape[0] == 3 and torch.equal(first.ids, again.ids) and not torch.equal(first.ids, other.ids)
    assert Replay(before=None, packs=packs[:2], few=3, seed=1).batch(1, 0).ids.shape[0] == 2
