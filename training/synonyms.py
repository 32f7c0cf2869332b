"""Write the groups of names that the embedded judge takes for one thing.

    python -m training.synonyms DATA.NOUN [--into engine/backends/entailment/weights/synonyms.txt.gz]

DATA.NOUN is WordNet's noun database. A line of the result is a synset with at least two names, in the form in which
answers are looked up, with a tab between them. A person is also named by the first and the last word of a longer name
("Samuel Clemens", "Samuel L. Clemens"), unless somebody else is called so. The same database gives the same bytes.
"""

import argparse
import gzip
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.backends.entailment.synonyms import FILE, key
from training.wordnet import Synset, read_synsets

PERSON = re.compile(r"\(\d{3,4}|\(born|who ")


def groups(synsets: Iterable[Synset]) -> Iterator[tuple[str, ...]]:
    """Return the names of each synset that has several after articles and the like are gone."""
    named = [({key(word) for word in synset.words} - {()}, is_person(synset)) for synset in synsets]
    taken = {name for names, _ in named for name in names}
    for names, person in named:
        short = {form for name in names for form in shortened(name)} - taken if person else set()
        if len(names | short) > 1:
            yield tuple(sorted(" ".join(name) for name in names | short))


def shortened(name: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Return a name of three words or more without its middle ones, and with their initials.

    >>> list(shortened(("john", "fitzgerald", "kennedy")))
    [('john', 'kennedy'), ('john', 'f', 'kennedy')]
    """
    if len(name) > 2:
        yield name[0], name[-1]
        yield name[0], *(part[0] for part in name[1:-1]), name[-1]


def is_person(synset: Synset) -> bool:
    """Return whether a synset is somebody: an instance with years of life, or "who" in its gloss."""
    return synset.instance and PERSON.search(synset.gloss) is not None


def written(found: Iterable[tuple[str, ...]]) -> bytes:
    """Return the groups as a compressed file, without the time of writing."""
    text = "".join("\t".join(names) + "\n" for names in found)
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def main() -> None:
    """Read WordNet's nouns and write the groups."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("nouns", type=Path, help="WordNet's data.noun")
    parser.add_argument("--into", type=Path, default=FILE, help="the file to write")
    chosen = parser.parse_args()
    chosen.into.write_bytes(written(groups(read_synsets(chosen.nouns))))


if __name__ == "__main__":
    main()
