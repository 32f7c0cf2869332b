"""What words alone say of two answers: verdicts where a rule decides, and how many words they share.

In order: equal words entail; opposite yes and no contradict; the question repeated is neutral, and so is an answer that
says nothing but that it has none, to any other; amounts and the wording of short answers decide; a hypothesis whose
content words stand in the premise is entailed (the premise says more); an answer that is denied contradicts; an answer
that there is no answer is neutral to any real one; other numbers contradict. No model.
"""

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from engine.backends.entailment.amounts import by_amounts, read_amount
from engine.backends.entailment.answers import (
    CARRIERS,
    MONTHS,
    NEGATIONS,
    NO,
    YES,
    abstains,
    content,
    is_number,
    words,
)
from engine.backends.entailment.base import states_answer
from engine.backends.entailment.name_forms import by_form_of_names, repeats_what_is_asked
from engine.backends.entailment.other_names import by_other_names
from engine.backends.entailment.synonyms import are_synonyms
from engine.backends.entailment.wording import read_wording, stem_of
from engine.backends.entailment.wording_verdicts import by_hedge, by_wording

Probabilities = tuple[float, float, float]

# Where a rule decides, entailment is about as likely as people called such answers right on the train questions.
SAME: Probabilities = (0.001, 0.001, 0.998)
CONTAINED: Probabilities = (0.01, 0.01, 0.98)
REORDERED: Probabilities = (0.01, 0.02, 0.97)
CONTRADICTED: Probabilities = (0.84, 0.03, 0.13)
UNRELATED: Probabilities = (0.03, 0.84, 0.13)
# People call 2 of 60 answers right that say nothing but that they have none (train questions).
NOT_TOLD: Probabilities = (0.03, 0.92, 0.05)
# People also accept "2012" for "9 September 2012" (0.88), but it does not entail the day: a choice, not a fit.
LESS_DETAILED: Probabilities = (0.1, 0.65, 0.25)
# What wording and amounts decide: people call 5 of 81 answers right whose amounts lie apart (train questions).
OTHERWISE: Probabilities = (0.90, 0.04, 0.06)
BY_WORDING = {
    "same": SAME, "synonyms": REORDERED, "said": CONTAINED, "inside": CONTAINED, "other": OTHERWISE, "apart": OTHERWISE,
    "part": LESS_DETAILED, "open": LESS_DETAILED, "around": LESS_DETAILED, "overlaps": LESS_DETAILED,
}  # fmt: skip
SHORT = 12
OPENER_WORDS = "is are was were do does did has have had can could will would should must may might isnt arent"
QUESTION_OPENERS = frozenset(OPENER_WORDS.split())
PRONOUNS = frozenset("it he she they this that there".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer as the rules see it: the text, its words, those that carry it, and whether it says that it has none."""

    text: str
    words: tuple[str, ...]
    content: tuple[str, ...]
    abstains: bool


def read_answer(text: str, question: tuple[str, ...]) -> Answer:
    """Return an answer as the rules see it, ``question`` being the question's words."""
    found = words(text)
    return Answer(text=text, words=found, content=content(found, question), abstains=abstains(text))


def verdict_by_form(one: tuple[str, ...], other: tuple[str, ...], question: tuple[str, ...]) -> Probabilities | None:
    """Return the verdict on two answers' words where nothing has to be read for it, None where something has.

    Equal words entail, yes and no go by what they are, and the question repeated is no answer, nor is the kind of thing
    that it asks for: "John Carrow" for "Which John Carrow?". Of two choices that it offers one is not the other. Signs
    without a letter or digit say nothing.
    """
    if one == other:
        return SAME
    if not (has_word(one) and has_word(other)):
        return UNRELATED
    stances = stance(one, question), stance(other, question)
    if all(stances):
        return CONTAINED if stances[0] == stances[1] else CONTRADICTED
    if question in (one, other):
        return UNRELATED
    if are_choices(one, other, question):
        return OTHERWISE
    return UNRELATED if any(repeats_what_is_asked(" ".join(said), question) for said in (one, other)) else None


def verdict_on_silence(premise: str, hypothesis: str) -> Probabilities | None:
    """Return the verdict where an answer says nothing but that it has none: two such entail each other.

    >>> verdict_on_silence("I would rather not guess.", "Selm"), verdict_on_silence("Selm. I know no more.", "Selm")
    ((0.03, 0.92, 0.05), None)
    """
    stated = states_answer(premise), states_answer(hypothesis)
    return None if all(stated) else NOT_TOLD if any(stated) else REORDERED


def are_choices(one: tuple[str, ...], other: tuple[str, ...], question: tuple[str, ...]) -> bool:
    """Return whether two answers are the two things between which a question lets choose: "or" alone parts them.

    >>> asked = words("Who is older, Sid Haig or Vic Darchinyan?")
    >>> are_choices(words("Vic Darchinyan"), words("Sid Haig"), asked), are_choices(("sid",), ("haig",), asked)
    (True, False)
    """
    first, second = sorted((place_in(said, question), said) for said in (content(one, ()), content(other, ())))
    between = question[first[0] + len(first[1]) : second[0]]
    return first[0] >= 0 and "or" in between and all(word == "or" or word in CARRIERS for word in between)


def place_in(said: tuple[str, ...], question: tuple[str, ...]) -> int:
    """Return where an answer's words stand in a row in the question, -1 where they do not.

    >>> place_in(("sid", "haig"), ("who", "sid", "haig")), place_in((), ("who",)), place_in(("haig",), ("who",))
    (1, -1, -1)
    """
    starts = (at for at in range(len(question)) if said and question[at : at + len(said)] == said)
    return next(starts, -1)


def verdict_by_wording(premise: str, hypothesis: str, question: tuple[str, ...]) -> Probabilities | None:
    """Return the verdict where amounts or the wording of short answers decide, None where they do not.

    What only one of the two is sure of comes first, then amounts and times as intervals; then denials, things left
    open, kin, names, lists and roles.
    """
    one, other = read_wording(premise, question), read_wording(hypothesis, question)
    amounts = read_amount(premise, question), read_amount(hypothesis, question)
    found = by_hedge(one, other)
    found = found or by_other_names(premise, hypothesis)
    found = found or by_form_of_names(premise, hypothesis, question)
    found = found or (by_amounts(amounts[0], amounts[1]) if amounts[0] and amounts[1] else "")
    found = found or by_wording(one, other)
    return BY_WORDING.get(found or ("synonyms" if are_synonyms(premise, hypothesis, question) else ""))


def decided(premise: str, hypothesis: str, question: tuple[str, ...]) -> Probabilities | None:
    """Return the verdict where nothing has to be read for it: by form, then by wording; None where something has."""
    verdict = verdict_by_form(words(premise), words(hypothesis), question)
    if verdict is None:
        verdict = verdict_on_silence(premise, hypothesis)
    return verdict if verdict is not None else verdict_by_wording(premise, hypothesis, question)


def by_rule(premise: Answer, hypothesis: Answer, question: tuple[str, ...]) -> Probabilities | None:
    """Return the verdict of the first rule that applies, None where none does."""
    verdict = verdict_by_form(premise.words, hypothesis.words, question)
    if verdict is None:
        verdict = verdict_on_silence(premise.text, hypothesis.text)
    if verdict is None:
        verdict = verdict_by_wording(premise.text, hypothesis.text, question)
    if verdict is not None:
        return verdict
    if denied(premise, hypothesis) != denied(hypothesis, premise):
        return CONTRADICTED if set(premise.content) & set(hypothesis.content) else UNRELATED
    if sorted(premise.content) == sorted(hypothesis.content):
        return SAME if any(map(is_number, premise.content)) else REORDERED
    if occurs_in(hypothesis.content, premise):
        return CONTAINED
    if all(any(same_word(said, claimed) for said in premise.words) for claimed in hypothesis.content):
        return REORDERED
    if premise.abstains or hypothesis.abstains:
        return REORDERED if premise.abstains and hypothesis.abstains else UNRELATED
    if other_dates(premise, hypothesis):
        return CONTRADICTED
    return by_numbers(premise, hypothesis)


def other_dates(premise: Answer, hypothesis: Answer) -> bool:
    """Return whether both name months and none in common, or both name years and none in common.

    However much else a long answer says, "on 26 July" is not "on 17 November".
    """
    return any(
        bool(said) and bool(claimed) and said.isdisjoint(claimed)
        for said, claimed in ((months(premise), months(hypothesis)), (years(premise), years(hypothesis)))
    )


def months(answer: Answer) -> frozenset[str]:
    """Return the months an answer names."""
    return frozenset(MONTHS).intersection(answer.words)


def years(answer: Answer) -> frozenset[str]:
    """Return the years an answer names: numbers of four digits from 1000 to 2099."""
    return frozenset(word for word in answer.words if len(word) == 4 and word.isdigit() and "1000" <= word < "2100")


def by_numbers(premise: Answer, hypothesis: Answer) -> Probabilities | None:
    """Return the verdict where the numbers of two answers decide, None where they do not."""
    said = {word for word in premise.content if is_number(word)}
    claimed = {word for word in hypothesis.content if is_number(word)}
    missing = {number for number in claimed if not any(same_word(other, number) for other in said)}
    if not missing or len(premise.words) > SHORT:
        return None
    if said - claimed:
        return CONTRADICTED
    return LESS_DETAILED if said else None


def same_word(said: str, claimed: str) -> bool:
    """Return whether a word says what another claims: itself, or for a year the decade it lies in.

    >>> same_word("1984", "1980s"), same_word("1980s", "1984")
    (True, False)
    """
    return said == claimed or (is_number(claimed) and claimed.endswith("0s") and said[:-1] == claimed[:-2])


def has_word(found: tuple[str, ...]) -> bool:
    """Return whether there is a letter or a digit.

    >>> has_word(("?!",)), has_word(("7",))
    (False, True)
    """
    return any(letter.isalnum() for word in found for letter in word)


def stance(found: tuple[str, ...], question: tuple[str, ...]) -> str:
    """Return "yes" or "no" where an answer begins with one, or says a closed question back as a statement, else ""."""
    closed = bool(question) and question[0] in QUESTION_OPENERS
    if closed or len(found) == 1:
        first = "yes" if found[0] in YES else "no" if found[0] in NO else ""
        return first or (statement(found, question) if closed else "")
    return ""


def statement(found: tuple[str, ...], question: tuple[str, ...]) -> str:
    """Return "yes" or "no" where an answer states or denies what a closed question asks, in its words and order.

    >>> asked = ("is", "the", "lake", "salty")
    >>> statement(("it", "is", "salty"), asked), statement(("the", "lake", "is", "not", "salty"), asked)
    ('yes', 'no')
    >>> statement(("strindberg", "was", "older"), ("was", "ibsen", "older", "than", "strindberg"))
    ''
    >>> statement(("lake", "baikal"), ("is", "lake", "baikal", "salty"))
    ''
    """
    asked = [stem_of(word) for word in question if word not in CARRIERS]
    said = [stem_of(word) for word in found if word not in CARRIERS and word not in NEGATIONS]
    about = found[0] in PRONOUNS or (said[:1] == asked[:1] and not QUESTION_OPENERS.isdisjoint(found))
    left = iter(asked)
    if "or" in question or not said or not about or not all(word in left for word in said):
        return ""
    return "no" if NEGATIONS.intersection(found) else "yes"


def denied(answer: Answer, other: Answer) -> bool:
    """Return whether an answer denies what both speak of: a negation is one of the two words before it.

    "It" is the first word they share, or where they share none the first word that carries the answer.
    """
    about = set(answer.content) & set(other.content) or set(answer.content)
    place = next((place for place, word in enumerate(answer.words) if word in about), 0)
    return not answer.abstains and not NEGATIONS.isdisjoint(answer.words[max(0, place - 2) : place])


def occurs_in(wanted: tuple[str, ...], answer: Answer) -> bool:
    """Return whether the words stand together in an answer, words between them that carry nothing left out."""
    bearing = content(answer.words, ())
    return any(bearing[at : at + len(wanted)] == wanted for at in range(len(bearing) - len(wanted) + 1))


def share(wanted: tuple[str, ...], found: tuple[str, ...]) -> float:
    """Return the share of words that stand in the other answer, spelling variants included; in [0, 1]."""
    return (
        sum(any(similar_spelling(word, other) for other in found) for word in wanted) / len(wanted) if wanted else 0.0
    )


@lru_cache(maxsize=65536)
def similar_spelling(word: str, other: str) -> bool:
    """Return whether two words are one, or spellings of one ("rontgen", "roentgen"); numbers must be equal.

    >>> similar_spelling("rontgen", "roentgen"), similar_spelling("1960", "1961"), similar_spelling("kate", "katy")
    (True, False, False)
    """
    if word == other:
        return True
    if is_number(word) or is_number(other) or word[0] != other[0] or min(len(word), len(other)) < 4:
        return False
    return abs(len(word) - len(other)) <= 2 and SequenceMatcher(None, word, other).ratio() > 0.8
