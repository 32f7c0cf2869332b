"""The trained judge: pairs written by hand, agreement with people, and what it does with bad input."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from engine.backends.entailment import load_judge
from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT, NEUTRAL
from engine.backends.entailment.embedded_judge import WEIGHTS, batches, load_embedded_judge
from engine.core.errors import ModelError
from tests.each_row import each_row

pytestmark = pytest.mark.weights

PAIRS = json.loads((Path(__file__).parents[3] / "reference" / "judge_pairs.json").read_text(encoding="utf-8"))
HARD = json.loads((Path(__file__).parents[3] / "reference" / "judge_pairs_hard.json").read_text(encoding="utf-8"))
CLASSES = {"contradiction": (CONTRADICTION,), "neutral": (NEUTRAL,), "entailment": (ENTAILMENT,)}
NOT_ENTAILED = (CONTRADICTION, NEUTRAL)
WHEN, LONG, WHO = "When was the lighthouse finished?", "How long was the boat?", "Who discovered the comet?"
OF_SELMARK = "What is the capital of Selmark?"
DIFFERENT = [
    (OF_SELMARK, "not Selm but Karst", "Selm", CONTRADICTION, CONTRADICTION),
    (OF_SELMARK, "The capital is Karst; Selm is a university town", "Selm", CONTRADICTION, CONTRADICTION),
    (WHEN, "before 1912", "1912", CONTRADICTION, CONTRADICTION),
    (WHEN, "1912 or 1927", "1912", NEUTRAL, ENTAILMENT),
    (LONG, "41 feet", "41 metres", CONTRADICTION, CONTRADICTION),
    (WHO, "Marta Lindqvist's brother", "Marta Lindqvist", CONTRADICTION, CONTRADICTION),
]
CAPITAL = "What is the capital of France?"


def judged(question: str, premise: str, hypothesis: str) -> np.ndarray:
    row: np.ndarray = load_judge().entailment(question, [premise], [hypothesis])[0]
    return row


@each_row(PAIRS, name=lambda pair: f"{pair['one']} / {pair['other']}"[:60])
def test_a_pair_written_by_hand_is_judged_as_a_person_would_both_ways(pair: dict[str, str]) -> None:
    rows = load_judge().entailment(pair["question"], [pair["one"], pair["other"]], [pair["other"], pair["one"]])
    allowed = CLASSES.get(pair["expected"], NOT_ENTAILED)
    assert all(int(row.argmax()) in allowed for row in rows), rows.round(3).tolist()


@each_row(DIFFERENT, name=lambda row: f"{row[1]} / {row[2]}")
def test_what_shares_its_words_and_says_something_else_is_told_apart(row: tuple[str, str, str, int, int]) -> None:
    question, one, other, forward, back = row
    rows = load_judge().entailment(question, [one, other], [other, one])
    assert rows.argmax(axis=1).tolist() == [forward, back], rows.round(3).tolist()


@each_row([("fit", 202, 0.96), ("fresh", 341, 0.84), ("last", 70, 0.55)], name=lambda row: row[0])
def test_of_hard_pairs_so_many_are_right_both_ways(row: tuple[str, int, float]) -> None:
    """The model card says which part was used for what; nobody who wrote a rule had read the last ones."""
    split, count, share = row
    pairs = [pair for pair in HARD if pair["split"] == split]
    assert len(pairs) == count
    right = [pair for pair in pairs if is_right(pair)]
    assert len(right) >= share * count, [pair["one"] for pair in pairs if pair not in right]


def is_right(pair: dict[str, str]) -> bool:
    """Return whether a pair is judged as labelled, both ways; "not contradiction" leaves the other two."""
    rows = load_judge().entailment(pair["question"], [pair["one"], pair["other"]], [pair["other"], pair["one"]])
    allowed = [CLASSES.get(pair[way], (NEUTRAL, ENTAILMENT)) for way in ("forward", "back")]
    return all(int(row.argmax()) in classes for row, classes in zip(rows, allowed, strict=True))


def test_there_are_enough_pairs_of_every_kind() -> None:
    kinds = Counter(pair["expected"] for pair in PAIRS)
    assert kinds["entailment"] >= 40 and kinds["contradiction"] >= 30 and kinds["neutral"] >= 8 and len(PAIRS) >= 80


def test_identical_answers_entail_without_the_encoder() -> None:
    assert judged(CAPITAL, "Paris", "paris.")[ENTAILMENT] > 0.99


@each_row(
    [
        ("Who is the oldest, Sid Haig or Vic Darchinyan?", "Vic Darchinyan", "Sid Haig", CONTRADICTION),
        ("Which is longer, the Nile or the Amazon?", "the Nile", "Amazon", CONTRADICTION),
        ("is jaffa cakes a biscuit or a cake", "a biscuit", "Cake", CONTRADICTION),
        ("is jaffa cakes a biscuit or a cake", "cakes", "Cake", ENTAILMENT),
    ],
    name=lambda row: f"{row[1]} / {row[2]}",
)
def test_of_two_choices_that_a_question_offers_one_is_not_the_other(row: tuple[str, str, str, int]) -> None:
    """The judge gave the wrong one of two people 0.34, and belief in the right one was 0.33 with no sample of it."""
    question, one, other, said = row
    for pair in ((one, other), (other, one)):
        assert judged(question, *pair).argmax() == said


def test_empty_answers_go_by_rule() -> None:
    rows = load_judge().entailment(CAPITAL, ["", "", "Paris"], [" ", "Paris", ""])
    assert rows.tolist() == [[0, 0, 1], [0, 1, 0], [0, 1, 0]]


def test_signs_without_a_letter_mean_nothing_but_themselves() -> None:
    rows = load_judge().entailment(CAPITAL, ["?", "!", "👍", "..."], ["!", "!", "👎", "Paris"])
    assert rows.argmax(axis=1).tolist() == [NEUTRAL, ENTAILMENT, NEUTRAL, NEUTRAL]


def test_every_row_is_a_distribution_and_a_repeat_is_the_same() -> None:
    texts = ["Paris", "Lyon", "👍", "<script>", "שלום", "the", "not", "1960", "x" * 400, "..."]
    premises = [one for one in texts for _ in texts]
    rows = load_judge().entailment(CAPITAL, premises, texts * len(texts))
    assert rows.shape == (len(texts) ** 2, 3)
    assert rows.sum(axis=1) == pytest.approx(1.0) and rows.min() >= 0
    assert np.array_equal(rows, load_judge().entailment(CAPITAL, premises, texts * len(texts)))


def test_order_and_batch_change_nothing_above_a_hundred_thousandth() -> None:
    premises, hypotheses = ["Paris", "Lyon is the one", "Rome"], ["Lyon", "Rome", "Paris, I think, but who knows"]
    together = load_judge().entailment(CAPITAL, premises, hypotheses)
    alone = [judged(CAPITAL, one, other) for one, other in zip(premises, hypotheses, strict=True)]
    assert np.abs(together - np.array(alone)).max() < 1e-5


def test_a_long_answer_counts_where_it_says_it_and_two_long_ones_are_refused() -> None:
    padding = "The country has many rivers and hills, and its people like to walk there. " * 60
    assert judged(CAPITAL, f"{padding}The capital of France is Paris. {padding}", "Paris")[ENTAILMENT] > 0.5
    with pytest.raises(ModelError, match="too long"):
        judged(CAPITAL, padding, padding + "Really.")


def test_a_question_of_a_thousand_words_is_read_at_its_beginning_and_its_end() -> None:
    question = "What is the capital of France? " + "I ask since I was there. " * 200
    assert judged(question, "Paris", "It is Paris.")[ENTAILMENT] > 0.5


def test_a_judgement_names_the_weights_it_comes_from() -> None:
    judge = load_judge("embedded")
    assert judge is load_judge() and judge.name == "embedded"
    assert "EVOUNA" in judge.note and "weights " in judge.note
    assert WEIGHTS.stat().st_size < 25_000_000


def test_weights_that_are_missing_damaged_or_of_something_else_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="damaged"):
        load_embedded_judge(tmp_path / "nowhere.safetensors")
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(WEIGHTS.read_bytes()[:4000])
    with pytest.raises(ModelError, match="damaged"):
        load_embedded_judge(damaged)
    other = tmp_path / "other.safetensors"
    save_file({**load_file(WEIGHTS), "last_layer.bias": torch.zeros(2)}, other)
    with pytest.raises(ModelError, match="do not fit"):
        load_embedded_judge(other)


def test_rows_of_one_length_share_a_batch_and_none_is_lost() -> None:
    lengths = [int(value) for value in np.random.default_rng(0).integers(10, 200, size=100)]
    found = batches(lengths)
    assert sorted(place for batch in found for place in batch) == list(range(100))
    assert all(len(batch) <= 32 for batch in found)
    assert all(lengths[batch[-1]] <= 1.6 * lengths[batch[0]] + 8 for batch in found)


def test_it_agrees_with_people_more_often_than_lexical_match_and_the_similarity_judge(benchmark_data: Path) -> None:
    from benchmarks.judge import lexical, verdicts
    from training.evouna import FILE_NAME, read_rows

    rows = [row for row in read_rows(benchmark_data / FILE_NAME) if row.test and row.system in ("fid", "gpt4")][::3]
    right = np.array([row.right for row in rows])
    embedded = (verdicts(load_judge(), rows).says == right).mean()
    assert embedded > (lexical(rows) == right).mean() + 0.05
    assert embedded > (verdicts(load_judge("similarity"), rows).says == right).mean()
