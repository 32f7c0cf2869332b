"""Once at the start: look up the question and write everything over what was found (single-step retrieval)."""

from engine.methods.timing.base import Policy, before_writing

POLICY = Policy(
    word="once",
    title="Once at the start",
    summary="Has anything been looked up yet?",
    paper="DRAGIN's baseline SR-RAG",
    after="once",
    before=before_writing,
)
