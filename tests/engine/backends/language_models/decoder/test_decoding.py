"""Choosing the next token from logits: the signals that are kept with it, and logits that are no distribution."""

import math

import pytest
import torch

from engine.backends.language_models.decoder.decoding import Row, choose, draw
from engine.core.errors import ModelError


def row(temperature: float = 0.0, seed: int = 0) -> Row:
    """Return a row that has written nothing yet."""
    return Row(ids=(1,), max_tokens=4, temperature=temperature, seed=seed, ended=lambda ids: False)


def test_two_equal_logits_have_entropy_ln_2_and_a_forbidden_token_adds_nothing() -> None:
    (step,) = choose(torch.tensor([[0.0, 0.0, -math.inf]]), [row()])
    assert step.id == 0
    assert step.logprob == pytest.approx(-math.log(2))
    assert step.entropy == pytest.approx(math.log(2))


@pytest.mark.parametrize(
    "bad", [[math.nan, 0.0], [math.inf, 0.0], [-math.inf, -math.inf]], ids=["NaN", "infinite", "all forbidden"]
)
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_logits_that_are_no_distribution_are_a_sentence_and_never_an_entropy_of_0(
    bad: list[float], temperature: float
) -> None:
    with pytest.raises(ModelError, match="no distribution"):
        choose(torch.tensor([[1.0, 2.0], bad]), [row(temperature), row(temperature)])


def test_a_draw_does_not_depend_on_the_rows_beside_it() -> None:
    logits = torch.linspace(-1.0, 1.0, 50).expand(3, -1)
    alone = choose(logits[:1], [row(1.0, seed=7)])[0].id
    crowd = choose(logits, [row(1.0, seed=3), row(1.0, seed=7), row(1.0, seed=5)])
    assert crowd[1].id == alone


def test_draws_over_blocks_of_a_vocabulary_are_those_of_its_cumulative_sum() -> None:
    for vocabulary in [255, 256, 257]:
        probabilities = torch.softmax(torch.linspace(-2, 2, vocabulary), dim=0).expand(5, -1)
        uniforms = torch.tensor([0.0, 0.1, 0.5, 0.9, 0.999999], dtype=torch.double)
        sums = probabilities[0].double().cumsum(0)
        expected = torch.searchsorted(sums, uniforms * sums[-1], right=True)
        assert draw(probabilities.contiguous(), uniforms).tolist() == expected.tolist()
