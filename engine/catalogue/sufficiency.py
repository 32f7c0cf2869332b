"""The numbers of sufficiency: what the model says of each text, and which passage comes nearest."""

from engine.catalogue.base import UNSTORED, Fact, entry, of_owner
from engine.methods.sufficiency import Reply, SufficiencyResult

ENTRIES = (
    entry(Reply, "yes"),
    entry(Reply, "yes_logprobs"),
    entry(Reply, "no_logprobs"),
    entry(SufficiencyResult, "threshold"),
)
FACTS = (
    Fact(Reply, "yes_logprobs", lambda place: UNSTORED),
    Fact(Reply, "no_logprobs", lambda place: UNSTORED),
    Fact(SufficiencyResult, "nearest", of_owner(lambda result: result.alone.index(max(result.alone)))),
    Fact(SufficiencyResult, "sufficient", of_owner(lambda result: result.score >= result.threshold)),
)
