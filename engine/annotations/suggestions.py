"""What each method says about an item, computed from its run when it is shown; never stored as a label.

A retrieval is delayed where wrong words stand before it (ETC, section 6.3). That is known where the answer from memory
is wrong, from the first words that say so; a trigger of ETC says nothing of it. QuCo-RAG's counts can name a sentence
before the retrieval whose claim no document contains: a reason to look there, not a proof of an error. "answer_match"
looks for a correct answer in the text, "judge" is the entailment judge.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from engine.annotations.records import Item, Kind, Suggestion
from engine.annotations.tasks import judged_pairs
from engine.core.records import meaning_of
from engine.diagnosis.record import Diagnosis
from engine.learning.known_truth import facts_of
from engine.measures.answer_marks import RIGHT, judged_mark
from engine.methods.dense_records import NO_LABEL, DenseResult
from engine.methods.meaning import only_means
from engine.methods.seper_records import SeperResult
from engine.methods.sugar import EntropyForm, SugarResult, decides_nothing
from engine.methods.timing.base import PolicyRun
from engine.methods.timing.method import TimingResult, run_of, trace_of
from engine.methods.timing.staircase import agreed_steps

COUNTS = "quco_rag"
GOLD, JUDGE = "answer_match", "judge"
# From here on a text entails a correct answer, or is entailed by one.
LIKELY = 0.5
GIVES = {True: "gives", False: "does not give"}
FORMS: dict[EntropyForm, str] = {"entropy": "semantic entropy", "equation_1": "eq. 1 as printed"}


def suggestions(item: Item, diagnosis: Diagnosis) -> tuple[Suggestion, ...]:
    """Return what each method says about an item, () if none says anything. Never stored.

    The caller sees to it that the diagnosis is the run of the item: hashing a long record takes a while.
    """
    return tuple(SUGGESTERS[item.kind](item, diagnosis))


def of_retrieval(item: Item, diagnosis: Diagnosis) -> Iterator[Suggestion]:
    """Yield suggestions for a retrieval, or for a trigger on the answer from memory."""
    timing = diagnosis.result(TimingResult)
    if timing is None:
        return
    yield from of_timing(item, timing)
    yield from of_need(diagnosis, timing)
    run = run_of(timing, item.policy) if item.source == "run" else None
    if run is not None:
        yield from of_gain(item, run, timing)


def of_timing(item: Item, timing: TimingResult) -> Iterator[Suggestion]:
    """Yield whether there are wrong tokens before a retrieval, by the first wrong token and by QuCo-RAG's counts.

    Both look at the answer from memory, which a policy's own answer leaves at its first retrieval. Where correctness is
    not known, or wrong words may stand before the first that is known, nothing is suggested.
    """
    if item.place > 0 or item.token is None:
        return
    if timing.right and timing.forced is None:
        reason = "The answer from memory is right, so no wrong word is known before this place."
        yield Suggestion(field="timing", value="timely", method=GOLD, reason=reason)
    wrong = first_wrong_token(timing)
    if wrong is not None and wrong < item.token:
        reason = f"The wrong answer ‘{timing.answer}’ stands at token {wrong + 1}, before this place."
        yield Suggestion(field="timing", value="delayed", method=GOLD, reason=reason)
    counts = trace_of(timing, COUNTS)
    if counts is not None and not counts.not_measured and counts.signals:
        failing = [counts.signals[place] for place in counts.triggers if counts.signals[place].token < item.token]
        value = "delayed" if failing else "timely"
        said = f"No document contains the claim ‘{failing[0].text}’" if failing else "No claim without evidence"
        yield Suggestion(field="timing", value=value, method=COUNTS, reason=f"{said} before this place.")


@dataclass(frozen=True, slots=True)
class Told:
    """Whether an answer is right, who says so, and what the answer does with a correct one, as a verb."""

    right: bool
    method: str
    does: str


def told_of(answer: TimingResult | PolicyRun, timing: TimingResult) -> Told | None:
    """Return whether the answer from memory or a policy's own is right, by its words or else by the judge.

    None where no correct answer is known.
    """
    if answer.right is None:
        return None
    if only_means(answer.answer, answer.right, timing.judged) is not None:
        return Told(True, JUDGE, "means")
    return Told(answer.right, GOLD, GIVES[answer.right])


def first_wrong_token(timing: TimingResult) -> int | None:
    """Return the token at which the answer from memory first says what it wrongly concludes; None where not known.

    Not known: without a correct answer, where it is right by its words or by the judge, where the conclusion was forced
    or repeats the question's words, and where the text says it nowhere before it concludes.
    """
    said = timing.answer.strip()
    told = told_of(timing, timing)
    known = told is not None and not told.right and timing.forced is None and said
    place = timing.generation.text.find(said) if known and said not in question_of(timing) else -1
    ends = (number for number, token in enumerate(timing.generation.tokens) if place >= 0 and token.end > place)
    return next(ends, None)


def question_of(timing: TimingResult) -> str:
    """Return the question of the answer from memory, as its prompt ends with it."""
    return timing.generation.prompt.text.rpartition("\nQuestion:")[2]


def of_need(diagnosis: Diagnosis, timing: TimingResult) -> Iterator[Suggestion]:
    """Yield whether the answer would be right without any retrieval."""
    memory = told_of(timing, timing)
    if memory is not None:
        value = "redundant" if memory.right else "useful"
        reason = f"The answer from memory {memory.does} a correct answer."
        yield Suggestion(field="without", value=value, method=memory.method, reason=reason)
    if sugar := decided(diagnosis):
        value = "redundant" if sugar.decision == "none" else "useful"
        measured = f"{FORMS[sugar.form]} {sugar.measured:.2f} nats"
        reason = f"SUGAR says: {sugar.decision} ({measured} without passages)."
        yield Suggestion(field="without", value=value, method="sugar", reason=reason)


def of_gain(item: Item, run: PolicyRun, timing: TimingResult) -> Iterator[Suggestion]:
    """Yield whether a retrieval improved the answer: by SePer's belief step, and by the correct answer for a single
    retrieval.
    """
    stair = next((one for one in agreed_steps(run.stairs) if one.retrieval == item.place + 1), None)
    if stair is not None and stair.worth not in (None, "unclear") and stair.gain is not None:
        value = "useful" if stair.worth == "helped" else "redundant"
        reason = f"SePer moved by {stair.gain:+.2f}: {stair.worth}."
        yield Suggestion(field="gain", value=value, method="seper", reason=reason)
    without, over = told_of(timing, timing), told_of(run, timing)
    if len(run.retrievals) == 1 and without is not None and over is not None:
        value = "useful" if over.right and not without.right else "redundant"
        reason = f"The answer {without.does} a correct answer without it and {over.does} one with it."
        method = JUDGE if JUDGE in (without.method, over.method) else GOLD
        yield Suggestion(field="gain", value=value, method=method, reason=reason)


def of_answer(item: Item, diagnosis: Diagnosis) -> Iterator[Suggestion]:
    """Yield whether a retrieval is missing: nothing was looked up, and the answer contains no correct one."""
    timing = diagnosis.result(TimingResult)
    if timing is None:
        return
    run = run_of(timing, item.policy) if item.source == "run" else None
    told = told_of(run or timing, timing)
    if told is not None:
        value, reason = "not missing" if told.right else "missing", f"The answer {told.does} a correct answer."
        yield Suggestion(field="missing", value=value, method=told.method, reason=reason)
    if sugar := decided(diagnosis):
        value = "not missing" if sugar.decision == "none" else "missing"
        yield Suggestion(field="missing", value=value, method="sugar", reason=f"SUGAR says: {sugar.decision}.")


def of_chunk(item: Item, diagnosis: Diagnosis) -> Iterator[Suggestion]:
    """Yield DENSE's label of a passage; nothing where its wordings disagree on it."""
    result = diagnosis.result(DenseResult)
    chunk = result.chunks[item.place] if result and item.place < len(result.chunks) else None
    if result is None or chunk is None or result.labels[chunk.index] in NO_LABEL:
        return
    changing, wordings = result.changes[chunk.index]
    reason = f"The answer changes in {changing} of {wordings} wordings."
    yield Suggestion(field="chunk", value=result.labels[chunk.index], method="dense", reason=reason)


def of_edge(item: Item, diagnosis: Diagnosis) -> Iterator[Suggestion]:
    """Yield the judge's class of a pair of answers."""
    pairs = judged_pairs(diagnosis)
    if item.place < len(pairs):
        judged = pairs[item.place]
        probability = getattr(judged, judged.label)
        reason = f"{diagnosis.provenance.judge}: probability {probability:.2f}."
        yield Suggestion(field="entailment", value=judged.label, method=JUDGE, reason=reason)


def of_correctness(item: Item, diagnosis: Diagnosis) -> Iterator[Suggestion]:
    """Yield whether an answer is right, by the correct answers and by every method that looked at this text.

    Never by whether ETC fires: it fires on nearly every answer of the embedded model, right or wrong.
    """
    text = item.view.text
    if diagnosis.golds:
        yield by_golds(text, diagnosis)
    seper = diagnosis.result(SeperResult)
    matched = gold_of_meaning(text, seper) if seper else None
    if matched is not None:
        words = "matches" if matched else "does not match"
        yield right_or_wrong(matched, "seper", f"Its meaning in SePer {words} a correct answer.")
    if text == diagnosis.answer.text.strip():
        yield from of_doubt(diagnosis)
    if (sugar := decided(diagnosis)) and text == diagnosis.closed_book.text.strip():
        yield right_or_wrong(sugar.decision == "none", "sugar", f"SUGAR says: {sugar.decision}.")


def by_golds(text: str, diagnosis: Diagnosis) -> Suggestion:
    """Return whether an answer gives a correct one by its words, or means one by the judge."""
    meaning = meaning_of(text, diagnosis.judged)
    found = judged_mark(text, diagnosis.golds, meaning)
    if found == "meant":
        return right_or_wrong(True, JUDGE, f"It means a correct answer in other words: probability {meaning:.2f}.")
    return right_or_wrong(found in RIGHT, GOLD, f"It {GIVES[found in RIGHT]} a correct answer.")


def of_doubt(diagnosis: Diagnosis) -> Iterator[Suggestion]:
    """Yield what DENSE's uncertainty and QuCo-RAG's counts say about the answer over the passages."""
    facts = facts_of(diagnosis)
    if facts.uncertain is not None:
        words = "changes" if facts.uncertain else "does not change"
        yield right_or_wrong(not facts.uncertain, "dense", f"It {words} when passages are reworded.")
    if facts.supported:
        supported = all(facts.supported)
        words = "all" if supported else "not all"
        yield right_or_wrong(supported, COUNTS, f"The corpus has evidence for {words} of its claims.")


def decided(diagnosis: Diagnosis) -> SugarResult | None:
    """Return SUGAR's result; None without one, and where its samples state no answer that it could decide by."""
    sugar = diagnosis.result(SugarResult)
    return None if sugar is None or decides_nothing(sugar) else sugar


def right_or_wrong(right: bool, method: str, reason: str) -> Suggestion:
    """Return a method's suggestion on whether an answer is right."""
    return Suggestion(field="correct", value="right" if right else "wrong", method=method, reason=reason)


def gold_of_meaning(text: str, result: SeperResult) -> bool | None:
    """Return whether the meaning of a text matches a correct answer; None if no sample has exactly this text.

    None also where another sample of the meaning matches and the text itself does not: "Bergen, Norway" for "Bergen".
    """
    for belief in (result.with_passages, result.without):
        for meaning in belief.meanings:
            own = [member for member in meaning.members if belief.samples[member].text.strip() == text]
            if own:
                odd = meaning.matches_gold and belief.kernel and max(belief.kernel[own[0]]) < LIKELY
                return None if odd else meaning.matches_gold
    return None


Suggester = Callable[[Item, Diagnosis], Iterator[Suggestion]]
SUGGESTERS: dict[Kind, Suggester] = {
    "retrieval": of_retrieval,
    "trigger": of_retrieval,
    "answer": of_answer,
    "chunk": of_chunk,
    "edge": of_edge,
    "correctness": of_correctness,
}
