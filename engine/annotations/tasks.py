"""Items to label, made from stored runs.

In ETC's section 6.3, people judge each retrieval of each policy. A policy with its own answer gives an item for each of
its retrievals. A policy that only judged the answer from memory gives its first trigger, the only one that would
happen. An answer without any retrieval is one item: there a retrieval may be missing. Schedules that never retrieve
give no item, because by their own rule nothing could be missing.

Until its first retrieval a policy's answer is the answer from memory, and the retrieval is placed where the policy
asked for it, as in the paper's figures. What it then cuts off and rewrites was already written. Of later retrievals
only the place of the cut is stored.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pydantic import TypeAdapter

from engine.annotations.records import KINDS, Item, ItemView, Kind, Mark, Piece, ShownBeliefStep, ShownPassage, Source
from engine.core.records import Hit, Judgement, Passage, Token
from engine.diagnosis.record import Diagnosis
from engine.methods.dense_records import DenseResult
from engine.methods.seper_records import SeperResult
from engine.methods.timing.base import BeliefStep, PolicyRun, PolicyTrace, Signal
from engine.methods.timing.method import TimingResult, trace_of
from engine.methods.timing.staircase import agreed_steps
from engine.methods.timing.trace import first_trigger, missing_reason

NEVER = "never"
RECORD = TypeAdapter(Diagnosis)


def items_of(
    project: str, run_id: str, diagnosis: Diagnosis, kinds: Sequence[Kind] = KINDS, policies: Sequence[str] = ()
) -> tuple[Item, ...]:
    """Return the items of these kinds in one stored run, () without any.

    ``policies`` names the policies whose retrievals and answers are wanted, () for all.
    """
    makers = {
        "retrieval": retrieval_items,
        "trigger": trigger_items,
        "answer": answer_items,
        "chunk": chunk_items,
        "edge": edge_items,
        "correctness": correctness_items,
    }
    found = [item for kind in KINDS if kind in kinds for item in makers[kind](diagnosis)]
    wanted = [item for item in found if not policies or not item.policy or item.policy in policies]
    of_run = run_hash(diagnosis) if wanted else ""
    return tuple(with_run(item, project, run_id, of_run) for item in wanted)


def run_hash(diagnosis: Diagnosis) -> str:
    """Return the SHA-256 of a run's record, in hexadecimal.

    Fields with default values are left out, so a field that a later version adds does not change the hashes of older
    runs.
    """
    # Version 1 named the imported answer "foreign": labels made then keep their ids. In JSON text no quote is bare, so
    # only the key itself matches.
    said = RECORD.dump_json(diagnosis, exclude_defaults=True).replace(b',"imported":', b',"foreign":')
    return hashlib.sha256(said).hexdigest()


def with_run(item: Item, project: str, run_id: str, of_run: str) -> Item:
    """Return an item with its run, and the id that follows from its origin."""
    own_id = item_id(project, of_run, item.kind, item.source, item.policy, item.place)
    return replace(item, id=own_id, project=project, run_id=run_id, run_hash=of_run)


def item_id(project: str, of_run: str, kind: Kind, source: Source, policy: str, place: int) -> str:
    """Return the id of an item; it is the same for the same thing of the same run in the same project.

    >>> item_id("p", "0f", "retrieval", "run", "dragin", 0)
    'd9ea8221f031d5a95b26'
    """
    whole = "\n".join((project, of_run, kind, source, policy, str(place)))
    return hashlib.sha256(whole.encode()).hexdigest()[:20]


def draft_item(kind: Kind, source: Source, policy: str, place: int, token: int | None, view: ItemView) -> Item:
    """Return an item without project and run."""
    return Item(
        id="", project="", kind=kind, run_id="", run_hash="", source=source, policy=policy, place=place, token=token,
        view=view,
    )  # fmt: skip


def retrieval_items(diagnosis: Diagnosis) -> tuple[Item, ...]:
    """Return every retrieval of every policy with its own answer."""
    timing = diagnosis.result(TimingResult)
    runs = () if timing is None else timing.runs
    measured = [run for run in runs if not run.not_measured]
    return tuple(retrieval_item(diagnosis, run, place) for run in measured for place, _ in enumerate(run.retrievals))


def retrieval_item(diagnosis: Diagnosis, run: PolicyRun, place: int) -> Item:
    """Return one retrieval: the first one on the answer from memory, the others at their cut."""
    timing, retrieval = diagnosis.result(TimingResult), run.retrievals[place]
    trace = trace_of(timing, run.policy)
    trigger = first_trigger(trace) if trace else None
    view = run_view(diagnosis, run, place)
    if place or timing is None or trigger is None or not from_memory(timing, run):
        return draft_item("retrieval", "run", run.policy, place, retrieval.tokens, view)
    mark = trigger_mark(run.policy, trigger, retrieval.query)
    view = replace(view, text=timing.generation.text, tokens=memory_pieces(timing), marks=(mark,))
    return draft_item("retrieval", "run", run.policy, place, trigger.token, view)


def from_memory(timing: TimingResult, run: PolicyRun) -> bool:
    """Return whether the answer from memory starts with the text before a run's first retrieval."""
    return timing.generation.text.startswith(run.text[: run.retrievals[0].characters])


def memory_pieces(timing: TimingResult) -> tuple[Piece, ...]:
    """Return the tokens of the answer from memory."""
    return tuple(piece_of(one, 0, timing.generation.text) for one in timing.generation.tokens)


def trigger_items(diagnosis: Diagnosis) -> tuple[Item, ...]:
    """Return the first trigger, on the answer from memory, of every policy without its own answer."""
    timing = diagnosis.result(TimingResult)
    if timing is None:
        return ()
    fired = [(lane, trigger) for lane in lanes_alone(timing) if (trigger := first_trigger(lane)) is not None]
    return tuple(
        draft_item("trigger", "trace", lane.policy, 0, trigger.token, trace_view(diagnosis, timing, lane))
        for lane, trigger in fired
    )


def lanes_alone(timing: TimingResult) -> tuple[PolicyTrace, ...]:
    """Return the lanes of the policies that judged the answer from memory and wrote none of their own."""
    ran = {run.policy for run in timing.runs}
    return tuple(lane for lane in timing.lanes if lane.policy not in ran and not missing_reason(lane))


def answer_items(diagnosis: Diagnosis) -> tuple[Item, ...]:
    """Return every answer without a retrieval, by policies that could have retrieved."""
    timing = diagnosis.result(TimingResult)
    if timing is None:
        return ()
    without = [run for run in timing.runs if not run.retrievals and not run.not_measured]
    quiet = [lane for lane in lanes_alone(timing) if not lane.triggers]
    items = [draft_item("answer", "run", run.policy, 0, None, run_view(diagnosis, run, None)) for run in without]
    items += [
        draft_item("answer", "trace", lane.policy, 0, None, trace_view(diagnosis, timing, lane)) for lane in quiet
    ]
    return tuple(item for item in items if item.policy != NEVER)


def chunk_items(diagnosis: Diagnosis) -> tuple[Item, ...]:
    """Return every passage that DENSE tested, with or without a label."""
    result = diagnosis.result(DenseResult)
    view = replace(view_of(diagnosis), other=diagnosis.answer.text.strip())
    return tuple(
        draft_item("chunk", "answer", "", chunk.index, None, replace(view, text=found.text, found=(found,)))
        for chunk in (result.chunks if result else ())
        for found in (shown_passage(chunk.passage),)
    )


def edge_items(diagnosis: Diagnosis) -> tuple[Item, ...]:
    """Return every ordered pair of different answers that DENSE's judge saw, each once."""
    view = replace(view_of(diagnosis), evidence=())
    return tuple(
        draft_item("edge", "answer", "", place, None, replace(view, text=judged.premise, other=judged.hypothesis))
        for place, judged in enumerate(judged_pairs(diagnosis))
    )


def judged_pairs(diagnosis: Diagnosis) -> tuple[Judgement, ...]:
    """Return DENSE's judgements of pairs of different answers, or SePer's if DENSE did not run."""
    result = diagnosis.result(DenseResult) or diagnosis.result(SeperResult)
    judgements = result.judgements if result else ()
    first = {(one.premise, one.hypothesis): one for one in reversed(judgements) if one.premise != one.hypothesis}
    return tuple(reversed(first.values()))


def correctness_items(diagnosis: Diagnosis) -> tuple[Item, ...]:
    """Return every different answer of a run: over the passages, closed-book, step by step, and each policy's own."""
    return tuple(
        draft_item("correctness", "answer", "", place, None, replace(view_of(diagnosis), text=text))
        for place, text in enumerate(answers_of(diagnosis))
    )


def answers_of(diagnosis: Diagnosis) -> tuple[str, ...]:
    """Return the texts of a run's answers, each once, without empty ones."""
    timing = diagnosis.result(TimingResult)
    texts = [diagnosis.answer.text, diagnosis.closed_book.text]
    if timing is not None:
        texts += [timing.answer or timing.generation.text, *(run.answer or run.text for run in timing.runs)]
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))


def run_view(diagnosis: Diagnosis, run: PolicyRun, place: int | None) -> ItemView:
    """Return the view of one retrieval in a policy's own answer, or of the whole answer (``place`` None)."""
    timing = diagnosis.result(TimingResult)
    retrieval = None if place is None else run.retrievals[place]
    return replace(
        view_of(diagnosis),
        text=run.text,
        tokens=pieces_of(run),
        marks=tuple(
            Mark(policy=run.policy, token=one.tokens, character=one.characters, query=one.query, here=number == place)
            for number, one in enumerate(run.retrievals)
        ),
        other=retrieval.failed if retrieval else "",
        without=timing.generation.text if timing else "",
        after=run.text,
        found=found_in(retrieval.hits) if retrieval else (),
        stairs=tuple(step_of(stair) for stair in agreed_steps(run.stairs)),
    )


def trace_view(diagnosis: Diagnosis, timing: TimingResult, lane: PolicyTrace) -> ItemView:
    """Return the view of a policy's first trigger on the answer from memory, or of that answer without a trigger."""
    trigger = first_trigger(lane)
    marks = (trigger_mark(lane.policy, trigger, trigger.query),) if trigger else ()
    text = timing.generation.text
    return replace(view_of(diagnosis), text=text, tokens=memory_pieces(timing), marks=marks, without=text)


def trigger_mark(policy: str, trigger: Signal, query: str) -> Mark:
    """Return the place of a trigger in the answer from memory."""
    return Mark(policy=policy, token=trigger.token, character=trigger.start, query=query, here=True)


def view_of(diagnosis: Diagnosis) -> ItemView:
    """Return a view with the run's question, correct answers and evidence, without a text."""
    return ItemView(question=diagnosis.question, golds=diagnosis.golds, text="", evidence=found_in(diagnosis.hits))


def pieces_of(run: PolicyRun) -> tuple[Piece, ...]:
    """Return the tokens of a policy's own answer that were kept.

    Blanks at the end of a part were removed before the next part; such a token has an empty text.
    """
    pieces: list[Piece] = []
    before = ""
    for number, written in enumerate(run.written):
        kept = written.generation.text[: written.kept]
        pieces += [piece_of(one, len(before), run.text) for one in tokens_kept(written.generation.tokens, kept)]
        before += kept
        if number < len(run.written) - 1:
            before = before.rstrip()
    return tuple(pieces)


def tokens_kept(tokens: Iterable[Token], kept: str) -> tuple[Token, ...]:
    """Return the tokens within the kept text; a token with only its leading blank in it is left out."""
    return tuple(one for one in tokens if one.end <= len(kept) or kept[one.start :].strip())


def piece_of(token: Token, begun: int, text: str) -> Piece:
    """Return a token with its character range in the whole text."""
    start, end = min(begun + token.start, len(text)), min(begun + token.end, len(text))
    return Piece(text=text[start:end], start=start, end=end)


def found_in(hits: Iterable[Hit]) -> tuple[ShownPassage, ...]:
    """Return the passages of hits in the form that people see."""
    return tuple(shown_passage(hit.passage) for hit in hits)


def shown_passage(passage: Passage) -> ShownPassage:
    """Return a passage in the form that people see."""
    return ShownPassage(title=passage.title, text=passage.text)


def step_of(stair: BeliefStep) -> ShownBeliefStep:
    """Return a belief step in the form that people see."""
    interval = stair.gain_interval
    return ShownBeliefStep(
        retrieval=stair.retrieval,
        soft=stair.soft,
        gain=stair.gain,
        gain_low=None if interval is None else interval.low,
        gain_high=None if interval is None else interval.high,
        worth=stair.worth or "",
    )
