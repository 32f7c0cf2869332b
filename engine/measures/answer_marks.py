"""Is an answer right, wrong, or none: the one judge of what is coloured and called so.

It stands beside the papers' measures (``answer_match``), which are reported as EM and F1 and keep their values. It
compares words as ``answer_words`` has them, so that another number or name is never right, and reads what is said
around a correct answer: "not Paris" and "Paris or Lyon" name it only. Order of the rules: equal, named without denial,
no answer (``abstention``), named, none of it. Words cannot tell more: "Paris" is right also where the sentence
around it is false.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from engine.measures.abstention import CLAUSE_END, clauses, no_answer, sentences, states_answer
from engine.measures.answer_match import CLOSED_ANSWERS, normalise
from engine.measures.answer_words import ARTICLES, NEAR, Word, forms_of, glued, joined, words_of

Mark = Literal["exact", "contains", "named", "none", "no"]
JudgedMark = Mark | Literal["meant"]
RIGHT: tuple[Mark, ...] = ("exact", "contains")
# From here on the judge's word counts against the words: a choice, measured by ``benchmarks/judge.py``.
SAME_MEANING = 0.8
# In an answer of so many words a choice bears on all of it; a longer one may leave something else open.
SHORT_WORDS = 10
Span = tuple[int, int]

CONCLUDED = re.compile(r"the answer is\b:?\s*", re.IGNORECASE)
ANSWER = re.compile(r"answer(?:\s+is)?\W*$", re.IGNORECASE)
LABEL = re.compile(r"^\W*(?:(?:final|short|my)\s+)?answer\s*[:=]\s*", re.IGNORECASE)
# Beside a correct answer in its sentence these deny it, or name another one.
DENIED = re.compile(
    r"\b(?:not|never|neither|nor|no|or|either|rather|instead|unlike|except|cannot)\b|n['’]t\b", re.IGNORECASE
)
# So does "but" behind an answer, and "all but" before one; "it is small, but it is Selm" denies nothing.
BUT = re.compile(r"\bbut\b", re.IGNORECASE)
ALL_BUT = re.compile(r"\b(?:all|any\w*|every\w*)\s(?:\w+\s)?but\b", re.IGNORECASE)
# Where no place of an answer is known: what denies something, and what leaves a choice.
NEGATION = re.compile(
    r"\b(?:not|never|neither|nor|no|none|nobody|nothing|without|unlike|except|cannot)\b|n['’]t\b", re.IGNORECASE
)
CHOICE = re.compile(r"\b(?:or|either|between|rather|instead)\b", re.IGNORECASE)
# These do neither.
IDLE = re.compile(
    r"^\W*no,|\b(?:not\s(?:only|just|merely)|but\salso|(?:nothing|none|no\s(?:one|other))\s(?:but|other\sthan)|no\s(?:doubt|longer|other)"
    r"|more\sor\sless|or\s(?:more|less|so)|rather\sthan|instead\sof|No\.\s?(?=\d))",
    re.IGNORECASE,
)
# A later sentence that begins so takes back what was said before.
TAKEN_BACK = re.compile(
    r"\W*(?:(?:no|nope)(?:\s*[,.;:!—–]|\W*$|\swait\b)|not\s(?:really|quite|so|true|right|correct)\b|never\smind\b"
    r"|(?:rather|instead|actually|wait|sorry|correction)\b)",
    re.IGNORECASE,
)
# The letter before an answer with its first, its last with the next: it is one of two ("1914–1918", "Paris/Lyon").
BEFORE = re.compile(r"(?<!\d-)\d\d*\s?[-−–—]\s?\d$|[^\W\d]/[^\W\d]$")
BEHIND = re.compile(r"\d\s?[-−–—]\s?\d+(?!\d|-\d)|[^\W\d]/[^\W\d]")
# One end of what a number lies between is not the number.
BETWEEN = re.compile(
    r"\bbetween\s(?:about\s)?(?P<first>[-−$€£]?\d[\d,.]*)(?:\s[\w%°]+)?\sand\s(?P<last>[-−$€£]?\d[\d,.]*)", re.I
)

NEW = re.compile(r"\bNew[\s-]+$")
TENS = re.compile(r"\b(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)$", re.IGNORECASE)
UNIT = re.compile(r"(?:one|two|three|four|five|six|seven|eight|nine)\b", re.IGNORECASE)
COUNT = re.compile(rf"\d$|{TENS.pattern}|\b{UNIT.pattern}$", re.IGNORECASE)
SCALED = re.compile(r"[\s-]+(?:hundred|thousand|million|billion|trillion|dozen)\b", re.IGNORECASE)

HERE = "\ue000"
# Another one is denied beside it: "Paris, not Lyon"; "not Lyon but Paris".
OTHER_DENIED = re.compile(
    rf"{HERE}(?:,?\s+(?:and\s+)?|\s\()(?:not|never|rather\sthan|instead\sof|unlike)\s[^{HERE},.;]{{0,80}}", re.I
)
# "Not until 1969" is 1969.
UNTIL = re.compile(rf"(?:\bnot|n['’]t)\s(?:[^{HERE},.;]{{0,80}}\s)?until\s(?:[^\W_]+\s){{0,3}}{HERE}", re.I)
INSTEAD = re.compile(rf"\bnot\s[^{HERE},.;]{{0,80}},?\sbut\s(?:\w+\s){{0,2}}{HERE}", re.I)
# So is another one in a clause of its own: "It was not Paris; it was Lyon".
CLAUSE_DENIED = re.compile(
    r"(?:^|(?<=[;,:—–]))\W*(?i:it|that|this|he|she|they)(?i:\s(?:is|was|are|were)(?:\snot|n['’]t))"
    rf"\s(?:(?:in|at|on|by|from|of|the|an?)\s){{0,2}}(?=[^\W_a-zß-ÿ])[^{HERE};,.]{{1,80}}"
    r"(?:[;,—–](?=\s*(?i:it|that|this|he|she|they|in\sfact)\b)|\W*$)"
)
CLAUSES = re.compile(f"({CLAUSE_END.pattern})", re.IGNORECASE)
ELIDED = frozenset("l d c j m n s t qu un all dell nell sull dall".split())
# Names that are also such words ("US", "It", "Who", "A") are found only as names are written.
SMALL_WORDS = ARTICLES | frozenset(
    """i you he she it we they me him her us them my your his its our their who whom what which when where how why this
    that these those is are was were be been am do does did has had have will would can could might must of in on at
    to from by for with as into up out over if so then there here""".split()
)
# After a bare "no" these begin the sentence that it answers ("No it is not", unlike "no doubt").
SUBJECTS = frozenset("it he she they there that this these those the i we you not because since as".split())
PARTICLES = frozenset(
    """은 는 이 가 을 를 의 에 에서 에게 로 으로 와 과 도 만 부터 까지 입니다 이다 다 이에요 예요 이었다 였다 이며 이고
    이라고 라고""".split()
)

CURRENCIES = {"dollar": "$", "euro": "€", "pound": "£", "yen": "¥", "rupee": "₹"}
MONEY = re.compile(rf"[\s-]*\b({'|'.join(CURRENCIES)})s?\b", re.IGNORECASE)


def mark(text: str, golds: Sequence[str]) -> Mark:
    """Returns whether an answer equals or contains a correct one, only names one, states none, or has another.

    ``golds`` are the accepted answers, at least one. "named": each place of a correct answer stands beside a denial or
    an alternative. Raises ValueError on no golds.

    >>> [mark(text, ["1.5"]) for text in ("1.5", "about 1.5 km", "15", "not 1.5", "I do not know")]
    ['exact', 'contains', 'no', 'named', 'none']
    >>> mark("Paris. The text does not mention the year.", ["Paris"]), mark("Yes, there is no doubt.", ["no"])
    ('contains', 'no')
    """
    if len(golds) == 0:
        raise ValueError("at least one correct answer is needed to judge an answer, got 0")
    open_golds = [gold for gold in golds if not is_closed(gold)]
    marks = {closed_mark(text, gold) for gold in golds if is_closed(gold)}
    if any(equal(text, gold) for gold in golds):
        return "exact"
    spans = answer_spans(text, open_golds)
    if "contains" in marks or (spans and not denied(text, spans)):
        return "contains"
    if not states_answer(text):
        return "none"
    return "named" if spans or "named" in marks else "no"


def judged_mark(text: str, golds: Sequence[str], meaning: float | None) -> JudgedMark:
    """Returns ``mark``, or "meant" where words call an answer wrong and the judge finds a correct one's meaning in it.

    ``meaning`` is the judge's P(entailment) of the likeliest correct answer, in [0, 1]; None where it was not asked.
    Raises ValueError on no golds.

    >>> judged_mark("8 Sept. 2010", ["September 8, 2010"], 0.98), judged_mark("1969", ["20 July 1969"], 0.75)
    ('meant', 'no')
    """
    found = mark(text, golds)
    return "meant" if found == "no" and is_meant(meaning) else found


def is_meant(meaning: float | None) -> bool:
    """Returns whether the judge's word counts against the words: P(entailment) of at least ``SAME_MEANING``.

    >>> is_meant(0.8), is_meant(0.79), is_meant(None)
    (True, False, False)
    """
    return meaning is not None and meaning >= SAME_MEANING


def can_mean(text: str, gold: str) -> bool:
    """Returns whether a judge may be asked if an answer means a correct one, by what the two deny and leave open.

    In short answers judges overlook both: to the embedded one "not 2" means "two", and "19 or 20 July" "July 20".

    >>> can_mean("not 2", "two"), can_mean("19 or 20 July", "July 20"), can_mean("guilty", "not guilty")
    (False, False, False)
    >>> can_mean("2", "two"), can_mean("2, I don't know when", "two"), can_mean("It isn't wet", "not wet")
    (True, True, True)
    """
    said = [IDLE.sub(" ", clause) for clause in clauses(text) if not no_answer(clause)]
    meant, short = IDLE.sub(" ", gold), len(text.split()) <= SHORT_WORDS
    denials = [NEGATION.search(words) is not None for words in (" ".join(said), meant)]
    if denials[0] != denials[1] and (short or len(said) == 1):
        return False
    return not short or CHOICE.search(" ".join(said)) is None or CHOICE.search(meant) is not None


def is_right(text: str, golds: Sequence[str]) -> bool:
    """Returns whether an answer equals a correct one, or contains one without denying it.

    >>> is_right("The answer is Paris.", ["Paris"]), is_right("not Paris", ["Paris"]), is_right("", ["A"])
    (True, False, False)
    """
    return mark(text, golds) in RIGHT


def answer_spans(text: str, golds: Sequence[str], *, loose: bool = False) -> tuple[Span, ...]:
    """Returns where correct answers stand in a text, as characters [start, end): the longest first, never overlapping.

    ``loose`` finds parts of hyphenated words and abbreviations too ("York" in "York-born"): so a passage is not said to
    lack what it may hold.

    >>> answer_spans("moved to New\\nYork in 1,066", ["New York", "1066"])
    ((9, 17), (21, 26))
    >>> answer_spans("北京是首都", ["北京"]), answer_spans("twenty-one", ["twenty"])
    (((0, 2),), ())
    """
    found = {span for gold in golds for span in _spans(text, gold, loose=loose)}
    kept, taken = [], bytearray(len(text))
    for start, end in sorted(found, key=lambda span: (span[0] - span[1], span)):
        if not any(taken[start:end]):
            taken[start:end] = b"1" * (end - start)
            kept.append((start, end))
    return tuple(sorted(kept))


def has_words(text: str, golds: Sequence[str]) -> bool:
    """Returns whether a text has all words of a correct answer, in any order: then it may hold it in other words.

    >>> has_words("On July 20, 1969", ["20 July 1969"]), has_words("in July", ["20 July 1969"])
    (True, False)
    """
    said = {word.form for reading in _readings(text) for word in reading}
    return any(forms and said.issuperset(forms) for gold in golds for forms in map(forms_of, _readings(gold)))


def equal(text: str, gold: str) -> bool:
    """Returns whether an answer is a correct one, whatever its case, marks, articles and form of letters.

    >>> equal("“the  eiffel tower”", "Eiffel Tower!"), equal("-5", "5"), equal("♥", "♥"), equal("", "♥")
    (True, False, True, False)
    """
    pairs = list(zip(_readings(text), _readings(gold), strict=True))
    if not all(pairs[0]):
        return bool(text.strip()) and not any(pairs[0]) and text.strip() == gold.strip()
    return any(forms_of(left) == forms_of(right) for left, right in pairs) and not _other_unit(text, gold)


def denied(text: str, spans: Sequence[Span]) -> bool:
    """Returns whether every place of an answer is denied, asked for or beside another one, or taken back later.

    >>> denied("not Selm but Karst", [(4, 8)]), denied("It is Selm. It is not old.", [(6, 10)])
    (True, False)
    >>> denied("Selm? No, Karst.", [(0, 4)]), denied("from 1914–1918", [(10, 14)])
    (True, True)
    """
    start, told, left = 0, False, list(spans)[::-1]
    for sentence in sentences(text):
        end = start + len(sentence)
        held = []
        while left and left[-1][0] < end:
            first, last = left.pop()
            held.append((first - start, last - start))
        told = told and not TAKEN_BACK.match(sentence)
        told = told or (bool(held) and not _denies(sentence, held))
        start = end
    return not told


def is_closed(gold: str) -> bool:
    """Returns whether a correct answer is a bare yes or no, whose words stand anywhere.

    >>> is_closed("No."), is_closed("Norway")
    (True, False)
    """
    return normalise(gold) in CLOSED_ANSWERS


def closed_mark(text: str, gold: str) -> Mark:
    """Returns the mark of an answer to a question of yes or no: by its conclusion, else by its first word.

    >>> [closed_mark(text, "no") for text in ("No, it is not.", "No doubt.", "Yes. No.", "So the answer is no.")]
    ['contains', 'no', 'no', 'contains']
    """
    wanted = normalise(gold)
    concluded = LABEL.sub("", CONCLUDED.split(text)[-1])
    words = words_of(concluded)
    if not words or words[0].form != wanted:
        return "no"
    follows = words[1:2]
    bound = wanted == "no" and any(not word.gap.strip() and word.form not in SUBJECTS for word in follows)
    if bound or not states_answer(text):
        return "no"
    others = CLOSED_ANSWERS - {wanted}
    alone = re.findall(r"(?:^|[.,;:!?]|\b(?:and|or)\b)\s*(\w+)\s*(?=[.,;:!?]|$)", concluded.casefold())
    return "named" if others.intersection(alone) else "contains"


@lru_cache(maxsize=1024)
def _readings(text: str) -> tuple[tuple[Word, ...], tuple[Word, ...]]:
    """Returns the words of a text in both readings: hyphenated words apart, and as one. A page asks for them often.

    >>> [len(words) for words in _readings("an e-mail")]
    [3, 2]
    """
    words = words_of(text)
    return words, joined(words)


def _spans(text: str, gold: str, *, loose: bool) -> Iterator[Span]:
    """Returns the places of one correct answer in a text, the text taken with hyphenated words apart and as one.

    >>> list(_spans("an e-mail", "email", loose=False)), list(_spans("Vitamin C", "Vitamin A", loose=False))
    ([(3, 9)], [])
    >>> set(_spans("in New Mexico", "Mexico", loose=False)), set(_spans("the new Mexico", "Mexico", loose=False))
    (set(), {(8, 14)})
    """
    if not words_of(gold):
        yield from _signs(text, gold.strip())
    for words, sought in zip(_readings(text), _readings(gold), strict=True):
        forms = forms_of(sought)
        for first, last in _places(words, forms):
            start, end = words[first].start, words[last - 1].end
            if not (loose or (_parts(words, first) and _parts(words, last) and not _new_one(text, start))):
                continue
            if _other_unit(text[max(start - 2, 0) : end + 2] + (MONEY.match(text[end:]) or [""])[0], gold):
                continue
            if set(forms) <= SMALL_WORDS and not _as_a_name(text, gold, start, end):
                continue
            yield start, end


def _new_one(text: str, start: int) -> bool:
    """Returns whether "New" before a name makes it another one: New Mexico is not Mexico.

    >>> _new_one("New Mexico", 4), _new_one("Renew Mexico", 6)
    (True, False)
    """
    return NEW.search(text[max(start - NEAR, 0) : start]) is not None and text[start].isupper()


def _signs(text: str, gold: str) -> Iterator[Span]:
    """Returns the places of an answer that is one sign, such as a symbol; marks of punctuation answer nothing.

    >>> list(_signs("I ♥ it!", "♥")), list(_signs("I ♥ it!", "!"))
    ([(2, 3)], [])
    """
    if any(unicodedata.category(sign)[0] == "S" for sign in gold):
        yield from (match.span() for match in re.finditer(re.escape(gold), text))


def _places(words: Sequence[Word], forms: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Returns where the forms follow each other in the words, as places [first, last); light words between are skipped.

    >>> list(_places(words_of("Prince of the Netherlands"), ["of", "netherlands"]))
    [(1, 4)]
    """
    for first in range(len(words)) if forms else ():
        place = first
        for at, form in enumerate(forms):
            while at and place < len(words) and words[place].light and words[place].form != form:
                place += 1
            if place == len(words) or not _same(words[place].form, form, last=at == len(forms) - 1):
                break
            place += 1
        else:
            yield first, place


def _same(word: str, form: str, *, last: bool) -> bool:
    """Returns whether a word is the wanted one; the last of Korean words may have a particle behind it.

    >>> _same("서울은", "서울", last=True), _same("인도네시아", "인도", last=True)
    (True, False)
    """
    if word == form:
        return True
    hangul = last and "가" <= form[-1] <= "힣"
    return hangul and word.startswith(form) and word[len(form) :] in PARTICLES


def _parts(words: Sequence[Word], place: int) -> bool:
    """Returns whether a word may begin at a place: not within "twenty-one", "B-52", "O'Brien", "non-fiction", "AT&T".

    >>> [_parts(words_of(text), 1) for text in ("twenty-one", "Paris's", "l'Espagne", "Paris/Lyon", "19-year-old")]
    [False, True, True, True, True]
    """
    if not 0 < place < len(words):
        return True
    left, right = words[place - 1], words[place]
    if not glued(left, right):
        return True
    gap = right.gap
    if gap == "'":
        return left.form in ELIDED or (len(left.form) > 2 and right.form != "t")
    if gap == "-":
        return left.form.isdecimal() and len(right.form) > 2
    return gap not in (".", "&", "@", "_", "+")


def _other_unit(shown: str, gold: str) -> bool:
    """Returns whether two amounts have signs of unit and none in common: "$5" is not "€5", but may be "5".

    Money may be written out: "5 dollars" is "$5".

    >>> _other_unit("$5", "€5"), _other_unit("5%", "5"), _other_unit("5 dollars", "£5"), _other_unit("5 pounds", "£5")
    (True, False, True, False)
    """
    texts = (MONEY.sub(lambda found: CURRENCIES[found[1].casefold()], text) for text in (shown, gold))
    here, there = ({one for one in text if one in "%‰°" or unicodedata.category(one) == "Sc"} for text in texts)
    return bool(here) and bool(there) and here.isdisjoint(there)


def _goes_on(sentence: str, start: int, end: int) -> bool:
    """Returns whether a number goes on before or beyond its place: "5" in "5 million", "one" in "twenty one".

    >>> _goes_on("5 million people", 0, 1), _goes_on("5 people", 0, 1), _goes_on("twenty one", 7, 10)
    (True, False, True)
    """
    before, shown, behind = sentence[max(start - NEAR, 0) : start], sentence[start:end], sentence[end : end + NEAR]
    if COUNT.search(shown) and SCALED.match(behind):
        return True
    if TENS.search(shown) and UNIT.match(behind.lstrip(" -")):
        return True
    return UNIT.match(shown) is not None and TENS.search(before.rstrip(" -")) is not None


def _is_one_end(sentence: str, start: int, end: int) -> bool:
    """Returns whether a number is only one end of what another lies between.

    >>> _is_one_end("between 50 and 60", 8, 10), _is_one_end("between 50 and 60", 8, 17)
    (True, False)
    """
    ends = [found.span(side) for found in BETWEEN.finditer(sentence) for side in ("first", "last")]
    return any(first <= start and end <= last for first, last in ends)


def _as_a_name(text: str, gold: str, start: int, end: int) -> bool:
    """Returns whether a small word stands as the name that it also is: in its own case, not by opening a sentence.

    >>> _as_a_name("The answer is A.", "A", 14, 15), _as_a_name("A dog", "A", 0, 1), _as_a_name("tell us", "US", 5, 7)
    (True, False, False)
    """
    shown, before = text[start:end], text[max(start - NEAR, 0) : start]
    if ANSWER.search(before) and not any(map(str.isalnum, text[end:])):
        return True
    if not any(map(str.isupper, shown)) or shown != gold.strip(" .,;:!?\"'")[-len(shown) :]:
        return False
    before = before.rstrip("\"'“‘«([ ")
    opens = not before or before[-1] in ".!?\n"
    return not opens or (len(shown) > 1 and shown.isupper()) or text[end : end + 1] in (")", ".", ":", "")


def _denies(sentence: str, held: Sequence[Span]) -> bool:
    """Returns whether one sentence denies or asks for the answers that it holds, or names another one beside them.

    >>> _denies("Selm or Karst", [(0, 4)]), _denies("not only Selm", [(9, 13)]), _denies("Is it Selm?", [(6, 10)])
    (True, False, True)
    """
    if sentence.rstrip("\"'”’) \n").endswith(("?", "？", "؟")):
        return True
    beside = all(
        BEFORE.search(sentence[max(start - NEAR, 0) : start + 1])
        or BEHIND.match(sentence[end - 1 : end + NEAR])
        or _goes_on(sentence, start, end)
        or _is_one_end(sentence, start, end)
        for start, end in held
    )
    rest = CLAUSE_DENIED.sub("", _around(sentence, held))
    for other in (INSTEAD, UNTIL, OTHER_DENIED):
        rest = other.sub(HERE, rest)
    said = IDLE.sub(" ", rest)
    behind = said[said.find(HERE) :]
    return beside or any(found is not None for found in (DENIED.search(said), BUT.search(behind), ALL_BUT.search(said)))


def _around(sentence: str, held: Sequence[Span]) -> str:
    """Returns what a sentence says around the answers it holds, without clauses that say "I do not know" of others.

    >>> _around("I do not know the year, but it is Selm", [(34, 38)])
    'it is \\ue000'
    """
    starts, ends = [start for start, _ in held], [end for _, end in held]
    between = [sentence[end:start] for end, start in zip([0, *ends], [*starts, len(sentence)], strict=True)]
    parts = CLAUSES.split(HERE.join(between))
    pairs = zip(["", *parts[1::2]], parts[::2], strict=True)
    kept = [pair for pair in pairs if HERE in pair[1] or not no_answer(pair[1])]
    return "".join(clause if at == 0 else border + clause for at, (border, clause) in enumerate(kept))
