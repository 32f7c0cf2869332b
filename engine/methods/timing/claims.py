"""What the answer of each policy claims, and where the corpus holds both ends: evidence beside every run.

QuCo-RAG's count (section 3.3, eq. 3 and 4) on the text a policy kept in the end, whatever that policy looked at. It
asks no model. An index of pre-training texts, which is asked over a network, is left to QuCo-RAG's own policy.
"""

from dataclasses import replace

from engine.backends.text.base import sentence_kind
from engine.methods.quco_claims import CheckedSentence, QucoConfig, counted_claims, share_of_documents
from engine.methods.timing.base import PolicyContext, PolicyRun

MEETINGS_SHOWN = 2


def with_claims(runs: tuple[PolicyRun, ...], scene: PolicyContext) -> tuple[PolicyRun, ...]:
    """Return the runs with the claims of their answers; as they are where there is no corpus to count in."""
    counter = scene.backends.counter
    if counter.kind != "corpus" or counter.documents == 0:
        return runs
    return tuple(run if run.not_measured else replace(run, claims=claims_of(run, scene)) for run in runs)


def claims_of(run: PolicyRun, scene: PolicyContext) -> tuple[CheckedSentence, ...]:
    """Return the sentences of a run's answer that state a fact, with their claims; one that was cut off has none."""
    tools, counter = scene.backends.text, scene.backends.counter
    spans = tools.sentences(run.text)
    config = QucoConfig(
        window=scene.config.cooccurrence_window,
        window_share=share_of_documents(scene.config.cooccurrence_share, scene.case.profile, counter),
        cooccurrence_threshold=scene.config.cooccurrence_threshold,
        meetings_shown=MEETINGS_SHOWN,
    )
    whole = spans[:-1] if run.ended == "out of tokens" else spans
    return tuple(
        CheckedSentence(text=span.text, kind="fact", claims=counted_claims(tools.triplets(span.text), config, counter))
        for span in whole
        if sentence_kind(span.text) == "fact"
    )
