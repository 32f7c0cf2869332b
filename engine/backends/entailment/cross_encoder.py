"""Any NLI classifier that transformers loads, with inputs as in SePer's released code.

Inputs are question-conditioned: ``f"{question} {answer}"`` on both sides, the question ending in "?" (SePer, code,
calculate.py 56-57 and 265). The order of the three labels is read from the model's configuration, never assumed. Only
safetensors weights are read and no code of a model is run.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from engine.backends.devices import Device, is_short_of_memory
from engine.backends.entailment.base import LABELS, with_question_mark, with_rules
from engine.backends.loading import LOADING_ALONE
from engine.core.errors import ModelError
from engine.core.progress import BatchHalved, tell
from engine.core.words import reason_of

PAIRS = 8


class CrossEncoderJudge:
    """An open NLI classifier. Raises ModelError where its labels are not those of NLI."""

    def __init__(self, name: str, model: Any, tokenizer: Any) -> None:
        self.name = name
        self.note = f"Softmax of the NLI classifier {name} over question and answer on both sides."
        self._model = model.eval()
        self._tokenizer = tokenizer
        # What is known of a judge stays as it is; how many pairs fit into memory is its own affair.
        self.pairs_at_once = self._at_once = PAIRS
        self._columns = label_columns(name, model.config.id2label)
        positions = getattr(model.config, "max_position_embeddings", None) or tokenizer.model_max_length
        # A position table may hold rows that are never used (RoBERTa), so the tokenizer's limit counts where lower.
        self._limit = int(min(positions, tokenizer.model_max_length))

    def entailment(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return [n, 3] (contradiction, neutral, entailment); raises ModelError where a pair is too long."""
        return with_rules(
            premises, hypotheses, lambda left, right: self._classify(with_question_mark(question), left, right)
        )

    def _classify(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        rows: list[np.ndarray] = []
        while sum(map(len, rows)) < len(premises):
            first = sum(map(len, rows))
            some = slice(first, first + self._at_once)
            left = [f"{question} {text}" for text in premises[some]]
            right = [f"{question} {text}" for text in hypotheses[some]]
            try:
                rows.append(self._batch(left, right))
            except (RuntimeError, IndexError, MemoryError) as exc:
                if self._at_once == 1 or not is_short_of_memory(exc):
                    raise ModelError(f"The judge {self.name} failed while it was computing: {reason_of(exc)}") from exc
                self._at_once //= 2
                tell(BatchHalved(model=f"the judge {self.name}", rows=self._at_once, unit="pairs"))
        return np.concatenate(rows)

    @torch.inference_mode()
    def _batch(self, left: Sequence[str], right: Sequence[str]) -> np.ndarray:
        inputs = self._tokenizer(list(left), list(right), padding=True, truncation=False, return_tensors="pt")
        length = int(inputs["input_ids"].shape[1])
        if length > self._limit:
            raise ModelError(f"A pair of answers has {length} tokens and {self.name} reads {self._limit}.")
        # In double precision only on the processor: Apple's GPUs have none.
        logits = self._model(**inputs.to(self._model.device)).logits.float().cpu()
        return np.asarray(torch.softmax(logits, dim=-1).double().numpy()[:, self._columns])


def load_cross_encoder(folder: Path, device: Device = "cpu", name: str = "") -> CrossEncoderJudge:
    """Return the judge in a folder, on a device; ``name`` is what it is called, else the folder's. No hub is asked.

    Raises ModelError where it cannot be loaded or is no judge.
    """
    shown = name or folder.name
    if not (folder / "config.json").is_file():
        raise ModelError(f"{shown} is not a model folder: it has no config.json.")
    settings: dict[str, Any] = {"trust_remote_code": False, "local_files_only": True}
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(folder), **settings)
        with LOADING_ALONE:
            model = AutoModelForSequenceClassification.from_pretrained(
                str(folder), use_safetensors=True, dtype=torch.float32, **settings
            ).to(device)
    except Exception as exc:  # transformers raises many kinds, from a missing file to a broken header
        needs_code = "custom code" in str(exc)
        reason = "it needs code of its own, which is never run here." if needs_code else reason_of(exc)
        raise ModelError(
            f"The judge {shown} cannot be loaded as a classifier with safetensors weights: {reason}"
        ) from exc
    return CrossEncoderJudge(shown, model, tokenizer)


def label_columns(name: str, id2label: Mapping[int, str]) -> list[int]:
    """Return the columns of contradiction, neutral and entailment; raises ModelError where the labels are not these.

    >>> label_columns("m", {0: "ENTAILMENT", 1: "neutral", 2: "Contradiction"})
    [2, 1, 0]
    """
    places = {str(label).strip().casefold(): int(column) for column, label in id2label.items()}
    if set(places) != set(LABELS):
        raise ModelError(
            f"{name} is not an entailment judge: its labels are {', '.join(map(str, id2label.values()))}, "
            f"they must be {', '.join(LABELS)}."
        )
    return [places[label] for label in LABELS]
