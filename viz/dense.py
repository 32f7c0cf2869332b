"""DENSE drawn: the entailment graph of the answers, its weights, its entropy, and each chunk beside its rewording.

Follows DENSE (section 4, eq. 5-6, and section 5.2). Positions are fixed, the original answer in the middle, so that two
runs can be compared by eye; only measured chunks are on the ring. Chunks count from 1 wherever a person reads them.
"""

from typing import Literal

import pandas as pd

from engine.core.records import Generation
from engine.core.words import shown
from engine.methods.dense import DenseChunk, DenseResult
from viz.html import render
from viz.theme import Theme
from viz.verdicts import Tone, Verdict
from viz.word_diff import word_diff_html
from viz.words import closed, counted, listing, origin_words, quoted

ORIGINAL = -1
# One colour for each label, in every figure and on every chip.
LABEL_TONES: dict[str, Tone] = {
    "certain": "good",
    "necessary": "middle",
    "unnecessary": "unknown",
    "not measured": "unknown",
}
SOURCES: dict[Literal["whole", "sentences", "hand"], str] = {
    "whole": "the whole passage",
    "sentences": "sentence by sentence",
    "hand": "written by hand",
}
AUTHORS = {"kept": "nobody: it stands as it was", "model": "the language model", "rule": "a rule: {rule}"}
SEVERAL = (
    ("necessary", "without any one of them the answer changes"),
    ("unnecessary", "put in other words they change the answer, left out one at a time they do not"),
)


def verdict(result: DenseResult) -> Verdict:
    """Return whether the model understood the passages; with fewer than half the rewordings valid: cannot tell."""
    if result.entropy is None or result.uncertain is None or 2 * result.valid_rewrites < len(result.chunks):
        return Verdict(word="cannot tell", tone="unknown", sentence=sentence(result))
    if result.firm is False:
        return Verdict(word="cannot tell", tone="unknown", sentence=sentence(result))
    if result.uncertain:
        return Verdict(word="not understood", tone="bad", sentence=sentence(result))
    return Verdict(word="understood", tone="good", sentence=sentence(result))


def sentence(result: DenseResult) -> str:
    """Return the result in words: the entropy against its threshold, then every chunk that is not simply certain."""
    return " ".join([entropy_sentence(result), *chunk_sentences(result)])


def entropy_sentence(result: DenseResult) -> str:
    """Return what the entropy says, with its share of the maximum and where the threshold comes from."""
    if result.entropy is None or result.share is None or result.uncertain is None:
        return f"Not measured. {result.not_measured or 'No rewording passed its checks.'}"
    value = f"DSE {nats(result.entropy)} nats ({result.share + 0.0:.0%} of its maximum)"
    scope = f"over {result.valid_rewrites} of {counted(len(result.chunks), 'rewording')}"
    if 2 * result.valid_rewrites < len(result.chunks):
        return f"Too few rewordings passed their checks to tell: {value} {scope}."
    if result.firm is False:
        return f"It depends on the wording: {value} {scope}; {interval_words(result)}."
    opening = "The model did not understand the passages" if result.uncertain else "The model understood the passages"
    side = "above" if result.uncertain else "below"
    origin = origin_words(result.threshold_source)
    others = f"; {interval_words(result)}" if result.entropy_interval is not None else ""
    return f"{opening}: {value} {scope}, {side} the {origin} threshold {result.threshold:g}{others}."


def interval_words(result: DenseResult) -> str:
    """Return what further rewordings of the same chunks say of the entropy, "" where none were drawn."""
    if result.entropy_interval is None:
        return ""
    low, high = nats(result.entropy_interval.low), nats(result.entropy_interval.high)
    if result.firm is False:
        return f"other rewordings of the same chunks give {low} to {high}, on both sides of {result.threshold:g}"
    return f"with other rewordings it is {low} too" if low == high else f"with other rewordings it is {low} to {high}"


def chunk_sentences(result: DenseResult) -> list[str]:
    """Return a sentence for the necessary chunks, one for the unnecessary and one for those not measured.

    Where other rewordings would change the verdict, the labels hold by this one wording only, and it is said.
    """
    lines = []
    for label, several in SEVERAL:
        named = [chunk for chunk in result.chunks if chunk.label == label]
        if len(named) > 1:
            chunks = listing([chunk.index + 1 for chunk in named])
            lines.append(hedged(f"Chunks {chunks} are {label}: {several}.", result))
        lines += [hedged(chunk_sentence(chunk), result) for chunk in named if len(named) == 1]
    missing = [chunk.index + 1 for chunk in result.chunks if chunk.label == "not measured"]
    if missing and result.entropy is not None:
        noun, verb = ("Chunk", "was") if len(missing) == 1 else ("Chunks", "were")
        lines.append(f"{noun} {listing(missing)} {verb} not measured.")
    return lines


def hedged(line: str, result: DenseResult) -> str:
    """Return a sentence on a measured label, said of this one wording where DENSE cannot tell beyond it."""
    return f"By this one wording {line[:1].lower()}{line[1:]}" if result.firm is False else line


def chunk_sentence(chunk: DenseChunk) -> str:
    """Return in words what DENSE says of one chunk."""
    name = f"Chunk {chunk.index + 1}"
    if chunk.label == "not measured":
        return f"{name} was not measured. {chunk.reason or 'No rewording passed its checks.'}"
    if chunk.label == "certain":
        return f"{name} is certain: put in other words, it leaves the meaning of the answer as it was."
    if chunk.ablation is None:
        return f"{name} is {chunk.label}."
    if chunk.label == "necessary":
        return closed(f"{name} is necessary: without it the answer changes to {quoted(chunk.ablation.text)}")
    return f"{name} is unnecessary: put in other words it changes the answer, leaving it out does not."


def chunk_table(result: DenseResult) -> pd.DataFrame:
    """Return one row per chunk: its label, answers and agreements, passage, rewording and the checks that failed.

    Agreements are in {0, 0.5, 1}, missing where they were not measured or not run.
    """
    return pd.DataFrame([_chunk_row(chunk) for chunk in result.chunks])


def rewrite_diff_html(chunk: DenseChunk, theme: Theme) -> str:
    """Return passage and rewording side by side as escaped HTML, words that differ marked.

    Where no rewording passed its checks the last attempt is shown, and said to be rejected.
    """
    attempt = chunk.rewrite or (chunk.attempts[-1] if chunk.attempts else None)
    if attempt is None:
        text = f"Chunk {chunk.index + 1} has no rewording to compare."
        return render("note.html.j2", text=text, colour=theme.muted)
    fate = "accepted" if chunk.rewrite is not None else "rejected by a check"
    heads = (f"chunk {chunk.index + 1} as retrieved", f"in other words ({SOURCES[attempt.source]}, {fate})")
    return word_diff_html(chunk.passage.text, attempt.text, heads, theme)


def checks_table(chunk: DenseChunk) -> pd.DataFrame:
    """Return one row per check of each attempt at rewording this chunk."""
    columns = ["attempt", "made from", "check", "outcome", "what was seen"]
    rows = [
        (number, SOURCES[attempt.source], check.name, "passed" if check.passed else "failed", check.detail)
        for number, attempt in enumerate(chunk.attempts, start=1)
        for check in attempt.checks
    ]
    return pd.DataFrame(rows, columns=columns)


def sentences_table(chunk: DenseChunk) -> pd.DataFrame:
    """Return one row per sentence of the rewording: what it says now and who said it so, [] where it is none by rules.

    Of the candidates for a sentence the best that passed every check was taken; "kept" = none did.
    """
    columns = ["sentence now", "reworded by", "candidates", "of them valid"]
    attempt = chunk.rewrite or (chunk.attempts[-1] if chunk.attempts else None)
    rows = [
        (said.text, AUTHORS[said.source].format(rule=said.rule), said.candidates, said.valid)
        for said in (attempt.sentences if attempt else ())
    ]
    return pd.DataFrame(rows, columns=columns)


def further_table(result: DenseResult, chunk: DenseChunk) -> pd.DataFrame:
    """Return one row per further rewording of a chunk: its text, the answer over it, agreement with the original."""
    columns = ["rewording", "answer over it", "agreement with the original answer"]
    known = len(result.members)
    rows = [
        (shown(one.rewrite.text), shown(one.answer.text), result.further_weights[0][known + place])
        for place, one in enumerate(result.further)
        if one.index == chunk.index
    ]
    return pd.DataFrame(rows, columns=columns)


def most_telling(result: DenseResult) -> int:
    """Return the index of the chunk to look at first: necessary, then unnecessary, then not measured, then any."""
    order = ("necessary", "unnecessary", "not measured", "certain")
    return min(result.chunks, key=lambda chunk: (order.index(chunk.label), chunk.index)).index


def answers_of(result: DenseResult, chunk: DenseChunk) -> tuple[tuple[str, Generation | None, str], ...]:
    """Return (head, answer, why there is none) of the original answer, with the chunk reworded, and without it."""
    not_run = "not run: only a chunk whose rewording changes the answer is left out"
    if chunk.label == "not measured":
        not_run = "not run: its rewording was not measured"
    return (
        ("original answer", result.original, ""),
        (f"chunk {chunk.index + 1} in other words", chunk.answer, "not measured"),
        (f"without chunk {chunk.index + 1}", chunk.ablation, not_run),
    )


def generations_of(result: DenseResult, chunk: DenseChunk) -> dict[str, Generation]:
    """Return every call of the model that concerns a chunk, under a name for a list."""
    calls = {head: generation for head, generation, _ in answers_of(result, chunk) if generation is not None}
    for number, attempt in enumerate(chunk.attempts, start=1):
        for part, generation in enumerate(attempt.generations, start=1):
            calls[f"rewording, attempt {number}, call {part}"] = generation
    return calls


def places_of(chunk: DenseChunk) -> dict[str, str]:
    """Return where every call that concerns a chunk stands in the run, under the names of ``generations_of``."""
    own = f"dense.chunks.{chunk.index}"
    places = {
        "original answer": "dense.original",
        f"chunk {chunk.index + 1} in other words": f"{own}.answer",
        f"without chunk {chunk.index + 1}": f"{own}.ablation",
    }
    for number, attempt in enumerate(chunk.attempts, start=1):
        for part in range(1, len(attempt.generations) + 1):
            name = f"rewording, attempt {number}, call {part}"
            places[name] = f"{own}.attempts.{number - 1}.generations.{part - 1}"
    return places


def _chunk_row(chunk: DenseChunk) -> dict[str, object]:
    tried = chunk.rewrite or (chunk.attempts[-1] if chunk.attempts else None)
    failed = [check.name for attempt in chunk.attempts for check in attempt.checks if not check.passed]
    return {
        "chunk": chunk.index + 1,
        "label": chunk.label,
        "answer, chunk reworded": shown(chunk.answer.text) if chunk.answer else None,
        "agreement": chunk.weight,
        "answer without it": shown(chunk.ablation.text) if chunk.ablation else None,
        "agreement without it": chunk.ablation_weight,
        "passage": chunk.passage.text,
        "rewording": chunk.rewrite.text if chunk.rewrite else None,
        "made from": SOURCES[tried.source] if tried else None,
        "checks failed": ", ".join(dict.fromkeys(failed)),
        "reason": chunk.reason,
    }


def nats(value: float) -> str:
    """Return an entropy with two decimals; adding 0.0 turns the -0.0 that a sum of logarithms may leave into 0.0."""
    return f"{value + 0.0:.2f}"
