"""Numbers that a model, a judge, a search or a clock gave: what they mean, and that nothing remains to compute them by.

Logits, embeddings and postings are not stored, so these are the ground that every other number stands on. What can be
checked is: three probabilities of a judgement sum to 1.
"""

import math

from engine.catalogue.base import Entry, Input, Place, Working, entry, signed_tex, tex
from engine.core.passage_names import passage_name
from engine.core.records import Generation, Hit, JudgedAnswer, Judgement, Token
from engine.diagnosis.record import Diagnosis, Outcome

# What a judge's three probabilities may miss 1 by and still count as a distribution.
ROUNDING_OF_JUDGES = 1e-3
JUDGED = ("contradiction", "neutral", "entailment")
NO_LOGITS = "Logits are not stored: they would fill a thousand times the record."


def logprob_work(place: Place) -> Working:
    """Return a token's log-probability as the probability it stands for."""
    token = place.the(Token)
    return Working(
        filled=rf"\ln p = {tex(token.logprob)} \quad\Rightarrow\quad p = {tex(math.exp(token.logprob))}",
        inputs=(Input(name="token", of=token.text, value=token.id), Input(name="p", value=math.exp(token.logprob))),
        note=NO_LOGITS,
    )


def entropy_work(place: Place) -> Working:
    """Return a token's entropy as the number of equally likely tokens it stands for."""
    token = place.the(Token)
    like = math.exp(token.entropy)
    return Working(
        filled=rf"H = {tex(token.entropy)} \text{{ nats}} = \ln {tex(like)}",
        inputs=(Input(name="token", of=token.text, value=token.id), Input(name="as unsure as among", value=like)),
        note=NO_LOGITS,
    )


def bound_work(place: Place) -> Working:
    """Return the bounds of a token's entropy."""
    token = place.the(Token)
    ends = (("H at least", token.entropy), ("H at most", token.entropy_high))
    return Working(
        inputs=(Input(name="token", of=token.text), *(Input(name=name, value=value) for name, value in ends)),
        note="The likeliest tokens themselves are not stored.",
    )


def judgement_work(place: Place) -> Working:
    """Return one of a judgement's probabilities as what the other two leave."""
    judged = place.the(Judgement)
    others = {name: getattr(judged, name) for name in JUDGED if name != place.field}
    left = 1.0 - sum(others.values())
    return Working(
        filled=rf"1 - {' - '.join(signed_tex(value) for value in others.values())} = {tex(left)}",
        inputs=(
            Input(name="premise", of=judged.premise),
            Input(name="hypothesis", of=judged.hypothesis),
            *(Input(name=name, value=value) for name, value in others.items()),
        ),
        again=left,
        tolerance=ROUNDING_OF_JUDGES,
        note=f"The judge of this run is “{place.diagnosis.provenance.judge}”. {place.diagnosis.provenance.judge_note}",
    )


def meaning_work(place: Place) -> Working:
    """Return how likely an answer means a correct one, with both."""
    run = place.diagnosis
    return Working(
        inputs=(
            Input(name="answer", of=place.the(JudgedAnswer).text),
            Input(name="correct answers", of=" / ".join(run.golds)),
        ),
        note=f"Of the likeliest correct answer. {run.provenance.judge_note}",
    )


def score_work(place: Place) -> Working:
    """Return a retrieval score with its retriever and rank."""
    hit = place.the(Hit)
    given = " The passage was given with the question, so it was not searched for." if hit.retriever == "given" else ""
    return Working(
        inputs=(
            Input(name="retriever", of=hit.retriever),
            Input(name="rank", value=hit.rank),
            Input(name="passage", of=passage_name(hit.passage)),
        ),
        note=f"The index it was read from is not part of the record.{given}",
    )


def seconds_work(place: Place) -> Working:
    """Return how the seconds of a run are made up of its methods'."""
    if not isinstance(place.owner, Diagnosis):
        return Working(note="Read from the clock.")
    parts = tuple(Input(name=one.method, value=one.seconds) for one in place.owner.outcomes)
    return Working(
        inputs=parts,
        note="Read from the clock, with loading, retrieval and both answers.",
    )


ENTRIES: tuple[Entry, ...] = (
    entry(Token, "logprob", logprob_work),
    entry(Token, "entropy", entropy_work),
    entry(Token, "entropy_high", bound_work),
    *(entry(Judgement, field, judgement_work) for field in JUDGED),
    entry(JudgedAnswer, "meaning", meaning_work),
    entry(Hit, "score", score_work),
    entry(Diagnosis, "seconds", seconds_work),
    entry(Outcome, "seconds", seconds_work),
    entry(Generation, "temperature"),
)
