"""The short word lists that the rules for entities and claims look things up in, all in lower case."""


def listed(words: str) -> frozenset[str]:
    """Return the space-separated words as a set.

    >>> sorted(listed("b a"))
    ['a', 'b']
    """
    return frozenset(words.split())


PARTICLES = listed("de del della der den di da do dos du la le las los van von ter bin ibn al el y e")
CONNECTORS = listed("of the & - – '")
APPROXIMATE = listed(
    "a about above almost an approximately around as at below between by c. ca. circa early exactly from in just late "
    "least less mid more most nearly only or over roughly some than the under up"
)
ERAS = listed("bc ad bce ce b.c. a.d.")
SCALES = listed("celsius fahrenheit kelvin")
# What a possessor may share a name with: "St Mary's Hospital", "the Thirty Years' War".
OWNED_NAMES = listed(
    "abbey cathedral church college court cross cube cup day field hall hospital island law palace park principle "
    "school square theorem war"
)
# Roles and classes: "the film" points back to something named before, and a corpus is full of films.
CLASS_NOUNS = listed(
    "actor actress album animal answer area article artist author band body book building capital case character city "
    "club company composer country creator day director event family father film game group husband inventor island "
    "king lake leader man member mother movie name nation novel number one painter part party passage people person "
    "place play player poem president queen question river scientist series ship show singer sister song state story "
    "team text thing time title town type university version village war way wife winner woman word work world writer "
    "year"
)
# The objects of set phrases: "takes place" names no place.
FILLER_NOUNS = listed("advantage birth care charge control fact form effect order part place rise shape")
