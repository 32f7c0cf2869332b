"""DENSE-RAG in words, tables and cards: each context, what came and left and why, and how the run ended.

Follows DENSE (section 5). Contexts and chunks count from 1 wherever a person reads them; a chunk keeps its number
through the whole run.
"""

from collections.abc import Sequence

import pandas as pd

from engine.backends.entailment.base import states_answer
from engine.core.records import Passage
from engine.core.words import shown
from engine.methods.dense_rag_choice import share_bounds
from engine.methods.dense_rag_records import (
    Arrival,
    DenseRagConfig,
    DenseRagResult,
    Departure,
    RefinementStep,
    SelfEvaluation,
)
from viz.methods.dense import LABEL_TONES
from viz.methods.verdicts import TONES, Verdict
from viz.parts.html import render
from viz.parts.theme import Theme
from viz.parts.words import (
    WORDS,
    chance,
    closed,
    counted,
    digits_apart,
    listing,
    numbered,
    origin_words,
    percent,
    quoted,
    yes_or_no,
)

KINDS = WORDS["contexts"]
CUTS = WORDS["chunk cuts"]
ENDINGS = WORDS["refinement endings"]
STEP_COLUMNS = "context|made by|chunks|came|left|DSE (nats)|DSE share|suffices: yes|suffices: no|answer|final".split(
    "|"
)


def verdict(result: DenseRagResult) -> Verdict:
    """Return how refining ended: nothing to refine, settled, not settled, not refined, or unclear.

    Where DENSE cannot tell whether the final answer is stable, refining settled nothing: unclear. Where no answer is
    given over the final context, there is none that could be stable.
    """
    if result.not_measured or not result.steps:
        why = result.not_measured or "No context was read."
        return Verdict(word="not measured", tone="unknown", sentence=closed(why))
    final, detail = result.steps[result.final], f"{ending_sentence(result)} {answer_sentence(result)}".strip()
    brief = ""
    word = WORDS["refinement verdicts"].get(result.ended, "not settled")
    tone = TONES["refinement endings"].get(result.ended, "middle")
    if states_nothing(final):
        word, tone = "no answer to compare", "unknown"
    elif final.has_too_few or (result.final == 0 and depends_on_wording(result)):
        word, tone, brief = "unclear", "unknown", wording_words(result)
    return Verdict(word=word, tone=tone, sentence=course_sentence(result), detail=detail, brief=brief)


def states_nothing(step: RefinementStep) -> bool:
    """Return whether a context's answers state nothing; an older record says it of the answer only."""
    return not states_answer(step.answer.text) if step.states_nothing is None else step.states_nothing


def depends_on_wording(result: DenseRagResult) -> bool:
    """Return whether the first context's DSE lies on both sides of the threshold, depending on the wordings."""
    interval, threshold = result.steps[0].entropy_interval, result.config.threshold
    return interval is not None and interval.low <= threshold < interval.high


def wording_words(result: DenseRagResult) -> str:
    """Return in words that the first context's DSE depends on its wordings, "" where that does not decide."""
    first = result.steps[0]
    if first.entropy_interval is None or not depends_on_wording(result):
        return ""
    span = f"{first.entropy_interval.low:.2f} to {first.entropy_interval.high:.2f} with other wordings"
    return (
        f"DSE is {nats(first.entropy, result.config.threshold)}, {span}; the threshold is {result.config.threshold:g}."
    )


def sentence(result: DenseRagResult) -> str:
    """Return the run in words: how DSE went, why it ended, and what became of the answer."""
    if result.not_measured or not result.steps:
        return closed(f"Not measured: {result.not_measured or 'no context was read'}")
    parts = (course_sentence(result), ending_sentence(result), answer_sentence(result))
    return " ".join(part for part in parts if part)


def course_sentence(result: DenseRagResult) -> str:
    """Return how DSE went from the first context to the final one, in words; first that it rests on too little."""
    first, final, bound = result.steps[0], result.steps[result.final], result.config.threshold
    read = f"{few_words(final)}{counted(len(result.steps), 'context')} read"
    if result.final == 0:
        return f"{read}; DSE of the first {measured_words(first, bound)}, {against(result, first)}."
    both = (
        f"DSE of the first {measured_words(first, bound)}, of context {result.final + 1} {measured_words(final, bound)}"
    )
    if final.entropy is None:
        return f"{read}; {both}."
    went = f"DSE from {measured_words(first, bound)} to {measured_words(final, bound)} in context {result.final + 1}"
    return f"{read}; {both if first.entropy is None else went}, {against(result, final)}."


def few_words(step: RefinementStep) -> str:
    """Return that too few rewordings of a context are valid, "" where enough are."""
    if not step.has_too_few or step.entropy is None:
        return ""
    return f"Too few rewordings: {step.valid_rewrites} of {len(step.labels)} valid. "


def measured_words(step: RefinementStep, bound: float) -> str:
    """Return a context's DSE beside a threshold, with its range over the wordings and its share of the largest."""
    if step.entropy is None or step.share is None:
        return nats(step.entropy, bound)
    spread = step.entropy_interval
    other = "" if spread is None else f", {spread.low:.2f} to {spread.high:.2f} with other wordings"
    return f"{nats(step.entropy, bound)} ({percent(step.share)} of its maximum{other})"


def ending_sentence(result: DenseRagResult) -> str:
    """Return why the search ended, in words, and which context counts."""
    if result.ended == "rule":
        return rule_sentence(result)
    text = "" if result.ended in ("certain", "unclear") and result.steps[0].has_too_few else ENDINGS[result.ended]
    if result.ended in ("certain", "unclear", "not refined"):
        return text
    if result.steps[result.final].best is None:
        return f"{text} The first answer stays."
    lower = listing([place + 1 for place in lower_within_range(result)])
    why = f" Lower, but within the first one's range over its wordings: {lower}." if lower else ""
    return f"{text} The best context counts: number {result.final + 1}.{why}"


def lower_within_range(result: DenseRagResult) -> tuple[int, ...]:
    """Return the places of contexts with a lower share of DSE than the first, which counts: both ranges meet."""
    first = result.steps[0]
    if result.final != 0 or first.entropy is None or first.share is None:
        return ()
    measured = [(place, step) for place, step in enumerate(result.steps) if step.share is not None and place]
    low = share_bounds(first)[1]
    return tuple(
        place
        for place, step in measured
        if share_bounds(step)[0] < share_bounds(first)[0] and share_bounds(step)[2] >= low
    )


def rule_sentence(result: DenseRagResult) -> str:
    """Return in words which condition ended the search."""
    step = result.steps[result.final]
    below = step.entropy is not None and step.entropy < result.config.threshold
    stable = below and not states_nothing(step) and not step.has_too_few
    enough = step.evaluation is not None and step.evaluation.sufficient
    met = ["its answer is stable"] if stable else []
    met += ["the model calls it sufficient"] if enough or not stable else []
    return f"It ended at context {result.final + 1}: {listing(met)}."


def answer_sentence(result: DenseRagResult) -> str:
    """Return what became of the first answer, in words."""
    first, final = result.steps[0].answer.text, result.steps[result.final].answer.text
    if shown(first) == shown(final):
        return closed(f"The answer stays {quoted(first)}")
    return closed(f"The answer goes from {quoted(first)} to {quoted(final)}")


def step_sentence(result: DenseRagResult, place: int) -> str:
    """Return one context in words: how it came about, its DSE, whether it suffices, its answer, its standing."""
    step = result.steps[place]
    measured = (
        "" if step.entropy is None else f"DSE {measured_words(step, result.config.threshold)}, {against(result, step)}."
    )
    return " ".join(part for part in (context_head(result, place), measured, standing_sentence(result, place)) if part)


def context_head(result: DenseRagResult, place: int) -> str:
    """Return how a context came about and its size, in words, and why its DSE is missing where it is."""
    step = result.steps[place]
    head = f"Context {place + 1} of {len(result.steps)}, {KINDS[step.kind]}, {counted(len(step.context), 'chunk')}"
    return f"{head}: DSE not measured. {step.not_measured}" if step.entropy is None else f"{head}."


def standing_sentence(result: DenseRagResult, place: int) -> str:
    """Return whether a context suffices, its answer, and how it stands among the others, in words."""
    step = result.steps[place]
    parts = [evaluation_sentence(step.evaluation), closed(f"Answer: {quoted(step.answer.text)}")]
    if place == result.final:
        parts.append("Final answer.")
    elif step.best is not None:
        parts.append("Best so far." if step.best == place else f"Context {step.best + 1} stays the best.")
    return " ".join(part for part in parts if part)


def only_sentence(result: DenseRagResult) -> str:
    """Return of the only context that was read why its DSE is missing, where it is, and whether it suffices."""
    step = result.steps[0]
    missing = f"DSE not measured. {step.not_measured} " if step.entropy is None else ""
    silent = " No answer states anything, so no chunk is certain." if step.states_nothing else ""
    brackets = " In brackets: wordings that change the answer." if step.wordings else ""
    return f"One context was read. {missing}{evaluation_sentence(step.evaluation)}{silent}{brackets}"


def evaluation_sentence(evaluation: SelfEvaluation | None) -> str:
    """Return whether the model calls the context sufficient."""
    if evaluation is None:
        return "Sufficiency was not asked."
    word = "sufficient" if evaluation.sufficient else "not sufficient"
    return f"The model: {word} (yes {chance(evaluation.yes)}, no {chance(evaluation.no)})."


def came_sentence(result: DenseRagResult, came: Arrival) -> str:
    """Return why a chunk came, in words."""
    if came.why == "refill" and came.guide is not None and came.cosine is not None:
        return f"nearest unread to chunk {came.guide + 1}, cosine {came.cosine:.2f}"
    cut = result.chunks[came.chunk].cut
    if cut == "retrieved" and came.rank is not None:  # retrieved, or given with the question
        return f"the run's passage {came.rank}"
    score = "" if came.score is None else f", score {came.score:.3g}"
    rank = "" if came.rank is None else f", rank {came.rank}"
    return f"retrieved{rank}{score} ({CUTS[cut]})"


def left_sentence(left: Departure) -> str:
    """Return why a chunk left, in words."""
    if left.why == "cut anew":
        return "not retrieved after the new cut"
    return "unnecessary: the answer stays"


def moves_sentence(result: DenseRagResult, place: int) -> str:
    """Return which chunks came and left between the context before and this one, in words."""
    step = result.steps[place]
    came, left = (
        numbered("chunk", [one.chunk + 1 for one in moved]) if moved else "nothing" for moved in (step.came, step.left)
    )
    return f"Left: {left}. Came: {came}." if place else f"The first context: {came}."


def cuts_sentence(result: DenseRagResult) -> str:
    """Return how the documents were cut in this run, and where that was not possible, why."""
    lines = []
    for cutting in result.cuttings:
        if cutting.failed:
            lines.append(closed(f"{CUTS[cutting.cut].capitalize()}: not possible. {cutting.failed}"))
            continue
        titles = [quoted(title, 40) for title in cutting.documents[:4] if title.strip()]
        more = f" and {len(cutting.documents) - 4} more" if len(cutting.documents) > 4 else ""
        source = f" of {listing(titles)}{more}" if titles else ""
        lines.append(f"{CUTS[cutting.cut].capitalize()}: {counted(cutting.chunks, 'chunk')} to choose from{source}.")
    return " ".join(lines)


def steps_table(result: DenseRagResult) -> pd.DataFrame:
    """Return one row per context: DSE in nats, the probabilities of "yes" and "no", the answer; missing = not asked."""
    rows = [
        (
            place + 1,
            KINDS[step.kind],
            len(step.context),
            numbers_text([came.chunk for came in step.came]),
            numbers_text([left.chunk for left in step.left]),
            step.entropy,
            step.share,
            step.evaluation.yes if step.evaluation else None,
            step.evaluation.no if step.evaluation else None,
            shown(step.answer.text),
            "final" if place == result.final else "",
        )
        for place, step in enumerate(result.steps)
    ]
    return pd.DataFrame(rows, columns=STEP_COLUMNS)


def context_table(result: DenseRagResult, place: int) -> pd.DataFrame:
    """Return one row per chunk of a context in reading order, then one per chunk that left before it, with why."""
    step = result.steps[place]
    came = {arrival.chunk: came_sentence(result, arrival) for arrival in step.came}
    rows = [
        (number + 1, "read", label_words(result, step, at), came.get(number, "stayed"), *piece(result, number))
        for at, number in enumerate(step.context)
    ]
    rows += [(left.chunk + 1, "left", "", left_sentence(left), *piece(result, left.chunk)) for left in step.left]
    return pd.DataFrame(rows, columns=["chunk", "state", "DENSE's label", "why", "title", "text"])


def label_words(result: DenseRagResult, step: RefinementStep, at: int) -> str:
    """Return the label of a chunk of a context, with the wordings that change the answer: "unclear (1 of 3)".

    Where no answer states anything, it also says by which label the search let the chunk go or bring in another.
    """
    label, wordings = label_of(step, at), step.wordings[at] if at < len(step.wordings) else None
    counted_on = "" if wordings is None else f" ({step.changing[at]} of {wordings})"
    taken = step.labels[at]
    acted = label != taken and taken in ("unnecessary", result.config.refine)
    return f"{label}{counted_on}{f', taken as {taken}' if acted else ''}"


def label_of(step: RefinementStep, at: int) -> str:
    """Return the label of a chunk as DENSE's page has it: over answers that state nothing, rewordings keep nothing."""
    label = step.labels[at]
    return "unclear" if step.states_nothing and label != "not measured" else label


def numbers_of(result: DenseRagResult, passage: Passage | None) -> frozenset[int]:
    """Return the chunks that are this passage or hold some of its characters, as one cut anew does."""
    if passage is None:
        return frozenset()
    return frozenset(number for number, chunk in enumerate(result.chunks) if shares_text(chunk.passage, passage))


def shares_text(first: Passage, second: Passage) -> bool:
    """Return whether two passages are the same or overlap in one document."""
    if first == second:
        return True
    one_document = bool(first.document_id) and first.document_id == second.document_id
    return one_document and first.start < second.end and second.start < first.end


def passage_of(result: DenseRagResult, number: int, passages: Sequence[Passage]) -> int | None:
    """Return the place of the passage that a chunk is, else of the first it shares text with; None without one."""
    own = result.chunks[number].passage
    return next(
        (place for place, one in enumerate(passages) if one == own),
        next((place for place, one in enumerate(passages) if shares_text(own, one)), None),
    )


def holding_sentence(chunk: int, numbers: frozenset[int], places: tuple[int, ...]) -> str:
    """Return in words which contexts read a chosen passage, counted from 0."""
    if not places:
        return f"No context read passage {chunk + 1}."
    pieces = numbered("chunk", [number + 1 for number in sorted(numbers)])
    return f"Passage {chunk + 1} was read as {pieces} in {numbered('context', [place + 1 for place in places])}."


def places_with(result: DenseRagResult, numbers: frozenset[int]) -> tuple[int, ...]:
    """Return the contexts that read any of these chunks, in order."""
    return tuple(place for place, step in enumerate(result.steps) if numbers & set(step.context))


def context_numbers(result: DenseRagResult, place: int) -> tuple[int, ...]:
    """Return the chunk of each row of ``context_table``: those read, then those that left."""
    step = result.steps[place]
    return (*step.context, *(left.chunk for left in step.left))


def context_html(result: DenseRagResult, place: int, theme: Theme, chosen: frozenset[int] = frozenset()) -> str:
    """Return a context as HTML: its chunks in reading order, then those that left before it, struck out.

    The ``chosen`` chunks are outlined.
    """
    step = result.steps[place]
    came = {arrival.chunk: f"came: {came_sentence(result, arrival)}" for arrival in step.came}
    cards = []
    for at, number in enumerate(step.context):
        card = _card(result, number, came.get(number, "stayed"), number in chosen)
        next_step = ", leaves next" if leaves_next(result, place, number) else ""
        own = {
            "label": f"{label_words(result, step, at)}{next_step}",
            "tone": LABEL_TONES.get(label_of(step, at), "unknown"),
            "new": number in came,
        }
        cards.append(card | own)
    for left in step.left:
        cards.append(_card(result, left.chunk, f"left: {left_sentence(left)}", left.chunk in chosen) | {"gone": True})
    return render("dense_rag_context.html.j2", cards=cards, theme=theme)


def settings_table(config: DenseRagConfig) -> dict[str, str]:
    """Return the settings of a run as name -> value, in words."""
    most, k = config.most_tokens, config.k
    return {
        "Threshold of DSE": f"{config.threshold:g} nats",
        "First cut": CUTS[config.first_cut],
        "Cut if uncertain": yes_or_no(config.adaptive),
        "τ": f"{config.similarity:g}, a tie {'joins' if config.tie == 'join' else 'cuts'}",
        "T_max": f"{most} tokens" if most else "the profile's chunk size",
        "Chunks retrieved again": str(k) if k else "as many as at first",
        "Refinement": config.refine.replace("_", " "),
        "Self-evaluation": yes_or_no(config.self_evaluation),
        "Sufficient from": f"yes {config.suffices_from or 0.5:g}",
        "Ends when stable / sufficient": config.stop_rule,
        "Wordings of each chunk": str(config.draws or 1),
        "Labels of chunks": {"algorithm3": "algorithm 3", "equation10": "equation 10"}[config.label_rule],
        "Most contexts and chunks": f"{config.most_contexts}, {config.most_chunks}",
        "Temperature": f"{config.temperature:g}" if config.temperature else "0 (greedy)",
    }


def first_and_final(result: DenseRagResult) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return (head, answer) of the first context and of the final one."""
    first, final = result.steps[0].answer.text, result.steps[result.final].answer.text
    head = "The first answer stays" if result.final == 0 else f"Final answer, from context {result.final + 1}"
    return ("First answer, context 1", first), (head, final)


def neighbours(result: DenseRagResult, place: int) -> tuple[int | None, int | None]:
    """Return the contexts before and after one, None at either end."""
    return (place - 1 if place else None), (place + 1 if place + 1 < len(result.steps) else None)


def step_name(result: DenseRagResult, place: int) -> str:
    """Return a context's name for the player: its number, how it came about, whether it is the final one."""
    final = ", final" if place == result.final else ""
    return f"{place + 1}: {KINDS[result.steps[place].kind]}{final}" if place in range(len(result.steps)) else ""


def leaves_next(result: DenseRagResult, place: int, chunk: int) -> bool:
    """Return whether a chunk of a context is gone in the next one."""
    return place + 1 < len(result.steps) and any(left.chunk == chunk for left in result.steps[place + 1].left)


def piece(result: DenseRagResult, number: int) -> tuple[str, str]:
    """Return a chunk's title and text."""
    passage = result.chunks[number].passage
    return passage.title, passage.text


def numbers_text(numbers: list[int]) -> str:
    """Return chunk numbers for a table cell, counted from 1.

    >>> numbers_text([0, 4])
    '1, 5'
    """
    return ", ".join(str(number + 1) for number in numbers)


def nats(value: float | None, *bounds: float) -> str:
    """Return an entropy with its unit and decimals that tell it from the bounds, or that it was not measured."""
    return "not measured" if value is None else f"{value + 0.0:.{digits_apart(value, *bounds)}f} nats"


def against(result: DenseRagResult, step: RefinementStep) -> str:
    """Return on which side of the threshold a context's DSE lies, and where that threshold comes from."""
    if step.entropy is None:
        return "DSE not measured"
    origin = origin_words(result.threshold_source)
    bound = result.config.threshold
    side = "above" if step.entropy > bound else "below" if step.entropy < bound else "at"
    return f"{side} the {origin} threshold {bound:g}"


def _card(result: DenseRagResult, number: int, why: str, chosen: bool) -> dict[str, object]:
    """Return what is drawn of a chunk: title, why it is here, its text."""
    title, text = piece(result, number)
    head = f"Chunk {number + 1} · {title}" if title else f"Chunk {number + 1}"
    return {"head": head, "why": why, "text": text, "chosen": chosen, "label": "", "new": False, "gone": False}
