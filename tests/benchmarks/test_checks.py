"""The contexts on which the checks are measured: which passages that answer are left in, and drawn neighbours."""

import gzip
import json
import random
from pathlib import Path

from benchmarks.checks import DRAWN, OTHERS, hop_contexts, multihop_cases, wikipedia_cases
from engine.core.records import Passage
from training.json_lines import read_json_lines
from training.multihop import TEST_SET, MultihopRow

PASSAGES = tuple(Passage(text=f"Text {at}.", title=f"T{at}") for at in range(10))


def test_both_passages_that_answer_are_there_then_one_then_none_and_five_each_time() -> None:
    row = MultihopRow(
        set_name=TEST_SET, question="Who?", answers=("A",), passages=PASSAGES, supporting=(2, 7), hops=(), chain="",
        test=True,
    )  # fmt: skip
    for seed in range(20):
        whole, half, none = hop_contexts(row, random.Random(seed))
        needed = {PASSAGES[2], PASSAGES[7]}
        assert [len(needed & set(one)) for one in (whole, half, none)] == [2, 1, 0]
        assert {len(set(one)) for one in (whole, half, none)} == {OTHERS + 1}
    kept = [
        next(iter({2, 7} & {PASSAGES.index(one) for one in hop_contexts(row, random.Random(s))[1]})) for s in range(20)
    ]
    assert set(kept) == {2, 7}, "either of the two is left out"


def test_a_drawn_passage_comes_first_with_four_neighbours_and_never_itself(tmp_path: Path) -> None:
    rows = [{"title": f"T{at}", "text": f"The river {at} flows through the town of Korvel."} for at in range(12)]
    file = tmp_path / "wiki.jsonl.gz"
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    found = wikipedia_cases(file)["Wikipedia"]
    assert len(found) == min(DRAWN, len(rows))
    for title, passages in found:
        assert passages[0].title == title and len({one.title for one in passages}) == OTHERS + 1
    assert wikipedia_cases(None) == {} and multihop_cases(None) == {}


def test_a_line_ends_at_a_line_feed_only(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"text": "one\u2028two"}\n\n{"text": "three"}\n', encoding="utf-8")
    assert [row["text"] for row in read_json_lines(file)] == ["one\u2028two", "three"]
