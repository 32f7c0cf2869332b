"""QuCo-RAG stage by stage: the check before generation, each sentence with what was looked up for it, and the answers.

Sentences and passages are untrusted: everything drawn is escaped. What was not measured is grey and says so; a sentence
kept only because nothing could be looked up is not called supported.
"""

from typing import cast

import pandas as pd

from engine.core.passage_names import passage_name
from engine.core.records import Hit
from engine.core.words import shown
from engine.methods.quco_loop import Lookup, LoopStep, QucoLoop
from engine.methods.quco_precheck import PreCheck
from engine.methods.quco_rag import CountedClaim, QucoResult
from viz.methods.quco_rag import claim_cells, claim_verdict, failing_words, unit
from viz.methods.verdicts import SIGNS, TONES, Tone, Verdict
from viz.parts.html import render
from viz.parts.theme import Theme
from viz.parts.word_diff import word_diff_html
from viz.parts.words import WORDS, closed, counted, first_of, quoted

TITLES_SHOWN = 3
DECISION_TONES = TONES["loop decisions"]
DECISION_WORDS = WORDS["loop decisions"]
ENDING_WORDS = WORDS["loop endings"]
AGGREGATES = {"mean": "mean", "min": "smallest", "max": "largest"}


def pre_check_sentence(check: PreCheck) -> str:
    """Return the check before generation in words: the aggregate, the threshold and its source, and the decision."""
    if check.retrieves is None:
        return f"Not measured: {check.reason}"
    counts = f"Entities of the question: {AGGREGATES[check.aggregate]} count {number(check.value)}"
    if check.percentile is None:
        whose = "the paper's" if check.threshold_source == "paper" else "chosen here"
        threshold = f"the threshold {number(check.threshold)} ({whose})"
    else:
        share = f"{check.percentile:g}% of the {check.names:,} names are at most as frequent"
        threshold = f"the threshold {number(check.threshold)} ({share}; our choice)"
    if check.retrieves:
        return f"{counts}, below {threshold}: look it up first."
    return f"{counts}, not below {threshold}: write from memory first."


def number(value: float | None) -> str:
    """Return a count in words, with one decimal only where it is not whole.

    >>> number(755.0), number(1.666), number(None)
    ('755', '1.7', 'not measured')
    """
    return "not measured" if value is None else f"{value:,.1f}".removesuffix(".0")


def loop_verdict(loop: QucoLoop) -> Verdict:
    """Return what the loop changed, as a word and a sentence: the final answer beside the one from memory."""
    anew = sum(step.decision == "written anew" and bool(step.replacement) for step in loop.steps)
    stuck = sum(step.decision == "no retrieval" for step in loop.steps)
    unmeasured = sum(step.decision == "not measured" for step in loop.steps)
    said = f"answers {quoted(loop.answer)}" if loop.answer else "gives no answer"
    memory = f"{quoted(loop.closed_book_answer)}" if loop.closed_book_answer else "no answer"
    parts = [
        f"With {counted(loop.retrievals, 'retrieval')} and {counted(len(loop.generations), 'generation')} it "
        f"{said}. Memory: {memory}.",
        f"{counted(anew, 'sentence')} {_was(anew)} rewritten." if anew else "No sentence was rewritten.",
        f"{counted(stuck, 'sentence')} without evidence {_was(stuck)} kept: no lookup was possible." if stuck else "",
        f"{counted(unmeasured, 'sentence')} could not be measured." if unmeasured else "",
        ENDING_WORDS[loop.ending],
        "Its answer was forced." if loop.forced is not None and loop.answer else "",
    ]
    word, tone = _word(loop)
    return Verdict(word=word, tone=tone, sentence=" ".join(part for part in parts if part))


def _was(number_of: int) -> str:
    return "was" if number_of == 1 else "were"


def _word(loop: QucoLoop) -> tuple[str, Tone]:
    """Return the loop's word: whether it ends with another answer. Neither is better without a correct answer."""
    if not loop.answer:
        return "no answer", "unknown"
    if not loop.closed_book_answer:
        return "memory gave no answer", "middle"
    same = loop.answer.casefold().rstrip(".") == loop.closed_book_answer.casefold().rstrip(".")
    return ("same as from memory", "unknown") if same else ("differs from memory", "middle")


def lookup_sentence(lookup: Lookup) -> str:
    """Return one retrieval in words: the query, and what was found or why nothing was."""
    asked = f"Looked up {quoted(lookup.query)}: "
    if not lookup.hits:
        return closed(f"{asked}nothing found. {lookup.problem}".strip())
    titles = titles_of(lookup, 50)
    return closed(f"{asked}{counted(len(lookup.hits), 'passage')} from {first_of(titles, TITLES_SHOWN)}")


def titles_of(lookup: Lookup, letters: int = 0) -> list[str]:
    """Return the titles of what one retrieval found, each once, cut at so many letters; 0 cuts none."""
    return list(dict.fromkeys(quoted(passage_name(hit.passage), letters) for hit in lookup.hits))


def lookup_whole(lookup: Lookup) -> str:
    """Return the query and all titles without a cut, for the mouse."""
    return " · ".join([quoted(lookup.query, 0), *titles_of(lookup)])


def steps_table(loop: QucoLoop) -> pd.DataFrame:
    """Return the text twin of the stages: one row per sentence, in the order in which they were decided."""
    return pd.DataFrame(
        {
            "generation": [step.generation + 1 for step in loop.steps],
            "sentence": [step.text for step in loop.steps],
            "decision": [DECISION_WORDS[step.decision] for step in loop.steps],
            "why": [step.reason or failing_words(step.claims) for step in loop.steps],
            "queries": [" / ".join(lookup.query for lookup in step.lookups) for step in loop.steps],
            "passages found": [sum(len(lookup.hits) for lookup in step.lookups) for step in loop.steps],
            "rewritten as": [step.replacement for step in loop.steps],
        }
    )


def claims_of_steps(result: QucoResult) -> pd.DataFrame:
    """Return every claim the loop checked with its counts, one row per claim; empty where none was found."""
    steps = result.loop.steps if result.loop else ()
    rows = [
        (
            step.text,
            *claim_cells(claim),
            claim.phrase_count,
            _claim_words(claim),
        )
        for step in steps
        for claim in step.claims
    ]
    columns = ["sentence", "head", "head count", "relation", "tail", "tail count", f"{unit(result)}s together"]
    table = pd.DataFrame(rows, columns=[*columns, "as one phrase", "verdict"])
    return table.astype(dict.fromkeys(("head count", "tail count", columns[-1], "as one phrase"), "Int64"))


def extractions_table(result: QucoResult) -> pd.DataFrame:
    """Return what the named extractor wrote: one row per text, with the names left out because the text lacks them."""
    rows = [(made.text, made.generation.text.strip(), " / ".join(made.left_out)) for made in result.extractions]
    return pd.DataFrame(rows, columns=["text", "reply", "left out"])


def _claim_words(claim: CountedClaim) -> str:
    """Return a claim's verdict in the loop; a failure counts even where the pair meets."""
    if claim.tail is None:
        return "fails: head too rare" if claim.fails else "nothing to pair"
    if claim.fails and claim.supported:
        return "fails: no whole phrase"
    return claim_verdict(claim)


def initial_html(result: QucoResult, theme: Theme) -> str:
    """Return the check before generation as HTML: its decision, and the passages that were looked up."""
    check, loop = result.pre_check, result.loop
    text, tone = "Not checked: the check was off, or the run is older.", "unknown"
    lookups: tuple[Lookup, ...] = ()
    if check is not None:
        text = pre_check_sentence(check)
        tone = "unknown" if check.retrieves is None else "middle" if check.retrieves else "model"
        lookups = (loop.initial,) if loop and loop.initial else ()
    return render("quco_steps.html.j2", blocks=[_block(text, cast(Tone, tone), lookups)], theme=theme)


def steps_html(loop: QucoLoop, theme: Theme) -> str:
    """Return each sentence as HTML: its decision, what fails, what was looked up, the new wording."""
    if not loop.steps:
        return render("note.html.j2", text="No sentence was written.", colour=theme.muted)
    return render("quco_steps.html.j2", blocks=[_step_block(step, theme) for step in loop.steps], theme=theme)


def _step_block(step: LoopStep, theme: Theme) -> dict[str, object]:
    """Return one sentence of the loop; a rewritten one has both wordings side by side."""
    parts = (closed(DECISION_WORDS[step.decision]), failing_words(step.claims), step.reason)
    rewritten = ""
    if step.replacement:
        rewritten = word_diff_html(step.text, step.replacement, ("before", "rewritten"), theme)
    elif step.decision == "written anew":
        rewritten = render("note.html.j2", text="Nothing new was written.", colour=theme.muted)
    why = " ".join(part for part in parts if part)
    return _block(step.text, DECISION_TONES[step.decision], step.lookups) | {"why": why, "rewritten": rewritten}


def _block(text: str, tone: Tone, lookups: tuple[Lookup, ...]) -> dict[str, object]:
    """Return a text with its sign, and the passages of its lookups."""
    found = [(lookup_sentence(one), lookup_whole(one), [_passage(hit) for hit in one.hits]) for one in lookups]
    return {"text": shown(text), "tone": tone, "sign": SIGNS[tone], "lookups": found, "why": "", "rewritten": ""}


def _passage(hit: Hit) -> tuple[str, str]:
    """Return a passage's title and its text."""
    return passage_name(hit.passage), shown(hit.passage.text)
