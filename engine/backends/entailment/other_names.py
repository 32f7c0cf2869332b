"""Short answers that give a thing another name, name a family, or a place beside the one asked for. Rules, no model.

"The Tin Drum, or Die Blechtrommel in German" says either name; "the Wright brothers" are Wilbur and Orville Wright;
"near Berlin" is not in Berlin, nor must it be elsewhere.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from engine.backends.entailment.answers import CARRIERS, content, words

Words = tuple[str, ...]
LONGEST, LONGEST_TEXT = 16, 320
KNOWN = r"(?:also|better|otherwise|formerly|originally|commonly|popularly|sometimes) (?:known as|called|named)"
ALSO = re.compile(
    rf"^(?P<one>[^,;()]+?)(?:,? {KNOWN}|,? a\.?k\.?a\.?|, (?:or|known as|called|real name)|,? (?:born|née)) "
    r"(?P<other>[^,;()]+)$"
    rf"|^(?P<name>[^,;()]+?) \((?:{KNOWN} |also |born |née |a\.?k\.?a\.? |or |known as )(?P<short>[^,;()\d]+)\)$"
    r"|^(?P<long>[^,;()]+?) \((?P<signs>(?-i:[A-Z][A-Za-z]{0,4}[+]?))\)$",
    re.IGNORECASE,
)
# "John, or Jane" leaves two open; "a puma, or cougar" is one by two names.
TWO_PEOPLE = re.compile(r", or (?:the )?[A-ZÀ-Þ]")
IN_LANGUAGE = re.compile(r"\s(?:in|as it is called in) [A-ZÀ-Þ]\w+$")
FAMILY = re.compile(
    r"^(?:[Tt]he )?(?:(?P<before>[A-ZÀ-Þ][\w'’-]+) "
    r"(?:[Bb]rothers|[Ss]isters|[Tt]wins|[Ss]iblings|Bros\.?|family|couple)"
    r"|(?:[Bb]rothers|[Ss]isters) (?P<behind>[A-ZÀ-Þ][\w'’-]+))\W*$|^[Tt]he (?P<plural>[A-ZÀ-Þ][\w'’-]+)s\W*$"
)
BETWEEN_NAMES = re.compile(r",\s*(?:and|&)\s|\s(?:and|&)\s|,\s")
NAME = re.compile(r"[A-ZÀ-Þ][\w'’.-]*(?: [A-ZÀ-Þ][\w'’.-]*){0,3}")
NEAR = re.compile(
    r"^\W*(?:(?:in|it is|it was|somewhere|just|right|very|\w+ (?:miles|kilometres|kilometers|km) |a few miles)\s+)*"
    r"(?:near|nearby|outside|close to|next to|not far from|(?:north|south|east|west|north-?east|north-?west|south-?east"
    r"|south-?west) of|(?:an? (?:\w+ )?|the )(?:suburb|suburbs|outskirts|neighbourhood|vicinity) of|off|opposite"
    r"|across from)\s+"
    r"(?P<place>(?:the )?[A-ZÀ-Þ][\w'’.-]*(?: [A-ZÀ-Þ][\w'’.-]*){0,3})\W*$"
)
PART = re.compile(
    r"^\W*(?:in )?(?:the )?(?:[Nn]orth|[Ss]outh|[Ee]ast|[Ww]est|[Cc]entral|[Uu]pper|[Ll]ower|[Ii]nner|[Oo]uter"
    r"|[Nn]orthern|[Ss]outhern|[Ee]astern|[Ww]estern)(?:-?(?:east|west)(?:ern)?)? (?P<whole>[A-ZÀ-Þ][\w'’-]+)\W*$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """How a short answer names what it is, each name as the words that carry it, () or "" where it does not.

    ``said`` is all it says, ``names`` two names of one thing, ``family`` a surname for several people, ``people`` the
    names of a list of people, ``beside`` the place it is near, ``whole`` the place of which it is a part.
    """

    said: Words
    names: tuple[Words, ...] = ()
    family: Words = ()
    people: tuple[Words, ...] = ()
    beside: Words = ()
    whole: Words = ()


def by_other_names(premise: str, hypothesis: str) -> str:
    """Return "same", "said", "part", "open" or "" for two short answers.

    >>> group = "the Wright brothers"
    >>> by_other_names(group, "Wilbur and Orville Wright"), by_other_names("Wilbur Wright", "the Wrights")
    ('same', 'part')
    >>> by_other_names("The Nose, or Nos in Russian", "The Nose"), by_other_names("near Bonn", "Bonn")
    ('said', 'open')
    >>> by_other_names("Berlin", "East Berlin"), by_other_names("East Berlin", "Berlin")
    ('part', '')
    """
    one, other = read_naming(premise), read_naming(hypothesis)
    if not (one and other and one.said and other.said):
        return ""
    if one.said in other.names or other.said in one.names:
        return "said"
    found = by_family(one, other) or by_family(other, one)
    if found:
        return found
    if (one.beside == other.said) != (other.beside == one.said):
        return "open"
    return "part" if one.said == other.whole else ""


@lru_cache(maxsize=8192)
def read_naming(text: str) -> Naming | None:
    """Return how an answer names what it is, None for a long one.

    >>> read_naming("Mark Twain (born Samuel Clemens)").names, read_naming("Ada (1815)").names
    ((('mark', 'twain'), ('samuel', 'clemens')), ())
    >>> read_naming("John, or Jane").names, read_naming("John (not Jane)").names, read_naming("copper (Cu)").names
    ((), (), (('copper',), ('cu',)))
    >>> read_naming("just outside London").beside, read_naming("in the north of London").beside
    (('london',), ())
    """
    if len(text) > LONGEST_TEXT or len(text.split()) > LONGEST:
        return None
    also, family = ALSO.match(text.strip(" .")), FAMILY.match(text.strip())
    two = TWO_PEOPLE.search(text) is not None and IN_LANGUAGE.search(text) is None
    near, part = NEAR.match(text), PART.match(text)
    return Naming(
        said=bare(text),
        names=tuple(bare(IN_LANGUAGE.sub("", name)) for name in also.groups() if name) if also and not two else (),
        family=words(next(filter(None, family.groups()))) if family else (),
        people=people_in(text.strip(" .")),
        beside=bare(near["place"]) if near else (),
        whole=bare(part["whole"]) if part else (),
    )


def bare(text: str) -> Words:
    """Return the words of a text that carry it, in order."""
    return tuple(word for word in content(words(text), ()) if word not in CARRIERS)


def people_in(text: str) -> tuple[Words, ...]:
    """Return the names of a list, or the only name; () where anything else stands there.

    >>> people_in("Joel and Ethan Coen"), people_in("Joel and his dog")
    ((('joel',), ('ethan', 'coen')), ())
    """
    names = BETWEEN_NAMES.split(text)
    return tuple(words(name) for name in names) if all(map(NAME.fullmatch, names)) else ()


def by_family(group: Naming, other: Naming) -> str:
    """Return "same" for a family and its members by first name, "part" for one of them, else ""."""
    if not group.family or not other.people or other.people[-1][-1:] != group.family:
        return ""
    if len(other.people) == 1:
        return "part" if len(other.people[0]) > 1 else ""
    return "same" if all(len(name) == 1 or name[-1:] == group.family for name in other.people) else ""
