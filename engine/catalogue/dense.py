"""DENSE's numbers: the entropy of the answers, its share, its interval, and the agreement of every two answers."""

from collections.abc import Sequence
from itertools import product

from engine.catalogue.base import Entry, Input, Place, Working, tex, total
from engine.catalogue.judged import ASKED_TWICE, agreement, entails, nearest
from engine.core.records import ThresholdSource
from engine.measures.response_graph import degree_entropy, degree_entropy_share
from engine.measures.rewording_interval import reworded_interval
from engine.methods.dense import PAPER_THRESHOLD, DenseChunk, DenseResult

DSE = r"\mathrm{DSE} = -\tfrac{1}{k+1} \sum_{i=0}^{k} \ln \frac{D_i}{k+1}, \qquad D_i = \sum_j w_{ij}"
WEIGHT = r"w_{ij} = \tfrac{1}{2}\big(\mathrm{NLI}(r_i, r_j) + \mathrm{NLI}(r_j, r_i)\big), \qquad w_{ii} = 1"
NONE_PASSED = "No rewording passed its checks, so there is no second answer to compare with: unknown, which is not 0."


def member_name(member: int) -> str:
    """Return what a row of the matrix is called.

    >>> member_name(-1), member_name(0)
    ('original passages', 'chunk 1 reworded')
    """
    return "original passages" if member < 0 else f"chunk {member + 1} reworded"


def members_of(result: DenseResult) -> tuple[tuple[str, str], ...]:
    """Return (name, text) of the answers in the rows of ``weights``, then of ``further_weights``."""
    answers = {chunk.index: chunk.answer.text for chunk in result.chunks if chunk.answer is not None}
    rows = [(member_name(m), result.original.text if m < 0 else answers.get(m, "")) for m in result.members]
    rows += [(f"chunk {one.index + 1}, another rewording", one.answer.text) for one in result.further]
    return tuple(rows)


def entropy_work(place: Place) -> Working:
    """Return DSE with this run's degrees in eq. 6."""
    result = place.the(DenseResult)
    if result.entropy is None:
        return Working()
    size, degrees = len(result.weights), [sum(row) for row in result.weights]
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
    if result.entropy is None:
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
    return pair_work(place, members[row], members[column])


def chunk_weight_work(place: Place) -> Working:
    """Return how far the answer stays when a chunk is reworded."""
    result, chunk = place.the(DenseResult), place.the(DenseChunk)
    if chunk.answer is None:
        return Working()
    return pair_work(place, ("original passages", result.original.text), ("reworded", chunk.answer.text))


def ablation_work(place: Place) -> Working:
    """Return how far the answer stays when a chunk is left out."""
    result, chunk = place.the(DenseResult), place.the(DenseChunk)
    if chunk.ablation is None:
        return Working()
    return pair_work(place, ("original passages", result.original.text), ("left out", chunk.ablation.text))


def pair_work(place: Place, one: tuple[str, str], other: tuple[str, str]) -> Working:
    """Return eq. 5 for two answers, each (name, text), from the stored judgements."""
    result, texts = place.the(DenseResult), (one[1].strip(), other[1].strip())
    forth, back = entails(result.judgements, *texts), entails(result.judgements, *reversed(texts))
    said = [Input(name=f"answer, {one[0]}", of=texts[0]), Input(name=f"answer, {other[0]}", of=texts[1])]
    if not forth or not back:
        return Working(inputs=tuple(said), note="The judge's word on this pair is not stored in this record.")
    ways = {agreement(*way): way for way in product(forth, back)}
    again = nearest(list(ways), place.value)
    first, second = ways[again]
    return Working(
        filled=rf"w = \tfrac{{1}}{{2}}\,({int(first)} + {int(second)}) = {tex(again)}",
        inputs=(
            *said,
            Input(name="the first entails the second", value=float(first)),
            Input(name="the second entails the first", value=float(second)),
        ),
        again=again,
        note=ASKED_TWICE if len(ways) > 1 else "",
    )


def interval_work(place: Place) -> Working:
    """Return an end of the interval of DSE over every way of taking one rewording of each chunk."""
    result = place.the(DenseResult)
    owners = [*result.members, *(one.index for one in result.further)]
    low, high = reworded_interval(result.further_weights, owners)
    counts = [owners.count(chunk) for chunk in dict.fromkeys(owners) if chunk >= 0]
    ways = r" \cdot ".join(str(count) for count in counts)
    return Working(
        filled=rf"{ways} \text{{ ways}}, \quad [q_{{0.025}}, q_{{0.975}}] = [{tex(low)}, {tex(high)}]",
        inputs=tuple(
            Input(name=f"rewordings of chunk {chunk + 1}", value=owners.count(chunk))
            for chunk in dict.fromkeys(owners)
            if chunk >= 0
        ),
        again=low if place.field == "low" else high,
        note="Beyond 1,000 ways, 1,000 of them are drawn. The paper draws one rewording and prints no interval.",
    )


def source(place: Place) -> ThresholdSource:
    """Return where the threshold of the run comes from."""
    return place.the(DenseResult).threshold_source


def verdict_inputs(result: DenseResult) -> Sequence[Input]:
    """Return what the threshold is held against."""
    return (Input(name="DSE", value=result.entropy),)


def threshold_work(place: Place) -> Working:
    """Return the comparison that the threshold decides."""
    result = place.the(DenseResult)
    if result.entropy is None:
        return Working(note=NONE_PASSED)
    sign, word = (">", "uncertain") if result.uncertain else (r"\le", "certain")
    return Working(
        filled=rf"{tex(result.entropy)} {sign} {tex(result.threshold)} \;\Rightarrow\; \text{{{word}}}",
        inputs=tuple(verdict_inputs(result)),
    )


ENTRIES: tuple[Entry, ...] = (
    Entry(
        record=DenseResult,
        field="entropy",
        title="DSE, degree-based semantic entropy",
        short="DSE",
        unit="nats",
        range="0 to ln(number of answers)",
        direction="higher = less understood; 0 = every rewording keeps the answer",
        equation=DSE,
        source="DENSE, eq. 6",
        function="engine.measures.response_graph.degree_entropy",
        absent=NONE_PASSED,
        work=entropy_work,
    ),
    Entry(
        record=DenseResult,
        field="share",
        title="DSE as a share of the largest possible",
        short="DSE share",
        unit="share",
        range="0 to 1",
        direction="higher = less understood; comparable between different numbers of chunks",
        equation=r"\mathrm{DSE} / \ln(k+1)",
        source="not in the paper: DSE over its largest value, ln(k+1)",
        function="engine.measures.response_graph.degree_entropy_share",
        absent=NONE_PASSED,
        work=share_work,
    ),
    Entry(
        record=DenseResult,
        field="threshold",
        title="DSE threshold",
        short="threshold",
        unit="nats",
        range="at least 0",
        direction="DSE above it (strictly) = uncertain",
        equation=r"\mathrm{DSE} > 0.2 \;\Rightarrow\; \text{uncertain}",
        source="DENSE, section 5",
        function="engine.measures.response_graph.is_uncertain",
        kind="setting",
        work=threshold_work,
        threshold=source,
        papers=f"{PAPER_THRESHOLD:g} nats, set for k = 5 chunks and models of 1.5B to 70B parameters",
    ),
    *(
        Entry(
            record=DenseResult,
            field=field,
            title=title,
            unit="agreement",
            range="0, 0.5 or 1",
            direction="higher = the two answers say more of the same",
            equation=WEIGHT,
            source="DENSE, eq. 5",
            function="engine.measures.response_graph.response_weights",
            work=weight_work,
        )
        for field, title in (
            ("weights", "Agreement of two answers"),
            ("further_weights", "Agreement of two answers, further rewordings included"),
        )
    ),
    Entry(
        record=DenseChunk,
        field="weight",
        title="Agreement with the original answer when the chunk is reworded",
        unit="agreement",
        range="0, 0.5 or 1",
        direction="1 = the chunk is certain: its wording does not matter",
        equation=WEIGHT,
        source="DENSE, eq. 5 and 8",
        function="engine.measures.response_graph.response_weights",
        absent="No rewording of this chunk passed its checks, so no answer was written over one.",
        work=chunk_weight_work,
    ),
    Entry(
        record=DenseChunk,
        field="ablation_weight",
        title="Agreement with the original answer when the chunk is left out",
        unit="agreement",
        range="0, 0.5 or 1",
        direction="1 = the chunk is unnecessary: the answer stays without it",
        equation=r"\tfrac{1}{2}\big(\mathrm{NLI}(r_0, r_{-i}) + \mathrm{NLI}(r_{-i}, r_0)\big) = 1",
        source="DENSE, eq. 9 and 10, algorithm 3",
        function="engine.measures.response_graph.chunk_labels",
        absent="The chunk is certain, or has no valid rewording: only uncertain chunks are left out for a try.",
        work=ablation_work,
    ),
)
