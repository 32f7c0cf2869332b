"""Words that the rewording rules go by: verbs without a passive, openings of clauses, phrases that mean the same."""

NO_PASSIVE = frozenset(
    "have be become resemble lack cost weigh contain include comprise mean equal fit suit last remain stay want need "
    "love like hate enjoy know see say think believe hope get let reach leave enter join marry share belong".split()
)
STATES = frozenset(
    "locate situate base know call name surround border cover make compose bind connect dedicate".split()
)
CLAUSE_OPENINGS = frozenset(
    "because although though when while after before since until unless if as whereas whenever once".split()
)
OBJECT_CASE = {"he": "him", "she": "her", "they": "them", "i": "me", "we": "us", "it": "it"}
SUBJECT_CASE = {form: subject for subject, form in OBJECT_CASE.items()}

# Each side may stand for the other in running prose; a phrase is replaced as a whole, first one first.
PHRASES: tuple[tuple[str, str], ...] = (
    ("such as", "for example"),
    ("for instance", "for example"),
    ("in order to", "so as to"),
    ("as well as", "and also"),
    ("because of", "owing to"),
    ("due to", "because of"),
    ("a number of", "several"),
    ("more than", "over"),
    ("less than", "under"),
    ("at least", "no fewer than"),
    ("approximately", "about"),
    ("roughly", "about"),
    ("nearly", "almost"),
    ("almost", "nearly"),
    ("however", "nevertheless"),
    ("therefore", "for this reason"),
    ("nowadays", "today"),
    ("in addition", "moreover"),
    ("prior to", "before"),
    ("subsequently", "afterwards"),
    ("afterwards", "after that"),
    ("throughout", "all through"),
    ("often", "frequently"),
    ("usually", "normally"),
    ("mostly", "for the most part"),
    ("mainly", "chiefly"),
    ("especially", "in particular"),
    ("particularly", "in particular"),
    ("entire", "whole"),
    ("began to", "started to"),
    ("began", "started"),
    ("also known as", "also called"),
    ("was born in", "came into the world in"),
    ("took place", "was held"),
    ("is located in", "lies in"),
    ("is situated in", "lies in"),
    ("was located in", "lay in"),
    ("consists of", "is made up of"),
    ("consisted of", "was made up of"),
    ("in the middle of", "at the centre of"),
    ("close to", "near"),
    ("so far", "until now"),
    ("every year", "each year"),
    ("each year", "every year"),
    ("allowed", "enabled"),
    ("allows", "enables"),
    ("receives", "gets"),
    ("built", "constructed"),
    ("big", "large"),
    ("quickly", "fast"),
    ("many", "a great many"),
    ("several", "a number of"),
)
