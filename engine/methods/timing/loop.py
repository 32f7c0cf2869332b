"""The loop every policy shares: continue, check, cut, query, retrieve, go on.

The model writes ahead (as much as is left); the policy judges that; at its first signal over the bar the text is cut,
its query is looked up, and writing goes on over the passages, of which the policy says how much stays. Then the text
goes on: from memory, or over the passages where the policy keeps them. As in the released programs of DRAGIN and ETC a
run ends with its conclusion ("So the answer is …"), or where the text no longer grows: *stopped without an answer*. It
also ends where a budget is spent. Where it did not conclude, its answer is forced (``engine.methods.conclusion``).

A lookup that finds nothing (no corpus, an empty query) is recorded with its reason; the text goes on without passages.
Each continuation says what stayed of it and why (``moves``).

A loop is a generator of requests: all policies' loops are carried forward side by side, one batch a round, and one
that asks what another has asked costs nothing with a model that remembers.
"""

from collections.abc import Generator, Sequence
from dataclasses import replace

from engine.backends.language_models.base import Request
from engine.core.errors import CapabilityError, CorpusError, NotMeasured
from engine.core.progress import Stage
from engine.core.records import Generation, Hit
from engine.methods.base import with_numbers
from engine.methods.conclusion import concluded_answer, forced_request, scored
from engine.methods.profiles import step_by_step_prompt
from engine.methods.step_by_step import step_by_step_request
from engine.methods.timing.base import (
    LOOP_VERSION,
    Checks,
    Continuation,
    DraftView,
    Policy,
    PolicyContext,
    PolicyRun,
    Retrieval,
    Signal,
    fired,
    ladder,
)
from engine.methods.timing.moves import Draft, Move, decide, most_tokens, tokens_before

NO_CORPUS = "There is no corpus to look in: the question came without passages."
NO_QUERY = "The query is empty: nothing in the text before it could be looked up."


def run_together(policies: Sequence[Policy], scene: PolicyContext) -> tuple[PolicyRun, ...]:
    """Return each policy's own run, in order. ``report`` is called before each round and may raise to stop."""
    return run_loops([(policy, scene) for policy in policies])


def run_loops(asked: Sequence[tuple[Policy, PolicyContext]]) -> tuple[PolicyRun, ...]:
    """Return the run of each policy in its own scene, in order; all go side by side with the first scene's writer."""
    if not asked:
        return ()
    scene = asked[0][1]
    loops = {place: policy_loop(policy, own) for place, (policy, own) in enumerate(asked)}
    runs: dict[int, PolicyRun] = {}
    waiting: dict[int, Request] = {}
    for place in list(loops):
        advance(place, loops, waiting, runs, None)
    while waiting:
        done, total = len(runs), len(asked)
        scene.backends.report(Stage(method="timing", name="each policy writes its answer", done=done, total=total))
        places, requests = list(waiting), list(waiting.values())
        found = with_numbers(scene.backends.writer.generate(requests, scene.backends.report), scene.backends.writer)
        waiting.clear()
        for place, generation in zip(places, found, strict=True):
            advance(place, loops, waiting, runs, generation)
    return tuple(runs[place] for place in range(len(asked)))


Loop = Generator[Request, Generation, PolicyRun]


def advance(
    place: int,
    loops: dict[int, Loop],
    waiting: dict[int, Request],
    runs: dict[int, PolicyRun],
    generation: Generation | None,
) -> None:
    """Carry one loop to its next request, or to its end."""
    try:
        waiting[place] = next(loops[place]) if generation is None else loops[place].send(generation)
    except StopIteration as end:
        runs[place] = end.value


def policy_loop(policy: Policy, scene: PolicyContext) -> Loop:
    """Yield the requests of a policy's loop and return its run.

    What the model cannot give, or a policy cannot measure, ends it with the reason in ``not_measured``.
    """
    scene, draft, reason = replace(scene, checks=Checks()), Draft(), ""
    try:
        open_run(policy, draft, scene)
        while draft.ended is None:
            left = most_tokens(scene) - draft.tokens
            if left < 1 or over_budget(draft, scene):
                draft.ended = "out of tokens"
                break
            generation = yield continuation(policy, draft, scene, left)
            look = DraftView(scene, draft.text, generation)
            accept(draft, look, decide(policy, look, draft), scene)
        if not concluded_answer(draft.text, scene.backends.text):
            draft.forced = yield forced_request(scene.case.question, scene.case.profile, draft.text)
    except (CapabilityError, NotMeasured) as exc:
        reason = str(exc)
    return build_run(policy, draft, scene, reason)


def open_run(policy: Policy, draft: Draft, scene: PolicyContext) -> None:
    """Let the policy look at the question before anything is written, and look it up where it asks for that."""
    signals, bar = policy.before(scene), policy.bar(scene.config)
    draft.opening = ladder(signals, bar)
    places = fired(signals, bar)
    draft.used_up = bool(places) and scene.config.most_retrievals < 1
    if places and not draft.used_up:
        look_up(draft, signals[places[0]], scene)


def over_budget(draft: Draft, scene: PolicyContext) -> bool:
    """Return whether as many tokens were read and written for a run as its settings allow in all."""
    most = scene.config.most_total
    return most is not None and sum(tokens_taken(draft, scene)) >= most


def tokens_taken(draft: Draft, scene: PolicyContext) -> tuple[int, int]:
    """Return how many tokens were read and written for a run so far: all continuations and the policy's checks."""
    made = [one.generation for one in draft.written] + ([draft.forced] if draft.forced else [])
    read = sum(generation.prompt_tokens for generation in made) + scene.checks.read
    return read, sum(len(generation.tokens) for generation in made) + scene.checks.written


def continuation(policy: Policy, draft: Draft, scene: PolicyContext, left: int) -> Request:
    """Return the greedy request for what comes next: ``left`` tokens at most, or the policy's piece."""
    piece, case = policy.piece(scene.config), scene.case
    passages = () if draft.over is None else tuple(hit.passage for hit in draft.retrievals[draft.over].hits)
    return replace(
        step_by_step_request(case.question, case.profile),
        prompt=step_by_step_prompt(case.question, case.profile, passages, draft.text),
        max_tokens=left if piece is None else min(left, piece),
    )


def accept(draft: Draft, look: DraftView, move: Move, scene: PolicyContext) -> None:
    """Put what stays behind the draft's text, and look something up where the policy asks for it."""
    generation = look.generation
    draft.written.append(
        Continuation(
            generation=generation,
            kept=move.kept,
            over=draft.over,
            why=move.why,
            lookup=None if move.trigger is None else len(draft.retrievals),
            judged=move.judged,
        )
    )
    draft.text += generation.text[: move.kept]
    draft.tokens += tokens_before(generation, move.kept)
    draft.ended, draft.fresh = move.ended, False
    draft.used_up = draft.used_up or move.used_up
    if move.ended is None:
        # A prompt that ends in a space makes a model of sub-words write its next word without one.
        draft.text = draft.text.rstrip()
    if move.trigger is not None:
        look_up(draft, move.trigger, scene)
    elif move.drops_passages:
        draft.over = None


def look_up(draft: Draft, trigger: Signal, scene: PolicyContext) -> None:
    """Search with a signal's query and put what was found, or why nothing was, into the draft."""
    hits, failed = search(trigger.query, scene)
    draft.retrievals.append(
        Retrieval(
            characters=len(draft.text),
            tokens=draft.tokens,
            value=trigger.value,
            query=trigger.query,
            hits=hits,
            failed=failed,
        )
    )
    draft.over = len(draft.retrievals) - 1 if hits else None
    draft.fresh = True


def search(query: str, scene: PolicyContext) -> tuple[tuple[Hit, ...], str]:
    """Return the hits of one lookup, or () and the reason why there are none."""
    corpus = scene.backends.corpus
    if corpus is None:
        return (), NO_CORPUS
    if not query.strip():
        return (), NO_QUERY
    try:
        return corpus.search(query, scene.config.passages, scene.config.retriever or scene.backends.retriever), ""
    except CorpusError as exc:
        return (), str(exc)


def build_run(policy: Policy, draft: Draft, scene: PolicyContext, not_measured: str) -> PolicyRun:
    """Return a draft that has ended as a run."""
    found = scored(draft.text, draft.forced, scene.case.golds, scene.backends.text)
    read, written = tokens_taken(draft, scene)
    return PolicyRun(
        policy=policy.word,
        text=draft.text,
        answer=found.answer,
        right=None if not_measured else found.right,
        ended=draft.ended or "stopped",
        used_up=draft.used_up,
        retrievals=tuple(draft.retrievals),
        written=tuple(draft.written),
        tokens_kept=draft.tokens,
        tokens_written=written,
        prompt_tokens=read,
        not_measured=not_measured,
        forced=draft.forced,
        checks_read=scene.checks.read,
        checks_written=scene.checks.written,
        opening=draft.opening,
        loop_version=LOOP_VERSION,
    )
