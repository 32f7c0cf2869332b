"""The settings of a run, read off its record: what an imported run is asked again with.

A field that no result names (DENSE's bound of similarity, ETC's words a query, QuCo-RAG's passages a query and meetings
shown) has its default. Other methods look at SePer's samples, so their results tell SePer's settings where it did not
run itself.
"""

from collections import Counter
from typing import Any

from engine.core.records import Generation
from engine.diagnosis.record import Diagnosis, MethodResult
from engine.methods.chunk_utility import ChunkUtilityConfig, ChunkUtilityResult
from engine.methods.dense import DenseConfig, DenseResult
from engine.methods.dense_rag import DenseRagResult
from engine.methods.entropy_trend import EntropyTrendConfig, EntropyTrendResult
from engine.methods.quco_rag import QucoConfig, QucoResult
from engine.methods.seper import SeperConfig, SeperResult
from engine.methods.sugar import SugarConfig, SugarResult
from engine.methods.timing.method import TimingResult
from engine.methods.uncertainty import UncertaintyResult

# Whose result tells SePer's settings: the first that is there, as it names the most of them.
SAMPLING = ("seper", "chunk_utility", "sugar", "uncertainty")


def settings_of(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return the settings that the methods' results name, by the method's word.

    Settings inside settings are left alone: ``engine.diagnosis`` puts DENSE's and SePer's there when it runs.
    """
    results = {one.method: one for outcome in diagnosis.outcomes if (one := outcome.result) is not None}
    found: dict[str, Any] = {method: own for method, one in results.items() if (own := named_by(one)) is not None}
    told = [config for method in SAMPLING if method in results and (config := drawn(results[method])) is not None]
    return {**found, "seper": told[0]} if told else found


def named_by(result: MethodResult) -> object | None:
    """Return the settings of a result's own method; None for SePer, which ``drawn`` reads, and for the baselines."""
    match result:
        case DenseRagResult(config=config) | TimingResult(config=config):
            return config
        case DenseResult():
            return of_dense(result)
        case EntropyTrendResult(variant=variant, alpha=alpha, alpha_source=source):
            return EntropyTrendConfig(variant=variant, alpha=alpha, fitted=source == "fitted")
        case QucoResult():
            return of_quco(result)
        case SugarResult():
            return of_sugar(result)
        case ChunkUtilityResult(margin=margin, level=level, resamples=resamples):
            return ChunkUtilityConfig(margin=margin, level=level, resamples=resamples)
    return None


def of_dense(result: DenseResult) -> DenseConfig:
    """Return DENSE's settings; rewordings by hand also where they were refused, for they were asked for."""
    by_hand = [(chunk.index, made.text) for chunk in result.chunks for made in chunk.attempts if made.source == "hand"]
    return DenseConfig(
        draws=1 + max(Counter(one.index for one in result.further).values(), default=0),
        threshold=result.threshold,
        rule=result.rule,
        rewrites=tuple(by_hand),
        fitted=result.threshold_source == "fitted",
    )


def of_sugar(result: SugarResult) -> SugarConfig:
    """Return SUGAR's thresholds, form and budget."""
    return SugarConfig(
        low=result.low,
        high=result.high,
        form=result.form,
        passages=result.passages_a_round,
        rounds=result.most_rounds,
        fitted=result.threshold_source == "fitted",
    )


def of_quco(result: QucoResult) -> QucoConfig:
    """Return QuCo-RAG's settings: its own, its check's and its loop's."""
    return QucoConfig(
        variant=result.variant,
        window=result.window,
        cooccurrence_threshold=result.cooccurrence_threshold,
        relation_check=result.relation_check,
        partial_threshold=result.partial_threshold,
        extractor=result.extractor,
        **index_of(result),
        **check_of(result),
        **loop_of(result),
    )


def index_of(result: QucoResult) -> dict[str, Any]:
    """Return where QuCo-RAG counted, as fields of its settings. Who asks again turns the network on, or not."""
    return {"counts": "infini-gram", "infini_gram_index": result.corpus} if result.counts_from == "infini-gram" else {}


def check_of(result: QucoResult) -> dict[str, Any]:
    """Return the check before generation as fields of QuCo-RAG's settings; its threshold is a count or a percentile."""
    check = result.pre_check
    if check is None:
        return {"initial_check": False}
    fields: dict[str, Any] = {"aggregate": check.aggregate}
    if check.percentile is not None:
        fields["entity_percentile"] = check.percentile
    elif check.threshold is not None:
        fields["entity_threshold"] = round(check.threshold)
    return fields


def loop_of(result: QucoResult) -> dict[str, Any]:
    """Return the loop as fields of QuCo-RAG's settings; how much it may write is known where that ended it."""
    loop = result.loop
    if loop is None:
        return {}
    fields: dict[str, Any] = {"dynamic": True}
    if any(step.decision == "not checked" for step in loop.steps):
        fields["sentence_check"] = False
    if loop.ending == "limit":
        fields["most_generations"] = len(loop.generations)
    return fields


def drawn(result: MethodResult) -> SeperConfig | None:
    """Return how the samples in a result were drawn and compared, None where it holds none."""
    match result:
        case SeperResult(variant=variant, with_passages=belief, resamples=resamples):
            return sampling(belief.samples, variant=variant, resamples=resamples)
        case ChunkUtilityResult(variant=variant, with_passages=sampled):
            return sampling(sampled.samples, variant=variant)
        case SugarResult(closed_book=doubt):
            return sampling(doubt.belief.samples)
        case UncertaintyResult(sets=sets):
            return sampling(next((one.answers for one in sets if one.word == "closed_book"), ()))
    return None


def sampling(samples: tuple[Generation, ...], **named: Any) -> SeperConfig | None:
    """Return SePer's settings with the number and temperature of these samples, None where there are none."""
    if not samples:
        return None
    return SeperConfig(samples=len(samples), temperature=samples[0].temperature, **named)
