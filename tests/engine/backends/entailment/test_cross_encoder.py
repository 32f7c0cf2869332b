"""Any NLI classifier: its label order is read, its limits are kept, and what is no judge says so."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

from engine.backends.call_cache import CallCache
from engine.backends.entailment import load_judge
from engine.backends.entailment.cached import kept_judge
from engine.backends.entailment.cross_encoder import label_columns, load_cross_encoder
from engine.backends.entailment.matrix import judge_pairs
from engine.core.errors import ModelError
from engine.core.progress import silent

ODD = {0: "Entailment", 1: "CONTRADICTION", 2: "neutral"}
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "where", "?", "paris", "lyon", "france", ","]


def tiny_judge(folder: Path, labels: dict[int, str], safe: bool = True) -> Path:
    folder.mkdir()
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=24,
        id2label=labels,
        label2id={label: column for column, label in labels.items()},
        initializer_range=1.0,
    )
    model = BertForSequenceClassification(config).eval()
    if safe:
        model.save_pretrained(folder)
    else:
        config.save_pretrained(folder)
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY))
    BertTokenizer(str(folder / "vocab.txt"), model_max_length=24).save_pretrained(folder)
    return folder


def test_columns_follow_the_labels_of_the_model_in_any_case_and_order() -> None:
    assert label_columns("m", ODD) == [1, 2, 0]
    assert label_columns("m", {0: "contradiction", 1: "neutral", 2: "entailment"}) == [0, 1, 2]


def test_probabilities_come_in_our_order_from_question_and_answer_on_both_sides(tmp_path: Path) -> None:
    folder = tiny_judge(tmp_path / "odd", ODD)
    rows = load_judge(str(folder)).entailment("where", ["paris", ""], ["lyon , france", "lyon"])
    model = BertForSequenceClassification.from_pretrained(folder).eval()
    inputs = BertTokenizer.from_pretrained(folder)("where? paris", "where? lyon , france", return_tensors="pt")
    with torch.inference_mode():
        entailment, contradiction, neutral = torch.softmax(model(**inputs).logits[0], dim=-1).tolist()
    assert rows[0] == pytest.approx([contradiction, neutral, entailment], abs=1e-6)
    assert rows[1].tolist() == [0.0, 1.0, 0.0]


def test_a_batch_gives_what_single_pairs_give(tmp_path: Path) -> None:
    judge = load_judge(str(tiny_judge(tmp_path / "odd", ODD)))
    premises = ["paris", "lyon , france", "france"] * 15
    hypotheses = ["lyon", "paris", "paris , france"] * 15
    together = judge.entailment("where?", premises, hypotheses)
    alone = judge.entailment("where?", premises[:1], hypotheses[:1])
    assert together.shape == (45, 3)
    assert together.sum(axis=1) == pytest.approx(1.0)
    assert np.abs(together[0] - alone[0]).max() < 1e-6


def test_a_judge_that_ran_out_of_memory_judges_on_in_smaller_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = load_cross_encoder(tiny_judge(tmp_path / "odd", ODD))
    judge, sizes, batch = kept_judge(CallCache(tmp_path / "c.sqlite"), "j", lambda: inner), [], inner._batch

    def small_only(left: Sequence[str], right: Sequence[str]) -> np.ndarray:
        sizes.append(len(left))
        if len(left) > 4:
            raise MemoryError
        return batch(left, right)

    monkeypatch.setattr(inner, "_batch", small_only)
    texts = ["paris", "lyon", "france", "paris , france", "lyon , france", "where", "paris , lyon", "where ?"]
    first = judge.entailment("where", texts, texts[1:] + texts[:1])
    again = judge.entailment("where", texts[:2], texts[2:4])
    assert (first.shape, again.shape) == ((8, 3), (2, 3))
    assert sizes == [8, 4, 4, 2]


def test_a_pair_longer_than_the_model_reads_raises_instead_of_being_cut(tmp_path: Path) -> None:
    judge = load_judge(str(tiny_judge(tmp_path / "odd", ODD)))
    with pytest.raises(ModelError, match=r"27.*24"):
        judge.entailment("where?", ["paris " * 10], ["lyon " * 10])


def test_labels_that_are_not_those_of_entailment_are_refused(tmp_path: Path) -> None:
    folder = tiny_judge(tmp_path / "mood", {0: "positive", 1: "negative", 2: "mixed"})
    with pytest.raises(ModelError, match="positive, negative, mixed"):
        load_judge(str(folder))


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="safetensors"):
        load_judge(str(tiny_judge(tmp_path / "pickled", ODD, safe=False)))


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"config\.json"):
        load_judge(str(tmp_path))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="classifier"):
        load_judge(str(tmp_path))


def test_a_name_that_is_not_on_this_machine_is_refused_and_no_hub_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def no_network(*place: object, **_named: object) -> None:
        asked.append(place)
        raise OSError("no network")

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr("socket.getaddrinfo", no_network)
    for name in ("nobody/no-such-judge", "embeded"):
        with pytest.raises(ModelError, match=f"{name} is neither a folder nor in the hub's local cache"):
            load_judge(name)
    assert not asked


def test_a_name_in_the_hubs_local_cache_is_read_from_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "hub" / "models--some--judge"
    (kept / "snapshots").mkdir(parents=True)
    tiny_judge(kept / "snapshots" / ("a" * 40), ODD)
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text("a" * 40)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    judge = load_judge("some/judge")
    assert judge.name == "some/judge"
    assert judge.entailment("where", ["paris"], ["lyon"]).shape == (1, 3)


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(ModelError, match="no name"):
        load_judge(" ")


def test_code_in_a_judges_folder_is_never_run(tmp_path: Path) -> None:
    folder, ran = tiny_judge(tmp_path / "hostile", ODD), tmp_path / "ran"
    (folder / "hostile.py").write_text(f"open({str(ran)!r}, 'w').write('!')\nclass C: pass\nclass M: pass\n")
    remote = {"AutoConfig": "hostile.C", "AutoModelForSequenceClassification": "hostile.M"}
    (folder / "config.json").write_text(json.dumps({"model_type": "hostile", "auto_map": remote}))
    with pytest.raises(ModelError, match="code of its own"):
        load_judge(str(folder))
    assert not ran.exists()


def test_weights_that_are_nan_are_a_sentence_when_a_method_judges(tmp_path: Path) -> None:
    judge = load_cross_encoder(tiny_judge(tmp_path / "spoilt", ODD))
    torch.nn.init.constant_(judge._model.classifier.bias, float("nan"))
    with pytest.raises(ModelError, match=r"\[nan, nan, nan\]"):
        judge_pairs(judge, "where?", ["paris", "lyon"], silent)
