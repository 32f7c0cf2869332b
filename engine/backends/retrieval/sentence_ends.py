"""Where the sentences of a large text end, by rules alone: fast enough to cut a corpus, with nothing to load.

A sentence ends at its mark (".", "!", "?" and those of other scripts), at a blank line, and at a line that begins a
list or follows a heading. "Dr. Curie", "J. R. R. Tolkien", "U.S. Army" and "approx. 5" go on, as does anything before
a small letter. A line end alone is no end: text files and PDFs break their lines anywhere.
"""

import re
from itertools import pairwise

# Texts are anybody's: "++" and the look behind keep a line of 20,000 full stops from being read from each of them anew.
END = re.compile(r"(?:(?<![.!?…؟۔])[.!?…؟۔]++[\"')\]”’»]*+(?=\s)|[。！？][”」』）]*)\s*")
LINE_END = re.compile(r"\n\s*")
LIST_MARK = re.compile(r"(?:[-*•·–|>#]|\d{1,3}[.)]\s|[a-z][.)]\s)")
LIST_NUMBER = re.compile(r"(?:^|\n)[^\S\n]*(?:\d{1,3}|[A-Za-z])$")
LAST_WORD = re.compile(r"(?<![^\s\"'(\[“‘«])([^\s\"'(\[“‘«]++)$")
INITIAL = re.compile(r"^(?:[^\W\d_]\.)*[^\W\d_]$")
HEADING = 0.6  # a line shorter than this share of the one beside it does not go on in the next
LOOKED_BACK = 40
CLOSED = ".!?…:;؟۔。！？"
CLOSERS = "\"')]”’»"
# A name or number follows these; nothing ends with them.
TITLES = frozenset(
    "mr mrs ms dr prof st mt ft gen col lt maj capt sgt cpl rev hon sen rep gov pres messrs mme mlle sr fr "
    "no nos vol vols pp fig figs eq eqs sec ch art ed eds trans cf vs viz e.g i.e resp approx ca c. al "
    "jan feb mar apr jun jul aug sep sept oct nov dec b d fl r".split()
)


def sentence_bounds(text: str) -> list[tuple[int, int]]:
    """Return [start, end) of every sentence with the white space behind it; together they are the whole text.

    >>> text = "Dr. Curie won in 1903. She won again\\nin 1911.\\n\\nParis"
    >>> [text[start:end] for start, end in sentence_bounds(text)]
    ['Dr. Curie won in 1903. ', 'She won again\\nin 1911.\\n\\n', 'Paris']
    """
    ends = {match.end() for match in END.finditer(text) if is_end(text, match)}
    ends |= {match.end() for match in LINE_END.finditer(text) if is_line_end(text, match)}
    return [(start, end) for start, end in pairwise([0, *sorted(ends - {0, len(text)}), len(text)]) if end > start]


def is_end(text: str, match: re.Match[str]) -> bool:
    """Return whether a mark ends its sentence: not before a small letter, nor after an abbreviation or list number."""
    after = text[match.end() : match.end() + 1]
    if after.islower():
        return False
    if not match.group().startswith("."):
        return True
    before = text[max(0, match.start() - LOOKED_BACK) : match.start()]
    word = LAST_WORD.search(before)
    if word is None or LIST_NUMBER.search(before):
        return word is None
    last = word.group(1)
    # "J." and "U.S." go on where a name follows; a lone "I" or "A" in small print of a list does so too.
    return not (last.lower() in TITLES or (INITIAL.match(last) and (after.isupper() or after.isdigit())))


def is_line_end(text: str, match: re.Match[str]) -> bool:
    """Return whether a line break parts two sentences: a blank line, a list, a heading, or a mark right before it."""
    if match.group().count("\n") > 1:
        return True
    start = text.rfind("\n", 0, match.start()) + 1
    line = text[start : match.start()].strip()
    rest = text[match.end() : match.end() + 400].partition("\n")[0].strip()
    if not line or not rest:
        return True
    if LIST_MARK.match(rest):
        return True
    if line.rstrip(CLOSERS)[-1:] in CLOSED and not rest[0].islower():
        return not is_abbreviation_at_end(line)
    return len(line) < HEADING * len(rest) and (rest[0].isupper() or rest[0].isdigit()) and line[-1] != ","


def is_abbreviation_at_end(line: str) -> bool:
    """Return whether a line ends in an abbreviation that goes on in the next line, such as "Dr."."""
    word = LAST_WORD.search(line[:-1]) if line.endswith(".") else None
    return word is not None and (word.group(1).lower() in TITLES or bool(INITIAL.match(word.group(1))))
