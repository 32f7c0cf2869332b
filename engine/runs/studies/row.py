"""One run as a row of a study's table: its answers, whether they are right, its verdicts, and its numbers.

Every number of the catalogue has a column where it means the same in every run: numbers of a run and of a method, of a
policy, of a set of answers and its readings by their names, of passages and chunks by their rank. What is counted in
lists whose items differ from run to run (tokens, samples, claims) stays in the run itself. Beside them stand numbers
that only a study needs, such as exact match; ``numbers.toml`` says what they are.
"""

import math
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.catalogue.base import Place
from engine.catalogue.names import range_of, short_name, unit_of
from engine.catalogue.walk import numbers_of
from engine.core.records import Generation, JudgedAnswer, meaning_of
from engine.diagnosis.record import Diagnosis
from engine.measures.answer_marks import answer_spans, is_closed, is_right
from engine.measures.answer_match import exact_match, rouge_l, token_f1
from engine.methods import METHODS, method_title
from engine.methods.conclusion import final_answer
from engine.methods.dense_rag_records import DenseRagResult
from engine.methods.entropy_trend import EntropyTrendResult
from engine.methods.meaning import only_means
from engine.methods.quco_rag import QucoResult
from engine.methods.seper_records import SeperResult
from engine.methods.sugar import SugarResult
from engine.methods.timing.base import PolicyRun, PolicyTrace
from engine.methods.timing.method import TimingResult
from engine.methods.timing.policies import POLICIES
from engine.methods.timing.trace import missing_reason
from engine.methods.uncertainty import AnswerSet, Reading
from engine.runs.studies.records import Number, StudyQuestion

# Verdicts come from whoever draws: (word, tone) by method.
Describe = Callable[[Diagnosis], Mapping[str, tuple[str, str]]]
NAMED = (AnswerSet, Reading, PolicyTrace, PolicyRun)
RANKED = ("chunks", "hits")
LEFT_OUT = ("level", "config", "bar")
OWN: dict[str, dict[str, str]] = tomllib.loads((Path(__file__).parent / "numbers.toml").read_text(encoding="utf-8"))


def no_verdicts(diagnosis: Diagnosis) -> Mapping[str, tuple[str, str]]:
    """Return no verdicts: for a study that nobody draws."""
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What a study keeps of one run. ``verdicts`` are (word, tone) by method, ``failed`` the reasons by method.

    ``numbers`` are by address; None = not measured. ``entropies`` are the token entropies of the answer in nats, and
    ``stepwise`` those of the step-by-step answer from memory, () where none was written or the row is older than that;
    ``triggers`` are, by policy, the places in [0, 1] of that answer at which it would look something up.
    """

    answer: str
    memory: str
    verdicts: dict[str, tuple[str, str]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, float | None] = field(default_factory=dict)
    entropies: tuple[float, ...] = ()
    stepwise: tuple[float, ...] = ()
    triggers: dict[str, tuple[float, ...]] = field(default_factory=dict)


def row_of(
    diagnosis: Diagnosis, question: StudyQuestion, describe: Describe = no_verdicts
) -> tuple[Row, tuple[Number, ...]]:
    """Return a run as a row, and what its columns of numbers are called."""
    numbers: dict[str, float | None] = dict(own_numbers(diagnosis, question))
    names = [own_number(address) for address in numbers]
    for place in numbers_of(diagnosis):
        address = aligned_address(place)
        if address is not None and address not in numbers:
            numbers[address] = place.value
            names.append(named_number(place, address))
    row = Row(
        answer=diagnosis.answer.text.strip(),
        memory=diagnosis.closed_book.text.strip(),
        verdicts=dict(describe(diagnosis)),
        failed={one.method: one.reason for one in diagnosis.outcomes if one.status == "failed"},
        numbers=numbers,
        entropies=token_entropies(diagnosis.answer),
        stepwise=token_entropies(stepwise_answer(diagnosis)),
        triggers=trigger_places(diagnosis),
    )
    return row, tuple(names)


def token_entropies(generation: Generation | None) -> tuple[float, ...]:
    """Return the entropy of each token of a text in nats, () of none."""
    return tuple(round(token.entropy_middle, 4) for token in generation.tokens) if generation is not None else ()


def stepwise_answer(diagnosis: Diagnosis) -> Generation | None:
    """Return the step-by-step answer from memory, which timing policies, ETC and QuCo-RAG share; None without one."""
    found = (diagnosis.result(TimingResult), diagnosis.result(EntropyTrendResult), diagnosis.result(QucoResult))
    return next((one.generation for one in found if one is not None), None)


def named_number(place: Place, address: str) -> Number:
    """Return what a number of the catalogue is called in a table of many methods."""
    word = str(place.steps[0])
    title = short_name(place)
    if word in METHODS and not title.startswith(method_title(word)):
        title = f"{method_title(word)}: {title}"
    return Number(address=address, title=title, unit=unit_of(place), range=range_of(place))


def own_number(address: str) -> Number:
    """Return what a number that only studies have is called; those of policies carry the policy's name."""
    if address in OWN:
        return Number(address=address, **OWN[address])
    method, lists, policy, name = address.split(".")
    told = OWN[f"{method}.{lists}.*.{name}"]
    return Number(address=address, **{**told, "title": f"{POLICIES[policy].title}: {told['title']}"})


def aligned_address(place: Place) -> str | None:
    """Return a number's address with named items by their names, None where it is not the same thing in every run."""
    if place.position or any(step in LEFT_OUT for step in place.steps):
        return None
    if isinstance(place.owner, Reading) and place.field != "value":
        return None
    items = [one for one in (*place.above, place.owner) if isinstance(one, NAMED)]
    parts: list[str] = []
    for at, step in enumerate(place.steps):
        if isinstance(step, str):
            parts.append(step)
        elif at and place.steps[at - 1] in RANKED and sum(isinstance(other, int) for other in place.steps) == 1:
            parts.append(str(step + 1))
        elif items:
            parts.append(item_name(items.pop(0)))
        else:
            return None
    return ".".join(parts)


def item_name(item: object) -> str:
    """Return the name of a policy, a set of answers or a measure, as it stands in an address."""
    if isinstance(item, AnswerSet):
        return item.word
    if isinstance(item, Reading):
        return item.measure if item.edges == "none" else f"{item.measure}_{item.edges}"
    assert isinstance(item, PolicyTrace | PolicyRun)
    return item.policy


def own_numbers(diagnosis: Diagnosis, question: StudyQuestion) -> Iterator[tuple[str, float | None]]:
    """Yield the numbers that no single run shows: right or wrong in every way, likelihood, known utility, policies."""
    golds = question.golds
    for word, generation in (("answer", diagnosis.answer), ("memory", diagnosis.closed_book)):
        yield from scored(word, generation.text, golds, diagnosis.judged)
        yield f"{word}.meaning", meaning_of(generation.text, diagnosis.judged)
        yield f"{word}.logprob", likelihood(generation)
        yield f"{word}.tokens", float(len(generation.tokens))
    yield "passages.read", float(len(diagnosis.hits))
    yield "passages.hold", holding(diagnosis, golds)
    yield "passages.utility", known_utility(diagnosis, question)
    yield from sample_numbers(diagnosis, golds)
    yield from loop_numbers(diagnosis, golds)


def sample_numbers(diagnosis: Diagnosis, golds: tuple[str, ...]) -> Iterator[tuple[str, float | None]]:
    """Yield what SePer's table 2 compares it with: scores, perplexity and predictive entropy of its own samples."""
    result = diagnosis.result(SeperResult)
    for word in ("without", "with_passages") if result is not None else ():
        samples = getattr(result, word).samples
        each = [dict(scored("", one.text, golds)) for one in samples]
        for name in ("exact", "f1", "rouge", "right"):
            yield f"seper.{word}.samples.{name}", mean_of(one[f".{name}"] for one in each)
        logs = [(mean, max(1, len(one.tokens))) for one in samples if (mean := likelihood(one)) is not None]
        yield f"seper.{word}.samples.perplexity", mean_of(perplexity(mean) for mean, _ in logs)
        yield f"seper.{word}.samples.entropy", mean_of(-mean * length for mean, length in logs)


def perplexity(mean_logprob: float) -> float:
    """Return the perplexity of a text by the mean log-probability of its tokens in nats, infinite beyond e^700."""
    return math.exp(-mean_logprob) if mean_logprob > -700 else math.inf


def mean_of(values: Iterable[float | None]) -> float | None:
    """Return the mean of those that were measured, None where none was."""
    found = [one for one in values if one is not None]
    return sum(found) / len(found) if found else None


def scored(
    word: str, text: str, golds: tuple[str, ...], judged: Sequence[JudgedAnswer] = ()
) -> Iterator[tuple[str, float | None]]:
    """Yield whether a text is right, right by its words, equals a correct answer, token F1, ROUGE-L; None without one.

    Right as on a run's page: by its words, or by the judge where words call it wrong and the judge was asked.
    """
    by_judge = only_means(text, False, judged) is not None
    yield f"{word}.right", float(is_right(text.strip(), golds) or by_judge) if golds else None
    for name, measure in (("by_words", is_right), ("exact", exact_match), ("f1", token_f1), ("rouge", rouge_l)):
        yield f"{word}.{name}", float(measure(text.strip(), golds)) if golds else None


def likelihood(generation: Generation) -> float | None:
    """Return the mean log-probability of an answer's tokens in nats, None where the model gives none."""
    if not generation.tokens and generation.stop_token is None:
        return None
    return generation.mean_logprob


def holding(diagnosis: Diagnosis, golds: tuple[str, ...]) -> float | None:
    """Return 1 where a passage that was read, or its title, holds a correct answer, else 0.

    None without one whose words tell: "yes" and "no" stand anywhere.
    """
    told = [one for one in golds if not is_closed(one)]
    if not told:
        return None
    texts = (f"{hit.passage.title}\n{hit.passage.text}" for hit in diagnosis.hits)
    return float(any(answer_spans(text, told, loose=True) for text in texts))


def known_utility(diagnosis: Diagnosis, question: StudyQuestion) -> float | None:
    """Return how useful the passages are known to be: what the file says, else the share of supporting ones read.

    A supporting passage was read where a chunk of it was.
    """
    if question.utility is not None:
        return question.utility
    if not question.supporting:
        return None
    wanted = [question.passages[at].text for at in question.supporting]
    read = [hit.passage.text.strip() for hit in diagnosis.hits]
    return sum(any(text in one or one in text for one in read) for text in wanted) / len(wanted)


def loop_numbers(diagnosis: Diagnosis, golds: tuple[str, ...]) -> Iterator[tuple[str, float | None]]:
    """Yield what each policy's own loop, SUGAR and DENSE-RAG came to."""
    timing, judged = diagnosis.result(TimingResult), diagnosis.judged
    runs, of_runs = (timing.runs, timing.judged) if timing is not None else ((), ())
    for run in runs:
        if not run.not_measured:
            yield from policy_numbers(run, golds, of_runs)
    sugar = diagnosis.result(SugarResult)
    if sugar is not None:
        yield "sugar.steps", float(sum(1 for one in sugar.rounds if one.hits))
        yield from scored("sugar.answer", sugar.answer.text, golds, judged)
    claims = diagnosis.result(QucoResult)
    if claims is not None:
        yield from claim_numbers(claims, golds)
    refined = diagnosis.result(DenseRagResult)
    if refined is not None and refined.final is not None:
        yield from scored("dense_rag.first", refined.steps[0].answer.text, golds, judged)
        yield from scored("dense_rag.final", refined.steps[refined.final].answer.text, golds, judged)


def policy_numbers(
    run: PolicyRun, golds: tuple[str, ...], judged: Sequence[JudgedAnswer]
) -> Iterator[tuple[str, float | None]]:
    """Yield what one policy's loop came to: right or wrong, lookups, tokens written and read."""
    yield from scored(f"timing.runs.{run.policy}", run.answer, golds, judged)
    yield f"timing.runs.{run.policy}.tokens_written", float(run.tokens_written)
    yield f"timing.runs.{run.policy}.tokens_read", float(run.prompt_tokens)


def claim_numbers(result: QucoResult, golds: tuple[str, ...]) -> Iterator[tuple[str, float | None]]:
    """Yield how many claims of the step-by-step answer have evidence and have none, and whether its conclusion is
    right; None where it comes to none.
    """
    told = [one for sentence in result.sentences if sentence.kind != "short answer" for one in sentence.claims]
    yield "quco_rag.stepwise.supported", float(sum(one.supported is True for one in told))
    yield "quco_rag.stepwise.unsupported", float(sum(one.supported is False for one in told))
    concluded = final_answer(result.generation.text)
    yield "quco_rag.stepwise.right", float(is_right(concluded, golds)) if golds and concluded else None


def trigger_places(diagnosis: Diagnosis) -> dict[str, tuple[float, ...]]:
    """Return, by policy, where in the answer from memory it would look something up; ETC's alone without timing.

    A policy that had no value to compare is left out: that is no word against a lookup.
    """
    timing = diagnosis.result(TimingResult)
    if timing is not None and timing.generation.tokens:
        last = max(1, len(timing.generation.tokens) - 1)
        return {
            lane.policy: tuple(min(1.0, lane.signals[at].token / last) for at in lane.triggers)
            for lane in timing.lanes
            if not missing_reason(lane)
        }
    trend = diagnosis.result(EntropyTrendResult)
    if trend is None or not trend.points:
        return {}
    last = max(1, len(trend.generation.tokens) - 1)
    return {"entropy_trend": tuple(min(1.0, trend.words[one.word].first_token / last) for one in trend.triggers)}
