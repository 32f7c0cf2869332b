"""Made-up results of retrieval timing: one with everything in it, and the ones with something missing or hostile."""

from dataclasses import replace

from engine.core.records import Generation, Interval, Prompt, Token
from engine.methods.timing.base import (
    BeliefStep,
    Continuation,
    PolicyRun,
    PolicyThreshold,
    PolicyTrace,
    Retrieval,
    Signal,
    fired,
)
from engine.methods.timing.loop import NO_CORPUS
from engine.methods.timing.method import TimingConfig, TimingResult
from engine.methods.timing.policies import POLICIES
from engine.methods.timing.trace import with_delays
from tests.viz.sample_results import hits, seper_helped

WORDS = "The tower opened in 1887. So the answer is 1887."
HOSTILE = '<script>alert("x")</script>'


def generation(text: str = WORDS) -> Generation:
    """Return a generation of one token a word, each a little less sure than the one before."""
    tokens, place = [], 0
    for number, word in enumerate(text.split(" ")):
        piece = word if number == 0 else " " + word
        tokens.append(
            Token(
                id=number, text=piece, start=place, end=place + len(piece), logprob=-0.1 * number, entropy=0.2 * number
            )
        )
        place += len(piece)
    prompt = Prompt(text="Question: When did the tower open?\nAnswer:", chat=False)
    return Generation(
        prompt=prompt,
        rendered=prompt.text,
        prompt_tokens=9,
        text=text,
        tokens=tuple(tokens),
        stop_reason="end",
        temperature=0.0,
        seed=0,
    )


def lane(
    policy: str, values: dict[int, float | None], config: TimingConfig, query: str = "tower opened"
) -> PolicyTrace:
    """Return a policy's lane with these values by token, triggered at the config's threshold."""
    written, bar = generation(), POLICIES[policy].bar(config)
    signals = tuple(
        Signal(
            token=token,
            start=written.tokens[token].start,
            end=written.tokens[token].end,
            cut=written.tokens[token].start,
            text=written.tokens[token].text,
            value=value,
            query=query,
        )
        for token, value in values.items()
    )
    return PolicyTrace(policy=policy, bar=bar, signals=signals, triggers=fired(signals, bar))


def lanes(config: TimingConfig) -> tuple[PolicyTrace, ...]:
    """Return ETC at token 5, FLARE at token 3 and 8, DRAGIN nowhere, QuCo-RAG not measured, once at the start."""
    start = Signal(token=0, start=0, end=0, cut=0, text="", value=None, query="When did the tower open?")
    return with_delays(
        (
            lane("entropy_trend", {2: 0.4, 4: -1.5, 9: 0.9}, config),
            lane("flare", {0: 0.99, 2: 0.7, 4: 0.9, 7: 0.3}, config),
            lane("dragin", {2: 0.3, 4: 0.6}, config),
            PolicyTrace(
                policy="quco_rag",
                bar=PolicyThreshold(rule="below", threshold=1.0, unit="documents"),
                signals=(),
                triggers=(),
                not_measured="The corpus could not be counted.",
            ),
            PolicyTrace(policy="once", bar=POLICIES["once"].bar(config), signals=(start,), triggers=(0,)),
            PolicyTrace(policy="never", bar=POLICIES["never"].bar(config), signals=(), triggers=()),
        )
    )


def lookup(characters: int, tokens: int, value: float | None, query: str, failed: str = "") -> Retrieval:
    """Return a lookup that found the first two sample passages, or failed."""
    found = () if failed else hits()[:2]
    return Retrieval(characters=characters, tokens=tokens, value=value, query=query, hits=found, failed=failed)


def policy_run(policy: str, text: str, right: bool | None, lookups: tuple[Retrieval, ...] = ()) -> PolicyRun:
    """Return a run that wrote its text in one go."""
    written = Continuation(generation=generation(text), kept=len(text), over=0 if lookups and lookups[0].hits else None)
    words = len(text.split(" "))
    return PolicyRun(
        policy=policy,
        text=text,
        answer=text.rstrip(".").split(" is ")[-1] if " is " in text else "",
        right=right,
        ended="answered",
        used_up=False,
        retrievals=lookups,
        written=(written,),
        tokens_kept=words,
        tokens_written=words + 4 * len(lookups),
        prompt_tokens=40,
    )


def stairs() -> tuple[BeliefStep, ...]:
    """Return belief before, after a lookup that helped, and after one within noise."""
    before, after = seper_helped().without, seper_helped().with_passages
    first = BeliefStep(retrieval=0, passages=0, belief=before, soft=0.2, soft_interval=Interval(low=0.1, high=0.3))
    second = BeliefStep(
        retrieval=1, passages=2, belief=after, soft=0.7, soft_interval=Interval(low=0.6, high=0.8), gain=0.5,
        gain_interval=Interval(low=0.35, high=0.65), worth="helped",
    )  # fmt: skip
    third = BeliefStep(
        retrieval=2, passages=3, belief=after, soft=0.72, soft_interval=Interval(low=0.6, high=0.85), gain=0.02,
        gain_interval=Interval(low=-0.1, high=0.12), worth="within noise",
    )  # fmt: skip
    return (first, second, third)


def timing_full(right_from_memory: bool | None = False) -> TimingResult:
    """Return both views: six lanes; never wrong, once right with one lookup, ETC right with two and a staircase."""
    config = TimingConfig(policies=("never", "once", "entropy_trend"), staircase=True)
    etc = policy_run(
        "entropy_trend",
        "The tower opened in 1889. So the answer is 1889.",
        True,
        (lookup(19, 4, -1.5, "tower opened"), lookup(25, 5, 1.2, "tower opened 1889")),
    )
    return TimingResult(
        variant="paper",
        config=config,
        most_tokens=96,
        corpus="Sample encyclopaedia",
        retriever="hybrid",
        no_retrieval="",
        golds=("1889",),
        generation=generation(),
        answer="1887",
        right=right_from_memory,
        lanes=lanes(config),
        runs=(
            policy_run("never", WORDS, right_from_memory),
            policy_run("once", "So the answer is 1889.", True, (lookup(0, 0, None, "When did the tower open?"),)),
            replace(etc, stairs=stairs()),
        ),
    )


def timing_trace_only() -> TimingResult:
    """Return lanes without any run, golds or corpus."""
    return replace(timing_full(), golds=(), right=None, runs=(), corpus="", no_retrieval=NO_CORPUS)


def timing_without_corpus() -> TimingResult:
    """Return a run whose every lookup was impossible."""
    failed = policy_run("once", "So the answer is 1887.", None, (lookup(0, 0, None, "When?", NO_CORPUS),))
    return replace(timing_full(), golds=(), right=None, runs=(failed,), corpus="", no_retrieval=NO_CORPUS)


def timing_unmeasured() -> TimingResult:
    """Return what a model that wrote nothing leaves."""
    empty = replace(generation(), text="", tokens=())
    reason = "The model wrote nothing that a policy could judge."
    return replace(timing_full(), generation=empty, lanes=(), runs=(), not_measured=reason)


def timing_hostile() -> TimingResult:
    """Return a result whose texts, queries and reasons are markup."""
    full = timing_full()
    written = generation(f"{HOSTILE} <b>bold</b> So the answer is {HOSTILE}.")
    signals = tuple(replace(signal, text=HOSTILE, query=HOSTILE) for signal in full.lanes[0].signals)
    hostile_lane = replace(full.lanes[0], signals=signals)
    hostile_run = policy_run("once", written.text, False, (lookup(5, 1, 0.5, HOSTILE), lookup(9, 2, 0.5, "q", HOSTILE)))
    return replace(full, generation=written, lanes=(hostile_lane,), runs=(hostile_run,), answer=HOSTILE)
