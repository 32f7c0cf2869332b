"""The method "timing": both views in one record, the same numbers as ETC's own page, and what is refused."""

from dataclasses import replace

import pytest

from engine.backends.corpus_stats import count_documents
from engine.core.errors import InputError
from engine.core.progress import Stage
from engine.methods import DEFAULT_METHODS, METHODS, entropy_trend
from engine.methods.timing.claims import claims_of, with_claims
from engine.methods.timing.loop import NO_CORPUS
from engine.methods.timing.method import TimingConfig, check_timing, run, run_of, trace_of
from engine.methods.timing.policies import POLICIES
from engine.methods.timing.trace import first_trigger
from tests.engine.methods.test_entropy_trend import SPOKEN
from tests.engine.methods.timing.timing_case import ScriptedCorpus, in_turn, scene, with_tools, writer_of
from tests.viz.sample_timing_results import policy_run, timing_full

MEMORY = " Lyra Quill lived in Rome. She built clocks. So the answer is Rome."


def timed(speak, config: TimingConfig | None = None, corpus: ScriptedCorpus | None = None, **changed: object):
    """Return timing's result on a scripted case, and the scene it ran in."""
    found = scene(speak, corpus, **changed)
    return run(found.case, config or TimingConfig(policies=()), found.backends), found


def test_it_is_a_method_that_the_user_ticks() -> None:
    assert "timing" in METHODS and "timing" not in DEFAULT_METHODS


def test_a_policys_trace_and_run_are_found_by_its_word() -> None:
    result = timing_full()
    for word in POLICIES:
        traces = [one for one in result.lanes if one.policy == word]
        runs = [one for one in result.runs if one.policy == word]
        assert ([trace_of(result, word)], [run_of(result, word)]) == (traces or [None], runs or [None])
    assert (run_of(result, "flare"), trace_of(result, "another"), trace_of(None, "flare")) == (None, None, None)


def test_the_trace_alone_writes_one_answer_and_the_gates_samples() -> None:
    result, found = timed(in_turn(MEMORY))
    assert result.runs == ()
    assert [lane.policy for lane in result.lanes] == list(POLICIES)
    assert sum(request.temperature == 0 for request in writer_of(found).requests) == 1


def test_etcs_lane_is_etcs_own_method_on_the_same_answer() -> None:
    result, found = timed(lambda request: SPOKEN, TimingConfig(policies=(), alpha=0.5))
    own = entropy_trend.run(found.case, entropy_trend.EntropyTrendConfig(alpha=0.5), found.backends)
    lane = result.lanes[0]
    assert result.generation == own.generation
    assert len(own.triggers) == 2
    assert [lane.signals[place].cut for place in lane.triggers] == [len(trigger.kept) for trigger in own.triggers]
    assert [lane.signals[place].query for place in lane.triggers] == [trigger.query for trigger in own.triggers]


def test_never_writes_the_answer_that_the_trace_judges() -> None:
    result, _ = timed(lambda request: MEMORY, TimingConfig(policies=("never",)), golds=("Rome",))
    (never,) = result.runs
    assert never.text == result.generation.text == MEMORY
    assert (never.right, result.right) == (True, True)


def test_a_policy_first_looks_up_where_its_lane_says() -> None:
    result, _ = timed(lambda request: SPOKEN, TimingConfig(policies=("entropy_trend",), alpha=0.5), ScriptedCorpus())
    trigger, (lookup, *_) = first_trigger(result.lanes[0]), result.runs[0].retrievals
    assert trigger is not None
    assert (lookup.tokens, lookup.value, lookup.query) == (trigger.token, trigger.value, trigger.query)


def test_without_a_corpus_the_record_says_that_nothing_can_be_looked_up() -> None:
    result, _ = timed(lambda request: MEMORY, TimingConfig(policies=("once",)))
    assert result.no_retrieval == NO_CORPUS
    assert result.runs[0].retrievals[0].failed == NO_CORPUS
    assert result.not_measured == "", "the trace is measured all the same"


def test_an_answer_of_nothing_is_not_measured() -> None:
    result, _ = timed(lambda request: "")
    assert result.not_measured == "The model wrote nothing that a policy could judge."


def test_policies_named_twice_run_once_and_the_staircase_only_when_asked_for() -> None:
    config = TimingConfig(policies=("never", "never"))
    result, _ = timed(lambda request: MEMORY, config, golds=("Rome",))
    assert len(result.runs) == 1
    assert (result.runs[0].stairs, result.runs[0].stair_note) == ((), "")
    climbed, _ = timed(lambda request: MEMORY, replace(config, staircase=True), golds=("Rome",))
    assert climbed.runs[0].stair_note.startswith("Nothing was retrieved")


def test_every_stage_is_told_as_timings() -> None:
    told: list[Stage] = []
    timed(
        lambda request: MEMORY,
        TimingConfig(policies=("once",), staircase=True),
        ScriptedCorpus(),
        golds=("Rome",),
        report=lambda event: told.append(event) if isinstance(event, Stage) else None,
    )
    assert {stage.method for stage in told} == {"timing"}
    assert "sampling answers with passages" in {stage.name for stage in told}


def test_settings_that_cannot_be_used_are_refused_with_field_and_value() -> None:
    breaches: dict[str, tuple[object, str]] = {
        "policies": (("etc",), "'etc'.*entropy_trend"),
        "passages": (0, "passages .*1.* 0"),
        "fixed_length": (0, "fixed length .*1.* 0"),
        "query_words": (0, "query words .*1.* 0"),
        "most_tokens": (0, "most tokens .*1.* 0"),
        "most_retrievals": (-1, "most retrievals .*0.* -1"),
        "alpha": (float("nan"), "alpha .*nan"),
    }
    for name, (value, words) in breaches.items():
        with pytest.raises(InputError, match=words):
            check_timing(replace(TimingConfig(), **{name: value}))  # type: ignore[arg-type]


def test_every_policys_answer_has_its_claims_with_the_places_where_both_ends_meet() -> None:
    said = " Lyra Quill rebuilt the Vesper Clock. Lyra Quill married Otto Brand. So the answer is Lyra Quill."
    config = TimingConfig(policies=("never", "once"), cooccurrence_share=0.0)
    result, _ = timed(lambda request: said, config, ScriptedCorpus())
    for run_ in result.runs:
        assert run_.claims is not None and [one.text.split()[-1] for one in run_.claims] == ["Clock.", "Brand."]
        (met,), (missed,) = (one.claims for one in run_.claims)
        assert (met.documents, met.supported, missed.documents, missed.supported) == (1, True, 0, False)
        assert "rebuilt it in 1890" in met.meetings[0].excerpt and missed.meetings == ()


def test_claims_of_an_answer_that_the_budget_cut_leave_its_last_sentence_out() -> None:
    said = " Lyra Quill rebuilt the Vesper Clock. Lyra Quill married Otto"
    found = scene(lambda request: said, ScriptedCorpus())
    cut = replace(policy_run("never", said, None), ended="out of tokens")
    assert [len(claims_of(one, found)) for one in (cut, replace(cut, ended="concluded"))] == [1, 2]


def test_without_a_corpus_to_count_in_a_run_has_no_claims_and_says_none_were_counted() -> None:
    found = scene(lambda request: MEMORY, ScriptedCorpus())
    bare = with_tools(found, counter=count_documents((), "nothing"))
    run_ = policy_run("never", MEMORY, None)
    assert with_claims((run_,), bare)[0].claims is None
