"""The contradiction radar: in plain sentences, where methods pull apart, where they agree strongly, and where to look.

Made from a stored diagnosis; nothing is computed anew. Each method asks something else, so a disagreement is no error
but worth a look: stable is not right (DENSE and the gold answer), needed is not helpful (DENSE and ΔSePer), sure is not
known (ETC), together is not true (co-occurrence). The ranks below order the findings: what tells most of this question
comes first.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from engine.diagnosis.record import Diagnosis, MethodResult
from engine.methods import METHODS
from engine.methods.dense import DenseResult
from engine.methods.entropy_trend import EntropyTrendResult, Trigger
from engine.methods.quco_rag import CheckedSentence, CountedClaim, QucoResult
from engine.methods.seper import SeperResult
from viz import dense, seper
from viz.entropy_trend import word_name
from viz.html import render
from viz.summary import Match, marked_spans
from viz.words import counted, listing, quoted, signed

MOST = 5
SURE_SHARE, SPLIT_SHARE = 0.8, 1 / 3
Kind = Literal["apart", "together", "mistaken", "quiet", "little"]
SIGNS: dict[Kind, str] = {"apart": "⇄", "together": "=", "mistaken": "≠", "quiet": "·", "little": "?"}
KIND_WORDS: dict[Kind, str] = {
    "apart": "Pull apart",
    "together": "Agree",
    "mistaken": "Agree, and err",
    "quiet": "Nothing stands out",
    "little": "Too little measured",
}
RIGHT: tuple[Match, ...] = ("exact", "contains")
COMPARED = ("dense", "seper", "entropy_trend", "quco_rag")
NAMES = {word: METHODS[word].title for word in COMPARED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing the radar shows. ``pages`` are the methods whose pages hold the evidence; ``rank`` in [0, 1].

    A higher rank tells more. The sentence is plain text with the model's words in it: escape before drawing.
    """

    kind: Kind
    sentence: str
    pages: tuple[str, ...]
    rank: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the rules look at: the whole results of a run (None = not measured), and which answers are right.

    ``reading`` and ``memory`` say whether the answer over the passages and the one from memory match a gold answer;
    None without a gold answer.
    """

    diagnosis: Diagnosis
    reading: Match | None
    memory: Match | None
    dense: DenseResult | None
    seper: SeperResult | None
    trend: EntropyTrendResult | None
    quco: QucoResult | None


def radar(diagnosis: Diagnosis, reading: Match | None, memory: Match | None) -> tuple[Finding, ...]:
    """Return at least one finding and at most five, the most telling first.

    Where nothing pulls apart and nothing agrees strongly, or too little was measured to tell, the one finding says so.
    """
    seen = looked_at(diagnosis, reading, memory)
    found = [finding for rule in RULES if (finding := rule(seen)) is not None]
    found.sort(key=lambda finding: -finding.rank)
    return tuple(found[:MOST]) or (nothing_found(seen),)


def looked_at(diagnosis: Diagnosis, reading: Match | None, memory: Match | None) -> Seen:
    """Return what the rules look at; a result that is not whole counts as not measured."""
    found = {method: whole(diagnosis, method) for method in NAMES}
    stable, belief, trend, evidence = (found[method] for method in ("dense", "seper", "entropy_trend", "quco_rag"))
    return Seen(
        diagnosis=diagnosis,
        reading=reading,
        memory=memory,
        dense=stable if isinstance(stable, DenseResult) else None,
        seper=belief if isinstance(belief, SeperResult) else None,
        trend=trend if isinstance(trend, EntropyTrendResult) else None,
        quco=evidence if isinstance(evidence, QucoResult) else None,
    )


def whole(diagnosis: Diagnosis, method: str) -> MethodResult | None:
    """Return a method's result where it is whole, else None."""
    outcome = diagnosis.outcome(method)
    return outcome.result if outcome is not None and outcome.status == "done" else None


def apart(rank: float, sentence: str, *pages: str) -> Finding:
    """Return a finding in which two things pull apart."""
    return Finding(kind="apart", sentence=sentence, pages=pages, rank=rank)


def steady(seen: Seen) -> bool | None:
    """Return whether DENSE calls the answer understood; None where it cannot tell, as its own verdict has it."""
    if seen.dense is None:
        return None
    return {"understood": True, "not understood": False}.get(dense.verdict(seen.dense).word)


def moved(seen: Seen) -> str:
    """Return where reading moved belief in the right answer: "up", "down", "noise", "" where it was not measured."""
    if seen.seper is None or seen.seper.delta_soft is None:
        return ""
    return seper.direction(seen.seper)


def change(seen: Seen) -> str:
    """Return ΔSePer in words, "" where it was not measured."""
    delta = seen.seper.delta_soft if seen.seper is not None else None
    return "" if delta is None else f"ΔSePer {signed(delta)}"


def reading_spoiled(seen: Seen) -> Finding | None:
    """Find an answer that was right from memory and is wrong after reading."""
    if seen.reading != "no" or seen.memory not in RIGHT:
        return None
    return apart(
        1.0, "The answer from memory is right and the answer over the passages is not: reading spoiled it.", "seper"
    )


def steady_but_wrong(seen: Seen) -> Finding | None:
    """Find an answer that no rewording moves, and that is wrong, where no other method has a word on it."""
    if steady(seen) is not True or seen.reading != "no" or seen.dense is None or len(votes(seen)) > 1:
        return None
    return apart(
        0.95,
        f"DENSE finds that {counted(seen.dense.valid_rewrites, 'rewording')} of the passages hardly move the answer, "
        "and the answer holds no gold answer: stable is not the same as right.",
        "dense",
    )


def rescued(seen: Seen) -> Finding | None:
    """Find an answer that is wrong from memory and right after reading, beside what ΔSePer says of reading."""
    if seen.memory != "no" or seen.reading not in RIGHT or moved(seen) not in ("up", "noise"):
        return None
    if moved(seen) == "up":
        return Finding(
            kind="together",
            sentence=(
                "Reading turned a wrong answer into a right one, and SePer says the same: belief in the right answer "
                f"rose ({change(seen)})."
            ),
            pages=("seper",),
            rank=0.7,
        )
    interval = seper.interval_words(seen.seper.delta_soft_interval if seen.seper is not None else None)
    return apart(
        0.8,
        "Reading turned a wrong answer into a right one, yet SePer cannot tell the change in belief from noise: "
        f"{change(seen)}{interval}, so the drawn answers do not back it up.",
        "seper",
    )


def fell_but_right(seen: Seen) -> Finding | None:
    """Find belief in the right answer that reading lowered, while the answer over the passages holds it."""
    if moved(seen) != "down" or seen.reading not in RIGHT:
        return None
    return apart(
        0.9,
        f"SePer says that reading lowered belief in the right answer ({change(seen)}), while the answer over the "
        "passages contains it: the most likely answer held, the drawn ones slid away.",
        "seper",
    )


def rose_but_wrong(seen: Seen) -> Finding | None:
    """Find belief in the right answer that reading clearly raised, while the greedy answer stayed wrong."""
    if moved(seen) != "up" or seen.reading != "no":
        return None
    return apart(
        0.9,
        f"SePer says that reading moved belief towards the gold answer ({change(seen)}), yet the most likely answer "
        "is still not right: the passages help, but not enough.",
        "seper",
    )


def needed_but_harmful(seen: Seen) -> Finding | None:
    """Find passages that DENSE calls necessary while reading clearly lowered belief."""
    needed = necessary(seen)
    if not needed or moved(seen) != "down":
        return None
    return apart(
        0.85,
        f"DENSE calls {passages(needed)} necessary for the answer, yet reading moved belief away from the gold answer "
        f"({change(seen)}): what the answer rests on may mislead it.",
        "dense",
        "seper",
    )


def silent_but_wrong(seen: Seen) -> Finding | None:
    """Find a wrong answer from memory without any trigger."""
    if seen.trend is None or seen.trend.triggers or seen.memory != "no":
        return None
    return apart(
        0.8,
        "ETC would never have looked anything up, yet the answer from memory is wrong: sure is not the same as known.",
        "entropy_trend",
    )


def same_place_doubted(seen: Seen) -> Finding | None:
    """Find a trigger of ETC inside a sentence whose claim has no evidence: two methods doubt the same place."""
    place = doubted_together(seen)
    if place is None or seen.trend is None:
        return None
    trigger, claim = place
    return Finding(
        kind="together",
        sentence=(
            f"ETC asks to look something up before {quoted(word_name(seen.trend, trigger.word), 40)} (word "
            f"{trigger.word + 1}), in the very sentence from memory for which co-occurrence finds no evidence: "
            f"{ends(claim)} never meet in the corpus."
        ),
        pages=("entropy_trend", "quco_rag"),
        rank=0.75,
    )


def doubted_together(seen: Seen) -> tuple[Trigger, CountedClaim] | None:
    """Return ETC's first trigger and an unsupported claim of the sentence it stands in, where both read one text."""
    if seen.trend is None or seen.quco is None or not seen.trend.triggers:
        return None
    text = seen.quco.generation.text
    if text != seen.trend.generation.text:
        return None
    trigger = seen.trend.triggers[0]
    place = seen.trend.words[trigger.word].start
    end = 0
    for sentence in (each for each in seen.quco.sentences if each.kind != "short answer"):
        start = text.find(sentence.text, end)
        if start < 0:
            continue
        end = start + len(sentence.text)
        if start <= place < end and (claim := unsupported(sentence)) is not None:
            return trigger, claim
    return None


def unsupported(sentence: CheckedSentence) -> CountedClaim | None:
    """Return the first claim of a sentence whose two ends never meet, None where there is none."""
    return next((claim for claim in sentence.claims if claim.supported is False), None)


def ends(claim: CountedClaim) -> str:
    """Return the two ends of a claim in quotation marks."""
    tail = claim.tail.entity.text if claim.tail is not None else ""
    return f"{quoted(claim.head.entity.text, 40)} and {quoted(tail, 40)}"


def steady_but_scattered(seen: Seen) -> Finding | None:
    """Find an answer that no rewording moves, while answers drawn over the same passages mean different things."""
    share = top_share(seen)
    if steady(seen) is not True or share is None or share >= SPLIT_SHARE or seen.seper is None:
        return None
    return apart(
        0.5,
        f"DENSE calls the most likely answer stable, yet the answers that SePer draws over the same passages fall into "
        f"{counted(len(seen.seper.with_passages.meanings), 'meaning')}, the largest with {share:.0%} of belief: the "
        "wording matters little, the draw a lot.",
        "dense",
        "seper",
    )


def shaky_but_sure(seen: Seen) -> Finding | None:
    """Find an answer that rewordings move, while nearly all answers drawn over the passages mean the same."""
    share = top_share(seen)
    if steady(seen) is not False or share is None or share < SURE_SHARE:
        return None
    return apart(
        0.65,
        f"DENSE calls the answer not understood, yet {share:.0%} of the belief that SePer draws over the same passages "
        "lies on one meaning: sure of these words, not of the facts in them.",
        "dense",
        "seper",
    )


def top_share(seen: Seen) -> float | None:
    """Return the share of belief on the likeliest meaning over the passages, in [0, 1]; None where not measured."""
    if seen.seper is None:
        return None
    return max((meaning.probability for meaning in seen.seper.with_passages.meanings), default=None)


def shaky_but_right(seen: Seen) -> Finding | None:
    """Find an answer that is right and that rewordings change, where no other method has a word on it."""
    if steady(seen) is not False or seen.reading not in RIGHT or len(votes(seen)) > 1:
        return None
    return apart(
        0.6,
        "The answer is right, yet DENSE finds that it changes when a passage is put in other words: right with these "
        "words, not for sure with others.",
        "dense",
    )


def right_without_evidence(seen: Seen) -> Finding | None:
    """Find a right answer whose short claim never meets in the corpus, where no other method has a word on it."""
    if seen.reading not in RIGHT or short_answer_support(seen) is not False or len(votes(seen)) > 1:
        return None
    return apart(
        0.6,
        "The answer is right, yet something it connects never meets in the corpus that was counted: no evidence there "
        "is not the same as false.",
        "quco_rag",
    )


def wrong_with_evidence(seen: Seen) -> Finding | None:
    """Find a wrong answer whose short claim does meet in the corpus, where no other method has a word on it."""
    if seen.reading != "no" or short_answer_support(seen) is not True or len(votes(seen)) > 1:
        return None
    return apart(
        0.6,
        "The answer is not right, yet everything it connects does meet in the corpus: standing together is not the "
        "same as being true.",
        "quco_rag",
    )


def right_but_never_drawn(seen: Seen) -> Finding | None:
    """Find a right answer while no answer drawn over the passages means the same as a gold answer."""
    if seen.reading not in RIGHT or seen.seper is None or seen.seper.with_passages.hard != 0:
        return None
    return apart(
        0.55,
        f"The most likely answer is right, yet none of the {len(seen.seper.with_passages.samples)} answers that SePer "
        "drew over the passages means the same as a gold answer: a narrow win.",
        "seper",
    )


def needed_without_gold(seen: Seen) -> Finding | None:
    """Find that the passages DENSE calls necessary hold no gold answer while another passage does."""
    needed = necessary(seen)
    golds = seen.diagnosis.golds
    if seen.dense is None or not needed or not golds:
        return None
    holding = [chunk.index for chunk in seen.dense.chunks if marked_spans(chunk.passage.text, golds)]
    if not holding or set(holding) & set(needed):
        return None
    verb = "holds" if len(holding) == 1 else "hold"
    return apart(
        0.55,
        f"DENSE calls {passages(needed)} necessary, but it is {passages(holding)} that {verb} a gold answer: "
        "the answer leans on text that does not contain it.",
        "dense",
    )


def necessary(seen: Seen) -> list[int]:
    """Return the places of the passages that DENSE calls necessary, from 0."""
    return [] if seen.dense is None else [chunk.index for chunk in seen.dense.chunks if chunk.label == "necessary"]


def passages(places: list[int]) -> str:
    """Return passages by their numbers.

    >>> passages([1]), passages([0, 2])
    ('passage 2', 'passages 1 and 3')
    """
    noun = "passage" if len(places) == 1 else "passages"
    return f"{noun} {listing([place + 1 for place in places])}"


def triggered_but_right(seen: Seen) -> Finding | None:
    """Find a trigger on a question whose answer from memory is right."""
    if seen.trend is None or not seen.trend.triggers or seen.memory not in RIGHT:
        return None
    word = word_name(seen.trend, seen.trend.triggers[0].word)
    return apart(
        0.5,
        f"ETC would have looked something up before {quoted(word, 40)}, yet the answer from memory is already right.",
        "entropy_trend",
    )


def silent_without_evidence(seen: Seen) -> Finding | None:
    """Find claims from memory without evidence while ETC would look nothing up."""
    if seen.trend is None or seen.trend.triggers or seen.quco is None:
        return None
    written = [each for each in seen.quco.sentences if each.kind != "short answer"]
    claim = next((found for each in written if (found := unsupported(each)) is not None), None)
    if claim is None:
        return None
    return apart(
        0.5,
        "ETC would look nothing up, yet co-occurrence finds no evidence for what was written from memory: "
        f"{ends(claim)} never meet in the corpus.",
        "entropy_trend",
        "quco_rag",
    )


def short_answer_support(seen: Seen) -> bool | None:
    """Return whether all judged claims of the short answer meet in the corpus; None where none was judged."""
    if seen.quco is None:
        return None
    claims = [claim for each in seen.quco.sentences if each.kind == "short answer" for claim in each.claims]
    judged = [claim.supported for claim in claims if claim.supported is not None]
    return all(judged) if judged else None


def votes(seen: Seen) -> dict[str, bool]:
    """Return which methods trust the answer over the passages (True) or doubt it (False); the undecided are left out.

    DENSE trusts what is understood, SePer what reading clearly helped, co-occurrence an answer with evidence. ETC reads
    no passages and has no vote.
    """
    found = {
        "dense": steady(seen),
        "seper": {"up": True, "down": False}.get(moved(seen)),
        "quco_rag": short_answer_support(seen),
    }
    return {method: vote for method, vote in found.items() if vote is not None}


def all_agree(seen: Seen) -> Finding | None:
    """Find that every method that can tell trusts the answer, or doubts it; whether rightly, where gold is known."""
    cast = votes(seen)
    if len(cast) < 2 or len(set(cast.values())) > 1:
        return None
    trust = next(iter(cast.values()))
    said = (
        f"{named(cast)} {'both' if len(cast) == 2 else 'all'} {'trust' if trust else 'doubt'} {answer_named(seen)} "
        f"({reasons(cast, trust)})"
    )
    if seen.reading is None:
        close, fits = "; whether it is right is not known, for there is no gold answer", True
    else:
        right = seen.reading in RIGHT
        fits = right == trust
        close = f", {'and' if fits or trust else 'and yet'} it is {'right' if right else 'wrong'}"
    return Finding(
        kind="together" if fits else "mistaken",
        sentence=f"{said}{close}.",
        pages=tuple(cast),
        rank=0.3 + 0.05 * len(cast) if fits else 0.97,
    )


def answer_named(seen: Seen) -> str:
    """Return the text that the votes are about: the short answer over the passages, in quotation marks."""
    return f"the short answer {quoted(seen.diagnosis.answer.text, 40)}"


def divided(seen: Seen) -> Finding | None:
    """Find that some methods trust the answer while others doubt it; who was right, where gold is known."""
    cast = votes(seen)
    trusting, doubting = ([method for method in cast if cast[method] is vote] for vote in (True, False))
    if not trusting or not doubting:
        return None
    verbs = ["trusts" if len(trusting) == 1 else "trust", "doubts" if len(doubting) == 1 else "doubt"]
    said = (
        f"{named(trusting)} {verbs[0]} {answer_named(seen)} ({reasons(trusting, True)}), "
        f"{named(doubting)} {verbs[1]} it ({reasons(doubting, False)})"
    )
    if seen.reading is None:
        return apart(0.7, f"{said}; which of them is right is not known without a gold answer.", *cast)
    if seen.reading in RIGHT:
        return apart(0.75, f"{said}. The answer is right: here the trust was due.", *cast)
    return apart(0.95, f"{said}. The answer is not right: here the doubt was due.", *cast)


def named(methods: Iterable[str]) -> str:
    """Return the titles of methods as a list in words.

    >>> named(["dense", "quco_rag"])
    'DENSE and QuCo-RAG'
    """
    return listing([NAMES[method] for method in methods])


def reasons(methods: Iterable[str], trust: bool) -> str:
    """Return why methods trust or doubt the answer, in words."""
    words = TRUST_WORDS if trust else DOUBT_WORDS
    return listing([words[method] for method in methods])


TRUST_WORDS = {"dense": "other words change nothing", "seper": "reading clearly helped", "quco_rag": "it has evidence"}
DOUBT_WORDS = {
    "dense": "other words change it",
    "seper": "reading lowered belief",
    "quco_rag": "something in it lacks evidence",
}


def nothing_found(seen: Seen) -> Finding:
    """Return what is said where no rule found anything: too little was measured, or nothing stands out."""
    measured = [method for method in NAMES if whole(seen.diagnosis, method) is not None]
    if len(measured) >= 2:
        names = named(measured)
        return Finding(
            kind="quiet",
            sentence=f"No two findings pull apart, and none agree strongly: {names} each say something of their own.",
            pages=tuple(measured),
            rank=0.0,
        )
    only = f"only {NAMES[measured[0]]}" if measured else "none"
    return Finding(
        kind="little",
        sentence=f"Too little was measured to compare methods: {only} of {listing(tuple(NAMES.values()))}.",
        pages=tuple(measured),
        rank=0.0,
    )


def finding_html(finding: Finding) -> str:
    """Return a finding as HTML: its kind with a sign, then its sentence."""
    kind, sign = KIND_WORDS[finding.kind], SIGNS[finding.kind]
    return render("finding.html.j2", kind=kind, sign=sign, sentence=finding.sentence)


RULES: tuple[Callable[[Seen], Finding | None], ...] = (
    reading_spoiled,
    rescued,
    steady_but_wrong,
    fell_but_right,
    rose_but_wrong,
    needed_but_harmful,
    silent_but_wrong,
    same_place_doubted,
    steady_but_scattered,
    shaky_but_sure,
    shaky_but_right,
    right_without_evidence,
    wrong_with_evidence,
    right_but_never_drawn,
    needed_without_gold,
    triggered_but_right,
    silent_without_evidence,
    all_agree,
    divided,
)
