"""Retrieval timing in words and tables: the finding, the delays, a moved threshold, and what was not measured."""

import math
from dataclasses import replace

import pytest

from engine.core.records import Interval, JudgedAnswer
from engine.methods.timing.base import PolicyThreshold, PolicyTrace, Signal, TimingConfig
from engine.methods.timing.method import trace_of
from tests.viz.sample_timing_results import (
    HOSTILE,
    timing_full,
    timing_hostile,
    timing_trace_only,
    timing_unmeasured,
    timing_without_corpus,
)
from viz.methods import belief_steps, timing
from viz.methods.swim_lanes import lane_words
from viz.methods.timing_text import run_text_html
from viz.methods.views import VIEWS
from viz.parts.theme import DARK, LIGHT


def test_the_verdict_counts_the_policies_that_watch_the_model_and_fire() -> None:
    verdict = timing.verdict(timing_full())
    # ETC and FLARE of three; QuCo-RAG was not measured.
    assert (verdict.word, verdict.tone) == ("2 of 3 adaptive policies look something up", "middle")
    etc = replace(timing_full(), lanes=tuple(one for one in timing_full().lanes if one.policy == "entropy_trend"))
    assert timing.verdict(etc).word == "1 of 1 adaptive policy looks something up"
    assert VIEWS["timing"].verdict is timing.verdict


def test_the_sentence_has_etcs_first_word_the_delays_and_who_is_right() -> None:
    result = timing_full()
    sentence = f"{timing.trace_sentence(result)} {timing.runs_sentence(result)}"
    for part in ("token 5, “1887.”", "FLARE 2 tokens earlier", "Once at the start and ETC"):
        assert part in sentence


def test_a_right_answer_from_memory_makes_every_lookup_strictly_redundant() -> None:
    assert "redundant" in timing.runs_sentence(timing_full(right_from_memory=True))
    assert "redundant" not in timing.runs_sentence(timing_full())


def test_the_lanes_table_gives_first_lookup_delay_and_why_one_is_missing() -> None:
    rows = timing.traces_table(timing_full()).set_index("policy")
    assert rows.loc["ETC", "token"] == 5 and rows.loc["ETC", "delay after ETC (tokens)"] == 0
    assert rows.loc["FLARE", "delay after ETC (tokens)"] == -2
    assert rows.loc["ETC", "threshold"] == "|value| ≥ 1 nats"
    assert rows.loc["DRAGIN", "first lookup"] == "nothing"
    assert rows.loc["QuCo-RAG", "first lookup"].startswith("not measured")
    assert rows.loc["Once at the start", "first lookup"] == "(before writing)"


def test_a_moved_threshold_lists_what_newly_fires_and_where_the_replay_ends() -> None:
    lane = trace_of(timing_full(), "entropy_trend")
    assert lane is not None
    lower = timing.replay_sentence(lane, 0.3)
    assert "token 3" in lower and "token 10" in lower and "up to token 3" in lower
    assert "Newly fires: token 10" in timing.replay_sentence(lane, 0.9)
    assert "No longer fires: token 5" in timing.replay_sentence(lane, 2.0)
    assert "fires" not in timing.replay_sentence(lane, 1.0)


def test_the_values_of_a_lane_fire_as_the_threshold_says() -> None:
    lane = trace_of(timing_full(), "flare")
    assert lane is not None
    assert timing.signals_table(lane)["fires"].tolist() == [False, True, False, True]
    assert timing.signals_table(lane, 0.5)["fires"].tolist() == [False, False, False, True]
    assert timing.threshold_range(lane) == (0.0, 1.0)


def test_only_a_measured_threshold_can_be_moved() -> None:
    assert timing.movable(timing_full()) == ("entropy_trend", "flare", "dragin")
    assert timing.movable(timing_unmeasured()) == ()


def test_the_runs_table_holds_what_each_took() -> None:
    rows = timing.runs_table(timing_full()).set_index("policy")
    assert rows.loc["ETC", "answer"] == "1889" and rows.loc["ETC", "right"] == "right"
    assert (rows.loc["ETC", "lookups"], rows.loc["ETC", "tokens written"]) == (2, 18)
    assert rows.loc["Never", "right"] == "wrong"


def test_a_run_that_never_concludes_is_judged_by_its_text() -> None:
    said = timing.run_sentence(timing_full(), replace(timing_full().runs[1], answer="", text="It was 1889."))
    assert "(right)" in said and "1 lookup" in said


def test_a_run_that_states_no_answer_is_not_called_wrong() -> None:
    silent = replace(timing_full().runs[1], answer="", text="I do not know.", right=False)
    assert timing.judged_words(timing_full(), silent) == "no answer"
    assert "wrong" not in timing.run_sentence(timing_full(), silent)
    assert timing.runs_table(replace(timing_full(), runs=(silent,))).iloc[0]["right"] == "no answer"
    assert timing.judged_words(timing_full(), replace(silent, answer="1912")) == "wrong"


def test_a_text_that_never_concludes_is_not_called_wrong_beside_its_words() -> None:
    """The row shows the text, "31 March 1889", which is the correct answer: only the conclusion is missing."""
    open_ended = replace(timing_full().runs[1], answer="", text="31 March 1889", right=False)
    row = timing.runs_table(replace(timing_full(), runs=(open_ended,))).iloc[0]
    assert (row["answer"], row["right"]) == ("31 March 1889", "no answer")
    assert "wrong" not in timing.run_sentence(timing_full(), open_ended)


def test_an_answer_in_other_words_than_the_correct_one_is_right_by_the_judge() -> None:
    full = timing_full()
    run = replace(full.runs[0], answer="MDCCCLXXXIX", right=False)
    result = replace(full, runs=(run, *full.runs[1:]), judged=(JudgedAnswer(text="MDCCCLXXXIX", meaning=0.91),))

    assert timing.runs_table(result)["right"].tolist() == ["right by the judge", "right", "right"]
    assert "Never: “MDCCCLXXXIX” (right by the judge); 0 lookups" in timing.run_sentence(result, run)
    said = timing.runs_sentence(result)
    assert said == "Right by words in its own run: Once at the start and ETC. Right by the judge alone: Never."
    doubted = replace(result, judged=(JudgedAnswer(text="MDCCCLXXXIX", meaning=0.79),))
    assert timing.judged_words(doubted, run) == "wrong"
    assert timing.judged_words(replace(result, golds=()), replace(run, right=None)) == "not judged"


def test_a_lookup_that_was_not_possible_says_why() -> None:
    result = timing_without_corpus()
    assert result.no_retrieval in timing.runs_sentence(result)
    assert timing.lookups_table(result.runs[0])["passages found"].tolist() == [result.no_retrieval]
    assert "1 found nothing" in timing.run_sentence(timing_full(), result.runs[0])


def test_what_was_not_measured_is_said_and_the_trace_alone_has_no_runs() -> None:
    assert timing.verdict(timing_unmeasured()).word == "not measured"
    assert timing.runs_sentence(timing_trace_only()) == ""
    assert timing.traces_table(timing_unmeasured()).empty


def test_a_policy_that_saw_no_value_is_not_counted_as_quiet() -> None:
    full = timing_full()
    silent = tuple(replace(lane, signals=(), triggers=(), delay=None) for lane in full.lanes[:1])
    told = replace(full, lanes=(*silent, *full.lanes[1:]))
    assert timing.verdict(told).word.startswith("1 of 2"), "FLARE of FLARE and DRAGIN"
    assert "not measured" in timing.first_sentence(told)
    assert lane_words(told.lanes[0], moved=False) == "not measured"
    assert timing.traces_table(told)["first lookup"].str.startswith("not measured").tolist()[0]
    nothing = tuple(replace(lane, signals=(), triggers=()) for lane in full.lanes)
    assert timing.verdict(replace(full, lanes=nothing)).word == "not measured"


def test_every_belief_step_has_its_gain_and_its_interval() -> None:
    run = timing_full().runs[2]
    sentence = belief_steps.belief_steps_sentence(run)
    for part in ("0.20", "+0.50, 95 % +0.35 to +0.65", "+0.02, 95 % −0.10 to +0.12"):
        assert part in sentence
    assert belief_steps.belief_steps_table(run)["worth"].tolist() == ["", "helped", "within noise"]


def test_an_end_of_a_gain_that_is_not_zero_never_reads_as_zero_and_a_small_gain_without_zero_is_no_noise() -> None:
    _, helped, small = timing_full().runs[2].stairs
    near = replace(helped, gain=0.15, gain_interval=Interval(low=0.0004, high=0.3))
    assert belief_steps.worth_words(near) == "raised it (+0.15, 95 % just above 0 to +0.30)"
    tiny = replace(small, gain=0.05, gain_interval=Interval(low=0.02, high=0.08))
    assert belief_steps.worth_words(tiny) == "hardly changed it (+0.05, 95 % +0.02 to +0.08)"
    assert belief_steps.worth_words(small) == "changed it within noise (+0.02, 95 % −0.10 to +0.12)"


@pytest.mark.parametrize(
    ("token", "text", "words"),
    [
        (0, "", "before writing"),
        (6, " ", "token 7"),
        (6, " Rome", "token 7, “Rome”"),
    ],
)
def test_a_place_in_words(token: int, text: str, words: str) -> None:
    placed = Signal(token=token, start=0, end=0, cut=0, text=text, value=None, query="")
    assert timing.place_words(placed) == words


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_an_answer_carries_its_lookups_and_its_markup_stays_text(theme) -> None:
    drawn = run_text_html(timing_full(), timing_full().runs[2], theme)
    assert drawn.index("opened in") < drawn.index("lookup 1") < drawn.index(" 1889.") < drawn.index("lookup 2")
    hostile = run_text_html(timing_hostile(), timing_hostile().runs[0], theme)
    assert HOSTILE not in hostile and "<b>bold" not in hostile and "&lt;script&gt;" in hostile
    assert "lookup 2, nothing found" in hostile


def test_a_fitted_threshold_is_called_that_and_an_ablation_shares_etcs() -> None:
    result = timing_full()
    etc = trace_of(result, "entropy_trend")
    assert etc is not None
    fitted = TimingConfig(fitted=("entropy_trend",))
    assert timing.threshold_label(etc, fitted).endswith("fitted to this model)")
    ablation = replace(etc, policy="entropy_trend_raw")
    assert timing.threshold_label(ablation, fitted).endswith("for ETC)")
    assert timing.threshold_label(ablation, TimingConfig()) == (
        "Threshold in nats (this run: 1, the paper's, for 7B and more)"
    )
    once, flare = (next(one for one in result.lanes if one.policy == word) for word in ("once", "flare"))
    assert timing.threshold_label(once, fitted) == "No threshold"
    assert timing.threshold_label(flare, fitted).endswith("(this run: 0.8, the paper's, for 7B and more)")
    assert timing.threshold_label(replace(etc, policy="another"), fitted).endswith("(this run: 1, set by hand)")


def test_a_threshold_that_is_the_other_variants_is_set_by_hand() -> None:
    flare = trace_of(timing_full(), "flare")
    assert flare is not None
    low = replace(flare, bar=replace(flare.bar, threshold=0.1))
    assert timing.threshold_label(low, TimingConfig(variant="paper")).endswith("0.1, set by hand)")
    assert timing.threshold_label(low, TimingConfig(variant="code")).endswith("0.1, the paper's, for 7B and more)")


def test_one_lookup_of_one_passage_is_singular() -> None:
    result = timing_full()
    few = replace(result, config=replace(result.config, most_retrievals=1, passages=1))
    assert "At most 1 lookup of 1 passage, " in timing.runs_legend(few)


def test_fitted_policies_are_named() -> None:
    result = timing_full()
    assert "fitted" not in timing.origin_sentence(result)
    fitted = replace(result, config=replace(result.config, fitted=("entropy_trend", "flare")))
    assert "ETC and FLARE" in timing.origin_sentence(fitted)


def test_a_trigger_is_found_on_its_token_and_one_that_is_not_there_is_none() -> None:
    result = timing_full()
    lane = next(lane for lane in result.lanes if lane.triggers)
    assert timing.trigger_token(result, lane.policy, 0) == lane.signals[lane.triggers[0]].token
    assert timing.trigger_token(result, lane.policy, len(lane.triggers)) is None
    assert timing.trigger_token(result, "no_policy", 0) is None


def test_a_run_says_what_stayed_of_each_continuation_and_why() -> None:
    run = timing_full().runs[2]
    first = replace(run.written[0], kept=9, why="trigger", lookup=0)
    rows = timing.kept_table(replace(run, written=(first,)))
    assert rows["stayed"].tolist() == [first.generation.text[:9].strip()]
    assert rows["thrown away"].tolist() == [first.generation.text[9:].strip()]
    assert rows["why"].tolist() == [timing.KEPT_WORDS["trigger"]]
    assert timing.kept_table(run)["why"].tolist()[0] == timing.KEPT_WORDS[""], "the first loop stored no reason"
    twice = replace(run, written=(replace(first, over=None), replace(first, over=1)))
    told = timing.kept_table(twice)[["step", "written over"]]
    assert told.values.tolist() == [[1, "memory"], [2, "lookup 2"]]
    result = replace(timing_full(), runs=(timing_full().runs[0], twice, replace(run, written=())))
    assert [timing.run_place(result, place) for place in (1, 2)] == ["timing.runs.1.written.1.generation", ""]
    assert timing.written_name(twice, 1) == "2. Written over lookup 2: 9 of 48 characters stayed"


def test_a_run_is_told_in_one_sentence() -> None:
    run = timing_full().runs[2]
    ended = timing.ENDED_WORDS["answered"]
    assert timing.run_sentence(timing_full(), run) == f"ETC: “1889” (right); 2 lookups; 10 of 18 tokens kept; {ended}."
    forced = replace(run, forced=run.written[0].generation, right=None, used_up=True)
    assert timing.run_sentence(timing_full(), forced) == (
        f"ETC: “1889” when forced; 2 lookups; 10 of 18 tokens kept; {ended}. Lookup limit reached."
    )
    silent = replace(forced, answer="", text="", right=False, retrievals=(), used_up=False)
    assert (
        timing.run_sentence(timing_full(), silent)
        == f"ETC: no answer stated; 0 lookups; 10 of 18 tokens kept; {ended}."
    )
    assert timing.run_sentence(timing_full(), replace(run, not_measured="It failed")) == "ETC: not measured, It failed."
    rows = timing.runs_table(replace(timing_full(), runs=(replace(run, answer="", used_up=True), silent)))
    assert rows["answer"].tolist()[0] == run.text and rows["how it ended"].tolist() == [
        f"{ended}; no lookups left",
        ended,
    ]


def test_a_forced_answer_and_the_first_loop_are_said() -> None:
    run = timing_full().runs[2]
    assert timing.run_notes(run) == (timing.FIRST_LOOP,)
    forced = replace(run, forced=run.written[0].generation, loop_version=2, checks_read=12, ended="stopped")
    notes = timing.run_notes(forced)
    assert len(notes) == 2 and timing.FIRST_LOOP not in notes and "12 tokens" in notes[1]
    row = timing.runs_table(replace(timing_full(), runs=(forced,))).iloc[0]
    assert row["answer"] == "1889 (forced)" and row["how it ended"] == timing.ENDED_WORDS["stopped"]


def test_a_moved_threshold_tells_the_fate_of_each_lookup_of_the_policys_own_run() -> None:
    result = timing_full()
    etc = trace_of(result, "entropy_trend")
    assert etc is not None
    assert timing.run_replay_sentence(result, etc, 1.0) == "Its own run stays the same."
    raised = timing.run_replay_sentence(result, etc, 9.0)
    assert "lookup 1 would not happen" in raised and "lookup 2 not known" in raised
    flare = trace_of(result, "flare")
    assert flare is not None and timing.run_replay_sentence(result, flare, 0.5) == "", (
        "FLARE wrote no answer of its own"
    )


@pytest.mark.parametrize(
    ("retriever", "told"),
    [
        ("hybrid", "hybrid search (the papers use BM25)"),
        ("vector", "vector search (the papers use BM25)"),
        ("reranked", "reranking (the papers use BM25)"),
        ("another", "another (the papers use BM25)"),
        ("bm25", "BM25 (as in the papers)"),
    ],
)
def test_the_papers_retriever_is_named_beside_the_runs(retriever: str, told: str) -> None:
    assert timing.retriever_sentence(replace(timing_full(), retriever=retriever)) == f"Lookups by {told}."


def test_a_verdict_has_the_base_rate_of_the_thresholds_that_were_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    rates = {"timing": {"questions": 200.0, "entropy_trend": 150.0, "flare": 90.0, "dragin": 7.0}}
    bars = {"entropy_trend": 1.0, "flare": 0.8, "dragin": 0.123}
    monkeypatch.setattr(timing, "CHECK_RATES", rates | {"timing_thresholds": bars})
    told = f"Of 200 questions to {timing.measured_writer()} ETC fires in 150 and FLARE in 90."
    assert timing.verdict(timing_full()).detail == told
    monkeypatch.setattr(timing, "CHECK_RATES", rates | {"timing_thresholds": {}})
    assert timing.verdict(timing_full()).detail == ""


def test_a_verdict_says_why_no_policy_was_measured() -> None:
    full = timing_full()
    lacking = next(one for one in full.lanes if one.policy == "quco_rag")
    schedules = tuple(one for one in full.lanes if not timing.watches(one))
    reasons = {
        "": timing.verdict(replace(full, lanes=schedules)).sentence,
        "lane": timing.verdict(replace(full, lanes=(*schedules, lacking))).sentence,
        "run": timing.verdict(replace(full, not_measured="It wrote nothing.")).sentence,
    }
    assert reasons == {"": "No policy works with this model.", "lane": lacking.not_measured, "run": "It wrote nothing."}


@pytest.mark.parametrize(
    ("rights", "told"),
    [
        ((True, False, True), "Right by words in its own run: Never and ETC."),
        ((False, False, None), "By words no policy's answer is right."),
        ((None, None, None), "Not judged: no correct answer."),
    ],
)
def test_policies_whose_own_answer_is_right_are_named(rights: tuple[bool | None, ...], told: str) -> None:
    full = timing_full()
    runs = tuple(replace(run, right=right) for run, right in zip(full.runs, rights, strict=True))
    silent = replace(runs[1], right=True, not_measured="It failed.")
    assert timing.runs_sentence(replace(full, runs=runs)) == told
    assert timing.runs_sentence(replace(full, runs=(runs[0], silent, runs[2]))) == told
    never = replace(full, runs=runs[:1], right=True)
    assert "redundant" not in timing.runs_sentence(never), "without a lookup none was redundant"


def test_a_signal_next_to_its_threshold_or_to_zero_has_the_digits_that_tell_them_apart() -> None:
    trace = timing_full().lanes[0]
    flare = replace(trace, policy="flare", bar=PolicyThreshold(rule="below", threshold=0.8, unit="probability"))
    near = Signal(token=4, start=0, end=4, cut=0, text="Rome", value=0.79987, query="Where?")
    flare = replace(flare, signals=(near, replace(near, value=0.0004)))
    assert ": value 0.7999 (value < 0.8 probability); " in timing.signal_sentence(flare, 0, (0, 1))
    assert ": value 0.0004 (value < 0.8 probability); " in timing.signal_sentence(flare, 1, (0, 1))
    bar = PolicyThreshold(rule="magnitude at least", threshold=1.0, unit="nats")
    etc = replace(flare, bar=bar, signals=(replace(near, value=-0.998),))
    assert ": value −0.998, does not fire (needs |value| ≥ 1 nats); " in timing.signal_sentence(etc, 0, ())


def test_only_the_first_signal_that_fires_looks_something_up() -> None:
    bar = PolicyThreshold(rule="magnitude at least", threshold=1.0, unit="nats")
    quiet = Signal(token=5, start=0, end=7, cut=0, text="Physics", value=0.637, query="first Nobel")
    signals = (quiet, replace(quiet, value=-1.09), replace(quiet, value=2.36))
    etc = replace(timing_full().lanes[0], policy="entropy_trend", bar=bar, signals=signals)
    said = [timing.signal_sentence(etc, place, (1, 2)) for place in range(3)]
    assert said[0].endswith(": value 0.64, does not fire (needs |value| ≥ 1 nats); would look up “first Nobel”.")
    assert said[1].endswith(": value −1.09 (|value| ≥ 1 nats); looks up “first Nobel”.")
    assert said[2].endswith(": value 2.36 (|value| ≥ 1 nats); not reached, would look up “first Nobel”.")
    moved = timing.signal_sentence(etc, 0, (0, 1, 2), 0.5)
    assert moved.endswith(": value 0.64 (|value| ≥ 0.5 nats); looks up “first Nobel”."), "the moved threshold is named"


def test_a_lookup_on_schedule_is_told_without_a_value_and_one_without_a_query_or_a_value_says_so() -> None:
    full = timing_full()
    once, etc = (next(one for one in full.lanes if one.policy == word) for word in ("once", "entropy_trend"))
    told = "Once at the start, before writing: on schedule; looks up “When did the tower open?”"
    assert timing.signal_sentence(once, 0, (0,)) == told
    bare = replace(etc, signals=(replace(etc.signals[0], value=None, query=" "),))
    assert timing.signal_sentence(bare, 0, ()) == "ETC at token 3, “opened”: not measured here; without a query."
    assert timing.signals_table(etc).values.tolist()[0] == [3, " opened", 0.4, False, "tower opened"]


@pytest.mark.parametrize(
    ("threshold", "trace_told", "run_told"),
    [
        (
            0.3,
            "ETC at 0.30 nats instead of 1. Newly fires: token 3, “opened” and token 10, “1887.”. Valid up to token 3.",
            "In its own run: lookup 1 not known and lookup 2 not known. Instead it looks up at “opened”. "
            "Valid for its first 9 characters.",
        ),
        (
            0.9,
            "ETC at 0.90 nats instead of 1. Newly fires: token 10, “1887.”. The first trigger stays.",
            "In its own run: lookup 1 stays and lookup 2 not known. An earlier lookup is possible. "
            "Valid for its first 19 characters.",
        ),
        (1.0, "ETC: the run's own threshold. Move it.", "Its own run stays the same."),
        (
            1.3,
            "ETC at 1.30 nats: same triggers as at 1.",
            "In its own run: lookup 1 stays and lookup 2 would not happen. Valid for its first 25 characters.",
        ),
        (
            2.0,
            "ETC at 2.00 nats instead of 1. No longer fires: token 5, “1887.”. Valid up to token 5.",
            "In its own run: lookup 1 would not happen and lookup 2 not known. Valid for its first 19 characters.",
        ),
    ],
)
def test_a_moved_threshold_is_told_of_the_answer_from_memory_and_of_the_policys_own_run(
    threshold: float, trace_told: str, run_told: str
) -> None:
    result = timing_full()
    etc = trace_of(result, "entropy_trend")
    assert etc is not None
    assert timing.replay_sentence(etc, threshold) == trace_told
    assert timing.run_replay_sentence(result, etc, threshold) == run_told
    failed = tuple(replace(run, not_measured="It failed.") for run in result.runs)
    assert timing.run_replay_sentence(replace(result, runs=failed), etc, threshold) == ""


@pytest.mark.parametrize(
    ("unit", "values", "own", "top"),
    [
        ("nats", (0.4, -1.5, None), 1.0, 2.0),
        ("nats", (0.4, math.inf), 1.0, 1.5),
        ("nats", (0.1,), 0.2, 1.0),
        ("nats", (0.1,), 7.3, 8.5),
        ("probability", (0.1,), 0.8, 1.0),
        ("mean of the attention", (3.0,), 0.8, 1.0),
    ],
)
def test_a_threshold_can_be_moved_from_0_to_where_nothing_fires_any_more(
    unit: str, values: tuple[float | None, ...], own: float, top: float
) -> None:
    # A tenth above the largest value of either sign, to the next half.
    etc = timing_full().lanes[0]
    signals = tuple(replace(etc.signals[0], value=value) for value in values)
    moved = replace(etc, bar=replace(etc.bar, unit=unit, threshold=own), signals=signals)
    assert timing.threshold_range(moved) == (0.0, top)


def test_policies_that_are_not_measured_are_not_said_to_stay_silent() -> None:
    full = timing_full()
    kept = {trace.policy: trace for trace in full.lanes}
    etc, flare, lacking = kept["entropy_trend"], replace(kept["flare"], triggers=(), delay=None), kept["quco_rag"]

    def told(*traces: PolicyTrace) -> str:
        return timing.trace_sentence(replace(full, lanes=traces))

    assert told(etc, lacking).endswith(" The others are not measured.")
    assert told(etc, flare, lacking).endswith(" No other measured policy fires.")
    assert told(etc, flare).endswith(" No other policy fires.")


def test_a_verdict_that_nothing_fires_speaks_only_of_the_policies_that_were_measured() -> None:
    quiet = tuple(replace(lane, triggers=()) for lane in timing_full().lanes if timing.watches(lane))
    assert any(lane.not_measured for lane in quiet)
    some = timing.verdict(replace(timing_full(), lanes=quiet))
    every = timing.verdict(replace(timing_full(), lanes=tuple(lane for lane in quiet if not lane.not_measured)))
    assert some.word == "no measured policy looks anything up"
    assert every.word == "no adaptive policy looks anything up"


def test_no_threshold_can_be_moved_where_nothing_was_written() -> None:
    assert timing.movable(timing_full())
    assert timing.movable(replace(timing_full(), not_measured="The model wrote nothing.")) == ()
