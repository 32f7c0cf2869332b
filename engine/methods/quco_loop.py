"""QuCo-RAG's whole loop: check, retrieve, write, verify each sentence, and rewrite what has no evidence (section 3).

The answer is written step by step, over what was looked up for the question where the check before generation asked for
it. Its sentences are verified in order. Where a claim fails, one query per failing claim (head and relation, the
"semantic-oriented query") is looked up and the sentence is rewritten over what was found; that sentence is not
verified again, as in the released code, which keeps the loop from going round. What follows it is.

Variant "code" drops the rest of an answer that "does not mention" something and writes on from what was kept, without
passages, as the released code does; it ends where the next text begins with such a sentence too. It takes only "the
answer is" in small letters for the end. The paper has no rule for such sentences, so "paper" checks them like others
and stops at a conclusion that names the answer. Both leave out the released code's list of chat phrases. Where nothing
can be looked up the sentence stays as it is and says so; the released code would rewrite it without passages, the same
words again.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.backends.language_models.base import Request
from engine.backends.text.base import TextTools, sentence_kind
from engine.core.errors import CorpusError
from engine.core.progress import Stage
from engine.core.records import Generation, Hit, Passage
from engine.methods.base import Backends, Case
from engine.methods.conclusion import final_answer, forced_conclusion, scored
from engine.methods.quco_claims import SENTENCE_ENDS, CountedClaim, QucoConfig, counted_claims
from engine.methods.quco_precheck import PreCheck
from engine.methods.quco_prompts import loop_prompt
from engine.methods.step_by_step import STEP_BY_STEP_STOP

Decision = Literal[
    "supported",
    "nothing to check",
    "not measured",
    "not checked",
    "conclusion",
    "written anew",
    "no retrieval",
    "dropped",
]
Ending = Literal["answered", "nothing new", "abstained", "limit"]
_DENIES = re.compile(
    r"does not|not provide|not mention|not available|not include|not specif|not explicitly|not publicly|No information"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """One retrieval: the query, what came, or why nothing came. ``claim``: place of the failing claim in its sentence.

    None = the whole question was looked up, before anything was written.
    """

    query: str
    claim: int | None
    hits: tuple[Hit, ...]
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopStep:
    """A sentence as it was written, its claims, and what became of it.

    ``generation`` is the place in the loop's generations that wrote it. Where it was "written anew", ``replacement``
    is the sentence that took its place, from generation ``rewritten_in``; "" where the model wrote nothing new.
    """

    text: str
    generation: int
    kind: Literal["question", "fact", "conclusion"]
    claims: tuple[CountedClaim, ...]
    decision: Decision
    reason: str = ""
    lookups: tuple[Lookup, ...] = ()
    replacement: str = ""
    rewritten_in: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QucoLoop:
    """A whole run of QuCo-RAG. ``text`` is what was kept, ``answer`` what it concludes.

    ``retrievals`` counts every query that was looked up, as the paper does (table 3), also where nothing came.
    ``closed_book_answer`` is what the same model concludes from memory. Where one of both texts does not conclude, its
    answer is what the model says behind "So the answer is": ``forced`` and ``closed_book_forced`` (None in older
    records).
    """

    initial: Lookup | None
    generations: tuple[Generation, ...]
    steps: tuple[LoopStep, ...]
    text: str
    answer: str
    closed_book_answer: str
    retrievals: int
    ending: Ending
    forced: Generation | None = None
    closed_book_forced: Generation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """What the loop works with: the question, the settings, who writes and who reads."""

    case: Case
    config: QucoConfig
    backends: Backends
    reader: TextTools


@dataclass(slots=True, kw_only=True)
class _LoopState:
    """How far the loop has come; the only thing here that changes."""

    generations: list[Generation]
    steps: list[LoopStep]
    kept: list[str]

    @property
    def text(self) -> str:
        """The sentences kept so far."""
        return " ".join(self.kept)


def run_loop(
    case: Case, config: QucoConfig, backends: Backends, reader: TextTools, memory: Generation, check: PreCheck | None
) -> QucoLoop:
    """Return the loop's record. ``memory`` is the answer from memory; ``check`` None = that stage is switched off.

    At most ``config.most_generations`` answers are written. ``report`` is called before each sentence and generation.
    """
    desk = _Desk(case=case, config=config, backends=backends, reader=reader)
    initial = None
    if check is not None and check.retrieves:
        initial = look_up(case.question, None, desk.backends, config.passages_per_query)
    passages = passages_of((initial,) if initial else ())
    course = _LoopState(generations=[], steps=[], kept=[])
    if passages:
        pending = _continue_answer(passages, course, desk)
    else:
        course.generations.append(memory)
        pending = _new_sentences(memory, course, desk)
    ending: Ending | None = None
    while ending is None:
        pending, ending = _advance(pending, course, desk)
    lookups = [lookup for step in course.steps for lookup in step.lookups]
    forced = forced_conclusion(course.text, desk.case, desk.backends)
    from_memory = forced_conclusion(memory.text, desk.case, desk.backends)
    return QucoLoop(
        initial=initial,
        generations=tuple(course.generations),
        steps=tuple(course.steps),
        text=course.text,
        answer=scored(course.text, forced, (), desk.backends.text).answer,
        closed_book_answer=scored(memory.text, from_memory, (), desk.backends.text).answer,
        retrievals=len(lookups) + (initial is not None),
        ending=ending,
        forced=forced,
        closed_book_forced=from_memory,
    )


def look_up(query: str, claim: int | None, backends: Backends, k: int) -> Lookup:
    """Return what the corpus gives for a query; with no corpus, or where nothing is found, why there is nothing."""
    if backends.corpus is None:
        problem = "The question came without a corpus or passages, so nothing can be looked up."
        return Lookup(query=query, claim=claim, hits=(), problem=problem)
    try:
        hits = backends.corpus.search(query, k, backends.retriever)
    except CorpusError as exc:
        return Lookup(query=query, claim=claim, hits=(), problem=str(exc))
    return Lookup(query=query, claim=claim, hits=hits)


def passages_of(lookups: Sequence[Lookup]) -> tuple[Passage, ...]:
    """Return the passages of several retrievals, each once, in the order in which they came."""
    return tuple(dict.fromkeys(hit.passage for lookup in lookups for hit in lookup.hits))


def _advance(pending: list[str], course: _LoopState, desk: _Desk) -> tuple[list[str], Ending | None]:
    """Return the sentences that still wait after one more was decided, and how the loop ended where it did."""
    if not pending:
        if len(course.generations) >= desk.config.most_generations:
            return [], "limit"
        pending = _continue_answer((), course, desk)
        return pending, None if pending else "nothing new"
    desk.backends.report(Stage(method="quco_rag", name="verifying sentences", done=len(course.steps)))
    sentence, rest = pending[0], pending[1:]
    if not rest and _is_cut(sentence, course.generations[-1]):
        cut = LoopStep(
            text=sentence,
            generation=len(course.generations) - 1,
            kind=sentence_kind(sentence),
            claims=(),
            decision="dropped",
            reason="The length limit cut it off.",
        )
        course.steps.append(cut)
        return [], None
    step = _check_sentence(sentence, len(course.generations) - 1, desk)
    if step.decision == "dropped":
        again = bool(course.steps) and _abstains(course.steps[-1])
        course.steps.append(step)
        return [], "abstained" if again else None
    if step.decision == "written anew":
        return _rewrite_sentence(step, rest, course, desk)
    course.steps.append(step)
    course.kept.append(sentence)
    return rest, "answered" if step.decision == "conclusion" else None


def _check_sentence(sentence: str, generation: int, desk: _Desk) -> LoopStep:
    """Return the sentence with its claims and what they call for; "written anew" where a claim fails."""
    kind = sentence_kind(sentence)
    bare = LoopStep(text=sentence, generation=generation, kind=kind, claims=(), decision="nothing to check")
    is_code = desk.config.variant == "code"
    if is_code and (denial := _DENIES.search(sentence)):
        reason = f"The released code drops a sentence with “{denial.group()}” and all after it."
        return replace(bare, decision="dropped", reason=reason)
    if "the answer is" in sentence if is_code else kind == "conclusion" and final_answer(sentence):
        return replace(bare, decision="conclusion")
    if not desk.config.sentence_check:
        return replace(bare, decision="not checked", reason="The check of each sentence is switched off.")
    triplets = () if kind == "conclusion" else desk.reader.triplets(sentence)
    claims = counted_claims(triplets, desk.config, desk.backends.counter)
    return replace(bare, claims=claims, decision=_decision(claims), reason=_unmeasured(claims))


def _abstains(step: LoopStep) -> bool:
    """Return whether a sentence was dropped because the released code takes it for "I do not know"."""
    return step.decision == "dropped" and _DENIES.search(step.text) is not None


def _decision(claims: Sequence[CountedClaim]) -> Decision:
    """Return what a sentence's claims call for: one failing claim decides, as the minimum in eq. 4 does."""
    if any(claim.fails for claim in claims):
        return "written anew"
    pairs = [claim.supported for claim in claims if claim.tail is not None]
    if None in pairs:
        return "not measured"
    return "supported" if pairs else "nothing to check"


def _unmeasured(claims: Sequence[CountedClaim]) -> str:
    """Return why some claims were not measured; "" where all were."""
    reasons = (claim.reason or "It could not be counted." for claim in claims if claim.tail and claim.supported is None)
    return " ".join(dict.fromkeys(reasons))


def _rewrite_sentence(
    step: LoopStep, rest: list[str], course: _LoopState, desk: _Desk
) -> tuple[list[str], Ending | None]:
    """Return the sentences that wait after a failing one was looked up and rewritten, and how the loop ended.

    One query per failing claim. The first new sentence is kept unverified.
    """
    lookups = tuple(
        look_up(f"{claim.head.entity.text} {claim.relation}", place, desk.backends, desk.config.passages_per_query)
        for place, claim in enumerate(step.claims)
        if claim.fails
    )
    passages = passages_of(lookups)
    step = replace(step, lookups=lookups)
    if not passages:
        reason = " ".join(dict.fromkeys(lookup.problem for lookup in lookups))
        course.steps.append(replace(step, decision="no retrieval", reason=reason))
        course.kept.append(step.text)
        return rest, None
    if len(course.generations) >= desk.config.most_generations:
        reason = f"The limit of {desk.config.most_generations} generations was reached before it was written anew."
        course.steps.append(replace(step, decision="dropped", reason=reason))
        return [], "limit"
    sentences = _continue_answer(passages, course, desk)
    written = len(course.generations) - 1
    replacement = sentences[0] if sentences else ""
    course.steps.append(replace(step, replacement=replacement, rewritten_in=written))
    if not sentences:
        return [], "nothing new"
    course.kept.append(replacement)
    return sentences[1:], "answered" if final_answer(replacement) else None


def _continue_answer(passages: tuple[Passage, ...], course: _LoopState, desk: _Desk) -> list[str]:
    """Return the new sentences of one more generation, which goes on from what was kept."""
    config, profile = desk.config, desk.case.profile
    stage = "writing anew" if passages else "going on"
    desk.backends.report(
        Stage(method="quco_rag", name=stage, done=len(course.generations), total=config.most_generations)
    )
    request = Request(
        prompt=loop_prompt(profile, desk.case.question, passages, course.text),
        max_tokens=profile.step_tokens,
        stop=STEP_BY_STEP_STOP,
    )
    generation = desk.backends.writer.generate([request], desk.backends.report)[0]
    course.generations.append(generation)
    return _new_sentences(generation, course, desk)


def _new_sentences(generation: Generation, course: _LoopState, desk: _Desk) -> list[str]:
    """Return a generation's sentences, each once, without those kept before: a small model repeats itself."""
    sentences = dict.fromkeys(span.text for span in desk.reader.sentences(generation.text))
    return [sentence for sentence in sentences if sentence not in course.kept]


def _is_cut(sentence: str, generation: Generation) -> bool:
    """Return whether the length limit cut off a generation's last sentence; the only one there is stays."""
    last = generation.stop_reason == "length" and not sentence.endswith(SENTENCE_ENDS)
    return last and generation.text.strip() != sentence
