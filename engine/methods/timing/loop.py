"""The loop every policy shares: continue, check, cut, query, retrieve, go on.

DRAGIN's few-shot format and prompts with our own examples; passages stand between the examples and the question. The
model writes ahead (as much as is left); the policy judges that; at its first signal over the bar the text is cut, its
query is looked up, and writing goes on over the passages, of which the policy says how much stays. What goes on is
always at least a sentence further, so a loop ends. A lookup that finds nothing (no corpus, an empty query) is recorded
with its reason; the text goes on without passages.

A loop is a generator of requests: all policies' loops are carried forward side by side, one batch a round, and one
that asks what another has asked costs nothing with a model that remembers.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace

from engine.backends.language_models.base import Request
from engine.core.errors import CapabilityError, CorpusError, NotMeasured
from engine.core.progress import Stage
from engine.core.records import Generation, Hit, Passage, Prompt
from engine.measures.answer_match import contains
from engine.methods.base import with_numbers
from engine.methods.entropy_trend import CONCLUSION, final_answer
from engine.methods.profiles import numbered_lines
from engine.methods.step_by_step import NEXT_QUESTION, step_by_step_request
from engine.methods.timing.base import (
    Continuation,
    DraftView,
    Ended,
    Policy,
    PolicyContext,
    PolicyRun,
    Retrieval,
    Signal,
    fired,
)

NO_CORPUS = "There is no corpus to look in: the question came without passages."
NO_QUERY = "The query is empty: nothing in the text before it could be looked up."


@dataclass(slots=True, kw_only=True)
class Draft:
    """A run while it is being written. ``over`` numbers the retrieval whose passages stand in the prompt.

    ``fresh``: something was looked up just now, and nothing has been written since.
    """

    text: str = ""
    tokens: int = 0
    over: int | None = None
    fresh: bool = False
    used_up: bool = False
    ended: Ended | None = None
    retrievals: list[Retrieval] = field(default_factory=list)
    written: list[Continuation] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What a policy makes of text written ahead: characters [0, kept) stay; then a lookup, or the end, or neither."""

    kept: int
    trigger: Signal | None = None
    ended: Ended | None = None
    drops_passages: bool = False


def run_together(policies: Sequence[Policy], scene: PolicyContext) -> tuple[PolicyRun, ...]:
    """Return each policy's own run, in order. ``report`` is called before each round and may raise to stop."""
    loops = {place: policy_loop(policy, scene) for place, policy in enumerate(policies)}
    runs: dict[int, PolicyRun] = {}
    waiting: dict[int, Request] = {}
    for place in list(loops):
        advance(place, loops, waiting, runs, None)
    while waiting:
        done, total = len(runs), len(policies)
        scene.backends.report(Stage(method="timing", name="each policy writes its answer", done=done, total=total))
        places, requests = list(waiting), list(waiting.values())
        found = with_numbers(scene.backends.writer.generate(requests, scene.backends.report), scene.backends.writer)
        waiting.clear()
        for place, generation in zip(places, found, strict=True):
            advance(place, loops, waiting, runs, generation)
    return tuple(runs[place] for place in range(len(policies)))


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
    draft, reason = Draft(), ""
    try:
        opening = first_fired(policy, policy.before(scene), scene)
        draft.used_up = opening is not None and scene.config.most_retrievals < 1
        if opening is not None and not draft.used_up:
            look_up(draft, opening, scene)
        while draft.ended is None:
            left = most_tokens(scene) - draft.tokens
            if left < 1:
                draft.ended = "out of tokens"
                break
            generation = yield continuation(policy, draft, scene, left)
            look = DraftView(scene, draft.text, generation)
            accept(draft, look, decide(policy, look, draft), scene)
    except (CapabilityError, NotMeasured) as exc:
        reason = str(exc)
    return build_run(policy, draft, scene, reason)


def most_tokens(scene: PolicyContext) -> int:
    """Return how many tokens an answer may keep."""
    return scene.config.most_tokens or scene.case.profile.step_tokens


def first_fired(policy: Policy, signals: Sequence[Signal], scene: PolicyContext, start: int = 0) -> Signal | None:
    """Return the first signal over the policy's bar among those that stand at ``start`` or later, None without one."""
    later = [signal for signal in signals if signal.start >= start]
    places = fired(later, policy.bar(scene.config))
    return later[places[0]] if places else None


def continuation(policy: Policy, draft: Draft, scene: PolicyContext, left: int) -> Request:
    """Return the greedy request for what comes next: ``left`` tokens at most, or the policy's piece."""
    piece = policy.piece(scene.config)
    passages = () if draft.over is None else tuple(hit.passage for hit in draft.retrievals[draft.over].hits)
    asked = step_by_step_request(scene.case.question, scene.case.profile)
    return replace(
        asked,
        prompt=continued_prompt(asked.prompt, scene.case.question, passages, draft.text),
        max_tokens=left if piece is None else min(left, piece),
    )


def continued_prompt(asked: Prompt, question: str, passages: Sequence[Passage], text: str) -> Prompt:
    """Return the step-by-step prompt with numbered passages before the question and the text so far behind it.

    Without either it is the step-by-step prompt itself.
    """
    if not passages:
        return replace(asked, text=asked.text + text)
    tail = f"\nQuestion: {question}\nAnswer:"
    context = "\nContext:\n" + "\n".join(numbered_lines(passages)) + "\nAnswer in the same format as before."
    return replace(asked, text=asked.text.removesuffix(tail) + context + tail + text)


def decide(policy: Policy, look: DraftView, draft: Draft) -> Move:
    """Return what becomes of text written ahead: how much stays, and whether to look up, to end or to go on."""
    text, end = look.generation.text, len(look.generation.text)
    # A stop string ends no text that begins with it, so the format's next question may be all that was written.
    if not text.strip() or text.lstrip().startswith(NEXT_QUESTION):
        return Move(kept=0, ended="nothing more written")
    after = policy.afterwards(look.scene.config.variant)
    start = 0
    # What was written right after a lookup is not checked again, even where nothing was found: else it would fire
    # at the same word for ever.
    if draft.fresh and after in ("sentence", "checked on"):
        start = look.sentences[0].end
        if after == "sentence":
            said = conclusion_end(look)
            over = start >= len(text.rstrip()) or (said is not None and said <= start)
            return Move(kept=start, ended=how_it_ends(look.generation) if over else None, drops_passages=True)
    if not (draft.fresh and after == "all"):
        trigger = first_fired(policy, policy.judge(look), look.scene, start)
        if trigger is not None and has_room(trigger, look, draft):
            if len(draft.retrievals) < look.scene.config.most_retrievals:
                return Move(kept=trigger.cut, trigger=trigger)
            draft.used_up = True
    goes_on = policy.piece(look.scene.config) is not None and look.generation.stop_reason == "length"
    # Over passages a model that has said its answer may go on with another question's; from memory the whole stays.
    stays = end if draft.over is None else conclusion_end(look) or end
    return Move(kept=stays, ended=None if goes_on and stays == end else how_it_ends(look.generation))


def has_room(trigger: Signal, look: DraftView, draft: Draft) -> bool:
    """Return whether a token could still be written after a lookup."""
    return draft.tokens + tokens_before(look.generation, trigger.cut) < most_tokens(look.scene)


def tokens_before(generation: Generation, cut: int) -> int:
    """Return how many tokens stand before a cut; one of which only its leading space does stands behind it."""
    text = generation.text
    return sum(token.end <= cut or bool(text[token.start : cut].strip()) for token in generation.tokens)


def how_it_ends(generation: Generation) -> Ended:
    """Return why nothing follows a continuation that was kept to its end."""
    return "out of tokens" if generation.stop_reason == "length" else "answered"


def conclusion_end(look: DraftView) -> int | None:
    """Return where the sentence that says "the answer is …" ends in the text written ahead; None where there is none.

    The phrase may stand in the text kept before it, cut just before the answer itself.
    """
    whole = look.kept + look.generation.text
    found = CONCLUSION.search(whole)
    if found is None or not found.group(1).strip():
        return None
    begun = max(0, found.start() - len(look.kept))
    return next((span.end for span in look.sentences if span.end > begun), None)


def accept(draft: Draft, look: DraftView, move: Move, scene: PolicyContext) -> None:
    """Put what stays behind the draft's text, and look something up where the policy asks for it."""
    generation = look.generation
    draft.written.append(Continuation(generation=generation, kept=move.kept, over=draft.over))
    draft.text += generation.text[: move.kept]
    draft.tokens += tokens_before(generation, move.kept)
    draft.ended, draft.fresh = move.ended, False
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
        return corpus.search(query, scene.config.passages, scene.backends.retriever), ""
    except CorpusError as exc:
        return (), str(exc)


def build_run(policy: Policy, draft: Draft, scene: PolicyContext, not_measured: str) -> PolicyRun:
    """Return a draft that has ended as a run."""
    answer, golds = final_answer(draft.text), scene.case.golds
    judged = bool(golds) and not not_measured
    return PolicyRun(
        policy=policy.word,
        text=draft.text,
        answer=answer,
        right=contains(answer or draft.text, golds) if judged else None,
        ended=draft.ended or "nothing more written",
        used_up=draft.used_up,
        retrievals=tuple(draft.retrievals),
        written=tuple(draft.written),
        tokens_kept=draft.tokens,
        tokens_written=sum(len(written.generation.tokens) for written in draft.written),
        prompt_tokens=sum(written.generation.prompt_tokens for written in draft.written),
        not_measured=not_measured,
    )
