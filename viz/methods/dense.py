"""DENSE in words and tables: the verdict on the answer's stability, and each chunk beside its rewording.

Follows DENSE (section 4, eq. 5-6, and section 5.2). Chunks count from 1 wherever a person reads them.
"""

import pandas as pd

from engine.core.records import Generation
from engine.core.words import shown
from engine.methods.copies import groups_of_copies
from engine.methods.dense_records import DenseChunk, DenseResult
from viz.methods.check_rates import CHECK_RATES
from viz.methods.verdicts import TONES, Verdict
from viz.parts.html import render
from viz.parts.theme import Theme
from viz.parts.word_diff import word_diff_html
from viz.parts.words import WORDS, closed, counted, digits_apart, numbered, origin_words, percent, quoted

ORIGINAL = -1
FULL_INSTEAD = "Read in full: the answer is in doubt or drawn, or the model cannot read quickly."
# One colour for each label, in every figure and on every chip.
LABEL_TONES = TONES["chunk labels"]
SOURCES = WORDS["rewording sources"]
AUTHORS = {"kept": "nobody: unchanged", "model": "the language model", "rule": "a rule: {rule}"}


def verdict(result: DenseResult) -> Verdict:
    """Return whether rewording changes the answer; unclear with under half of the rewordings valid.

    Answers that state nothing agree on no answer; of two copies, one that was reworded alone changes little.
    """
    word: str = result.verdict
    said, rate, tone = entropy_sentence(result), base_rate(result), TONES["answer stability"][word]
    if result.states_nothing:
        said, rate = nothing_sentence(result), ""
    elif result.entropy is None:
        said, rate, word = why_not_measured(result), "", "not measured"
    detail = " ".join(
        filter(None, [rate, quick_sentence(result), *chunk_sentences(result), rewording_sentence(result)])
    )
    return Verdict(word=word, tone=tone, sentence=said, detail=detail)


def base_rate(result: DenseResult) -> str:
    """Return how often DSE was above its threshold for right and wrong answers; "" where that was not measured."""
    if result.reading == "quick":
        return ""
    measured = (CHECK_RATES[name] for name in ("dense", "dense_drawn"))
    asked = (result.threshold, result.temperature)
    found = next((one for one in measured if (one["threshold"], one["temperature"]) == asked), None)
    if found is None:
        return ""
    right, wrong = (f"{found[f'{kind}_unstable']:.0f} of {found[kind]:.0f}" for kind in ("right", "wrong"))
    return (
        f"On Natural Questions, SmolLM2-135M: DSE above {result.threshold:g} for {right} right, {wrong} wrong answers "
        "(by the judge)."
    )


def quick_sentence(result: DenseResult) -> str:
    """Return that quick reading may miss changes, with how many it found on real questions; "" after full reading."""
    if result.reading == "full":
        return ""
    rate = CHECK_RATES["quick_reading"]
    counted_on = f"on {rate['sure']:.0f} real questions it found {rate['found']:.0f} of {rate['changing']:.0f}"
    return f"Quick reading may miss changed answers: {counted_on}."


def nothing_sentence(result: DenseResult) -> str:
    """Return that every answer is empty or says that it has none, with how many there are."""
    answers = 1 + sum(chunk.answer is not None for chunk in result.chunks) + len(result.further)
    return "The only answer states nothing." if answers == 1 else f"{answers} answers, all without an answer."


def copies_sentences(result: DenseResult) -> list[str]:
    """Return a sentence for each group of copies: that they were reworded together, or that they were not."""
    lines = []
    for group in groups_of_copies([chunk.passage for chunk in result.chunks]):
        names = numbered("Passage", [place + 1 for place in group])
        fate = "reworded and left out together" if group in result.copies else "reworded one at a time"
        note = "" if group in result.copies else ": not measured, the copy still answers"
        lines.append(f"{names} are copies, {fate}{note}.")
    return lines


def entropy_sentence(result: DenseResult) -> str:
    """Return what DSE says of the answer's stability, with its threshold and where that comes from."""
    if result.entropy is None or result.share is None or result.uncertain is None:
        return f"Not measured. {why_not_measured(result)}"
    if result.has_too_few:
        passed = f"{result.valid_rewrites} of {counted(len(result.chunks), 'rewording')} passed the checks"
        return f"Too few rewordings: {passed}, DSE {nats(result.entropy)} nats."
    value = f"DSE {nats(result.entropy, result.threshold)} nats{interval_words(result)}"
    if result.is_firm is False:
        return f"The wordings disagree: {value}, threshold {result.threshold:g}.{temperature_words(result)}"
    if not result.uncertain and result.source_unworded:
        source = numbered("passage", [place + 1 for place in result.source_unworded])
        verb = "names" if len(result.source_unworded) == 1 else "name"
        alone = f"Only {source} {verb} the answer, and no rewording passed there"
        return f"{alone}: DSE {nats(result.entropy, result.threshold)} nats."
    opening = "Rewording changes the answer" if result.uncertain else "Rewording hardly changes the answer"
    side = "above" if result.uncertain else "at" if result.entropy == result.threshold else "below"
    origin = origin_words(result.threshold_source)
    return f"{opening}: {value}, {side} the {origin} threshold {result.threshold:g}.{temperature_words(result)}"


def why_not_measured(result: DenseResult) -> str:
    """Return why there is no DSE."""
    return result.not_measured or "No rewording passed its checks."


def rewording_sentence(result: DenseResult) -> str:
    """Return how many sentences were reworded, by whom, and the share that says the same; "" without sentences."""
    said = [one.source for made in result.rewordings for one in made.sentences]
    if not said:
        return ""
    rules, model = said.count("rule"), said.count("model")
    rate = "not measured" if result.entailment_rate is None else percent(result.entailment_rate)
    by = f"{rules} by rules, {model} by model"
    return f"Reworded: {rules + model} of {counted(len(said), 'sentence')} ({by}); entailment {rate}."


def temperature_words(result: DenseResult) -> str:
    """Return that answers also differ by chance, "" where they are greedy."""
    if result.temperature == 0:
        return ""
    return f" At temperature {result.temperature:g} answers also differ by chance."


def interval_words(result: DenseResult) -> str:
    """Return the range of DSE over further rewordings of the same chunks, "" where none were drawn."""
    if result.entropy_interval is None:
        return ""
    low, high = nats(result.entropy_interval.low), nats(result.entropy_interval.high)
    return f" ({low} in other wordings)" if low == high else f" ({low} to {high} in other wordings)"


def chunk_sentences(result: DenseResult) -> list[str]:
    """Return a sentence each for the necessary chunks, the unnecessary and unclear ones and those not measured."""
    lines = [
        labelled_sentence(result, [chunk for chunk in result.chunks if result.labels[chunk.index] == label])
        for label in ("necessary", "unnecessary", "unclear")
    ]
    missing = [index + 1 for index, label in result.labels.items() if label == "not measured"]
    if missing and result.entropy is not None:
        lines.append(f"Not measured: {numbered('passage', missing)}.")
    lines += copies_sentences(result)
    return [line for line in lines if line]


def labelled_sentence(result: DenseResult, chunks: list[DenseChunk]) -> str:
    """Return what DENSE says of chunks with one label, "" without one."""
    if len(chunks) < 2:
        return "".join(chunk_sentence(result, chunk) for chunk in chunks)
    return f"{numbered('Passage', [chunk.index + 1 for chunk in chunks])} are {result.labels[chunks[0].index]}."


def chunk_sentence(result: DenseResult, chunk: DenseChunk) -> str:
    """Return in words what DENSE says of one chunk, and in how many of its wordings."""
    name, label = f"Passage {chunk.index + 1}", result.labels[chunk.index]
    if label == "not measured":
        return f"{name}: not measured. {chunk.reason or 'No rewording passed its checks.'}"
    changes = f"the answer {change_words(result, chunk)}"
    if label == "certain":
        return f"{name} is certain: {changes}."
    if label == "unclear":
        return f"{name} is unclear: {changes}."
    if label == "necessary" and chunk.ablation is not None:
        return closed(f"{name} is necessary: {changes}, without it {quoted(chunk.ablation.text)}")
    if chunk.ablation_weight is not None and chunk.ablation_weight < 1:
        return f"{name} is {label}: {changes}, and does not change wholly without it."
    return f"{name} is {label}: {changes}, but stays without it."


def change_words(result: DenseResult, chunk: DenseChunk) -> str:
    """Return in how many wordings of a chunk the answer changes: "changes in 2 of 3 wordings", "not measured"."""
    if chunk.index not in result.changes:
        return "not measured"
    changing, wordings = result.changes[chunk.index]
    return f"changes in {changing} of {counted(wordings, 'wording')}"


def chunk_table(result: DenseResult) -> pd.DataFrame:
    """Return one row per chunk: its label, answers and agreements, passage, rewording and the checks that failed.

    Agreements are in {0, 0.5, 1}, missing where they were not measured or not run.
    """
    return pd.DataFrame([_chunk_row(result, chunk) for chunk in result.chunks])


def rewrite_diff_html(chunk: DenseChunk, theme: Theme) -> str:
    """Return passage and rewording side by side as escaped HTML, words that differ marked.

    Where no rewording passed its checks the last attempt is shown, and said to be rejected.
    """
    attempt = chunk.rewrite or (chunk.attempts[-1] if chunk.attempts else None)
    if attempt is None:
        text = f"Passage {chunk.index + 1}: no rewording."
        return render("note.html.j2", text=text, colour=theme.muted)
    fate = "accepted" if chunk.rewrite is not None else "rejected by a check"
    heads = (f"passage {chunk.index + 1} as retrieved", f"reworded ({SOURCES[attempt.source]}, {fate})")
    return word_diff_html(chunk.passage.text, attempt.text, heads, theme)


def checks_table(chunk: DenseChunk) -> pd.DataFrame:
    """Return one row per check of each attempt at rewording this chunk."""
    columns = ["attempt", "made from", "check", "outcome", "detail"]
    rows = [
        (number, SOURCES[attempt.source], check.name, "passed" if check.passed else "failed", check.detail)
        for number, attempt in enumerate(chunk.attempts, start=1)
        for check in attempt.checks
    ]
    return pd.DataFrame(rows, columns=columns)


def sentences_table(chunk: DenseChunk) -> pd.DataFrame:
    """Return one row per sentence of the rewording: its text and who reworded it.

    Of the candidates for a sentence the best that passed every check was taken; "kept" = none did.
    """
    columns = ["sentence now", "reworded by", "candidates", "of them valid", "entailment"]
    attempt = chunk.rewrite or (chunk.attempts[-1] if chunk.attempts else None)
    rows = [
        (said.text, AUTHORS[said.source].format(rule=said.rule), said.candidates, said.valid, said.entailment)
        for said in (attempt.sentences if attempt else ())
    ]
    return pd.DataFrame(rows, columns=columns)


def further_table(result: DenseResult, chunk: DenseChunk) -> pd.DataFrame:
    """Return one row per further rewording of a chunk: its text, the answer over it, agreement with the original."""
    columns = ["rewording", "answer over it", "agreement with original"]
    known = len(result.members)
    rows = [
        (shown(one.rewrite.text), shown(one.answer.text), result.further_weights[0][known + place])
        for place, one in enumerate(result.further)
        if one.index == chunk.index
    ]
    return pd.DataFrame(rows, columns=columns)


def most_telling(result: DenseResult) -> int:
    """Return the index of the chunk to look at first: necessary, unnecessary, unclear, not measured, then any."""
    order = ("necessary", "unnecessary", "unclear", "not measured", "certain")
    return min(result.labels, key=lambda index: (order.index(result.labels[index]), index))


def answers_of(result: DenseResult, chunk: DenseChunk) -> tuple[tuple[str, Generation | None, str], ...]:
    """Return (head, answer, why there is none) of the original answer, with the chunk reworded, and without it."""
    not_run = "not run: no rewording changes the answer"
    if chunk.answer is None:
        not_run = "not run: no rewording counted"
    return (
        ("original answer", result.original, ""),
        (f"passage {chunk.index + 1} reworded", chunk.answer, "not measured"),
        (f"without passage {chunk.index + 1}", chunk.ablation, not_run),
    )


def calls_of(result: DenseResult, chunk: DenseChunk) -> dict[str, tuple[str, Generation]]:
    """Return every call of the model that concerns a chunk: its name for a list, where it stands in the run, itself."""
    own = f"dense.chunks.{chunk.index}"
    places = ("dense.original", f"{own}.answer", f"{own}.ablation")
    answers = zip(answers_of(result, chunk), places, strict=True)
    calls = {head: (place, answer) for (head, answer, _), place in answers if answer is not None}
    for number, attempt in enumerate(chunk.attempts):
        for part, generation in enumerate(attempt.generations):
            name = f"rewording, attempt {number + 1}, call {part + 1}"
            calls[name] = (f"{own}.attempts.{number}.generations.{part}", generation)
    return calls


def _chunk_row(result: DenseResult, chunk: DenseChunk) -> dict[str, object]:
    tried = chunk.rewrite or (chunk.attempts[-1] if chunk.attempts else None)
    failed = [check.name for attempt in chunk.attempts for check in attempt.checks if not check.passed]
    return {
        "passage": chunk.index + 1,
        "label": result.labels[chunk.index],
        "answer over its wordings": change_words(result, chunk),
        "answer, passage reworded": shown(chunk.answer.text) if chunk.answer else None,
        "agreement": chunk.weight,
        "answer without it": shown(chunk.ablation.text) if chunk.ablation else None,
        "agreement without it": chunk.ablation_weight,
        "text": chunk.passage.text,
        "rewording": chunk.rewrite.text if chunk.rewrite else None,
        "made from": SOURCES[tried.source] if tried else None,
        "checks failed": ", ".join(dict.fromkeys(failed)),
        "reason": chunk.reason,
    }


def nats(value: float, *bounds: float) -> str:
    """Return an entropy with two decimals, or as many as tell on which side of the bounds it lies.

    >>> nats(0.20023), nats(0.20023, 0.2), nats(-0.0)
    ('0.20', '0.2002', '0.00')
    """
    # Adding 0.0 turns the -0.0 that a sum of logarithms may leave into 0.0.
    return f"{value + 0.0:.{digits_apart(value, *bounds)}f}"
