"""What is set aside of a sentence while a rule rewords it: its brackets, and all but one of its clauses.

Both confuse the parser: a pronunciation in brackets, or a second clause behind a semicolon. They come back as they
were, brackets behind the words that they stood behind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.backends.text.base import Bracket

PARTED = re.compile(r"; |: | [–—] | -- ")
# "Law & Order: Special Victims Unit" is a name.
IN_TITLE = re.compile(r"\w: [A-Z]\w* [A-Z]|\w: [A-Z]\w*[ ,.)]+[a-z(]")
FEWEST_WORDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One clause of a sentence as a sentence of its own, and what stands before and behind it.

    ``lowered``: it began with a small letter. ``cut``: it has no full stop, since what follows hangs on its end.
    """

    text: str
    before: str
    behind: str
    lowered: bool
    cut: bool

    def put_in(self, made: str) -> str:
        """Return the sentence with the clause in other words, "" where they are more than one sentence."""
        own = made if self.cut or not self.behind else made.removesuffix(".")
        if re.search(r"\. [A-Z]", own) and self.behind:
            return ""
        first = own.split(" ")[0]
        inside = first in self.text.split(" ")[1:]
        if self.lowered and not inside:
            own = own[:1].lower() + own[1:]
        return f"{self.before}{own}{self.behind}"


def put_back(text: str, brackets: Sequence[Bracket]) -> str:
    """Return the text with its brackets behind the same words, "" where these are not there once.

    >>> put_back("It is stevia that grows.", [Bracket(behind="Stevia", text=" (a plant)")])
    'It is stevia (a plant) that grows.'
    """
    places = []
    for bracket in brackets:
        first, rest = re.escape(bracket.behind[0]), re.escape(bracket.behind[1:])
        found = list(re.finditer(rf"(?<!\w)(?i:{first}){rest}(?![\w'’])", text))
        if len(found) != 1:
            return ""
        places.append((found[0].end(), bracket.text))
    for place, said in sorted(places, reverse=True):
        text = f"{text[:place]}{said}{text[place:]}"
    return text


def clauses_of(text: str) -> list[Clause]:
    """Return the clauses that colons, semicolons or dashes part, each as a sentence.

    What stands before a colon or dash is cut: its end names what follows.

    >>> [clause.text for clause in clauses_of("Rain fell for days; the river rose fast.")]
    ['Rain fell for days.', 'The river rose fast.']
    """
    marks = [mark for mark in PARTED.finditer(text) if not IN_TITLE.match(text, mark.start() - 1)]
    bounds = [0, *(mark.end() for mark in marks)]
    ends = [*(mark.start() for mark in marks), len(text)]
    found = []
    for at, (start, end) in enumerate(zip(bounds, ends, strict=True)) if marks else ():
        own = text[start:end]
        cut = at < len(marks) and marks[at].group() != "; "
        after_dash = at > 0 and marks[at - 1].group() not in {"; ", ": "}
        if len(own.split()) < FEWEST_WORDS or after_dash:
            continue
        lowered = at > 0 and own[:1].islower()
        said = (own[:1].upper() + own[1:]) if lowered else own
        said = said if cut or said.endswith(".") or end == len(text) else f"{said}."
        found.append(Clause(text=said, before=text[:start], behind=text[end:], lowered=lowered, cut=cut))
    return found
