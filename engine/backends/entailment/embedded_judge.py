"""The judge that comes with the program: a cross-encoder on MiniLM, trained on people's judgements of answers.

Inputs are question-conditioned, ``f"{question} {answer}"`` on both sides with the question ending in "?", as SePer's
released code does it (calculate.py 56-57 and 265). Premise is the candidate, hypothesis the answer it is compared with.
Detail that the question did not ask for leaves entailment intact in both directions, a wrong answer contradicts, an
abstention is neutral. What short answers say by their form needs no encoder (``rules.decided``): equal words, yes and
no, the question repeated, amounts and times as intervals, denials, hedges, things left open, kin, names, lists, roles;
nor does a short sentence that names another answer in the place that is asked for, or elsewhere (``focus.py``). The
three logits go through a last layer together with what words alone say (``evidence.py``), fitted on answers the encoder
was not trained on; a guard keeps answers without a word in common apart. ``weights/README.md`` is the model card: what
it was trained on, how well it does, and how far its probabilities hold.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification
from transformers.utils import logging

from engine.backends.devices import Device, is_short_of_memory
from engine.backends.entailment.answer_kinds import with_neutral
from engine.backends.entailment.answers import with_digits, words
from engine.backends.entailment.base import ENTAILMENT, LABELS, with_question_mark, with_rules
from engine.backends.entailment.evidence import INPUTS, capped_entailment, last_layer_inputs, word_numbers
from engine.backends.entailment.focus import by_focus
from engine.backends.entailment.numeric_dates import with_dates
from engine.backends.entailment.rules import BY_WORDING, Probabilities, decided
from engine.backends.number_types import NumberType, number_type
from engine.backends.retrieval.embedders import PACKAGE, minilm_folder
from engine.core.errors import ModelError
from engine.core.folders import file_hash
from engine.core.libraries import OPENING
from engine.core.progress import BatchHalved, tell

logging.disable_progress_bar()  # a trace asks the judge before any model: its bar would stand in the answer

WEIGHTS = Path(__file__).parent / "weights" / "judge.safetensors"
LAST_WEIGHT, LAST_BIAS = "last_layer.weight", "last_layer.bias"
BATCH = 32
# Of a longer question the judge reads the beginning and the end; an answer is never cut.
QUESTION_TOKENS = 96
SEPARATORS, SHORTEST_PIECE = 8, 32


class EmbeddedJudge:
    """The trained cross-encoder; deterministic. In float32 a batch moves nothing by more than 1e-5.

    ``last_layer`` is its weight [3, 32] and bias [3], ``revision`` the digest of the weights.
    """

    name = "embedded"
    pairs_at_once = BATCH

    def __init__(
        self, model: Any, tokenizer: Any, last_layer: tuple[np.ndarray, np.ndarray], revision: str, dtype: NumberType
    ) -> None:
        self.note = (
            "Cross-encoder on all-MiniLM-L6-v2, trained on people's judgements of answers to Natural Questions "
            f"(EVOUNA) and on pairs made from them, with the words in common; calibrated; weights {revision}, {dtype}. "
            "Equal words, yes and no, the question said back, amounts and times in digits or words, denials, hedges, "
            "alternatives, kin, names, lists and the asked place in a short sentence are judged by rule."
        )
        self._model = model.to(getattr(torch, dtype)).eval()
        self._tokenizer = tokenizer
        self._weight, self._bias = last_layer
        self._limit = int(model.config.max_position_embeddings)

    def entailment(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        """Return [n, 3] (contradiction, neutral, entailment); raises ModelError where two answers are too long.

        A pair that occurs twice is judged once; pairs are read in batches of about one length.
        """

        def judged(left: Sequence[str], right: Sequence[str]) -> np.ndarray:
            return self._judged(question, left, right)

        return with_rules(premises, hypotheses, lambda left, right: with_dates(left, right, judged))

    def _judged(self, question: str, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        pairs = list(zip(premises, hypotheses, strict=True))
        verdicts = {
            pair: verdict for pair in dict.fromkeys(pairs) if (verdict := without_encoder(question, *pair)) is not None
        }
        rest = [pair for pair in dict.fromkeys(pairs) if pair not in verdicts]
        if rest:
            numbers = word_numbers(question, rest)
            scores = last_layer_inputs(numbers, self.logits(question, rest)) @ self._weight.T + self._bias
            odds = np.exp(scores - scores.max(axis=1, keepdims=True))
            judged = capped_entailment(odds / odds.sum(axis=1, keepdims=True), numbers, rest)
            judged = with_neutral(judged, question, rest)
            verdicts.update(zip(rest, map(tuple, judged), strict=True))
        return np.array([verdicts[pair] for pair in pairs])

    def logits(self, question: str, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        """Return [n, 3], what the cross-encoder alone says of each pair, at the piece of a long answer that says most.

        Raises ModelError where both answers of a pair are too long to be read together.
        """
        shown = self._shortened(with_question_mark(question))
        read = [(with_digits(one), with_digits(other)) for one, other in pairs]
        pieces = [(place, piece) for place, pair in enumerate(read) for piece in self._pieces(shown, *pair)]
        encoded = [self._tokenizer(f"{shown} {one}", f"{shown} {other}") for _, (one, other) in pieces]
        scores = np.zeros((len(pieces), 3), dtype=np.float64)
        for chosen in batches([len(row["input_ids"]) for row in encoded]):
            scores[chosen] = self._batch([encoded[place] for place in chosen])
        rows = np.full((len(pairs), 3), -np.inf)
        for (place, _), row in zip(pieces, scores, strict=True):
            if margin(row) > margin(rows[place]):
                rows[place] = row
        return rows

    def _pieces(self, question: str, one: str, other: str) -> list[tuple[str, str]]:
        """Return the pair, or where it is longer than the encoder reads, pieces of its longer answer with the other."""
        lengths = [len(spans) for spans in map(self._spans, (question, one, other))]
        room = self._limit - SEPARATORS - 2 * lengths[0]
        if lengths[1] + lengths[2] <= room:
            return [(one, other)]
        size = room - min(lengths[1:])
        if size < SHORTEST_PIECE:
            raise ModelError(
                f"Two answers of {lengths[1]} and {lengths[2]} tokens are too long for one another. "
                f"Beside the question the MiniLM judge reads {room} tokens of both."
            )
        if lengths[1] >= lengths[2]:
            return [(piece, other) for piece in self._windows(one, size)]
        return [(one, piece) for piece in self._windows(other, size)]

    def _windows(self, text: str, size: int) -> list[str]:
        """Return pieces of at most ``size`` tokens, each half over the one before."""
        spans = self._spans(text)
        starts = range(0, max(1, len(spans) - size // 2), max(1, size // 2))
        return [text[spans[start][0] : spans[min(start + size, len(spans)) - 1][1]] for start in starts]

    def _spans(self, text: str) -> list[tuple[int, int]]:
        encoded = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        return list(encoded["offset_mapping"])

    def _batch(self, encoded: Sequence[Any]) -> np.ndarray:
        inputs = self._tokenizer.pad(list(encoded), return_tensors="pt").to(self._model.device)
        try:
            with torch.inference_mode():
                # In double precision only on the processor: Apple's GPUs have none.
                return np.asarray(self._model(**inputs).logits.cpu().double().numpy())
        except (RuntimeError, MemoryError) as exc:
            if len(encoded) == 1 or not is_short_of_memory(exc):
                raise ModelError(f"The MiniLM judge failed while it was computing: {exc}") from exc
        # Outside, where the failed pass is no longer held by its error.
        half = len(encoded) // 2
        tell(BatchHalved(model="the MiniLM judge", rows=len(encoded) - half, unit="pairs"))
        return np.concatenate([self._batch(encoded[:half]), self._batch(encoded[half:])])

    def _shortened(self, question: str) -> str:
        """Return the question, or its beginning and end where it is longer than the judge reads."""
        spans = self._spans(question)
        if len(spans) <= QUESTION_TOKENS:
            return question
        half = QUESTION_TOKENS // 2
        return f"{question[: spans[half - 1][1]]} … {question[spans[-half][0] :]}"


def without_encoder(question: str, premise: str, hypothesis: str) -> Probabilities | None:
    """Return the verdict where form, wording or the place in a short sentence decides, None elsewhere."""
    verdict = decided(premise, hypothesis, words(question))
    return verdict if verdict is not None else BY_WORDING.get(by_focus(question, premise, hypothesis))


def batches(lengths: Sequence[int]) -> list[list[int]]:
    """Return the places of rows in batches of at most 32 whose lengths differ by little, so that little is padded.

    >>> batches([20, 90, 22, 21])
    [[0, 3, 2], [1]]
    """
    out: list[list[int]] = []
    for place in np.argsort(lengths, kind="stable").tolist():
        if not out or len(out[-1]) == BATCH or lengths[place] > lengths[out[-1][0]] * 1.6 + 8:
            out.append([])
        out[-1].append(place)
    return out


def margin(logits: np.ndarray) -> float:
    """Return by how much entailment is ahead of the other two classes; minus infinity where nothing was read."""
    return float(logits[ENTAILMENT] - np.logaddexp(logits[0], logits[1])) if np.isfinite(logits).all() else -np.inf


def load_embedded_judge(weights: Path = WEIGHTS, device: Device = "cpu") -> EmbeddedJudge:
    """Return the judge on a device: MiniLM with the trained weights in it.

    Raises ModelError where they are missing or damaged.
    """
    model, tokenizer = load_backbone()
    try:
        with safe_open(weights, framework="pt") as file:
            changed = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118 (not a mapping)
        weight, bias = (changed.pop(name).double().numpy() for name in (LAST_WEIGHT, LAST_BIAS))
        unknown = model.load_state_dict(changed, strict=False).unexpected_keys
        digest = file_hash(weights).hex()[:12]
    except (OSError, SafetensorError, KeyError, RuntimeError) as exc:
        raise ModelError("The weights of the MiniLM judge are missing or damaged; install it again.") from exc
    if unknown or "classifier.weight" not in changed or weight.shape != (3, INPUTS) or bias.shape != (3,):
        raise ModelError("The weights of the MiniLM judge do not fit the encoder; install the program again.")
    return EmbeddedJudge(model.to(device), tokenizer, (weight, bias), digest, number_type(device))


def load_backbone() -> tuple[Any, Any]:
    """Return the packaged MiniLM in float32 as a classifier of pairs into three classes, and its tokenizer.

    all-MiniLM-L6-v2 (Wang et al. 2020; sentence-transformers) has 6 layers of width 384 and a pooler. The layer that
    classifies is not part of it and starts at random. Raises ModelError where the package is missing or damaged.
    """
    folder = minilm_folder()
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        classes = dict(enumerate(LABELS))
        places = {label: place for place, label in classes.items()}
        config = BertConfig.from_pretrained(folder, local_files_only=True, id2label=classes, label2id=places)
        with OPENING, only_errors_logged():  # that the classifying layer is new is no news
            model = BertForSequenceClassification.from_pretrained(
                folder, config=config, local_files_only=True, use_safetensors=True, dtype=torch.float32
            )
    except Exception as exc:  # whatever a broken folder makes the library raise
        raise ModelError(f"The encoder in {PACKAGE} cannot be loaded; install it again.") from exc
    return model, tokenizer


@contextmanager
def only_errors_logged() -> Iterator[None]:
    """Let transformers log only errors, in the whole process, until the block ends; its caller holds ``OPENING``."""
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
