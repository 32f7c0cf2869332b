"""What a rewrite must keep and change before it may count.

DENSE (section 4.1) perturbs the wording and nothing else. A rewrite passes when its words differ, it is complete, it
keeps every name and number and invents none, keeps nearly all content words and brings hardly any new one, and its
embedding stays close to the original's. These six do not see who did what to whom: of a single sentence, every fact of
the parse is compared as well. And no sentence that holds the answer may stand as it was.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from engine.backends.text.base import ORDINALS, Bracket, Entity, Fact, TextTools, put_together, without_brackets
from engine.core.words import shown
from engine.measures.answer_match import contains

LEAST_CHANGE = 0.02
QUOTED = 300  # characters of a sentence that a check's detail quotes
MOST_LOST, MOST_NEW = 0.2, 0.2
LOOP_WORDS, LOOP_TIMES = 4, 3
NAMED = frozenset(
    ("PERSON", "NORP", "FAC", "ORG", "GPE", "LOC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW", "LANGUAGE", "PROPN")
)
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
SMALL = tuple("two three four five six seven eight nine ten eleven twelve".split())
PLACES = {word: figure[:-2] for word, figure in ORDINALS.items()}
WORD = re.compile(r"\w+")
ARTICLE = ("article",)
LEADS = re.compile(r"^(here is|here's|sure\b|the (sentence|text|original|rewritten)\b.{0,40}:)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteCheck:
    """One check of a rewrite: its name, whether it passed, and what was seen ("lost: 1889, Paris")."""

    name: Literal["changed", "complete", "names", "numbers", "content", "meaning", "facts", "judged", "answer"]
    passed: bool
    detail: str


def word_list(text: str) -> list[str]:
    """Return the words in order, lower case, without punctuation."""
    return WORD.findall(text.casefold())


def changed_share(original: str, rewrite: str) -> float:
    """Return the share of words that differ between two texts, in [0, 1]; 0 = the same words in the same order.

    >>> changed_share("The river is long.", "the river is LONG")
    0.0
    >>> changed_share("a b c d", "a b c e")
    0.25
    """
    before, after = word_list(original), word_list(rewrite)
    return 1.0 - SequenceMatcher(None, before, after, autojunk=False).ratio()


def repeats_words(text: str) -> bool:
    """Return whether the same four words follow each other three times, as a stuck model writes them."""
    words = word_list(text)
    return any(
        words[i : i + LOOP_WORDS] * LOOP_TIMES == words[i : i + LOOP_WORDS * LOOP_TIMES]
        for i in range(len(words) - LOOP_WORDS * LOOP_TIMES + 1)
    )


def numbers_in(text: str) -> frozenset[str]:
    """Return the numbers written in digits, without separators, and in words those from two to twelve and "third" on.

    >>> sorted(numbers_in("In 1,230 places, 3.5 km, eleven times, a fifth time"))
    ['11', '1230', '3.5', '5']
    """
    words = word_list(text)
    said = (
        *(str(SMALL.index(word) + 2) for word in words if word in SMALL),
        *(PLACES[w] for w in words if w in PLACES),
    )
    return frozenset((*(re.sub(r",(?=\d{3})", "", found).strip(".,") for found in NUMBER.findall(text)), *said))


def names(text: str, tools: TextTools) -> frozenset[str]:
    """Return the words of the text's names, each with a capital letter: "Marie Curie" gives two."""
    named = [entity for entity in tools.entities(text) if is_name(entity)]
    return frozenset(
        word.casefold().removesuffix("'s")
        for entity in named
        for word in WORD.findall(entity.text)
        if word[0].isupper()
    )


def is_name(entity: Entity) -> bool:
    """Return whether an entity is a name rather than a date, number or plain noun."""
    return entity.label in NAMED


def check_change(original: str, rewrite: str) -> RewriteCheck:
    """Return whether the wording differs by at least 2% of the words."""
    share = changed_share(original, rewrite)
    if share >= LEAST_CHANGE:
        return RewriteCheck(name="changed", passed=True, detail=f"{share:.0%} of the words differ")
    detail = f"{share:.1%} of the words differ, at least {LEAST_CHANGE:.0%} must"
    return RewriteCheck(name="changed", passed=False, detail=detail)


def check_complete(rewrite: str, cut: bool) -> RewriteCheck:
    """Return whether the rewrite is there, was not cut at the limit, does not loop and is no talk about the task."""
    if not rewrite.strip():
        detail = "empty"
    elif cut:
        detail = "cut off at the length limit"
    elif repeats_words(rewrite):
        detail = "repeats itself"
    elif LEADS.match(rewrite.strip()):
        detail = "talks about the task"
    else:
        return RewriteCheck(name="complete", passed=True, detail="complete")
    return RewriteCheck(name="complete", passed=False, detail=detail)


def check_names(original: str, rewrite: str, tools: TextTools) -> RewriteCheck:
    """Return whether every name is kept and none is invented."""
    lost = names(original, tools) - frozenset(word_list(rewrite))
    new = names(rewrite, tools) - frozenset(word_list(original))
    return RewriteCheck(name="names", passed=not lost and not new, detail=difference_text(lost, new, "all names kept"))


def check_numbers(original: str, rewrite: str) -> RewriteCheck:
    """Return whether every number is kept and none is invented."""
    before, after = numbers_in(original), numbers_in(rewrite)
    detail = difference_text(before - after, after - before, "all numbers kept")
    return RewriteCheck(name="numbers", passed=before == after, detail=detail)


def check_content(original: str, rewrite: str, tools: TextTools) -> RewriteCheck:
    """Return whether at most one content word in five fell out, and at most one in five is new.

    An embedding hardly sees that a half-sentence is missing, or that "specializing in delivery" became "popular".
    """
    before, after = content_lemmas(original, tools), content_lemmas(rewrite, tools)
    lost, new = before - after, after - before
    passed = len(lost) <= MOST_LOST * len(before) + 0.5 and len(new) <= MOST_NEW * len(after) + 0.5
    return RewriteCheck(name="content", passed=passed, detail=difference_text(lost, new, "all content words kept"))


def content_lemmas(text: str, tools: TextTools) -> frozenset[str]:
    """Return the dictionary forms of the content words; "fourth" is read as "4th"."""
    said = (ORDINALS.get(word.lemma, word.lemma) for word in tools.words(text) if word.is_content)
    return frozenset(said)


def check_meaning(cosine: float, bound: float) -> RewriteCheck:
    """Return whether the embeddings of both texts are at least ``bound`` alike."""
    return RewriteCheck(name="meaning", passed=cosine >= bound, detail=f"similarity {cosine:.2f}, at least {bound:.2f}")


def difference_text(lost: frozenset[str], new: frozenset[str], none: str) -> str:
    """Return "lost: …; new: …" in order, or ``none``."""
    parts = [f"{what}: {', '.join(sorted(words))}" for what, words in (("lost", lost), ("new", new)) if words]
    return "; ".join(parts) or none


def check_rewrite(
    original: str, rewrite: str, cut: bool, cosine: float, bound: float, tools: TextTools
) -> tuple[RewriteCheck, ...]:
    """Return the six checks that every rewrite takes."""
    return (*check_words(original, rewrite, cut, tools), check_meaning(cosine, bound))


def check_words(original: str, rewrite: str, cut: bool, tools: TextTools) -> tuple[RewriteCheck, ...]:
    """Return the five of them that need no embedding."""
    return (
        check_change(original, rewrite),
        check_complete(rewrite, cut),
        check_names(original, rewrite, tools),
        check_numbers(original, rewrite),
        check_content(original, rewrite, tools),
    )


def check_facts(original: str, rewrite: str, tools: TextTools, moved: bool = False) -> RewriteCheck:
    """Return whether two sentences state the same: every fact of the one is among those of the other.

    ``moved``: a rule made the rewrite by moving words. Then the words of a fact that stand in the other text as they
    are, with all between them, say the same there: a parser often reads them in another way after something else moved.

    "It was X who …" sets X apart and says nothing of an "it", unless the original begins so. Brackets that stand behind
    the same words in both are left out: they state the same.
    """
    made_apart = not original.lstrip().startswith("It ")
    rewritten = put_together(rewrite) if made_apart else rewrite
    (plain, brackets), (other, others) = without_brackets(original), without_brackets(rewritten)
    if brackets and sorted(map(lowered, brackets)) == sorted(map(lowered, others)):
        original, rewritten = plain, other
    before, after = tools.facts(original), tools.facts(rewritten)
    lost = unstated(before, after, tools.one_wording(rewritten) if moved else "")
    new = unstated(after, before, tools.one_wording(original) if moved else "")
    detail = difference_text(lost, new, "states the same facts")
    return RewriteCheck(name="facts", passed=not lost and not new, detail=detail)


def lowered(bracket: Bracket) -> tuple[str, str]:
    """Return a bracket and the words before it, in lower case."""
    return bracket.behind.casefold(), bracket.text.strip().casefold()


def unstated(facts: Sequence[Fact], others: Sequence[Fact], other_text: str) -> frozenset[str]:
    """Return the facts, in words, that neither another one nor the words of the other text say too.

    An article counts where both have one.
    """
    words = f" {' '.join(word_list(other_text))} "
    articles = {other.heads: other.tails for other in others if other.relations == ARTICLE}
    return frozenset(
        f"{one.heads[0]} – {one.relations[0]} – {one.tails[0]}"
        for one in facts
        if (one.needed and not says_in_words(words, one) and not any(says_the_same(one, other) for other in others))
        or (one.relations == ARTICLE and articles.get(one.heads, one.tails) != one.tails)
    )


def says_in_words(words: str, one: Fact) -> bool:
    """Return whether the words of a fact stand together among ``words`` (lower case, a space around each)."""
    said = " ".join(word_list(one.said))
    return bool(said) and f" {said} " in words


def says_the_same(one: Fact, other: Fact) -> bool:
    """Return whether two facts share a name for each of their three parts; what one leaves open the other has to."""
    return set(one.either) <= {*other.either, *other.tails} and not (
        set(one.heads).isdisjoint(other.heads)
        or set(one.relations).isdisjoint(other.relations)
        or set(one.tails).isdisjoint(other.tails)
    )


def holds_answer(sentence: str, answers: Sequence[str], tools: TextTools) -> bool:
    """Return whether all content words of an answer that has any stand in a sentence."""
    wanted = [words for words in (content_lemmas(answer, tools) for answer in answers) if words]
    said = content_lemmas(sentence, tools) if wanted else frozenset()
    return any(words <= said for words in wanted)


def keeps_answer(sentence: str, rewording: str, answers: Sequence[str]) -> bool:
    """Return whether a rewording has an answer letter for letter, if its sentence has it."""
    return not (answers and contains(sentence, answers)) or contains(rewording, answers)


def whole_sentences(text: str, tools: TextTools) -> list[str]:
    """Return the sentences of a passage, without a first or last piece that is cut off and has no verb.

    "Both Jordan" at the end of a chunk states nothing, so there is nothing to say in other words.
    """
    sentences = [span.text for span in tools.sentences(text)]
    return [
        one
        for at, one in enumerate(sentences)
        if not (
            (at == len(sentences) - 1 and one[-1].isalnum() or at == 0 and one[0].islower())
            and not any(word.pos in {"VERB", "AUX"} for word in tools.words(one))
        )
    ]


def check_answer(original: str, rewrite: str, answers: Sequence[str], tools: TextTools) -> RewriteCheck:
    """Return whether every sentence that holds an answer is reworded.

    A sentence holds an answer that has content words where all of them stand in it. It is reworded where no sentence
    of the rewrite has its words in its order. A remnant without a verb, where the passage was cut, is no sentence.
    """
    sentences = whole_sentences(original, tools) if answers else []
    holding = [one for one in sentences if holds_answer(one, answers, tools)]
    if not holding:
        return RewriteCheck(name="answer", passed=True, detail="no sentence holds the answer")
    said = {tuple(word_list(span.text)) for span in tools.sentences(rewrite)}
    stays = next((one for one in holding if tuple(word_list(one)) in said), None)
    if stays is not None:
        return RewriteCheck(name="answer", passed=False, detail=f"stays as it was: {shown(stays, QUOTED)}")
    return RewriteCheck(name="answer", passed=True, detail="every sentence that holds the answer is reworded")
