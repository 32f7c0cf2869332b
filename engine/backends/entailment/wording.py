"""What the wording of a short answer does with what it names: denies, leaves open, hedges, lists it, or names its kin.

"Not Selm but Karst" asserts Karst and denies Selm; "1912 or 1927" leaves two open; "possibly Karst" says nothing for
certain; "Marta Lindqvist's brother" is not Marta Lindqvist. Rules over words, no model.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import dropwhile
from operator import not_

from engine.backends.entailment.answers import CARRIERS, abstains, content, words
from engine.backends.entailment.base import states_answer

SHORT = 14
KIN_WORDS = """brother sister half-brother half-sister father mother parents stepfather stepmother son daughter child
    children twin wife husband widow widower spouse fiancee fiance uncle aunt nephew niece cousin grandson granddaughter
    grandfather grandmother brother-in-law sister-in-law son-in-law daughter-in-law father-in-law mother-in-law pupil
    student teacher tutor mentor assistant secretary servant friend rival enemy successor predecessor partner lover
    girlfriend boyfriend lawyer manager agent doctor biographer neighbour neighbor heir descendant ancestor disciple
    apprentice colleague deputy bodyguard chauffeur translator publisher"""
KIN = "|".join(sorted(map(re.escape, KIN_WORDS.split()), key=len, reverse=True))
OLDER = r"(?:(?:younger|elder|older|eldest|youngest|oldest|only|late|first|second|third|former|own|twin)\s)?"
OWNED = re.compile(
    rf"^(?P<owner>.+?)(?:['’]s?\s|(?<=\bhis)\s|(?<=\bher)\s|(?<=\btheir)\s)(?P<order>{OLDER})(?P<kin>{KIN})s?\b,?(?P<name>.*)$",
    re.IGNORECASE,
)
OWNED_LAST = re.compile(rf"^(?P<owner>.+)['’]s?\s(?P<order>{OLDER})(?P<kin>{KIN})\b(?P<name>)$", re.IGNORECASE)
KIN_OF = re.compile(
    rf"^(?P<name>.*?),?\s{{0,9}}(?:the|an?|one of the)\s+(?P<order>{OLDER})(?P<kin>{KIN})s?\s+of\s+(?P<owner>.+)$",
    re.IGNORECASE,
)
NAMED_OWNED = re.compile(
    rf"^(?P<name>[^,]+),\s(?P<owner>[^,]+?)['’]s?\s(?P<order>{OLDER})(?P<kin>{KIN})\W*$", re.IGNORECASE
)
CARRIED = re.compile(
    r"^\W*(?:(?:the answer|it|that|this|he|she|they)\s(?:is|was|were|'s)\s|it['’]s\s"
    r"|(?:it|he|she)\s(?:was|is)\s\w+ed\sby\s|by\s)",
    re.IGNORECASE,
)
NO_DENIAL = re.compile(
    r"\b(?:no|none) other than\b|\bnot only\b|\b(?:no|without(?: an?y?)?|beyond) doubt\b|\bnot until\b|\bnot before\b"
    r"|\bno (?:later|earlier|less|more|fewer) than\b|\bno\. ?\d|\bnot (?:less|more|fewer|later) than\b"
    r"|\b(?:but |although |though )?(?:it|this|that) (?:has|was|is) (?:not|never) (?:yet )?(?:been )?"
    r"(?:shown|proved|proven|confirmed|established)\b",
    re.IGNORECASE,
)
CLAUSE_ENDS = re.compile(
    r"[.;:!?](?:\s|$)|,\s|\s[–—-]\s|\bbut\b|\byet\b|\bwhile\b|\bwhereas\b|\balthough\b", re.IGNORECASE
)
DENIES = re.compile(
    r"\b(?:not|never|neither|nor|isn['’]t|wasn['’]t|aren['’]t|weren['’]t|didn['’]t|don['’]t|doesn['’]t"
    r"|can['’]t have been|no longer|ruled out|used to be|rather than|instead of|as opposed to|other than|anything but"
    r"|anyone but|in place of|unlike|in contrast to|compared (?:with|to)|not to be confused with|contrary to"
    r"|took over from|taking over from|\w+er than(?= [A-Z])|myth that|untrue that|false that)\b",
    re.IGNORECASE,
)
UNDOES = re.compile(
    r"\b(?:is|are|was|were|would be)\s(?:\w+\s)?(?:wrong|incorrect|false|untrue|mistaken|a mistake|a myth|an error)\b"
    r"|\b(?:refused|declined|withdrew|failed)\b|\bis only (?:a|the|one)\b"
    r"|\b(?:was|were|been) ruled out\b|\bout of the question\b"
    r"|\b(?:almost|nearly|narrowly)\s(?:got|won|became|made|\w+ed)\b",
    re.IGNORECASE,
)
DENIES_IT = re.compile(r"\b(?:but|and|is|was|are|were) not (?:its|the|his|her|their|a|an)\b", re.IGNORECASE)
# "*+" takes a word whole: thirty capitals in a row would else be read in all ways to part them, for hours.
OWNER = re.compile(r"(?:(?:the|an?|his|her|their|my|its)\s)?(?:\w+|(?:[A-ZÀ-Þ0-9][\w.'’-]*+|of|de|van|von|the|\s)+)")
IDLE = frozenset(
    """people often say think thought wrong incorrect false right correct true many some believe sure fairly definitely
    certainly undoubtedly indeed doubt together all each jointly actually really fact only both either himself herself
    myself opinion far quite course certain beyond know remember correctly without there place""".split()
)
SURE = re.compile(
    r"\bI(?:['’]m| am)? (?:(?!not\b)\w+ )?(?:think|believe|sure|certain)\b"
    r"|\b(?:definitely|certainly|undoubtedly|indeed|of course)\b"
    r"|\bno doubt\b|\bwithout (?:an?y? )?doubt\b|\b(?:himself|herself)\b|\bin my opinion\b"
    r"|\bas far as I (?:know|remember|recall|can tell)\b|\bif I (?:remember|recall)\b|\bfrom memory\b",
    re.IGNORECASE,
)
ONLY = re.compile(
    r"\b(?:only|alone|solely|exclusively|nobody else|nothing else|no one else|on (?:his|her|its|their) own"
    r"|by (?:him|her|it)self|by themselves)\b",
    re.IGNORECASE,
)
STOPS = frozenset("she he it they we i you and found is was were are did does who which that as".split())
HEDGES = re.compile(
    r"\b(?:may|might|could)\s(?:\w+\s)?(?:have|be)\b|\b(?:possibly|perhaps|maybe|allegedly|purportedly|supposedly"
    r"|conceivably)\b|\b(?:unclear|uncertain|disputed|debated|unknown|open question)\b.*\b(?:whether|if)\b|\bwhether\b"
    r"|\bsuspect(?:ed|s)?\b|\brumou?rs?\b|\brumou?red\b|\bnothing is (?:proven|certain|signed)\b"
    r"|\bun(?:confirmed|verified|proven)\b|\bspeculat\w+"
    r"|\b(?:not|cannot|can['’]t) (?:be )?rule[d]? out\b|\bis expected to\b|\bone (?:theory|possibility)\b"
    r"|\bnobody knows\b|\bno one knows\b|\bhas been suggested\b|\bnot proven\b|\bpossible (?:\w+s) are\b"
    r"|\bone of (?:several|the) poss\w+|\b(?:has|was|is) (?:not|never) (?:yet )?(?:been )?"
    r"(?:shown|proved|proven|confirmed|established)\b",
    re.IGNORECASE,
)
TWO_OPEN = re.compile(r"^(?:either\s)?(?P<one>.+?)\sor\s(?:else\s|maybe\s|perhaps\s)?(?P<other>.+?)$", re.IGNORECASE)
SAYS = r"(?:say|think|believe|claim|argue|hold)(?: that)?(?: it (?:is|was))?"
TWO_CAMPS = re.compile(
    rf"^some(?: \w+)? {SAYS}\s(?P<one>.+?),?\s(?:and |but |while )?others (?:{SAYS}\s)?(?P<other>.+?)$", re.IGNORECASE
)
PASSIVE = re.compile(r"\b(?:is|are|was|were|been|be)\s(?:\w+\s)?\w+\sby\b", re.IGNORECASE)
JOINED = re.compile(
    r",\s*and\s|\sand also\s|\sas well as\s|\stogether with\s|\salong with\s|\sand\s|\s&\s|,\s|;\s", re.IGNORECASE
)
TITLES = frozenset(
    """mr mrs ms miss dr sir dame lord lady professor prof captain president king queen saint st madame tsar emperor
    empress prince princess duke count baron general colonel major lieutenant admiral bishop archbishop judge justice
    senator governor reverend rev coach pope maestro""".split()
)
# Titles before a surname; behind "Queen" and "Saint" a first name stands.
TITLED = re.compile(
    r"^(?:mr|mrs|ms|miss|dr|prof|professor|captain|president|general|colonel|major|lieutenant|admiral|judge|justice"
    r"|senator|governor|coach|maestro)\.?\s(?P<name>[A-ZÀ-Þ][\w'’-]+)$",
    re.IGNORECASE,
)
PREPOSITIONS = frozenset("from to for with into onto under over against".split())
JUNIOR = frozenset("jr junior sr senior younger elder".split())
ROMAN = frozenset("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi".split())
LONGEST_ITEM, LONGEST_OWNER, LONGEST_OPEN = 4, 4, 9
Words = frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What a short answer asserts and denies, in content words, and whether it hedges.

    ``open`` are the things of which it says that one is right, ``items`` those of a list. ``kin`` is a relation with
    its order word, ``owner`` whose it is and ``kin_name`` the relative's name. ``name`` are the words of the only
    person's name in order, ``whole_name`` whether there is nothing else, ``titled`` the surname behind a title.
    ``only``, ``sure`` and ``when`` say that such a word stands there; ``said`` are the stems in order, ``capitals``
    those with a capital letter.
    """

    asserted: Words
    denied: Words
    subject_denied: bool = False
    hedged: bool = False
    open: tuple[Words, ...] = ()
    items: tuple[Words, ...] = ()
    kin: str = ""
    owner: Words = frozenset()
    kin_name: Words = frozenset()
    name: tuple[str, ...] = ()
    whole_name: bool = False
    titled: str = ""
    only: bool = False
    sure: bool = False
    when: str = ""
    said: tuple[str, ...] = ()
    phrases: tuple[tuple[str, str], ...] = ()
    passive: bool = False
    capitals: Words = frozenset()


@lru_cache(maxsize=8192)
def read_wording(text: str, question: tuple[str, ...]) -> Wording:
    """Return what an answer's wording does; of a long one only what it asserts as a whole."""
    found = words(text)
    if len(found) > SHORT:
        return Wording(asserted=bearing(text, question), denied=frozenset())
    if abstains(text) or not states_answer(text):
        return Wording(asserted=bearing(text, question), denied=frozenset(), hedged=SURE.search(text) is None)
    bare = CARRIED.sub("", text.strip()).rstrip(" .!")
    asserted, denied, subject = stances(text, question)
    kin = kin_of(bare, question)
    return Wording(
        asserted=asserted or month_of_may(bare),
        denied=denied,
        subject_denied=subject and DENIES_IT.search(text) is not None,
        hedged=HEDGES.search(text) is not None,
        open=left_open(bare, question),
        items=() if denied else listed(bare, question),
        kin=f"{kin['order'].strip()} {kin['kin']}".strip().casefold() if kin else "",
        owner=frozenset(words(kin["owner"])) - CARRIERS if kin else frozenset(),
        kin_name=bearing(kin["name"], question) if kin else frozenset(),
        name=person(text),
        whole_name=bool(person(text)) and len(person(text)) == len(plain_parts(bare)),
        titled=titled["name"].casefold() if (titled := TITLED.match(bare)) else "",
        only=ONLY.search(text) is not None,
        sure=SURE.search(text) is not None or NO_DENIAL.search(text) is not None,
        when=next(iter(re.findall(r"\b(before|after|during)\b", text.casefold())), ""),
        said=tuple(stem for stem in map(stem_of, found) if stem not in CARRIERS),
        phrases=phrases_of(found),
        passive=PASSIVE.search(text) is not None,
        capitals=frozenset(stem_of(part.casefold()) for part in re.findall(r"\b[A-ZÀ-Þ]\w*", text)),
    )


def bearing(text: str, question: tuple[str, ...]) -> Words:
    """Return the words of a text that carry an answer; none where it says nothing of its own."""
    found = words(text)
    kept = content(found, question)
    return frozenset(kept) if set(kept) - CARRIERS else frozenset()


def stances(text: str, question: tuple[str, ...]) -> tuple[Words, Words, bool]:
    """Return the content words that clauses assert and deny, and whether the question's own words are denied."""
    asserted: set[str] = set()
    denied: set[str] = set()
    subject = False
    last: Words = frozenset()
    for clause in filter(str.strip, CLAUSE_ENDS.split(NO_DENIAL.sub(" ", text))):
        if UNDOES.search(clause):
            denied |= carried(UNDOES.sub(" ", clause), question) or last
            asserted -= denied
            continue
        last, off, of_question = sides(clause, question)
        asserted |= last
        denied |= off
        subject |= of_question
    return frozenset(asserted), frozenset(denied), subject


def sides(clause: str, question: tuple[str, ...]) -> tuple[Words, Words, bool]:
    """Return what one clause asserts and denies; a denial reaches to the next one, or to a pronoun or verb."""
    cues = [cue for cue in DENIES.finditer(clause) if not (set(words(cue.group())) & set(question)) - CARRIERS]
    asserted = set(carried(clause[: cues[0].start()] if cues else clause, question))
    denied: set[str] = set()
    of_question = False
    for cue, end in zip(cues, (*(later.start() for later in cues[1:]), len(clause))[: len(cues)], strict=True):
        behind = clause[cue.end() : end]
        off = reach(behind)
        denied |= carried(off, question)
        asserted |= carried(behind[len(off) :], question)
        of_question |= not carried(off, question) and bool(set(words(off)) & set(question) - CARRIERS)
    return frozenset(asserted), frozenset(denied), of_question


def carried(text: str, question: tuple[str, ...]) -> Words:
    """Return the content words of a part of an answer, without the question's and without idle ones."""
    return frozenset(bearing(text, question)) - CARRIERS - IDLE - frozenset(question)


def reach(behind: str) -> str:
    """Return how far a denial reaches: to a pronoun or verb that begins something new.

    >>> reach(" the viola she plays the oboe")
    ' the viola '
    """
    for found in re.finditer(r"\w+", behind):
        if found.start() > 1 and found.group().casefold() in STOPS and behind[: found.start()].strip():
            return behind[: found.start()]
    return behind


def left_open(text: str, question: tuple[str, ...]) -> tuple[Words, ...]:
    """Return two things of which one is meant; "the puma, or cougar" is one thing by two names."""
    found = TWO_CAMPS.match(text) or TWO_OPEN.match(text)
    if not found or found["one"].rstrip().endswith(",") or len(text.split()) > LONGEST_OPEN:
        return ()
    other = re.split(r",|;|\s\(", found["other"])[0]
    options = tuple(option_of(part, question) for part in (found["one"], other))
    return options if all(0 < len(option) <= LONGEST_ITEM for option in options) and options[0] != options[1] else ()


def option_of(part: str, question: tuple[str, ...]) -> Words:
    """Return the content words of one of two things; May is a month where it stands alone.

    >>> sorted(option_of("May", ())), sorted(option_of("in early May", ())), sorted(option_of("it may", ()))
    (['may'], ['early', 'may'], [])
    """
    return (bearing(part, question) - CARRIERS - {"either"}) | month_of_may(part)


def month_of_may(text: str) -> Words:
    """Return the word of a month that is a small word too, where a text ends with it."""
    return frozenset({"may"} if re.search(r"\bMay\W*$", text) else ())


def listed(text: str, question: tuple[str, ...]) -> tuple[Words, ...]:
    """Return the items of a list of short things, () where there is none: a comma alone is detail, no list."""
    if not re.search(r"\band\b|&|\bas well as\b", text) and text.count(",") < 2:
        return ()
    parts = [part for part in JOINED.split(text) if carried(part, ())]
    fitting = len(parts) > 1 and all(is_item(part, question, place == 0) for place, part in enumerate(parts))
    return tuple(carried(part, ()) for part in parts) if fitting else ()


def is_item(part: str, question: tuple[str, ...], first: bool) -> bool:
    """Return whether a part of a text is a short thing: a name, or at most two words without a capital letter."""
    tokens = [token for token in re.findall(r"[^\W_][\w'’.-]*", part) if carried(token, question)]
    named = [token[0].isupper() or token[0].isdigit() for token in tokens]
    if first and named[:1] == [True] and len(named) > 1 and not all(named):
        named = named[1:]
    if first and opens_with_pronoun(part):
        named = list(dropwhile(not_, named)) or named
    return len(tokens) <= LONGEST_ITEM and (all(named) or (len(tokens) <= 2 and not any(named)))


def opens_with_pronoun(part: str) -> bool:
    """Return whether a part of a text begins a sentence about what was asked: "It visited Skye".

    >>> opens_with_pronoun("They visited Skye"), opens_with_pronoun("Italy")
    (True, False)
    """
    return part.split(maxsplit=1)[0].casefold() in {"it", "he", "she", "they", "we", "i"}


def kin_of(text: str, question: tuple[str, ...]) -> re.Match[str] | None:
    """Return the match of a relative: whose, which relation, and the name where it has one.

    None where the question itself asks for that relation, and where a sentence stands before it.
    """
    text = re.sub(rf"({KIN})['’]s?$", r"\1", text, flags=re.IGNORECASE)
    found = NAMED_OWNED.match(text) or KIN_OF.match(text) or OWNED_LAST.match(text) or OWNED.match(text)
    if found is None or re.match(r"['’]", found["name"]) or found["kin"].casefold() in question:
        return None
    owner = re.sub(r"['’]s?\b", "", found["owner"].strip())
    return found if len(owner.split()) <= LONGEST_OWNER and OWNER.fullmatch(owner) else None


def person(text: str) -> tuple[str, ...]:
    """Return the words of the only name of two to five words in a text, titles left out; () for none or several.

    >>> person("It was Dr. Helen Marsh who won"), person("the winner of it")
    (('helen', 'marsh'), ())
    """
    rows: list[list[str]] = [[]]
    parts = plain_parts(text)
    if parts and parts[0].casefold() == "the":
        return ()
    for place, part in enumerate(parts):
        linked = part.casefold() in {"de", "van", "von", "the", *JUNIOR} and rows[-1]
        opening = place == 0 and part.casefold() in CARRIERS
        if (
            (re.match(r"[A-ZÀ-Þ]", part) and not opening)
            or (linked and place + 1 < len(parts))
            or part.casefold() in JUNIOR
        ):
            rows[-1].append(part)
        elif rows[-1]:
            rows.append([])
    named = [row for row in rows if len(row) > 1 and row[-1].casefold() != "the"]
    if len(named) != 1 or len(named[0]) > 5 or re.search(r"[,\"“]|['’]s?\s", text):
        return ()
    return tuple(re.sub(r"\W", "", part).casefold() for part in named[0])


def plain_parts(text: str) -> list[str]:
    """Return the words of a text as written, without titles."""
    return [part for part in re.findall(r"[^\s,;:!?]+|[:;]", text) if part.casefold().strip(".") not in TITLES]


def phrases_of(found: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the word that carries each phrase, by its preposition.

    >>> phrases_of(("from", "the", "lake", "to", "the", "sea"))
    (('from', 'lake'), ('to', 'sea'))
    """
    behind = (
        (word, next((w for w in found[place + 1 :] if w not in CARRIERS), "")) for place, word in enumerate(found)
    )
    return tuple((word, carried) for word, carried in behind if word in PREPOSITIONS and carried)


def stem_of(word: str) -> str:
    """Return a word without the endings that voice and number add.

    >>> stem_of("beaten"), stem_of("conquered"), stem_of("1912")
    ('beat', 'conquer', '1912')
    """
    return re.sub(r"(?:en|ed|es|s|d|e)$", "", word) if len(word) > 4 and word.isalpha() else word
