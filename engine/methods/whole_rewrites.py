"""What a chunk that the model reworded as a whole must state: sentence by sentence what the chunk states.

DENSE (appendix B.1) has a large model rewrite a chunk at once and trusts it. Here its sentences are laid beside those
of the chunk, at most two beside two, so that they share most content words. Each such part has to pass the checks of a
single sentence: names and numbers, the facts of the parse with their owners and denials, and no contradiction either
way by the sentence judge. What stands beside nothing, or in another order, is lost or new.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from engine.backends.entailment.base import CONTRADICTION, ENTAILMENT
from engine.backends.entailment.matrix import by_texts, judged_pairs
from engine.backends.text.base import TextTools
from engine.core.progress import silent
from engine.methods.base import Backends
from engine.methods.rewrite_checks import RewriteCheck, check_facts, check_names, check_numbers, content_lemmas

# How many sentences of either side may stand beside each other, and what joining costs, so that 1 beside 1 comes first.
STEPS = ((1, 1), (1, 2), (2, 1), (2, 2), (1, 0), (0, 1))
JOINED_COST = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """Sentences of a chunk and those of its rewrite that say the same, each as one text; "" where there are none."""

    original: str
    rewrite: str


def side_by_side(original: str, rewrite: str, tools: TextTools) -> tuple[Beside, ...]:
    """Return the parts of a chunk beside those of its rewrite, in order, so that they share most content words.

    The best way by dynamic programming: a step takes one or two sentences of each, or one of one side alone, and adds
    the share of common content words times the sentences it takes.
    """
    left = [span.text for span in tools.sentences(original)]
    right = [span.text for span in tools.sentences(rewrite)]
    words = {one: content_lemmas(one, tools) for one in (*left, *right)}
    best: dict[tuple[int, int], tuple[float, tuple[Beside, ...]]] = {(0, 0): (0.0, ())}
    for here in product(range(len(left) + 1), range(len(right) + 1)):
        score, taken = best[here]
        for step in STEPS:
            there = (here[0] + step[0], here[1] + step[1])
            if there[0] > len(left) or there[1] > len(right):
                continue
            ones, others = left[here[0] : there[0]], right[here[1] : there[1]]
            found = score + common_share(ones, others, words) * sum(step) - JOINED_COST * (max(step) - 1)
            if there not in best or found > best[there][0]:
                best[there] = (found, (*taken, Beside(original=" ".join(ones), rewrite=" ".join(others))))
    return best[len(left), len(right)][1]


def common_share(ones: Sequence[str], others: Sequence[str], words: dict[str, frozenset[str]]) -> float:
    """Return the share of content words that two groups of sentences have in common (Jaccard), in [0, 1]."""
    one = frozenset().union(*(words[text] for text in ones))
    other = frozenset().union(*(words[text] for text in others))
    return len(one & other) / max(1, len(one | other))


def check_whole_facts(parts: Sequence[Beside], tools: TextTools) -> RewriteCheck:
    """Return whether each part states what it stands beside; the first that does not is named with what differs."""
    for part in parts:
        if not part.original or not part.rewrite:
            detail = f"new: {part.rewrite}" if part.rewrite else f"lost: {part.original}"
            return RewriteCheck(name="facts", passed=False, detail=detail)
        found = (
            check_names(part.original, part.rewrite, tools),
            check_numbers(part.original, part.rewrite),
            check_facts(part.original, part.rewrite, tools),
        )
        failed = next((check for check in found if not check.passed), None)
        if failed is not None:
            return RewriteCheck(name="facts", passed=False, detail=f"{failed.detail}, in: {part.rewrite}")
    return RewriteCheck(name="facts", passed=True, detail="each sentence states the same facts")


def check_judged(parts: Sequence[Beside], backends: Backends) -> tuple[RewriteCheck, tuple[float, ...]]:
    """Return whether no part contradicts what it stands beside, and each part's smaller P(entailment) of both ways."""
    said = backends.text.one_wording
    texts = [(said(part.original), said(part.rewrite)) for part in parts]
    asked = list(dict.fromkeys(pair for one, other in texts for pair in ((one, other), (other, one))))
    rows = by_texts(judged_pairs(backends.sentence_judge, "", asked, silent))
    both = [(rows[one, other], rows[other, one]) for one, other in texts]
    entailed = tuple(float(min(row[ENTAILMENT] for row in pair)) for pair in both)
    against = [part for part, pair in zip(parts, both, strict=True) if any(contradicts(row) for row in pair)]
    detail = f"contradicts: {against[0].rewrite}" if against else "no sentence contradicts its own"
    return RewriteCheck(name="judged", passed=not against, detail=detail), entailed


def contradicts(row: Sequence[float]) -> bool:
    """Return whether a judgement is most likely a contradiction."""
    return max(range(len(row)), key=row.__getitem__) == CONTRADICTION
