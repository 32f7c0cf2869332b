"""One run as one picture: question, headline, memory → passages → answer, the verdicts' words, as a self-contained SVG.

1200 × 675 pixels, for a slide or a post. Plain text in shapes, all of it escaped; no script, no font and no picture
from elsewhere. Lines are broken by the number of letters, since an SVG breaks none itself.
"""

from collections.abc import Sequence

from engine.core.words import shorten
from engine.diagnosis.record import Diagnosis
from engine.methods import METHODS
from viz.methods.verdicts import SIGNS, tone_colour
from viz.parts.html import render
from viz.parts.theme import Theme
from viz.parts.words import lines_of, model_name
from viz.runs.case_card import AnswerBox
from viz.runs.headline import headline
from viz.runs.story import PassageRow, answer_box, answer_kind, passage_rows
from viz.runs.summary import matches_of, verdict_of

MOST_ROWS, MOST_VERDICTS = 5, 4
QUESTION_WIDTH, HEADLINE_WIDTH, WORD_WIDTH = 50, 58, 21
# Pixels of an answer's box and of its letters, and how wide a bold letter is for its height.
ANSWER_PIXELS, SIZES, LETTER = 212, (32, 28, 24, 20, 17, 15), 0.67
# The same of a passage's row, less a gap, and of letters that are not bold.
ROW_PIXELS, TITLE_SIZE, MARK_SIZE, PLAIN_LETTER = 428, 21, 19, 0.6


def story_card_svg(diagnosis: Diagnosis, theme: Theme) -> str:
    """Return the card of a run that has both answers, as SVG text."""
    found = headline(diagnosis)
    rows, (reading, memory) = passage_rows(diagnosis, found.passages), matches_of(diagnosis)
    ends = [
        card_end(answer_box(kind, answer.text, match), theme)
        for kind, answer, match in (
            ("From memory", diagnosis.closed_book, memory),
            (answer_kind(diagnosis), diagnosis.answer, reading),
        )
    ]
    return str(
        render(
            "story_card.svg.j2",
            question=lines_of(diagnosis.question, QUESTION_WIDTH, 2),
            headline=lines_of(f"{SIGNS[found.tone]} {found.sentence}", HEADLINE_WIDTH, 2),
            tone=tone_colour(found.tone, theme),
            ends=ends,
            rows=[card_row(row, theme) for row in card_rows(rows)],
            more=max(0, len(rows) - MOST_ROWS),
            verdicts=card_verdicts(diagnosis, theme),
            model=model_name(diagnosis.provenance.model),
            theme=theme,
        )
    )


def card_end(box: AnswerBox, theme: Theme) -> dict[str, object]:
    """Return an answer as the card draws it, its letters as large as its words allow."""
    size, lines = fitted_lines(box.text)
    words, colour = f"{box.sign} {box.word}", tone_colour(box.tone, theme)
    return {"kind": box.kind, "lines": lines, "size": size, "word": words, "colour": colour}


def fitted_lines(text: str) -> tuple[int, list[str]]:
    """Return the largest letters in which a text needs three lines and no word breaks, in pixels, and its lines.

    Where none is small enough, the smallest, and the text is cut.
    """
    longest = max(map(len, text.split()), default=1)
    for size in SIZES:
        letters = int(ANSWER_PIXELS / (LETTER * size))
        lines = lines_of(text, letters, 3)
        if longest <= letters and not lines[-1].endswith(" …"):
            break
    return size, lines


def card_rows(rows: Sequence[PassageRow]) -> list[PassageRow]:
    """Return the passages that the card has room for, in their order: those of the headline, then marked ones first."""
    first = sorted(rows, key=lambda row: (not row.told, not row.chips, row.number))[:MOST_ROWS]
    return sorted(first, key=lambda row: row.number)


def card_row(row: PassageRow, theme: Theme) -> dict[str, object]:
    """Return a passage as the card draws it: its number, its title, its mark, the last of several.

    The title is cut where its mark begins, in a font as wide as any that may stand in for ours.
    """
    chip = row.chips[-1] if row.chips else None
    mark = shorten(chip.words, 22) if chip else ""
    room = ROW_PIXELS - len(mark) * MARK_SIZE * PLAIN_LETTER
    return {
        "number": row.number,
        "title": shorten(row.whole_title, int(room / (TITLE_SIZE * (LETTER if row.told else PLAIN_LETTER)))),
        "told": row.told,
        "mark": mark,
        "colour": tone_colour(chip.tone, theme) if chip else theme.muted,
    }


def card_verdicts(diagnosis: Diagnosis, theme: Theme) -> list[dict[str, object]]:
    """Return the methods' words, at most four."""
    found = [(METHODS[outcome.method].title, verdict_of(outcome)) for outcome in diagnosis.outcomes[:MOST_VERDICTS]]
    return [
        {
            "name": name,
            "lines": lines_of(f"{SIGNS[verdict.tone]} {verdict.word}", WORD_WIDTH, 3),
            "colour": tone_colour(verdict.tone, theme),
        }
        for name, verdict in found
    ]
