"""Reading people's judgements: the split, what is left out, the type of answer."""

import gzip
import json
from pathlib import Path

import pytest

from training.evouna import ANSWER_TYPES, SYSTEMS, answer_type, data_path, read_rows, split_of


def entry(**changed: object) -> dict[str, object]:
    """Return one entry as the released file has it."""
    systems = {f"answer_{name}": f"says {name}" for name in SYSTEMS} | {f"judge_{name}": True for name in SYSTEMS}
    return {"question": "who wrote it", "golden_answer": "Ann Lee/A. Lee/", "improper": False, **systems, **changed}


def test_a_row_for_every_judged_answer_with_the_aliases_apart(tmp_path: Path) -> None:
    path = tmp_path / "NQ.json"
    path.write_text(json.dumps([entry(judge_gpt4=None, judge_fid=False), entry(improper=True)]))
    rows = read_rows(path)
    assert [row.system for row in rows] == ["fid", "gpt35", "chatgpt", "newbing"]
    assert rows[0].golds == ("Ann Lee", "A. Lee") and not rows[0].right and rows[1].right


def test_a_gzipped_file_reads_the_same(tmp_path: Path) -> None:
    path = tmp_path / "NQ.json.gz"
    path.write_bytes(gzip.compress(json.dumps([entry()]).encode()))
    assert len(read_rows(path)) == 5


def test_the_split_is_the_digest_of_the_question_modulo_five() -> None:
    digests = {"a": 0x86F7E437FAA5A7FCE15D1DDCB9EAEAEA377667B8, "b": 0xE9D71F5EE7C92D6DC9E92FFDAD17B8BD49418F98}
    assert {text: split_of(text) for text in digests} == {text: digest % 5 for text, digest in digests.items()}


@pytest.mark.parametrize(
    ("question", "golds", "kind"),
    [
        ("when did it open", ("1889",), "dates"),
        ("what is it about", ("9 May 1950",), "dates"),
        ("how many legs has a spider", ("eight",), "numbers"),
        ("who was king in 1616", ("James I",), "people"),
        ("which river flows through cairo", ("the Nile",), "places"),
        ("what does a bee make", ("honey",), "other"),
    ],
)
def test_the_type_of_answer_comes_from_the_question_and_the_gold(
    question: str, golds: tuple[str, ...], kind: str
) -> None:
    assert answer_type(question, golds) == kind and kind in ANSWER_TYPES


def test_without_a_path_and_a_folder_it_says_what_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MICROSCOPE_BENCHMARK_DATA", raising=False)
    with pytest.raises(SystemExit, match=r"NQ\.json"):
        data_path(None)


def test_no_test_question_is_in_the_other_splits(benchmark_data: Path) -> None:
    rows = read_rows(data_path(str(benchmark_data / "evouna_nq.json.gz")))
    assert {row.question for row in rows if row.test}.isdisjoint(row.question for row in rows if not row.test)
    assert len({row.question for row in rows}) == 3019 and sum(row.test for row in rows) == 2793
