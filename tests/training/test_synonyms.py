"""Groups of names from WordNet's lines."""

import gzip

from training.synonyms import groups, written
from training.wordnet import parsed

LINES = """10633450 18 n 03 Clemens 0 Samuel_Langhorne_Clemens 0 Mark_Twain 0 001 @i 10801802 n 0000 | United States writer (1835-1910)
10793570 18 n 02 Adams 0 John_Adams 0 001 @i 10467395 n 0000 | 2nd President of the United States (1735-1826)
10793799 18 n 02 Adams 0 John_Quincy_Adams 0 001 @i 10467395 n 0000 | 6th President of the United States (1767-1848)
08524735 15 n 03 the_Hague 0 The_Hague 0 Den_Haag 0 001 @i 08524735 n 0000 | the seat of government
00001740 03 n 01 entity 0 000 | that which is perceived
"""  # noqa: E501 (lines of the database are long)


def test_a_group_has_several_names_and_a_person_is_named_by_first_and_last_too() -> None:
    found = list(groups(map(parsed, LINES.splitlines())))
    assert found[0] == (
        "clemens", "mark twain", "samuel clemens", "samuel l clemens", "samuel langhorne clemens",
    )  # fmt: skip
    assert found[1] == ("adams", "john adams")
    assert found[2] == ("adams", "john q adams", "john quincy adams")
    assert found[3] == ("den haag", "hague") and len(found) == 4


def test_the_same_groups_give_the_same_bytes() -> None:
    one, other = written([("a", "b"), ("c", "d")]), written([("a", "b"), ("c", "d")])
    assert one == other and gzip.decompress(one).decode() == "a\tb\nc\td\n"
