"""Question parts in words and a table: what each part asks for and what answers it."""

import pandas as pd

from engine.core.words import quoted, shown
from engine.methods.question_parts import QuestionPart, QuestionPartsResult
from viz.methods.check_rates import CHECK_RATES
from viz.methods.verdicts import SIGNS, Tone, Verdict, tone_colour
from viz.parts.html import render
from viz.parts.theme import Theme
from viz.parts.words import closed, counted, listing


def verdict(result: QuestionPartsResult) -> Verdict:
    """Return how many parts have an answer of the asked kind; of one part only that it is one."""
    answered, total = sum(result.answered), len(result.parts)
    if not result.stated:
        return Verdict(word="no answer to compare", tone="unknown", sentence=sentence(result))
    word, tone = f"{answered} of {total} parts answered", "middle"
    if total == 1:
        word, tone = ("nothing to split", "unknown") if answered else (lacking(result.parts[0]), "middle")
    elif answered == total:
        word, tone = f"all {total} parts answered", "model"
    lacks = f"{total - answered} {'has' if total - answered == 1 else 'have'} no answer."
    brief = f"The question has {total} parts; {lacks}" if total > 1 and answered < total else ""
    return Verdict(word=word, tone=tone, sentence=sentence(result), detail=rates(), brief=brief)  # type: ignore[arg-type]


def rates() -> str:
    """Return how often the rules were right on questions they were not written against."""
    rates_of = {name: int(number) for name, number in CHECK_RATES["question_parts"].items()}
    right, unseen = rates_of["held_out_right"], rates_of["held_out"]
    return f"Its rules were right about {right} of {unseen} answers that they were not written for."


def sentence(result: QuestionPartsResult) -> str:
    """Return in words what is asked, and what has no answer."""
    if not result.stated:
        return closed(f"The answer is {quoted(result.answer)}: it states nothing")
    if len(result.parts) == 1:
        part = result.parts[0]
        return f"The question has one part. {part_sentence(part)}"
    open_parts = [quoted(part.text, 60) for part in result.parts if not part.answered]
    asked = f"The question has {counted(len(result.parts), 'part')}."
    return f"{asked} Not answered: {listing(open_parts)}." if open_parts else f"{asked} Each has an answer of its kind."


def part_sentence(part: QuestionPart) -> str:
    """Return one part in words: what it asks for and what answers it."""
    if part.asked == "other":
        return closed(f"The answer gives {quoted(part.by)}") if part.answered else "The answer gives nothing for it."
    found = f"the answer gives {quoted(part.by)}" if part.answered else "the answer has none"
    return closed(f"It asks for {article(part)}; {found}")


def kind_words(part: QuestionPart) -> str:
    """Return what a part asks for, as a noun."""
    return {"other": "statement"}.get(part.asked, part.asked)


def lacking(part: QuestionPart) -> str:
    """Return in words that the answer to a part is not of its kind."""
    return "neither yes nor no" if part.asked == "yes or no" else f"no {kind_words(part)} in it"


def article(part: QuestionPart) -> str:
    """Return what a part asks for, with its article."""
    return part.asked if part.asked == "yes or no" else f"a {part.asked}"


def parts_html(result: QuestionPartsResult, theme: Theme) -> str:
    """Return each part of the question with its sign and what answers it, as escaped HTML."""
    rows = [(part, "model" if part.answered else "middle") for part in result.parts]
    blocks = [block_of(part, tone, theme) for part, tone in rows]  # type: ignore[arg-type]
    return render("question_parts.html.j2", blocks=blocks, theme=theme)


def block_of(part: QuestionPart, tone: Tone, theme: Theme) -> dict[str, str]:
    """Return one part's text, colour, sign and sentence."""
    values = {"text": shown(part.text), "said": part_sentence(part)}
    return {**values, "colour": tone_colour(tone, theme), "sign": SIGNS[tone]}


def parts_table(result: QuestionPartsResult) -> pd.DataFrame:
    """Return the text twin: a row for each part with what it asks for and what answers it."""
    rows = [
        {"part": part.text, "asks for": part.asked, "answered": part.answered, "by": part.by} for part in result.parts
    ]
    return pd.DataFrame(rows, columns=["part", "asks for", "answered", "by"])
