"""The contradiction radar: where methods disagree, where they agree strongly, and on which page to look.

Made from a stored diagnosis. Each method asks another question, so a disagreement is no error: stable is not right
(DENSE), needed is not helpful (DENSE and ΔSePer), sure is not known (ETC), together is not true (QuCo-RAG). The
highest rank comes first.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from engine.diagnosis.record import Diagnosis, MethodResult
from engine.methods import METHODS
from engine.methods.dense import DenseResult
from engine.methods.entropy_trend import EntropyTrendResult, Trigger, word_name
from engine.methods.quco_rag import CheckedSentence, CountedClaim, QucoResult
from engine.methods.seper import SeperResult
from viz import dense, seper
from viz.html import render
from viz.summary import Match, marked_spans
from viz.words import counted, listing, quoted, signed

MOST = 5
SURE_SHARE, SPLIT_SHARE = 0.8, 1 / 3
Kind = Literal["apart", "together", "mistaken", "quiet", "little"]
SIGNS: dict[Kind, str] = {"apart": "⇄", "together": "=", "mistaken": "≠", "quiet": "·", "little": "?"}
KIND_WORDS: dict[Kind, str] = {
    "apart": "Disagree",
    "together": "Agree",
    "mistaken": "Agree, but wrongly",
    "quiet": "Nothing stands out",
    "little": "Too little measured",
}
RIGHT: tuple[Match, ...] = ("exact", "contains")
NAMES = {word: METHODS[word].title for word in ("dense", "seper", "entropy_trend", "quco_rag")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding: the rule that made it, its kind, a sentence in plain text, and the methods whose pages show it.

    ``rank`` is in [0, 1]; a higher rank comes first.
    """

    rule: str
    kind: Kind
    sentence: str
    pages: tuple[str, ...]
    rank: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the rules read: the complete results of a run (None = not measured), and which answers are right.

    ``reading`` is the answer over the passages, ``memory`` the one from memory; None without a correct answer.
    """

    diagnosis: Diagnosis
    reading: Match | None
    memory: Match | None
    dense: DenseResult | None
    seper: SeperResult | None
    trend: EntropyTrendResult | None
    quco: QucoResult | None


Found = str | Finding | None
RULES: list[Callable[[Seen], Finding | None]] = []


def rule(rank: float, *pages: str, kind: Kind = "apart") -> Callable[[Callable[[Seen], Found]], object]:
    """Return a decorator that adds a function to the rules; a sentence it returns becomes a finding."""

    def register(find: Callable[[Seen], Found]) -> Callable[[Seen], Found]:
        def finding(seen: Seen) -> Finding | None:
            found = find(seen)
            if not isinstance(found, str):
                return found
            return Finding(rule=find.__name__, kind=kind, sentence=found, pages=pages, rank=rank)

        RULES.append(finding)
        return find

    return register


def radar(diagnosis: Diagnosis, reading: Match | None, memory: Match | None) -> tuple[Finding, ...]:
    """Return one to five findings, the highest rank first; where no rule applies, one finding says so."""
    seen = seen_in(diagnosis, reading, memory)
    found = [finding for find in RULES if (finding := find(seen)) is not None]
    return tuple(sorted(found, key=lambda finding: -finding.rank)[:MOST]) or (nothing_found(seen),)


def seen_in(diagnosis: Diagnosis, reading: Match | None, memory: Match | None) -> Seen:
    """Return what the rules read; an incomplete result counts as not measured."""
    stable, belief, trend, evidence = (complete_result(diagnosis, method) for method in NAMES)
    return Seen(
        diagnosis=diagnosis,
        reading=reading,
        memory=memory,
        dense=stable if isinstance(stable, DenseResult) else None,
        seper=belief if isinstance(belief, SeperResult) else None,
        trend=trend if isinstance(trend, EntropyTrendResult) else None,
        quco=evidence if isinstance(evidence, QucoResult) else None,
    )


def complete_result(diagnosis: Diagnosis, method: str) -> MethodResult | None:
    """Return a method's result where it is complete, else None."""
    outcome = diagnosis.outcome(method)
    return outcome.result if outcome is not None and outcome.status == "done" else None


def is_stable(seen: Seen) -> bool | None:
    """Return whether DENSE calls the answer stable; None where that is unclear."""
    word = "" if seen.dense is None else dense.verdict(seen.dense).word
    return {"stable": True, "not stable": False}.get(word)


def belief_moved(seen: Seen) -> str:
    """Return where reading moved belief in the right answer: "up", "down", "noise", "" where it was not measured."""
    return "" if seen.seper is None or seen.seper.delta_soft is None else seper.direction(seen.seper)


def change(seen: Seen) -> str:
    """Return ΔSePer in words, "" where it was not measured."""
    delta = seen.seper.delta_soft if seen.seper is not None else None
    return "" if delta is None else f"ΔSePer {signed(delta)}"


@rule(1.0, "seper")
def reading_spoiled(seen: Seen) -> Found:
    """An answer that is right from memory and wrong after reading."""
    if seen.reading == "no" and seen.memory in RIGHT:
        return "Reading spoiled the answer: right from memory, wrong over the passages."
    return None


@rule(0.7, "seper", kind="together")
def rescued(seen: Seen) -> Found:
    """An answer that is wrong from memory and right after reading, and a belief that rose with it."""
    if seen.memory == "no" and seen.reading in RIGHT and belief_moved(seen) == "up":
        return f"Reading made a wrong answer right, and SePer agrees: {change(seen)}."
    return None


@rule(0.8, "seper")
def rescued_within_noise(seen: Seen) -> Found:
    """An answer that is wrong from memory and right after reading, and a belief that moved within noise."""
    if seen.memory != "no" or seen.reading not in RIGHT or belief_moved(seen) != "noise":
        return None
    interval = seper.interval_words(seen.seper.delta_soft_interval if seen.seper is not None else None)
    return f"Reading made a wrong answer right, yet the sampled answers moved within noise: {change(seen)}{interval}."


@rule(0.95, "dense")
def stable_but_wrong(seen: Seen) -> Found:
    """An answer that no rewording moves, and that is wrong, where no other method has a vote."""
    if is_stable(seen) is not True or seen.reading != "no" or seen.dense is None or len(votes(seen)) > 1:
        return None
    return f"Stable but wrong: {counted(seen.dense.valid_rewrites, 'rewording')} hardly move the answer."


@rule(0.9, "seper")
def fell_but_right(seen: Seen) -> Found:
    """A belief in the right answer that reading lowered, while the answer over the passages is right."""
    if belief_moved(seen) == "down" and seen.reading in RIGHT:
        return f"The answer is right, yet reading lowered belief in it: {change(seen)}."
    return None


@rule(0.9, "seper")
def rose_but_wrong(seen: Seen) -> Found:
    """A belief in the right answer that reading raised, while the most likely answer stayed wrong."""
    if belief_moved(seen) == "up" and seen.reading == "no":
        return f"Reading raised belief in the right answer ({change(seen)}), yet the most likely answer is still wrong."
    return None


@rule(0.85, "dense", "seper")
def needed_but_harmful(seen: Seen) -> Found:
    """Passages that DENSE calls necessary while reading lowered belief."""
    needed = necessary(seen)
    if not needed or belief_moved(seen) != "down":
        return None
    return f"DENSE calls {passages(needed)} necessary, yet reading lowered belief in the right answer ({change(seen)})."


@rule(0.8, "entropy_trend")
def silent_but_wrong(seen: Seen) -> Found:
    """A wrong answer from memory without any trigger."""
    if seen.trend is not None and not seen.trend.triggers and seen.memory == "no":
        return "ETC would look nothing up, yet the answer from memory is wrong."
    return None


@rule(0.75, "entropy_trend", "quco_rag", kind="together")
def same_place_doubted(seen: Seen) -> Found:
    """A trigger of ETC in a sentence whose claim has no evidence."""
    place = trigger_in_unsupported_sentence(seen)
    if place is None or seen.trend is None:
        return None
    trigger, claim = place
    where = f"{quoted(word_name(seen.trend, trigger.word), 40)} (word {trigger.word + 1})"
    return f"ETC looks up before {where}, in a sentence without evidence: {ends(claim)} never meet in the corpus."


def trigger_in_unsupported_sentence(seen: Seen) -> tuple[Trigger, CountedClaim] | None:
    """Return ETC's first trigger and an unsupported claim of its sentence, where both methods read one text."""
    if seen.trend is None or seen.quco is None or not seen.trend.triggers:
        return None
    text = seen.quco.generation.text
    if text != seen.trend.generation.text:
        return None
    trigger = seen.trend.triggers[0]
    place, end = seen.trend.words[trigger.word].start, 0
    for sentence in (each for each in seen.quco.sentences if each.kind != "short answer"):
        start = text.find(sentence.text, end)
        if start < 0:
            continue
        end = start + len(sentence.text)
        if start <= place < end and (claim := unsupported_claim(sentence)) is not None:
            return trigger, claim
    return None


def unsupported_claim(sentence: CheckedSentence) -> CountedClaim | None:
    """Return the first claim of a sentence whose two ends never meet, None without one."""
    return next((claim for claim in sentence.claims if claim.supported is False), None)


def ends(claim: CountedClaim) -> str:
    """Return the two ends of a claim in quotation marks."""
    tail = claim.tail.entity.text if claim.tail is not None else ""
    return f"{quoted(claim.head.entity.text, 40)} and {quoted(tail, 40)}"


@rule(0.5, "dense", "seper")
def stable_but_scattered(seen: Seen) -> Found:
    """A stable answer, while the sampled answers over the same passages have many meanings."""
    share = largest_share(seen)
    if is_stable(seen) is not True or share is None or share >= SPLIT_SHARE or seen.seper is None:
        return None
    meanings = counted(len(seen.seper.with_passages.meanings), "meaning")
    return f"The most likely answer is stable, yet sampled answers have {meanings}, the largest with {share:.0%}."


@rule(0.65, "dense", "seper")
def unstable_but_sure(seen: Seen) -> Found:
    """An answer that rewordings move, while nearly all sampled answers have one meaning."""
    share = largest_share(seen)
    if is_stable(seen) is not False or share is None or share < SURE_SHARE:
        return None
    return f"Rewordings change the answer, yet {share:.0%} of SePer's belief is on one meaning."


def largest_share(seen: Seen) -> float | None:
    """Return the share of belief on the likeliest meaning over the passages, in [0, 1]; None where not measured."""
    meanings = () if seen.seper is None else seen.seper.with_passages.meanings
    return max((meaning.probability for meaning in meanings), default=None)


@rule(0.6, "dense")
def unstable_but_right(seen: Seen) -> Found:
    """A right answer that rewordings change, where no other method has a vote."""
    if is_stable(seen) is False and seen.reading in RIGHT and len(votes(seen)) <= 1:
        return "The answer is right, yet rewording a passage changes it."
    return None


@rule(0.6, "quco_rag")
def right_without_evidence(seen: Seen) -> Found:
    """A right answer whose short claim never meets in the corpus, where no other method has a vote."""
    if seen.reading in RIGHT and short_answer_support(seen) is False and len(votes(seen)) <= 1:
        return "The answer is right, yet the corpus has no co-occurrence evidence for it."
    return None


@rule(0.6, "quco_rag")
def wrong_with_evidence(seen: Seen) -> Found:
    """A wrong answer whose short claim meets in the corpus, where no other method has a vote."""
    if seen.reading == "no" and short_answer_support(seen) is True and len(votes(seen)) <= 1:
        return "The answer is wrong, yet every pair it claims meets in the corpus."
    return None


@rule(0.55, "seper")
def right_but_never_drawn(seen: Seen) -> Found:
    """A right answer while no sampled answer over the passages is right."""
    if seen.reading not in RIGHT or seen.seper is None or seen.seper.with_passages.hard != 0:
        return None
    return f"The most likely answer is right, yet none of {len(seen.seper.with_passages.samples)} sampled answers is."


@rule(0.55, "dense")
def needed_without_answer(seen: Seen) -> Found:
    """Necessary passages without the correct answer, while another passage has it."""
    needed, golds = necessary(seen), seen.diagnosis.golds
    if seen.dense is None or not needed or not golds:
        return None
    having = [chunk.index for chunk in seen.dense.chunks if marked_spans(chunk.passage.text, golds)]
    if not having or set(having) & set(needed):
        return None
    verb = "has" if len(having) == 1 else "have"
    return f"DENSE calls {passages(needed)} necessary, but {passages(having)} {verb} the correct answer."


def necessary(seen: Seen) -> list[int]:
    """Return the places of the passages that DENSE calls necessary, from 0."""
    return [] if seen.dense is None else [chunk.index for chunk in seen.dense.chunks if chunk.label == "necessary"]


def passages(places: list[int]) -> str:
    """Return passages by their numbers.

    >>> passages([1]), passages([0, 2])
    ('passage 2', 'passages 1 and 3')
    """
    return f"passage{'' if len(places) == 1 else 's'} {listing([place + 1 for place in places])}"


@rule(0.5, "entropy_trend")
def triggered_but_right(seen: Seen) -> Found:
    """A trigger on a question whose answer from memory is right."""
    if seen.trend is None or not seen.trend.triggers or seen.memory not in RIGHT:
        return None
    word = quoted(word_name(seen.trend, seen.trend.triggers[0].word), 40)
    return f"ETC would look something up before {word}, yet the answer from memory is right."


@rule(0.5, "entropy_trend", "quco_rag")
def silent_without_evidence(seen: Seen) -> Found:
    """Claims from memory without evidence while ETC would look nothing up."""
    if seen.trend is None or seen.trend.triggers or seen.quco is None:
        return None
    written = [each for each in seen.quco.sentences if each.kind != "short answer"]
    claim = next((found for each in written if (found := unsupported_claim(each)) is not None), None)
    if claim is None:
        return None
    return f"ETC would look nothing up, yet a claim from memory has no evidence: {ends(claim)} never meet."


def short_answer_support(seen: Seen) -> bool | None:
    """Return whether all judged claims of the short answer meet in the corpus; None where none was judged."""
    sentences = () if seen.quco is None else seen.quco.sentences
    claims = [claim for each in sentences if each.kind == "short answer" for claim in each.claims]
    judged = [claim.supported for claim in claims if claim.supported is not None]
    return all(judged) if judged else None


def votes(seen: Seen) -> dict[str, bool]:
    """Return which methods speak for the answer over the passages (True) or against it (False).

    For it: DENSE where it is stable, SePer where reading raised belief, QuCo-RAG where it has evidence. ETC reads no
    passages and has no vote.
    """
    found = {
        "dense": is_stable(seen),
        "seper": {"up": True, "down": False}.get(belief_moved(seen)),
        "quco_rag": short_answer_support(seen),
    }
    return {method: vote for method, vote in found.items() if vote is not None}


REASONS = {
    ("dense", True): "stable",
    ("dense", False): "not stable",
    ("seper", True): "reading raised belief",
    ("seper", False): "reading lowered belief",
    ("quco_rag", True): "has evidence",
    ("quco_rag", False): "lacks evidence",
}


def reasons(methods: Iterable[str], vote: bool) -> str:
    """Return each method with its reason for or against the answer."""
    return listing([f"{NAMES[method]} ({REASONS[method, vote]})" for method in methods])


@rule(0.3)
def all_agree(seen: Seen) -> Found:
    """Two or more votes that are all the same; rightly or not, where the correct answer is known."""
    cast = votes(seen)
    if len(cast) < 2 or len(set(cast.values())) > 1:
        return None
    vote, right = next(iter(cast.values())), seen.reading in RIGHT
    fits = seen.reading is None or right == vote
    close = "not judged: no correct answer given" if seen.reading is None else f"it is {'right' if right else 'wrong'}"
    side = "For" if vote else "Against"
    return Finding(
        rule="all_agree",
        kind="together" if fits else "mistaken",
        sentence=f"{side} {quoted(seen.diagnosis.answer.text, 40)}: {reasons(cast, vote)}; {close}.",
        pages=tuple(cast),
        rank=0.3 + 0.05 * len(cast) if fits else 0.97,
    )


@rule(0.7)
def divided(seen: Seen) -> Found:
    """Votes for and against the answer; who is right, where the correct answer is known."""
    cast = votes(seen)
    trusting, doubting = ([method for method in cast if cast[method] is vote] for vote in (True, False))
    if not trusting or not doubting:
        return None
    close = "is not judged" if seen.reading is None else "is right" if seen.reading in RIGHT else "is wrong"
    answer = quoted(seen.diagnosis.answer.text, 40)
    sides = f"For: {reasons(trusting, True)}. Against: {reasons(doubting, False)}."
    rank = 0.7 if seen.reading is None else 0.75 if seen.reading in RIGHT else 0.95
    return Finding(
        rule="divided", kind="apart", sentence=f"{sides} The answer {answer} {close}.", pages=tuple(cast), rank=rank
    )


def nothing_found(seen: Seen) -> Finding:
    """Return the finding where no rule applies: too little was measured, or nothing stands out."""
    measured = tuple(method for method in NAMES if complete_result(seen.diagnosis, method) is not None)
    names = listing([NAMES[method] for method in measured]) or "none"
    quiet = len(measured) >= 2
    sentence = (
        f"No contradiction and no strong agreement among {names}."
        if quiet
        else f"Too little measured to compare methods: {names} of {listing(tuple(NAMES.values()))}."
    )
    return Finding(rule="nothing", kind="quiet" if quiet else "little", sentence=sentence, pages=measured, rank=0.0)


def finding_html(finding: Finding) -> str:
    """Return a finding as HTML: its kind with a sign, then its sentence."""
    kind, sign = KIND_WORDS[finding.kind], SIGNS[finding.kind]
    return render("finding.html.j2", kind=kind, sign=sign, sentence=finding.sentence)
