"""Tokens whose texts do not spell half characters are fitted to the answer, and only where all others match it."""

import math
import random

import pytest

from engine.core.told_tokens import NEVER, fitted_texts, never_below

PART = "\ufffd"


@pytest.mark.parametrize(
    ("texts", "answer", "fitted"),
    [
        ([PART] * 4, "😊", ["", "", "", "😊"]),
        (["Hi", f" {PART}", PART, f"{PART}!", "</s>"], "Hi 😊!", ["Hi", " ", "", "😊!", "</s>"]),
        (["", "", "", "Hi", "", "", ""], "“Hi”", ["", "", "“", "Hi", "", "", "”"]),
        (["a", "", "b", PART, PART, " c"], "abé c", ["a", "", "b", "", "é", " c"]),
        ([" ", PART, PART, " x"], "é x\n", [" ", "", "é", " x"]),
        (["\xf0\x9f", "\x98\x8a"], "😊", ["", "😊"]),
        (["Hi ", PART, PART, PART, PART, "\n", "More"], "Hi 😊", ["Hi ", "", "", "", "😊", "\n", "More"]),
        ([PART, PART, PART, PART, "<|end|>"], "😊", ["", "", "", "😊", "<|end|>"]),
        ([PART, PART, PART, PART, PART, PART, "野"], "𠮷里野", ["", "", "", "", "", "𠮷里", "野"]),
    ],
)
def test_runs_of_parts_stand_for_the_characters_between_their_neighbours(
    texts: list[str], answer: str, fitted: list[str]
) -> None:
    assert fitted_texts(texts, answer) == fitted


@pytest.mark.parametrize(
    ("texts", "answer"),
    [
        (["Hi", PART, PART], "Ho😊"),
        (["Hi", PART, PART, "?"], "Hi😊!"),
        (["Hi", PART, PART, "!"], "Hi yes!"),
        (["Hi", PART], "Hi😊😊"),
        (["Hi", "", "!"], "Hi and so!"),
        (["Let me think. ", PART, PART, "The answer"], "Paris😊"),
        ([PART, PART, PART, PART, "Let", " me", " think"], "巴黎"),
        (["é", "\xf0\x9f"], "ü😊"),
        ([PART] * 12_000, "é" * 15_000),
    ],
)  # fmt: skip
def test_tokens_that_do_not_match_the_answer_exactly_stay_as_they_are(texts: list[str], answer: str) -> None:
    assert fitted_texts(texts, answer) == texts


@pytest.mark.parametrize("texts", [["Hi", "!"], [" Hi", "!", "</s>"], [PART, "!"], ["", "Hi", "", "!"]])
def test_tokens_that_spell_the_answer_by_themselves_are_not_touched(texts: list[str]) -> None:
    answer = "".join(texts).removesuffix("</s>")
    assert fitted_texts(texts, answer) == texts


def test_any_text_cut_into_bytes_is_spelled_again_whatever_stands_for_the_parts() -> None:
    draw = random.Random(1)
    for _ in range(300):
        answer = "".join(draw.choice(["a", " ", "b.", "é", "“", "日", "😊", "👩‍💻", "ไ"]) for _ in range(12)).strip()
        raw, parts = answer.encode(), []
        while raw:
            length = draw.randint(1, 4)
            parts.append(raw[:length])
            raw = raw[length:]
        for texts in ([one.decode(errors="replace") for one in parts], [one.decode("latin-1") for one in parts]):
            assert "".join(fitted_texts(texts, answer)) == answer, texts


def test_a_probability_of_0_is_a_log_probability_whose_exponential_is_0() -> None:
    assert never_below(-3.4028234663852886e38) == never_below(-math.inf) == NEVER == -9999.0
    assert math.exp(NEVER) == 0.0
    assert never_below(-9998.5) == -9998.5 and never_below(math.inf) == math.inf and math.isnan(never_below(math.nan))
