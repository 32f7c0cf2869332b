"""Whether a text is written in another language than English, by its commonest words alone.

The rules that reword a sentence know English only; of a German one they make "It is Der who erste Nobelpreis …".
"""

import re

# What other languages share with English ("in", "an", "was", "is", "as", "for", "at", "of") tells nothing.
ENGLISH = frozenset(
    "the and are were with by from that which who his her its has had have been to it he she they or but not this "
    "these their".split()
)
OTHERS = frozenset(
    "der die das den dem des und ist sind war ein eine einen eines einer wurde für mit von zu im auf nicht sich seine "
    "ihre el los las del que es un una por para con se lo le les est et dans du au pour qui il gli della che di è per "
    "os em não uma ao são pela pelo dos het een van zijn werd dat niet met op och är som att på og er av til".split()
)
# "Le foto proibite di una signora is a film": the title is foreign, the sentence is not.
STATED = re.compile(r"\b(?:is|was|are|were)\s+(?:a|an|the|born)\b", re.IGNORECASE)
WORDS = re.compile(r"[^\W\d_]+")
LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
LEAST, MORE = 2, 2


def is_other_language(text: str) -> bool:
    """Returns whether a text is surely not English: another script, or far more common words of other languages.

    At least two of these, and more than twice as many as English ones. A text that has neither counts as English.

    >>> is_other_language("Der erste Nobelpreis für Physik ging 1901 an Wilhelm Conrad Röntgen.")
    True
    >>> is_other_language("Ludwig van Beethoven died in Vienna."), is_other_language("Selm, 1901")
    (False, False)
    >>> is_other_language("『種の起源』は1859年に出版した本である。")
    True
    """
    letters = [letter for letter in text if letter.isalpha()]
    if letters and 2 * sum(bool(LATIN.match(letter)) for letter in letters) < len(letters):
        return True
    words = WORDS.findall(text.casefold())
    english, others = sum(word in ENGLISH for word in words), sum(word in OTHERS for word in words)
    return others >= LEAST and others > MORE * english and STATED.search(text) is None
