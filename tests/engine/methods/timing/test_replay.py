"""A policy's own run at another threshold: each lookup stays, would not happen, or is not known."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine.core.records import Generation, Prompt
from engine.diagnosis.serialize import from_json
from engine.methods.timing.base import Continuation, PolicyRun, PolicyThreshold, Retrieval, Signal
from engine.methods.timing.method import TimingResult
from engine.methods.timing.replay import ReplayedRun, replay_run

RUNS = Path(__file__).parents[4] / "sample_data" / "policy_runs"
# A run that the base model wrote, as it was shipped at first.
OLD_RUN = Path(__file__).parents[3] / "reference" / "london_bridge_run.json.gz"
ETC = PolicyThreshold(rule="magnitude at least", threshold=1.0, unit="nats")
WRITTEN = Generation(
    prompt=Prompt(text="q", chat=False), rendered="q", prompt_tokens=1, text="x" * 40, tokens=(), stop_reason="end",
    temperature=0.0, seed=0,
)  # fmt: skip


def lookup(characters: int, value: float | None) -> Retrieval:
    """Return a lookup after so many characters, by this value."""
    return Retrieval(characters=characters, tokens=0, value=value, query="q", hits=())


def signal(start: int, value: float) -> Signal:
    """Return a signal that would cut where it stands."""
    return Signal(token=start, start=start, end=start + 1, cut=start, text="w", value=value, query="q")


def old_run(*values: float) -> PolicyRun:
    """Return a run of the first loop, which stored the values of its lookups alone, ten characters apart."""
    lookups = tuple(lookup(10 * place, value) for place, value in enumerate(values, 1))
    return PolicyRun(
        policy="entropy_trend", text="x" * 60, answer="", right=None, ended="answered", used_up=False,
        retrievals=lookups, written=(), tokens_kept=1, tokens_written=1, prompt_tokens=1,
    )  # fmt: skip


def new_run(*ladders: list[tuple[int, float]], fires: float = 1.0) -> PolicyRun:
    """Return a run with these signals in its continuations; where the last one reaches ``fires`` it was looked up."""
    written, lookups, text = [], [], 0
    for steps in ladders:
        judged = tuple(signal(*step) for step in steps)
        asked = bool(judged) and abs(judged[-1].value or 0) >= fires
        kept = judged[-1].cut if asked else 40
        number = len(lookups) if asked else None
        written.append(
            Continuation(generation=WRITTEN, kept=kept, over=None, why="whole", lookup=number, judged=judged)
        )
        text += kept
        if asked:
            lookups.append(lookup(text, judged[-1].value))
    return replace(old_run(), text="x" * text, retrievals=tuple(lookups), written=tuple(written), loop_version=2)


def test_a_later_lookup_that_would_not_happen_makes_the_run_another_one() -> None:
    # London Bridge, α 1 → 3.43: replay said that the run would be the same.
    found = replay_run(old_run(5.68, 1.71, -3.40), ETC, 3.43, most=3)
    assert found == ReplayedRun(fates=("stays", "would not happen", "not known"), same=False, true_until=20)


def test_the_recorded_run_that_showed_it() -> None:
    record = from_json(gzip.decompress(OLD_RUN.read_bytes()).decode("utf-8"))
    timing = record.result(TimingResult)
    assert timing is not None and timing.loop_version == 1
    (run,) = [one for one in timing.runs if one.policy == "entropy_trend"]
    (lane,) = [one for one in timing.lanes if one.policy == "entropy_trend"]
    assert [round(one.value or 0, 2) for one in run.retrievals] == [5.68, 1.71, -3.4]
    found = replay_run(run, lane.bar, 3.43, 3, lane)
    assert (found.fates, found.same) == (("stays", "would not happen", "not known"), False)
    assert found.true_until == run.retrievals[1].characters


@pytest.mark.parametrize(("alpha", "same"), [(1.0, True), (1.5, True), (0.5, None)])
def test_of_a_run_that_kept_no_signals_a_stricter_threshold_is_known_and_a_laxer_one_is_not(alpha, same) -> None:
    found = replay_run(old_run(5.68, 1.71, -3.40), ETC, alpha, most=3)
    assert found.same is same
    assert found.fates == ("stays",) * 3 if same else found.fates == ("not known",) * 3


def test_with_its_signals_a_run_tells_both_ways_what_comes_first() -> None:
    run = new_run([(3, 0.4), (9, 2.0)], [(5, -1.2)], [(2, 0.3), (8, 0.6)])
    assert len(run.retrievals) == 2
    assert replay_run(run, ETC, 1.1, most=3) == ReplayedRun(fates=("stays", "stays"), same=True)
    assert replay_run(run, ETC, 0.9, most=3).same is True
    stricter = replay_run(run, ETC, 1.5, most=3)
    assert (stricter.fates, stricter.same, stricter.true_until) == (("stays", "would not happen"), False, 14)
    laxer = replay_run(run, ETC, 0.5, most=3)
    assert (laxer.fates, laxer.same, laxer.true_until) == (("stays", "stays"), False, 14 + 8), "a third one is added"
    first = replay_run(run, ETC, 0.35, most=3)
    assert (first.fates, first.true_until) == (("not known", "not known"), 3), "another one comes before the first"
    assert first.instead is not None and first.instead.value == 0.4
    assert replay_run(run, ETC, 0.5, most=2).same is True, "where no lookup was left, none is added"


def test_a_gate_that_opens_or_closes_is_another_run_from_the_first_character() -> None:
    gate = PolicyThreshold(rule="above", threshold=0.55, unit="nats")
    asked = replace(new_run([]), retrievals=(lookup(0, 0.7),), opening=(signal(0, 0.7),))
    assert replay_run(asked, gate, 0.65, most=3).same is True
    closed = replay_run(asked, gate, 0.8, most=3)
    assert (closed.fates, closed.same, closed.true_until) == (("would not happen",), False, 0)
    quiet = replace(new_run([]), opening=(signal(0, 0.5),))
    assert replay_run(quiet, gate, 0.45, most=3).same is False


def test_every_recorded_run_at_its_own_threshold_is_the_same() -> None:
    for file in sorted(RUNS.glob("*.json")):
        timing = from_json(file.read_text(encoding="utf-8")).result(TimingResult)
        assert timing is not None
        lanes = {lane.policy: lane for lane in timing.lanes}
        for run in timing.runs:
            lane = lanes[run.policy]
            if lane.bar.threshold is not None and not run.not_measured:
                found = replay_run(run, lane.bar, lane.bar.threshold, timing.config.most_retrievals, lane)
                assert found.same is True, json.dumps([file.stem, run.policy])
