"""DENSE's numbers: the entropy of the answers, its share, its interval, and the agreement of every two answers."""

import math
from collections.abc import Sequence

import numpy as np

from engine.catalogue.base import Entry, Fact, Input, Place, Working, entry, of_owner, stored_source, tex, total
from engine.catalogue.judged import classes_of, judged_pairs
from engine.core.records import Interval
from engine.measures.checks import Floats, Ints
from engine.measures.response_graph import (
    agreed_label,
    chunk_labels,
    degree_entropy,
    degree_entropy_share,
    is_uncertain,
    label_shares,
    response_weights,
)
from engine.measures.rewording_interval import reworded_interval
from engine.measures.rewording_shares import entailment_rate
from engine.measures.semantic_clusters import ENTAILMENT
from engine.methods.dense_records import PAPER_THRESHOLD, DenseChunk, DenseResult
from engine.methods.rewrites import RewordedSentence, RewriteAttempt

NONE_PASSED = "No rewording passed its checks."


def member_name(member: int) -> str:
    """Return what a row of the matrix is called.

    >>> member_name(-1), member_name(0)
    ('original passages', 'passage 1 reworded')
    """
    return "original passages" if member < 0 else f"passage {member + 1} reworded"


def members_of(result: DenseResult) -> tuple[tuple[str, str], ...]:
    """Return (name, text) of the answers in the rows of ``weights``, then of ``further_weights``."""
    answers = {chunk.index: chunk.answer.text for chunk in result.chunks if chunk.answer is not None}
    rows = [(member_name(m), result.original.text if m < 0 else answers.get(m, "")) for m in result.members]
    rows += [(f"passage {one.index + 1}, another rewording", one.answer.text) for one in result.further]
    return tuple(rows)


def measured_chunks(result: DenseResult) -> list[DenseChunk]:
    """Return the chunks over which an answer was written: those with a valid rewording."""
    return [chunk for chunk in result.chunks if chunk.answer is not None]


def answer_classes(result: DenseResult) -> Ints:
    """Return the entailment classes of all answers, further rewordings included, from the judgements."""
    texts = [result.original.text, *(chunk.answer.text for chunk in measured_chunks(result) if chunk.answer)]
    texts += [one.answer.text for one in result.further]
    stored = result.further_weights or result.weights
    return classes_of(
        [text.strip() for text in texts],
        judged_pairs(result.judgements),
        lambda classes: np.array_equal(response_weights(classes == ENTAILMENT), stored),
    )


def weights_again(place: Place) -> Floats:
    """Return the weights of the members, from the judgements."""
    result = place.the(DenseResult)
    size = 1 + len(measured_chunks(result))
    return response_weights(place.once(answer_classes, result) == ENTAILMENT)[:size, :size]


def further_again(place: Place) -> Floats | tuple[()]:
    """Return the weights of all answers, from the judgements; () without further rewordings."""
    result = place.the(DenseResult)
    return response_weights(place.once(answer_classes, result) == ENTAILMENT) if result.further else ()


def interval_again(place: Place) -> Interval | None:
    """Return the interval of DSE over every way of taking one rewording of each chunk."""
    result = place.the(DenseResult)
    if not result.further:
        return None
    low, high = reworded_interval(result.further_weights, result.rows)
    return Interval(low=low, high=high)


def label_again(place: Place) -> str:
    """Return a chunk's label from the stored weights: over all wordings, in an older record that of the first."""
    result, chunk = place.the(DenseResult), place.the(DenseChunk)
    if chunk.wordings is None:
        return place.once(first_labels, result).get(chunk.index, "not measured")
    shares = place.once(shares_again, result)
    return agreed_label(shares[chunk.index]) if chunk.index in shares else "not measured"


def first_labels(result: DenseResult) -> dict[int, str]:
    """Return the label that the first wording gives every chunk that was measured, by its index."""
    chunks = measured_chunks(result)
    if not chunks:
        return {}
    labels = chunk_labels(result.weights, ablation_weights(chunks), rule=result.rule)
    return dict(zip((chunk.index for chunk in chunks), labels, strict=True))


def ablation_weights(chunks: Sequence[DenseChunk]) -> list[float]:
    """Return the agreement of the answer without each chunk, NaN where that was not run."""
    return [math.nan if chunk.ablation_weight is None else chunk.ablation_weight for chunk in chunks]


def shares_again(result: DenseResult) -> dict[int, Floats]:
    """Return the shares of labels over the wordings of every chunk that was measured, by its index."""
    chunks = measured_chunks(result)
    weights = result.further_weights if result.further else result.weights
    shares = label_shares(weights, result.rows, ablation_weights(chunks), rule=result.rule)
    return dict(zip((chunk.index for chunk in chunks), shares, strict=True))


def counts_again(place: Place) -> object:
    """Return how many wordings a chunk has, or in how many of them the answer changes; an older record has neither."""
    result, chunk = place.the(DenseResult), place.the(DenseChunk)
    found = result.changes.get(chunk.index)
    if found is None or (chunk.wordings, chunk.changing) == (None, None):
        return None
    return found[0] if place.field == "changing" else found[1]


def change_work(place: Place) -> Working:
    """Return the share of a chunk's wordings that change the answer."""
    result, chunk = place.the(DenseResult), place.the(DenseChunk)
    if chunk.index not in result.changes or chunk.change_share is None:
        return Working()
    changing, wordings = result.changes[chunk.index]
    return Working(
        filled=rf"\tfrac{{{changing}}}{{{wordings}}} = {tex(changing / wordings)}",
        inputs=(Input(name="wordings that change the answer", value=changing), Input(name="wordings", value=wordings)),
        again=changing / wordings,
    )


def entropy_work(place: Place) -> Working:
    """Return DSE with this run's degrees in eq. 6."""
    result = place.the(DenseResult)
    size, degrees = len(result.weights), [sum(row) for row in result.weights]
    if size < 2:
        return Working()
    again = degree_entropy(result.weights)
    terms = total([rf"\ln\tfrac{{{degree:g}}}{{{size}}}" for degree in degrees])
    return Working(
        filled=rf"\mathrm{{DSE}} = -\tfrac{{1}}{{{size}}}\left({terms}\right) = {tex(again)}\ \text{{nats}}",
        inputs=degree_inputs(result),
        again=again,
    )


def degree_inputs(result: DenseResult) -> tuple[Input, ...]:
    """Return the degree of every answer with its text."""
    named = zip(members_of(result), result.weights, strict=False)
    return tuple(Input(name=f"D, {name}", of=text, value=sum(row)) for (name, text), row in named)


def share_work(place: Place) -> Working:
    """Return DSE over the largest it could be with so many answers."""
    result = place.the(DenseResult)
    if len(result.weights) < 2:
        return Working()
    again, size = degree_entropy_share(result.weights), len(result.weights)
    return Working(
        filled=rf"\frac{{{tex(result.entropy)}}}{{\ln {size}}} = {tex(again)}",
        inputs=(Input(name="DSE", value=result.entropy), Input(name="answers", value=size)),
        again=again,
    )


def weight_work(place: Place) -> Working:
    """Return the agreement of the two answers a cell of the matrix stands for."""
    result, (row, column) = place.the(DenseResult), place.position
    members = members_of(result)
    if row == column:
        return Working(filled="w_{ii} = 1", again=1.0, note="An answer agrees with itself; the paper leaves it open.")
    return pair_work((members[row], members[column]), place.once(answer_classes, result)[np.ix_(*[(row, column)] * 2)])


def chunk_weight_work(place: Place) -> Working:
    """Return how far the answer stays when a chunk is reworded."""
    result, chunk = place.the(DenseResult), place.the(DenseChunk)
    if chunk.answer is None:
        return Working()
    row = 1 + next(at for at, one in enumerate(measured_chunks(result)) if one.index == chunk.index)
    classes = place.once(answer_classes, result)[np.ix_(*[(0, row)] * 2)]
    return pair_work((("original passages", result.original.text), ("reworded", chunk.answer.text)), classes)


def ablation_work(place: Place) -> Working:
    """Return how far the answer stays when a chunk is left out."""
    result, chunk = place.the(DenseResult), place.the(DenseChunk)
    if chunk.ablation is None:
        return Working()
    texts = (result.original.text, chunk.ablation.text)
    classes = classes_of(
        [text.strip() for text in texts],
        place.once(judged_pairs, result.judgements),
        lambda found: float(response_weights(found == ENTAILMENT)[0, 1]) == chunk.ablation_weight,
    )
    return pair_work((("original passages", texts[0]), ("left out", texts[1])), classes)


def pair_work(answers: tuple[tuple[str, str], tuple[str, str]], classes: Ints) -> Working:
    """Return eq. 5 for two answers, each (name, text), from their entailment classes [2, 2]."""
    entails = classes == ENTAILMENT
    first, second = bool(entails[0, 1]), bool(entails[1, 0])
    again = float(response_weights(entails)[0, 1])
    return Working(
        filled=rf"w = \tfrac{{1}}{{2}}\,({int(first)} + {int(second)}) = {tex(again)}",
        inputs=(
            *(Input(name=f"answer, {name}", of=text.strip()) for name, text in answers),
            Input(name="the first entails the second", value=float(first)),
            Input(name="the second entails the first", value=float(second)),
        ),
        again=again,
    )


def interval_work(place: Place, again: Interval) -> Working:
    """Return an end of the interval of DSE."""
    result = place.the(DenseResult)
    owners = result.rows
    counts = {chunk: owners.count(chunk) for chunk in dict.fromkeys(owners) if chunk >= 0}
    ways = r" \cdot ".join(map(str, counts.values()))
    return Working(
        filled=rf"{ways} \text{{ ways}}, \quad [q_{{0.025}}, q_{{0.975}}] = [{tex(again.low)}, {tex(again.high)}]",
        inputs=tuple(Input(name=f"rewordings of passage {chunk + 1}", value=count) for chunk, count in counts.items()),
        note="Beyond 1,000 ways, 1,000 of them are drawn. The paper draws one rewording and prints no interval.",
    )


def entailment_work(place: Place) -> Working:
    """Return the share of a rewording's sentences that the judge finds to state the same."""
    attempt = place.the(RewriteAttempt)
    if not attempt.sentences:
        return Working(raw=True, note="A passage rewritten as a whole stores no verdicts on sentences.")
    again = entailment_rate([said.entailment for said in attempt.sentences])
    inputs = [Input(name="sentence", of=said.text, value=said.entailment) for said in attempt.sentences]
    return Working(inputs=tuple(one for one in inputs if one.value is not None), again=again)


def threshold_work(place: Place) -> Working:
    """Return the comparison that the threshold decides."""
    result = place.the(DenseResult)
    if result.entropy is None:
        return Working(note=NONE_PASSED)
    sign, word = (">", "uncertain") if result.uncertain else (r"\le", "certain")
    return Working(
        filled=rf"{tex(result.entropy)} {sign} {tex(result.threshold)} \;\Rightarrow\; \text{{{word}}}",
        inputs=(Input(name="DSE", value=result.entropy),),
    )


ENTRIES: tuple[Entry, ...] = (
    entry(DenseResult, "entropy", entropy_work, compared_in=DenseResult),
    entry(DenseResult, "share", share_work, compared_in=DenseResult),
    entry(DenseResult, "threshold", threshold_work, threshold=stored_source(DenseResult), paper=PAPER_THRESHOLD),
    entry(DenseResult, "temperature"),
    entry(DenseResult, "entailment_rate", read=lambda own: own.entailment_rate),
    entry(DenseResult, "weights", weight_work),
    entry(DenseResult, "further_weights", weight_work),
    entry(DenseChunk, "weight", chunk_weight_work),
    entry(DenseChunk, "ablation_weight", ablation_work),
    entry(DenseChunk, "change_share", change_work),
    entry(RewriteAttempt, "entailment", entailment_work),
    entry(RewordedSentence, "entailment"),
)
FACTS: tuple[Fact, ...] = (
    Fact(DenseResult, "members", of_owner(lambda own: (-1, *(chunk.index for chunk in measured_chunks(own))))),
    Fact(DenseResult, "valid_rewrites", of_owner(lambda own: len(measured_chunks(own)))),
    Fact(DenseResult, "weights", weights_again),
    Fact(DenseResult, "further_weights", further_again),
    Fact(
        DenseResult,
        "uncertain",
        of_owner(lambda own: None if own.entropy is None else is_uncertain(own.entropy, own.threshold)),
    ),
    Fact(DenseResult, "entropy_interval", interval_again),
    Fact(DenseChunk, "label", label_again),
    Fact(DenseChunk, "wordings", counts_again),
    Fact(DenseChunk, "changing", counts_again),
)
