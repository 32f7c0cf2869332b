"""Names for one thing and for its neighbours, from WordNet: a gloss is a question, its words are the answers.

WordNet 3.x noun database (``data.noun``, Princeton University, free licence). Synonyms in a set mean the same, given
the gloss; words of a sister set (same hypernym) answer another question. It adds people ("Mark Twain, Samuel Langhorne
Clemens"), places ("New York, Big Apple") and terms that no question of EVOUNA asks for.
"""

import random
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Synset:
    """One meaning: its words, its gloss without examples, the offsets of its hypernyms and instance hypernyms."""

    offset: str
    words: tuple[str, ...]
    gloss: str
    above: tuple[str, ...]
    instance: bool


def read_synsets(path: Path) -> tuple[Synset, ...]:
    """Return the noun synsets of a WordNet ``data.noun`` file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(parsed(line) for line in lines if not line.startswith("  "))


def parsed(line: str) -> Synset:
    """Return one line's synset (wndb(5WN): offset, lexicographer file, type, words in hex count, pointers, gloss)."""
    fields, _, gloss = line.partition(" | ")
    parts = fields.split()
    count = int(parts[3], 16)
    named = tuple(re.sub(r"\((?:a|p|ip)\)$", "", parts[4 + 2 * at]).replace("_", " ") for at in range(count))
    start = 4 + 2 * count
    pointers = [parts[start + 1 + 4 * at : start + 5 + 4 * at] for at in range(int(parts[start]))]
    above = tuple(pointer[1] for pointer in pointers if pointer[0] in ("@", "@i"))
    plain = re.split(r"; (?:\"|')", gloss.strip())[0].strip().strip('";')
    return Synset(
        offset=parts[0],
        words=named,
        gloss=plain,
        above=above,
        instance=any(pointer[0] == "@i" for pointer in pointers),
    )


def families(synsets: tuple[Synset, ...]) -> dict[str, list[Synset]]:
    """Return the synsets under each hypernym with at least three, kinds and instances separately."""
    found: dict[str, list[Synset]] = defaultdict(list)
    for synset in synsets:
        for above in synset.above:
            found[above + "i" * synset.instance].append(synset)
    return {above: members for above, members in found.items() if len(members) >= 3}


def gloss_question(draw: random.Random, synset: Synset) -> str:
    """Return a question that the synset's words answer; half of the time without a person's years."""
    gloss = re.sub(r"\s*\((?:[^()]*\d{3,4}[^()]*)\)", "", synset.gloss) if draw.random() < 0.5 else synset.gloss
    gloss = gloss[:160]
    person = synset.instance and re.search(r"\(\d|who |born", synset.gloss)
    openers = ("who is the {}", "who was {}", "name the {}") if person else ("what is {}", "what do you call {}", "{}")
    return draw.choice(openers).format(gloss)
