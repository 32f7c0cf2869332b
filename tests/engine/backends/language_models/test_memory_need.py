"""Memory: counted before a model is opened, batches bounded by it, and halved where it runs out."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import engine.runs.run as road
from engine.backends import devices
from engine.backends.devices import free_main_memory, is_short_of_memory
from engine.backends.entailment.cross_encoder import CrossEncoderJudge
from engine.backends.entailment.embedded_judge import EmbeddedJudge
from engine.backends.entailment.scripted import ScriptedJudge
from engine.backends.language_models.base import Request
from engine.backends.language_models.decoder import padded_batch, shared_batch
from engine.backends.language_models.memory_need import (
    memory_of_batch,
    numbers_in,
    opening_words,
    row_bytes,
    rows_that_fit,
    weights_bytes,
)
from engine.backends.language_models.transformers_model import TransformersModel, open_folder
from engine.backends.retrieval.embedders import MiniLM
from engine.core.errors import ModelError
from engine.core.progress import BatchHalved, Event, heard_by, silent, tell
from engine.core.records import Prompt
from engine.diagnosis.request import DiagnosisRequest
from engine.runs.run import MemoryWatch
from tests.engine.backends.language_models.tiny_models import LEAN, built
from tests.engine.catalogue.scripted_run import GOLDS, PASSAGES, odds, scripted_road
from tests.engine.runs.models.tiny_folder import byte_tokenizer, tiny_gpt2
from tests.pages.page_fixtures import whole_diagnosis

SHORT = RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes.")
ASKED = tuple(Request(prompt=Prompt(text=f"Who {n}?"), max_tokens=6, temperature=1.0, seed=n) for n in range(10))


def opened(kind: str, tmp_path: Path) -> TransformersModel:
    """Return a tiny model: GPT-2 through transformers, or a Llama through our own decoder."""
    if kind == "GPT-2":
        return open_folder(tiny_gpt2(tmp_path), "tiny", "float32")
    model = built(LEAN["Llama"])
    return TransformersModel(model, byte_tokenizer(), name="tiny", revision="r")


@pytest.mark.parametrize(("kind", "batches"), [("GPT-2", padded_batch), ("Llama", shared_batch)])
def test_a_batch_that_runs_out_of_memory_is_halved_says_so_and_writes_the_same(
    kind: str, batches: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = opened(kind, tmp_path).generate(ASKED, silent)
    model, sizes, events = opened(kind, tmp_path), list[int](), list[Event]()
    decode = batches.decode  # type: ignore[attr-defined]

    def crowded(*args: object) -> None:
        rows = args[-2]
        sizes.append(len(rows))  # type: ignore[arg-type]
        if len(rows) > 3:  # type: ignore[arg-type]
            rows[0].steps.append("half written")  # type: ignore[index]
            raise SHORT
        decode(*args)

    monkeypatch.setattr(batches, "decode", crowded)
    found = model.generate(ASKED, events.append)
    assert [one.text for one in found] == [one.text for one in whole]
    assert sizes == [10, 5, 2, 2, 2, 2, 2]  # ten do not fit, nor do five
    halved = [event for event in events if isinstance(event, BatchHalved)]
    assert [(event.model, event.rows) for event in halved] == [("tiny", 5), ("tiny", 2)]


def test_one_text_that_does_not_fit_alone_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = opened("GPT-2", tmp_path)

    def full(*_: object) -> None:
        raise SHORT

    monkeypatch.setattr(padded_batch, "decode", full)
    with pytest.raises(ModelError, match="tiny"):
        model.generate(ASKED[:2], silent)


def test_the_run_says_where_memory_ran_out() -> None:
    watch = MemoryWatch(silent)
    watch(BatchHalved(model="tiny", rows=5))
    watch(BatchHalved(model="tiny", rows=2))
    before = whole_diagnosis()
    after = watch.noted(before)
    assert before.provenance.memory_note == "" and "at most 2 texts" in after.provenance.memory_note
    assert road.ground_of(before) == road.ground_of(after)  # a run that goes on is still the same run


class Crowded:
    """An encoder for which three texts are too many."""

    def encode(self, texts: list[str], batch_size: int, **_: object) -> np.ndarray:
        if min(batch_size, len(texts)) > 2:
            raise SHORT
        return np.array([[len(text)] for text in texts], dtype=np.float32)

    encode_batch = staticmethod(lambda texts: [SimpleNamespace(ids=[0]) for _ in texts])


def test_an_embedder_that_halves_its_batch_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder, events = MiniLM.__new__(MiniLM), list[Event]()
    embedder._model = embedder._counter = Crowded()
    embedder._lock, embedder._at_once, embedder.max_tokens = threading.Lock(), 8, 512
    with heard_by(events.append):
        assert embedder.embed(["a", "bc", "def"])[:, 0].tolist() == [1, 2, 3]
    assert [event.rows for event in events if isinstance(event, BatchHalved)] == [4, 2]


def crowded_batch(sizes: list[int]) -> Callable[..., np.ndarray]:
    """Return a judge's batch that takes two pairs at most, each judged neutral."""

    def batch(left: list[str], right: list[str]) -> np.ndarray:
        sizes.append(len(left))
        if len(left) > 2:
            raise SHORT
        return np.array([[0.0, 1.0, 0.0]] * len(left))

    return batch


def test_judges_that_halve_their_batches_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    events, sizes = list[Event](), list[int]()
    judge = CrossEncoderJudge.__new__(CrossEncoderJudge)
    judge.name, judge._at_once = "tiny", 8
    monkeypatch.setattr(judge, "_batch", crowded_batch(sizes))
    embedded = EmbeddedJudge.__new__(EmbeddedJudge)
    embedded._tokenizer = SimpleNamespace(pad=lambda rows, return_tensors: Held(rows))
    embedded._model = Counting(sizes)
    with heard_by(events.append):
        assert judge._classify("q", ["a"] * 5, ["b"] * 5).shape == (5, 3)
        assert embedded._batch(["row"] * 5).shape == (5, 3)
    told = [(event.rows, event.unit) for event in events if isinstance(event, BatchHalved)]
    assert sizes == [5, 4, 2, 2, 1, 5, 2, 3, 1, 2]
    assert told == [(4, "pairs"), (2, "pairs"), (3, "pairs"), (2, "pairs")]


class Held(dict[str, object]):
    """Inputs of a batch, which stay where they are."""

    def __init__(self, rows: list[str]) -> None:
        super().__init__(rows=rows)

    def to(self, device: object) -> "Held":
        return self


class Counting:
    """An encoder of pairs that notes how many it is given, and takes two at most."""

    device = "cpu"

    def __init__(self, sizes: list[int]) -> None:
        self.sizes = sizes

    def __call__(self, rows: list[str]) -> SimpleNamespace:
        self.sizes.append(len(rows))
        if len(rows) > 2:
            raise SHORT
        return SimpleNamespace(logits=torch.zeros(len(rows), 3))


def test_a_run_whose_judge_ran_out_of_memory_says_so_in_its_record(monkeypatch: pytest.MonkeyPatch) -> None:
    class Short(ScriptedJudge):
        def entailment(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
            tell(BatchHalved(model="the embedded judge", rows=3, unit="pairs"))
            return super().entailment(question, premises, hypotheses)

    # The inner patch ends first: undone after the outer one, it would put that one's judge back for good.
    with scripted_road(), monkeypatch.context() as patch:
        patch.setattr(road, "load_judge", lambda name, model, device: Short(odds))
        found = road.run_request(DiagnosisRequest(question="Who?", passages=PASSAGES, golds=GOLDS, methods=("seper",)))
    assert "the embedded judge: at most 3 pairs" in found.provenance.memory_note
    tell(BatchHalved(model="nobody hears it", rows=1))  # outside a run


def test_weights_are_counted_from_their_header(tmp_path: Path) -> None:
    folder = tiny_gpt2(tmp_path)
    (file,) = folder.glob("*.safetensors")
    assert numbers_in(file) == 50_080
    assert (weights_bytes(folder, "float32"), weights_bytes(folder, "bfloat16")) == (200_320, 100_160)
    file.write_bytes(b"\xff" * 100)
    assert numbers_in(file) == 0


def test_texts_of_a_batch_fit_into_free_memory_by_their_longest() -> None:
    config = SimpleNamespace(
        num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, hidden_size=32, vocab_size=100
    )
    # 2 x 2 layers x 2 heads x 8 numbers x 4 bytes a token, and 4 x 100 logits of 4 bytes.
    assert row_bytes(config, "float32", 10) == 2 * 2 * 2 * 8 * 4 * 10 + 1600
    one = row_bytes(config, "float32", 10)
    assert rows_that_fit(config, "float32", [10] * 8, int(3 * one / 0.6) + 1) == 3
    assert rows_that_fit(config, "float32", [10, 10, 1000], int(3 * one / 0.6) + 1) == 2
    assert rows_that_fit(config, "float32", [10] * 8, 1) == 1
    assert rows_that_fit(config, "float32", [10] * 8, None) == 8
    # Without padding the long one takes its own room only, wherever it stands.
    long = row_bytes(config, "float32", 1000)
    free = int((2 * one + long) / 0.6) + 1
    assert rows_that_fit(config, "float32", [1000, 10, 10, 10], free, padded=False) == 3
    assert rows_that_fit(config, "float32", [1000, 10, 10, 10], free) == 1


def test_a_batch_takes_2_gb_of_main_memory_at_most_and_all_of_a_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    free: dict[str, int | None] = {"cpu": 24 * 10**9, "cuda": 80 * 10**9}
    monkeypatch.setattr("engine.backends.language_models.memory_need.free_memory", lambda device: free[device])
    assert (memory_of_batch("cpu"), memory_of_batch("cuda")) == (2 * 10**9, 80 * 10**9)
    free["cpu"] = 10**9
    assert memory_of_batch("cpu") == 10**9
    free["cpu"] = None
    assert memory_of_batch("cpu") is None


def test_a_gpu_that_is_too_small_is_refused_before_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.backends.language_models.memory_need.free_memory", lambda device: 2 * 10**9)
    assert "1.0 GB" in opening_words("m", 10**9, "cuda") and "2.0 GB" in opening_words("m", 10**9, "cpu")
    assert opening_words("m", 3 * 10**9, "cpu") != ""  # weights on a disk need not all be in memory
    with pytest.raises(ModelError, match=r"3\.0 GB"):
        opening_words("m", 3 * 10**9, "cuda")


def test_free_memory_is_the_smaller_of_machine_and_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = tmp_path / "meminfo"
    facts.write_text("MemTotal: 100 kB\nMemAvailable:   50 kB\n")
    monkeypatch.setattr(devices, "MEMORY_FACTS", facts)
    monkeypatch.setattr(devices, "GROUP", tmp_path)
    assert free_main_memory() == 50 * 1024
    (tmp_path / "memory.current").write_text("1000\n")
    for limit, free in (("max\n", 51_200), ("11000\n", 10_000)):
        (tmp_path / "memory.max").write_text(limit)
        assert free_main_memory() == free
    assert is_short_of_memory(torch.OutOfMemoryError("CUDA out of memory.")) and not is_short_of_memory(KeyError("x"))
