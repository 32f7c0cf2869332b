"""Quick reading: what is read, what is copied, what is kept, and where the result is that of full reading."""

import pytest
import torch

from engine.backends.language_models.decoder.decoding import Kept, Row, sharing, stored_tokens
from engine.backends.language_models.decoder.kept_reading import Places, places_of, read_with_kept, turned
from engine.backends.language_models.decoder.key_values import KnownPrompts, prefill
from engine.backends.language_models.decoder.llama import llama_weights
from engine.backends.language_models.decoder.shared_batch import decode
from engine.core.errors import Cancelled
from engine.core.progress import Event, silent
from tests.engine.backends.language_models.tiny_models import LEAN, built

BEGIN, MIDDLE, END, QUESTION = tuple(range(10, 30)), tuple(range(30, 40)), tuple(range(40, 55)), (60, 61, 62)
BASE = (*BEGIN, *MIDDLE, *END, *QUESTION)
CHANGES = {"longer": (70, 71, *MIDDLE, 72), "shorter": MIDDLE[2:5], "left out": (), "as long": (70,) * 10}


@pytest.fixture(scope="module", params=["Llama", "Llama 3 positions"])
def llama(request):
    """Return a small Llama's weights, with plain and with stretched positions."""
    return llama_weights(built(LEAN[request.param]))


def row(ids: tuple[int, ...], kept: Kept | None = None) -> Row:
    """Return a row that writes two tokens."""
    return Row(ids=ids, max_tokens=2, temperature=0.0, seed=0, ended=lambda ids: False, kept=kept)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("longer", Places(first=20, end=33, tail=48, shift=-3)),
        ("shorter", Places(first=20, end=23, tail=38, shift=7)),
        ("left out", Places(first=20, end=20, tail=35, shift=10)),
        ("as long", Places(first=20, end=30, tail=45, shift=0)),
    ],
)
def test_a_change_lies_between_what_both_texts_begin_and_end_with(change: str, found: Places) -> None:
    assert places_of(BASE, (*BEGIN, *CHANGES[change], *END, *QUESTION), tail=3) == found


def test_a_change_near_the_end_keeps_nothing_and_the_same_text_reads_its_end() -> None:
    assert places_of((1, 2, 3, 4), (1, 2, 9, 4), tail=3) == Places(first=1, end=1, tail=1, shift=0)
    assert places_of((1, 2, 3, 4), (1, 2, 3, 4), tail=0) == Places(first=3, end=3, tail=3, shift=0)
    # "1 1" could be found twice in "1 1 1": the beginning takes it, and the end takes what is left.
    assert places_of((1, 1, 2), (1, 1, 1, 2), tail=1) == Places(first=2, end=3, tail=3, shift=-1)


def test_keys_turned_by_n_places_are_those_of_n_places_further(llama) -> None:
    (here,) = prefill(llama, KnownPrompts(), [(5,)], silent)
    (there,) = prefill(llama, KnownPrompts(), [(*BEGIN, 5)], silent)
    # In the first layer a key depends on its token and place only.
    moved = turned(llama, here.states[:1, 0], len(BEGIN))
    assert torch.allclose(moved, there.states[:1, 0, :, -1:], atol=1e-5)
    assert torch.allclose(turned(llama, moved, -len(BEGIN)), here.states[:1, 0], atol=1e-5)


@pytest.mark.parametrize("change", CHANGES)
def test_only_what_follows_the_change_differs_from_full_reading(llama, change: str) -> None:
    ids, known = (*BEGIN, *CHANGES[change], *END, *QUESTION), KnownPrompts()
    (quick,) = read_with_kept(llama, known, [row(ids, Kept(ids=BASE, tail=3))], silent)
    (full,) = prefill(llama, KnownPrompts(), [ids], silent)
    changed = len(BEGIN) + len(CHANGES[change])
    assert torch.allclose(quick.states[:, :, :, :changed], full.states[:, :, :, :changed], atol=1e-5)
    assert torch.allclose(quick.states[0], full.states[0], atol=1e-5), "the first layer sees no other token"
    assert not torch.allclose(quick.states[-1], full.states[-1], atol=1e-5)
    assert known.get(ids) is None, "what is not exact is never reused"
    assert (known.computed, known.reused) == (len(BASE) + len(CHANGES[change]) + 3, len(BEGIN) + len(END))


def test_a_change_right_before_the_end_is_read_as_in_full(llama) -> None:
    ids = (*BEGIN, *MIDDLE, 70, 71, *QUESTION)
    (quick,) = read_with_kept(llama, KnownPrompts(), [row(ids, Kept(ids=BASE, tail=3))], silent)
    (full,) = prefill(llama, KnownPrompts(), [ids], silent)
    assert quick.logits.tolist() == pytest.approx(full.logits.tolist(), abs=1e-5)


def test_rows_of_one_prompt_that_is_read_in_two_ways_do_not_share_it(llama) -> None:
    ids = (*BEGIN, *END, *QUESTION)
    rows = [row(ids), row(ids, Kept(ids=BASE, tail=3)), row(ids), row(BASE)]
    assert [len(group) for group in sharing(rows)] == [2, 1, 1]
    assert stored_tokens(rows) == [2 + len(ids), 2 + len(ids), 2, 2 + len(BASE)]
    decode(llama, KnownPrompts(), rows, silent)
    assert [step.id for step in rows[0].steps] == [step.id for step in rows[2].steps]
    assert rows[0].steps[0].logprob == rows[2].steps[0].logprob
    assert rows[0].steps[0].entropy != rows[1].steps[0].entropy


def test_a_reporter_that_raises_ends_it(llama) -> None:
    def stop(event: Event) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        read_with_kept(llama, KnownPrompts(), [row((*BEGIN, *END), Kept(ids=BASE, tail=3))], stop)
