"""Numbers that a model, a judge, a search or a clock gave: what they mean, and that nothing remains to compute them by.

Logits, embeddings and postings are not stored, so these are the ground that every other number stands on. What can be
checked is: three probabilities of a judgement sum to 1.
"""

import math

from engine.catalogue.base import Entry, Input, Place, Working, setting, signed_tex, tex
from engine.core.records import Generation, Hit, Judgement, Token
from engine.diagnosis.record import Diagnosis, Outcome

# What a judge's three probabilities may miss 1 by and still count as a distribution.
ROUNDING_OF_JUDGES = 1e-3
NO_LOGITS = "The record keeps no logits: a vocabulary of them for every token would be a thousand times its size."


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
    others = {name: getattr(judged, name) for name in ("contradiction", "neutral", "entailment") if name != place.field}
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


def score_work(place: Place) -> Working:
    """Return a retrieval score with its retriever and rank."""
    hit = place.the(Hit)
    given = " The passage was given with the question, so it was not searched for." if hit.retriever == "given" else ""
    return Working(
        inputs=(
            Input(name="retriever", of=hit.retriever),
            Input(name="rank", value=hit.rank),
            Input(name="passage", of=hit.passage.title or hit.passage.text[:80]),
        ),
        note=f"The index it was read from is not part of the record.{given}",
    )


def seconds_work(place: Place) -> Working:
    """Return how the seconds of a run are made up of its methods'."""
    if not isinstance(place.owner, Diagnosis):
        return Working(note="Read from the clock of the machine that computed the run.")
    parts = tuple(Input(name=one.method, value=one.seconds) for one in place.owner.outcomes)
    return Working(
        inputs=parts,
        note="Read from the clock; loading models, retrieval and the two answers are in it beside the methods.",
    )


PROBABILITY = "0 to 1"
JUDGED = (
    r"P(\text{entailment}) = \mathrm{softmax}(z)_2, "
    r"\qquad P(\text{contradiction}) + P(\text{neutral}) + P(\text{entailment}) = 1"
)


def judgement(field: str, direction: str) -> Entry:
    """Return the entry of one of a judgement's three probabilities."""
    return Entry(
        record=Judgement,
        field=field,
        title=f"P({field})",
        unit="probability",
        range=PROBABILITY,
        direction=direction,
        equation=JUDGED,
        source="DENSE, section 4.2; SePer, section 3 (an entailment judge)",
        function="engine.backends.entailment.matrix.judged_pairs",
        work=judgement_work,
    )


ENTRIES: tuple[Entry, ...] = (
    Entry(
        record=Token,
        field="logprob",
        title="Log-probability of a token",
        unit="nats",
        range="−∞ to 0",
        direction="higher = likelier",
        equation=r"\ln p(t) = z_t - \ln \sum_v e^{z_v}",
        source="SePer, eq. 7",
        function="engine.backends.language_models.decoder.decoding.choose",
        kind="reading",
        work=logprob_work,
    ),
    Entry(
        record=Token,
        field="entropy",
        title="Entropy of the next-token distribution",
        unit="nats",
        range="0 to ln of the vocabulary's size",
        direction="higher = the model was less sure what to write here",
        equation=r"H = -\sum_v p(v) \ln p(v)",
        source="ETC, eq. 3",
        function="engine.backends.language_models.decoder.decoding.choose",
        kind="reading",
        work=entropy_work,
    ),
    Entry(
        record=Token,
        field="entropy_high",
        title="The most the entropy of the next-token distribution can be",
        unit="nats",
        range="0 to ln of the vocabulary's size",
        direction="further above the entropy = the server shows less of what else could have been written",
        equation=r"H = -\sum_v p(v) \ln p(v)",
        source="ETC, eq. 3, over all distributions with the likeliest tokens that the server shows",
        function="engine.measures.token_entropy.entropy_bounds_from_top_k",
        kind="reading",
        absent="The entropy is exact.",
        work=bound_work,
    ),
    judgement("contradiction", "higher = the two answers exclude each other"),
    judgement("neutral", "higher = neither follows from the other"),
    judgement("entailment", "higher = the hypothesis follows from the premise"),
    Entry(
        record=Hit,
        field="score",
        title="Retrieval score",
        unit="score",
        range="hybrid: sum of 1 / (60 + rank); vector: cosine; bm25: BM25",
        direction="higher = a better match with the question",
        equation=r"\mathrm{RRF}(d) = \sum_{r} \frac{1}{60 + \mathrm{rank}_r(d)}",
        source="Cormack et al. 2009 (hybrid); Robertson and Zaragoza 2009 (BM25)",
        function="engine.backends.retrieval.fusion.fused",
        kind="reading",
        absent="The passage was given with the question and not searched for, so it has no score (NaN, not 0).",
        work=score_work,
    ),
    Entry(
        record=Diagnosis,
        field="seconds",
        title="Time of the run",
        unit="seconds",
        range="at least 0",
        direction="higher = slower",
        equation="",
        source="not from a paper",
        function="engine.runs.run.run_request",
        kind="reading",
        work=seconds_work,
    ),
    Entry(
        record=Outcome,
        field="seconds",
        title="Time of the method",
        unit="seconds",
        range="at least 0",
        direction="higher = slower; what an earlier method computed already is not counted twice",
        equation="",
        source="not from a paper",
        function="engine.runs.run.outcome_of",
        kind="reading",
        work=seconds_work,
    ),
    setting(
        Generation,
        "temperature",
        "Sampling temperature",
        "",
        "0 (greedy) for DENSE and the answers; 1 for SePer's samples",
        "SePer, section 4.1.2; DENSE, section 4.1",
        direction="higher = more varied draws; entropies and log-probabilities are taken before it",
        equation=r"p_T(v) \propto e^{z_v / T}",
        function="engine.backends.language_models.decoder.decoding.draw",
    ),
)
