"""The contradiction radar: where methods disagree, where they agree strongly, and on which page to look.

Made from a stored diagnosis. Each method asks another question, so a disagreement is no error: stable is not right
(DENSE), needed is not helpful (DENSE and ΔSePer), sure is not known (ETC), together is not true (QuCo-RAG). The
highest rank comes first. The rules are in ``radar.yaml``, but for the two that count the methods' votes.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from engine.backends.entailment.base import states_answer
from engine.diagnosis.record import Diagnosis
from engine.learning.content import render_plain
from engine.measures.answer_marks import is_right
from engine.methods import METHODS
from engine.methods.contradictions import ContradictionsResult
from engine.methods.dense_records import DenseResult
from engine.methods.entropy_trend import EntropyTrendResult, Trigger, named_word
from engine.methods.quco_rag import CheckedSentence, CountedClaim, QucoResult
from engine.methods.question_parts import QuestionPartsResult
from engine.methods.seper_records import SeperResult
from engine.methods.sufficiency import SufficiencyResult
from viz.methods import dense, entropy_trend, quco_rag, seper
from viz.parts.data_files import read_table
from viz.parts.html import render
from viz.parts.words import WORDS, counted, listing, numbered, percent, quoted, signed
from viz.runs.summary import Match, marked_spans

MOST = 5
SURE_SHARE, SPLIT_SHARE = 0.8, 1 / 3
Kind = Literal["apart", "together", "mistaken", "quiet", "little"]
SIGNS: dict[Kind, str] = {"apart": "⇄", "together": "=", "mistaken": "≠", "quiet": "·", "little": "?"}
KIND_WORDS = WORDS["finding kinds"]
RIGHT: tuple[Match, ...] = ("exact", "contains")
# Neither right nor wrong: a correct answer is named and denied, or only the judge finds it in other words.
UNDECIDED: tuple[Match, ...] = ("named", "meant")
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

    ``reading`` is the answer over the passages, ``memory`` the one from memory; None where that is not known for sure.
    ``meant``: only the judge finds a correct answer in the one over the passages.
    """

    diagnosis: Diagnosis
    meant: bool
    reading: Match | None
    memory: Match | None
    dense: DenseResult | None
    seper: SeperResult | None
    trend: EntropyTrendResult | None
    quco: QucoResult | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule of ``radar.yaml``: when it applies, its sentence, the methods whose pages show it, and its rank."""

    when: str
    text: str
    pages: tuple[str, ...]
    rank: float
    kind: Kind = "apart"


RULES: dict[str, Rule] = read_table("runs/radar.yaml", dict[str, Rule])


def radar(diagnosis: Diagnosis, reading: Match | None, memory: Match | None) -> tuple[Finding, ...]:
    """Return one to five findings, the highest rank first; where no rule applies, one finding says so."""
    # An incomplete result counts as not measured.
    seen = Seen(
        diagnosis=diagnosis,
        meant=reading == "meant",
        reading=None if reading in UNDECIDED else reading,
        memory=None if memory in UNDECIDED else memory,
        dense=diagnosis.result(DenseResult),
        seper=diagnosis.result(SeperResult),
        trend=diagnosis.result(EntropyTrendResult),
        quco=diagnosis.result(QucoResult),
    )
    facts = facts_of(seen)
    found = [
        Finding(rule=name, kind=rule.kind, sentence=text, pages=rule.pages, rank=rule.rank)
        for name, rule in RULES.items()
        if (text := render_plain(f"{{% if {rule.when} %}}{rule.text}{{% endif %}}", **facts))
    ]
    found += [one for one in (all_agree(seen), divided(seen)) if one is not None]
    return tuple(sorted(found, key=lambda finding: -finding.rank)[:MOST]) or (nothing_found(seen),)


def facts_of(seen: Seen) -> dict[str, object]:
    """Return the facts the rules speak of, by name; None, "" and () are not measured or not there."""
    golds, needed, trend = seen.diagnosis.golds, necessary(seen), seen.trend
    chunks = seen.dense.chunks if seen.dense is not None and golds else ()
    having = [chunk.index for chunk in chunks if marked_spans(chunk.passage.text, golds)]
    first = sure_trigger(trend)
    interval = None if seen.seper is None else seen.seper.delta_soft_interval
    short = None if seen.quco is None else quco_rag.short_pairs(seen.quco)
    return {
        **checks_of(seen.diagnosis),
        "right": seen.reading in RIGHT,
        "wrong": seen.reading == "no",
        "unanswered": seen.reading == "none",
        "memory_right": seen.memory in RIGHT,
        "memory_wrong": seen.memory == "no",
        "memory_unanswered": seen.memory == "none",
        "lone": len(votes(seen)) <= 1,
        "stable": is_stable(seen),
        "moved": belief_moved(seen),
        "change": change(seen),
        "hardly": seen.seper is not None and seper.hardly_moved(seen.seper),
        "interval": seper.interval_words(interval),
        "supported": short_answer_support(seen),
        "short": short,
        "of_short": partial(of_short, 0 if short is None else short.judged),
        "share": largest_share(seen),
        "drawn_by_words": drawn_by_words(seen),
        "sure_share": SURE_SHARE,
        "split_share": SPLIT_SHARE,
        "necessary": needed,
        "having": having,
        "having_necessary": bool(set(having) & set(needed)),
        "doubted": claim_doubted_by_both(seen),
        "unsupported": unsupported_claim(written_sentences(seen)),
        "looks_up_nothing": trend is not None and entropy_trend.verdict(trend).word == "no trigger",
        "trigger": first,
        "trigger_word": "" if trend is None or first is None else quoted(named_word(trend, first.word), 40),
        "dense": seen.dense,
        "seper": seen.seper,
        "trend": trend,
        **{one.__name__: one for one in (counted, passages, ends, meeting, percent)},
    }


def checks_of(diagnosis: Diagnosis) -> dict[str, object]:
    """Return what the three checks found: whether an answer is held, who contradicts whom, how many parts are open."""
    held = diagnosis.result(SufficiencyResult)
    apart, parts = diagnosis.result(ContradictionsResult), diagnosis.result(QuestionPartsResult)
    pairs = () if apart is None else apart.contradicting
    return {
        # A record of a model that gave no word any probability holds NaN.
        "held": None if held is None or math.isnan(held.score) else held.sufficient,
        "likeliest": None if held is None else held.score,
        "sees_from": None if held is None else held.threshold,
        "stated": states_answer(diagnosis.answer.text),
        "contradicting": sorted({one.index for pair in pairs[:1] for one in (pair.first, pair.second)}),
        "open_parts": 0 if parts is None or len(parts.parts) < 2 or not parts.stated else parts.answered.count(False),
    }


def is_stable(seen: Seen) -> bool | None:
    """Return whether DENSE calls the answer stable; None where that is unclear."""
    word = "" if seen.dense is None else dense.verdict(seen.dense).word
    return {"stable": True, "unstable": False}.get(word)


def belief_moved(seen: Seen) -> str:
    """Return where reading moved belief in the correct answer: "up", "down", "noise", "" where it was not measured."""
    return "" if seen.seper is None or seen.seper.delta_soft is None else seper.direction(seen.seper)


def change(seen: Seen) -> str:
    """Return ΔSePer in words, "" where it was not measured."""
    delta = seen.seper.delta_soft if seen.seper is not None else None
    return "" if delta is None else f"ΔSePer {signed(delta)}"


def sure_trigger(trend: EntropyTrendResult | None) -> Trigger | None:
    """Return ETC's first trigger, None without one or where a word before it may be one: entropies can be intervals."""
    if trend is None or not trend.triggers or entropy_trend.before_any_trigger(trend, trend.alpha):
        return None
    return trend.triggers[0]


def claim_doubted_by_both(seen: Seen) -> CountedClaim | None:
    """Return an unsupported claim of the sentence with ETC's first trigger, where both methods read one text."""
    first = sure_trigger(seen.trend)
    if seen.trend is None or seen.quco is None or first is None:
        return None
    text = seen.quco.generation.text
    if text != seen.trend.generation.text:
        return None
    place, end = seen.trend.words[first.word].start, 0
    for sentence in written_sentences(seen):
        start = text.find(sentence.text, end)
        if start < 0:
            continue
        end = start + len(sentence.text)
        if start <= place < end and (claim := unsupported_claim([sentence])) is not None:
            return claim
    return None


def written_sentences(seen: Seen) -> list[CheckedSentence]:
    """Return QuCo-RAG's sentences of the text from memory, without the short answer."""
    return [each for each in (seen.quco.sentences if seen.quco else ()) if each.kind != "short answer"]


def unsupported_claim(sentences: Sequence[CheckedSentence]) -> CountedClaim | None:
    """Return the first claim without evidence, None without one."""
    return next((claim for each in sentences for claim in each.claims if claim.supported is False), None)


def ends(claim: CountedClaim) -> str:
    """Return the two ends of a claim in quotation marks."""
    tail = claim.tail.entity.text if claim.tail is not None else ""
    return f"{quoted(claim.head.entity.text, 40)} and {quoted(tail, 40)}"


def meeting(claim: CountedClaim) -> str:
    """Return how the two ends of a claim without evidence meet: never, or in too few documents."""
    return "meet too rarely" if claim.documents else "never meet"


def largest_share(seen: Seen) -> float | None:
    """Return the share of belief on the likeliest meaning over the passages, in [0, 1]; None where not measured."""
    meanings = () if seen.seper is None else seen.seper.with_passages.meanings
    return max((meaning.probability for meaning in meanings), default=None)


def drawn_by_words(seen: Seen) -> bool:
    """Return whether the words of a sample over the passages are a correct answer, whatever SePer's judge says."""
    drawn, golds = () if seen.seper is None else seen.seper.with_passages.samples, seen.diagnosis.golds
    return bool(golds) and any(is_right(one.text, golds) for one in drawn)


def necessary(seen: Seen) -> list[int]:
    """Return the places of the passages that DENSE calls necessary, from 0."""
    labels = {} if seen.dense is None else seen.dense.labels
    return [place for place, label in labels.items() if label == "necessary"]


def passages(places: list[int]) -> str:
    """Return passages by their numbers.

    >>> passages([1]), passages([0, 2])
    ('passage 2', 'passages 1 and 3')
    """
    return numbered("passage", [place + 1 for place in places])


def short_answer_support(seen: Seen) -> bool | None:
    """Return whether all claims of the short answer meet in the corpus; None where that is not known."""
    short = None if seen.quco is None else quco_rag.short_pairs(seen.quco)
    if short is None or not short.judged or (short.open and not short.missing):
        return None
    return not short.missing


def of_short(judged: int, some: int) -> str:
    """Return some of the pairs that the short answer claims, in words.

    >>> of_short(1, 1), of_short(3, 3), of_short(3, 2)
    ("the short answer's pair", "all 3 of the short answer's pairs", "2 of the short answer's 3 pairs")
    """
    if judged == 1:
        return "the short answer's pair"
    return (
        f"all {some} of the short answer's pairs" if some == judged else f"{some} of the short answer's {judged} pairs"
    )


def votes(seen: Seen) -> dict[str, bool]:
    """Return which methods speak for the answer over the passages (True) or against it (False).

    For it: DENSE where it is stable, SePer where reading raised belief, QuCo-RAG where it has evidence. SePer measures
    belief in the correct answer: of another one it says nothing. ETC reads no passages and has no vote, and where there
    is no answer, there is none on it.
    """
    if seen.reading == "none":
        return {}
    found = {
        "dense": is_stable(seen),
        "seper": {"up": True, "down": False}.get(belief_moved(seen)) if seen.reading in RIGHT else None,
        "quco_rag": short_answer_support(seen),
    }
    return {method: vote for method, vote in found.items() if vote is not None}


def reasons(methods: Iterable[str], vote: bool) -> str:
    """Return each method with its reason for or against the answer."""
    words = WORDS["reasons for an answer" if vote else "reasons against an answer"]
    return listing([f"{NAMES[method]} ({words[method]})" for method in methods])


def all_agree(seen: Seen) -> Finding | None:
    """Two or more votes that are all the same; rightly or not, where the correct answer is known."""
    cast = votes(seen)
    if len(cast) < 2 or len(set(cast.values())) > 1:
        return None
    vote, right = next(iter(cast.values())), seen.reading in RIGHT
    fits = seen.reading is None or right == vote
    close = unjudged(seen) if seen.reading is None else f"it is {'right' if right else 'wrong'}"
    side = "For" if vote else "Against"
    return Finding(
        rule="all_agree",
        kind="together" if fits else "mistaken",
        sentence=f"{side} {quoted(seen.diagnosis.answer.text, 40)}: {reasons(cast, vote)}; {close}.",
        pages=tuple(cast),
        rank=0.3 + 0.05 * len(cast) if fits else 0.97,
    )


def unjudged(seen: Seen) -> str:
    """Return what is said of an answer over the passages that is neither right nor wrong for sure."""
    if seen.meant:
        return "it is right by the judge alone"
    if seen.diagnosis.golds:
        return "not judged: it names a correct answer, but denies it or names another"
    return "not judged: no correct answer given"


def divided(seen: Seen) -> Finding | None:
    """Votes for and against the answer; who is right, where the correct answer is known."""
    cast = votes(seen)
    trusting, doubting = ([method for method in cast if cast[method] is vote] for vote in (True, False))
    if not trusting or not doubting:
        return None
    unclear = "is right by the judge alone" if seen.meant else "is not judged"
    close = unclear if seen.reading is None else "is right" if seen.reading in RIGHT else "is wrong"
    answer = quoted(seen.diagnosis.answer.text, 40)
    sides = f"For: {reasons(trusting, True)}. Against: {reasons(doubting, False)}."
    rank = 0.7 if seen.reading is None else 0.75 if seen.reading in RIGHT else 0.95
    return Finding(
        rule="divided", kind="apart", sentence=f"{sides} The answer {answer} {close}.", pages=tuple(cast), rank=rank
    )


def nothing_found(seen: Seen) -> Finding:
    """Return the finding where no rule applies: too little was measured, or nothing stands out."""
    results = (seen.dense, seen.seper, seen.trend, seen.quco)
    measured = tuple(name for name, found in zip(NAMES, results, strict=True) if found is not None)
    names = listing([NAMES[method] for method in measured]) or "none"
    quiet = len(measured) >= 2
    sentence = (
        f"No disagreement, no strong agreement: {names}."
        if quiet
        else f"Too little measured: {names} of {listing(tuple(NAMES.values()))}."
    )
    return Finding(rule="nothing", kind="quiet" if quiet else "little", sentence=sentence, pages=measured, rank=0.0)


def finding_html(finding: Finding) -> str:
    """Return a finding as HTML: its kind with a sign, then its sentence."""
    kind, sign = KIND_WORDS[finding.kind], SIGNS[finding.kind]
    return render("finding.html.j2", kind=kind, sign=sign, sentence=finding.sentence)
