"""Does an answer match a correct answer: exact match, token F1 and containment.

Normalisation is that of SQuAD as DRAGIN, ETC and QuCo-RAG release it: lower case, ASCII punctuation deleted
(not replaced: "twenty-one" becomes "twentyone"), the articles a, an, the removed, spaces collapsed. Scores
are the best over the golds, which are aliases of one answer.
"""

import re
import string
from collections import Counter
from collections.abc import Sequence

WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)
ARTICLES = re.compile(r"\b(a|an|the)\b")
# Answers that share no credit with a longer text that happens to hold the word.
CLOSED_ANSWERS = frozenset({"yes", "no", "noanswer"})


def normalise(text: str) -> str:
    """Returns ``text`` in lower case without ASCII punctuation, articles and extra spaces; may be empty.

    >>> normalise("  The U.S. of  A!")
    'us of'
    """
    return " ".join(ARTICLES.sub(" ", text.lower().translate(WITHOUT_PUNCTUATION)).split())


def exact_match(prediction: str, golds: Sequence[str]) -> bool:
    """Returns whether the normalised prediction equals a normalised correct answer.

    ``golds`` are the accepted answers, at least one (a bare string is one gold).
    Raises ValueError on no golds: without a reference nothing is right or wrong.

    >>> exact_match("The Beatles!", ["beatles", "Fab Four"])
    True
    """
    return normalise(prediction) in {normalise(gold) for gold in _golds(golds)}


def token_f1(prediction: str, golds: Sequence[str]) -> float:
    """Returns the F1 of shared normalised tokens (as multisets) with the best correct answer.

    ``golds`` as in ``exact_match`` -> float in [0, 1], higher = better. 0 if either side is yes, no or
    noanswer and they differ, and 0 if a side has no tokens, even if both have none.
    Raises ValueError on no golds.

    >>> round(token_f1("New York City", ["New York"]), 6)
    0.8
    """
    return max(_f1(normalise(prediction), normalise(gold)) for gold in _golds(golds))


def contains(prediction: str, golds: Sequence[str]) -> bool:
    """Returns whether the tokens of a correct answer occur in the prediction, together and in order.

    Both normalised; ``golds`` as in ``exact_match``. Whole tokens count ("art" is not in "party"), and a gold
    that normalises to nothing is never contained. SUGAR's "accuracy". Raises ValueError on no golds.

    >>> contains("It was written by William Shakespeare.", ["Shakespeare"])
    True
    >>> contains("a party", ["art"])
    False
    """
    tokens = f" {normalise(prediction)} "
    return any(gold and f" {gold} " in tokens for gold in map(normalise, _golds(golds)))


def rouge_l(prediction: str, golds: Sequence[str]) -> float:
    """Returns the F1 of the longest common subsequence of normalised tokens with the best correct answer (ROUGE-L).

    ``golds`` as in ``exact_match`` -> float in [0, 1], higher = better; 0 if a side has no tokens. Lin 2004 with
    equal weight on precision and recall; unlike the released program, words are not stemmed.
    Raises ValueError on no golds.

    >>> round(rouge_l("the city of New York", ["New York City"]), 6)
    0.571429
    """
    words = normalise(prediction).split()
    return max(_subsequence_f1(words, normalise(gold).split()) for gold in _golds(golds))


def _subsequence_f1(one: Sequence[str], other: Sequence[str]) -> float:
    """Returns twice the length of the longest common subsequence over both lengths, in [0, 1].

    >>> _subsequence_f1(["a", "b", "c"], ["a", "c"]), _subsequence_f1([], [])
    (0.8, 0.0)
    """
    lengths = [0] * (len(other) + 1)
    for word in one:
        before = 0
        for place, wanted in enumerate(other, 1):
            kept = lengths[place]
            lengths[place] = before + 1 if word == wanted else max(lengths[place], lengths[place - 1])
            before = kept
    return 2 * lengths[-1] / (len(one) + len(other)) if lengths[-1] else 0.0


def _f1(prediction: str, gold: str) -> float:
    """Returns the token F1 of two normalised texts, in [0, 1].

    >>> _f1("yes", "no"), _f1("paris france", "france paris")
    (0.0, 1.0)
    """
    if prediction != gold and not CLOSED_ANSWERS.isdisjoint({prediction, gold}):
        return 0.0
    predicted, wanted = Counter(prediction.split()), Counter(gold.split())
    shared = (predicted & wanted).total()
    return 2 * shared / (predicted.total() + wanted.total()) if shared else 0.0


def _golds(golds: Sequence[str]) -> Sequence[str]:
    """Returns the correct answers as a sequence; raises ValueError when there are none.

    >>> _golds("Paris")
    ['Paris']
    """
    accepted = [golds] if isinstance(golds, str) else golds
    if len(accepted) == 0:
        raise ValueError("at least one correct answer is needed to judge an answer, got 0")
    return accepted
