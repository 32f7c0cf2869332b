"""WordNet's noun file as questions and names."""

import random
from pathlib import Path

from training.wordnet import families, gloss_question, read_synsets

LINES = """  1 This software and database is being provided to you
00000001 18 n 02 Mark_Twain 0 Clemens 0 001 @i 00000009 n 0000 | writer known for his novels (1835-1910); "he wrote"
00000002 18 n 01 Jane_Austen 0 001 @i 00000009 n 0000 | writer of novels about families (1775-1817)
00000003 18 n 01 Ben_Jonson 0 001 @i 00000009 n 0000 | writer of plays who lived in London (1572-1637)
00000004 06 n 01 pen(p) 0 001 @ 00000008 n 0000 | a thing to write with
"""


def test_words_gloss_and_kin_are_read(tmp_path: Path) -> None:
    path = tmp_path / "data.noun"
    path.write_text(LINES)
    synsets = read_synsets(path)
    assert [synset.words for synset in synsets] == [
        ("Mark Twain", "Clemens"),
        ("Jane Austen",),
        ("Ben Jonson",),
        ("pen",),
    ]
    assert synsets[0].gloss == "writer known for his novels (1835-1910)"
    assert synsets[0].instance and not synsets[3].instance
    assert {above: len(members) for above, members in families(synsets).items()} == {"00000009i": 3}


def test_a_person_is_asked_for_with_who_and_a_thing_with_what(tmp_path: Path) -> None:
    path = tmp_path / "data.noun"
    path.write_text(LINES)
    person, *_, thing = read_synsets(path)
    assert all(gloss_question(random.Random(seed), person).startswith(("who", "name")) for seed in range(10))
    assert not any(gloss_question(random.Random(seed), thing).startswith("who") for seed in range(10))
