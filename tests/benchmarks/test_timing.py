"""The benchmark of dynamic retrieval: folds that do not touch, paired differences, and curves at equal lookups."""

import argparse
import gzip
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.question_keys import key_of
from benchmarks.timing import (
    Asked,
    Bench,
    Bm25Corpus,
    all_signals,
    compared,
    document_id,
    entrants,
    fitted_thresholds,
    loop_row,
    read_questions,
    spread,
    wanted_runs,
)
from benchmarks.timing_results import LoopRow, at_equal_lookups, at_lookups, curve, delays, paired, rate, summary
from benchmarks.timing_rows import keep, kept, of_part, part_of, publish, rows_so_far, same_settings
from benchmarks.timing_sugar import chosen_loop, doubt, fitted_scale, sugar_rows
from engine.backends.entailment.scripted import ScriptedJudge
from engine.backends.language_models.scripted import scripted_generation
from engine.backends.text import load_text_tools
from engine.core.records import Document, Hit, Passage
from engine.methods.profiles import EMBEDDED
from engine.methods.step_by_step import step_by_step_request
from engine.methods.timing.base import Retrieval, TimingConfig
from engine.methods.timing.policies import POLICIES
from engine.thresholds.calibration import is_for_fitting
from tests.viz.sample_timing_results import policy_run


def row(question: str, policy: str, level: str, right: bool, lookups: int = 1, **changed: object) -> LoopRow:
    """Return a row with this outcome."""
    one = LoopRow(
        question=question, hops="one", policy=policy, level=level, threshold=1.0, answer="", forced=False,
        ended="concluded", right=right, exact=right, f1=float(right), lookups=lookups, read=10, written=5, gold=None,
    )  # fmt: skip
    return replace(one, **changed)  # type: ignore[arg-type]


def test_every_policy_enters_and_etc_in_its_published_forms() -> None:
    words = [one.word for one in entrants()]
    assert {"etc", "etc_released_smoothing", "etc_released", "flare", "flare_released"} <= set(words)
    assert set(POLICIES) - {"entropy_trend"} <= set(words) and len(words) == len(set(words))


def test_a_threshold_is_never_fitted_to_the_half_it_is_used_on() -> None:
    names = [f"question {number}" for number in range(60)]
    signals = [
        {"question": name, "peaks": {"etc": [9.0 if is_for_fitting(name) else 1.0]}, "values": {}} for name in names
    ]
    fits = fitted_thresholds(signals, (0.5, 1.0), 3, 20)
    # Every answer of a half has the same peak, so half way to nothing fires on all of it.
    assert fits[True]["etc"]["1"] == pytest.approx(0.5) and fits[False]["etc"]["1"] == pytest.approx(4.5)
    assert "0.5" not in fits[True]["etc"], "no threshold gives half a lookup there, so that level is left out"
    assert "quco_rag" not in fits[True] and fitted_thresholds(signals, (1.0,), 3, 40)[True] == {}


def test_a_question_is_asked_for_its_papers_threshold_its_levels_and_the_schedules_once() -> None:
    asked = Asked(question="Who?", golds=("A",), sources=(), hops="one")
    fits = {half: {"etc": {"1": 2.5}} for half in (True, False)}
    runs = [(one.word, level, config.alpha) for one, level, config in wanted_runs(asked, fits)]
    assert ("etc", "paper", 1.0) in runs and ("etc", "1", 2.5) in runs
    assert [run for run in runs if run[0] == "never"] == [("never", "", 1.0)]


def test_a_row_says_whether_all_that_answers_was_found_and_where_the_policy_first_fires() -> None:
    first, second = (Passage(text=text, title=text) for text in ("one", "two"))
    asked = Asked(question="Who?", golds=("Rome",), sources=(first, second), hops="several")
    hits = tuple(
        Hit(passage=replace(source, document_id=document_id(source.title, source.text)), rank=1, score=1.0,
            retriever="bm25") for source in (first, second)
    )  # fmt: skip
    found = Retrieval(characters=0, tokens=0, value=2.0, query="q", hits=hits)
    run = replace(policy_run("entropy_trend", "It is Rome.", True, (found,)), answer="Rome", ended="concluded")
    etc = next(one for one in entrants() if one.word == "etc")
    kept_row = {"values": {"etc": [[0.5, 3], [-1.5, 7], [2.0, 9]]}}
    made = loop_row(asked, etc, "paper", TimingConfig(), run, kept_row)
    assert (made.gold, made.first, made.exact, made.lookups) == (True, 7, True, 1)
    half = replace(run, retrievals=(replace(found, hits=hits[:1]),))
    assert loop_row(asked, etc, "paper", TimingConfig(), half, kept_row).gold is False
    assert loop_row(asked, etc, "paper", TimingConfig(), replace(run, retrievals=()), kept_row).gold is None


def test_what_was_retrieved_and_still_misread_counts_only_runs_with_all_of_it() -> None:
    rows = [row("a", "etc", "1", True, gold=True), row("b", "etc", "1", False, gold=True),
            row("c", "etc", "1", False, gold=False), row("d", "etc", "1", False, reason="no attention")]  # fmt: skip
    found = summary(rows)
    assert (found["gold_retrieved"], found["not_possible"]) == (2, 1)
    assert found["gold_retrieved_still_misread"]["mean"] == 0.5  # type: ignore[index]
    assert found["right"]["mean"] == pytest.approx(1 / 3, abs=1e-4)  # type: ignore[index]


def test_a_difference_is_paired_by_question_and_its_interval_holds_it() -> None:
    one = {f"q{n}": 1.0 for n in range(40)}
    other = {f"q{n}": float(n % 2) for n in range(40)} | {"another": 1.0}
    found = paired(one, other)
    assert (found["mean"], found["questions"]) == (0.5, 40)
    assert found["low"] is not None and found["high"] is not None and found["low"] < 0.5 < found["high"]
    assert paired(one, one) == {"mean": 0.0, "low": 0.0, "high": 0.0, "questions": 40}
    assert rate([]) == {"mean": None, "low": None, "high": None, "questions": 0}


def test_curves_are_compared_at_the_same_number_of_lookups_or_not_at_all() -> None:
    names = [f"q{n}" for n in range(30)]
    etc = [row(name, "etc", level, level == "2", lookups=int(level)) for name in names for level in ("1", "2")]
    dragin = [row(name, "dragin", level, False, lookups=int(level)) for name in names for level in ("1", "2")]
    assert [(point["lookups"], point["right"]["mean"]) for point in curve(etc)] == [(1.0, 0.0), (2.0, 1.0)]  # type: ignore[index]
    assert at_equal_lookups(etc, dragin, 1.5)["mean"] == 0.5
    assert at_equal_lookups(etc, dragin, 3.0)["mean"] is None, "neither was run so often"
    assert np.isnan(at_lookups(np.array([1.0, 2.0]), np.array([0.0, 1.0]), 0.5))


def test_delays_are_over_questions_on_which_both_fire() -> None:
    etc = [row("a", "etc", "1", True, first=4), row("b", "etc", "1", True, first=None)]
    flare = [row("a", "flare", "1", True, first=6), row("b", "flare", "1", True, first=2)]
    assert (delays(flare, etc)["mean"], delays(flare, etc)["questions"]) == (2.0, 1)


def test_rows_survive_a_stop_and_other_settings_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    keep(file, [{"a": 1}])
    file.write_text(file.read_text() + '{"a": 2', encoding="utf-8")
    assert kept(file) == [{"a": 1}]
    keep(file, [{"a": 3}])
    assert kept(file) == [{"a": 1}, {"a": 3}]
    same_settings(tmp_path, {"levels": [1.0]})
    same_settings(tmp_path, {"levels": [1.0]})
    with pytest.raises(SystemExit):
        same_settings(tmp_path, {"levels": [2.0]})


def test_bm25_finds_the_passage_with_the_words_and_cuts_at_100() -> None:
    long = Document(document_id="a", title="Clock", text="word " * 150 + "Bremen")
    corpus = Bm25Corpus("two", [long, Document(document_id="b", title="Rome", text="The Forum stands in Rome.")])
    assert len(corpus.passages) == 3
    assert [hit.passage.document_id for hit in corpus.search("Forum Rome", 1)] == ["b"]
    assert corpus.search("Bremen", 3)[0].passage.text.endswith("Bremen")


def test_a_table_holds_every_policy_at_every_level_against_never_and_once() -> None:
    rows = [row("a", one.word, "paper" if one.field else "", one.word == "once") for one in entrants()]
    found = compared(rows, (1.0,))
    table = found["policies"]
    assert isinstance(table, dict) and table["once"]["against_never"]["mean"] == 1.0
    assert table["etc paper"]["against_once"]["mean"] == -1.0


def asked_loops(question: str) -> list[LoopRow]:
    """Return the rows of the three loops that SUGAR may choose: no lookup, one, three."""
    return [
        row(question, word, "", word == "once", lookups=lookups)
        for word, lookups in (("never", 0), ("once", 1), ("every_sentence", 3))
    ]


def test_sugar_takes_the_loop_that_its_thresholds_choose_and_pays_for_its_samples() -> None:
    signals = {name: {"doubt": doubt, "drawn": [100, 20]} for name, doubt in (("a", 0.4), ("b", 0.9), ("c", 0.91))}
    rows = [one for name in signals for one in asked_loops(name)]
    found = {one.question: one for one in sugar_rows(signals, rows, (1.0,), least=20)}
    assert [found[name].lookups for name in "abc"] == [0, 1, 3]
    assert {(one.policy, one.level, one.threshold, one.read, one.written) for one in found.values()} == {
        ("sugar", "paper", 0.4, 110, 25)
    }
    assert found["b"].right and not found["c"].right
    assert sugar_rows(signals, [one for one in rows if one.policy != "once"], (1.0,), 20) == [], "a loop is missing"


def test_sugars_thresholds_are_scaled_together_on_the_other_half() -> None:
    # Below both, between the two (1 : 2.25) and above both: 0, 1 and 3 lookups; the mean 1 is asked for.
    found = [(doubt, {one.policy: one for one in asked_loops("q")}) for doubt in (0.1, 0.1, 0.3, 0.5)]
    scale = fitted_scale(found, 1.0)
    assert scale is not None and [chosen_loop(doubt, scale) for doubt, _ in found] == [
        "never", "never", "once", "every_sentence",
    ]  # fmt: skip
    assert fitted_scale(found, 9.0) is None and fitted_scale([], 1.0) is None


def test_the_doubt_of_samples_is_zero_where_all_say_the_same_and_grows_with_meanings() -> None:
    request = step_by_step_request("Who?", EMBEDDED)
    judge = ScriptedJudge(lambda one, other: (0.0, 0.1, 0.9) if one == other else (0.9, 0.1, 0.0))
    same, apart = (
        [scripted_generation(request, text) for text in texts] for texts in ([" Rome."] * 4, [" Rome.", " Oslo."])
    )
    assert doubt("Who?", same, judge, load_text_tools()) == pytest.approx(0.0)
    assert doubt("Who?", apart, judge, load_text_tools()) == pytest.approx(np.log(2))


def test_a_limit_takes_both_kinds_in_turn_and_test_questions_only(data_folder: Path | None = None) -> None:
    several = [Asked(question=f"s{n}", golds=("A",), sources=(), hops="several") for n in range(3)]
    one = [Asked(question=f"o{n}", golds=("A",), sources=(), hops="one") for n in range(3)]
    assert [asked.question for asked in spread([*several, *one], 4)] == ["o0", "s0", "o1", "s1"]
    assert read_questions(None, None) == [] and argparse.Namespace() is not None


def test_published_rows_hold_no_text_and_come_back_beside_those_kept_in_the_folder(tmp_path: Path) -> None:
    questions = ["Who?", "Where?"]
    first, second = row("Who?", "etc", "1", True, answer="Ada"), row("Where?", "etc", "1", False, answer="Rome")
    publish(tmp_path / "rows.gz", [first, second])
    text = gzip.decompress((tmp_path / "rows.gz").read_bytes()).decode()
    assert not any(word in text for word in ("Who?", "Where?", "Ada", "Rome")) and key_of("Who?") in text
    keep(tmp_path / "rows.1.jsonl", [asdict(first)])
    found = rows_so_far(tmp_path, tmp_path / "rows.gz", questions)
    assert found == [first, replace(second, answer="")], "one kept with its answer, one from the published rows"
    assert rows_so_far(tmp_path / "none", None, questions) == []
    assert rows_so_far(tmp_path / "none", tmp_path / "rows.gz", questions[:1]) == [replace(first, answer="")]
    content = (tmp_path / "rows.gz").read_bytes()
    publish(tmp_path / "rows.gz", [second, first])
    assert (tmp_path / "rows.gz").read_bytes() == content, "the order in which they were made leaves no trace"


def test_parts_share_no_question_and_together_have_all() -> None:
    questions = [f"q{number}" for number in range(7)]
    first, second = of_part(questions, (1, 2)), of_part(questions, (2, 2))
    assert len(first) == 4 and len(second) == 3 and {*first, *second} == set(questions)
    assert of_part(questions, (1, 1)) == sorted(questions, key=key_of)
    assert part_of("2/3") == (2, 3)
    for text in ("3/2", "0/2", "half", "1"):
        with pytest.raises(ValueError):
            part_of(text)


def test_no_part_goes_on_before_every_part_has_its_traces(tmp_path: Path) -> None:
    questions = [Asked(question=text, golds=("A",), sources=(), hops="one") for text in ("Who?", "Where?")]
    bench = Bench.__new__(Bench)
    bench.folder, bench.part = tmp_path, (1, 2)
    (own,) = bench.own(questions)
    (others,) = [one for one in questions if one is not own]
    keep(bench.file("signals"), [{"question": own.question}])
    with pytest.raises(SystemExit, match="1 questions of other parts have no traces yet"):
        all_signals(bench, questions)
    keep(tmp_path / "signals.2.jsonl", [{"question": others.question}])
    assert set(all_signals(bench, questions)) == {"Who?", "Where?"}
    bench.part = (1, 1)
    assert bench.file("rows").name == "rows.jsonl", "the whole has a file of its own"
