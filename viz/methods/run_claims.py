"""What each policy's own answer claims, claim by claim, with what the corpus holds for it (QuCo-RAG's count)."""

import pandas as pd

from engine.methods.quco_claims import CheckedSentence, CountedClaim
from engine.methods.timing.base import PolicyRun
from viz.methods.quco_rag import NO_EVIDENCE, claim_verdict, meetings_words
from viz.parts.words import counted, quoted

COLUMNS = ["sentence", "head", "relation", "tail", "documents together", "verdict"]


def claims_of(run: PolicyRun) -> list[tuple[CheckedSentence, CountedClaim]]:
    """Return every claim with two ends and the sentence it stands in; [] where nothing was counted."""
    return [(one, claim) for one in run.claims or () for claim in one.claims if claim.tail is not None]


def claims_sentence(run: PolicyRun) -> str:
    """Return how many claims of a run's answer have evidence in the corpus, in words."""
    if run.claims is None:
        return "This answer's claims were not counted."
    verdicts = [claim_verdict(claim) for _, claim in claims_of(run)]
    if not verdicts:
        return "This answer makes no claim."
    missing = verdicts.count(NO_EVIDENCE)
    return (
        f"{counted(len(verdicts), 'claim')}: {verdicts.count('supported')} with evidence in the corpus, "
        f"{missing} without, {verdicts.count('not measured')} not measured."
    )


def claim_words(claim: CountedClaim) -> str:
    """Return one claim and its count in words."""
    tail = quoted(claim.tail.entity.text) if claim.tail else "nothing"
    said = f"{quoted(claim.head.entity.text)} – {claim.relation} – {tail}"
    if claim.documents is None:
        return f"{said}: not measured. {claim.reason}".strip()
    return f"{said}: together in {meetings_words(claim, 'document')} ({claim_verdict(claim)})."


def claims_table(run: PolicyRun) -> pd.DataFrame:
    """Return one row a claim: its sentence, its ends, in how many documents they meet, the verdict."""
    rows = [
        (
            one.text,
            claim.head.entity.text,
            claim.relation,
            claim.tail.entity.text if claim.tail else "",
            claim.documents,
            claim_verdict(claim),
        )
        for one, claim in claims_of(run)
    ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"documents together": "Int64"})
