"""Facts that an encyclopaedia's first sentences state, by patterns: when somebody was born, who made what.

Each passage gives at most one value a kind, the first that stands there. The patterns are strict, since a wrong fact
teaches a wrong answer: what they do not match is not taken. Used for questions made from passages
(``training.made_hops``).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.core.records import Passage

# The beginning of a passage describes its subject; further on the same patterns meet others.
MOST_CHARACTERS, LEAST_WORDS = 420, 8
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
DATE = rf"(?:\d{{1,2}} (?:{MONTHS}) \d{{4}}|(?:{MONTHS}) \d{{1,2}}, \d{{4}})"
NAME = r"(?:[A-Z][\w.'’-]*)(?: (?:(?:de|von|van|der|al|bin|of|the) ){0,2}[A-Z][\w.'’-]*){0,3}"
PERSON = r"[A-Z][\w.'’-]+(?: (?:(?:de|von|van|der) )?[A-Z][\w.'’-]*){1,3}"
SCHOOL = r"(?:[A-Z][\w'’-]+ ){1,4}(?:University|College|School|Academy)|University of [A-Z]\w+"
PLACE = r"[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2}(?:, [A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?)?"
COUNTRIES = dict(
    pair.split("=")
    for pair in (
        "American=the United States,British=the United Kingdom,English=England,Scottish=Scotland,Welsh=Wales,"
        "Irish=Ireland,French=France,German=Germany,Italian=Italy,Spanish=Spain,Portuguese=Portugal,Dutch=the "
        "Netherlands,Belgian=Belgium,Swiss=Switzerland,Austrian=Austria,Swedish=Sweden,Norwegian=Norway,Danish=Denmark,"
        "Finnish=Finland,Polish=Poland,Czech=the Czech Republic,Hungarian=Hungary,Romanian=Romania,Bulgarian=Bulgaria,"
        "Greek=Greece,Turkish=Turkey,Russian=Russia,Soviet=the Soviet Union,Ukrainian=Ukraine,Serbian=Serbia,"
        "Croatian=Croatia,Indian=India,Pakistani=Pakistan,Chinese=China,Japanese=Japan,Korean=Korea,"
        "Filipino=the Philippines,Indonesian=Indonesia,Thai=Thailand,Iranian=Iran,Israeli=Israel,Egyptian=Egypt,"
        "Nigerian=Nigeria,Australian=Australia,Canadian=Canada,Mexican=Mexico,Brazilian=Brazil,Argentine=Argentina,"
        "Chilean=Chile,Cuban=Cuba,Icelandic=Iceland,Malaysian=Malaysia,Kenyan=Kenya,Jamaican=Jamaica"
    ).split(",")
)
DEMONYM = "|".join(COUNTRIES)
TRADES = (
    "actor,actress,politician,singer,songwriter,film director,director,film producer,producer,screenwriter,writer,"
    "novelist,poet,footballer,cricketer,composer,musician,guitarist,rapper,painter,sculptor,architect,engineer,lawyer,"
    "judge,physicist,chemist,mathematician,historian,journalist,comedian,model,photographer,dancer,cinematographer,"
    "businessman,entrepreneur,basketball player,baseball player,tennis player,ice hockey player,boxer,wrestler,"
    "cyclist,swimmer,army officer,diplomat,economist,philosopher,theologian,bishop,priest,scientist,astronomer,"
    "botanist,zoologist,record producer,playwright,filmmaker,editor,pianist,violinist,conductor,nobleman"
).split(",")
TRADE = "|".join(sorted(TRADES, key=len, reverse=True))
THINGS = {
    "film": r"(?:film|movie)(?! (?:director|producer|editor|act|critic|composer|maker|studio|company|and|series))",
    "album": r"album",
    "song": r"(?:song|single)",
    "novel": r"(?:novel|book)",
    "television series": r"(?:television series|TV series|sitcom|soap opera)",
    "magazine": r"magazine",
    "band": r"(?:band|group|duo)",
    "company": r"(?:company|corporation|label|brand|manufacturer)",
    "school": r"(?:school|university|college)",
    "town": r"(?:town|city|village|hamlet|municipality|suburb)",
    "river": r"(?:river|tributary)",
    "county": r"(?:county|district|province)",
    "island": r"island",
    "newspaper": r"newspaper",
    "club": r"(?:club|team)",
    "party": r"(?:political )?party",
    "play": r"(?:play|opera|musical)",
    "video game": r"(?:video game|game)",
    "battle": r"battle",
    "organization": r"(?:organization|organisation|association|agency|institute)",
    "building": r"(?:building|church|castle|museum|stadium|bridge)",
}
MAKERS = {
    "director": r"directed",
    "writer": r"written",
    "producer": r"produced",
    "composer": r"composed",
    "creator": r"created",
    "founder": r"founded",
    "publisher": r"published",
    "developer": r"developed",
    "designer": r"designed",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """What a passage says of what it is about: ``kind`` is "person", a word of ``THINGS`` or "", ``facts`` by name."""

    name: str
    passage: Passage
    kind: str
    facts: dict[str, str] = field(default_factory=dict)


def tidy(text: str) -> str:
    """Return a text with usual spaces around brackets, hyphens and quotation marks.

    >>> tidy("Ann Lee( born 1950) is a producer. She made\\" Clocks\\" .")
    'Ann Lee (born 1950) is a producer. She made "Clocks".'
    """
    plain = " ".join(text.split())
    plain = re.sub(r"\s*\(\s*", " (", plain)
    plain = re.sub(r"\s+([,.;:)!?’'](?!\w)|[’']s\b)", r"\1", plain)
    plain = re.sub(r"(\w)- (\w)", r"\1-\2", plain)
    plain = re.sub(r'\s*"\s*([^"]+?)\s*"', r' "\1"', plain)
    return plain.strip()


def named(title: str) -> str:
    """Return a title without what tells it from others.

    >>> named("Nancy Drew (2019 TV series)")
    'Nancy Drew'
    """
    return re.sub(r"\s*\([^()]*\)$", "", title).strip()


def page_facts(passage: Passage) -> PageFacts:
    """Return what can be told from a passage; ``kind`` is "" where nothing can."""
    text = tidy(passage.text)
    shown = Passage(text=text, title=passage.title, document_id=passage.document_id, end=len(text))
    start = text[:MOST_CHARACTERS]
    person = person_facts(start)
    kind = "person" if {"born", "birthplace", "trade"} & set(person) else thing_kind(start)
    facts = person if kind == "person" else thing_facts(start) if kind else {}
    return PageFacts(name=named(passage.title), passage=shown, kind=kind, facts=facts)


def found(pattern: str, text: str) -> str:
    """Return the first group of a pattern's first match, without a closing stop; "" where there is none."""
    match = re.search(pattern, text)
    return match[1].strip().rstrip(".,") if match else ""


def person_facts(text: str) -> dict[str, str]:
    """Return what a person's first sentences say.

    >>> person_facts("Ann Lee (born 3 May 1950) is an English film director. She was born in Rome.")
    {'born': '3 May 1950', 'birthplace': 'Rome', 'nationality': 'English', 'trade': 'film director'}
    """
    lived = re.search(rf"\(([^()]*?)({DATE})[^()]*?[–-]\s?[^()]*?({DATE})[^()]*?\)", text)
    made = {
        "born": lived[2] if lived else found(rf"\bborn (?:on )?({DATE})", text),
        "died": lived[3] if lived else "",
        "birthplace": found(rf"\bborn (?:on {DATE} |{DATE} )?in ({PLACE})(?=[,.;)]| to | and )", text),
        "nationality": found(rf"\b(?:is|was) an? (?:[a-z]+ )?({DEMONYM})\b", text),
        "trade": found(rf"\b(?:is|was) an? (?:[a-z]+ )?(?:{DEMONYM}) (?:[a-z]+ )??({TRADE})\b", text),
        "parent": found(rf"\b(?:son|daughter) of (?:[A-Z][a-z]+ )??({PERSON})(?=[,.;]| and )", text),
        "spouse": found(rf"\bmarried (?:to )?({PERSON})(?=[,.;]| in | and )", text),
        "school": found(
            rf"\b(?:graduated from|studied at|educated at|attended) (?:the )?({SCHOOL})(?=[,.;]| in | and | before )",
            text,
        ),
    }
    return {key: value for key, value in made.items() if value}


def thing_kind(text: str) -> str:
    """Return what the first sentence says that its subject is, "" where it says none of the kinds.

    >>> thing_kind("Jhoothi is a 1985 Hindi comedy film directed by Ann Lee.")
    'film'
    """
    sentence = text.split(". ")[0]
    for kind, words in THINGS.items():
        if re.search(rf"\b(?:is|was|are|were) (?:an?|the) (?:[\w'-]+ ){{0,6}}?{words}\b", sentence):
            return kind
    return ""


def thing_facts(text: str) -> dict[str, str]:
    """Return what the first sentences of a film, album, band, company or place say.

    >>> thing_facts("Jhoothi is a 1985 Indian film directed by Hrishikesh Mukherjee.")
    {'year': '1985', 'director': 'Hrishikesh Mukherjee', 'country': 'Indian'}
    """
    made = {
        "year": found(r"\b(?:is|was) an? (\d{4}) ", text) or found(r"\breleased (?:in|on)[\w ,]{0,20}(\d{4})", text)
    }
    for maker, verb in MAKERS.items():
        made[maker] = found(rf"\b{verb} by ({PERSON})(?=[,.;]| and | in | starring | with | about |$)", text)
    made |= {
        "performer": found(
            rf"\b(?:album|song|single) (?:recorded |performed )?by (?:[a-z-]+ )*(?:{DEMONYM})?"
            rf"(?: [a-z-]+)* ?({NAME})(?=[,.;]| and | from | featuring )",
            text,
        ),
        "country": found(rf"\b(?:is|was) an? (?:\d{{4}} )?(?:[a-z]+ )?({DEMONYM})\b", text),
        "founded": found(r"\b(?:formed|founded|established|launched) (?:in|on)[\w ,]{0,14}?(\d{4})", text),
        "place": found(rf"\b(?:located|headquartered|based|situated) in ({PLACE})(?=[,.;]| and )", text)
        or found(rf"\b(?:town|city|village|hamlet|suburb|school|university|college) in ({PLACE})(?=[,.;])", text),
    }
    return {key: value for key, value in made.items() if value}


def pages_of(passages: Sequence[Passage]) -> tuple[PageFacts, ...]:
    """Return the pages with a sentence or more, one a name; the one of which most can be told."""
    pages: dict[str, PageFacts] = {}
    for passage in passages:
        page = page_facts(passage)
        other = pages.get(page.name)
        if len(page.passage.text.split()) >= LEAST_WORDS and (other is None or len(page.facts) > len(other.facts)):
            pages[page.name] = page
    return tuple(pages.values())
