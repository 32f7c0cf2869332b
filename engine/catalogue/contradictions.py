"""The numbers of contradictions: what the judge said of each pair, and what it is held against."""

from engine.catalogue.base import Fact, entry
from engine.methods.contradictions import ContradictionsConfig, SentencePair

ENTRIES = (
    entry(SentencePair, "contradiction"),
    entry(ContradictionsConfig, "threshold"),
)
FACTS: tuple[Fact, ...] = ()
